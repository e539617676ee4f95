"""A map over shards whose results arrive in shard order, for any number of workers."""

from __future__ import annotations

import operator
import os
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from functools import cached_property, reduce
from multiprocessing import current_process
from numbers import Integral
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
    """Runs maps; the caller adds up results in the order they arrive, which is shard order.

    A function is sent once per map to each worker, items and results one by one. An item may be processed again after
    a failure, so functions must be pure or write files atomically.
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

        `threads`: on one machine, use threads, which copy nothing; for work that releases the GIL.
        `gpu`: run on a GPU if the cluster has one.
        """

    def check_shared(self, folder: Path) -> None:
        """Refuse workers that cannot see a folder."""

    def close(self) -> None:
        """Release the workers; a later map starts new ones."""


def sum_of(
    engine: Engine, function: Callable[[Item], Sum], items: Iterable[Item], start: Sum, *, threads: bool = False
) -> Sum:
    """The results added to `start` (arrays in place), in the order of the items because rounding depends on it."""
    return reduce(operator.iadd, engine.map(function, items, threads=threads), start)


def available_cores() -> int:
    """The cores this process may use, which can be fewer than the machine has."""
    affinity = getattr(os, "sched_getaffinity", None)
    return len(affinity(0)) if affinity else os.cpu_count() or 1


@dataclass(frozen=True)
class LocalEngine:
    """Runs one job in this process, more in worker processes; the results are identical."""

    n_jobs: int

    def __post_init__(self) -> None:
        if not isinstance(self.n_jobs, Integral) or self.n_jobs < 1:
            raise SettingsError(
                f"the number of jobs is {self.n_jobs!r}, but must be at least 1, and a whole number; "
                "change --jobs (in Python: n_jobs)"
            )

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
        if threads and self.n_jobs > 1:
            with ThreadPoolExecutor(self.n_jobs) as pool:
                yield from pool.map(function, items)
            return
        # A function that exists only in this process (a lambda as tokenizer) runs in this process; so does everything
        # in a daemonic one, such as a worker of multiprocessing.Pool, because it may not start others.
        if self.n_jobs == 1 or current_process().daemon or not can_travel(function):
            yield from map(function, items)
            return
        waiting: deque[Future[Result]] = deque()
        with packed(function) as parcel:
            try:
                for item in items:
                    # Only a few shards are in flight, even if results are consumed more slowly than they arrive.
                    if len(waiting) == 2 * self.n_jobs:
                        yield waiting.popleft().result()
                    waiting.append(self._workers.submit(parcel, item))
                while waiting:
                    yield waiting.popleft().result()
            finally:
                for future in waiting:
                    future.cancel()

    def check_shared(self, folder: Path) -> None:
        """Local workers see the same files as this process."""

    def close(self) -> None:
        """Stop the workers and wait for them to end; otherwise they end with the program."""
        workers: Workers | None = self.__dict__.pop("_workers", None)
        if workers is not None:
            workers.close()

    @cached_property
    def _workers(self) -> Workers:
        """Started by the first map, stopped when the engine is closed or garbage-collected."""
        return Workers(self.n_jobs)


def engine_for(name: str, n_jobs: int | None = None, address: str | None = None) -> Engine:
    """The engine with a name: `local` processes, or `ray` for the cluster at the address or one on this machine."""
    if name not in ENGINES:
        raise SettingsError(f"`engine` is {name!r}, but must be one of {', '.join(ENGINES)}")
    if name == "ray":
        return RayEngine(address, available_cores() if n_jobs is None and address is None else n_jobs)
    if address is not None:
        raise SettingsError(f"`address` is {address!r}, but only a Ray cluster has one; add --engine ray")
    return LocalEngine(available_cores() if n_jobs is None else n_jobs)
