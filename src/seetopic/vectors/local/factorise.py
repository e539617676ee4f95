"""Local vectors as factors of the objective's PMI matrices (Eq. 3 and 4), by the block Lanczos method.

The paper's training implicitly factorises [X_ww; X_wd]; doing so directly takes seconds, is
deterministic, and needs no learning rate.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from pathlib import Path

import numpy as np

from seetopic.runtime import Band, Doubles, Engine, Flags, Floats, Longs, Progress, one_torch_thread, sum_of
from seetopic.settings import LocalSettings
from seetopic.vectors.cooccurrence import Block
from seetopic.vectors.local.pmi import ROUNDING, Matrix, Rows, context_pmi, document_pmi, keep_probability

_ROWS = 1 << 14  # of a basis held in double precision at a time
_SLAB = 16  # columns per product on a CPU, so that what it gathers from stays in the cache
_EXHAUSTED = 1e-5  # length of a new direction relative to its image, below which it is mere rounding


def context_matrix(
    engine: Engine, neighbours: Sequence[Band], term_counts: Longs, settings: LocalSettings, folder: Path
) -> Matrix:
    """X_ww on disk, from how often terms are neighbours; (n_terms, n_terms)."""
    kept = keep_probability(term_counts, settings.subsample)
    return context_pmi(engine, neighbours, kept, settings.context_smoothing, folder)


def document_matrix(
    engine: Engine, blocks: Sequence[Block], term_counts: Longs, settings: LocalSettings, folder: Path
) -> tuple[Matrix, Flags]:
    """X_wd on disk, (n_terms, n_documents), and which terms never co-occur with another."""
    kept = keep_probability(term_counts, settings.subsample)
    return document_pmi(engine, blocks, term_counts, kept, folder, settings.document_weight)


def factorise(
    contexts: Matrix,
    documents: Matrix,
    isolated: Flags,
    settings: LocalSettings,
    random_state: int,
    device: str,
    engine: Engine,
    progress: Progress,
) -> Floats:
    """Local vectors u_w, unit rows; (n_terms, rank). Terms that never co-occur with another have a zero row."""
    matrices = [contexts, documents] if settings.document_weight > 0 else [contexts]
    vectors = left_factor(matrices, len(isolated), settings, random_state, device, engine, progress)
    vectors[isolated] = 0
    return vectors


def left_factor(
    matrices: Sequence[Matrix],
    n_terms: int,
    settings: LocalSettings,
    random_state: int,
    device: str,
    engine: Engine,
    progress: Progress,
) -> Floats:
    """U sqrt(S) of the matrices side by side, with rows of unit length."""
    import torch

    rank = min(settings.rank, n_terms, sum(matrix.n_columns for matrix in matrices))
    basis = leading_directions(matrices, n_terms, rank, settings, random_state, device, engine, progress)
    gram = torch.from_numpy(gram_of(matrices, basis, device, engine))
    with one_torch_thread():
        squares, rotation = torch.linalg.eigh(gram)
        squares, rotation = squares.flip(0).clamp(min=0), rotation.flip(1)
        squares[squares <= squares[0] * ROUNDING**2] = 0  # rounding errors, whose fourth roots would be noticeable
        # Singular values are the roots of `squares`; U sqrt(S) needs their fourth roots.
        vectors = torch.from_numpy(basis) @ (rotation * squares**0.25).float()
        lengths = torch.linalg.vector_norm(vectors, dim=1, keepdim=True)
        lengths[lengths <= lengths.max() * ROUNDING] = torch.inf
        vectors /= lengths
    progress("local vectors", settings.lanczos_steps + 1, settings.lanczos_steps + 1)
    result: Floats = vectors.numpy()
    return result


def leading_directions(
    matrices: Sequence[Matrix],
    n_terms: int,
    rank: int,
    settings: LocalSettings,
    random_state: int,
    device: str,
    engine: Engine,
    progress: Progress,
) -> Floats:
    """The leading left singular vectors, orthonormal columns; (n_terms, rank).

    Block Lanczos: the spaces that X X^T spans from a random block, step by step, contain them far more exactly than
    the last step alone, so the result hardly depends on the random block.
    """
    import torch

    width = min(settings.lanczos_block, n_terms)
    steps = max(settings.lanczos_steps, -(-rank // width))
    basis = np.zeros((n_terms, min(steps * width, -(-n_terms // width) * width)), np.float32)
    projected = np.zeros((basis.shape[1], basis.shape[1]))  # X X^T in the basis
    drawn: Floats = np.random.default_rng(random_state).standard_normal((n_terms, width), dtype=np.float32)
    block = squared(matrices, drawn, device, engine)  # without the part that X does not reach
    orthonormalise(block, device)
    for first in range(0, basis.shape[1], width):
        progress("local vectors", min(first // width, settings.lanczos_steps), settings.lanczos_steps + 1)
        basis[:, first : first + width] = block
        block = squared(matrices, block, device, engine)
        longest = float(np.linalg.norm(block, axis=0).max())
        # Only the last two blocks overlap with its image; from the others, rounding is taken out.
        for begin in (max(0, first - width), 0):
            known = slice(begin, first + width)
            projected[known, first : first + width] += _taken_out(block, basis[:, known], device)
        orthonormalise(block, device, _EXHAUSTED * longest)
    progress("local vectors", settings.lanczos_steps, settings.lanczos_steps + 1)
    upper = torch.from_numpy(np.triu(projected) + np.triu(projected, 1).T)
    with one_torch_thread():
        turn = torch.linalg.eigh(upper).eigenvectors.flip(1)[:, :rank].float()
        for first in range(0, n_terms, _ROWS):  # in place: a second basis would not fit beside the first
            rows = torch.from_numpy(basis[first : first + _ROWS])
            rows[:, :rank] = rows @ turn
    return np.ascontiguousarray(basis[:, :rank])


def _taken_out(block: Floats, basis: Floats, device: str) -> Doubles:
    """Make the block orthogonal to the basis, in place; the result is their product before."""
    import torch

    parts = [slice(first, first + _ROWS) for first in range(0, len(basis), _ROWS)]
    with one_torch_thread():
        overlap = torch.zeros((basis.shape[1], block.shape[1]), dtype=torch.float64, device=device)
        for rows in parts:
            overlap += (torch.from_numpy(basis[rows]).to(device).T @ torch.from_numpy(block[rows]).to(device)).double()
        for rows in parts:
            block[rows] -= (torch.from_numpy(basis[rows]).to(device) @ overlap.float()).cpu().numpy()
    result: Doubles = overlap.cpu().numpy()
    return result


def orthonormalise(basis: Floats, device: str, least: float = 0.0) -> None:
    """Orthonormalise the columns in place, keeping their span; linearly dependent or very short ones become 0.

    Works on some rows at a time, where a decomposition would need several copies of the whole. It uses the Gram
    matrix in double precision, twice, because the first pass is inexact for columns that are nearly parallel.
    """
    import torch

    rows = [torch.from_numpy(basis[first : first + _ROWS]) for first in range(0, len(basis), _ROWS)]
    with one_torch_thread():
        for shortest in (least, 0.0):
            gram = torch.zeros((basis.shape[1], basis.shape[1]), dtype=torch.float64, device=device)
            for part in rows:
                wide = part.to(device).double()
                gram += wide.T @ wide
            squares, rotation = torch.linalg.eigh(gram)
            spanned = squares > max(float(squares[-1]) * ROUNDING**2, shortest**2)
            turn = rotation * torch.where(spanned, squares, torch.inf).rsqrt()
            for part in rows:
                part.copy_(part.to(device).double() @ turn)


def squared(matrices: Sequence[Matrix], basis: Floats, device: str, engine: Engine) -> Floats:
    """X X^T times the basis, some columns at a time: results are small, and each worker reads all of X."""
    width = basis.shape[1]
    slab = _SLAB if device == "cpu" else width
    slabs = [slice(first, min(first + slab, width)) for first in range(0, width, slab)]
    multiply = partial(_multiplied, matrices=matrices, basis=basis, device=device)
    found = np.empty_like(basis)
    for columns, part in zip(slabs, engine.map(multiply, slabs, threads=True), strict=True):
        found[:, columns] = part
    return found


def _multiplied(columns: slice, matrices: Sequence[Matrix], basis: Floats, device: str) -> Floats:
    import torch

    with one_torch_thread():
        dense = torch.from_numpy(np.ascontiguousarray(basis[:, columns])).to(device)
        total = torch.zeros_like(dense)
        for matrix in matrices:
            total += matrix.squared(dense)
        result: Floats = total.cpu().numpy()
    return result


def gram_of(matrices: Sequence[Matrix], basis: Floats, device: str, engine: Engine) -> Doubles:
    """Q^T X X^T Q as a sum of products of X^T Q with itself, which separates small directions from rounding."""
    total = np.zeros((basis.shape[1], basis.shape[1]))
    multiply = partial(_gram, basis=basis, device=device)
    for matrix in matrices:
        own = sum_of(engine, multiply, matrix.transposed, np.zeros_like(total), threads=True)
        total += matrix.scale**2 * own
    return total


def _gram(rows: Rows, basis: Floats, device: str) -> Doubles:
    import torch

    with one_torch_thread():
        image = rows @ torch.from_numpy(basis).to(device)
        result: Doubles = (image.T @ image).double().cpu().numpy()
    return result
