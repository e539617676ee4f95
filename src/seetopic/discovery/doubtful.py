"""Orders the terms of doubtful topics by their names as well, if the names leave out a part of the documents.

Where few names meet many documents, the documents of a name may be about something near to it: those nearest to
"comedy" about films, those nearest to "politics" about other countries. The terms of such topics are hardly nearer to
their own name than to others. They are then ordered by two ranks together: by all evidence, and by nearness to the name
alone.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from seetopic.discovery.algorithm import Discovered
from seetopic.discovery.constraints import Constraints
from seetopic.discovery.evidence.confidence import JUDGED, likeness
from seetopic.discovery.ranking import Entries
from seetopic.runtime import Flags, Floats, median

_NEARER, _ALIKE, _ENOUGH = 14.0, 10.0, 4.395  # logistic regression on topics that two readers judged


def may_have_drifted(similarity: Floats, n_names: int, local: Floats, found: Sequence[Sequence[int]]) -> Flags:
    """Whether the terms found for each name are too near to other names, or to themes if there is no other name.

    `similarity` is between names, followed by residual themes, and terms, (n_categories, n_terms); `local` are the
    terms' local vectors, because terms that documents use alike may be a little nearer to others.
    """
    drifted = np.ones(n_names, np.bool_)
    for category in range(n_names):
        terms = list(found[category][:JUDGED])
        if terms:
            near = similarity[:, terms]
            others = np.delete(near[:n_names], category, axis=0) if n_names > 1 else near[1:]
            nearer = median(near[category] - others.mean(axis=0))
            drifted[category] = _NEARER * nearer + _ALIKE * likeness(local[terms]) < _ENOUGH
    return drifted


def nearer_to_names(
    found: Discovered, doubtful: Flags, similarity: Floats, constraints: Constraints, top: int
) -> Discovered:
    """The same terms and scores, in another order in doubtful categories; fixed terms stay first.

    `similarity` is between the categories and the terms; (n_categories, n_terms).
    """
    deep, parts = list(found.deep), found.scores.parts
    for category in np.flatnonzero(doubtful).tolist():
        n_fixed = len(set(deep[category]) & set(constraints.fixed[category]))
        fixed, terms = deep[category][:n_fixed], deep[category][n_fixed:]
        by_name = np.argsort(np.argsort(-similarity[category, terms], kind="stable"), kind="stable")
        order = np.argsort(by_name + np.arange(len(terms)), kind="stable").tolist()
        scored, scores = parts[category]
        values = sorted(found.scores.scores_of(category, terms), reverse=True)
        given = dict(zip((terms[place] for place in order), values, strict=True))
        parts[category] = (
            scored,
            np.array([given.get(term, score) for term, score in zip(scored.tolist(), scores.tolist(), strict=True)]),
        )
        deep[category] = [*fixed, *given]
    return replace(
        found,
        terms=[terms[:top] for terms in deep],
        deep=deep,
        scores=Entries.joined(parts, found.scores.shape[1]),
    )
