"""Similarity to a category's current terms, Eq. (5), and its contrast with the other categories."""

from __future__ import annotations

import numpy as np

from seetopic.runtime import Flags, Floats, in_parallel, in_parts, product

_TURNED = 256  # rows that are transposed at once, which the processor's cache can hold
_MANY = 128  # rows from which BLAS is as fast without transposing afterwards


def mean_vectors(vectors: Floats, current: list[list[int]]) -> Floats:
    """The mean vector of each category's current terms, 0 without terms; (n_categories, dimension)."""
    means = [vectors[terms].mean(axis=0) if terms else np.zeros_like(vectors[0]) for terms in current]
    return np.stack(means)


def mean_similarity(vectors: Floats, current: list[list[int]]) -> Floats:
    """score(w|S_i) = mean over w' in S_i of cos(w, w'); (n_categories, n_terms).

    `vectors` are unit rows, so the mean of cosines is the product with the mean vector.
    """
    return products(mean_vectors(vectors, current), vectors)


def products(rows: Floats, vectors: Floats) -> Floats:
    """Dot products of each row and each vector; (n_rows, n_vectors)."""
    turned = np.empty((len(rows), len(vectors)), np.float32)
    if len(rows) >= _MANY:

        def fill(part: slice) -> None:
            np.matmul(rows, vectors[part].T, out=turned[:, part])

        in_parallel(fill, in_parts(len(vectors)))
        return turned
    found = product(vectors, rows.T)  # in this order, the larger matrix is split by rows

    def turn(part: slice) -> None:
        for first in range(part.start, part.stop, _TURNED):
            own = slice(first, min(first + _TURNED, part.stop))
            turned[:, own] = found[own].T

    in_parallel(turn, in_parts(len(vectors)))
    return turned


def without_terms(current: list[list[int]]) -> list[int]:
    """Categories without current terms, to which similarity is undefined."""
    return [category for category, terms in enumerate(current) if not terms]


def contrasted(scores: Floats, contrast: float, rivals: Flags | None = None) -> Floats:
    """Scores minus a share of the best other category's: near to this one, and far from the others (Section 2).

    `rivals` are the categories that lower the scores of others, all by default.
    They are written over the scores: for many names, another array takes as long as the arithmetic.
    """
    if (len(scores) if rivals is None else np.count_nonzero(rivals)) < 2 or contrast == 0:
        return scores
    share = np.float32(contrast)

    def fill(part: slice) -> None:
        best, second = best_two(scores[:, part] if rivals is None else scores[rivals, part])
        from_second, from_best = best - share * second, share * best
        for row in scores[:, part]:  # one row's part fits into the processor's cache
            is_best = row == best
            np.subtract(row, from_best, out=row)
            np.copyto(row, from_second, where=is_best)

    in_parallel(fill, in_parts(scores.shape[1]))
    return scores


def best_two(rows: Floats) -> tuple[Floats, Floats]:
    """The largest and the second largest number of each column; minus infinity if there is only one row."""
    best, second = rows[0].copy(), np.full_like(rows[0], -np.inf)
    lower = np.empty_like(best)
    for row in rows[1:]:
        np.minimum(best, row, out=lower)
        np.maximum(best, row, out=best)
        np.maximum(second, lower, out=second)
    return best, second
