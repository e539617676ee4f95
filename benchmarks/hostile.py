"""Hostile clients of the real `seetopic serve`: random requests that it must refuse, many at the same time.

Requests are raw bytes on a socket, so that they can be what no HTTP library would send. They are signed in unless that
is the point of the test, and those that could change something would do so if they were accepted.
"""

from __future__ import annotations

import gzip
import http.client
import io
import json
import random
import re
import socket
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any
from urllib.parse import quote, quote_from_bytes

import pyarrow
import pyarrow.parquet

from seetopic.web.app import openapi_document

_AT_ONCE = 64  # clients
_PATIENCE = 90  # seconds: the server's own deadlines are shorter
_SETTLED = 20  # seconds within which nothing of what was refused may remain
_UPLOAD = 1_000_000  # maximum bytes of a file; ten times as many unpacked
_SECRET = "what lies outside the folder"
_EVIL = "evil.example"
_JSON = {"Content-Type": "application/json"}


@dataclass(frozen=True)
class Request:
    """The bytes to send; `ends` closes our side afterwards."""

    data: bytes
    ends: bool = False


@dataclass
class Workbench:
    """The command as a process, with one project and one signed-in user."""

    port: int
    token: str
    data: Path
    cookie: str = ""
    project: str = ""

    @property
    def signed_in(self) -> dict[str, str]:
        return {"Cookie": self.cookie, "X-Seetopic-Page": "1"}

    @property
    def edit(self) -> bytes:
        """A change to the project that a signed-in user may make."""
        return json.dumps({"base": 1, "edit": {"kind": "title", "title": "hostile"}, "topics": False}).encode()

    def ask(self, method: str, path: str, body: Any = None) -> tuple[http.client.HTTPResponse, bytes]:
        """Request as a signed-in user."""
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=_PATIENCE)
        try:
            connection.request(method, path, None if body is None else json.dumps(body), {**self.signed_in, **_JSON})
            answer = connection.getresponse()
            return answer, answer.read()
        finally:
            connection.close()

    def begin(self) -> None:
        """Sign in, and create a project."""
        answer, _ = self.ask("GET", f"/?token={self.token}")
        self.cookie = answer.headers["set-cookie"].partition(";")[0]
        corpus = json.loads(self.ask("GET", "/api/workbench")[1])["given"]
        made = self.ask("POST", "/api/projects", {"corpus": corpus, "names": ["music", "law"], "title": "Ours"})[1]
        self.project = json.loads(made)["id"]

    def state(self) -> list[Any] | None:
        """All projects, corpora and files; None if the server does not answer."""
        own = f"/api/projects/{self.project}"
        try:
            answers = [self.ask("GET", path) for path in ("/api/corpora", "/api/projects", own, f"{own}/history")]
        except (OSError, http.client.HTTPException):
            return None
        uploads = sorted(str(path.relative_to(self.data)) for path in (self.data / "uploads").rglob("*"))
        return [*((answer.status, told) for answer, told in answers), uploads]

    def request(self, method: str, path: str, headers: dict[str, str], body: bytes = b"") -> bytes:
        own = {"Host": f"127.0.0.1:{self.port}", "Connection": "close", "Content-Length": str(len(body)), **_JSON}
        named = {**own, **headers}
        head = "".join(f"{name}: {value}\r\n" for name, value in named.items())
        return f"{method} {path} HTTP/1.1\r\n{head}\r\n".encode("latin-1") + body

    def upload(self, name: str, body: bytes) -> bytes:
        return self.request("POST", f"/api/uploads?name={name}", self.signed_in, body)

    def judged(self, request: Request) -> str:
        """Send the bytes, and return the outcome."""
        said = bytearray()
        try:
            with socket.create_connection(("127.0.0.1", self.port), timeout=_PATIENCE) as connection:
                connection.sendall(request.data)
                if request.ends:
                    connection.shutdown(socket.SHUT_WR)
                while part := connection.recv(65536):
                    said += part
        except TimeoutError:
            return "unanswered"
        except OSError:  # the connection was closed, perhaps while we were still sending
            pass
        status = re.match(rb"HTTP/1\.1 (\d)", said)
        if _SECRET.encode() in said or (status and status[1] not in b"45"):
            return "let in"
        return "answered 5xx" if status and status[1] == b"5" else "refused"


@contextmanager
def serving(folder: Path, index: Path) -> Iterator[Workbench]:
    """`seetopic serve` with an index, and with a folder that has a secret next to it."""
    allowed, data = folder / "allowed", folder / "data"
    allowed.mkdir()
    (folder / "secret.csv").write_text(f"text\n{_SECRET}\n", encoding="utf-8")
    (allowed / "out").symlink_to(folder)
    options = ("--port", "0", "--no-browser", "--data", str(data), "--folder", str(allowed), "--max-upload", "1")
    with (folder / "errors.txt").open("w") as errors:
        command = [sys.executable, "-u", "-m", "seetopic", "serve", str(index), *options]
        with subprocess.Popen(command, cwd=folder, stdout=subprocess.PIPE, stderr=errors, text=True) as process:
            try:
                assert process.stdout is not None
                link = process.stdout.readline().split()[-1]
                port, _, token = link.rpartition(":")[2].partition("/?token=")
                workbench = Workbench(int(port), token, data)
                workbench.begin()
                yield workbench
            finally:
                process.kill()


