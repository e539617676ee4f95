"""Documents from files, folders, tables or any iterable, as a stream of texts in shards of bounded size."""

from __future__ import annotations

import codecs
import shutil
import sys
import weakref
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import partial
from itertools import chain, islice
from pathlib import Path, PurePath, PurePosixPath
from typing import Any, NoReturn, cast

import orjson

from seetopic.corpus import readers, records
from seetopic.corpus.detect import SAMPLE, detected_delimiter, detected_encoding, only_text_column
from seetopic.corpus.partition import (
    DIALECTS,
    OnError,
    Piece,
    Pieces,
    Rules,
    Stream,
    cut_files,
    cut_folder,
    records_of,
    refuse_or_count,
)
from seetopic.corpus.records import Fault, Fields, Keep, Labelled, Plain, Record
from seetopic.corpus.storage import Files, StoredFile, files_of_pattern, files_of_url, is_pattern, is_url, local_file
from seetopic.errors import CorpusError, MissingExtra
from seetopic.runtime import Engine, LocalEngine, Warn, remove_temporary, temporary_folder, warn, writing
from seetopic.settings import TextSettings

__all__ = ["FORMATS", "Documents", "Joined", "OnError", "format_of", "joined", "open_documents"]

_HERE = LocalEngine(1)
_USUAL = TextSettings()
FORMATS = ("txt", "md", "jsonl", "json", "csv", "tsv", "parquet", "xlsx", "arrow")
_ENDINGS = {**{f".{name}": name for name in FORMATS}, ".ndjson": "jsonl", ".markdown": "md"}
_TEXT = ("txt", "md")  # formats without columns; a Markdown file is one document
_TABLES = ("parquet", "jsonl", "json", "csv", "tsv", "xlsx")  # read from a folder, if it has no .txt files
_ENCODED = ("txt", "jsonl", "json", "csv", "tsv")  # formats whose encoding is detected
_CHOOSE = "choose some of them with --keep (in Python: keep)"
_PEEKED = 100  # records in which a column with text is looked for


