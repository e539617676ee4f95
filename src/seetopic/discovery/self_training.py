"""Sorts documents into categories by the categories' names alone, without labels.

The language model's cosine of document and name is a first guess; a regression on document vectors and local vectors
learns from the clearest guesses, twice, and corrects the rest.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from seetopic.runtime import Doubles, Flags, Floats, Longs, in_parallel, in_parts, one_thread, product
from seetopic.settings import SortingSettings

CLOSED = 1e5  # so far below all other scores that no document belongs to a category
_LEAST = 5  # minimum number of documents that a category learns from, if it has that many


@dataclass(frozen=True)
class SortedSample:
    """The sample's scores, and the linear rule that computes them from any document's features."""

    scores: Doubles  # standardised per category, (n_documents, n_categories)
    weights: Doubles  # (n_features, n_categories)
    offset: Doubles  # (n_categories,)
    by_name: Doubles  # scores by the language model's cosine with the names alone, (n_documents, n_categories)
    left_out: Doubles | None = None  # of judged documents and terms, each predicted from the other judgements
    untaught: SortedSample | None = None  # the same before judgements

    def memberships(self, temperature: float) -> Doubles:
        """Shares of each document in the categories; rows add up to 1."""
        return shares(self.scores, temperature)


@dataclass(frozen=True)
class Features:
    """Features of documents, in the forms needed to sort them by any names."""

    mean: Floats  # (n_features,)
    centred: Floats  # features minus their mean, (n_documents, n_features)

    @staticmethod
    def of(*vectors: Floats) -> Features:
        """From the language model's vectors and any others, side by side; (n_documents, n_features)."""
        centred = np.concatenate(vectors, axis=1)
        mean = centred.mean(axis=0)
        centred -= mean
        return Features(mean, centred)

    def times(self, weights: Doubles) -> Doubles:
        """The product of the centred features with columns of weights."""
        return product(self.centred, weights.astype(np.float32)).astype(np.float64)


@one_thread()
def sort_sample(
    features: Features, names: Floats, settings: SortingSettings, handicaps: Doubles | float = 0.0
) -> SortedSample:
    """Sort documents by names, unit rows of (n_categories, dimension).

    `handicaps`, one per category, are subtracted from the scores. The result is the mean over the rounds, so that
    neither the first nor the last decides alone.
    """
    named = scored_by_names(names, features)

    def learned(scores: Doubles) -> Rule:
        return scored(regression(features.centred, scores - handicaps, settings), features)

    rule = mean_of_rounds(named, learned, settings)
    offset = -(features.mean.astype(np.float64) @ rule.weights)
    return SortedSample(rule.scores - handicaps, rule.weights, offset - handicaps, named.scores - handicaps)


@dataclass(frozen=True)
class Rule:
    """Weights and the documents' scores; both are linear, so rules can be added without another product."""

    weights: Doubles
    scores: Doubles

    def plus(self, other: Rule, share: float) -> Rule:
        return Rule(self.weights + share * other.weights, self.scores + share * other.scores)


def scored_by_names(names: Floats, features: Features) -> Rule:
    """The rule that knows the names alone, unit rows of (n_categories, dimension)."""
    weights = np.zeros((len(features.mean), len(names)))
    weights[: names.shape[1]] = names.T
    return scored(weights, features)


def mean_of_rounds(named: Rule, learned: Callable[[Doubles], Rule], settings: SortingSettings) -> Rule:
    """Learn from the scores of the rule so far, the first time those by the names; the mean over the rounds."""
    rule, total = named, None
    for _ in range(settings.rounds):
        rule = learned(rule.scores).plus(named, settings.name_pull)
        total = rule if total is None else total.plus(rule, 1.0)
    assert total is not None  # there is at least one round
    spread = spread_of(total.scores)
    return Rule(total.weights / spread, total.scores / spread)


def scored(weights: Doubles, features: Features) -> Rule:
    """A rule with spread 1 per category, so that a name that is near to everything has no advantage."""
    scores = features.times(weights)
    spread = spread_of(scores)
    return Rule(weights / spread, scores / spread)


