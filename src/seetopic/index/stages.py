"""Runs work in stages, each complete on disk before the next, so that interrupted work resumes."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from seetopic.errors import IndexInUse, SeeTopicError
from seetopic.index.layout import FORMAT, building, key_of
from seetopic.runtime import read_json, sha256_of, write_json, writing
from seetopic.version import __version__

_RECORD = "stages.json"


@dataclass(frozen=True)
class Stage:
    """A step that writes its results to disk; it runs again only if its inputs, or an earlier stage's, changed."""

    name: str
    inputs: Callable[[], dict[str, Any]]  # called late, because the first stage may have to run before they are known
    work: Callable[[], None]
    told: Callable[[], None] | None = None  # called when its results exist, even if they already did


def do_stages(stages: list[Stage], folder: Path) -> dict[str, str]:
    """Run the stages of a build that are not done yet; returns the SHA-256 of all files.

    Results of an earlier run are reused only if they are unchanged to the last byte, because the index will trust them.
    """
    done = _recorded(folder)
    # Another version may run a stage differently.
    key = key_of(FORMAT, __version__)
    for place, stage in enumerate(stages):
        left = done.get(stage.name)
        if left is not None:
            inputs = stage.inputs()
            own = key_of(key, stage.name, inputs)  # depends on all earlier stages, too
            if None not in inputs.values() and left["key"] == own and _is_intact(folder, left):
                key = own
                _tell(stage)
                continue
        done = {each.name: done[each.name] for each in stages[:place]}  # later stages depend on this one
        _record(folder, done)
        before = _states(folder)
        stage.work()
        key = key_of(key, stage.name, stage.inputs())
        written = [name for name, state in _states(folder).items() if before.get(name) != state]
        done[stage.name] = {"key": key, "files": {name: sha256_of(folder / name) for name in sorted(written)}}
        _record(folder, done)
        _tell(stage)
    return {name: digest for each in done.values() for name, digest in each["files"].items()}


def _tell(stage: Stage) -> None:
    if stage.told is not None:
        stage.told()


def _recorded(folder: Path) -> dict[str, Any]:
    """For each finished stage, its key and the SHA-256 of the files that it wrote."""
    try:
        record = read_json(folder / _RECORD)
        done: dict[str, Any] = record["done"]
        return done if record["seal"] == key_of(done) else {}
    except (OSError, ValueError, KeyError):  # missing or damaged
        return {}


def _record(folder: Path, done: dict[str, Any]) -> None:
    write_json(folder / _RECORD, {"done": done, "seal": key_of(done)})


def _states(folder: Path) -> dict[str, tuple[int, int, int]]:
    """What changes when a file is rewritten, for every file."""
    files = ((path, path.stat()) for path in folder.rglob("*") if path.is_file() and path.name != _RECORD)
    return {path.relative_to(folder).as_posix(): (seen.st_ino, seen.st_size, seen.st_mtime_ns) for path, seen in files}


def _is_intact(folder: Path, done: dict[str, Any]) -> bool:
    try:
        return all(sha256_of(folder / name) == digest for name, digest in done["files"].items())
    except OSError:
        return False


def forget_stages(folder: Path) -> None:
    """Make the next build in this folder start from scratch."""
    with writing(folder):
        (folder / _RECORD).unlink(missing_ok=True)


def clear_finished(out: Path) -> None:
    """Remove the leftovers of a build that was killed at its very end."""
    folder = building(out)
    if not folder.is_dir() or (folder / _RECORD).exists():  # the record belongs to a build that can be resumed
        return
    with suppress(SeeTopicError), exclusive(out):  # a build may be running, or the folder may be read-only
        if not (folder / _RECORD).exists():
            shutil.rmtree(folder, ignore_errors=True)


@contextmanager
def exclusive(out: Path, work: str = "build", waiting: Callable[[], None] | None = None) -> Iterator[None]:
    """Hold the lock on `out`; if another process has it, call `waiting` and wait, or refuse without `waiting`."""
    from filelock import FileLock, Timeout  # commands on a finished index need no lock

    lock_path = out.with_name(f".{out.name}.lock")
    with writing(out):
        out.parent.mkdir(parents=True, exist_ok=True)
        lock = FileLock(lock_path)
        try:
            lock.acquire(timeout=0)
        except Timeout:
            if waiting is None:
                raise IndexInUse(
                    f"another {work} is writing to {out}; wait until it finishes, or choose another location"
                ) from None
            waiting()
            lock.acquire()
            while not lock_path.exists():  # the previous holder removed the file that this one had opened
                lock.release()
                lock.acquire()
    try:
        yield
    finally:
        with suppress(OSError):  # an earlier error is more important
            lock_path.unlink(missing_ok=True)
        lock.release()
