"""What the language model says: similarity to the category's current terms; score_G of Eq. (5)."""

from __future__ import annotations

from dataclasses import dataclass

from seetopic.arrays import Floats
from seetopic.evidence.similarity import mean_similarity


@dataclass(frozen=True)
class GeneralEvidence:
    """By the language model's vectors of the terms, e_w."""

    vectors: Floats  # unit rows, (n_terms, dimension)
    name: str = "general"

    def scores(self, current: list[list[int]]) -> Floats:
        return mean_similarity(self.vectors, current)
