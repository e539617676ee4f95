"""Where terms occur in documents: as whole words in a row, by the rule that sorts documents (`Sorter.matched`)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType

import numpy as np

from seetopic.arrays import Ids, Longs

EMPTY: MappingProxyType[str, tuple[str, ...]] = MappingProxyType({})  # no term has variants


@dataclass(frozen=True)
class Step:
    """The next words of terms: `keys` are (number of the words so far) * n_words + next word."""

    keys: Longs  # rising
    nodes: Ids  # the number of the words so far, the next one included


@dataclass(frozen=True)
class TermTable:
    """Terms as a tree of word ids; a node stands for a beginning of terms."""

    n_words: int
    first_words: Ids
    first_nodes: Ids
    steps: tuple[Step, ...]
    ends: Ids  # the term that a node completes, or -1


@dataclass(frozen=True)
class Found:
    """Every occurrence of terms in some documents, side by side, in no particular order."""

    documents: Longs
    terms: Longs
    places: Longs  # of the term's first word among the document's words
    lengths: Longs  # words of each document; (n_documents,)


def term_table(
    terms: Sequence[str], word_ids: Mapping[str, int], n_words: int, variants: Mapping[str, Sequence[str]] = EMPTY
) -> TermTable:
    """The tree of the terms whose words all occur. A variant counts as its term, unless it is a term itself."""
    nodes: dict[tuple[int, int], int] = {}  # node before and word -> node
    depths: list[list[tuple[int, int]]] = []
    ends: list[int] = []
    known = set(terms)
    spellings = [(number, term) for number, term in enumerate(terms)]
    spellings += [(n, each) for n, term in enumerate(terms) for each in variants.get(term, ()) if each not in known]
    for term, spelled in spellings:
        for path in _readings(spelled.split(" "), word_ids):
            node = -1
            for depth, word in enumerate(path):
                if (node, word) not in nodes:
                    if depth == len(depths):
                        depths.append([])
                    depths[depth].append((node, word))
                    nodes[node, word] = len(ends)
                    ends.append(-1)
                node = nodes[node, word]
            ends[node] = term
    first = depths[0] if depths else []
    return TermTable(
        n_words,
        np.array([word for _, word in first], np.int32),
        np.array([nodes[edge] for edge in first], np.int32),
        tuple(_step(edges, nodes, n_words) for edges in depths[1:]),
        np.array(ends, np.int32),
    )


def _step(edges: list[tuple[int, int]], nodes: Mapping[tuple[int, int], int], n_words: int) -> Step:
    keyed = sorted((node * n_words + word, nodes[node, word]) for node, word in edges)
    return Step(np.array([key for key, _ in keyed], np.int64), np.array([node for _, node in keyed], np.int32))


def _readings(words: list[str], word_ids: Mapping[str, int]) -> Iterator[tuple[int, ...]]:
    """A term's ways of standing in a text. There is more than one because `breast_cancer` is a word for itself."""
    whole, first = word_ids.get(" ".join(words)), word_ids.get(words[0])
    if whole is not None:
        yield (whole,)
    if len(words) > 1 and first is not None:
        for rest in _cut(words[1:], word_ids):
            yield (first, *rest)


def _cut(words: list[str], word_ids: Mapping[str, int]) -> Iterator[tuple[int, ...]]:
    if not words:
        yield ()
    for length in range(1, len(words) + 1):
        piece = word_ids.get(" ".join(words[:length]))
        if piece is not None:
            for rest in _cut(words[length:], word_ids):
                yield (piece, *rest)


def occurrences(words: Longs, table: TermTable) -> tuple[Longs, Longs]:
    """The position of the first word of each occurrence, and its term; `words` is -1 where words are parted."""
    node_of = np.full(table.n_words + 1, -1, np.int32)  # the last entry serves word -1
    node_of[table.first_words] = table.first_nodes
    nodes: Longs = node_of[words].astype(np.int64)
    positions = np.flatnonzero(nodes >= 0)
    nodes = nodes[positions]
    padded = np.concatenate([words, np.full(len(table.steps), -1, np.int64)])
    found = [_completed(positions, nodes, table)]
    for depth, step in enumerate(table.steps, start=1):
        following = padded[positions + depth]
        keys = nodes * table.n_words + following
        at = np.minimum(np.searchsorted(step.keys, keys), step.keys.size - 1)
        fits = (following >= 0) & (step.keys[at] == keys)
        positions, nodes = positions[fits], step.nodes[at[fits]].astype(np.int64)
        found.append(_completed(positions, nodes, table))
    return np.concatenate([each for each, _ in found]), np.concatenate([each for _, each in found])


def _completed(positions: Longs, nodes: Longs, table: TermTable) -> tuple[Longs, Longs]:
    terms = table.ends[nodes].astype(np.int64)
    return positions[terms >= 0], terms[terms >= 0]


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


def distinct(keys: Longs) -> Longs:
    """Each key once, rising; sorting is several times faster here than `np.unique`, which hashes."""
    rising = np.sort(keys)
    return rising[np.diff(rising, prepend=-1) != 0] if rising.size else rising
