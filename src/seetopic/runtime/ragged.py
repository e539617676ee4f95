"""Ragged lists of integers, one list per document, stored as two arrays."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import chain, pairwise

import numpy as np

from seetopic.runtime.arrays import Flags, Longs


@dataclass(frozen=True)
class Lists:
    """One list of integers per document, concatenated in document order."""

    values: Longs
    starts: Longs  # offset of each document's first value, and the end of the last document

    @staticmethod
    def of(lists: Sequence[Sequence[int]]) -> Lists:
        starts = np.zeros(len(lists) + 1, np.int64)
        np.cumsum([len(each) for each in lists], out=starts[1:])
        return Lists(np.fromiter(chain.from_iterable(lists), np.int64, int(starts[-1])), starts)

    @staticmethod
    def joined(parts: Sequence[Lists]) -> Lists:
        """The documents of several, one after the other; at least one part."""
        sizes = np.concatenate([part.sizes for part in parts])
        starts = np.concatenate([np.zeros(1, np.int64), np.cumsum(sizes)])
        return Lists(np.concatenate([part.values for part in parts]), starts)

    def __len__(self) -> int:
        return self.starts.size - 1

    @property
    def sizes(self) -> Longs:
        return np.diff(self.starts)

    @property
    def documents(self) -> Longs:
        """The document of each value."""
        return np.repeat(np.arange(len(self)), self.sizes)

    def where(self, kept: Flags) -> Lists:
        """Only the flagged values; all documents remain, some perhaps empty."""
        before = np.concatenate([np.zeros(1, np.int64), np.cumsum(kept)])
        return Lists(self.values[kept], before[self.starts])

    def of_documents(self, chosen: Flags) -> Lists:
        """Only the lists of the flagged documents."""
        starts = np.concatenate([np.zeros(1, np.int64), np.cumsum(self.sizes[chosen])])
        return Lists(self.values[chosen[self.documents]], starts)

    def as_lists(self) -> list[list[int]]:
        values = self.values.tolist()
        return [values[first:last] for first, last in pairwise(self.starts.tolist())]
