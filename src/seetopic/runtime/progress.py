"""Progress of long-running work: the callback that reports it, and its display on a terminal."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol, TypeVar

if TYPE_CHECKING:
    from rich.console import Console
    from rich.progress import Progress as Bars
    from rich.progress import TaskID

Item = TypeVar("Item")


class Progress(Protocol):
    """Called often, so it must be cheap; `total` is None while unknown."""

    def __call__(self, stage: str, done: int, total: int | None) -> None: ...


def silent(stage: str, done: int, total: int | None) -> None:
    """The default: nothing is shown."""


def counted(items: Iterable[Item], stage: str, total: int | None, progress: Progress) -> Iterator[Item]:
    """The same items, each reported once the caller has processed it."""
    done = 0
    progress(stage, done, total)
    for item in items:
        yield item
        done += 1
        progress(stage, done, total)


@dataclass(frozen=True)
class Renamed:
    """Reports progress under a more descriptive stage name."""

    progress: Progress
    stage: str

    def __call__(self, stage: str, done: int, total: int | None) -> None:
        self.progress(self.stage, done, total)


@contextmanager
def shown_progress(quiet: bool) -> Iterator[Progress]:
    """Bars with the remaining time on a terminal, one line per stage in a log, nothing if `quiet`."""
    if quiet:
        yield silent
        return
    # Imported only here: the library itself prints nothing.
    from rich.console import Console
    from rich.progress import (
        BarColumn,
        MofNCompleteColumn,
        SpinnerColumn,
        TextColumn,
        TimeElapsedColumn,
        TimeRemainingColumn,
    )
    from rich.progress import Progress as Bars

    console = Console(stderr=True)
    if not console.is_terminal:
        yield _Lines(console)
    else:
        columns = (
            SpinnerColumn(),
            TextColumn("{task.description}"),
            BarColumn(),
            MofNCompleteColumn(),
            TimeElapsedColumn(),
        )
        with Bars(*columns, TextColumn("left"), TimeRemainingColumn(), console=console, transient=True) as bars:
            yield _Bars(bars)


class _Bars:
    def __init__(self, bars: Bars) -> None:
        self._bars = bars
        self._task: TaskID | None = None
        self._stage = ""

    def __call__(self, stage: str, done: int, total: int | None) -> None:
        if stage != self._stage:
            if self._task is not None:
                self._bars.remove_task(self._task)
            self._stage, self._task = stage, self._bars.add_task(stage, total=total)
        if self._task is not None:
            self._bars.update(self._task, completed=done, total=total)


class _Lines:
    def __init__(self, console: Console) -> None:
        self._console = console
        self._stage = ""

    def __call__(self, stage: str, done: int, total: int | None) -> None:
        if stage != self._stage:
            self._stage = stage
            self._console.print(f"{stage} ...", highlight=False)
