"""Who may do what: a token, the same origin, bounded requests, and headers that let the page load nothing else."""

from __future__ import annotations

import hmac
import re
from collections.abc import Awaitable, Callable, MutableMapping
from dataclasses import dataclass
from http.cookies import CookieError, SimpleCookie
from typing import Any
from urllib.parse import parse_qs

from starlette.responses import JSONResponse, RedirectResponse

from seetopic.web.limits import BODY

COOKIE = "seetopic"
TOKEN = "x-seetopic-token"
LOOPBACK = frozenset({"127.0.0.1", "localhost", "::1", "[::1]"})
_HOST = re.compile(r"(\[[0-9a-f:.]+\]|[a-z0-9._-]+)(:[0-9]{1,5})?")
_PASSED_ON = ("forwarded", "x-forwarded-for", "x-forwarded-host", "x-real-ip", "via")
_SAFE = frozenset({"GET", "HEAD", "OPTIONS"})
_POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; "
    "form-action 'none'; base-uri 'none'; frame-ancestors 'none'"
)
_HEADERS = {
    "content-security-policy": _POLICY,
    "x-content-type-options": "nosniff",
    "referrer-policy": "no-referrer",
    "x-frame-options": "DENY",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "cache-control": "no-store",
}
Scope = MutableMapping[str, Any]
Send = Callable[[MutableMapping[str, Any]], Awaitable[None]]
Receive = Callable[[], Awaitable[MutableMapping[str, Any]]]
App = Callable[[Scope, Receive, Send], Awaitable[None]]


@dataclass(frozen=True)
class Access:
    """What protects a server. On the loopback address reading is free; elsewhere everything needs the token."""

    token: str
    open_reading: bool
    hosts: frozenset[str] | None = None  # names by which the server may be called; None: any

    def fits(self, given: str | None) -> bool:
        return given is not None and hmac.compare_digest(given.encode(), self.token.encode())


@dataclass(frozen=True)
class Guard:
    """Stands before the whole application."""

    app: App
    access: Access

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        headers = {name.decode("latin-1"): value.decode("latin-1") for name, value in scope["headers"]}
        refusal = self._refusal(scope, headers)
        sender = _with_headers(send)
        if refusal is not None:
            await refusal(scope, receive, sender)
        elif (entry := self._entry(scope)) is not None:
            await entry(scope, receive, sender)
        else:
            await self.app(scope, receive, sender)

    def _entry(self, scope: Scope) -> RedirectResponse | None:
        """A link with the token sets a cookie, and the token leaves the address."""
        given = parse_qs(scope.get("query_string", b"").decode("latin-1")).get("token", [None])[0]
        if scope["path"] != "/" or not self.access.fits(given):
            return None
        answer = RedirectResponse("/", status_code=303)
        answer.set_cookie(_cookie_name(scope), self.access.token, httponly=True, samesite="strict", max_age=30 * 86400)
        return answer

    def _refusal(self, scope: Scope, headers: dict[str, str]) -> JSONResponse | None:
        host = _host(headers.get("host", ""))
        if self.access.hosts is not None and host not in self.access.hosts:
            # Another site's name that leads here is how a web page would talk to this server in a person's name.
            return _refuse(403, f"this server is not called {host[:80]!r}; use the address that it printed")
        if scope["method"] not in _SAFE and not _same_origin(headers):
            return _refuse(403, "the request comes from another site; use the workbench's own page")
        if scope["path"] != "/api/uploads" and "transfer-encoding" in headers:
            return _refuse(411, "the request does not say how long it is; send it with a length")
        length = headers.get("content-length", "0")
        if scope["path"] != "/api/uploads" and (not length.isdigit() or int(length) > BODY):
            return _refuse(413, f"the request is larger than {BODY:,} bytes; send less at once", "too_large")
        if _for_annotators(scope["path"]):
            return None  # the link's own secret decides
        if not self._may(scope, headers):
            return _refuse(401, "a token is needed; open the address that the server printed when it started")
        return None

    def _may(self, scope: Scope, headers: dict[str, str]) -> bool:
        bearer = headers.get("authorization", "").removeprefix("Bearer ").strip() or None
        token = headers.get(TOKEN)
        if self.access.fits(bearer):
            return True
        if scope["method"] not in _SAFE:
            return self.access.fits(token)
        given = parse_qs(scope.get("query_string", b"").decode("latin-1")).get("token", [None])[0]
        in_address = given if scope["path"] == "/" else None
        cookie = _cookie(headers.get("cookie", ""), _cookie_name(scope))
        # What a web server passes on comes from anywhere, even if it comes through this machine's own address.
        passed_on = any(name in headers for name in _PASSED_ON)
        at_home = self.access.open_reading and not passed_on
        return at_home or any(self.access.fits(each) for each in (token, cookie, in_address))


def _for_annotators(path: str) -> bool:
    return path.startswith(("/annotate/", "/api/annotate/", "/static/"))


def _same_origin(headers: dict[str, str]) -> bool:
    """A browser says where a request comes from; programs say nothing."""
    site = headers.get("sec-fetch-site")
    if site is not None and site not in ("same-origin", "none"):
        return False
    origin = headers.get("origin")
    host = headers.get("host", "")
    return origin is None or (bool(host) and origin in (f"http://{host}", f"https://{host}"))


def _host(header: str) -> str:
    found = _HOST.fullmatch(header.lower())
    return "" if found is None else found[1]


def _cookie_name(scope: Scope) -> str:
    """With the port, for browsers give a machine's cookies to all of its servers."""
    return f"{COOKIE}-{(scope.get('server') or ('', 0))[1]}"


def _cookie(header: str, name: str) -> str | None:
    try:
        found = SimpleCookie(header).get(name)
    except CookieError:
        return None
    return None if found is None else found.value


def _refuse(status: int, sentence: str, kind: str = "refused") -> JSONResponse:
    return JSONResponse({"problem": sentence, "kind": kind}, status_code=status)


def _with_headers(send: Send) -> Send:
    async def sender(message: MutableMapping[str, Any]) -> None:
        if message["type"] == "http.response.start":
            own = [(name, value) for name, value in message.get("headers", ())]
            named = {name.lower() for name, _ in own}
            more = [(n.encode(), v.encode()) for n, v in _HEADERS.items() if n.encode() not in named]
            message = {**message, "headers": [*own, *more]}
        await send(message)

    return sender
