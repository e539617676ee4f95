"""Local vectors, compared with dense equations and with the exact factorisation."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from seetopic.runtime.disk_counts import Band, Scratch
from seetopic.runtime.engine import LocalEngine
from seetopic.runtime.progress import Progress, silent
from seetopic.settings import LocalSettings
from seetopic.vectors.cooccurrence import Block, blocks_of, neighbours
from seetopic.vectors.local.factorise import context_matrix, document_matrix, factorise, left_factor
from seetopic.vectors.local.pmi import (
    ContextPmi,
    DocumentPmi,
    Rows,
    context_pmi,
    document_pmi,
    document_rows,
    keep_probability,
)

WINDOW = 2
ENGINE = LocalEngine(1)
Documents = list[list[int]]  # term ids


@pytest.fixture
def scratch(tmp_path) -> Scratch:
    return Scratch(tmp_path / "scratch", 5)


class Counts(NamedTuple):
    term_counts: np.ndarray
    neighbours: list[Band]
    blocks: list[Block]


def counts_of(documents: Documents, n_terms: int, scratch: Scratch, block: int = 7) -> Counts:
    """Counts as a build makes them, in small blocks and bands."""
    folder = scratch.folder.parent / "index"
    folder.mkdir(exist_ok=True)
    terms = [term for document in documents for term in document]
    np.save(folder / "documents.npy", np.array(terms, np.int32))
    np.save(folder / "starts.npy", np.cumsum([0, *map(len, documents)]))
    blocks = blocks_of(folder / "documents.npy", folder / "starts.npy", block)
    bands = neighbours(ENGINE, blocks, n_terms, WINDOW, scratch.subdir("neighbours"))
    return Counts(np.bincount(terms, minlength=n_terms), bands, blocks)


def dense_of(multiply: Callable[[torch.Tensor], torch.Tensor], size: int) -> np.ndarray:
    return multiply(torch.eye(size)).numpy()


def dense_contexts(matrix: ContextPmi) -> np.ndarray:
    """X_ww as a dense matrix; checks that its transpose is stored with it."""
    found = dense_of(lambda one: matrix._times("rows", one), matrix.n_columns)
    np.testing.assert_array_equal(found.T, dense_of(lambda one: matrix._times("columns", one), matrix.n_columns))
    return found


def dense_documents(matrix: DocumentPmi, n_terms: int) -> np.ndarray:
    """X_wd as a dense matrix, scaled; checks that both of its forms are equal."""
    parts = []
    for number in range(matrix.n_parts):
        by_document, by_term, held = document_rows(matrix.folder, number)
        part = dense_of(by_document.__matmul__, n_terms).T
        again = np.zeros_like(part)
        again[np.load(held)] = dense_of(by_term.__matmul__, part.shape[1])
        np.testing.assert_array_equal(part, again)
        parts.append(part)
    return np.hstack(parts) * matrix.scale


@dataclass(frozen=True)
class Plain:
    """A dense matrix in place of one on disk, for tests."""

    full: np.ndarray
    folder: Path
    scale: float = 1.0

    @property
    def n_columns(self) -> int:
        return self.full.shape[1]

    @property
    def transposed(self) -> list[Rows]:
        rows, columns = np.nonzero(self.full.T)
        kept = Rows(self.folder, f"plain-{id(self)}")
        starts = np.searchsorted(rows, np.arange(self.n_columns + 1))
        kept.write(starts, columns.astype(np.int32), self.full.T[rows, columns].astype(np.float32))
        return [kept]

    def squared(self, dense: torch.Tensor) -> torch.Tensor:
        whole = torch.from_numpy(self.full).float()
        return whole @ (whole.T @ dense)


def named(n_terms: int, prefix: str = "") -> list[str]:
    return [f"{prefix}{number}" for number in range(n_terms)]


def plain_factor(blocks: list[np.ndarray], chosen: LocalSettings, folder: Path) -> np.ndarray:
    matrices = [Plain(block, folder) for block in blocks]
    return left_factor(matrices, named(len(blocks[0])), chosen, "cpu", ENGINE, silent)


def factorised(
    counts: Counts,
    chosen: LocalSettings,
    engine: LocalEngine,
    scratch: Scratch,
    progress: Progress = silent,
    prefix: str = "",
) -> np.ndarray:
    contexts = context_matrix(engine, counts.neighbours, counts.term_counts, chosen, scratch.folder / "contexts")
    documents, isolated = document_matrix(
        engine, counts.blocks, counts.term_counts, chosen, scratch.folder / "documents"
    )
    terms = named(len(counts.term_counts), prefix)
    return factorise(contexts, documents, isolated, terms, chosen, "cpu", engine, progress)


def vectors_of(
    documents: Documents, n_terms: int, scratch: Scratch, chosen: LocalSettings, prefix: str = "", block: int = 100
) -> np.ndarray:
    return factorised(counts_of(documents, n_terms, scratch, block), chosen, ENGINE, scratch, prefix=prefix)


def positive_log(odds: np.ndarray) -> np.ndarray:
    return np.log(np.maximum(odds, 1.0))


def context_pmi_written_out(documents: Documents, kept: np.ndarray, smoothing: float) -> np.ndarray:
    """Counts of terms at most WINDOW apart, including a term with itself, thinned by both terms' subsampling."""
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
    """U sqrt(S) of the whole matrix, computed by NumPy, with rows of unit length."""
    left, values, _ = np.linalg.svd(np.hstack(blocks), full_matrices=False)
    values[values < 1e-6 * values.max()] = 0
    vectors = (left * np.sqrt(values))[:, :rank]
    lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
    return np.divide(vectors, lengths, out=np.zeros_like(vectors), where=lengths > 1e-6)


