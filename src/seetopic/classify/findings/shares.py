"""Shares of documents with 95 % intervals, and tests of their differences.

Drawing documents with replacement changes a share only through the number of documents drawn from the category, so the
bootstrap over documents is known without drawing: Rubin's (1981) is a beta distribution. Half a document is added to
both sides, as by Jeffreys, which keeps the coverage near 95 % for rare categories too (Brown, Cai and DasGupta 2001).
"""

from __future__ import annotations

from typing import Any

import numpy as np

from seetopic.runtime import Doubles, Longs

ALPHA = 0.05  # the error rate of intervals, and of all tests in a table together
_EXACT_BELOW = 25  # expected documents below which the likelihood ratio is not yet distributed as chi-squared


def interval(given: Any, documents: Any) -> tuple[Doubles, Doubles]:
    """The 95 % interval of each share `given / documents`."""
    from scipy.stats import beta

    k, n = np.asarray(given, np.float64), np.asarray(documents, np.float64)
    low, high = (beta.ppf(share, k + 0.5, n - k + 0.5) for share in (ALPHA / 2, 1 - ALPHA / 2))
    return np.where(k > 0, low, 0.0), np.where(k < n, high, 1.0)


def difference_interval(
    given: Any, documents: Any, other_given: Any, other_documents: Any
) -> tuple[Doubles, Doubles, Doubles]:
    """The difference of two shares, with an interval made of theirs (Newcombe 1998, method 10)."""
    share, other = (
        np.asarray(each, np.float64) / of for each, of in ((given, documents), (other_given, other_documents))
    )
    low, high = interval(given, documents)
    other_low, other_high = interval(other_given, other_documents)
    difference = share - other
    below, above = np.hypot(share - low, other_high - other), np.hypot(high - share, other - other_low)
    return difference, difference - below, difference + above


def likelihood_ratio(k1: Any, n1: Any, k2: Any, n2: Any) -> Doubles:
    """The statistic G of a difference between two shares; chi-squared with one degree of freedom if there is none."""
    from scipy.special import xlogy

    cells = np.stack(np.broadcast_arrays(k1, np.subtract(n1, k1), k2, np.subtract(n2, k2))).astype(np.float64)
    columns, rows = cells[:2] + cells[2:], np.stack([cells[0] + cells[1], cells[2] + cells[3]])
    total = rows.sum(axis=0)
    g: Doubles = 2 * (
        xlogy(cells, cells).sum(axis=0)
        - xlogy(columns, columns).sum(axis=0)
        - xlogy(rows, rows).sum(axis=0)
        + xlogy(total, total)
    )
    return np.maximum(g, 0.0)


def difference_test(k1: Longs, n1: Longs, k2: Longs, n2: Longs) -> Doubles:
    """Two-sided p of a difference between two shares: a likelihood ratio test, or Fisher's if documents are few."""
    from scipy.stats import chi2, hypergeom

    k1, n1, k2, n2 = (np.asarray(each, np.int64) for each in np.broadcast_arrays(k1, n1, k2, n2))
    p: Doubles = np.array(chi2.sf(likelihood_ratio(k1, n1, k2, n2), 1))
    k, n = k1 + k2, n1 + n2
    few = np.minimum(k, n - k) * np.minimum(n1, n2) < _EXACT_BELOW * n
    # SciPy adds up as many terms as there are draws, so the same table is turned until these are few.
    own, k1 = np.where(n1 <= n2, n1, n2)[few], np.where(n1 <= n2, k1, k2)[few]
    marked = np.where(2 * k > n, n - k, k)[few]
    k1 = np.where((2 * k > n)[few], own - k1, k1)
    table = n[few], np.maximum(own, marked), np.minimum(own, marked)
    p[few] = np.minimum(1.0, 2 * np.minimum(hypergeom.cdf(k1, *table), hypergeom.sf(k1 - 1, *table)))
    return p


def holm(p: Doubles) -> Doubles:
    """p-values corrected for their number: the chance of any false alarm is at most the bound (Holm 1979)."""
    order = np.argsort(p, kind="stable")
    corrected = np.empty(len(p))
    corrected[order] = np.minimum(1.0, np.maximum.accumulate(p[order] * np.arange(len(p), 0, -1)))
    return corrected
