"""What people look at or take away: the report, charts and exports."""

from __future__ import annotations

from seetopic.output import charts
from seetopic.output.charts import (
    Figure,
    barchart,
    documents_map,
    heatmap,
    shares_chart,
    term_rank,
    topics_map,
    treemap,
)
from seetopic.output.charts.figure import figure_script
from seetopic.output.charts.heatmap import nearest_pairs
from seetopic.output.charts.scene import Scene
from seetopic.output.exports import FORMATS, doubts, export, format_of
from seetopic.output.report import report_html, write_report
from seetopic.output.report.cards import reasons
from seetopic.output.report.frame import colours
from seetopic.output.report.passages import Quotable, marked_whole, passages_of
from seetopic.output.report.reproduce import Origin, commands, names_file, python_script
from seetopic.output.report.sentences import Examples, Sentence, examples, sentence_in, spellings
from seetopic.output.report.trends import trends_html
from seetopic.output.trend_files import check_trends_place, trends_places, write_trends

__all__ = [
    "FORMATS",
    "Examples",
    "Figure",
    "Origin",
    "Quotable",
    "Scene",
    "Sentence",
    "barchart",
    "charts",
    "check_trends_place",
    "colours",
    "commands",
    "documents_map",
    "doubts",
    "examples",
    "export",
    "figure_script",
    "format_of",
    "heatmap",
    "marked_whole",
    "names_file",
    "nearest_pairs",
    "passages_of",
    "python_script",
    "reasons",
    "report_html",
    "sentence_in",
    "shares_chart",
    "spellings",
    "term_rank",
    "topics_map",
    "treemap",
    "trends_html",
    "trends_places",
    "write_report",
    "write_trends",
]
