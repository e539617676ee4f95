"""Local vectors against the equations written out densely, and against the exact factorisation."""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Iterator

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from seetopic.local.factorise import (
    Counts,
    Sparse,
    context_pmi,
    document_pmi,
    factorise,
    keep_probability,
    left_factor,
)
from seetopic.progress import silent
from seetopic.settings import LocalSettings
from seetopic.tally import tally

WINDOW = 2
Documents = list[list[int]]  # term ids


def counts_of(documents: Documents, n_terms: int) -> Counts:
    """Counted the plain way."""
    pairs = [
        min(left, right) * n_terms + max(left, right)
        for document in documents
        for place, left in enumerate(document)
        for right in document[place + 1 : place + 1 + WINDOW]
    ]
    held = [[(number, document.count(term)) for number, document in enumerate(documents)] for term in range(n_terms)]
    postings = [[(number, count) for number, count in row if count] for row in held]
    return Counts(
        term_counts=np.array([sum(count for _, count in row) for row in postings], np.int64),
        pairs=tally(np.array(pairs, np.int64)),
        posting_starts=np.cumsum([0, *map(len, postings)]),
        posting_documents=np.array([number for row in postings for number, _ in row], np.int32),
        posting_counts=np.array([count for row in postings for _, count in row], np.int32),
        n_documents=len(documents),
    )


def dense(matrix: Sparse) -> np.ndarray:
    full = np.zeros((len(matrix.starts) - 1, matrix.n_columns))
    for row, (first, last) in enumerate(itertools.pairwise(matrix.starts)):
        full[row, matrix.columns[first:last]] = matrix.values[first:last]
    return full


def sparse(full: np.ndarray) -> Sparse:
    rows, columns = np.nonzero(full)
    starts = np.searchsorted(rows, np.arange(len(full) + 1))
    return Sparse(starts, columns.astype(np.int32), full[rows, columns].astype(np.float32), full.shape[1])


def positive_log(odds: np.ndarray) -> np.ndarray:
    return np.log(np.maximum(odds, 1.0))


def context_pmi_written_out(documents: Documents, kept: np.ndarray, smoothing: float) -> np.ndarray:
    """Every term sees every other term at most WINDOW apart, itself included; thinned by what is kept of either."""
    seen = np.zeros((len(kept), len(kept)))
    for document in documents:
        for place, term in enumerate(document):
            for other, context in enumerate(document):
                if other != place and abs(other - place) <= WINDOW:
                    seen[term, context] += kept[term] * kept[context]
    contexts = seen.sum(axis=0) ** smoothing
    contexts /= max(contexts.sum(), 1e-300)  # smoothed P(context)
    given_term = seen / np.maximum(seen.sum(axis=1, keepdims=True), 1e-300)  # P(context | term)
    full = positive_log(given_term / np.maximum(contexts, 1e-300))
    return full / max(np.linalg.norm(full), 1e-300)


def document_pmi_written_out(documents: Documents, kept: np.ndarray) -> np.ndarray:
    joint = np.array([[kept[term] * document.count(term) for document in documents] for term in range(len(kept))])
    joint /= joint.sum()
    by_chance = np.outer(joint.sum(axis=1), joint.sum(axis=0))
    return positive_log(joint / np.maximum(by_chance, 1e-300))


def exact_vectors(blocks: list[np.ndarray], rank: int) -> np.ndarray:
    """U sqrt(S) of the whole matrix, by numpy, rows to unit length."""
    left, values, _ = np.linalg.svd(np.hstack(blocks), full_matrices=False)
    values[values < 1e-6 * values.max()] = 0
    vectors = (left * np.sqrt(values))[:, :rank]
    lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
    return np.divide(vectors, lengths, out=np.zeros_like(vectors), where=lengths > 1e-6)


def similarities(vectors: np.ndarray) -> np.ndarray:
    """Cosines of all pairs: what matters, while directions and signs are arbitrary."""
    return vectors @ vectors.T


def some_documents(n_terms: int, n_documents: int, length: int, seed: int = 0) -> Documents:
    """Every term occurs; some far more often than others."""
    drawn = np.random.default_rng(seed).zipf(1.3, (n_documents, length)) % n_terms
    return [*drawn.tolist(), list(range(n_terms))]


def planted_documents(n_topics: int, terms_each: int, n_documents: int, seed: int = 0) -> Documents:
    """Each document draws its terms from one topic; topic i owns the ids from i * terms_each."""
    chance = np.random.default_rng(seed)
    return [
        (number % n_topics * terms_each + chance.integers(0, terms_each, 12)).tolist() for number in range(n_documents)
    ]


small_corpora = st.lists(st.lists(st.integers(0, 5), min_size=1, max_size=8), min_size=1, max_size=6).map(
    lambda documents: [*documents, *([term] for term in range(6))]  # each occurs, some without a neighbour
)


