"""Shares of a project's categories over time and by group, of the documents that fit a filter."""

from __future__ import annotations

from typing import Any, Literal

import numpy as np
from pydantic import Field

from seetopic.classify import COLUMNS, Trends, Unit, arrow_array, trends
from seetopic.output import shares_chart
from seetopic.web.errors import Refused
from seetopic.web.inspect import Picture, picture_of
from seetopic.web.schemas import Frozen
from seetopic.web.search import ColumnName, Filter, Search
from seetopic.web.sorted_documents import Sorting

_SIGNIFICANT = 0.05
_ROWS = 60  # of a table


class AskedTrends(Frozen):
    """What to show; a category in the filter is ignored, because all are shown."""

    filter: Filter = Filter()
    time: ColumnName | None = None
    group: ColumnName | None = None
    by: Unit | Literal["auto"] = "auto"


class ShownChange(Frozen):
    """A category that rises or falls, or that is more or less frequent in a group than elsewhere."""

    category: str
    group: str
    period: str
    before: float
    after: float


class ShownShare(Frozen):
    """A share with its 95 % interval."""

    category: str
    group: str
    period: str
    documents: int
    of: int
    share: float
    low: float
    high: float


class ShownTrends(Frozen):
    """Shares over time or by group, as a figure and as rows; nothing while documents are still being sorted."""

    sorting: Sorting | None = None
    problem: str | None = None
    documents: int = 0
    by: Unit | None = None
    left_out: dict[str, int] = Field(default_factory=dict)
    picture: Picture | None = None
    changes: tuple[ShownChange, ...] = ()
    differences: tuple[ShownChange, ...] = ()
    shares: tuple[ShownShare, ...] = ()


def shown_trends(search: Search, asked: AskedTrends, width: int) -> ShownTrends:
    found = computed(search, asked)
    return ShownTrends(
        documents=found.documents,
        by=found.by,
        left_out=found.left_out,
        picture=picture_of(shares_chart(found, width=width)),
        changes=tuple(
            ShownChange(
                category=each.category, group=each.group, period=each.period, before=each.before, after=each.after
            )
            for each in sorted(found.changes, key=lambda each: -abs(each.change))[:_ROWS]
        ),
        differences=tuple(
            ShownChange(category=each.category, group=each.group, period="", before=each.others, after=each.share)
            for each in sorted(found.differences, key=lambda each: -abs(each.difference))[:_ROWS]
            if each.p <= _SIGNIFICANT
        ),
        shares=tuple(
            ShownShare(
                category=each.category,
                group=each.group,
                period=each.period,
                documents=each.documents,
                of=each.of,
                share=each.share,
                low=each.low,
                high=each.high,
            )
            for each in found.shares
        ),
    )


def computed(search: Search, asked: AskedTrends) -> Trends:
    """The trends of the documents that fit the filter."""
    import pyarrow as pa

    assert search.sorted is not None
    if asked.time is None and asked.group is None:
        raise Refused("choose a column with dates, or one with groups")
    fits = search.fits(asked.filter.model_copy(update={"category": None}))
    if not fits.any():
        raise Refused("no document fits the filter; choose fewer conditions")
    best = search.sorted.best[fits].astype(np.int64)
    names = pa.array(search.sorted.names, pa.string())
    # A column of the documents may have the same name as one of the table.
    called = {name: f"{name} (column)" if name in COLUMNS else name for name in (asked.time, asked.group) if name}
    rows: dict[str, Any] = {
        new: arrow_array(search.index.column(search.known(name))[fits]) for name, new in called.items()
    }
    rows["category"] = names.take(pa.array(best, mask=best < 0))
    rows["document"] = pa.array(np.flatnonzero(fits))
    return trends(
        pa.table(rows),
        time=None if asked.time is None else called[asked.time],
        group=None if asked.group is None else called[asked.group],
        by=asked.by,
        dates=asked.filter.dates,
        seeds=list(search.sorted.names),
    )
