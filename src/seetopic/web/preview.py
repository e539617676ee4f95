"""Preview of a file: its columns, the likely text column, and a few rows, read from its beginning only."""

from __future__ import annotations

import csv
import gzip
import io
import json
import re
import zlib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import date
from itertools import islice
from pathlib import Path
from typing import Any, Literal

from pydantic import Field

from seetopic.classify import DateReader
from seetopic.corpus import (
    detected_delimiter,
    detected_encoding,
    field_size_limit,
    format_of,
    local_file,
    parquet_file,
    raw_rows,
    text_files,
)
from seetopic.errors import CorpusError
from seetopic.index import is_index, read_manifest
from seetopic.web.limits import COLUMNS, PREVIEW_BYTES, PREVIEW_LETTERS, PREVIEW_PARQUET, PREVIEW_ROWS
from seetopic.web.schemas import Frozen
from seetopic.web.served_folder import readable

_TEXTS = ("text", "body", "content", "review", "message", "tweet", "abstract", "description", "comment", "document")
_LABELS = ("label", "labels", "category", "categories", "class", "topic", "target")
_LOOKED_AT = 50  # rows
_BINARY = ("parquet", "xlsx", "arrow")
_SENTENCE = 4  # words, on average, from which on a column is text
_NUMBER = re.compile(r"[+-]?[\d\s.,]+%?")
_LONGEST_DATE = 60  # characters
_FIRST_DAY, _LAST_DAY = ((date(year, 1, 1) - date(1970, 1, 1)).days for year in (1900, 2100))
ColumnKind = Literal["text", "short", "group", "date", "number", "empty"]


class Preview(Frozen):
    """What users see before anything is indexed."""

    columns: tuple[str, ...]
    text_field: str | None
    label_field: str | None
    rows: tuple[dict[str, str], ...]
    format: str
    documents: int | None = None  # if known without reading everything
    kinds: dict[str, ColumnKind] = Field(default_factory=dict)  # by column
    delimiter: str | None = None  # as the beginning was read; None if the format has none
    encoding: str | None = None


def preview_of(path: Path, delimiter: str | None = None, encoding: str | None = None) -> Preview:
    """Preview of a file or folder of documents, or of an index; a delimiter or encoding that is None is detected."""
    if path.is_dir():
        return _of_index(path) if is_index(path) else _of_folder(path)
    kind = format_of(path)
    beginning = None if kind in _BINARY else _beginning(path, encoding)
    if kind in ("txt", "md"):
        assert beginning is not None
        texts = beginning.lines if kind == "txt" else [beginning.text]
        return Preview(
            columns=(),
            text_field=None,
            label_field=None,
            rows=_plain_rows(texts),
            format=kind,
            encoding=beginning.encoding,
        )
    used_delimiter = None
    if beginning is None or kind == "json":
        rows = _parquet_rows(path) if kind == "parquet" else list(islice(raw_rows(local_file(path), kind), _LOOKED_AT))
    elif kind == "jsonl":
        rows = [row for row in map(_json_row, beginning.lines[:_LOOKED_AT]) if row is not None]
    else:
        text = "\n".join(beginning.lines)
        used_delimiter = delimiter or ("\t" if kind == "tsv" else detected_delimiter(text, "text", is_whole=True))
        rows = _delimited_rows(path, text, used_delimiter, csv.QUOTE_NONE if kind == "tsv" else csv.QUOTE_MINIMAL)
    columns = list(dict.fromkeys(column for row in rows for column in row))
    if not columns:
        raise CorpusError(f"no documents were found at the start of {path.name}; choose another file")
    if len(columns) > COLUMNS:
        raise CorpusError(f"{path.name} has {len(columns):,} columns, but at most {COLUMNS} are allowed; remove some")
    strange = next((column for column in columns if column != readable(column)), None)
    if strange is not None:
        raise CorpusError(f"{path.name} has a column {strange!r} whose name is not valid Unicode; rename it")
    text_field, label_field = guessed(columns, rows)
    shown = tuple({column: _cell(value) for column, value in row.items()} for row in rows[:PREVIEW_ROWS])
    return Preview(
        columns=tuple(columns),
        text_field=text_field,
        label_field=label_field,
        rows=shown,
        format=kind,
        kinds={column: kind_of([row.get(column) for row in rows]) for column in columns},
        delimiter=used_delimiter,
        encoding=None if beginning is None else beginning.encoding,
    )


