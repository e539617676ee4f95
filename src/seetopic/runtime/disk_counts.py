"""Co-occurrence counts of rows and columns: each shard's counts are sorted on disk, then summed in bands of rows.

Memory is bounded by one band, whatever the number of shards.
"""

from __future__ import annotations

import itertools
import shutil
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import cached_property, partial
from pathlib import Path
from typing import Any, TypeAlias, TypeVar

import numpy as np

from seetopic.runtime.arrays import Ids, Longs
from seetopic.runtime.engine import Engine
from seetopic.runtime.files import write_array
from seetopic.runtime.npy import load_array, map_array
from seetopic.runtime.progress import Progress, counted, silent

_HELD = 1 << 22  # keys buffered before a merge: 64 MiB


@dataclass(frozen=True)
class Tally:
    """The count of each key; keys are distinct and ascending."""

    keys: Longs
    counts: Longs


def tally(keys: Longs) -> Tally:
    """Count each key of one shard."""
    distinct, counts = np.unique(keys, return_counts=True)
    return Tally(distinct, counts.astype(np.int64))


def summed(parts: Iterable[Tally], most: int = _HELD) -> Tally:
    """The summed counts of many shards, merged whenever the buffer is full."""
    total = Tally(np.empty(0, np.int64), np.empty(0, np.int64))
    waiting: list[Tally] = []
    held = 0
    for part in parts:
        waiting.append(part)
        held += part.keys.size
        if held > max(most, total.keys.size):
            total, waiting, held = _merged([total, *waiting]), [], 0
    return _merged([total, *waiting])


def _merged(parts: list[Tally]) -> Tally:
    keys = np.concatenate([part.keys for part in parts])
    counts = np.concatenate([part.counts for part in parts])
    # A stable sort of runs that are already sorted is a merge (timsort), far faster than sorting from scratch.
    order = np.argsort(keys, kind="stable")
    keys, counts = keys[order], counts[order]
    first = np.flatnonzero(np.r_[True, keys[1:] != keys[:-1]]) if keys.size else np.empty(0, np.intp)
    sums = np.add.reduceat(counts, first) if keys.size else counts
    return Tally(keys[first], sums)


Item = TypeVar("Item")
Keys: TypeAlias = Callable[[Item], Longs]  # of a shard: row * n_columns + column for each co-occurrence

_EVERY = 1024  # one key in this many is sampled to estimate how keys are distributed
_LOW = 1 << 32  # only the lower half of a key is stored: the upper half is constant over long stretches


@dataclass(frozen=True)
class Scratch:
    """A folder for summing counts, and how many a worker may hold in memory, at about 100 bytes each."""

    folder: Path
    held: int = 1 << 22

    def subdir(self, name: str) -> Scratch:
        """A subfolder for one table."""
        return Scratch(self.folder / name, self.held)

    def clear(self) -> None:
        shutil.rmtree(self.folder, ignore_errors=True)


@dataclass(frozen=True)
class Band:
    """Rows of a table on disk; the columns of row `first + i` are `columns[starts[i]:starts[i + 1]]`, ascending."""

    folder: Path
    number: int
    first: int
    last: int  # exclusive

    @property
    def starts(self) -> Longs:
        starts: Longs = self._read("starts")
        return starts

    @property
    def columns(self) -> Ids:
        columns: Ids = self._read("columns")
        return columns

    @property
    def counts(self) -> Longs:
        counts: Longs = self._read("counts").astype(np.int64)
        return counts

    @property
    def rows(self) -> Longs:
        """The row of each entry of `columns`."""
        return np.repeat(np.arange(self.first, self.last), np.diff(self.starts))

    def _read(self, kind: str) -> Any:
        return map_array(self._path(kind))

    def _path(self, kind: str) -> Path:
        return self.folder / f"{self.number:06d}.{kind}.npy"

    def write(self, found: Tally, n_columns: int) -> None:
        rows, columns = np.divmod(found.keys, n_columns)
        sizes = np.bincount(rows - self.first, minlength=self.last - self.first)
        write_array(self._path("starts"), np.concatenate([[0], np.cumsum(sizes)]), lasting=False)
        write_array(self._path("columns"), columns.astype(np.int32), lasting=False)
        write_array(self._path("counts"), _small(found.counts), lasting=False)

    def remove(self) -> None:
        for kind in ("starts", "columns", "counts"):
            with suppress(PermissionError):  # Windows cannot remove a mapped file; it is removed with its folder
                self._path(kind).unlink(missing_ok=True)


