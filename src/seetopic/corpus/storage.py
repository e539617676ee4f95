"""The files that a path, a pattern or a URL refers to; of a URL only the last part is ever shown."""

from __future__ import annotations

import codecs
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
from contextlib import ExitStack, contextmanager, nullcontext
from dataclasses import dataclass, field
from itertools import takewhile
from pathlib import Path
from typing import IO, Any, Literal, TypeAlias
from urllib.parse import unquote, urlsplit

from seetopic.errors import CorpusError

Reach: TypeAlias = Literal["everywhere", "this machine", "this process"]


@dataclass(frozen=True)
class StoredFile:
    """One file, shown by its name only, because a URL may contain secrets."""

    path: str = field(repr=False)
    name: str  # shown in errors
    system: Any = field(default=None, repr=False)  # of fsspec; None for a path on this machine
    reach: Reach = "everywhere"  # where it can be opened
    can_seek: bool = True  # whether it can be read from the middle as fast as from the beginning
    encoding: str | None = None  # of its text; None: UTF-8, or not text

    @property
    def is_packed(self) -> bool:
        return bare(self.path).lower().endswith(".gz")

    @contextmanager
    def open(self) -> Iterator[IO[bytes]]:
        """Its bytes, decompressed and, if it has an encoding, as UTF-8."""
        with self._plain() as plain, gzip.open(plain) if self.is_packed else nullcontext(plain) as unpacked:
            if self.encoding is None:
                yield unpacked  # type: ignore[misc] # it behaves like one
            else:  # bytes that cannot be decoded stay as they are, so that the line they are on is reported
                yield codecs.EncodedFile(unpacked, "utf-8", self.encoding, "surrogateescape")

    def _plain(self) -> IO[bytes]:
        with self._opening():
            if self.system is None:
                return Path(self.path).open("rb")
            if is_web(self.path) and not self.can_seek:
                return self._copied()
            opened: IO[bytes] = self.system.open(self.path, "rb")
            return opened

    def _copied(self) -> IO[bytes]:
        """A local copy, for servers that only send whole files."""
        with ExitStack() as unless_whole:
            copy = unless_whole.enter_context(tempfile.TemporaryFile(prefix="seetopic-"))
            with self.system.open(self.path, "rb", block_size=0) as sent:
                shutil.copyfileobj(sent, copy)
            copy.seek(0)
            unless_whole.pop_all()
            return copy

    def version(self) -> tuple[int, str]:
        """Its size, and a mark that changes when it is rewritten, if the file system has one."""
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
        """The errors that reading may raise; file systems behind URLs have their own."""
        return (OSError, EOFError, zlib.error, UnicodeError) if self.system is None else (Exception,)

    def reason(self, error: Exception) -> str:
        """The error in words; for a URL only its kind, because the message may contain the URL."""
        if self.system is None or isinstance(error, EOFError | zlib.error):
            return " ".join(str(error).split())
        return (error.strerror if isinstance(error, OSError) else None) or type(error).__name__

    def cause(self, error: Exception) -> Exception | None:
        """The error, if it may be shown."""
        return error if self.system is None else None

    def unreadable(self, what_failed: str, error: Exception) -> CorpusError:
        """The error of reading it as one sentence; to be raised from its `cause`."""
        return CorpusError(f"{what_failed}: {self.reason(error)}; check that the file is complete")

    @contextmanager
    def _opening(self) -> Iterator[None]:
        try:
            yield
        except self.failures as error:
            shown = self.path if self.system is None else self.name
            missing = isinstance(error, FileNotFoundError)
            reason = os.strerror(errno.ENOENT) if missing else getattr(error, "strerror", None) or self.reason(error)
            sentence = f"{shown} cannot be opened: {reason}; check its name and your permissions"
            raise CorpusError(sentence) from self.cause(error)


@dataclass(frozen=True)
class WatchedFile(StoredFile):
    """A file that says how far it has been read."""

    _opened: list[IO[bytes]] = field(default_factory=list, repr=False, compare=False)

    def _plain(self) -> IO[bytes]:
        self._opened.append(super()._plain())
        return self._opened[-1]

    @property
    def position(self) -> int:
        """In bytes, compressed ones if it is; -1 once it is closed."""
        opened = self._opened[-1:]
        return opened[0].tell() if opened and not opened[0].closed else -1


@dataclass(frozen=True)
class SeenFile:
    """A file, and its version when the corpus was first examined."""

    file: StoredFile
    size: int
    mark: str

    def check(self, place: str) -> None:
        """Refuse it if it has changed, because its pieces may begin elsewhere now."""
        try:
            now = self.file.version()
        except CorpusError as error:
            raise CorpusError(str(error) if place == self.file.name else f"{place}: {error}") from None
        if now != (self.size, self.mark):
            raise CorpusError(f"{place}: the file has changed since it was first read; start again once it is complete")

    @property
    def watched(self) -> tuple[SeenFile, WatchedFile]:
        """The same file, to be read by one reader that can ask how far it has come."""
        known = self.file
        file = WatchedFile(known.path, known.name, known.system, known.reach, known.can_seek, known.encoding)
        return SeenFile(file, self.size, self.mark), file


