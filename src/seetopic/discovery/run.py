"""From an index and names to topics: resolves the names, gathers the evidence, tells how sure each topic is."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import numpy as np

from seetopic.corpus import Seeds, as_seeds
from seetopic.discovery.algorithm import Discovered, Wishes, discover_terms, starting_terms
from seetopic.discovery.calibration import shares_with_none
from seetopic.discovery.evidence import CurrentTerms, Evidence, StartRemembered
from seetopic.discovery.evidence.confidence import DOUBTFUL, topic_confidence
from seetopic.discovery.evidence.documents import MatchedDocumentsEvidence, ReadDocumentsEvidence, typical_terms
from seetopic.discovery.evidence.general import GeneralEvidence, confidence
from seetopic.discovery.evidence.local import LocalEvidence
from seetopic.discovery.named_terms import MANY, with_named_terms
from seetopic.discovery.residual import told_themes
from seetopic.discovery.sampled import Reading, SampledDocuments, sampled_documents
from seetopic.discovery.topics import LOW_CONFIDENCE, RankedTerm, Residual, Topic, Topics
from seetopic.errors import EncoderError, NotEnoughTerms
from seetopic.index import Index, Uncovered, uncovered_by
from seetopic.runtime import Flags, Floats, Progress, one_thread, resolve_device, silent, warn
from seetopic.settings import DEFAULT, DiscoverySettings, as_json, preset_named
from seetopic.text import Variants, no_variants
from seetopic.version import __version__

_SENTENCE = "This text is about {}."  # documents are sentences: a name is read better as part of one
_SURE = 0.35  # confidence from which a topic's terms may describe its name: less than to be trusted by a person
_ALIKE = 0.75  # cosine from which two terms of like spelling are inflections of one word
_SAME_BEGINNING = 4  # letters that make spellings alike


def discover(
    index: Index,
    seeds: Any,
    *,
    settings: DiscoverySettings | None = None,
    preset: str = DEFAULT.preset,
    device: str = "auto",
    progress: Progress = silent,
) -> Topics:
    """Topics for names (a list, a list of lists, a dict, a file's path) from an index; about a second.

    The presets `paper`, `released-code` and `no-iter` train vectors first, which takes minutes on a CPU.
    """
    asked = as_seeds(seeds)
    for sentence in index.warnings_about(asked.all_names):
        warn(sentence)
    return run_of(index, asked, settings, preset, device, progress).topics


def run_of(
    index: Index,
    seeds: Any,
    settings: DiscoverySettings | None = None,
    preset: str = DEFAULT.preset,
    device: str = "auto",
    progress: Progress = silent,
    name_vectors: Mapping[str, Floats] | None = None,
) -> Discovery:
    """A run by a preset, or by settings of one's own, which the result then calls `custom`.

    `name_vectors` has, by category, unit vectors that stand for the names in place of the language model's.
    """
    named = preset_named(preset).discovery
    chosen = named if settings is None else settings
    name = preset if replace(chosen, top=named.top) == named else "custom"
    asked = as_seeds(seeds)
    whole = index_with_names(index, asked, chosen, progress)
    return Discovery(whole, asked, chosen, name, device, progress, name_vectors=name_vectors or {})


def index_with_names(index: Index, seeds: Seeds, settings: DiscoverySettings, progress: Progress = silent) -> Index:
    """The index with names that stand in the documents as terms; itself where vectors are trained.

    Training would have to learn the names' vectors from the documents as they were cut.
    """
    if settings.training is not None:
        return index
    return with_named_terms(index, [term for seed in seeds.seeds for term in (*seed.names, *seed.pinned)], progress)


@dataclass(frozen=True)
class Discovery:
    """One run, and what came out on the way: whatever sorts documents later needs it too."""

    index: Index
    seeds: Seeds
    settings: DiscoverySettings = DEFAULT.discovery
    preset: str = DEFAULT.preset
    device: str = "auto"  # of the training, where the preset trains
    progress: Progress = silent
    random_state: int | None = None  # of the training; None: the index's
    name_vectors: Mapping[str, Floats] = field(default_factory=dict)  # ready ones, by category

    def __post_init__(self) -> None:
        n_terms = len(self.index.vocabulary)
        if len(self.seeds) > n_terms:
            raise NotEnoughTerms(
                f"{len(self.seeds)} categories need at least {len(self.seeds)} terms, but the index has {n_terms}; "
                "give fewer names, lower --min-count (in Python: min_count), or give more documents"
            )

    @property
    def n_categories(self) -> int:
        """The named ones, and after them the residual themes: both compete for documents and terms."""
        return len(self.seeds) + len(self.uncovered.centres)

    @cached_property
    def uncovered(self) -> Uncovered:
        """What the names leave of the documents that the language model has read."""
        index, nothing = self.index, np.empty((0, self.index.general.shape[1]), np.float32)
        if not (self.settings.documents_weight > 0 and index.sample.was_read):
            return Uncovered(nothing, 1.0)
        return uncovered_by(self.spoken_names, index.themes)

    def find(self) -> Topics:
        """Find the topics now, if they were not found before, and not when they are first asked for."""
        return self.topics

    @cached_property
    def topics(self) -> Topics:
        categories = range(len(self.seeds))
        topics = tuple(self._topic(category) for category in categories)
        return Topics(topics, self._made_with(), self._coverage, self._residual)

    @cached_property
    def found(self) -> Discovered:
        with ThreadPoolExecutor(1) as pool:  # documents are read from disk while names are read by the language model
            getting_ready = pool.submit(self._read_from_disk)
            self._read_names()
            getting_ready.result()
        return self._found(self.settings, self.reading if self._uses_documents else None)

    def _read_names(self) -> Floats:
        """The language model reads the names; their similarity to all terms is kept."""
        return self.similarity

    def _read_from_disk(self) -> Variants:
        """What does not depend on names, and is kept: the documents in the forms that sorting needs, and variants."""
        if self.settings.documents_weight > 0:  # whether they are used may depend on the names, which are not read yet
            self.sampled.get_ready()
        return self._variants

    @property
    def _coverage(self) -> float:
        """Share of the sample's documents that are about a name rather than about a residual theme."""
        if not len(self.uncovered.centres) or self.reading is None:
            return 1.0
        best = shares_with_none(self.reading.found.scores, len(self.seeds), self.settings.sorting.temperature)
        return round(float((best.argmax(axis=1) < len(self.seeds)).mean()), 4)

    @property
    def _residual(self) -> tuple[Residual, ...]:
        """What the names leave, the largest themes first."""
        if not len(self.uncovered.centres) or self.reading is None:
            return ()
        return told_themes(
            self.index, self.reading.memberships, self.found.deep, self.uncovered.centres, len(self.seeds)
        )

    @property
    def _uses_documents(self) -> bool:
        """One category has no others' documents to compare with: the terms of all would be those of its own."""
        return self.settings.documents_weight > 0 and self.n_categories > 1 and len(self.index.sample) > 0

    def _tell(self, stage: str, done: int, total: int) -> None:
        """How far it is, where there is much to do; who listens may also end it, by raising an error."""
        if total > MANY:
            self.progress(stage, done, total)

    def _found(self, settings: DiscoverySettings, reading: Reading | None) -> Discovered:
        self._tell("ranking terms", 0, len(self.seeds))
        kinds: list[tuple[Evidence, float]] = [*self._of_terms]
        if self._uses_documents:
            kinds.append((self._documents_evidence(reading), settings.documents_weight))
        kept = [(kind, weight) for kind, weight in kinds if weight > 0]
        similarity = self._general_evidence.similarity
        return discover_terms(similarity, self.wishes, kept, settings, self._variants, self._start)

    @cached_property
    def _start(self) -> CurrentTerms:
        """Both passes begin with the same terms."""
        return starting_terms(self._general_evidence.similarity, self.wishes, self.settings)

    @cached_property
    def _of_terms(self) -> tuple[tuple[Evidence, float], ...]:
        """The kinds of evidence that depend on current terms alone, with their weights; both passes start alike."""
        settings = self.settings
        return (
            (StartRemembered(self._general_evidence), settings.general_weight),
            (StartRemembered(self._local_evidence), settings.local_weight),
        )

    @property
    def _variants(self) -> Variants:
        return self.index.variants if self.settings.merge_variants else no_variants(len(self.index.vocabulary))

    @cached_property
    def names(self) -> Floats:
        """The vector of each category's names, their mean if several; unit rows, (n_categories, dimension)."""
        return self._encoded_but(self._ready, [seed.names for seed in self.seeds.seeds])

    @cached_property
    def _all_names(self) -> Floats:
        """The same, followed by the centres of residual themes; unit rows."""
        return np.vstack([self.names, self.uncovered.centres])

    @cached_property
    def spoken_names(self) -> Floats:
        """Names as documents would say them; unit rows."""
        sentences = [tuple(_SENTENCE.format(name) for name in seed.names) for seed in self.seeds.seeds]
        spoken = {category: self.names[category] for category in self._without_words}
        return _unit(self.names + self._encoded_but(spoken, sentences))

    @cached_property
    def _ready(self) -> dict[int, Floats]:
        """The vectors of categories that came with one."""
        names, length = self.seeds.names, self.index.general.shape[1]
        for name, vector in self.name_vectors.items():
            if vector.shape != (length,):
                raise EncoderError(
                    f"the vector of {name!r} has length {len(vector)}, but those of terms have {length}; "
                    "give all by one model"
                )
        return {number: self.name_vectors[name] for number, name in enumerate(names) if name in self.name_vectors}

    @cached_property
    def _without_words(self) -> Collection[int]:
        """Categories that only vectors speak for: no text about them can be given to the language model."""
        return self._ready if self.index.reads_texts else range(len(self.seeds))

    def _encoded_but(self, ready: Mapping[int, Floats], texts: list[tuple[str, ...]]) -> Floats:
        """The mean vector of each category's texts, if it has none ready; unit rows."""
        others = [category for category in range(len(texts)) if category not in ready]
        encoded = self._encoded([texts[category] for category in others]) if others else ()
        rows = {**ready, **dict(zip(others, encoded, strict=True))}
        return np.stack([rows[category] for category in range(len(texts))])

    def _encoded(self, texts: list[tuple[str, ...]]) -> Floats:
        """The mean vector of each category's texts; unit rows."""
        flat = [text for each in texts for text in each]
        parts = []
        for first in range(0, len(flat), MANY):
            self._tell("reading names", first, len(flat))
            parts.append(self.index.encode_names(flat[first : first + MANY]))
        vectors = np.concatenate(parts)
        bounds = np.cumsum([len(each) for each in texts])[:-1]
        return _unit(np.stack([part.mean(axis=0) for part in np.split(vectors, bounds)]))

    @cached_property
    def _general_evidence(self) -> GeneralEvidence:
        settings = self.settings
        return GeneralEvidence(
            np.asarray(self.index.general), self._all_names, settings.name_pull, settings.contrast, settings.held_back
        )

    @cached_property
    def _local_evidence(self) -> Evidence:
        settings = self.settings
        if settings.training is None:
            return LocalEvidence(np.asarray(self.index.local), settings.contrast)
        from seetopic.discovery.evidence.trained import TrainedLocalEvidence

        return TrainedLocalEvidence(
            *self.index.positions,
            len(self.index.vocabulary),
            len(self.index),
            settings.training,
            self._random_state,
            resolve_device(self.device),
            self.progress,
            settings.contrast,
        )

    @property
    def _random_state(self) -> int:
        return self.index.settings.random_state if self.random_state is None else self.random_state

    @property
    def similarity(self) -> Floats:
        """Cosine of each category's names and each term; (n_names, n_terms)."""
        return self._general_evidence.similarity[: len(self.seeds)]

    @property
    def sampled(self) -> SampledDocuments:
        return sampled_documents(self.index)

    @cached_property
    def reading(self) -> Reading | None:
        """The sample sorted by the names; None if the language model has read no documents.

        A first run, of half as many iterations, finds terms that describe each name ("video: vhs, tape, cassette"):
        the documents' own words tell the language model what is meant, and it sorts the sample again.
        """
        if not self.index.sample.was_read:
            return None
        settings = self.settings
        names = np.vstack([self.spoken_names, self.uncovered.centres])
        plain = self.sampled.sorted_by(names, settings.sorting)
        if settings.sorting.described_by == 0 or not self._uses_documents:
            return plain
        first = self._found(replace(settings, iterations=max(1, settings.iterations // 2)), plain)
        described = self._described(first.deep)
        return self.sampled.sorted_by(_unit(names + described), settings.sorting)

    def _described(self, found: CurrentTerms) -> Floats:
        """Vectors of names with the terms that describe them."""
        describing, general = self._describing(found), self.index.general
        residual = range(len(self.seeds), self.n_categories)
        unnamed = [*self._without_words, *residual]
        centres = {category: general[describing[category]].sum(axis=0) for category in unnamed}
        spoken = {
            category: _unit((self._all_names[category] + centre)[None])[0] for category, centre in centres.items()
        }
        return self._encoded_but(spoken, [*((text,) for text in self._worded(describing)), *(() for _ in residual)])

    def _describing(self, found: CurrentTerms) -> list[list[int]]:
        """The best terms of each category besides its names; none where they may be about something else."""
        size = self.settings.sorting.described_by
        sure = confidence(self._general_evidence.similarity, [terms[: 2 * size] for terms in found]) >= _SURE
        own = self._own_terms
        others = [[term for term in terms if term not in own[category]] for category, terms in enumerate(found)]
        return [terms[:size] if sure[category] else [] for category, terms in enumerate(others)]

    def _worded(self, describing: list[list[int]]) -> list[str]:
        """Names, each with the terms that describe it; alone where there are none."""
        texts = []
        for seed, terms in zip(self.seeds.seeds, describing, strict=False):
            names, words = ", ".join(seed.names), ", ".join(self.index.vocabulary.terms[term] for term in terms)
            texts.append(f"{names}: {words}" if words else names)
        return texts

    def _documents_evidence(self, reading: Reading | None) -> Evidence:
        if reading is None:
            return MatchedDocumentsEvidence(self.sampled.documents, self.index.idf)
        return ReadDocumentsEvidence(typical_terms(self.sampled.documents, reading.memberships))

    @cached_property
    def _own_terms(self) -> tuple[tuple[int, ...], ...]:
        """The names that are terms, by category."""
        return (*(self._ids(seed.names) for seed in self.seeds.seeds), *(() for _ in self.uncovered.centres))

    @cached_property
    def wishes(self) -> Wishes:
        pinned = [self._ids(seed.pinned) for seed in self.seeds.seeds]
        elsewhere = {term for terms in pinned for term in terms}
        fixed = tuple(
            (*terms, *(term for term in own if term not in elsewhere and self.settings.names_first))
            for terms, own in zip(pinned, self._own_terms, strict=False)
        )
        barred = [self._barred(seed.negative, terms) for seed, terms in zip(self.seeds.seeds, fixed, strict=True)]
        others = self.uncovered.centres
        unbarred = np.zeros((len(others), len(self.index.vocabulary)), np.bool_)
        return Wishes((*fixed, *(() for _ in others)), np.vstack([np.stack(barred), unbarred]))

    def _barred(self, negative: tuple[str, ...], fixed: tuple[int, ...]) -> Flags:
        """Negative terms and their inflections: terms of as many words, spelled and meant alike."""
        barred = np.zeros(len(self.index.vocabulary), np.bool_)
        if negative:
            for number, word in enumerate(negative):
                self._tell("reading negative terms", number, len(negative))
                similarity = self._meant(word)
                spelled = word.lower()
                for term in np.flatnonzero(similarity >= _ALIKE).tolist():
                    barred[term] |= _spelled_alike(spelled, self.index.vocabulary.terms[term].lower())
                if (own := self.index.term_id(word)) is not None:
                    barred |= self._variants.heads == self._variants.heads[own]
        barred[list(fixed)] = False  # what is pinned by name stays
        return barred

    def _meant(self, word: str) -> Floats:
        """Cosine of each term and a word; 0 if the word is among no ready vectors."""
        try:
            vector = self.index.encode_names([word])[0]
        except EncoderError:
            vector = np.zeros(self.index.general.shape[1], np.float32)
        with one_thread():
            similarity: Floats = np.asarray(self.index.general) @ vector
        return similarity

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
                tuple(self.index.vocabulary.terms[other] for other in found.variants.get(term, ())),
            )
            for term in found.terms[category]
        )
        sure = round(float(self._confidences[category]), 3)
        return Topic(
            seed.name, seed.names, bool(self._own_terms[category]), ranked, sure, tuple(self._warnings(category))
        )

    @cached_property
    def _confidences(self) -> Any:
        pairs = zip(self.found.deep, self.wishes.fixed, strict=True)
        found = [[term for term in terms if term not in set(given)] for terms, given in pairs]
        return topic_confidence(self._general_evidence.similarity, len(self.seeds), np.asarray(self.index.local), found)

    def _warnings(self, category: int) -> list[str]:
        seed, n_found = self.seeds.seeds[category], len(self.found.terms[category])
        sentences = []
        if n_found < self.settings.top:
            sentences.append(
                f"{n_found} of {self.settings.top} terms: other categories suit the rest better, or there are no more"
            )
        if n_found and self._confidences[category] < DOUBTFUL:
            sentences.append(LOW_CONFIDENCE)
        absent = [word for word in seed.pinned if self.index.term_id(word) is None]
        if absent:
            sentences.append(f"pinned, but no term of the documents: {', '.join(absent)}")
        return sentences

    def _made_with(self) -> dict[str, Any]:
        return {
            "preset": self.preset,
            "settings": {"index": self.index.manifest["settings"], "discovery": as_json(self.settings)},
            "model": self.index.manifest["model"],
            "random_state": self._random_state,
            "version": __version__,
            "corpus": self.index.manifest["corpus"],
        }


def _unit(vectors: Floats) -> Floats:
    unit: Floats = vectors / np.maximum(np.linalg.norm(vectors, axis=1, keepdims=True), 1e-12)
    return unit


def _spelled_alike(word: str, other: str) -> bool:
    """Whether two terms of as many words begin alike, each word for itself."""
    pairs = list(zip(word.split(), other.split(), strict=False))
    same_length = len(word.split()) == len(other.split())
    shared = (min(len(first), len(second), _SAME_BEGINNING) for first, second in pairs)
    return same_length and all(first[:n] == second[:n] for (first, second), n in zip(pairs, shared, strict=True))
