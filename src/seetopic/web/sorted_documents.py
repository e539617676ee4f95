"""All documents of a corpus, sorted into a project's categories in the background, so that people can go on working."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from concurrent.futures import TimeoutError as NotInTime
from dataclasses import dataclass, field

import numpy as np

from seetopic.classify import AssignOptions, DocumentStream, Sorter
from seetopic.runtime import Flags, Longs, Shorts
from seetopic.web.errors import NotYet, Overtaken
from seetopic.web.projects import Kept
from seetopic.web.schemas import Frozen
from seetopic.web.topic_service import Finding, Key, key_of

_KEPT = 4  # corpora that stay sorted; each takes six bytes per document


class Sorting(Frozen):
    """How far sorting has come."""

    done: int
    total: int


@dataclass(frozen=True)
class SortedCorpus:
    """What each document was sorted into."""

    best: Shorts  # the number of its category, or -1
    steps: Shorts  # its share in that category, in ten-thousandths
    none: Shorts  # its share of none
    names: tuple[str, ...]  # of the categories
    categories: tuple[str, ...]  # their ids
    below: dict[str, frozenset[int]]  # by id, the numbers of a category and of those below it
    spelled: tuple[dict[str, str], ...]  # of each topic: the term that a spelling is a form of

    def within(self, category: str) -> Flags:
        """Which documents belong to a category, or to one below it."""
        fits: Flags = np.isin(self.best, list(self.below.get(category, ())))
        return fits


@dataclass
class _RunningSort:
    """Sorting that is under way."""

    project: str
    done: int = 0
    total: int = 0
    stopped: bool = False
    future: Future[SortedCorpus] | None = field(default=None, repr=False)


class DocumentSorter:
    """Sorts one corpus at a time in a thread of its own; what was sorted last is kept."""

    def __init__(self, find: Callable[[Kept], Finding], prepare: Callable[[Finding], Sorter]) -> None:
        self._find, self._prepare = find, prepare
        self._worker = ThreadPoolExecutor(1, thread_name_prefix="sorting")
        self._lock = threading.Lock()
        self._kept: OrderedDict[Key, SortedCorpus] = OrderedDict()
        self._running: dict[Key, _RunningSort] = {}

    def get(self, kept: Kept, wait: float = 0.2) -> SortedCorpus | Sorting:
        """The sorted corpus of a project, if it is there within `wait` seconds, or how far sorting has come.

        Sorting begins with the first call; it ends early if the project's names change.
        """
        key = key_of(kept.corpus, kept.names)
        with self._lock:
            if key in self._kept:
                self._kept.move_to_end(key)
                return self._kept[key]
            for other, each in self._running.items():
                each.stopped = each.stopped or (each.project == kept.id and other != key)
            running = self._running.get(key)
            if running is None or running.stopped:
                running = self._running[key] = _RunningSort(kept.id)
                try:
                    running.future = self._worker.submit(self._sort, key, kept, running)
                except RuntimeError:  # shut down
                    raise NotYet("the workbench is shutting down; start it again") from None
        assert running.future is not None
        try:
            return running.future.result(wait)
        except NotInTime:
            return Sorting(done=running.done, total=running.total)

    def _sort(self, key: Key, kept: Kept, running: _RunningSort) -> SortedCorpus:
        try:
            return self._sorted(key, kept, running)
        finally:
            with self._lock:
                if self._running.get(key) is running:
                    del self._running[key]

    def _sorted(self, key: Key, kept: Kept, running: _RunningSort) -> SortedCorpus:
        finding = self._find(kept)
        index, sorter = finding.run.index, self._prepare(finding)
        running.total = len(index)
        parts: list[tuple[Longs, Shorts, Shorts]] = []
        for placement, _, _ in DocumentStream(index, sorter, n_jobs=1).placed_with_terms(AssignOptions()):
            if running.stopped:
                raise Overtaken("the names changed while the documents were being sorted; reload to see the latest")
            parts.append((placement.best, placement.best_steps, placement.none))
            running.done += len(placement)
        best, steps, none = (np.concatenate(each).astype(np.int16) for each in zip(*parts, strict=True))
        ids = tuple(each.id for each in kept.names.categories)
        made = SortedCorpus(
            best=best,
            steps=steps,
            none=none,
            names=sorter.names,
            categories=ids,
            below={
                each.id: frozenset(number for number, other in enumerate(ids) if other in kept.names.below(each.id))
                for each in kept.names.categories
            },
            spelled=tuple(
                {form: each.term for each in topic.terms for form in (each.term, *each.variants)}
                for topic in finding.topics
            ),
        )
        with self._lock:
            self._kept[key] = made
            while len(self._kept) > _KEPT:
                self._kept.popitem(last=False)
        return made

    def forget(self, corpus: str) -> None:
        with self._lock:
            for key in [key for key in self._kept if key[0] == corpus]:
                del self._kept[key]

    def stop(self, project: str) -> None:
        with self._lock:
            for each in self._running.values():
                each.stopped = each.stopped or each.project == project

    def close(self) -> None:
        with self._lock:
            for each in self._running.values():
                each.stopped = True
        self._worker.shutdown(cancel_futures=True)
