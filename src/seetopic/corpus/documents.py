"""Documents that can be read repeatedly, as a stream of texts in shards of bounded size."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import partial
from itertools import chain, islice
from pathlib import Path
from typing import Any, NoReturn, cast

from seetopic.corpus import readers, records
from seetopic.corpus.formats import TEXTS, files_in, format_of, one_format
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
from seetopic.corpus.storage import Files, StoredFile, local_file
from seetopic.errors import CorpusError, MissingExtra
from seetopic.runtime import Engine, LocalEngine
from seetopic.settings import TextSettings

_HERE = LocalEngine(1)
_USUAL = TextSettings()
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
        return isinstance(self.source, Path | Files) and self.files()[1] not in (None, "txt")

    def paths(self) -> list[Path]:
        """The files on this machine that are read."""
        if isinstance(self.source, Joined):
            return [path for part in self.source.parts for path in part.paths()]
        if not isinstance(self.source, Path | Files):
            return []
        return [Path(file.path) for file in self.files()[0] if file.system is None]

    def column_names(self) -> tuple[str, ...]:
        """The columns of the first records; none if they are unknown."""
        if isinstance(self.source, Joined):
            return self.source.parts[0].column_names()
        if not self.has_columns:
            return tuple(self.columns or ())
        (file, *_), file_format = self.files()
        assert file_format is not None
        with suppress(CorpusError, MissingExtra, *file.failures):  # reading it will say what is wrong
            return tuple(dict.fromkeys(str(name) for row in first_rows(self, file_format) for name in row))
        return ()

    def kept_columns(self) -> tuple[str, ...]:
        """The columns to keep; with "all", those of the first records."""
        return Fields(self.text_field, keep=self.keep).kept(self.column_names() if self.keep == "all" else ())

    def require_columns(self, advice: str = _CHOOSE) -> None:
        """Refuse columns to keep that no record of a table has."""
        missing = set() if self.keep == "all" else set(self.keep)
        if not missing or isinstance(self.source, Joined) or not self.has_columns:
            return
        files, file_format = self.files()
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
        files, file_format = self.files()
        return cut_folder(files, rules) if file_format is None else cut_files(files, file_format, rules, engine)

    def _plain_records(self) -> Iterator[Plain]:
        """The records; they have no columns, because `_records` asks for none."""
        return cast(Iterator[Plain], self._records())

    def _records(self) -> Iterator[Record]:
        if isinstance(self.source, Joined):
            return chain.from_iterable(part._records() for part in self.source.parts)
        if not isinstance(self.source, Path | Files):
            return records.strings(self.source, self.labels)
        files, file_format = self.files()
        rules = self._rules(_USUAL)
        if file_format is None:
            return (readers.whole_text(file, rules.fields) for file in files)
        return chain.from_iterable(records_of(file, file_format, rules) for file in files)

    def files(self) -> tuple[Sequence[StoredFile], str | None]:
        """The files in order, and their format; None if each file is one document."""
        files: Sequence[StoredFile]
        file_format: str | None
        if isinstance(self.source, Files):
            files, file_format = self.source.files, self.format or one_format(self.source)
        elif self.source.is_dir():
            files, file_format = files_in(self.source)
        else:
            file_format = self.format or format_of(self.source)
            files = [local_file(self.source, reach="this machine" if self.is_kept else "everywhere")]
        if file_format in TEXTS or file_format is None:
            known = () if file_format == "txt" else ("file",)
            wanted = (self.label_field, *(() if self.keep == "all" else self.keep))
            missing = next((name for name in wanted if name is not None and name not in known), None)
            if missing is not None:
                raise CorpusError(f"{self.name} is plain text, so it has no field {missing!r}; give a table")
        if self.encoding != "utf-8":
            files = [replace(file, encoding=self.encoding) for file in files]
        return files, None if file_format == "md" else file_format


@dataclass(frozen=True)
class Joined:
    """Corpora that are read one after the other."""

    parts: tuple[Documents, ...]


def joined(first: Documents, *more: Documents) -> Documents:
    """Several corpora as one, with the name and rules of the first."""
    sources = ((each, each.source) for each in (first, *more))
    parts = chain.from_iterable(source.parts if isinstance(source, Joined) else [each] for each, source in sources)
    return replace(first, source=Joined(tuple(parts)), title=first.name, label_field=None, labels=None)


def first_rows(documents: Documents, file_format: str) -> list[dict[str, Any]]:
    """The first records of a table."""
    return list(islice(_rows_of(documents, documents.files()[0][0], file_format), _PEEKED))


def _rows_of(documents: Documents, file: StoredFile, file_format: str) -> Iterator[dict[str, Any]]:
    dialect = documents._rules(_USUAL).dialect(file_format if file_format in DIALECTS else "csv")
    return readers.raw_rows(file, file_format, dialect)
