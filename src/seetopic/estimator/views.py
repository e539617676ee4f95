"""Tables of topics and documents, with the columns that BERTopic users know."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any, Literal

import numpy as np

from seetopic.classify import STEPS, Placement, Trends
from seetopic.corpus import Documents
from seetopic.discovery import Topics
from seetopic.errors import SettingsError
from seetopic.index import Index
from seetopic.runtime import Library, Longs, dataframe

_WORDS = 5


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


def texts_of(source: Documents | Index) -> list[str]:
    """The text of each document; of an index, its words."""
    if isinstance(source, Documents):
        return list(source.all_texts())
    return [" ".join(filter(None, source.texts.words_of(number))) for number in range(len(source))]


def topics_by(part: Literal["Timestamp", "Class"], found: Trends, topics: Topics, library: Library) -> Any:
    """One row per topic and period or class; typical terms come first among its words."""
    rows = sorted(found.shares, key=lambda row: (row.start, row.group))
    numbers = [found.categories.index(row.category) for row in rows]
    typical: dict[tuple[str, str, str], list[str]] = {}
    for each in found.terms:
        typical.setdefault((each.category, each.period, each.group), []).append(each.term)
    words = [
        list(dict.fromkeys([*typical.get((row.category, row.period, row.group), []), *topics[number]]))
        for number, row in zip(numbers, rows, strict=True)
    ]
    parts = {"Timestamp": lambda row: datetime.fromisoformat(row.start), "Class": lambda row: row.group}
    return dataframe(
        {
            "Topic": numbers,
            "Words": [", ".join(each[:_WORDS]) for each in words],
            "Frequency": [row.documents for row in rows],
            part: list(map(parts[part], rows)),
            "Name": [row.category for row in rows],
            "Share": [row.share for row in rows],
            "Low": [row.low for row in rows],
            "High": [row.high for row in rows],
        },
        library,
    )


def column_names(given: Mapping[str, Any]) -> dict[str, str]:
    """What columns are called: as in the index or the table that they come from, else by their parameter."""
    found = {name: value if isinstance(value, str) else getattr(value, "name", None) for name, value in given.items()}
    own = {name: each if isinstance(each, str) and each else name for name, each in found.items()}
    return own if len(set(own.values())) == len(own) else dict(zip(own, own, strict=True))


def values_of(source: Any, values: Any) -> Any:
    """The values themselves, or the column of an index with this name."""
    if not isinstance(values, str):
        return values
    if not isinstance(source, Index):
        raise SettingsError(
            f"{values!r} names a column, but only an index has columns; pass one value per document instead"
        )
    return source.column(values)


def _name(topics: Topics, number: int) -> str:
    return topics[number].label if number >= 0 else ""


def _terms(topics: Topics, number: int) -> list[str]:
    return list(topics[number]) if number >= 0 else []
