"""Documents sorted into categories by the categories' names alone: no label is ever seen.

The language model's cosine of document and name is a first guess; a regression on document vectors and local
vectors learns from the clearest guesses, twice, and corrects the rest.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from seetopic.arrays import Doubles, Floats, Longs
from seetopic.settings import SortingSettings
from seetopic.threads import one_thread, product

_LEAST = 5  # documents that a category learns from, if it has so many


@dataclass(frozen=True)
class SortedSample:
    """The sample's scores, and the linear rule that gives the same for any document's features."""

    scores: Doubles  # standardised per category, (n_documents, n_categories)
    weights: Doubles  # (n_features, n_categories)
    offset: Doubles  # (n_categories,)

    def memberships(self, temperature: float) -> Doubles:
        """Shares of each document in the categories; rows add up to 1."""
        return shares(self.scores, temperature)


@dataclass(frozen=True)
class Features:
    """What is known of documents, in the forms that sorting by any names needs."""

    plain: Floats  # the language model's vectors and whatever else is known, side by side; (n_documents, n_features)

    @cached_property
    def mean(self) -> Floats:
        mean: Floats = self.plain.mean(axis=0)
        return mean

    @cached_property
    def centred(self) -> Floats:
        return (self.plain - self.mean).astype(np.float32)

    @cached_property
    def exact(self) -> Doubles:
        return self.plain.astype(np.float64)

    @cached_property
    def exact_centred(self) -> Doubles:
        return self.centred.astype(np.float64)


@one_thread()
def sort_sample(features: Features, names: Floats, settings: SortingSettings) -> SortedSample:
    """Sort documents by names, unit rows of (n_categories, dimension).

    The result is the mean over the rounds, so that neither the first nor the last has its way alone.
    """
    centred = features.exact_centred
    by_name = np.zeros((centred.shape[1], len(names)))
    by_name[: names.shape[1]] = names.T
    by_name = _scaled(by_name, centred)
    rule, total = by_name, np.zeros_like(by_name)
    for _ in range(settings.rounds):
        learned = _scaled(regression(features.centred, centred @ rule, settings), centred)
        rule = learned + settings.name_pull * by_name
        total += rule
    weights = _scaled(total, centred)
    offset = -(features.mean.astype(np.float64) @ weights)
    return SortedSample(features.exact @ weights + offset, weights, offset)


def _scaled(rule: Doubles, centred: Doubles) -> Doubles:
    """The rule with spread 1 per category: a name that is near to everything is no nearer to anything."""
    scaled: Doubles = rule / spread_of(centred @ rule)
    return scaled


def spread_of(scores: Doubles) -> Doubles:
    """Standard deviation per category; 1 where all are alike, so that dividing by it leaves them alone."""
    spread = scores.std(axis=0)
    whole: Doubles = np.where(spread > 1e-6, spread, 1.0)
    return whole


def standardised(scores: Doubles) -> Doubles:
    """Mean 0 and spread 1 per category."""
    spread: Doubles = (scores - scores.mean(axis=0)) / spread_of(scores)
    return spread


def shares(scores: Doubles, temperature: float) -> Doubles:
    """Scores as shares that add up to 1."""
    powers = np.exp((scores - scores.max(axis=1, keepdims=True)) / temperature)
    result: Doubles = powers / powers.sum(axis=1, keepdims=True)
    return result


def regression(features: Floats, scores: Doubles, settings: SortingSettings, kept: float | None = None) -> Doubles:
    """Ridge regression to the guessed categories of the clearest documents, every category with equal weight."""
    guesses = scores.argmax(axis=1)
    weights = _weights_of_clear(scores, guesses, settings.kept if kept is None else kept)
    targets = np.zeros(scores.shape, np.float32)
    targets[np.arange(len(guesses)), guesses] = 1
    weighted = features * weights[:, None].astype(np.float32)
    gram = product(features.T, weighted).astype(np.float64)
    gram[np.diag_indices_from(gram)] += settings.ridge * len(features)
    return np.linalg.solve(gram, (weighted.T @ targets).astype(np.float64)).astype(np.float64)


def _weights_of_clear(scores: Doubles, guesses: Longs, kept: float) -> Doubles:
    best_two = np.sort(scores, axis=1)[:, -2:]
    margins = best_two[:, -1] - best_two[:, 0] if scores.shape[1] > 1 else scores[:, 0]
    weights = np.zeros(len(guesses))
    for category in np.unique(guesses):
        own = np.flatnonzero(guesses == category)
        clearest = own[np.argsort(-margins[own], kind="stable")][: max(_LEAST, int(kept * len(own)))]
        weights[clearest] = 1 / len(clearest)
    balanced: Doubles = weights * np.count_nonzero(weights) / np.maximum(weights.sum(), 1e-9)
    return balanced
