"""What known phrases teach about the others: a regression on a few features, known ones against any others."""

from __future__ import annotations

import numpy as np

from seetopic.runtime import Doubles, Flags
from seetopic.text.phrases.quality import sigmoid

ENOUGH = 20  # known phrases among the candidates, from which there is something to learn
_ROUNDS = 20  # regressions, each with other negatives: most of those drawn are not phrases, some are
_RIDGE = 1.0
_STEPS = 12  # of Newton's method
_TRUST = 200  # known phrases at which what was learned has half of the weight that it can have
_MOST_TRUST = 0.5  # that weight: a list shows what its makers care for, not all that is a phrase


def taught(features: Doubles, built_in: Doubles, known: Flags, random_state: int) -> Doubles:
    """The quality of every candidate, learned where there is enough to learn from."""
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
