"""Corpora: from a file to a ready index over HTTP, stopped, cut off, failed, removed."""

from __future__ import annotations

import contextlib
import io
import json
import os
import signal
import sys
from collections.abc import Iterator
from dataclasses import replace
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import httpx
import psutil
import pytest
import xlsxwriter

from forks import Forks
from planted import planted_documents
from seetopic.web.corpora import BUILDING
from seetopic.web.jobs import _IMPORTED_BY_JOBS, Plan, _context
from seetopic.web.limits import WorkbenchSettings
from seetopic.web.sources import BuildOptions
from waiting import until

from .served import Served, commanded, serving


@pytest.fixture(scope="module")
def bench(settings: WorkbenchSettings, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    """A server whose indexing disturbs no other test."""
    with serving(replace(settings, data=tmp_path_factory.mktemp("bench"))) as served:
        yield served


@pytest.fixture(scope="module")
def client(bench: Served) -> Iterator[httpx.Client]:
    with bench.client() as made:
        yield made


def ended(client: httpx.Client, corpus: dict[str, Any]) -> dict[str, Any]:
    def state() -> Any:
        found = client.get(f"/api/corpora/{corpus['id']}").json()
        return found if found["state"] not in ("waiting", "indexing") else None

    found: dict[str, Any] = until(state)
    return found


def sent(client: httpx.Client, name: str, data: bytes) -> dict[str, Any]:
    answer = client.post("/api/uploads", params={"name": name}, content=data)
    assert answer.status_code == 201, answer.text
    return {"kind": "upload", "id": answer.json()["id"]}


def begun(client: httpx.Client, source: dict[str, Any], **options: Any) -> dict[str, Any]:
    answer = client.post("/api/corpora", json={"source": source, **options})
    assert answer.status_code == 202, answer.text
    found: dict[str, Any] = answer.json()
    return found


# Looking


@pytest.mark.parametrize(
    ("name", "text", "label", "columns"),
    [
        ("reviews.csv", "review", "label", ["id", "review", "label"]),
        ("records.jsonl", "text", "label", ["id", "text", "label"]),
    ],
)
def test_a_preview_guesses_text_and_label(
    client: httpx.Client, documents: list[str], name: str, text: str, label: str, columns: list[str]
) -> None:
    shown = client.post("/api/previews", json={"source": {"kind": "file", "path": name}}).json()
    assert (shown["text_field"], shown["label_field"], shown["columns"]) == (text, label, columns)
    assert len(shown["rows"]) == 8
    assert shown["rows"][0][text] == documents[0]


def test_a_column_without_a_known_name_is_guessed_by_its_length(client: httpx.Client) -> None:
    data = b"who,said,when\nann,a sentence of some length,2020\nben,another such one,2021\n"
    shown = client.post("/api/previews", json={"source": sent(client, "a.csv", data)}).json()
    assert (shown["text_field"], shown["label_field"]) == ("said", None)


def test_the_first_of_two_columns_of_a_name_is_shown_as_it_will_be_read(client: httpx.Client) -> None:
    shown = client.post(
        "/api/previews", json={"source": sent(client, "a.csv", b"text,n,text\nfirst,1,second\nshort\n")}
    )
    assert shown.json()["rows"] == [{"text": "first", "n": "1"}, {"text": "short", "n": ""}]


def test_quotes_in_a_tab_separated_file_are_shown_as_they_will_be_read(client: httpx.Client) -> None:
    source = sent(client, "a.tsv", b'n\ttext\n1\t"unclosed\n2\tnext\n')
    assert [row["text"] for row in client.post("/api/previews", json={"source": source}).json()["rows"]] == [
        '"unclosed',
        "next",
    ]


def test_plain_text_a_folder_an_index_and_the_demo_have_previews_too(
    client: httpx.Client, documents: list[str]
) -> None:
    asked = [
        {"kind": "file", "path": "lines.txt"},
        {"kind": "file", "path": "texts"},
        {"kind": "index", "path": "planted"},
    ]
    lines, texts, index, demo = (
        client.post("/api/previews", json={"source": source}).json() for source in [*asked, {"kind": "demo"}]
    )
    assert lines["rows"][0] == texts["rows"][0] == {"text": documents[0]}
    assert [each["format"] for each in (lines, texts, index)] == ["txt", "folder", "index"]
    assert index["documents"] == 240
    assert len(demo["rows"]) == 8


def test_a_preview_says_what_columns_hold_and_how_the_file_was_read(client: httpx.Client) -> None:
    rows = [
        f"{1000 + n};{1 + n % 28:02d}.06.2024;{'Köln' if n % 3 else 'Bern'};They came late again;;\n" for n in range(30)
    ]
    source = sent(client, "a.csv", "".join(["nr;day;city;opinion;empty;\n", *rows]).encode("latin-1"))
    shown = client.post("/api/previews", json={"source": source}).json()
    assert (shown["delimiter"], shown["encoding"], shown["text_field"]) == (";", "cp1252", "opinion")
    assert list(shown["kinds"].values())[:5] == ["number", "date", "group", "text", "empty"]
    other = client.post("/api/previews", json={"source": source, "delimiter": ",", "encoding": "utf-8"}).json()
    assert other["columns"] == ["nr;day;city;opinion;empty;"]
    assert client.post("/api/previews", json={"source": source, "encoding": "klingon"}).status_code == 400


@pytest.mark.slow
def test_options_are_changed_without_sending_the_file_again(client: httpx.Client, documents: list[str]) -> None:
    rows = [f"{n};{text};{('left', 'right')[n % 2]}\n" for n, text in enumerate(documents)]
    source = sent(client, "a.csv", "".join(["number;opinion;side\n", *rows, "1;2;3;4;5\n"]).encode())
    corpus = begun(client, source, text_field="opinion")
    assert ended(client, corpus)["state"] == "failed"  # its last row has too many cells
    address = f"/api/corpora/{corpus['id']}"
    assert client.post(f"{address}/preview", json={}).json()["columns"] == ["number", "opinion", "side"]
    changed = {"text_field": "opinion", "on_error": "skip", "keep": ["side"], "title": "Opinions"}
    assert client.post(f"{address}/options", json=changed).json()["id"] == corpus["id"]
    found = ended(client, corpus)
    assert (found["state"], found["title"], found["columns"]) == ("ready", "Opinions", ["side"])
    assert found["options"]["on_error"] == "skip"

    # A project's index stays as it is: only what lies beside it is changed in place.
    project = client.post("/api/projects", json={"corpus": corpus["id"], "names": ["sports"]}).json()
    changed["keep"] = ["side", "number"]
    assert client.post(f"{address}/options", json=changed).json()["id"] == corpus["id"]
    assert ended(client, corpus)["columns"] == ["side", "number"]
    beside = client.post(f"{address}/options", json={**changed, "text_field": "side", "keep": []}).json()
    assert beside["id"] != corpus["id"]
    assert ended(client, beside)["doubts"]  # two words are hardly the text of documents
    for path in (f"/api/projects/{project['id']}", f"/api/corpora/{beside['id']}", address):
        assert client.delete(path).status_code == 204


@pytest.mark.slow
def test_a_workbook_is_indexed(client: httpx.Client, documents: list[str]) -> None:
    made = io.BytesIO()
    with xlsxwriter.Workbook(made) as book:
        sheet = book.add_worksheet()
        for number, row in enumerate([("opinion", "side"), *((text, "left") for text in documents)]):
            sheet.write_row(number, 0, row)
    source = sent(client, "a.xlsx", made.getvalue())
    assert client.post("/api/previews", json={"source": source}).json()["text_field"] == "opinion"
    corpus = begun(client, source, text_field="opinion", keep=["side"])
    assert ended(client, corpus)["documents"] == len(documents)
    assert client.delete(f"/api/corpora/{corpus['id']}").status_code == 204


def test_a_long_file_is_previewed_by_its_beginning_only(client: httpx.Client) -> None:
    data = b"id,text\n" + b"".join(b"%d,some text\n" % number for number in range(60_000))
    shown = client.post("/api/previews", json={"source": sent(client, "a.csv", data)}).json()
    assert [row["id"] for row in shown["rows"]] == [str(number) for number in range(8)]


# Indexing


@pytest.mark.slow
def test_tables_that_were_sent_and_files_of_the_folder_are_indexed_and_give_topics(
    bench: Served, client: httpx.Client, documents: list[str], folder: Path
) -> None:
    """One after the other, by itself, whatever anybody looks at meanwhile."""
    sources = [
        (
            sent(
                client,
                "reviews.csv",
                ("n,review\n" + "".join(f'{n},"{text}"\n' for n, text in enumerate(documents))).encode(),
            ),
            "review",
        ),
        ({"kind": "file", "path": "lines.txt"}, None),
    ]
    corpora = [begun(client, source, text_field=field, min_count=3) for source, field in sources]
    assert all(corpus["state"] in ("waiting", "indexing") and corpus["documents"] == 0 for corpus in corpora)
    seen = []

    def looked() -> bool:
        found = client.get("/api/corpora").json()
        seen.extend(corpus["job"] for corpus in found if corpus["job"] is not None)
        assert all(corpus["state"] != "failed" for corpus in found), found
        return all(corpus["state"] == "ready" for corpus in found)

    until(looked, longest_pause=0.02)  # to see the stages on the way
    assert {stage["name"] for job in seen for stage in job["stages"]} == {name for name, _ in BUILDING.stages}
    assert all(0 <= job["share"] <= 1 and sum(s["state"] == "running" for s in job["stages"]) <= 1 for job in seen)
    assert len({job["stage"] for job in seen}) > 2
    ready = [client.get(f"/api/corpora/{corpus['id']}").json() for corpus in corpora]
    assert [each["title"] for each in ready] == ["reviews.csv", "lines.txt"]
    assert all((each["documents"], each["job"], each["can_quote"]) == (240, None, True) for each in ready)
    for corpus in ready:
        project = client.post("/api/projects", json={"corpus": corpus["id"], "names": ["outer space"]}).json()
        found = client.get(f"/api/projects/{project['id']}/topics").json()
        assert "galaxy" in [term["term"] for term in found["topics"][0]["terms"]]
        quoted = client.get(f"/api/projects/{project['id']}/topics/c1/passages").json()
        assert quoted["quoted"]
        assert (client.delete(f"/api/corpora/{corpus['id']}").status_code) == 409
        client.delete(f"/api/projects/{project['id']}")
        assert client.delete(f"/api/corpora/{corpus['id']}").status_code == 204
    data = bench.workbench.settings.data
    assert not list((data / "indexes").iterdir())
    assert (folder / "lines.txt").is_file()  # a person's own files stay


def test_an_index_is_ready_at_once_and_stays_where_it_is_when_it_is_removed(client: httpx.Client, folder: Path) -> None:
    index = begun(client, {"kind": "index", "path": "planted"}, title="Mine")
    assert (index["state"], index["title"], index["can_quote"]) == ("ready", "Mine", False)
    assert client.post(f"/api/corpora/{index['id']}/title", json={"title": "Ours"}).json()["title"] == "Ours"
    assert client.delete(f"/api/corpora/{index['id']}").status_code == 204
    assert client.get(f"/api/corpora/{index['id']}").status_code == 404
    assert (folder / "planted" / "manifest.json").is_file()


@pytest.mark.slow
@pytest.mark.parametrize(
    ("data", "options", "sentence"),
    [
        (b"id,review\n1,good\n", {}, "no column 'text'; its columns are 'id', 'review'"),
        (b'text\n"never closed\n', {}, "line 2 opens a quote that is never closed"),
    ],
)
def test_what_cannot_be_indexed_fails_with_a_sentence_and_can_be_removed(
    bench: Served, client: httpx.Client, data: bytes, options: dict[str, Any], sentence: str
) -> None:
    corpus = ended(client, begun(client, sent(client, "broken.csv", data), **options))
    assert corpus["state"] == "failed"
    assert sentence in corpus["problem"]
    assert str(bench.workbench.settings.data) not in corpus["problem"]
    project = client.post("/api/projects", json={"corpus": corpus["id"], "names": ["a"]}).json()
    assert client.get(f"/api/projects/{project['id']}/topics").json()["problem"]
    assert client.get(f"/api/projects/{project['id']}/overlap").json()["kind"] == "busy"
    client.delete(f"/api/projects/{project['id']}")
    assert client.delete(f"/api/corpora/{corpus['id']}").status_code == 204


@pytest.mark.parametrize(
    ("options", "status"),
    [
        ({"language": "xx"}, 400),
        ({"min_count": 0}, 422),
        ({"model": "nobody/nothing"}, 403),
        ({"on_error": "ask"}, 422),
        ({"more": 1}, 422),
    ],
)
def test_options_that_cannot_be_are_refused_before_anything_begins(
    client: httpx.Client, options: dict[str, Any], status: int
) -> None:
    before = client.get("/api/corpora").json()
    answer = client.post("/api/corpora", json={"source": {"kind": "demo"}, **options})
    assert answer.status_code == status, answer.text
    assert client.get("/api/corpora").json() == before


@pytest.fixture(scope="module")
def large() -> bytes:
    """So many documents that indexing takes long enough to be stopped."""
    return ("\n".join(planted_documents(6000, seed=3)) + "\n").encode()


@pytest.mark.slow
def test_indexing_is_stopped_and_goes_on_where_it_was_at_once(client: httpx.Client, large: bytes) -> None:
    source = sent(client, "large.txt", large[:900_000])
    first, second = begun(client, source), begun(client, source, title="Second")
    until(lambda: client.get(f"/api/corpora/{first['id']}").json()["state"] == "indexing")
    for corpus in (second, first):  # one that waits, one that runs
        stopped = client.post(f"/api/corpora/{corpus['id']}/stop").json()
        assert (stopped["state"], stopped["job"]) == ("stopped", None)
        assert client.post(f"/api/corpora/{corpus['id']}/stop").status_code == 409
        resumed = client.post(f"/api/corpora/{corpus['id']}/resume").json()
        assert resumed["state"] in ("waiting", "indexing")
        assert resumed["job"] is not None
        assert client.post(f"/api/corpora/{corpus['id']}/resume").status_code == 409
    until(lambda: client.get(f"/api/corpora/{second['id']}").json()["state"] == "indexing")
    for corpus in (first, second):
        client.post(f"/api/corpora/{corpus['id']}/stop")
        assert client.delete(f"/api/corpora/{corpus['id']}").status_code == 204
    until(lambda: not _builders())


def _builders() -> list[psutil.Process]:
    """Processes that index, which are forks of a child of this process."""
    found = []
    for each in psutil.Process().children():
        with contextlib.suppress(psutil.Error):
            if "multiprocessing.forkserver" in " ".join(each.cmdline()):
                found += each.children()
    return found


@pytest.mark.slow
def test_a_process_that_is_killed_gives_a_sentence(client: httpx.Client, large: bytes) -> None:
    corpus = begun(client, sent(client, "killed.txt", large[:900_000]))
    until(lambda: client.get(f"/api/corpora/{corpus['id']}").json()["job"]["stage"] in dict(BUILDING.stages))
    builders = _builders()
    assert builders
    for each in builders:
        os.kill(each.pid, signal.SIGKILL)
    corpus = ended(client, corpus)
    assert corpus["state"] == "failed"
    assert "it may have been killed" in corpus["problem"]
    assert client.delete(f"/api/corpora/{corpus['id']}").status_code == 204


@pytest.mark.slow
def test_a_server_that_is_killed_while_it_indexes_goes_on_when_it_starts_again(
    fresh: WorkbenchSettings, folder: Path
) -> None:
    file = folder / "lines.txt"
    empty = fresh.data.parent / "cache"  # so that indexing takes long enough to be seen
    arguments = ("--cache", str(empty), "--jobs", "1", str(file))
    with commanded(fresh.data, *arguments) as served, served.client() as client:
        corpus = client.get("/api/corpora").json()[0]
        until(lambda: client.get(f"/api/corpora/{corpus['id']}").json()["state"] == "indexing")
        until(lambda: client.get(f"/api/corpora/{corpus['id']}").json()["job"]["stage"] != "waiting")
        served.process.kill()
    with serving(fresh) as again, again.client() as client:
        assert again.workbench.corpora.add_given(file, BuildOptions()).id == corpus["id"]  # given as before
        found = client.get("/api/corpora").json()
        assert [each["id"] for each in found] == [corpus["id"]]
        assert ended(client, corpus)["problem"] is None
        assert client.get(f"/api/corpora/{corpus['id']}").json()["documents"] == 240


@pytest.mark.slow
def test_a_server_that_ends_while_it_indexes_goes_on_when_it_starts_again(
    fresh: WorkbenchSettings, large: bytes
) -> None:
    with serving(fresh) as served, served.client() as client:
        corpus = begun(client, sent(client, "large.txt", large[:900_000]))
        until(lambda: client.get(f"/api/corpora/{corpus['id']}").json()["state"] == "indexing")
    assert not _builders()
    with serving(fresh) as served, served.client() as client:
        found = client.get(f"/api/corpora/{corpus['id']}").json()
        assert found["state"] in ("waiting", "indexing")
        until(lambda: client.get(f"/api/corpora/{corpus['id']}").json()["state"] == "indexing")


# Jobs by themselves


# In a process of its own, because jobs complain where the first one of a process did.
_FAULT = """
import os, sys
sys.path.insert(0, os.getcwd())
from faulty import fail
from seetopic.web.jobs import Jobs, Plan
from waiting import until
jobs, told = Jobs(), []
jobs.start("k", Plan((("only", 1.0),)), lambda *ended: told.append(ended), fail)
until(lambda: told)
assert jobs.job("k") is None
jobs.close()
jobs.start("k", Plan(()), lambda *ended: told.append(ended), fail)  # nothing begins after the end
print(told)
"""


@pytest.mark.slow
def test_a_fault_of_the_program_is_a_sentence_too(forks: Forks, tmp_path: Path) -> None:
    (tmp_path / "faulty.py").write_text("def fail(*, progress):\n    progress('only', 0, None)\n    1 / 0\n")
    done = forks.run(_FAULT, cwd=tmp_path)
    sentence = "an unexpected error occurred (ZeroDivisionError); see the server's log"
    assert (done.returncode, done.stdout) == (0, f"{[(None, sentence, False)]}\n"), done.stderr
    assert "ZeroDivisionError: division by zero" in done.stderr


def test_where_forks_are_not_safe_jobs_start_from_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    started = {}
    for system in ("linux", "darwin", "win32"):
        monkeypatch.setattr(sys, "platform", system)
        started[system] = _context().get_start_method()
    assert started == {"linux": "forkserver", "darwin": "spawn", "win32": "spawn"}


def test_what_jobs_import_before_they_start_is_there() -> None:
    """What is missing would be left out without a word."""
    assert [name for name in _IMPORTED_BY_JOBS if find_spec(name) is None] == []


def test_how_far_a_job_is() -> None:
    plan = Plan((("read", 1.0), ("think", 3.0)))
    job = plan.job("think", 5, 10, 20.0)
    assert (job.share, job.remaining) == (0.625, 12.0)
    assert [stage.state for stage in job.stages] == ["done", "running"]
    waiting = plan.job("waiting", 0, None, 0.0)
    assert (waiting.share, waiting.remaining, [stage.state for stage in waiting.stages]) == (0, None, ["waiting"] * 2)
    assert json.loads(job.model_dump_json())["total"] == 10