@cache
def routes() -> list[tuple[str, str, bool]]:
    """Method, path, and whether it accepts JSON."""
    return [
        (method.upper(), path, "application/json" in about.get("requestBody", {}).get("content", {}))
        for path, methods in openapi_document()["paths"].items()
        for method, about in methods.items()
    ]


# Kinds of requests


def without_token(bench: Workbench, chance: random.Random) -> Request:
    method, path, _ = chance.choice(routes())
    path = re.sub(r"{\w+}", bench.project, path)
    return Request(bench.request(method, path, {}, bench.edit))


def wrong_token(bench: Workbench, chance: random.Random) -> Request:
    guess = chance.randbytes(16).hex()
    given = chance.choice(
        [
            {"X-Seetopic-Token": guess},
            {"Authorization": f"Bearer {bench.token[: chance.randrange(1, 32)]}"},
            {"Cookie": f"{bench.cookie.partition('=')[0]}={guess}", "X-Seetopic-Page": "1"},
        ]
    )
    return Request(bench.request("POST", f"/api/projects/{bench.project}/edits", given, bench.edit))


def other_site(bench: Workbench, chance: random.Random) -> Request:
    """What a page of another site could make a signed-in browser send."""
    given = chance.choice(
        [
            {**bench.signed_in, "Host": f"{_EVIL}:{bench.port}", "Origin": f"http://{_EVIL}:{bench.port}"},
            {**bench.signed_in, "Host": chance.choice([_EVIL, "", "127.0.0.1@evil", "[::1", "127.0.0.1:1:1"])},
            {**bench.signed_in, "Origin": chance.choice([f"https://{_EVIL}", "null", "http://127.0.0.1:1"])},
            {**bench.signed_in, "Sec-Fetch-Site": chance.choice(["cross-site", "same-site"])},
            {"Cookie": bench.cookie},
        ]
    )
    method, path = chance.choice([("POST", "/edits"), ("DELETE", "")])
    return Request(bench.request(method, f"/api/projects/{bench.project}{path}", given, bench.edit))


def path_traversal(bench: Workbench, chance: random.Random) -> Request:
    steps = chance.choices(["..", "out", "%2e%2e", "..\\", "....", "\0", "/etc", "~", "\u2025", "x" * 300], k=4)
    path = "/".join([*steps[: chance.randrange(1, 5)], "secret.csv"])
    source = json.dumps({"source": {"kind": chance.choice(["file", "index"]), "path": path}}).encode()
    return Request(
        chance.choice(
            [
                bench.request("GET", f"/api/files?folder={quote(path)}", bench.signed_in),
                bench.request("GET", f"/static/{quote(path)}", bench.signed_in),
                bench.request("POST", "/api/previews", bench.signed_in, source),
                bench.request("POST", "/api/corpora", bench.signed_in, source),
            ]
        )
    )


def malformed_id(bench: Workbench, chance: random.Random) -> Request:
    method, path, _ = chance.choice([route for route in routes() if "{" in route[1]])
    if path.count("{") > 1:
        path = path.replace("{project}", bench.project)
    strange = ["..", "%00", quote("' OR 1=1 --"), "0123456789abcdef", "f" * 4000, "-1", "%ff", "__proto__", "c99"]
    odd = chance.choice([*strange, f"{quote_from_bytes(chance.randbytes(8))}x"])
    return Request(bench.request(method, re.sub(r"{\w+}", lambda _: odd, path), bench.signed_in))


def malformed_json(bench: Workbench, chance: random.Random) -> Request:
    method, path, _ = chance.choice([route for route in routes() if route[2]])
    depth = chance.randrange(1, 100_000)
    odd = chance.choice(['"\\ud800"', "1e999", "NaN", "9" * 5_000, "null", "[]", '"' + "x" * 50_000 + '"'])
    body = chance.choice(
        [
            b"[" * depth + b"]" * depth,
            b'{"edit":' * depth + b"1" + b"}" * depth,
            bench.edit[: chance.randrange(len(bench.edit))],
            f'{{"base": {odd}, "edit": {{"kind": {odd}}}, "file": {odd}, "corpus": {odd}}}'.encode(),
            odd.encode(),
            chance.randbytes(chance.randrange(1, 500)),
        ]
    )
    return Request(bench.request(method, re.sub(r"{\w+}", bench.project, path), bench.signed_in, body))


def oversize(bench: Workbench, chance: random.Random) -> Request:
    size = chance.randrange(_UPLOAD + 1, 4 * _UPLOAD)
    return chance.choice(
        [
            Request(bench.upload("a.csv", b"x" * size)),
            Request(_chunked(bench, b"x" * size)),
            Request(bench.request("POST", "/api/projects", bench.signed_in, b" " * (size + 2 * _UPLOAD))),
            Request(bench.request("GET", "/api/projects", {**bench.signed_in, "X-Long": "x" * size})),
            Request(bench.request("GET", f"/api/projects?{'x' * size}", bench.signed_in)),
        ]
    )


