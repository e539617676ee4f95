"""Phrase quality learned from known phrases, by a regression that separates them from other candidates."""

from __future__ import annotations

import numpy as np

from seetopic.runtime import Doubles, Flags
from seetopic.text.phrases.quality import sigmoid

ENOUGH = 20  # known phrases among the candidates that are needed to learn from them
_ROUNDS = 20  # regressions, each with other negatives, because some of those drawn are phrases
_RIDGE = 1.0
_STEPS = 12  # of Newton's method
_TRUST = 200  # known phrases at which the learned quality has half of its maximum weight
_MOST_TRUST = 0.5  # that maximum: a list shows what its makers care about, not every phrase


def taught(features: Doubles, built_in: Doubles, known: Flags, random_state: int) -> Doubles:
    """The quality of every candidate, partly learned if there are enough known phrases."""
    n_known = int(known.sum())
    if n_known < ENOUGH or n_known == known.size:
        return built_in
    chance = np.random.default_rng(random_state)
    others = np.flatnonzero(~known)
    learned = np.zeros(known.size)
    for _ in range(_ROUNDS):
        drawn = chance.choice(others, min(n_known, others.size), replace=False)
        chosen = np.concatenate([np.flatnonzero(known), drawn])
        weights = logistic(_with_bias(features[chosen]), known[chosen].astype(np.float64))
        learned += sigmoid(_with_bias(features) @ weights) / _ROUNDS
    trust = _MOST_TRUST * n_known / (n_known + _TRUST)
    mixed: Doubles = (1.0 - trust) * built_in + trust * learned
    return mixed


def logistic(features: Doubles, outcomes: Doubles) -> Doubles:
    """Weights of a ridge-penalised logistic regression, by Newton's method; the last feature is not penalised."""
    penalty = np.full(features.shape[1], _RIDGE)
    penalty[-1] = 1e-6
    weights = np.zeros(features.shape[1])
    for _ in range(_STEPS):
        expected = sigmoid(features @ weights)
        slope = features.T @ (outcomes - expected) - penalty * weights
        curvature = (features * (expected * (1.0 - expected) + 1e-9)[:, None]).T @ features + np.diag(penalty)
        weights = weights + np.linalg.solve(curvature, slope)
    return weights


def _with_bias(features: Doubles) -> Doubles:
    return np.column_stack([features, np.ones(len(features))])
