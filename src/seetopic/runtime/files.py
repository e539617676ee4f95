"""Files that belong together: all of them are exchanged for new ones, or none, whenever the program is killed."""

from __future__ import annotations

import errno
import hashlib
import json
import os
import re
import shutil
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from seetopic.errors import OutputError

try:
    import fcntl
except ImportError:  # Windows
    fcntl = None  # type: ignore[assignment]

_ADVICE = {
    errno.ENOSPC: "free some space or choose another place",
    errno.EDQUOT: "free some of your quota or choose another place",
    errno.EFBIG: "raise the limit on file sizes or choose another place",
    errno.EACCES: "choose a place that you may write to",
    errno.EPERM: "choose a place that you may write to",
    errno.EROFS: "choose a place that you may write to",
    errno.EMFILE: "raise the limit on open files (ulimit -n)",
    errno.ENFILE: "let other programs end",
}


@contextmanager
def writing(path: Path) -> Iterator[None]:
    """Turn the operating system's refusal to write `path` into one sentence."""
    try:
        yield
    except OSError as error:
        advice = _ADVICE.get(error.errno or 0, "choose another place")
        reason = error.strerror or str(error)
        raise OutputError(f"cannot write {path}: {reason}; {advice}") from error


def place_of_file(path: Path) -> Path:
    """Where a file really is, or will be: a link is followed; a device or a pipe is never replaced by a file."""
    with writing(path):
        if path.is_dir():
            raise OutputError(f"{path} is a folder; name a file in it")
        if path.exists() and not path.is_file():
            raise OutputError(f"{path} is a device or a pipe, which a file would replace; name a file")
        return path.resolve() if path.is_symlink() else path


@contextmanager
def written_whole(path: Path, *, lasting: bool = True, beside: Path | None = None) -> Iterator[Path]:
    """A path to write to; it takes the name `path` only when everything has been written.

    What would be written anew after a power failure need not be `lasting`: to be sure of the disk takes time.
    """
    place = place_of_file(path)
    beside = beside or place.with_name(f".{place.name}.{os.getpid()}.part")
    try:
        with writing(path), ExitStack() as stack:
            place.parent.mkdir(parents=True, exist_ok=True)
            beside.touch()
            stack.enter_context(held(beside))
            yield beside
            if lasting:
                with beside.open("rb+") as file:
                    os.fsync(file.fileno())
            beside.replace(place_of_file(path))  # asked again: it may be another place by now
    finally:
        with suppress(OSError):  # where nothing can be written, nothing can be removed
            beside.unlink(missing_ok=True)


# Whoever writes a file or folder holds a lock on it: what nobody holds is what a killed program left.


@contextmanager
def held(path: Path) -> Iterator[None]:
    """Nobody takes this file or folder for a leftover meanwhile."""
    opened = os.open(path, os.O_RDONLY) if fcntl is not None else None
    try:
        if fcntl is not None and opened is not None:
            with suppress(OSError):  # a file system without locks, or another thread of this process has it
                fcntl.flock(opened, fcntl.LOCK_EX | fcntl.LOCK_NB)
        yield
    finally:
        if opened is not None:
            os.close(opened)


def clear_leftovers(folder: Path, name: str) -> None:
    """Remove what programs that were killed have left of files or folders of this name."""
    leftover = re.compile(rf"\.{re.escape(name)}\.\d+\.part")
    with suppress(OSError):  # what cannot be looked at or removed does no harm
        for path in list(folder.iterdir()):
            if leftover.fullmatch(path.name) and not path.is_symlink():
                remove_unless_held(path)


def remove_unless_held(path: Path) -> None:
    """Remove a file or folder, unless a program works on it."""
    if fcntl is None:
        return
    with suppress(OSError):
        opened = os.open(path, os.O_RDONLY | os.O_NOFOLLOW)
        try:
            fcntl.flock(opened, fcntl.LOCK_EX | fcntl.LOCK_NB)
            if path.is_dir():
                shutil.rmtree(path, ignore_errors=True)
            else:
                path.unlink()
        finally:
            os.close(opened)


def write_text(path: Path, text: str) -> None:
    clear_leftovers(path.parent, path.name)
    with written_whole(path) as beside:
        beside.write_text(text, encoding="utf-8", newline="\n")


def write_json(path: Path, value: Any) -> None:
    """Sorted only where the caller sorted: the same value always gives the same bytes."""
    write_text(path, json.dumps(value, ensure_ascii=False, indent=1) + "\n")


