"""The data folder of a workbench: marked, private, and never a folder that holds anything else."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from filelock import FileLock, Timeout

from seetopic.errors import SettingsError
from seetopic.runtime import writing

DATABASE = "workbench.sqlite"
LOCK = "lock"
MARK = ".seetopic-workbench"
_TOLD = "seetopic serve keeps its projects, uploads and indexes in this folder.\n"


@contextmanager
def claimed(data: Path) -> Iterator[None]:
    """Lock the folder, because two servers on the same data would resume the same builds."""
    with writing(data):
        data.mkdir(parents=True, exist_ok=True, mode=0o700)
        _refuse_others(data)
        lock = FileLock(data / LOCK, mode=0o600)
        try:
            lock.acquire(timeout=0)
        except Timeout:
            raise SettingsError(
                f"another workbench is already using {data}; use that one, or choose another folder with --data"
            ) from None
    try:
        with writing(data):
            _make_private(data)
            if not (data / MARK).is_file():
                (data / MARK).write_text(_TOLD, encoding="utf-8")
        yield
    finally:
        lock.release()


@contextmanager
def entry_page(data: Path, link: str) -> Iterator[Path]:
    """A page that redirects to a link, so that the list of processes shows its path and not the token."""
    path = data / "open.html"
    with writing(path):
        path.unlink(missing_ok=True)
        with os.fdopen(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w", encoding="utf-8") as file:
            file.write(f'<!doctype html><meta charset="utf-8"><meta http-equiv="refresh" content="0; url={link}">')
            file.write(f'<title>seetopic workbench</title><a href="{link}">Open the workbench</a>')
    try:
        yield path
    finally:
        path.unlink(missing_ok=True)


def _refuse_others(data: Path) -> None:
    # Older workbenches have a database but no mark; a failed start leaves only a lock.
    if (data / MARK).is_file() or (data / DATABASE).is_file():
        return
    other = next((each.name for each in sorted(data.iterdir()) if each.name != LOCK), None)
    if other is not None:
        raise SettingsError(
            f"{data} is not a workbench folder and is not empty (it contains {other[:80]!r}); "
            "choose an empty or new folder with --data"
        )


def _make_private(data: Path) -> None:
    """Restrict access to the owner, even if the folder or the database was created with wider permissions."""
    data.chmod(0o700)
    os.close(os.open(data / DATABASE, os.O_RDWR | os.O_CREAT, 0o600))
    for name in (DATABASE, f"{DATABASE}-wal", f"{DATABASE}-shm"):  # SQLite keeps two more files next to it
        if (data / name).is_file():
            (data / name).chmod(0o600)
