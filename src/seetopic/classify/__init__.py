"""Sorts documents into categories, the same way for the command line, Python and the report."""

from __future__ import annotations

from seetopic.classify.assignment import assign
from seetopic.classify.documents import DocumentStream
from seetopic.classify.findings import (
    UNITS,
    CategoryShare,
    DateOrder,
    ShareChange,
    TrendOptions,
    Trends,
    Unit,
    trends,
    trends_in_index,
    trends_of_documents,
)
from seetopic.classify.placement import STEPS, Assigned, AssignOptions, Placement
from seetopic.classify.sorter import SORTER, Sorter, sorter_for, sorter_of
from seetopic.classify.tables import table_for

__all__ = [
    "SORTER",
    "STEPS",
    "UNITS",
    "AssignOptions",
    "Assigned",
    "CategoryShare",
    "DateOrder",
    "DocumentStream",
    "Placement",
    "ShareChange",
    "Sorter",
    "TrendOptions",
    "Trends",
    "Unit",
    "assign",
    "sorter_for",
    "sorter_of",
    "table_for",
    "trends",
    "trends_in_index",
    "trends_of_documents",
]
