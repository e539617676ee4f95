"""Counts of terms in held-out documents, from texts tokenised into a folder or from an index's postings."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property, partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol, TypeVar

import numpy as np

from seetopic.corpus import Piece
from seetopic.evaluation.coherence import PairCounts
from seetopic.evaluation.occurrences import (
    Found,
    Groups,
    counts_together,
    document_counts,
    document_frequencies,
    found_in,
    groups_of,
    n_windows,
    window_counts,
)
from seetopic.index import Index
from seetopic.runtime import Engine, Ids, Longs
from seetopic.text import (
    EMPTY,
    Shard,
    TermTable,
    Tokenizer,
    WordTable,
    distinct,
    languages_of,
    sampled_counts,
    scan,
    term_table,
)

if TYPE_CHECKING:
    from scipy.sparse import csr_array

Result = TypeVar("Result")
_NOWHERE: Longs = np.empty(0, np.int64)


@dataclass(frozen=True)
class Occurrences:
    """Which documents contain which terms, and how often the terms of each topic occur together."""

    holds: csr_array  # (n_documents, n_terms), 1 where a document contains a term
    documents: tuple[PairCounts, ...]  # one per topic
    windows: tuple[PairCounts, ...]


class HeldOut(Protocol):
    """What measures need from documents; `words` are those that a random topic may consist of."""

    @property
    def n_documents(self) -> int: ...

    @property
    def words(self) -> tuple[tuple[str, ...], Longs]: ...

    def count(
        self,
        terms: Sequence[str],
        topics: Sequence[Sequence[int]],
        window: int,
        variants: Mapping[str, Sequence[str]] = EMPTY,
    ) -> Occurrences:
        """Topics refer to terms by number; a document that contains a variant contains the term."""
        ...


@dataclass(frozen=True)
class ScannedTexts:
    """Texts as word ids in a folder; a word is also counted where it is part of a longer term."""

    folder: Path
    engine: Engine = field(repr=False)
    table: WordTable = field(repr=False)
    sizes: tuple[int, ...] = field(repr=False)  # documents per shard

    @property
    def n_documents(self) -> int:
        return sum(self.sizes)

    @cached_property
    def words(self) -> tuple[tuple[str, ...], Longs]:
        """Words that may be terms in the documents' languages, and how many documents each occurs in."""
        total = np.zeros(len(self.table.words), np.int64)
        for part in self.map_shards(partial(_frequencies, n_words=len(self.table.words))):
            total += part
        sample = sampled_counts(self._shards, self.sizes, len(self.table.words))
        grammar = languages_of(self.table.words, sample, asked=None).grammar
        kept = [number for number, word in enumerate(self.table.words) if grammar.may_be_a_term(word)]
        return tuple(self.table.words[number] for number in kept), total[kept]

    def term_table(self, terms: Sequence[str], variants: Mapping[str, Sequence[str]] = EMPTY) -> TermTable:
        return term_table(terms, self._word_ids, len(self.table.words), variants)

    @cached_property
    def _word_ids(self) -> dict[str, int]:
        return {word: number for number, word in enumerate(self.table.words)}

    def map_shards(self, work: Callable[[Shard], Result]) -> Iterator[Result]:
        return self.engine.map(work, self._shards)

    @property
    def _shards(self) -> list[Shard]:
        return [Shard(self.folder, number) for number in range(len(self.sizes))]

    def count(
        self,
        terms: Sequence[str],
        topics: Sequence[Sequence[int]],
        window: int,
        variants: Mapping[str, Sequence[str]] = EMPTY,
    ) -> Occurrences:
        groups = groups_of(topics, len(terms))
        work = partial(_count_shard, table=self.term_table(terms, variants), groups=groups, window=window)
        rows: list[Longs] = []
        columns: list[Ids] = []
        together, in_windows = np.zeros(groups.counts_shape, np.int64), np.zeros(groups.counts_shape, np.int64)
        documents = windows = 0
        for part, size in zip(self.map_shards(work), self.sizes, strict=True):
            rows.append(part.documents.astype(np.int64) + documents)
            columns.append(part.terms)
            together += part.together
            in_windows += part.in_windows
            documents, windows = documents + size, windows + part.n_windows
        return Occurrences(
            _holds(rows, columns, (documents, len(terms))),
            _by_topic(topics, documents, together),
            _by_topic(topics, windows, in_windows),
        )


def scan_texts(
    texts: Iterable[Piece | list[str]],
    folder: Path,
    engine: Engine,
    tokenizer: Tokenizer,
    *,
    lowercase: bool,
    **filled: Any,
) -> ScannedTexts:
    """Tokenise texts into files in a folder; `filled` is passed on to `scan`, which fills or calls it."""
    table, sizes = scan(engine, texts, folder, tokenizer, lowercase=lowercase, min_count=1, **filled)
    return ScannedTexts(folder, engine, table, tuple(sizes))


@dataclass(frozen=True)
class _Counted:
    documents: Ids  # parallel to terms: each document that contains each term
    terms: Ids
    together: Longs
    in_windows: Longs
    n_windows: int


