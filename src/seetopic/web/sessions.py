"""Authentication: browsers that have shown the token get a session, and guessing is slowed down."""

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

LASTS = 30 * 86400  # lifetime of a session, in seconds
_HELD = 500  # sessions at most; the oldest are dropped
_FREE = 20  # wrong tokens from an address before it is slowed down
_EVERY = 2.0  # seconds until one of them is forgiven
_ADDRESSES = 10_000  # addresses to remember; the least recently used are dropped


class Sessions:
    """Browser sessions; with a file they survive a restart, but not a change of token."""

    def __init__(self, token: str, file: Path | None = None) -> None:
        self._token, self._file = token, file
        self._lock = threading.Lock()
        self._until = _read(file)

    def begin(self) -> str:
        """The secret of a new session. Only its digest is stored, so that the file is of no use to an attacker."""
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
        except OutputError:  # on a full disk the session lasts until the server stops
            return


def _read(file: Path | None) -> dict[str, float]:
    try:
        found = {} if file is None else read_json(file)
    except (OSError, ValueError):  # users open the link again
        return {}
    return {digest: float(until) for digest, until in found.items() if isinstance(until, int | float)}


class Guesses:
    """Counts wrong tokens per address; after too many, tokens are not compared for a while.

    Even the right token is rejected then: otherwise guessing would not be slowed down at all.
    """

    def __init__(self) -> None:
        self._wrong: OrderedDict[str, tuple[float, float]] = OrderedDict()  # address -> count, time of the last one

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
    """A single machine usually owns a whole /64 network of IPv6 addresses."""
    try:
        found = ipaddress.ip_address(address)
    except ValueError:
        return address
    return str(found) if found.version == 4 else str(ipaddress.ip_network((found, 64), strict=False))
