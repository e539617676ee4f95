"""Documents as sequences of words: finds consecutive words, whether or not they are a term."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property

import numpy as np

from seetopic.runtime import Flags, Ids, Longs, blocks

_AT_ONCE = 1 << 20  # positions that are searched together


@dataclass(frozen=True)
class Texts:
    """All documents, concatenated; each ends with a position that no run of words can cross."""

    words: tuple[str, ...] = field(repr=False)  # by decreasing count
    places: Ids = field(repr=False)  # index of the word at each position, -1 for separators; or a `LongArray`
    starts: Longs = field(repr=False)  # of the documents, and the end of the last one

    @cached_property
    def _place(self) -> dict[str, int]:
        return {word: place for place, word in enumerate(self.words)}

    def words_of(self, document: int) -> list[str]:
        """The words of a document in order; empty strings for separators."""
        places = self.places[self.starts[document] : self.starts[document + 1]].tolist()
        return [self.words[place] if place >= 0 else "" for place in places]

    def occurrences(self, term: str) -> Longs:
        """The first position of every occurrence of a term as consecutive words, ascending, without overlaps."""
        found = self._runs([self._place.get(word, -1) for word in term.split(" ")])
        joined = self._place.get(term)  # `breast_cancer` in the text is one word, "breast cancer"
        if " " in term and joined is not None:
            found = np.sort(np.concatenate([found, self._runs([joined])]))
        return found

    def _runs(self, run: list[int]) -> Longs:
        if min(run) < 0:
            return np.empty(0, np.int64)
        parts = [
            first + _runs_in(block, run, min(_AT_ONCE, len(self.places) - first))
            for first, block in blocks(self.places, _AT_ONCE, overlap=len(run) - 1)
        ]
        firsts = np.concatenate([np.empty(0, np.int64), *parts])
        return firsts[_apart(firsts, len(run))]

    def documents(self, positions: Longs) -> Longs:
        """The document number of each position."""
        numbers: Longs = np.searchsorted(self.starts, positions, side="right") - 1
        return numbers


def _runs_in(places: Ids, run: list[int], n_firsts: int) -> Longs:
    """Where a run begins, among the first `n_firsts` positions."""
    rarest = int(np.argmax(run))
    # Only the rarest word is searched for everywhere; the others are checked next to it.
    firsts: Longs = np.flatnonzero(places == run[rarest]) - rarest
    firsts = firsts[(firsts >= 0) & (firsts < n_firsts) & (firsts + len(run) <= len(places))]
    for offset, place in enumerate(run):
        firsts = firsts[places[firsts + offset] == place]
    return firsts


def _apart(firsts: Longs, length: int) -> Flags:
    """Which runs to keep so that none overlaps the one before: in "ha ha ha", "ha ha" occurs once."""
    kept = np.ones(len(firsts), np.bool_)
    if length > 1 and (np.diff(firsts) < length).any():
        end = -1
        for number, first in enumerate(firsts.tolist()):
            kept[number] = first >= end
            end = first + length if kept[number] else end
    return kept
