"""Combines rankings into exclusive topics: reciprocal ranks, their power mean, one category per term."""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor

import numpy as np

from seetopic.runtime import Doubles, Floats, Longs, available_cores

_MANY = 1 << 20  # number of scores from which starting threads pays off


def ranked(scores: Floats, checked: int) -> list[Longs]:
    """Each category's best terms, best first, at most `checked` of them.

    Equal scores are ordered by term id, that is by frequency; a score of minus infinity is never ranked.
    """

    def best(row: Floats) -> Longs:
        found = best_first(row, checked)
        return found[row[found] > -np.inf]

    if scores.size < _MANY:
        return [best(row) for row in scores]
    with ThreadPoolExecutor(available_cores()) as pool:  # NumPy releases the GIL while sorting
        return list(pool.map(best, scores))


def placed(best: Sequence[Longs], n_terms: int) -> Longs:
    """The rank of each term in each category's list, 0 if it is not in the list."""
    result = np.zeros((len(best), n_terms), np.int64)
    for places, terms in zip(result, best, strict=True):
        places[terms] = np.arange(1, len(terms) + 1)
    return result


def best_first(scores: Floats | Doubles, size: int) -> Longs:
    """Positions of the best scores, best first; ties are ordered by position."""
    candidates = np.arange(len(scores))
    if 0 < size < len(scores):
        # All that reach the last relevant score, so that ties at the cutoff are also ordered by position.
        limit = np.partition(scores, len(scores) - size)[len(scores) - size]
        candidates = np.flatnonzero(scores >= limit)
    return candidates[np.argsort(-scores[candidates], kind="stable")][:size]


def reciprocal(places: Longs) -> Doubles:
    """1 / rank, and 0 for rank infinity."""
    return np.divide(1.0, places, out=np.zeros(places.shape), where=places > 0)


def ensemble_score(reciprocal_ranks: Sequence[Doubles], rho: float, weights: Sequence[float] | None = None) -> Doubles:
    """Power mean of reciprocal ranks; Eq. (6). `rho=1` is the plain mean, `rho` near 0 the geometric mean."""
    scores = np.zeros(reciprocal_ranks[0].shape)
    ranked = np.any([ranks > 0 for ranks in reciprocal_ranks], axis=0)  # few terms are in any ranking
    powers = [np.power(ranks[ranked], rho) for ranks in reciprocal_ranks]
    scores[ranked] = np.average(powers, axis=0, weights=weights) ** (1 / rho)
    return scores


def pick_best(scores: Doubles, size: int) -> list[list[int]]:
    """Each term goes to the category that scores it highest, so the order of categories does not matter.

    A term with score 0 is never picked; ties go to the first category.
    """
    owners = scores.argmax(axis=0)
    picked = []
    for category, row in enumerate(scores):
        own = np.flatnonzero((owners == category) & (row > 0))
        picked.append(own[best_first(row[own], size)].tolist())
    return picked


def pick_in_turns(scores: Doubles, size: int) -> list[list[int]]:
    """Each category in turn takes its best term that is still free; Eq. (7). A term with score 0 is never picked."""
    orders = [np.flatnonzero(row > 0)[np.argsort(-row[row > 0], kind="stable")].tolist() for row in scores]
    waiting = [iter(order) for order in orders]
    taken: set[int] = set()
    picked: list[list[int]] = [[] for _ in orders]
    for _ in range(size):
        for terms, candidates in zip(picked, waiting, strict=True):
            best = next((term for term in candidates if term not in taken), None)
            if best is not None:
                taken.add(best)
                terms.append(best)
    return picked
