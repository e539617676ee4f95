"""Documents to categories: a weight per term and category, and a rule for the language model's document vectors.

Both are learned, without any label, from the index's sample as the names sort it; new documents need no index.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from seetopic.classify.placement import BEST, Assigned, AssignmentRule, AssignOptions, Placement, placed
from seetopic.discovery import (
    Discovery,
    SortedDocuments,
    SortedSample,
    TermRule,
    clear_memberships,
    estimated_accuracy,
    power_for,
    results_in,
    rule_for_new,
    run_of,
    shares_with_none,
)
from seetopic.errors import OutputError, SettingsError
from seetopic.index import Index, beginning, tokenizer_name
from seetopic.runtime import Doubles, Floats, Lists, Longs, Progress, product, silent, written_whole
from seetopic.settings import DEFAULT, DiscoverySettings, SampleSettings, SortingSettings
from seetopic.text import Finder, Tokenizer, finder_of, tokenize

_FORMAT = 4
SORTER = "sorter.safetensors"
_LARGEST = 1e6  # far above any weight; products of such numbers are still finite


@dataclass(frozen=True)
class Sorter:
    """Sorts documents; made by `sorter_of`, saved beside the topics."""

    names: tuple[str, ...]
    terms: tuple[str, ...] = field(repr=False)
    topic_terms: tuple[tuple[str, ...], ...] = field(repr=False)
    arrays: dict[str, Any] = field(repr=False)  # by `sorter_of`
    lowercase: bool = True
    document_words: int = 64
    temperature: float = 0.7
    term_power: float = 1.0  # of shares by terms alone, so that they are as large as they are right
    read_power: float = 1.0  # and of shares by the language model's reading, too
    model: str = ""
    tokenizer_name: str = "default"
    tokenizer: Tokenizer = field(default=tokenize, repr=False, compare=False)

    @property
    def reads(self) -> bool:
        """Whether it can use the language model's vectors of documents."""
        return "document_weights" in self.arrays

    def terms_in(self, texts: Sequence[str] | Sequence[list[str]]) -> Lists:
        """The distinct terms of each text, or of each list of words, as consecutive whole words."""
        return self._finder.found(self._tokens(text) if isinstance(text, str) else text for text in texts)

    def _tokens(self, text: str) -> list[str]:
        return self.tokenizer(text.lower() if self.lowercase else text)

    @cached_property
    def _finder(self) -> Finder:
        return finder_of(self.terms)

    @cached_property
    def _topic_pairs(self) -> Longs:
        """Category * n_terms + term for every term of every topic, rising."""
        ids = {term: number for number, term in enumerate(self.terms)}
        pairs = {
            category * len(self.terms) + ids[term] for category, each in enumerate(self.topic_terms) for term in each
        }
        return np.array(sorted(pairs), np.int64)

    def prepared(self) -> Sorter:
        """The same with all that it needs ready, so that no worker has to make it again."""
        self.place(self.terms_in([]))  # to sort no document takes all that sorting needs
        return self

    def scores(self, matched: Sequence[Sequence[int]] | Lists, vectors: Floats | None = None) -> Doubles:
        """Standardised scores of categories and residual themes, from matched terms and, where given, vectors."""
        from scipy.sparse import csr_array

        held = matched if isinstance(matched, Lists) else Lists.of(matched)
        idf = self.arrays["idf"].astype(np.float64, copy=False)[held.values]
        lengths = np.sqrt(np.bincount(held.documents, idf**2, minlength=len(held)))
        terms, columns = np.unique(held.values, return_inverse=True)
        weights = self.arrays["term_weights" if vectors is None else "document_term_weights"][terms].astype(np.float64)
        rows = csr_array((idf, columns, held.starts), shape=(len(held), len(terms)))
        # A sparse product adds up row by row, so no document's scores depend on the others beside it.
        scores: Doubles = (rows @ weights) / np.where(lengths > 0, lengths, 1.0)[:, None]
        if vectors is None:
            scores += self.arrays["term_offset"]
            return scores
        read: Doubles = scores + product(vectors, self.arrays["document_weights"]) + self.arrays["document_offset"]
        return read

    def assign(
        self, texts: Sequence[str], vectors: Floats | None = None, *, threshold: float = 0.0, several: bool = False
    ) -> list[Assigned]:
        """Categories for texts. One is given, or with `several` each whose share reaches the threshold (or, at
        threshold 0, an even share); none where the share of none is larger. A text that matches no term and was not
        read is given none."""
        rule = AssignOptions(threshold=threshold, several=several).rule(len(self.names))
        return self.place(self.terms_in(texts), vectors, rule).assigned(self.terms)

    def shares(self, matched: Sequence[Sequence[int]] | Lists, vectors: Floats | None = None) -> Doubles:
        """How much each document belongs to each category and, last, to none; (n_documents, n_categories + 1).

        Rows add up to 1. None stands for what the documents are about besides the categories.
        """
        return self.shares_by(self.scores(matched, vectors), read=vectors is not None)

    def shares_by(self, scores: Doubles, *, read: bool) -> Doubles:
        """The same from what `scores` gives."""
        power = self.read_power if read else self.term_power
        return shares_with_none(scores, len(self.names), self.temperature, power)

    def place(self, matched: Lists, vectors: Floats | None = None, rule: AssignmentRule = BEST) -> Placement:
        """Where documents belong, from the terms found in them: all that sorts documents comes here."""
        known = np.full(len(matched), vectors is not None) | (matched.sizes > 0)
        shared = self.shares(matched, vectors)
        return placed(shared, known, matched, self._topic_pairs, len(self.terms), rule)

    @property
    def fingerprint(self) -> str:
        """The same for sorters that sort alike."""
        digest = hashlib.sha256(json.dumps([getattr(self, name) for name in _ABOUT]).encode("utf-8"))
        for name, array in sorted(self.arrays.items()):
            digest.update(f"{name} {array.dtype} {array.shape}".encode())
            digest.update(np.ascontiguousarray(array).data)
        return digest.hexdigest()

    def require_reading(self) -> None:
        """Refuse to read documents where the language model has read none to learn from."""
        if not self.reads:
            raise SettingsError(
                "these topics come from an index whose documents the language model has not read; "
                "leave out --read (in Python: read_documents=False, and no vectors), or index with a sample"
            )

    def read_texts(self, texts: Sequence[str]) -> list[str]:
        """What the language model reads of each text."""
        return [beginning(text, self.document_words) for text in texts]

    def save(self, folder: str | Path) -> None:
        """One file of arrays, with everything else as JSON in its header; no code is ever loaded from it."""
        from safetensors.numpy import save

        about = {name: getattr(self, name) for name in _ABOUT}
        results_in(Path(folder)).complete()  # or an older one would take this one's place
        with written_whole(Path(folder) / SORTER) as beside:
            metadata = {
                "seetopic": json.dumps({"format": _FORMAT, "sha256": self.fingerprint, **about}, ensure_ascii=False)
            }
            arrays = {name: np.ascontiguousarray(array) for name, array in self.arrays.items()}
            beside.write_bytes(save(arrays, metadata))

    @classmethod
    def load(cls, folder: str | Path, *, tokenizer: Tokenizer = tokenize) -> Sorter:
        """What `save` wrote; texts are cut by the index's own tokenizer, if it had one."""
        from safetensors import SafetensorError, safe_open

        path = Path(folder) / SORTER
        results_in(path.parent).complete()
        try:
            if not path.is_file():
                raise OSError("there is no such file")
            with safe_open(path, "np") as file:
                about = json.loads((file.metadata() or {})["seetopic"])
                arrays = {name: file.get_tensor(name) for name in file.keys()}  # noqa: SIM118 - it is not a dict
            if about.pop("format") != _FORMAT:
                raise OutputError(f"{path} was made by another version of seetopic; run `seetopic discover` again")
            expected = about.pop("sha256")
            sorter = cls(**_as_written(about), arrays=arrays, tokenizer=tokenizer)
            _check_parts(sorter)
            if sorter.fingerprint != expected:
                raise ValueError("it is damaged: its checksum is not what was written")
        except (OSError, SafetensorError, ValueError, KeyError, TypeError, RecursionError) as error:
            raise OutputError(f"{path} cannot be read ({error}); make it with `seetopic discover --out`") from error
        if sorter.tokenizer_name != tokenizer_name(tokenizer):
            raise SettingsError(
                f"{path} was made with the tokenizer {sorter.tokenizer_name!r}, not {tokenizer_name(tokenizer)!r}; "
                "give the same one: Sorter.load(folder, tokenizer=...)"
            )
        return sorter


