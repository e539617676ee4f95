"""Sorted documents with what else their rows in a table have: kept columns, and why a row has no text."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, TypeAlias

import numpy as np
import orjson

from seetopic.classify.placement import Bounds, Placement
from seetopic.corpus import TextShard
from seetopic.runtime import Flags, Shorts, arrays_in, written_whole

Kind: TypeAlias = Literal["bool", "int", "float", "str"]  # of a column's values


@dataclass(frozen=True)
class SortedRows:
    """Consecutive rows of a table."""

    placement: Placement
    problems: dict[int, str]  # why a row has no text, by its place
    columns: dict[str, list[Any]]  # the kept columns that occur in these rows; None where a row has none

    def __len__(self) -> int:
        return len(self.placement)

    @property
    def best_steps(self) -> Shorts:
        """The best share of each document with text, in ten-thousandths."""
        return np.delete(self.placement.best_steps, list(self.problems))

    @property
    def kinds(self) -> dict[str, set[Kind]]:
        """The kinds of values in each column."""
        return {name: {_kind(each) for each in values if each is not None} for name, values in self.columns.items()}

    def at_least(self, bounds: Bounds) -> SortedRows:
        return SortedRows(self.placement.at_least(bounds), self.problems, self.columns)

    def where(self, chosen: Flags) -> SortedRows:
        """Only the flagged rows."""
        places = np.flatnonzero(chosen).tolist()
        problems = {new: self.problems[old] for new, old in enumerate(places) if old in self.problems}
        columns = {name: [values[place] for place in places] for name, values in self.columns.items()}
        return SortedRows(self.placement.where(chosen), problems, columns)

    def save(self, path: Path) -> None:
        """Write a file with checksums, so that an incomplete one is noticed and there is no need to sync the disk."""
        rest = orjson.dumps([[*self.problems.items()], self.columns])
        with written_whole(path, lasting=False) as beside, beside.open("wb") as file:
            np.savez(file, rest=np.frombuffer(rest, np.uint8), **self.placement.arrays())

    @staticmethod
    def load(path: Path) -> SortedRows:
        arrays = arrays_in(path)
        problems, columns = orjson.loads(arrays.pop("rest").tobytes())
        return SortedRows(Placement.from_arrays(arrays), dict(problems), columns)


def _kind(value: Any) -> Kind:
    if isinstance(value, bool):  # which is an int
        return "bool"
    return "int" if isinstance(value, int) else "float" if isinstance(value, float) else "str"


def columns_of(shard: TextShard) -> dict[str, list[Any]]:
    """The kept columns of a shard, by name."""
    names = dict.fromkeys(name for row in shard.columns for name in row)
    return {name: [row.get(name) for row in shard.columns] for name in names}


def column_kind(kinds: Iterable[Kind]) -> Kind:
    """The kind of a column with values of these kinds; mixed values are texts, except for numbers."""
    found = set(kinds)
    if len(found) == 1:
        return found.pop()
    return "float" if found == {"int", "float"} else "str"


def as_kind(values: Sequence[Any], kind: Kind) -> list[Any]:
    """The values of a column as values of its kind."""
    if kind == "float":
        return [None if each is None else float(each) for each in values]
    if kind == "str":
        return [each if each is None or isinstance(each, str) else orjson.dumps(each).decode() for each in values]
    return list(values)


def blank(texts: Sequence[str] | Sequence[list[str]]) -> Flags:
    """Which texts are empty; the documents of an index, which are lists of words, never are."""
    return np.array([isinstance(text, str) and not text.strip() for text in texts], np.bool_)
