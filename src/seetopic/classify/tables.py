"""Tables of sorted documents with one row per document: CSV, Parquet, JSON lines, or an Excel workbook."""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import orjson

from seetopic.classify.placement import STEPS
from seetopic.classify.rows import Kind, SortedRows, as_kind
from seetopic.corpus import path_text
from seetopic.discovery import Tree
from seetopic.errors import MissingExtra, OutputError, SettingsError
from seetopic.runtime import SHEET_COLUMNS, SHEET_ROWS, Lists, Longs, cell, workbook, write_sheet, xlsxwriter

# The kept columns follow the first one, and one column of shares per category the last one.
COLUMNS = ("document", "category", "share", "none", "categories", "terms", "problem")
IS_CATEGORY = " (category)"  # suffix of a category with the same name as another column
_IN_TREE = ("path", "path_shares")  # after the share, if the categories form a tree
_GROUP = 1 << 22  # cells of a Parquet file that are in memory together
_NUMBER = re.compile(r"[+-]?\d+([.,]\d+)?([eE][+-]?\d+)?")


@dataclass(frozen=True)
class Table(ABC):
    """A file format; many workers make its rows, one process writes them."""

    names: tuple[str, ...]  # of the categories
    terms: tuple[str, ...] = field(repr=False)
    kept: dict[str, Kind] = field(default_factory=dict)  # the kept columns, known once all documents are sorted
    tree: Tree | None = None  # of the names, which are paths then

    def keeping(self, kept: Mapping[str, Kind]) -> Table:
        """The same table with kept columns."""
        self.refuse_clash(kept)
        return replace(self, kept=dict(kept))

    @property
    def header(self) -> list[str]:
        """The names of all columns; a category with the same name as another column gets a suffix."""
        first, *further = own_columns(self.tree)
        others = (first, *self.kept, *further)
        return [*others, *(f"{name}{IS_CATEGORY}" if name in others else name for name in self.names)]

    def best_of(self, category: int) -> str:
        """The name of a category, without its path."""
        name, parent = self.names[category], -1 if self.tree is None else self.tree.parents[category]
        return name if parent < 0 else name.removeprefix(path_text((self.names[parent], "")))

    def in_tree(self, category: int | None, shares: Sequence[float]) -> list[Any]:
        """The cells of the best category's path: the path, and the share at each level; nothing without a tree."""
        if self.tree is None:
            return []
        if category is None:
            return [None, []]
        return [self.names[category], [shares[node] for node in self.tree.path(category)]]

    def refuse_clash(self, kept: Iterable[str]) -> None:
        """Refuse to keep a column with the name of one that the table has anyway."""
        own = own_columns(self.tree)
        clash = next((name for name in kept if name in own), None)
        if clash is not None:
            raise SettingsError(
                f"the table has its own column {clash!r}, so one of that name cannot be kept; rename it, or leave it "
                "out of --keep (in Python: keep)"
            )

    def require_room(self, n_rows: int) -> None:  # noqa: B027 - most formats have room for any number
        """Refuse more rows than the format can have."""

    @abstractmethod
    def rows(self, rows: SortedRows, numbers: Longs) -> bytes:
        """Rows of documents with these numbers, in the form that `write` takes."""

    @abstractmethod
    def write(self, path: Path, parts: Iterable[bytes]) -> None: ...


def own_columns(tree: Tree | None) -> tuple[str, ...]:
    """The columns that every table has, in order; the kept columns follow the first one."""
    return COLUMNS if tree is None else (*COLUMNS[:3], *_IN_TREE, *COLUMNS[3:])


