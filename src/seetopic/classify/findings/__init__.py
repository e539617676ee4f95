"""What sorted documents show over time and by group: shares with intervals, changes, differences, typical terms."""

from __future__ import annotations

from seetopic.classify.findings.dates import UNITS, DateOrder, Unit
from seetopic.classify.findings.options import TrendOptions
from seetopic.classify.findings.results import CategoryShare, ShareChange, Trends
from seetopic.classify.findings.sources import trends, trends_in_index, trends_of_documents

__all__ = [
    "UNITS",
    "CategoryShare",
    "DateOrder",
    "ShareChange",
    "TrendOptions",
    "Trends",
    "Unit",
    "trends",
    "trends_in_index",
    "trends_of_documents",
]
