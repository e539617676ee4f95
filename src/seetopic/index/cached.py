"""What the program keeps in the cache folder, and how to remove it."""

from __future__ import annotations

import os
import re
import shutil
from collections.abc import Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Literal

from seetopic.errors import DamagedIndex, IndexFailure, IndexInUse
from seetopic.index import layout
from seetopic.index.stages import exclusive
from seetopic.runtime import writing

INDEXES = "indexes"
_INDEX = re.compile(r"[0-9a-f]{32}")
_BUILDING = re.compile(r"\.([0-9a-f]{32})\.(building|replaced)")
_BEGUN = "begun by `seetopic check` or an interrupted command; the next one for these documents continues it"
_VECTORS = re.compile(r"[\w.-]+\.sqlite")
_SQLITE = b"SQLite format 3\0"
_CHECKED = re.compile(r"[0-9a-f]{64}")


@dataclass(frozen=True)
class CachedItem:
    """An index, the vectors of a language model, or notes about files that were found intact."""

    kind: Literal["index", "unfinished index", "vectors", "checks"]
    path: Path
    about: str  # the corpus of an index, or why it is unfinished
    bytes: int
    changed: datetime  # when it was last written


def cached_items(folder: Path) -> tuple[CachedItem, ...]:
    """Everything in a cache folder that the program made there, and nothing else."""
    found = []
    for place, item_at in ((INDEXES, _index), ("vectors", _vectors)):
        for path in _entries(folder / place):
            with suppress(FileNotFoundError):  # another program has just removed it
                found += item_at(path)
    checked = folder / "checked"
    if any(_CHECKED.fullmatch(path.name) for path in _entries(checked)):
        found.append(_item("checks", checked))
    return tuple(found)


def clear_cached(items: Iterable[CachedItem]) -> tuple[CachedItem, ...]:
    """Remove items, except indexes that are being built; returns what was removed."""
    return tuple(item for item in items if _removed(item))


def _index(path: Path) -> list[CachedItem]:
    if not path.is_dir() or path.is_symlink():
        return []
    if _INDEX.fullmatch(path.name) and layout.is_index(path) and not layout.others_in(path):
        return [_item("index", path, _corpus(path))]
    return [_item("unfinished index", path, _BEGUN)] if _BUILDING.fullmatch(path.name) else []


def _vectors(path: Path) -> list[CachedItem]:
    return [_item("vectors", path)] if _VECTORS.fullmatch(path.name) and _is_database(path) else []


def _entries(folder: Path) -> list[Path]:
    return sorted(folder.iterdir()) if folder.is_dir() else []


def _is_database(path: Path) -> bool:
    with path.open("rb") as file:
        return file.read(len(_SQLITE)) == _SQLITE


def _corpus(path: Path) -> str:
    with suppress(IndexFailure, DamagedIndex):
        corpus = layout.read_manifest(path)["corpus"]
        return f"{corpus['name']}, {corpus['documents']:,} documents"
    return "damaged, or from another version"


def _item(kind: Literal["index", "unfinished index", "vectors", "checks"], path: Path, about: str = "") -> CachedItem:
    facts = list(_facts(path)) if path.is_dir() else [path.stat()]
    changed = max((fact.st_mtime for fact in facts), default=path.stat().st_mtime)
    return CachedItem(kind, path, about, sum(fact.st_size for fact in facts), datetime.fromtimestamp(changed, UTC))


def _facts(folder: Path) -> Iterator[os.stat_result]:
    """Facts about all files in a folder, of which a build may remove some meanwhile."""
    for place, _, names in os.walk(folder):
        for file in (Path(place) / name for name in names):
            with suppress(FileNotFoundError):
                if file.is_file():
                    yield file.lstat()


def _removed(item: CachedItem) -> bool:
    with writing(item.path):
        if item.kind == "vectors":
            item.path.unlink(missing_ok=True)
        elif item.kind == "checks":
            for path in _entries(item.path):
                if _CHECKED.fullmatch(path.name):
                    path.unlink(missing_ok=True)
        else:
            building = _BUILDING.fullmatch(item.path.name)
            try:
                with exclusive(item.path.with_name(building[1] if building else item.path.name)):
                    shutil.rmtree(item.path)
            except IndexInUse:
                return False
    return True
