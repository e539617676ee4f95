"""A line chart of how fast the scores of topics drop from the best term to the last."""

from __future__ import annotations

import math
from collections.abc import Callable

from seetopic.discovery import Topics
from seetopic.output.charts.drawing import fitted, line, of_topic, text, text_width
from seetopic.output.charts.figure import Figure
from seetopic.output.charts.scene import Drawable, check_width, topics_of
from seetopic.output.charts.theme import HUES

_TOP, _BOTTOM, _LEFT = 16.0, 44.0, 44.0
_LEAST = 1e-9  # scores below count as 0
_NAMED = 20  # lines up to which names are shown, beside them or below if there is less room
_WIDE, _ROW = 600, 20.0  # pixels from which names are beside the lines; height of a name below


def term_rank(run: Drawable | Topics, *, log: bool = True, width: int = 960) -> Figure:
    """The scores of each topic's terms by rank: once a line has dropped, the topic is exhausted."""
    topics = topics_of(run)
    check_width(width)
    longest = max((len(topic.terms) for topic in topics), default=1)
    scores = [term.score for topic in topics for term in topic.terms if term.score > 0]
    low = _below(max(min(scores, default=0.1), _LEAST)) if log else 0.0
    named = len(topics) <= _NAMED
    beside, below = named and width >= _WIDE, named and width < _WIDE
    right = min(230.0, max(text_width(topic.name, 12.5) for topic in topics) + 16) if beside else 14.0
    height = 380.0 if width >= _WIDE else 300.0

    def x(place: int) -> float:
        return _LEFT + (width - _LEFT - right) * ((place - 1) / max(longest - 1, 1))

    def y(score: float) -> float:
        part = math.log(max(score, low) / low) / -math.log(low) if log else score
        return _TOP + (height - _TOP - _BOTTOM) * (1 - min(part, 1.0))

    drawn = _axes(log, low, longest, width - right, height, x, y)
    ends = _apart([y(topic.terms[-1].score) if topic.terms else y(low) for topic in topics], height - _BOTTOM)
    for number, topic in enumerate(topics):
        points = [(x(place), y(term.score)) for place, term in enumerate(topic.terms, start=1)]
        told = f"{topic.name}\n{', '.join(f'{term.term} {term.score:.2g}' for term in topic.terms[:10])}"
        # A wide invisible line over the thin one is easier to point at.
        parts = [line(points, f"st-line-c{number % HUES}", 2)] if points else []
        parts += [line(points, f"st-line-c{number % HUES}", 12, told).replace("<polyline", '<polyline opacity="0"')]
        if beside and points:
            name = fitted(topic.name, 12.5, right - 14)
            parts.append(text(points[-1][0] + 10, ends[number] + 4, name, 12.5, f"st-c{number % HUES}", topic.name))
        if below:
            row = height + _ROW * number + 14
            parts.append(line([(_LEFT - 30, row - 4), (_LEFT - 10, row - 4)], f"st-line-c{number % HUES}", 2))
            parts.append(text(_LEFT, row, fitted(topic.name, 12.5, width - _LEFT - 8), 12.5, "st-ink", topic.name))
        drawn.append(of_topic(number, parts))
    return Figure(
        "Scores by rank",
        f"The scores of {len(topics)} topics' terms from the best to the last{', on a log scale' if log else ''}.",
        width,
        height + (_ROW * len(topics) + 8 if below else 0),
        "".join(drawn),
    )


def _below(score: float) -> float:
    """The largest of 1, 2 or 5 times a power of ten up to a score, at most 0.5."""
    decade = 10.0 ** math.floor(math.log10(score))
    return min(0.5, max(step * decade for step in (1, 2, 5) if step * decade <= score * 1.000001))


def _ticks(low: float) -> list[float]:
    """1, 2 and 5 times each power of ten down to the lowest; with many decades, only the powers of ten."""
    decades = range(math.floor(math.log10(low) + 1e-9), 1)
    steps = (1, 2, 5) if len(decades) <= 3 else (1,)
    return [step * 10.0**power for power in decades for step in steps if low * 0.999 <= step * 10.0**power <= 1]


def _axes(
    log: bool,
    low: float,
    longest: int,
    right: float,
    height: float,
    x: Callable[[int], float],
    y: Callable[[float], float],
) -> list[str]:
    ticks = _ticks(low) if log else [0.0, 0.25, 0.5, 0.75, 1.0]
    drawn = []
    for tick in ticks:
        drawn.append(line([(_LEFT, y(tick)), (right, y(tick))], "st-line-line"))
        drawn.append(text(_LEFT - 8, y(tick) + 4, f"{tick:g}", 11.5, "st-soft st-end"))
    step = max(1, -(-longest // 10))
    places = [1, *range(step, longest + 1, step)] if step > 1 else range(1, longest + 1)
    drawn += [text(x(place), height - _BOTTOM + 18, str(place), 11.5, "st-soft st-middle") for place in places]
    drawn.append(text((_LEFT + right) / 2, height - 6, "rank of the term in its topic", 12, "st-soft st-middle"))
    return drawn


def _apart(heights: list[float], bottom: float, least: float = 16.0) -> list[float]:
    """Vertical positions of labels, in the same order from the top, at least one line apart."""
    order = sorted(range(len(heights)), key=lambda number: (heights[number], number))
    placed = dict[int, float]()
    last = -math.inf
    for number in order:
        last = placed[number] = max(heights[number], last + least)
    limit = bottom
    for number in reversed(order):
        placed[number] = min(placed[number], limit)
        limit = placed[number] - least
    return [placed[number] for number in range(len(heights))]