def read_json(path: Path) -> dict[str, Any]:
    """A JSON object from a file that may be of any origin; `ValueError` or `OSError` if it is none."""
    if not path.is_file():  # reading a pipe in its place would block forever
        raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT))
    try:
        value = json.loads(path.read_text(encoding="utf-8"))
    except RecursionError as error:
        raise ValueError("it is nested too deeply") from error
    if not isinstance(value, dict):
        raise ValueError("it is not a JSON object")
    return value


def write_array(path: Path, array: np.ndarray[Any, Any], *, lasting: bool = True) -> None:
    """An array as `np.save` writes it; through plain writes, for those say why they failed."""
    write_arrays_in_parts([path], array.dtype, array.shape, [[array]], lasting=lasting)


def write_arrays_in_parts(
    paths: Sequence[Path],
    dtype: np.dtype[Any],
    shape: tuple[int, ...],
    parts: Iterable[Sequence[np.ndarray[Any, Any]]],
    *,
    lasting: bool = True,
) -> None:
    """Long arrays side by side, never in memory as a whole; each part has a piece for each path.

    Plain writes rather than a memory map: on a full disk a map ends the process, a write says so.
    """
    header = {"descr": np.lib.format.dtype_to_descr(dtype), "fortran_order": False, "shape": shape}
    with ExitStack() as stack:
        beside = [stack.enter_context(written_whole(path, lasting=lasting)) for path in paths]
        files = [stack.enter_context(path.open("wb")) for path in beside]
        for file in files:
            np.lib.format.write_array_header_1_0(file, header)
        for part in parts:
            for file, piece in zip(files, part, strict=True):
                file.write(np.ascontiguousarray(piece, dtype).data)


def exchanged(first: Path, second: Path) -> bool:
    """Let two folders change places at once, so that neither name is ever without one; whether that could be done."""
    import ctypes

    for name, rename in _EXCHANGES.items():
        exchange = getattr(ctypes.CDLL(None), name, None) if os.name == "posix" else None
        if exchange is not None:
            return bool(rename(exchange, os.fsencode(first), os.fsencode(second)) == 0)
    return False


_HERE = -100  # paths are meant from the working directory
_SWAP = 2  # the same flag in both systems
_EXCHANGES: dict[str, Callable[[Any, bytes, bytes], int]] = {
    "renameat2": lambda exchange, first, second: exchange(_HERE, first, _HERE, second, _SWAP),  # Linux
    "renamex_np": lambda exchange, first, second: exchange(first, second, _SWAP),  # macOS
}


def sha256_of(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


@dataclass(frozen=True)
class FileSet:
    """Files in a folder that may hold others, too.

    New files are written into a folder beside them. When that is renamed, the set is complete: from then on whoever
    comes next, a reader or a writer, puts in place what is not there yet.
    """

    folder: Path
    name: str
    last: str  # the file that is put in place after the others
    replaces: bool = True  # older files of the same names

    @contextmanager
    def written(self) -> Iterator[Path]:
        """A folder for the new files."""
        self.complete()
        beside = self.folder / f".{self.name}.{os.getpid()}.part"
        with writing(self.folder):
            self.folder.mkdir(parents=True, exist_ok=True)
            clear_leftovers(self.folder, self.name)
            beside.mkdir(exist_ok=True)
        try:
            with writing(self.folder), held(beside):
                yield beside
                for file in beside.iterdir():
                    clear_leftovers(self.folder, file.name)
                    place_of_file(self.folder / file.name)  # refuses what no file may replace
                self._settle(beside)
        except OutputError as error:
            raise OutputError(str(error).replace(str(beside), str(self.folder))) from error
        finally:
            shutil.rmtree(beside, ignore_errors=True)
        self.complete()

    def _settle(self, beside: Path) -> None:
        while True:
            self.complete()
            try:
                beside.rename(self._settled)
            except OSError as error:
                if error.errno not in (errno.ENOTEMPTY, errno.EEXIST):
                    raise
            else:
                return  # no other writer was faster

    def complete(self) -> None:
        """Put in place what a killed program has left to do of a complete set."""
        if not self._settled.is_dir():
            return
        with writing(self.folder):
            files = sorted(self._settled.iterdir(), key=lambda path: (path.name == self.last, path.name))
            for file in files:
                if not self.replaces and (self.folder / file.name).exists():
                    raise OutputError(f"{self.folder / file.name} exists; choose another name or remove it first")
            for file in files:
                with suppress(FileNotFoundError):  # another process has just done it
                    file.replace(self.folder / file.name)
            with suppress(FileNotFoundError):
                self._settled.rmdir()

    @property
    def _settled(self) -> Path:
        return self.folder / f".{self.name}.new"
