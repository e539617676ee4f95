"""Which files a pattern or a URL means; what a URL holds beside its last part is never shown."""

from __future__ import annotations

import errno
import glob
import gzip
import os
import pickle
import re
import shutil
import tempfile
import zlib
from collections.abc import Collection, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from itertools import takewhile
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


_URL = re.compile(r"([A-Za-z][\w+.-]*::)*[A-Za-z][\w+.-]+://")  # C:\ is none
_PATTERN = re.compile(r"[*?[]")
_WEB_PATTERN = re.compile(r"[*[]")  # a question mark begins the query of a web address
_READ_IN_ORDER = {"zip", "tar", "libarchive"}
_PACKAGES = {
    **dict.fromkeys(("s3", "s3a"), "s3fs"),
    **dict.fromkeys(("gs", "gcs"), "gcsfs"),
    **dict.fromkeys(("abfs", "abfss", "az"), "adlfs"),
    **dict.fromkeys(("http", "https"), "aiohttp"),
    **dict.fromkeys(("sftp", "ssh"), "paramiko"),
}


@dataclass(frozen=True)
class Files:
    """Files that are one corpus, in order."""

    files: tuple[StoredFile, ...]
    name: str  # as a person would call them


def is_url(source: str) -> bool:
    return _URL.match(source) is not None


def is_pattern(source: str) -> bool:
    """Whether it is a pattern for several files rather than the name of one."""
    return _PATTERN.search(source) is not None and not Path(source).exists()


def files_of_pattern(pattern: str) -> Files:
    """The files on this machine that a pattern stands for, in the order of their names."""
    found = glob.glob(_with_plain_folder(pattern), recursive=True)  # noqa: PTH207 - a pattern may have any root
    paths = sorted(path for path in found if Path(path).is_file())
    _refuse_none(paths, pattern)
    named = zip(paths, _names([Path(path).as_posix() for path in paths]), strict=True)
    return Files(tuple(local_file(Path(path), name) for path, name in named), Path(pattern).name)


def _with_plain_folder(pattern: str) -> str:
    """The pattern, but the folder that it begins with, if it exists, is taken as it is spelled."""
    for folder in map(str, Path(pattern).parents):
        if pattern.startswith(f"{folder}/") and Path(folder).is_dir():
            return glob.escape(folder) + pattern[len(folder) :]
    return pattern


def files_of_url(url: str) -> Files:
    """The files that a URL, or a pattern of URLs, stands for, in the order of their names."""
    links = url.split("::")  # "zip://*.csv::s3://bucket/all.zip": what lies in it, then where it lies
    kinds = [link.partition("://")[0].lower() for link in links]
    name = _last_part(next(link for link in links if "://" in link).partition("://")[2])
    with _without_secrets(name, kinds):
        import fsspec

        system, path = fsspec.core.url_to_fs(url)
        is_pattern = (_WEB_PATTERN if is_web(path) else _PATTERN).search(bare(path))
        is_file = not is_pattern or _exists(system, path)
        about = {path: system.info(path)} if is_file else system.glob(path, detail=True)
    found = {each: about[each] for each in sorted(about) if about[each].get("type") != "directory"}
    _refuse_none(found, name)
    reach: Reach = "everywhere" if "memory" not in kinds and _can_travel(system) else "this process"
    in_order = not _READ_IN_ORDER.isdisjoint(kinds)
    files = [
        StoredFile(each, shown, system, reach, can_seek=not in_order and _has_ranges(system, each))
        for each, shown in zip(found, _names([*map(bare, found)]), strict=True)
    ]
    return Files(tuple(files), name)


def _refuse_none(found: Collection[str], name: str) -> None:
    if not found:
        raise CorpusError(f"{name} stands for no file; give a pattern that fits some, or the name of a file")


def _last_part(address: str) -> str:
    """What may be shown of an address: neither who asks nor what the query proves."""
    host, _, path = re.split(r"[?#]", address)[0].rstrip("/").partition("/")
    return unquote(path.rpartition("/")[2]) or host.rpartition("@")[2] or "documents"


def _names(paths: Sequence[str]) -> list[str]:
    """Paths without the folders that all have in common; mostly their last parts."""
    folders = [path.split("/")[:-1] for path in paths]
    shared = sum(1 for _ in takewhile(lambda level: len(set(level)) == 1, zip(*folders, strict=False)))
    return ["/".join(path.split("/")[shared:]) for path in paths]


def _can_travel(system: Any) -> bool:
    try:
        pickle.dumps(system)
    except Exception:  # whatever keeps it here
        return False
    return True


def _exists(system: Any, path: str) -> bool:
    """Whether there is a file of exactly this name."""
    try:
        return bool(system.exists(path))
    except Exception:  # whatever it says, it may still know what the pattern means
        return False


def _has_ranges(system: Any, path: str) -> bool:
    """Whether a part of it can be asked for; some servers only send all of it."""
    if not is_web(path):
        return True
    try:
        with system.open(path, "rb", cache_type="none") as opened:
            opened.seek(1)
            return len(opened.read(1)) == 1
    except Exception:  # whatever it says, it is read from its beginning then
        return False


@contextmanager
def _without_secrets(name: str, kinds: Sequence[str]) -> Iterator[None]:
    """One sentence for whatever a file system refuses; its own may hold the whole URL."""
    try:
        yield
    except ImportError:
        packages = [_PACKAGES[kind] for kind in kinds if kind in _PACKAGES] or [f"for {kinds[-1]}:// that fsspec names"]
        package = packages[0]
        raise CorpusError(f"reading {name} needs the package {package}: pip install {package}") from None
    except FileNotFoundError:
        raise CorpusError(f"{name} does not exist at the address that was given; check it") from None
    except Exception as error:
        unknown = isinstance(error, ValueError) and "Protocol not known" in str(error)
        reason = f"{kinds[0]}:// is unknown" if unknown else type(error).__name__
        raise CorpusError(f"{name} cannot be opened: {reason}; check the address and your rights") from None
