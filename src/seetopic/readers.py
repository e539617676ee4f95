"""One reader per file format: a stream of records, each a text or a named fault at a named place."""

from __future__ import annotations

import csv
import inspect
import io
import json
import math
import shutil
import tempfile
from collections.abc import Callable, Generator, Iterable, Iterator
from contextlib import contextmanager
from typing import IO, Any, Literal, NamedTuple, TypeAlias

from seetopic.errors import CorpusError, MissingExtra
from seetopic.stored import StoredFile

Row: TypeAlias = list[str] | csv.Error  # a row, or why there is none
_NO_MORE = object()
_LONGEST_FIELD = 2**31 - 1  # what fits everywhere: a C long has 32 bits on some systems
_BLOCK = 1 << 20  # bytes that are read at a time
_BYTE_ORDER_MARK = b"\xef\xbb\xbf"


class Fault(NamedTuple):
    """Why a record is no document."""

    place: str  # where it stands, for errors: "reviews.csv, line 17"
    sentence: str
    kind: str  # the same as a word, for counting


class Labelled(NamedTuple):
    """A document, and what people say it is about, where a field of that was asked for."""

    text: str
    labels: tuple[str, ...]


Record: TypeAlias = str | Labelled | Fault  # nearly always a plain string: there may be a thousand million of them


class Stretch(NamedTuple):
    """Whole lines of a file, from one byte to another; to its end where none is said."""

    file: StoredFile
    start: int = 0
    end: int | None = None
    first_line: int = 1


class Header(NamedTuple):
    """The names of a table's columns, and the line they stand in."""

    names: tuple[str, ...]
    line: int


class _Block(NamedTuple):
    """Some whole lines."""

    text: str
    first_line: int
    is_clean: bool  # UTF-8 without NUL, so that no line need be looked at for that


def lines(stretch: Stretch) -> Iterator[Record]:
    """One document a line."""
    for block in _blocks(stretch):
        if block.is_clean:
            yield from map(_without_return, _split(block.text)) if "\r" in block.text else _split(block.text)
            continue
        for number, line in enumerate(_split(block.text), start=block.first_line):
            yield _checked(_without_return(line), stretch.file.name, "line", number)


def _without_return(line: str) -> str:
    return line.rstrip("\r")


def _split(text: str) -> list[str]:
    found = text.split("\n")
    if not found[-1]:
        found.pop()  # the end of the last line begins no further one
    return found


def json_lines(stretch: Stretch, text_field: str, label_field: str | None = None) -> Iterator[Record]:
    """One JSON object a line; blank lines are passed over."""
    scan: Callable[[str, int], tuple[Any, int]] = vars(json.JSONDecoder())["scan_once"]
    for block in _blocks(stretch):
        plain = block.is_clean and label_field is None
        for number, line in enumerate(_split(block.text), start=block.first_line):
            # The usual line is read without asking more of it than is needed; all others take the long way.
            if plain:
                try:
                    value, end = scan(line, 0)
                    text = value[text_field]
                except (ValueError, LookupError, TypeError, StopIteration, RecursionError):
                    pass
                else:
                    is_whole = end == len(line) or not line[end:].strip(" \t\r")
                    if type(text) is str and is_whole and ("\\" not in line or _text_fault(text) is None):
                        yield text
                        continue
            if line.strip():
                yield _json_record(line, stretch.file.name, number, text_field, label_field)


def _json_record(line: str, name: str, number: int, text_field: str, label_field: str | None) -> Record:
    place = f"{name}, line {number}"
    if (fault := _text_fault(line)) is not None:
        return Fault(place, *fault)
    try:
        value = json.loads(line)
    except (ValueError, RecursionError) as error:
        return Fault(place, f"is not valid JSON ({error})", "not JSON")
    if not isinstance(value, dict):
        return Fault(place, f"is a JSON {type(value).__name__}, not an object", "not an object")
    if text_field not in value:
        known = ", ".join(map(repr, value)) or "none"
        return Fault(
            place,
            f"has no field {text_field!r} (its fields: {known}; choose one with {_option('--text-field')})",
            "without text field",
        )
    record = _checked(value[text_field], name, "line", number)
    return record if label_field is None else _labelled(record, value.get(label_field), place)


def table(
    stretch: Stretch, delimiter: str, text_field: str, label_field: str | None = None, header: Header | None = None
) -> Iterator[Record]:
    """Comma- or tab-separated; blank lines are passed over. The header stands first, unless it is known."""
    name = stretch.file.name
    rows = _rows(stretch, delimiter)
    header = header or _first_row(rows, name)
    if header is None:
        return
    column = _column(header.names, text_field, name)
    label_column = None if label_field is None else _column(header.names, label_field, name, "--label-field")
    for number, row in rows:
        if number <= header.line:
            continue
        record = _row_record(row, name, number, header.names, column)
        if label_column is not None and isinstance(row, list) and len(row) > label_column:
            record = _labelled(record, row[label_column], f"{name}, line {number}")
        yield record


def header_of(file: StoredFile, delimiter: str) -> Header | None:
    """The header of a table, if it has any line."""
    return _first_row(_rows(Stretch(file), delimiter), file.name)


