"""Behind a web server, set up as the docs say: only who has the token comes in, and everything else works."""

from __future__ import annotations

import re
import shutil
import socket
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import httpx
import pytest

from waiting import until

from .served import Command, commanded

DOCS = Path(__file__).parents[2] / "docs" / "howto" / "workbench.md"
NAME = "topics.example.org"
PLAIN = "server { listen 443 ssl; location / { proxy_pass http://127.0.0.1:8765; } }"


def free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        return int(taken.getsockname()[1])


def advised() -> str:
    """The configuration that the docs give."""
    found = re.search(r"```nginx\n(.*?)```", DOCS.read_text(encoding="utf-8"), re.DOTALL)
    assert found is not None
    return found[1]


@contextmanager
def nginx(server: str, command: Command, folder: Path) -> Iterator[int]:
    """Debian's nginx with this configuration, its ports and certificate replaced; gives the port."""
    program = shutil.which("nginx", path="/usr/sbin:/usr/local/sbin:/usr/bin:/usr/local/bin")
    assert program is not None, "nginx is missing; install Debian's package nginx-light"
    port = free_port()
    for old, new in (
        ("443 ssl;", f"127.0.0.1:{port};" if "ssl_certificate" not in server else f"127.0.0.1:{port} ssl;"),
        ("127.0.0.1:8765", command.url.removeprefix("http://")),
        ("/etc/ssl/", f"{folder}/"),
    ):
        assert old in server or old == "/etc/ssl/"
        server = server.replace(old, new)
    places = "".join(
        f"{kind}_temp_path {folder}/{kind};" for kind in ("client_body", "proxy", "fastcgi", "uwsgi", "scgi")
    )
    (folder / "nginx.conf").write_text(
        f"daemon off; pid {folder}/pid; error_log stderr;\nevents {{}}\nhttp {{ access_log off; {places}\n{server} }}\n"
    )
    process = subprocess.Popen([program, "-p", folder, "-c", folder / "nginx.conf"], stderr=subprocess.PIPE, text=True)
    try:
        until(lambda: process.poll() is not None or _answers(port), 20)
        assert process.poll() is None, process.communicate()[1]
        yield port
    finally:
        process.terminate()
        process.communicate(timeout=20)


def _answers(port: int) -> bool:
    try:
        socket.create_connection(("127.0.0.1", port), timeout=1).close()
    except OSError:
        return False
    return True


@pytest.fixture(scope="module")
def command(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Command]:
    with commanded(tmp_path_factory.mktemp("proxied") / "data", "--allow-host", NAME) as served:
        yield served


@pytest.mark.slow
def test_the_docs_advice_lets_in_who_has_the_token_and_nobody_else(command: Command, tmp_path: Path) -> None:
    files = ["-keyout", tmp_path / f"{NAME}.key", "-out", tmp_path / f"{NAME}.pem"]
    asked = ["openssl", "req", "-x509", "-newkey", "ed25519", "-nodes", "-subj", f"/CN={NAME}", *files]
    subprocess.run(asked, check=True, capture_output=True)
    with nginx(advised(), command, tmp_path) as port:
        site = f"https://{NAME}:{port}"
        headers = {"host": f"{NAME}:{port}"}
        with httpx.Client(
            base_url=f"https://127.0.0.1:{port}", headers=headers, verify=False, trust_env=False, timeout=60
        ) as web:
            assert web.get("/").status_code == 401
            assert web.get("/api/corpora").status_code == 401
            entry = web.get("/", params={"token": command.token})
            assert (entry.status_code, entry.headers["location"]) == (303, "/")
            assert "secure" in entry.headers["set-cookie"].lower()
            session = {"cookie": entry.headers["set-cookie"].partition(";")[0]}
            assert web.get("/", headers=session).status_code == 200
            page = session | {"x-seetopic-page": "1", "origin": site, "sec-fetch-site": "same-origin"}
            sent = web.post("/api/uploads", params={"name": "a.csv"}, content=b"text\nx" * 300_000, headers=page)
            assert sent.status_code == 201
            other = page | {"origin": "https://evil.example"}
            assert web.post("/api/uploads", params={"name": "a.csv"}, content=b"x", headers=other).status_code == 403
            assert web.get("/", headers=session | {"host": "evil.example"}).status_code == 403


@pytest.mark.slow
def test_a_plain_proxy_opens_nothing(command: Command, tmp_path: Path) -> None:
    """It adds no header, and its requests come from this machine."""
    with (
        nginx(PLAIN, command, tmp_path) as port,
        httpx.Client(base_url=f"http://127.0.0.1:{port}", trust_env=False, timeout=60) as web,
    ):
        assert web.get("/").status_code == 401
        assert command.token not in web.get("/").text
        assert web.get("/api/corpora").status_code == 401
        source = {"source": {"kind": "demo"}}
        assert web.post("/api/previews", json=source, headers={"x-seetopic-page": "1"}).status_code == 401


@pytest.mark.slow
def test_a_name_that_was_not_allowed_is_refused(command: Command) -> None:
    shown = {"x-seetopic-token": command.token}
    with httpx.Client(base_url=command.url, headers=shown, trust_env=False, timeout=60) as client:
        assert client.get("/api/corpora", headers={"host": NAME.upper()}).status_code == 200
        refused = client.get("/api/corpora", headers={"host": f"other.{NAME}"})
        assert refused.status_code == 403
        assert "--allow-host" in refused.json()["problem"]
