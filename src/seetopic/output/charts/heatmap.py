"""A heatmap of pairs of topics: how similar their terms are, or how much they share documents."""

from __future__ import annotations

from typing import Literal

import numpy as np

from seetopic.errors import SettingsError
from seetopic.output.charts.drawing import brief, fitted, rectangle, text, text_width
from seetopic.output.charts.figure import Figure
from seetopic.output.charts.scene import Drawable, check_width, scene_of
from seetopic.output.charts.theme import STEPS
from seetopic.runtime import Doubles

_WIDE = 600  # pixels from which there is room for names
_VALUES_FROM = 30.0  # pixels from which a cell has room for its value


def heatmap(run: Drawable, *, by: Literal["terms", "documents"] = "terms", width: int = 720) -> Figure:
    """How close topics are: by terms, the cosine similarity; by documents, the mean share in the column's topic of
    the documents assigned to the row's topic."""
    scene = scene_of(run)
    check_width(width)
    if by not in ("terms", "documents"):
        raise SettingsError(f"`by` is {by!r}, but must be 'terms' or 'documents'")
    values = scene.likeness if by == "terms" else scene.shared_documents
    names = [topic.name for topic in scene.topics]
    told = {
        "terms": "The cosine similarity of topics' terms: 1 if they mean the same.",
        "documents": "The mean share in the column's topic of the documents assigned to the row's topic.",
    }
    title = {"terms": "Similarity of topics", "documents": "Documents shared by topics"}
    return _grid(values, names, width, title[by], f"{told[by]} {_nearest(values, names)}".strip())


def _grid(values: Doubles, names: list[str], width: int, title: str, description: str) -> Figure:
    numbered = [f"{number}  {name}" for number, name in enumerate(names, start=1)]
    largest, most = (12.5, 0.36) if width >= _WIDE else (11.0, 0.45)
    labels = min(max(text_width(name, largest) for name in numbered) + 12, width * most)
    cell = min(46.0, max(9.0, (width - labels) / len(names)))
    size, steps = min(largest, max(9.0, cell * 0.8)), _steps(values)
    drawn = []
    for row, name in enumerate(numbered):
        y = 22 + row * cell
        drawn.append(text(labels - 8, y + cell / 2 + 4, fitted(name, size, labels - 10), size, "st-ink st-end", name))
        if cell >= 18 or row % 5 == 4:
            drawn.append(text(labels + row * cell + cell / 2, 14, str(row + 1), 11.5, "st-soft st-middle"))
        for column, value in enumerate(values[row].tolist()):
            x, own = labels + column * cell, row == column
            tip = f"{brief(names[row])} · {brief(names[column])}: {value:.2f}"
            tone = "st-line" if own else f"st-h{steps[row, column]}"
            drawn.append(rectangle(x + 0.5, y + 0.5, cell - 1, cell - 1, tone, tip, 2 if cell > 14 else 0))
            if cell >= _VALUES_FROM:
                drawn.append(
                    f'<g pointer-events="none">'
                    f"{text(x + cell / 2, y + cell / 2 + 4, _short(value), 11.5, 'st-ink st-middle')}</g>"
                )
    return Figure(title, description, labels + cell * len(names) + 1, 24 + cell * len(names), "".join(drawn))


def _steps(values: Doubles) -> Doubles:
    """The shade of each cell; the range is that of different topics, since every topic equals itself."""
    others = values[~np.eye(len(values), dtype=np.bool_)]
    if not others.size:
        return np.zeros(values.shape, np.int64)
    low, high = float(others.min()), float(others.max())
    part = (values - low) / max(high - low, 1e-9)
    return np.clip(np.round(part * (STEPS - 1)), 0, STEPS - 1).astype(np.int64)


def _nearest(values: Doubles, names: list[str]) -> str:
    pairs = nearest_pairs(values, 1)
    return f"Closest: {names[pairs[0][0]]} and {names[pairs[0][1]]}, {pairs[0][2]:.2f}." if pairs else ""


def nearest_pairs(values: Doubles, most: int) -> list[tuple[int, int, float]]:
    """The pairs of different topics with the largest values in either direction, largest first."""
    both = np.maximum(values, values.T)
    first, second = np.triu_indices(len(values), 1)
    order = np.argsort(-both[first, second], kind="stable")[:most]
    return [(int(first[at]), int(second[at]), float(both[first[at], second[at]])) for at in order]


def _short(value: float) -> str:
    return f"{value:.2f}".replace("0.", ".", 1)
