"""Local vectors as the factors of the objective's PMI matrices (Eq. 3 and 4), by a randomised factorisation.

The paper's training implicitly factorises [X_ww; X_wd]; doing so directly takes seconds, is
deterministic, and needs no learning rate.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from seetopic.arrays import Doubles, Flags, Floats, Ids, Longs
from seetopic.device import one_torch_thread
from seetopic.progress import Progress
from seetopic.settings import LocalSettings
from seetopic.tally import Tally

if TYPE_CHECKING:
    import torch

_ROUNDING = 1e-6  # what is smaller, beside the largest of its kind, may be rounding alone


@dataclass(frozen=True)
class Counts:
    """What the factorisation needs to know of the documents."""

    term_counts: Longs  # (n_terms,)
    pairs: Tally  # of `cooccurrences`
    posting_starts: Longs  # (n_terms + 1,)
    posting_documents: Ids
    posting_counts: Ids
    n_documents: int


@dataclass(frozen=True)
class Sparse:
    """A matrix of few entries, row by row."""

    starts: Longs  # (n_rows + 1,)
    columns: Ids
    values: Floats
    n_columns: int


def factorise(counts: Counts, settings: LocalSettings, random_state: int, device: str, progress: Progress) -> Floats:
    """Local vectors u_w, unit rows; (n_terms, rank). Terms that never meet another have a zero row."""
    kept = keep_probability(counts.term_counts, settings.subsample)
    blocks = [context_pmi(counts.pairs, kept, settings.context_smoothing)]
    if settings.document_weight > 0:
        blocks.append(_scaled(document_pmi(counts, kept), settings.document_weight))
    vectors = left_factor(blocks, settings, random_state, device, progress)
    vectors[_always_alone(counts)] = 0
    return vectors


def _always_alone(counts: Counts) -> Flags:
    """Terms that share none of their documents with another term."""
    terms = np.bincount(counts.posting_documents, minlength=counts.n_documents)  # distinct ones of each document
    shared = np.concatenate([[0], np.cumsum(terms[counts.posting_documents] > 1)])[counts.posting_starts]
    alone: Flags = np.diff(shared) == 0
    return alone


def keep_probability(term_counts: Longs, subsample: float) -> Doubles:
    """The share of a term's occurrences that word2vec's subsampling keeps; counts are weighted by it."""
    if subsample == 0:
        return np.ones(len(term_counts))
    share = term_counts / term_counts.sum()
    kept: Doubles = np.minimum(1.0, np.sqrt(subsample / share) + subsample / share)
    return kept


def context_pmi(pairs: Tally, kept: Doubles, smoothing: float) -> Sparse:
    """X_ww: positive PMI of terms and context terms, scaled to norm 1; (n_terms, n_terms)."""
    n_terms = len(kept)
    small, large = pairs.keys // n_terms, pairs.keys % n_terms
    weights = pairs.counts * kept[small] * kept[large]
    totals = np.bincount(small, weights, n_terms) + np.bincount(large, weights, n_terms)
    contexts = totals**smoothing
    with np.errstate(divide="ignore", invalid="ignore"):  # at terms without context, which no pair asks for
        row_log, context_log = np.log(totals), np.log(contexts) - np.log(contexts.sum())
    weight_log = np.log(weights)
    # A pair of two equal terms was counted once, but stands for two: either is the other's context.
    weight_log[small == large] += np.log(2.0)
    upper = weight_log - row_log[small] - context_log[large]
    lower = weight_log - row_log[large] - context_log[small]
    above, below = upper > _ROUNDING, (lower > _ROUNDING) & (small != large)
    rows = np.concatenate([small[above], large[below]])
    columns = np.concatenate([large[above], small[below]])
    values = np.concatenate([upper[above], lower[below]])
    return _scaled(_by_rows(rows, columns, values, n_terms, n_terms), 1.0)


def document_pmi(counts: Counts, kept: Doubles) -> Sparse:
    """X_wd: positive PMI of terms and documents; (n_terms, n_documents)."""
    rows = np.repeat(np.arange(len(kept)), np.diff(counts.posting_starts))
    weights = counts.posting_counts * kept[rows]
    row_totals = np.bincount(rows, weights, len(kept))
    document_totals = np.bincount(counts.posting_documents, weights, counts.n_documents)
    pmi = np.log(weights * weights.sum() / (row_totals[rows] * document_totals[counts.posting_documents]))
    positive = pmi > _ROUNDING
    starts = np.concatenate([[0], np.cumsum(positive)])[counts.posting_starts]
    return Sparse(starts, counts.posting_documents[positive], pmi[positive].astype(np.float32), counts.n_documents)


def _by_rows(rows: Longs, columns: Longs, values: Doubles, n_rows: int, n_columns: int) -> Sparse:
    from scipy.sparse import coo_array

    matrix = coo_array((values.astype(np.float32), (rows, columns)), shape=(n_rows, n_columns)).tocsr()
    return Sparse(matrix.indptr.astype(np.int64), matrix.indices.astype(np.int32), matrix.data, n_columns)


def _scaled(matrix: Sparse, norm: float) -> Sparse:
    """The matrix with the given Frobenius norm, so that neither block drowns the other."""
    length = float(np.sqrt(np.sum(np.square(matrix.values, dtype=np.float64))))
    factor = np.float32(norm / length if length > 0 else 0.0)
    return Sparse(matrix.starts, matrix.columns, matrix.values * factor, matrix.n_columns)


def left_factor(
    blocks: list[Sparse], settings: LocalSettings, random_state: int, device: str, progress: Progress
) -> Floats:
    """U sqrt(S) of the blocks side by side, rows to unit length; randomised subspace iteration."""
    import torch

    n_terms = len(blocks[0].starts) - 1
    rank = min(settings.rank, n_terms, sum(block.n_columns for block in blocks))
    width = min(rank + settings.oversampling, n_terms)
    matrices = [_both_ways(block, device) for block in blocks]
    start = np.random.default_rng(random_state).standard_normal((n_terms, width), dtype=np.float32)
    basis = torch.from_numpy(start).to(device)  # (n_terms, width)
    for done in range(settings.power_iterations):
        progress("local vectors", done, settings.power_iterations + 1)
        products = [matrix @ (transposed @ basis) for matrix, transposed in matrices]
        with one_torch_thread():
            # Rows together in memory, which a product reads; the decomposition leaves columns together.
            basis = torch.linalg.qr(sum(products[1:], products[0]))[0].contiguous()
    progress("local vectors", settings.power_iterations, settings.power_iterations + 1)
    images = [transposed @ basis for _, transposed in matrices]  # X^T Q, block by block
    with one_torch_thread():
        gram = sum(image.T @ image for image in images).double()  # type: ignore[union-attr]
        squares, rotation = torch.linalg.eigh(gram)
        squares, rotation = squares.flip(0)[:rank].clamp(min=0), rotation.flip(1)[:, :rank]
        squares[squares <= squares[0] * _ROUNDING**2] = 0  # else its fourth root would show
        # Singular values are the roots of `squares`; U sqrt(S) needs their fourth roots.
        vectors = basis @ (rotation * squares**0.25).to(basis.dtype)
        lengths = torch.linalg.vector_norm(vectors, dim=1, keepdim=True)
        unit = torch.where(lengths > lengths.max() * _ROUNDING, vectors / lengths, 0.0)
    progress("local vectors", settings.power_iterations + 1, settings.power_iterations + 1)
    result: Floats = unit.cpu().numpy()
    return result


@dataclass(frozen=True)
class _OnDevice:
    """A sparse matrix as tensors; each row of a product is summed by one thread, in order."""

    starts: torch.Tensor
    columns: torch.Tensor
    values: torch.Tensor

    def __matmul__(self, dense: torch.Tensor) -> torch.Tensor:
        from torch.nn.functional import embedding_bag

        # A weighted sum of rows of `dense` for each row: a sparse product. Unlike torch's own, it gives the
        # same bits every time on a GPU, and on a CPU it is the faster of the two.
        return embedding_bag(
            self.columns, dense, self.starts, mode="sum", per_sample_weights=self.values, include_last_offset=True
        )


def _both_ways(matrix: Sparse, device: str) -> tuple[_OnDevice, _OnDevice]:
    """The matrix and its transpose."""
    from scipy.sparse import csr_array

    shape = (len(matrix.starts) - 1, matrix.n_columns)
    by_rows = csr_array((matrix.values, matrix.columns, matrix.starts), shape=shape)
    return _on(by_rows, device), _on(by_rows.T.tocsr(), device)


def _on(matrix: Any, device: str) -> _OnDevice:
    import torch

    kind = np.int32 if matrix.nnz < 2**31 else np.int64  # 32-bit positions: half the memory
    parts = (matrix.indptr.astype(kind, copy=False), matrix.indices.astype(kind, copy=False), matrix.data)
    return _OnDevice(*(torch.from_numpy(part).to(device) for part in parts))
