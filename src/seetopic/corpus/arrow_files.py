"""Reads Parquet files and Arrow streams, in small batches."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

from seetopic.corpus.records import Fields, Record, Row, checked, column_named, column_value, labelled
from seetopic.corpus.storage import StoredFile, seekable
from seetopic.errors import CorpusError, MissingExtra

_BUFFER = 1 << 20  # bytes of a column that are read at a time
_BATCH_ROWS = 256  # of a Parquet file; more at once are hardly faster
_BATCH_BYTES = 16_000_000  # of such a batch, unless a single row is larger


class GroupRange(NamedTuple):
    """Row groups of a Parquet file, counted from 0."""

    first: int
    last: int
    first_row: int  # counted from 1


@dataclass(frozen=True)
class ParquetSource:
    """A Parquet file that is read in small batches, because a small file can contain one long text many times."""

    plain: Any  # the file, or its path
    opened: Any

    @property
    def metadata(self) -> Any:
        return self.opened.metadata

    @cached_property
    def flat(self) -> frozenset[str]:
        """Columns of single values; one row of a list column could contain any number of texts."""
        import pyarrow as arrow

        return frozenset(field.name for field in self.opened.schema_arrow if not arrow.types.is_nested(field.type))

    @cached_property
    def texts(self) -> frozenset[str]:
        """Columns whose values may be long."""
        return frozenset(field.name for field in self.opened.schema_arrow if _is_long(field.type))

    def batches(self, fields: Sequence[str], groups: Sequence[int] | None = None) -> Iterator[Any]:
        long = [name for name in fields if name in self.texts]
        for group in range(self.metadata.num_row_groups) if groups is None else groups:
            size = self._rows_at_once(group, long) if long else _BATCH_ROWS
            yield from self.opened.iter_batches(batch_size=size, row_groups=[group], columns=list(fields))

    def _rows_at_once(self, group: int, fields: list[str]) -> int:
        """How many rows of a row group are sure to fit, even if all are the longest text of its dictionary."""
        about = self.metadata.row_group(group)
        chunks = [about.column(number) for number in range(about.num_columns)]
        wanted = frozenset(fields)
        chosen = [chunk for chunk in chunks if chunk.path_in_schema in wanted]
        if any("DELTA_BYTE_ARRAY" in chunk.encodings for chunk in chosen):  # a text may extend the one before it
            return 1
        mean = int(sum(chunk.total_uncompressed_size for chunk in chosen)) // max(int(about.num_rows), 1)
        longest = max(mean, self._longest_in_dictionary(group, fields), 1)
        return max(1, min(_BATCH_ROWS, _BATCH_BYTES // longest))

    def _longest_in_dictionary(self, group: int, fields: list[str]) -> int:
        """Bytes of the longest text in the dictionary; measured, because a file's metadata may be wrong."""
        import pyarrow.compute as compute
        from pyarrow.parquet import ParquetFile

        kept = ParquetFile(self.plain, buffer_size=_BUFFER, metadata=self.metadata, read_dictionary=fields)
        first = next(kept.iter_batches(batch_size=1, row_groups=[group], columns=fields), None)
        if first is None:
            return 0
        lengths = (compute.binary_length(first.column(each).dictionary) for each in fields)
        return int(sum(compute.max(each).as_py() or 0 for each in lengths))


def _is_long(kind: Any) -> bool:
    import pyarrow as arrow

    is_any_of = arrow.types
    held = kind.value_type if is_any_of.is_dictionary(kind) else kind
    kinds = (is_any_of.is_string, is_any_of.is_large_string, is_any_of.is_binary, is_any_of.is_large_binary)
    return any(is_kind(held) for is_kind in kinds)


def unpacked_bytes(batch: Any) -> int:
    """The size of a batch of texts, each counted as often as it occurs."""
    import pyarrow as arrow
    import pyarrow.compute as compute

    size = 0
    for column in batch.columns:
        if arrow.types.is_dictionary(column.type):
            lengths = compute.take(compute.binary_length(column.dictionary), column.indices)
            size += compute.sum(lengths).as_py() or 0
        size += column.nbytes
    return size