def is_closed(offset: Doubles) -> Flags:
    """Whether no document can belong to a category, from the offset of its scores."""
    closed: Flags = offset < -CLOSED / 2
    return closed


def spread_of(scores: Doubles) -> Doubles:
    """Standard deviation per category; 1 if all scores are equal, so that dividing by it changes nothing."""
    spread = scores.std(axis=0)
    whole: Doubles = np.where(spread > 1e-6, spread, 1.0)
    return whole


def standardised(scores: Doubles) -> Doubles:
    """Mean 0 and spread 1 per category."""
    spread: Doubles = (scores - scores.mean(axis=0)) / spread_of(scores)
    return spread


def shares(scores: Doubles, temperature: float) -> Doubles:
    """Scores as shares that add up to 1."""
    result = np.empty(scores.shape)

    def fill(part: slice) -> None:
        powers = scores[part] - scores[part].max(axis=1, keepdims=True)
        powers /= temperature
        np.exp(powers, out=powers)
        np.divide(powers, powers.sum(axis=1, keepdims=True), out=result[part])

    in_parallel(fill, in_parts(len(scores)))
    return result


def regression(features: Floats, scores: Doubles, settings: SortingSettings, kept: float | None = None) -> Doubles:
    """Ridge regression on the guessed categories of the clearest documents, all categories with equal weight."""
    guesses, margins = _guessed(scores)
    weights = _weights_of_clear(guesses, margins, settings.kept if kept is None else kept)
    clear = np.flatnonzero(weights)
    roots = np.sqrt(weights[clear]).astype(np.float32)[:, None]
    targets = np.zeros((len(clear), scores.shape[1]), np.float32)
    targets[np.arange(len(clear)), guesses[clear]] = roots[:, 0]

    def moments(part: slice) -> tuple[Floats, Floats]:
        weighted: Floats = features.take(clear[part], axis=0)  # faster than features[clear[part]] * roots[part]
        weighted *= roots[part]
        return weighted.T @ weighted, weighted.T @ targets[part]  # the first is symmetric: BLAS does half of the work

    squares, sums = zip(*in_parallel(moments, in_parts(len(clear))), strict=True)
    gram = _total(squares)
    gram[np.diag_indices_from(gram)] += settings.ridge * len(features)
    return np.linalg.solve(gram, _total(sums)).astype(np.float64)


def _total(parts: Sequence[Floats]) -> Doubles:
    total = parts[0].astype(np.float64)
    for part in parts[1:]:
        total += part
    return total


def _guessed(scores: Doubles) -> tuple[Longs, Doubles]:
    """The best category of each document, and by how much it is better than the second."""

    def guess(part: slice) -> tuple[Longs, Doubles]:
        rows, own = np.arange(part.stop - part.start), scores[part].copy()
        best = own.argmax(axis=1)
        margins = own[rows, best]
        if own.shape[1] > 1:
            own[rows, best] = -np.inf
            margins = margins - own.max(axis=1)
        return best, margins

    guesses, margins = zip(*in_parallel(guess, in_parts(len(scores))), strict=True)
    return np.concatenate(guesses), np.concatenate(margins)


def _weights_of_clear(guesses: Longs, margins: Doubles, kept: float) -> Doubles:
    """The same weight in all for each category, shared by its clearest documents; 0 for the others."""
    sizes = np.bincount(guesses)
    n_clear = np.minimum(np.maximum(_LEAST, (kept * sizes).astype(np.int64)), sizes)
    order = np.lexsort((-margins, guesses))  # category by category, clearest first
    place = np.arange(len(order)) - np.repeat(np.cumsum(sizes) - sizes, sizes)
    clearest = order[place < n_clear[guesses[order]]]
    weights = np.zeros(len(guesses))
    weights[clearest] = 1 / n_clear[guesses[clearest]]
    balanced: Doubles = weights * np.count_nonzero(weights) / np.maximum(weights.sum(), 1e-9)
    return balanced
