"""Periods in which a share rises or falls more than chance explains.

Neighbouring periods are merged, the most alike first, until every two neighbours differ. The result consists of
comparisons of one run of periods with the next; the error rate is divided by the number of all such comparisons, so
that the chance of any false alarm, in all categories and groups together, is at most 5 % whichever runs are chosen.
"""

from __future__ import annotations

from math import comb

import numpy as np

from seetopic.classify.findings.shares import ALPHA, difference_test, likelihood_ratio
from seetopic.runtime import Longs


def comparisons(n_periods: int) -> int:
    """How many pairs of neighbouring runs of periods there are."""
    return comb(n_periods + 1, 3)


def change_points(given: Longs, documents: Longs, n_tests: int) -> list[int]:
    """The places at which a run of periods with another share begins; `documents` are all positive."""
    from scipy.stats import chi2

    level = ALPHA / max(n_tests, 1)
    enough = float(chi2.isf(level, 1))
    k = np.concatenate([[0], np.cumsum(given)])
    n = np.concatenate([[0], np.cumsum(documents)])
    bounds = list(range(len(documents) + 1))
    while len(bounds) > 2:
        differences = likelihood_ratio(*_runs(k, n, bounds))
        if differences.min() >= enough:
            break
        del bounds[int(differences.argmin()) + 1]
    _move(bounds, k, n)
    while len(bounds) > 2:
        p = difference_test(*_runs(k, n, bounds))
        if p.max() <= level:
            break
        del bounds[int(p.argmax()) + 1]
    return bounds[1:-1]


def _runs(k: Longs, n: Longs, bounds: list[int]) -> tuple[Longs, Longs, Longs, Longs]:
    """The documents of the runs to the left and right of each inner bound."""
    given, documents = np.diff(k[bounds]), np.diff(n[bounds])
    return given[:-1], documents[:-1], given[1:], documents[1:]


def _move(bounds: list[int], k: Longs, n: Longs) -> None:
    """Move each bound to where the runs beside it differ most; merging may have missed it by a period."""
    for place in range(1, len(bounds) - 1):
        low, high = bounds[place - 1], bounds[place + 1]
        inner = np.arange(low + 1, high)
        left, right = (k[inner] - k[low], n[inner] - n[low]), (k[high] - k[inner], n[high] - n[inner])
        bounds[place] = int(inner[np.argmax(likelihood_ratio(*left, *right))])
