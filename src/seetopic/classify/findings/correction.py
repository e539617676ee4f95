"""Shares of documents that truly belong to a category, when sorting errs and some documents have labels.

docs/equations.md has the formulas. A label says directly whether its document belongs; of the other documents it is
known how many were sorted into the category, and from all labels of the table how often sorting errs.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from seetopic.classify.findings.shares import ALPHA, difference_interval
from seetopic.runtime import Doubles, Longs

_POINTS, _ROUNDS = 257, 4  # at which likelihoods are computed, each time nearer to the highest
_NEGLIGIBLE = 12.0  # below the highest logarithm of a likelihood; exp(-12) is 6 in a million


@dataclass(frozen=True)
class ErrorRates:
    """How often a category is given to documents that belong to it, and to others: means and variances."""

    sensitivity: float
    false_positives: float
    spread: tuple[float, float]  # variance of each

    def sorted_into(self, true: Doubles) -> tuple[Doubles, Doubles]:
        """The share that is sorted into the category if the share `true` belongs to it, with its variance."""
        q: Doubles = self.sensitivity * true + self.false_positives * (1 - true)
        return q, self.spread[0] * true**2 + self.spread[1] * (1 - true) ** 2


@dataclass(frozen=True)
class Cells:
    """What is known about a category in each of some cells, which are periods of a group; arrays of one length."""

    true: Longs  # t: labelled as belonging to it
    labelled: Longs  # m
    given: Longs  # k: sorted into it, of those without a label
    others: Longs  # n: all those without a label

    def whole(self) -> Cells:
        """All cells together."""
        return Cells(*(each.sum(keepdims=True) for each in (self.true, self.labelled, self.given, self.others)))


def error_rates(found: int, missed: int, wrong: int, neither: int) -> ErrorRates | None:
    """The rates from labelled documents; None if these do not show that sorting finds the category at all."""
    if not (found + missed and wrong + neither):
        return None
    _, low, _ = difference_interval(found, found + missed, wrong, wrong + neither)
    if low <= 0:
        return None
    sides = ((found + 0.5, missed + 0.5), (wrong + 0.5, neither + 0.5))
    (s, f), spread = zip(*((a / (a + b), a * b / (a + b) ** 2 / (a + b + 1)) for a, b in sides), strict=True)
    return ErrorRates(s, f, spread)


def corrected(cells: Cells, rates: ErrorRates | None) -> tuple[Doubles, Doubles, Doubles]:
    """The share of each cell, pulled towards that of all cells together, with its 95 % interval.

    Documents with a label count as they are labelled, so the share of a cell with labels only is known.
    """
    most_likely, low, high = most_likely_shares(cells, rates)
    if len(most_likely) > 1:
        everywhere = float(most_likely_shares(cells.whole(), rates)[0][0])
        most_likely = pulled(cells, rates, everywhere)
    share = (cells.true + cells.others * most_likely) / (cells.labelled + cells.others)
    return np.clip(share, low, high), low, high


def log_likelihood(true: Doubles, cells: Cells, rates: ErrorRates | None) -> Doubles:
    """The logarithm of the likelihood of shares `true`, (n_cells, n_points).

    Labels are binomial. So is the number sorted into the category; as its share q is not exactly known, but has a
    beta distribution with the mean and variance that follow from the error rates, it is beta-binomial.
    """
    from scipy.special import betaln, xlog1py, xlogy

    t, m, k, n = (each[:, None].astype(np.float64) for each in (cells.true, cells.labelled, cells.given, cells.others))
    labels: Doubles = np.asarray(xlogy(t, true) + xlog1py(m - t, -true), np.float64)
    if rates is None:
        return labels
    q, variance = rates.sorted_into(true)
    size = q * (1 - q) / variance - 1
    a, b = size * q, size * (1 - q)
    both: Doubles = labels + betaln(a + k, b + n - k) - betaln(a, b)
    return both


def most_likely_shares(cells: Cells, rates: ErrorRates | None) -> tuple[Doubles, Doubles, Doubles]:
    """The most likely share of each cell, and the most likely shares that together hold 95 % of the likelihood.

    Likelihoods are computed at angles, arcsin sqrt(share), where a count of documents says as much about rare
    categories as about frequent ones; then again, where they are not negligible.
    """
    first, last = np.zeros(len(cells.true)), np.full(len(cells.true), np.pi / 2)
    for _ in range(_ROUNDS):
        angles = np.linspace(first, last, _POINTS, axis=1)
        shares: Doubles = np.square(np.sin(angles))
        logs = log_likelihood(shares, cells, rates)
        logs -= logs.max(axis=1, keepdims=True)
        matters = logs > -_NEGLIGIBLE
        left, right = matters.argmax(axis=1), _POINTS - 1 - matters[:, ::-1].argmax(axis=1)
        rows = np.arange(len(angles))
        first, last = angles[rows, np.maximum(left - 1, 0)], angles[rows, np.minimum(right + 1, _POINTS - 1)]
    # An area is a likelihood times a width; at both ends, half of the width is outside.
    areas = np.exp(logs) * np.gradient(shares, axis=1) * np.where(np.arange(_POINTS) % (_POINTS - 1), 1.0, 0.5)
    highest = np.argsort(-logs, axis=1, kind="stable")
    sums = np.take_along_axis(areas, highest, axis=1).cumsum(axis=1)
    needed = np.empty(logs.shape, bool)
    np.put_along_axis(
        needed, highest, sums - np.take_along_axis(areas, highest, axis=1) < (1 - ALPHA) * sums[:, -1:], 1
    )
    low, high = needed.argmax(axis=1), _POINTS - 1 - needed[:, ::-1].argmax(axis=1)
    return shares[rows, logs.argmax(axis=1)], shares[rows, low], shares[rows, high]


def pulled(cells: Cells, rates: ErrorRates | None, everywhere: float) -> Doubles:
    """Shares of the cells, the more pulled towards the share of all cells, the less a cell's documents say.

    A meta-analysis with random effects (DerSimonian and Laird 1986): how much cells truly differ is estimated from how
    much they differ beyond chance.
    """
    unsure = everywhere * (1 - everywhere)
    if not unsure:
        return np.full(len(cells.true), everywhere)
    t, m, k, n = (each.astype(np.float64) for each in (cells.true, cells.labelled, cells.given, cells.others))
    information, score = m / unsure, (t - m * everywhere) / unsure
    if rates is not None and 0 < k.sum() < n.sum():
        # An error in the rates shifts all cells alike, so that sorted documents count against those of all cells.
        q, rise = k.sum() / n.sum(), rates.sensitivity - rates.false_positives
        information = information + n * rise**2 / (q * (1 - q))
        score = score + (k - n * q) * rise / (q * (1 - q))
    known = information > 0
    w = information[known]
    own = score[known] / w  # how far the cell's own share is from that of all cells
    room = w.sum() - (w**2).sum() / w.sum() if len(w) > 1 else 0.0
    variance = max(0.0, ((w * own**2).sum() - (len(w) - 1)) / room) if room > 0 else 0.0
    shares = np.full(len(cells.true), everywhere)
    shares[known] += own * variance / (variance + 1 / w)
    within: Doubles = np.clip(shares, 0.0, 1.0)
    return within
