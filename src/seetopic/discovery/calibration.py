"""Calibrates the shares of documents as probabilities, without labels.

What was learned from the names is right about as often as it agrees with the names alone on where a document belongs.
Shares are flattened, never sharpened, until the largest one matches this on average.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from seetopic.discovery.self_training import shares
from seetopic.runtime import Doubles, Flags

_READ, _BY_TERMS = 2.5, 2.8  # accuracy is the agreement to this power; measured on four kinds of labelled corpora
_LOOKED_AT = 2000  # documents, enough for a mean
_FLATTEST, _STEEPEST = 0.05, 1.0
_HALVINGS = 14  # bisection steps between them
_TRIED = 40  # powers between them that are compared on judged documents
_STIFFNESS = 5.0  # documents' worth of trust in what is expected without judgements


def shares_with_none(
    scores: Doubles, n_names: int, temperature: float, power: float = 1.0, owners: tuple[int, ...] = ()
) -> Doubles:
    """Shares in the names and, last, in none of them, from scores; rows add up to 1, (n_documents, n_names + 1)."""
    return with_none(shares(scores, temperature), n_names, power, owners)


def with_none(plain: Doubles, n_names: int, power: float = 1.0, owners: tuple[int, ...] = ()) -> Doubles:
    """The same from shares in names and residual themes.

    `owners` are the parents that residual themes belong to in a tree of names: what is elsewhere in a parent.
    """
    owned = [theme for theme, owner in enumerate(owners, n_names) if owner >= 0]
    others = [theme for theme in range(n_names, plain.shape[1]) if theme not in owned]
    joined = np.column_stack([plain[:, :n_names], plain[:, others].sum(axis=1)])
    for theme in owned:
        joined[:, owners[theme - n_names]] += plain[:, theme]
    return joined if power == 1 else _raised(joined, power)


@dataclass(frozen=True)
class Accuracy:
    """How often the largest share is expected to be the right one."""

    read: float  # for documents that the language model has read
    by_terms: float  # for documents of which only the terms are known


def estimated_accuracy(
    scores: Doubles, by_name: Doubles, n_names: int, temperature: float, owners: tuple[int, ...] = ()
) -> Accuracy:
    """Estimate from the learned scores and the scores by the names alone, both of the documents that were read."""
    learned, named = (
        shares_with_none(each, n_names, temperature, owners=owners).argmax(axis=1) for each in (scores, by_name)
    )
    agreement = (np.count_nonzero(learned == named) + 1) / (len(learned) + 2)  # few documents prove little
    return Accuracy(agreement**_READ, agreement**_BY_TERMS)


def power_for(shares: Doubles, accuracy: float) -> float:
    """The power that makes the largest shares, including those in none, on average as large as the accuracy."""
    plain = shares[:: max(1, len(shares) // _LOOKED_AT)]
    low, high = np.log(_FLATTEST), np.log(_STEEPEST)
    for _ in range(_HALVINGS):
        middle = (low + high) / 2
        if _raised(plain, float(np.exp(middle))).max(axis=1).mean() < accuracy:
            low = middle
        else:
            high = middle
    return round(float(np.exp((low + high) / 2)), 3)


def power_by_judged(
    left_out: Doubles,
    allowed: Flags,
    n_names: int,
    temperature: float,
    expected: float,
    owners: tuple[int, ...] = (),
) -> float:
    """The power under which the scores of judged documents, each left out in turn, predict the judgements best.

    `expected` is the power without judgements, from which few of them do not move far.
    """
    known = allowed[:, :n_names].sum(axis=1) <= 1
    if not known.any():
        return expected
    spread = left_out.std(axis=0)
    spread = spread[spread > 1e-6]  # parents in a tree have no documents of their own
    scores = left_out[known] / (float(spread.mean()) if len(spread) else 1.0)
    plain = shares_with_none(scores, n_names, temperature, owners=owners)
    truth = np.column_stack([allowed[known, :n_names], allowed[known, n_names:].any(axis=1)])
    powers = np.geomspace(_FLATTEST, _STEEPEST, _TRIED)
    losses = [
        -np.log(np.maximum((_raised(plain, power) * truth).sum(axis=1), 1e-12)).sum()
        + _STIFFNESS * np.log(power / expected) ** 2
        for power in powers
    ]
    return round(float(powers[int(np.argmin(losses))]), 3)


def _raised(joined: Doubles, power: float) -> Doubles:
    raised = joined**power
    result: Doubles = raised / raised.sum(axis=1, keepdims=True)
    return result
