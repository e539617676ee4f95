"""What differs between two sides: terms by category, and figures."""

from __future__ import annotations

import math
from collections.abc import Sequence

from seetopic.evaluation import Evaluation, in_order, meaning
from seetopic.web.schemas import Frozen
from seetopic.web.topic_service import ShownTopic


class SideTopics(Frozen):
    """One side's topics."""

    title: str
    topics: tuple[ShownTopic, ...]


class Difference(Frozen):
    """A category of either side: terms of both, in the left side's order, and those of one side alone."""

    name: str
    both: tuple[str, ...]
    only_left: tuple[str, ...]
    only_right: tuple[str, ...]


class ComparedFigures(Frozen):
    """The same measures of both sides; null where one has no answer."""

    names: tuple[str, ...]
    about: dict[str, str]
    left: dict[str, float | None]
    right: dict[str, float | None]
    note: str


class Compared(Frozen):
    """What a comparison found."""

    left: SideTopics
    right: SideTopics
    differences: tuple[Difference, ...]
    figures: ComparedFigures | None


def differences(left: Sequence[ShownTopic], right: Sequence[ShownTopic]) -> tuple[Difference, ...]:
    """By the categories' names, whatever their case: those of the left side first, then what only the right one has."""
    ours, theirs = ({_folded(topic.name): topic for topic in side} for side in (left, right))
    found = []
    for key in dict.fromkeys([*ours, *theirs]):
        mine, other = (_terms(side.get(key)) for side in (ours, theirs))
        found.append(
            Difference(
                name=(ours.get(key) or theirs[key]).name,
                both=tuple(term for term in mine if term in other),
                only_left=tuple(term for term in mine if term not in other),
                only_right=tuple(term for term in other if term not in mine),
            )
        )
    return tuple(found)


def compared_figures(left: Evaluation, right: Evaluation, note: str) -> ComparedFigures:
    names = in_order(dict.fromkeys([*left.figures, *right.figures]))
    return ComparedFigures(
        names=tuple(names),
        about={name: meaning(name) for name in names},
        left=_plain(left, names),
        right=_plain(right, names),
        note=note,
    )


def _plain(evaluation: Evaluation, names: Sequence[str]) -> dict[str, float | None]:
    values = {name: evaluation.figures.get(name, math.nan) for name in names}
    return {name: None if math.isnan(value) else value for name, value in values.items()}


def _terms(topic: ShownTopic | None) -> tuple[str, ...]:
    return () if topic is None else tuple(term.term for term in topic.terms)


def _folded(name: str) -> str:
    return " ".join(name.casefold().split())