@dataclass(frozen=True)
class CsvTable(Table):
    """CSV that is safe to open in a spreadsheet."""

    def rows(self, rows: SortedRows, numbers: Longs) -> bytes:
        cells = [cell(self.best_of(category)) for category in range(len(self.names))]
        shown, placement = _shown_shares(), rows.placement
        nothing = [None] * len(rows)
        beside = [[_kept_cell(each) for each in rows.columns.get(name, nothing)] for name in self.kept]
        made = []
        for at, (number, steps, none, given, evidence) in enumerate(
            zip(
                numbers.tolist(),
                placement.steps.tolist(),
                placement.none.tolist(),
                placement.categories.as_lists(),
                placement.evidence.as_lists(),
                strict=True,
            )
        ):
            kept = "".join(f"{column[at]}," for column in beside)
            best, share = (cells[given[0]], shown[steps[given[0]]]) if given else ("", "")
            names = cell("|".join(self.names[category] for category in given))
            path = "".join(f"{each}," for each in self._path_cells(given, steps))
            terms = cell("|".join(self.terms[term] for term in evidence))
            problem = cell(rows.problems[at]) if at in rows.problems else ""
            shares = ",".join(map(shown.__getitem__, steps))
            made.append(f"{number},{kept}{best},{share},{path}{shown[none]},{names},{terms},{problem},{shares}\n")
        return "".join(made).encode("utf-8")

    def write(self, path: Path, parts: Iterable[bytes]) -> None:
        with path.open("wb") as file:
            file.write((",".join(map(cell, self.header)) + "\n").encode("utf-8"))
            file.writelines(parts)

    def _path_cells(self, given: list[int], steps: list[int]) -> list[str]:
        if self.tree is None:
            return []
        path, shares = self.in_tree(given[0] if given else None, steps)
        return [cell(path or ""), "|".join(_shown_shares()[share] for share in shares)]


def _kept_cell(value: Any) -> str:
    """A kept value; a number stays one, because no spreadsheet runs it as a formula."""
    if value is None:
        return ""
    text = value if isinstance(value, str) else orjson.dumps(value).decode()
    return text if _NUMBER.fullmatch(text) and "," not in text else cell(text)


@cache
def _shown_shares() -> list[str]:
    return [str(step / STEPS) for step in range(STEPS + 1)]


@dataclass(frozen=True)
class ParquetTable(Table):
    """Typed columns, small on disk, readable in parts and by column; missing values are null."""

    def rows(self, rows: SortedRows, numbers: Longs) -> bytes:
        pa, schema, placement = _pyarrow(), self._schema, rows.placement
        given = placement.best
        shares = placement.steps / STEPS
        best_shares = shares[np.arange(len(given)), given]
        nothing = [None] * len(rows)
        columns = [
            pa.array(numbers, pa.int64()),
            *(
                pa.array(as_kind(rows.columns.get(name, nothing), kind), schema.field(name).type)
                for name, kind in self.kept.items()
            ),
            pa.array([None if category < 0 else self.best_of(category) for category in given.tolist()], pa.string()),
            pa.array(best_shares, pa.float64(), mask=given < 0),
            *self._path_columns(given.tolist(), shares),
            pa.array(placement.none / STEPS),
            _texts(placement.categories, self.names),
            _texts(placement.evidence, self.terms),
            pa.array([rows.problems.get(at) for at in range(len(rows))], pa.string()),
            *(pa.array(column) for column in np.ascontiguousarray(shares.T)),
        ]
        sink = pa.BufferOutputStream()
        with pa.ipc.new_stream(sink, schema) as stream:
            stream.write_batch(pa.record_batch(columns, schema=schema))
        made: bytes = sink.getvalue().to_pybytes()
        return made

    def write(self, path: Path, parts: Iterable[bytes]) -> None:
        from pyarrow.parquet import ParquetWriter

        with ParquetWriter(path, self._schema) as file:
            for group in self._groups(parts):
                file.write_table(group, row_group_size=group.num_rows)

    def _path_columns(self, given: list[int], shares: Any) -> list[Any]:
        if self.tree is None:
            return []
        pa = _pyarrow()
        cells = [
            self.in_tree(None if category < 0 else category, row) for category, row in zip(given, shares, strict=True)
        ]
        element = pa.field("element", pa.float64(), nullable=False)
        return [
            pa.array([path for path, _ in cells], pa.string()),
            pa.array([each for _, each in cells], pa.list_(element)),
        ]

    def _groups(self, parts: Iterable[bytes]) -> Iterator[Any]:
        """Parts joined into groups that are large enough; the grouping depends only on their rows."""
        pa = _pyarrow()
        waiting: list[Any] = []
        for part in parts:
            waiting.append(pa.ipc.open_stream(part).read_all())
            if sum(each.num_rows for each in waiting) * len(self._schema) >= _GROUP:
                yield pa.concat_tables(waiting)
                waiting = []
        if waiting:
            yield pa.concat_tables(waiting)

    @property
    def _schema(self) -> Any:
        pa = _pyarrow()
        kinds = {"bool": pa.bool_(), "int": pa.int64(), "float": pa.float64(), "str": pa.string()}
        share = pa.field("", pa.float64(), nullable=False)
        texts = pa.field("", pa.list_(pa.field("element", pa.string(), nullable=False)), nullable=False)
        levels = pa.field("", pa.list_(pa.field("element", pa.float64(), nullable=False)), nullable=False)
        in_tree = () if self.tree is None else (pa.field("", pa.string()), levels)
        fields = [
            pa.field("", pa.int64(), nullable=False),
            *(pa.field("", kinds[kind]) for kind in self.kept.values()),
            *(pa.field("", pa.string()), pa.field("", pa.float64()), *in_tree),
            *(share, texts, texts, pa.field("", pa.string())),
            *(share for _ in self.names),
        ]
        return pa.schema([each.with_name(name) for each, name in zip(fields, self.header, strict=True)])