def table_of(
    engine: Engine,
    keys_of: Keys[Item],
    items: Sequence[Item],
    shape: tuple[int, int],
    scratch: Scratch,
    progress: Progress = silent,
    stage: str = "counting",
) -> list[Band]:
    """The summed counts of all shards, in bands of rows."""
    scratch.clear()
    parts, bands = scratch.folder / "parts", scratch.folder / "bands"
    write = partial(_write_part, keys_of=keys_of, folder=parts, n_keys=shape[0] * shape[1])
    told = counted(engine.map(write, list(enumerate(items))), stage, len(items), progress)
    bounds = _bounds(list(told), shape, scratch.held)
    add = partial(_sum_band, parts=parts, n_parts=len(items), bands=bands, n_columns=shape[1], held=scratch.held)
    numbered = list(enumerate(itertools.pairwise(bounds)))
    found = list(counted(engine.map(add, numbered), f"{stage}: summing", len(numbered), progress))
    shutil.rmtree(parts, ignore_errors=True)
    return found


def _bounds(spread: Iterable[Longs], shape: tuple[int, int], held: int) -> list[int]:
    """Row boundaries of bands with about `held` counts each; a row with more is a band by itself."""
    keys = np.sort(np.concatenate([np.empty(0, np.int64), *spread]))
    many = max(1, held // _EVERY)
    inner = np.unique(keys[many::many] // shape[1])
    return [0, *inner[inner > 0].tolist(), shape[0]] if shape[0] else [0]


def _write_part(numbered: tuple[int, Item], keys_of: Keys[Item], folder: Path, n_keys: int) -> Longs:
    number, item = numbered
    found = tally(keys_of(item))
    _Part(folder, number).write(found, n_keys)
    return found.keys[_EVERY // 2 :: _EVERY].copy()


def _sum_band(
    numbered: tuple[int, tuple[int, int]], parts: Path, n_parts: int, bands: Path, n_columns: int, held: int
) -> Band:
    number, (first, last) = numbered
    band = Band(bands, number, first, last)
    within = (_Part(parts, part).between(first * n_columns, last * n_columns) for part in range(n_parts))
    band.write(summed(within, held), n_columns)
    return band


def _small(counts: Longs) -> Any:
    """The counts in the smallest type that fits the largest; most are 1."""
    return counts.astype(np.min_scalar_type(int(counts.max(initial=0))))


@dataclass(frozen=True)
class _Part:
    """One shard's counts on disk, sorted by key."""

    folder: Path
    number: int

    def write(self, found: Tally, n_keys: int) -> None:
        highs = np.arange((n_keys - 1) // _LOW + 2) * _LOW
        write_array(self._path("highs"), np.searchsorted(found.keys, highs), lasting=False)
        write_array(self._path("keys"), (found.keys % _LOW).astype(np.uint32), lasting=False)
        write_array(self._path("counts"), _small(found.counts), lasting=False)

    def between(self, low: int, high: int) -> Tally:
        """The counts of the keys in `[low, high)`."""
        first, last = self._place(low), self._place(high)
        upper = np.repeat(np.arange(len(self._highs) - 1), np.diff(self._highs.clip(first, last)))
        keys = self._keys[first:last].astype(np.int64) + upper * _LOW
        return Tally(keys, map_array(self._path("counts"))[first:last].astype(np.int64))

    def _place(self, key: int) -> int:
        high, low = divmod(key, _LOW)
        first, last = self._highs[high : high + 2].tolist() if high < len(self._highs) - 1 else [len(self._keys)] * 2
        return first + int(np.searchsorted(self._keys[first:last], np.uint32(low)))

    @cached_property
    def _highs(self) -> Longs:
        """The offset of the first key of each upper half, and the end of the last."""
        highs: Longs = load_array(self._path("highs"))
        return highs

    @cached_property
    def _keys(self) -> Any:
        return map_array(self._path("keys"))

    def _path(self, kind: str) -> Path:
        return self.folder / f"{self.number:06d}.{kind}.npy"
