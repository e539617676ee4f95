"""Opens documents: from files, folders, patterns, URLs, standard input, tables or any iterable of texts."""

from __future__ import annotations

import codecs
import shutil
import sys
import weakref
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Any

from seetopic.corpus.detect import SAMPLE, detected_delimiter, detected_encoding, only_text_column
from seetopic.corpus.documents import Documents, Joined, first_rows
from seetopic.corpus.formats import FORMATS, format_of, one_format
from seetopic.corpus.partition import OnError
from seetopic.corpus.records import Fields, Keep
from seetopic.corpus.storage import Files, files_of_pattern, files_of_url, is_pattern, is_url
from seetopic.errors import CorpusError, MissingExtra
from seetopic.runtime import Warn, remove_temporary, temporary_folder, warn, writing

_ENCODED = ("txt", "jsonl", "json", "csv", "tsv")  # formats whose encoding is detected


def open_documents(
    source: Any,
    *,
    text_field: str | None = None,
    on_error: OnError = "raise",
    format: str | None = None,
    label_field: str | None = None,
    keep: Keep | Sequence[str] = (),
    columns: Any = None,
    delimiter: str | None = None,
    encoding: str | None = None,
    told: Warn = warn,
) -> Documents:
    """Documents from a path, a pattern, a URL, `-` (standard input), a table, or any reusable iterable of strings.

    Documents that are open already are returned as they are, apart from `keep`; other options are refused for them.
    `keep` names columns of a file or table to keep with the texts ("all": all others); `columns` maps names to one
    value per document, for an iterable. What a file does not state is detected, and `told` is called with one sentence:
    the encoding and delimiter, and the column of the texts if it is not named and there is none called "text".
    """
    if isinstance(source, Documents):
        # Not `on_error`: what it is by default differs between the functions that pass it on.
        asked = {"text_field": text_field, "format": format, "label_field": label_field}
        asked |= {"delimiter": delimiter, "encoding": encoding}
        late = [name for name, value in asked.items() if value not in (None, getattr(source, name))]
        if late or columns is not None:
            name = late[0] if late else "columns"
            raise CorpusError(
                f"these documents are open already, so `{name}` comes too late; pass it when opening them"
            )
        return _keeping(source, as_keep(keep)) if keep else source
    if on_error not in ("raise", "skip"):
        raise CorpusError(f"`on_error` is {on_error!r}, but must be 'raise' or 'skip'")
    if format is not None and format not in FORMATS:
        raise CorpusError(f"the format {format!r} is unknown; give one of {', '.join(FORMATS)}")
    if isinstance(source, str) and source == "":
        raise CorpusError("the path of the documents is empty; give a file, a folder of .txt files, or -")
    if hasattr(source, "collect"):
        raise CorpusError(f"a {type(source).__name__} has not read its rows yet; pass what its `collect()` returns")
    kept = as_keep(keep)
    column = text_field or "text"
    if isinstance(source, str | Path):
        given = replace(
            _from_file(source, format, column, on_error),
            label_field=label_field,
            keep=kept,
            delimiter=_delimiter(delimiter),
            encoding="utf-8" if encoding is None else _encoding(encoding),
        )
        if columns is not None:
            raise CorpusError("`columns` belong to documents in memory; name the columns of a file with `keep`")
        return _completed(given, named=(encoding is not None, text_field is not None), told=told)
    labels = None if label_field is None else _labels_of(source, label_field)
    beside = _columns_of(source, column, kept) if columns is None else _named_columns(columns)
    texts = _column_of(source, column)
    return Documents(texts, column, on_error, labels=labels, keep=tuple(beside), columns=beside)


def _from_file(source: str | Path, file_format: str | None, column: str, on_error: OnError) -> Documents:
    if isinstance(source, str) and source == "-":
        return _from_standard_input(column, on_error, file_format or "txt")
    if isinstance(source, str) and (files := _several(source)) is not None:
        return Documents(files, column, on_error, file_format or one_format(files))
    path = Path(source)
    _check_path(path, file_format)
    return Documents(path, column, on_error, file_format)


