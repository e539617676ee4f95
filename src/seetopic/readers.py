"""One reader per file format: a stream of records, each a text or a named fault at a named place."""

from __future__ import annotations

import csv
import gzip
import inspect
import json
import math
import shutil
import tempfile
import zlib
from collections.abc import Generator, Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any, Literal, NamedTuple, TypeAlias

from seetopic.errors import CorpusError, MissingExtra

Row: TypeAlias = list[str] | csv.Error  # a row, or why there is none
_NO_MORE = object()
_LONGEST_FIELD = 2**31 - 1  # what fits everywhere: a C long has 32 bits on some systems


class Record(NamedTuple):
    """One document, or why there is none."""

    text: str
    place: str  # where it stands, for errors: "reviews.csv, line 17"
    fault: str | None = None  # a sentence for the user
    kind: str = ""  # the same as a word, for counting
    labels: tuple[str, ...] = ()  # what people say it is about, where a field of it was asked for


def lines(path: Path) -> Iterator[Record]:
    """One document a line."""
    for number, line in _decoded_lines(path):
        yield _checked(line.rstrip("\r\n"), f"{path.name}, line {number}")


def json_lines(path: Path, text_field: str, label_field: str | None = None) -> Iterator[Record]:
    """One JSON object a line; blank lines are passed over."""
    for number, line in _decoded_lines(path):
        if line.strip():
            yield _json_record(line, f"{path.name}, line {number}", text_field, label_field)


def _json_record(line: str, place: str, text_field: str, label_field: str | None) -> Record:
    if (fault := _text_fault(line)) is not None:
        return Record("", place, *fault)
    try:
        value = json.loads(line)
    except (ValueError, RecursionError) as error:
        return Record("", place, f"is not valid JSON ({error})", "not JSON")
    if not isinstance(value, dict):
        return Record("", place, f"is a JSON {type(value).__name__}, not an object", "not an object")
    if text_field not in value:
        known = ", ".join(map(repr, value)) or "none"
        return Record(
            "",
            place,
            f"has no field {text_field!r} (its fields: {known}; choose one with {_option('--text-field')})",
            "without text field",
        )
    record = _checked(value[text_field], place)
    return record if label_field is None else _labelled(record, value.get(label_field))


def table(path: Path, text_field: str, delimiter: str, label_field: str | None = None) -> Iterator[Record]:
    """Comma- or tab-separated, with a header line; blank lines are passed over."""
    rows = _rows(path, delimiter)
    _, header = next(rows, (0, None))
    if header is None:
        return
    if isinstance(header, csv.Error):
        raise CorpusError(f"the first line of {path.name} is no header of a table ({header}); mend it")
    column = _column(header, text_field, path)
    label_column = None if label_field is None else _column(header, label_field, path, "--label-field")
    for number, row in rows:
        record = _row_record(row, f"{path.name}, line {number}", header, column)
        if label_column is not None and isinstance(row, list) and len(row) > label_column:
            record = _labelled(record, row[label_column])
        yield record


def _row_record(row: Row, place: str, header: list[str], column: int) -> Record:
    if isinstance(row, csv.Error):
        return Record("", place, f"is no row of a table ({row})", "not a row")
    if len(row) <= column:
        return Record("", place, f"has {len(row)} fields, so none in column {header[column]!r}", "without text field")
    if any(row[len(header) :]):  # most likely a text that holds the delimiter, which would be cut short
        return Record("", place, f"has {len(row)} fields, but the header has {len(header)}", "with too many fields")
    return _checked(row[column], place)


def _option(option: str) -> str:
    """An option as it is given on the command line, and in Python."""
    return f"{option}, in Python {option[2:].replace('-', '_')}"


def _column(names: list[str], field: str, path: Path, option: str = "--text-field") -> int:
    if (fault := _text_fault("".join(names))) is not None:
        raise CorpusError(f"the first line of {path.name} {fault[0]}; save the file as UTF-8")
    if field not in names:
        raise CorpusError(
            f"{path.name} has no column {field!r}; its columns are {', '.join(map(repr, names))}: "
            f"choose one with {_option(option)}"
        )
    return names.index(field)


def _rows(path: Path, delimiter: str) -> Iterator[tuple[int, Row]]:
    """Rows with the number of their first line."""
    lines = _decoded_lines(path)
    # Quotes in tab-separated files are plain characters more often than not.
    quoting: Literal[0, 3] = csv.QUOTE_MINIMAL if delimiter == "," else csv.QUOTE_NONE
    rows = csv.reader((line for _, line in lines), delimiter=delimiter, quoting=quoting)
    while (number := rows.line_num + 1) and (row := _next_row(rows)) is not None:
        if inspect.getgeneratorstate(lines) == inspect.GEN_CLOSED:  # the row wanted more than the last line
            raise CorpusError(f"{path.name}, line {number} opens a quote that is never closed; double it or remove it")
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
    inside = cell[1:-1]
    if len(cell) > 1 and cell[0] == cell[-1] == '"' and '"' not in inside.replace('""', ""):
        return inside.replace('""', '"')
    return cell


