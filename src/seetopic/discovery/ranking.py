"""Combines rankings into exclusive topics: reciprocal ranks, their power mean, one category per term."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from seetopic.runtime import Doubles, Flags, Floats, Longs, available_cores, in_parallel

_STEP = 16  # every so many scores are looked at to guess the last relevant one
_MANY = 1 << 18  # number of scores from which starting threads pays off


@dataclass(frozen=True)
class Entries:
    """The scores of terms in categories that are above 0, category by category; few of all terms have one."""

    categories: Longs  # ascending
    terms: Longs
    scores: Doubles
    shape: tuple[int, int]  # numbers of categories and of terms

    @staticmethod
    def of(scores: Doubles) -> Entries:
        """From a matrix, (n_categories, n_terms)."""
        categories, terms = np.nonzero(scores > 0)
        return Entries(categories, terms, scores[categories, terms], (scores.shape[0], scores.shape[1]))

    @staticmethod
    def joined(parts: Sequence[tuple[Longs, Doubles]], n_terms: int) -> Entries:
        """From the terms of each category, and their scores."""
        categories = np.repeat(np.arange(len(parts)), [len(terms) for terms, _ in parts])
        terms = np.concatenate([np.empty(0, np.int64), *(terms for terms, _ in parts)])
        scores = np.concatenate([np.empty(0), *(scores for _, scores in parts)])
        return Entries(categories, terms, scores, (len(parts), n_terms))

    @property
    def parts(self) -> list[tuple[Longs, Doubles]]:
        """The terms of each category, and their scores."""
        bounds = np.searchsorted(self.categories, np.arange(self.shape[0] + 1)).tolist()
        return [(self.terms[first:last], self.scores[first:last]) for first, last in pairwise(bounds)]

    def only(self, kept: Flags) -> Entries:
        return Entries(self.categories[kept], self.terms[kept], self.scores[kept], self.shape)

    def scores_of(self, category: int, terms: Sequence[int]) -> list[float]:
        """The scores of terms in a category; 0 for those that have none."""
        first, last = np.searchsorted(self.categories, [category, category + 1])
        places = places_in(self.terms[first:last], terms)
        return [float(self.scores[first + place - 1]) if place else 0.0 for place in places]

    def highest(self) -> Doubles:
        """The highest score of each term in any category; (n_terms,)."""
        highest = np.zeros(self.shape[1])
        np.maximum.at(highest, self.terms, self.scores)
        return highest

    def best_first(self) -> list[list[int]]:
        """The terms of each category, best first; ties are ordered by term."""
        order = np.lexsort((self.terms, -self.scores, self.categories))
        bounds = np.searchsorted(self.categories, np.arange(self.shape[0] + 1)).tolist()
        terms = self.terms[order].tolist()
        return [terms[first:last] for first, last in pairwise(bounds)]


def ranked(scores: Floats, checked: int, barred: Flags | None = None) -> list[Longs]:
    """Each category's best terms, best first, at most `checked` of them.

    Equal scores are ordered by term id, that is by frequency; a score of minus infinity is never ranked, nor is a term
    that is barred in a category.
    """

    def best(rows: slice) -> list[Longs]:
        found = []
        for number in range(rows.start, rows.stop):
            row = scores[number]
            if barred is not None and barred[number].any():
                row = np.where(barred[number], np.float32(-np.inf), row)
            terms = best_first(row, checked)
            found.append(terms[row[terms] > -np.inf])
        return found

    n_parts = available_cores() if scores.size >= _MANY else 1  # NumPy releases the GIL while sorting
    bounds = pairwise(len(scores) * part // n_parts for part in range(n_parts + 1))
    return [terms for part in in_parallel(best, [slice(*each) for each in bounds]) for terms in part]


def best_first(scores: Floats | Doubles, size: int) -> Longs:
    """Positions of the best scores, best first; ties are ordered by position."""
    candidates = np.arange(len(scores))
    if 0 < size < len(scores):
        # All that reach the last relevant score, so that ties at the cutoff are also ordered by position.
        candidates = _above_a_guess(scores, size)
        among = scores[candidates]
        candidates = candidates[among >= np.partition(among, len(among) - size)[len(among) - size]]
    return candidates[np.argsort(-scores[candidates], kind="stable")][:size]


def _above_a_guess(scores: Floats | Doubles, size: int) -> Longs:
    """Positions of at least the best scores, by the scores of a few positions: partitioning all takes four times as
    long."""
    some = scores[::_STEP]
    place = len(some) - 2 * -(-size // _STEP)
    if place > len(some) // 2:
        likely = np.flatnonzero(scores >= np.partition(some, place)[place])
        if len(likely) >= size:
            return likely
    return np.arange(len(scores))


def places_in(listed: Longs, terms: Sequence[int]) -> list[int]:
    """The place of each term in a list, from 1; 0 if it is not in it."""
    if not len(listed):
        return [0] * len(terms)
    same = listed == np.array(terms, np.int64)[:, None]
    places: list[int] = np.where(same.any(axis=1), same.argmax(axis=1) + 1, 0).tolist()
    return places


def reciprocal(places: Longs) -> Doubles:
    """1 / rank, and 0 for rank infinity, which is written as 0."""
    return np.divide(1.0, places, out=np.zeros(places.shape), where=places > 0)


def ensemble_score(reciprocal_ranks: Sequence[Doubles], rho: float, weights: Sequence[float] | None = None) -> Doubles:
    """Power mean of reciprocal ranks; Eq. (6). `rho=1` is the plain mean, `rho` near 0 the geometric mean."""
    return mean_of_powers([np.power(ranks, rho) for ranks in reciprocal_ranks], rho, weights)


def mean_of_powers(powers: Sequence[Doubles], rho: float, weights: Sequence[float] | None) -> Doubles:
    mean: Doubles = np.average(powers, axis=0, weights=weights) ** (1 / rho)
    return mean


def combined(
    rankings: Sequence[Sequence[Longs]],
    weights: Sequence[float],
    rho: float,
    n_terms: int,
    candidates: Sequence[Longs] | None = None,
) -> Entries:
    """The ensemble score of every term that is in a ranking of a category.

    A ranking has the best terms of each category, best first. `candidates` are the only terms that may have a score in
    each category, if not all may.
    """
    longest = max((len(terms) for ranking in rankings for terms in ranking), default=0)
    powers = np.power(reciprocal(np.arange(longest + 1)), rho)  # by rank
    place = np.zeros(n_terms, np.int64)
    chosen: list[Longs] = []
    by_ranking: list[list[Doubles]] = [[] for _ in rankings]
    for category, lists in enumerate(zip(*rankings, strict=True)):
        terms = np.unique(np.concatenate(lists)) if candidates is None else np.sort(candidates[category])
        chosen.append(terms)
        for own, listed in zip(by_ranking, lists, strict=True):
            place[listed] = np.arange(1, len(listed) + 1)
            own.append(powers[place[terms]])
            place[listed] = 0
    scores = mean_of_powers([np.concatenate([np.empty(0), *own]) for own in by_ranking], rho, weights)
    sizes = [len(terms) for terms in chosen]
    found = Entries(
        np.repeat(np.arange(len(sizes)), sizes),
        np.concatenate([np.empty(0, np.int64), *chosen]),
        scores,
        (len(sizes), n_terms),
    )
    return found if candidates is None else found.only(scores > 0)


def pick_best(scores: Entries, size: int) -> list[list[int]]:
    """Each term goes to the category that scores it highest, so the order of categories does not matter.

    Ties go to the first category.
    """
    highest = scores.only(scores.scores == scores.highest()[scores.terms])
    owners = np.full(scores.shape[1], scores.shape[0])
    np.minimum.at(owners, highest.terms, highest.categories)
    own = highest.only(highest.categories == owners[highest.terms])
    return [terms[:size] for terms in own.best_first()]


def pick_in_turns(scores: Entries, size: int) -> list[list[int]]:
    """Each category in turn takes its best term that is still free; Eq. (7)."""
    return taken_in_turns(scores.best_first(), size)


def taken_in_turns(orders: Iterable[Iterable[int]], size: int) -> list[list[int]]:
    """The same for the terms of each category, best first."""
    waiting = [iter(order) for order in orders]
    taken: set[int] = set()
    picked: list[list[int]] = [[] for _ in waiting]
    for _ in range(size):
        for terms, candidates in zip(picked, waiting, strict=True):
            best = next((term for term in candidates if term not in taken), None)
            if best is not None:
                taken.add(best)
                terms.append(best)
    return picked
