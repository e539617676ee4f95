"""Work in stages, each whole on disk before the next: what was cut off goes on, by one process at a time."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from filelock import FileLock, Timeout

from seetopic.errors import IndexInUse, SeeTopicError
from seetopic.files import write_json, writing
from seetopic.identity import key_of
from seetopic.layout import FORMAT, building
from seetopic.version import __version__

_RECORD = "stages.json"


@dataclass(frozen=True)
class Stage:
    """A step that leaves its results on disk; it is done again only if its inputs, or an earlier stage's, changed."""

    name: str
    inputs: dict[str, Any]
    work: Callable[[], None]


def do_stages(stages: list[Stage], folder: Path) -> None:
    """What is not done yet of a build in a folder, which keeps a record of what is."""
    record = folder / _RECORD
    done: dict[str, str] = json.loads(record.read_text(encoding="utf-8")) if record.exists() else {}
    # Another version may do a stage differently.
    key = key_of(FORMAT, __version__)
    for stage in stages:
        key = key_of(key, stage.name, stage.inputs)  # so it changes with all that came before, too
        comparable = None not in stage.inputs.values()
        if comparable and done.get(stage.name) == key:
            continue
        done.pop(stage.name, None)
        write_json(record, done)
        stage.work()
        done[stage.name] = key
        write_json(record, done)


def forget_stages(folder: Path) -> None:
    """Whoever builds there next begins anew."""
    with writing(folder):
        (folder / _RECORD).unlink(missing_ok=True)


def clear_finished(out: Path) -> None:
    """Remove what a build that was killed at its very end has left beside its index."""
    folder = building(out)
    if not folder.is_dir() or (folder / _RECORD).exists():  # the record is of a build that can go on
        return
    with suppress(SeeTopicError), alone(out):  # a build may be under way, or nothing may be written here
        if not (folder / _RECORD).exists():
            shutil.rmtree(folder, ignore_errors=True)


@contextmanager
def alone(out: Path, work: str = "build", waiting: Callable[[], None] | None = None) -> Iterator[None]:
    """Nobody else writes the same meanwhile, or this work does not begin; `waiting` is told that it has to wait."""
    lock_path = out.with_name(f".{out.name}.lock")
    with writing(out):
        out.parent.mkdir(parents=True, exist_ok=True)
        lock = FileLock(lock_path)
        try:
            lock.acquire(timeout=0)
        except Timeout:
            if waiting is None:
                raise IndexInUse(f"another {work} is writing {out}; wait for it, or choose another place") from None
            waiting()
            lock.acquire()
            while not lock_path.exists():  # the one before removed what this one had opened
                lock.release()
                lock.acquire()
    try:
        yield
    finally:
        with suppress(OSError):  # what went wrong before is what the user must know of
            lock_path.unlink(missing_ok=True)
        lock.release()