@dataclass(frozen=True)
class Documents:
    """A corpus that can be read repeatedly and is never held in memory as a whole."""

    source: Any  # a path, files that match a pattern or URL, an iterable of strings, or joined corpora
    text_field: str = "text"
    on_error: OnError = "raise"
    format: str | None = None  # None: by the file's extension
    title: str | None = None  # shown to users instead of the file's name
    label_field: str | None = None  # of a file: the field with its documents' labels
    labels: Any = None  # of an iterable: a label, a list of labels or None for each document
    is_kept: bool = False  # of a file: whether it is a copy of standard input, which only this machine has
    keep: Keep = ()  # columns to keep beside the texts
    columns: Mapping[str, Iterable[Any]] | None = None  # of an iterable: the columns to keep, by name
    delimiter: str | None = None  # of the cells of a .csv or .tsv file; None: comma or tab
    encoding: str = "utf-8"  # of a file's text

    @property
    def name(self) -> str:
        """The name shown to users: the title or the file's name, never its path."""
        if self.title is not None:
            return self.title
        return self.source.name if isinstance(self.source, Path | Files) else "documents"

    @property
    def has_columns(self) -> bool:
        """Whether it is a table in a file, so that columns can be kept."""
        return isinstance(self.source, Path | Files) and self._files()[1] not in (None, "txt")

    def paths(self) -> list[Path]:
        """The files on this machine that are read."""
        if isinstance(self.source, Joined):
            return [path for part in self.source.parts for path in part.paths()]
        if not isinstance(self.source, Path | Files):
            return []
        return [Path(file.path) for file in self._files()[0] if file.system is None]

    def column_names(self) -> tuple[str, ...]:
        """The columns of the first records; none if they are unknown."""
        if isinstance(self.source, Joined):
            return self.source.parts[0].column_names()
        if not self.has_columns:
            return tuple(self.columns or ())
        (file, *_), file_format = self._files()
        assert file_format is not None
        with suppress(CorpusError, MissingExtra, *file.failures):  # reading it will say what is wrong
            return tuple(dict.fromkeys(str(name) for row in _first_rows(self, file_format) for name in row))
        return ()

    def kept_columns(self) -> tuple[str, ...]:
        """The columns to keep; with "all", those of the first records."""
        return Fields(self.text_field, keep=self.keep).kept(self.column_names() if self.keep == "all" else ())

    def require_columns(self, advice: str = _CHOOSE) -> None:
        """Refuse columns to keep that no record of a table has."""
        missing = set() if self.keep == "all" else set(self.keep)
        if not missing or isinstance(self.source, Joined) or not self.has_columns:
            return
        files, file_format = self._files()
        assert file_format is not None
        failures: tuple[type[Exception], ...] = (CorpusError, MissingExtra, *files[0].failures)
        is_uneven = file_format in ("json", "jsonl")  # in other formats, the first row has all columns
        try:
            rows = (_rows_of(self, file, file_format) for file in files)
            for row in chain.from_iterable(rows if is_uneven else (islice(each, 1) for each in rows)):
                missing.difference_update(map(str, row))
                if not missing:
                    return
        except failures:
            return  # reading the texts will say what is wrong
        for name in self.keep:
            if name in missing:
                self.refuse_missing(name, advice)

    def refuse_missing(self, name: str, advice: str = _CHOOSE) -> NoReturn:
        """Refuse a column to keep that no document has."""
        raise CorpusError(
            f"no document of {self.name!r} has a column {name!r}; the columns are "
            f"{', '.join(self.column_names()) or 'unknown'}: {advice}"
        )

    @property
    def has_labels(self) -> bool:
        """Whether labels are read with the texts."""
        return self.label_field is not None or self.labels is not None

    @property
    def notices_changes(self) -> bool:
        """Whether a second reading gives the same documents or says that they changed, as files and lists do."""
        if isinstance(self.source, Joined):
            return all(part.notices_changes for part in self.source.parts)
        return isinstance(self.source, Path | Files | list | tuple)

    def texts(self, skipped: Counter[str] | None = None, labels: list[tuple[str, ...]] | None = None) -> Iterator[str]:
        """Every text in order; skipped records are counted in `skipped` by reason, labels are appended to `labels`."""
        for _, record in self._kept(Counter() if skipped is None else skipped):
            if labels is not None:
                labels.append(record.labels if isinstance(record, Labelled) else ())
            yield record.text if isinstance(record, Labelled) else record

    def numbers(self) -> Iterator[int]:
        """The number of each text among all records, including skipped ones."""
        return (number for number, _ in self._kept(Counter()))

    def all_texts(self) -> Iterator[str]:
        """One text per record; an empty text keeps the place of a skipped record."""
        for record in self._plain_records():
            if isinstance(record, Fault):
                refuse_or_count(record, self.on_error, Counter())
                yield ""
            else:
                yield record.text if isinstance(record, Labelled) else record

    def _kept(self, skipped: Counter[str]) -> Iterator[tuple[int, str | Labelled]]:
        found = False
        for number, record in enumerate(self._plain_records()):
            if isinstance(record, Fault):
                refuse_or_count(record, self.on_error, skipped)
            elif not (record if isinstance(record, str) else record.text).strip():
                skipped["empty"] += 1
            else:
                found = True
                yield number, record
        self.refuse_if_empty(found, skipped)

    def refuse_if_empty(self, found: int, skipped: Mapping[str, int]) -> None:
        """Refuse a corpus without any text."""
        if not found:
            left_out = ", ".join(f"{count} {reason}" for reason, count in skipped.items())
            unnamed = "without text field" in skipped
            raise CorpusError(
                f"the corpus {self.name!r} contains no documents{f' ({left_out})' if left_out else ''}; "
                + ("name the field that holds the text with --text-field" if unnamed else "give a corpus with text")
            )

    def pieces(
        self, settings: TextSettings = _USUAL, engine: Engine = _HERE, *, keep: bool = False, every_row: bool = False
    ) -> Pieces:
        """The corpus in pieces that workers read independently, found with the engine; files are first read here.

        With `keep`, shards also have the columns to keep; with `every_row`, empty and faulty records have a place.
        """
        rules = replace(self._rules(settings, keep), every_row=every_row)
        return Pieces(tuple(self._cut(rules, engine)))

    def _rules(self, settings: TextSettings, keep: bool = False) -> Rules:
        fields = Fields(self.text_field, self.label_field, self.keep if keep else ())
        limits = settings.shard_documents, settings.shard_characters
        return Rules(fields, self.on_error, *limits, delimiter=self.delimiter)

    def _cut(self, rules: Rules, engine: Engine) -> Iterable[Piece | Stream]:
        if isinstance(self.source, Joined):
            own = ((part, part._rules(_USUAL, bool(rules.fields.keep))) for part in self.source.parts)
            each = ((part, replace(rules, fields=its.fields, delimiter=its.delimiter)) for part, its in own)
            return chain.from_iterable(part._cut(its, engine) for part, its in each)
        if not isinstance(self.source, Path | Files):
            columns = self.columns if rules.fields.keep else None
            return [Stream(partial(records.strings, self.source, self.labels, columns), rules)]
        files, file_format = self._files()
        return cut_folder(files, rules) if file_format is None else cut_files(files, file_format, rules, engine)

    def _plain_records(self) -> Iterator[Plain]:
        """The records; they have no columns, because `_records` asks for none."""
        return cast(Iterator[Plain], self._records())

    def _records(self) -> Iterator[Record]:
        if isinstance(self.source, Joined):
            return chain.from_iterable(part._records() for part in self.source.parts)
        if not isinstance(self.source, Path | Files):
            return records.strings(self.source, self.labels)
        files, file_format = self._files()
        rules = self._rules(_USUAL)
        if file_format is None:
            return (readers.whole_text(file, rules.fields) for file in files)
        return chain.from_iterable(records_of(file, file_format, rules) for file in files)

    def _files(self) -> tuple[Sequence[StoredFile], str | None]:
        """The files in order, and their format; None if each file is one document."""
        files: Sequence[StoredFile]
        file_format: str | None
        if isinstance(self.source, Files):
            files, file_format = self.source.files, self.format or _one_format(self.source)
        elif self.source.is_dir():
            files, file_format = _files_in(self.source)
        else:
            file_format = self.format or format_of(self.source)
            files = [local_file(self.source, reach="this machine" if self.is_kept else "everywhere")]
        if file_format in _TEXT or file_format is None:
            known = () if file_format == "txt" else ("file",)
            wanted = (self.label_field, *(() if self.keep == "all" else self.keep))
            missing = next((name for name in wanted if name is not None and name not in known), None)
            if missing is not None:
                raise CorpusError(f"{self.name} is plain text, so it has no field {missing!r}; give a table")
        if self.encoding != "utf-8":
            files = [replace(file, encoding=self.encoding) for file in files]
        return files, None if file_format == "md" else file_format


