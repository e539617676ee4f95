"""How long work tells what it is doing; the library itself prints nothing."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Protocol, TypeVar

Item = TypeVar("Item")


class Progress(Protocol):
    """Called often and cheaply; `total` is None while it is not known."""

    def __call__(self, stage: str, done: int, total: int | None) -> None: ...


def silent(stage: str, done: int, total: int | None) -> None:
    """The default: nothing is shown."""


def counted(items: Iterable[Item], stage: str, total: int | None, progress: Progress) -> Iterator[Item]:
    """The same items, each one reported when it has been dealt with."""
    done = 0
    progress(stage, done, total)
    for item in items:
        yield item
        done += 1
        progress(stage, done, total)


@dataclass(frozen=True)
class Renamed:
    """Progress of a stage under a name that says more."""

    progress: Progress
    stage: str

    def __call__(self, stage: str, done: int, total: int | None) -> None:
        self.progress(self.stage, done, total)