def parquet(path: Path, text_field: str, label_field: str | None = None) -> Iterator[Record]:
    """A column of a Parquet file, one row group's batch in memory at a time."""
    fields = [text_field] if label_field is None else [text_field, label_field]
    try:
        import pyarrow as arrow
        import pyarrow.parquet as arrow_parquet
    except ImportError as error:
        raise MissingExtra(f"reading {path.name}", "parquet") from error
    with _plain_file(path) as plain:
        try:
            file = arrow_parquet.ParquetFile(plain)
            for field, option in zip(fields, ("--text-field", "--label-field"), strict=False):
                _column(file.schema_arrow.names, field, path, option)
            row = 0
            for batch in file.iter_batches(batch_size=1024, columns=fields):
                columns = [_python_values(batch.column(field)) for field in fields]
                for value, *label in zip(*columns, strict=True):
                    row += 1
                    record = _checked(value, f"{path.name}, row {row}")
                    yield _labelled(record, label[0]) if label else record
        except (arrow.ArrowException, OSError) as error:
            raise CorpusError(f"{path.name} cannot be read as Parquet: {error}; is the file whole?") from error


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
def _plain_file(path: Path) -> Iterator[IO[bytes]]:
    """The file itself, or its unpacked copy: Parquet is read by position, which gzip cannot do."""
    with _opened(path) as file:
        if not _is_packed(path):
            yield file
            return
        with tempfile.TemporaryFile(prefix="seetopic-") as unpacked:
            try:
                shutil.copyfileobj(file, unpacked)
            except (OSError, EOFError, zlib.error) as error:
                raise CorpusError(f"{path.name} cannot be unpacked: {error}; is the file whole?") from error
            unpacked.seek(0)
            yield unpacked


def folder(path: Path) -> Iterator[Record]:
    """Every .txt file below a folder, in the order of their names, each one document."""
    files = sorted(file for file in path.rglob("*.txt") if file.is_file())
    if not files:
        raise CorpusError(f"the folder {path} holds no .txt files; give a file, or a folder with .txt files")
    for file in files:
        with _opened(file) as opened:
            text = opened.read().decode("utf-8-sig", errors="surrogateescape")
        yield _checked(text.rstrip("\r\n"), str(file.relative_to(path)))


def strings(values: Iterable[Any], labels: Iterable[Any] | None = None) -> Iterator[Record]:
    """Any iterable; missing values of a table (None, NaN) count as empty."""
    waiting = None if labels is None else iter(labels)
    for number, value in enumerate(values):
        record = _checked(value, f"document {number}")
        if waiting is not None:
            label = next(waiting, _NO_MORE)
            if label is _NO_MORE:
                raise CorpusError(f"there are only {number} labels, but more documents; give a label or None for each")
            record = _labelled(record, label)
        yield record
    if waiting is not None and next(waiting, _NO_MORE) is not _NO_MORE:
        raise CorpusError("there are more labels than documents; give a label or None for each document")


def _labelled(record: Record, value: Any) -> Record:
    """The record with its labels: a text, a number, a list of these, or nothing."""
    if record.fault is not None:
        return record
    values = value if isinstance(value, list | tuple) else [value]
    known = [each for each in values if not _is_missing(each)]
    strange = next((each for each in known if not isinstance(each, str | int | float)), None)
    if strange is not None:
        kind = type(strange).__name__
        return record._replace(fault=f"has a label of type {kind}, not text or a list of texts", kind="with odd label")
    spelled = [str(each).strip() for each in known]
    return record._replace(labels=tuple(dict.fromkeys(label for label in spelled if label)))


def _checked(value: Any, place: str) -> Record:
    if _is_missing(value):
        return Record("", place)
    if not isinstance(value, str):
        return Record("", place, f"is of type {type(value).__name__}, not text", "not text")
    if (fault := _text_fault(value)) is not None:
        return Record("", place, *fault)
    return Record(value, place)


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


def _decoded_lines(path: Path) -> Generator[tuple[int, str], None, None]:
    """Lines with their numbers; bytes that are no UTF-8 stay visible as lone surrogates."""
    with _opened(path) as file:
        number = 0
        try:
            for number, line in enumerate(file, start=1):
                if number == 1:
                    line = line.removeprefix(b"\xef\xbb\xbf")
                yield number, line.decode("utf-8", errors="surrogateescape")
        except (OSError, EOFError, zlib.error) as error:
            failed = "unpacked" if _is_packed(path) else "read"
            raise CorpusError(
                f"{path.name} cannot be {failed} after line {number}: {error}; is the file whole?"
            ) from error


def _opened(path: Path) -> IO[bytes]:
    try:
        return gzip.open(path) if _is_packed(path) else path.open("rb")  # type: ignore[return-value]
    except OSError as error:
        raise CorpusError(f"{path} cannot be opened: {error.strerror}; check its name and your rights") from error


def _is_packed(path: Path) -> bool:
    return path.suffix.lower() == ".gz"
