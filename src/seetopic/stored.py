"""Files where they lie: on this machine, or behind any URL that fsspec can open."""

from __future__ import annotations

import errno
import gzip
import os
import shutil
import tempfile
import zlib
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, Any, Literal, TypeAlias
from urllib.parse import unquote, urlsplit

from seetopic.errors import CorpusError

_MARKS = ("ETag", "etag", "mtime", "LastModified", "created")  # what file systems call it
Reach: TypeAlias = Literal["everywhere", "this machine", "this process"]


@dataclass(frozen=True)
class StoredFile:
    """One file; what a URL holds beside its path may be secret, so it is shown by its name only."""

    path: str = field(repr=False)
    name: str  # what errors call it
    system: Any = field(default=None, repr=False)  # of fsspec; none for a path on this machine
    reach: Reach = "everywhere"  # who can open it
    can_seek: bool = True  # whether it can be read from its middle as quickly as from its beginning

    @property
    def is_packed(self) -> bool:
        return bare(self.path).lower().endswith(".gz")

    @contextmanager
    def open(self) -> Iterator[IO[bytes]]:
        """Its bytes, unpacked."""
        with self._plain() as plain:
            if not self.is_packed:
                yield plain
                return
            with gzip.open(plain) as unpacked:
                yield unpacked  # type: ignore[misc] # it is one in all but name

    def _plain(self) -> IO[bytes]:
        with self._opening():
            if self.system is None:
                return Path(self.path).open("rb")
            if is_web(self.path) and not self.can_seek:
                return self._copied()
            opened: IO[bytes] = self.system.open(self.path, "rb")
            return opened

    def _copied(self) -> IO[bytes]:
        """What a server sends only as a whole."""
        with ExitStack() as unless_whole:
            copy = unless_whole.enter_context(tempfile.TemporaryFile(prefix="seetopic-"))
            with self.system.open(self.path, "rb", block_size=0) as sent:
                shutil.copyfileobj(sent, copy)
            copy.seek(0)
            unless_whole.pop_all()
            return copy

    def version(self) -> tuple[int, str]:
        """Its size, and what changes when it is written anew, where that is known."""
        with self._opening():
            if self.system is None:
                known = Path(self.path).stat()
                return known.st_size, str(known.st_mtime_ns)
            about = self.system.info(self.path)
            mark = next(
                (about[key] for key in ("ETag", "etag", "mtime", "LastModified", "created") if about.get(key)), ""
            )
            return int(about.get("size") or 0), str(mark)

    @property
    def failures(self) -> tuple[type[Exception], ...]:
        """What reading it may raise: file systems behind URLs have errors of their own."""
        return (OSError, EOFError, zlib.error) if self.system is None else (Exception,)

    def reason(self, error: Exception) -> str:
        """The error in words; what a file system behind a URL says may hold the URL, so its kind must do."""
        if self.system is None or isinstance(error, EOFError | zlib.error):
            return " ".join(str(error).split())
        return (error.strerror if isinstance(error, OSError) else None) or type(error).__name__

    def cause(self, error: Exception) -> Exception | None:
        """The error, where it may be shown."""
        return error if self.system is None else None

    @contextmanager
    def _opening(self) -> Iterator[None]:
        try:
            yield
        except self.failures as error:
            shown = self.path if self.system is None else self.name
            missing = isinstance(error, FileNotFoundError)
            reason = os.strerror(errno.ENOENT) if missing else getattr(error, "strerror", None) or self.reason(error)
            sentence = f"{shown} cannot be opened: {reason}; check its name and your rights"
            raise CorpusError(sentence) from self.cause(error)


@dataclass(frozen=True)
class SeenFile:
    """A file as it was when its corpus was looked at."""

    file: StoredFile
    size: int
    mark: str

    def check(self, place: str) -> None:
        """Refuse it if it is not what it was: its pieces may begin elsewhere now."""
        try:
            now = self.file.version()
        except CorpusError as error:
            raise CorpusError(str(error) if place == self.file.name else f"{place}: {error}") from None
        if now != (self.size, self.mark):
            raise CorpusError(
                f"{place}: the file has changed since it was first looked at; start again when it is whole"
            )


def seen(file: StoredFile) -> SeenFile:
    return SeenFile(file, *file.version())


def local_file(path: Path, name: str | None = None, reach: Reach = "everywhere") -> StoredFile:
    # Absolute, for a worker may stand in another folder.
    return StoredFile(os.path.abspath(path), name or path.name, reach=reach)  # noqa: PTH100 - links stay links


def is_web(path: str) -> bool:
    return path.startswith(("http://", "https://"))


def bare(path: str) -> str:
    """A path without what a web address has around it."""
    return unquote(urlsplit(path).path) if is_web(path) else path
