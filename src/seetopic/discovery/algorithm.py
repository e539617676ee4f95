"""Algorithm 1: from starting terms near the names to topics, by rankings that improve each other."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np

from seetopic.discovery.constraints import Constraints
from seetopic.discovery.evidence import CurrentTerms, Evidence
from seetopic.discovery.ranking import ensemble_score, pick_best, pick_in_turns, placed, ranked, reciprocal
from seetopic.runtime import Doubles, Floats, Longs
from seetopic.settings import DiscoverySettings
from seetopic.text import Variants, no_variants

DEEP = 50  # minimum number of terms picked per category: enough to sort documents by


@dataclass(frozen=True)
class Discovered:
    """The terms of each category, best first, with the rankings that put them there."""

    terms: CurrentTerms  # (n_categories lists)
    deep: CurrentTerms  # the same and more, for sorting documents
    scores: Doubles  # (n_categories, n_terms), 1 at best
    ranked: dict[str, list[Longs]]  # by evidence, the best terms of each category, best first
    variants: dict[int, list[int]] = field(default_factory=dict)  # of deep terms, the variants that they represent

    @cached_property
    def ranks(self) -> dict[str, Longs]:
        """Ranks by kind of evidence; (n_categories, n_terms), 0 if not among the checked ranks."""
        return {kind: placed(lists, self.scores.shape[1]) for kind, lists in self.ranked.items()}

    def with_variants(self, terms: Sequence[int]) -> list[int]:
        """Terms, each followed by the variants that it represents."""
        return [each for term in terms for each in (term, *self.variants.get(term, ()))]


def starting_terms(similarity: Floats, constraints: Constraints, settings: DiscoverySettings) -> CurrentTerms:
    """Lines 1-7: the terms nearest to each name; a name that is itself a term counts as the nearest.

    `similarity` is between the categories' names and the terms, (n_categories, n_terms).
    """
    # Scaled to lie between 0 and 1: picked terms must score above 0, and below fixed ones.
    scores = (similarity.astype(np.float64) + 1.0 + 1e-6) / 2.0 / (1.0 + 1e-6)
    settled = constraints.applied(np.maximum(scores, 1e-9))
    nearest = [pick_best(row[None], settings.growth)[0] for row in settled]
    if settings.starts_overlap:
        return nearest
    # A name that is farther from every term than another name still starts with the terms nearest to it.
    return [own or shared for own, shared in zip(_pick(settled, settings.growth, settings), nearest, strict=True)]


def discover_terms(
    similarity: Floats,
    constraints: Constraints,
    evidence: Sequence[tuple[Evidence, float]],
    settings: DiscoverySettings,
    variants: Variants | None = None,
    start: CurrentTerms | None = None,
    veto: Evidence | None = None,
) -> Discovered:
    """Lines 8-16: T times, rank all terms by each kind of evidence, with its weight, and pick again.

    With `variants`, one term of a group represents the others from the first iteration on, so that they do not crowd
    out other terms: a group belongs to the category of its best term. `start` is the result of `starting_terms`, if
    already known. `veto` is evidence, weighted or not, that excludes terms that it does not rank, if each term goes to
    its best category.
    """
    current = starting_terms(similarity, constraints, settings) if start is None else start
    groups = no_variants(similarity.shape[1]) if variants is None else variants
    weights = [weight for _, weight in evidence]
    rankings = [_Ranking(kind, constraints, settings.checked_ranks) for kind, _ in evidence]
    veto = veto if settings.assignment == "best" else None
    is_ranked = veto is None or any(kind is veto for kind, _ in evidence)
    further = None if is_ranked or veto is None else _Ranking(veto, constraints, settings.checked_ranks)
    best_scores = np.zeros(similarity.shape[1])
    for iteration in range(1, settings.iterations + 1):
        best = {ranking.kind.name: ranking.best(current) for ranking in rankings}
        # Of very many terms, few are in any ranking; the others are skipped.
        looked_at = _terms_in(best.values(), constraints)
        places = {name: placed(_numbered(lists, looked_at), len(looked_at)) for name, lists in best.items()}
        few = ensemble_score([reciprocal(each) for each in places.values()], settings.rho, weights)
        if veto is not None:
            # A term without any link to the category is excluded, however typical it is of the documents.
            if further is None:
                linked = places[veto.name] > 0
            else:
                linked = placed(_numbered(further.best(current), looked_at), len(looked_at)) > 0
            few = np.where(linked, few, 0.0)
        few = constraints.among(looked_at).applied(few)
        size = (iteration + 1) * settings.growth
        if iteration == settings.iterations:
            size = max(size, settings.top, DEEP)
        best_scores[looked_at] = few.max(axis=0)
        stands = groups.representatives(best_scores, constraints.all_fixed)
        best_scores[looked_at] = 0.0
        free = np.flatnonzero(stands[looked_at] == looked_at)
        current = [looked_at[free[terms]].tolist() for terms in _pick(few[:, free], size, settings)]
    terms = [found[: settings.top] for found in current]
    scores = np.zeros(similarity.shape)
    scores[:, looked_at] = np.minimum(few, 1.0)
    return Discovered(terms, current, scores, best, stood_for(current, stands, constraints))


def _terms_in(rankings: Iterable[list[Longs]], constraints: Constraints) -> Longs:
    """Terms that are in any ranking, or fixed; ascending."""
    fixed = np.array(constraints.all_fixed, np.int64)
    return np.unique(np.concatenate([fixed, *(terms for lists in rankings for terms in lists)]))


def _numbered(lists: Sequence[Longs], looked_at: Longs) -> list[Longs]:
    """Terms by their positions in `looked_at`."""
    return [np.searchsorted(looked_at, terms) for terms in lists]


def stood_for(found: CurrentTerms, stands: Longs, constraints: Constraints) -> dict[int, list[int]]:
    """By found term, the variants that it represents, most frequent first, without those barred in its category."""
    others = np.flatnonzero(stands != np.arange(len(stands)))
    owner = {term: category for category, terms in enumerate(found) for term in terms}
    listed: dict[int, list[int]] = {}
    for other, term in zip(others.tolist(), stands[others].tolist(), strict=True):
        if term in owner and not constraints.barred[owner[term], other]:
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
            self._last = scores, ranked(_allowed(scores, self._constraints), self._checked)
        return self._last[1]


def _allowed(scores: Floats, constraints: Constraints) -> Floats:
    """The scores without barred terms, which must not take a rank."""
    if not constraints.barred.any():
        return scores
    allowed: Floats = np.where(constraints.barred, np.float32(-np.inf), scores)
    return allowed


def _pick(scores: Doubles, size: int, settings: DiscoverySettings) -> CurrentTerms:
    return pick_best(scores, size) if settings.assignment == "best" else pick_in_turns(scores, size)