def similarities(vectors: np.ndarray) -> np.ndarray:
    """Cosines of all pairs, which matter, unlike the arbitrary directions and signs."""
    return vectors @ vectors.T


def some_documents(n_terms: int, n_documents: int, length: int, seed: int = 0) -> Documents:
    """Documents in which every term occurs, some far more often than others."""
    drawn = np.random.default_rng(seed).zipf(1.3, (n_documents, length)) % n_terms
    return [*drawn.tolist(), list(range(n_terms))]


def planted_documents(n_topics: int, terms_each: int, n_documents: int, seed: int = 0) -> Documents:
    """Each document draws its terms from one topic; topic i has the ids from i * terms_each on."""
    chance = np.random.default_rng(seed)
    return [
        (number % n_topics * terms_each + chance.integers(0, terms_each, 12)).tolist() for number in range(n_documents)
    ]


small_corpora = st.lists(st.lists(st.integers(0, 5), min_size=1, max_size=8), min_size=1, max_size=6).map(
    lambda documents: [*documents, *([term] for term in range(6))]  # all of them occur, some without neighbours
)


@pytest.fixture(autouse=True)
def threads_as_before() -> Iterator[None]:
    before = torch.get_num_threads()
    yield
    torch.set_num_threads(before)


# Weights


def test_a_term_above_the_threshold_keeps_what_word2vec_keeps_of_it():
    counts = np.array([900, 90, 10])
    shares = np.array([0.9, 0.09, 0.01])
    expected = np.minimum(1, (np.sqrt(shares / 0.05) + 1) * 0.05 / shares)  # as in word2vec's source
    np.testing.assert_allclose(keep_probability(counts, 0.05), expected)
    assert expected[0] < expected[1] == expected[2] == 1


def test_nothing_is_thinned_without_subsampling():
    assert keep_probability(np.array([5, 1]), 0).tolist() == [1, 1]


def fresh_scratch(tmp_path_factory: pytest.TempPathFactory) -> Scratch:
    return Scratch(tmp_path_factory.mktemp("local") / "scratch", 5)


@pytest.mark.slow
@given(small_corpora, st.sampled_from([0.75, 1.0, 0.0]), st.sampled_from([0, 0.05]))
def test_context_pmi_is_the_equation(tmp_path_factory, documents, smoothing, subsample):
    scratch = fresh_scratch(tmp_path_factory)
    counts = counts_of(documents, 6, scratch)
    kept = keep_probability(counts.term_counts, subsample)
    found = dense_contexts(context_pmi(ENGINE, counts.neighbours, kept, smoothing, scratch.folder))
    np.testing.assert_allclose(found, context_pmi_written_out(documents, kept, smoothing), atol=1e-5)


@pytest.mark.slow
@given(small_corpora, st.sampled_from([0, 0.05]))
def test_document_pmi_is_the_equation(tmp_path_factory, documents, subsample):
    scratch = fresh_scratch(tmp_path_factory)
    counts = counts_of(documents, 6, scratch)
    kept = keep_probability(counts.term_counts, subsample)
    matrix, _ = document_pmi(ENGINE, counts.blocks, counts.term_counts, kept, scratch.folder, 2.0)
    expected = document_pmi_written_out(documents, kept)
    norm = np.linalg.norm(expected)
    found = dense_documents(matrix, 6)
    np.testing.assert_allclose(found, 2.0 * expected / norm if norm > 0 else expected, atol=1e-5)