def as_keep(keep: Keep | Sequence[str]) -> Keep:
    """Columns to keep: "all", or names."""
    if keep == "all":
        return "all"
    names = (keep,) if isinstance(keep, str) else tuple(keep)
    if any(not isinstance(name, str) or not name for name in names):
        raise CorpusError(f"`keep` is {keep!r:.60}, but must be the names of columns, or 'all'")
    return tuple(dict.fromkeys(names))


def _keeping(documents: Documents, keep: Keep) -> Documents:
    """The documents with these columns to keep; those in memory have only the columns that they were opened with."""
    if not isinstance(documents.source, Path | Files | Joined) and keep != "all":
        missing = next((name for name in keep if name not in (documents.columns or {})), None)
        if missing is not None:
            raise CorpusError(f"these documents have no column {missing!r}; pass it as one of their `columns`")
    return replace(documents, keep=keep)


def _delimiter(given: str | None) -> str | None:
    delimiter = {"tab": "\t", "\\t": "\t"}.get(given or "", given)
    if delimiter is not None and (len(delimiter) != 1 or delimiter in '"\r\n'):
        raise CorpusError(f"the delimiter {given!r} is not a single character; give one, such as ';', or tab")
    return delimiter


def _encoding(given: str) -> str:
    try:
        "".encode(given)  # refuses codecs that are not for text, too
        name = codecs.lookup(given).name
    except (LookupError, ValueError):
        raise CorpusError(f"the encoding {given!r} is unknown; give one such as utf-8, cp1252 or latin-1") from None
    return "utf-8" if name in ("utf-8-sig", "ascii") else name


def _completed(documents: Documents, *, named: tuple[bool, bool], told: Warn) -> Documents:
    """The documents with what their first file does not say about itself detected, unless the user has named it.

    `named` says whether the encoding and the column of the texts are.
    """
    files, file_format = documents.files()
    if documents.delimiter is not None and file_format not in ("csv", "tsv"):
        raise CorpusError(f"{documents.name} is not a .csv or .tsv file, so it has no delimiter; leave out --delimiter")
    if not files or file_format is None:
        return documents
    failures = (CorpusError, MissingExtra, *files[0].failures)  # reading it will say what is wrong
    with suppress(*failures):
        if file_format in _ENCODED and not named[0]:
            documents = _with_encoding(documents, told)
        if file_format == "csv" and documents.delimiter is None:
            documents = _with_delimiter(documents, told)
        if not named[1] and file_format != "txt":
            documents = _with_text_column(documents, file_format, told)
    return documents


def _sample(documents: Documents) -> tuple[str, bytes]:
    """The name of the first file, and its beginning."""
    file = documents.files()[0][0]
    with file.open() as opened:
        return file.name, opened.read(SAMPLE)


def _with_encoding(documents: Documents, told: Warn) -> Documents:
    name, sample = _sample(documents)
    encoding = detected_encoding(sample)
    if encoding is None:
        return documents
    shown = {"cp1252": "Windows-1252 (Latin-1)", "latin-1": "Latin-1", "utf-16": "UTF-16"}[encoding]
    told(f"{name} is not UTF-8, so it is read as {shown}; name another encoding with --encoding")
    return replace(documents, encoding=encoding)


def _with_delimiter(documents: Documents, told: Warn) -> Documents:
    name, sample = _sample(documents)
    text = sample.decode("utf-8-sig", "replace")
    delimiter = detected_delimiter(text, documents.text_field, is_whole=len(sample) < SAMPLE)
    if delimiter == ",":
        return documents
    shown = "tabs" if delimiter == "\t" else repr(delimiter)
    told(f"the cells of {name} are separated by {shown}; name another delimiter with --delimiter")
    return replace(documents, delimiter=delimiter)


def _with_text_column(documents: Documents, file_format: str, told: Warn) -> Documents:
    file, rows = documents.files()[0][0], first_rows(documents, file_format)
    if any(documents.text_field in row for row in rows) or (column := only_text_column(rows)) is None:
        return documents
    told(
        f"{file.name} has no column {documents.text_field!r}, so its only column with text, {column!r}, is read; "
        "choose another with --text-field"
    )
    return replace(documents, text_field=column)


