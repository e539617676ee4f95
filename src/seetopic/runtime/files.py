"""Atomic writes of files and of sets of files: all of the new content or none of it, even if the program is killed."""

from __future__ import annotations

import errno
import hashlib
import io
import json
import os
import re
import shutil
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any

import numpy as np

from seetopic.errors import OutputError

try:
    import fcntl
except ImportError:  # Windows
    fcntl = None  # type: ignore[assignment]

_ADVICE = {
    errno.ENOSPC: "free some space or choose another location",
    errno.EDQUOT: "free some of your quota or choose another location",
    errno.EFBIG: "raise the limit on file sizes or choose another location",
    errno.EACCES: "choose a location you can write to",
    errno.EPERM: "choose a location you can write to",
    errno.EROFS: "choose a location you can write to",
    errno.EMFILE: "raise the limit on open files (ulimit -n)",
    errno.ENFILE: "close other programs",
}


@contextmanager
def writing(path: Path) -> Iterator[None]:
    """Turn an error of the operating system while writing `path` into one sentence."""
    try:
        yield
    except OSError as error:
        advice = _ADVICE.get(error.errno or 0, "choose another location")
        reason = error.strerror or str(error)
        raise OutputError(f"cannot write {path}: {reason}; {advice}") from error


def place_of_file(path: Path) -> Path:
    """Where a file is or will be: links are followed; folders, devices and pipes are refused, never replaced."""
    with writing(path):
        if path.is_dir():
            raise OutputError(f"{path} is a folder; name a file in it")
        if path.exists() and not path.is_file():
            raise OutputError(
                f"{path} is a device or a pipe, which cannot be replaced by a file; choose a regular file"
            )
        return path.resolve() if path.is_symlink() else path


def refuse_to_replace(targets: Iterable[Path], inputs: Iterable[Path]) -> None:
    """Refuse to write to a file that is read, whatever it is called."""
    read = [path for path in inputs if path.exists()]
    for target in targets:
        if target.exists() and any(map(target.samefile, read)):
            raise OutputError(f"{target} is an input, and would be overwritten; write to another place")


def refuse_others(folder: Path, names: Iterable[str], mark: str, key: str) -> None:
    """Refuse a folder where another program or a person made a file with one of these names.

    A set that this program made includes the file `mark`, a JSON object with this key.
    """
    with suppress(OSError, ValueError):
        if key in read_json(folder / mark):
            return
    other = next((folder / name for name in names if (folder / name).is_file()), None)
    if other is not None:
        raise OutputError(
            f"{other} would be lost, and seems to be something else, because {folder} has no results of seetopic; "
            "move it elsewhere or choose another folder"
        )


@contextmanager
def written_whole(path: Path, *, lasting: bool = True, beside: Path | None = None) -> Iterator[Path]:
    """A temporary path to write to, which is renamed to `path` once everything has been written.

    A file that would be rebuilt after a power failure need not be `lasting`: waiting for the disk takes time.
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
            beside.replace(place_of_file(path))  # checked again: the target may have changed
    finally:
        with suppress(OSError):  # where nothing can be written, nothing can be removed either
            beside.unlink(missing_ok=True)


# Writers lock the file or folder they write, so an unlocked one was left by a killed program.


@contextmanager
def held(path: Path) -> Iterator[None]:
    """Lock a file or folder, so that nobody takes it for a leftover."""
    opened = os.open(path, os.O_RDONLY) if fcntl is not None else None
    try:
        if fcntl is not None and opened is not None:
            with suppress(OSError):  # the file system has no locks, or another thread of this process holds it
                fcntl.flock(opened, fcntl.LOCK_EX | fcntl.LOCK_NB)
        yield
    finally:
        if opened is not None:
            os.close(opened)


def clear_leftovers(folder: Path, name: str) -> None:
    """Remove what killed programs left of files or folders with this name."""
    leftover = re.compile(rf"\.{re.escape(name)}\.\d+\.part")
    with suppress(OSError):  # a leftover that cannot be removed does no harm
        for path in list(folder.iterdir()):
            if leftover.fullmatch(path.name) and not path.is_symlink():
                remove_unless_held(path)


def remove_unless_held(path: Path) -> None:
    """Remove a file or folder, unless a program has locked it."""
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
    """Write an array as `np.save` does, but with plain writes, whose errors give a reason."""
    write_arrays_in_parts([path], array.dtype, array.shape, [[array]], lasting=lasting)


def write_arrays_in_parts(
    paths: Sequence[Path],
    dtype: np.dtype[Any],
    shape: tuple[int, ...],
    parts: Iterable[Sequence[np.ndarray[Any, Any]]],
    *,
    lasting: bool = True,
) -> None:
    """Write long arrays side by side without holding them in memory; each part has one piece per path.

    Plain writes rather than a memory map: on a full disk a map kills the process, while a write raises an error.
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
    """Swap two folders atomically, so that both names always exist; returns whether the system could do it."""
    import ctypes

    for name, rename in _EXCHANGES.items():
        exchange = getattr(ctypes.CDLL(None), name, None) if os.name == "posix" else None
        if exchange is not None:
            return bool(rename(exchange, os.fsencode(first), os.fsencode(second)) == 0)
    return False


