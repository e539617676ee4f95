"""Combines rankings into exclusive topics: reciprocal ranks, their power mean, one category per term."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import chain, pairwise

import numpy as np

from seetopic.runtime import Doubles, Flags, Floats, Longs, available_cores, in_parallel

_STEP = 16  # every so many scores are looked at to guess the last relevant one
_ALL_BUT_SIGN = np.int32(0x7FFFFFFF)
_POSITION = 0xFFFFFFFF  # the lower half of 64 bits
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

    def best_first(self, size: int | None = None) -> list[list[int]]:
        """The terms of each category, best first, at most `size` of them; ties are ordered by term."""
        found = []
        for terms, scores in self.parts:
            if size is not None and 0 < size < len(terms):  # sorting only those that reach the last one is faster
                reach = scores >= np.partition(scores, -size)[-size]
                terms, scores = terms[reach], scores[reach]
            found.append(terms[np.lexsort((terms, -scores))][:size].tolist())
        return found


def ranked(scores: Floats, checked: int, barred: Flags | None = None) -> list[Longs]:
    """Each category's best terms, best first, at most `checked` of them.

    Equal scores are ordered by term id, that is by frequency; a score of minus infinity is never ranked, nor is a term
    that is barred in a category.
    """

    def best(rows: slice) -> list[Longs]:
        found = []
        for number in range(rows.start, rows.stop):
            terms = best_first(scores[number], checked, None if barred is None else barred[number])
            found.append(terms[scores[number, terms] > -np.inf])
        return found

    n_parts = available_cores() if scores.size >= _MANY else 1  # NumPy releases the GIL while sorting
    bounds = pairwise(len(scores) * part // n_parts for part in range(n_parts + 1))
    return [terms for part in in_parallel(best, [slice(*each) for each in bounds]) for terms in part]


def best_first(scores: Floats, size: int, barred: Flags | None = None) -> Longs:
    """Positions of the best scores, best first, without those that are barred; ties are ordered by position."""
    candidates = _above_a_guess(scores, size, barred)
    # One integer per candidate, which NumPy sorts much faster than pairs: the score's bits, then the position. As
    # integers, the bits of floats are in the same order, except that those of negative floats are in the opposite one.
    bits = (scores[candidates] + np.float32(0)).view(np.int32)  # 0 is added because -0 has other bits
    falling = ~(bits ^ ((bits >> 31) & _ALL_BUT_SIGN))
    keys = (falling.astype(np.int64) << 32) | candidates
    keys.sort()
    return keys[:size] & _POSITION


def _above_a_guess(scores: Floats, size: int, barred: Flags | None) -> Longs:
    """Positions of at least the best scores, by the scores of a few positions: sorting all takes many times as long."""
    some, expected = scores[::_STEP], -(-size // _STEP)
    place = len(some) - expected - int(4 * expected**0.5)  # four standard deviations more than expected
    if place > len(some) // 2:
        likely = _allowed(np.flatnonzero(scores >= np.partition(some, place)[place]), barred)
        if len(likely) >= size:
            return likely
    return _allowed(np.arange(len(scores)), barred)


def _allowed(positions: Longs, barred: Flags | None) -> Longs:
    return positions if barred is None else positions[~barred[positions]]


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


def combined(
    rankings: Sequence[Sequence[Longs]],
    weights: Sequence[float],
    rho: float,
    n_terms: int,
    candidates: Sequence[Longs] | None = None,
) -> Entries:
    """The ensemble score of every term that is in a ranking of a category; Eq. (6).

    It is the power mean of reciprocal ranks: with `rho` 1 the plain mean, with `rho` near 0 the geometric mean. A
    ranking has the best terms of each category, best first. `candidates` are the only terms that may have a score in
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
    powers_of_terms = [np.concatenate([np.empty(0), *own]) for own in by_ranking]
    scores: Doubles = np.average(powers_of_terms, axis=0, weights=weights) ** (1 / rho)
    sizes = [len(terms) for terms in chosen]
    found = Entries(
        np.repeat(np.arange(len(sizes)), sizes),
        np.concatenate([np.empty(0, np.int64), *chosen]),
        scores,
        (len(sizes), n_terms),
    )
    return found if candidates is None else found.only(scores > 0)


def pick_best(scores: Entries, size: int, last: Flags | None = None) -> list[list[int]]:
    """Each term goes to the category that scores it highest, so the order of categories does not matter.

    Ties go to the first category. Some categories may come `last`: they pick from what the others leave.
    """
    if last is not None and last.any() and not last.all():
        comes_last = last[scores.categories]
        first = pick_best(scores.only(~comes_last), size)
        taken = np.zeros(scores.shape[1], np.bool_)
        taken[list(chain.from_iterable(first))] = True
        rest = pick_best(scores.only(comes_last & ~taken[scores.terms]), size)
        return [own or others for own, others in zip(first, rest, strict=True)]
    highest = scores.only(scores.scores == scores.highest()[scores.terms])
    owners = np.full(scores.shape[1], scores.shape[0])
    np.minimum.at(owners, highest.terms, highest.categories)
    own = highest.only(highest.categories == owners[highest.terms])
    return own.best_first(size)


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
