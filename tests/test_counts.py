"""Neighbours and postings, against loops that anyone can read."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from seetopic import counts as counts_module
from seetopic.counts import Block, PostingFiles, blocks_of, cooccurrences, write_postings
from seetopic.engine import LocalEngine
from seetopic.tally import summed

Documents = list[list[int]]  # term ids
N_TERMS = 5


def blocks(folder: Path, documents: Documents, sizes: list[int]) -> list[Block]:
    """The documents on disk, in blocks of the given sizes."""
    assert sum(sizes) == len(documents)
    starts = np.cumsum([0, *map(len, documents)])
    np.save(folder / "documents.npy", np.array([term for document in documents for term in document], np.int32))
    np.save(folder / "starts.npy", starts.astype(np.int64))
    return blocks_of(folder / "documents.npy", folder / "starts.npy", sizes)


def neighbours(
    given_blocks: list[Block], window: int, jobs: int = 1, n_terms: int = N_TERMS
) -> dict[tuple[int, int], int]:
    total = summed(cooccurrences(LocalEngine(jobs), given_blocks, n_terms, window))
    assert (np.diff(total.keys) > 0).all()
    pairs = ((int(key) // n_terms, int(key) % n_terms) for key in total.keys)
    return dict(zip(pairs, total.counts.tolist(), strict=True))


def neighbours_written_out(documents: Documents, window: int) -> dict[tuple[int, int], int]:
    found: Counter[tuple[int, int]] = Counter()
    for document in documents:
        for first in range(len(document)):
            for second in range(first + 1, len(document)):
                if second - first <= window:
                    found[min(document[first], document[second]), max(document[first], document[second])] += 1
    return dict(found)


def postings(
    folder: Path, given_blocks: list[Block], jobs: int = 1, n_terms: int = N_TERMS
) -> dict[int, list[tuple[int, int]]]:
    """For each term its documents in order, and how often it occurs there."""
    files = PostingFiles(
        *(folder / f"{name}.npy" for name in ("posting_starts", "posting_documents", "posting_counts"))
    )
    write_postings(LocalEngine(jobs), given_blocks, n_terms, files)
    starts, documents, counts = (np.load(path) for path in (files.starts, files.documents, files.counts))
    assert (starts.dtype, documents.dtype, counts.dtype) == (np.int64, np.int32, np.int32)
    assert (len(starts), starts[0], starts[-1]) == (n_terms + 1, 0, len(documents))
    rows = list(zip(documents.tolist(), counts.tolist(), strict=True))
    return {term: rows[starts[term] : starts[term + 1]] for term in range(n_terms)}


def postings_written_out(documents: Documents) -> dict[int, list[tuple[int, int]]]:
    return {
        term: [(number, document.count(term)) for number, document in enumerate(documents) if term in document]
        for term in range(N_TERMS)
    }


@st.composite
def corpora(draw: st.DrawFn) -> tuple[Documents, list[int]]:
    """Documents in blocks; some documents, and some blocks of them, are empty."""
    shards = draw(
        st.lists(
            st.lists(st.lists(st.integers(0, N_TERMS - 1), max_size=9), min_size=1, max_size=4), min_size=1, max_size=4
        )
    )
    return [document for shard in shards for document in shard], [len(shard) for shard in shards]


# Neighbours.


@given(corpora(), st.integers(1, 6))
@settings(max_examples=100, deadline=None)
def test_neighbours_are_those_of_a_plain_double_loop(tmp_path_factory, corpus, window):
    documents, sizes = corpus
    given_blocks = blocks(tmp_path_factory.mktemp("counts"), documents, sizes)
    assert neighbours(given_blocks, window) == neighbours_written_out(documents, window)


def test_a_window_never_crosses_documents(tmp_path):
    assert neighbours(blocks(tmp_path, [[0], [1], [], [2, 3], [4]], [3, 2]), window=50) == {(2, 3): 1}


def test_terms_count_as_neighbours_up_to_the_window_and_not_beyond(tmp_path):
    given_blocks = blocks(tmp_path, [[0, 1, 2, 3]], [1])
    assert neighbours(given_blocks, window=2) == {(0, 1): 1, (1, 2): 1, (2, 3): 1, (0, 2): 1, (1, 3): 1}


def test_a_term_beside_itself_counts_once(tmp_path):
    assert neighbours(blocks(tmp_path, [[3, 3]], [1]), window=5) == {(3, 3): 1}


def test_pairs_of_a_large_vocabulary_have_keys_of_their_own(tmp_path):
    n_terms = 2_000_000  # the square of which needs 64 bits
    given_blocks = blocks(tmp_path, [[1_999_999, 1_999_998], [1_999_999, 0]], [2])
    expected = {(1_999_998, 1_999_999): 1, (0, 1_999_999): 1}
    assert neighbours(given_blocks, 5, n_terms=n_terms) == expected


def test_documents_without_terms_have_no_neighbours(tmp_path):
    assert neighbours(blocks(tmp_path, [[], []], [1, 1]), window=5) == {}


# Postings.


@pytest.mark.parametrize("band", [1, 3, 1 << 25])
@given(corpus=corpora())
@settings(max_examples=60, deadline=None)
def test_postings_are_those_of_a_plain_dictionary_however_many_bands_they_need(tmp_path_factory, band, corpus):
    documents, sizes = corpus
    folder = tmp_path_factory.mktemp("counts")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(counts_module, "_BAND", band)
        assert postings(folder, blocks(folder, documents, sizes)) == postings_written_out(documents)


@pytest.mark.parametrize(
    ("starts", "bands"),
    [
        ([0, 1, 2, 3, 4], [(0, 3), (3, 4)]),
        ([0, 9, 10, 19], [(0, 1), (1, 2), (2, 3)]),  # a term with more postings than a band has one of its own
        ([0, 0, 0, 3, 3, 6], [(0, 4), (4, 5)]),  # terms without postings cost nothing
        ([0, 3], [(0, 1)]),
        ([0, 0], [(0, 1)]),
    ],
)
def test_bands_are_as_long_as_they_may_be(monkeypatch, starts, bands):
    monkeypatch.setattr(counts_module, "_BAND", 3)
    assert counts_module._bands(np.array(starts)) == bands


def test_the_same_counts_for_any_number_of_jobs(tmp_path, monkeypatch):
    monkeypatch.setattr(counts_module, "_BAND", 20)
    chance = np.random.default_rng(0)
    documents = [chance.integers(0, N_TERMS, size).tolist() for size in chance.integers(0, 30, 40)]
    given_blocks = blocks(tmp_path, documents, [7] * 5 + [5])
    assert neighbours(given_blocks, 3) == neighbours(given_blocks, 3, jobs=2) == neighbours_written_out(documents, 3)
    written = postings_written_out(documents)
    assert postings(tmp_path, given_blocks) == postings(tmp_path, given_blocks, jobs=2) == written


def test_blocks_follow_the_shards(tmp_path):
    documents, starts = tmp_path / "documents.npy", tmp_path / "starts.npy"
    given_blocks = blocks(tmp_path, [[4, 1], [], [2], [3, 3, 0]], [1, 2, 1])
    assert given_blocks == [
        Block(documents, starts, 0, 1),
        Block(documents, starts, 1, 3),
        Block(documents, starts, 3, 4),
    ]
    terms, numbers = zip(*(block.terms() for block in given_blocks), strict=True)
    assert [part.tolist() for part in terms] == [[4, 1], [2], [3, 3, 0]]
    assert [part.tolist() for part in numbers] == [[0, 0], [2], [3, 3, 3]]
