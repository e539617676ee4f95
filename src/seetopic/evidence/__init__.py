"""Evidence for a term: one ranking each, from a category's names and current terms to a score per term."""

from __future__ import annotations

from typing import Protocol

from seetopic.arrays import Floats

CurrentTerms = list[list[int]]  # S_i: for each category, the ids of its terms so far, best first


class Evidence(Protocol):
    """A kind of evidence; what it knows of index and names it was given when it was made."""

    @property
    def name(self) -> str:
        """How results call it."""

    def scores(self, current: CurrentTerms) -> Floats:
        """How much each term belongs to each category; (n_categories, n_terms)."""
