"""Documents as all their words in order: where words stand in a row, whether or not they are a term."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property

import numpy as np

from seetopic.arrays import Flags, Ids, Longs


@dataclass(frozen=True)
class Texts:
    """The documents one after the other; each ends with a position that no run of words can cross."""

    words: tuple[str, ...] = field(repr=False)  # by falling count
    places: Ids = field(repr=False)  # of the word at each position; -1 for what parts words
    starts: Longs = field(repr=False)  # of the documents, and where the last one ends

    @cached_property
    def _place(self) -> dict[str, int]:
        return {word: place for place, word in enumerate(self.words)}

    def words_of(self, document: int) -> list[str]:
        """The words of a document in order; empty for what parts words."""
        places = self.places[self.starts[document] : self.starts[document + 1]].tolist()
        return [self.words[place] if place >= 0 else "" for place in places]

    def occurrences(self, term: str) -> Longs:
        """The first position of every occurrence of a term's words in a row, rising, none within another."""
        found = self._runs([self._place.get(word, -1) for word in term.split(" ")])
        joined = self._place.get(term)  # `breast_cancer` in the text is one word, "breast cancer"
        if " " in term and joined is not None:
            found = np.sort(np.concatenate([found, np.flatnonzero(self.places == joined)]))
        return found

    def _runs(self, run: list[int]) -> Longs:
        rarest = int(np.argmax(run))
        if min(run) < 0:
            return np.empty(0, np.int64)
        # The rarest word is looked for in all positions, the others only beside it.
        firsts = np.flatnonzero(self.places == run[rarest]) - rarest
        firsts = firsts[(firsts >= 0) & (firsts + len(run) <= len(self.places))]
        for offset, place in enumerate(run):
            firsts = firsts[self.places[firsts + offset] == place]
        return firsts[_apart(firsts, len(run))]

    def documents(self, positions: Longs) -> Longs:
        """The number of the document of each position."""
        numbers: Longs = np.searchsorted(self.starts, positions, side="right") - 1
        return numbers


def _apart(firsts: Longs, length: int) -> Flags:
    """Which runs to keep so that none overlaps the one before: in "ha ha ha", "ha ha" occurs once."""
    kept = np.ones(len(firsts), np.bool_)
    if length > 1 and (np.diff(firsts) < length).any():
        end = -1
        for number, first in enumerate(firsts.tolist()):
            kept[number] = first >= end
            end = first + length if kept[number] else end
    return kept
