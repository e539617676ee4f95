"""Much work at once: it is bounded, nobody else waits for it, it ends when it is not wanted, and queues have an end."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path
from typing import Any

import httpx
import pytest

from seetopic import Index
from seetopic.corpus.opening import open_documents
from seetopic.discovery.run import run_of
from seetopic.runtime import held_bytes
from seetopic.runtime.progress import Progress
from seetopic.vectors import EmbeddedEncoder
from seetopic.web.errors import NotYet
from seetopic.web.jobs import Jobs, Plan
from seetopic.web.limits import PROJECT_NAMES, QUEUE, WAITING, WorkbenchSettings
from seetopic.web.schemas import GivenCategory, Names, with_new
from seetopic.web.sources import BuildOptions, FileSource
from seetopic.web.topic_service import TopicFinder, TopicRequest
from seetopic.web.workbench import Workbench
from waiting import until

from .served import serving


def many(number: int, each: int = 1) -> list[dict[str, Any]]:
    return [
        {"name": f"name {at}", "names": [f"name {at}", *(f"other name {at} {n}" for n in range(1, each))]}
        for at in range(number)
    ]


def named(number: int, each: int) -> Names:
    return with_new(Names(title="many"), [GivenCategory(**given) for given in many(number, each)])


def project_of(client: httpx.Client, corpus: str, *names: str) -> str:
    return f"/api/projects/{client.post('/api/projects', json={'corpus': corpus, 'names': names}).json()['id']}"


def test_a_project_has_so_many_names_and_no_more(client: httpx.Client, project: dict[str, Any]) -> None:
    asked = {"base": 1, "topics": False, "edit": {"kind": "seeds", "categories": many(200, 10)}}
    answer = client.post(f"/api/projects/{project['id']}/edits", json=asked)
    assert answer.status_code == 400
    assert f"2,000 names, but the limit is {PROJECT_NAMES}" in answer.json()["problem"]
    assert client.get(f"/api/projects/{project['id']}").json()["version"] == 1


class Held:
    """Holds searches of many names up until they may go on, so that no test depends on how long they take."""

    def __init__(self, finder: TopicFinder) -> None:
        self.go, self.begun = threading.Event(), threading.Event()
        self._do = finder.do

    def __call__(self, work: Any, *values: Any, heavy: bool = False) -> Any:
        def waits(*values: Any) -> Any:
            if heavy:
                self.begun.set()
                self.go.wait(30)
            return work(*values)

        return self._do(waits, *values, heavy=heavy)


@pytest.fixture
def people(fresh: WorkbenchSettings) -> Iterator[tuple[httpx.Client, Held, str]]:
    """A server whose searches of many names last until the test lets them go on."""
    with serving(fresh) as served, served.client() as client:
        held = Held(served.workbench.finder)
        served.workbench.finder.do = held  # type: ignore[method-assign]
        corpus = served.workbench.corpora.add(FileSource(kind="index", path="planted"), BuildOptions()).id
        yield client, held, corpus
        held.go.set()


@pytest.mark.slow
def test_nobody_waits_for_the_many_names_of_others(people: tuple[httpx.Client, Held, str]) -> None:
    client, held, corpus = people
    heavy, light = project_of(client, corpus), project_of(client, corpus, "sport", "food")
    edit = {"base": 1, "edit": {"kind": "seeds", "categories": many(5, 20)}}
    answer = client.post(f"{heavy}/edits", json=edit)  # it is kept and answered before its topics are found
    assert (answer.status_code, answer.json()["topics"], answer.json()["problem"]) == (200, None, None)
    with ThreadPoolExecutor(1) as other:
        waiting = other.submit(client.get, f"{heavy}/topics")
        assert held.begun.wait(30)
        change = {"base": 1, "edit": {"kind": "pin", "category": "c1", "term": "tennis"}}
        assert client.post(f"{light}/edits", json=change).json()["topics"]
        assert client.get(f"{light}/topics/c1/passages").status_code == 200
        assert not waiting.done()
        held.go.set()
        assert len(waiting.result().json()["topics"]) == 5


def test_a_search_ends_when_a_newer_change_is_made_or_the_project_removed(
    people: tuple[httpx.Client, Held, str],
) -> None:
    client, held, corpus = people
    heavy = project_of(client, corpus)
    client.post(f"{heavy}/edits", json={"base": 1, "edit": {"kind": "seeds", "categories": many(5, 20)}})
    with ThreadPoolExecutor(2) as others:
        old = others.submit(client.get, f"{heavy}/topics")
        assert held.begun.wait(30)
        client.post(f"{heavy}/undo", json={"base": 2})
        client.post(f"{heavy}/edits", json={"base": 3, "edit": {"kind": "add", "names": ["sport", "food"]}})
        held.go.set()
        assert "changed while their topics were being found" in old.result().json()["problem"]
        assert len(client.get(f"{heavy}/topics").json()["topics"]) == 2
        held.go.clear()
        held.begun.clear()
        client.post(f"{heavy}/edits", json={"base": 4, "edit": {"kind": "seeds", "categories": many(6, 20)}})
        gone = others.submit(client.get, f"{heavy}/topics")
        assert held.begun.wait(30)
        assert client.delete(heavy).status_code == 204
        held.go.set()
        assert gone.result().json()["topics"] is None


@pytest.mark.slow
def test_who_listens_to_a_search_of_many_names_can_end_it_at_every_step(index: Index) -> None:
    class Enough(Exception):
        pass

    def ending_at(stage: str) -> Progress:
        def told(now: str, done: int, total: int | None) -> None:
            if now == stage and done:
                raise Enough

        return told

    names = named(5, 20).seeds
    for stage in ("looking for names", "encoding names"):
        with pytest.raises(Enough):
            run_of(index, names, progress=ending_at(stage))
    assert run_of(index, names, progress=ending_at("")).topics == run_of(index, names).topics


def test_all_corpora_share_one_memory_limit(index: Index) -> None:
    finder = TopicFinder(megabytes=1)
    first, second = (Index.open(index.folder, cache=index.cache.folder) for _ in range(2))
    asked = TopicRequest("first", first, named(3, 1))
    kept = finder.find(asked)
    held = held_bytes([first], (EmbeddedEncoder,))
    finder.find(TopicRequest("second", second, named(3, 1)))
    until(lambda: held_bytes([first], (EmbeddedEncoder,)) < held / 2)  # it is released when the answer has left
    assert finder.find(asked).topics == kept.topics
    finder.close()


def test_topics_of_many_names_are_kept_as_shown_within_a_limit(index: Index) -> None:
    finder = TopicFinder(shown_bytes=1)
    first, second, third = (named(3, number) for number in (1, 2, 3))
    found = [finder.shown(TopicRequest("planted", index, names)) for names in (first, second, third)]
    assert finder.known("planted", first) is None
    assert [finder.known("planted", names) for names in (second, third)] == found[1:]  # a change compares these two
    finder.close()


def test_only_so_many_requests_wait_for_topics(index: Index) -> None:
    finder, go = TopicFinder(), threading.Event()
    with ThreadPoolExecutor(WAITING) as people:
        waiting = [people.submit(finder.do, go.wait, 30) for _ in range(WAITING)]
        until(lambda: finder._quick._waiting == WAITING)
        with pytest.raises(NotYet, match="too many users are waiting"):
            finder.do(go.is_set)
        assert finder.do(go.is_set, heavy=True) is False
        go.set()
        assert all(each.result() for each in waiting)
    assert finder.do(go.is_set)
    finder.close()


def test_builds_wait_in_a_queue_that_has_an_end(fresh: WorkbenchSettings, folder: Path) -> None:
    workbench = Workbench(fresh)
    ended: list[Future[Any]] = []
    workbench.corpora = replace(workbench.corpora, jobs=Jobs(most=2))
    jobs = workbench.corpora.jobs
    for key in ("one", "two"):
        jobs.start(key, Plan(()), lambda *told: ended.append(told), _long)
    source = FileSource(kind="file", path="lines.txt")
    with pytest.raises(NotYet, match="2 jobs are running or waiting"):
        workbench.corpora.add(source, BuildOptions())
    assert workbench.corpora.all() == []
    jobs.stop("two")
    assert workbench.corpora.add(source, BuildOptions()).state == "waiting"
    jobs.close()
    workbench.close()
    assert QUEUE >= 2


def _long(*, progress: Progress) -> None:
    threading.Event().wait(60)


def test_hidden_texts_of_a_folder_are_neither_shown_nor_read(client: httpx.Client, folder: Path) -> None:
    place = folder / "half hidden"
    (place / ".private").mkdir(parents=True)
    (place / "open.txt").write_text("an open text")
    (place / ".private" / "a.txt").write_text("a hidden text")
    (place / ".b.txt").write_text("another hidden text")
    shown = client.post("/api/previews", json={"source": {"kind": "file", "path": "half hidden"}}).json()
    assert [row["text"] for row in shown["rows"]] == ["an open text"]
    assert list(open_documents(place).texts()) == ["an open text"]