def truncated(bench: Workbench, chance: random.Random) -> Request:
    """An upload that ends before its declared length, or before its last chunk."""
    body = b"text\n" + b"some words\n" * chance.randrange(1, 50_000)
    complete = chance.choice([bench.upload("a.csv", body), _chunked(bench, body)])
    head = complete.index(b"\r\n\r\n") + 4
    return Request(complete[: chance.randrange(head, len(complete))], ends=True)


def _chunked(bench: Workbench, body: bytes) -> bytes:
    request = bench.upload("a.csv", b"").replace(b"Content-Length: 0", b"Transfer-Encoding: chunked")
    return request + f"{len(body):x}\r\n".encode() + body + b"\r\n0\r\n\r\n"


def gzip_bomb(bench: Workbench, chance: random.Random) -> Request:
    packed = gzip.compress(b"text\n" + b"boom\n" * chance.randrange(2_100_000, 8_000_000), 1)
    return Request(bench.upload("a.csv.gz", packed))


def parquet_bomb(bench: Workbench, chance: random.Random) -> Request:
    """The same long text in all rows, stored once."""
    text = pyarrow.array(["word " * chance.randrange(1_000, 200_000)])
    rows = pyarrow.array([0] * (11 * _UPLOAD // len(text[0].as_py()) + 1), pyarrow.int32())
    packed = io.BytesIO()
    table = pyarrow.table({"text": pyarrow.DictionaryArray.from_arrays(rows, text)})
    pyarrow.parquet.write_table(table, packed, compression="zstd", store_schema=chance.random() < 0.5)
    return Request(bench.upload("a.parquet", packed.getvalue()))


def noise_as_file(bench: Workbench, chance: random.Random) -> Request:
    name, magic = chance.choice([("a.parquet", b"PAR1"), ("a.csv.gz", b"\x1f\x8b\x08\0"), ("a.jsonl.gz", b"")])
    noise = chance.randbytes(chance.randrange(1, 5_000))
    return Request(bench.upload(name, magic + noise + (b"PAR1" if name == "a.parquet" else b"")))


def random_bytes(_: Workbench, chance: random.Random) -> Request:
    begin = chance.choice([b"", b"GET / HTTP/1.1\r\n", b"POST /api/uploads HTTP/9.9\r\n", b"\x16\x03\x01", b"PRI * "])
    return Request(begin + chance.randbytes(chance.randrange(1, 2_000)) + b"\r\n\r\n")


def half_open(bench: Workbench, chance: random.Random) -> Request:
    """A request that never ends; the server must end the connection."""
    complete = bench.upload("a.csv", b"text\n" * 100)
    return Request(complete[: chance.randrange(len(complete))])


KINDS: dict[str, Callable[[Workbench, random.Random], Request]] = {
    "without token": without_token,
    "wrong token": wrong_token,
    "another site": other_site,
    "path traversal": path_traversal,
    "malformed id": malformed_id,
    "malformed JSON": malformed_json,
    "oversize request": oversize,
    "truncated upload": truncated,
    "gzip bomb": gzip_bomb,
    "Parquet bomb": parquet_bomb,
    "noise as a file": noise_as_file,
    "random bytes as HTTP": random_bytes,
    "half-open connection": half_open,
}


def attacked(number: int, folder: Path, index: Path, chance: random.Random, tell: Callable[[str], None]) -> Any:
    """A number of requests of each kind, and their outcomes."""
    found: dict[str, dict[str, int]] = {}
    with serving(folder, index) as bench:
        before = bench.state()
        for kind, made in KINDS.items():
            requests = [made(bench, chance) for _ in range(number)]
            with ThreadPoolExecutor(_AT_ONCE) as clients:
                outcomes = clients.map(bench.judged, requests)
                gone = bench.state() is None  # others must still be answered
            counts = Counter({"tried": number, "refused": 0, "server gone": 0, "state changed": 0})
            for request, outcome in zip(requests, outcomes, strict=True):
                counts[outcome] += 1
                if outcome != "refused":
                    tell(f"{kind}: {outcome}: {request.data[:300]!r}")
            after = _settled(bench, before)
            counts["server gone"] = int(gone or after is None)
            counts["state changed"] = int(after is not None and after != before)
            if gone or after != before:
                tell(f"after {kind}: {'no answer' if after is None else 'another state'}")
            found[kind] = dict(counts)
    errors = (folder / "errors.txt").read_text(encoding="utf-8", errors="replace")
    if errors:
        tell(f"the server said: {errors[-600:]}")
    return found


def _settled(bench: Workbench, before: list[Any] | None) -> list[Any] | None:
    """The state, once everything that is being removed is gone."""
    end = time.monotonic() + _SETTLED
    while (found := bench.state()) != before and time.monotonic() < end:
        time.sleep(0.1)
    return found
