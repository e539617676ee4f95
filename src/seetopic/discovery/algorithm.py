"""Algorithm 1: from starting terms near the names to topics, by rankings that improve each other."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from seetopic.discovery.constraints import Constraints
from seetopic.discovery.evidence import CurrentTerms, Evidence
from seetopic.discovery.ranking import (
    Entries,
    best_first,
    combined,
    pick_best,
    pick_in_turns,
    places_in,
    ranked,
    taken_in_turns,
)
from seetopic.runtime import Flags, Floats, Longs
from seetopic.settings import DiscoverySettings
from seetopic.text import Variants, no_variants

DEEP = 50  # minimum number of terms picked per category: enough to sort documents by


@dataclass(frozen=True)
class Discovered:
    """The terms of each category, best first, with the rankings that put them there."""

    terms: CurrentTerms  # (n_categories lists)
    deep: CurrentTerms  # the same and more, for sorting documents
    scores: Entries  # 1 at best
    ranked: dict[str, list[Longs]]  # by evidence, the best terms of each category, best first
    variants: dict[int, list[int]] = field(default_factory=dict)  # of deep terms, the variants that they represent

    def ranks(self, category: int, terms: Sequence[int]) -> list[dict[str, int | None]]:
        """The ranks of terms by kind of evidence; None if a term is not among the checked ranks."""
        places = [[place or None for place in places_in(lists[category], terms)] for lists in self.ranked.values()]
        return [dict(zip(self.ranked, own, strict=True)) for own in zip(*places, strict=True)]

    def with_variants(self, terms: Sequence[int]) -> list[int]:
        """Terms, each followed by the variants that it represents."""
        return [each for term in terms for each in (term, *self.variants.get(term, ()))]


def starting_terms(similarity: Floats, constraints: Constraints, settings: DiscoverySettings) -> CurrentTerms:
    """Lines 1-7: the terms nearest to each name; a name that is itself a term counts as the nearest.

    `similarity` is between the categories' names and the terms, (n_categories, n_terms).
    """
    size, fixed, categories = settings.growth, constraints.fixed, range(len(similarity))

    def free(category: int) -> Floats:
        return constraints.without_fixed(category, similarity[category])

    def nearest(category: int, number: int) -> list[int]:
        own = free(category)
        found = best_first(own, number)
        return [*fixed[category], *found[own[found] > -np.inf].tolist()]

    if settings.starts_overlap:
        return [nearest(category, size)[:size] for category in categories]
    if settings.assignment == "turns":
        taken = taken_in_turns((nearest(category, size * len(similarity)) for category in categories), size)
    else:
        highest, owners = np.full(similarity.shape[1], np.float32(-np.inf)), np.full(similarity.shape[1], -1)
        for category in categories:
            own = free(category)
            owners[own > highest] = category  # ties go to the first one
            np.maximum(highest, own, out=highest)
        best = [_nearest_among(similarity[category], owners == category, size) for category in categories]
        taken = [[*fixed[category], *best[category]][:size] for category in categories]
    # A name that is farther from every term than another name still starts with the terms nearest to it.
    return [terms or nearest(category, size)[:size] for category, terms in enumerate(taken)]


def _nearest_among(similarity: Floats, own: Flags, size: int) -> list[int]:
    terms = np.flatnonzero(own)
    nearest: list[int] = terms[best_first(similarity[terms], size)].tolist()
    return nearest


def discover_terms(
    similarity: Floats,
    constraints: Constraints,
    evidence: Sequence[tuple[Evidence, float]],
    settings: DiscoverySettings,
    variants: Variants | None = None,
    start: CurrentTerms | None = None,
    veto: Evidence | None = None,
    last: Flags | None = None,
) -> Discovered:
    """Lines 8-16: T times, rank all terms by each kind of evidence, with its weight, and pick again.

    With `variants`, one term of a group represents the others from the first iteration on, so that they do not crowd
    out other terms: a group belongs to the category of its best term. `start` is the result of `starting_terms`, if
    already known. `veto` is evidence, weighted or not, that excludes terms that it does not rank, if each term goes to
    its best category. Categories that come `last` pick from what the others leave.
    """
    current = starting_terms(similarity, constraints, settings) if start is None else start
    groups = no_variants(similarity.shape[1]) if variants is None else variants
    weights = [weight for _, weight in evidence]
    rankings = [_Ranking(kind, constraints, settings.checked_ranks) for kind, _ in evidence]
    veto = veto if settings.assignment == "best" else None
    is_ranked = veto is None or any(kind is veto for kind, _ in evidence)
    further = None if is_ranked or veto is None else _Ranking(veto, constraints, settings.checked_ranks)
    for iteration in range(1, settings.iterations + 1):
        best = {ranking.kind.name: ranking.best(current) for ranking in rankings}
        # A term without any link to the category is excluded, however typical it is of the documents.
        linked = None if veto is None else best[veto.name] if further is None else further.best(current)
        scores = combined(list(best.values()), weights, settings.rho, similarity.shape[1], linked)
        scores = constraints.applied(scores)
        size = (iteration + 1) * settings.growth
        if iteration == settings.iterations:
            size = max(size, settings.top, DEEP)
        first = scores if last is None else scores.only(~last[scores.categories])
        stands = groups.representatives(first.highest(), constraints.all_fixed)
        free = scores.only(stands[scores.terms] == scores.terms)
        current = pick_best(free, size, last) if settings.assignment == "best" else pick_in_turns(free, size)
    terms = [found[: settings.top] for found in current]
    at_most_1 = replace(scores, scores=np.minimum(scores.scores, 1.0))
    return Discovered(terms, current, at_most_1, best, stood_for(current, stands, constraints))


def stood_for(found: CurrentTerms, stands: Longs, constraints: Constraints) -> dict[int, list[int]]:
    """By found term, the variants that it represents, most frequent first, without those barred in its category."""
    owners = np.full(len(stands), -1)
    for category, terms in enumerate(found):
        owners[terms] = category
    others = np.flatnonzero((stands != np.arange(len(stands))) & (owners[stands] >= 0))
    others = others[~constraints.barred[owners[stands[others]], others]]
    listed: dict[int, list[int]] = {}
    for other, term in zip(others.tolist(), stands[others].tolist(), strict=True):
        listed.setdefault(term, []).append(other)
    return listed


class _Ranking:
    """The best terms by one kind of evidence; ranked again only if its scores changed."""

    def __init__(self, kind: Evidence, constraints: Constraints, checked: int) -> None:
        self.kind, self._constraints, self._checked = kind, constraints, checked
        self._last: tuple[Floats, list[Longs]] | None = None

    def best(self, current: CurrentTerms) -> list[Longs]:
        scores = self.kind.scores(current)
        if self._last is None or self._last[0] is not scores:
            self._last = scores, ranked(scores, self._checked, self._constraints.barred)
        return self._last[1]
