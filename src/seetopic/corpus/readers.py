"""One reader per file format: a stream of records, each a text or a fault with its location."""

from __future__ import annotations

import csv
import inspect
import io
import json
import math
import shutil
import tempfile
from collections import Counter
from collections.abc import Generator, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property
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


Record: TypeAlias = str | Labelled | Fault  # nearly always a plain string, because there may be a billion of them


def strings(values: Iterable[Any], labels: Iterable[Any] | None = None) -> Iterator[Record]:
    """The records of any iterable; missing values of a table (None, NaN) count as empty."""
    waiting = None if labels is None else iter(labels)
    for number, value in enumerate(values):
        record = checked(value, "", "document", number)
        if waiting is not None:
            label = next(waiting, _NO_MORE)
            if label is _NO_MORE:
                raise CorpusError(f"there are more documents than labels ({number}); give a label or None for each")
            record = labelled(record, label, f"document {number}")
        yield record
    if waiting is not None and next(waiting, _NO_MORE) is not _NO_MORE:
        raise CorpusError("there are more labels than documents; give a label or None for each document")


def labelled(record: Record, value: Any, place: str) -> Record:
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


def checked(value: Any, name: str, unit: str, number: int) -> Record:
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


Row: TypeAlias = list[str] | csv.Error  # a row, or why it could not be read
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


def json_lines(stretch: Stretch, text_field: str, label_field: str | None = None) -> Iterator[Record]:
    """One JSON object per line; blank lines are skipped."""
    for block in _blocks(stretch):
        plain = block.is_clean and label_field is None
        for number, line in enumerate(_split(block.text), start=block.first_line):
            # Most lines take this short cut; all others take the long way, which says what is wrong with them.
            if plain:
                try:
                    text = orjson.loads(line)[text_field]
                except (ValueError, LookupError, TypeError):
                    text = None
                if type(text) is str and ("\\" not in line or text_fault(text) is None):
                    yield text
                    continue
            if line.strip():
                yield _json_record(line, stretch.file.name, number, text_field, label_field)


def _json_record(line: str, name: str, number: int, text_field: str, label_field: str | None) -> Record:
    place = f"{name}, line {number}"
    if (fault := text_fault(line)) is not None:
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
            f"has no field {text_field!r} (its fields: {known}; choose one with {option('--text-field')})",
            "without text field",
        )
    record = checked(value[text_field], name, "line", number)
    return record if label_field is None else labelled(record, value.get(label_field), place)


def table(
    stretch: Stretch, delimiter: str, text_field: str, label_field: str | None = None, header: TableHeader | None = None
) -> Iterator[Record]:
    """Comma- or tab-separated rows; blank lines are skipped. The first row is the header, unless `header` is given."""
    name = stretch.file.name
    rows = _rows(stretch, delimiter)
    header = header or _first_row(rows, name)
    if header is None:
        return
    column = column_named(header.names, text_field, name)
    label_column = None if label_field is None else column_named(header.names, label_field, name, "--label-field")
    for number, row in rows:
        if number <= header.line:
            continue
        record = _row_record(row, name, number, header.names, column)
        if label_column is not None and isinstance(row, list) and len(row) > label_column:
            record = labelled(record, row[label_column], f"{name}, line {number}")
        yield record


def header_of(file: StoredFile, delimiter: str) -> TableHeader | None:
    """The header of a table; None if the table is empty."""
    return _first_row(_rows(Stretch(file), delimiter), file.name)


def _first_row(rows: Iterator[tuple[int, Row]], name: str) -> TableHeader | None:
    number, row = next(rows, (0, None))
    if isinstance(row, csv.Error):
        raise CorpusError(f"the first line of {name} is not a table header ({row}); fix it")
    return None if row is None else TableHeader(tuple(row), number)


def _row_record(row: Row, name: str, number: int, header: tuple[str, ...], column: int) -> Record:
    if isinstance(row, csv.Error):
        return Fault(f"{name}, line {number}", f"is not a table row ({row})", "not a row")
    if len(row) <= column:
        sentence = f"has only {len(row)} of {len(header)} fields, so it lacks the column {header[column]!r}"
        return Fault(f"{name}, line {number}", sentence, "without text field")
    if any(row[len(header) :]):  # probably a text that contains the delimiter, which would be truncated
        sentence = f"has {len(row)} fields, but the header has {len(header)}"
        return Fault(f"{name}, line {number}", sentence, "with too many fields")
    return checked(row[column], name, "line", number)


def _rows(stretch: Stretch, delimiter: str) -> Iterator[tuple[int, Row]]:
    """Rows with the number of their first line."""
    lines = _lines_with_ends(stretch)
    before = stretch.first_line - 1
    # Quotes in tab-separated files are plain characters more often than not.
    quoting: Literal[0, 3] = csv.QUOTE_MINIMAL if delimiter == "," else csv.QUOTE_NONE
    rows = csv.reader(lines, delimiter=delimiter, quoting=quoting)
    while (number := before + rows.line_num + 1) and (row := _next_row(rows)) is not None:
        if inspect.getgeneratorstate(lines) == inspect.GEN_CLOSED:  # the row continues beyond the last line
            name = stretch.file.name
            raise CorpusError(f"{name}, line {number} opens a quote that is never closed; double it or remove it")
        if isinstance(row, list) and quoting == csv.QUOTE_NONE:
            row = [_unquoted(cell) for cell in row]
        if row:
            yield number, row


def _next_row(rows: Iterator[list[str]]) -> Row | None:
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


def parquet(
    file: StoredFile, text_field: str, label_field: str | None = None, groups: GroupRange | None = None
) -> Iterator[Record]:
    """The text column of some or all row groups; one batch is in memory at a time."""
    fields = [text_field] if label_field is None else [text_field, label_field]
    place = file.name if groups is None else f"{file.name}, row groups {groups.first + 1} to {groups.last + 1},"
    with parquet_file(file, place) as table:
        for field, option in zip(fields, ("--text-field", "--label-field"), strict=False):
            column_named(tuple(table.opened.schema_arrow.names), field, file.name, option)
            if field not in table.flat:
                raise CorpusError(
                    f"the column {field!r} of {file.name} contains lists, not texts; choose another with {option}"
                )
        chosen = None if groups is None else range(groups.first, groups.last + 1)
        row = 0 if groups is None else groups.first_row - 1
        for batch in table.batches(fields, chosen):
            columns = [_python_values(batch.column(field)) for field in fields]
            for value, *label in zip(*columns, strict=True):
                row += 1
                record = checked(value, file.name, "row", row)
                yield labelled(record, label[0], f"{file.name}, row {row}") if label else record


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


def whole_text(file: StoredFile) -> Record:
    """A file that is one document."""
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
