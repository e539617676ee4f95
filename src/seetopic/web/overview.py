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
    topics_below = [[places[each] for each in names.below(category.id)] for category in names.categories]
    marks = np.zeros((scene.sampled.shape[1], len(topics_below)), np.float32)
    for column, below in enumerate(topics_below):
        marks[[term for each in below for term in _forms(finding, each)], column] = 1
    held = scene.sampled @ marks > 0  # (n_documents, n_categories)
    lines = []
    for column, (category, below) in enumerate(zip(names.categories, topics_below, strict=True)):
        own = np.flatnonzero(np.isin(given, below))
        found = round(float(held[own, column].mean()), 4) if len(own) else None
        lines.append(TopicLine(category=category.id, share=round(len(own) / max(total, 1), 4), found=found))
    covered = float((given >= 0).mean()) if total else 0.0
    return Overview(documents=total, coverage=round(covered, 4), lines=tuple(lines))


def _forms(finding: Finding, topic: int) -> list[int]:
    """The term ids of a topic's terms and their variants."""
    ids = finding.run.index.vocabulary.ids
    return [ids[form] for each in finding.topics[topic].terms for form in (each.term, *each.variants)]
