"""A map of topics surrounded by their terms."""

from __future__ import annotations

import numpy as np

from seetopic.discovery import Topic
from seetopic.output.charts.drawing import ellipse, fitted, of_topic, text, text_width
from seetopic.output.charts.figure import Figure
from seetopic.output.charts.layout import Board, drawn_along, pushed_apart, spread_in
from seetopic.output.charts.scene import Drawable, Scene, check_width, chosen, scene_of, shortened, term_tip
from seetopic.output.charts.theme import BOLD, HUES
from seetopic.runtime import Doubles, quantity

_MARGIN = 24.0
_LINE = 1.45  # height of a label, in font sizes
_NAME = 15.0  # size of a name
_ROOM = 1.7  # multiple of the room that the labels need
_HALO = np.array([40.0, 18.0])  # how far a halo extends beyond the centres of its labels


def topics_map(run: Drawable, *, top: int = 10, width: int = 960) -> Figure:
    """Topics surrounded by their terms: topics with similar terms are close together.

    The better a term, the closer it is to its topic's name, on the side of the topics that it resembles.
    """
    scene = scene_of(run)
    chosen(scene.topics, None, top)
    check_width(width)
    topics = shortened(scene.topics, top).topics
    sizes = np.array([_cluster_size(topic, width - 2 * _MARGIN) for topic in topics])
    height = _height_for(sizes, width)
    frame = np.array([width - 2 * _MARGIN, height - 2 * _MARGIN])
    places = pushed_apart(spread_in(frame, scene.likeness), sizes, frame)
    names = [fitted(topic.name, _NAME, min(float(frame[0]), 300) / BOLD) for topic in topics]
    board = Board(sum(1 + len(topic.terms) for topic in topics))
    for name, place in zip(names, places, strict=True):
        board.put(place, text_width(name, _NAME) * BOLD, _NAME * _LINE)
    ways = drawn_along([own[:top] for own in scene.vectors], scene.centres, places)
    halos, labels = [], []
    for number, (topic, name) in enumerate(zip(topics, names, strict=True)):
        terms, spots = _terms_around(topic, places[number], ways[number], board, frame, f"st-c{number % HUES}")
        x, y = places[number]
        named = text(x, y + _NAME * 0.35, name, _NAME, "st-ink st-bold st-middle", _topic_tip(scene, number))
        halos.append(of_topic(number, [_halo(np.array([places[number], *spots]), f"st-c{number % HUES} st-faint")]))
        labels.append(of_topic(number, [*terms, named]))
    return Figure(
        "Map of topics and terms",
        f"{quantity(len(topics), 'topic')}; those with similar terms are close together, each surrounded by its terms, "
        "the best closest to the name.",
        width,
        height,
        f'<g transform="translate({_MARGIN:g} {_MARGIN:g})">{"".join(halos + labels)}</g>',
    )


def _terms_around(
    topic: Topic, place: Doubles, toward: Doubles, board: Board, frame: Doubles, hue: str
) -> tuple[list[str], list[Doubles]]:
    """A topic's terms as labels, and their positions; better terms are placed first."""
    labels, spots = [], []
    for rank, (term, way) in enumerate(zip(topic.terms, toward, strict=True)):
        size = max(11.0, 13.5 - 0.25 * rank)
        label = fitted(term.term, size, min(190, float(frame[0]) / 2))
        angle = float(np.arctan2(way[1], way[0]))
        spot = board.place(place, text_width(label, size) + 8, size * _LINE, frame, angle)
        labels.append(text(spot[0], spot[1] + size * 0.35, label, size, f"{hue} st-middle", term_tip(topic, term)))
        spots.append(spot)
    return labels, spots


def _cluster_size(topic: Topic, widest: float) -> tuple[float, float]:
    """The approximate room that a name takes with its terms around it."""
    labels = sum((text_width(term.term, 13) + 8) * 13 * _LINE for term in topic.terms)
    area = _ROOM * (labels + text_width(topic.name, _NAME) * _NAME * _LINE)
    across = min(max(float(np.sqrt(area * 1.5)), text_width(topic.name, _NAME) * BOLD + 24), widest)
    return across, max(area / across, 40.0)


def _height_for(sizes: Doubles, width: int) -> int:
    least = float(sizes[:, 1].max()) + 2 * _MARGIN
    needed = float((sizes[:, 0] + 8) @ (sizes[:, 1] + 8)) * 1.6 / width
    return round(max(least, needed, 320.0))


def _halo(spots: Doubles, classes: str) -> str:
    low, high = spots.min(axis=0), spots.max(axis=0)
    (x, y), (across, down) = (low + high) / 2, (high - low) / 2 + _HALO
    return ellipse(x, y, across, down, classes)


def _topic_tip(scene: Scene, number: int) -> str:
    topic, told = scene.topics[number], ""
    if len(scene.topics) > 1:
        others = scene.likeness[number].copy()
        others[number] = -2
        nearest = int(others.argmax())
        told = f"\nmost similar to {scene.topics[nearest].name} ({others[nearest]:.2f})"
    return f"{topic.name}\nconfidence {topic.confidence:.2f}{told}"
