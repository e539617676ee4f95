"""HTTP connections, limited in number and in the time for request and response."""

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
    """A server that slow or greedy clients cannot block."""
    chosen = ConnectionLimits() if limits is None else limits

    class Protocol(_Bounded):
        bounds = chosen

    return uvicorn.Server(
        uvicorn.Config(
            app,
            http=Protocol,
            ws="none",
            log_level="critical",  # the application logs its own errors
            access_log=False,  # it would contain the token
            proxy_headers=False,  # any local program could forge the client address
            timeout_graceful_shutdown=3,
        )
    )


class _Bounded(H11Protocol):
    """Uvicorn's HTTP protocol with deadlines, which it otherwise has for idle connections only."""

    bounds: ConnectionLimits

    def __init__(self, *values: Any, **named: Any) -> None:
        super().__init__(*values, **named)
        self._reading: asyncio.TimerHandle | None = None
        self._writing: asyncio.TimerHandle | None = None
        self._since = time.monotonic()
        self._began: float | None = None  # when the body of a request began to arrive
        self._received = 0

    @property
    def _is_idle(self) -> bool:
        """Whether no request is being processed, or its headers are still incomplete."""
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
        elif after is h11.IDLE and self.conn.trailing_data[0]:  # incomplete headers
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
        # Unsent data keeps a closed connection open if the client does not read it.
        self.loop.call_later(self.bounds.answer_seconds, self.transport.abort)

    def _wait(self, seconds: float) -> None:
        self._stop_waiting()
        self._reading = self.loop.call_later(max(seconds, 0), self.transport.abort)

    def _stop_waiting(self) -> None:
        if self._reading is not None:
            self._reading.cancel()
            self._reading = None
