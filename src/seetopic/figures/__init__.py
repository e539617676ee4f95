"""Figures of topics: drawn here as SVG, shown in notebooks and reports, saved as .svg, .png or .html."""

from __future__ import annotations

from seetopic.figures.bars import barchart, documents_per_topic
from seetopic.figures.dots import documents_map
from seetopic.figures.figure import Figure
from seetopic.figures.heatmap import heatmap
from seetopic.figures.lines import term_rank
from seetopic.figures.maps import topics_map

__all__ = ["Figure", "barchart", "documents_map", "documents_per_topic", "heatmap", "term_rank", "topics_map"]
