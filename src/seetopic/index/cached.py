"""What the program keeps in the cache folder, and how to remove it."""

from __future__ import annotations

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
_VECTORS = re.compile(r"[\w.-]+\.sqlite")
_SQLITE = b"SQLite format 3\0"
_CHECKED = re.compile(r"[0-9a-f]{64}")


@dataclass(frozen=True)
class CachedItem:
    """An index, the vectors of a language model, or notes about files that were found intact."""

    kind: Literal["index", "unfinished index", "vectors", "checks"]
    path: Path
    about: str  # the corpus of an index
    bytes: int
    changed: datetime  # when it was last written


def cached_items(folder: Path) -> tuple[CachedItem, ...]:
    """Everything in a cache folder that the program made there, and nothing else."""
    return tuple(_items(folder))


def clear_cached(items: Iterable[CachedItem]) -> tuple[CachedItem, ...]:
    """Remove items, except indexes that are being built; returns what was removed."""
    return tuple(item for item in items if _removed(item))


def _items(folder: Path) -> Iterator[CachedItem]:
    for path in _entries(folder / INDEXES):
        if not path.is_dir() or path.is_symlink():
            continue
        if _INDEX.fullmatch(path.name) and layout.is_index(path) and not layout.others_in(path):
            yield _item("index", path, _corpus(path))
        elif _BUILDING.fullmatch(path.name):
            yield _item("unfinished index", path)
    for path in _entries(folder / "vectors"):
        if _VECTORS.fullmatch(path.name) and _is_database(path):
            yield _item("vectors", path)
    checked = folder / "checked"
    if any(_CHECKED.fullmatch(path.name) for path in _entries(checked)):
        yield _item("checks", checked)


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
    facts = [file.lstat() for file in path.rglob("*") if file.is_file()] if path.is_dir() else [path.stat()]
    changed = max((fact.st_mtime for fact in facts), default=path.stat().st_mtime)
    return CachedItem(kind, path, about, sum(fact.st_size for fact in facts), datetime.fromtimestamp(changed, UTC))


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
