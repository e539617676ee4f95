"""Tables of sorted documents with one row per document, as CSV or Parquet."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, Protocol

import numpy as np

from seetopic.classify.placement import STEPS, Placement
from seetopic.errors import MissingExtra
from seetopic.runtime import Lists, cell

COLUMNS = ("document", "category", "share", "categories", "evidence")  # followed by one column of shares per category
_GROUP = 1 << 22  # cells of a Parquet file that are in memory together


class Table(Protocol):
    """A file format; many workers make its rows, one process writes them."""

    def rows(self, placement: Placement, first: int) -> bytes:
        """Rows of documents, numbered from `first`, in the form that `write` takes."""

    def write(self, path: Path, parts: Iterable[bytes]) -> None: ...


@dataclass(frozen=True)
class CsvTable:
    """CSV that is safe to open in a spreadsheet."""

    names: tuple[str, ...]
    terms: tuple[str, ...]

    def rows(self, placement: Placement, first: int) -> bytes:
        cells, shown = [cell(name) for name in self.names], _shown_shares()
        rows = []
        for number, (steps, given, evidence) in enumerate(
            zip(placement.steps.tolist(), placement.categories.as_lists(), placement.evidence.as_lists(), strict=True),
            start=first,
        ):
            best, share = (cells[given[0]], shown[steps[given[0]]]) if given else ("", "")
            names = best if len(given) < 2 else cell("|".join(self.names[category] for category in given))
            speaking = cell("|".join(self.terms[term] for term in evidence))
            rows.append(f"{number},{best},{share},{names},{speaking},{','.join(map(shown.__getitem__, steps))}\n")
        return "".join(rows).encode("utf-8")

    def write(self, path: Path, parts: Iterable[bytes]) -> None:
        with path.open("wb") as file:
            file.write((",".join([*COLUMNS, *map(cell, self.names)]) + "\n").encode("utf-8"))
            file.writelines(parts)


@cache
def _shown_shares() -> list[str]:
    return [str(step / STEPS) for step in range(STEPS + 1)]


@dataclass(frozen=True)
class ParquetTable:
    """Typed columns, small on disk, readable in parts and by column; missing values are null."""

    names: tuple[str, ...]
    terms: tuple[str, ...]

    def rows(self, placement: Placement, first: int) -> bytes:
        pa, schema = _pyarrow(), self._schema
        given = placement.best
        shares = placement.steps / STEPS
        best_shares = shares[np.arange(len(given)), given]
        columns = [
            pa.array(np.arange(first, first + len(placement))),
            pa.array([None if category < 0 else self.names[category] for category in given.tolist()], pa.string()),
            pa.array(best_shares, pa.float64(), mask=given < 0),
            _texts(placement.categories, self.names),
            _texts(placement.evidence, self.terms),
            *(pa.array(column) for column in np.ascontiguousarray(shares.T)),
        ]
        sink = pa.BufferOutputStream()
        with pa.ipc.new_stream(sink, schema) as stream:
            stream.write_batch(pa.record_batch(columns, schema=schema))
        rows: bytes = sink.getvalue().to_pybytes()
        return rows

    def write(self, path: Path, parts: Iterable[bytes]) -> None:
        from pyarrow.parquet import ParquetWriter

        with ParquetWriter(path, self._schema) as file:
            for group in self._groups(parts):
                file.write_table(group, row_group_size=group.num_rows)

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
        texts = pa.list_(pa.field("element", pa.string(), nullable=False))
        kinds = (pa.field("document", pa.int64(), nullable=False), ("category", pa.string()), ("share", pa.float64()))
        lists = [pa.field(name, texts, nullable=False) for name in ("categories", "evidence")]
        return pa.schema(
            [*kinds, *lists, *(pa.field(name, pa.float64(), nullable=False) for name in self._share_names)]
        )

    @property
    def _share_names(self) -> list[str]:
        """A category with the name of another column gets a suffix, because many programs refuse duplicate names."""
        return [f"{name} (category)" if name in COLUMNS else name for name in self.names]


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


def table_for(path: Path, names: tuple[str, ...], terms: tuple[str, ...]) -> Table:
    """Parquet if the file name ends in .parquet, otherwise CSV."""
    if path.suffix.lower() != ".parquet":
        return CsvTable(names, terms)
    _pyarrow()
    return ParquetTable(names, terms)
