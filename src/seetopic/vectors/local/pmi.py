"""The objective's PMI matrices (Eq. 3 and 4), stored on disk in parts, and their products with a few columns."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

import numpy as np
from numpy.typing import NDArray

from seetopic.runtime import Band, Doubles, Engine, Flags, Floats, Ids, Longs, load_array, sum_of, tally, write_array
from seetopic.vectors.cooccurrence import Block

if TYPE_CHECKING:
    import torch

ROUNDING = 1e-6  # smaller values, relative to the largest of their kind, may be mere rounding


class Matrix(Protocol):
    """A block X of the matrix to factorise; its rows are terms."""

    @property
    def n_columns(self) -> int: ...

    @property
    def scale(self) -> float: ...

    @property
    def transposed(self) -> list[Rows]:
        """All rows of X^T, not yet scaled."""

    def squared(self, dense: torch.Tensor) -> torch.Tensor:
        """X X^T times a dense matrix with a few columns; (n_terms, few)."""


@dataclass(frozen=True)
class Rows:
    """Sparse rows on disk."""

    folder: Path
    name: str

    def write(self, starts: Longs, columns: Ids, values: Floats) -> None:
        # 32-bit positions halve the memory, and no part has more entries than they can count.
        write_array(self._path("starts"), starts.astype(np.int32), lasting=False)
        write_array(self._path("columns"), columns.astype(np.int32, copy=False), lasting=False)
        write_array(self._path("values"), values, lasting=False)

    def __matmul__(self, dense: torch.Tensor) -> torch.Tensor:
        import torch
        from torch.nn.functional import embedding_bag

        starts, columns, values = (
            torch.from_numpy(load_array(self._path(kind))).to(dense.device) for kind in ("starts", "columns", "values")
        )
        # A sparse product, as weighted sums of rows of `dense`: unlike torch's own, it gives the same bits every
        # time on a GPU, and it is faster on a CPU.
        return embedding_bag(columns, dense, starts, mode="sum", per_sample_weights=values, include_last_offset=True)

    def _path(self, kind: str) -> Path:
        return self.folder / f"{self.name}.{kind}.npy"


def keep_probability(term_counts: Longs, subsample: float) -> Doubles:
    """The share of a term's occurrences that word2vec's subsampling keeps, by which counts are weighted."""
    if subsample == 0:
        return np.ones(len(term_counts))
    share = term_counts / term_counts.sum()
    kept: Doubles = np.minimum(1.0, np.sqrt(subsample / share) + subsample / share)
    return kept


def _scale(norm: float, squares: float) -> float:
    """The factor that gives a matrix this norm, so that neither block dominates the other."""
    return norm / float(np.sqrt(squares)) if squares > 0 else 0.0


@dataclass(frozen=True)
class ContextPmi:
    """X_ww: positive PMI of terms and context terms, scaled to norm 1; (n_terms, n_terms)."""

    folder: Path
    bounds: tuple[tuple[int, int], ...]  # range of terms in each part
    n_columns: int
    scale: float

    @property
    def transposed(self) -> list[Rows]:
        return [context_rows(self.folder, number, "columns") for number in range(len(self.bounds))]

    def squared(self, dense: torch.Tensor) -> torch.Tensor:
        image = self._times("columns", dense)
        return self._times("rows", image)

    def _times(self, side: str, dense: torch.Tensor) -> torch.Tensor:
        import torch

        found = torch.empty_like(dense)
        for number, (first, last) in enumerate(self.bounds):
            found[first:last] = context_rows(self.folder, number, side) @ dense
        return found.mul_(self.scale)


def context_rows(folder: Path, number: int, side: str) -> Rows:
    """A part of X_ww (`rows`), or of its transpose (`columns`)."""
    return Rows(folder, f"{number:06d}.{side}")


def context_pmi(
    engine: Engine, bands: Sequence[Band], kept: Doubles, smoothing: float, folder: Path, norm: float = 1.0
) -> ContextPmi:
    """X_ww from neighbour counts."""
    parts = engine.map(partial(_thinned_totals, kept=kept), bands)
    totals = np.concatenate([np.empty(0), *parts])
    contexts = totals**smoothing
    with np.errstate(divide="ignore", invalid="ignore"):  # for terms without context, which no pair uses
        row_log, context_log = np.log(totals), np.log(contexts) - np.log(contexts.sum())
    write = partial(_write_context_rows, kept=kept, row_log=row_log, context_log=context_log, folder=folder)
    squares = sum_of(engine, write, bands, 0.0)
    bounds = tuple((band.first, band.last) for band in bands)
    return ContextPmi(folder, bounds, len(kept), _scale(norm, squares))


def _thinned_totals(band: Band, kept: Doubles) -> Doubles:
    rows = band.rows
    weights: Doubles = band.counts * kept[rows] * kept[band.columns]
    totals: Doubles = np.bincount(rows - band.first, weights, band.last - band.first).astype(np.float64, copy=False)
    return totals


def _write_context_rows(band: Band, kept: Doubles, row_log: Doubles, context_log: Doubles, folder: Path) -> float:
    rows, columns = band.rows, np.asarray(band.columns)
    weight_log = np.log(band.counts * kept[rows] * kept[columns])
    given_row = (weight_log - row_log[rows] - context_log[columns]).astype(np.float32)
    given_column = (weight_log - row_log[columns] - context_log[rows]).astype(np.float32)
    for side, values in (("rows", given_row), ("columns", given_column)):
        _positive(context_rows(folder, band.number, side), band.starts, columns, values)
    return _squares(given_row)


def _positive(rows: Rows, starts: Longs, columns: Ids, values: Floats) -> None:
    above = values > ROUNDING
    rows.write(np.concatenate([[0], np.cumsum(above)])[starts], columns[above], values[above])


def _squares(values: Floats) -> float:
    return float(np.sum(np.square(values[values > ROUNDING], dtype=np.float64)))


@dataclass(frozen=True)
class DocumentPmi:
    """X_wd: positive PMI of terms and documents; (n_terms, n_documents). Each part has some of the columns."""

    folder: Path
    n_parts: int
    n_columns: int
    scale: float

    @property
    def transposed(self) -> list[Rows]:
        return [document_rows(self.folder, number)[0] for number in range(self.n_parts)]

    def squared(self, dense: torch.Tensor) -> torch.Tensor:
        import torch

        found = torch.zeros_like(dense)
        for number in range(self.n_parts):
            by_document, by_term, terms = document_rows(self.folder, number)
            held = torch.from_numpy(load_array(terms)).to(dense.device)
            found.index_add_(0, held, by_term @ (by_document @ dense))  # each term once, so the order does not matter
        return found.mul_(self.scale**2)


def document_rows(folder: Path, number: int) -> tuple[Rows, Rows, Path]:
    """A part of X_wd by document and by the terms that occur in it, and the file that lists these terms."""
    name = f"{number:06d}"
    return Rows(folder, f"{name}.documents"), Rows(folder, f"{name}.terms"), folder / f"{name}.held.npy"


def document_pmi(
    engine: Engine, blocks: Sequence[Block], term_counts: Longs, kept: Doubles, folder: Path, norm: float
) -> tuple[DocumentPmi, Flags]:
    """X_wd from the documents, and which terms share no document with another term."""
    write = partial(_write_document_rows, term_counts=term_counts, kept=kept, folder=folder)
    squares, alone = 0.0, np.ones(len(kept), np.bool_)
    for part, meeting in engine.map(write, list(enumerate(blocks))):
        squares += part
        alone &= np.unpackbits(meeting, count=len(kept)) == 0
    return DocumentPmi(folder, len(blocks), blocks[-1].last, _scale(norm, squares)), alone


def _write_document_rows(
    numbered: tuple[int, Block], term_counts: Longs, kept: Doubles, folder: Path
) -> tuple[float, NDArray[np.uint8]]:
    """The sum of squares, and a bit per term that is set if it shares a document with another."""
    number, block = numbered
    n_terms = len(term_counts)
    positions, numbers = block.terms()
    found = tally((numbers - block.first) * n_terms + positions)
    documents, terms = np.divmod(found.keys, n_terms)
    n_documents = block.last - block.first
    weights = found.counts * kept[terms]
    totals = np.bincount(documents, weights, n_documents)
    row_totals = term_counts * kept
    pmi = np.log(weights * row_totals.sum() / (row_totals[terms] * totals[documents])).astype(np.float32)
    above = pmi > ROUNDING
    by_document, by_term, held = document_rows(folder, number)
    rows, columns, values = documents[above], terms[above].astype(np.int32), pmi[above]
    by_document.write(np.searchsorted(rows, np.arange(n_documents + 1)), columns, values)
    order = np.argsort(columns, kind="stable")
    present, starts = np.unique(columns[order], return_index=True)
    by_term.write(np.append(starts, len(columns)), rows[order].astype(np.int32), values[order])
    write_array(held, present.astype(np.int64), lasting=False)
    meeting = np.zeros(n_terms, np.bool_)
    meeting[terms[np.bincount(documents, minlength=n_documents)[documents] > 1]] = True
    return _squares(pmi), np.packbits(meeting)
