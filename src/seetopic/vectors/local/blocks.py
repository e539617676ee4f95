"""Training on a block of groups: score all its pairs, then move all its vectors at once, none of them too far."""

from __future__ import annotations

from concurrent.futures import Executor
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from seetopic.settings import SkipgramSettings
from seetopic.vectors.local.batches import GROUP, Batch

if TYPE_CHECKING:
    import torch

REACH = 2.0  # maximum for a row in a block; see `shares_of`
_CHUNK = 12  # groups that one worker computes at a time on a CPU: what fits in its cache


@dataclass(frozen=True)
class Tables:
    """The vectors on the two sides of every pair."""

    terms: torch.Tensor  # u_w; (n_terms, dimensions)
    targets: torch.Tensor  # v_w, then v_d; (n_terms + n_documents, dimensions)


def zeros(n_rows: int, width: int, device: torch.device) -> torch.Tensor:
    """NumPy, unlike torch, requests large pages, which make reading scattered rows faster."""
    import torch

    if device.type == "cpu":
        return torch.from_numpy(np.zeros((n_rows, width), np.float32))
    return torch.zeros((n_rows, width), device=device)


@dataclass(frozen=True)
class Buffers:
    """Buffers for a block's vectors and moves, allocated once: allocating them again costs as much as the products."""

    terms: torch.Tensor  # (positions of a block, dimensions)
    term_moves: torch.Tensor
    targets: torch.Tensor  # (targets of a block, dimensions)
    target_moves: torch.Tensor

    @classmethod
    def of(cls, settings: SkipgramSettings, n_groups: int, slots: int, device: torch.device) -> Buffers:
        columns = GROUP + 2 * settings.window + slots + settings.shared_negatives + settings.shared_documents
        sizes = (n_groups * GROUP, n_groups * GROUP, n_groups * columns, n_groups * columns)
        return cls(*(zeros(size, settings.dimensions, device) for size in sizes))


@dataclass(frozen=True)
class Side:
    """One table, which of its rows a block moves, and how; rows may repeat."""

    table: torch.Tensor
    rows: torch.Tensor  # (n_groups, n)
    moves: torch.Tensor  # (at least n_groups * n, dimensions)
    reaches: torch.Tensor  # (n_groups, n) the most that each move could change inner products


def find_moves(
    tables: Tables, batch: Batch, rate: float | torch.Tensor, room: Buffers, pool: Executor
) -> tuple[Side, Side]:
    """Score all pairs of a block, and write its vectors' moves along the gradient into the buffers."""
    import torch

    def move(groups: slice) -> tuple[torch.Tensor, torch.Tensor]:
        terms = _rows(tables.terms, batch.centres, groups, room.terms)
        targets = _rows(tables.targets, batch.targets, groups, room.targets)
        pulls = pulls_of(terms, targets, batch.weights[groups], batch.labels).mul_(rate)
        torch.bmm(pulls, targets, out=_part(room.term_moves, batch.centres, groups))
        torch.bmm(pulls.transpose(1, 2), terms, out=_part(room.target_moves, batch.targets, groups))
        return reaches_of(pulls, terms, targets)

    n_groups = len(batch.centres)
    chunk = _CHUNK if batch.centres.device.type == "cpu" else n_groups
    reaches = list(pool.map(move, [slice(first, first + chunk) for first in range(0, n_groups, chunk)]))
    return (
        Side(tables.targets, batch.targets, room.target_moves, torch.cat([target for _, target in reaches])),
        Side(tables.terms, batch.centres, room.term_moves, torch.cat([term for term, _ in reaches])),
    )


def add(side: Side) -> None:
    """Add the moves to their rows, after shortening those of rows that would move too far."""
    rows, moves = side.rows.flatten(), side.moves[: side.rows.numel()]
    shares = shares_of(len(side.table), rows, side.reaches.flatten())
    if rows.device.type == "cpu":
        few = (shares < 1).nonzero()[:, 0]
        moves[few] *= shares[few, None]
    else:  # a CUDA graph cannot have sizes that depend on values
        moves *= shares[:, None]
    side.table.index_add_(0, rows, moves)


def _rows(table: torch.Tensor, rows: torch.Tensor, groups: slice, room: torch.Tensor) -> torch.Tensor:
    """Read the table rows of some groups into their part of the buffer."""
    import torch

    part = _part(room, rows, groups)
    torch.index_select(table, 0, rows[groups].flatten(), out=part.flatten(0, 1))
    return part


def _part(room: torch.Tensor, rows: torch.Tensor, groups: slice) -> torch.Tensor:
    return room[: rows.numel()].view(*rows.shape, room.shape[1])[groups]


def pulls_of(terms: torch.Tensor, targets: torch.Tensor, weights: torch.Tensor, labels: torch.Tensor) -> torch.Tensor:
    """Derivative of the objective with respect to each pair's inner product; (n_groups, n_terms, n_targets).

    A pair that occurs contributes log sigma(x), so 1 - sigma(x); a negative log sigma(-x), so -sigma(x).
    """
    import torch

    scores = torch.bmm(terms, targets.transpose(1, 2))
    return (labels - scores.sigmoid_()).mul_(weights)


def reaches_of(pulls: torch.Tensor, terms: torch.Tensor, targets: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
    """The most that moves could change inner products, through each term and through each target."""
    import torch

    strength = pulls.abs()
    term_squares = torch.linalg.vector_norm(terms, dim=2).square_()
    target_squares = torch.linalg.vector_norm(targets, dim=2).square_()
    return (
        torch.bmm(strength, target_squares[:, :, None])[:, :, 0],
        torch.bmm(term_squares[:, None, :], strength)[:, 0, :],
    )


def shares_of(n_rows: int, rows: torch.Tensor, reaches: torch.Tensor) -> torch.Tensor:
    """The fraction of its moves that each row may take; same shape as `rows`, which may repeat.

    A block's gradients are all taken at the same, fixed vectors. Summed over the many occurrences of a frequent
    term they overshoot, the next block overshoots back by more, and inner products grow without bound. A step
    along the gradient cannot raise the loss while its rate is at most 2 / curvature, and a row's curvature is
    at most the sum over its pairs of |pull| |other side|^2, since sigma' <= |label - sigma|. Multiplied by the
    rate, that is the row's reach. Shorter steps are left unchanged.
    """
    import torch

    totals = torch.zeros(n_rows, device=rows.device, dtype=reaches.dtype).index_add_(0, rows, reaches)
    return (REACH / totals[rows]).clamp_(max=1)
