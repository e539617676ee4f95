"""What goes to other processes and comes back: functions, packed once for all of them, and outcomes."""

from __future__ import annotations

import mmap
import pickle
import tempfile
import traceback
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from itertools import accumulate, pairwise
from pathlib import Path
from reprlib import Repr
from typing import Any, Literal

from seetopic.errors import SeeTopicError
from seetopic.files import writing

_SMALL = 1 << 20  # bytes that may go through a pipe, once to each worker
_ALIGNED = 64  # arrays begin at multiples of it, as numpy's own do


@dataclass(frozen=True, eq=False)
class Parcel:
    """A packed function; every worker process unpacks it for itself, but large arrays are pages that all share."""

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
    with writing(Path(tempfile.gettempdir())), tempfile.NamedTemporaryFile(prefix="seetopic-", delete=False) as file:
        path = Path(file.name)
    with gone_with_us(path, "file"):
        try:
            yield path
        finally:
            with suppress(PermissionError):  # Windows keeps a file that a worker still reads
                path.unlink(missing_ok=True)


@contextmanager
def gone_with_us(path: Path, kind: Literal["file", "folder"]) -> Iterator[None]:
    """Have a file or folder removed if this process is killed: a process of loky's looks after that."""
    from joblib.externals.loky.backend import resource_tracker

    with suppress(ValueError):  # a path that it cannot be told: too long, or not of ASCII letters
        resource_tracker.register(str(path), kind)
    try:
        yield
    finally:
        with suppress(ValueError):
            resource_tracker.unregister(str(path), kind)


# The way back.


def outcome_of(work: Callable[[], Any]) -> bytes:
    """The result, or the error, packed."""
    try:
        return _packed_outcome(work(), None)
    except Exception as error:
        if not isinstance(error, SeeTopicError):  # a bug: where it is can be seen only here
            error.add_note(f"In a worker process:\n{traceback.format_exc()}")
        try:
            return _packed_outcome(None, error)
        except Exception:  # an error that cannot be packed, each in its own way
            return _packed_outcome(None, RuntimeError("".join(traceback.format_exception(error))))


def _packed_outcome(result: Any, error: Exception | None) -> bytes:
    import cloudpickle

    packed: bytes = cloudpickle.dumps((result, error), protocol=5)
    return packed


def result_of(outcome: bytes) -> Any:
    """The result; an error is raised."""
    result, error = pickle.loads(outcome)
    if error is not None:
        raise error
    return result


def named(item: Any) -> str:
    """A piece of work as a person can be told of it."""
    short = Repr()
    short.maxother = short.maxstring = 100
    return short.repr(item)
