"""Columns kept beside the documents, such as dates and sources; on disk, and in memory only a block at a time.

A column is stored as JSON values, each followed by a comma, so that any range of documents is part of a JSON array.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Iterator
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np
import orjson
from numpy.typing import NDArray

from seetopic.corpus import Documents, Keep, Piece
from seetopic.errors import CorpusError, DamagedIndex, SettingsError
from seetopic.index import layout
from seetopic.runtime import Engine, Ids, Longs, write_array, write_arrays_in_parts, write_json, writing
from seetopic.settings import TextSettings

_AT_ONCE = 1 << 16  # documents
_READ = 1 << 20  # bytes
_SHARED = 1 << 16  # different texts of a column that are kept once, however often they occur
_NULL = b"null,"


@dataclass(frozen=True)
class Columns:
    """The kept columns of an index."""

    names: tuple[str, ...] = ()
    values: Any = field(default_factory=lambda: np.empty(0, np.uint8), repr=False)  # or a `LongArray`
    starts: Any = field(default_factory=lambda: np.zeros(1, np.int64), repr=False)  # column by column; or a `LongArray`
    n_documents: int = 0

    def column(self, name: str) -> NDArray[np.object_]:
        """A value for each document: a text, a number, True, False or None."""
        if name not in self.names:
            kept = ", ".join(self.names) or "none"
            raise SettingsError(
                f"the index has no column {name!r} (its columns: {kept}); keep it with `seetopic index --keep {name}`"
            )
        found = np.empty(self.n_documents, object)
        shared: dict[str, str] = {}
        for first, values in self._blocks(name):
            found[first : first + len(values)] = [
                shared.setdefault(each, each) if type(each) is str and len(shared) < _SHARED else each
                for each in values
            ]
        return found

    def check(self) -> None:
        """Refuse values that are not one for each document and column."""
        for name in self.names:
            for _ in self._blocks(name):
                pass

    def _blocks(self, name: str) -> Iterator[tuple[int, list[Any]]]:
        """The values of documents, each time with the number of the first."""
        for first in range(0, self.n_documents, _AT_ONCE):
            last = min(first + _AT_ONCE, self.n_documents)
            stored, _ = self.stored(name, first, last)
            try:
                values = orjson.loads(b"[" + stored.tobytes()[:-1] + b"]")
            except ValueError as error:
                raise DamagedIndex(f"the column {name!r} is damaged ({error}); build the index again") from error
            if len(values) != last - first or any(isinstance(each, list | dict) for each in values):
                raise DamagedIndex(f"the column {name!r} does not match the documents; build the index again")
            yield first, values

    def stored(self, name: str, first: int, last: int) -> tuple[NDArray[np.uint8], Ids]:
        """The stored values of documents, and the number of bytes of each."""
        before = self.names.index(name) * self.n_documents
        starts = self.starts[before + first : before + last + 1]
        return self.values[int(starts[0]) : int(starts[-1])], np.diff(starts).astype(np.int32)


@dataclass
class ColumnsBuilder:
    """Appends documents' columns to one file per column, from which those of the index are written."""

    folder: Path
    files: ExitStack
    _open: dict[str, tuple[BinaryIO, BinaryIO]] = field(default_factory=dict)
    _documents: int = 0

    def add(self, columns: dict[str, tuple[bytes, bytes]], n_documents: int) -> None:
        """Columns of the next documents: values, and the number of bytes of each; those that are missing are null."""
        for name in columns:
            if name not in self._open:
                number = len(self._open)
                paths = (self.folder / f"{number}.values", self.folder / f"{number}.lengths")
                self._open[name] = tuple(self.files.enter_context(path.open("w+b")) for path in paths)  # type: ignore[assignment]
                self._fill(name, self._documents)
        for name, both in self._open.items():
            if name in columns:
                for file, data in zip(both, columns[name], strict=True):
                    file.write(data)
            else:
                self._fill(name, n_documents)
        self._documents += n_documents

    def _fill(self, name: str, n_documents: int) -> None:
        values, lengths = self._open[name]
        for first in range(0, n_documents, _AT_ONCE):
            number = min(_AT_ONCE, n_documents - first)
            values.write(_NULL * number)
            lengths.write(np.full(number, len(_NULL), np.int32).tobytes())

    def write(self, folder: Path, names: Iterable[str]) -> None:
        """Write the files of an index with these columns, in this order."""
        chosen = [self._open[name] for name in names]
        size = sum(values.seek(0, 2) for values, _ in chosen)
        write_json(folder / layout.COLUMNS, list(names))
        parts = ([part] for values, _ in chosen for part in _parts(values, np.uint8))
        write_arrays_in_parts([folder / layout.COLUMN_VALUES], np.dtype(np.uint8), (size,), parts)
        shape = (len(chosen) * self._documents + 1,)
        write_arrays_in_parts([folder / layout.COLUMN_STARTS], np.dtype(np.int64), shape, self._starts(chosen))

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(self._open)

    def _starts(self, chosen: list[tuple[BinaryIO, BinaryIO]]) -> Iterator[list[Longs]]:
        end = 0
        yield [np.zeros(1, np.int64)]
        for _, lengths in chosen:
            for part in _parts(lengths, np.int32):
                ends = end + np.cumsum(part, dtype=np.int64)
                end = int(ends[-1])
                yield [ends]


