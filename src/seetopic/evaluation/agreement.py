"""Accuracy of terms by annotators' judgements (MACC), and agreement: Fleiss' kappa, Krippendorff's alpha."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import asdict, dataclass
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np

from seetopic.evaluation.sheets import FilledSheet, Sheet, read_sheets
from seetopic.runtime import Doubles, Longs

_DRAWS = 1000
_MANY = 20  # terms; two people hardly ever agree on all of so many


@dataclass(frozen=True)
class Estimate:
    """A coefficient with its 95% interval, bootstrapped over items; None: undefined, as a note explains."""

    value: float | None
    low: float | None
    high: float | None
    items: int  # number of items it was computed from


@dataclass(frozen=True)
class Annotator:
    """How many terms one annotator judged, and the share of them judged to belong."""

    name: str
    judged: int
    unfilled: int
    belongs: float


@dataclass(frozen=True)
class MethodAccuracy:
    """The share of a method's terms judged to belong to their category; None: no judged terms."""

    method: str
    macc: float | None  # the mean of `per_annotator`
    per_topic: dict[str, float | None]  # the mean over annotators
    per_annotator: dict[str, float | None]  # the mean over topics


@dataclass(frozen=True)
class DisputedTerm:
    """A term on which annotators disagree."""

    item: int
    category: str
    term: str
    yes: int
    no: int
    methods: tuple[str, ...]


@dataclass(frozen=True)
class Agreement:
    """Everything that filled-in sheets show."""

    sheet: str
    items: int
    annotators: tuple[Annotator, ...]
    methods: tuple[MethodAccuracy, ...]
    fleiss_kappa: Estimate  # over the items that all annotators judged
    krippendorff_alpha: Estimate  # over the items that two or more judged
    disputed: tuple[DisputedTerm, ...]  # least agreement first
    notes: tuple[str, ...]  # what to know before using the results, one sentence each

    def to_json(self) -> dict[str, Any]:
        return asdict(self)


def read_agreement(sheets: Sequence[str | Path], key: str | Path | None = None, *, random_state: int = 0) -> Agreement:
    """Agreement from filled-in sheets; without `key`, the key next to them is used."""
    return agreement_of(*read_sheets(sheets, key), random_state=random_state)


def agreement_of(sheet: Sheet, filled: Sequence[FilledSheet], *, random_state: int = 0) -> Agreement:
    """MACC, agreement and disputed terms of one sheet filled in by several annotators."""
    votes = np.array(
        [
            [sum(each.belongs[item.item] is answer for each in filled) for answer in (True, False)]
            for item in sheet.items
        ]
    )  # (n_items, 2): yes, no
    kappa, alpha, agreement_notes = _coefficients(votes, len(filled), random_state)
    methods = tuple(_accuracy(method, sheet, filled) for method in sheet.methods)
    return Agreement(
        sheet=sheet.id,
        items=len(sheet.items),
        annotators=tuple(_annotator(each) for each in filled),
        methods=methods,
        fleiss_kappa=kappa,
        krippendorff_alpha=alpha,
        disputed=_disputed(sheet, votes),
        notes=(*_filling_notes(filled), *_copy_notes(filled), *_topic_notes(sheet, methods), *agreement_notes),
    )


def _interval(
    coefficient: Callable[[Longs, Doubles], Doubles], counts: Longs, random_state: int
) -> tuple[float, float] | None:
    """The middle 95% of the coefficient over bootstrap draws of items, ignoring draws that leave it undefined."""
    if len(counts) < 2:
        return None
    chance = np.random.default_rng(random_state)
    times_drawn = chance.multinomial(len(counts), np.full(len(counts), 1 / len(counts)), size=_DRAWS)
    values = coefficient(counts, times_drawn.astype(np.float64))
    defined = values[np.isfinite(values)]
    if not len(defined):
        return None
    low, high = np.percentile(defined, [2.5, 97.5])
    return float(low), float(high)


def fleiss_kappa(counts: Longs, weights: Doubles) -> Doubles:
    """Fleiss' kappa (1971) from how many raters chose each category, (n_items, n_categories); (n_draws,).

    All items have the same number of raters. Item i is counted `weights[draw, i]` times. NaN where it is undefined: all
    raters always chose the same category, which chance alone explains.
    """
    raters = counts.sum(axis=1).max(initial=0)
    pairs = counts * (raters - counts)  # pairs of raters who disagree, each counted twice
    observed = _ratio(weights @ pairs.sum(axis=1), weights.sum(axis=1) * (raters * (raters - 1)))  # 1 - P
    chosen = weights @ counts  # (n_draws, n_categories)
    total = chosen.sum(axis=1)
    expected = _ratio(total**2 - (chosen**2).sum(axis=1), total**2)  # 1 - P_e
    # Computed from disagreements, which are whole numbers, so that 0 and 1 are exact.
    return 1 - _ratio(observed, expected)


