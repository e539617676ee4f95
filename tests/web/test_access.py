"""Who may do what: the token, the origin, the name a server is called by, and the headers of every answer."""

from __future__ import annotations

import socket
from collections.abc import Iterator
from typing import Any

import httpx
import pytest

from seetopic.web.limits import BODY, WorkbenchSettings

from .served import TOKEN, Served, serving

POLICY = "default-src 'none'; script-src 'self'; style-src 'self'"
ADDRESSES = [
    "/",
    "/static/figures.css",
    "/static/nothing.js",
    "/api/workbench",
    "/api/corpora",
    "/nowhere",
    "/api/projects/x",
]


@pytest.fixture
def others(server: Served) -> Iterator[httpx.Client]:
    """Somebody without a token."""
    with httpx.Client(base_url=server.url, trust_env=False) as made:
        yield made


def raw(served: Served, request: bytes) -> bytes:
    """What a server says to bytes that no client would send."""
    host, port = served.url.removeprefix("http://").split(":")
    with socket.create_connection((host, int(port)), timeout=20) as connection:
        connection.sendall(request)
        said = b""
        while chunk := connection.recv(65536):
            said += chunk
    return said


def told(answer: httpx.Response, status: int, kind: str = "refused") -> str:
    assert (answer.status_code, answer.json()["kind"]) == (status, kind), answer.text
    return str(answer.json()["problem"])


@pytest.mark.parametrize("address", ADDRESSES)
@pytest.mark.parametrize("method", ["GET", "HEAD", "POST", "OPTIONS", "PUT", "DELETE"])
def test_every_answer_lets_the_page_load_nothing_from_elsewhere(
    client: httpx.Client, method: str, address: str
) -> None:
    headers = client.request(method, address).headers
    assert headers["content-security-policy"].startswith(POLICY)
    assert "unsafe" not in headers["content-security-policy"]
    assert headers["x-content-type-options"] == "nosniff"
    assert headers["x-frame-options"] == "DENY"
    assert headers["referrer-policy"] == "no-referrer"
    assert headers["cross-origin-resource-policy"] == headers["cross-origin-opener-policy"] == "same-origin"
    assert headers["cache-control"] == "no-store"


@pytest.mark.parametrize(
    ("address", "kind"),
    [
        ("/", "text/html"),
        ("/static/figures.css", "text/css"),
        ("/api/workbench", "application/json"),
        ("/nowhere", "application/json"),
    ],
)
def test_every_answer_says_what_it_is(client: httpx.Client, address: str, kind: str) -> None:
    assert client.get(address).headers["content-type"].partition(";")[0] == kind


def test_on_loopback_everything_but_annotating_needs_the_token(server: Served, others: httpx.Client) -> None:
    for address in ("/", "/api/corpora", "/api/workbench", "/api/openapi.json"):
        assert "token" in told(others.get(address), 401)
    asked = {"corpus": server.corpus}
    assert "token" in told(others.post("/api/projects", json=asked), 401)
    assert "token" in told(others.post("/api/projects", json=asked, headers={"x-seetopic-token": "wrong"}), 401)
    assert "token" in told(others.delete(f"/api/corpora/{server.corpus}"), 401)
    assert "token" in told(others.post("/api/uploads?name=a.csv", content=b"text\nx"), 401)


def test_a_program_may_show_the_token_as_a_bearer(server: Served, others: httpx.Client) -> None:
    asked = {"headers": {"authorization": f"Bearer {TOKEN}"}, "json": {"corpus": server.corpus}}
    assert others.post("/api/projects", **asked).status_code == 201


@pytest.mark.parametrize("token", ["", "é", "\x00", "x" * 5000, TOKEN[:-1], TOKEN + " x"])
def test_a_token_that_is_not_the_token_is_refused(server: Served, token: str) -> None:
    head = b"DELETE /api/corpora/0123456789abcdef HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n"
    said = raw(server, head + b"X-Seetopic-Token: " + token.encode("latin-1") + b"\r\n\r\n")
    assert said.split(b" ")[1] in (b"401", b"400")  # a NUL is not a header at all


def test_a_cookie_alone_changes_nothing(server: Served, others: httpx.Client) -> None:
    """A browser sends it by itself, whoever asks for it; other sites cannot make it send the page's header."""
    others.get("/", params={"token": TOKEN})
    assert others.get("/api/corpora").status_code == 200
    asked = {"corpus": server.corpus}
    assert "token" in told(others.post("/api/projects", json=asked), 401)
    assert others.post("/api/projects", json=asked, headers={"x-seetopic-page": "1"}).status_code == 201


@pytest.mark.parametrize(
    "host",
    [
        "evil.example",
        "evil.example:80",
        "localhost.evil.example",
        "127.0.0.1.evil.example",
        "",
        "[",
        "[::1",
        "a@localhost:x",
        "\x7f",
        "localhost\\@evil",
    ],
)
def test_a_server_on_loopback_answers_to_its_own_names_only(server: Served, host: str) -> None:
    """Another site's name that leads to this machine would let its page read everything."""
    said = raw(server, f"GET /api/projects HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\n\r\n".encode())
    assert said.split(b" ")[1] in (b"403", b"400"), said
    assert b"Traceback" not in said


@pytest.mark.parametrize("host", ["localhost", "LOCALHOST:1234", "127.0.0.1", "[::1]:80"])
def test_loopback_has_several_names(client: httpx.Client, host: str) -> None:
    assert client.get("/api/projects", headers={"host": host}).status_code == 200


