"""What the names of a project miss: how many documents they cover, and themes of the others."""

from __future__ import annotations

from seetopic.discovery import Residual, suggest
from seetopic.index import Index
from seetopic.web.schemas import Frozen
from seetopic.web.topic_service import Finding


class Theme(Frozen):
    """A theme of the documents that no name covers; its name can become a category."""

    name: str
    share: float
    terms: tuple[str, ...]
    passages: tuple[str, ...]  # how typical documents begin


class UncoveredThemes(Frozen):
    """The share of documents that the names cover, and themes of the others, largest first."""

    coverage: float
    themes: tuple[Theme, ...]


def uncovered(finding: Finding) -> UncoveredThemes:
    topics = finding.topics
    return UncoveredThemes(coverage=topics.coverage, themes=tuple(map(_theme, topics.residual)))


def suggested(index: Index, number: int) -> tuple[Theme, ...]:
    """Themes of a corpus as a first set of names."""
    return tuple(map(_theme, suggest(index, number=number)))


def _theme(found: Residual) -> Theme:
    return Theme(name=found.suggested_name, share=round(found.share, 4), terms=found.terms, passages=found.passages)