def _first_row(rows: Iterator[tuple[int, Row]], name: str) -> Header | None:
    number, row = next(rows, (0, None))
    if isinstance(row, csv.Error):
        raise CorpusError(f"the first line of {name} is no header of a table ({row}); mend it")
    return None if row is None else Header(tuple(row), number)


def _row_record(row: Row, name: str, number: int, header: tuple[str, ...], column: int) -> Record:
    if isinstance(row, csv.Error):
        return Fault(f"{name}, line {number}", f"is no row of a table ({row})", "not a row")
    if len(row) <= column:
        sentence = f"has {len(row)} fields, so none in column {header[column]!r}"
        return Fault(f"{name}, line {number}", sentence, "without text field")
    if any(row[len(header) :]):  # most likely a text that holds the delimiter, which would be cut short
        sentence = f"has {len(row)} fields, but the header has {len(header)}"
        return Fault(f"{name}, line {number}", sentence, "with too many fields")
    return _checked(row[column], name, "line", number)


def _option(option: str) -> str:
    """An option as it is given on the command line, and in Python."""
    return f"{option}, in Python {option[2:].replace('-', '_')}"


def _column(names: tuple[str, ...], field: str, file: str, option: str = "--text-field") -> int:
    if (fault := _text_fault("".join(names))) is not None:
        raise CorpusError(f"the first line of {file} {fault[0]}; save the file as UTF-8")
    if field not in names:
        raise CorpusError(
            f"{file} has no column {field!r}; its columns are {', '.join(map(repr, names))}: "
            f"choose one with {_option(option)}"
        )
    return names.index(field)


def _rows(stretch: Stretch, delimiter: str) -> Iterator[tuple[int, Row]]:
    """Rows with the number of their first line."""
    lines = _lines_with_ends(stretch)
    before = stretch.first_line - 1
    # Quotes in tab-separated files are plain characters more often than not.
    quoting: Literal[0, 3] = csv.QUOTE_MINIMAL if delimiter == "," else csv.QUOTE_NONE
    rows = csv.reader(lines, delimiter=delimiter, quoting=quoting)
    while (number := before + rows.line_num + 1) and (row := _next_row(rows)) is not None:
        if inspect.getgeneratorstate(lines) == inspect.GEN_CLOSED:  # the row wanted more than the last line
            name = stretch.file.name
            raise CorpusError(f"{name}, line {number} opens a quote that is never closed; double it or remove it")
        if isinstance(row, list) and quoting == csv.QUOTE_NONE:
            row = [_unquoted(cell) for cell in row]
        if row:
            yield number, row


def _next_row(rows: Iterator[list[str]]) -> Row | None:
    # The module's own limit, 131,072 characters, is less than a long document. It is everyone's, so it is put back.
    before = csv.field_size_limit(_LONGEST_FIELD)
    try:
        return next(rows, None)
    except csv.Error as error:
        return error
    finally:
        csv.field_size_limit(before)


def _unquoted(cell: str) -> str:
    """A cell that stands in quotes as a whole, its own ones doubled, was put there by a program."""
    if cell[:1] != '"':
        return cell
    inside = cell[1:-1]
    if len(cell) > 1 and cell[0] == cell[-1] == '"' and '"' not in inside.replace('""', ""):
        return inside.replace('""', '"')
    return cell


class Groups(NamedTuple):
    """Row groups of a Parquet file, counted from 0."""

    first: int
    last: int
    first_row: int  # counted from 1


@contextmanager
def parquet_file(file: StoredFile, place: str) -> Iterator[Any]:
    """The file opened by pyarrow; what it says of damage becomes one sentence."""
    try:
        import pyarrow as arrow
        import pyarrow.parquet as arrow_parquet
    except ImportError as error:
        raise MissingExtra(f"reading {file.name}", "parquet") from error
    failures: tuple[type[Exception], ...] = (arrow.ArrowException, *file.failures)
    with _seekable(file) as plain:
        try:
            # Row groups may be large, so they are read as a stream.
            yield arrow_parquet.ParquetFile(plain, buffer_size=_BLOCK)
        except CorpusError:
            raise
        except failures as error:
            sentence = f"{place} cannot be read as Parquet: {file.reason(error)}; is the file whole?"
            raise CorpusError(sentence) from file.cause(error)


def parquet(
    file: StoredFile, text_field: str, label_field: str | None = None, groups: Groups | None = None
) -> Iterator[Record]:
    """A column of some row groups, or of all; a batch is in memory at a time."""
    fields = [text_field] if label_field is None else [text_field, label_field]
    place = file.name if groups is None else f"{file.name}, row groups {groups.first + 1} to {groups.last + 1},"
    with parquet_file(file, place) as opened:
        for field, option in zip(fields, ("--text-field", "--label-field"), strict=False):
            _column(tuple(opened.schema_arrow.names), field, file.name, option)
        chosen = None if groups is None else list(range(groups.first, groups.last + 1))
        row = 0 if groups is None else groups.first_row - 1
        for batch in opened.iter_batches(batch_size=1024, row_groups=chosen, columns=fields):
            columns = [_python_values(batch.column(field)) for field in fields]
            for value, *label in zip(*columns, strict=True):
                row += 1
                record = _checked(value, file.name, "row", row)
                yield _labelled(record, label[0], f"{file.name}, row {row}") if label else record


