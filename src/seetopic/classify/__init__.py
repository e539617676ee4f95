"""Sorts documents into categories, the same way for the command line, Python and the report."""

from __future__ import annotations

from seetopic.classify.assignment import assign
from seetopic.classify.documents import DocumentStream
from seetopic.classify.placement import STEPS, Assigned, AssignOptions, Placement
from seetopic.classify.sorter import SORTER, Sorter, sorter_for, sorter_of
from seetopic.classify.tables import table_for

__all__ = [
    "SORTER",
    "STEPS",
    "AssignOptions",
    "Assigned",
    "DocumentStream",
    "Placement",
    "Sorter",
    "assign",
    "sorter_for",
    "sorter_of",
    "table_for",
]
