"""Sorts the sample by names: some documents by the language model's reading, the others by their terms."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from seetopic.discovery.named_terms import base_of
from seetopic.discovery.nearest import averaged
from seetopic.discovery.self_training import Features, SortedSample, shares, sort_sample
from seetopic.discovery.teaching import Lessons, known_shares, taught
from seetopic.discovery.term_rule import SortedDocuments, centred, rule_for_sampled
from seetopic.discovery.tree import Tree
from seetopic.discovery.tree_sorting import sort_by_paths, taught_by_paths, widened
from seetopic.index import Index, Sample, weighted_rows
from seetopic.runtime import LRU, Doubles, Floats, Ids, Sparse, normalized
from seetopic.settings import SortingSettings

_MOST = 0.5  # share of terms in the sample from which leaving the others out costs more than it saves
_REMEMBERED = 3  # readings that are kept: what a discovery makes, one more than usual if documents are judged


@dataclass(frozen=True)
class Reading:
    """The sample, sorted by names."""

    found: SortedSample  # of the documents that were read
    memberships: Doubles  # of all documents, beginning with those that were read; (n_documents, n_categories)


@dataclass(frozen=True)
class _Narrow:
    """Documents, beginning with those that were read, and vectors of the terms that they contain."""

    documents: Sparse
    rows: Sparse
    local: Floats
    n_read: int

    @cached_property
    def read_documents(self) -> Sparse:
        return self.documents[: self.n_read]

    @cached_property
    def read_rows(self) -> Sparse:
        return self.rows[: self.n_read]

    @cached_property
    def other_rows(self) -> Sparse:
        return self.rows[self.n_read :]


@dataclass(frozen=True)
class _Vectors:
    """Of the documents that were read."""

    local_scale: float
    features: Features
    local: Floats  # centred, not scaled; (n_documents, rank)


@dataclass(frozen=True)
class SampledDocuments:
    """An index's sample in the forms that sorting needs."""

    sample: Sample
    idf: Doubles
    local: Floats  # of terms, unit rows, (n_terms, rank)
    before: SampledDocuments | None = None  # without terms that were added for names, which few documents contain

    @cached_property
    def documents(self) -> Sparse:
        """1 where a sampled document contains a term; (n_documents, n_terms)."""
        return self.sample.matrix(len(self.idf))

    @cached_property
    def by_term(self) -> Sparse:
        """The same, stored by term."""
        return self.documents.tocsc()

    @property
    def n_read(self) -> int:
        return len(self.sample.general)

    @cached_property
    def rows(self) -> Sparse:
        """The same weighted by idf; unit rows."""
        return weighted_rows(self.documents, self.idf)

    @property
    def local_scale(self) -> float:
        """Scales documents' local vectors to length 1 on average, to count as much as the language model's."""
        return self._vectors.local_scale

    @property
    def features(self) -> Features:
        """The language model's vectors and local vectors, side by side, of the documents that were read."""
        return self._vectors.features

    @property
    def local_features(self) -> Floats:
        """Local vectors of the documents that were read, centred; (n_read, rank)."""
        return self._vectors.local

    @cached_property
    def unit_features(self) -> Floats:
        """The features of the documents that were read, centred; unit rows."""
        if self.before is not None:
            return self.before.unit_features
        return normalized(self.features.centred)

    @cached_property
    def _vectors(self) -> _Vectors:
        if self.before is not None:
            return self.before._vectors
        local: Floats = self._narrow.read_rows @ self._narrow.local
        lengths = np.linalg.norm(local, axis=1)
        scale = float(1 / max(lengths.mean(), 1e-9)) if len(lengths) else 1.0
        features = Features.of(np.asarray(self.sample.general), np.float32(scale) * local)
        return _Vectors(scale, features, centred(local))

    @cached_property
    def _narrow(self) -> _Narrow:
        """The sample with only the terms that occur in it, which are few of very many."""
        held = np.zeros(len(self.idf), np.bool_)
        held[self.sample.terms] = True
        if held.mean() > _MOST:
            return _Narrow(self.documents, self.rows, self.local, self.n_read)
        terms = np.flatnonzero(held)
        places = np.cumsum(held) - 1
        own = Sample(self.sample.starts, places[self.sample.terms].astype(np.int32), self.sample.general)
        documents = own.matrix(len(terms))
        return _Narrow(documents, weighted_rows(documents, self.idf[terms]), self.local[terms], self.n_read)

    def get_ready(self) -> tuple[object, ...]:
        """Compute and keep everything that sorting needs and that does not depend on names."""
        if not self.sample.was_read:
            return ()
        return self.documents, self._vectors, self._narrow.other_rows

    @cached_property
    def _readings(self) -> LRU[tuple[bytes, bytes, SortingSettings, bytes, Tree | None, bool], Reading]:
        return LRU(_REMEMBERED)

    def sorted_by(
        self,
        names: Floats,
        handicaps: Doubles,
        settings: SortingSettings,
        lessons: Lessons | None = None,
        tree: Tree | None = None,
        neighbours: Ids | None = None,
    ) -> Reading:
        """Sort documents that were read by their vectors, the others by terms, as learned from the first kind.

        `handicaps` are subtracted from the scores in each category. If `neighbours` are given, a document's shares are
        averaged with theirs.
        """
        taught_by = lessons.key if lessons else b""
        key = names.tobytes(), handicaps.tobytes(), settings, taught_by, tree, neighbours is not None
        return self._readings.one(key, lambda: self._sorted_by(names, handicaps, settings, lessons, tree, neighbours))

    def _sorted_by(
        self,
        names: Floats,
        handicaps: Doubles,
        settings: SortingSettings,
        lessons: Lessons | None,
        tree: Tree | None,
        neighbours: Ids | None,
    ) -> Reading:
        if tree is None:
            found = sort_sample(self.features, names, settings, handicaps)
        else:
            found = sort_by_paths(self.features, names, settings, tree, handicaps)
        if lessons is not None and tree is None:
            found = taught(self.features, found, lessons, settings)
        elif lessons is not None and tree is not None:
            found = taught_by_paths(self.features, found, lessons, settings, tree)
        memberships = shares_of_read(found, lessons, settings.temperature, neighbours)
        if self.n_read < self.documents.shape[0]:
            narrow = self._narrow
            leaves = slice(None) if tree is None else list(tree.leaves)
            known = SortedDocuments(narrow.read_documents, narrow.read_rows, memberships[:, leaves])
            rule = widened(tree, rule_for_sampled(known, narrow.local, settings, self.local_features))
            others = shares(rule.lowered(handicaps).scores(narrow.other_rows), settings.temperature)
            memberships = np.vstack([memberships, others])
        return Reading(found, memberships)

    def read_part(self, memberships: Doubles) -> SortedDocuments:
        """The documents that were read, with their shares."""
        return SortedDocuments(self.documents[: self.n_read], self.rows[: self.n_read], memberships[: self.n_read])


def shares_of_read(
    found: SortedSample, lessons: Lessons | None, temperature: float, neighbours: Ids | None = None
) -> Doubles:
    """The shares of the documents that were read, averaged with their neighbours'; those of judged ones are known."""
    memberships = found.memberships(temperature)
    if lessons is None:
        return memberships if neighbours is None else averaged(memberships, neighbours)
    rows, settled = known_shares(found, lessons, temperature)
    memberships[rows] = settled
    if neighbours is not None:
        memberships = averaged(memberships, neighbours)
        memberships[rows] = settled
    return memberships


def sampled_documents(index: Index) -> SampledDocuments:
    """An index's sample in the forms that sorting needs; made once per opened index."""
    return index.derived(_sampled_documents)


def _sampled_documents(index: Index) -> SampledDocuments:
    base = base_of(index)
    before = None if base is index else sampled_documents(base)
    local = np.asarray(index.local)  # first, because another thread may still be reading the rest
    return SampledDocuments(index.sample, index.idf, local, before)
