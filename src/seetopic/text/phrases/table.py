"""The phrases of a corpus, and how they cut words into terms."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from seetopic.runtime import Doubles, Flags, Longs
from seetopic.text.phrases.candidates import Candidates, Runs
from seetopic.text.phrases.segmentation import PhraseOccurrences, best_cut


@dataclass(frozen=True)
class PhraseTable:
    """Candidates, and which of them are phrases."""

    candidates: Candidates
    quality: tuple[Doubles, ...] = ()  # of every candidate, by length; between 0 and 1
    threshold: float = 0.5  # quality from which a candidate is a phrase

    @property
    def n_words(self) -> int:
        return self.candidates.n_words

    @cached_property
    def accepted(self) -> tuple[Flags, ...]:
        return tuple((quality >= self.threshold) & (quality > 0) for quality in self.quality)

    @property
    def n_phrases(self) -> int:
        return int(sum(accepted.sum() for accepted in self.accepted))

    def phrases(self) -> Iterator[Longs]:
        """Every phrase as its word ids, in the order of the codes that `cut` gives them."""
        for at, accepted in enumerate(self.accepted):
            yield from self.candidates.words_of(at, np.flatnonzero(accepted))


def cut(words: Longs, table: PhraseTable, runs_of: Iterable[Runs]) -> tuple[Longs, Flags]:
    """The code of the term that starts at each position, and where terms start.

    Codes below `n_words` are words, the others number the phrases in the order of `PhraseTable.phrases`. `runs_of` says
    where the runs of two, three, ... words occur.
    """
    found, codes_of, base = [], [], table.n_words
    for at, runs in enumerate(runs_of):
        accepted = table.accepted[at]
        phrase = accepted[runs.numbers]
        numbers = runs.numbers[phrase]
        found.append(PhraseOccurrences(at + 2, runs.starts[phrase], worth(table.quality[at][numbers], at + 2)))
        codes_of.append(np.cumsum(accepted)[numbers] - 1 + base)
        base += int(accepted.sum())
    chosen = best_cut(words.size, found)
    codes, starts = words.copy(), words >= 0
    for occurrences, their_codes in zip(found, codes_of, strict=True):
        taken = chosen[occurrences.starts] == occurrences.length
        first = occurrences.starts[taken]
        codes[first] = their_codes[taken]
        for inside in range(1, occurrences.length):
            starts[first + inside] = False
    return codes, starts


def worth(quality: Doubles, length: int) -> Doubles:
    """What a phrase adds to a cut: its quality times its number of words."""
    return quality * length
