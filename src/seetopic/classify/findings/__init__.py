"""What sorted documents show over time and by group: shares with intervals, changes, differences, typical terms."""

from __future__ import annotations

from seetopic.classify.findings.dates import NO_DATE, UNITS, DateOrder, DateReader, Unit
from seetopic.classify.findings.judged import judged_documents
from seetopic.classify.findings.options import TrendOptions
from seetopic.classify.findings.results import TABLES, CategoryShare, ShareChange, Trends
from seetopic.classify.findings.sources import arrow_array, trends, trends_in_index, trends_of_documents

__all__ = [
    "NO_DATE",
    "TABLES",
    "UNITS",
    "CategoryShare",
    "DateOrder",
    "DateReader",
    "ShareChange",
    "TrendOptions",
    "Trends",
    "Unit",
    "arrow_array",
    "judged_documents",
    "trends",
    "trends_in_index",
    "trends_of_documents",
]
