"""One line per topic: how many documents belong to it, and how many of these its terms find."""

from __future__ import annotations

import numpy as np

from seetopic.web.schemas import Frozen
from seetopic.web.topic_service import Finding


class TopicLine(Frozen):
    """A topic's documents, with those of the categories below it."""

    category: str
    share: float  # of all documents
    found: float | None  # share of its documents with at least one of its terms; None if it has no documents


class Overview(Frozen):
    """All topics at a glance, by the sampled documents."""

    documents: int
    coverage: float  # share of the documents that belong to any category
    lines: tuple[TopicLine, ...]


def overview(finding: Finding) -> Overview:
    scene, names = finding.scene, finding.names
    given, total = scene.document_topics, len(scene.document_topics)
    places = {each.id: place for place, each in enumerate(names.categories)}
    lines = []
    for category in names.categories:
        below = [places[each] for each in names.below(category.id)]
        own = np.flatnonzero(np.isin(given, below))
        held = scene.sampled[own][:, [*{term for each in below for term in _forms(finding, each)}]]
        found = round(float((held.sum(axis=1) > 0).mean()), 4) if len(own) else None
        lines.append(TopicLine(category=category.id, share=round(len(own) / max(total, 1), 4), found=found))
    covered = float((given >= 0).mean()) if total else 0.0
    return Overview(documents=total, coverage=round(covered, 4), lines=tuple(lines))


def _forms(finding: Finding, topic: int) -> list[int]:
    """The term ids of a topic's terms and their variants."""
    ids = finding.run.index.vocabulary.ids
    return [ids[form] for each in finding.topics[topic].terms for form in (each.term, *each.variants)]