_HERE = -100  # paths are relative to the working directory
_SWAP = 2  # the same flag on both systems
_EXCHANGES: dict[str, Callable[[Any, bytes, bytes], int]] = {
    "renameat2": lambda exchange, first, second: exchange(_HERE, first, _HERE, second, _SWAP),  # Linux
    "renamex_np": lambda exchange, first, second: exchange(first, second, _SWAP),  # macOS
}


def linked(source: Path, target: Path) -> None:
    """A second name for a file that is never changed, only replaced; a copy where the system has no such links."""
    try:
        os.link(source.resolve(), target)
    except OSError:
        shutil.copyfile(source, target)


def cache_folder(given: str | Path | None = None) -> Path:
    """The folder for vectors and indexes: the given one, else SEETOPIC_CACHE, else the user's cache folder."""
    if given is not None:
        return Path(given)
    from platformdirs import user_cache_path

    return Path(os.environ.get("SEETOPIC_CACHE") or user_cache_path("seetopic"))


def sha256_of(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def is_intact_file(file: IO[bytes] | io.FileIO, digest: Callable[[], str], expected: str, note: Path | None) -> bool:
    """Whether an open file has the expected digest, which is computed unless the note says that it has it."""
    state = _state(os.fstat(file.fileno()))
    if note is not None:
        with suppress(OSError, ValueError):
            if note.read_text(encoding="utf-8") == state:
                return True
    if digest() != expected:
        return False
    if note is not None:
        with suppress(OutputError):  # if this cannot be recorded, the file is checked again
            write_text(note, state)
    return True


def _state(seen: os.stat_result) -> str:
    """What changes when a file is rewritten or replaced."""
    return f"{seen.st_dev} {seen.st_ino} {seen.st_size} {seen.st_mtime_ns} {seen.st_ctime_ns}"


@dataclass(frozen=True)
class FileSet:
    """Files that are replaced together, in a folder that may contain others.

    New files are written to a folder beside them. Once that folder is renamed, the set is complete: if the program is
    killed, the next reader or writer moves the remaining files into place.
    """

    folder: Path
    name: str
    last: str  # the file that is moved into place last
    replaces: bool = True  # whether older files with the same names are replaced

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
                    place_of_file(self.folder / file.name)  # refuses what must not be replaced
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
        """Move the files of a complete set into place, if a killed program did not."""
        if not self._settled.is_dir():
            return
        with writing(self.folder):
            files = sorted(self._settled.iterdir(), key=lambda path: (path.name == self.last, path.name))
            for file in files:
                if not self.replaces and (self.folder / file.name).exists():
                    raise OutputError(
                        f"{self.folder / file.name} already exists; choose another name or remove it first"
                    )
            for file in files:
                with suppress(FileNotFoundError):  # another process has just done it
                    file.replace(self.folder / file.name)
            with suppress(FileNotFoundError):
                self._settled.rmdir()

    @property
    def _settled(self) -> Path:
        return self.folder / f".{self.name}.new"