def _python_values(column: Any) -> list[Any]:
    try:
        values: list[Any] = column.to_pylist()
        return values
    except UnicodeDecodeError:  # somewhere in the batch: one by one, so that only that text is lost
        return [_python_value(value) for value in column]


def _python_value(value: Any) -> Any:
    try:
        return value.as_py()
    except UnicodeDecodeError as error:
        return error.object.decode("utf-8", errors="surrogateescape")


@contextmanager
def _seekable(file: StoredFile) -> Iterator[IO[bytes]]:
    """The file itself, or its unpacked copy: Parquet is read by position, which gzip cannot do."""
    with file.open() as opened:
        if not file.is_packed and file.can_seek:
            yield opened
            return
        with tempfile.TemporaryFile(prefix="seetopic-") as unpacked:
            try:
                shutil.copyfileobj(opened, unpacked)
            except file.failures as error:
                sentence = f"{file.name} cannot be unpacked: {file.reason(error)}; is the file whole?"
                raise CorpusError(sentence) from file.cause(error)
            unpacked.seek(0)
            yield unpacked


def whole_text(file: StoredFile) -> Record:
    """A file that is one document."""
    with file.open() as opened:
        try:
            read = opened.read()
        except file.failures as error:
            sentence = f"{file.name} cannot be read: {file.reason(error)}; is the file whole?"
            raise CorpusError(sentence) from file.cause(error)
    text = read.decode("utf-8-sig", errors="surrogateescape").rstrip("\r\n")
    return text if (fault := _text_fault(text)) is None else Fault(file.name, *fault)


def strings(values: Iterable[Any], labels: Iterable[Any] | None = None) -> Iterator[Record]:
    """Any iterable; missing values of a table (None, NaN) count as empty."""
    waiting = None if labels is None else iter(labels)
    for number, value in enumerate(values):
        record = _checked(value, "", "document", number)
        if waiting is not None:
            label = next(waiting, _NO_MORE)
            if label is _NO_MORE:
                raise CorpusError(f"there are only {number} labels, but more documents; give a label or None for each")
            record = _labelled(record, label, f"document {number}")
        yield record
    if waiting is not None and next(waiting, _NO_MORE) is not _NO_MORE:
        raise CorpusError("there are more labels than documents; give a label or None for each document")


def _labelled(record: Record, value: Any, place: str) -> Record:
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


def _checked(value: Any, name: str, unit: str, number: int) -> Record:
    if type(value) is str and value.isascii() and "\0" not in value:
        return value
    if _is_missing(value):
        return ""
    place = f"{name}, {unit} {number}" if name else f"{unit} {number}"
    if not isinstance(value, str):
        return Fault(place, f"is of type {type(value).__name__}, not text", "not text")
    if (fault := _text_fault(value)) is not None:
        return Fault(place, *fault)
    return str.__str__(value)  # strings of NumPy are plain ones from here on


def _is_missing(value: Any) -> bool:
    # By name, because pandas need not be there; its NA refuses to be compared.
    is_nan = isinstance(value, float) and math.isnan(value)
    return value is None or is_nan or type(value).__name__ in ("NAType", "NaTType")


def _text_fault(text: str) -> tuple[str, str] | None:
    if "\0" in text:
        return "holds NUL bytes, so it is no UTF-8 text", "with NUL bytes"
    if not text.isascii():
        try:
            text.encode("utf-8")
        except UnicodeEncodeError as error:
            return f"is not UTF-8 text (at character {error.start})", "not UTF-8"
    return None


def _lines_with_ends(stretch: Stretch) -> Generator[str, None, None]:
    for block in _blocks(stretch):
        yield from io.StringIO(block.text, newline="\n")  # other line ends belong to the text


def _blocks(stretch: Stretch) -> Iterator[_Block]:
    """Whole lines by the megabyte; bytes that are no UTF-8 stay visible as lone surrogates."""
    file, number = stretch.file, stretch.first_line
    with file.open() as opened:
        try:
            if stretch.start:
                opened.seek(stretch.start)
            left = stretch.end - stretch.start if stretch.end is not None else None
            begun: list[bytes] = []  # of a line that goes on in what is read next
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
                raise EOFError("it is shorter than it was")
        except file.failures as error:
            failed = "unpacked" if file.is_packed else "read"
            sentence = (
                f"{file.name} cannot be {failed} after line {number - 1}: {file.reason(error)}; is the file whole?"
            )
            raise CorpusError(sentence) from file.cause(error)


def _block(read: bytes, first_line: int) -> _Block:
    read = read.removeprefix(_BYTE_ORDER_MARK) if first_line == 1 else read
    try:
        text = read.decode("utf-8")
    except UnicodeDecodeError:
        return _Block(read.decode("utf-8", errors="surrogateescape"), first_line, is_clean=False)
    return _Block(text, first_line, is_clean="\0" not in text)
