"""A treemap of a tree of topics: each topic's area is its share of the documents."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from seetopic.discovery import Topic, Topics
from seetopic.errors import SettingsError
from seetopic.output.charts.drawing import fitted, of_topic, rectangle, text
from seetopic.output.charts.figure import Figure
from seetopic.output.charts.scene import Drawable, check_width, topics_of
from seetopic.output.charts.theme import HUES

_BAND = 58.0  # mean height of a root
_HEAD = 22.0  # height of a parent's name
_GAP = 2.0
_LEAST = 6.0  # sides below which a cell is not drawn


@dataclass(frozen=True)
class _Cell:
    """A place on the map."""

    x: float
    y: float
    width: float
    height: float


def treemap(run: Drawable | Topics, *, width: int = 960) -> Figure:
    """The topics of a tree as nested rectangles whose areas are their shares of the documents.

    What a parent holds besides its children stays empty, and so does what belongs to no topic.
    """
    topics = topics_of(run)
    check_width(width)
    if not topics.is_tree or any(topic.share is None for topic in topics):
        raise SettingsError("a treemap needs a tree of topics with shares of documents; give names with parents")
    roots = topics.children(None)
    height = _BAND * len(roots)
    drawn = "".join(_drawn(topics, None, _Cell(0.0, 0.0, float(width), height), down=True))
    told = "; ".join(f"{topic.label} {topic.share:.1%}" for topic in topics)
    return Figure("Tree of topics", f"Shares of the documents: {told}.", width, height, drawn)


def _drawn(topics: Topics, parent: str | None, place: _Cell, *, down: bool, hue: int = 0) -> Iterator[str]:
    """The topics below a parent, one after another in one direction, those below them in the other."""
    children = topics.children(parent)
    whole = 1.0 if parent is None else (topics[parent].share or 0.0)
    at = 0.0
    for number, topic in enumerate(children):
        part = (topic.share or 0.0) / whole if whole > 0 else 0.0
        cell = (
            _Cell(place.x, place.y + at * place.height, place.width, part * place.height)
            if down
            else _Cell(place.x + at * place.width, place.y, part * place.width, place.height)
        )
        at += part
        colour = number % HUES if parent is None else hue
        if min(cell.width, cell.height) < _LEAST:
            continue
        yield of_topic(topics.topics.index(topic), _own(topic, cell, colour))
        inside = _Cell(cell.x + 6, cell.y + _HEAD, cell.width - 8, cell.height - _HEAD - 4)
        if min(inside.width, inside.height) >= _LEAST:
            yield from _drawn(topics, topic.label, inside, down=not down, hue=colour)


def _own(topic: Topic, cell: _Cell, hue: int) -> list[str]:
    """A topic's rectangle, with a coloured edge, its name and its share."""
    tip = f"{topic.label}\n{topic.share:.1%} of the documents\n{', '.join(list(topic)[:6])}"
    room = cell.width - 14
    name = fitted(f"{topic.name} {topic.share:.0%}", 13, room)
    return [
        rectangle(cell.x, cell.y, cell.width - _GAP, cell.height - _GAP, f"st-h{min(len(topic.path), 3)}", tip),
        rectangle(cell.x, cell.y, 4, cell.height - _GAP, f"st-c{hue}"),
        *([text(cell.x + 9, cell.y + 15.5, name, 13, "st-ink", tip)] if cell.height >= 18 and len(name) > 2 else []),
    ]
