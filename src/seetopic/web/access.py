"""Access control: token, same origin, request limits, and headers that keep the page from loading anything else."""

from __future__ import annotations

import hmac
import re
from collections.abc import Awaitable, Callable, MutableMapping
from dataclasses import dataclass
from http.cookies import CookieError, SimpleCookie
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs

from starlette.responses import HTMLResponse, JSONResponse, RedirectResponse, Response

from seetopic.web.limits import BODY
from seetopic.web.sessions import LASTS, Guesses, Sessions

COOKIE = "seetopic"
TOKEN = "x-seetopic-token"
PAGE = "x-seetopic-page"  # sent by the page; other sites cannot send this header
_HOST = re.compile(r"(\[[0-9a-f:.]+\]|[a-z0-9._-]+)(:[0-9]{1,5})?")
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
_CLOSED = """<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<title>seetopic workbench</title><link rel="icon" href="data:,">
<link rel="stylesheet" href="/static/figures.css"><link rel="stylesheet" href="/static/style.css">
<link rel="stylesheet" href="/static/layout.css"><script src="/static/theme.js"></script></head>
<body><main class="page narrow"><h1>This workbench requires a token</h1>
<p>When <code>seetopic serve</code> starts, it prints a link that ends in <code>?token=…</code>. Open that link, or
paste it (or only the token) here. Your browser then stays signed in for 30 days.</p>
<form method="get" action="/" class="card">__PROBLEM__<label class="field"><span>Token</span><input name="token"
autocomplete="off" spellcheck="false" autocapitalize="off" required></label>
<p class="actions"><button class="primary">Open the workbench</button></p></form>
<p class="soft gap">If someone else started the workbench, ask them for the link.</p></main></body></html>
"""
_WRONG = '<p class="note bad" role="alert">This is not the token of this workbench; copy it again.</p>'
_OFTEN = '<p class="note bad" role="alert">Too many wrong tokens; wait a minute, then try again.</p>'
Scope = MutableMapping[str, Any]
Send = Callable[[MutableMapping[str, Any]], Awaitable[None]]
Receive = Callable[[], Awaitable[MutableMapping[str, Any]]]
App = Callable[[Scope, Receive, Send], Awaitable[None]]


class Access:
    """Every request needs the token, or the session of a browser that has shown it."""

    def __init__(self, token: str, hosts: frozenset[str] | None = None, kept: Path | None = None) -> None:
        self._token = token
        self.hosts = hosts  # accepted host names; None: any
        self.sessions = Sessions(token, kept)
        self.guesses = Guesses()

    def fits(self, given: str) -> bool:
        return hmac.compare_digest(given.encode("utf-8", "replace"), self._token.encode())


@dataclass(frozen=True)
class Guard:
    """ASGI middleware around the whole application."""

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
        elif scope["method"] == "GET" and _in_address(scope) is not None:
            await self._entry(scope, headers)(scope, receive, sender)
        else:
            await self.app(scope, receive, sender)

    def _entry(self, scope: Scope, headers: dict[str, str]) -> RedirectResponse:
        """Start a session from a link with the token, and remove the token from the address."""
        answer = RedirectResponse("/", status_code=303)
        if not self.access.sessions.holds(_cookie(scope, headers)):
            # Lax: links in mails or chats open the page, but requests from other sites do not carry the cookie.
            answer.set_cookie(
                _cookie_name(scope),
                self.access.sessions.begin(),
                max_age=LASTS,
                httponly=True,
                samesite="lax",
                secure="https" in (scope.get("scheme"), headers.get("x-forwarded-proto")),
            )
        return answer

    def _refusal(self, scope: Scope, headers: dict[str, str]) -> Response | None:
        host = _host(headers.get("host", ""))
        if self.access.hosts is not None and host not in self.access.hosts:
            # Against DNS rebinding, by which another site could send requests in the user's name.
            sentence = f"{host[:80]!r} is not a known name of this server; use the address that it printed, "
            return _refuse(403, f"{sentence}or start it with --allow-host for this name")
        if scope["method"] not in _SAFE and not _same_origin(headers):
            return _refuse(403, "the request comes from another site; use the workbench's own page")
        if scope["path"] != "/api/uploads" and "transfer-encoding" in headers:
            return _refuse(411, "the request has no Content-Length; send it with one")
        length = headers.get("content-length", "0")
        if scope["path"] != "/api/uploads" and (not length.isdigit() or int(length) > BODY):
            return _refuse(413, f"the request is larger than {BODY:,} bytes; split it", "too_large")
        if _for_annotators(scope["path"]):
            return None  # protected by the secret in the link
        return self._stranger(scope, headers)

    def _stranger(self, scope: Scope, headers: dict[str, str]) -> Response | None:
        """The response to a request without valid credentials; None if they are valid."""
        # Browsers attach the cookie to any request, but other sites cannot make them send the header.
        if (scope["method"] in _SAFE or PAGE in headers) and self.access.sessions.holds(_cookie(scope, headers)):
            return None
        bearer = headers.get("authorization", "").removeprefix("Bearer ").strip() or None
        shown = [each for each in (bearer, headers.get(TOKEN), _in_address(scope)) if each is not None]
        if shown:
            address = str((scope.get("client") or ("",))[0])
            if not self.access.guesses.allowed(address):
                if _asks_for_page(scope, headers):
                    return _closed(429, _OFTEN)
                return _refuse(429, "too many wrong tokens from this address; wait a minute, then try again")
            if any(self.access.fits(each) for each in shown):
                return None
            for _ in shown:
                self.access.guesses.wrong(address)
        if _asks_for_page(scope, headers):
            return _closed(401, _WRONG if shown else "")
        return _refuse(401, "a token is required; open the address that the server printed when it started")


def _asks_for_page(scope: Scope, headers: dict[str, str]) -> bool:
    """Whether a person opened this address in a browser; programs get JSON."""
    return scope["method"] == "GET" and "text/html" in headers.get("accept", "")


def _closed(status: int, problem: str) -> HTMLResponse:
    policy = _POLICY.replace("form-action 'none'", "form-action 'self'")
    page = _CLOSED.replace("__PROBLEM__", problem)
    return HTMLResponse(page, status_code=status, headers={"content-security-policy": policy})


def _in_address(scope: Scope) -> str | None:
    """The token in the query of the start page, the only page that accepts it there; also a whole link with it."""
    if scope["path"] != "/":
        return None
    query: str = scope.get("query_string", b"").decode("latin-1")
    given = next(iter(parse_qs(query).get("token", ())), None)
    return None if given is None else given.rpartition("token=")[2].strip()


def _for_annotators(path: str) -> bool:
    return path.startswith(("/annotate/", "/api/annotate/", "/static/"))


def _same_origin(headers: dict[str, str]) -> bool:
    """Browsers state the origin of a request; other programs do not."""
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
    """Includes the port, because browsers share cookies between all servers of a host."""
    return f"{COOKIE}-{(scope.get('server') or ('', 0))[1]}"


def _cookie(scope: Scope, headers: dict[str, str]) -> str | None:
    try:
        found = SimpleCookie(headers.get("cookie", "")).get(_cookie_name(scope))
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
