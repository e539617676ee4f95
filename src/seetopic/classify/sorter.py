"""Sorts documents by a weight per term and category, and by a rule for the language model's document vectors.

Both are learned, without labels, from the index's sample as sorted by the names; new documents need no index.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from seetopic.classify.placement import (
    BEST,
    Assigned,
    AssignmentRule,
    AssignOptions,
    Placement,
    best_categories,
    placed,
)
from seetopic.classify.rows import blank
from seetopic.discovery import (
    BY_TERMS,
    NEAREST,
    READ,
    Discovery,
    SortedDocuments,
    SortedSample,
    TermRule,
    Tree,
    averaged,
    averaged_with_known,
    clear_memberships,
    even_shares,
    expected_accuracy,
    joined_with_none,
    level_of_none,
    mixed,
    results_in,
    rule_for_new,
    run_of,
    shares_of_read,
    shares_with_none,
    trust_by_judged,
    trust_for,
    widened,
)
from seetopic.errors import OutputError, SettingsError
from seetopic.index import Index, beginning, tokenizer_name
from seetopic.runtime import (
    Doubles,
    Flags,
    Floats,
    Lists,
    Longs,
    Progress,
    Sparse,
    distinct,
    product,
    silent,
    sparse_product,
    written_whole,
)
from seetopic.settings import DEFAULT, DiscoverySettings, SampleSettings, SortingSettings
from seetopic.text import Finder, Tokenizer, finder_of, tokenize

_FORMAT = 8
SORTER = "sorter.safetensors"
KNOWN_DOCUMENTS = "known_vectors", "known_shares"  # arrays of documents that others are compared with, if there are any
_LARGEST = np.float32(1e6)  # far above any weight; products of such numbers are still finite


@dataclass(frozen=True)
class Sorter:
    """Sorts documents into categories; made by `sorter_of`, saved with the topics."""

    names: tuple[str, ...]  # in a tree, paths as texts
    terms: tuple[str, ...] = field(repr=False)
    topic_terms: tuple[tuple[str, ...], ...] = field(repr=False)
    arrays: dict[str, Any] = field(repr=False)  # as made by `sorter_of`
    lowercase: bool = True
    document_words: int = 64
    temperature: float = 0.7
    term_trust: float = 1.0  # calibrates shares that are based on terms alone
    read_trust: float = 1.0  # calibrates shares that are also based on the language model's reading
    term_level: float | None = None  # the level of none, if names leave out a part of the documents
    read_level: float | None = None  # the same for documents that the language model reads
    model: str = ""  # the name of the language model that reads documents
    tokenizer_name: str = "default"
    parents: tuple[int, ...] = ()  # in a tree, of each name and residual theme, -1 for none
    tokenizer: Tokenizer = field(default=tokenize, repr=False, compare=False)

    @property
    def reads(self) -> bool:
        """Whether it can use the language model's vectors of documents."""
        return "document_weights" in self.arrays

    @property
    def n_roots(self) -> int:
        """The number of categories that have no parent: all of them without a tree."""
        return self.parents[: len(self.names)].count(-1) if self.parents else len(self.names)

    @cached_property
    def tree(self) -> Tree | None:
        """The tree of the names and the residual themes, if any name has a parent."""
        return Tree(self.parents, len(self.names)) if self.parents else None

    def terms_in(self, texts: Sequence[str] | Sequence[list[str]]) -> Lists:
        """The distinct terms of each text, or of each list of words, found as consecutive whole words."""
        return self._finder.found(self._tokens(text) if isinstance(text, str) else text for text in texts)

    def word_ids(self, words: Sequence[str]) -> Longs:
        """The numbers of an index's words, and -1 at the end, which separators refer to; see `terms_at`."""
        return np.append(self._finder.ids_of(words), -1)

    def terms_at(self, words: Longs, ends: Longs) -> Lists:
        """The same as `terms_in` from all documents' words by number, and where each document ends."""
        return self._finder.found_at(words, ends)

    def _tokens(self, text: str) -> list[str]:
        return self.tokenizer(text.lower() if self.lowercase else text)

    @cached_property
    def _finder(self) -> Finder:
        return finder_of(self.terms)

    @cached_property
    def _topic_pairs(self) -> Longs:
        """Category * n_terms + term for every term of every topic, ascending."""
        shown = {term for each in self.topic_terms for term in each}
        ids = {term: number for number, term in enumerate(self.terms) if term in shown}  # few of very many
        pairs = {
            category * len(self.terms) + ids[term] for category, each in enumerate(self.topic_terms) for term in each
        }
        return np.array(sorted(pairs), np.int64)

    def prepared(self) -> Sorter:
        """The same sorter with everything it needs computed, so that no worker has to do it again."""
        # Sorting no documents computes everything that sorting needs.
        vectors = np.zeros((0, len(self.arrays["document_weights"])), np.float32) if self.reads else None
        self.place(self.terms_in([]), vectors)
        return self

    def scores(self, matched: Sequence[Sequence[int]] | Lists, vectors: Floats | None = None) -> Doubles:
        """Standardised scores of categories and residual themes, from matched terms and, if given, vectors."""
        held = matched if isinstance(matched, Lists) else Lists.of(matched)
        idf = self.arrays["idf"].astype(np.float64, copy=False)[held.values]
        lengths = np.sqrt(np.bincount(held.documents, idf**2, minlength=len(held)))
        terms, columns = distinct(held.values, len(self.arrays["idf"]))
        weights = self.arrays["term_weights" if vectors is None else "document_term_weights"][terms].astype(np.float64)
        rows = Sparse.rows(idf, columns, held.starts, (len(held), len(terms)))
        # A sparse product adds up row by row, so a document's scores do not depend on the others around it.
        scores: Doubles = sparse_product(rows, weights) / np.where(lengths > 0, lengths, 1.0)[:, None]
        if vectors is None:
            scores += self.arrays["term_offset"]
            return scores
        read: Doubles = scores + product(vectors, self.arrays["document_weights"]) + self.arrays["document_offset"]
        return read

    def assign(
        self, texts: Sequence[str], vectors: Floats | None = None, *, threshold: float = 0.0, several: bool = False
    ) -> list[Assigned]:
        """Assign texts to categories.

        Each text gets its best category or, with `several`, every category whose share reaches the threshold (an even
        share if the threshold is 0). It gets none if the share of none is larger, or if it matches no term and has no
        vector.
        """
        rule = AssignOptions(threshold=threshold, several=several).rule(self.n_roots)
        return self.place(self.terms_in(texts), vectors, rule, blank(texts)).assigned(self.terms)

    def shares(
        self,
        matched: Sequence[Sequence[int]] | Lists,
        vectors: Floats | None = None,
        is_blank: Flags | None = None,
    ) -> Doubles:
        """How much each document belongs to each category and, last, to none; (n_documents, n_categories + 1).

        Rows add up to 1. "None" is everything else that the documents are about, and all of a document about which
        nothing is known: an empty one, or one without any known term that was not read.
        """
        held = matched if isinstance(matched, Lists) else Lists.of(matched)
        shares = self._shares(self.scores(held, vectors), vectors)
        shares[~_known(held, vectors, is_blank)] = np.eye(len(self.names) + 1)[-1]
        return shares

    def _shares(self, scores: Doubles, vectors: Floats | None) -> Doubles:
        """The same, from the result of `scores`."""
        is_read = vectors is not None
        level = self.read_level if is_read else self.term_level
        own = shares_with_none(scores, len(self.names), self.temperature, self.tree, level)
        if vectors is not None and "known_vectors" in self.arrays:
            own = averaged_with_known(own, vectors, *self._known)
        return mixed(own, self._even, self.read_trust if is_read else self.term_trust)

    @cached_property
    def _even(self) -> Doubles:
        return even_shares(self.arrays["term_offset"], len(self.names), self.tree)

    @cached_property
    def _known(self) -> tuple[Floats, Doubles]:
        """Vectors and shares of the documents that the rules were learned from."""
        return self.arrays["known_vectors"].astype(np.float32), self.arrays["known_shares"].astype(np.float64)

    def place(
        self,
        matched: Lists,
        vectors: Floats | None = None,
        rule: AssignmentRule = BEST,
        is_blank: Flags | None = None,
        shares: Doubles | None = None,
    ) -> Placement:
        """Assign documents to categories by the terms found in them; all sorting goes through here.

        `is_blank` marks documents without text, which belong to none even if they have a vector. `shares` is the
        result of `shares`, if it is already known.
        """
        known = _known(matched, vectors, is_blank)
        shared = self.shares(matched, vectors, is_blank) if shares is None else shares
        pairs, n_terms = self._topic_pairs, len(self.terms)
        return placed(shared, known, matched, pairs, n_terms, self._counts, rule, self._tree_of_names)

    def _counts(self, terms: Longs, categories: Longs) -> Floats:
        """How much each of some terms counts for a category, if documents are sorted by their terms."""
        counted: Floats = self.arrays["idf"][terms] * self.arrays["term_weights"][terms, categories]
        return counted

    def best(self, matched: Lists, shares: Doubles) -> Longs:
        """The best category of each document, -1 for none, by the terms found in it and the result of `shares`."""
        return best_categories(shares, matched.sizes > 0, self._tree_of_names)

    @cached_property
    def _tree_of_names(self) -> Tree | None:
        return Tree(self.parents[: len(self.names)], len(self.names)) if self.parents else None

    @property
    def fingerprint(self) -> str:
        """The same for sorters that give the same results."""
        digest = hashlib.sha256(json.dumps([getattr(self, name) for name in _ABOUT]).encode("utf-8"))
        for name, array in sorted(self.arrays.items()):
            digest.update(f"{name} {array.dtype} {array.shape}".encode())
            digest.update(np.ascontiguousarray(array).data)
        return digest.hexdigest()

    def require_reading(self) -> None:
        """Refuse document vectors if the language model had read no documents to learn from."""
        if not self.reads:
            raise SettingsError(
                "the language model has not read the documents of the index that these topics come from; "
                "omit --read (in Python: pass read_documents=False and no vectors), or build the index again with "
                "--sample-words greater than 0"
            )

    def read_texts(self, texts: Sequence[str]) -> list[str]:
        """The part of each text that the language model reads."""
        return [beginning(text, self.document_words) for text in texts]

    def save(self, folder: str | Path) -> None:
        """Write one file of arrays, with everything else as JSON in its header; loading it never runs code."""
        from safetensors.numpy import save

        about = {name: getattr(self, name) for name in _ABOUT}
        results_in(Path(folder)).complete()  # or an older one would replace this one
        with written_whole(Path(folder) / SORTER) as beside:
            metadata = {
                "seetopic": json.dumps({"format": _FORMAT, "sha256": self.fingerprint, **about}, ensure_ascii=False)
            }
            arrays = {name: np.ascontiguousarray(array) for name, array in self.arrays.items()}
            beside.write_bytes(save(arrays, metadata))

    @classmethod
    def load(cls, folder: str | Path, *, tokenizer: Tokenizer = tokenize) -> Sorter:
        """Load what `save` wrote; `tokenizer` must be the one that the index was built with."""
        from safetensors import SafetensorError, safe_open

        path = Path(folder) / SORTER
        results_in(path.parent).complete()
        try:
            if not path.is_file():
                raise OSError("there is no such file")
            with safe_open(path, "np") as file:
                about = dict(json.loads((file.metadata() or {})["seetopic"]))
                arrays = {name: file.get_tensor(name) for name in file.keys()}  # noqa: SIM118 - it is not a dict
            if about.pop("format") != _FORMAT:
                raise OutputError(f"{path} was written by another version of seetopic; run `seetopic discover` again")
            expected = about.pop("sha256")
            sorter = cls(**_as_written(about), arrays=arrays, tokenizer=tokenizer)
            _check_parts(sorter)
            if sorter.fingerprint != expected:
                raise ValueError("it is damaged: its checksum does not match")
        except (OSError, SafetensorError, ValueError, KeyError, TypeError, RecursionError) as error:
            raise OutputError(f"{path} cannot be read ({error}); create it with `seetopic discover --out`") from error
        if sorter.tokenizer_name != tokenizer_name(tokenizer):
            raise SettingsError(
                f"{path} was created with the tokenizer {sorter.tokenizer_name!r}, not {tokenizer_name(tokenizer)!r}; "
                "pass the same one: Sorter.load(folder, tokenizer=...)"
            )
        return sorter


