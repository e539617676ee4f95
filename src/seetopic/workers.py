"""Worker processes, each with a pipe of its own: one that dies loses the item it had, which another does again."""

from __future__ import annotations

import pickle
import signal
from collections.abc import Callable
from concurrent.futures import CancelledError, Future, ThreadPoolExecutor
from dataclasses import dataclass
from functools import cached_property, partial
from multiprocessing import Pipe
from multiprocessing.connection import Connection
from multiprocessing.util import Finalize
from queue import LifoQueue
from threading import Lock
from typing import Any

from seetopic.errors import WorkerLost
from seetopic.parcels import Parcel, named, outcome_of, result_of

_TRIES = 3  # workers that one item may cost
# There is a worker a core already.
_ONE_THREAD = {f"{library}_NUM_THREADS": "1" for library in ("OMP", "OPENBLAS", "MKL", "VECLIB_MAXIMUM", "NUMEXPR")}


class Workers:
    """A fixed number of processes, started when there is work for them."""

    def __init__(self, number: int) -> None:
        self._threads = ThreadPoolExecutor(number)  # each waits for one process
        self._idle: LifoQueue[_Worker | None] = LifoQueue()  # None: one that is not started
        for _ in range(number):
            self._idle.put(None)
        self._started: list[_Worker] = []
        self._starting = Lock()
        self._stop = Finalize(self, _stop, [self._started], exitpriority=10)  # also where nobody closes them

    def submit(self, parcel: Parcel, item: Any) -> Future[Any]:
        """The parcel's function of the item, by and by."""
        return self._threads.submit(self._done, parcel, item)

    def close(self) -> None:
        """End the processes; work that is not finished is dropped."""
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
            except (EOFError, OSError):  # its end of the pipe is gone
                self._leave(worker)
                worker = None
            else:
                return result_of(outcome)
            finally:
                self._idle.put(worker)
        raise WorkerLost(
            f"{_TRIES} worker processes in a row were killed at the same piece of work, {named(item)}; "
            "most often that is for want of memory: give fewer --jobs (in Python: jobs), or more memory"
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
        # Loky's processes need no `if __name__ == "__main__"` in the user's script, which the standard library's do.
        from joblib.externals.loky.backend import get_context

        self._pipe, theirs = Pipe()
        self._carries: Parcel | None = None
        self.process = get_context("loky").Process(target=_serve, args=(theirs,), env=_ONE_THREAD)
        self.process.start()
        theirs.close()  # so that its end is the only one, and gone with it

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
    """What a worker does, until the other end of the pipe is gone: it holds one function, and takes items."""
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
    """The function of a map, unpacked for its first item."""

    parcel: Parcel

    @cached_property
    def _function(self) -> Callable[[Any], Any]:
        return self.parcel.unpacked()

    def result(self, item: bytes) -> Any:
        return self._function(pickle.loads(item))
