"""Themes: what the documents are about, independently of any names, and which themes no name covers.

The sample's vectors are grouped once per index, by spherical k-means at several granularities from coarse to fine. When
names are given, the themes are taken at the granularity of the names: the coarsest at which they cover enough themes,
1.3 per name on average. A theme in which no name stands out is residual: it competes with the names for documents and
terms.

Some names cut across all themes: "sympathy" or "advice" in messages about many disasters. For these, the documents are
grouped once more, by what remains of their vectors after the mean of their theme is subtracted.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property, partial

import numpy as np
from numpy.typing import NDArray

from seetopic.runtime import (
    LRU,
    Doubles,
    Flags,
    Floats,
    Ids,
    Longs,
    in_parallel,
    median,
    normalized,
    one_thread,
    product,
    spread,
)

_GRAINS = (6, 9, 12, 18, 25, 36, 50, 72)  # numbers of themes, each about 1.4 times the one before
_LEAST = 20  # average number of documents per theme, below which the grouping is too fine
FEWEST = _LEAST * _GRAINS[0]  # documents from which a corpus has themes
_ROUNDS = 30  # maximum iterations of k-means; it usually converges sooner
_STARTS, _FIRST_ROUNDS = 3, 4  # starts of k-means, and their iterations before the best one goes on
_CANDIDATES = 6  # documents that are compared for each initial centre
_MOVING = 0.003  # share of documents that may still change their theme at convergence
_STANDS_OUT = 1.2  # standard deviations above the mean over themes, from which one of few names covers a theme
_FEW = 2
_REACH = 0.55  # share of a name's highest value, from which it covers a theme beside any number of names
_SAME = 0.85  # cosine of two centres, from which they count as one theme that was split in two
_OWN = 1.3  # themes that a name must cover on average for the grouping to be fine enough
_FINENESS = 35  # documents per squared number of themes, above which the grouping is too coarse
_NEAR = 0.5  # standard deviations above the mean, from which a name may be meant for a theme
_ELSEWHERE = 0.2  # share of documents in themes below the mean for every name, above which something is missing
_FAR, _FAR_POWER = 0.65, 0.6  # share of documents not near any name: for one name, and how it falls with their number
_LEFT, _LEFT_POWER = 1.22, 0.5  # the same for documents in themes that no name covers
_NOTHING_MISSING, _SURELY_MISSING = 0.62, 1.0  # mean of both shares, relative to these: below, and from which
_HANDICAP = 1.5  # of residual themes, in standard deviations, where the names may still cover everything
_INSIDE = 0.05  # mean share of documents elsewhere in parents, below which children cover their parents
_ACROSS = 4  # groups of documents by what remains after their theme is subtracted
_STANDS_OUT_ACROSS = 1.0
_ALL_ACROSS = 0.75  # share of documents in covered groups, from which names across themes cover everything
_TAKEN_OFF = 12  # number of themes that are subtracted; and at most this many compete with names that may cut across
_NEIGHBOURS = 0.01  # share of documents among which a document is compared if names cut across themes
_NEIGHBOURS_LEAST = 20
_MOST_STORED = 1 << 23  # neighbours of all documents together: 32 MB, for 28,000 documents that were read
_AT_ONCE = 1024  # documents whose nearness to all others is in memory
_SORTED = 64  # of these, how many are compared together: few enough for the processor's cache
_ALIKE = 0.7  # likeness of the documents nearest to a name, relative to those nearest to a document: cut across below
_MOST_ALIKE = 0.9  # the same for most names of subjects
_QUERIES = 300  # documents whose nearest ones are compared
_NEAREST = 0.02  # share of documents that count as a name's nearest, and their minimum number
_NEAREST_LEAST = 20
_TINY = 1e-6
_REMEMBERED = 2000  # names whose nearest documents were compared: a discovery asks three times
_TOGETHER = 16  # names that are compared with all documents at once: always as many, so that bits are the same


@dataclass(frozen=True)
class Themes:
    """Groups of the sample's documents."""

    centres: Floats  # unit rows, (n_themes, dimension)
    vectors: Floats  # of the documents

    @cached_property
    @one_thread()
    def of_documents(self) -> Longs:
        """The theme of each document."""
        nearest: Longs = (self.vectors @ self.centres.T).argmax(axis=1)
        return nearest

    @cached_property
    def sizes(self) -> Longs:
        """The number of documents of each theme."""
        return np.bincount(self.of_documents, minlength=len(self.centres))

    @one_thread()
    def standing(self, names: Floats) -> Doubles:
        """How much nearer than average each name, a unit row, is to each theme, as z-scores; (n_names, n_themes)."""
        nearness = names.astype(np.float64) @ self._columns
        spread = nearness.std(axis=1, keepdims=True)
        standing: Doubles = (nearness - nearness.mean(axis=1, keepdims=True)) / np.where(spread > 0, spread, 1.0)
        return standing

    @cached_property
    def _columns(self) -> Doubles:
        return self.centres.T.astype(np.float64)

    def covered_by(self, names: Floats) -> Flags:
        """Whether any name stands out in a theme, or in another one that is nearly the same.

        Of many names, one stands out in any theme by chance, so the bound rises with their number. But broad names
        stand out a little in many themes and nowhere much, so it rises only to a share of each name's highest value.
        """
        standing = self.standing(names)
        of_many = math.sqrt(_STANDS_OUT**2 + 2 * math.log(max(len(names) / _FEW, 1)))  # how the highest of many grows
        bounds = np.maximum(_STANDS_OUT, np.minimum(of_many, _REACH * standing.max(axis=1, keepdims=True)))
        return self._with_twins((standing >= bounds).any(axis=0))

    def near_any_of(self, names: Floats, bound: float) -> Flags:
        """Whether any name is nearer than average by a bound to a theme, or to another one that is nearly the same."""
        return self._with_twins(self.standing(names).max(axis=0) >= bound)

    def _with_twins(self, some: Flags) -> Flags:
        both: Flags = some | self._twins[:, some].any(axis=1)
        return both

    @cached_property
    @one_thread()
    def _twins(self) -> Flags:
        """Whether two themes are nearly the same; (n_themes, n_themes)."""
        twins: Flags = self.centres @ self.centres.T >= _SAME
        return twins

    def share_of(self, some: Flags) -> float:
        """The share of the documents that belong to some of the themes."""
        return float(self.sizes[some].sum() / len(self.vectors))


