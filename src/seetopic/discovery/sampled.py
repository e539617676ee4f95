"""The sample sorted by names: the language model's reading of some documents, carried over to the others."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from seetopic.discovery.self_training import Features, SortedSample, shares, sort_sample
from seetopic.discovery.term_rule import SortedDocuments, local_features, rule_for_sampled
from seetopic.index import Index, Sample, weighted_rows
from seetopic.runtime import LRU, Doubles, Floats
from seetopic.settings import SortingSettings

if TYPE_CHECKING:
    from scipy.sparse import csr_array

_REMEMBERED = 4  # readings: a term that is pinned or barred leaves the names, and so the first reading, as they were


@dataclass(frozen=True)
class Reading:
    """The sample as some names sort it."""

    found: SortedSample  # of the documents that were read
    memberships: Doubles  # of all, the ones that were read first; (n_documents, n_categories)


@dataclass(frozen=True)
class _Narrow:
    """Documents, those that were read first, and vectors of the terms that they hold."""

    documents: csr_array
    rows: csr_array
    local: Floats
    n_read: int

    @cached_property
    def read_documents(self) -> csr_array:
        return self.documents[: self.n_read]

    @cached_property
    def read_rows(self) -> csr_array:
        return self.rows[: self.n_read]

    @cached_property
    def other_rows(self) -> csr_array:
        return self.rows[self.n_read :]


@dataclass(frozen=True)
class SampledDocuments:
    """An index's sample, in the forms that sorting needs; made once an index."""

    sample: Sample
    idf: Doubles
    local: Floats  # of terms, unit rows, (n_terms, rank)

    @cached_property
    def documents(self) -> csr_array:
        """1 where a sampled document holds a term; (n_documents, n_terms)."""
        return self.sample.matrix(len(self.idf))

    @property
    def n_read(self) -> int:
        return len(self.sample.general)

    @cached_property
    def rows(self) -> csr_array:
        """The same weighted by idf, rows to unit length."""
        return weighted_rows(self.documents, self.idf)

    @cached_property
    def local_scale(self) -> float:
        """Brings documents' local vectors to length 1 on average, so that they weigh as much as the read ones do."""
        lengths = np.linalg.norm(self._local, axis=1)
        return float(1 / max(lengths.mean(), 1e-9)) if len(lengths) else 1.0

    @cached_property
    def _local(self) -> Floats:
        local: Floats = self._narrow.read_rows @ self._narrow.local
        return local

    @cached_property
    def _narrow(self) -> _Narrow:
        """The sample with its own terms alone: of very many, few occur in it."""
        held = np.zeros(len(self.idf), np.bool_)
        held[self.sample.terms] = True
        terms = np.flatnonzero(held)
        places = np.cumsum(held) - 1
        own = Sample(self.sample.starts, places[self.sample.terms].astype(np.int32), self.sample.general)
        documents = own.matrix(len(terms))
        return _Narrow(documents, weighted_rows(documents, self.idf[terms]), self.local[terms], self.n_read)

    @cached_property
    def _features(self) -> Features:
        """Of the documents that were read: the language model's vectors and local vectors, side by side."""
        general = np.asarray(self.sample.general)
        return Features(np.hstack([general, np.float32(self.local_scale) * self._local]))

    @cached_property
    def _local_features(self) -> Floats:
        return local_features(self._narrow.read_rows, self._narrow.local)

    def get_ready(self) -> tuple[object, ...]:
        """Make, and keep, all that sorting needs and that does not depend on names."""
        if not self.sample.was_read:
            return ()
        return self.documents, self._features, self._local_features, self._narrow.other_rows

    @cached_property
    def _readings(self) -> LRU[tuple[bytes, SortingSettings], Reading]:
        return LRU(_REMEMBERED)

    def sorted_by(self, names: Floats, settings: SortingSettings) -> Reading:
        """Read documents by their vectors, the others by the terms that the first kind taught to tell apart."""
        return self._readings.one((names.tobytes(), settings), lambda: self._sorted_by(names, settings))

    def _sorted_by(self, names: Floats, settings: SortingSettings) -> Reading:
        found = sort_sample(self._features, names, settings)
        memberships = found.memberships(settings.temperature)
        if self.n_read < self.documents.shape[0]:
            narrow = self._narrow
            known = SortedDocuments(narrow.read_documents, narrow.read_rows, memberships)
            rule = rule_for_sampled(known, narrow.local, settings, self._local_features)
            others = shares(rule.scores(narrow.other_rows), settings.temperature)
            memberships = np.vstack([memberships, others])
        return Reading(found, memberships)

    def read_part(self, memberships: Doubles) -> SortedDocuments:
        """The documents that were read, with their shares."""
        return SortedDocuments(self.documents[: self.n_read], self.rows[: self.n_read], memberships[: self.n_read])


def sampled_documents(index: Index) -> SampledDocuments:
    """An index's sample in the forms that sorting it needs; made once for each opened index."""
    return index.derived(_sampled_documents)


def _sampled_documents(index: Index) -> SampledDocuments:
    return SampledDocuments(index.sample, index.idf, np.asarray(index.local))