@pytest.mark.parametrize(
    "headers",
    [
        {"origin": "https://evil.example"},
        {"origin": "null"},
        {"origin": "http://["},
        {"origin": "http://127.0.0.1"},  # another port is another site
        {"sec-fetch-site": "cross-site"},
        {"sec-fetch-site": "same-site"},
    ],
)
def test_another_sites_page_changes_nothing_even_with_the_token(
    server: Served, client: httpx.Client, headers: dict[str, str]
) -> None:
    answer = client.post("/api/projects", json={"corpus": server.corpus}, headers=headers)
    assert "another site" in told(answer, 403)


def test_the_own_page_may_change(server: Served, client: httpx.Client) -> None:
    headers = {"origin": server.url, "sec-fetch-site": "same-origin"}
    assert client.post("/api/projects", json={"corpus": server.corpus}, headers=headers).status_code == 201


def test_a_request_must_be_small_and_say_so(server: Served, client: httpx.Client) -> None:
    assert "larger than" in told(client.post("/api/projects", content=b"x" * (BODY + 1)), 413, "too_large")
    assert "Content-Length" in told(client.post("/api/projects", content=iter([b"{}"])), 411)
    lengths: list[Any] = ["-1", "1e9", "²", "9" * 5000, "9" * 18, "1, 1"]
    for length in lengths:
        head = (
            f"POST /api/projects HTTP/1.1\r\nHost: localhost\r\nContent-Length: {length}\r\nConnection: close\r\n\r\n"
        )
        assert raw(server, head.encode()).split(b" ")[1][:1] == b"4", length


@pytest.fixture(scope="module")
def reachable(settings: WorkbenchSettings, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    """A server that others can reach."""
    with serving(WorkbenchSettings(data=tmp_path_factory.mktemp("reachable")), on_loopback=False) as served:
        yield served


@pytest.mark.parametrize(
    "address",
    [
        "/",
        "/api/workbench",
        "/api/corpora",
        "/api/projects",
        "/api/openapi.json",
        "/nowhere",
        "/?token=wrong",
        "/api/corpora?token=" + TOKEN,
    ],
)
def test_elsewhere_reading_needs_the_token_too(reachable: Served, address: str) -> None:
    with httpx.Client(base_url=reachable.url, trust_env=False) as others:
        assert "token" in told(others.get(address), 401)
        assert others.get(address, headers={"x-seetopic-token": TOKEN}).status_code in (200, 303, 404)


def test_the_printed_link_leaves_a_cookie_and_no_token_in_the_address(reachable: Served) -> None:
    with httpx.Client(base_url=reachable.url, trust_env=False) as browser:
        answer = browser.get(f"/?token={TOKEN}")
        assert (answer.status_code, answer.headers["location"]) == (303, "/")
        cookie = answer.headers["set-cookie"].lower()
        assert all(part in cookie for part in ("httponly", "samesite=lax", "path=/"))
        assert "secure" not in cookie
        assert TOKEN not in cookie  # it is a session of its own
        assert answer.headers["referrer-policy"] == "no-referrer"
        page = browser.get("/")
        assert page.status_code == 200
        assert TOKEN not in page.text
        assert "set-cookie" not in browser.get(f"/?token={TOKEN}").headers  # pages that are open keep their session
        assert "token" in told(browser.delete("/api/projects/0123456789abcdef"), 401)


@pytest.mark.parametrize("cookie", ["seetopic=wrong", "seetopic", "=;;=", 'seetopic="', "\xff", "a=b; " * 500])
def test_a_cookie_that_is_none_lets_nobody_in(reachable: Served, cookie: str) -> None:
    head = b"GET /api/projects HTTP/1.1\r\nHost: x\r\nConnection: close\r\nCookie: " + cookie.encode("latin-1")
    assert raw(reachable, head + b"\r\n\r\n").split(b" ")[1] == b"401"


def test_what_annotators_need_is_open_but_nothing_behind_it(reachable: Served) -> None:
    with httpx.Client(base_url=reachable.url, trust_env=False) as others:
        assert others.get("/static/figures.css").status_code == 200
        for address in (
            "/static/../api/projects",
            "/annotate/../api/projects",
            "/static/%2e%2e/api/projects",
            "/annotate/%2e%2e%2fapi/projects",
        ):
            said = raw(reachable, f"GET {address} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n".encode())
            assert said.split(b" ")[1] in (b"401", b"404"), address


@pytest.mark.parametrize(
    "name",
    [
        "../app.py",
        "..%2fapp.py",
        "%2e%2e%2fapp.py",
        "..\\app.py",
        "index.html",
        "__init__.py",
        "%00",
        "x" * 3000,
        "/etc/passwd",
    ],
)
def test_static_files_are_the_pages_own_and_no_others(server: Served, name: str) -> None:
    said = raw(server, f"GET /static/{name} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n".encode())
    assert said.split(b" ")[1] == b"404"
    assert b"import" not in said


def test_every_file_of_the_page_is_served_as_what_it_is(client: httpx.Client) -> None:
    from seetopic.web.app import _files

    for name in sorted(_files()):
        answer = client.get("/" if name == "index.html" else f"/static/{name}")
        assert answer.status_code == (404 if name.endswith(".html") and name != "index.html" else 200), name


def test_no_cross_site_reading_is_allowed(client: httpx.Client) -> None:
    answer = client.get("/api/corpora", headers={"origin": "https://evil.example"})
    assert not [name for name in answer.headers if name.startswith("access-control")]


@pytest.mark.parametrize("header", ["x-forwarded-for", "forwarded", "x-real-ip"])
def test_what_a_web_server_passes_on_needs_the_token_as_well(others: httpx.Client, header: str) -> None:
    for address in ("/", "/api/projects"):
        assert others.get(address, headers={header: "127.0.0.1"}).status_code == 401
    bearer = {"authorization": f"Bearer {TOKEN}", header: "203.0.113.7"}
    assert others.get("/api/projects", headers=bearer).status_code == 200