def _several(source: str) -> Files | None:
    """The files of a URL or a pattern. A `Path` is never taken for one, because it may not come from the user."""
    if is_url(source):
        return files_of_url(source)
    with suppress(OSError):  # too long for a name; opening it will say so
        return files_of_pattern(source) if is_pattern(source) else None
    return None


def _check_path(path: Path, file_format: str | None) -> None:
    try:
        str(path).encode()
    except UnicodeEncodeError as error:  # an index stores the name of its documents in UTF-8
        raise CorpusError(f"the name {str(path)!r} is not UTF-8; rename the file") from error
    try:
        exists = path.exists()
    except OSError as error:  # too long for a name: a text instead of a path
        raise CorpusError(
            f"{str(path)[:60]!r} cannot be opened: {error.strerror}; give a path, or a list of texts"
        ) from error
    if not exists:
        raise CorpusError(f"{path} does not exist; give a file, a folder of .txt files, or - for standard input")
    if path.is_dir():
        return
    if not path.is_file():
        raise CorpusError(
            f"documents are read more than once, but {path} can be read only once; "
            "use - instead and pipe the documents to standard input"
        )
    if file_format is None:
        format_of(path)


def _from_standard_input(text_field: str, on_error: OnError, file_format: str) -> Documents:
    if sys.stdin is None:
        raise CorpusError("standard input is closed; pipe the documents to it, or give a file")
    # Stored on disk because a corpus is read more than once; errors and reports show the file's name.
    folder = temporary_folder()
    path = _KeptPath(folder / "standard input")
    documents = Documents(path, text_field, on_error, file_format, is_kept=True)
    weakref.finalize(path, remove_temporary, folder)
    with writing(documents.source), documents.source.open("wb") as kept:
        shutil.copyfileobj(sys.stdin.buffer, kept)
    return documents


class _KeptPath(type(Path())):  # type: ignore[misc]
    """The path of a file that exists for as long as documents refer to it."""


def _labels_of(source: Any, label_field: str) -> Iterable[Any]:
    if not _is_table(source):
        raise CorpusError(
            f"these documents are plain strings, so they have no field {label_field!r}; pass a table or a file"
        )
    return _column_of(source, label_field, "label_field")


def _columns_of(source: Any, text_field: str, keep: Keep) -> dict[str, Iterable[Any]]:
    """The columns of a table to keep."""
    if not keep:
        return {}
    if not _is_table(source):
        raise CorpusError("these documents are plain strings, so they have no columns to keep; pass them as `columns`")
    names = Fields(text_field, keep=keep).kept(str(name) for name in source.columns)
    return {name: _column_of(source, name, "keep") for name in names}


def _named_columns(columns: Any) -> dict[str, Iterable[Any]]:
    if not isinstance(columns, Mapping) and not _is_table(columns):
        raise CorpusError("`columns` must map names to one value per document, or be a table")
    names = columns.columns if _is_table(columns) else columns
    return {str(name): _column_of(columns[name], "") for name in names}


def _is_table(source: Any) -> bool:
    return hasattr(source, "columns") and hasattr(source, "__getitem__")  # a pandas or polars table


def _column_of(source: Any, field: str, option: str = "text_field") -> Iterable[Any]:
    if _is_table(source):
        names = [str(name) for name in source.columns]
        if names.count(field) != 1:
            found = "no column" if field not in names else "more than one column"
            raise CorpusError(
                f"the table has {found} {field!r}; its columns are {', '.join(names)}: choose one with `{option}`"
            )
        column: Iterable[Any] = source[list(source.columns)[names.index(field)]]
        return column
    if getattr(source, "ndim", 1) != 1:
        raise CorpusError(f"the array of documents has shape {source.shape}, but must have one dimension; ravel() it")
    if isinstance(source, Mapping):
        raise CorpusError("documents must be a path or an iterable of strings, not a dict; give a list of its texts")
    if not isinstance(source, Iterable):
        raise CorpusError(f"documents must be a path or an iterable of strings, not {type(source).__name__}")
    if iter(source) is source:
        raise CorpusError(
            "documents are read more than once, but this iterator can be read only once; convert it with list(...)"
        )
    return source