@pytest.fixture(autouse=True)
def threads_as_before() -> Iterator[None]:
    before = torch.get_num_threads()
    yield
    torch.set_num_threads(before)


# Weights.


def test_a_term_above_the_threshold_keeps_what_word2vec_keeps_of_it():
    counts = np.array([900, 90, 10])
    shares = np.array([0.9, 0.09, 0.01])
    expected = np.minimum(1, (np.sqrt(shares / 0.05) + 1) * 0.05 / shares)  # as in word2vec's source
    np.testing.assert_allclose(keep_probability(counts, 0.05), expected)
    assert expected[0] < expected[1] == expected[2] == 1


def test_nothing_is_thinned_without_subsampling():
    assert keep_probability(np.array([5, 1]), 0).tolist() == [1, 1]


@given(small_corpora, st.sampled_from([0.75, 1.0, 0.0]), st.sampled_from([0, 0.05]))
@settings(max_examples=60, deadline=None)
def test_context_pmi_is_the_equation(documents, smoothing, subsample):
    counts = counts_of(documents, 6)
    kept = keep_probability(counts.term_counts, subsample)
    found = dense(context_pmi(counts.pairs, kept, smoothing))
    np.testing.assert_allclose(found, context_pmi_written_out(documents, kept, smoothing), atol=1e-5)


@given(small_corpora, st.sampled_from([0, 0.05]))
@settings(max_examples=60, deadline=None)
def test_document_pmi_is_the_equation(documents, subsample):
    counts = counts_of(documents, 6)
    kept = keep_probability(counts.term_counts, subsample)
    np.testing.assert_allclose(dense(document_pmi(counts, kept)), document_pmi_written_out(documents, kept), atol=1e-5)


def test_the_context_matrix_has_norm_1():
    counts = counts_of(some_documents(20, 30, 10), 20)
    found = context_pmi(counts.pairs, keep_probability(counts.term_counts, 1e-3), 0.75)
    assert np.linalg.norm(found.values) == pytest.approx(1)


@pytest.mark.parametrize("size", range(2, 40))
def test_pmi_of_nothing_but_rounding_is_no_entry(size):
    # One document: each term's share in it is its share in all. One term: all its contexts are its own.
    one_document = counts_of([[term for term in range(size) for _ in range(term + 1)]], size)
    assert document_pmi(one_document, keep_probability(one_document.term_counts, 1e-3)).values.size == 0
    one_term = counts_of([[0] * size], 1)
    assert context_pmi(one_term.pairs, np.array([0.1]), 0.75).values.size == 0


# The factorisation.


@pytest.mark.parametrize(
    ("n_terms", "n_columns", "rank"),
    [(30, 50, 5), (30, 50, 29), (40, 8, 6), (12, 300, 12)],
    ids=["low rank", "nearly full", "fewer columns than terms", "full rank"],
)
def test_vectors_are_those_of_the_exact_factorisation(n_terms, n_columns, rank):
    chance = np.random.default_rng(0)
    blocks = [chance.random((n_terms, n_columns)) * (chance.random((n_terms, n_columns)) < 0.3) for _ in range(2)]
    found = left_factor(
        [sparse(block) for block in blocks], LocalSettings(rank=rank, power_iterations=20), 0, "cpu", silent
    )
    assert found.shape == (n_terms, rank)
    assert found.dtype == np.float32
    np.testing.assert_allclose(similarities(found), similarities(exact_vectors(blocks, rank)), atol=1e-3)


def test_directions_that_the_documents_do_not_have_are_not_made_of_rounding():
    # Rank 2 in truth, but 64 asked for: fourth roots would show the rounding of the other 62, most of all in
    # terms of little weight.
    chance = np.random.default_rng(0)
    block = chance.random((100, 2)) @ chance.random((2, 80))
    block[50:] *= 1e-3
    found = left_factor([sparse(block)], LocalSettings(rank=64), 0, "cpu", silent)
    np.testing.assert_allclose(similarities(found), similarities(exact_vectors([block], 64)), atol=1e-3)


def test_the_whole_is_its_parts_put_together():
    documents = some_documents(25, 60, 10)
    kept = keep_probability(counts_of(documents, 25).term_counts, 1e-3)
    by_documents = document_pmi_written_out(documents, kept)
    blocks = [context_pmi_written_out(documents, kept, 0.75), 2.5 * by_documents / np.linalg.norm(by_documents)]
    chosen = LocalSettings(rank=10, window=WINDOW, power_iterations=20, document_weight=2.5)
    found = factorise(counts_of(documents, 25), chosen, 0, "cpu", silent)
    np.testing.assert_allclose(similarities(found), similarities(exact_vectors(blocks, 10)), atol=1e-3)


