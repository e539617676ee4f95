"""Estimates how far a topic can be trusted, without human judgements.

Two things distinguish good topics from bad ones: their terms are nearer to their name than to other names, and the
documents use them alike. Names and pinned terms do not count, because the user chose them.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from seetopic.runtime import Doubles, Floats

DOUBTFUL = 0.4  # most topics below it have more than three wrong terms out of ten; docs/method.md has the figures
JUDGED = 10  # terms of a topic that count, however many are shown
_NEARER, _ALIKE, _BASE = 14.0, 10.0, -4.8  # logistic regression on topics that two readers judged; see docs/method.md


def topic_confidence(similarity: Floats, n_names: int, local: Floats, found: Sequence[Sequence[int]]) -> Doubles:
    """From 0 to 1 for each name, by the best terms that were found for it; 0 if there are none.

    `similarity` is between names, followed by residual themes, and terms, (n_categories, n_terms); `local` are the
    terms' local vectors.
    """
    sure = np.zeros(n_names)
    for category in range(n_names):
        terms = list(found[category][:JUDGED])
        if terms:
            nearer = np.median(similarity[category, terms] - _elsewhere(similarity, n_names, category, terms))
            odds = _NEARER * float(nearer) + _ALIKE * _likeness(local[terms]) + _BASE
            sure[category] = 0.5 + 0.5 * np.tanh(odds / 2)  # the logistic function, without overflow
    return sure


def _elsewhere(similarity: Floats, n_names: int, category: int, terms: list[int]) -> Floats:
    """Mean similarity of terms to the other names; if there are none, to residual themes, or that of all terms."""
    others = np.delete(similarity[: n_names if n_names > 1 else None, terms], category, axis=0)
    mean: Floats = others.mean(axis=0) if len(others) else similarity[category].mean()
    return mean


def _likeness(vectors: Floats) -> float:
    """Mean cosine of two different rows; 0 if there is only one."""
    n = len(vectors)
    return float((np.square(vectors.sum(axis=0)).sum() - np.square(vectors).sum()) / (n * (n - 1))) if n > 1 else 0.0
