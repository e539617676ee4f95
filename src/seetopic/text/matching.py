"""Finds terms, as sequences of whole words, in many texts at once."""

from __future__ import annotations

import itertools
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from types import MappingProxyType

import numpy as np

from seetopic.runtime import Flags, Ids, Lists, Longs
from seetopic.text.tokenizer import cleaned, token_numbers

EMPTY: MappingProxyType[str, tuple[str, ...]] = MappingProxyType({})  # no term has variants


@dataclass(frozen=True)
class TermTable:
    """Terms as a graph of word ids; a node represents the first words of terms."""

    n_words: int
    first_words: Ids
    first_nodes: Ids
    keys: Longs  # ascending: node * n_words + next word
    nodes: Ids  # the node that this word leads to
    ends: Ids  # the term that a node completes, or -1

    @cached_property
    def node_of(self) -> Ids:
        """The node of each first word; -1 for other words, and in the last entry, which word -1 indexes."""
        nodes = np.full(self.n_words + 1, -1, np.int32)
        nodes[self.first_words] = self.first_nodes
        return nodes

    @cached_property
    def goes_on(self) -> Flags:
        """Whether some term continues after a node."""
        inner = np.zeros(self.ends.size, np.bool_)
        inner[self.keys // self.n_words] = True
        return inner


def term_table(
    terms: Sequence[str], word_ids: Mapping[str, int], n_words: int, variants: Mapping[str, Sequence[str]] = EMPTY
) -> TermTable:
    """The graph of the terms whose words all occur. A variant counts as its term, unless it is a term itself."""
    known = set(terms)
    spellings = [(number, term) for number, term in enumerate(terms)]
    spellings += [(n, each) for n, term in enumerate(terms) for each in variants.get(term, ()) if each not in known]
    nodes: defaultdict[str | tuple[str], int] = defaultdict(itertools.count().__next__)
    first: dict[int, int] = {}
    edges: dict[tuple[int, int], int] = {}
    term_of: dict[int, int] = {}
    for number, term in spellings:
        if (whole := word_ids.get(term)) is not None:
            # A word like `breast_cancer` has its own node, after which no term continues.
            first[whole] = nodes[(term,) if " " in term else term]
            term_of[first[whole]] = number
        if " " in term:
            _add_words(term.split(" "), word_ids, nodes, first, edges)
            term_of[nodes[term]] = number
    ends = np.full(len(nodes), -1, np.int32)
    ends[list(term_of)] = list(term_of.values())
    keyed = sorted((node * n_words + word, after) for (node, word), after in edges.items())
    return TermTable(
        n_words,
        np.array(list(first), np.int32),
        np.array(list(first.values()), np.int32),
        np.array([key for key, _ in keyed], np.int64),
        np.array([after for _, after in keyed], np.int32),
        ends,
    )


def _add_words(
    words: list[str],
    word_ids: Mapping[str, int],
    nodes: Mapping[str | tuple[str], int],
    first: dict[int, int],
    edges: dict[tuple[int, int], int],
) -> None:
    """The ways to write a term in a text; there are several because `breast_cancer` is one word."""
    if words[0] not in word_ids:
        return
    beginnings = [" ".join(words[:length]) for length in range(len(words) + 1)]
    first[word_ids[words[0]]] = nodes[words[0]]
    for start in range(1, len(words)):
        for end in range(start + 1, len(words) + 1):
            word = word_ids.get(" ".join(words[start:end]))
            if word is not None:
                edges[nodes[beginnings[start]], word] = nodes[beginnings[end]]


def occurrences(words: Longs, table: TermTable) -> tuple[Longs, Longs]:
    """The position of the first word of each occurrence, and its term; `words` is -1 at separators."""
    nodes: Longs = table.node_of[words].astype(np.int64)
    positions = np.flatnonzero(nodes >= 0)
    nodes = nodes[positions]
    padded = np.append(words, -1)
    found = [_completed(positions, nodes, table)]
    for depth in itertools.count(1):
        inner = table.goes_on[nodes]
        positions, nodes = positions[inner], nodes[inner]
        if not positions.size:
            break
        following = padded[positions + depth]
        keys = nodes * table.n_words + following
        at = np.minimum(np.searchsorted(table.keys, keys), table.keys.size - 1)
        fits = (following >= 0) & (table.keys[at] == keys)
        positions, nodes = positions[fits], table.nodes[at[fits]].astype(np.int64)
        found.append(_completed(positions, nodes, table))
    return np.concatenate([each for each, _ in found]), np.concatenate([each for _, each in found])


def _completed(positions: Longs, nodes: Longs, table: TermTable) -> tuple[Longs, Longs]:
    terms = table.ends[nodes].astype(np.int64)
    return positions[terms >= 0], terms[terms >= 0]


def distinct(keys: Longs) -> Longs:
    """Each key once, ascending; sorting is several times faster here than `np.unique`, which hashes."""
    rising = np.sort(keys)
    return rising[np.diff(rising, prepend=-1) != 0] if rising.size else rising


@dataclass(frozen=True)
class Finder:
    """Finds a fixed set of terms in any texts; made by `finder_of`."""

    word_ids: dict[str, int]
    table: TermTable
    n_terms: int

    def found(self, documents: Iterable[list[str]]) -> Lists:
        """The distinct terms of each document, ascending, from its tokens; each distinct token is looked up once."""
        distinct_tokens, tokens, ends = token_numbers(documents)
        words = self.ids_of(distinct_tokens)
        return self.found_at(words[np.array(tokens, np.intp)], np.array(ends, np.int64))

    def ids_of(self, words: Iterable[str]) -> Longs:
        """The number of each word in the terms, -1 for others."""
        return np.array([self.word_ids.get(cleaned(word) or "", -1) for word in words], np.int64)

    def found_at(self, words: Longs, ends: Longs) -> Lists:
        """The same from all documents' words by number, where each ends with a -1 at the position before its end."""
        positions, terms = occurrences(words, self.table)
        numbers = np.searchsorted(ends, positions, side="right")
        keys = distinct(numbers * self.n_terms + terms)
        starts = np.searchsorted(keys, np.arange(len(ends) + 1) * self.n_terms)
        return Lists(keys % max(self.n_terms, 1), starts)


def finder_of(terms: Sequence[str]) -> Finder:
    """Numbers the words of terms and their runs, because a text may write `breast_cancer` as one word."""
    word_ids: defaultdict[str, int] = defaultdict(itertools.count().__next__)
    for term in terms:
        words = term.split(" ")
        pieces = (words[first:last] for first in range(1, len(words)) for last in range(first + 1, len(words) + 1))
        for piece in (words, words[:1], *pieces):
            word_ids[" ".join(piece)]  # the lookup numbers it
    numbered = {word: number for word, number in word_ids.items() if word}  # a separator is not a word
    return Finder(numbered, term_table(terms, numbered, max(len(word_ids), 1)), len(terms))
