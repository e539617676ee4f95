"""Background jobs, each in its own process, which reports progress and can be stopped at any time."""

from __future__ import annotations

import gc
import multiprocessing
import os
import signal
import sys
import threading
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass, field
from functools import cache
from multiprocessing.connection import Connection
from multiprocessing.context import ForkServerContext, SpawnContext
from multiprocessing.process import BaseProcess
from typing import Any, Literal

from seetopic.errors import SeeTopicError
from seetopic.web.errors import NotYet
from seetopic.web.limits import QUEUE
from seetopic.web.schemas import Frozen

_OFTEN = 0.1  # seconds between two progress reports of a stage
_GRACE = 3.0  # seconds for a stopped process to exit
# What jobs import, most of it while they work; all of it takes longer than the work on a small corpus.
_IMPORTED_BY_JOBS = (
    "safetensors.torch",
    "scipy.sparse",
    "seetopic.web.annotation",
    "seetopic.web.comparisons",
    "seetopic.web.corpora",
    "seetopic.web.document_tables",
    "stop_words",
    "threadpoolctl",
    "torch",
)
Work = Callable[..., Any]  # takes `progress=`; returns something picklable
Ended = Callable[[Any, str | None, bool], None]  # result, problem, whether it was stopped


class StageState(Frozen):
    """One step of a job."""

    name: str
    state: Literal["done", "running", "waiting"]


class Job(Frozen):
    """Progress of a job; `share` and `remaining` are estimates for the whole job."""

    stage: str
    stages: tuple[StageState, ...]
    done: int
    total: int | None
    share: float
    seconds: float
    remaining: float | None


@dataclass(frozen=True)
class Plan:
    """The expected stages of a job, each with its usual share of the total time."""

    stages: Sequence[tuple[str, float]]

    def job(self, stage: str, done: int, total: int | None, seconds: float) -> Job:
        names = [name for name, _ in self.stages]
        place = names.index(stage) if stage in names else -1
        within = min(done / total, 1.0) if total else 0.0
        whole = sum(share for _, share in self.stages) or 1.0
        before = sum(share for _, share in self.stages[: max(place, 0)])
        share = (before + (self.stages[place][1] * within if place >= 0 else 0.0)) / whole
        remaining = seconds * (1 - share) / share if share > 0.02 and seconds > 1 else None
        states = tuple(
            StageState(name=name, state="done" if at < place else "running" if at == place else "waiting")
            for at, name in enumerate(names)
        )
        return Job(
            stage=stage,
            stages=states,
            done=done,
            total=total,
            share=round(share, 4),
            seconds=round(seconds, 1),
            remaining=None if remaining is None else round(remaining, 1),
        )


@dataclass
class _Running:
    """State of a job, written by the thread that watches it and read by requests."""

    plan: Plan
    stage: str = "waiting"
    done: int = 0
    total: int | None = None
    furthest: int = -1
    started: float | None = None
    stopped: bool = False
    process: BaseProcess | None = field(default=None, repr=False)

    def told(self, stage: str, done: int, total: int | None) -> None:
        names = [name for name, _ in self.plan.stages]
        place = names.index(stage) if stage in names else -1
        if place >= self.furthest:  # a stage may call an earlier one
            self.furthest = place
            self.stage, self.done, self.total = stage, done, total

    def job(self) -> Job:
        seconds = 0.0 if self.started is None else time.monotonic() - self.started
        return self.plan.job(self.stage, self.done, self.total, seconds)


