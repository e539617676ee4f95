"""Topics for a project's names: found by the library, cached, and compared with earlier ones."""

from __future__ import annotations

import hashlib
import threading
import time
from collections import OrderedDict
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import CancelledError, ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, Literal, TypeAlias, TypeVar

from pydantic import Field

from seetopic.corpus import Documents, Seeds
from seetopic.discovery import DOUBTFUL, Discovery, Topics, base_of, run_of
from seetopic.index import Index
from seetopic.output import Examples, Quotable, Scene, examples
from seetopic.runtime import give_back_memory, held_bytes
from seetopic.settings import DEFAULT, DiscoverySettings
from seetopic.vectors import EmbeddedEncoder
from seetopic.web.errors import NotYet, Overtaken
from seetopic.web.limits import WAITING
from seetopic.web.schemas import Category, Frozen, Names, same
from seetopic.web.texts import WrittenTexts

_SHOWN = 20e6  # bytes of cached topics as the page shows them
_MEGABYTES = 250.0  # of cached runs and of the indexes that they come from, together
_UNCOUNTED = (Topics, Seeds, Frozen, Documents, EmbeddedEncoder)  # small parts of a run, and what all runs share
_ANSWERED = 0.1  # seconds after which an answer has left
_ENDING = "the workbench is shutting down; start it again"
Key: TypeAlias = tuple[str, str]  # corpus, names
Owner: TypeAlias = tuple[str, int]  # project, version
Item = TypeVar("Item")


class Term(Frozen):
    """A term of a topic, and how a user judged it."""

    term: str
    score: float
    documents: int
    ranks: dict[str, int | None]
    variants: tuple[str, ...]
    state: Literal["pinned", "name", "taught", ""]  # taught: accepted under Teach or by annotators


class ShownTopic(Frozen):
    """A topic as the page shows it."""

    category: str
    name: str
    names: tuple[str, ...]
    in_vocabulary: bool
    confidence: float
    low: bool
    warnings: tuple[str, ...]
    terms: tuple[Term, ...]


class Change(Frozen):
    """Changes in a topic: terms that were added, removed or moved (with their old position, from 1)."""

    new: bool = False
    came: tuple[str, ...] = ()
    went: tuple[str, ...] = ()
    moved: dict[str, int] = Field(default_factory=dict)


@dataclass(frozen=True)
class Finding:
    """A run of the library for some names, and results computed from it on demand."""

    run: Discovery
    names: Names
    documents: Documents | None
    seconds: float
    texts: WrittenTexts | None = None  # as they were written

    @property
    def quotable(self) -> Quotable | None:
        """Where texts can be quoted from."""
        return self.documents if self.texts is None else self.texts

    @property
    def topics(self) -> Topics:
        return self.run.topics

    @cached_property
    def scene(self) -> Scene:
        return Scene(self.run.query, self.run.topics, self.run)

    @cached_property
    def examples(self) -> Examples:
        return examples(self.scene, self.quotable, each=5)

    @cached_property
    def shown(self) -> tuple[ShownTopic, ...]:
        return shown_topics(self.topics, self.names, self.run.index)

    def number(self, category: str) -> int:
        """The position of a category's topic; an error if there is none."""
        return self.names.categories.index(self.names[category])


@dataclass(frozen=True)
class TopicRequest:
    """Names to find topics for, and where the documents that they are found in can be quoted from."""

    corpus: str
    index: Index
    names: Names
    documents: Documents | None = None
    texts: WrittenTexts | None = None  # as they were written
    owner: Owner | None = None  # whose older searches are cancelled

    @cached_property
    def key(self) -> Key:
        return key_of(self.corpus, self.names)


class FoundTopics(Frozen):
    """Topics as the page shows them, and how long they took."""

    topics: tuple[ShownTopic, ...]
    seconds: float


@dataclass
class _Search:
    """A running search for a project; the library reports progress to it, which is where it can be stopped."""

    version: int
    key: Key
    stopped: bool = False
    over: bool = False  # later computations on its run are not stopped

    def __call__(self, stage: str, done: int, total: int | None) -> None:
        if self.stopped and not self.over:
            raise Overtaken("the names changed while their topics were being found; reload to see the latest version")