def _known(matched: Lists, vectors: Floats | None, is_blank: Flags | None) -> Flags:
    """About which documents anything is known: by the terms found in them, or because they were read."""
    known: Flags = np.full(len(matched), vectors is not None) | (matched.sizes > 0)
    return known if is_blank is None else known & ~is_blank


def _as_written(about: dict[str, Any]) -> dict[str, Any]:
    """The fields of a sorter, checked and converted to their types."""
    names, terms, topics = tuple(about["names"]), tuple(about["terms"]), tuple(map(tuple, about["topic_terms"]))
    flat = (*names, *terms, *(term for topic in topics for term in topic), about["model"], about["tokenizer_name"])
    if not all(isinstance(text, str) for text in flat) or not isinstance(about["lowercase"], bool):
        raise TypeError("a value has the wrong type")
    SampleSettings(document_words=about["document_words"])
    SortingSettings(temperature=about["temperature"])
    parents = tuple(about["parents"])
    if not all(type(parent) is int and -1 <= parent < number for number, parent in enumerate(parents)):
        raise ValueError("its `parents` are not a tree: a parent must come before its children")
    if not all(0 <= about[trust] <= 1 for trust in ("term_trust", "read_trust")):
        raise ValueError("its trusts are out of range")
    if not all(level is None or abs(level) <= _LARGEST for level in (about["term_level"], about["read_level"])):
        raise ValueError("its levels of none are out of range")
    return {**about, "names": names, "terms": terms, "topic_terms": topics, "parents": parents}


