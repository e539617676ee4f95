"""Learns which words distinguish categories, from documents that the language model has sorted.

For documents that it has not read: the rest of the sample, and new ones.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from seetopic.discovery.self_training import regression, spread_of, standardised
from seetopic.runtime import (
    Doubles,
    Floats,
    Sparse,
    distinct,
    in_blocks,
    in_parallel,
    one_thread,
    product,
    sparse_product,
)
from seetopic.settings import SortingSettings

_PRIOR = 5.0  # average documents of the corpus that are added to each category's
_TYPICAL_SHARE = 0.5  # weight of log-odds, relative to what was learned from local vectors
_TOPIC_SHARE = 0.5  # weight of the topics' own terms, relative to what was learned
_LOCAL_RIDGE = 1e-3  # penalty per document on the weights of local vectors' dimensions
_TERM_RIDGE = 3e-4  # the same on the weights of single terms
_STEPS = 10  # of conjugate gradients; with 6 to 30, the same documents are sorted right


@dataclass(frozen=True)
class TermRule:
    """A score per category for rows of idf-weighted terms; mean 0 and spread 1 on the documents it was learned from."""

    weights: Floats  # (n_terms, n_categories)
    offset: Doubles  # (n_categories,)

    def scores(self, rows: Sparse) -> Doubles:
        found: Doubles = sparse_product(rows, self.weights) + self.offset
        return found

    def lowered(self, handicaps: Doubles) -> TermRule:
        """The same with these subtracted from the scores in each category."""
        return TermRule(self.weights, self.offset - handicaps)


@dataclass(frozen=True)
class SortedDocuments:
    """Documents whose shares in the categories are known."""

    documents: Sparse  # 1 where a document contains a term, (n_documents, n_terms)
    rows: Sparse  # the same weighted by idf; unit rows
    memberships: Doubles  # (n_documents, n_categories)


@one_thread()
def rule_for_sampled(
    known: SortedDocuments, local: Floats, settings: SortingSettings, features: Floats | None = None
) -> TermRule:
    """For the rest of the sample: learns each document's best category, because clear cases make terms typical.

    `features` are the `local_features` of the rows, if already computed.
    """
    learning = local_features(known.rows, local) if features is None else features
    weights = regression(learning, standardised(known.memberships), settings, 1.0).astype(np.float32)
    learned = product(local, weights)
    return _joined(known.rows, [(1.0, learned), (_TYPICAL_SHARE, log_ratios(known))])


def rule_for_new(known: SortedDocuments, local: Floats, marks: Doubles, features: Floats | None = None) -> TermRule:
    """For any document: by the meaning of its terms (local vectors), by its single terms, and by the topics' terms.

    `marks` is 1 where a term belongs to a topic, (n_terms, n_categories); `features` are as for `rule_for_sampled`.
    """
    targets = standardised(known.memberships)
    with one_thread():
        learning = local_features(known.rows, local) if features is None else features
        gram = (learning.T @ learning).astype(np.float64)
        gram[np.diag_indices_from(gram)] += _LOCAL_RIDGE * len(learning)
        weights = np.linalg.solve(gram, learning.T @ targets).astype(np.float32)
    by_meaning = product(local, weights)
    by_term = sparse_ridge(known.rows, targets, _TERM_RIDGE)
    return _joined(known.rows, [(1.0, by_meaning), (1.0, by_term), (_TOPIC_SHARE, marks)])


def log_ratios(known: SortedDocuments) -> Doubles:
    """Log ratio of each term's frequency in a category's documents and in the others; (n_terms, n_categories)."""
    inside, sizes = sparse_product(known.documents.T, known.memberships), known.memberships.sum(axis=0)
    total, all_sizes = inside.sum(axis=1, keepdims=True), sizes.sum()
    ratios = np.zeros(inside.shape)  # 0 for terms that occur in none of these documents
    terms = np.flatnonzero(total[:, 0] > 0)

    def fill(part: slice) -> None:
        own = terms[part]
        prior = _PRIOR * total[own] / max(all_sizes, 1e-9) + 1e-6
        within = (inside[own] + prior) / (sizes + _PRIOR)
        without = (total[own] - inside[own] + prior) / (all_sizes - sizes + _PRIOR)
        ratios[own] = np.log(within / without)

    in_parallel(fill, in_blocks(len(terms), len(sizes)))
    return ratios


def sparse_ridge(rows: Sparse, targets: Doubles, ridge: float, steps: int = _STEPS) -> Floats:
    """Ridge regression on single terms by conjugate gradients, as there may be too many terms for a dense system.

    (n_terms, n_categories); every category is a separate system, and all are solved at once. A term that is in no row
    has weight 0.
    """
    seen, places = distinct(rows.indices, rows.shape[1])
    found = np.zeros((rows.shape[1], targets.shape[1]), np.float32)
    narrow = Sparse.rows(rows.data, places, rows.indptr, (rows.shape[0], len(seen)))
    found[seen] = _conjugate_gradients(narrow, targets.astype(np.float32), ridge * rows.shape[0], steps)
    return found


def _conjugate_gradients(rows: Sparse, targets: Floats, penalty: float, steps: int) -> Floats:
    columns = rows.T.tocsr()
    residual: Floats = columns @ targets
    weights, direction, scratch = np.zeros_like(residual), residual.copy(), np.empty_like(residual)
    size = _sums_of_products(residual, residual)
    for _ in range(steps):
        applied = columns @ (rows @ direction)
        applied += np.multiply(direction, np.float32(penalty), out=scratch)
        step = size / np.maximum(_sums_of_products(direction, applied), 1e-30)
        weights += np.multiply(direction, step, out=scratch)
        applied *= step
        residual -= applied
        new_size = _sums_of_products(residual, residual)
        direction *= new_size / np.maximum(size, 1e-30)
        direction += residual
        size = new_size
    return weights


def _sums_of_products(one: Floats, other: Floats) -> Floats:
    """By column; (n_categories,)."""
    sums: Floats = np.einsum("tc,tc->c", one, other)
    return sums


def local_features(rows: Sparse, local: Floats) -> Floats:
    """Documents by the local vectors of their terms, centred; (n_documents, rank)."""
    return centred(rows @ local)


def centred(vectors: Floats) -> Floats:
    """The same array, whose columns now have mean 0."""
    vectors -= vectors.mean(axis=0)
    return vectors


def _joined(rows: Sparse, parts: Sequence[tuple[float, NDArray[Any]]]) -> TermRule:
    """The weighted sum of rules, each first scaled to spread 1 on these documents."""
    shape = parts[0][1].shape
    scores, scales = np.zeros((rows.shape[0], shape[1])), []
    for share, part in parts:
        own = sparse_product(rows, part)
        scales.append(share / spread_of(own))
        scores += scales[-1] * own
    spread = spread_of(scores)
    weights = np.empty(shape, np.float32)

    def fill(own: slice) -> None:
        first, *others = (part[own] * (scale / spread) for (_, part), scale in zip(parts, scales, strict=True))
        for other in others:
            first += other
        weights[own] = first

    in_parallel(fill, in_blocks(*shape))
    return TermRule(weights, -scores.mean(axis=0) / spread)
