"""Learns from judgements: corrects how the sample is sorted by what a person said about documents and terms.

A judged document has known shares. A multinomial logistic regression learns, in the features that sort the sample,
where judgements and guesses differ. It starts from the guesses, and leave-one-out prediction of the judgements decides
how far it may move away from them, so that names keep their say while judgements are few. The corrected guesses then
teach the regression of `self_training` once more, with judged documents in their places. A judged term counts as a
very short document, so that what is like it in meaning and use follows it.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from seetopic.discovery.self_training import Features, SortedSample, regression, shares, spread_of
from seetopic.runtime import Doubles, Flags, Floats, Longs, one_thread
from seetopic.settings import SortingSettings

_PENALTIES = (3.0, 1.0, 0.3, 0.1, 0.03)  # on what is learned from judgements, from strong to weak
CONSTANT = 0.03  # variance of a category's offset, relative to that of the features' weights
_CURVATURE = 0.5  # upper bound of the loss's second derivative, with which every step goes down
_STEPS = 10  # of Newton's method with that bound; more change nothing
_MISTAKEN = 0.1  # share of answers that are expected to be wrong
_SETTLED = 1e3  # margin of a judged document, far above that of any guess


@dataclass(frozen=True)
class Lessons:
    """Judged documents and terms, in the form that sorting learns from."""

    features: Floats  # as those of the sample, (n_judged, n_features)
    allowed: Flags  # the categories and residual themes that each may belong to, (n_judged, n_categories)
    rows: Longs  # the place of each among the documents that were read, -1 if it is not one of them
    n_documents: int  # they come first, followed by terms

    @cached_property
    def key(self) -> bytes:
        """The same for lessons that teach the same."""
        digest = hashlib.sha256(self.features.tobytes())
        digest.update(self.allowed.tobytes() + self.rows.tobytes())
        return digest.digest()


@dataclass(frozen=True)
class Corrected:
    """What was learned from judgements at one penalty."""

    penalty: float
    by_judged: Doubles  # weight of each judged item, (n_judged, n_categories)
    left_out: Doubles  # scores of each judged item, predicted from the others, (n_judged, n_categories)
    losses: Doubles  # of these predictions, (n_judged,)


@one_thread()
def taught(features: Features, found: SortedSample, lessons: Lessons, settings: SortingSettings) -> SortedSample:
    """The sorted sample and its rule, corrected by judgements."""
    judged = lessons.features.astype(np.float64) - features.mean
    base = found.offset + features.mean.astype(np.float64) @ found.weights  # of centred features: handicaps, if any
    learned = corrections(judged @ judged.T, judged @ found.weights + base, lessons.allowed)
    best = most_predictive(learned, in_doubt_weak=lessons.n_documents > 0)
    weights = found.weights + judged.T @ best.by_judged
    constant = CONSTANT * best.by_judged.sum(axis=0)
    scores = features.times(weights) + constant + base
    # Learn once more from the clearest guesses, among which judged documents are the clearest.
    others = np.delete(np.arange(len(scores)), lessons.rows[lessons.rows >= 0])
    known = np.where(lessons.allowed, judged @ weights + constant + base, -_SETTLED)
    right = np.mean(best.left_out.argmax(axis=1) == np.where(lessons.allowed, best.left_out, -np.inf).argmax(axis=1))
    copies = max(1, round((1 - right) / _MISTAKEN))  # by how much more often guesses are wrong than judgements
    again = regression(
        np.vstack([features.centred[others], *[judged.astype(np.float32)] * copies]),
        np.vstack([scores[others], *[known] * copies]),
        settings,
    )
    again /= spread_of(features.times(again))
    weights, scores = weights + again, scores - base + features.times(again)
    spread = float(spread_of(scores).mean())
    offset = (constant - features.mean.astype(np.float64) @ weights) / spread + base
    return SortedSample(scores / spread + base, weights / spread, offset, found.by_name, best.left_out, found)


@one_thread()
def predicted_from_half(lessons: Lessons, found: SortedSample) -> Doubles:
    """Scores of judged documents and terms, each half predicted from the other; `found` is without judgements."""
    features = lessons.features.astype(np.float64)
    features -= features.mean(axis=0)
    products, by_guess = features @ features.T, lessons.features @ found.weights + found.offset
    predicted = by_guess.copy()
    for first in range(2):
        own, other = np.arange(first, len(predicted), 2), np.arange(1 - first, len(predicted), 2)
        if len(own):
            best = most_predictive(corrections(products[np.ix_(own, own)], by_guess[own], lessons.allowed[own]))
            predicted[other] += (products[np.ix_(other, own)] + CONSTANT) @ best.by_judged
    return predicted


def corrections(products: Doubles, by_guess: Doubles, allowed: Flags) -> list[Corrected]:
    """Logistic regressions that start from the guesses, one for each penalty.

    `products` are between the features of judged items, which is all that is needed; (n_judged, n_judged).
    """
    values, vectors = np.linalg.eigh(products + CONSTANT)
    values, rotated = np.maximum(values, 0.0), vectors.astype(np.float32)
    scores, found = by_guess, []
    for penalty in _PENALTIES:
        kernel = values / penalty  # (n_judged,)
        damped = (1 / (1 + _CURVATURE * kernel)).astype(np.float32)[:, None]
        for _ in range(_STEPS):
            towards = (_surplus(scores, allowed) + _CURVATURE * (by_guess - scores)).astype(np.float32)
            turned = damped * (rotated.T @ towards)
            scores = by_guess - rotated @ (kernel.astype(np.float32)[:, None] * turned)
        weights = -(rotated @ turned).astype(np.float64)
        left_out = _left_out(scores, allowed, kernel, vectors)
        right = (shares(left_out, 1.0) * allowed).sum(axis=1)
        losses = -np.log((1 - _MISTAKEN) * right + _MISTAKEN * allowed.mean(axis=1))
        found.append(Corrected(penalty, weights / penalty, left_out, losses))
    return found


def most_predictive(found: list[Corrected], *, in_doubt_weak: bool = True) -> Corrected:
    """The weakest penalty at which judgements predict each other as well as at the best one, within a standard error.

    Judgements are known and guesses are not, so that doubt favours judgements. If all of them are about terms, how well
    they predict each other says less about documents, so that the strongest such penalty is better.
    """
    best = min(found, key=lambda each: float(each.losses.mean()))
    differences = [each.losses - best.losses for each in found]
    close = [each.mean() <= each.std() / np.sqrt(len(each)) for each in differences]
    return found[(max if in_doubt_weak else min)(np.flatnonzero(close))]


def _surplus(scores: Doubles, allowed: Flags) -> Doubles:
    """By how much the shares differ from known ones: those in allowed categories, as large as they are relatively.

    Less if the judgement is so unlikely that it may be a mistake.
    """
    guessed = shares(scores, 1.0)
    inside = np.where(allowed, guessed, 0.0)
    total = inside.sum(axis=1, keepdims=True)
    mistaken = _MISTAKEN * allowed.mean(axis=1, keepdims=True)
    trust = (1 - _MISTAKEN) * total / ((1 - _MISTAKEN) * total + mistaken)
    difference: Doubles = trust * (guessed - inside / np.maximum(total, 1e-12))
    return difference


def _left_out(scores: Doubles, allowed: Flags, kernel: Doubles, vectors: Doubles) -> Doubles:
    """Each item's scores without its own judgement, by the formula for a linear smoother."""
    guessed = shares(scores, 1.0)
    noise = 1 / max(float((guessed * (1 - guessed)).mean()), 1e-9)
    precision = (vectors**2 / (kernel + noise)).sum(axis=1)
    predicted: Doubles = scores + _surplus(scores, allowed) * (1 / precision - noise)[:, None]
    return predicted


def known_shares(found: SortedSample, lessons: Lessons, temperature: float) -> tuple[Longs, Doubles]:
    """Places of judged documents among those that were read, and their shares."""
    rows = lessons.rows[lessons.rows >= 0]
    allowed = lessons.allowed[lessons.rows >= 0]
    return rows, shares(np.where(allowed, found.scores[rows], -np.inf), temperature)
