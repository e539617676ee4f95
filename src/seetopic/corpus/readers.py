"""One reader per file format: a stream of records, each a text or a fault with its location."""

from __future__ import annotations

import csv
import inspect
import io
import json
import math
import re
import shutil
import tempfile
from collections import Counter
from collections.abc import Generator, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import date, time
from functools import cached_property
from itertools import chain
from threading import Lock
from typing import IO, Any, Literal, NamedTuple, TypeAlias

import orjson

from seetopic.corpus.storage import StoredFile
from seetopic.errors import CorpusError, MissingExtra

_NO_MORE = object()


class Fault(NamedTuple):
    """Why a record cannot be used as a document."""

    place: str  # the location, for errors: "reviews.csv, line 17"
    sentence: str
    kind: str  # the same in a few words, for counting


class Labelled(NamedTuple):
    """A document and its labels, if a label field is read."""

    text: str
    labels: tuple[str, ...]


Plain: TypeAlias = str | Labelled | Fault  # a record without columns


class Row(NamedTuple):
    """A record with its kept columns, if any are asked for."""

    record: Plain
    columns: dict[str, Any]  # values as by `column_value`; those that the record lacks are left out


Record: TypeAlias = Plain | Row  # nearly always a plain string, because there may be a billion of them
Keep: TypeAlias = tuple[str, ...] | Literal["all"]  # columns to keep; "all": every one but the text


class Fields(NamedTuple):
    """The fields of a record that are read."""

    text: str = "text"
    label: str | None = None
    keep: Keep = ()

    def kept(self, names: Iterable[str]) -> tuple[str, ...]:
        """The columns to keep, of those with these names."""
        return tuple(name for name in names if name and name != self.text) if self.keep == "all" else self.keep


def column_value(value: Any) -> str | int | float | bool | None:
    """A kept value as JSON has it: dates become ISO text, lists and objects JSON text, and missing ones None."""
    if hasattr(value, "item") and getattr(value, "ndim", None) == 0:  # a NumPy scalar
        value = value.item()
    if isinstance(value, str):
        return value.encode("utf-8", "replace").decode()
    if _is_missing(value) or (isinstance(value, float) and not math.isfinite(value)):
        return None
    if isinstance(value, bool | float) or (isinstance(value, int) and -(2**63) <= value < 2**63):
        return value
    if isinstance(value, date | time):  # a datetime is a date
        return value.isoformat()
    return orjson.dumps(value, default=str).decode() if isinstance(value, list | dict) else str(value)


def strings(
    values: Iterable[Any], labels: Iterable[Any] | None = None, columns: Mapping[str, Iterable[Any]] | None = None
) -> Iterator[Record]:
    """The records of any iterable; missing values of a table (None, NaN) count as empty."""
    beside = {name: iter(each) for name, each in (columns or {}).items()}
    waiting = None if labels is None else iter(labels)
    for number, value in enumerate(values):
        record = checked(value, "", "document", number)
        if waiting is not None:
            label = next(waiting, _NO_MORE)
            if label is _NO_MORE:
                raise CorpusError(f"there are more documents than labels ({number}); give a label or None for each")
            record = labelled(record, label, f"document {number}")
        yield Row(record, {name: _beside(name, each, number) for name, each in beside.items()}) if beside else record
    if waiting is not None and next(waiting, _NO_MORE) is not _NO_MORE:
        raise CorpusError("there are more labels than documents; give a label or None for each document")
    for name, each in beside.items():
        if next(each, _NO_MORE) is not _NO_MORE:
            raise CorpusError(f"the column {name!r} has more values than there are documents; give one for each")


def _beside(name: str, values: Iterator[Any], number: int) -> Any:
    value = next(values, _NO_MORE)
    if value is _NO_MORE:
        raise CorpusError(f"the column {name!r} has only {number} values; give one for each document")
    return column_value(value)


