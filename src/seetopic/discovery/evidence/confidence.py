"""Estimates how far a topic can be trusted, without human judgements.

Two things distinguish good topics from bad ones: their terms are nearer to their name than to other names, and the
documents use them alike. Residual themes count as one more name, which matters where names are few; theirs are vectors
of documents, so they are raised to be as near to an average term as names are. Names and pinned terms do not count,
because the user chose them.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from seetopic.runtime import Doubles, Floats, Longs

DOUBTFUL = 0.4  # most topics below it have more than three wrong terms out of ten; docs/method.md has the figures
JUDGED = 10  # terms of a topic that count, however many are shown
_NEARER, _ALIKE, _BASE = 14.0, 10.0, -4.8  # logistic regression on topics that two readers judged; see docs/method.md


def topic_confidence(
    similarity: Floats, groups: Longs, local: Floats, found: Sequence[Sequence[int]], *, among_names: bool = False
) -> Doubles:
    """From 0 to 1 for each name, by the best terms that were found for it; 0 if there are none.

    `similarity` is between names, followed by residual themes, and terms, (n_categories, n_terms); `local` are the
    terms' local vectors. Names of the same group mean nearly the same, so they are not compared with each other. With
    `among_names`, residual themes count only if there are no other names, and as they are.
    """
    names, themes = similarity[: len(groups)], similarity[len(groups) :]
    any_theme = (themes.mean(axis=0) + names.mean() - themes.mean())[None] if len(themes) else themes
    sure = np.zeros(len(groups))
    for category, group in enumerate(groups):
        terms = list(found[category][:JUDGED])
        if terms:
            near = names[:, terms]
            others = near[groups != group]
            if not among_names:
                others = np.vstack([others, any_theme[:, terms]])
            elif not len(others):
                others = themes[:, terms]
            elsewhere = others.mean(axis=0) if len(others) else names[category].mean()
            nearer = np.median(near[category] - elsewhere)
            odds = _NEARER * float(nearer) + _ALIKE * _likeness(local[terms]) + _BASE
            sure[category] = 0.5 + 0.5 * np.tanh(odds / 2)  # the logistic function, without overflow
    return sure


def _likeness(vectors: Floats) -> float:
    """Mean cosine of two different rows; 0 if there is only one."""
    n = len(vectors)
    return float((np.square(vectors.sum(axis=0)).sum() - np.square(vectors).sum()) / (n * (n - 1))) if n > 1 else 0.0
