"""Shares of documents, averaged with those of the documents nearest to them.

The rule that is learned from names is linear, and wrong here and there. Documents that say nearly the same mostly
belong to the same category, and several together are right more often than one.
"""

from __future__ import annotations

import numpy as np

from seetopic.runtime import Doubles, Floats, Ids, Sparse, product, sparse_product

NEAREST = 25  # documents whose shares count as much as a document's own; 8 to 50 are about as good
_AT_ONCE = 1024  # documents whose nearness to all known ones is in memory


def averaged(shares: Doubles, neighbours: Ids) -> Doubles:
    """The mean of each document's shares and those of its neighbours, nearest first; (n_documents, n_categories)."""
    near = neighbours[:, :NEAREST]
    starts = np.arange(0, near.size + 1, near.shape[1])
    rows = Sparse.rows(np.full(near.size, 1 / near.shape[1]), near.ravel(), starts, (len(shares), len(shares)))
    mean: Doubles = (shares + sparse_product(rows, shares)) / 2
    return mean


def averaged_with_known(shares: Doubles, vectors: Floats, known: Floats, known_shares: Doubles) -> Doubles:
    """The same for other documents, from their vectors and those of known documents, both unit rows.

    A known document counts by how much nearer it is than the first that does not count, so that no share jumps where
    one takes another's place.
    """
    near = np.empty_like(shares)
    for first in range(0, len(vectors), _AT_ONCE):
        own = slice(first, first + _AT_ONCE)
        nearness = product(vectors[own], known.T)
        places = np.argpartition(-nearness, NEAREST, axis=1)[:, : NEAREST + 1]
        nearer = np.take_along_axis(nearness, places, axis=1).astype(np.float64)
        nearer -= nearer.min(axis=1, keepdims=True)
        # Where all are equally near, as for vectors of zeros, all count alike.
        nearer += 1e-9
        weights = nearer / nearer.sum(axis=1, keepdims=True)
        near[own] = np.einsum("nk,nkc->nc", weights, known_shares[places])
    mean: Doubles = (shares + near) / 2
    return mean