def labelled(record: Plain, value: Any, place: str) -> Plain:
    """The record with its labels: a text, a number, a list of these, or nothing."""
    if not isinstance(record, str):
        return record
    values = value if isinstance(value, list | tuple) else [value]
    known = [each for each in values if not _is_missing(each)]
    strange = next((each for each in known if not isinstance(each, str | int | float)), None)
    if strange is not None:
        kind = type(strange).__name__
        return Fault(place, f"has a label of type {kind}, not text or a list of texts", "with odd label")
    spelled = [str(each).strip() for each in known]
    return Labelled(record, tuple(dict.fromkeys(label for label in spelled if label)))


def checked(value: Any, name: str, unit: str, number: int) -> Plain:
    """The value as a text, or a fault that says what is wrong with it."""
    if type(value) is str and value.isascii() and "\0" not in value:
        return value
    if _is_missing(value):
        return ""
    place = f"{name}, {unit} {number}" if name else f"{unit} {number}"
    if not isinstance(value, str):
        return Fault(place, f"is of type {type(value).__name__}, not text", "not text")
    if (fault := text_fault(value)) is not None:
        return Fault(place, *fault)
    return str.__str__(value)  # NumPy strings become plain ones


def _is_missing(value: Any) -> bool:
    # By name, because pandas may not be installed, and its NA cannot be compared.
    is_nan = isinstance(value, float) and math.isnan(value)
    return value is None or is_nan or type(value).__name__ in ("NAType", "NaTType")


def text_fault(text: str) -> tuple[str, str] | None:
    """Why a string is not a valid text, as a sentence and its kind; None if it is valid."""
    if "\0" in text:
        return "contains NUL bytes, so it is not UTF-8 text", "with NUL bytes"
    if not text.isascii():
        try:
            text.encode("utf-8")
        except UnicodeEncodeError as error:
            return f"is not UTF-8 text (at character {error.start})", "not UTF-8"
    return None


def option(name: str) -> str:
    """An option as it is called on the command line and in Python."""
    return f"{name}, or {name[2:].replace('-', '_')} in Python"


def column_named(names: tuple[str, ...], field: str, file: str, chosen_by: str = "--text-field") -> int:
    """The position of a column in its table."""
    if (fault := text_fault("".join(names))) is not None:
        raise CorpusError(f"the first line of {file} {fault[0]}; save the file as UTF-8")
    if field not in names:
        raise CorpusError(
            f"{file} has no column {field!r}; its columns are {', '.join(map(repr, names))}: "
            f"choose one with {option(chosen_by)}"
        )
    return names.index(field)


Cells: TypeAlias = list[str] | csv.Error  # of a row, or why it could not be read
_LONGEST_FIELD = 2**31 - 1  # the maximum everywhere: a C long has 32 bits on some systems
_LIMIT = Lock()  # of `csv.field_size_limit`
_BLOCK = 1 << 20  # bytes read at a time
_BATCH_ROWS = 256  # of a Parquet file; more at once are hardly faster
_BATCH_BYTES = 16_000_000  # of such a batch, unless a single row is larger
_BYTE_ORDER_MARK = b"\xef\xbb\xbf"


class Stretch(NamedTuple):
    """Whole lines of a file between two byte offsets; to the end of the file if `end` is None."""

    file: StoredFile
    start: int = 0
    end: int | None = None
    first_line: int = 1


class Dialect(NamedTuple):
    """How the rows of a table are written."""

    delimiter: str
    quoted: bool  # whether cells may be in quotes and contain line breaks; otherwise quotes are plain characters


class TableHeader(NamedTuple):
    """The names of a table's columns, and the line they are on."""

    names: tuple[str, ...]
    line: int


class _Block(NamedTuple):
    """Some whole lines."""

    text: str
    first_line: int
    is_clean: bool  # UTF-8 without NUL, so that lines need not be checked one by one


def lines(stretch: Stretch) -> Iterator[Record]:
    """One document per line."""
    for block in _blocks(stretch):
        if block.is_clean:
            yield from map(_without_return, _split(block.text)) if "\r" in block.text else _split(block.text)
            continue
        for number, line in enumerate(_split(block.text), start=block.first_line):
            yield checked(_without_return(line), stretch.file.name, "line", number)


