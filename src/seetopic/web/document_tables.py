"""Tables of sorted documents, made in the background and kept as files until they are downloaded or removed."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from contextlib import closing
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Literal

import numpy as np
from pydantic import Field, ValidationError

from seetopic.classify import Reader, Sorter, StoredDocuments, assign_documents
from seetopic.corpus import Documents
from seetopic.errors import CorpusError
from seetopic.index import Index
from seetopic.runtime import Flags, LocalEngine, Progress, available_cores, cache_folder, write_text, writing
from seetopic.vectors import VectorCache, encoder_for
from seetopic.web.database import new_id, now
from seetopic.web.errors import Missing, NotYet
from seetopic.web.jobs import Job, Jobs, Plan
from seetopic.web.schemas import Frozen
from seetopic.web.texts import WrittenTexts

Format = Literal["csv", "parquet", "xlsx", "jsonl"]
SORTING = Plan((("sorting documents", 8), ("writing the table", 2)))
_ABOUT = "about.json"
_MOST = 20  # tables of a project
_CUT_OFF = "the server stopped before the table was ready; make it again"


class DocumentTable(Frozen):
    """A table that is being made, or is ready to be downloaded."""

    id: str
    name: str  # of the file
    about: str  # which documents, in words
    state: Literal["working", "ready", "failed"]
    made: float
    bytes: int = 0
    documents: int = 0
    left_out: tuple[str, ...] = ()  # columns that it does not have, because it has its own of that name
    counts: dict[str, int] = Field(default_factory=dict)  # documents per category; "" counts those without one
    problem: str | None = None
    job: Job | None = None


@dataclass(frozen=True)
class TableSource:
    """What a table is made from; sent to the process that makes it."""

    documents: Documents | StoredDocuments  # with the columns to keep
    sorter: Sorter
    chosen: Flags | None  # of the index's documents; None for all
    in_file: bool  # whether rows of the documents are those of a file, some of which are not in the index
    n_documents: int
    left_out: tuple[str, ...]
    model: Any  # that reads the documents; None if none does
    cache: Path | None
    n_jobs: int | None


def table_documents(
    written: Documents | None, texts: WrittenTexts | None, index: Index, own: tuple[str, ...], *, with_text: bool
) -> tuple[Documents | StoredDocuments, bool]:
    """The documents of a table with the columns to keep, and whether they are the rows of a file.

    `own` are the columns that the table has anyway. The rows of a file are all there, also those that are empty or
    cannot be read. Plain text, and an index without its documents, have a row for each document.
    """
    kept = [name for name in index.column_names if name not in own]
    if written is not None and written.has_columns:
        text = [written.text_field] if with_text else []
        names = dict.fromkeys(name for name in (*text, *kept) if name not in own)
        return replace(written, keep=tuple(names), on_error="skip", label_field=None), True
    if texts is None:
        return StoredDocuments(index, tuple(kept)), False
    columns: dict[str, Any] = {name: index.column(name) for name in kept}
    if with_text and "text" not in columns:
        columns = {"text": texts.values(), **columns}
    return Documents(texts.values(), keep=tuple(columns), columns=columns), False


@dataclass(frozen=True)
class DocumentTables:
    """The tables of all projects, each in a folder of its own."""

    folder: Path
    jobs: Jobs
    plainly: Callable[[str], str]

    def tidy(self) -> None:
        """Say which tables were unfinished when the server last stopped; what they were made from may have changed."""
        for place in self.folder.glob("*/*"):
            table = self._about(place)
            if table is None:
                shutil.rmtree(place, ignore_errors=True)
            elif table.state == "working":
                self._write(place, table.model_copy(update={"state": "failed", "problem": _CUT_OFF}))

    def of_project(self, project: str) -> list[DocumentTable]:
        """The tables of a project, newest first."""
        found = [table for place in (self.folder / project).glob("*") if (table := self._about(place)) is not None]
        return sorted(found, key=lambda table: -table.made)

    def make(self, project: str, title: str, kind: Format, about: str, source: TableSource) -> DocumentTable:
        """Begin to make a table."""
        self.jobs.require_room()
        before = self.of_project(project)
        if sum(each.state == "working" for each in before) >= _MOST:
            raise NotYet(f"{len(before)} tables are being made, which is the limit; wait for one, or remove it")
        for old in before[_MOST - 1 :]:
            self.remove(project, old.id)
        made, name = new_id(), f"{title} sorted.{kind}"
        place = self.folder / project / made
        table = DocumentTable(id=made, name=name, about=about, state="working", made=now(), left_out=source.left_out)
        self._write(place, table)

        def ended(result: Any, problem: str | None, stopped: bool) -> None:
            if stopped or not place.is_dir():  # the server is stopping, or it was removed
                return
            told = None if problem is None else self.plainly(problem)
            state: Literal["ready", "failed"] = "ready" if problem is None else "failed"
            change: dict[str, Any] = {"state": state, "problem": told}
            if problem is None:
                counts = {str(name): int(number) for name, number in result.items()}
                size = (place / f"table.{kind}").stat().st_size
                change |= {"counts": counts, "documents": sum(counts.values()), "bytes": size}
            self._write(place, table.model_copy(update=change))

        self.jobs.start(made, SORTING, ended, make_table, source, place / f"table.{kind}")
        return self.get(project, made)

    def get(self, project: str, table: str) -> DocumentTable:
        found = self._about(self.folder / project / table)
        if found is None:
            raise Missing("there is no such table; it may have been removed")
        return found

    def file(self, project: str, table: str) -> tuple[Path, str]:
        """The file of a table, and its name for the user."""
        found = self.get(project, table)
        if found.state != "ready":
            raise NotYet("the table is not ready yet; wait for it")
        return self.folder / project / table / f"table.{found.name.rpartition('.')[2]}", found.name

    def remove(self, project: str, table: str) -> None:
        self.get(project, table)
        self.jobs.stop(table)
        shutil.rmtree(self.folder / project / table, ignore_errors=True)

    def remove_all(self, project: str) -> None:
        for table in self.of_project(project):
            self.remove(project, table.id)
        shutil.rmtree(self.folder / project, ignore_errors=True)

    def _about(self, place: Path) -> DocumentTable | None:
        try:
            found = DocumentTable.model_validate_json((place / _ABOUT).read_bytes())
        except (OSError, ValidationError):
            return None
        return found.model_copy(update={"job": self.jobs.job(found.id)}) if found.state == "working" else found

    def _write(self, place: Path, table: DocumentTable) -> None:
        with writing(place):
            place.mkdir(parents=True, exist_ok=True)
            write_text(place / _ABOUT, table.model_dump_json(exclude={"job"}))


def make_table(source: TableSource, out: Path, *, progress: Progress) -> dict[str, int]:
    """Body of the process that makes a table; returns the number of documents per category."""
    n_jobs = available_cores() if source.n_jobs is None else source.n_jobs
    chosen = source.chosen
    if chosen is not None and source.in_file and isinstance(source.documents, Documents):
        chosen = _of_rows(source.documents, chosen)
    reader = None
    if source.model is not None:
        source.sorter.require_reading()
        cache = VectorCache(cache_folder(source.cache))
        reader = Reader(encoder_for(source.model), cache, n_jobs)
    with closing(LocalEngine(n_jobs)) as engine:

        def told(stage: str, done: int, total: int | None) -> None:
            progress(stage, done, source.n_documents if total is None else total)

        given = assign_documents(
            source.documents, source.sorter, out, engine, reader=reader, chosen=chosen, progress=told
        )
    return dict(given)


def _of_rows(documents: Documents, chosen: Flags) -> Flags:
    """Flags of a file's rows from those of an index's documents."""
    numbers = np.fromiter(documents.numbers(), np.int64)
    if len(numbers) != len(chosen):
        raise CorpusError("the documents have changed since they were indexed; index them again")
    rows = np.zeros(int(numbers[-1]) + 1 if len(numbers) else 0, np.bool_)
    rows[numbers[chosen]] = True
    return rows
