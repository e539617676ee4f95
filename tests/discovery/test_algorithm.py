"""Algorithm 1 on vectors whose right answer is obvious."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from seetopic.discovery.algorithm import Constraints, discover_terms, starting_terms
from seetopic.discovery.evidence.general import GeneralEvidence
from seetopic.discovery.evidence.local import LocalEvidence
from seetopic.discovery.evidence.similarity import mean_similarity
from seetopic.settings import DiscoverySettings

SETTINGS = DiscoverySettings(top=4, growth=2, iterations=2, checked_ranks=20)


def clusters(n_clusters: int, size: int, seed: int) -> np.ndarray:
    """Unit vectors in tight, far-apart bundles: terms i * size ... belong to bundle i."""
    chance = np.random.default_rng(seed)
    centres = np.repeat(np.eye(n_clusters, 12), size, axis=0)
    vectors = centres + 0.1 * chance.standard_normal(centres.shape)
    return (vectors / np.linalg.norm(vectors, axis=1, keepdims=True)).astype(np.float32)


def test_mean_similarity_is_the_mean_of_cosines():
    vectors = clusters(2, 3, seed=0)
    expected = [
        [np.mean([vectors[w] @ vectors[other] for other in terms]) for w in range(6)] for terms in ([0, 1], [4])
    ]
    assert mean_similarity(vectors, [[0, 1], [4]]) == pytest.approx(np.array(expected), abs=1e-6)


def test_a_category_without_terms_scores_zero_and_not_nan():
    assert mean_similarity(clusters(2, 3, seed=0), [[], [1]])[0].tolist() == [0.0] * 6


def no_constraints(n_categories: int, n_terms: int, fixed: dict[int, tuple[int, ...]] | None = None) -> Constraints:
    own = tuple((fixed or {}).get(category, ()) for category in range(n_categories))
    return Constraints(own, np.zeros((n_categories, n_terms), np.bool_))


def test_starting_terms_are_the_nearest_ones_taken_in_turns():
    similarity = np.array([[0.9, 0.8, 0.1, 0.0], [0.95, 0.2, 0.3, -0.5]], np.float32)
    turns = replace(SETTINGS, assignment="turns")
    assert starting_terms(similarity, no_constraints(2, 4), turns) == [[0, 1], [2, 3]]


def test_starting_terms_go_to_the_name_they_are_nearest_to():
    similarity = np.array([[0.9, 0.8, 0.1, 0.0], [0.95, 0.2, 0.3, -0.5]], np.float32)
    assert starting_terms(similarity, no_constraints(2, 4), SETTINGS) == [[1, 3], [0, 2]]


@pytest.mark.parametrize("assignment", ["best", "turns"])
def test_a_name_that_is_a_term_starts_its_own_category_even_if_it_is_nearer_to_another(assignment):
    similarity = np.array([[0.9, 0.99, 0.1], [0.95, 0.2, 0.3]], np.float32)
    settings = replace(SETTINGS, growth=1, assignment=assignment)
    assert starting_terms(similarity, no_constraints(2, 3, {1: (1,)}), settings)[1] == [1]


def found_in(vectors, similarity, constraints=None, settings=SETTINGS, local_seed=2, names=None):
    n_categories, n_terms = similarity.shape
    names = np.zeros((n_categories, vectors.shape[1]), np.float32) if names is None else names
    general = GeneralEvidence(vectors, names)
    local = LocalEvidence(clusters(n_categories, n_terms // n_categories, seed=local_seed))
    constraints = constraints or no_constraints(n_categories, n_terms)
    return discover_terms(similarity, constraints, [(general, 1.0), (local, 1.0)], settings)


@pytest.mark.parametrize("assignment", ["best", "turns"])
def test_each_category_finds_its_own_bundle(assignment):
    vectors = clusters(3, 8, seed=1)
    settings = replace(SETTINGS, assignment=assignment)
    found = found_in(vectors, np.eye(3, 12, dtype=np.float32) @ vectors.T, settings=settings)
    assert [{term // 8 for term in terms} for terms in found.terms] == [{0}, {1}, {2}]


def test_scores_fall_within_a_topic():
    vectors = clusters(3, 8, seed=1)
    found = found_in(vectors, vectors[[0, 8, 16]] @ vectors.T)
    for category, terms in enumerate(found.terms):
        scores = found.scores.scores_of(category, terms)
        assert scores == sorted(scores, reverse=True)


def test_the_result_has_as_many_terms_as_asked_for_even_beyond_the_last_iterations_size():
    vectors = clusters(2, 12, seed=1)
    settings = replace(SETTINGS, top=11, growth=1, iterations=1, checked_ranks=24)
    found = found_in(vectors, vectors[[0, 12]] @ vectors.T, settings=settings)
    assert [len(terms) for terms in found.terms] == [11, 11]


def test_ranks_say_where_each_evidence_has_the_term():
    vectors = clusters(1, 5, seed=1)
    found = found_in(vectors, vectors[[0]] @ vectors.T, no_constraints(1, 5, {0: (0,)}))
    assert sorted(ranks["general"] for ranks in found.ranks(0, range(5))) == [1, 2, 3, 4, 5]


def test_the_order_of_names_changes_nothing():
    vectors = clusters(4, 10, seed=3)
    similarity = vectors[[0, 10, 20, 30]] @ vectors.T
    local = LocalEvidence(clusters(4, 10, seed=4))
    names = vectors[[0, 10, 20, 30]]
    shuffle = [2, 0, 3, 1]

    def terms(order: list[int]) -> list[list[int]]:
        general = GeneralEvidence(vectors, names[order], name_pull=1.0, contrast=0.5)
        return discover_terms(similarity[order], no_constraints(4, 40), [(general, 1.0), (local, 1.0)], SETTINGS).terms

    straight = terms([0, 1, 2, 3])
    assert terms(shuffle) == [straight[category] for category in shuffle]


def test_a_fixed_term_is_always_first_and_in_no_other_category():
    vectors = clusters(2, 6, seed=1)
    found = found_in(vectors, vectors[[0, 6]] @ vectors.T, no_constraints(2, 12, {0: (8, 3)}))
    assert found.terms[0][:2] == [8, 3]
    assert not {8, 3} & set(found.terms[1])


def test_a_barred_term_never_appears():
    vectors = clusters(2, 6, seed=1)
    barred = np.zeros((2, 12), np.bool_)
    barred[0, [0, 1]] = True
    found = found_in(vectors, vectors[[0, 6]] @ vectors.T, Constraints(((), ()), barred))
    assert not {0, 1} & set(found.terms[0])


@pytest.mark.parametrize("weight", [1.0, 0.0])
def test_the_language_model_has_a_veto_whatever_its_ranking_is_called_and_weighs(weight):
    """Terms 4 to 7 belong to this category by use, but the language model sees no link to the name."""
    general = np.eye(8, 12, dtype=np.float32)
    general[:4, 0] = 1
    general /= np.linalg.norm(general, axis=1, keepdims=True)
    local = np.ones((8, 4), np.float32) / 2
    model = GeneralEvidence(general, general[:1], name="another")
    evidence = [*([(model, weight)] if weight else []), (LocalEvidence(local), 5.0)]
    settings = replace(SETTINGS, top=8, checked_ranks=4)
    found = discover_terms(general[:1] @ general.T, no_constraints(1, 8), evidence, settings, veto=model)
    assert set(found.terms[0]) == {0, 1, 2, 3}
