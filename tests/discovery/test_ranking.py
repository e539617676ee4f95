"""Ranks, their power mean, and terms taken in turns."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from seetopic.discovery.ranking import Entries, combined, pick_best, pick_in_turns, ranked, reciprocal

matrices = hnp.arrays(
    np.float64,
    hnp.array_shapes(min_dims=2, max_dims=2, max_side=8),
    elements=st.sampled_from([0.0, 0.1, 0.5, 0.5, 0.9]),
)


def ranks_of(scores, checked):
    places = np.zeros(scores.shape, np.int64)
    for own, terms in zip(places, ranked(scores, checked), strict=True):
        own[terms] = np.arange(1, len(terms) + 1)
    return places


def ranks_written_out(row: list[float], checked: int) -> list[int]:
    order = sorted(range(len(row)), key=lambda term: (-row[term], term))[:checked]
    return [order.index(term) + 1 if term in order else 0 for term in range(len(row))]


def pick_written_out(scores: np.ndarray, size: int) -> list[list[int]]:
    """Algorithm 1, lines 14 to 16, word for word."""
    picked: list[list[int]] = [[] for _ in scores]
    for _ in range(size):
        for category, row in enumerate(scores):
            free = [term for term in range(len(row)) if row[term] > 0 and not any(term in terms for terms in picked)]
            if free:
                picked[category].append(max(free, key=lambda term: (row[term], -term)))
    return picked


@given(matrices, st.integers(1, 10))
def test_ranks_are_those_of_a_plain_sort(scores, checked):
    expected = [ranks_written_out(row.tolist(), checked) for row in scores]
    assert ranks_of(scores.astype(np.float32), checked).tolist() == expected


@given(st.integers(0, 10_000), st.sampled_from([1, 7, 40, 2000]), st.sampled_from([0.0, 0.1, 0.99]))
def test_of_many_terms_the_best_that_are_not_barred_are_those_of_a_plain_sort(state, checked, share):
    chance = np.random.default_rng(state)
    scores = chance.choice(np.append(chance.normal(size=400), [0.0, -0.0, -np.inf]), (3, 1500)).astype(np.float32)
    barred = chance.random(scores.shape) < share
    allowed = np.where(barred, -np.inf, scores)
    expected = [np.argsort(-row, kind="stable")[:checked] for row in allowed]
    for terms, row, best in zip(ranked(scores, checked, barred), allowed, expected, strict=True):
        assert terms.tolist() == best[row[best] > -np.inf].tolist()


def test_equal_scores_rank_in_the_order_of_term_ids():
    assert ranks_of(np.array([[0.5, 0.9, 0.5, 0.5]], np.float32), 3).tolist() == [[2, 1, 3, 0]]


def test_beyond_the_checked_ranks_the_reciprocal_is_zero():
    assert reciprocal(np.array([[1, 4, 0]])).tolist() == [[1.0, 0.25, 0.0]]


def score_of(term, rankings, rho):
    entries = combined([[np.array(terms)] for terms in rankings], [1.0] * len(rankings), rho, 40)
    return entries.scores_of(0, [term])[0]


def test_with_rho_1_the_score_is_the_mean_of_reciprocal_ranks():
    assert score_of(0, [[0], [1, 0]], rho=1.0) == pytest.approx((1 + 1 / 2) / 2)


def test_with_rho_near_0_the_score_is_the_geometric_mean():
    assert score_of(0, [[0], [1, 2, 3, 0]], rho=1e-6) == pytest.approx((1 * 1 / 4) ** 0.5, rel=1e-4)


def test_a_small_rho_lets_each_ranking_veto():
    rankings = [[0, *range(2, 20), 1], [*range(20, 39), 1]]
    assert score_of(0, rankings, rho=0.1) == pytest.approx(0.5**10)  # first in one ranking, absent from the other
    assert score_of(1, rankings, rho=0.1) == pytest.approx(1 / 20)  # the twentieth in both


@given(matrices, st.integers(0, 6))
def test_turns_are_those_of_the_algorithm_written_out(scores, size):
    assert pick_in_turns(Entries.of(scores), size) == pick_written_out(scores, size)


@given(matrices, st.integers(0, 6))
def test_no_term_is_in_two_categories(scores, size):
    taken = [term for terms in pick_in_turns(Entries.of(scores), size) for term in terms]
    assert len(taken) == len(set(taken))


def test_a_term_with_score_zero_is_never_picked():
    assert pick_in_turns(Entries.of(np.array([[0.9, 0.0, 0.4]])), size=3) == [[0, 2]]


def test_a_score_of_minus_infinity_takes_no_place():
    scores = np.array([[1.0, -np.inf, 2.0], [-np.inf, -np.inf, -np.inf]], np.float32)
    assert ranks_of(scores, 10).tolist() == [[2, 0, 1], [0, 0, 0]]
    assert ranks_of(scores, 2).tolist() == [[2, 0, 1], [0, 0, 0]]


@given(matrices, st.integers(0, 10))
def test_the_best_are_those_of_a_plain_sort(scores, size):
    owners = scores.argmax(axis=0)
    written_out = [
        sorted((term for term in range(len(row)) if owners[term] == category and row[term] > 0), key=lambda t: -row[t])
        for category, row in enumerate(scores)
    ]
    assert pick_best(Entries.of(scores), size) == [terms[:size] for terms in written_out]


@given(matrices, st.integers(1, 10), st.booleans())
def test_combined_rankings_have_the_ensemble_score_of_every_ranked_term(scores, checked, has_veto):
    other = scores[:, ::-1].astype(np.float32)
    kinds = [ranked(scores.astype(np.float32), checked), ranked(other, checked)]
    places = [ranks_of(scores.astype(np.float32), checked), ranks_of(other, checked)]
    powers = [reciprocal(each) ** 0.1 for each in places]
    expected = np.average(powers, axis=0, weights=[1.0, 2.0]) ** (1 / 0.1)  # Eq. (6)
    candidates = None
    if has_veto:  # of a ranking that has no weight itself
        vetoing = -other
        candidates, linked = ranked(vetoing, 2), ranks_of(vetoing, 2) > 0
        expected[~linked] = 0.0
    found, n_terms = np.zeros(scores.shape), scores.shape[1]
    entries = combined(kinds, [1.0, 2.0], 0.1, n_terms, candidates)
    found[entries.categories, entries.terms] = entries.scores
    np.testing.assert_array_equal(found, expected)
