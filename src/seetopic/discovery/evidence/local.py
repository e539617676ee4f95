"""Evidence from the documents: similarity of use to the category's current terms; score_L of Eq. (5)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from seetopic.discovery.evidence.similarity import contrasted, mean_similarity, without_terms
from seetopic.runtime import Flags, Floats


@dataclass(frozen=True)
class LocalEvidence:
    """By the local vectors of the terms, u_w."""

    vectors: Floats  # unit rows, (n_terms, rank)
    contrast: float = 0.0
    rivals: Flags | None = None  # categories that lower the scores of others; None: all do
    name: str = "local"

    def scores(self, current: list[list[int]]) -> Floats:
        scores = contrasted(mean_similarity(self.vectors, current), self.contrast, self.rivals)
        scores[without_terms(current)] = -np.inf
        return scores
