"""Evidence for a term: one ranking each, from a category's names and current terms to a score per term."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Protocol

from seetopic.runtime import Floats

CurrentTerms = list[list[int]]  # S_i: for each category, the ids of its terms so far, best first


class Evidence(Protocol):
    """A kind of evidence; what it knows of index and names it was given when it was made."""

    @property
    def name(self) -> str:
        """How results call it."""

    def scores(self, current: CurrentTerms) -> Floats:
        """How much each term belongs to each category; (n_categories, n_terms)."""


@dataclass(frozen=True)
class StartRemembered:
    """Evidence that remembers what it said of the terms it was first asked about: every pass of a run begins there."""

    kind: Evidence
    _start: list[tuple[CurrentTerms, Floats]] = field(default_factory=list)

    @property
    def name(self) -> str:
        return self.kind.name

    def scores(self, current: CurrentTerms) -> Floats:
        if self._start and self._start[0][0] == current:
            return self._start[0][1]
        scores = self.kind.scores(current)
        if not self._start:
            self._start.append((current, scores))
        return scores
