"""Checks names before any slow work: whether they occur, which terms are nearest, which names are close."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import asdict, dataclass, replace
from functools import partial
from typing import Any

import numpy as np

from seetopic.corpus import Seeds, as_seeds, is_below
from seetopic.discovery.known_names import Terms, hardly_known
from seetopic.discovery.names import is_far, mean_vectors_of, texts_about
from seetopic.discovery.tree import nearer_to_others, tree_of
from seetopic.discovery.wildcards import expanded
from seetopic.errors import SettingsError
from seetopic.index import Build, Index, Texts, layout, require_index
from seetopic.runtime import Floats, load_array, map_array, normalized
from seetopic.text import Vocabulary, as_term, function_words
from seetopic.vectors import word_pieces

_FREQUENT = 2000  # terms that names are compared with if there is no index yet
_CLOSE = 0.6  # cosine from which two names probably compete for the same terms


@dataclass(frozen=True)
class NameCheck:
    """How one name relates to the documents."""

    category: str
    name: str
    in_vocabulary: bool  # whether it is a term; if it is not but occurs, `discover` makes it one
    occurrences: int
    nearest: tuple[tuple[str, float], ...]  # terms with their similarity, best first


@dataclass(frozen=True)
class Check:
    """All names, and which names of different categories are close to each other."""

    documents: int
    terms: int
    compared_terms: int  # how many terms `nearest` was chosen from
    names: tuple[NameCheck, ...]
    close: tuple[tuple[str, str, float], ...]
    languages: dict[str, float]  # whose stop words are excluded, with their shares of the documents
    warnings: tuple[str, ...]  # about the documents, and about names that the language model cannot read
    parts: tuple[tuple[str, int], ...]  # of the index: the name of each, and its number of documents
    misplaced: tuple[tuple[str, str], ...] = ()  # in a tree, names that are nearer to another parent, and that parent
    hardly_known: tuple[str, ...] = ()  # categories whose names the language model hardly knows: describe them
    far: tuple[str, ...] = ()  # categories that no term is near to, so that their topics may be about something else

    def to_json(self) -> dict[str, Any]:
        return asdict(self)


def check(index: Index, seeds: Any, *, nearest: int = 5) -> Check:
    """Check names against all terms of an index: how often they occur, and which terms are nearest."""
    require_index(index)
    asked = expanded(as_seeds(seeds), index.vocabulary.terms)
    vectors = index.encode_names([*asked.all_names])
    corpus = index.manifest["corpus"]
    warnings = (*corpus["warnings"], *index.warnings_about(asked.all_names))
    terms = Terms(index.vocabulary, np.asarray(index.general), index.pieces)
    return _check(asked, vectors, terms, index.encode_names, index, corpus, warnings, nearest)


def check_build(build: Build, seeds: Any, *, nearest: int = 5) -> Check:
    """Check names against documents that have no index yet.

    Only the quick stages of a build are run, and only the most frequent terms, and those that share a word with a name,
    are encoded.
    """
    asked = as_seeds(seeds)
    build = replace(build, names=asked.all_names)
    build.prepare()
    terms = json.loads((build.files / layout.TERMS).read_text(encoding="utf-8"))
    counts = load_array(build.files / layout.TERM_COUNTS)
    asked = expanded(asked, terms)
    named_words = {word for seed in asked.seeds for name in seed.names for word in name.lower().split()}
    related = [number for number, term in enumerate(terms[_FREQUENT:], _FREQUENT) if named_words & set(term.split())]
    chosen = [*range(min(_FREQUENT, len(terms))), *related[:_FREQUENT]]
    cache, encoder = build.resources.cache, build.encoder
    general = cache.encode(
        encoder, [terms[number] for number in chosen], build.resources.n_jobs, build.resources.progress
    )
    texts = Texts(
        tuple(json.loads((build.files / layout.WORDS).read_text(encoding="utf-8"))),
        map_array(build.files / layout.TEXTS),
        load_array(build.files / layout.TEXT_STARTS),
    )
    lookup = _Lookup(Vocabulary(tuple(terms), counts), texts, build)
    encode = partial(cache.encode_names, encoder)
    few = Vocabulary(tuple(terms[number] for number in chosen), counts[chosen])
    compared = Terms(few, general, partial(word_pieces, encoder))
    return _check(asked, encode(asked.all_names), compared, encode, lookup, build.corpus, build.warnings, nearest)


@dataclass(frozen=True)
class _Lookup:
    """What `_check` needs of an index that is not built yet."""

    vocabulary: Vocabulary
    texts: Texts
    build: Build

    def as_term(self, name: str) -> str | None:
        return as_term(name, lowercase=self.build.settings.text.lowercase, tokenizer=self.build.tokenizer)


def _check(
    asked: Seeds,
    vectors: Floats,
    terms: Terms,
    encode: Callable[[list[str]], Floats],
    whole: Index | _Lookup,
    corpus: dict[str, Any],
    warnings: tuple[str, ...],
    nearest: int,
) -> Check:
    if nearest < 1:
        raise SettingsError(f"`nearest` is {nearest}, but must be at least 1")
    names = [(seed.label, name) for seed in asked.seeds for name in seed.names]
    compared = terms.vocabulary
    similarity = vectors @ terms.vectors.T  # (n_names, n_compared)
    checks = []
    for (category, name), row in zip(names, similarity, strict=True):
        spelled = whole.as_term(name)
        best = [
            number
            for number in np.argsort(-row, kind="stable")[: nearest + 1].tolist()
            if compared.terms[number] != spelled
        ]
        found = tuple((compared.terms[number], round(float(row[number]), 3)) for number in best[:nearest])
        is_term, count = _occurrences(whole, spelled)
        checks.append(NameCheck(category, name, is_term, count, found))
    return Check(
        corpus["documents"],
        len(whole.vocabulary),
        len(compared),
        tuple(checks),
        _close_names(names, vectors),
        dict(corpus["languages"]),
        warnings,
        tuple((part["name"], part["documents"]) for part in corpus["parts"]),
        _misplaced(asked, vectors),
        _hardly_known(asked, terms, encode, whole, corpus, {each.category for each in checks if each.occurrences}),
        _far(asked, checks, terms, encode),
    )


def _far(asked: Seeds, checks: list[NameCheck], terms: Terms, encode: Callable[[list[str]], Floats]) -> tuple[str, ...]:
    n_terms = len(terms.vocabulary)
    near = {each.category for each in checks if each.occurrences or not is_far(each.nearest[0][1], n_terms)}
    described = [seed for seed in asked.seeds if seed.description and seed.label not in near]
    if described:  # the terms near to a description are near to the category
        nearness = mean_vectors_of(encode, [texts_about(seed) for seed in described], {}) @ terms.vectors.T
        nearest = zip(described, nearness.max(axis=1).tolist(), strict=True)
        near.update(seed.label for seed, most in nearest if not is_far(most, n_terms))
    return tuple(dict.fromkeys(each.category for each in checks if each.category not in near))


def _hardly_known(
    asked: Seeds,
    terms: Terms,
    encode: Callable[[list[str]], Floats],
    whole: Index | _Lookup,
    corpus: dict[str, Any],
    occurring: set[str],
) -> tuple[str, ...]:
    """Categories that do not occur in the documents, and whose names the language model hardly knows."""

    def is_term(word: str) -> bool:
        return whole.as_term(word) in whole.vocabulary.ids

    ignored = frozenset[str]().union(*map(function_words, corpus["languages"]))
    found = hardly_known(asked, terms, encode, is_term, ignored)
    return tuple(category for category in found if category not in occurring)


def _occurrences(whole: Index | _Lookup, term: str | None) -> tuple[bool, int]:
    """Whether it is a term, and how often it occurs, even if it is not a term."""
    if term is None:
        return False, 0
    if term in whole.vocabulary.ids:
        return True, int(whole.vocabulary.counts[whole.vocabulary.ids[term]])
    return False, len(whole.texts.occurrences(term))


def _misplaced(seeds: Seeds, vectors: Floats) -> tuple[tuple[str, str], ...]:
    """Names that are nearer to another parent than to their own, the most misplaced first."""
    tree = tree_of(seeds)
    if tree is None:
        return ()
    ends = np.cumsum([len(seed.names) for seed in seeds.seeds])[:-1]
    means = normalized(np.stack([part.mean(axis=0) for part in np.split(vectors, ends)]))
    gaps, others = nearer_to_others(tree, means)
    found = [node for node in np.argsort(-gaps, kind="stable").tolist() if gaps[node] > 0]
    return tuple((seeds.labels[node], seeds.labels[others[node]]) for node in found)


def _close_names(names: list[tuple[str, str]], vectors: Floats) -> tuple[tuple[str, str, float], ...]:
    cosines = vectors @ vectors.T
    pairs = [
        (names[first][1], names[second][1], round(float(cosines[first, second]), 3))
        for first in range(len(names))
        for second in range(first + 1, len(names))
        if cosines[first, second] >= _CLOSE and not _related(names[first][0], names[second][0])
    ]
    return tuple(sorted(pairs, key=lambda pair: -pair[2]))


def _related(first: str, second: str) -> bool:
    """Whether two categories are the same, or one is above the other."""
    return first == second or is_below(first, second) or is_below(second, first)