def _parts(file: BinaryIO, dtype: type[np.generic]) -> Iterator[NDArray[Any]]:
    file.seek(0)
    while data := file.read(_READ):
        yield np.frombuffer(data, dtype)


def write_columns(
    folder: Path,
    work: Path,
    kept: Iterable[tuple[Columns, int, int]],
    added: Iterable[tuple[Documents, int]],
    keep: Keep,
    settings: TextSettings,
    engine: Engine,
) -> None:
    """Write the columns of an index: those of ranges of stored documents, then those of new documents.

    `added` has the number of documents that each corpus had when it was read for its texts.
    """
    if not keep:
        write_json(folder / layout.COLUMNS, [])
        write_array(folder / layout.COLUMN_VALUES, np.empty(0, np.uint8))
        write_array(folder / layout.COLUMN_STARTS, np.zeros(1, np.int64))
        return
    with writing(work):
        work.mkdir(parents=True, exist_ok=True)
    with ExitStack() as files, writing(work):
        builder = ColumnsBuilder(work, files)
        for columns, first, last in kept:
            for low in range(first, last, _AT_ONCE):
                high = min(low + _AT_ONCE, last)
                stored = {name: columns.stored(name, low, high) for name in columns.names}
                builder.add({name: (v.tobytes(), n.tobytes()) for name, (v, n) in stored.items()}, high - low)
        for documents, expected in added:
            found, names = 0, dict[str, None]()
            pieces = documents.pieces(settings, engine, keep=True)
            for own, number in pieces.mapped(engine, _columns_of, pieces):
                builder.add(own, number)
                found += number
                names |= dict.fromkeys(own)
            _require(() if keep == "all" else keep, names, documents)
            if found != expected:
                raise CorpusError(
                    f"the corpus {documents.name!r} had {expected:,} documents when its texts were read, but {found:,} "
                    "when its columns were; start again once they have stopped changing"
                )
        builder.write(folder, builder.names if keep == "all" else keep)


def _require(keep: Iterable[str], names: Collection[str], documents: Documents) -> None:
    missing = next((name for name in keep if name not in names), None)
    if missing is not None:
        documents.refuse_missing(missing)


def _columns_of(piece: Piece) -> tuple[dict[str, tuple[bytes, bytes]], int]:
    """The columns of a piece as `ColumnsBuilder.add` takes them, and its number of documents."""
    # Where there are only texts, no document has any column.
    rows = [row for shard in piece.shards() for row in shard.columns or [{}] * len(shard.texts)]
    names = Counter(name for row in rows for name in row)
    found = {}
    for name in names:
        cells = [orjson.dumps(row.get(name)) + b"," for row in rows]
        found[name] = (b"".join(cells), np.array([len(cell) for cell in cells], np.int32).tobytes())
    return found, len(rows)
