"""The engine for many machines: the same maps, as tasks of a Ray cluster."""

from __future__ import annotations

import os
import sys
import time
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from functools import cache, cached_property, lru_cache
from pathlib import Path
from typing import Any, TypeVar

from seetopic.clusters import Session, check_nodes, ray_session, sentence_about
from seetopic.errors import SettingsError
from seetopic.parcels import named, outcome_of, result_of

Item = TypeVar("Item")
Result = TypeVar("Result")
_AHEAD = 2  # items in flight for each that can be worked on at once
# A worker or a node that is lost is nobody's fault, and clusters of cheap machines lose them often. But an item that
# ends every worker would be tried until the end of time if the number had no bound.
_TRIES_MORE = 20
_COUNTED_AGAIN = 5.0  # seconds after which it is asked how large the cluster is: it may grow and shrink


@dataclass(frozen=True)
class RayEngine:
    """The cluster at an address, or one on this machine alone that ends with the engine."""

    address: str | None = None  # auto, host:port or ray://host:port
    workers: int | None = None  # items worked on at once; None: as many as there are cores

    def __post_init__(self) -> None:
        if self.workers is not None and self.workers < 1:
            raise SettingsError(f"`jobs` is {self.workers}, but must be at least 1")

    @property
    def remote(self) -> bool:
        return True

    def map(
        self,
        function: Callable[[Item], Result],
        items: Iterable[Item],
        *,
        threads: bool = False,
        gpu: bool = False,
    ) -> Iterator[Result]:
        """Results in the order of the items; only a few of them are in flight."""
        ray = self._session.ray
        size = _Size(ray, self.workers if self.address else None, gpu)
        try:
            work = _Work(ray.put(function), str(Path.cwd()), sys.path)
        except (TypeError, AttributeError):  # it only exists in this process, and so is run in it
            yield from map(function, items)
            return
        task = _task(ray).options(num_gpus=1 if size.on_gpus else 0)
        waiting: deque[tuple[Item, Any]] = deque()
        try:
            for item in items:
                while len(waiting) >= size.in_flight():
                    yield self._result(*waiting.popleft())
                waiting.append((item, task.remote(work, item)))
            while waiting:
                yield self._result(*waiting.popleft())
        finally:
            for _, reference in waiting:
                with suppress(ray.exceptions.RayError):
                    ray.cancel(reference)

    def check_shared(self, folder: Path) -> None:
        """Refuse a cluster with a node that does not see the folder, or has another seetopic or Python."""
        check_nodes(self._session.ray, folder)

    def close(self) -> None:
        """Leave the cluster; one that this engine started is ended."""
        session: Session | None = self.__dict__.pop("_session", None)
        if session is not None:
            session.close()

    def _result(self, item: Any, reference: Any) -> Any:
        ray = self._session.ray
        try:
            outcome = ray.get(reference)
        except ray.exceptions.RayError as error:
            raise sentence_about(error, named(item)) from error
        return result_of(outcome)

    @cached_property
    def _session(self) -> Session:
        """Begun for the first map."""
        return ray_session(self.address, self.workers)


class _Size:
    """How many items may be in flight, which changes with the cluster."""

    def __init__(self, ray: Any, limit: int | None, gpu: bool) -> None:
        self._ray, self._limit = ray, limit
        self.on_gpus = gpu and bool(ray.cluster_resources().get("GPU"))
        self._counted = float("-inf")

    def in_flight(self) -> int:
        if self._limit is not None:
            return self._limit
        if time.monotonic() - self._counted > _COUNTED_AGAIN:
            slots = self._ray.cluster_resources().get("GPU" if self.on_gpus else "CPU", 1)
            self._known, self._counted = max(_AHEAD * int(slots), 1), time.monotonic()
        return self._known


@cache
def _task(ray: Any) -> Any:
    # Workers that had a GPU are ended after each task unless it is said that they may stay, model and all.
    return ray.remote(num_cpus=1, max_retries=_TRIES_MORE, retry_exceptions=False, max_calls=0)(_done)


@dataclass(frozen=True)
class _Work:
    """What goes with every item: where the function is kept, and where its modules and files are looked for."""

    function: Any  # within something else, or Ray would unpack it for every item
    folder: str
    path: list[str]


def _done(work: _Work, item: Any) -> bytes:
    """What a worker does with an item; names of files and modules lead where they lead in the process that asks."""
    with suppress(OSError):
        os.chdir(work.folder)
    sys.path += [place for place in work.path if place not in sys.path]
    function = _function(work.function)
    return outcome_of(lambda: function(item))


@lru_cache(maxsize=1)
def _function(reference: Any) -> Callable[[Any], Any]:
    """Unpacked once a map by each worker process; its arrays stay where all workers of a node share them."""
    import ray

    function: Callable[[Any], Any] = ray.get(reference)
    return function
