"""Connections: so many and no more, and each has so long to say what it wants and to take the answer."""

from __future__ import annotations

import asyncio
import time
from typing import Any

import h11
import uvicorn
from uvicorn.protocols.http.h11_impl import H11Protocol

from seetopic.web.limits import ConnectionLimits

_BUSY = b"HTTP/1.1 503 Service Unavailable\r\nRetry-After: 5\r\nContent-Length: 0\r\nConnection: close\r\n\r\n"


def server_for(app: Any, limits: ConnectionLimits | None = None) -> uvicorn.Server:
    """A server that a slow or greedy client cannot hold up."""
    chosen = ConnectionLimits() if limits is None else limits

    class Protocol(_Bounded):
        bounds = chosen

    return uvicorn.Server(
        uvicorn.Config(
            app,
            http=Protocol,
            ws="none",
            log_level="critical",  # the application tells of its errors itself
            access_log=False,  # it would hold the token
            proxy_headers=False,  # anybody on this machine could say that a request comes from elsewhere
            timeout_graceful_shutdown=3,
        )
    )


class _Bounded(H11Protocol):
    """HTTP as uvicorn speaks it, with deadlines, which it knows for idle connections only."""

    bounds: ConnectionLimits

    def __init__(self, *values: Any, **named: Any) -> None:
        super().__init__(*values, **named)
        self._reading: asyncio.TimerHandle | None = None
        self._writing: asyncio.TimerHandle | None = None
        self._since = time.monotonic()
        self._began: float | None = None  # when the body of a request began to come
        self._received = 0

    @property
    def _is_idle(self) -> bool:
        """Whether nothing is being done for it: it says nothing, or has not said all of its request's head."""
        return self.cycle is None or self.cycle.response_complete

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        super().connection_made(transport)
        self._wait(self.bounds.head_seconds)
        if len(self.connections) > self.bounds.connections:
            others = (each for each in self.connections if isinstance(each, _Bounded) and each is not self)
            oldest = min((each for each in others if each._is_idle), key=lambda each: each._since, default=None)
            if oldest is not None:
                oldest.transport.abort()
                return
            transport.write(_BUSY)
            transport.close()

    def data_received(self, data: bytes) -> None:
        if self.transport.is_closing():
            return
        before = self.conn.their_state
        super().data_received(data)
        after = self.conn.their_state
        if after is h11.SEND_BODY:
            if before is not h11.SEND_BODY or self._began is None:
                self._began, self._received = time.monotonic(), 0
            self._received += len(data)
            allowed = self.bounds.body_seconds + self._received / self.bounds.bytes_a_second
            self._wait(self._began + allowed - time.monotonic())
        elif after is h11.IDLE and self.conn.trailing_data[0]:  # a part of a head
            if self._reading is None:
                self._wait(self.bounds.head_seconds)
        else:
            self._stop_waiting()

    def connection_lost(self, exc: Exception | None) -> None:
        self._stop_waiting()
        self.resume_writing()
        super().connection_lost(exc)

    def pause_writing(self) -> None:
        super().pause_writing()
        if self._writing is None:
            self._writing = self.loop.call_later(self.bounds.answer_seconds, self.transport.abort)

    def resume_writing(self) -> None:
        super().resume_writing()
        if self._writing is not None:
            self._writing.cancel()
            self._writing = None

    def timeout_keep_alive_handler(self) -> None:
        super().timeout_keep_alive_handler()
        # What is still to be sent keeps a closed connection, if nobody takes it.
        self.loop.call_later(self.bounds.answer_seconds, self.transport.abort)

    def _wait(self, seconds: float) -> None:
        self._stop_waiting()
        self._reading = self.loop.call_later(max(seconds, 0), self.transport.abort)

    def _stop_waiting(self) -> None:
        if self._reading is not None:
            self._reading.cancel()
            self._reading = None
