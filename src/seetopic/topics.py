"""Topics: what a person gets. Frozen, each term with its score, its documents, and why it is there."""

from __future__ import annotations

import csv
import io
import itertools
import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from seetopic.arrays import Floats
from seetopic.discovery import Discovered, discover_terms
from seetopic.errors import NotEnoughTerms, OutputError
from seetopic.evidence import Evidence
from seetopic.evidence.general import GeneralEvidence
from seetopic.evidence.local import LocalEvidence
from seetopic.files import write_json, write_text
from seetopic.index import Index
from seetopic.seeds import Seeds, as_seeds
from seetopic.settings import DEFAULT, DiscoverySettings, as_json
from seetopic.version import __version__


@dataclass(frozen=True)
class RankedTerm:
    """A term of a topic."""

    term: str
    score: float  # Eq. (6), 1 at best
    documents: int  # in how many it occurs
    ranks: dict[str, int | None]  # its place by each kind of evidence; None: not among the checked ones


@dataclass(frozen=True)
class Topic:
    """A category with its terms, best first."""

    name: str
    names: tuple[str, ...]
    in_vocabulary: bool  # whether one of its names occurs in the documents as a term
    terms: tuple[RankedTerm, ...]

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

    @property
    def shortfalls(self) -> tuple[str, ...]:
        """What was asked for and could not be given, a sentence each."""
        top = self.made_with["settings"]["discovery"]["top"]
        return tuple(
            f"{topic.name!r} has {len(topic.terms)} of {top} terms: the others found theirs first, or there are no more"
            for topic in self.topics
            if len(topic.terms) < top
        )

    def to_json(self) -> dict[str, Any]:
        return {
            "topics": [
                {
                    "name": topic.name,
                    "names": list(topic.names),
                    "in_vocabulary": topic.in_vocabulary,
                    "terms": [
                        {"term": each.term, "score": each.score, "documents": each.documents, "ranks": each.ranks}
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
        rows.writerow(["topic", "rank", "term", "score", "documents", *(f"{kind}_rank" for kind in kinds)])
        for topic in self.topics:
            for place, each in enumerate(topic.terms, start=1):
                found = [each.ranks.get(kind) for kind in kinds]
                rows.writerow([topic.name, place, each.term, f"{each.score:.6g}", each.documents, *found])
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
        """What `save` wrote."""
        path = Path(folder) / "topics.json"
        try:
            value = json.loads(path.read_text(encoding="utf-8"))
            topics = tuple(
                Topic(
                    topic["name"],
                    tuple(topic["names"]),
                    topic["in_vocabulary"],
                    tuple(RankedTerm(**each) for each in topic["terms"]),
                )
                for topic in value["topics"]
            )
            return cls(topics, value["made_with"])
        except (OSError, ValueError, KeyError, TypeError) as error:
            raise OutputError(f"{path} cannot be read as topics ({error}); make it with `seetopic discover`") from error


def discover(
    index: Index, seeds: Any, *, settings: DiscoverySettings = DEFAULT.discovery, preset: str = DEFAULT.preset
) -> Topics:
    """Topics for names (a list, a list of lists, a dict, a file's path) from an index; about a second."""
    asked = as_seeds(seeds)
    n_terms = len(index.vocabulary)
    if len(asked) > n_terms:
        raise NotEnoughTerms(
            f"{len(asked)} categories need at least {len(asked)} terms, but the index has {n_terms}; "
            "give fewer names, lower --min-count, or give more documents"
        )
    own_terms = [[term for name in seed.names if (term := index.term_id(name)) is not None] for seed in asked.seeds]
    general = np.asarray(index.general)
    evidence: list[Evidence] = [GeneralEvidence(general), LocalEvidence(np.asarray(index.local))]
    found = discover_terms(name_similarity(index, asked), own_terms, evidence, settings)
    return Topics(_topics(index, asked, own_terms, found), _made_with(index, settings, preset))


def name_similarity(index: Index, seeds: Seeds) -> Floats:
    """Cosine of each category's names (their mean, if several) and each term; (n_categories, n_terms)."""
    vectors = index.encode_names([name for seed in seeds.seeds for name in seed.names])
    bounds = np.cumsum([0, *(len(seed.names) for seed in seeds.seeds)])
    centres = np.stack([vectors[first:last].mean(axis=0) for first, last in itertools.pairwise(bounds)])
    centres /= np.maximum(np.linalg.norm(centres, axis=1, keepdims=True), 1e-12)
    similarity: Floats = centres @ np.asarray(index.general).T
    return similarity


def _topics(index: Index, seeds: Seeds, own_terms: list[list[int]], found: Discovered) -> tuple[Topic, ...]:
    frequencies = index.document_frequencies
    return tuple(
        Topic(
            seed.name,
            seed.names,
            bool(own_terms[category]),
            tuple(
                RankedTerm(
                    index.vocabulary.terms[term],
                    float(found.scores[category, term]),
                    int(frequencies[term]),
                    {kind: int(places[category, term]) or None for kind, places in found.ranks.items()},
                )
                for term in found.terms[category]
            ),
        )
        for category, seed in enumerate(seeds.seeds)
    )


def _made_with(index: Index, settings: DiscoverySettings, preset: str) -> dict[str, Any]:
    return {
        "preset": preset,
        "settings": {"index": index.manifest["settings"], "discovery": as_json(settings)},
        "model": index.manifest["model"],
        "random_state": index.settings.random_state,
        "version": __version__,
        "corpus": index.manifest["corpus"],
    }
