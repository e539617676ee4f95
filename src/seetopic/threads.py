"""Products of matrices whose last bits depend on no number of threads."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from functools import cached_property
from threading import Lock
from typing import Any


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