def _without_return(line: str) -> str:
    return line.rstrip("\r")


def _split(text: str) -> list[str]:
    found = text.split("\n")
    if not found[-1]:
        found.pop()  # the last line break begins no further line
    return found


def json_lines(stretch: Stretch, fields: Fields) -> Iterator[Record]:
    """One JSON object per line; blank lines are skipped."""
    for block in _blocks(stretch):
        plain = block.is_clean and fields.label is None
        for number, line in enumerate(_split(block.text), start=block.first_line):
            # Most lines take this short cut; all others take the long way, which says what is wrong with them.
            if plain:
                try:
                    value = orjson.loads(line)
                    text = value[fields.text]
                except (ValueError, LookupError, TypeError):
                    text = None
                if type(text) is str and ("\\" not in line or text_fault(text) is None):
                    yield Row(text, _json_columns(value, fields)) if fields.keep else text
                    continue
            if line.strip():
                yield _json_line(line, stretch.file.name, number, fields)


def _json_line(line: str, name: str, number: int, fields: Fields) -> Record:
    place = f"{name}, line {number}"
    if (fault := text_fault(line)) is not None:
        found = Fault(place, *fault)
    else:
        try:
            return _json_record(json.loads(line), name, "line", number, fields)
        except (ValueError, RecursionError) as error:
            found = Fault(place, f"is not valid JSON ({error})", "not JSON")
    return Row(found, {}) if fields.keep else found


def _json_record(value: Any, name: str, unit: str, number: int, fields: Fields) -> Record:
    """The record of a JSON object."""
    place = f"{name}, {unit} {number}"
    record: Plain
    if not isinstance(value, dict):
        record = Fault(place, f"is a JSON {type(value).__name__}, not an object", "not an object")
    elif fields.text not in value:
        known = ", ".join(map(repr, value)) or "none"
        record = Fault(
            place,
            f"has no field {fields.text!r} (its fields: {known}; choose one with {option('--text-field')})",
            "without text field",
        )
    else:
        record = checked(value[fields.text], name, unit, number)
        record = record if fields.label is None else labelled(record, value.get(fields.label), place)
    return Row(record, _json_columns(value, fields)) if fields.keep else record


def _json_columns(value: Any, fields: Fields) -> dict[str, Any]:
    if not isinstance(value, dict):
        return {}
    return {name: column_value(value[name]) for name in fields.kept(value) if name in value}


def json_array(file: StoredFile, fields: Fields) -> Iterator[Record]:
    """The elements of a JSON array, or JSON objects one after the other; only a few are in memory at a time."""
    for number, value in enumerate(_json_values(file), start=1):
        if isinstance(value, str) and fields.label is None:
            record = checked(value, file.name, "element", number)
            yield Row(record, {}) if fields.keep else record
        else:
            yield _json_record(value, file.name, "element", number, fields)


_BETWEEN = re.compile(r"[\s,]*")
_LONGEST_ELEMENT = 1 << 26  # characters


def _json_values(file: StoredFile) -> Iterator[Any]:
    decode, n_read = json.JSONDecoder().raw_decode, 0
    text, at, is_array, is_closed = "", 0, False, False
    for block in chain(_blocks(Stretch(file)), [None]):
        text, at = text[at:] + (block.text if block is not None else ""), 0
        if not is_array and n_read == 0 and text.lstrip()[:1] == "[":
            is_array, at = True, text.index("[") + 1
        while (at := _BETWEEN.match(text, at).end()) < len(text):  # type: ignore[union-attr] # it matches everywhere
            if text[at] == "]" and is_array and not is_closed:
                is_closed, at = True, at + 1
                continue
            try:
                if is_closed:
                    raise ValueError("there is more after the end of the array")
                value, at = decode(text, at)
            except (ValueError, RecursionError) as error:
                if block is not None and not is_closed and len(text) - at < _LONGEST_ELEMENT:  # read on to its end
                    break
                raise CorpusError(
                    f"{file.name} is not valid JSON after element {n_read} ({error}); "
                    "give a JSON array of objects, or one object per line"
                ) from error
            n_read += 1
            yield value
    if is_array and not is_closed:
        raise CorpusError(f"the JSON array in {file.name} is not closed; check that the file is complete")


