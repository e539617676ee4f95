"""Documents into categories, the same way for the command line, Python and the report."""

from __future__ import annotations

from seetopic.classify.assign import AssignOptions, Reader, assign_documents
from seetopic.classify.placement import Assigned
from seetopic.classify.sorted_documents import Unsorted
from seetopic.classify.sorter import SORTER, Sorter, sorter_for, sorter_of

__all__ = [
    "SORTER",
    "AssignOptions",
    "Assigned",
    "Reader",
    "Sorter",
    "Unsorted",
    "assign_documents",
    "sorter_for",
    "sorter_of",
]
