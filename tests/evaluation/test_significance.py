"""Significance tests, compared with values computed by hand and the properties they must have."""

from __future__ import annotations

import math

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from scipy import stats

from seetopic.errors import SettingsError
from seetopic.evaluation.significance import mark, paired_bootstrap, unpaired_t_test, z_test

shares = st.floats(0, 1).map(lambda value: round(value, 3))
runs = st.lists(shares, min_size=2, max_size=8)
shifts = st.floats(-10, 10).map(lambda value: round(value, 2))


def test_t_test_by_hand():
    # Means 2 and 4, both variances 1: t = -2 / sqrt(1/3 + 1/3), 4 degrees of freedom.
    found = unpaired_t_test([1, 2, 3], [3, 4, 5])
    assert found.difference == -2
    assert found.statistic == pytest.approx(-math.sqrt(6))
    # With 4 degrees of freedom the tail has a closed form: 1/2 - x (3 - x**2) / 4 with x = t / sqrt(4 + t**2).
    x = math.sqrt(6 / 10)
    assert found.p == pytest.approx(2 * (0.5 - x * (3 - x**2) / 4))


def test_z_test_by_hand():
    # Mean 2, variance (1 + 0 + 0 + 0 + 1) / 4.
    found = z_test([1, 2, 2, 2, 3], 1.38)
    error = math.sqrt(0.5) / math.sqrt(5)
    assert found.difference == pytest.approx(0.62)
    assert found.statistic == pytest.approx(0.62 / error)
    assert found.p == pytest.approx(math.erfc(0.62 / error / math.sqrt(2)))


def test_the_critical_value_of_the_z_test_is_at_five_percent():
    error = math.sqrt(2) / math.sqrt(2)
    found = z_test([0, 2], 1 - 1.959964 * error)
    assert found.p == pytest.approx(0.05, abs=1e-6)


@given(runs, runs)
def test_t_test_is_scipys_and_symmetric(ours, other):
    assume(len(set(ours)) > 1 and len(set(other)) > 1)
    found, turned = unpaired_t_test(ours, other), unpaired_t_test(other, ours)
    reference = stats.ttest_ind(ours, other)
    assert found.p == pytest.approx(reference.pvalue, abs=1e-9)
    assert found.statistic == pytest.approx(reference.statistic, abs=1e-6)
    assert turned.p == pytest.approx(found.p)
    assert turned.difference == pytest.approx(-found.difference)
    assert 0 <= found.p <= 1


@given(runs, runs, shifts)
def test_tests_do_not_change_where_both_sides_are_shifted(ours, other, shift):
    moved, moved_other = [value + shift for value in ours], [value + shift for value in other]
    t, z = unpaired_t_test(ours, other), z_test(ours, other[0])
    t_moved, z_moved = unpaired_t_test(moved, moved_other), z_test(moved, other[0] + shift)
    assert (t is None) == (t_moved is None)
    assert (z is None) == (z_moved is None)
    if t is not None:
        assert t_moved.p == pytest.approx(t.p, abs=1e-6)
    if z is not None:
        assert z_moved.p == pytest.approx(z.p, abs=1e-6)
        assert 0 <= z.p <= 1


@given(st.lists(st.floats(-1e9, 1e9), max_size=6), st.lists(st.floats(-1e9, 1e9), max_size=6), st.floats(-1e9, 1e9))
def test_any_numbers_have_a_p_or_none(ours, other, value):
    for found in (unpaired_t_test(ours, other), z_test(ours, value)):
        assert found is None or 0 <= found.p <= 1


@pytest.mark.parametrize(
    ("ours", "other"), [([0.5], [0.4, 0.6]), ([0.1] * 3, [0.1] * 3), ([0.1] * 3, [0.2] * 3), ([], [])]
)
def test_runs_that_say_nothing_have_no_t_test(ours, other):
    assert unpaired_t_test(ours, other) is None


@pytest.mark.parametrize("ours", [[], [0.5], [0.1, 0.1, 0.1], [0.1 + 0.2, 0.3]])
def test_runs_that_say_nothing_have_no_z_test(ours):
    assert z_test(ours, 0.4) is None


