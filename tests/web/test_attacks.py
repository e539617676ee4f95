"""What hostile people and files try: nothing leaves the folder, is left behind, or tells of the server."""

from __future__ import annotations

import asyncio
import gzip
import io
import json
import os
import socket
import struct
import threading
import time
import zipfile
from collections.abc import AsyncIterator, Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import httpx
import psutil
import pyarrow as arrow
import pyarrow.parquet
import pytest
import xlsxwriter

from seetopic.web import workbooks
from seetopic.web.database import Database
from seetopic.web.limits import UploadLimits, WorkbenchSettings
from seetopic.web.uploads import Uploads
from waiting import until

from .served import Served, serving

SCRIPT = "<script>alert(1)</script>"
NAMES = [
    SCRIPT,
    "javascript:alert(1)",
    "\u202egnp.exe",
    "😀 family 👨‍👩‍👧",
    "'; DROP TABLE projects; --",
    "=cmd|' /C calc'!A0",
    "a\u0000b",
    "\x1b[31m",
    "../../etc/passwd",
    "%00%2e%2e",
    "{{7*7}}",
]


@pytest.fixture(autouse=True)
def nothing_is_told(server: Served, folder: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Whatever a test asks for: no answer shows a trace, or where things lie on the server."""
    said: list[httpx.Response] = []
    send = httpx.Client.send

    def heard(self: httpx.Client, *values: Any, **named: Any) -> httpx.Response:
        said.append(send(self, *values, **named))
        return said[-1]

    monkeypatch.setattr(httpx.Client, "send", heard)
    yield
    for answer in said:
        assert answer.status_code != 500, (answer.request.url, answer.text)
        for secret in ("Traceback", 'File "', str(folder.parent), str(server.workbench.settings.data), "the secret of"):
            assert secret not in answer.text, (answer.request.url, answer.text[:500])
        assert answer.headers["x-content-type-options"] == "nosniff"


def refused(answer: httpx.Response, *statuses: int) -> str:
    assert answer.status_code in (statuses or (400,)), answer.text
    told = answer.json()
    assert told["kind"] in ("invalid", "missing", "refused", "too_large", "conflict", "busy")
    return str(told["problem"])


def sent(client: httpx.Client, name: str, data: bytes) -> httpx.Response:
    return client.post("/api/uploads", params={"name": name}, content=data)


def previewed(client: httpx.Client, name: str, data: bytes) -> httpx.Response:
    answer = sent(client, name, data)
    assert answer.status_code == 201, answer.text
    return client.post("/api/previews", json={"source": {"kind": "upload", "id": answer.json()["id"]}})


# Paths


@pytest.fixture(scope="module")
def traps(folder: Path) -> Path:
    """Among what people may open: links that lead out, in a circle, a pipe, hidden files, names that are none."""
    place = folder / "traps"
    place.mkdir()
    (place / "out.csv").symlink_to(folder.parent / "secret.csv")
    (place / "outside").symlink_to(folder.parent)
    (place / "circle.csv").symlink_to(place / "circle.csv")
    (place / "gone.csv").symlink_to(place / "nothing.csv")
    (place / ".hidden.csv").write_text("text\nhidden")
    (place / ".folder").mkdir()
    (place / ".folder" / "inner.csv").write_text("text\nhidden")
    (place / f"{SCRIPT.replace('/', '')}.csv").write_text("text\nx")
    Path(os.fsdecode(os.fsencode(place) + b"/\xff.csv")).write_text("text\nx")
    os.mkfifo(place / "pipe.csv")
    (place / "notes.docx").write_text("x")
    (place / "texts").mkdir()
    (place / "texts" / "a.txt").symlink_to(folder.parent / "secret.csv")
    return place


PATHS = [
    "../secret.csv",
    "..",
    "/etc/passwd",
    "/",
    "traps/../../secret.csv",
    "..\\secret.csv",
    "%2e%2e/secret.csv",
    "....//secret.csv",
    "traps/out.csv",
    "traps/outside/secret.csv",
    "traps/circle.csv",
    "traps/gone.csv",
    "traps/.hidden.csv",
    "traps/.folder/inner.csv",
    "traps/pipe.csv",
    "traps/notes.docx",
    "traps/texts",
    "\x00",
    "a\x00.csv",
    "x" * 3999,
    "/" * 3000,
    "../" * 900 + "etc/passwd",
    "~/.ssh/id_rsa",
    "file:///etc/passwd",
    "traps/\udcff.csv".encode("utf-8", "replace").decode(),
    "-",
]


@pytest.mark.parametrize("path", PATHS)
def test_no_path_leaves_the_folder(client: httpx.Client, traps: Path, path: str) -> None:
    for kind in ("file", "index"):
        source = {"kind": kind, "path": path}
        refused(client.post("/api/previews", json={"source": source}), 400, 403, 404)
        refused(client.post("/api/corpora", json={"source": source}), 400, 403, 404)
    if path not in ("traps/texts",):
        refused(client.get("/api/files", params={"folder": path}), 400, 403, 404)


def test_the_folder_itself_is_opened_by_its_own_path_too(client: httpx.Client, folder: Path) -> None:
    assert client.get("/api/files", params={"folder": "texts"}).json()["parent"] == ""
    assert client.get("/api/files", params={"folder": "./texts/../texts"}).json()["folder"] == "texts"


def test_a_listing_leaves_out_whatever_is_hidden_or_leads_elsewhere(client: httpx.Client, traps: Path) -> None:
    listed = client.get("/api/files", params={"folder": "traps"}).json()["entries"]
    assert {each["name"] for each in listed} == {"texts", "<script>alert(1)<script>.csv"}
    whole = client.get("/api/files").json()
    assert {"planted": "index", "texts": "folder", "lines.txt": "file"}.items() <= {
        each["name"]: each["kind"] for each in whole["entries"]
    }.items()
    assert (whole["folder"], whole["parent"]) == ("", None)


def test_a_server_without_a_folder_opens_no_file(tmp_path: Path) -> None:
    with serving(WorkbenchSettings(data=tmp_path / "data")) as served, served.client() as client:
        assert "--folder" in refused(client.get("/api/files"), 403)
        assert "--folder" in refused(client.post("/api/previews", json={"source": {"kind": "file", "path": "a"}}), 403)


def test_what_only_the_command_line_may_name_cannot_be_asked_for(client: httpx.Client, folder: Path) -> None:
    source = {"kind": "given", "path": str(folder / "lines.txt")}
    refused(client.post("/api/corpora", json={"source": source}), 422)
    refused(client.post("/api/corpora", json={"source": {"kind": "demo"}, "model": "/etc/passwd"}), 403)


# Names and titles


@pytest.mark.parametrize("name", NAMES)
def test_a_hostile_name_is_kept_as_text_and_comes_back_the_same(
    server: Served, client: httpx.Client, name: str
) -> None:
    asked = {"corpus": server.corpus, "names": ["sport"], "title": name, "by": name}
    made = client.post("/api/projects", json=asked)
    assert made.status_code == 201, made.text
    address = f"/api/projects/{made.json()['id']}"
    edit = {"kind": "seeds", "categories": [{"name": name, "pinned": ["tennis"], "negative": [f"no {name}"]}]}
    answer = client.post(f"{address}/edits", json={"base": 1, "by": name, "edit": edit})
    assert answer.status_code == 200, answer.text
    assert answer.headers["content-type"] == "application/json"
    kept = client.get(address).json()
    assert kept["title"] == kept["last"]["by"] == kept["categories"][0]["name"] == name
    assert kept["categories"][0]["negative"] == [f"no {name}"]
    assert client.get(f"{address}/check", params={"name": name}).status_code == 200
    file = client.get(f"{address}/project.json")
    assert set(file.headers["content-disposition"].partition("''")[2]).isdisjoint('/\\<>";\n ')
    assert client.post("/api/projects/import", json={"file": file.json()}).status_code == 201


def test_whatever_is_made_of_hostile_names_is_text_or_escaped(client: httpx.Client, server: Served) -> None:
    made = client.post("/api/projects", json={"corpus": server.corpus, "names": NAMES, "title": SCRIPT})
    address = f"/api/projects/{made.json()['id']}"
    for part in ("topics", "history", "overlap", "again", "figures/map", "figures/heatmap", "topics/c1/passages"):
        answer = client.get(f"{address}/{part}")
        assert (answer.status_code, answer.headers["content-type"]) == (200, "application/json")
        if part.startswith("figures"):
            assert "<script" not in answer.json()["svg"]
    for part in ("report.html", "project.json", "topics.json", "topics.csv", "export/json"):
        answer = client.get(f"{address}/{part}")
        assert answer.status_code == 200
        assert answer.headers["content-disposition"].startswith("attachment; filename*=UTF-8''")
        assert part != "report.html" or SCRIPT not in answer.text
    assert client.get("/api/projects").headers["content-type"] == "application/json"


@pytest.mark.parametrize("text", [r"\ud800", r"\udfff x", ""])
def test_a_name_that_is_no_text_is_refused(client: httpx.Client, project: Any, text: str) -> None:
    edit = '{"base": 1, "by": "", "edit": {"kind": "add", "names": ["%s"]}}'.replace("%s", text)
    answer = client.post(f"/api/projects/{project['id']}/edits", content=edit)
    refused(answer, 422)
    for body in ('{"corpus": "%s"}', '{"corpus": "0123456789abcdef", "%s": 1}', '{"%s": {"%s": 1}}', '["%s"]', '"%s"'):
        refused(client.post("/api/projects", content=body.replace("%s", text)), 422)
        refused(client.post("/api/projects/import", content='{"file": ' + body.replace("%s", text) + "}"), 400, 422)


@pytest.mark.parametrize(
    "body",
    [
        b"[" * 10_000 + b"]" * 10_000,
        b'{"corpus":' * 10_000 + b"1" + b"}" * 10_000,
        b'{"base": ' + b"9" * 5_000 + b"}",
        b'{"base": 1e999, "by": "", "edit": {"kind": "options", "top": NaN}}',
        b'{"base": NaN}',
        b'{"base": 1, "by": "", "edit": {"kind": "options", "top": 99999999999999999999999}}',
        b'{"base": 9007199254740992, "by": "", "edit": {"kind": "title", "title": "x"}}',
        b'{"base": 1, "by": "", "edit": {"kind": "__class__"}}',
        b'{"base": 1, "by": "", "edit": {"kind": "title", "title": "x", "more": 1}}',
        b"\xff\xfe\x00",
        b"",
        b"null",
        b'{"base": true, "by": [], "edit": null}',
        b'{"base": 1, "by": "", "edit": {"kind": "add", "names": [' + b'"a",' * 300 + b'"b"]}}',
        b'{"base": 1, "by": "", "edit": {"kind": "title", "title": "' + b"x" * 100_000 + b'"}}',
    ],
)
def test_a_body_that_is_no_edit_is_refused_and_changes_nothing(client: httpx.Client, project: Any, body: bytes) -> None:
    headers = {"content-type": "application/json"}
    address = f"/api/projects/{project['id']}"
    refused(client.post(f"{address}/edits", content=body, headers=headers), 400, 409, 422)
    for other in ("/api/projects", "/api/projects/import", "/api/corpora", "/api/previews", f"{address}/undo"):
        refused(client.post(other, content=body, headers=headers), 400, 409, 422)
    assert client.get(address).json() == project


@pytest.mark.parametrize(
    "wrong", ["x", "0123456789abcdef", "0123456789ABCDEF", "..", "%2e%2e", "%00", "' OR 1=1 --", "0" * 4000]
)
def test_an_id_that_is_none_finds_nothing(client: httpx.Client, wrong: str) -> None:
    for address in ("/api/projects/{}", "/api/corpora/{}", "/api/projects/{}/topics", "/api/projects/{}/history"):
        refused(client.get(address.format(wrong)), 404, 422)
    refused(client.delete(f"/api/projects/{wrong}"), 404, 405, 422)


def test_a_project_file_of_any_origin_gets_ids_of_its_own(client: httpx.Client, server: Served, project: Any) -> None:
    """Two categories with one id, or an id that will be given again, would let an edit of one change the other."""
    file = client.get(f"/api/projects/{project['id']}/project.json").json()
    for each in file["names"]["categories"]:
        each["id"] = "c7"
    file["names"]["next_id"] = 10**30
    made = client.post("/api/projects/import", json={"file": file, "by": "Eve"})
    assert made.status_code == 201, made.text
    assert [each["id"] for each in made.json()["categories"]] == ["c1", "c2", "c3"]
    edit = {"base": 1, "by": "", "edit": {"kind": "add", "names": ["law"]}}
    added = client.post(f"/api/projects/{made.json()['id']}/edits", json=edit).json()["project"]["categories"]
    assert [each["id"] for each in added] == ["c1", "c2", "c3", "c4"]
    file["corpus"]["sha256"] = "0" * 64
    assert client.post("/api/projects/import", json={"file": file}).json()["kind"] == "needs_corpus"


# Uploads


def left(served: Served) -> set[str]:
    home = served.workbench.settings.data / "uploads"
    found = (Path(place, name) for place, folders, files in os.walk(home) for name in (*folders, *files))
    return {str(each.relative_to(home)) for each in found}  # while the server adds and removes


@pytest.mark.parametrize(
    "name", ["a.exe", "", ".csv", "..", "a", "a.csv.exe", "x" * 300 + ".csv", "a.csv/", "...csv", "é" * 150 + ".csv"]
)
def test_a_file_name_that_says_nothing_is_refused(server: Served, client: httpx.Client, name: str) -> None:
    before = left(server)
    refused(sent(client, name, b"text\nx\n"))
    assert left(server) == before


@pytest.mark.parametrize(
    ("name", "kept"),
    [
        ("../../../etc/cron.d/x.csv", "x.csv"),
        ("C:\\Users\\x\\reviews.csv", "reviews.csv"),
        (f"{SCRIPT}.csv", "script .csv"),
        ("a\x00b\n.csv", "a b .csv"),
        ("CON:<>|?*.csv", "CON .csv"),
        ("\u202evsc.csv", "\u202evsc.csv"),
        ("😀.CSV", "😀.CSV"),
    ],
)
def test_a_hostile_file_name_becomes_a_harmless_one(server: Served, client: httpx.Client, name: str, kept: str) -> None:
    answer = sent(client, name, b"text\nx\n")
    assert answer.status_code == 201, answer.text
    assert answer.json()["name"] == kept
    assert f"{answer.json()['id']}/{kept}" in left(server)
    server.workbench.uploads.remove(answer.json()["id"])


def test_an_upload_that_is_too_large_leaves_nothing_behind(server: Served, client: httpx.Client) -> None:
    before, most = left(server), server.workbench.settings.uploads.file_bytes
    assert "at most" in refused(sent(client, "a.csv", b"x" * (most + 1)), 413)
    chunks = (b"x" * 100_000 for _ in range(12))  # without saying how much it will be
    answer = client.post("/api/uploads", params={"name": "a.csv"}, content=chunks)
    assert "larger than" in refused(answer, 413)
    assert left(server) == before


@pytest.mark.parametrize("how", ["announced", "chunked"])
def test_an_upload_that_is_cut_off_leaves_nothing_behind(server: Served, how: str) -> None:
    before = left(server)
    host, port = server.url.removeprefix("http://").split(":")
    length = "Content-Length: 500000" if how == "announced" else "Transfer-Encoding: chunked"
    head = (
        f"POST /api/uploads?name=a.csv HTTP/1.1\r\nHost: {host}\r\nX-Seetopic-Token: {server.token}\r\n{length}\r\n\r\n"
    )
    with socket.create_connection((host, int(port))) as connection:
        connection.sendall(head.encode() + (b"" if how == "announced" else b"5\r\n") + b"text\n")
        until(lambda: left(server) != before, 10)
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))  # cut, not closed
    until(lambda: left(server) == before, 10)
    until(lambda: not server.workbench.uploads.receiving, 10)


def test_a_file_that_unpacks_to_too_much_is_refused(server: Served, client: httpx.Client) -> None:
    before = left(server)
    bomb = gzip.compress(b"text\n" + b"boom " * 4_000_000)  # 20 MB in 20 kB
    assert "unpacks to more" in refused(sent(client, "a.csv.gz", bomb), 413)
    assert "cannot be unpacked" in refused(sent(client, "a.csv.gz", bomb[:1000]))
    assert "cannot be unpacked" in refused(sent(client, "a.csv.gz", b"text\nnot packed\n"))
    assert left(server) == before


def test_an_empty_upload_is_refused(client: httpx.Client) -> None:
    assert "is empty" in refused(sent(client, "a.csv", b""))


@pytest.mark.slow
def test_of_those_who_send_in_the_same_moment_only_as_many_are_let_in_as_there_is_room_for(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked = Database.all

    def slowly(self: Database, *question: Any) -> list[Any]:
        found = asked(self, *question)
        time.sleep(0.02)  # so that whoever looks at the same time sees the same
        return found

    async def text() -> AsyncIterator[bytes]:
        yield b"text\nx\n"

    async def all_at_once(uploads: Uploads) -> list[Any]:
        sending = (uploads.receive(f"{number}.csv", text(), None) for number in range(8))
        return await asyncio.gather(*sending, return_exceptions=True)

    monkeypatch.setattr(Database, "all", slowly)
    database = Database(tmp_path / "workbench.sqlite")
    uploads = Uploads(database, tmp_path / "uploads", UploadLimits(file_bytes=1000, files=3), set())
    with ThreadPoolExecutor(1) as thread:  # this one may run the loop of a browser that other tests have used
        answers = thread.submit(asyncio.run, all_at_once(uploads)).result()
    database.close()
    assert sorted(type(answer).__name__ for answer in answers) == ["TooLarge"] * 5 + ["Upload"] * 3


def test_so_many_uploads_and_no_more(tmp_path: Path) -> None:
    """However many come at the same time; those that a crash left behind are removed, and do not count."""
    limits = UploadLimits(file_bytes=1000, files=3)
    (tmp_path / "data" / "uploads" / "0123456789abcdef").mkdir(parents=True)
    (tmp_path / "data" / "uploads" / "0123456789abcdef" / ".part").write_bytes(b"half")
    (tmp_path / "data" / "uploads" / "0123456789abcdef" / ".seetopic-upload").write_text("half.csv")
    with serving(WorkbenchSettings(data=tmp_path / "data", uploads=limits)) as served, served.client() as client:
        assert left(served) == set()
        with ThreadPoolExecutor(8) as people:
            answers = list(people.map(lambda n: sent(client, f"{n}.csv", b"text\nx\n").status_code, range(8)))
        assert sorted(answers) == [201] * 3 + [413] * 5
        assert "uploaded files, which is the limit" in refused(sent(client, "a.csv", b"text\nx\n"), 413)
        served.workbench.database.do("UPDATE uploads SET created = created - 100000")
        assert sent(client, "a.csv", b"text\nx\n").status_code == 201  # what nobody used within a day makes room
        assert len([each for each in left(served) if each.endswith(".csv")]) == 1


# Contents


@pytest.mark.parametrize(
    ("name", "data"),
    [
        ("a.csv", b"," * 100_000 + b"\n" + b"x," * 100_000),
        ("a.csv", (",".join(f"c{n}" for n in range(1000)) + "\nx\n").encode()),
        ("a.csv", b"\x7fELF\x02\x01\x01\x00" + os.urandom(5000)),
        ("a.txt", b"MZ\x90\x00" + bytes(5000)),
        ("a.jsonl", b"\x00" * 100),
        ("a.jsonl", b"not json\n" * 10),
        ("a.jsonl", b"[1, 2]\n"),
        ("a.jsonl", b'{"\\ud800": 1}\n'),
        ("a.jsonl", b'{"a":' * 5000 + b"1" + b"}" * 5000 + b"\n"),
        ("a.parquet", b"PAR1" + os.urandom(2000)),
        ("a.parquet", b"PAR1PAR1"),
        ("a.parquet", b"text\nx\n"),
        ("a.csv", "text\nx\n".encode("utf-16-le")),
        ("a.json", b"[1, 2]"),
        ("a.json", b'[{"\\ud800": 1}]'),
        ("a.json", b'{"a":' * 5000 + b"1" + b"}" * 5000),
        ("a.json", b'[{"text": "x"'),
    ],
)
def test_a_file_that_is_not_what_it_says_is_refused_with_a_sentence(
    client: httpx.Client, server: Served, name: str, data: bytes
) -> None:
    answer = sent(client, name, data)
    if answer.status_code == 201:
        answer = client.post("/api/previews", json={"source": {"kind": "upload", "id": answer.json()["id"]}})
    assert len(refused(answer)) < 400


@pytest.mark.parametrize(
    ("name", "data"),
    [
        ("a.csv", b"text\n" + b"x" * 900_000),  # one endless line
        ("a.csv", b'text\n"' + b"x\n" * 400_000),  # a quote that is never closed
        ("a.csv", b"text,text,text\na,b,c\n"),
        ("a.csv", b"text\n\xff\xfe\xfd\n"),
        ("a.tsv", b"a\tb\n" + b"\t" * 1000 + b"\n"),
        ("a.jsonl", b'{"text": "\\ud800"}\n{"text": 1e400, "b": NaN, "c": [[[]]], "d": {"e": null}}\n'),
        ("a.jsonl", b'{"text": ' + b"[" * 900 + b"]" * 900 + b"}\n"),
        ("a.jsonl", b'{"text": ' + b"9" * 4000 + b"}\n"),
        ("a.txt", "\u2028\u202e\ufeff\n\x0c\x1c\n".encode()),
        ("a.csv", f"{SCRIPT},label\n{SCRIPT},{SCRIPT}\n".encode()),
    ],
)
def test_a_strange_file_is_shown_within_bounds(client: httpx.Client, server: Served, name: str, data: bytes) -> None:
    answer = previewed(client, name, data)
    assert answer.status_code == 200, answer.text
    assert answer.headers["content-type"] == "application/json"
    shown = answer.json()
    assert len(shown["rows"]) <= 8
    assert all(len(cell) <= 300 for row in shown["rows"] for cell in row.values())


@pytest.mark.parametrize(
    ("name", "data"),
    [
        ("a.csv", "nr;text\n1;Die Lieferung war spät\n".encode("latin-1")),
        ("a.json", '[{"nr": 1, "text": "Die Lieferung war spät"}]'.encode()),
    ],
)
def test_a_preview_detects_what_reading_detects(client: httpx.Client, name: str, data: bytes) -> None:
    shown = previewed(client, name, data).json()
    assert (shown["columns"], shown["text_field"]) == (["nr", "text"], "text")
    assert shown["rows"] == [{"nr": "1", "text": "Die Lieferung war spät"}]


def workbook(*cells: tuple[str, str]) -> bytes:
    """A workbook with texts in some cells of its only sheet."""
    made = io.BytesIO()
    with xlsxwriter.Workbook(made) as book:
        sheet = book.add_worksheet()
        for place, text in cells:
            sheet.write_string(place, text)
    return made.getvalue()


def repacked(book: bytes, change: Callable[[str, bytes], bytes]) -> bytes:
    """A workbook with other contents of its sheet."""
    made = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(book)) as before, zipfile.ZipFile(made, "w", zipfile.ZIP_DEFLATED) as after:
        for name in before.namelist():
            after.writestr(name, change(name, before.read(name)))
    return made.getvalue()


def test_a_workbook_that_would_take_much_memory_is_refused(client: httpx.Client) -> None:
    plain = workbook(("A1", "text"), ("A2", "one"))
    assert previewed(client, "a.xlsx", plain).json()["rows"] == [{"text": "one"}]
    assert "spans" in refused(sent(client, "b.xlsx", workbook(("A1", "text"), ("XFD1048576", "far"))), 413)
    far = repacked(plain, lambda _, data: data.replace(b'r="A2"', b'r="&#88;FD1048576"'))
    assert "spans" in refused(sent(client, "c.xlsx", far), 413)
    for broken in (
        b"PK\x03\x04",
        plain[:-30],
        repacked(plain, lambda name, data: b"x" + data if "sheet1" in name else data),
    ):
        assert "check that the file is complete" in refused(sent(client, "d.xlsx", broken))
    assert "cannot be used" in refused(sent(client, "e.xlsx.gz", gzip.compress(plain)))


def test_a_small_workbook_that_unpacks_to_much_is_refused(
    client: httpx.Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(workbooks, "WORKBOOK_BYTES", 1_000_000)
    large = repacked(workbook(("A1", "text")), lambda name, data: data + b" " * 300_000)
    assert len(large) < 50_000
    assert "unpacks to more than" in refused(sent(client, "a.xlsx", large), 413)


def test_a_parquet_file_that_is_cut_off_is_refused(client: httpx.Client) -> None:
    whole = io.BytesIO()
    pyarrow.parquet.write_table(arrow.table({"text": ["one", "two"]}), whole)
    assert previewed(client, "a.parquet", whole.getvalue()).json()["rows"][0] == {"text": "one"}
    assert "check that the file is complete" in refused(sent(client, "a.parquet", whole.getvalue()[:-20]))
    wide = io.BytesIO()
    pyarrow.parquet.write_table(arrow.table({f"c{n}": ["x"] for n in range(1000)}), wide)
    assert "columns" in refused(previewed(client, "b.parquet", wide.getvalue()))


@pytest.mark.slow
def test_a_small_parquet_file_that_unpacks_to_much_costs_little(client: httpx.Client) -> None:
    packed = io.BytesIO()
    huge = arrow.table({"text": ["x" * 4_000_000] * 50})  # one text fifty times: a dictionary makes it tiny
    pyarrow.parquet.write_table(huge, packed, compression="zstd")
    assert len(packed.getvalue()) < 10_000
    before = psutil.Process().memory_info().rss
    assert "unpacks to more than" in refused(sent(client, "a.parquet", packed.getvalue()), 413)
    assert psutil.Process().memory_info().rss - before < 150e6
    packed = io.BytesIO()
    pyarrow.parquet.write_table(arrow.table({"text": ["x" * 20_000_000]}), packed, compression="zstd")
    assert "unpacks to more than" in refused(sent(client, "b.parquet", packed.getvalue()), 413)


def test_an_index_of_hostile_origin_is_refused_and_harms_no_other(client: httpx.Client, folder: Path) -> None:
    import shutil

    for number, change in enumerate(
        [
            lambda manifest: manifest["corpus"].update(languages={"en": "much"}),
            lambda manifest: manifest["corpus"].update(name="\ud800 x" * 100),
            lambda manifest: manifest["corpus"].update(skipped={"a": SCRIPT}),
            lambda manifest: manifest.update(format=99),
            lambda manifest: manifest["files"].pop("general.npy"),
        ]
    ):
        copy = folder / f"hostile{number}"
        shutil.copytree(folder / "planted", copy)
        manifest = json.loads((copy / "manifest.json").read_text())
        change(manifest)
        (copy / "manifest.json").write_text(json.dumps(manifest))
        answer = client.post("/api/corpora", json={"source": {"kind": "index", "path": copy.name}})
        assert answer.status_code in (202, 400), answer.text
        assert client.get("/api/corpora").status_code == 200
        if answer.status_code == 202:
            corpus = answer.json()
            project = client.post("/api/projects", json={"corpus": corpus["id"], "names": ["a"]})
            assert project.status_code == 201, project.text
            client.delete(f"/api/projects/{project.json()['id']}")
            assert client.delete(f"/api/corpora/{corpus['id']}").status_code == 204
        shutil.rmtree(copy)


def test_documents_with_script_in_them_come_as_text(client: httpx.Client, server: Served, project: Any) -> None:
    address = f"/api/projects/{project['id']}"
    for part in ("documents/0", "topics/c1/documents", "topics/c1/passages", "topics/c1/term?term=tennis"):
        assert client.get(f"{address}/{part}").headers["content-type"] == "application/json"


# Many at once


@pytest.mark.slow
def test_two_people_editing_at_once_lose_nothing(server: Served, project: Any) -> None:
    """Each judges six terms of their own, and both the same name: of the name one hears of the other."""
    address = f"/api/projects/{project['id']}"
    begin = threading.Barrier(2)

    def person(who: str) -> list[int]:
        with server.client() as client:
            begin.wait()
            edits: list[dict[str, Any]] = [{"kind": "rename", "category": "c1", "name": f"by {who}"}]
            edits += [{"kind": "pin", "category": "c2", "term": f"{who} {number}"} for number in range(3)]
            edits += [{"kind": "bar", "category": "c3", "term": f"{who} {number}"} for number in range(3)]
            asked = [{"base": 1, "by": who, "edit": edit} for edit in edits]
            return [client.post(f"{address}/edits", json=each).status_code for each in asked]

    with ThreadPoolExecutor(2) as people:
        first, second = people.map(person, ["Ann", "Ben"])
    assert sorted([first[0], second[0]]) == [200, 409]
    assert set(first[1:] + second[1:]) == {200}
    with server.client() as client:
        kept, history = client.get(address).json(), client.get(f"{address}/history").json()
    assert len(kept["categories"][1]["pinned"]) == len(kept["categories"][2]["negative"]) == 6
    assert (kept["version"], len(history)) == (14, 14)


@pytest.mark.slow
def test_twenty_people_may_begin_at_once(server: Served) -> None:
    def person(number: int) -> str:
        with server.client() as client:
            answer = client.post("/api/projects", json={"corpus": server.corpus, "title": f"Of {number}"})
            assert answer.status_code == 201, answer.text
            return str(answer.json()["id"])

    with ThreadPoolExecutor(20) as people:
        made = set(people.map(person, range(20)))
    with server.client() as client:
        assert len(made) == 20
        assert made <= {each["id"] for each in client.get("/api/projects").json()}
        for each in made:
            client.delete(f"/api/projects/{each}")