def seen(file: StoredFile) -> SeenFile:
    return SeenFile(file, *file.version())


def local_file(path: Path, name: str | None = None, reach: Reach = "everywhere") -> StoredFile:
    # Absolute, because a worker may run in another folder.
    return StoredFile(os.path.abspath(path), name or path.name, reach=reach)  # noqa: PTH100 - links stay links


def is_web(path: str) -> bool:
    return path.startswith(("http://", "https://"))


def bare(path: str) -> str:
    """The path within a web address; any other path as it is."""
    return unquote(urlsplit(path).path) if is_web(path) else path


_URL = re.compile(r"([A-Za-z][\w+.-]*::)*[A-Za-z][\w+.-]+://")  # C:\ is not one
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
    """The files of one corpus, in order."""

    files: tuple[StoredFile, ...]
    name: str  # shown to users


def is_url(source: str) -> bool:
    return _URL.match(source) is not None


def is_pattern(source: str) -> bool:
    """Whether it is a pattern rather than the name of a file."""
    return _PATTERN.search(source) is not None and not Path(source).exists()


def files_of_pattern(pattern: str) -> Files:
    """The local files that match a pattern, sorted by name."""
    found = glob.glob(_with_plain_folder(pattern), recursive=True)  # noqa: PTH207 - a pattern may have any root
    paths = sorted(path for path in found if Path(path).is_file())
    _refuse_none(paths, pattern)
    named = zip(paths, _names([Path(path).as_posix() for path in paths]), strict=True)
    return Files(tuple(local_file(Path(path), name) for path, name in named), Path(pattern).name)


def _with_plain_folder(pattern: str) -> str:
    """The pattern with the existing folder it begins with escaped, so that the folder is taken literally."""
    for folder in map(str, Path(pattern).parents):
        if pattern.startswith(f"{folder}/") and Path(folder).is_dir():
            return glob.escape(folder) + pattern[len(folder) :]
    return pattern


def files_of_url(url: str) -> Files:
    """The files that a URL, or a pattern of URLs, refers to, sorted by name."""
    links = url.split("::")  # "zip://*.csv::s3://bucket/all.zip": the member, then the archive
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
        raise CorpusError(f"{name} matches no files; give a pattern that matches some, or the name of a file")


def _last_part(address: str) -> str:
    """The part of an address that may be shown: no credentials and no query."""
    host, _, path = re.split(r"[?#]", address)[0].rstrip("/").partition("/")
    return unquote(path.rpartition("/")[2]) or host.rpartition("@")[2] or "documents"


def _names(paths: Sequence[str]) -> list[str]:
    """Paths without the folders that they all share; usually the file names."""
    folders = [path.split("/")[:-1] for path in paths]
    shared = sum(1 for _ in takewhile(lambda level: len(set(level)) == 1, zip(*folders, strict=False)))
    return ["/".join(path.split("/")[shared:]) for path in paths]


def _can_travel(system: Any) -> bool:
    try:
        pickle.dumps(system)
    except Exception:  # pickling fails in many ways
        return False
    return True


def _exists(system: Any, path: str) -> bool:
    """Whether there is a file with exactly this name."""
    try:
        return bool(system.exists(path))
    except Exception:  # it may still be able to expand the pattern
        return False


def _has_ranges(system: Any, path: str) -> bool:
    """Whether part of a file can be requested; some servers only send whole files."""
    if not is_web(path):
        return True
    try:
        with system.open(path, "rb", cache_type="none") as opened:
            opened.seek(1)
            return len(opened.read(1)) == 1
    except Exception:  # whatever the reason, it is read from its beginning then
        return False


@contextmanager
def _without_secrets(name: str, kinds: Sequence[str]) -> Iterator[None]:
    """Turn any failure of a file system into one sentence; its own message may contain the whole URL."""
    try:
        yield
    except ImportError:
        package = next((_PACKAGES[kind] for kind in kinds if kind in _PACKAGES), None)
        missing = (
            f"the package {package}: pip install {package}"
            if package
            else f"fsspec's package for {kinds[-1]}://; install it"
        )
        raise CorpusError(f"reading {name} needs {missing}") from None
    except FileNotFoundError:
        raise CorpusError(f"{name} does not exist at the given address; check the address") from None
    except Exception as error:
        unknown = isinstance(error, ValueError) and "Protocol not known" in str(error)
        reason = f"the protocol {kinds[0]}:// is unknown" if unknown else type(error).__name__
        raise CorpusError(f"{name} cannot be opened: {reason}; check the address and your permissions") from None


@contextmanager
def seekable(file: StoredFile) -> Iterator[IO[bytes]]:
    """The file itself, or a plain copy of it: some formats are read by position, which gzip does not support."""
    with file.open() as opened:
        if not file.is_packed and file.can_seek:
            yield opened
            return
        with tempfile.TemporaryFile(prefix="seetopic-") as unpacked:
            try:
                shutil.copyfileobj(opened, unpacked)
            except file.failures as error:
                raise file.unreadable(f"{file.name} cannot be unpacked", error) from file.cause(error)
            unpacked.seek(0)
            yield unpacked