def _as_written(about: dict[str, Any]) -> dict[str, Any]:
    """The parts of a sorter, each of the kind that it was written as."""
    names, terms, topics = tuple(about["names"]), tuple(about["terms"]), tuple(map(tuple, about["topic_terms"]))
    flat = (*names, *terms, *(term for topic in topics for term in topic), about["model"], about["tokenizer_name"])
    if not all(isinstance(text, str) for text in flat) or not isinstance(about["lowercase"], bool):
        raise TypeError("a value has the wrong type")
    SampleSettings(document_words=about["document_words"])
    SortingSettings(temperature=about["temperature"])
    if not all(0 < about[power] <= _LARGEST for power in ("term_power", "read_power")):
        raise ValueError("its powers are not positive")
    return {**about, "names": names, "terms": terms, "topic_terms": topics}


def _check_parts(sorter: Sorter) -> None:
    """Refuse arrays that do not fit the terms and names: no later product may meet them."""
    n_terms, n_names, arrays = len(sorter.terms), len(sorter.names), sorter.arrays
    width = len(arrays["term_offset"])  # names, and residual themes behind them
    shapes = {"idf": (n_terms,), "term_weights": (n_terms, width), "term_offset": (width,)}
    if sorter.reads:
        length = len(arrays["document_weights"])
        shapes |= {"document_weights": (length, width), "document_term_weights": (n_terms, width)}
        shapes["document_offset"] = (width,)
    if {name: array.shape for name, array in arrays.items()} != shapes or not 0 < n_names <= width:
        raise ValueError("its arrays have other shapes than its terms and names ask for")
    if not all(array.dtype.kind == "f" and (np.abs(array) <= _LARGEST).all() for array in arrays.values()):
        raise ValueError("its arrays hold values that cannot be weights")
    if len(sorter.topic_terms) != n_names or not {t for topic in sorter.topic_terms for t in topic} <= set(
        sorter.terms
    ):
        raise ValueError("its topics have terms that it does not know")


