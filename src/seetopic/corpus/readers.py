"""One reader per file format: a stream of records, each a text or a fault with its location."""

from __future__ import annotations

import csv
import inspect
import io
import json
import re
from collections.abc import Generator, Iterable, Iterator
from contextlib import contextmanager
from itertools import chain
from threading import Lock
from typing import Any, Literal, NamedTuple, TypeAlias

import orjson

from seetopic.corpus.arrow_files import arrow_stream, parquet_file
from seetopic.corpus.records import (
    Fault,
    Fields,
    Plain,
    Record,
    Row,
    checked,
    column_named,
    column_value,
    labelled,
    option,
    text_fault,
)
from seetopic.corpus.storage import StoredFile, seekable
from seetopic.errors import CorpusError, MissingExtra

Cells: TypeAlias = list[str] | csv.Error  # of a row, or why it could not be read
_LONGEST_FIELD = 2**31 - 1  # the maximum everywhere: a C long has 32 bits on some systems
_LIMIT = Lock()  # of `csv.field_size_limit`
_BLOCK = 1 << 20  # bytes read at a time
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


def sheet(file: StoredFile, fields: Fields) -> Iterator[Record]:
    """The rows of the first sheet of an Excel workbook; its first row has the names of the columns."""
    rows = _sheet_rows(file)
    names = _titles(next(rows, []))
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


def _titles(cells: Iterable[Any]) -> tuple[str, ...]:
    """The names of columns; empty for those of a workbook without a name."""
    return tuple("" if cell is None else str(cell) for cell in cells)


def _sheet_rows(file: StoredFile) -> Iterator[list[Any]]:
    """The rows that are not blank; empty cells are None."""
    try:
        from python_calamine import CalamineError, CalamineWorkbook
    except ImportError as error:
        raise MissingExtra(f"reading {file.name}", "xlsx") from error
    with seekable(file) as opened:
        try:
            rows = CalamineWorkbook.from_filelike(opened).get_sheet_by_index(0).iter_rows()
        except (CalamineError, *file.failures) as error:  # type: ignore[misc] # it has no type hints
            raise file.unreadable(f"{file.name} cannot be read as .xlsx", error) from file.cause(error)
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
        with arrow_stream(file) as stream:
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
        names = _titles(next(lists, []))
        yield from (dict(zip(names, row, strict=False)) for row in lists)


def _loaded(line: str) -> Any:
    try:
        return orjson.loads(line)
    except ValueError:
        return None


def whole_text(file: StoredFile, fields: Fields) -> Record:
    """A file that is one document; its only column is `file`, its name."""
    record = _whole_text(file)
    return Row(record, {"file": file.name}) if fields.keep else record


def _whole_text(file: StoredFile) -> Plain:
    with file.open() as opened:
        try:
            read = opened.read()
        except file.failures as error:
            raise file.unreadable(f"{file.name} cannot be read", error) from file.cause(error)
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
            failed = f"{file.name} cannot be {'unpacked' if file.is_packed else 'read'} after line {number - 1}"
            raise file.unreadable(failed, error) from file.cause(error)


def _block(read: bytes, first_line: int) -> _Block:
    read = read.removeprefix(_BYTE_ORDER_MARK) if first_line == 1 else read
    try:
        text = read.decode("utf-8")
    except UnicodeDecodeError:
        return _Block(read.decode("utf-8", errors="surrogateescape"), first_line, is_clean=False)
    return _Block(text, first_line, is_clean="\0" not in text)
