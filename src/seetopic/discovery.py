"""Algorithm 1: from starting terms near the names to topics, by rankings that improve each other."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from seetopic.arrays import Doubles, Flags, Floats, Longs
from seetopic.evidence import CurrentTerms, Evidence
from seetopic.ranking import ensemble_score, pick_best, pick_in_turns, ranks, reciprocal
from seetopic.settings import DiscoverySettings
from seetopic.variants import Variants, no_variants

_DEEP = 50  # terms of a category that are picked at least: enough to sort documents by
_FIXED = 2.0  # above every score, so that a fixed term is its category's first


@dataclass(frozen=True)
class Wishes:
    """What the user has settled: terms that stand first in a category, and terms that may not stand in it."""

    fixed: tuple[tuple[int, ...], ...]  # pinned terms and names that are terms, by category
    barred: Flags  # (n_categories, n_terms)

    @property
    def all_fixed(self) -> list[int]:
        """Of all categories."""
        return [term for terms in self.fixed for term in terms]

    def applied(self, scores: Doubles) -> Doubles:
        """The scores with fixed terms above all others in their order, and 0 wherever a term may not stand."""
        settled = np.where(self.barred, 0.0, scores)
        for category, terms in enumerate(self.fixed):
            settled[:, list(terms)] = 0.0
            settled[category, list(terms)] = _FIXED - np.arange(len(terms)) / (1 + len(terms))
        return settled


@dataclass(frozen=True)
class Discovered:
    """The terms of each category, best first, with the rankings that put them there."""

    terms: CurrentTerms  # (n_categories lists)
    deep: CurrentTerms  # the same and more: what sorts documents
    scores: Doubles  # (n_categories, n_terms), 1 at best
    ranks: dict[str, Longs]  # by evidence; (n_categories, n_terms), 0: not among the checked ones
    variants: dict[int, list[int]] = field(default_factory=dict)  # of deep terms, those that they stand for

    def with_variants(self, terms: Sequence[int]) -> list[int]:
        """Terms, each followed by those that it stands for."""
        return [each for term in terms for each in (term, *self.variants.get(term, ()))]


def starting_terms(similarity: Floats, wishes: Wishes, settings: DiscoverySettings) -> CurrentTerms:
    """Lines 1-7: the nearest terms to each name; a name that is itself a term counts as the nearest.

    `similarity` is of categories' names and terms, (n_categories, n_terms).
    """
    # From 0 to 1: all that is picked must score above 0, and below what is fixed.
    scores = (similarity.astype(np.float64) + 1.0 + 1e-6) / 2.0 / (1.0 + 1e-6)
    settled = wishes.applied(np.maximum(scores, 1e-9))
    nearest = [pick_best(row[None], settings.growth)[0] for row in settled]
    if settings.starts_overlap:
        return nearest
    # A name that is farther from every term than another name is begins with what is nearest to it all the same.
    return [own or shared for own, shared in zip(_pick(settled, settings.growth, settings), nearest, strict=True)]


def discover_terms(
    similarity: Floats,
    wishes: Wishes,
    evidence: Sequence[tuple[Evidence, float]],
    settings: DiscoverySettings,
    variants: Variants | None = None,
) -> Discovered:
    """Lines 8-16: T times, rank all terms by each kind of evidence, with its weight, and pick anew.

    Where variants are given, one term of a group stands for the others from the first iteration on, so that they
    crowd out nothing: a group belongs to the category that its best term belongs to.
    """
    current = starting_terms(similarity, wishes, settings)
    groups = no_variants(similarity.shape[1]) if variants is None else variants
    weights = [weight for _, weight in evidence]
    rankings = [_Ranking(kind, wishes, settings.checked_ranks) for kind, _ in evidence]
    for iteration in range(1, settings.iterations + 1):
        places = {ranking.kind.name: ranking.places(current) for ranking in rankings}
        scores = ensemble_score([reciprocal(each) for each in places.values()], settings.rho, weights)
        if settings.assignment == "best" and "general" in places:
            # The language model has a veto: what it sees no link to is no term of the name, however typical.
            scores = np.where(places["general"] > 0, scores, 0.0)
        scores = wishes.applied(scores)
        size = (iteration + 1) * settings.growth
        if iteration == settings.iterations:
            size = max(size, settings.top, _DEEP)
        stands = groups.representatives(scores, wishes.all_fixed)
        current = _pick(_represented(scores, stands), size, settings)
    terms = [found[: settings.top] for found in current]
    return Discovered(terms, current, np.minimum(scores, 1.0), places, _stood_for(current, stands, wishes))


def _represented(scores: Doubles, stands: Longs) -> Doubles:
    """The scores of the terms that stand for themselves, 0 for all others."""
    return np.where(stands == np.arange(len(stands)), scores, 0.0)


def _stood_for(found: CurrentTerms, stands: Longs, wishes: Wishes) -> dict[int, list[int]]:
    """By found term the others that it stands for, the most frequent first, without those barred in its category."""
    others = np.flatnonzero(stands != np.arange(len(stands)))
    owner = {term: category for category, terms in enumerate(found) for term in terms}
    listed: dict[int, list[int]] = {}
    for other, term in zip(others.tolist(), stands[others].tolist(), strict=True):
        if term in owner and not wishes.barred[owner[term], other]:
            listed.setdefault(term, []).append(other)
    return listed


class _Ranking:
    """The places of terms by one kind of evidence; ranked anew only if its scores are new."""

    def __init__(self, kind: Evidence, wishes: Wishes, checked: int) -> None:
        self.kind, self._wishes, self._checked = kind, wishes, checked
        self._last: tuple[Floats, Longs] | None = None

    def places(self, current: CurrentTerms) -> Longs:
        scores = self.kind.scores(current)
        if self._last is None or self._last[0] is not scores:
            self._last = scores, ranks(_allowed(scores, self._wishes), self._checked)
        return self._last[1]


def _allowed(scores: Floats, wishes: Wishes) -> Floats:
    """Barred terms take no place in a ranking."""
    if not wishes.barred.any():
        return scores
    allowed: Floats = np.where(wishes.barred, np.float32(-np.inf), scores)
    return allowed


def _pick(scores: Doubles, size: int, settings: DiscoverySettings) -> CurrentTerms:
    return pick_best(scores, size) if settings.assignment == "best" else pick_in_turns(scores, size)