def _texts(numbers: Lists, texts: tuple[str, ...]) -> Any:
    pa = _pyarrow()
    kind = pa.list_(pa.field("element", pa.string(), nullable=False))
    values = pa.array([texts[number] for number in numbers.values.tolist()], pa.string())
    return pa.ListArray.from_arrays(pa.array(numbers.starts, pa.int32()), values, kind)


def _pyarrow() -> Any:
    try:
        import pyarrow
        import pyarrow.ipc
    except ImportError as error:
        raise MissingExtra("writing a .parquet table", "parquet") from error
    return pyarrow


@dataclass(frozen=True)
class JsonTable(Table):
    """One JSON object per line; missing values are null."""

    def rows(self, rows: SortedRows, numbers: Longs) -> bytes:
        return b"".join(orjson.dumps(row, option=orjson.OPT_APPEND_NEWLINE) for row in self._objects(rows, numbers))

    def _objects(self, rows: SortedRows, numbers: Longs) -> Iterator[dict[str, Any]]:
        header, placement = self.header, rows.placement
        shares = (placement.steps / STEPS).tolist(), (placement.none / STEPS).tolist()
        given = placement.categories.as_lists(), placement.evidence.as_lists()
        nothing = [None] * len(rows)
        beside = [as_kind(rows.columns.get(name, nothing), kind) for name, kind in self.kept.items()]
        for at, (number, own, none, categories, evidence) in enumerate(
            zip(numbers.tolist(), *shares, *given, strict=True)
        ):
            names = [self.names[category] for category in categories]
            best = (self.best_of(categories[0]), own[categories[0]]) if categories else (None, None)
            path = self.in_tree(categories[0] if categories else None, own)
            terms = [self.terms[term] for term in evidence]
            cells = [number, *(column[at] for column in beside), *best, *path, none]
            yield dict(zip(header, [*cells, names, terms, rows.problems.get(at), *own], strict=True))

    def write(self, path: Path, parts: Iterable[bytes]) -> None:
        with path.open("wb") as file:
            file.writelines(parts)


@dataclass(frozen=True)
class SheetTable(JsonTable):
    """An Excel workbook with one sheet; lists are separated by `|`."""

    def require_room(self, n_rows: int) -> None:
        for number, most, what in (
            (n_rows + 1, SHEET_ROWS, "rows"),
            (len(self.header), SHEET_COLUMNS, "columns"),
        ):
            if number > most:
                raise OutputError(f"a sheet has at most {most:,} {what}, but this table has {number:,}; write .parquet")

    def write(self, path: Path, parts: Iterable[bytes]) -> None:
        lines = (line for part in parts for line in part.splitlines())
        with workbook(path) as book:
            write_sheet(book, "documents", self.header, (orjson.loads(line).values() for line in lines))


_TABLES: dict[str, type[Table]] = {".csv": CsvTable, ".parquet": ParquetTable, ".jsonl": JsonTable, ".xlsx": SheetTable}


def table_for(path: Path, names: tuple[str, ...], terms: tuple[str, ...], tree: Tree | None = None) -> Table:
    """The table in the format of the file's extension; any other extension is refused."""
    ending = path.suffix.lower()
    if ending not in _TABLES:
        raise OutputError(f"{path} does not end in {', '.join(_TABLES)}; choose one of these formats by its extension")
    if ending == ".parquet":
        _pyarrow()
    if ending == ".xlsx":
        xlsxwriter()
    return _TABLES[ending](names, terms, tree=tree)