def kind_of(values: Sequence[Any]) -> ColumnKind:
    """What a column seems to hold, judged by its first values."""
    held = [value for value in values if value is not None and str(value).strip()]
    if not held:
        return "empty"
    if _are_dates(held):
        return "date"
    texts = [value for value in held if isinstance(value, str) and not _NUMBER.fullmatch(value.strip())]
    if 2 * len(texts) < len(held):
        return "number"
    words = sum(len(text.split()) for text in texts) / len(texts)
    if words >= _SENTENCE:
        return "text"
    return "group" if len(set(texts)) <= max(2, len(texts) / 2) else "short"


def _are_dates(values: Sequence[Any]) -> bool:
    """Whether nearly all values are dates of the last or this century; other numbers are rather ids."""
    import pyarrow as pa

    if any(isinstance(value, bool | list | dict) for value in values):
        return False
    texts = [readable(str(value)[:_LONGEST_DATE]) for value in values]
    days = DateReader(order="day-first").days(pa.array(texts))
    other = DateReader(order="month-first").days(pa.array(texts))
    fits = [(each > _FIRST_DAY) & (each < _LAST_DAY) for each in (days, other)]
    return int((fits[0] | fits[1]).sum()) >= 0.9 * len(values)


def guessed(columns: Sequence[str], rows: Sequence[dict[str, Any]]) -> tuple[str, str | None]:
    """The columns most likely to hold text and label, judged by name, then by length of text."""
    known = {column.strip().casefold(): column for column in reversed(columns)}
    named = next((known[name] for name in _TEXTS if name in known), None)
    label = next((known[name] for name in _LABELS if name in known), None)
    length = {column: sum(len(row[column]) for row in rows if isinstance(row.get(column), str)) for column in columns}
    others = [column for column in columns if column != label] or list(columns)
    text = named if named is not None and length[named] else max(others, key=lambda column: length[column])
    return text, label if label != text else None


def _of_index(path: Path) -> Preview:
    manifest = read_manifest(path)
    return Preview(
        columns=(),
        text_field=None,
        label_field=None,
        rows=({"text": str(manifest["corpus"]["name"])},),
        format="index",
        documents=manifest["corpus"]["documents"],
    )


def _of_folder(path: Path) -> Preview:
    texts = []
    for file in text_files(path)[:PREVIEW_ROWS]:
        with file.open("rb") as opened:
            texts.append(opened.read(PREVIEW_LETTERS * 4).decode("utf-8-sig", "replace"))
    if not texts:
        raise CorpusError(f"the folder {path.name} contains no .txt files; choose a file, or a folder with .txt files")
    return Preview(columns=(), text_field=None, label_field=None, rows=_plain_rows(texts), format="folder")


@dataclass(frozen=True)
class _Beginning:
    """The uncompressed beginning of a file as text."""

    text: str
    encoding: str
    is_whole: bool

    @property
    def lines(self) -> list[str]:
        """Complete lines, or a truncated first line if it is longer."""
        lines = self.text.splitlines()
        return lines if self.is_whole or len(lines) < 2 else lines[:-1]


