"""Who has come in: browsers that showed the token once hold a session of their own, and guesses are slowed down."""

from __future__ import annotations

import hashlib
import hmac
import ipaddress
import json
import secrets
import threading
import time
from collections import OrderedDict
from pathlib import Path

from seetopic.errors import OutputError
from seetopic.runtime import read_json, written_whole

LASTS = 30 * 86400  # seconds of a session
_HELD = 500  # sessions: the oldest go
_FREE = 20  # wrong tokens of an address before it is slowed down
_EVERY = 2.0  # seconds that make up for one of them
_ADDRESSES = 10_000  # that are remembered: the least recently seen go


class Sessions:
    """Sessions of browsers. They outlive the server where there is a file for them, but not another token."""

    def __init__(self, token: str, file: Path | None = None) -> None:
        self._token, self._file = token, file
        self._lock = threading.Lock()
        self._until = _read(file)

    def begin(self) -> str:
        """The secret of a new session. Only a digest of it is kept: whoever reads the file cannot use it."""
        made = secrets.token_urlsafe(32)
        with self._lock:
            now = time.time()
            alive = {digest: until for digest, until in self._until.items() if until > now}
            newest = sorted(alive.items(), key=lambda each: each[1])[-_HELD + 1 :]
            self._until = {**dict(newest), self._digest(made): now + LASTS}
            self._write()
        return made

    def holds(self, secret: str | None) -> bool:
        return secret is not None and self._until.get(self._digest(secret), 0.0) > time.time()

    def _digest(self, secret: str) -> str:
        return hmac.new(self._token.encode(), secret.encode("utf-8", "replace"), hashlib.sha256).hexdigest()

    def _write(self) -> None:
        if self._file is None:
            return
        try:
            with written_whole(self._file) as beside:
                beside.chmod(0o600)
                beside.write_text(json.dumps(self._until), encoding="ascii")
        except OutputError:  # on a full disk a person may still come in, until the server ends
            return


def _read(file: Path | None) -> dict[str, float]:
    try:
        found = {} if file is None else read_json(file)
    except (OSError, ValueError):  # people open the link once more
        return {}
    return {digest: float(until) for digest, until in found.items() if isinstance(until, int | float)}


class Guesses:
    """How often an address has shown a wrong token. One that has too often is not even compared for a while.

    Were the right one let in at once all the same, nothing would be slowed down: all guesses could be made together.
    """

    def __init__(self) -> None:
        self._wrong: OrderedDict[str, tuple[float, float]] = OrderedDict()  # address -> how many, at what time

    def allowed(self, address: str) -> bool:
        return self._now(address) < _FREE

    def wrong(self, address: str) -> None:
        place = _network(address)
        self._wrong[place] = (self._now(address) + 1, time.monotonic())
        self._wrong.move_to_end(place)
        if len(self._wrong) > _ADDRESSES:
            self._wrong.popitem(last=False)

    def _now(self, address: str) -> float:
        number, at = self._wrong.get(_network(address), (0.0, 0.0))
        return max(0.0, number - (time.monotonic() - at) / _EVERY)


def _network(address: str) -> str:
    """One machine has all addresses of a /64 network of IPv6 for itself."""
    try:
        found = ipaddress.ip_address(address)
    except ValueError:
        return address
    return str(found) if found.version == 4 else str(ipaddress.ip_network((found, 64), strict=False))
