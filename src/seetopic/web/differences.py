"""Differences between two sides: terms by category, and measures."""

from __future__ import annotations

import math
from collections.abc import Sequence

from seetopic.corpus import normalized_name
from seetopic.evaluation import Evaluation, in_order, meaning
from seetopic.web.schemas import Frozen
from seetopic.web.topic_service import ShownTopic


class SideTopics(Frozen):
    """Topics of one side."""

    title: str
    topics: tuple[ShownTopic, ...]


class Difference(Frozen):
    """A category of either side: shared terms, in the left side's order, and terms of one side only."""

    name: str
    both: tuple[str, ...]
    only_left: tuple[str, ...]
    only_right: tuple[str, ...]


class ComparedFigures(Frozen):
    """Measures of both sides; null where a side has no value."""

    names: tuple[str, ...]
    about: dict[str, str]
    left: dict[str, float | None]
    right: dict[str, float | None]
    note: str


class Compared(Frozen):
    """Result of a comparison."""

    left: SideTopics
    right: SideTopics
    differences: tuple[Difference, ...]
    figures: ComparedFigures | None


def differences(left: Sequence[ShownTopic], right: Sequence[ShownTopic]) -> tuple[Difference, ...]:
    """By category name, ignoring case: the left side's categories first, then those only on the right."""
    ours, theirs = ({normalized_name(topic.name): topic for topic in side} for side in (left, right))
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