def text_files(folder: Path) -> list[Path]:
    """The .txt files of a folder and its subfolders, sorted, or its .md files if it has none; no hidden ones."""
    files = _visible_files(folder)
    found = ([file for file in files if _ENDINGS.get(file.suffix.lower()) == each] for each in _TEXT)
    return next(filter(None, found), [])


def _visible_files(folder: Path) -> list[Path]:
    found = (file for file in folder.rglob("*") if file.is_file())
    return sorted(file for file in found if not any(part.startswith(".") for part in file.relative_to(folder).parts))


def _files_in(folder: Path) -> tuple[list[StoredFile], str | None]:
    """The files of a folder and their format: texts, tables of one format, or a dataset of the `datasets` library."""
    if (folder / "dataset_dict.json").is_file():
        splits = ", ".join(sorted(each.parent.name for each in folder.glob("*/state.json")))
        raise CorpusError(f"{folder} is a dataset with several splits ({splits}); give the folder of one of them")
    if (folder / "state.json").is_file():
        return _dataset_files(folder), "arrow"
    files = _visible_files(folder)
    formats = [known for file in files if (known := _known_format(file)) is not None]
    tables = [name for name in _TABLES if name in formats]
    if "txt" not in formats and tables:  # a README.md often lies beside tables
        if len(tables) > 1:
            if set(tables) == {"json", "csv"}:
                refuse_topics(folder)
            raise CorpusError(
                f"the folder {folder} contains files of different formats ({', '.join(tables)}); "
                f"choose some with a pattern, such as {folder}/*.{tables[0]}"
            )
        chosen, file_format = [file for file in files if _known_format(file) == tables[0]], tables[0]
    else:
        chosen, file_format = text_files(folder), None
    if not chosen:
        raise CorpusError(
            f"the folder {folder} contains no documents; give a file, or a folder with .txt, .md or .parquet files"
        )
    return [local_file(file, str(file.relative_to(folder))) for file in chosen], file_format


