"""The server: it binds an address, reports the link, and runs until stopped."""

from __future__ import annotations

import ipaddress
import os
import re
import secrets
import signal
import socket
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from seetopic.errors import CorpusError, MissingExtra, SettingsError
from seetopic.runtime import writing
from seetopic.web.data_folder import claimed
from seetopic.web.limits import WorkbenchSettings

DEFAULT_HOST, DEFAULT_PORT = "127.0.0.1", 8765
LOOPBACK = frozenset({"127.0.0.1", "localhost", "[::1]"})
_FIRST_PAGE = 1.5  # seconds to load
_TOKEN = re.compile(r"[A-Za-z0-9_-]{16,200}")
_NAME = re.compile(r"(\[[0-9a-f:.]+\]|[a-z0-9._-]+)")
_TRIED = 20  # ports to try, from the default one


@dataclass(frozen=True, kw_only=True)
class Address:
    """Where the server listens; port 0 is any free one, None the default or the next free one."""

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
            f"cannot listen on {self.host} port {ports[0]} ({reason}); choose another with --host or --port"
        )

    @property
    def is_loopback(self) -> bool:
        try:
            return ipaddress.ip_address(self.host).is_loopback
        except ValueError:
            return self.host == "localhost"

    def called(self, hosts: Sequence[str] = ()) -> frozenset[str] | None:
        """Host names accepted in requests: the server's own and `hosts`; None accepts any.

        This prevents DNS rebinding on loopback; a server that others can reach may have many names.
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
    keep: Sequence[str] = (),
    token: str | None = None,
    hosts: Sequence[str] = (),
    ready: Callable[[str], None],
) -> None:
    """Serve the workbench until interrupted; `ready` is called with the link to open, which contains the token.

    It is called as soon as the address is bound, so that a browser can start while the server loads. `hosts` are
    additional names of the server, such as that of a reverse proxy.
    """
    if any(find_spec(package) is None for package in ("fastapi", "uvicorn")):
        raise MissingExtra("the workbench", "web")
    strange = next((name for name in hosts if not _NAME.fullmatch(name.lower())), None)
    if strange is not None:
        raise SettingsError(f"--allow-host {strange[:80]!r} is not a host name; give one such as topics.example.org")
    given = None if source is None else Path(source).resolve()
    if given is not None and not given.exists():
        raise CorpusError(
            f"{source} does not exist; specify an index, a file or a folder of .txt files, or leave the argument out"
        )
    with claimed(settings.data):
        secret = kept_token(settings.data) if token is None else token
        if not _is_token(secret):
            raise SettingsError(
                "the token must have 16 to 200 characters, each a letter, a digit, - or _; choose another with --token"
            )
        with closing(address.bound()) as taken:
            ready(_link(address, taken, secret))
            fields = {"text_field": text_field, "label_field": label_field, "keep": tuple(keep)}
            _run(settings, taken, secret, address.called(hosts), given, fields)


def _run(
    settings: WorkbenchSettings,
    taken: socket.socket,
    secret: str,
    hosts: frozenset[str] | None,
    given: Path | None,
    fields: dict[str, Any],
) -> None:
    """Import the server's modules and run it."""
    with _signals_held_back():
        from seetopic.web.access import Access
        from seetopic.web.app import application
        from seetopic.web.connections import server_for
        from seetopic.web.sources import BuildOptions
        from seetopic.web.workbench import Workbench

    with closing(Workbench(settings)) as workbench:
        if given is not None:
            workbench.given = workbench.corpora.add_given(given, BuildOptions.model_validate(fields)).id
        app = application(workbench, Access(secret, hosts, settings.data / "sessions"))
        _soon(workbench.warm)
        server_for(app).run(sockets=[taken])


@contextmanager
def _signals_held_back() -> Iterator[None]:
    """An interrupt in the middle of an import may be lost, or turn into another error; so it comes afterwards."""
    came: list[int] = []
    both = (signal.SIGINT, signal.SIGTERM) if threading.current_thread() is threading.main_thread() else ()
    before = {each: signal.signal(each, lambda number, _: came.append(number)) for each in both}
    try:
        yield
    finally:
        for each, handler in before.items():
            signal.signal(each, handler)
    for number in came[:1]:
        signal.raise_signal(number)


def _soon(work: Callable[[], None]) -> None:
    """Run after a short delay, so that the first page loads first."""
    timer = threading.Timer(_FIRST_PAGE, work)
    timer.daemon = True
    timer.start()


def _link(address: Address, taken: socket.socket, secret: str) -> str:
    shown = f"[{address.host}]" if ":" in address.host else address.host
    shown = socket.gethostname() if address.host in ("0.0.0.0", "::") else shown
    return f"http://{shown}:{taken.getsockname()[1]}/?token={secret}"


def kept_token(data: Path) -> str:
    """The stored token, the same at every start so that open pages keep working; readable by the owner only."""
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
    # Without an explicit protocol, asyncio does not set TCP_NODELAY, and every response is delayed by 40 ms.
    made = socket.socket(family, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    try:
        made.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        made.bind((host, port))
        made.listen(128)  # a browser that connects before the server is up waits instead of being refused
    except OSError:
        made.close()
        raise
    return made