class _Lane:
    """One thread, and a limited number of requests that wait for it."""

    def __init__(self, name: str) -> None:
        self.worker = ThreadPoolExecutor(1, thread_name_prefix=name)
        self._waiting = 0
        self._lock = threading.Lock()

    @contextmanager
    def entered(self) -> Iterator[None]:
        with self._lock:
            if self._waiting >= WAITING:
                raise NotYet("too many users are waiting for topics right now; try again in a moment")
            self._waiting += 1
        try:
            yield
        finally:
            with self._lock:
                self._waiting -= 1


class TopicFinder:
    """Finds topics for one set of names at a time, because two searches would only slow each other down.

    One thread does the work, so that large arrays are allocated and freed in one place; a second one takes slow
    searches, so that nobody else waits for them. What the page shows is cached for many names. Whole runs, because
    users ask about what they saw last, and what was read and computed of their indexes are kept within one memory limit
    for all corpora. A newer version of a project cancels its earlier search.
    """

    def __init__(self, megabytes: float = _MEGABYTES, shown_bytes: float = _SHOWN) -> None:
        self._quick, self._heavy = _Lane("finding"), _Lane("finding-many")
        self._searches: dict[str, _Search] = {}
        self._keeping = threading.Lock()
        self._tidying = threading.Lock()  # held while tidying up is planned
        self._closed = False
        self._megabytes, self._shown_bytes = megabytes, shown_bytes
        self._found: OrderedDict[Key, bytes] = OrderedDict()  # as JSON, which takes a tenth of the memory
        self._runs: OrderedDict[Key, Finding] = OrderedDict()

    def shown(self, asked: TopicRequest) -> FoundTopics:
        """Topics as the page shows them, from the cache if possible."""
        known = self.known(asked.corpus, asked.names)
        if known is not None:
            return known
        finding = self.find(asked)
        found = FoundTopics(topics=finding.shown, seconds=finding.seconds)
        written = found.model_dump_json().encode()
        with self._keeping:
            self._found[asked.key] = written
            while len(self._found) > 2 and sum(map(len, self._found.values())) > self._shown_bytes:
                self._found.popitem(last=False)
        return found

    def known(self, corpus: str, names: Names) -> FoundTopics | None:
        """Topics for these names from the cache only, if they are there."""
        kept = self._look(self._found, key_of(corpus, names))
        return None if kept is None else FoundTopics.model_validate_json(kept)

    def find(self, asked: TopicRequest) -> Finding:
        """The run for these names, from the cache if possible; it cancels older searches of its owner."""
        kept = self._look(self._runs, asked.key)
        if kept is not None:
            return kept
        return self.do(self._find, asked, self._begun(asked), heavy=asked.names.are_heavy)

    def do(self, work: Callable[..., Item], *values: Any, heavy: bool = False) -> Item:
        """Run some work after earlier requests."""
        if self._closed:
            raise NotYet(_ENDING)
        lane = self._heavy if heavy else self._quick
        with lane.entered():
            try:
                found = lane.worker.submit(work, *values).result()
            except CancelledError:
                raise NotYet(_ENDING) from None
            self._tidy_soon()
            return found

    def of_run(self, work: Callable[..., Item], finding: Finding, *values: Any) -> Item:
        """Compute something from a run; with many names, apart from quick requests."""
        return self.do(work, finding, *values, heavy=finding.names.are_heavy)

    def stop(self, project: str) -> None:
        """Cancel the search of a project."""
        with self._keeping:
            search = self._searches.pop(project, None)
            if search is not None:
                search.stopped = True

    def close(self) -> None:
        self._closed = True
        for project in list(self._searches):
            self.stop(project)
        for lane in (self._quick, self._heavy):
            lane.worker.shutdown(cancel_futures=True)

    def _begun(self, asked: TopicRequest) -> _Search:
        if asked.owner is None:
            return _Search(0, asked.key)
        project, version = asked.owner
        search = _Search(version, asked.key)
        with self._keeping:
            before = self._searches.get(project)
            if before is not None and before.key == search.key:
                before.version = max(before.version, version)
                return before
            if before is not None and before.version > version:
                return search
            if before is not None:
                before.stopped = True
            self._searches[project] = search
        return search

    def _ended(self, search: _Search) -> None:
        with self._keeping:
            search.over = True
            for project in [project for project, each in self._searches.items() if each is search]:
                del self._searches[project]

    def _find(self, asked: TopicRequest, search: _Search) -> Finding:
        kept = self._look(self._runs, asked.key)  # an earlier request for the same names may have found it
        if kept is not None:
            return kept
        names, started = asked.names, time.perf_counter()
        try:
            search("waiting", 0, None)
            run = run_of(asked.index, names.seeds, settings_of(names), progress=search, judgements=names.lessons)
        finally:
            self._ended(search)
        finding = Finding(run, names, asked.documents, time.perf_counter() - started, asked.texts)
        with self._keeping:
            self._runs[asked.key] = finding
        return finding

    def _tidy_soon(self) -> None:
        """Tidy up when the answer has left, because it would have to wait for that."""
        if self._tidying.acquire(blocking=False):
            timer = threading.Timer(_ANSWERED, self._tidy)
            timer.daemon = True
            timer.start()

    def _tidy(self) -> None:
        """Drop the least recently used runs until the limit is kept, and what was read of corpora without any."""
        self._tidying.release()
        while self.megabytes > self._megabytes:
            with self._keeping:
                if len(self._runs) < 2:
                    break
                _, dropped = self._runs.popitem(last=False)
                index = base_of(dropped.run.index)
                if all(base_of(each.run.index) is not index for each in self._runs.values()):
                    index.release()
            del dropped  # before memory is given back
        give_back_memory()

    @property
    def megabytes(self) -> float:
        """What is remembered now."""
        with self._keeping:
            runs = list(self._runs.values())
        return held_bytes(runs, _UNCOUNTED) / 1e6

    def forget(self, corpus: str) -> None:
        with self._keeping:
            for kept in (self._found, self._runs):
                for key in [key for key in kept if key[0] == corpus]:
                    del kept[key]

    def _look(self, kept: OrderedDict[Key, Item], key: Key) -> Item | None:
        with self._keeping:
            found = kept.get(key)
            if found is not None:
                kept.move_to_end(key)
            return found


