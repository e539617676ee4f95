"""Adds names that occur in the documents, but are not terms, as terms of an opened index.

Nothing is indexed again: what an index stores about a term is computed from the documents that contain the name.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property, partial

import numpy as np

from seetopic.discovery.names import report_many
from seetopic.index import Index, Sample, SampleThemes, Texts
from seetopic.runtime import LRU, Floats, Ids, Longs, Progress, one_thread, silent
from seetopic.text import Grammar, Spellings, Variants, Vocabulary, find_variants, function_words
from seetopic.vectors import TermEncoder

_REMEMBERED = 1  # indexes with added terms that are kept; each has its own copy of all term vectors
_KNOWN = 2000  # names of which it is remembered in which documents they occur
_READ = 1000  # documents containing a name from which its local vector is computed


@dataclass(frozen=True)
class NamedTerm:
    """A name as a term, and the documents that contain it."""

    term: str
    count: int
    documents: Longs  # ascending


@dataclass(frozen=True)
class NamedIndex(Index):
    """An index with more terms after its own, which keep their numbers."""

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
    def neighbours(self) -> Ids:
        return self.base.neighbours

    @property
    def _encoder(self) -> TermEncoder:
        return self.base._encoder

    @property
    def _reader(self) -> TermEncoder:
        return self.base._reader

    @property
    def _known_texts(self) -> LRU[str, Floats]:
        return self.base._known_texts

    @property
    def _read_before(self) -> LRU[str, Floats]:
        return self.base._read_before

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
        row_of, added = np.nonzero(holds)  # row by row; new terms have the highest numbers, so each row stays sorted
        terms = np.insert(np.asarray(own.terms), own.starts[row_of + 1], (first + added).astype(np.int32))
        return Sample(np.asarray(own.starts) + np.searchsorted(row_of, np.arange(len(own) + 1)), terms, own.general)


def with_named_terms(index: Index, names: Sequence[str], progress: Progress = silent) -> Index:
    """The index with every name that occurs in its documents added as a term; itself if there is nothing to add."""
    added, known = {}, index.derived(_known_names)
    for number, name in enumerate(names):
        report_many(progress, "looking for names", number, len(names))
        found = known.one(name, partial(named_term, index, name))
        if found is not None:
            added[found.term] = found
    if not added:
        return index
    shared = (index.folder, index.manifest, index.embedding_model, index.tokenizer, index.cache, index.reader)
    remembered = index.derived(_with_names)
    return remembered.one(tuple(added), lambda: NamedIndex(*shared, base=index, added=tuple(added.values())))


def base_of(index: Index) -> Index:
    """The index without added names."""
    return index.base if isinstance(index, NamedIndex) else index


def _with_names(_: Index) -> LRU[tuple[str, ...], Index]:
    """The latest index with added names, by the terms that were added to this one."""
    return LRU(_REMEMBERED)


def _known_names(_: Index) -> LRU[str, NamedTerm | None]:
    """The latest names as terms: searching the texts again for names that did not change takes longer than encoding."""
    return LRU(_KNOWN)


def named_term(index: Index, name: str) -> NamedTerm | None:
    """The name as a term; None if it already is one, does not occur, is not one by itself ("it"), or has no vector."""
    term = index.as_term(name)
    if term is None or term in index.vocabulary.ids or not (" " in term or _says_something(index, term)):
        return None
    if not index.has_words(term):  # searching the texts of millions of documents takes a second
        return None
    positions = index.texts.occurrences(term)
    if not len(positions) or not index.can_encode(term):
        return None
    return NamedTerm(term, len(positions), np.unique(index.texts.documents(positions)))


def _says_something(index: Index, word: str) -> bool:
    listed = (function_words(language) for language in index.manifest["corpus"]["languages"])
    return Grammar(frozenset[str]().union(*listed), frozenset()).may_be_a_term(word)


def folded_in(index: Index, terms: Sequence[Longs]) -> Floats:
    """Approximate local vectors of new terms, given the documents of each; unit rows, (n_new, rank).

    Local vectors are W = U sqrt(S) of a matrix X whose term-term block is nearly symmetric, so another row x of X has
    the vector x U S^(-1/2) = x W S^(-1), where S are the squared lengths of W's columns. Here x holds the terms of the
    documents, weighted by idf.
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
