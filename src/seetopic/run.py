"""From an index and names to topics: resolves the names, gathers the evidence, tells how sure each topic is."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from seetopic.arrays import Flags, Floats
from seetopic.discovery import Discovered, Wishes, discover_terms
from seetopic.errors import NotEnoughTerms
from seetopic.evidence import Evidence
from seetopic.evidence.documents import MatchedDocumentsEvidence, ReadDocumentsEvidence, typical_terms
from seetopic.evidence.general import DRIFT, GeneralEvidence, confidence
from seetopic.evidence.local import LocalEvidence
from seetopic.index import Index
from seetopic.sample import weighted_rows
from seetopic.seeds import Seeds, as_seeds
from seetopic.settings import DEFAULT, DiscoverySettings, as_json
from seetopic.sorting import SortedSample, sort_sample
from seetopic.topics import RankedTerm, Topic, Topics
from seetopic.version import __version__

_ALIKE = 0.75  # cosine from which two terms of like spelling are inflections of one word
_SAME_BEGINNING = 4  # letters that make spellings alike


def discover(
    index: Index, seeds: Any, *, settings: DiscoverySettings = DEFAULT.discovery, preset: str = DEFAULT.preset
) -> Topics:
    """Topics for names (a list, a list of lists, a dict, a file's path) from an index; about a second."""
    return Discovery(index, as_seeds(seeds), settings, preset).topics


@dataclass(frozen=True)
class Discovery:
    """One run, and what came out on the way: whatever sorts documents later needs it too."""

    index: Index
    seeds: Seeds
    settings: DiscoverySettings = DEFAULT.discovery
    preset: str = DEFAULT.preset

    def __post_init__(self) -> None:
        n_terms = len(self.index.vocabulary)
        if len(self.seeds) > n_terms:
            raise NotEnoughTerms(
                f"{len(self.seeds)} categories need at least {len(self.seeds)} terms, but the index has {n_terms}; "
                "give fewer names, lower --min-count, or give more documents"
            )

    @cached_property
    def topics(self) -> Topics:
        categories = range(len(self.seeds))
        return Topics(tuple(self._topic(category) for category in categories), self._made_with())

    @cached_property
    def found(self) -> Discovered:
        settings = self.settings
        kinds: list[tuple[Evidence, float]] = [
            (
                GeneralEvidence(self._general, self.names, settings.name_pull, settings.contrast),
                settings.general_weight,
            ),
            (LocalEvidence(np.asarray(self.index.local), settings.contrast), settings.local_weight),
        ]
        if settings.documents_weight > 0 and len(self.index.sample):
            kinds.append((self._documents_evidence, settings.documents_weight))
        kept = [(kind, weight) for kind, weight in kinds if weight > 0]
        return discover_terms(self.similarity, self._wishes, kept, settings)

    @cached_property
    def names(self) -> Floats:
        """The vector of each category's names, their mean if several; unit rows, (n_categories, dimension)."""
        vectors = self.index.encode_names([name for seed in self.seeds.seeds for name in seed.names])
        bounds = np.cumsum([len(seed.names) for seed in self.seeds.seeds])[:-1]
        centres = np.stack([part.mean(axis=0) for part in np.split(vectors, bounds)])
        unit: Floats = centres / np.maximum(np.linalg.norm(centres, axis=1, keepdims=True), 1e-12)
        return unit

    @cached_property
    def similarity(self) -> Floats:
        """Cosine of each category's names and each term; (n_categories, n_terms)."""
        cosines: Floats = self.names @ self._general.T
        return cosines

    @cached_property
    def sorted_sample(self) -> SortedSample | None:
        """The sample's documents sorted by the names; None if the language model has read none."""
        sample = self.index.sample
        if not sample.was_read:
            return None
        features = np.hstack([np.asarray(sample.general), self._sample_local])
        return sort_sample(features, self.names, self.settings.sorting)

    @cached_property
    def sample_matrix(self) -> Any:
        """1 where a sampled document holds a term; (n_documents, n_terms)."""
        return self.index.sample.matrix(len(self.index.vocabulary))

    @cached_property
    def _sample_local(self) -> Floats:
        local: Floats = weighted_rows(self.sample_matrix, self.index.idf) @ np.asarray(self.index.local)
        unit: Floats = local / np.maximum(np.linalg.norm(local, axis=1, keepdims=True), 1e-9)
        return unit

    @cached_property
    def _general(self) -> Floats:
        return np.asarray(self.index.general)

    @property
    def _documents_evidence(self) -> Evidence:
        if self.sorted_sample is None:
            return MatchedDocumentsEvidence(self.sample_matrix, self.index.idf)
        return ReadDocumentsEvidence(
            typical_terms(self.sample_matrix, self.sorted_sample.memberships(self.settings.sorting.temperature))
        )

    @cached_property
    def _own_terms(self) -> tuple[tuple[int, ...], ...]:
        """The names that are terms, by category."""
        return tuple(self._ids(seed.names) for seed in self.seeds.seeds)

    @cached_property
    def _wishes(self) -> Wishes:
        pinned = [self._ids(seed.pinned) for seed in self.seeds.seeds]
        elsewhere = {term for terms in pinned for term in terms}
        fixed = tuple(
            (*terms, *(term for term in own if term not in elsewhere))
            for terms, own in zip(pinned, self._own_terms, strict=True)
        )
        return Wishes(
            fixed,
            np.stack([self._barred(seed.negative, terms) for seed, terms in zip(self.seeds.seeds, fixed, strict=True)]),
        )

    def _barred(self, negative: tuple[str, ...], fixed: tuple[int, ...]) -> Flags:
        """Negative terms and their inflections: terms of as many words, spelled and meant alike."""
        barred = np.zeros(len(self.index.vocabulary), np.bool_)
        if negative:
            meant = self.index.encode_names(list(negative)) @ self._general.T
            for word, similarity in zip(negative, meant, strict=True):
                spelled = word.lower()
                for term in np.flatnonzero(similarity >= _ALIKE).tolist():
                    barred[term] |= _spelled_alike(spelled, self.index.vocabulary.terms[term].lower())
                if (own := self.index.term_id(word)) is not None:
                    barred[own] = True
        barred[list(fixed)] = False  # what is pinned by name stays
        return barred

    def _ids(self, names: tuple[str, ...]) -> tuple[int, ...]:
        found = (self.index.term_id(name) for name in names)
        return tuple(dict.fromkeys(term for term in found if term is not None))

    def _topic(self, category: int) -> Topic:
        seed, found = self.seeds.seeds[category], self.found
        ranked = tuple(
            RankedTerm(
                self.index.vocabulary.terms[term],
                float(found.scores[category, term]),
                int(self.index.document_frequencies[term]),
                {kind: int(places[category, term]) or None for kind, places in found.ranks.items()},
            )
            for term in found.terms[category]
        )
        sure = round(float(self._confidences[category]), 3)
        return Topic(
            seed.name, seed.names, bool(self._own_terms[category]), ranked, sure, tuple(self._warnings(category))
        )

    @cached_property
    def _confidences(self) -> Any:
        return confidence(self.similarity, self.found.terms)

    def _warnings(self, category: int) -> list[str]:
        seed, n_found = self.seeds.seeds[category], len(self.found.terms[category])
        sentences = []
        if n_found < self.settings.top:
            sentences.append(
                f"{n_found} of {self.settings.top} terms: other categories suit the rest better, or there are no more"
            )
        if n_found and self._confidences[category] < DRIFT:
            sentences.append(
                "low confidence: by the language model its terms are nearer to other names, or to none; "
                "read them with care"
            )
        absent = [word for word in seed.pinned if self.index.term_id(word) is None]
        if absent:
            sentences.append(f"pinned, but no term of the documents: {', '.join(absent)}")
        return sentences

    def _made_with(self) -> dict[str, Any]:
        return {
            "preset": self.preset,
            "settings": {"index": self.index.manifest["settings"], "discovery": as_json(self.settings)},
            "model": self.index.manifest["model"],
            "random_state": self.index.settings.random_state,
            "version": __version__,
            "corpus": self.index.manifest["corpus"],
        }


def _spelled_alike(word: str, other: str) -> bool:
    """Whether two terms of as many words begin alike, each word for itself."""
    pairs = list(zip(word.split(), other.split(), strict=False))
    same_length = len(word.split()) == len(other.split())
    shared = (min(len(first), len(second), _SAME_BEGINNING) for first, second in pairs)
    return same_length and all(first[:n] == second[:n] for (first, second), n in zip(pairs, shared, strict=True))
