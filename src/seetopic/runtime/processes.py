"""Worker processes, each with its own pipe: if one dies, another repeats the item it was processing."""

from __future__ import annotations

import mmap
import pickle
import signal
import tempfile
import traceback
from collections.abc import Callable, Iterator
from concurrent.futures import CancelledError, Future, ThreadPoolExecutor
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from functools import cached_property, partial
from itertools import accumulate, pairwise
from multiprocessing import Pipe
from multiprocessing.connection import Connection
from multiprocessing.util import Finalize
from pathlib import Path
from queue import LifoQueue
from reprlib import Repr
from threading import Lock
from typing import Any, Literal

from seetopic.errors import SeeTopicError, WorkerLost
from seetopic.runtime.files import writing

_SMALL = 1 << 20  # bytes of arrays that may be sent through the pipe to each worker
_ALIGNED = 64  # arrays begin at multiples of it, as in NumPy


@dataclass(frozen=True, eq=False)
class Parcel:
    """A pickled function; each worker process unpickles it, but large arrays are memory-mapped and shared."""

    stream: bytes
    path: Path | None = None  # contains the function's arrays, concatenated and read-only
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
    """Whether it can be sent to another process; a lambda, or anything that contains one, cannot."""
    try:
        pickle.dumps(function, protocol=5, buffer_callback=lambda _: None)  # without copying its arrays
    except (pickle.PicklingError, AttributeError, TypeError):
        return False
    return True


@contextmanager
def packed(function: Callable[..., Any]) -> Iterator[Parcel]:
    """The function as a parcel, whose file is removed afterwards."""
    # Unlike pickle, it includes what the user's own script defines, which workers do not import.
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
            with suppress(PermissionError):  # Windows cannot remove a file that a worker still reads
                path.unlink(missing_ok=True)


@contextmanager
def gone_with_us(path: Path, kind: Literal["file", "folder"]) -> Iterator[None]:
    """Have loky's resource tracker remove a file or folder if this process is killed."""
    from loky.backend import resource_tracker

    with suppress(ValueError):  # a path that it cannot track: too long, or not ASCII
        resource_tracker.register(str(path), kind)
    try:
        yield
    finally:
        with suppress(ValueError):
            resource_tracker.unregister(str(path), kind)


# Results.


def outcome_of(work: Callable[[], Any]) -> bytes:
    """The pickled result or error."""
    try:
        return _packed_outcome(work(), None)
    except Exception as error:
        if not isinstance(error, SeeTopicError):  # a bug, whose traceback exists only here
            error.add_note(f"In a worker process:\n{traceback.format_exc()}")
        try:
            return _packed_outcome(None, error)
        except Exception:  # an error that cannot be pickled
            return _packed_outcome(None, RuntimeError("".join(traceback.format_exception(error))))


def _packed_outcome(result: Any, error: Exception | None) -> bytes:
    import cloudpickle

    packed: bytes = cloudpickle.dumps((result, error), protocol=5)
    return packed


def result_of(outcome: bytes) -> Any:
    """Return the result, or raise the error."""
    result, error = pickle.loads(outcome)
    if error is not None:
        raise error
    return result


def named(item: Any) -> str:
    """An item, shortened for an error message."""
    short = Repr()
    short.maxother = short.maxstring = 100
    return short.repr(item)


_TRIES = 3  # workers that may die on one item
# There is already one worker per core.
_ONE_THREAD = {f"{library}_NUM_THREADS": "1" for library in ("OMP", "OPENBLAS", "MKL", "VECLIB_MAXIMUM", "NUMEXPR")}


class Workers:
    """A fixed number of processes, started on demand."""

    def __init__(self, number: int) -> None:
        self._threads = ThreadPoolExecutor(number)  # each waits for one process
        self._idle: LifoQueue[_Worker | None] = LifoQueue()  # None: not started yet
        for _ in range(number):
            self._idle.put(None)
        self._started: list[_Worker] = []
        self._starting = Lock()
        self._stop = Finalize(self, _stop, [self._started], exitpriority=10)  # at exit, if nobody closes them before

    def submit(self, parcel: Parcel, item: Any) -> Future[Any]:
        """Apply the parcel's function to the item in a worker."""
        return self._threads.submit(self._done, parcel, item)

    def close(self) -> None:
        """End the processes; unfinished work is dropped."""
        with self._starting:
            self._stop()
        self._threads.shutdown(wait=True, cancel_futures=True)
        for worker in self._started:
            worker.process.join()

    def _done(self, parcel: Parcel, item: Any) -> Any:
        import cloudpickle

        packed_item = cloudpickle.dumps(item, protocol=5)
        for _ in range(_TRIES):
            worker = self._idle.get()
            try:
                worker = worker or self._start()
                outcome = worker.outcome(parcel, packed_item)
            except (EOFError, OSError):  # the worker has died
                self._leave(worker)
                worker = None
            else:
                return result_of(outcome)
            finally:
                self._idle.put(worker)
        raise WorkerLost(
            f"{_TRIES} worker processes in a row were killed while processing {named(item)}; the usual cause is a lack "
            "of memory: use fewer --jobs (in Python: n_jobs), or more memory"
        )

    def _start(self) -> _Worker:
        with self._starting:
            if not self._stop.still_active():
                raise CancelledError
            worker = _Worker()
            self._started.append(worker)
            return worker

    def _leave(self, worker: _Worker | None) -> None:
        with self._starting:
            if not self._stop.still_active():
                raise CancelledError
            if worker is not None:
                self._started.remove(worker)
                worker.stop()
                worker.process.join()


class _Worker:
    """A process, and our end of the pipe to it."""

    def __init__(self) -> None:
        # Unlike the standard library's, loky's processes need no `if __name__ == "__main__"` in the user's script.
        from loky.backend import get_context

        self._pipe, theirs = Pipe()
        self._carries: Parcel | None = None
        self.process = get_context("loky").Process(target=_serve, args=(theirs,), env=_ONE_THREAD)
        self.process.start()
        theirs.close()  # so that the pipe closes when the worker dies

    def outcome(self, parcel: Parcel, item: bytes) -> bytes:
        self._pipe.send(None if parcel is self._carries else parcel)
        self._carries = parcel
        self._pipe.send_bytes(item)
        return self._pipe.recv_bytes()

    def stop(self) -> None:
        self.process.terminate()
        self._pipe.close()


def _stop(workers: list[_Worker]) -> None:
    for worker in workers:
        worker.stop()


def _serve(pipe: Connection) -> None:
    """The worker's loop: apply the current function to items until the pipe is closed."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for the process that started this one
    held = _Held(Parcel(b""))
    while True:
        try:
            new: Parcel | None = pipe.recv()
            item = pipe.recv_bytes()
        except (EOFError, OSError):
            return
        if new is not None:
            held = _Held(new)
        pipe.send_bytes(outcome_of(partial(held.result, item)))


@dataclass(frozen=True)
class _Held:
    """The function of a map, unpickled for its first item."""

    parcel: Parcel

    @cached_property
    def _function(self) -> Callable[[Any], Any]:
        return self.parcel.unpacked()

    def result(self, item: bytes) -> Any:
        return self._function(pickle.loads(item))
