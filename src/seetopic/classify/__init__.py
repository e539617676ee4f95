"""Sorts documents into categories, the same way for the command line, Python and the report."""

from __future__ import annotations

from seetopic.classify.assignment import CategoryCounts, Reader, StoredDocuments, assign, assign_documents
from seetopic.classify.documents import DocumentStream
from seetopic.classify.findings import (
    NO_DATE,
    TABLES,
    UNITS,
    CategoryShare,
    DateOrder,
    DateReader,
    ShareChange,
    TrendOptions,
    Trends,
    Unit,
    arrow_array,
    judged_documents,
    trends,
    trends_in_index,
    trends_of_documents,
)
from seetopic.classify.placement import STEPS, Assigned, AssignOptions, Placement
from seetopic.classify.sorter import SORTER, Sorter, sorter_for, sorter_of
from seetopic.classify.tables import COLUMNS, own_columns, table_for

__all__ = [
    "COLUMNS",
    "NO_DATE",
    "SORTER",
    "STEPS",
    "TABLES",
    "UNITS",
    "AssignOptions",
    "Assigned",
    "CategoryCounts",
    "CategoryShare",
    "DateOrder",
    "DateReader",
    "DocumentStream",
    "Placement",
    "Reader",
    "ShareChange",
    "Sorter",
    "StoredDocuments",
    "TrendOptions",
    "Trends",
    "Unit",
    "arrow_array",
    "assign",
    "assign_documents",
    "judged_documents",
    "own_columns",
    "sorter_for",
    "sorter_of",
    "table_for",
    "trends",
    "trends_in_index",
    "trends_of_documents",
]
