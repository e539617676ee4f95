"""Co-occurrence counts: which terms appear near each other, and which documents contain which terms."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import numpy as np

from seetopic.runtime import (
    Band,
    Engine,
    Ids,
    Longs,
    Progress,
    Scratch,
    map_array,
    silent,
    table_of,
    write_array,
    write_arrays_in_parts,
)

_BLOCK = 1 << 19  # terms per block: with ten neighbours each, 80 MB


@dataclass(frozen=True)
class Block:
    """Consecutive documents of an index: the unit of parallel work after tokenising."""

    documents: Path
    starts: Path
    first: int
    last: int  # exclusive

    def terms(self) -> tuple[Ids, Longs]:
        """The term ids of all documents in the block, and the document number of each."""
        starts = map_array(self.starts)[self.first : self.last + 1]
        terms = map_array(self.documents)[starts[0] : starts[-1]]
        numbers = np.repeat(np.arange(self.first, self.last), np.diff(starts))
        return np.asarray(terms), numbers


def blocks_of(documents: Path, starts: Path, size: int = _BLOCK) -> list[Block]:
    """Blocks of documents with about `size` terms each; documents are never split."""
    places = map_array(starts)
    inner = np.unique(np.searchsorted(places[1:], np.arange(size, int(places[-1]), size), side="right"))
    bounds = [0, *inner[(inner > 0) & (inner < len(places) - 1)].tolist(), len(places) - 1]
    return [Block(documents, starts, first, last) for first, last in itertools.pairwise(bounds)]


def neighbours(
    engine: Engine, blocks: Sequence[Block], n_terms: int, window: int, scratch: Scratch, progress: Progress = silent
) -> list[Band]:
    """How often each pair of terms occurs at most `window` positions apart; the counts are symmetric."""
    keys_of = partial(neighbour_keys, n_terms=n_terms, window=window)
    return table_of(engine, keys_of, blocks, (n_terms, n_terms), scratch, progress, "counting neighbours")


def neighbour_keys(block: Block, n_terms: int, window: int) -> Longs:
    terms, numbers = block.terms()
    wide = terms.astype(np.int64)
    keys = [np.empty(0, np.int64)]
    for apart in range(1, min(window, len(wide) - 1) + 1):
        same = numbers[apart:] == numbers[:-apart]
        left, right = wide[:-apart][same], wide[apart:][same]
        keys += [left * n_terms + right, right * n_terms + left]
    return np.concatenate(keys)


@dataclass(frozen=True)
class PostingFiles:
    """Term i is in `documents[starts[i]:starts[i + 1]]`, ascending; `counts` is parallel to `documents`."""

    starts: Path
    documents: Path
    counts: Path


def write_postings(
    engine: Engine,
    blocks: Sequence[Block],
    n_terms: int,
    files: PostingFiles,
    scratch: Scratch,
    progress: Progress = silent,
) -> None:
    """Write postings one band of terms at a time, so that memory does not grow with the corpus."""
    n_documents = blocks[-1].last
    keys_of = partial(posting_keys, n_documents=n_documents)
    bands = table_of(engine, keys_of, blocks, (n_terms, n_documents), scratch, progress, "counting documents")
    sizes = [np.diff(band.starts) for band in bands]
    starts = np.concatenate([np.zeros(1, np.int64), np.cumsum(np.concatenate(sizes))])
    write_array(files.starts, starts)
    parts = _taken_away(bands)
    write_arrays_in_parts([files.documents, files.counts], np.dtype(np.int32), (int(starts[-1]),), parts)
    scratch.clear()


def posting_keys(block: Block, n_documents: int) -> Longs:
    terms, numbers = block.terms()
    return terms.astype(np.int64) * n_documents + numbers


def _taken_away(bands: list[Band]) -> Iterator[tuple[Ids, Longs]]:
    """The contents of each band, which is removed after use so that nothing is on disk twice."""
    for band in bands:
        yield band.columns, band.counts
        band.remove()
