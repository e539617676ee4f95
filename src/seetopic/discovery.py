"""Algorithm 1: from starting terms near the names to topics, by rankings that improve each other."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from seetopic.arrays import Doubles, Floats, Longs
from seetopic.evidence import CurrentTerms, Evidence
from seetopic.ranking import ensemble_score, pick_in_turns, ranks, reciprocal
from seetopic.settings import DiscoverySettings


@dataclass(frozen=True)
class Discovered:
    """The terms of each category, best first, with the rankings that put them there."""

    terms: CurrentTerms  # (n_categories lists)
    scores: Doubles  # (n_categories, n_terms)
    ranks: dict[str, Longs]  # by evidence; (n_categories, n_terms), 0: not among the checked ones


def starting_terms(similarity: Floats, own_terms: Sequence[Sequence[int]], size: int) -> CurrentTerms:
    """Lines 1-7: in turns, the nearest terms to each name; a name that is itself a term counts as the nearest.

    `similarity` is of categories' names and terms, (n_categories, n_terms).
    """
    # Above every cosine, so that no other category can take a name first; all positive, as `pick_in_turns` asks.
    scores = similarity.astype(np.float64) + 2.0
    for category, terms in enumerate(own_terms):
        scores[:, list(terms)] = 0.0
        scores[category, list(terms)] = 4.0
    return pick_in_turns(scores, size)


def discover_terms(
    similarity: Floats, own_terms: Sequence[Sequence[int]], evidence: Sequence[Evidence], settings: DiscoverySettings
) -> Discovered:
    """Lines 8-16: T times, rank all terms by each kind of evidence and let the categories pick anew."""
    current = starting_terms(similarity, own_terms, settings.growth)
    for iteration in range(1, settings.iterations + 1):
        places = {kind.name: ranks(kind.scores(current), settings.checked_ranks) for kind in evidence}
        scores = ensemble_score([reciprocal(each) for each in places.values()], settings.rho)
        size = (iteration + 1) * settings.growth
        if iteration == settings.iterations:
            size = max(size, settings.top)
        current = pick_in_turns(scores, size)
    return Discovered([terms[: settings.top] for terms in current], scores, places)