def krippendorff_alpha(counts: Longs, weights: Doubles) -> Doubles:
    """Krippendorff's alpha for nominal data, from the same; items with fewer than two raters are ignored."""
    raters = counts.sum(axis=1)
    pairable = np.where(raters[:, None] >= 2, counts, 0)
    differing = (raters**2 - (counts**2).sum(axis=1)) / np.maximum(raters - 1, 1)
    observed = weights @ np.where(raters >= 2, differing, 0.0)  # n * D_o
    chosen = weights @ pairable
    total = chosen.sum(axis=1)
    expected = _ratio(total**2 - (chosen**2).sum(axis=1), total - 1)  # n * D_e
    return 1 - _ratio(observed, expected)


def _ratio(upper: Doubles, lower: Doubles) -> Doubles:
    """The quotient; NaN where the divisor is not positive."""
    result: Doubles = np.divide(upper, lower, out=np.full(upper.shape, np.nan), where=lower > 0)
    return result


def _number(value: float) -> float | None:
    return float(value) if np.isfinite(value) else None


def _coefficients(votes: Longs, annotators: int, random_state: int) -> tuple[Estimate, Estimate, list[str]]:
    judged = votes.sum(axis=1)
    full, shared = votes[judged == annotators], votes[judged >= 2]
    if annotators < 2:
        reason = "Agreement needs at least two annotators, but there is only one."
        return Estimate(None, None, None, 0), Estimate(None, None, None, 0), [reason]
    kappa = _estimate(fleiss_kappa, full, random_state)
    alpha = _estimate(krippendorff_alpha, shared, random_state)
    notes = []
    for name, estimate, need in (
        ("Fleiss' kappa", kappa, "all annotators"),
        ("Krippendorff's alpha", alpha, "two annotators"),
    ):
        if not estimate.items:
            notes.append(f"{name} is undefined: no item was judged by {need}.")
        elif estimate.value is None:
            notes.append(f"{name} is undefined: all judgements are the same, which chance alone could explain.")
        elif estimate.low is None:
            notes.append(f"{name} has no interval: one item is too few to bootstrap.")
    return kappa, alpha, notes


def _estimate(coefficient: Callable[[Longs, Doubles], Doubles], counts: Longs, random_state: int) -> Estimate:
    value = _number(coefficient(counts, np.ones((1, len(counts))))[0])
    limits = _interval(coefficient, counts, random_state) if value is not None else None
    low, high = limits or (None, None)
    return Estimate(value, low, high, len(counts))


def _mean(values: Iterable[float | None]) -> float | None:
    known = [value for value in values if value is not None]
    return sum(known) / len(known) if known else None


def _annotator(filled: FilledSheet) -> Annotator:
    answers = [answer for answer in filled.belongs.values() if answer is not None]
    return Annotator(filled.annotator, len(answers), len(filled.belongs) - len(answers), sum(answers) / len(answers))


def _accuracy(method: str, sheet: Sheet, filled: Sequence[FilledSheet]) -> MethodAccuracy:
    """MACC as in the paper: the share per topic, averaged over topics, then over annotators."""
    terms: dict[str, list[int]] = {category: [] for category in sheet.categories}
    for item in sheet.items:
        if method in item.places:
            terms[item.category].append(item.item)
    shares = {
        each.annotator: {category: _mean(each.belongs[item] for item in own) for category, own in terms.items()}
        for each in filled
    }
    per_annotator = {annotator: _mean(by_topic.values()) for annotator, by_topic in shares.items()}
    per_topic = {category: _mean(by_topic[category] for by_topic in shares.values()) for category in terms}
    return MethodAccuracy(method, _mean(per_annotator.values()), per_topic, per_annotator)


def _disputed(sheet: Sheet, votes: Longs) -> tuple[DisputedTerm, ...]:
    terms = [
        DisputedTerm(item.item, item.category, item.term, int(yes), int(no), tuple(item.places))
        for item, (yes, no) in zip(sheet.items, votes, strict=True)
        if yes and no
    ]
    return tuple(sorted(terms, key=lambda each: (abs(each.yes - each.no) / (each.yes + each.no), -each.yes - each.no)))


def _filling_notes(filled: Sequence[FilledSheet]) -> list[str]:
    notes = []
    for each in filled:
        answers = list(each.belongs.values())
        unfilled = answers.count(None)
        if not unfilled:
            continue
        terms = "1 term was" if unfilled == 1 else f"{unfilled} terms were"
        note = f"{terms} not judged by {each.annotator} and count{'s' if unfilled == 1 else ''} neither way"
        only_marks = False not in answers
        notes.append(f"{note}; write 0 where a term does not belong." if only_marks else f"{note}.")
    return notes


def _copy_notes(filled: Sequence[FilledSheet]) -> list[str]:
    """Annotators who agree on every one of many terms may be one file under two names."""
    return [
        f"{one.annotator} and {other.annotator} gave the same answers throughout; check that they are different people."
        for one, other in combinations(filled, 2)
        if len(one.belongs) >= _MANY and one.belongs == other.belongs
    ]


def _topic_notes(sheet: Sheet, methods: Sequence[MethodAccuracy]) -> list[str]:
    has_terms = {(method, item.category) for item in sheet.items for method in item.places}
    notes = []
    for each in methods:
        for category, share in each.per_topic.items():
            if share is None:
                why = "no judged terms" if (each.method, category) in has_terms else "no terms"
                notes.append(f"{each.method} has {why} for {category!r}, so its MACC leaves that category out.")
    return notes
