"""A function packed once for many processes: where it is large, its arrays are pages of one file that all share."""

from __future__ import annotations

import mmap
import pickle
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from itertools import accumulate, pairwise
from pathlib import Path
from typing import Any

from seetopic.files import writing

_SMALL = 1 << 20  # bytes that may go through a pipe, once to each worker
_ALIGNED = 64  # arrays begin at multiples of it, as numpy's own do


@dataclass(frozen=True, eq=False)
class Parcel:
    """A packed function; every worker process unpacks it for itself."""

    stream: bytes
    path: Path | None = None  # holds the function's arrays one after the other, read-only for all
    bounds: tuple[tuple[int, int], ...] = ()  # of each array in the file

    def unpacked(self) -> Callable[[Any], Any]:
        pages = memoryview(b"" if self.path is None else _pages(self.path))
        arrays = [pages[first:last] for first, last in self.bounds]
        function: Callable[[Any], Any] = pickle.loads(self.stream, buffers=arrays)
        return function


def _pages(path: Path) -> mmap.mmap:
    with path.open("rb") as file:
        return mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)


def can_travel(function: Callable[..., Any]) -> bool:
    """Whether another process can have it: a lambda, and what holds one, only exists here."""
    try:
        pickle.dumps(function, protocol=5, buffer_callback=lambda _: None)  # without a copy of its arrays
    except (pickle.PicklingError, AttributeError, TypeError):
        return False
    return True


@contextmanager
def packed(function: Callable[..., Any]) -> Iterator[Parcel]:
    """The function as a parcel, whose file is gone afterwards."""
    # This pickle knows what the user's own script defines, which workers do not import.
    import cloudpickle

    buffers: list[pickle.PickleBuffer] = []
    stream = cloudpickle.dumps(function, protocol=5, buffer_callback=buffers.append)
    arrays = [buffer.raw() for buffer in buffers]
    if sum(array.nbytes for array in arrays) <= _SMALL:
        yield Parcel(cloudpickle.dumps(function, protocol=5))
        return
    starts = [0, *accumulate(-(-array.nbytes // _ALIGNED) * _ALIGNED for array in arrays)]
    bounds = tuple((start, start + array.nbytes) for start, array in zip(starts, arrays, strict=False))
    with _temporary_file() as path:
        with writing(path), path.open("wb") as file:
            for array, (start, end) in zip(arrays, pairwise(starts), strict=True):
                file.write(array)
                file.write(bytes(end - start - array.nbytes))
        yield Parcel(stream, path, bounds)


@contextmanager
def _temporary_file() -> Iterator[Path]:
    """Removed also where this process is killed: a process of loky's looks after that."""
    from joblib.externals.loky.backend import resource_tracker

    with writing(Path(tempfile.gettempdir())), tempfile.NamedTemporaryFile(prefix="seetopic-", delete=False) as file:
        path = Path(file.name)
    with suppress(ValueError):  # a path that it cannot be told: too long, or not of ASCII letters
        resource_tracker.register(str(path), "file")
    try:
        yield path
    finally:
        with suppress(ValueError):
            resource_tracker.unregister(str(path), "file")
        with suppress(PermissionError):  # Windows keeps a file that a worker still reads
            path.unlink(missing_ok=True)
