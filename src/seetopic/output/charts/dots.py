"""A map of documents around the topics they are assigned to."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from seetopic.errors import SettingsError
from seetopic.output.charts.drawing import brief, circle, fitted, of_topic, text, text_width
from seetopic.output.charts.figure import Figure
from seetopic.output.charts.layout import pushed_apart, spread_in, sunflower
from seetopic.output.charts.scene import NONE, Drawable, Scene, check_width, scene_of
from seetopic.output.charts.theme import BOLD, HUES
from seetopic.runtime import Doubles, Longs, quantity

_WIDE = 600  # pixels from which a map is wider than high
_SIZE = 13.5  # font size of names
_FILLED = 0.36  # share of the map covered by dots and the space between them
_BEGINNING = 14  # words shown of a document
_LEAN = 5.0  # dots; how far an unclear document moves off at most


def documents_map(run: Drawable, *, documents: int = 1000, width: int = 960) -> Figure:
    """Sampled documents around the topics they are assigned to: the clearer, the closer to the centre.

    At most `documents` of them are drawn, evenly chosen.
    """
    scene = scene_of(run)
    check_width(width)
    shown = _evenly_chosen(scene, documents)
    topics, given = scene.topics, scene.document_topics[shown]
    height = round(width * (0.62 if width >= _WIDE else 1.6))
    spacing = float(np.sqrt(_FILLED * width * height / np.pi / max(len(shown), 1)))
    spacing = min(spacing, width / 60)
    names = [fitted(topic.name, _SIZE, min(240, width * 0.62)) for topic in topics]
    across = 2.1 * spacing * np.sqrt(np.bincount(given, minlength=len(topics)) + 1) + (26 if width >= _WIDE else 14)
    wide = np.array([text_width(name, _SIZE) * BOLD + 8 for name in names])
    frame, dot = np.array([width, height], np.float64), max(1.4, spacing / 2)
    sizes = np.stack([np.maximum(across, wide), across], axis=1)
    places = pushed_apart(spread_in(frame, scene.likeness), sizes, frame)
    beginnings = _beginnings(scene, shown)
    drawn, labels = [], []
    for number, name in enumerate(names):
        own = np.flatnonzero(given == number)
        spots = np.clip(_spots(scene.document_shares[shown[own]], number, places, spacing), dot, frame - dot)
        told = [beginnings[at] for at in own]
        drawn.append(of_topic(number, _dots(scene, number, shown[own], spots, dot, told)))
        x, y = min(max(places[number, 0], wide[number] / 2), width - wide[number] / 2), places[number, 1]
        tip = f"{topics[number].name}\n{scene.documents_within[number]:,} of {len(scene.document_topics):,} documents"
        labels.append(of_topic(number, [text(x, y + 5, name, _SIZE, "st-ink st-bold st-middle st-halo", tip)]))
    return Figure(
        "Documents around their topics",
        f"{quantity(len(shown), 'document')} as dots around {quantity(len(topics), 'topic')}, "
        "the clearest at the centre.",
        width,
        height,
        "".join(drawn + labels),
    )


def _evenly_chosen(scene: Scene, most: int) -> Longs:
    """Evenly spaced rows of the sample that are assigned to a topic."""
    if most < 1:
        raise SettingsError(f"`documents` is {most}, but must be at least 1")
    known = np.flatnonzero(scene.document_topics != NONE)
    return known[np.linspace(0, len(known) - 1, min(most, len(known))).astype(np.int64)]


def _spots(shares: Doubles, own: int, places: Doubles, spacing: float) -> Doubles:
    """The positions of a topic's documents, the clearest at the centre."""
    spots = np.empty((len(shares), 2))
    spots[np.argsort(-shares[:, own], kind="stable")] = sunflower(len(shares), spacing)
    found: Doubles = places[own] + spots + _leaning(shares, own, places, spacing)
    return found


def _dots(scene: Scene, number: int, rows: Longs, spots: Doubles, radius: float, told: Sequence[str]) -> list[str]:
    classes, name = f"st-c{number % HUES} st-half", brief(scene.topics[number].name)
    shares = scene.document_shares[rows, number].tolist()
    return [
        circle(x, y, radius, classes, f"{beginning} …\n{name}, {share:.0%}")
        for (x, y), share, beginning in zip(spots.tolist(), shares, told, strict=True)
    ]


def _leaning(shares: Doubles, own: int, places: Doubles, spacing: float) -> Doubles:
    """Offsets towards each document's second topic: the less clear the document, the larger."""
    if shares.shape[1] < 2 or not len(shares):
        return np.zeros((len(shares), 2))
    others = shares.copy()
    others[:, own] = -1
    second, best = others.argmax(axis=1), others.max(axis=1)
    doubt = 2 * best / (best + shares[:, own])
    way = places[second] - places[own]
    length = np.maximum(np.linalg.norm(way, axis=1), 1e-9)
    off = np.minimum(length / 2, _LEAN * spacing) * doubt**2
    lean: Doubles = way / length[:, None] * off[:, None]
    return lean


def _beginnings(scene: Scene, shown: Longs) -> list[str]:
    """The first words of sampled documents."""
    texts, numbers = scene.index.texts, scene.index.sampled[shown]
    found = []
    for first, last in zip(texts.starts[numbers].tolist(), texts.starts[numbers + 1].tolist(), strict=True):
        places = texts.places[first : min(last, first + 2 * _BEGINNING)].tolist()
        found.append(" ".join([texts.words[place] for place in places if place >= 0][:_BEGINNING]))
    return found