@contextmanager
def parquet_file(file: StoredFile, place: str) -> Iterator[ParquetSource]:
    """The file opened by pyarrow; errors about damage become one sentence."""
    try:
        import pyarrow as arrow
        import pyarrow.parquet as arrow_parquet
    except ImportError as error:
        raise MissingExtra(f"reading {file.name}", "parquet") from error
    failures: tuple[type[Exception], ...] = (arrow.ArrowException, *file.failures)
    with seekable(file) as plain:
        try:
            # Row groups may be large, so they are read as a stream.
            opened = arrow_parquet.ParquetFile(plain, buffer_size=_BUFFER)
            names = opened.schema_arrow.names
            twice = next((name for name, times in Counter(names).items() if times > 1), None)
            if twice is not None:
                raise CorpusError(f"{place} has two columns named {twice!r}; rename one of them")
            yield ParquetSource(plain, opened)
        except CorpusError:
            raise
        except failures as error:
            raise file.unreadable(f"{place} cannot be read as Parquet", error) from file.cause(error)


def parquet(file: StoredFile, fields: Fields, groups: GroupRange | None = None) -> Iterator[Record]:
    """The columns that are asked for, of some or all row groups; one batch is in memory at a time."""
    place = file.name if groups is None else f"{file.name}, row groups {groups.first + 1} to {groups.last + 1},"
    with parquet_file(file, place) as table:
        columns = _arrow_columns(table.opened.schema_arrow, fields, file.name)
        chosen = None if groups is None else range(groups.first, groups.last + 1)
        row = 0 if groups is None else groups.first_row - 1
        yield from _arrow_records(table.batches(columns, chosen), fields, file.name, row)


def arrow(file: StoredFile, fields: Fields) -> Iterator[Record]:
    """The columns that are asked for, of an Arrow stream as the `datasets` library saves it."""
    with arrow_stream(file) as stream:
        columns = _arrow_columns(stream.schema, fields, file.name)
        yield from _arrow_records((batch.select(columns) for batch in stream), fields, file.name, 0)


@contextmanager
def arrow_stream(file: StoredFile) -> Iterator[Any]:
    try:
        import pyarrow
        import pyarrow.ipc
    except ImportError as error:
        raise MissingExtra(f"reading {file.name}", "parquet") from error
    failures: tuple[type[Exception], ...] = (pyarrow.ArrowException, *file.failures)
    with file.open() as opened:
        try:
            yield pyarrow.ipc.open_stream(opened)
        except CorpusError:
            raise
        except failures as error:
            raise file.unreadable(f"{file.name} cannot be read as Arrow", error) from file.cause(error)


def _arrow_columns(schema: Any, fields: Fields, file: str) -> list[str]:
    """The names of the columns to read; a row of a list column could contain any number of texts."""
    import pyarrow

    nested = {field.name for field in schema if pyarrow.types.is_nested(field.type)}
    kept = fields.kept(name for name in schema.names if name not in nested)
    asked = [(fields.text, "--text-field"), (fields.label, "--label-field"), *((name, "--keep") for name in kept)]
    columns = {name: option for name, option in asked if name is not None}
    for name, option in columns.items():
        column_named(tuple(schema.names), name, file, option)
        if name in nested:
            raise CorpusError(f"the column {name!r} of {file} contains lists, not texts; choose another with {option}")
    return list(columns)


def _arrow_records(batches: Iterable[Any], fields: Fields, file: str, row: int) -> Iterator[Record]:
    """The records of batches that follow the given number of rows."""
    for batch in batches:
        columns = {name: _python_values(batch.column(name)) for name in batch.schema.names}
        kept = fields.kept(columns)
        for at, value in enumerate(columns[fields.text]):
            row += 1
            record = checked(value, file, "row", row)
            if fields.label is not None:
                record = labelled(record, columns[fields.label][at], f"{file}, row {row}")
            yield Row(record, {name: column_value(columns[name][at]) for name in kept}) if fields.keep else record


def _python_values(column: Any) -> list[Any]:
    try:
        values: list[Any] = column.to_pylist()
        return values
    except UnicodeDecodeError:  # convert values one by one, so that only the faulty text is lost
        return [_python_value(value) for value in column]


def _python_value(value: Any) -> Any:
    try:
        return value.as_py()
    except UnicodeDecodeError as error:
        return error.object.decode("utf-8", errors="surrogateescape")
