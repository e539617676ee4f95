"""A treemap of a tree of topics: each topic's area is its share of the documents that the names cover."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from seetopic.discovery import Topic, Topics
from seetopic.errors import SettingsError
from seetopic.output.charts.drawing import fitted, of_topic, rectangle, text, text_width
from seetopic.output.charts.figure import Figure
from seetopic.output.charts.scene import Drawable, check_width, topics_of
from seetopic.output.charts.theme import HUES

_BAND = 72.0  # mean height of a root
_HEAD = 22.0  # height of a parent's name
_LINE = 22.0  # height of a cell with a name
_SIZE, _BESIDE = 13, 14.0  # of names, and what is beside them in a cell
_ENOUGH = 0.6  # share of the area below a parent that must have room for names, for cells to be side by side
_MOST = 26.0  # mean height of a topic, up to which the map grows so that there is room for names
_NOTE = 24.0  # height of the sentence below the map
_LEFT, _RIGHT, _BELOW = 6.0, 2.0, 4.0  # between a parent's edges and what is in it
_GAP = 2.0
_SMALL = 0.05  # share of a parent below which the name of a topic may have no room
_UNTOLD = 0.005  # share of the documents that is not worth a sentence
_LEAST = 6.0  # sides below which a cell is not drawn


@dataclass(frozen=True)
class _Cell:
    """A place on the map."""

    x: float
    y: float
    width: float
    height: float


def treemap(run: Drawable | Topics, *, width: int = 960) -> Figure:
    """The topics of a tree as nested rectangles whose areas are their shares of the documents that the names cover.

    What a parent holds besides its children stays empty.
    """
    topics = topics_of(run)
    check_width(width)
    if not topics.is_tree or any(topic.share is None for topic in topics):
        raise SettingsError(
            "these topics have no hierarchy to draw: it takes shares of documents, and names with parents; give a tree"
        )
    covered = sum(_share(topic) for topic in topics.children(None))
    height = _height(topics, covered, float(width))
    drawn = "".join(_drawn(topics, None, covered, _Cell(0.0, 0.0, float(width), height)))
    told = "; ".join(f"{topic.label} {topic.share:.1%}" for topic in topics)
    if 1 - covered >= _UNTOLD:
        left_out = f"Not drawn: the {1 - covered:.0%} that no name covers"
        drawn += text(0, height + 16, left_out, 12, "st-soft")
        told, height = f"{told}. {left_out}", height + _NOTE
    return Figure("Tree of topics", f"Shares of the documents: {told}.", width, height, drawn)


def _share(topic: Topic) -> float:
    return topic.share or 0.0


def _label(topic: Topic) -> str:
    return f"{topic.name} {_share(topic):.0%}"


def _height(topics: Topics, covered: float, width: float) -> float:
    """The height of the map: enough for the names of all topics that are not small."""
    needed = [_needed(topics, root, width) * covered / _share(root) for root in _large(topics, None, covered)]
    usual = _BAND * len(topics.children(None))
    return max(usual, min(max(needed, default=0.0), max(1.5 * usual, _MOST * len(topics))))


def _large(topics: Topics, parent: str | None, whole: float) -> list[Topic]:
    """The topics below a parent whose names must have room."""
    return [child for child in topics.children(parent) if _share(child) > _SMALL * whole]


def _needed(topics: Topics, topic: Topic, width: float) -> float:
    """The height at which a topic's name and those below it are readable."""
    children = _large(topics, topic.label, _share(topic))
    if not children:
        return _LINE
    inside = width - _LEFT - _RIGHT
    parts = [_share(child) / _share(topic) for child in children]
    if _across(topics, topic.label, _share(topic), inside):
        below = max(_needed(topics, child, part * inside) for child, part in zip(children, parts, strict=True))
    else:
        below = max(_needed(topics, child, inside) / part for child, part in zip(children, parts, strict=True))
    return _HEAD + below + _BELOW


def _across(topics: Topics, parent: str | None, whole: float, width: float) -> bool:
    """Whether the topics below a parent are side by side: if most of their area has room for names. Roots are not."""
    if parent is None or not whole:
        return False
    children = topics.children(parent)
    named = [each for each in children if text_width(_label(each), _SIZE) + _BESIDE <= width * _share(each) / whole]
    return sum(map(_share, named)) >= _ENOUGH * sum(map(_share, children))


def _drawn(topics: Topics, parent: str | None, whole: float, place: _Cell, hue: int = 0) -> Iterator[str]:
    """The topics below a parent, which has `whole` of the documents, side by side or one below the other."""
    across, at = _across(topics, parent, whole, place.width), 0.0
    for number, topic in enumerate(topics.children(parent)):
        part = _share(topic) / whole if whole > 0 else 0.0
        cell = (
            _Cell(place.x + at * place.width, place.y, part * place.width, place.height)
            if across
            else _Cell(place.x, place.y + at * place.height, place.width, part * place.height)
        )
        at += part
        colour = number % HUES if parent is None else hue
        if min(cell.width, cell.height) < _LEAST:
            continue
        yield of_topic(topics.topics.index(topic), _own(topic, cell, colour))
        inside = _Cell(cell.x + _LEFT, cell.y + _HEAD, cell.width - _LEFT - _RIGHT, cell.height - _HEAD - _BELOW)
        if min(inside.width, inside.height) >= _LEAST:
            yield from _drawn(topics, topic.label, _share(topic), inside, colour)


def _own(topic: Topic, cell: _Cell, hue: int) -> list[str]:
    """A topic's rectangle, with a coloured edge, its name and its share."""
    tip = f"{topic.label}\n{topic.share:.1%} of the documents\n{', '.join(list(topic)[:6])}"
    name = fitted(_label(topic), _SIZE, cell.width - _BESIDE)
    return [
        rectangle(cell.x, cell.y, cell.width - _GAP, cell.height - _GAP, f"st-h{min(len(topic.path), 3)}", tip),
        rectangle(cell.x, cell.y, 4, cell.height - _GAP, f"st-c{hue}"),
        *([text(cell.x + 9, cell.y + 15.5, name, _SIZE, "st-ink", tip)] if cell.height >= 18 and len(name) > 2 else []),
    ]
