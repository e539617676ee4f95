"""Products of matrices whose last bits depend on no number of threads."""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from functools import cached_property
from itertools import pairwise
from threading import Lock
from typing import Any

import numpy as np

from seetopic.arrays import Floats
from seetopic.engine import available_cores

_PARTS = 4  # of a product, for any number of cores
_LARGE = 1 << 24  # multiplications of a product that is worth parting


class _Limit:
    """One limit for the whole process: set by the first who comes in, lifted by the last who goes out.

    Libraries know only one number of threads a process. If everybody set and restored it alone, one would restore
    it while another is still inside.
    """

    def __init__(self) -> None:
        self._lock = Lock()
        self._inside = 0
        self._set: Any = None

    @cached_property
    def _libraries(self) -> Any:
        """Looked for once, which takes longer than a small product: the only one that matters came with numpy."""
        from threadpoolctl import ThreadpoolController

        return ThreadpoolController()

    def come_in(self) -> None:
        with self._lock:
            if not self._inside:
                self._set = self._libraries.limit(limits=1, user_api="blas")
            self._inside += 1

    def go_out(self) -> None:
        with self._lock:
            self._inside -= 1
            if not self._inside:
                self._set.restore_original_limits()


_LIMIT = _Limit()


@contextmanager
def one_thread() -> Iterator[None]:
    """How sums are grouped, and so their last bits, may depend on the number of threads; also a decorator."""
    _LIMIT.come_in()
    try:
        yield
    finally:
        _LIMIT.go_out()


@one_thread()
def product(left: Floats, right: Floats) -> Floats:
    """The product of two matrices, the rows of a large one in parts, side by side.

    The parts are always the same, and each is one thread's, so the bits are the same on any machine's cores.
    """
    n_rows = len(left)
    found = np.empty((n_rows, right.shape[1]), np.float32)
    parts = _PARTS if left.size * right.shape[1] >= _LARGE else 1
    bounds = pairwise([n_rows * part // parts for part in range(parts + 1)])
    slices = [slice(first, last) for first, last in bounds]
    if parts == 1:
        return np.matmul(left, right, out=found)
    with ThreadPoolExecutor(min(parts, available_cores())) as workers:  # not kept: threads do not survive a fork
        list(workers.map(lambda part: np.matmul(left[part], right, out=found[part]), slices))
    return found
