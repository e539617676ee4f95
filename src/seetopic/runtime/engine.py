"""Work on shards: a map whose results come back in shard order, for any number of workers."""

from __future__ import annotations

import operator
import os
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from functools import cached_property, reduce
from pathlib import Path
from typing import Protocol, TypeVar

from seetopic.errors import SettingsError
from seetopic.runtime.processes import Workers, can_travel, packed
from seetopic.runtime.ray import RayEngine

Item = TypeVar("Item")
Result = TypeVar("Result")
Sum = TypeVar("Sum")
ENGINES = ("local", "ray")


class Engine(Protocol):
    """What carries the maps; every sum is made by the caller, in the order results arrive: shard order.

    A function travels once a map to each worker, items and results one by one. An item may be done again after a
    fault, so functions are pure, or write files whole.
    """

    @property
    def remote(self) -> bool:
        """Whether workers may be on other machines."""

    def map(
        self,
        function: Callable[[Item], Result],
        items: Iterable[Item],
        *,
        threads: bool = False,
        gpu: bool = False,
    ) -> Iterator[Result]:
        """The results in the order of the items.

        On one machine, work of libraries that let other threads run is better done in `threads`: nothing is copied.
        `gpu`: work for a GPU, where other machines have any.
        """

    def check_shared(self, folder: Path) -> None:
        """Refuse workers that do not see a folder."""

    def close(self) -> None:
        """Done for now; a further map begins anew."""


def sum_of(
    engine: Engine, function: Callable[[Item], Sum], items: Iterable[Item], start: Sum, *, threads: bool = False
) -> Sum:
    """The results added to `start`, an array in place, in the order of the items: rounding depends on the order."""
    return reduce(operator.iadd, engine.map(function, items, threads=threads), start)


def available_cores() -> int:
    """The cores this process may use, which can be fewer than the machine has."""
    affinity = getattr(os, "sched_getaffinity", None)
    return len(affinity(0)) if affinity else os.cpu_count() or 1


@dataclass(frozen=True)
class LocalEngine:
    """This process for one job, worker processes for more; the results are the same bytes."""

    jobs: int

    def __post_init__(self) -> None:
        if self.jobs < 1:
            raise SettingsError(f"`jobs` is {self.jobs}, but must be at least 1")

    @property
    def remote(self) -> bool:
        return False

    def map(
        self,
        function: Callable[[Item], Result],
        items: Iterable[Item],
        *,
        threads: bool = False,
        gpu: bool = False,
    ) -> Iterator[Result]:
        if threads and self.jobs > 1:
            with ThreadPoolExecutor(self.jobs) as pool:
                yield from pool.map(function, items)
            return
        # A function that only exists in this process (a lambda as tokenizer) is run in this process.
        if self.jobs == 1 or not can_travel(function):
            yield from map(function, items)
            return
        waiting: deque[Future[Result]] = deque()
        with packed(function) as parcel:
            try:
                for item in items:
                    # Only a few shards are in flight, also where results are used more slowly than they come.
                    if len(waiting) == 2 * self.jobs:
                        yield waiting.popleft().result()
                    waiting.append(self._workers.submit(parcel, item))
                while waiting:
                    yield waiting.popleft().result()
            finally:
                for future in waiting:
                    future.cancel()

    def check_shared(self, folder: Path) -> None:
        """They see what this process sees."""

    def close(self) -> None:
        """Wait until the workers have ended; left to themselves they end with the program."""
        workers: Workers | None = self.__dict__.pop("_workers", None)
        if workers is not None:
            workers.close()

    @cached_property
    def _workers(self) -> Workers:
        """Started for the first map, stopped when the engine is closed or no longer held."""
        return Workers(self.jobs)


def engine_for(name: str, jobs: int | None = None, address: str | None = None) -> Engine:
    """The engine of a name: `local` processes, or `ray`: the cluster at the address, or one on this machine."""
    if name not in ENGINES:
        raise SettingsError(f"`engine` is {name!r}, but must be one of {', '.join(ENGINES)}")
    if name == "ray":
        return RayEngine(address, available_cores() if jobs is None and address is None else jobs)
    if address is not None:
        raise SettingsError(f"`address` is {address!r}, but only a Ray cluster has one; say --engine ray as well")
    return LocalEngine(available_cores() if jobs is None else jobs)
