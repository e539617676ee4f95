"""Terms of doubtful topics are ordered by their names as well."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from planted import NAMES
from seetopic import Index
from seetopic.discovery import run as running
from seetopic.discovery.algorithm import Discovered
from seetopic.discovery.constraints import Constraints
from seetopic.discovery.doubtful import may_have_drifted, nearer_to_names
from seetopic.discovery.ranking import Entries
from seetopic.discovery.run import run_of


def found_with(scores: list[list[float]]) -> Discovered:
    """Each category has the terms that have a score there, best first."""
    entries = Entries.of(np.array(scores))
    deep = entries.best_first()
    return Discovered([terms[:3] for terms in deep], deep, entries, {})


def test_the_mean_of_two_ranks_orders_terms_and_fixed_ones_stay_first():
    found = found_with([[0.9, 0.8, 0.7, 0.6, 0.5], [0.0, 0.0, 0.0, 0.0, 1.0]])
    similarity = np.array([[0.0, 0.1, 0.2, 0.9, 0.5], [0.5] * 5], np.float32)
    fixed = Constraints(((0,), ()), np.zeros((2, 5), bool))
    moved = nearer_to_names(found, np.array([True, False]), similarity, fixed, top=3)
    # Without the fixed term, ranks 0 1 2 3 by evidence and 3 2 0 1 by the name, for terms 1 to 4.
    assert moved.deep == [[0, 3, 1, 2, 4], [4]]
    assert moved.terms == [[0, 3, 1], [4]]
    assert moved.scores.scores_of(0, moved.deep[0]) == [0.9, 0.8, 0.7, 0.6, 0.5]


@given(st.lists(st.floats(0.01, 1.0), min_size=1, max_size=12), st.integers(0, 12), st.integers(0, 2**32))
def test_terms_and_scores_stay_the_same_and_scores_fall(scores, n_fixed, seed):
    found = found_with([scores])
    fixed = tuple(found.deep[0][:n_fixed])
    similarity = np.random.default_rng(seed).random((1, len(scores)), np.float32)
    constraints = Constraints((fixed,), np.zeros((1, len(scores)), bool))
    moved = nearer_to_names(found, np.array([True]), similarity, constraints, top=3)
    assert sorted(moved.deep[0]) == sorted(found.deep[0])
    assert tuple(moved.deep[0][: len(fixed)]) == fixed
    shown = moved.scores.scores_of(0, moved.deep[0])
    assert shown == sorted(shown, reverse=True)
    assert sorted(shown) == pytest.approx(sorted(scores))


def test_terms_that_are_nearer_to_another_name_or_theme_have_drifted():
    names = np.array([[0.6, 0.6, 0.3, 0.3], [0.1, 0.1, 0.6, 0.6]], np.float32)
    elsewhere, here = np.array([[0.0, 0.0, 0.5, 0.5]], np.float32), np.array([[0.5, 0.5, 0.0, 0.0]], np.float32)
    apart, alike = np.eye(4, dtype=np.float32), np.ones((4, 1), np.float32)
    assert may_have_drifted(names, 2, apart, [[0, 1], [0, 1]]).tolist() == [False, True]
    assert may_have_drifted(names, 2, apart, [[2, 3], []]).tolist() == [True, True]
    # A single name is compared with themes; two names are not.
    alone = [may_have_drifted(np.vstack([names[:1], theme]), 1, apart, [[0, 1]])[0] for theme in (elsewhere, here)]
    assert alone == [False, True]
    assert not may_have_drifted(np.vstack([names, here]), 2, apart, [[0, 1], [2, 3]])[0]
    # Terms that documents use alike may be a little nearer to others.
    assert not may_have_drifted(np.vstack([names[:1], here]), 1, alike, [[0, 1]])[0]


@pytest.mark.parametrize("asked", [NAMES[:2], NAMES])
def test_only_doubtful_topics_of_names_that_leave_something_out_change(index: Index, asked, monkeypatch):
    plain = run_of(index, asked)
    monkeypatch.setattr(running, "may_have_drifted", lambda similarity, n_names, *_: np.ones(n_names, bool))
    doubted = run_of(index, asked)
    assert (len(plain.uncovered.centres) == 0) == (asked == NAMES)
    assert (plain.found.deep == doubted.found.deep) == (asked == NAMES)
    assert [set(terms) for terms in plain.found.deep] == [set(terms) for terms in doubted.found.deep]
