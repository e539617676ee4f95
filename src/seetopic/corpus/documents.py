"""Documents from files, folders, tables or any iterable, as a stream of texts in shards of bounded size."""

from __future__ import annotations

import shutil
import sys
import weakref
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import partial
from itertools import chain
from pathlib import Path, PurePath, PurePosixPath
from typing import Any

from seetopic.corpus import readers
from seetopic.corpus.partition import (
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
from seetopic.corpus.readers import Fault, Labelled, Record
from seetopic.corpus.storage import Files, StoredFile, files_of_pattern, files_of_url, is_pattern, is_url, local_file
from seetopic.errors import CorpusError
from seetopic.runtime import Engine, LocalEngine, remove_temporary, temporary_folder, writing
from seetopic.settings import TextSettings

__all__ = ["FORMATS", "Documents", "Joined", "OnError", "format_of", "joined", "open_documents"]

_HERE = LocalEngine(1)
_USUAL = TextSettings()
FORMATS = ("txt", "jsonl", "csv", "tsv", "parquet")
_ENDINGS = {".txt": "txt", ".jsonl": "jsonl", ".ndjson": "jsonl", ".csv": "csv", ".tsv": "tsv", ".parquet": "parquet"}


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

    @property
    def name(self) -> str:
        """The name shown to users: the title or the file's name, never its path."""
        if self.title is not None:
            return self.title
        return self.source.name if isinstance(self.source, Path | Files) else "documents"

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
        for record in self._records():
            if isinstance(record, Fault):
                refuse_or_count(record, self.on_error, Counter())
                yield ""
            else:
                yield record.text if isinstance(record, Labelled) else record

    def _kept(self, skipped: Counter[str]) -> Iterator[tuple[int, str | Labelled]]:
        found = False
        for number, record in enumerate(self._records()):
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
            raise CorpusError(
                f"the corpus {self.name!r} contains no documents{f' ({left_out})' if left_out else ''}; "
                "give a corpus with text"
            )

    def pieces(self, settings: TextSettings = _USUAL, engine: Engine = _HERE) -> Pieces:
        """The corpus in pieces that workers read independently, found with the engine; files are first read here."""
        return Pieces(tuple(self._cut(self._rules(settings), engine)))

    def _rules(self, settings: TextSettings) -> Rules:
        return Rules(
            self.text_field, self.label_field, self.on_error, settings.shard_documents, settings.shard_characters
        )

    def _cut(self, rules: Rules, engine: Engine) -> Iterable[Piece | Stream]:
        if isinstance(self.source, Joined):
            fields = (
                (part, replace(rules, text_field=part.text_field, label_field=part.label_field))
                for part in self.source.parts
            )
            return chain.from_iterable(part._cut(own, engine) for part, own in fields)
        if not isinstance(self.source, Path | Files):
            return [Stream(partial(readers.strings, self.source, self.labels), rules)]
        files, file_format = self._files()
        return cut_folder(files, rules) if file_format is None else cut_files(files, file_format, rules, engine)

    def _records(self) -> Iterator[Record]:
        if isinstance(self.source, Joined):
            return chain.from_iterable(part._records() for part in self.source.parts)
        if not isinstance(self.source, Path | Files):
            return readers.strings(self.source, self.labels)
        files, file_format = self._files()
        if file_format is None:
            return map(readers.whole_text, files)
        rules = self._rules(_USUAL)
        return chain.from_iterable(records_of(file, file_format, rules) for file in files)

    def _files(self) -> tuple[Sequence[StoredFile], str | None]:
        """The files in order, and their format; None if each file is one document."""
        if isinstance(self.source, Files):
            file_format: str | None = self.format or _one_format(self.source)
        else:
            file_format = None if self.source.is_dir() else self.format or format_of(self.source)
        if file_format in (None, "txt") and self.label_field is not None:
            raise CorpusError(f"{self.name} is plain text, so it has no field {self.label_field!r}; give a table")
        if isinstance(self.source, Files):
            return self.source.files, file_format
        if file_format is not None:
            return [local_file(self.source, reach="this machine" if self.is_kept else "everywhere")], file_format
        return _texts_in(self.source), None


def text_files(folder: Path) -> list[Path]:
    """The .txt files of a folder and its subfolders, sorted; hidden ones are left out."""
    found = (file for file in folder.rglob("*.txt") if file.is_file())
    return sorted(file for file in found if not any(part.startswith(".") for part in file.relative_to(folder).parts))


def _texts_in(folder: Path) -> list[StoredFile]:
    files = text_files(folder)
    if not files:
        raise CorpusError(f"the folder {folder} contains no .txt files; give a file, or a folder with .txt files")
    return [local_file(file, str(file.relative_to(folder))) for file in files]


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
    parts = [part for each in (first, *more) for part in (each.source.parts if _is_joined(each) else [each])]
    return replace(first, source=Joined(tuple(parts)), title=first.name, label_field=None, labels=None)


def _is_joined(documents: Documents) -> bool:
    return isinstance(documents.source, Joined)


def open_documents(
    source: Any,
    *,
    text_field: str | None = None,
    on_error: OnError = "raise",
    format: str | None = None,
    label_field: str | None = None,
) -> Documents:
    """Documents from a path, a pattern, a URL, `-` (standard input), a table, or any reusable iterable of strings."""
    if isinstance(source, Documents):
        return source
    if on_error not in ("raise", "skip"):
        raise CorpusError(f"`on_error` is {on_error!r}, but must be 'raise' or 'skip'")
    if format is not None and format not in FORMATS:
        raise CorpusError(f"the format {format!r} is unknown; give one of {', '.join(FORMATS)}")
    if isinstance(source, str) and source == "":
        raise CorpusError("the path of the documents is empty; give a file, a folder of .txt files, or -")
    column = text_field or "text"
    if isinstance(source, str) and source == "-":
        return _from_standard_input(column, on_error, format or "txt", label_field)
    if isinstance(source, str) and (files := _several(source)) is not None:
        found = format or _one_format(files)
        return Documents(files, column, on_error, found, label_field=label_field)
    if isinstance(source, str | Path):
        path = Path(source)
        _check_path(path, format)
        return Documents(path, column, on_error, format, label_field=label_field)
    labels = None if label_field is None else _labels_of(source, label_field)
    return Documents(_column_of(source, column), column, on_error, labels=labels)


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


def _from_standard_input(
    text_field: str, on_error: OnError, file_format: str, label_field: str | None = None
) -> Documents:
    if sys.stdin is None:
        raise CorpusError("standard input is closed; pipe the documents to it, or give a file")
    # Stored on disk because a corpus is read more than once; errors and reports show the file's name.
    folder = temporary_folder()
    documents = Documents(
        folder / "standard input", text_field, on_error, file_format, label_field=label_field, is_kept=True
    )
    weakref.finalize(documents, remove_temporary, folder)
    with writing(documents.source), documents.source.open("wb") as kept:
        shutil.copyfileobj(sys.stdin.buffer, kept)
    return documents


def _labels_of(source: Any, label_field: str) -> Iterable[Any]:
    if not _is_table(source):
        raise CorpusError(
            f"these documents are plain strings, so they have no field {label_field!r}; pass a table or a file"
        )
    return _column_of(source, label_field, "label_field")


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
    if isinstance(source, Mapping):
        raise CorpusError("documents must be a path or an iterable of strings, not a dict; give a list of its texts")
    if not isinstance(source, Iterable):
        raise CorpusError(f"documents must be a path or an iterable of strings, not {type(source).__name__}")
    if iter(source) is source:
        raise CorpusError(
            "documents are read more than once, but this iterator can be read only once; convert it with list(...)"
        )
    return source
