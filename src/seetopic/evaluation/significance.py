"""Tests whether one method is significantly better than another (Section 4.2)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from seetopic.errors import SettingsError
from seetopic.runtime import Doubles

DRAWS = 10_000


@dataclass(frozen=True)
class TestedDifference:
    """The result of a two-tailed test of a difference in means."""

    difference: float  # ours - other
    statistic: float
    p: float


@dataclass(frozen=True)
class TopicDifference:
    """A difference in means over topics, with the middle 95% of its bootstrap draws."""

    difference: float  # ours - other
    low: float
    high: float
    p: float


def unpaired_t_test(ours: Sequence[float], other: Sequence[float]) -> TestedDifference | None:
    """Student's two-tailed t-test of two methods' runs, assuming equal variances.

    None if it is undefined: a method has fewer than two runs, or neither method's runs differ.
    """
    left, right = _values(ours, "ours"), _values(other, "other")
    if len(left) < 2 or len(right) < 2 or not (_spread(left) or _spread(right)):
        return None
    from scipy import stats  # here, because it takes half a second to load

    result = stats.ttest_ind_from_stats(
        left.mean(), _spread(left), len(left), right.mean(), _spread(right), len(right), equal_var=True
    )
    return TestedDifference(float(left.mean() - right.mean()), float(result.statistic), float(result.pvalue))


def z_test(ours: Sequence[float], deterministic: float) -> TestedDifference | None:
    """A two-tailed Z-test of the mean of our runs against the value of a deterministic method.

    None if it is undefined: there are fewer than two runs, or all of them are the same.
    """
    runs = _values(ours, "ours")
    _values([deterministic], "deterministic")
    if len(runs) < 2 or not _spread(runs):
        return None
    difference = float(runs.mean() - deterministic)
    statistic = difference / (_spread(runs) / len(runs) ** 0.5)
    from scipy import stats

    return TestedDifference(difference, statistic, float(2 * stats.norm.sf(abs(statistic))))


def paired_bootstrap(
    ours_per_topic: Sequence[float], other_per_topic: Sequence[float], random_state: int = 0, *, draws: int = DRAWS
) -> TopicDifference | None:
    """The mean difference over topics, which are drawn with replacement. None for fewer than two topics.

    p is twice the share of draws on the other side of 0, but at least that of a sign test in which all topics
    agree, 2 / 2**n: draws from a few topics cannot show more than the topics themselves.
    """
    ours, other = _values(ours_per_topic, "ours_per_topic"), _values(other_per_topic, "other_per_topic")
    if len(ours) != len(other):
        raise SettingsError(
            f"`ours_per_topic` has values for {len(ours)} topics, but `other_per_topic` has values for {len(other)}; "
            "pass values for the same topics"
        )
    if draws < 1:
        raise SettingsError(f"`draws` is {draws}, but must be at least 1")
    if len(ours) < 2:
        return None
    differences = ours - other
    chance = np.random.default_rng(random_state)
    times_drawn = chance.multinomial(len(ours), np.full(len(ours), 1 / len(ours)), size=draws)
    means = times_drawn @ differences / len(ours)
    low, high = np.percentile(means, [2.5, 97.5])
    # Add one to both counts: no number of draws can show a p of 0.
    beyond = min((means <= 0).sum(), (means >= 0).sum())
    share = 2 * (beyond + 1) / (draws + 1)
    p = min(1.0, max(share, 2.0 ** (1 - len(ours))))
    return TopicDifference(float(differences.mean()), float(low), float(high), float(p))


def mark(p: float | None) -> str:
    """The paper's stars: ** for p < .01, * for p < .05."""
    if p is None or p >= 0.05:
        return ""
    return "**" if p < 0.01 else "*"


def _values(values: Sequence[float], name: str) -> Doubles:
    result = np.asarray(values, dtype=np.float64)
    if not np.isfinite(result).all():
        raise SettingsError(f"`{name}` contains {result[~np.isfinite(result)][0]}; give finite numbers only")
    return result


def _spread(values: Doubles) -> float:
    """The sample standard deviation; 0 if values differ only by rounding."""
    rounding = 1e-12 * max(np.abs(values).max(), 1e-100)
    return float(values.std(ddof=1)) if np.ptp(values) > rounding else 0.0