def test_without_document_weight_only_neighbours_count():
    documents = some_documents(25, 60, 10)
    kept = keep_probability(counts_of(documents, 25).term_counts, 1e-3)
    chosen = LocalSettings(rank=10, power_iterations=20, document_weight=0)
    found = factorise(counts_of(documents, 25), chosen, 0, "cpu", silent)
    expected = exact_vectors([context_pmi_written_out(documents, kept, 0.75)], 10)
    np.testing.assert_allclose(similarities(found), similarities(expected), atol=1e-3)


def test_rows_have_length_1():
    vectors = factorise(counts_of(some_documents(50, 80, 10), 50), LocalSettings(rank=16), 0, "cpu", silent)
    np.testing.assert_allclose(np.linalg.norm(vectors, axis=1), 1, atol=1e-5)


def test_terms_of_one_topic_are_nearest_each_other():
    counts = counts_of(planted_documents(4, 10, 200), 40)
    cosines = similarities(factorise(counts, LocalSettings(rank=8), 0, "cpu", silent))
    np.fill_diagonal(cosines, -1)
    nearest = np.argsort(-cosines, axis=1)[:, :9]
    assert (nearest // 10 == np.arange(40)[:, None] // 10).all()


def test_another_random_state_gives_nearly_the_same_neighbours():
    counts = counts_of(planted_documents(4, 10, 200), 40)
    one, other = (similarities(factorise(counts, LocalSettings(rank=4), state, "cpu", silent)) for state in (0, 12345))
    np.testing.assert_allclose(one, other, atol=0.01)


def test_the_same_bytes_twice_and_for_any_number_of_threads():
    counts = counts_of(some_documents(400, 300, 15), 400)

    def run(threads: int) -> bytes:
        torch.set_num_threads(threads)
        vectors = factorise(counts, LocalSettings(rank=32), 7, "cpu", silent)
        assert torch.get_num_threads() == threads
        return vectors.tobytes()

    assert run(1) == run(1) == run(2) == run(3)


# The edges.


def test_a_rank_beyond_the_number_of_terms_gives_as_many_directions_as_terms():
    vectors = factorise(counts_of(some_documents(12, 30, 8), 12), LocalSettings(rank=256), 0, "cpu", silent)
    assert vectors.shape == (12, 12)
    np.testing.assert_allclose(np.linalg.norm(vectors, axis=1), 1, atol=1e-5)


@pytest.mark.parametrize("weight", [0, 1])
@pytest.mark.parametrize("alone", [[[20]], [[20, 20, 20]], [[20], [20, 20]]], ids=["once", "with itself", "twice"])
def test_a_term_that_never_meets_another_has_a_zero_row(alone, weight):
    documents = [*some_documents(20, 30, 8), *alone]
    vectors = factorise(counts_of(documents, 21), LocalSettings(document_weight=weight), 0, "cpu", silent)
    assert (vectors[20] == 0).all()
    np.testing.assert_allclose(np.linalg.norm(vectors[:20], axis=1), 1, atol=1e-5)


def test_a_row_without_entries_is_zero_wherever_it_stands():
    block = np.random.default_rng(0).random((40, 30))
    block[[0, 17, 39]] = 0
    vectors = left_factor([sparse(block)], LocalSettings(rank=8), 0, "cpu", silent)
    assert np.flatnonzero((vectors == 0).all(axis=1)).tolist() == [0, 17, 39]


@pytest.mark.parametrize("weight", [0, 1])
def test_one_document_of_one_term_has_one_zero_row(weight):
    vectors = factorise(counts_of([[0]], 1), LocalSettings(document_weight=weight), 0, "cpu", silent)
    assert vectors.tolist() == [[0]]


def test_one_document_is_enough_for_neighbours():
    # 0 and 1 keep to each other, and so do 4 and 5, three places and more away.
    vectors = factorise(counts_of([[0, 1] * 4 + [2, 3] * 4 + [4, 5] * 4], 6), LocalSettings(), 0, "cpu", silent)
    cosines = similarities(vectors)
    assert min(cosines[0, 1], cosines[4, 5]) > 0.5 > max(cosines[0, 4], cosines[1, 5])


def test_progress_rises_to_the_total():
    told: list[tuple[str, int, int | None]] = []
    counts = counts_of(some_documents(20, 30, 8), 20)
    factorise(counts, LocalSettings(power_iterations=3), 0, "cpu", lambda *report: told.append(report))
    assert told == [("local vectors", done, 4) for done in range(5)]


def test_the_plain_counts_of_these_tests_are_right():
    counts = counts_of([[0, 1, 0], [1]], 2)
    assert counts.term_counts.tolist() == [2, 2]
    assert dict(zip(counts.pairs.keys.tolist(), counts.pairs.counts.tolist(), strict=True)) == Counter({1: 2, 0: 1})
    assert (counts.posting_starts.tolist(), counts.posting_documents.tolist()) == ([0, 1, 3], [0, 0, 1])
    assert counts.posting_counts.tolist() == [2, 1, 1]