def _beginning(path: Path, encoding: str | None) -> _Beginning:
    try:
        with gzip.open(path) if path.suffix.lower() == ".gz" else path.open("rb") as file:
            data = file.read(PREVIEW_BYTES + 1)
    except (OSError, EOFError, zlib.error) as error:
        raise CorpusError(f"{path.name} cannot be read: {error}; check that the file is complete") from error
    sample = data[:PREVIEW_BYTES]
    chosen = encoding or detected_encoding(sample) or "utf-8"
    try:
        text = sample.decode("utf-8-sig" if chosen.lower() in ("utf-8", "utf8") else chosen, "replace")
    except LookupError:
        raise CorpusError(f"the encoding {chosen!r} is unknown; choose another") from None
    if "\0" in text:
        raise CorpusError(f"{path.name} contains NUL bytes, so it is not text; save it as UTF-8")
    return _Beginning(text, chosen, len(data) <= PREVIEW_BYTES)


def _plain_rows(texts: Iterable[str]) -> tuple[dict[str, str], ...]:
    kept = [text for text in texts if text.strip()][:PREVIEW_ROWS]
    return tuple({"text": _cell(text)} for text in kept)


def _delimited_rows(path: Path, text: str, delimiter: str, quoting: Literal[0, 3]) -> list[dict[str, Any]]:
    """Parsed as documents are: in TSV, quotes are literal; of columns with the same name, the first counts."""
    rows = csv.reader(io.StringIO(text), delimiter=delimiter, quoting=quoting)
    try:
        with field_size_limit(PREVIEW_BYTES):
            header, *found = [next(rows, []), *islice(rows, _LOOKED_AT)]
    except csv.Error as error:
        raise CorpusError(f"{path.name} does not start with a valid table ({error}); correct it") from error
    if len(header) > COLUMNS:
        raise CorpusError(f"{path.name} has {len(header):,} columns, but at most {COLUMNS} are allowed; remove some")
    return [_row_of(header, row) for row in found or [[]]]


def _row_of(header: Sequence[str], row: Sequence[str]) -> dict[str, Any]:
    cells = dict(reversed(list(zip(header, row, strict=False))))
    return {column: cells.get(column, "") for column in header}


def _json_row(line: str) -> dict[str, Any] | None:
    try:
        value = json.loads(line)
    except (ValueError, RecursionError):
        return None
    return value if isinstance(value, dict) else None


def _parquet_rows(path: Path) -> list[dict[str, Any]]:
    if path.suffix.lower() == ".gz":
        raise CorpusError(f"{path.name} is compressed twice, as Parquet is already compressed; decompress it first")
    try:
        with parquet_file(local_file(path), path.name) as table:
            if len(table.opened.schema_arrow.names) > COLUMNS:
                raise CorpusError(f"{path.name} has more than {COLUMNS} columns; remove some")
            return _few_rows(
                table.opened.iter_batches(
                    batch_size=1, columns=[name for name in table.opened.schema_arrow.names if name in table.flat]
                )
            )
    except UnicodeDecodeError as error:
        raise CorpusError(f"{path.name} cannot be read as Parquet: {error}; check that the file is complete") from error


def _few_rows(batches: Iterable[Any]) -> list[dict[str, Any]]:
    """The first rows, read one at a time, because a small file may unpack to a huge one."""
    rows, size = list[dict[str, Any]](), 0
    for batch in batches:
        size += batch.nbytes
        if size > PREVIEW_PARQUET:
            break
        rows += batch.to_pylist()
        if len(rows) >= _LOOKED_AT:
            break
    if not rows and size:
        raise CorpusError(
            f"a row of the file is {size:,} bytes long, which is too large for one document; remove its large columns"
        )
    return rows


def _cell(value: Any) -> str:
    try:
        whole = isinstance(value, float) and value.is_integer()
        text = "" if value is None else value if isinstance(value, str) else str(int(value) if whole else value)
    except (RecursionError, ValueError):  # nested too deeply, or a number with too many digits
        text = "…"
    short = readable(" ".join(text[: 4 * PREVIEW_LETTERS].split()))
    return short if len(short) <= PREVIEW_LETTERS else short[: PREVIEW_LETTERS - 1] + "…"
