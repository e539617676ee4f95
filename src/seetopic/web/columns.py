"""The columns kept beside a corpus's documents: what they hold, and which documents have which values."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

import numpy as np
import orjson

from seetopic.classify import NO_DATE, DateOrder, DateReader, arrow_array
from seetopic.errors import CorpusError
from seetopic.index import Index
from seetopic.runtime import Flags, Ids, Longs
from seetopic.web.preview import kind_of
from seetopic.web.schemas import Frozen

SHOWN = 200  # values of a column, most frequent first
_LOOKED_AT = 500  # values that say what a column holds


class ValueCount(Frozen):
    """A value, as text, and the number of its documents."""

    value: str
    documents: int


class KeptColumn(Frozen):
    """A column that documents can be filtered by."""

    name: str
    kind: Literal["date", "group", "text"]
    values: tuple[ValueCount, ...] = ()  # of groups, most frequent first
    more: int = 0  # values that are not listed
    first: str | None = None  # of dates
    last: str | None = None
    undated: int = 0  # documents whose date is missing or cannot be read
    problem: str | None = None  # why its dates cannot be read yet


@dataclass(frozen=True)
class Coded:
    """The distinct values of a column as texts, and the number of each document's value."""

    values: tuple[str, ...]
    codes: Ids


@dataclass(frozen=True)
class CorpusColumns:
    """The columns of one index, each read when it is first needed."""

    index: Index
    _coded: dict[str, Coded] = field(default_factory=dict)
    _days: dict[tuple[str, DateOrder | None], Longs] = field(default_factory=dict)
    _about: dict[tuple[str, DateOrder | None], KeptColumn] = field(default_factory=dict)

    def all(self, order: DateOrder | None) -> tuple[KeptColumn, ...]:
        return tuple(self.about(name, order) for name in self.index.column_names)

    def about(self, name: str, order: DateOrder | None) -> KeptColumn:
        key = name, order
        if key not in self._about:
            self._about[key] = self._described(name, order)
        return self._about[key]

    def _described(self, name: str, order: DateOrder | None) -> KeptColumn:
        values = self.index.column(name)
        held = [value for value in values if value is not None][:_LOOKED_AT]
        if kind_of(held) == "date":
            return self._dated(name, order)
        coded = self.coded(name)
        if len(coded.values) > max(2, len(coded.codes) / 2):
            return KeptColumn(name=name, kind="text")
        counts = np.bincount(coded.codes, minlength=len(coded.values))
        best = np.argsort(-counts, kind="stable")[:SHOWN].tolist()
        listed = tuple(ValueCount(value=coded.values[place], documents=int(counts[place])) for place in best)
        return KeptColumn(name=name, kind="group", values=listed, more=len(coded.values) - len(listed))

    def _dated(self, name: str, order: DateOrder | None) -> KeptColumn:
        try:
            days = self.days(name, order)
        except CorpusError as error:
            return KeptColumn(name=name, kind="date", problem=str(error).partition("; say which")[0])
        known = days[days != NO_DATE]
        ends = [str(each.astype("datetime64[D]")) for each in (known.min(), known.max())] if len(known) else [None] * 2
        return KeptColumn(name=name, kind="date", first=ends[0], last=ends[1], undated=int((days == NO_DATE).sum()))

    def coded(self, name: str) -> Coded:
        if name not in self._coded:
            numbers: dict[str, int] = {}
            texts = map(shown_value, self.index.column(name))
            codes = np.array([numbers.setdefault(text, len(numbers)) for text in texts], np.int32)
            self._coded[name] = Coded(tuple(numbers), codes)
        return self._coded[name]

    def days(self, name: str, order: DateOrder | None) -> Longs:
        """The day of each document since 1970, or NO_DATE."""
        if (name, order) not in self._days:
            self._days[name, order] = DateReader(order=order).days(arrow_array(self.index.column(name)))
        return self._days[name, order]

    def having(self, name: str, values: Sequence[str]) -> Flags:
        """Which documents have one of these values."""
        coded = self.coded(name)
        chosen: Flags = np.isin(np.array(coded.values, object), list(values))[coded.codes]
        return chosen

    def values_of(self, number: int) -> dict[str, str]:
        """What a document has in each column."""
        coded = ((name, self.coded(name)) for name in self.index.column_names)
        return {name: each.values[each.codes[number]] for name, each in coded}


def shown_value(value: Any) -> str:
    """A value as text; a missing one is empty, and 3.0, as workbooks have it, is 3."""
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    return "" if value is None else value if isinstance(value, str) else orjson.dumps(value).decode()
