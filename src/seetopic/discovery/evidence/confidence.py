"""How far a topic can be trusted, told without a judgement.

Two things tell good topics from bad ones: its terms are nearer to its name than to other names, and the documents use
them alike. Names and pinned terms are not asked: they are the user's own.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from seetopic.runtime import Doubles, Floats

DOUBTFUL = 0.4  # of topics below it, most have more than three wrong terms of ten; docs/method.md has the figures
JUDGED = 10  # terms of a topic that tell, however many are shown
_NEARER, _ALIKE, _BASE = 14.0, 10.0, -4.8  # logistic regression on topics that two readers judged; see docs/method.md


def topic_confidence(similarity: Floats, n_names: int, local: Floats, found: Sequence[Sequence[int]]) -> Doubles:
    """From 0 to 1 for each name, by the best terms that were found for it; 0 where none was.

    `similarity` is of names and, after them, residual themes with terms, (n_categories, n_terms); `local` are vectors
    of the terms by their use.
    """
    sure = np.zeros(n_names)
    for category in range(n_names):
        terms = list(found[category][:JUDGED])
        if terms:
            nearer = np.median(similarity[category, terms] - _elsewhere(similarity, n_names, category, terms))
            odds = _NEARER * float(nearer) + _ALIKE * _likeness(local[terms]) + _BASE
            sure[category] = 0.5 + 0.5 * np.tanh(odds / 2)  # the logistic function, whatever the number
    return sure


def _elsewhere(similarity: Floats, n_names: int, category: int, terms: list[int]) -> Floats:
    """Mean similarity of terms with the other names; if there are none, with residual themes, or of any term."""
    others = np.delete(similarity[: n_names if n_names > 1 else None, terms], category, axis=0)
    mean: Floats = others.mean(axis=0) if len(others) else similarity[category].mean()
    return mean


def _likeness(vectors: Floats) -> float:
    """Mean cosine of two different rows; 0 if there is one."""
    n = len(vectors)
    return float((np.square(vectors.sum(axis=0)).sum() - np.square(vectors).sum()) / (n * (n - 1))) if n > 1 else 0.0
