"""Figures of topics, drawn as SVG, shown in notebooks and reports, and saved as .svg, .png or .html."""

from __future__ import annotations

from seetopic.output.charts.bars import barchart, documents_per_topic
from seetopic.output.charts.dots import documents_map
from seetopic.output.charts.figure import Figure
from seetopic.output.charts.heatmap import heatmap
from seetopic.output.charts.lines import term_rank
from seetopic.output.charts.maps import topics_map
from seetopic.output.charts.shares import shares_chart
from seetopic.output.charts.treemap import treemap

__all__ = [
    "Figure",
    "barchart",
    "documents_map",
    "documents_per_topic",
    "heatmap",
    "shares_chart",
    "term_rank",
    "topics_map",
    "treemap",
]
