"""Bar charts of topics' terms by score, and of topics by documents."""

from __future__ import annotations

import math
from collections.abc import Sequence

from seetopic.discovery import Topic, Topics
from seetopic.output.charts.drawing import fitted, of_topic, rectangle, text, text_width
from seetopic.output.charts.figure import Figure
from seetopic.output.charts.scene import Drawable, check_width, chosen, scene_of, shortened, term_tip, topics_of
from seetopic.output.charts.theme import BOLD, HUES
from seetopic.runtime import quantity

_ROW = 22.0
_GAP = 28.0
_BESIDE = 600  # from this width on, names are beside their bars, otherwise above
_PANEL = 290  # minimum width of a topic's bars


def bar_length(score: float, best: float) -> float:
    """From 0 to 1. Scores drop like 1 / rank; their square root keeps the lower ones visible."""
    return math.sqrt(max(score, 0.0) / best) if best > 0 else 0.0


def barchart(run: Drawable | Topics, *, topics: Sequence[int] | None = None, top: int = 10, width: int = 960) -> Figure:
    """The best terms of topics as bars, one panel per topic; the length of a bar is the root of the score."""
    whole = topics_of(run)
    check_width(width)
    numbers = chosen(whole, topics, top)
    drawn_topics = shortened(whole, top)
    columns = max(1, min(len(numbers), int((width + _GAP) // (_PANEL + _GAP))))
    panel = (width - _GAP * (columns - 1)) / columns
    drawn, y = [], 0.0
    for first in range(0, len(numbers), columns):
        row = numbers[first : first + columns]
        for column, number in enumerate(row):
            drawn.append(of_topic(number, _panel(drawn_topics[number], number, column * (panel + _GAP), y, panel)))
        y += 34 + _ROW * max(len(drawn_topics[number].terms) for number in row) + _GAP
    return Figure(
        "Terms of topics",
        f"The best terms of {quantity(len(numbers), 'topic')}; the length of a bar is the square root of the score.",
        width,
        max(y - _GAP, 40) + 8,
        "".join(drawn),
    )


def _panel(topic: Topic, number: int, x: float, y: float, width: float) -> list[str]:
    best = max((term.score for term in topic.terms), default=0.0)
    labels = min(max((text_width(term.term, 13) for term in topic.terms), default=0.0) + 10, width * 0.5)
    room = width - labels - 44
    parts = [text(x, y + 18, fitted(topic.name, 15, width), 15, "st-ink st-bold", topic.name)]
    for place, term in enumerate(topic.terms):
        top, length = y + 30 + place * _ROW, max(2.0, room * bar_length(term.score, best))
        label = fitted(term.term, 13, labels - 8)
        parts.append(text(x + labels - 8, top + 15.5, label, 13, "st-ink st-end"))
        parts.append(rectangle(x + labels, top + 4, length, _ROW - 8, f"st-c{number % HUES}", term_tip(topic, term), 3))
        parts.append(text(x + labels + length + 6, top + 15, f"{term.score:.2f}", 11.5, "st-soft"))
    return parts


def documents_per_topic(run: Drawable, *, width: int = 960) -> Figure:
    """How many sampled documents belong to each topic or, in a tree, to one below it, and how many to none."""
    scene = scene_of(run)
    check_width(width)
    counts, total = scene.documents_within.tolist(), len(scene.document_topics)
    names = [topic.name for topic in scene.topics]
    parents = () if scene.tree is None else scene.tree.inner
    none = int(scene.documents_given[-1])
    rows = [*zip(names, counts, strict=True), *([("(none of the names)", none)] if none else [])]
    most = max([count for _, count in rows], default=0) or 1
    beside = width >= _BESIDE
    widths = [text_width(name, 13) * (BOLD if place in parents else 1) for place, (name, _) in enumerate(rows)]
    labels = min(max(widths) + 10, width * 0.42) if beside else 0.0
    room, row = width - labels - 100, 26.0 if beside else 44.0
    drawn = []
    for number, (name, count) in enumerate(rows):
        y, share = number * row + (0.0 if beside else 18.0), count / max(total, 1)
        hue = f"st-c{number % HUES}" if number < len(names) else "st-line"
        within = " with those of its subtopics" if number in parents else ""
        told = f"{name}\n{count:,} of {total:,} documents{within}, {share:.1%}"
        size, look = (13 * BOLD, "st-ink st-bold") if number in parents else (13, "st-ink")
        parts = [
            text(labels - 8, y + 17, fitted(name, size, labels - 8), 13, f"{look} st-end", told)
            if beside
            else text(0, y - 2, fitted(name, size, width), 13, look, told),
            rectangle(labels, y + 4, max(2.0, room * count / most), 18, hue, told, 3),
            text(labels + max(2.0, room * count / most) + 8, y + 17, f"{count:,} · {share:.0%}", 12, "st-soft"),
        ]
        drawn.append(of_topic(number, parts))
    return Figure(
        "Documents per topic",
        f"Of {total:,} documents: " + "; ".join(f"{name} {count:,}" for name, count in rows) + ".",
        width,
        row * len(rows) + 4,
        "".join(drawn),
    )
