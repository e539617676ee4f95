"""Counts by integer key, summed over shards in shard order with bounded memory."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from seetopic.arrays import Longs

_HELD = 1 << 22  # keys held before they are merged: 64 MiB


@dataclass(frozen=True)
class Tally:
    """How often each key occurred; keys are distinct and rising."""

    keys: Longs
    counts: Longs

    def at_least(self, count: int) -> Tally:
        enough = self.counts >= count
        return Tally(self.keys[enough], self.counts[enough])


def tally(keys: Longs) -> Tally:
    """Count each key of one shard."""
    distinct, counts = np.unique(keys, return_counts=True)
    return Tally(distinct, counts.astype(np.int64))


def summed(parts: Iterable[Tally], most: int = _HELD) -> Tally:
    """The sum of many shards' counts, merged whenever enough has piled up."""
    total = Tally(np.empty(0, np.int64), np.empty(0, np.int64))
    waiting: list[Tally] = []
    held = 0
    for part in parts:
        waiting.append(part)
        held += part.keys.size
        if held > max(most, total.keys.size):
            total, waiting, held = _merged([total, *waiting]), [], 0
    return _merged([total, *waiting])


def _merged(parts: list[Tally]) -> Tally:
    keys = np.concatenate([part.keys for part in parts])
    counts = np.concatenate([part.counts for part in parts])
    # Stable sorting of runs that are already in order is a merge (timsort), far faster than sorting anew.
    order = np.argsort(keys, kind="stable")
    keys, counts = keys[order], counts[order]
    first = np.flatnonzero(np.r_[True, keys[1:] != keys[:-1]]) if keys.size else np.empty(0, np.intp)
    sums = np.add.reduceat(counts, first) if keys.size else counts
    return Tally(keys[first], sums)