@pytest.mark.slow
@given(small_corpora)
def test_squared_is_the_matrix_times_its_transpose(tmp_path_factory, documents):
    scratch = fresh_scratch(tmp_path_factory)
    counts = counts_of(documents, 6, scratch)
    kept = keep_probability(counts.term_counts, 1e-3)
    contexts = context_pmi(ENGINE, counts.neighbours, kept, 0.75, scratch.folder / "contexts")
    documents_too, _ = document_pmi(ENGINE, counts.blocks, counts.term_counts, kept, scratch.folder / "documents", 1.0)
    dense = torch.from_numpy(np.random.default_rng(0).random((6, 3), dtype=np.float32))
    for matrix, full in ((contexts, dense_contexts(contexts)), (documents_too, dense_documents(documents_too, 6))):
        np.testing.assert_allclose(matrix.squared(dense).numpy(), full @ full.T @ dense.numpy(), atol=1e-5)


def test_the_context_matrix_has_norm_1(scratch):
    counts = counts_of(some_documents(20, 30, 10), 20, scratch)
    kept = keep_probability(counts.term_counts, 1e-3)
    found = dense_contexts(context_pmi(ENGINE, counts.neighbours, kept, 0.75, scratch.folder))
    assert np.linalg.norm(found) == pytest.approx(1)


@pytest.mark.parametrize("size", range(2, 40))
def test_pmi_of_nothing_but_rounding_is_no_entry(scratch, size):
    # In a single document every term has its overall share; a single term is its only context.
    one_document = counts_of([[term for term in range(size) for _ in range(term + 1)]], size, scratch)
    kept = keep_probability(one_document.term_counts, 1e-3)
    matrix, _ = document_pmi(ENGINE, one_document.blocks, one_document.term_counts, kept, scratch.folder, 1.0)
    assert matrix.scale == 0
    one_term = counts_of([[0] * size], 1, scratch)
    assert context_pmi(ENGINE, one_term.neighbours, np.array([0.1]), 0.75, scratch.folder).scale == 0


# The factorisation


@pytest.mark.parametrize(
    ("n_terms", "n_columns", "rank"),
    [(30, 50, 5), (30, 50, 29), (40, 8, 6), (12, 300, 12)],
    ids=["low rank", "nearly full", "fewer columns than terms", "full rank"],
)
def test_vectors_are_those_of_the_exact_factorisation(tmp_path, n_terms, n_columns, rank):
    chance = np.random.default_rng(0)
    blocks = [chance.random((n_terms, n_columns)) * (chance.random((n_terms, n_columns)) < 0.3) for _ in range(2)]
    found = plain_factor(blocks, LocalSettings(rank=rank), tmp_path)
    assert found.shape == (n_terms, rank)
    assert found.dtype == np.float32
    np.testing.assert_allclose(similarities(found), similarities(exact_vectors(blocks, rank)), atol=1e-3)


def test_directions_that_the_documents_do_not_have_are_not_made_of_rounding(tmp_path):
    # The true rank is 2, but 64 is requested: fourth roots would magnify the rounding errors of the other 62, most
    # of all in terms with little weight.
    chance = np.random.default_rng(0)
    block = chance.random((100, 2)) @ chance.random((2, 80))
    block[50:] *= 1e-3
    found = plain_factor([block], LocalSettings(rank=64), tmp_path)
    np.testing.assert_allclose(similarities(found), similarities(exact_vectors([block], 64)), atol=1e-3)


@pytest.mark.slow
def test_the_whole_is_its_parts_put_together(scratch):
    documents = some_documents(25, 60, 10)
    kept = keep_probability(np.bincount([term for each in documents for term in each]), 1e-3)
    by_documents = document_pmi_written_out(documents, kept)
    blocks = [context_pmi_written_out(documents, kept, 0.75), 2.5 * by_documents / np.linalg.norm(by_documents)]
    chosen = LocalSettings(rank=10, window=WINDOW, document_weight=2.5)
    found = vectors_of(documents, 25, scratch, chosen)
    np.testing.assert_allclose(similarities(found), similarities(exact_vectors(blocks, 10)), atol=1e-3)


@pytest.mark.slow
def test_without_document_weight_only_neighbours_count(scratch):
    documents = some_documents(25, 60, 10)
    kept = keep_probability(np.bincount([term for each in documents for term in each]), 1e-3)
    chosen = LocalSettings(rank=10, document_weight=0)
    found = vectors_of(documents, 25, scratch, chosen)
    expected = exact_vectors([context_pmi_written_out(documents, kept, 0.75)], 10)
    np.testing.assert_allclose(similarities(found), similarities(expected), atol=1e-3)


