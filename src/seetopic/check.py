"""A look at names before any slow work: do they occur, what is near them, which are near each other."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from seetopic import layout
from seetopic.arrays import Floats
from seetopic.build import Build
from seetopic.index import Index
from seetopic.seeds import as_seeds
from seetopic.vocabulary import Vocabulary
from seetopic.words import as_term

_FREQUENT = 2000  # terms that names are compared with before an index is there
_CLOSE = 0.6  # cosine from which two names are likely to want the same terms


@dataclass(frozen=True)
class NameCheck:
    """What the documents know of one name."""

    category: str
    name: str
    in_vocabulary: bool
    occurrences: int
    nearest: tuple[tuple[str, float], ...]  # terms with their similarity, best first


@dataclass(frozen=True)
class Check:
    """All names, and which of different categories are close to each other."""

    documents: int
    terms: int
    compared_terms: int  # how many terms `nearest` was chosen from
    names: tuple[NameCheck, ...]
    close: tuple[tuple[str, str, float], ...]

    def to_json(self) -> dict[str, Any]:
        return asdict(self)


def check_index(index: Index, seeds: Any, *, nearest: int = 5) -> Check:
    """Check names against all terms of an index."""
    asked = as_seeds(seeds)
    vectors = index.encode_names([name for seed in asked.seeds for name in seed.names])
    return _check(asked, vectors, index.vocabulary, np.asarray(index.general), index, len(index), nearest)


def check_build(build: Build, seeds: Any, *, nearest: int = 5) -> Check:
    """Check names against the terms of documents that have no index yet: only its quick stages are done,
    and only the most frequent terms, and those that share a word with a name, are encoded."""
    asked = as_seeds(seeds)
    build.prepare()
    terms = json.loads((build.files / layout.TERMS).read_text(encoding="utf-8"))
    counts = np.load(build.files / layout.TERM_COUNTS)
    named_words = {word for seed in asked.seeds for name in seed.names for word in name.lower().split()}
    related = [number for number, term in enumerate(terms[_FREQUENT:], _FREQUENT) if named_words & set(term.split())]
    chosen = [*range(min(_FREQUENT, len(terms))), *related[:_FREQUENT]]
    cache, encoder = build.means.cache, build.encoder
    general = cache.encode(encoder, [terms[number] for number in chosen], build.means.jobs, build.means.progress)
    names = [name for seed in asked.seeds for name in seed.names]
    lookup = _Lookup(Vocabulary(tuple(terms), counts), build)
    vectors = cache.encode_names(encoder, names)
    few = Vocabulary(tuple(terms[number] for number in chosen), counts[chosen])
    return _check(asked, vectors, few, general, lookup, build.n_documents, nearest)


@dataclass(frozen=True)
class _Lookup:
    vocabulary: Vocabulary
    build: Build

    def term_id(self, name: str) -> int | None:
        term = as_term(name, lowercase=self.build.settings.text.lowercase, tokenizer=self.build.tokenizer)
        return None if term is None else self.vocabulary.ids.get(term)


def _check(
    asked: Any,
    vectors: Floats,
    compared: Vocabulary,
    general: Floats,
    whole: Index | _Lookup,
    n_documents: int,
    nearest: int,
) -> Check:
    names = [(seed.name, name) for seed in asked.seeds for name in seed.names]
    similarity = vectors @ general.T  # (n_names, n_compared)
    checks = []
    for (category, name), row in zip(names, similarity, strict=True):
        own = whole.term_id(name)
        spelled = None if own is None else whole.vocabulary.terms[own]
        best = [
            number
            for number in np.argsort(-row, kind="stable")[: nearest + 1].tolist()
            if compared.terms[number] != spelled
        ]
        found = tuple((compared.terms[number], round(float(row[number]), 3)) for number in best[:nearest])
        count = 0 if own is None else int(whole.vocabulary.counts[own])
        checks.append(NameCheck(category, name, own is not None, count, found))
    return Check(n_documents, len(whole.vocabulary), len(compared), tuple(checks), _close_names(names, vectors))


def _close_names(names: list[tuple[str, str]], vectors: Floats) -> tuple[tuple[str, str, float], ...]:
    cosines = vectors @ vectors.T
    pairs = [
        (names[first][1], names[second][1], round(float(cosines[first, second]), 3))
        for first in range(len(names))
        for second in range(first + 1, len(names))
        if names[first][0] != names[second][0] and cosines[first, second] >= _CLOSE
    ]
    return tuple(sorted(pairs, key=lambda pair: -pair[2]))
