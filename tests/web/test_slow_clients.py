"""Clients that say nothing, too little, too slowly or never listen: others are answered, and they are let go."""

from __future__ import annotations

import contextlib
import socket
from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest

from seetopic.web.limits import ConnectionLimits, WorkbenchSettings
from waiting import until

from .served import TOKEN, Served, commanded, serving

HEAD = f"Host: localhost\r\nX-Seetopic-Token: {TOKEN}\r\n"
QUICK = ConnectionLimits(
    connections=20, head_seconds=0.5, body_seconds=0.5, bytes_a_second=1_000_000, answer_seconds=0.5
)


@pytest.fixture(scope="module")
def impatient(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    """A server that waits for half a second where others wait for half a minute."""
    with serving(WorkbenchSettings(data=tmp_path_factory.mktemp("slow")), limits=QUICK) as served:
        yield served


@contextlib.contextmanager
def connected(url: str, number: int = 1) -> Iterator[list[socket.socket]]:
    host, port = url.removeprefix("http://").split(":")
    with contextlib.ExitStack() as open_ones:
        yield [open_ones.enter_context(socket.create_connection((host, int(port)), timeout=20)) for _ in range(number)]


def ended(connection: socket.socket) -> bool:
    """Whether the server has let go of it."""
    try:
        while connection.recv(65536):
            pass
    except ConnectionResetError:
        pass
    except TimeoutError:
        return False
    return True


@pytest.mark.slow
def test_more_half_open_connections_than_there_may_be_hold_nobody_up(tmp_path: Path) -> None:
    """The real command, with its own limits; everybody else is answered while all of them are still open."""
    with commanded(tmp_path / "data") as served, served.client() as client:
        until(lambda: client.get("/api/corpora").status_code == 200)
        with connected(served.url, 400) as silent:
            for connection in silent:
                connection.sendall(b"GET / HTTP/1.1\r\nHost: localhost\r\nX-Slow: ")
            for _ in range(5):
                with served.client() as other:
                    assert other.get("/api/corpora").status_code == 200
            assert ended(silent[0])  # the oldest made room


@pytest.mark.slow
@pytest.mark.parametrize(
    "sent",
    [
        "",
        "GET / HT",
        f"GET /api/corpora HTTP/1.1\r\n{HEAD}X-Slow: ",
        f"POST /api/projects HTTP/1.1\r\n{HEAD}Content-Length: 1000\r\n\r\n{{",
        "POST /api/projects HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1000\r\n\r\n{",
        f"POST /api/uploads?name=a.csv HTTP/1.1\r\n{HEAD}Content-Length: 900000\r\n\r\ntext",
    ],
)
def test_who_does_not_finish_a_request_is_let_go(impatient: Served, sent: str) -> None:
    with connected(impatient.url) as (connection,):
        connection.sendall(sent.encode())
        assert ended(connection)
    uploads = impatient.workbench.uploads
    until(lambda: not uploads.receiving)
    assert not any(uploads.folder.glob("*/*"))


@pytest.mark.slow
def test_who_sends_one_byte_after_another_is_let_go_too(impatient: Served) -> None:
    head = f"POST /api/uploads?name=a.csv HTTP/1.1\r\n{HEAD}Content-Length: 900000\r\n\r\n"
    for begin, more in ((head, b"x"), ("GET / HTTP/1.1\r\nX-Slow: ", b"x")):
        with connected(impatient.url) as (connection,):
            connection.sendall(begin.encode())
            connection.settimeout(0.05)
            for _ in range(400):
                with contextlib.suppress(TimeoutError):
                    if connection.recv(1000) == b"":
                        break
                connection.sendall(more)
            else:
                pytest.fail("it was still listened to")


@pytest.mark.slow
def test_who_does_not_take_the_answer_is_let_go(impatient: Served) -> None:
    with connected(impatient.url) as (connection,):
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 1024)
        asked = f"GET /api/openapi.json HTTP/1.1\r\n{HEAD}\r\n".encode()
        connection.settimeout(20)
        with contextlib.suppress(ConnectionError):
            for _ in range(300):
                connection.sendall(asked)
        host = impatient.url.removeprefix("http://")
        number = connection.getsockname()[1]
        until(lambda: not any(f":{number:04X} " in line for line in _held_by(host)))


def _held_by(host: str) -> list[str]:
    """The server's ends of connections that are still established."""
    port = int(host.rpartition(":")[2])
    lines = Path("/proc/net/tcp").read_text().splitlines()[1:]
    return [line for line in lines if line.split()[1].endswith(f":{port:04X}") and line.split()[3] == "01"]


def test_a_connection_that_goes_on_asking_is_kept(impatient: Served) -> None:
    with httpx.Client(
        base_url=impatient.url, headers={"x-seetopic-token": TOKEN}, trust_env=False, timeout=60
    ) as client:
        for _ in range(3):
            assert client.get("/api/corpora").status_code == 200
        assert client.post("/api/uploads", params={"name": "a.csv"}, content=b"text\nx").status_code == 201
    impatient.workbench.uploads.remove(impatient.workbench.database.all("SELECT id FROM uploads")[0]["id"])