def refuse_topics(folder: Path) -> None:
    """Refuse the folder that `discover --out` wrote where its documents or their index are meant."""
    if (folder / "topics.json").is_file() and (folder / "topics.csv").is_file():
        raise CorpusError(
            f"{folder} is a folder of topics; give the documents that they were found in, or the index of these "
            "documents (`seetopic index DOCS --out INDEX` builds one)"
        )


def _dataset_files(folder: Path) -> list[StoredFile]:
    """The files of a dataset in the order that it lists them; names with a folder are not followed."""
    try:
        listed = [each["filename"] for each in orjson.loads((folder / "state.json").read_bytes())["_data_files"]]
        return [local_file(folder / name) for name in listed if PurePath(name).name == name]
    except (OSError, ValueError, LookupError, TypeError) as error:
        raise CorpusError(f"{folder / 'state.json'} does not list the files of a dataset; save it again") from error


def _known_format(file: Path) -> str | None:
    try:
        return format_of(file)
    except CorpusError:
        return None


def _one_format(files: Files) -> str:
    formats = {format_of(PurePosixPath(file.name)) for file in files.files}
    if len(formats) > 1:
        raise CorpusError(
            f"{files.name} matches files of different formats ({', '.join(sorted(formats))}); give files of one format"
        )
    return formats.pop()


@dataclass(frozen=True)
class Joined:
    """Corpora that are read one after the other."""

    parts: tuple[Documents, ...]


def joined(first: Documents, *more: Documents) -> Documents:
    """Several corpora as one, with the name and rules of the first."""
    sources = ((each, each.source) for each in (first, *more))
    parts = chain.from_iterable(source.parts if isinstance(source, Joined) else [each] for each, source in sources)
    return replace(first, source=Joined(tuple(parts)), title=first.name, label_field=None, labels=None)


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
        return Documents(files, column, on_error, file_format or _one_format(files))
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
    files, file_format = documents._files()
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
    file = documents._files()[0][0]
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
    file, rows = documents._files()[0][0], _first_rows(documents, file_format)
    if any(documents.text_field in row for row in rows) or (column := only_text_column(rows)) is None:
        return documents
    told(
        f"{file.name} has no column {documents.text_field!r}, so its only column with text, {column!r}, is read; "
        "choose another with --text-field"
    )
    return replace(documents, text_field=column)


def _first_rows(documents: Documents, file_format: str) -> list[dict[str, Any]]:
    """The first records of a table."""
    return list(islice(_rows_of(documents, documents._files()[0][0], file_format), _PEEKED))


def _rows_of(documents: Documents, file: StoredFile, file_format: str) -> Iterator[dict[str, Any]]:
    dialect = documents._rules(_USUAL).dialect(file_format if file_format in DIALECTS else "csv")
    return readers.raw_rows(file, file_format, dialect)


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


def format_of(path: PurePath) -> str:
    """The format by a file's extension; an unknown extension is refused."""
    ending = PurePath(path.stem).suffix if path.suffix.lower() == ".gz" else path.suffix
    if ending.lower() not in _ENDINGS:
        known = ", ".join(_ENDINGS)
        raise CorpusError(
            f"{path} has the unsupported extension {ending!r}; use one of {known} (optionally followed by .gz), "
            "or specify --format (in Python: Documents(path, format=...))"
        )
    return _ENDINGS[ending.lower()]


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
