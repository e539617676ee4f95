"""Topics: what a person gets. Frozen, each term with its score, its documents, and why it is there."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from seetopic.errors import OutputError
from seetopic.files import write_json, write_text


@dataclass(frozen=True)
class RankedTerm:
    """A term of a topic."""

    term: str
    score: float  # Eq. (6), 1 at best
    documents: int  # in how many it occurs, itself and not as one of its variants
    ranks: dict[str, int | None]  # its place by each kind of evidence; None: not among the checked ones
    variants: tuple[str, ...] = ()  # other forms and spellings that it stands for, the most frequent first


@dataclass(frozen=True)
class Topic:
    """A category with its terms, best first."""

    name: str
    names: tuple[str, ...]
    in_vocabulary: bool  # whether one of its names occurs in the documents as a term
    terms: tuple[RankedTerm, ...]
    confidence: float = 1.0  # how surely the terms are about the name, from 0 to 1
    warnings: tuple[str, ...] = ()  # what a person should know before using it, a sentence each

    def __iter__(self) -> Iterator[str]:
        return (ranked.term for ranked in self.terms)


@dataclass(frozen=True)
class Topics:
    """All topics: topic i is seed i. `made_with` says how to get the same again."""

    topics: tuple[Topic, ...]
    made_with: dict[str, Any]

    def __iter__(self) -> Iterator[Topic]:
        return iter(self.topics)

    def __len__(self) -> int:
        return len(self.topics)

    def __getitem__(self, number: int) -> Topic:
        return self.topics[number]

    def __str__(self) -> str:
        width = max(len(topic.name) for topic in self.topics)
        return "\n".join(f"{topic.name:<{width}}  {', '.join(topic)}" for topic in self.topics)

    def to_json(self) -> dict[str, Any]:
        return {
            "topics": [
                {
                    "name": topic.name,
                    "names": list(topic.names),
                    "in_vocabulary": topic.in_vocabulary,
                    "confidence": topic.confidence,
                    "warnings": list(topic.warnings),
                    "terms": [
                        {
                            "term": each.term,
                            "score": each.score,
                            "documents": each.documents,
                            "ranks": each.ranks,
                            "variants": list(each.variants),
                        }
                        for each in topic.terms
                    ],
                }
                for topic in self.topics
            ],
            "made_with": self.made_with,
        }

    def to_csv(self) -> str:
        text = io.StringIO()
        kinds = sorted({kind for topic in self.topics for each in topic.terms for kind in each.ranks})
        rows = csv.writer(text, lineterminator="\n")
        rows.writerow(["topic", "rank", "term", "score", "documents", *(f"{kind}_rank" for kind in kinds), "variants"])
        for topic in self.topics:
            for place, each in enumerate(topic.terms, start=1):
                found = [each.ranks.get(kind) for kind in kinds]
                variants = "; ".join(each.variants)
                rows.writerow([topic.name, place, each.term, f"{each.score:.6g}", each.documents, *found, variants])
        return text.getvalue()

    def save(self, folder: str | Path) -> None:
        """`topics.json` and `topics.csv`, each whole or not at all."""
        path = Path(folder)
        if path.exists() and not path.is_dir():
            raise OutputError(f"{path} is a file; choose a folder for the results")
        # The table first: where topics.json is new, all of the result is.
        write_text(path / "topics.csv", self.to_csv())
        write_json(path / "topics.json", self.to_json())

    @classmethod
    def load(cls, folder: str | Path) -> Topics:
        """What `save` wrote, by its folder or its `topics.json`."""
        path = Path(folder) if Path(folder).is_file() else Path(folder) / "topics.json"
        try:
            return cls.from_json(json.loads(path.read_text(encoding="utf-8")))
        except (OSError, ValueError, KeyError, TypeError) as error:
            raise OutputError(f"{path} cannot be read as topics ({error}); make it with `seetopic discover`") from error

    @classmethod
    def from_json(cls, value: dict[str, Any]) -> Topics:
        """The inverse of `to_json`."""
        topics = tuple(
            Topic(
                topic["name"],
                tuple(topic["names"]),
                topic["in_vocabulary"],
                tuple(_ranked(each) for each in topic["terms"]),
                float(topic["confidence"]),
                tuple(topic["warnings"]),
            )
            for topic in value["topics"]
        )
        return cls(topics, value["made_with"])


def _ranked(saved: dict[str, Any]) -> RankedTerm:
    if not isinstance(saved["term"], str):
        raise TypeError(f"the term {saved['term']!r} is no text")
    variants = tuple(saved.get("variants", ()))  # files of before have none
    return RankedTerm(**{**saved, "score": float(saved["score"]), "variants": variants})
