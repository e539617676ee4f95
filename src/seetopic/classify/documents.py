"""Sorts documents in memory, shard by shard: texts, files, or the documents of an index."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import closing
from dataclasses import dataclass
from functools import partial
from itertools import islice
from typing import Any, TypeAlias

import numpy as np

from seetopic.classify.placement import AssignmentRule, AssignOptions, Placement
from seetopic.classify.rows import blank
from seetopic.classify.sorter import Sorter
from seetopic.corpus import Documents
from seetopic.errors import EncoderError, SettingsError
from seetopic.index import Index
from seetopic.runtime import Doubles, Flags, Floats, Lists, Longs, engine_for
from seetopic.vectors import unit_rows

_SHARD = 2048
_AT_ONCE = 32  # shards that are sorted faster than worker processes can start


@dataclass(frozen=True)
class IndexedWords:
    """Documents of an index: their words, by the numbers that a sorter gives them, and where each document ends."""

    words: Longs
    ends: Longs

    def __len__(self) -> int:
        return len(self.ends)


ShardTexts: TypeAlias = list[str] | IndexedWords


@dataclass(frozen=True)
class DocumentStream:
    """Documents to be sorted, with their vectors if there are any."""

    source: Documents | Index
    sorter: Sorter
    vectors: Any = None  # precomputed, one row per document
    reader: Callable[[list[str]], Floats] | None = None  # the language model, if it is to read them
    n_jobs: int | None = None

    def shares(self) -> Doubles:
        """How much each document belongs to each category and, last, to none; (n_documents, n_categories + 1)."""
        parts = self._each(partial(_shares, sorter=self.sorter))
        return np.concatenate([np.zeros((0, len(self.sorter.names) + 1)), *parts])

    def placement(self, options: AssignOptions) -> Placement:
        """The categories of each document."""
        rule = options.rule(self.sorter.n_roots)
        nothing = self.sorter.place(self.sorter.terms_in([]), None, rule)
        return Placement.joined([nothing, *self._each(partial(_placed, sorter=self.sorter, rule=rule))])

    def placed_with_terms(self, options: AssignOptions) -> Iterator[tuple[Placement, Lists, Flags]]:
        """The categories of each document, all terms in it, and whether it is empty; shard by shard."""
        rule = options.rule(self.sorter.n_roots)
        yield from self._each(partial(_placed_with_terms, sorter=self.sorter, rule=rule))

    def _each(self, work: Callable[[tuple[ShardTexts, Floats | None]], Any]) -> Iterator[Any]:
        if self.vectors is not None or self.reader is not None:
            self.sorter.require_reading()
        shards = self._with_vectors()
        yield from map(work, islice(shards, _AT_ONCE))
        with closing(engine_for("local", self.n_jobs)) as engine:
            yield from engine.map(work, shards)

    def _with_vectors(self) -> Iterator[tuple[ShardTexts, Floats | None]]:
        done, given = 0, None if self.vectors is None else np.asarray(self.vectors)
        for texts in self._shards():
            first, done = done, done + len(texts)
            if given is None:
                yield texts, self._read(texts)
            elif done <= len(given):  # else the other documents are only counted, for the error
                yield texts, self._unit_rows(given[first:done], first)
        if given is not None and len(given) != done:
            raise EncoderError(
                f"`document_embeddings` has {len(given)} rows for {done} documents; give one row per document"
            )

    def _unit_rows(self, rows: Any, first: int) -> Floats:
        """Precomputed vectors of documents, of which the first has this number."""
        vectors = unit_rows(rows, [f"document {number}" for number in range(first, first + len(rows))])
        length = len(self.sorter.arrays["document_weights"])
        if vectors.shape[1] != length:
            raise EncoderError(
                f"`document_embeddings` has vectors of length {vectors.shape[1]}, but the model was fitted with "
                f"vectors of length {length}; use the same language model for both"
            )
        return vectors

    def _read(self, texts: ShardTexts) -> Floats | None:
        if self.reader is None:
            return None
        return self.reader(self.sorter.read_texts(texts if isinstance(texts, list) else []))

    def _shards(self) -> Iterator[ShardTexts]:
        if isinstance(self.source, Documents):
            rows = self.source.all_texts()
            while shard := list(islice(rows, _SHARD)):
                yield shard
            return
        if self.reader is not None:
            raise SettingsError(
                "an index stores documents as words, which the language model cannot read; "
                "pass the documents themselves, or set read_documents=False"
            )
        texts = self.source.texts
        word_ids = self.sorter.word_ids(texts.words)
        for first in range(0, len(self.source), _SHARD):
            starts = texts.starts[first : first + _SHARD + 1]
            places = texts.places[int(starts[0]) : int(starts[-1])]
            yield IndexedWords(word_ids[places], starts[1:] - starts[0])


def _terms_in(texts: ShardTexts, sorter: Sorter) -> Lists:
    return sorter.terms_at(texts.words, texts.ends) if isinstance(texts, IndexedWords) else sorter.terms_in(texts)


def _blank(texts: ShardTexts) -> Flags:
    """Which documents are empty; those of an index never are."""
    return blank(texts) if isinstance(texts, list) else np.zeros(len(texts), np.bool_)


def _shares(shard: tuple[ShardTexts, Floats | None], sorter: Sorter) -> Doubles:
    texts, vectors = shard
    return sorter.shares(_terms_in(texts, sorter), vectors, _blank(texts))


def _placed(shard: tuple[ShardTexts, Floats | None], sorter: Sorter, rule: AssignmentRule) -> Placement:
    texts, vectors = shard
    return sorter.place(_terms_in(texts, sorter), vectors, rule, _blank(texts))


def _placed_with_terms(
    shard: tuple[ShardTexts, Floats | None], sorter: Sorter, rule: AssignmentRule
) -> tuple[Placement, Lists, Flags]:
    texts, vectors = shard
    terms, empty = _terms_in(texts, sorter), _blank(texts)
    return sorter.place(terms, vectors, rule, empty), terms, empty