def test_one_constant_method_can_still_be_compared():
    found = unpaired_t_test([0.1, 0.1, 0.1], [0.5, 0.6, 0.7])
    assert found.statistic == pytest.approx(-0.5 / (math.sqrt(0.005) * math.sqrt(2 / 3)))


def test_bootstrap_over_topics_finds_a_clear_difference_and_no_other():
    ours = [0.8, 0.9, 0.7, 0.9, 0.8, 0.9, 0.6, 0.8, 0.9, 1.0]
    better = paired_bootstrap(ours, [value - 0.3 for value in ours])
    assert better.difference == pytest.approx(0.3)
    assert better.low == pytest.approx(0.3)
    assert better.p < 0.01
    mixed = paired_bootstrap([0.5, 0.6, 0.4, 0.7, 0.3, 0.6], [0.6, 0.5, 0.5, 0.6, 0.4, 0.5])
    assert mixed.difference == pytest.approx(0)
    assert mixed.low < 0 < mixed.high
    assert mixed.p > 0.5


def test_bootstrap_of_two_topics_by_hand():
    # The mean of two draws from 0 and 1 is 0 (1/4), 1/2 (1/2) or 1 (1/4): twice a quarter are not above 0.
    found = paired_bootstrap([1, 1], [1, 0], draws=40_000)
    assert found.difference == 0.5
    assert (found.low, found.high) == (0, 1)
    assert found.p == pytest.approx(0.5, abs=0.02)


def test_a_few_topics_never_show_more_than_that_all_agree():
    assert paired_bootstrap([1, 1, 1, 1], [0, 0, 0, 0]).p == 2 / 2**4


@given(st.lists(st.tuples(shares, shares), min_size=2, max_size=12), shifts, st.integers(0, 100))
def test_bootstrap_is_symmetric_repeatable_and_shift_invariant(pairs, shift, random_state):
    ours, other = [pair[0] for pair in pairs], [pair[1] for pair in pairs]
    found = paired_bootstrap(ours, other, random_state, draws=200)
    turned = paired_bootstrap(other, ours, random_state, draws=200)
    moved = paired_bootstrap([v + shift for v in ours], [v + shift for v in other], random_state, draws=200)
    assert found == paired_bootstrap(ours, other, random_state, draws=200)
    assert 0 < found.p <= 1
    assert found.low <= found.high
    assert turned.p == found.p
    assert (turned.low, turned.high) == pytest.approx((-found.high, -found.low), abs=1e-9)
    assert (moved.difference, moved.low, moved.high) == pytest.approx(
        (found.difference, found.low, found.high), abs=1e-9
    )


def test_topics_that_all_score_the_same_show_no_difference():
    found = paired_bootstrap([0.5, 0.7, 0.9], [0.5, 0.7, 0.9])
    assert (found.difference, found.low, found.high, found.p) == (0, 0, 0, 1)


def test_one_topic_has_no_bootstrap_and_unequal_numbers_are_refused():
    assert paired_bootstrap([0.5], [0.7]) is None
    with pytest.raises(SettingsError, match="values for 2 topics, but `other_per_topic` has values for 1;"):
        paired_bootstrap([0.5, 0.6], [0.5])
    with pytest.raises(SettingsError, match="`draws` is 0"):
        paired_bootstrap([0.5, 0.6], [0.5, 0.6], draws=0)


def test_values_that_are_no_numbers_are_refused():
    with pytest.raises(SettingsError, match="`ours` contains nan"):
        z_test([0.1, math.nan], 0.5)
    with pytest.raises(SettingsError, match="`deterministic` contains inf"):
        z_test([0.1, 0.2], math.inf)


@pytest.mark.parametrize(
    ("p", "stars"), [(None, ""), (1, ""), (0.05, ""), (0.0499, "*"), (0.01, "*"), (0.0099, "**"), (0, "**")]
)
def test_stars_are_the_papers(p, stars):
    assert mark(p) == stars
