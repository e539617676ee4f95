"""How often the terms of a topic occur together in documents, and in sliding windows over their words."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from seetopic.runtime import Longs
from seetopic.text import TermTable, distinct, occurrences


@dataclass(frozen=True)
class Found:
    """Every occurrence of terms in some documents, as parallel arrays in no particular order."""

    documents: Longs
    terms: Longs
    places: Longs  # position of the term's first word in the document
    lengths: Longs  # words per document; (n_documents,)


def found_in(words: Longs, ends: Longs, table: TermTable) -> Found:
    """Occurrences in concatenated documents; `ends` is the position after the last word of each."""
    positions, terms = occurrences(words, table)
    documents = np.searchsorted(ends, positions, side="right")
    before = np.concatenate([np.zeros(1, np.int64), np.cumsum(words >= 0)])  # words before each position
    starts = np.concatenate([np.zeros(1, np.int64), ends[:-1]])
    return Found(documents, terms, before[positions] - before[starts[documents]], before[ends] - before[starts])


def document_frequencies(words: Longs, ends: Longs, n_words: int) -> Longs:
    """How many of the documents each word occurs in; (n_words,)."""
    documents = np.repeat(np.arange(ends.size), np.diff(ends, prepend=0))
    keys = distinct(documents[words >= 0] * n_words + words[words >= 0])
    counts: Longs = np.bincount(keys % n_words, minlength=n_words).astype(np.int64)
    return counts


@dataclass(frozen=True)
class Groups:
    """Which topics each term is in, and at which place; a term may be in several."""

    shape: tuple[int, int]  # number of topics, and of terms in the longest one
    starts: Longs  # start of each term's slots; (n_terms + 1,)
    slots: Longs  # topic * terms in the longest + place

    @property
    def counts_shape(self) -> tuple[int, int, int]:
        return (*self.shape, self.shape[1])


def groups_of(topics: Sequence[Sequence[int]], n_terms: int) -> Groups:
    longest = max((len(topic) for topic in topics), default=0)
    slots = [number * longest + place for number, topic in enumerate(topics) for place in range(len(topic))]
    terms = np.array([term for topic in topics for term in topic], np.int64)
    order = np.argsort(terms, kind="stable")
    starts = np.searchsorted(terms[order], np.arange(n_terms + 1))
    return Groups((len(topics), longest), starts.astype(np.int64), np.array(slots, np.int64)[order])


def counts_together(rows: Longs, terms: Longs, groups: Groups, weights: Longs) -> Longs:
    """The total weight of rows that contain each pair of a topic's terms; (n_topics, longest, longest).

    A row is a document or a run of windows. The diagonal has the weight of the rows that contain each term.
    """
    n_topics, longest = groups.shape
    times = groups.starts[terms + 1] - groups.starts[terms]
    slots = groups.slots[expanded(groups.starts[terms], times)]
    entries = distinct(np.repeat(rows, times) * (n_topics * longest) + slots)
    # Entries of the same row and topic are adjacent, and every two of them form a pair.
    where = entries // max(longest, 1)
    first = np.flatnonzero(np.diff(where, prepend=-1))
    sizes = np.diff(first, append=entries.size)
    meets = np.repeat(sizes, sizes)
    left = np.repeat(entries, meets)
    right = entries[expanded(np.repeat(first, sizes), meets)]
    pairs = left % (n_topics * longest or 1) * longest + right % (longest or 1)
    # Sums of integers far below 2 ** 53 are exact in doubles.
    sums = np.bincount(pairs, weights[left // (n_topics * longest or 1)], minlength=n_topics * longest * longest)
    return np.rint(sums).astype(np.int64).reshape(groups.counts_shape)


def document_counts(found: Found, groups: Groups) -> Longs:
    """How many documents each pair of a topic's terms occurs in; (n_topics, longest, longest)."""
    return counts_together(found.documents, found.terms, groups, np.ones(found.lengths.size, np.int64))


def n_windows(lengths: Longs, size: int) -> Longs:
    """Windows per document: one at each word followed by `size` - 1 others, or one if it is shorter."""
    return np.maximum(lengths - size, 0) + 1


def window_counts(found: Found, groups: Groups, size: int) -> Longs:
    """How many windows of `size` words each pair of a topic's terms occurs in; (n_topics, longest, longest).

    A term of several words is at the position of its first one. Consecutive windows with the same terms are
    counted together: windows are numbered across documents, an occurrence is a run of them, and the ends of all
    runs divide the windows into rows.
    """
    each = n_windows(found.lengths, size)
    numbered_from = np.cumsum(each) - each
    base = numbered_from[found.documents]
    first = base + np.maximum(found.places - size + 1, 0)
    last = base + np.minimum(found.places, each[found.documents] - 1)
    cuts = distinct(np.concatenate([first, last + 1]))
    from_row, to_row = np.searchsorted(cuts, first), np.searchsorted(cuts, last + 1)
    rows = expanded(from_row, to_row - from_row)
    return counts_together(rows, np.repeat(found.terms, to_row - from_row), groups, np.diff(cuts))


def expanded(starts: Longs, sizes: Longs) -> Longs:
    """start, start + 1, ... for each start, as many as its size, concatenated."""
    offsets = np.cumsum(sizes) - sizes
    return np.repeat(starts - offsets, sizes) + np.arange(int(sizes.sum()), dtype=np.int64)
