"""Tables of topics and of documents, with the columns that BERTopic's users know."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any

from seetopic.classify import Assigned
from seetopic.discovery import Topics
from seetopic.runtime import Library, dataframe


def topic_info(topics: Topics, found: Sequence[Assigned], only: int | None, library: Library) -> Any:
    """A row a topic, and one for documents without any, if there are such."""
    counts = Counter(each.categories[0] if each.categories else -1 for each in found)
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


def document_info(topics: Topics, texts: Sequence[str], found: Sequence[Assigned], library: Library) -> Any:
    """A row a document; `Evidence` has the topic's terms that it holds."""
    numbers = [each.categories[0] if each.categories else -1 for each in found]
    return dataframe(
        {
            "Document": list(texts),
            "Topic": numbers,
            "Name": [_name(topics, number) for number in numbers],
            "Representation": [_terms(topics, number) for number in numbers],
            "Top_n_words": [" - ".join(_terms(topics, number)) for number in numbers],
            "Probability": [max(each.shares) for each in found],
            "Evidence": [list(each.evidence) for each in found],
        },
        library,
    )


def _name(topics: Topics, number: int) -> str:
    return topics[number].name if number >= 0 else ""


def _terms(topics: Topics, number: int) -> list[str]:
    return list(topics[number]) if number >= 0 else []
