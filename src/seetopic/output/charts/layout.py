"""Layout of maps: deterministic positions, near what is similar, without overlapping labels."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache

import numpy as np

from seetopic.runtime import Doubles, Flags, one_thread

_EVENNESS = 0.4  # weight of the order along an axis against distances: spreads crowds out
_ROUNDS = 200  # of pushing overlapping boxes apart
_FURTHEST, _SETTLED = 20.0, 0.05  # how far a box may move in a round, and what no longer counts as moving
_TURN = 2.399963  # the golden angle: steps of it never form a pattern
_STEPS, _LOOK = 4096, 256  # steps outwards in search of a free place; how many are tried at a time
_RIDGE = 0.05  # keeps the map from centres to positions smooth


def spread_in(frame: Doubles, likeness: Doubles) -> Doubles:
    """Points in a frame, similar things close together; the longer side shows the largest differences; (n, 2)."""
    points = plane(likeness)
    return (points if frame[0] >= frame[1] else points[:, ::-1]) * frame


def plane(likeness: Doubles) -> Doubles:
    """Points in the unit square whose distances reflect dissimilarity: classical scaling, then evened out.

    `likeness` contains cosines, (n, n); the result is (n, 2).
    """
    n = len(likeness)
    if n == 1:
        return np.full((1, 2), 0.5)
    with one_thread():
        squares = 2 - 2 * likeness
        centring = np.eye(n) - 1 / n
        values, axes = np.linalg.eigh(-0.5 * centring @ squares @ centring)
    points = axes[:, ::-1][:, :2] * np.sqrt(np.maximum(values[::-1][:2], 0))
    # The sign of eigenvectors is arbitrary: make the largest entry positive.
    points = points * np.where(points[np.abs(points).argmax(axis=0), range(2)] < 0, -1, 1)
    points = np.round(points, 9)  # so that the last bits on another machine do not change the order
    widths = np.ptp(points, axis=0)
    if widths.max() < 1e-6:  # all the same
        points, widths = np.stack([np.arange(n), np.zeros(n)], axis=1), np.array([n - 1.0, 0.0])
    share = widths / widths.max()  # the second axis is shorter in proportion to what it explains
    places = points.argsort(axis=0, kind="stable").argsort(axis=0) / (n - 1)
    even = (places - 0.5) * share
    exact = (points - points.min(axis=0) - widths / 2) / widths.max()
    found: Doubles = 0.5 + _EVENNESS * even + (1 - _EVENNESS) * exact
    return found


def pushed_apart(centres: Doubles, sizes: Doubles, frame: Doubles) -> Doubles:
    """Boxes of these sizes moved until they hardly overlap, within a frame; (n, 2) each.

    Each pair moves apart along the axis with the smaller overlap. Where there is no room, boxes would push each other
    around forever, so in the second half of the rounds they may move less and less; overlaps that remain stay.
    """
    half = (sizes / 2).T  # axis by axis, (2, n)
    low, high = half, np.maximum(frame[:, None] - half, half)
    places = np.clip(centres.T, low, high)
    reach = half[:, :, None] + half[:, None]
    fits = reach[0] <= frame[0] / 2  # side by side; otherwise one must be below the other
    numbers = np.arange(len(centres))
    different = numbers[:, None] != numbers
    earlier = np.where(numbers[:, None] < numbers, -1.0, 1.0)  # which one moves if two are at the same point
    for done in range(_ROUNDS):
        gaps = places[:, :, None] - places[:, None]  # (2, n, n)
        over = reach - np.abs(gaps)
        overlap: Flags = (over > 0.5).all(axis=0) & different
        if not overlap.any():
            break
        across = (over[0] <= over[1]) & fits & overlap
        over *= np.where(gaps == 0, earlier, np.sign(gaps))
        move = np.stack([(over[0] * across).sum(axis=1), (over[1] * (overlap & ~across)).sum(axis=1)]) / 2
        furthest = _FURTHEST * min(1.0, 2 - 2 * done / _ROUNDS)
        moved = np.clip(places + np.clip(move, -furthest, furthest), low, high)
        settled = np.abs(moved - places).max() < _SETTLED
        places = moved
        if settled:
            break
    return places.T


class Board:
    """A surface on which boxes are placed in free space near the position they ask for."""

    def __init__(self, capacity: int) -> None:
        self._middles, self._halves = np.zeros((2, capacity)), np.zeros((2, capacity))
        self._used = 0

    def put(self, middle: Doubles, width: float, height: float) -> None:
        self._middles[:, self._used], self._halves[:, self._used] = middle, (width / 2, height / 2)
        self._used += 1

    def place(self, wish: Doubles, width: float, height: float, frame: Doubles, angle: float) -> Doubles:
        """The first free place on a spiral that starts at the wish in a direction; it is taken from then on."""
        half = np.array([[width / 2], [height / 2]])
        low, high = half, np.maximum(frame[:, None] - half, half)
        taken, apart = self._middles[:, : self._used], self._halves[:, : self._used] + half
        first: Doubles | None = None
        for begin in range(0, _STEPS, _LOOK):
            spots = np.clip(wish[:, None] + _spiral(angle, begin), low, high)  # (2, n_spots)
            first = spots[:, 0] if first is None else first
            nearest, farthest = spots.min(axis=1, keepdims=True), spots.max(axis=1, keepdims=True)
            near = ((taken + apart > nearest) & (taken - apart < farthest)).all(axis=0)
            gaps = np.abs(spots[:, :, None] - taken[:, None, near])  # (2, n_spots, n_near)
            free = (gaps >= apart[:, None, near]).any(axis=0).all(axis=1)
            if free.any():
                first = spots[:, int(free.argmax())]
                break
        spot: Doubles = wish if first is None else first
        self.put(spot, width, height)
        return spot


def _spiral(angle: float, begin: int) -> Doubles:
    """Some steps outwards around a point, wider than high, like words; (2, n)."""
    turns, radii = _steps_outwards(begin)
    return np.stack([1.35 * radii * np.cos(angle + turns), radii * np.sin(angle + turns)])


@cache
def _steps_outwards(begin: int) -> tuple[Doubles, Doubles]:
    """The angles and radii of a spiral's steps."""
    steps = np.arange(begin, begin + _LOOK, dtype=np.float64)
    return steps * 0.35, 0.9 * steps**0.75


def sunflower(n: int, spacing: float) -> Doubles:
    """Points in a disc, evenly spread from its centre outwards; (n, 2)."""
    steps = np.arange(n)
    radii, turns = spacing * np.sqrt(steps + 0.5), steps * _TURN
    return np.stack([radii * np.cos(turns), radii * np.sin(turns)], axis=1)


def drawn_along(vectors: Sequence[Doubles], centres: Doubles, places: Doubles) -> list[Doubles]:
    """The direction of each vector of each topic from its centre: towards the topics that it resembles; (n, 2) each.

    The linear map from centres to places is applied to the vectors' differences from their centre.
    """
    with one_thread():
        around = centres - centres.mean(axis=0)
        gram = around @ around.T + _RIDGE * np.eye(len(centres))
        weights = around.T @ np.linalg.solve(gram, places - places.mean(axis=0))
        return [np.round((own - centre) @ weights, 6) for own, centre in zip(vectors, centres, strict=True)]