_ABOUT = (
    *("names", "terms", "topic_terms", "lowercase", "document_words"),
    *("temperature", "term_power", "read_power", "model", "tokenizer_name"),
)


def sorter_for(
    index: Index,
    seeds: Any,
    *,
    settings: DiscoverySettings | None = None,
    preset: str = DEFAULT.preset,
    device: str = "auto",
    progress: Progress = silent,
) -> Sorter:
    """A sorter for names (a list, a dict, a file's path), from an index."""
    return sorter_of(run_of(index, seeds, settings, preset, device, progress))


def sorter_of(run: Discovery) -> Sorter:
    """The sorter that belongs to a run's topics."""
    index, temperature = run.index, run.settings.sorting.temperature
    rule = _term_rule(run)
    arrays: dict[str, Any] = {"idf": index.idf, "term_weights": rule.weights, "term_offset": rule.offset}
    term_power = read_power = 1.0
    if run.reading is not None:
        found = run.reading.found
        arrays |= _document_rule(run, found)
        n_names, rows = len(run.seeds), run.sampled.rows
        accuracy = estimated_accuracy(found.scores, found.by_name, n_names, temperature)
        read_power = power_for(found.scores, n_names, temperature, accuracy.read)
        # The rule knows the terms of the documents that taught it by heart: others are asked, where there are any.
        others = rows[run.sampled.n_read :] if rows.shape[0] > run.sampled.n_read else rows
        term_power = power_for(rule.scores(others), n_names, temperature, accuracy.by_terms)
    return Sorter(
        run.seeds.names,
        index.vocabulary.terms,
        tuple(
            tuple(index.vocabulary.terms[term] for term in terms)
            for terms in _topics_with_variants(run)[: len(run.seeds)]
        ),
        arrays,
        index.settings.text.lowercase,
        index.settings.sample.document_words,
        temperature,
        term_power,
        read_power,
        index.manifest["model"]["name"],
        tokenizer_name(index.tokenizer),
        index.tokenizer,
    )


def _term_rule(run: Discovery) -> TermRule:
    """For documents that are not read: by terms, as the read ones taught; if none was, by the topics' terms."""
    sampled, marks = run.sampled, _topic_marks(run)
    if run.reading is not None:
        known = sampled.read_part(run.reading.memberships)
    elif len(run.index.sample):
        memberships = clear_memberships(sampled.documents, run.index.idf, _topics_with_variants(run))
        known = SortedDocuments(sampled.documents, sampled.rows, memberships)
    else:  # an index without a sample
        return TermRule(marks.astype(np.float32), np.zeros(run.n_categories))
    return rule_for_new(known, np.asarray(run.index.local), marks)


def _document_rule(run: Discovery, rule: SortedSample) -> dict[str, Any]:
    """The rule that sorted the sample, as weights of the language model's dimensions and of terms."""
    dimension = run.names.shape[1]
    local = np.asarray(run.index.local)
    by_term = run.sampled.local_scale * product(local, rule.weights[dimension:].astype(np.float32))
    return {
        "document_weights": rule.weights[:dimension].astype(np.float32),
        "document_term_weights": by_term.astype(np.float32),
        "document_offset": rule.offset,
    }


def _topics_with_variants(run: Discovery) -> list[list[int]]:
    """A document that holds a variant holds the topic's term."""
    return [run.found.with_variants(terms) for terms in run.found.terms]


def _topic_marks(run: Discovery) -> Doubles:
    marks = np.zeros((len(run.index.vocabulary), run.n_categories))
    for category, terms in enumerate(run.found.deep):
        marks[run.found.with_variants(terms), category] = 1.0
    return marks
