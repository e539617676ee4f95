"""The order of a topic's terms: each adds documents to those before it."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from scipy.sparse import csc_array, csr_array

from seetopic.discovery.algorithm import Discovered
from seetopic.discovery.constraints import Constraints
from seetopic.discovery.coverage import _ELSEWHERE, _WEIGHT, covering
from seetopic.discovery.ranking import Entries


def found_with(scores: list[float], top: int) -> Discovered:
    deep = [list(np.argsort(-np.array(scores), kind="stable"))]
    return Discovered([deep[0][:top]], deep, Entries.of(np.array([scores])), {})


def written_out(scores, documents, shares, n_fixed, top):
    """The same, as the definition says it."""
    order, covered = list(range(n_fixed)), np.zeros(len(documents), bool)
    for place in order:
        covered |= documents[:, place] > 0
    worth, most = shares - _ELSEWHERE, None
    while len(order) < min(top, len(scores)):
        rest = [place for place in range(len(scores)) if place not in order]
        added = {
            place: max(sum(w for d, w in enumerate(worth) if documents[d, place] and not (covered[d] and w > 0)), 0.0)
            for place in rest
        }
        most = most or max(added.values())
        products = {place: scores[place] * ((1 + added[place]) / (1 + most)) ** _WEIGHT for place in rest}
        best = max(rest, key=lambda place: (round(products[place], 9), -place))
        order.append(best)
        covered |= documents[:, best] > 0
    return order


def test_the_second_term_is_not_another_word_for_the_first():
    documents = csc_array([[1, 1, 0], [1, 1, 0], [0, 0, 1], [0, 0, 1]])
    found = covering(found_with([0.9, 0.8, 0.7], 3), documents, np.ones((4, 1)), Constraints.none(1, 3), 3)
    assert found.terms == [[0, 2, 1]]


def test_documents_of_other_categories_count_against_a_term():
    documents = csc_array([[1, 0], [0, 1], [0, 1], [0, 1], [0, 1], [0, 1]])
    shares = np.array([[1.0], [1.0], [0.0], [0.0], [0.0], [0.0]])
    found = covering(found_with([0.5, 0.51], 2), documents, shares, Constraints.none(1, 2), 2)
    assert found.terms == [[0, 1]]


def test_fixed_terms_stay_first():
    documents = csc_array([[0, 1], [0, 1], [0, 0]])
    fixed = Constraints(((0,),), np.zeros((1, 2), bool))
    found = covering(found_with([1.0, 0.9], 2), documents, np.ones((3, 1)), fixed, 2)
    assert found.terms == [[0, 1]]
    assert found.scores.scores_of(0, [0]) == [1.0]


@given(st.integers(0, 10_000), st.integers(1, 8), st.integers(0, 2))
def test_the_order_is_that_of_the_definition_and_scores_fall_in_it(state, top, n_fixed):
    chance = np.random.default_rng(state)
    documents = (chance.random((12, 8)) < 0.4).astype(float)
    scores = np.sort(chance.random(8))[::-1].copy()
    shares = chance.random(12)
    constraints = Constraints((tuple(range(n_fixed)),), np.zeros((1, 8), bool))
    sparse = csr_array(documents).tocsc()
    found = covering(found_with(scores.tolist(), top), sparse, shares[:, None], constraints, top)
    expected = written_out(scores, documents, shares, n_fixed, top)
    assert found.deep[0][: len(expected)] == expected
    shown = found.scores.scores_of(0, found.terms[0])[n_fixed:]
    assert (np.diff(shown) <= 1e-12).all()
    longer = covering(found_with(scores.tolist(), 8), sparse, shares[:, None], constraints, 8)
    assert longer.terms[0][: len(found.terms[0])] == found.terms[0]
