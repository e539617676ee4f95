"""Names that stand in the documents, but were not found to be terms, made terms of an opened index.

Nothing is indexed again: whatever an index holds for a term is worked out from the documents that hold the name.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np

from seetopic.discovery.names import report_many
from seetopic.index import Index, Sample, SampleThemes, Texts
from seetopic.runtime import LRU, Floats, Ids, Longs, Progress, one_thread, silent
from seetopic.text import Grammar, Spellings, Variants, Vocabulary, find_variants, function_words
from seetopic.vectors import TermEncoder

_REMEMBERED = 2  # indexes with names as terms: each holds the vectors of all terms once more
_READ = 1000  # documents, of those that hold a name, that its local vector is worked out from


@dataclass(frozen=True)
class NamedTerm:
    """A name as a term, and the documents that hold it."""

    term: str
    count: int
    documents: Longs  # rising


@dataclass(frozen=True)
class NamedIndex(Index):
    """An index with some more terms behind its own, each of which keeps its number."""

    base: Index = field(kw_only=True, repr=False)
    added: tuple[NamedTerm, ...] = field(kw_only=True, repr=False)

    @property
    def _starts(self) -> Longs:
        return self.base._starts

    @property
    def _documents(self) -> Ids:
        return self.base._documents

    @property
    def texts(self) -> Texts:
        return self.base.texts

    @property
    def sampled(self) -> Longs:
        return self.base.sampled

    @property
    def themes(self) -> SampleThemes:
        return self.base.themes

    @property
    def _encoder(self) -> TermEncoder:
        return self.base._encoder

    @property
    def _known_texts(self) -> LRU[str, Floats]:
        return self.base._known_texts

    @cached_property
    def vocabulary(self) -> Vocabulary:
        own = self.base.vocabulary
        counts = np.concatenate([own.counts, [each.count for each in self.added]])
        return Vocabulary((*own.terms, *(each.term for each in self.added)), counts)

    @cached_property
    def posting_starts(self) -> Longs:
        own = self.base.posting_starts
        return np.concatenate([own, own[-1] + np.cumsum([len(each.documents) for each in self.added])])

    @cached_property
    def posting_documents(self) -> Ids:
        added = [each.documents.astype(np.int32) for each in self.added]
        return np.concatenate([self.base.posting_documents, *added])

    @cached_property
    def general(self) -> Floats:
        return np.vstack([self.base.general, self.base.encode_names([each.term for each in self.added])])

    @cached_property
    def local(self) -> Floats:
        return np.vstack([self.base.local, folded_in(self.base, [each.documents for each in self.added])])

    @cached_property
    def variants(self) -> Variants:
        return find_variants(self._spellings, self.local, self.general)

    @cached_property
    def _spellings(self) -> Spellings:
        return self.base._spellings.followed_by([each.term for each in self.added])

    @cached_property
    def sample(self) -> Sample:
        own, first = self.base.sample, len(self.base.vocabulary)
        holds = np.stack([np.isin(self.base.sampled, each.documents) for each in self.added], axis=1)
        row_of, added = np.nonzero(holds)  # row by row; in each, new terms have the highest numbers, so all still rise
        terms = np.insert(np.asarray(own.terms), own.starts[row_of + 1], (first + added).astype(np.int32))
        return Sample(np.asarray(own.starts) + np.searchsorted(row_of, np.arange(len(own) + 1)), terms, own.general)


def with_named_terms(index: Index, names: Sequence[str], progress: Progress = silent) -> Index:
    """The index with every name as a term that stands in its documents as words in a row; itself if all are already."""
    added = {}
    for number, name in enumerate(names):
        report_many(progress, "looking for names", number, len(names))
        found = named_term(index, name)
        if found is not None:
            added[found.term] = found
    if not added:
        return index
    shared = (index.folder, index.manifest, index.model, index.tokenizer, index.cache)
    remembered = index.derived(_with_names)
    return remembered.one(tuple(added), lambda: NamedIndex(*shared, base=index, added=tuple(added.values())))


def _with_names(_: Index) -> LRU[tuple[str, ...], Index]:
    """The latest indexes with names as terms, by the terms that were added to this one."""
    return LRU(_REMEMBERED)


def named_term(index: Index, name: str) -> NamedTerm | None:
    """The name as a term; None if it is one already, does not occur, says nothing by itself ("it", "2012"), or
    is among no ready vectors."""
    term = index.as_term(name)
    if term is None or term in index.vocabulary.ids or not (" " in term or _says_something(index, term)):
        return None
    if not index.has_words(term):  # texts of millions of documents take a second to be checked
        return None
    positions = index.texts.occurrences(term)
    if not len(positions) or not index.can_encode(term):
        return None
    return NamedTerm(term, len(positions), np.unique(index.texts.documents(positions)))


def _says_something(index: Index, word: str) -> bool:
    listed = (function_words(language) for language in index.manifest["corpus"]["languages"])
    return Grammar(frozenset[str]().union(*listed), frozenset()).may_be_a_term(word)


def folded_in(index: Index, terms: Sequence[Longs]) -> Floats:
    """The local vectors that terms would have, nearly, given the documents of each; unit rows, (n_new, rank).

    Local vectors are W = U sqrt(S) of a matrix X whose term-term block is all but symmetric, so a further row x
    of X has the vector x U S^(-1/2) = x W S^(-1), and S is how long W's columns are, squared. Here x holds the
    terms of the documents, weighted by idf.
    """
    local = np.asarray(index.local)
    lengths = np.maximum(np.square(local).sum(axis=0), 1e-9)
    rows = []
    for documents in terms:
        near, times = np.unique(index.terms_of(documents[:: -(-len(documents) // _READ)]), return_counts=True)
        weights = (times * index.idf[near]).astype(np.float32)
        with one_thread():
            vector = weights @ local[near] / lengths
        rows.append(vector / max(float(np.linalg.norm(vector)), 1e-9))
    return np.array(rows, np.float32)
