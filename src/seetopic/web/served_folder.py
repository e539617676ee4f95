"""The one folder whose files users may open; nothing outside it is ever accessed."""

from __future__ import annotations

import os
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from seetopic.corpus import FORMATS
from seetopic.index import is_index
from seetopic.web.errors import Missing, Refused
from seetopic.web.limits import LISTED
from seetopic.web.schemas import Frozen

# A small Arrow file can unpack to any size, and is read into memory; workbooks are checked first.
_SERVED = [name for name in (*FORMATS, "ndjson") if name != "arrow"]
_ENDINGS = tuple(f".{name}{packed}" for name in _SERVED for packed in ("", ".gz") if f"{name}{packed}" != "xlsx.gz")


class FolderEntry(Frozen):
    """An entry of a folder; `path` is relative to the server's folder."""

    name: str
    path: str
    kind: Literal["folder", "file", "index"]
    bytes: int


class Listing(Frozen):
    """A folder's contents, folders first."""

    folder: str
    parent: str | None
    entries: tuple[FolderEntry, ...]


@dataclass(frozen=True)
class AllowedFolder:
    """Paths are relative to the root, and are checked after links are resolved."""

    root: Path | None

    def inside(self, path: str) -> Path:
        """The file or folder at a path, if it is inside the root and not hidden."""
        if self.root is None:
            raise Refused("this server has no folder of files to open; start it with --folder DIR, or upload the file")
        root = self.root.resolve()
        try:
            meant = (root / path).resolve()
            found = meant.is_relative_to(root) and not _hidden(meant, root) and (meant.is_file() or meant.is_dir())
        except (OSError, ValueError, RuntimeError):  # a name that is too long or contains NUL, or a cycle of links
            found = False
        if not found:  # the same message for outside and missing, to reveal nothing
            raise Missing(f"{path[:200]!r} is not in the server's folder; choose one of its files")
        return meant

    def to_read(self, path: str) -> Path:
        """Like `inside`, for a folder that will be read completely; links in it must not lead out of the root."""
        meant = self.inside(path)
        for each in meant.rglob("*") if meant.is_dir() else ():
            if each.is_symlink() and not self._leads_inside(each):
                raise Refused(
                    f"{each.name[:80]!r} in {path[:200]!r} is a link that points outside the folder; remove it"
                )
        return meant

    def _leads_inside(self, path: Path) -> bool:
        assert self.root is not None
        try:
            return path.resolve().is_relative_to(self.root.resolve())
        except (OSError, RuntimeError):
            return False

    def listing(self, path: str = "") -> Listing:
        """Subfolders, indexes, and files that can be read as documents."""
        folder = self.inside(path)
        if not folder.is_dir():
            raise Missing(f"{path[:200]!r} is a file; choose a folder")
        assert self.root is not None
        root = self.root.resolve()
        entries = []
        try:
            found = sorted(folder.iterdir(), key=lambda one: one.name.casefold())
        except OSError as error:
            raise Refused(f"{path[:200]!r} cannot be opened ({error.strerror}); choose another folder") from error
        for each in found:
            kind = _kind(each) if self._leads_inside(each) else None
            if kind is not None:
                size = each.stat().st_size if kind == "file" else 0
                entries.append(FolderEntry(name=each.name, path=str(each.relative_to(root)), kind=kind, bytes=size))
            if len(entries) == LISTED:
                break
        ordered = sorted(entries, key=lambda one: ("folder", "index", "file").index(one.kind))
        here = "" if folder == root else str(folder.relative_to(root))
        parent = None if folder == root else ("" if folder.parent == root else str(folder.parent.relative_to(root)))
        return Listing(folder=here, parent=parent, entries=tuple(ordered))


def is_readable(name: str) -> bool:
    """Whether a file has the extension of a document format."""
    return name.lower().endswith(_ENDINGS)


def _kind(path: Path) -> Literal["folder", "file", "index"] | None:
    """The kind of an entry; None if it is hidden, not a document, or its name is not valid Unicode."""
    try:
        if path.name.startswith(".") or path.name != readable(path.name):
            return None
        if path.is_dir():
            return "index" if is_index(path) else "folder"
        return "file" if path.is_file() and is_readable(path.name) else None
    except OSError:  # no permission
        return None


def _hidden(path: Path, root: Path) -> bool:
    return any(part.startswith(".") for part in path.relative_to(root).parts)


def readable(name: str) -> str:
    """The text with invalid Unicode replaced."""
    return name.encode("utf-8", "replace").decode()


def without_folders(sentence: str, folders: Iterable[Path | None]) -> str:
    """A message without paths of the server."""
    places = {str(place) for folder in folders if folder is not None for place in (folder, folder.resolve())}
    for place in sorted((place for place in places if len(place) > 1), key=len, reverse=True):
        sentence = sentence.replace(place + os.sep, "").replace(place, "the server's folder")
    return sentence