@dataclass(frozen=True)
class SampleThemes:
    """The themes of an index's sample at all granularities, by their centres."""

    vectors: Floats  # of the documents that were read, unit rows, (n_read, dimension)
    centres: Floats  # as `find_centres` returns them
    stored_likeness: float | None = None

    @cached_property
    def grains(self) -> tuple[Themes, ...]:
        """From coarse to fine; none if there are too few documents."""
        numbers = _grains_for(len(self.vectors))
        ends = np.cumsum(numbers).tolist()
        return tuple(
            Themes(self.centres[end - number : end], self.vectors) for number, end in zip(numbers, ends, strict=True)
        )

    @cached_property
    def across(self) -> Themes:
        """Groups of documents by what remains after their theme is subtracted."""
        return Themes(self.centres[-_ACROSS:], _left_over(_at_most(_TAKEN_OFF, self.grains)))

    @cached_property
    def likeness(self) -> float:
        """How alike the documents nearest to a document are, for the median document."""
        if self.stored_likeness is not None:
            return self.stored_likeness
        some = self.vectors[:: max(1, len(self.vectors) // _QUERIES)]
        return float(median(np.array([likeness for likeness, _ in self._found_near(some)])))

    def may_be_cut_across_by(self, names: Floats) -> bool:
        """Whether the documents nearest to a name, for the median name, are much less alike than those of a theme.

        The documents nearest to a subject are, too, if few documents are about it or if it is broad.
        """
        return float(median(self._near(names)[:, 0])) < _ALIKE * self.likeness

    def are_surely_cut_across_by(self, names: Floats) -> bool:
        """The same on average, if one more name were like most; so it takes more to be sure of one or two names."""
        alike = self._near(names)[:, 0] / self.likeness if self.likeness > 0 else np.ones(len(names))
        return float((alike.sum() + _MOST_ALIKE) / (len(names) + 1)) < _ALIKE

    def nearest_to(self, names: Floats) -> Doubles | None:
        """Of the documents nearest to each name, how alike and how near they are, relative to those of any theme.

        (n_names, 2); None for few documents, of which the nearest are too large a part.
        """
        if _NEAREST * len(self.vectors) < _NEAREST_LEAST or self.likeness <= 0:
            return None
        return self._near(names) / (self.likeness, max(self._gain, _TINY))

    @cached_property
    def _gain(self) -> float:
        """How much nearer the documents nearest to a theme are than others."""
        return float(self._near(self.grains[-1].centres)[:, 1].mean())

    @cached_property
    def _remembered(self) -> LRU[bytes, tuple[float, float]]:
        return LRU(_REMEMBERED)

    def _near(self, points: Floats) -> Doubles:
        """Of the documents nearest to each point, a unit row: how alike they are, and how near; (n_points, 2)

        The mean cosine of two of them above that of any two documents, and the mean cosine of each with the point above
        that of any document.
        """
        rows = {point.tobytes(): point for point in points}
        keys = [point.tobytes() for point in points]
        return np.array(self._remembered.all(keys, lambda new: self._found_near(np.stack([rows[key] for key in new]))))

    def _found_near(self, points: Floats) -> list[tuple[float, float]]:
        size = min(max(_NEAREST_LEAST, int(_NEAREST * len(self.vectors))), len(self.vectors))
        found: list[tuple[float, float]] = []
        for first in range(0, len(points), _TOGETHER):
            some = points[first : first + _TOGETHER]
            columns = np.zeros((self.vectors.shape[1], _TOGETHER), np.float32)
            columns[:, : len(some)] = some.T
            farness = product(self.vectors, -columns)

            def near(number: int, farness: Floats = farness) -> tuple[float, float]:
                own = farness[:, number]
                nearest = np.argpartition(own, size - 1)[:size]
                likeness = _mean_cosine(self.vectors[nearest]) - self._mean_cosine
                return likeness, float(own.mean(dtype=np.float64) - own[nearest].mean(dtype=np.float64))

            found += in_parallel(near, range(len(some)))
        return found

    @cached_property
    def _mean_cosine(self) -> float:
        return _mean_cosine(self.vectors)


@dataclass(frozen=True)
class Uncovered:
    """Residual themes, which no name covers, and the share of the sample's documents in the other themes."""

    centres: Floats  # of residual themes, unit rows, (n_residual, dimension)
    coverage: float
    handicaps: Doubles  # what is subtracted from scores in each, because the names may cover everything; (n_residual,)

    @property
    def is_sure(self) -> bool:
        """Whether the names leave something out, rather than cover everything."""
        return len(self.centres) > 0 and float(self.handicaps.max()) <= _HANDICAP / 2


def n_centres(n_documents: int) -> int:
    """The number of centres at all granularities together."""
    numbers = _grains_for(n_documents)
    return sum(numbers) + (_ACROSS if numbers else 0)


def find_centres(vectors: Floats) -> Floats:
    """The centres at all granularities, from unit rows, coarse to fine, followed by the groups across themes.

    Neither the order of the documents nor a random state has a part in them.
    """
    found = in_parallel(partial(_grouped, vectors), _grains_for(len(vectors)))
    if not found:
        return np.empty((0, vectors.shape[1]), np.float32)
    themes = tuple(Themes(centres, vectors) for centres in found)
    across = in_parallel(partial(_grouped, _left_over(_at_most(_TAKEN_OFF, themes))), [_ACROSS])
    return np.concatenate([*found, *across])


def n_neighbours(n_documents: int) -> int:
    """How many documents each document is compared with if names cut across themes; 0 if there are no themes."""
    few = not _grains_for(n_documents)
    return 0 if few else min(max(_NEIGHBOURS_LEAST, int(_NEIGHBOURS * n_documents)), n_documents - 1)


def find_neighbours(vectors: Floats) -> Ids:
    """The nearest other documents of each document, nearest first; (n_documents, n_neighbours)."""
    n = len(vectors)
    found = np.empty((n, n_neighbours(n)), np.int32)
    for first in range(0, n if found.size else 0, _AT_ONCE):
        own = slice(first, first + _AT_ONCE)
        farness = product(-vectors[own], vectors.T)
        farness[np.arange(len(farness)), np.arange(first, first + len(farness))] = np.inf
        parts = [slice(row, row + _SORTED) for row in range(0, len(farness), _SORTED)]
        in_parallel(partial(_fill_smallest, farness, found[own]), parts)
    return found


def may_be_stored(n_documents: int) -> bool:
    """Whether an index has the neighbours; those of very many documents are large, and few names need them."""
    return n_documents * n_neighbours(n_documents) <= _MOST_STORED


def uncovered_by(names: Floats, themes: SampleThemes) -> Uncovered:
    """Residual themes at the granularity of the names, unit rows; none if the names cover (nearly) all documents.

    Between names that cover everything and names that surely do not, themes have a handicap, so that no small change of
    the names or the documents decides whether a third of the documents belongs to none.
    """
    if not themes.grains:
        return Uncovered(themes.centres[:0], 1.0, np.empty(0))
    if themes.are_surely_cut_across_by(names):
        chosen, covered = themes.across, themes.across.near_any_of(names, _STANDS_OUT_ACROSS)
        # At least as many names as groups may cover everything, however different from the groups they are.
        may_cover_all = float(len(names) >= _ACROSS or chosen.share_of(covered) >= _ALL_ACROSS)
    else:
        chosen, covered = _at_grain_of(names, themes)
        may_cover_all = _may_cover_everything(names, themes.grains)
    left = chosen.centres[:0] if may_cover_all == 1 else chosen.centres[~covered]
    return Uncovered(left, chosen.share_of(covered), np.full(len(left), _HANDICAP * may_cover_all))


def all_uncovered(n_names: int, themes: SampleThemes) -> Uncovered:
    """All themes, if hardly any document is about any of the names: the coarsest that are more than the names."""
    enough = (each for each in _fine_enough(themes) if len(each.centres) >= _OWN * n_names)
    chosen = next(enough, themes.grains[-1])
    return Uncovered(chosen.centres, 0.0, np.zeros(len(chosen.centres)))


def uncovered_in_tree(leaves: Floats, parents: Floats, themes: SampleThemes) -> tuple[Uncovered, Longs]:
    """Residual themes of a tree of names, and the parent that each is elsewhere in, -1 for none.

    A theme is elsewhere in a parent if the parent stands out in it and is nearer than every name without children, and
    if such themes have enough documents at all granularities. `leaves` and `parents` are unit rows.
    """
    found = uncovered_by(leaves, themes)
    if not themes.grains or themes.are_surely_cut_across_by(leaves):
        return found, np.full(len(found.centres), -1)
    chosen, covered = _at_grain_of(leaves, themes)
    handicap, is_missing = float(found.handicaps.max(initial=0.0)), found.is_sure
    inside = _nearer(parents, leaves, chosen)
    if np.mean([each.share_of(_nearer(parents, leaves, each)) for each in themes.grains]) < _INSIDE:
        inside[:] = False
    standing = chosen.standing(parents)
    handicaps = np.where(inside, 0.0, handicap)
    if is_missing:
        inside |= ~covered & (standing.max(axis=0) >= _STANDS_OUT)
    outside = ~covered & ~inside & is_missing
    kept = np.concatenate([np.flatnonzero(inside), np.flatnonzero(outside)])
    owners = np.where(inside, standing.argmax(axis=0), -1)
    return Uncovered(chosen.centres[kept], chosen.share_of(covered | inside), handicaps[kept]), owners[kept]


def _nearer(parents: Floats, leaves: Floats, themes: Themes) -> Flags:
    """Whether a parent stands out in a theme, more than every name without children, and is nearer to it."""
    highest = themes.standing(parents).max(axis=0)
    nearest = (parents @ themes.centres.T).max(axis=0) > (leaves @ themes.centres.T).max(axis=0)
    nearer: Flags = (highest >= _STANDS_OUT) & (highest > themes.standing(leaves).max(axis=0)) & nearest
    return nearer


def _at_grain_of(names: Floats, themes: SampleThemes) -> tuple[Themes, Flags]:
    """The coarsest themes of which the names cover enough, and which of them they cover."""
    fine = _fine_enough(themes)
    if themes.may_be_cut_across_by(names):  # such names stand out in too few of the finer themes
        fine = [each for each in fine if len(each.centres) <= _TAKEN_OFF] or [_at_most(_TAKEN_OFF, themes.grains)]
    for chosen in fine or themes.grains[-1:]:
        covered = chosen.covered_by(names)
        if covered.sum() >= _OWN * len(names):
            break
    return chosen, covered


def _fine_enough(themes: SampleThemes) -> list[Themes]:
    """More documents reveal finer themes."""
    return [each for each in themes.grains if _FINENESS * len(each.centres) ** 2 >= len(themes.vectors)]


def _may_cover_everything(names: Floats, grains: tuple[Themes, ...]) -> float:
    """From 0 to 1, how far the names may cover everything, because hardly any theme is far from all of them.

    Among many names, one is always a little nearer, so the bounds are stricter for them. They were measured on parts of
    labelled corpora with two to forty labels, of which all or some were used as names; the mean over all granularities
    hardly depends on how the themes happen to be cut. A single name never covers everything.
    """
    number = float(len(names))
    left = np.mean([1 - themes.share_of(themes.covered_by(names)) for themes in grains])
    elsewhere, far = (
        np.mean([1 - themes.share_of(themes.near_any_of(names, bound)) for themes in grains]) for bound in (0.0, _NEAR)
    )
    missing = (far / (_FAR * number**-_FAR_POWER) + left / (_LEFT * number**-_LEFT_POWER)) / 2
    if number == 1 or elsewhere > _ELSEWHERE:
        return 0.0
    return float(np.clip((_SURELY_MISSING - missing) / (_SURELY_MISSING - _NOTHING_MISSING), 0.0, 1.0))


def _grains_for(n_documents: int) -> list[int]:
    """The numbers of themes that this many documents can be grouped into."""
    return [grain for grain in _GRAINS if grain * _LEAST <= n_documents]


def _at_most(grain: int, themes: tuple[Themes, ...]) -> Themes:
    """The finest grouping with at most `grain` themes."""
    return next(each for each in reversed(themes) if len(each.centres) <= grain)


@one_thread()
def _left_over(themes: Themes) -> Floats:
    """The vectors of the documents minus the mean of their theme; unit rows."""
    sums = _sums(themes.vectors, themes.of_documents, len(themes.centres))
    middles: Floats = sums / np.maximum(themes.sizes, 1).astype(np.float32)[:, None]
    return normalized(themes.vectors - middles[themes.of_documents]).astype(np.float32)


def _grouped(vectors: Floats, n_themes: int) -> Floats:
    """Spherical k-means; of several starts, the one whose themes fit best after a few rounds goes on.

    With names for two labels of a corpus, which have only the themes to be told apart from, one start decided whether
    two thirds or nine tenths of their terms were right.
    """
    numbers = _numbers(vectors)
    starts = [_spread_out(vectors, n_themes, numbers + np.uint64(start << 32)) for start in range(_STARTS)]
    begun = [_moved(vectors, centres, _FIRST_ROUNDS) for centres in starts]
    best = max(begun, key=lambda centres: float((vectors @ centres.T).max(axis=1).sum(dtype=np.float64)))
    return _moved(vectors, best, _ROUNDS)


def _moved(vectors: Floats, centres: Floats, rounds: int) -> Floats:
    """Every document goes to the nearest centre, every centre to the mean of its documents."""
    of_documents = np.full(len(vectors), -1)
    for _ in range(rounds):
        nearest = (vectors @ centres.T).argmax(axis=1)
        settled = np.count_nonzero(nearest != of_documents) <= _MOVING * len(vectors)
        of_documents = nearest
        sums = _sums(vectors, of_documents, len(centres))
        centres = np.where((sums != 0).any(axis=1, keepdims=True), normalized(sums).astype(np.float32), centres)
        if settled:
            break
    return centres


def _spread_out(vectors: Floats, n_themes: int, numbers: NDArray[np.uint64]) -> Floats:
    """Initial centres: documents far from each other, drawn by their distance from those before (greedy k-means++).

    Each document draws by its own number, so one document more or less changes few. Of those drawn first, the one that
    leaves all documents nearest to a centre is taken.
    """
    chosen, distance = list[int](), np.ones(len(vectors), np.float32)
    n_candidates = min(_CANDIDATES, len(vectors))
    for step in range(n_themes):
        drawn = (spread(numbers + np.uint64(step)) >> np.uint64(11)) * 2.0**-53  # from 0 to 1
        # The smallest of exponential waiting times is at a document as often as its weight is large.
        waiting = -np.log1p(-drawn) / np.maximum(distance, _TINY)
        candidates = np.argsort(waiting, kind="stable")[:n_candidates]
        left = np.minimum(distance[:, None], 1.0 - vectors @ vectors[candidates].T)
        best = int(left.sum(axis=0, dtype=np.float64).argmin())
        chosen.append(int(candidates[best]))
        distance = left[:, best]
    return vectors[chosen]


def _numbers(vectors: Floats) -> NDArray[np.uint64]:
    """A number for each vector, which follows from the signs of its values: these hardly change with rounding."""
    signs = np.packbits(vectors > 0, axis=1)
    signs = np.pad(signs, ((0, 0), (0, -signs.shape[1] % 8)))
    numbers = np.zeros(len(vectors), np.uint64)
    for part in np.ascontiguousarray(signs).view(np.uint64).T:
        numbers = spread(numbers ^ part)
    return numbers


def _sums(vectors: Floats, of_documents: Longs, n_themes: int) -> Floats:
    return np.stack([vectors[of_documents == theme].sum(axis=0) for theme in range(n_themes)])


def _fill_smallest(values: Floats, places: Ids, rows: slice) -> None:
    """Write where the smallest values of some rows are, in ascending order, as many as there is room for."""
    size = places.shape[1]
    smallest = np.argpartition(values[rows], size - 1, axis=1)[:, :size]
    order = np.argsort(np.take_along_axis(values[rows], smallest, axis=1), axis=1, kind="stable")
    places[rows] = np.take_along_axis(smallest, order, axis=1)


def _mean_cosine(vectors: Floats) -> float:
    """Of two different rows, which have unit length."""
    n, total = len(vectors), vectors.sum(axis=0, dtype=np.float64)
    return (float(total @ total) - n) / max(n * (n - 1), 1)