def _check_parts(sorter: Sorter) -> None:
    """Refuse arrays that do not match the terms and names before they are used."""
    n_terms, n_names, arrays = len(sorter.terms), len(sorter.names), sorter.arrays
    width = len(arrays["term_offset"])  # names, followed by residual themes
    shapes = {"idf": (n_terms,), "term_weights": (n_terms, width), "term_offset": (width,)}
    if sorter.reads:
        length = len(arrays["document_weights"])
        shapes |= {"document_weights": (length, width), "document_term_weights": (n_terms, width)}
        shapes["document_offset"] = (width,)
        if any(name in arrays for name in KNOWN_DOCUMENTS):
            n_known = max(NEAREST + 1, len(arrays["known_vectors"]))
            shapes |= dict(zip(KNOWN_DOCUMENTS, ((n_known, length), (n_known, n_names + 1)), strict=True))
    if {name: array.shape for name, array in arrays.items()} != shapes or not 0 < n_names <= width:
        raise ValueError("the shapes of its arrays do not match its terms and names")
    if not all(array.dtype.kind == "f" and (np.abs(array) <= _LARGEST).all() for array in arrays.values()):
        raise ValueError("its arrays contain invalid weights")
    if sorter.parents and (len(sorter.parents) != width or max(sorter.parents) >= n_names):
        raise ValueError("its tree does not match its names")
    if len(sorter.topic_terms) != n_names or not {t for topic in sorter.topic_terms for t in topic} <= set(
        sorter.terms
    ):
        raise ValueError("its topics contain unknown terms")


