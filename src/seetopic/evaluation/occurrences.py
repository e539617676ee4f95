"""Where terms occur in documents that were scanned, by the rule that sorts documents (`Sorter.matched`)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from seetopic.arrays import Longs
from seetopic.matching import TermTable, distinct, occurrences


@dataclass(frozen=True)
class Found:
    """Every occurrence of terms in some documents, side by side, in no particular order."""

    documents: Longs
    terms: Longs
    places: Longs  # of the term's first word among the document's words
    lengths: Longs  # words of each document; (n_documents,)


def found_in(words: Longs, ends: Longs, table: TermTable) -> Found:
    """Occurrences in documents that stand one after the other; `ends` is the position after each one's last."""
    positions, terms = occurrences(words, table)
    documents = np.searchsorted(ends, positions, side="right")
    before = np.concatenate([np.zeros(1, np.int64), np.cumsum(words >= 0)])  # words before each position
    starts = np.concatenate([np.zeros(1, np.int64), ends[:-1]])
    return Found(documents, terms, before[positions] - before[starts[documents]], before[ends] - before[starts])


def document_frequencies(words: Longs, ends: Longs, n_words: int) -> Longs:
    """In how many of the documents each word occurs; (n_words,)."""
    documents = np.repeat(np.arange(ends.size), np.diff(ends, prepend=0))
    keys = distinct(documents[words >= 0] * n_words + words[words >= 0])
    counts: Longs = np.bincount(keys % n_words, minlength=n_words).astype(np.int64)
    return counts
