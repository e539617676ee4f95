"""Kinds of evidence for terms: each scores all terms by a category's names and current terms."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Protocol

from seetopic.runtime import Floats

CurrentTerms = list[list[int]]  # S_i: for each category, the ids of its terms so far, best first


class Evidence(Protocol):
    """A kind of evidence; it gets the index and the names when it is created."""

    @property
    def name(self) -> str:
        """Its name in results."""

    def scores(self, current: CurrentTerms) -> Floats:
        """How much each term belongs to each category; (n_categories, n_terms)."""


@dataclass(frozen=True)
class StartRemembered:
    """Evidence that remembers its scores for the first terms it is asked about, with which every pass begins."""

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
