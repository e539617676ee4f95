"""The server: binds an address, says how to open it, and runs until it is told to stop."""

from __future__ import annotations

import ipaddress
import os
import re
import secrets
import socket
import threading
from collections.abc import Callable, Sequence
from contextlib import closing
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path

from seetopic.errors import CorpusError, MissingExtra, SettingsError
from seetopic.runtime import writing
from seetopic.web.limits import WorkbenchSettings
from seetopic.web.place import claimed

DEFAULT_HOST, DEFAULT_PORT = "127.0.0.1", 8765
LOOPBACK = frozenset({"127.0.0.1", "localhost", "[::1]"})
_FIRST_PAGE = 1.5  # seconds that it takes to load
_TOKEN = re.compile(r"[A-Za-z0-9_-]{16,200}")
_NAME = re.compile(r"(\[[0-9a-f:.]+\]|[a-z0-9._-]+)")
_TRIED = 20  # ports after the usual one, if that is taken


@dataclass(frozen=True, kw_only=True)
class Address:
    """Where the server listens; `port` 0 is any free one, None the usual one or one near it."""

    host: str = DEFAULT_HOST
    port: int | None = None

    def bound(self) -> socket.socket:
        ports = range(DEFAULT_PORT, DEFAULT_PORT + _TRIED) if self.port is None else [self.port]
        reason = ""
        for port in ports:
            try:
                return _listening(self.host, port)
            except OSError as error:
                reason = error.strerror or str(error)
        raise SettingsError(
            f"cannot listen at {self.host} port {ports[0]} ({reason}); choose another with --host or --port"
        )

    @property
    def is_loopback(self) -> bool:
        try:
            return ipaddress.ip_address(self.host).is_loopback
        except ValueError:
            return self.host == "localhost"

    def called(self, hosts: Sequence[str] = ()) -> frozenset[str] | None:
        """The names that a request may call the server by: its own and those that are given; None: any.

        Another site's name may lead to this machine, too; where others can reach it, it is called by many names.
        """
        if not self.is_loopback and not hosts:
            return None
        own = f"[{self.host}]" if ":" in self.host else self.host
        return LOOPBACK.union((own.lower(), socket.gethostname().lower()), (name.lower() for name in hosts))


def serve(
    settings: WorkbenchSettings,
    address: Address,
    *,
    source: str | Path | None = None,
    text_field: str | None = None,
    label_field: str | None = None,
    token: str | None = None,
    hosts: Sequence[str] = (),
    ready: Callable[[str], None],
) -> None:
    """Serve the workbench until it is interrupted; `ready` is called with the address to open, which holds the token.

    That is told as soon as it is taken: whoever opens it waits for the server, and a browser starts meanwhile.
    `hosts` are further names by which it is reached, such as that of a web server before it.
    """
    if any(find_spec(package) is None for package in ("fastapi", "uvicorn")):
        raise MissingExtra("the workbench", "web")
    strange = next((name for name in hosts if not _NAME.fullmatch(name.lower())), None)
    if strange is not None:
        raise SettingsError(f"--allow-host {strange[:80]!r} is not a host name; give one such as topics.example.org")
    given = None if source is None else Path(source).resolve()
    if given is not None and not given.exists():
        raise CorpusError(f"{source} does not exist; give an index, a file or a folder of .txt files, or nothing")
    with claimed(settings.data):
        secret = kept_token(settings.data) if token is None else token
        if not _is_token(secret):
            raise SettingsError("the token must have 16 to 200 letters, digits, - and _; choose another with --token")
        with closing(address.bound()) as taken:
            ready(_link(address, taken, secret))
            fields = {"text_field": text_field, "label_field": label_field}
            _run(settings, taken, secret, address.called(hosts), given, fields)


def _run(
    settings: WorkbenchSettings,
    taken: socket.socket,
    secret: str,
    hosts: frozenset[str] | None,
    given: Path | None,
    fields: dict[str, str | None],
) -> None:
    """Load all that a server needs, and be one."""
    from seetopic.web.app import application
    from seetopic.web.connections import server_for
    from seetopic.web.guard import Access
    from seetopic.web.sources import BuildOptions
    from seetopic.web.workbench import Workbench

    with closing(Workbench(settings)) as workbench:
        if given is not None:
            workbench.given = workbench.corpora.add_given(given, BuildOptions.model_validate(fields)).id
        app = application(workbench, Access(secret, hosts, settings.data / "sessions"))
        _soon(workbench.warm)
        server_for(app).run(sockets=[taken])


def _soon(work: Callable[[], None]) -> None:
    """A moment later, for the first page comes first."""
    timer = threading.Timer(_FIRST_PAGE, work)
    timer.daemon = True
    timer.start()


def _link(address: Address, taken: socket.socket, secret: str) -> str:
    shown = f"[{address.host}]" if ":" in address.host else address.host
    shown = socket.gethostname() if address.host in ("0.0.0.0", "::") else shown
    return f"http://{shown}:{taken.getsockname()[1]}/?token={secret}"


def kept_token(data: Path) -> str:
    """The same at every start, so that pages that are open go on working; readable by its owner alone."""
    path = data / "token"
    kept = path.read_text(encoding="ascii", errors="replace").strip() if path.is_file() else ""
    if _is_token(kept):
        return kept
    made = secrets.token_urlsafe(24)
    with writing(path):
        data.mkdir(parents=True, exist_ok=True)
        path.unlink(missing_ok=True)  # a crash may have left it empty
        with os.fdopen(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w") as file:
            file.write(made)
    return made


def _is_token(text: str) -> bool:
    return _TOKEN.fullmatch(text) is not None


def _listening(host: str, port: int) -> socket.socket:
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    # Where the protocol is not named, asyncio does not know it for TCP, and every answer waits 40 ms to be sent.
    made = socket.socket(family, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    try:
        made.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        made.bind((host, port))
        made.listen(128)  # a browser that comes before the server is up waits, and is not refused
    except OSError:
        made.close()
        raise
    return made
