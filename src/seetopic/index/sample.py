"""A bounded sample of documents: the language model reads some; of the others, only the terms are used."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np
from numpy.typing import NDArray

from seetopic.corpus import Piece, Pieces
from seetopic.errors import CorpusError
from seetopic.runtime import Doubles, Engine, Floats, Ids, Longs, Sparse, spread
from seetopic.settings import SampleSettings

_AMPLE = 4  # times as many documents as are usually needed
_AT_ONCE = 1 << 14  # documents whose words are in memory


@dataclass(frozen=True)
class Sample:
    """Sampled documents, beginning with those that were read; document i has `terms[starts[i]:starts[i + 1]]`."""

    starts: Longs
    terms: Ids
    general: Floats  # the language model's vectors of the first documents, unit rows, (n_read, dimension)

    def __len__(self) -> int:
        return len(self.starts) - 1

    @property
    def was_read(self) -> bool:
        return len(self.general) > 0

    def matrix(self, n_terms: int) -> Sparse:
        """1 where a document contains a term; (n_documents, n_terms)."""
        ones = np.ones(len(self.terms), np.float32)
        return Sparse.rows(ones, np.asarray(self.terms), np.asarray(self.starts), (len(self), n_terms))


@dataclass(frozen=True)
class Contents:
    """The words of all documents, which determine which documents are read.

    The order of the documents does not matter, nor what other documents there are: adding, removing or moving a
    document hardly changes the sample.
    """

    keys: NDArray[np.uint64]  # of the words, and 0 for separators
    texts: Ids  # the words of all documents, one document after the other; separators are negative
    starts: Longs  # where each document's words start

    def priorities(self, low: int, high: int) -> Doubles:
        """A number from 0 to 1 for each document from `low` up to `high`; documents with low numbers are drawn."""
        starts = np.asarray(self.starts[low : high + 1])
        sums = np.zeros(int(starts[-1] - starts[0]) + 1, np.uint64)
        words = np.maximum(self.texts[starts[0] : starts[-1]], -1)
        np.cumsum(self.keys[words], out=sums[1:])  # wraps around, which does no harm
        bounds = sums[starts - starts[0]]
        drawn: Doubles = spread(bounds[1:] - bounds[:-1]) / 2.0**64
        return drawn


def choose(word_counts: Longs, settings: SampleSettings, drawn_by: Doubles) -> tuple[Longs, Longs]:
    """Numbers of the documents to read, and of others of which only the terms are used; both ascending.

    Documents are drawn, lowest number first, until they have enough words. So a document of one part that is
    read would also be read if there were no other parts: they only leave less room.
    """
    order = np.argsort(drawn_by, kind="stable")  # ties go to the document that comes first
    order = order[word_counts[order] > 0]
    read = np.cumsum(np.minimum(word_counts, settings.document_words)[order])
    n_read = int(np.searchsorted(read, settings.words, side="right"))
    more = np.cumsum(word_counts[order[n_read:]])
    n_more = int(np.searchsorted(more, settings.more_words, side="right"))
    return np.sort(order[:n_read]), np.sort(order[n_read : n_read + n_more])


def choose_among(
    contents: Contents, ranges: Sequence[tuple[int, int]], settings: SampleSettings
) -> tuple[Longs, Longs]:
    """`choose` among very many documents, with only those of the lowest numbers in memory.

    `ranges` are of documents, each without its end.
    """
    words = sum(int(contents.starts[high] - contents.starts[low]) for low, high in ranges)
    bound = min(1.0, _AMPLE * (settings.words + settings.more_words + 1) / max(words, 1))
    while True:
        parts = [part for low, high in ranges for part in _drawn_below(bound, contents, low, high)]
        numbers, counts, drawn_by = (np.concatenate(kind) for kind in zip(*parts, strict=True))
        read, more = choose(counts, settings, drawn_by)
        if bound == 1.0 or len(read) + len(more) < np.count_nonzero(counts):  # so no higher number is needed
            return numbers[read], numbers[more]
        bound = min(1.0, _AMPLE * bound)


def _drawn_below(bound: float, contents: Contents, low: int, high: int) -> Iterator[tuple[Longs, Longs, Doubles]]:
    """Positions, word counts and priorities of the documents whose priority is at most `bound`."""
    for first in range(low, high, _AT_ONCE):
        last = min(first + _AT_ONCE, high)
        drawn_by = contents.priorities(first, last)
        kept = np.flatnonzero(drawn_by <= bound)
        counts = np.diff(contents.starts[first : last + 1])
        yield first + kept, counts[kept], drawn_by[kept]


def beginning(text: str, document_words: int) -> str:
    """The first words of a text, which the language model reads."""
    return " ".join(text.split(maxsplit=document_words)[:document_words])


def beginnings(engine: Engine, pieces: Pieces, sizes: Sequence[int], chosen: Longs, document_words: int) -> list[str]:
    """The first words of the chosen documents, in ascending order; only pieces that contain some are read.

    `sizes` is the number of documents in each piece.
    """
    ends = np.cumsum(np.asarray(sizes, np.int64))
    bounds = np.searchsorted(chosen, [0, *ends]).tolist()
    wanted = [
        chosen[low:high] - (end - size) for low, high, end, size in zip(bounds, bounds[1:], ends, sizes, strict=False)
    ]
    items = ((piece, own) for piece, own in zip(pieces, wanted, strict=False) if len(own))
    found = pieces.mapped(engine, partial(_beginnings, document_words=document_words), items)
    texts = [text for own in found for text in own]
    if len(texts) != len(chosen):
        raise CorpusError(
            "the documents have changed since they were counted; start again once they have stopped changing"
        )
    return texts


def _beginnings(wanted: tuple[Piece, Longs], document_words: int) -> list[str]:
    piece, chosen = wanted
    numbers = set(chosen.tolist())
    found: list[str] = []
    texts = (text for shard in piece.shards() for text in shard.texts)
    for number, text in enumerate(texts):
        if number in numbers:
            found.append(beginning(text, document_words))
            if len(found) == len(numbers):
                piece.check()
                break
    return found


def distinct_terms(documents: Ids, starts: Longs, chosen: Longs) -> tuple[Longs, Ids]:
    """Where each chosen document's distinct terms start, and the terms themselves."""
    parts = [np.unique(documents[starts[number] : starts[number + 1]]) for number in chosen]
    lengths = np.array([len(part) for part in parts], np.int64)
    return np.concatenate([np.zeros(1, np.int64), np.cumsum(lengths)]), np.concatenate([np.empty(0, np.int32), *parts])


def inverse_frequency(document_frequencies: Longs, n_documents: int) -> Doubles:
    """Inverse document frequency; 0 for a term that every document contains."""
    idf: Doubles = np.log(n_documents / np.maximum(document_frequencies, 1))
    return idf


def weighted_rows(matrix: Sparse, idf: Doubles) -> Sparse:
    """Documents as unit rows of idf-weighted terms; an empty document stays empty."""
    weights: Floats = matrix.data * idf.astype(np.float32)[matrix.indices]
    sizes = np.diff(matrix.indptr)
    filled = sizes > 0
    squares = np.add.reduceat(weights * weights, matrix.indptr[:-1][filled]) if filled.any() else np.empty(0)
    lengths = np.repeat(np.sqrt(squares), sizes[filled])
    unit = weights / np.maximum(lengths, 1e-9).astype(np.float32)
    return Sparse(unit, matrix.indices, matrix.indptr, matrix.shape)
