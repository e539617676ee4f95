"""Products of matrices whose last bits depend on no number of threads."""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from functools import cache
from itertools import pairwise
from threading import RLock
from typing import Any

import numpy as np

from seetopic.errors import SettingsError
from seetopic.runtime.arrays import Floats
from seetopic.runtime.engine import available_cores

DEVICES = ("auto", "cpu", "cuda")


def resolve_device(device: str) -> str:
    """The device to compute on; `auto` takes a GPU where there is one."""
    if device not in DEVICES:
        raise SettingsError(f"`device` is {device!r}, but must be one of {', '.join(DEVICES)}")
    if device == "cpu":
        return device
    import torch

    if torch.cuda.is_available():
        return "cuda"
    if device == "cuda":
        raise SettingsError("`device` is 'cuda', but no GPU can be used here; say auto or cpu")
    return "cpu"


@contextmanager
def one_torch_thread() -> Iterator[None]:
    """Products on one thread: with several, how sums are grouped, and so the last bits, may depend on how many."""
    import torch

    before = torch.get_num_threads()
    torch.set_num_threads(1)
    try:
        yield
    finally:
        torch.set_num_threads(before)


_PARTS = 4  # of a product, for any number of cores
_LARGE = 1 << 24  # multiplications of a product that is worth parting
_ONE_AT_A_TIME = RLock()


@contextmanager
def one_thread() -> Iterator[None]:
    """How sums are grouped, and so their last bits, may depend on the number of threads; also a decorator.

    Most libraries know one number of threads for a whole process: if two threads of it limited the number at once,
    one would lift the limit while the other is still at work. So one waits for the other, and what stands inside
    must be arithmetic only: it may wait for nothing that another thread has begun.
    """
    with _ONE_AT_A_TIME, _limited():
        yield


def _limited() -> Any:
    return _libraries().limit(limits=1, user_api="blas")


@cache
def _libraries() -> Any:
    """Looked for once, which takes longer than a small product: the only one that matters came with numpy."""
    from threadpoolctl import ThreadpoolController

    return ThreadpoolController()


@one_thread()
def product(left: Floats, right: Floats) -> Floats:
    """The product of two matrices, the rows of a large one in parts, side by side.

    The parts are always the same, and each is one thread's, so the bits are the same for any number of cores.
    """
    if left.size * right.shape[1] < _LARGE:
        found: Floats = left @ right
        return found
    found = np.empty((len(left), right.shape[1]), np.float32)
    bounds = pairwise(len(left) * part // _PARTS for part in range(_PARTS + 1))

    def fill(part: tuple[int, int]) -> None:
        with _limited():  # other libraries know a number for each thread
            np.matmul(left[slice(*part)], right, out=found[slice(*part)])

    with ThreadPoolExecutor(min(_PARTS, available_cores())) as workers:  # not kept: threads do not survive a fork
        list(workers.map(fill, bounds))
    return found
