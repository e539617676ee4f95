"""Where things stand on a map: the same places for the same input, labels beside each other, near what is alike."""

from __future__ import annotations

import numpy as np

from seetopic.arrays import Doubles, Flags
from seetopic.sorting import one_thread

_EVENNESS = 0.6  # how much the order along an axis counts beside the distances: crowds are drawn apart
_ROUNDS = 300  # of pushing apart what overlaps
_TURN = 2.399963  # the golden angle: steps of it never fall into a pattern
_STEPS = 4000  # of looking for a free place, each farther out


def plane(likeness: Doubles) -> Doubles:
    """Points in the unit square whose distances follow how unlike things are: classical scaling, then evened out.

    `likeness` holds cosines, (n, n); the result is (n, 2).
    """
    n = len(likeness)
    if n == 1:
        return np.full((1, 2), 0.5)
    with one_thread():
        squares = 2 - 2 * likeness
        centring = np.eye(n) - 1 / n
        values, axes = np.linalg.eigh(-0.5 * centring @ squares @ centring)
    points = axes[:, ::-1][:, :2] * np.sqrt(np.maximum(values[::-1][:2], 0))
    # Eigenvectors come with either sign: the largest entry decides.
    points = points * np.where(points[np.abs(points).argmax(axis=0), range(2)] < 0, -1, 1)
    points = np.round(points, 9)  # so that the last bits of another machine do not reorder them
    return (1 - _EVENNESS) * _scaled(points) + _EVENNESS * _scaled(points.argsort(0, kind="stable").argsort(0) * 1.0)


def _scaled(points: Doubles) -> Doubles:
    """Each axis from 0 to 1; all in the middle where an axis has no width."""
    low, width = points.min(axis=0), np.ptp(points, axis=0)
    scaled: Doubles = np.where(width > 1e-9, (points - low) / np.maximum(width, 1e-9), 0.5)
    return scaled


def pushed_apart(centres: Doubles, sizes: Doubles, frame: tuple[float, float]) -> Doubles:
    """Boxes of these sizes moved until they hardly overlap, within a frame; (n, 2) each.

    Each pair gives way along the axis on which less is to go; what is left to do after enough rounds is left.
    """
    places, half = centres.copy(), sizes / 2
    low, high = half, np.maximum(np.array(frame) - half, half)
    for _ in range(_ROUNDS):
        gaps = places[:, None] - places[None]  # (n, n, 2)
        over = half[:, None] + half[None] - np.abs(gaps)
        overlap: Flags = (over > 0.5).all(axis=2) & ~np.eye(len(places), dtype=np.bool_)
        if not overlap.any():
            break
        across = over[:, :, 0] <= over[:, :, 1]
        which = np.stack([across, ~across], axis=2) & overlap[:, :, None]
        earlier = np.where(np.arange(len(places))[:, None] < np.arange(len(places))[None], -1.0, 1.0)
        side = np.where(gaps == 0, earlier[:, :, None], np.sign(gaps))
        move = np.where(which, side * over, 0.0).sum(axis=1) / 2
        places = np.clip(places + np.clip(move, -20, 20), low, high)
    return places


class Board:
    """A surface on which boxes find a free place near where they would like to be."""

    def __init__(self, capacity: int) -> None:
        self._boxes = np.zeros((capacity, 4))  # left, top, right, bottom
        self._used = 0

    def put(self, centre: Doubles, width: float, height: float) -> None:
        self._boxes[self._used] = _box(centre, width, height)
        self._used += 1

    def place(self, wish: Doubles, width: float, height: float, frame: tuple[float, float], angle: float) -> Doubles:
        """The nearest free place along a spiral that begins at the wish in a direction; it is taken from then on."""
        steps = np.arange(_STEPS)
        turns, radii = angle + steps * 0.35, 0.9 * steps**0.75
        spots = wish + np.stack([np.cos(turns) * radii * 1.35, np.sin(turns) * radii], axis=1)
        half = np.array([width, height]) / 2
        spots = np.clip(spots, half, np.maximum(np.array(frame) - half, half))
        taken = self._boxes[: self._used]
        for first in range(0, _STEPS, 50):
            part = spots[first : first + 50, None]
            free = (
                (np.abs(part[:, :, 0] - (taken[:, 0] + taken[:, 2]) / 2) >= half[0] + (taken[:, 2] - taken[:, 0]) / 2)
                | (np.abs(part[:, :, 1] - (taken[:, 1] + taken[:, 3]) / 2) >= half[1] + (taken[:, 3] - taken[:, 1]) / 2)
            ).all(axis=1)
            if free.any():
                spot: Doubles = spots[first + int(free.argmax())]
                break
        else:
            spot = spots[0]
        self.put(spot, width, height)
        return spot


def _box(centre: Doubles, width: float, height: float) -> list[float]:
    x, y = centre
    return [x - width / 2, y - height / 2, x + width / 2, y + height / 2]


def sunflower(n: int, spacing: float) -> Doubles:
    """Points in a disc, evenly spread from its middle outwards; (n, 2)."""
    steps = np.arange(n)
    radii, turns = spacing * np.sqrt(steps + 0.5), steps * _TURN
    return np.stack([radii * np.cos(turns), radii * np.sin(turns)], axis=1)


def drawn_along(vectors: Doubles, centres: Doubles, places: Doubles, own: int) -> Doubles:
    """The direction in which each vector of a topic leaves it: towards the topics that it resembles; (n, 2).

    The linear map that takes centres to places takes the vectors' differences from their centre to the plane.
    """
    with one_thread():
        middle, spot = centres.mean(axis=0), places.mean(axis=0)
        gram = (centres - middle) @ (centres - middle).T
        weights = np.linalg.solve(gram + 0.05 * np.eye(len(gram)), places - spot)
        found: Doubles = np.round(((vectors - centres[own]) @ (centres - middle).T) @ weights, 6)
    return found
