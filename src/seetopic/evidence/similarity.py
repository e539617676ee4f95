"""Mean cosine similarity to a category's current terms; Eq. (5)."""

from __future__ import annotations

import numpy as np

from seetopic.arrays import Floats


def mean_similarity(vectors: Floats, current: list[list[int]]) -> Floats:
    """score(w|S_i) = mean over w' in S_i of cos(w, w'); (n_categories, n_terms).

    `vectors` are unit rows, so the mean of cosines is the product with the mean vector.
    """
    centres = np.stack([vectors[terms].mean(axis=0) if terms else np.zeros_like(vectors[0]) for terms in current])
    scores: Floats = centres @ vectors.T
    return scores