def table(stretch: Stretch, dialect: Dialect, fields: Fields, header: TableHeader | None = None) -> Iterator[Record]:
    """Delimited rows; blank lines are skipped. The first row is the header, unless `header` is given."""
    name = stretch.file.name
    rows = _rows(stretch, dialect)
    header = header or _first_row(rows, name)
    if header is None:
        return
    column = column_named(header.names, fields.text, name)
    label_column = None if fields.label is None else column_named(header.names, fields.label, name, "--label-field")
    kept = {each: column_named(header.names, each, name, "--keep") for each in fields.kept(header.names)}
    for number, row in rows:
        if number <= header.line:
            continue
        record = _row_record(row, name, number, header.names, column)
        if label_column is not None and isinstance(row, list) and len(row) > label_column:
            record = labelled(record, row[label_column], f"{name}, line {number}")
        if fields.keep:
            cells = row if isinstance(row, list) else []
            yield Row(record, {each: column_value(cells[at]) for each, at in kept.items() if at < len(cells)})
        else:
            yield record


def header_of(file: StoredFile, dialect: Dialect) -> TableHeader | None:
    """The header of a table; None if the table is empty."""
    return _first_row(_rows(Stretch(file), dialect), file.name)


def _first_row(rows: Iterator[tuple[int, Cells]], name: str) -> TableHeader | None:
    number, row = next(rows, (0, None))
    if isinstance(row, csv.Error):
        raise CorpusError(f"the first line of {name} is not a table header ({row}); fix it")
    return None if row is None else TableHeader(tuple(row), number)


def _row_record(row: Cells, name: str, number: int, header: tuple[str, ...], column: int) -> Plain:
    if isinstance(row, csv.Error):
        return Fault(f"{name}, line {number}", f"is not a table row ({row})", "not a row")
    if len(row) <= column:
        sentence = f"has only {len(row)} of {len(header)} fields, so it lacks the column {header[column]!r}"
        return Fault(f"{name}, line {number}", sentence, "without text field")
    if any(row[len(header) :]):  # probably a text that contains the delimiter, which would be truncated
        sentence = f"has {len(row)} fields, but the header has {len(header)}"
        return Fault(f"{name}, line {number}", sentence, "with too many fields")
    return checked(row[column], name, "line", number)


def _rows(stretch: Stretch, dialect: Dialect) -> Iterator[tuple[int, Cells]]:
    """Rows with the number of their first line."""
    lines = _lines_with_ends(stretch)
    before = stretch.first_line - 1
    quoting: Literal[0, 3] = csv.QUOTE_MINIMAL if dialect.quoted else csv.QUOTE_NONE
    rows = csv.reader(lines, delimiter=dialect.delimiter, quoting=quoting)
    while (number := before + rows.line_num + 1) and (row := _next_row(rows)) is not None:
        if inspect.getgeneratorstate(lines) == inspect.GEN_CLOSED:  # the row continues beyond the last line
            name = stretch.file.name
            raise CorpusError(f"{name}, line {number} opens a quote that is never closed; double it or remove it")
        if isinstance(row, list) and quoting == csv.QUOTE_NONE:
            row = [_unquoted(cell) for cell in row]
        if row:
            yield number, row


def _next_row(rows: Iterator[list[str]]) -> Cells | None:
    with field_size_limit(_LONGEST_FIELD):
        try:
            return next(rows, None)
        except csv.Error as error:
            return error


@contextmanager
def field_size_limit(characters: int) -> Iterator[None]:
    """The longest field that `csv` accepts meanwhile; its default, 131,072 characters, is less than a long document.

    The limit is one for the whole process: a thread that sets it and restores it would cut off what others read.
    """
    with _LIMIT:
        before = csv.field_size_limit(characters)
        try:
            yield
        finally:
            csv.field_size_limit(before)


