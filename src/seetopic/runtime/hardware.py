"""The compute device, and matrix products whose bits do not depend on the number of threads."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from functools import cache
from itertools import pairwise
from threading import RLock
from typing import Any, Literal, TypeVar

import numpy as np
from numpy.typing import NDArray

from seetopic.errors import SettingsError
from seetopic.runtime.arrays import Doubles, Floats, Real
from seetopic.runtime.engine import available_cores
from seetopic.runtime.sparse import Sparse

Item = TypeVar("Item")
Found = TypeVar("Found")
DEVICES = ("auto", "cpu", "cuda")


def resolve_device(device: str) -> str:
    """The device to compute on; `auto` uses a GPU if there is one."""
    if device not in DEVICES:
        raise SettingsError(f"`device` is {device!r}, but must be one of {', '.join(DEVICES)}")
    if device == "cpu":
        return device
    import torch

    if torch.cuda.is_available():
        return "cuda"
    if device == "cuda":
        raise SettingsError("`device` is 'cuda', but no usable GPU was found; use auto or cpu")
    return "cpu"


@contextmanager
def one_torch_thread() -> Iterator[None]:
    """Limit torch to one thread: the grouping of sums, and so their last bits, may depend on the number of threads."""
    import torch

    before = torch.get_num_threads()
    torch.set_num_threads(1)
    try:
        yield
    finally:
        torch.set_num_threads(before)


_PARTS = 4  # parts of a large product, for any number of cores
_LARGE = 1 << 24  # multiplications from which a product is worth splitting
_MANY = 1 << 21  # the same for a sparse product
_BLOCK = 1 << 17  # numbers of rows that are computed together
_ROWS, _COLUMNS = 32, 16  # of blocks in which a product with few columns runs up to 1.8 times as fast
_FEW = 3 * _COLUMNS
_TURNED = 64  # rows that are copied at once into another layout
_ONE_AT_A_TIME = RLock()


@contextmanager
def one_thread() -> Iterator[None]:
    """Limit BLAS to one thread, for the same reason as `one_torch_thread`; also a decorator.

    Most libraries have one limit for the whole process: if two threads set it at once, one would lift it while the
    other is still computing. So threads take turns, and the body must be pure arithmetic: it must not wait for
    another thread.
    """
    with _ONE_AT_A_TIME, _limited():
        yield


def _limited() -> Any:
    return _libraries().limit(limits=1, user_api="blas")


@cache
def _libraries() -> Any:
    """Looked up once, because that takes longer than a small product; the library that matters comes with NumPy."""
    from threadpoolctl import ThreadpoolController

    return ThreadpoolController()


@one_thread()
def in_parallel(work: Callable[[Item], Found], items: Sequence[Item]) -> list[Found]:
    """The results of pure arithmetic on items, several at once; each runs on one BLAS thread, so bits do not differ."""

    def alone(item: Item) -> Found:
        with _limited():  # some libraries have one limit per thread
            return work(item)

    cores = available_cores()
    if len(items) < 2 or cores < 2:
        return [work(item) for item in items]
    return list(_workers(cores).map(alone, items))


@cache
def _workers(number: int) -> ThreadPoolExecutor:
    """Kept, because a change of one name would start fifty threads."""
    return ThreadPoolExecutor(number, thread_name_prefix="arithmetic")


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_workers.cache_clear)  # threads do not survive a fork


def in_parts(number: int) -> list[slice]:
    """Rows in a few parts of about the same size: always the same ones, whatever the number of cores."""
    return [slice(*bounds) for bounds in pairwise(number * part // _PARTS for part in range(_PARTS + 1))]


def in_blocks(number: int, width: int) -> list[slice]:
    """Rows of some width in blocks that fit into the processor's cache, with what is computed from them on the way."""
    size = max(1, _BLOCK // max(width, 1))
    return [slice(first, min(first + size, number)) for first in range(0, number, size)]


def laid_out(matrix: Doubles, order: Literal["C", "F"]) -> Doubles:
    """A copy with its rows (C) or its columns (F) in sequence, made in blocks that fit into the processor's cache."""
    found = np.empty(matrix.shape, order=order)

    def fill(part: slice) -> None:
        for first in range(part.start, part.stop, _TURNED):
            own = slice(first, min(first + _TURNED, part.stop))
            found[own] = matrix[own]

    in_parallel(fill, in_parts(len(matrix)))
    return found


@one_thread()
def product(left: Floats, right: Floats) -> Floats:
    """The product of two matrices; a large one is computed in parallel, in parts of its rows.

    The parts are always the same, and each runs on one thread, so the bits are the same for any number of cores.
    """
    if left.size * right.shape[1] < _LARGE:
        found: Floats = left @ right
        return found
    found = np.empty((len(left), right.shape[1]), np.float32)
    is_narrow = 1 < right.shape[1] <= _FEW and len(left) >= _PARTS * _ROWS
    columns = _padded(right) if is_narrow else right

    def fill(own: slice) -> None:
        if is_narrow:
            _multiply_in_blocks(left[own], columns, found[own])
        else:
            np.matmul(left[own], columns, out=found[own])

    in_parallel(fill, in_parts(len(left)))
    return found


@one_thread()
def sparse_product(left: Sparse, right: NDArray[Real]) -> NDArray[Real]:
    """The product of a sparse and a dense matrix; a large one is computed in parallel, in parts of its rows.

    Every number is summed in the same order, by rows or by columns and whatever stands beside it, so the bits are the
    same for any parts.
    """
    if left.nnz * right.shape[1] < _MANY:
        small: NDArray[Real] = left @ right
        return small
    rows, columns = left.tocsr(), np.ascontiguousarray(right)  # by rows, every row of the result is written only once
    found = np.empty((left.shape[0], right.shape[1]), np.result_type(left.dtype, right.dtype))

    def fill(own: slice) -> None:
        found[own] = rows[own] @ columns

    in_parallel(fill, _alike_parts(rows))
    return found


def _alike_parts(rows: Sparse) -> list[slice]:
    """Rows in a few parts with about as many values: few rows may have most of them."""
    ends = np.searchsorted(rows.indptr, [rows.nnz * part // _PARTS for part in range(1, _PARTS)])
    return [slice(*bounds) for bounds in pairwise((0, *ends.tolist(), rows.shape[0]))]


def _padded(right: Floats) -> Floats:
    """With columns of zeros up to a multiple of `_COLUMNS`: blocks of other shapes may be summed in another order."""
    padded = np.zeros((len(right), -(-right.shape[1] // _COLUMNS) * _COLUMNS), np.float32)
    padded[:, : right.shape[1]] = right
    return padded


def _multiply_in_blocks(left: Floats, right: Floats, found: Floats) -> None:
    """Write the first columns of a product to `found`; the last block overlaps the one before, for the same reason."""
    whole = len(left) // _ROWS * _ROWS
    blocks = left[:whole].reshape(-1, _ROWS, left.shape[1]) @ right
    found[:whole] = blocks.reshape(whole, -1)[:, : found.shape[1]]
    found[-_ROWS:] = (left[-_ROWS:] @ right)[:, : found.shape[1]]