class Jobs:
    """Jobs by key, run one after the other."""

    def __init__(self, most: int = QUEUE) -> None:
        self._most = most
        self._running: dict[str, _Running] = {}
        self._lock = threading.Lock()
        self._closed = False
        self._watchers = ThreadPoolExecutor(1, thread_name_prefix="job")

    def start(self, key: str, plan: Plan, ended: Ended, work: Work, *values: Any, **named: Any) -> None:
        """Start when a slot is free; `ended` is called once, in another thread."""
        with self._lock:
            if key in self._running or self._closed:
                return
            running = self._running[key] = _Running(plan)
        self._watchers.submit(self._watch, key, running, ended, work, values, named)

    def require_room(self) -> None:
        """Refuse a new job when too many are running or waiting; resuming after a restart skips this check."""
        if len(self._running) >= self._most:
            raise NotYet(
                f"{len(self._running)} jobs are running or waiting, which is the limit; "
                "stop one, or wait for one to finish"
            )

    def job(self, key: str) -> Job | None:
        """Progress of a job; None if there is no such job."""
        running = self._running.get(key)
        return None if running is None else running.job()

    def stop(self, key: str) -> None:
        """Stop a job, running or waiting; it can be restarted at once."""
        with self._lock:
            running = self._running.pop(key, None)
            if running is None:
                return
            running.stopped = True
            process = running.process
        if process is not None:
            _end(process)

    def close(self) -> None:
        """Stop all jobs; those that save their state resume at the next start."""
        with self._lock:
            self._closed = True
            keys = list(self._running)
        for key in keys:
            self.stop(key)
        self._watchers.shutdown(wait=True)

    def _watch(
        self, key: str, running: _Running, ended: Ended, work: Work, values: tuple[Any, ...], named: dict[str, Any]
    ) -> None:
        result, problem = None, None
        try:
            if not running.stopped:
                result, problem = self._run(running, work, values, named)
        except Exception as error:
            problem = f"the job failed ({type(error).__name__}: {error}); see the server's log"
        finally:
            with self._lock:
                stopped = running.stopped
                if self._running.get(key) is running:
                    del self._running[key]
            ended(result, problem, stopped)

    def _run(self, running: _Running, work: Work, values: tuple[Any, ...], named: dict[str, Any]) -> tuple[Any, Any]:
        context = _prepared()
        ours, theirs = context.Pipe(duplex=False)
        process = context.Process(target=_work_apart, args=(theirs, work, values, named))
        with self._lock:
            if running.stopped:
                return None, None
            process.start()
            running.process, running.started = process, time.monotonic()
        theirs.close()
        result: Any = None
        problem: str | None = "the job ended unexpectedly (it may have been killed or run out of memory); try again"
        with suppress(EOFError, OSError):
            while True:
                kind, value = ours.recv()
                if kind == "progress":
                    running.told(*value)
                else:
                    result, problem = (value, None) if kind == "result" else (None, value)
        process.join(_GRACE)
        if process.exitcode != 0 and process.pid is not None:
            _kill_group(process.pid)  # it was killed and left workers behind, or it hangs after finishing
            process.join()
        return result, problem


@cache
def _prepared() -> ForkServerContext | SpawnContext:
    """The context, once a process of it has run: the first one waits for imports, which must not happen in a lock."""
    context = _context()
    process = context.Process()
    process.start()
    process.join()
    return context


def _context() -> ForkServerContext | SpawnContext:
    """How processes start: on Linux, as forks of a process that has imported what they need.

    That process, which the first job starts and which ends with the server, does nothing but import; unlike a fork of
    the server itself, a fork of it cannot inherit a lock that some thread was holding.
    """
    if sys.platform != "linux":  # where system libraries may not survive a fork, or there is none
        return multiprocessing.get_context("spawn")
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload(list(_IMPORTED_BY_JOBS))
    return context


def _work_apart(pipe: Connection, work: Work, values: tuple[Any, ...], named: dict[str, Any]) -> None:
    """Body of the process: it works, reports progress, and ends with the server."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # on Ctrl-C the server stops its jobs itself
    if hasattr(os, "setsid"):
        os.setsid()  # so that this process's workers end with it
    threading.Thread(target=_end_with_parent, daemon=True).start()
    try:
        pipe.send(("result", work(*values, progress=_Told(pipe), **named)))
    except SeeTopicError as error:
        pipe.send(("problem", str(error)))
    except Exception as error:
        pipe.send(("problem", f"an unexpected error occurred ({type(error).__name__}); see the server's log"))
        raise
    finally:
        pipe.close()
        gc.freeze()  # so that the process ends at once, without looking for garbage


def _end_with_parent() -> None:
    """If the server crashes, end this process too: an orphan would keep the index locked."""
    parent = multiprocessing.parent_process()
    if parent is not None:
        parent.join()
        _kill_group(os.getpid())


class _Told:
    """Progress sent through a pipe, at a limited rate."""

    def __init__(self, pipe: Connection) -> None:
        self._pipe, self._stage, self._last = pipe, "", 0.0

    def __call__(self, stage: str, done: int, total: int | None) -> None:
        moment = time.monotonic()
        if stage != self._stage or moment - self._last >= _OFTEN:
            self._stage, self._last = stage, moment
            self._pipe.send(("progress", (stage, done, total)))


def _end(process: BaseProcess) -> None:
    process.terminate()
    process.join(_GRACE)
    if process.pid is not None:
        _kill_group(process.pid)


def _kill_group(leader: int) -> None:
    if hasattr(os, "killpg"):
        with suppress(ProcessLookupError, PermissionError):
            os.killpg(leader, signal.SIGKILL)
    else:
        with suppress(OSError):
            os.kill(leader, signal.SIGTERM)