@pytest.mark.slow
def test_rows_have_length_1(scratch):
    vectors = vectors_of(some_documents(50, 80, 10), 50, scratch, LocalSettings(rank=16))
    np.testing.assert_allclose(np.linalg.norm(vectors, axis=1), 1, atol=1e-5)


@pytest.mark.slow
def test_terms_of_one_topic_are_nearest_each_other(scratch):
    cosines = similarities(vectors_of(planted_documents(4, 10, 200), 40, scratch, LocalSettings(rank=8)))
    np.fill_diagonal(cosines, -1)
    nearest = np.argsort(-cosines, axis=1)[:, :9]
    assert (nearest // 10 == np.arange(40)[:, None] // 10).all()


@pytest.mark.slow
def test_what_the_terms_are_called_hardly_matters(scratch):
    documents = some_documents(400, 300, 15)
    one, other = (
        similarities(vectors_of(documents, 400, scratch, LocalSettings(rank=32, lanczos_block=8), prefix, block=500))
        for prefix in ("", "another ")
    )
    np.testing.assert_allclose(one, other, atol=0.01)


@pytest.mark.slow
def test_the_same_bytes_twice_and_for_any_number_of_threads(scratch):
    documents = some_documents(400, 300, 15)

    def run(threads: int, jobs: int) -> bytes:
        torch.set_num_threads(threads)
        counts = counts_of(documents, 400, scratch, 500)
        vectors = factorised(counts, LocalSettings(rank=100), LocalEngine(jobs), scratch)
        assert torch.get_num_threads() == threads
        return vectors.tobytes()

    assert run(1, 1) == run(1, 1) == run(2, 1) == run(3, 2) == run(1, 3)


# Edge cases


@pytest.mark.slow
def test_a_rank_beyond_the_number_of_terms_gives_as_many_directions_as_terms(scratch):
    vectors = vectors_of(some_documents(12, 30, 8), 12, scratch, LocalSettings(rank=256))
    assert vectors.shape == (12, 12)
    np.testing.assert_allclose(np.linalg.norm(vectors, axis=1), 1, atol=1e-5)


@pytest.mark.slow
@pytest.mark.parametrize("weight", [0, 1])
@pytest.mark.parametrize("alone", [[[20]], [[20, 20, 20]], [[20], [20, 20]]], ids=["once", "with itself", "twice"])
def test_a_term_that_never_meets_another_has_a_zero_row(scratch, alone, weight):
    documents = [*some_documents(20, 30, 8), *alone]
    vectors = vectors_of(documents, 21, scratch, LocalSettings(document_weight=weight))
    assert (vectors[20] == 0).all()
    np.testing.assert_allclose(np.linalg.norm(vectors[:20], axis=1), 1, atol=1e-5)


def test_a_row_without_entries_is_zero_wherever_it_stands(tmp_path):
    block = np.random.default_rng(0).random((40, 30))
    block[[0, 17, 39]] = 0
    vectors = plain_factor([block], LocalSettings(rank=8), tmp_path)
    assert np.flatnonzero((vectors == 0).all(axis=1)).tolist() == [0, 17, 39]


@pytest.mark.parametrize("weight", [0, 1])
def test_one_document_of_one_term_has_one_zero_row(scratch, weight):
    vectors = vectors_of([[0]], 1, scratch, LocalSettings(document_weight=weight))
    assert vectors.tolist() == [[0]]


def test_one_document_is_enough_for_neighbours(scratch):
    # 0 and 1 occur only near each other, as do 4 and 5, at least three positions away.
    vectors = vectors_of([[0, 1] * 4 + [2, 3] * 4 + [4, 5] * 4], 6, scratch, LocalSettings())
    cosines = similarities(vectors)
    assert min(cosines[0, 1], cosines[4, 5]) > 0.5 > max(cosines[0, 4], cosines[1, 5])


def test_progress_rises_to_the_total(scratch):
    told: list[tuple[str, int, int | None]] = []
    counts = counts_of(some_documents(20, 30, 8), 20, scratch)
    chosen = LocalSettings(rank=8, lanczos_block=4, lanczos_steps=3)
    factorised(counts, chosen, ENGINE, scratch, lambda *report: told.append(report))
    assert told == [("local vectors", done, 4) for done in range(5)]


def test_what_it_is_given_is_left_as_it_is(scratch):
    counts = counts_of(some_documents(20, 30, 8), 20, scratch)
    before = sorted(scratch.folder.rglob("*"))
    first = factorised(counts, LocalSettings(), ENGINE, scratch)
    assert set(before) <= set(scratch.folder.rglob("*"))
    assert np.array_equal(factorised(counts, LocalSettings(), ENGINE, scratch), first)
