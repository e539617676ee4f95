"""Tables of topics and documents, with the columns that BERTopic users know."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any

import numpy as np

from seetopic.classify import STEPS, Placement
from seetopic.discovery import Topics
from seetopic.runtime import Library, Longs, dataframe


def topic_info(topics: Topics, given: Longs, only: int | None, library: Library) -> Any:
    """One row per topic, and one for documents without a topic if there are any; `given` has one topic per document."""
    counts = Counter(given.tolist())
    numbers = [*([-1] if counts[-1] else []), *range(len(topics))] if only is None else [only]
    return dataframe(
        {
            "Topic": numbers,
            "Count": [counts[number] for number in numbers],
            "Name": [_name(topics, number) for number in numbers],
            "Confidence": [topics[number].confidence if number >= 0 else None for number in numbers],
            "Representation": [_terms(topics, number) for number in numbers],
        },
        library,
    )


def document_info(
    topics: Topics, texts: Sequence[str], found: Placement, terms: Sequence[str], library: Library
) -> Any:
    """One row per document; `Evidence` lists the topic's terms that occur in it."""
    numbers = found.best.tolist()
    shares = np.where(found.best >= 0, found.best_steps, found.steps.max(axis=1)) / STEPS
    return dataframe(
        {
            "Document": list(texts),
            "Topic": numbers,
            "Name": [_name(topics, number) for number in numbers],
            "Representation": [_terms(topics, number) for number in numbers],
            "Top_n_words": [" - ".join(_terms(topics, number)) for number in numbers],
            "Probability": shares.tolist(),
            "Evidence": [[terms[term] for term in each] for each in found.evidence.as_lists()],
        },
        library,
    )


def _name(topics: Topics, number: int) -> str:
    return topics[number].label if number >= 0 else ""


def _terms(topics: Topics, number: int) -> list[str]:
    return list(topics[number]) if number >= 0 else []
