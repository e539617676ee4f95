"""Temporary folders that are removed with their process, or by the next process if theirs was killed."""

from __future__ import annotations

import shutil
import tempfile
from contextlib import ExitStack, suppress
from pathlib import Path

from seetopic.runtime.files import held, remove_unless_held, writing

_PREFIX = "seetopic-"
_MARK = ".made-by-seetopic"  # a folder without it is not ours, whatever its name
_held: dict[Path, ExitStack] = {}


def temporary_folder() -> Path:
    """A new folder, locked by this process until `remove_temporary`; those of killed processes are removed."""
    place = Path(tempfile.gettempdir())
    _clear(place)
    with writing(place):
        folder = Path(tempfile.mkdtemp(prefix=_PREFIX))
        stack = _held[folder] = ExitStack()
        stack.enter_context(held(folder))
        (folder / _MARK).touch()  # only once it is locked: a marked folder that is not locked counts as abandoned
    return folder


def remove_temporary(folder: Path) -> None:
    shutil.rmtree(folder, ignore_errors=True)
    _held.pop(folder, ExitStack()).close()


def _clear(place: Path) -> None:
    with suppress(OSError):
        for folder in place.glob(f"{_PREFIX}*"):
            if (folder / _MARK).is_file() and not folder.is_symlink():
                remove_unless_held(folder)