def _unquoted(cell: str) -> str:
    """A cell wholly in quotes, with doubled quotes inside, was quoted by a program."""
    if cell[:1] != '"':
        return cell
    inside = cell[1:-1]
    if len(cell) > 1 and cell[0] == cell[-1] == '"' and '"' not in inside.replace('""', ""):
        return inside.replace('""', '"')
    return cell


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

        kept = ParquetFile(self.plain, buffer_size=_BLOCK, metadata=self.metadata, read_dictionary=fields)
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
    with _seekable(file) as plain:
        try:
            # Row groups may be large, so they are read as a stream.
            opened = arrow_parquet.ParquetFile(plain, buffer_size=_BLOCK)
            names = opened.schema_arrow.names
            twice = next((name for name, times in Counter(names).items() if times > 1), None)
            if twice is not None:
                raise CorpusError(f"{place} has two columns named {twice!r}; rename one of them")
            yield ParquetSource(plain, opened)
        except CorpusError:
            raise
        except failures as error:
            sentence = f"{place} cannot be read as Parquet: {file.reason(error)}; check that the file is complete"
            raise CorpusError(sentence) from file.cause(error)


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
    with _arrow_stream(file) as stream:
        columns = _arrow_columns(stream.schema, fields, file.name)
        yield from _arrow_records((batch.select(columns) for batch in stream), fields, file.name, 0)


@contextmanager
def _arrow_stream(file: StoredFile) -> Iterator[Any]:
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
            sentence = f"{file.name} cannot be read as Arrow: {file.reason(error)}; check that the file is complete"
            raise CorpusError(sentence) from file.cause(error)


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


def sheet(file: StoredFile, fields: Fields) -> Iterator[Record]:
    """The rows of the first sheet of an Excel workbook; its first row has the names of the columns."""
    rows = _sheet_rows(file)
    names = tuple("" if cell is None else str(cell) for cell in next(rows, ()))
    if not names:
        return
    column = column_named(names, fields.text, file.name)
    label_column = None if fields.label is None else column_named(names, fields.label, file.name, "--label-field")
    kept = {each: column_named(names, each, file.name, "--keep") for each in fields.kept(names)}
    for number, row in enumerate(rows, start=2):
        record = checked(row[column], file.name, "row", number)
        if label_column is not None:
            record = labelled(record, row[label_column], f"{file.name}, row {number}")
        yield Row(record, {each: column_value(row[at]) for each, at in kept.items()}) if fields.keep else record


def _sheet_rows(file: StoredFile) -> Iterator[list[Any]]:
    """The rows that are not blank; empty cells are None."""
    try:
        from python_calamine import CalamineError, CalamineWorkbook
    except ImportError as error:
        raise MissingExtra(f"reading {file.name}", "xlsx") from error
    with _seekable(file) as opened:
        try:
            rows = CalamineWorkbook.from_filelike(opened).get_sheet_by_index(0).iter_rows()
        except (CalamineError, *file.failures) as error:  # type: ignore[misc] # it has no type hints
            sentence = f"{file.name} cannot be read as .xlsx: {file.reason(error)}; check that the file is complete"
            raise CorpusError(sentence) from file.cause(error)
        for row in rows:
            if any(cell != "" for cell in row):
                yield [None if cell == "" else cell for cell in row]


