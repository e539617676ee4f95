"""Algorithm 1 on vectors whose right answer is obvious."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from seetopic.discovery import discover_terms, starting_terms
from seetopic.evidence.general import GeneralEvidence
from seetopic.evidence.local import LocalEvidence
from seetopic.evidence.similarity import mean_similarity
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


def test_starting_terms_are_the_nearest_ones_taken_in_turns():
    similarity = np.array([[0.9, 0.8, 0.1, 0.0], [0.95, 0.2, 0.3, -0.5]], np.float32)
    assert starting_terms(similarity, [[], []], 2) == [[0, 1], [2, 3]]


def test_a_name_that_is_a_term_starts_its_own_category_even_if_it_is_nearer_to_another():
    similarity = np.array([[0.9, 0.99, 0.1], [0.95, 0.2, 0.3]], np.float32)
    assert starting_terms(similarity, [[], [1]], 1) == [[0], [1]]


def test_each_category_finds_its_own_bundle():
    vectors = clusters(3, 8, seed=1)
    similarity = np.eye(3, 12, dtype=np.float32) @ vectors.T
    evidence = [GeneralEvidence(vectors), LocalEvidence(clusters(3, 8, seed=2))]
    found = discover_terms(similarity, [[], [], []], evidence, SETTINGS)
    assert [{term // 8 for term in terms} for terms in found.terms] == [{0}, {1}, {2}]


def test_scores_fall_within_a_topic():
    vectors = clusters(3, 8, seed=1)
    evidence = [GeneralEvidence(vectors), LocalEvidence(clusters(3, 8, seed=2))]
    found = discover_terms(vectors[[0, 8, 16]] @ vectors.T, [[], [], []], evidence, SETTINGS)
    for category, terms in enumerate(found.terms):
        scores = found.scores[category, terms].tolist()
        assert scores == sorted(scores, reverse=True)


def test_the_result_has_as_many_terms_as_asked_for_even_beyond_the_last_iterations_size():
    vectors = clusters(2, 12, seed=1)
    settings = replace(SETTINGS, top=11, growth=1, iterations=1, checked_ranks=24)
    found = discover_terms(vectors[[0, 12]] @ vectors.T, [[], []], [GeneralEvidence(vectors)], settings)
    assert [len(terms) for terms in found.terms] == [11, 11]


def test_ranks_say_where_each_evidence_has_the_term():
    vectors = clusters(1, 5, seed=1)
    found = discover_terms(vectors[[0]] @ vectors.T, [[0]], [GeneralEvidence(vectors)], replace(SETTINGS, iterations=1))
    assert sorted(found.ranks["general"][0].tolist()) == [1, 2, 3, 4, 5]
