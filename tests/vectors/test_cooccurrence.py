"""Neighbours and postings, checked against simple loops."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from seetopic.runtime.disk_counts import Scratch
from seetopic.runtime.engine import LocalEngine
from seetopic.vectors import cooccurrence
from seetopic.vectors.cooccurrence import Block, PostingFiles, blocks_of, write_postings

Documents = list[list[int]]  # term ids
N_TERMS = 5


def blocks(folder: Path, documents: Documents, size: int = 4) -> list[Block]:
    """The documents on disk, in blocks with about the given number of terms."""
    starts = np.cumsum([0, *map(len, documents)])
    np.save(folder / "documents.npy", np.array([term for document in documents for term in document], np.int32))
    np.save(folder / "starts.npy", starts.astype(np.int64))
    return blocks_of(folder / "documents.npy", folder / "starts.npy", size)


def neighbours(
    given_blocks: list[Block], window: int, jobs: int = 1, n_terms: int = N_TERMS, held: int = 3
) -> dict[tuple[int, int], int]:
    scratch = Scratch(given_blocks[0].documents.parent / "scratch", held)
    found = {}
    for band in cooccurrence.neighbours(LocalEngine(jobs), given_blocks, n_terms, window, scratch):
        cells = zip(band.rows.tolist(), band.columns.tolist(), strict=True)
        found.update(zip(cells, band.counts.tolist(), strict=True))
    assert list(found) == sorted(found)
    return found


def neighbours_written_out(documents: Documents, window: int) -> dict[tuple[int, int], int]:
    found: Counter[tuple[int, int]] = Counter()
    for document in documents:
        for first in range(len(document)):
            for second in range(first + 1, len(document)):
                if second - first <= window:
                    found[document[first], document[second]] += 1
                    found[document[second], document[first]] += 1
    return dict(found)


def postings(
    folder: Path, given_blocks: list[Block], jobs: int = 1, n_terms: int = N_TERMS, held: int = 3
) -> dict[int, list[tuple[int, int]]]:
    """The documents of each term, in order, and how often it occurs in them."""
    files = PostingFiles(
        *(folder / f"{name}.npy" for name in ("posting_starts", "posting_documents", "posting_counts"))
    )
    write_postings(LocalEngine(jobs), given_blocks, n_terms, files, Scratch(folder / "scratch", held))
    assert not (folder / "scratch").exists()
    starts, documents, often = (np.load(path) for path in (files.starts, files.documents, files.counts))
    assert (starts.dtype, documents.dtype, often.dtype) == (np.int64, np.int32, np.int32)
    assert (len(starts), starts[0], starts[-1]) == (n_terms + 1, 0, len(documents))
    rows = list(zip(documents.tolist(), often.tolist(), strict=True))
    return {term: rows[starts[term] : starts[term + 1]] for term in range(n_terms)}


def postings_written_out(documents: Documents) -> dict[int, list[tuple[int, int]]]:
    return {
        term: [(number, document.count(term)) for number, document in enumerate(documents) if term in document]
        for term in range(N_TERMS)
    }


corpora = st.lists(st.lists(st.integers(0, N_TERMS - 1), max_size=9), min_size=1, max_size=12)
held = st.sampled_from([1, 3, 1 << 22])


# Blocks


@given(corpora, st.integers(1, 30))
def test_blocks_hold_every_document_once_in_order(tmp_path_factory, documents, size):
    given_blocks = blocks(tmp_path_factory.mktemp("counts"), documents, size)
    bounds = [(block.first, block.last) for block in given_blocks]
    assert [number for first, last in bounds for number in range(first, last)] == list(range(len(documents)))
    terms, numbers = zip(*(block.terms() for block in given_blocks), strict=True)
    written = [(term, number) for number, document in enumerate(documents) for term in document]
    assert list(zip(np.concatenate(terms).tolist(), np.concatenate(numbers).tolist(), strict=True)) == written


def test_a_block_has_about_as_many_terms_as_it_should(tmp_path):
    given_blocks = blocks(tmp_path, [[0]] * 100, 10)
    assert [(block.first, block.last) for block in given_blocks] == [(first, first + 10) for first in range(0, 100, 10)]


def test_a_document_longer_than_a_block_is_never_cut(tmp_path):
    given_blocks = blocks(tmp_path, [[0], [1] * 50, [2], [3] * 9], 10)
    assert [block.last - block.first for block in given_blocks] == [1, 2, 1]


# Neighbours


@pytest.mark.slow
@given(corpora, st.integers(1, 6), held)
def test_neighbours_are_those_of_a_plain_double_loop(tmp_path_factory, documents, window, held):
    given_blocks = blocks(tmp_path_factory.mktemp("counts"), documents)
    assert neighbours(given_blocks, window, held=held) == neighbours_written_out(documents, window)


def test_a_window_never_crosses_documents(tmp_path):
    assert neighbours(blocks(tmp_path, [[0], [1], [], [2, 3], [4]]), window=50) == {(2, 3): 1, (3, 2): 1}


def test_terms_count_as_neighbours_up_to_the_window_and_not_beyond(tmp_path):
    found = neighbours(blocks(tmp_path, [[0, 1, 2, 3]]), window=2)
    assert {pair for pair in found if pair[0] < pair[1]} == {(0, 1), (1, 2), (2, 3), (0, 2), (1, 3)}


def test_of_a_term_beside_itself_either_is_the_other_s_neighbour(tmp_path):
    assert neighbours(blocks(tmp_path, [[3, 3]]), window=5) == {(3, 3): 2}


def test_pairs_of_a_large_vocabulary_have_keys_of_their_own(tmp_path):
    n_terms = 2_000_000  # the square of which needs 64 bits
    given_blocks = blocks(tmp_path, [[1_999_999, 1_999_998], [1_999_999, 0]])
    expected = {(1_999_998, 1_999_999), (0, 1_999_999), (1_999_999, 1_999_998), (1_999_999, 0)}
    assert neighbours(given_blocks, 5, n_terms=n_terms) == dict.fromkeys(expected, 1)


def test_documents_without_terms_have_no_neighbours(tmp_path):
    assert neighbours(blocks(tmp_path, [[], []]), window=5) == {}


# Postings


@pytest.mark.slow
@given(corpora, held)
def test_postings_are_those_of_a_plain_dictionary_however_many_bands_they_need(tmp_path_factory, documents, held):
    folder = tmp_path_factory.mktemp("counts")
    assert postings(folder, blocks(folder, documents), held=held) == postings_written_out(documents)


@pytest.mark.slow
def test_the_same_counts_for_any_number_of_jobs(tmp_path):
    chance = np.random.default_rng(0)
    documents = [chance.integers(0, N_TERMS, size).tolist() for size in chance.integers(0, 30, 40)]
    given_blocks = blocks(tmp_path, documents, 90)
    assert neighbours(given_blocks, 3) == neighbours(given_blocks, 3, jobs=2) == neighbours_written_out(documents, 3)
    written = postings_written_out(documents)
    assert postings(tmp_path, given_blocks) == postings(tmp_path, given_blocks, jobs=2) == written