def settings_of(names: Names) -> DiscoverySettings:
    """Discovery settings for a project's names."""
    return replace(DEFAULT.discovery, top=names.options.top, merge_variants=not names.options.keep_variants)


def shown_topics(topics: Topics, names: Names, index: Index | None = None) -> tuple[ShownTopic, ...]:
    """Topics with the ids of their categories, and which terms are pinned or names."""
    return tuple(
        ShownTopic(
            category=category.id,
            name=topic.name,
            names=topic.names,
            in_vocabulary=topic.in_vocabulary,
            confidence=topic.confidence,
            low=bool(topic.terms) and topic.confidence < DOUBTFUL,
            warnings=topic.warnings,
            terms=tuple(
                Term(
                    term=each.term,
                    score=round(each.score, 4),
                    documents=each.documents,
                    ranks=each.ranks,
                    variants=each.variants,
                    state=_state(each.term, category, names, index),
                )
                for each in topic.terms
            ),
        )
        for category, topic in zip(names.categories, topics, strict=True)
    )


def changes(before: Sequence[ShownTopic], now: Sequence[ShownTopic]) -> dict[str, Change]:
    """Changes by category; unchanged categories are left out."""
    old = {topic.category: [term.term for term in topic.terms] for topic in before}
    found = {}
    for topic in now:
        terms = [term.term for term in topic.terms]
        was = old.get(topic.category)
        if was is None:
            found[topic.category] = Change(new=True)
        elif was != terms:
            kept = [term for term in was if term in terms]
            found[topic.category] = Change(
                came=tuple(term for term in terms if term not in was),
                went=tuple(term for term in was if term not in terms),
                moved={term: was.index(term) + 1 for term in kept if was.index(term) != terms.index(term)},
            )
    return found


def _state(term: str, category: Category, names: Names, index: Index | None) -> Literal["pinned", "name", "taught", ""]:
    if any(_is(term, each, index) for each in category.pinned):
        return "pinned"
    if any(_is(term, each, index) for each in category.names):
        return "name"
    accepted = (each.term for each in names.judgements if each.category == category.id and each.belongs and each.term)
    return "taught" if any(_is(term, each, index) for each in accepted) else ""


def _is(term: str, written: str, index: Index | None) -> bool:
    """Whether a term is what a user wrote."""
    return same(term, written) or (index is not None and index.as_term(written) == term)


def key_of(corpus: str, names: Names) -> Key:
    """A cache key, equal for names that give the same topics of a corpus; the project's title does not matter."""
    asked = names.model_dump_json(exclude={"title", "next_id"})
    return corpus, hashlib.sha256(asked.encode()).hexdigest()
