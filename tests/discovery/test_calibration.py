"""Shares as probabilities: together with that of none they add up to 1, and they match how often they are right."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from seetopic.discovery.calibration import estimated_accuracy, power_for, shares_with_none
from seetopic.discovery.self_training import shares


@given(st.integers(1, 4), st.integers(0, 3), st.floats(0.05, 1.0), st.integers(0, 9))
def test_shares_add_up_to_1_with_none_among_them_and_keep_their_order(n_names, n_residual, power, seed):
    scores = np.random.default_rng(seed).normal(size=(12, n_names + n_residual))
    plain, raised = shares_with_none(scores, n_names, 0.7), shares_with_none(scores, n_names, 0.7, power)
    assert raised.shape == (12, n_names + 1)
    assert raised.sum(axis=1) == pytest.approx(1)
    assert (raised.argmax(axis=1) == plain.argmax(axis=1)).all()
    expected = shares(scores, 0.7)
    assert plain[:, :n_names] == pytest.approx(expected[:, :n_names])
    assert plain[:, -1] == pytest.approx(expected[:, n_names:].sum(axis=1))


def test_the_power_brings_the_largest_shares_to_the_accuracy():
    scores = 2 * np.random.default_rng(0).normal(size=(500, 6))
    for accuracy in (0.5, 0.6, 0.7):
        power = power_for(shares_with_none(scores, 4, 0.7), accuracy)
        assert shares_with_none(scores, 4, 0.7, power).max(axis=1).mean() == pytest.approx(accuracy, abs=0.01)


def test_shares_are_never_made_steeper():
    scores = 0.1 * np.random.default_rng(0).normal(size=(500, 6))
    assert power_for(shares_with_none(scores, 4, 0.7), 0.99) == 1.0


def test_what_agrees_with_the_names_is_taken_for_right():
    scores = np.random.default_rng(0).normal(size=(500, 4))
    same = estimated_accuracy(scores, scores, 4, 0.7)
    other = estimated_accuracy(scores, np.random.default_rng(1).normal(size=(500, 4)), 4, 0.7)
    assert other.read < 0.1 < 0.98 < same.read <= 1
    assert other.by_terms < other.read
