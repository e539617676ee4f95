"""Sentences cut into terms: of all ways to cut a sentence, the one whose phrases have the largest total worth."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from seetopic.runtime import Doubles, Flags, Longs


@dataclass(frozen=True)
class PhraseOccurrences:
    """Where the phrases of one length occur, and what each is worth as a term there."""

    length: int
    starts: Longs  # ascending
    worth: Doubles  # above 0


def best_cut(n_positions: int, found: Sequence[PhraseOccurrences]) -> Longs:
    """The length of the phrase that starts at each position in the best cut; 0 where none starts.

    Only stretches of overlapping phrases need a decision; they are cut independently, all of them at once. Of two cuts
    of equal worth, the one with the longer last phrase is taken.
    """
    first, last = _stretches(n_positions, found)
    order = np.argsort(first - last, kind="stable")  # longest first, so that unfinished stretches always come first
    stretches = _Stretches(first[order], (last - first)[order], order)
    return stretches.chosen(stretches.cut(n_positions, found), n_positions)


@dataclass(frozen=True)
class _Stretches:
    """Stretches of positions in descending order of length."""

    first: Longs
    lengths: Longs
    places: Longs  # positions among all stretches from left to right

    @property
    def base(self) -> Longs:
        """Where each stretch's values begin; it has one more value than positions."""
        return self.first + self.places

    def cut(self, n_positions: int, found: Sequence[PhraseOccurrences]) -> Longs:
        """The length of the last term in the best cut of every prefix of each stretch."""
        worth = {each.length: _spread(n_positions, each) for each in found if each.starts.size}
        best = np.zeros(n_positions + self.first.size + 1)
        back = np.ones(best.size, np.int64)
        for step in range(1, int(self.lengths.max(initial=0)) + 1):
            active = int(np.searchsorted(-self.lengths, -step, side="right"))
            here, at = self.base[:active] + step, self.first[:active] + step
            total, taken = best[here - 1], np.ones(active, np.int64)
            for length in (length for length in sorted(worth) if length <= step):
                value = worth[length][at - length]
                offer = best[here - length] + value
                better = (value > 0) & (offer >= total)
                total, taken = np.where(better, offer, total), np.where(better, length, taken)
            best[here], back[here] = total, taken
        return back

    def chosen(self, back: Longs, n_positions: int) -> Longs:
        """The phrases of the best cuts, traced back from their ends."""
        chosen = np.zeros(n_positions, np.int64)
        first, base, left = self.first, self.base, self.lengths
        while left.size:
            taken = back[base + left]
            phrase = taken > 1
            chosen[(first + left - taken)[phrase]] = taken[phrase]
            left = left - taken
            going = left > 0
            first, base, left = first[going], base[going], left[going]
        return chosen


def _stretches(n_positions: int, found: Sequence[PhraseOccurrences]) -> tuple[Longs, Longs]:
    """Maximal stretches of positions covered by overlapping phrases: first position, position after the last."""
    change = np.zeros(n_positions + 1, np.int64)
    for each in found:
        change[each.starts + 1] += 1
        change[each.starts + each.length] -= 1
    inside: Flags = np.cumsum(change) > 0  # whether a phrase contains both a position and the one before it
    edges = np.diff(inside.astype(np.int8), prepend=0)
    return np.flatnonzero(edges == 1) - 1, np.flatnonzero(edges == -1)


def _spread(n_positions: int, each: PhraseOccurrences) -> Doubles:
    values = np.zeros(n_positions)
    values[each.starts] = each.worth
    return values