_ABOUT = (
    *("names", "terms", "topic_terms", "lowercase", "document_words"),
    *("temperature", "term_trust", "read_trust", "term_level", "read_level", "model", "tokenizer_name", "parents"),
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
    """A sorter for names (a list, a dict or a path to a file), from an index."""
    return sorter_of(run_of(index, seeds, settings, preset, device, progress))


def sorter_of(run: Discovery) -> Sorter:
    """The sorter for the topics of a run."""
    index, rule = run.index, _term_rule(run).lowered(run.handicaps)
    arrays: dict[str, Any] = {"idf": index.idf, "term_weights": rule.weights, "term_offset": rule.offset}
    trusted = _Trusted()
    if run.reading is not None:
        arrays |= _document_rule(run, run.reading.found)
        trusted, own = _trusted(run, run.reading.found, rule)
        if run.neighbours is not None:
            arrays |= _known_documents(run, own)
    return Sorter(
        run.seeds.labels,
        index.vocabulary.terms,
        tuple(
            tuple(index.vocabulary.terms[term] for term in terms)
            for terms in _topics_with_variants(run)[: len(run.seeds)]
        ),
        arrays,
        index.settings.text.lowercase,
        index.settings.sample.document_words,
        run.settings.sorting.temperature,
        *trusted,
        index.manifest["reader" if index.has_reader else "model"]["name"],
        tokenizer_name(index.tokenizer),
        () if run.tree is None else run.tree.parents,
        index.tokenizer,
    )


class _Trusted(NamedTuple):
    """How far shares can be trusted, and the level of none: by terms alone, and if documents are read."""

    term_trust: float = 1.0
    read_trust: float = 1.0
    term_level: float | None = None
    read_level: float | None = None


def _trusted(run: Discovery, found: SortedSample, rule: TermRule) -> tuple[_Trusted, Doubles]:
    """How far shares can be trusted; and, of the documents that were read, their shares in the names and in none."""
    n_names, temperature, tree, sampled = len(run.seeds), run.settings.sorting.temperature, run.tree, run.sampled
    even = even_shares(rule.offset, n_names, tree)

    def joined(scores: Doubles, level: float | None = None) -> Doubles:
        return shares_with_none(scores, n_names, temperature, tree, level)

    by_name, read, matched = joined(found.by_name), joined(found.scores), rule.scores(sampled.rows[: sampled.n_read])
    sure, sure_by_terms = expected_accuracy(read, by_name, READ), expected_accuracy(joined(matched), by_name, BY_TERMS)
    if run.lessons is not None and found.left_out is not None and run.lessons.n_documents:
        judged, expected = slice(run.lessons.n_documents), trust_for(read, sure, even)
        left_out, allowed = found.left_out[judged], run.lessons.allowed[judged]
        trust = trust_by_judged(left_out, allowed, n_names, temperature, even, expected, tree)
        without, sure = sure, float(mixed(read, even, trust).max(axis=1).mean())
        sure_by_terms = min(sure_by_terms * sure / without, 1.0)
    # The rule fits the documents that it was learned from too well, so others are used if there are any.
    others = sampled.rows[sampled.n_read :]
    by_terms = rule.scores(others) if others.shape[0] else matched
    levels: list[float | None] = [None, None]
    if tree is None and run.lessons is None:  # judgements correct names and themes together
        levels = [level_of_none(scores, n_names, temperature) for scores in (by_terms, found.scores)]
    term_level, read_level = levels
    own = joined(found.scores, read_level)
    near = own if run.neighbours is None else averaged(own, run.neighbours)
    trusts = trust_for(joined(by_terms, term_level), sure_by_terms, even), trust_for(near, sure, even)
    return _Trusted(*trusts, term_level, read_level), own


def _term_rule(run: Discovery) -> TermRule:
    """For documents that are not read: by terms, as learned from read ones or, if there are none, from the topics."""
    leaves = slice(None) if run.tree is None else list(run.tree.leaves)
    sampled, marks, features = run.sampled, _topic_marks(run)[:, leaves], None
    if run.reading is not None:
        known, features = sampled.read_part(run.reading.memberships[:, leaves]), sampled.local_features
    elif len(run.index.sample):
        memberships = clear_memberships(sampled.documents, run.index.idf, _topics_with_variants(run))
        known = SortedDocuments(sampled.documents, sampled.rows, memberships[:, leaves])
    else:  # an index without a sample
        return widened(run.tree, TermRule(marks.astype(np.float32), np.zeros(marks.shape[1])))
    return widened(run.tree, rule_for_new(known, np.asarray(run.index.local), marks, features))


def _document_rule(run: Discovery, rule: SortedSample) -> dict[str, Any]:
    """The rule that sorted the sample, as weights of the language model's dimensions and of terms."""
    dimension = run.encoded.spoken.shape[1]
    local = np.asarray(run.index.local)
    by_term = run.sampled.local_scale * product(local, rule.weights[dimension:].astype(np.float32))
    return {
        "document_weights": rule.weights[:dimension].astype(np.float32),
        "document_term_weights": by_term.astype(np.float32),
        "document_offset": rule.offset,
    }


def _known_documents(run: Discovery, shares: Doubles) -> dict[str, Any]:
    """The documents that were read, with whose shares those of the documents nearest to them are averaged."""
    if run.lessons is not None and run.reading is not None:  # those of judged documents are known
        shares = shares_of_read(run.reading.found, run.lessons, run.settings.sorting.temperature)
        shares = joined_with_none(shares, len(run.seeds), run.tree)
    # Half precision: they are most of the file, and only how near they are to other documents matters.
    vectors = np.asarray(run.index.sample.general)
    return dict(zip(KNOWN_DOCUMENTS, (vectors.astype(np.float16), shares.astype(np.float32)), strict=True))


def _topics_with_variants(run: Discovery) -> list[list[int]]:
    """The terms of each topic with their variants, which count as the term itself."""
    return [run.found.with_variants(terms) for terms in run.found.terms]


def _topic_marks(run: Discovery) -> Doubles:
    marks = np.zeros((len(run.index.vocabulary), run.n_categories))
    for category, terms in enumerate(run.found.deep):
        marks[run.found.with_variants(terms), category] = 1.0
    if run.tree is None:
        return marks
    for category, parent in enumerate(run.tree.parents):
        if parent >= 0:  # a parent's evidence is also evidence for its children
            marks[:, category] = np.maximum(marks[:, category], marks[:, parent])
    return marks
