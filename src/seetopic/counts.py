"""Counts over documents: which terms stand near each other, and which documents hold which terms."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import numpy as np

from seetopic.arrays import Ids, Longs
from seetopic.engine import Engine
from seetopic.files import write_array, write_arrays_in_parts
from seetopic.tally import Tally, tally

_BAND = 1 << 25  # postings held in memory at a time: 256 MiB


@dataclass(frozen=True)
class Block:
    """Consecutive documents of an index: the shard of everything after tokenising."""

    documents: Path
    starts: Path
    first: int
    last: int  # exclusive

    def terms(self) -> tuple[Ids, Longs]:
        """The term ids of all documents of the block, and for each the document's number."""
        starts = np.load(self.starts, mmap_mode="r")[self.first : self.last + 1]
        terms = np.load(self.documents, mmap_mode="r")[starts[0] : starts[-1]]
        numbers = np.repeat(np.arange(self.first, self.last), np.diff(starts))
        return np.asarray(terms), numbers


def blocks_of(documents: Path, starts: Path, sizes: Sequence[int]) -> list[Block]:
    """Blocks of the given numbers of documents, in order."""
    bounds = np.concatenate([[0], np.cumsum(sizes)]).tolist()
    return [Block(documents, starts, first, last) for first, last in itertools.pairwise(bounds)]


def cooccurrences(engine: Engine, blocks: Sequence[Block], n_terms: int, window: int) -> Iterator[Tally]:
    """Each block's pairs of terms at most `window` apart; a pair's key is smaller id * n_terms + larger id."""
    return engine.map(partial(_block_cooccurrences, n_terms=n_terms, window=window), blocks)


def _block_cooccurrences(block: Block, n_terms: int, window: int) -> Tally:
    terms, numbers = block.terms()
    wide = terms.astype(np.int64)
    keys = []
    for apart in range(1, min(window, len(wide) - 1) + 1):
        same = numbers[apart:] == numbers[:-apart]
        left, right = wide[:-apart][same], wide[apart:][same]
        keys.append(np.minimum(left, right) * n_terms + np.maximum(left, right))
    return tally(np.concatenate(keys) if keys else np.empty(0, np.int64))


@dataclass(frozen=True)
class PostingFiles:
    """Term to documents: those of term i are `documents[starts[i]:starts[i + 1]]`, rising, with its counts there."""

    starts: Path
    documents: Path
    counts: Path


def write_postings(engine: Engine, blocks: Sequence[Block], n_terms: int, files: PostingFiles) -> None:
    """Postings in bands of terms, so that memory does not grow with the corpus."""
    frequencies = np.zeros(n_terms, np.int64)
    for part in engine.map(partial(_document_frequencies, n_terms=n_terms), blocks):
        frequencies += part
    starts = np.concatenate([np.zeros(1, np.int64), np.cumsum(frequencies)])
    write_array(files.starts, starts)
    parts = (_band(engine, blocks, starts, low, high) for low, high in _bands(starts))
    write_arrays_in_parts([files.documents, files.counts], np.dtype(np.int32), (int(starts[-1]),), parts)


def _bands(starts: Longs) -> list[tuple[int, int]]:
    """Consecutive ranges of terms with at most about `_BAND` postings each."""
    bounds = [0]
    while bounds[-1] < len(starts) - 1:
        reach = int(np.searchsorted(starts, starts[bounds[-1]] + _BAND, side="right")) - 1
        bounds.append(max(reach, bounds[-1] + 1))
    return list(itertools.pairwise(bounds))


def _document_frequencies(block: Block, n_terms: int) -> Longs:
    keys = _pairs(block, 0, n_terms).keys
    return np.bincount(keys >> 32, minlength=n_terms).astype(np.int64)


def _pairs(block: Block, low: int, high: int) -> Tally:
    """How often each of the terms low..high occurs in each document; a key is term << 32 | document."""
    terms, numbers = block.terms()
    within = (terms >= low) & (terms < high)
    return tally((terms[within].astype(np.int64) << 32) | numbers[within])


def _band(engine: Engine, blocks: Sequence[Block], starts: Longs, low: int, high: int) -> tuple[Ids, Ids]:
    size = int(starts[high] - starts[low])
    documents, counts = np.empty(size, np.int32), np.empty(size, np.int32)
    cursors = starts[low:high] - starts[low]  # where the next document of each term goes
    for part in engine.map(partial(_pairs, low=low, high=high), blocks):
        terms = (part.keys >> 32) - low
        run_starts = np.searchsorted(terms, np.arange(high - low))
        places = cursors[terms] + np.arange(terms.size) - run_starts[terms]
        documents[places] = part.keys & 0xFFFFFFFF
        counts[places] = part.counts
        cursors += np.bincount(terms, minlength=high - low)
    return documents, counts
