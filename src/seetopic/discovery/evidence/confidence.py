"""Estimates how far a topic can be trusted, without human judgements.

Two things distinguish good topics from bad ones: their terms together are near to their name, and the documents use
them alike. Names and pinned terms do not count, because the user chose them.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from seetopic.runtime import Doubles, Floats

DOUBTFUL = 0.4  # most topics below it have more than three wrong terms out of ten; docs/method.md has the figures
JUDGED = 10  # terms of a topic that count, however many are shown
_NEAR, _ALIKE, _BASE = 6.9, 12.4, -6.4  # logistic regression on topics that readers judged; see docs/method.md
_SOME = 2000  # terms whose mean vector shows how near any two terms are


def topic_confidence(names: Floats, vectors: Floats, local: Floats, found: Sequence[Sequence[int]]) -> Doubles:
    """From 0 to 1 for each name, by the best terms that were found for it; 0 if there are none.

    `names` are unit rows, (n_names, dimension); `vectors` and `local` are those of the terms, by the language model and
    by their use. Nearness is measured from that of any two terms, so that models can be compared.
    """
    some = vectors[:: -(-len(vectors) // _SOME)].mean(axis=0)
    anywhere = float(some @ some)
    sure = np.zeros(len(names))
    for category, name in enumerate(names):
        terms = list(found[category][:JUDGED])
        if terms:
            middle = vectors[terms].mean(axis=0)
            cosine = float(middle @ name) / max(float(np.linalg.norm(middle)), 1e-9)
            nearness = (cosine - anywhere) / max(1 - anywhere, 1e-9)
            odds = _NEAR * nearness + _ALIKE * likeness(local[terms]) + _BASE
            sure[category] = 0.5 + 0.5 * np.tanh(odds / 2)  # the logistic function, without overflow
    return sure


def likeness(vectors: Floats) -> float:
    """Mean cosine of two different rows; 0 if there is only one."""
    n = len(vectors)
    return float((np.square(vectors.sum(axis=0)).sum() - np.square(vectors).sum()) / (n * (n - 1))) if n > 1 else 0.0
