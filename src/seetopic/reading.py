"""The sample sorted by names: the language model's reading of some documents, carried over to the others."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from seetopic.arrays import Doubles, Floats
from seetopic.index import Index
from seetopic.sample import weighted_rows
from seetopic.settings import SortingSettings
from seetopic.sorting import SortedSample, shares, sort_sample
from seetopic.wording import SortedDocuments, rule_for_sampled

if TYPE_CHECKING:
    from scipy.sparse import csr_array


@dataclass(frozen=True)
class Reading:
    """The sample as some names sort it."""

    found: SortedSample  # of the documents that were read
    memberships: Doubles  # of all, the ones that were read first; (n_documents, n_categories)


@dataclass(frozen=True)
class SampledDocuments:
    """The index's sample, in the forms that sorting needs; made once a run."""

    index: Index

    @cached_property
    def documents(self) -> csr_array:
        """1 where a sampled document holds a term; (n_documents, n_terms)."""
        return self.index.sample.matrix(len(self.index.vocabulary))

    @property
    def n_read(self) -> int:
        return len(self.index.sample.general)

    @cached_property
    def rows(self) -> csr_array:
        """The same weighted by idf, rows to unit length."""
        return weighted_rows(self.documents, self.index.idf)

    @cached_property
    def local_scale(self) -> float:
        """Brings documents' local vectors to length 1 on average, so that they weigh as much as the read ones do."""
        lengths = np.linalg.norm(self._local, axis=1)
        return float(1 / max(lengths.mean(), 1e-9)) if len(lengths) else 1.0

    @cached_property
    def _local(self) -> Floats:
        local: Floats = self.rows[: self.n_read] @ np.asarray(self.index.local)
        return local

    @cached_property
    def _features(self) -> Floats:
        """Of the documents that were read: the language model's vectors and local vectors, side by side."""
        general = np.asarray(self.index.sample.general)
        return np.hstack([general, np.float32(self.local_scale) * self._local])

    def sorted_by(self, names: Floats, settings: SortingSettings) -> Reading:
        """Read documents by their vectors, the others by the terms that the first kind taught to tell apart."""
        found = sort_sample(self._features, names, settings)
        memberships = found.memberships(settings.temperature)
        if self.n_read < self.documents.shape[0]:
            rule = rule_for_sampled(self.read_part(memberships), np.asarray(self.index.local), settings)
            others = shares(rule.scores(self.rows[self.n_read :]), settings.temperature)
            memberships = np.vstack([memberships, others])
        return Reading(found, memberships)

    def read_part(self, memberships: Doubles) -> SortedDocuments:
        """The documents that were read, with their shares."""
        end = self.n_read
        return SortedDocuments(self.documents[:end], self.rows[:end], memberships[:end])