def raw_rows(
    file: StoredFile,
    file_format: str,
    dialect: Dialect = Dialect(",", quoted=True),  # noqa: B008 - it never changes
) -> Iterator[dict[str, Any]]:
    """The rows of a table as they are, for a look at its columns; rows that cannot be read are left out."""
    if file_format == "parquet":
        with parquet_file(file, file.name) as table:
            flat = [name for name in table.opened.schema_arrow.names if name in table.flat]
            for batch in table.batches(flat):
                yield from batch.to_pylist()
    elif file_format == "arrow":
        with _arrow_stream(file) as stream:
            for batch in stream:
                yield from batch.to_pylist()
    elif file_format == "json":
        yield from (value for value in _json_values(file) if isinstance(value, dict))
    elif file_format == "jsonl":
        for block in _blocks(Stretch(file)):
            yield from (value for value in map(_loaded, _split(block.text)) if isinstance(value, dict))
    else:
        rows = _sheet_rows(file) if file_format == "xlsx" else (row for _, row in _rows(Stretch(file), dialect))
        lists = (row for row in rows if isinstance(row, list))
        names = [str(cell) for cell in next(lists, [])]
        yield from (dict(zip(names, row, strict=False)) for row in lists)


def _loaded(line: str) -> Any:
    try:
        return orjson.loads(line)
    except ValueError:
        return None


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


@contextmanager
def _seekable(file: StoredFile) -> Iterator[IO[bytes]]:
    """The file itself, or a plain copy of it: Parquet is read by position, which gzip does not support."""
    with file.open() as opened:
        if not file.is_packed and file.can_seek:
            yield opened
            return
        with tempfile.TemporaryFile(prefix="seetopic-") as unpacked:
            try:
                shutil.copyfileobj(opened, unpacked)
            except file.failures as error:
                sentence = f"{file.name} cannot be unpacked: {file.reason(error)}; check that the file is complete"
                raise CorpusError(sentence) from file.cause(error)
            unpacked.seek(0)
            yield unpacked


def whole_text(file: StoredFile, fields: Fields) -> Record:
    """A file that is one document; its only column is `file`, its name."""
    record = _whole_text(file)
    return Row(record, {"file": file.name}) if fields.keep else record


def _whole_text(file: StoredFile) -> Plain:
    with file.open() as opened:
        try:
            read = opened.read()
        except file.failures as error:
            sentence = f"{file.name} cannot be read: {file.reason(error)}; check that the file is complete"
            raise CorpusError(sentence) from file.cause(error)
    text = read.decode("utf-8-sig", errors="surrogateescape").rstrip("\r\n")
    return text if (fault := text_fault(text)) is None else Fault(file.name, *fault)


def _lines_with_ends(stretch: Stretch) -> Generator[str, None, None]:
    for block in _blocks(stretch):
        yield from io.StringIO(block.text, newline="\n")  # other line breaks belong to the text


def _blocks(stretch: Stretch) -> Iterator[_Block]:
    """Whole lines in blocks of a megabyte; bytes that are not UTF-8 become lone surrogates."""
    file, number = stretch.file, stretch.first_line
    with file.open() as opened:
        try:
            if stretch.start:
                opened.seek(stretch.start)
            left = stretch.end - stretch.start if stretch.end is not None else None
            begun: list[bytes] = []  # the beginning of a line that continues in the next read
            while read := opened.read(_BLOCK if left is None else min(_BLOCK, left)):
                left = None if left is None else left - len(read)
                whole = read.rfind(b"\n") + 1
                if whole:
                    block = _block(b"".join([*begun, read[:whole]]), number)
                    yield block
                    number += block.text.count("\n")
                    begun = []
                begun.append(read[whole:])
            if any(begun):
                yield _block(b"".join(begun), number)
            if left:
                raise EOFError("it was truncated")
        except file.failures as error:
            failed = "unpacked" if file.is_packed else "read"
            sentence = (
                f"{file.name} cannot be {failed} after line {number - 1}: {file.reason(error)}; "
                "check that the file is complete"
            )
            raise CorpusError(sentence) from file.cause(error)


def _block(read: bytes, first_line: int) -> _Block:
    read = read.removeprefix(_BYTE_ORDER_MARK) if first_line == 1 else read
    try:
        text = read.decode("utf-8")
    except UnicodeDecodeError:
        return _Block(read.decode("utf-8", errors="surrogateescape"), first_line, is_clean=False)
    return _Block(text, first_line, is_clean="\0" not in text)