def _count_shard(shard: Shard, table: TermTable, groups: Groups, window: int) -> _Counted:
    found = found_in(shard.words(), shard.ends(), table)
    documents, terms = held_terms(found)
    return _Counted(
        documents.astype(np.int32),
        terms.astype(np.int32),
        document_counts(found, groups),
        window_counts(found, groups, window),
        int(n_windows(found.lengths, window).sum()),
    )


def held_terms(found: Found) -> tuple[Longs, Longs]:
    """Each document with each term it contains, once, in order."""
    width = int(found.terms.max(initial=0)) + 1
    keys = distinct(found.documents * width + found.terms)
    return keys // width, keys % width


def _frequencies(shard: Shard, n_words: int) -> Longs:
    return document_frequencies(shard.words(), shard.ends(), n_words)


@dataclass(frozen=True)
class IndexedTexts:
    """Documents of an index, whose terms do not overlap: a word inside a longer term is not counted separately.

    The size of a window is in terms. A term that the index does not have, such as a name that `discover` made a term,
    is looked for among all words.
    """

    index: Index

    @property
    def n_documents(self) -> int:
        return len(self.index)

    @property
    def words(self) -> tuple[tuple[str, ...], Longs]:
        return self.index.vocabulary.terms, self.index.document_frequencies

    def count(
        self,
        terms: Sequence[str],
        topics: Sequence[Sequence[int]],
        window: int,
        variants: Mapping[str, Sequence[str]] = EMPTY,
    ) -> Occurrences:
        groups, ids = groups_of(topics, len(terms)), [self.index.term_id(term) for term in terms]
        others = [self._variants(variants.get(term, ()), ids) for term in terms]
        added = [self._unindexed(term) if own is None else _NOWHERE for term, own in zip(terms, ids, strict=True)]
        rows = [
            np.unique(_joined([self.index.texts.documents(new), *map(self._documents_with, (own, *more))]))
            for new, own, more in zip(added, ids, others, strict=True)
        ]
        columns = [np.full(each.size, number, np.int64) for number, each in enumerate(rows)]
        holds = _holds(rows, columns, (self.n_documents, len(terms)))
        once = np.ones(self.n_documents, np.int64)
        together = counts_together(_joined(rows), _joined(columns), groups, once)
        found = self._found(ids, others, added)
        # Two spellings of the same indexed term share the first one's column.
        first = [ids.index(term) if term is not None else number for number, term in enumerate(ids)]
        same = groups_of([[first[term] for term in topic] for topic in topics], len(terms))
        return Occurrences(
            holds,
            _by_topic(topics, self.n_documents, together),
            _by_topic(topics, int(n_windows(found.lengths, window).sum()), window_counts(found, same, window)),
        )

    def _variants(self, spelled: Sequence[str], terms: Sequence[int | None]) -> list[int]:
        """The variants that occur, except those that are terms themselves."""
        found = (self.index.term_id(each) for each in spelled)
        return [term for term in found if term is not None and term not in terms]

    def _unindexed(self, term: str) -> Longs:
        """Where a term that the index does not have begins, among the words of all documents."""
        spelled = self.index.as_term(term)
        return (
            _NOWHERE if spelled is None or not self.index.has_words(spelled) else self.index.texts.occurrences(spelled)
        )

    def _documents_with(self, term: int | None) -> Longs:
        if term is None:
            return _NOWHERE
        first, last = self.index.posting_starts[term : term + 2]
        documents: Longs = np.asarray(self.index.posting_documents[first:last], np.int64)
        return documents

    def _found(self, ids: Sequence[int | None], variants: Sequence[Sequence[int]], added: Sequence[Longs]) -> Found:
        column = np.full(len(self.index.vocabulary), -1, np.int64)
        for number, (term, others) in reversed(list(enumerate(zip(ids, variants, strict=True)))):
            column[[each for each in (term, *others) if each is not None]] = number
        held, documents = self.index.positions
        lengths = np.bincount(documents, minlength=self.n_documents).astype(np.int64)
        starts = np.cumsum(lengths) - lengths
        at = np.flatnonzero(column[held] >= 0)
        where = documents[at].astype(np.int64)
        # An added term is as far into the terms of its document as it is into the words.
        words, begins = _joined(added), self.index.texts.starts
        in_words = self.index.texts.documents(words)
        share = (words - begins[in_words]) / np.diff(begins)[in_words]
        return Found(
            np.concatenate([where, in_words]),
            np.concatenate([column[held[at]], np.repeat(np.arange(len(added)), [each.size for each in added])]),
            np.concatenate([at - starts[where], (share * lengths[in_words]).astype(np.int64)]),
            lengths,
        )


def _holds(rows: Sequence[Longs], columns: Sequence[Longs] | Sequence[Ids], shape: tuple[int, int]) -> csr_array:
    flat_rows, flat_columns = _joined(rows), _joined(columns)
    from scipy.sparse import csr_array

    return csr_array((np.ones(flat_rows.size, np.int32), (flat_rows, flat_columns)), shape=shape)


def _joined(parts: Sequence[Longs] | Sequence[Ids]) -> Longs:
    return np.concatenate([np.empty(0, np.int64), *parts]).astype(np.int64)


def _by_topic(topics: Sequence[Sequence[int]], total: int, together: Longs) -> tuple[PairCounts, ...]:
    return tuple(
        PairCounts(total, counts[: len(topic), : len(topic)]) for topic, counts in zip(topics, together, strict=True)
    )
