"""Evidence from whole documents: terms that are typical of the documents of a category."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from seetopic.index import Index
from seetopic.runtime import Doubles, Floats, Ids, Sparse, in_blocks, in_parallel, laid_out, normalized, sparse_product

_TYPICAL = 10  # terms that represent a theme
_CLEAR = 2.0  # a document belongs to a category that has at least this many times the hits of the second


@dataclass(frozen=True)
class ReadDocumentsEvidence:
    """Documents sorted by the language model's reading; it does not use the current terms, so it cannot drift."""

    typical: Floats  # z-scores, (n_categories, n_terms)
    name: str = "documents"

    def scores(self, current: list[list[int]]) -> Floats:
        return self.typical


@dataclass(frozen=True)
class MatchedDocumentsEvidence:
    """Documents sorted by the current terms that they contain, if the language model has read none."""

    documents: Sparse  # 1 where a document contains a term, (n_documents, n_terms)
    idf: Doubles
    name: str = "documents"

    def scores(self, current: list[list[int]]) -> Floats:
        return typical_terms(self._by_term, clear_memberships(self.documents, self.idf, current))

    @cached_property
    def _by_term(self) -> Sparse:
        return self.documents.tocsc()


def clear_memberships(documents: Sparse, idf: Doubles, current: list[list[int]]) -> Doubles:
    """1 for a document whose idf-weighted hits clearly favour one category, else 0; (n_documents, n_categories)."""
    weights = np.zeros((documents.shape[1], len(current)))
    for category, terms in enumerate(current):
        weights[terms, category] = idf[terms]
    hits = documents @ weights  # (n_documents, n_categories)
    best = hits.max(axis=1)
    second = np.partition(hits, -2, axis=1)[:, -2] if len(current) > 1 else np.zeros_like(best)
    clear = (best > 0) & (best >= _CLEAR * second)
    memberships: Doubles = (hits == best[:, None]) & clear[:, None]
    return memberships.astype(np.float64)


def typical_terms(documents: Sparse, memberships: Doubles) -> Floats:
    """z-score of the log-odds of a term in a category's documents against the others'; (n_categories, n_terms).

    `memberships` may be fractional. Half a document is added to every count, so that rare terms say little and no
    logarithm of 0 is taken.
    """
    held = np.flatnonzero(np.diff(documents.indptr))  # few of very many terms occur here; all others score the same
    starts = np.append(documents.indptr[held], documents.nnz)
    sizes = memberships.sum(axis=0)
    rows = memberships if memberships.flags.c_contiguous else laid_out(memberships, "C")
    z = np.empty((len(sizes), documents.shape[1]), np.float32)
    if len(held) < documents.shape[1]:
        z[:] = _z_scores(np.zeros((1, len(sizes))), sizes).T

    def fill(part: slice) -> None:
        own = slice(starts[part.start], starts[part.stop])
        bounds = starts[part.start : part.stop + 1] - own.start
        counted = (documents.data[own], documents.indices[own], bounds)
        inside = Sparse.rows(*counted, (len(bounds) - 1, len(rows))) @ rows  # (n_terms of the part, n_categories)
        z[:, held[part]] = _z_scores(inside, sizes).T

    in_parallel(fill, in_blocks(len(held), len(sizes)))
    return z


def typical_of_nearest(documents: Sparse, nearness: Doubles, number: int) -> Floats:
    """z-score of a term in the documents that are nearest to a name, so many of them, against the others; (n_terms,)

    `nearness` is that of the first documents, which were read; the others do not count.
    """
    memberships = np.zeros((documents.shape[0], 2))
    memberships[: len(nearness), 1] = 1.0
    memberships[np.argsort(-nearness, kind="stable")[:number]] = 1.0, 0.0
    typical: Floats = typical_terms(documents, memberships)[0]
    return typical


def theme_vectors(index: Index, documents: Sparse, memberships: Doubles) -> Floats:
    """Each category as the mean vector of its most typical terms, if its documents' vectors are of another model.

    Unit rows, (n_categories, dimension).
    """
    typical = typical_terms(documents, memberships)
    best = np.argsort(-typical, axis=1, kind="stable")[:, :_TYPICAL]
    return normalized(np.asarray(index.general)[best].mean(axis=1))


def typical_among_neighbours(documents: Sparse, memberships: Doubles, neighbours: Ids) -> Floats:
    """z-score of a term in a category's documents against their nearest documents; (n_categories, n_terms).

    For names that cut across what the documents are about: in tweets about many disasters, "earthquake" is typical of
    "affected people" only because more of these tweets are about earthquakes. What counts is whether a document that
    contains a term belongs to the category more than similar documents do. `neighbours` are these documents for each
    document, (n_documents, n_neighbours).
    """
    n, size = neighbours.shape
    near = Sparse.rows(np.full(n * size, 1 / size), neighbours.ravel(), np.arange(0, n * size + 1, size), (n, n))
    expected = sparse_product(near, memberships)
    gain = sparse_product(documents.T, memberships - expected)
    spread = sparse_product(documents.T, expected * (1 - expected))
    z = np.empty(gain.T.shape, np.float32)

    def fill(part: slice) -> None:
        z[:, part] = (gain[part] / np.sqrt(spread[part] + 0.5)).T

    in_parallel(fill, in_blocks(*gain.shape))
    return z


def _z_scores(inside: Doubles, sizes: Doubles) -> Doubles:
    outside = inside.sum(axis=1, keepdims=True) - inside
    difference = _log_odds(inside, sizes) - _log_odds(outside, sizes.sum() - sizes)
    z: Doubles = difference / np.sqrt(1 / (inside + 0.5) + 1 / (outside + 0.5))
    return z


def _log_odds(counts: Doubles, sizes: Doubles) -> Doubles:
    odds: Doubles = np.log((counts + 0.5) / (np.maximum(sizes - counts, 0) + 0.5))
    return odds
