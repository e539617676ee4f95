"""Corpora: documents and their indexes. Builds continue when the page is closed."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Literal

from pydantic import Field, ValidationError

from seetopic.corpus import Documents, demo_documents, open_documents
from seetopic.errors import DamagedIndex, SeeTopicError
from seetopic.index import MANIFEST, Index, is_index, plan, read_manifest
from seetopic.runtime import Progress, ignore
from seetopic.vectors import EMBEDDED_NAME
from seetopic.web.database import Database, new_id, now
from seetopic.web.errors import Conflict, Missing, NotYet, Refused
from seetopic.web.jobs import Job, Jobs, Plan
from seetopic.web.limits import LETTERS
from seetopic.web.schemas import Frozen, Title
from seetopic.web.served_folder import AllowedFolder, readable, without_folders
from seetopic.web.sources import BuildOptions, FileSource, GivenSource, StoredSource, UploadSource, source_from
from seetopic.web.texts import COPYING, WrittenTexts, store_texts, written_texts
from seetopic.web.uploads import Uploads
from seetopic.web.workbooks import check_workbook

# Shares of the total time, measured without caches on the demo articles and on product reviews.
BUILDING = Plan(
    (
        ("looking at documents", 1),
        ("reading documents", 4),
        ("finding phrases", 2),
        ("finding terms", 2),
        ("counting", 1),
        ("counting neighbours", 6),
        ("local vectors", 12),
        ("language model", 42),
        ("language model reads documents", 30),
        (COPYING, 1),
    )
)
_JUDGED = 100  # documents from which on few terms are a sign of a wrong column
_FEW_TERMS, _FEW_WORDS = 100, 5  # in all documents, and per document
State = Literal["waiting", "indexing", "ready", "stopped", "failed"]


class Facts(Frozen):
    """Facts about the documents of an index; empty until it is ready."""

    documents: int = 0
    tokens: int = 0
    terms: int = 0
    model: str
    languages: dict[str, float] = Field(default_factory=dict)
    warnings: tuple[str, ...] = ()
    skipped: dict[str, int] = Field(default_factory=dict)


class Corpus(Facts):
    """A corpus as users see it."""

    id: str
    title: str
    state: State
    created: float
    problem: str | None = None
    job: Job | None = None
    text_field: str | None = None
    label_field: str | None = None
    labels: bool = False
    can_quote: bool = False
    can_change: bool = False  # whether its documents can be read again with other options
    options: BuildOptions = BuildOptions()
    columns: tuple[str, ...] = ()  # kept beside the documents
    doubts: tuple[str, ...] = ()  # why its text column may be the wrong one


@dataclass(frozen=True)
class Corpora:
    """All corpora of a workbench; an opened index stays open while the server runs."""

    database: Database
    folder: AllowedFolder
    uploads: Uploads
    indexes: Path
    jobs: Jobs
    models: tuple[str, ...]  # offered besides the embedded one
    cache: Path | None
    workers: int | None
    opened: dict[str, Index]

    def all(self) -> list[Corpus]:
        return [self._shown(row) for row in self.database.all("SELECT * FROM corpora ORDER BY created DESC, id")]

    def get(self, corpus: str) -> Corpus:
        return self._shown(self._row(corpus))

    def add(self, source: StoredSource, options: BuildOptions, title: str | None = None) -> Corpus:
        """Register documents or an index; documents are indexed in the background."""
        if options.model is not None:
            self._offered(options.model)
        made, path = new_id(), self.path_of(source)
        if path is not None and is_index(path):
            manifest = read_manifest(path)
            self._models_for(manifest, options)
            title = title or str(manifest["corpus"]["name"])
            self._insert(made, title, source, options, path)
            return self.get(made)
        self.jobs.require_room()
        documents = self._documents(source, options)
        options.to_settings()  # invalid options fail now
        self._insert(made, title or documents.name, source, options, None)
        self._start(made)
        return self.get(made)

    def add_given(self, path: Path, options: BuildOptions) -> Corpus:
        """Add what was given on the command line, unless it is already known from an earlier start."""
        source = GivenSource(kind="given", path=str(path), seen=_last_change(path))
        same = self.database.all("SELECT id, state, options FROM corpora WHERE source = ?", (source.model_dump_json(),))
        rows = [row for row in same if _options(row) == options]
        kept = next((row for row in rows if row["state"] not in ("failed", "stopped")), None)
        if kept is not None:
            return self.get(kept["id"])
        return self.resume(rows[0]["id"]) if rows else self.add(source, options)

    def rename(self, corpus: str, title: Title) -> Corpus:
        self._row(corpus)
        self.database.do("UPDATE corpora SET title = ? WHERE id = ?", (title, corpus))
        return self.get(corpus)

    def stop(self, corpus: str) -> Corpus:
        """Stop a build; its progress is kept."""
        if self._row(corpus)["state"] not in ("waiting", "indexing"):
            raise Conflict(f"{self._row(corpus)['title']!r} is not being indexed, so there is nothing to stop")
        self.jobs.stop(corpus)
        self._mark(corpus, "stopped")
        return self.get(corpus)

    def resume(self, corpus: str) -> Corpus:
        row = self._row(corpus)
        if self.get(corpus).state not in ("stopped", "failed") or not row["own"]:  # includes damaged indexes
            raise Conflict(f"{row['title']!r} is not stopped, so there is nothing to resume")
        self.jobs.require_room()
        self.opened.pop(corpus, None)
        self._mark(corpus, "waiting")
        self._start(corpus)
        return self.get(corpus)

    def change(self, corpus: str, options: BuildOptions, title: str | None) -> Corpus:
        """Read and index the same documents with other options; no file has to be sent again.

        If projects use the index, and other options would change it, a second corpus is made beside it.
        """
        row, before = self._row(corpus), self.get(corpus)
        if not before.can_change:
            raise Conflict(f"{row['title']!r} was opened as an index; to change its options, open its documents")
        if options.model is not None:
            self._offered(options.model)
        source = source_from(row["source"])
        self._documents(source, options)
        options.to_settings()  # invalid options fail now
        used = self.database.all("SELECT id FROM projects WHERE corpus = ?", (corpus,))
        beside = {"keep": (), "label_field": None}
        if used and options.model_copy(update=beside) != before.options.model_copy(update=beside):
            return self.add(source, options, title)
        self.jobs.stop(corpus)
        self.jobs.require_room()
        self.opened.pop(corpus, None)
        with self.database.change():
            self.database.do("UPDATE corpora SET options = ? WHERE id = ?", (options.model_dump_json(), corpus))
            if title is not None:
                self.database.do("UPDATE corpora SET title = ? WHERE id = ?", (title, corpus))
            self._mark(corpus, "waiting")
        self._start(corpus)
        return self.get(corpus)

    def source_path(self, corpus: str) -> Path | None:
        """The documents of a corpus; None for the demo's."""
        return self.path_of(source_from(self._row(corpus)["source"]))

    def resume_all(self) -> None:
        """Resume builds that were unfinished when the server last stopped."""
        for row in self.database.all("SELECT id FROM corpora WHERE state IN ('waiting', 'indexing')"):
            self._mark(row["id"], "waiting")
            self._start(row["id"])

    def remove(self, corpus: str) -> None:
        """Delete a corpus and what the workbench created for it, never the user's own files."""
        with self.database.change():
            row = self._row(corpus)
            used = self.database.all("SELECT id FROM projects WHERE corpus = ?", (corpus,))
            if used:
                raise Conflict(f"{row['title']!r} is still in use (projects: {len(used)}); remove its projects first")
            self.database.do("DELETE FROM corpora WHERE id = ?", (corpus,))
        self.jobs.stop(corpus)
        self.opened.pop(corpus, None)
        if row["own"]:
            built = self._folder(row)
            shutil.rmtree(built, ignore_errors=True)
            shutil.rmtree(built.with_name(f".{built.name}.building"), ignore_errors=True)
            shutil.rmtree(self._texts_folder(corpus), ignore_errors=True)
        source = source_from(row["source"])
        if source.kind == "upload" and source not in self._sources():
            self.uploads.remove(source.id)

    def index(self, corpus: str) -> Index:
        """The index of a corpus, opened once."""
        row = self._row(corpus)
        if row["state"] != "ready":
            raise NotYet(f"{row['title']!r} is not indexed yet; wait for it, or resume it if it was stopped")
        if corpus not in self.opened:
            models = self._models_for(read_manifest(self._folder(row)), _options(row))
            self.opened[corpus] = Index.open(self._folder(row), **models, cache=self.cache)
        return self.opened[corpus]

    def _models_for(self, manifest: dict[str, Any], options: BuildOptions) -> dict[str, Any]:
        """The models that encode names for an index; its manifest is not trusted."""
        reader = self._model_for(manifest["reader"]) if "reader" in manifest else None
        return {"embedding_model": self._model_for(manifest["model"], options.model), "reader": reader}

    def _model_for(self, made_with: dict[str, Any], asked: str | None = None) -> str | None:
        if asked is None and made_with["fingerprint"] is None:
            return None  # a function or vectors, which cannot be loaded
        return self._offered(str(asked or made_with["name"]))

    def _offered(self, name: str) -> str:
        """The model as named by the server's owner; no other is ever loaded."""
        for model in (EMBEDDED_NAME, *self.models):
            if name == model or _is_same_folder(name, model):
                return model
        raise Refused(
            f"the model {name[:80]!r} is not offered by this server; add it with --model when starting the server"
        )

    def documents(self, corpus: str, *, with_labels: bool = False) -> Documents | None:
        """The original documents, if they are still available."""
        row = self._row(corpus)
        source = source_from(row["source"])
        if source.kind == "index" or not row["own"]:
            return None
        try:
            found = self._documents(source, _options(row))
        except SeeTopicError:
            return None
        return found if with_labels else replace(found, label_field=None)

    def texts(self, corpus: str) -> WrittenTexts | None:
        """The texts as they were written, if they were stored with the index."""
        return written_texts(self._texts_folder(corpus), len(self.index(corpus)))

    def _texts_folder(self, corpus: str) -> Path:
        return self.indexes.parent / "texts" / corpus

    def same_as(self, sha256: str, model: str) -> list[str]:
        """Ready corpora with the same documents and language model."""
        ready = self.database.all("SELECT id FROM corpora WHERE state = 'ready' ORDER BY created DESC")
        return [row["id"] for row in ready if self._identity(row["id"]) == (sha256, model)]

    def _identity(self, corpus: str) -> tuple[str, str] | None:
        try:
            manifest = self.index(corpus).manifest
        except SeeTopicError:  # a damaged index matches nothing
            return None
        return str(manifest["corpus"]["sha256"]), str(manifest["model"]["name"])

    def path_of(self, source: StoredSource) -> Path | None:
        """The path of a source that is about to be read for the first time."""
        if not isinstance(source, FileSource):
            return self._path(source)
        path = self.folder.to_read(source.path)
        if path.suffix.lower() == ".xlsx":
            check_workbook(path, path.name)
        return path

    def plainly(self, sentence: str) -> str:
        """A message without paths on the server."""
        given = (Path(source.path).parent for source in self._sources() if source.kind == "given")
        return without_folders(sentence, (self.folder.root, self.indexes.parent, self.cache, *given))

    def _sources(self) -> list[StoredSource]:
        return [source_from(row["source"]) for row in self.database.all("SELECT source FROM corpora")]

    def _path(self, source: StoredSource) -> Path | None:
        if isinstance(source, GivenSource):
            return Path(source.path)
        if isinstance(source, FileSource):
            return self.folder.inside(source.path)
        return self.uploads.path(source.id) if isinstance(source, UploadSource) else None

    def _documents(self, source: StoredSource, options: BuildOptions) -> Documents:
        path = self._path(source)
        if path is None:
            return demo_documents()
        return open_documents(
            path,
            text_field=options.text_field,
            on_error=options.on_error,
            label_field=options.label_field,
            keep=options.keep,
            delimiter=options.delimiter,
            encoding=options.encoding,
            told=ignore,  # the preview shows what was detected
        )

    def _insert(self, made: str, title: str, source: StoredSource, options: BuildOptions, index: Path | None) -> None:
        """Register documents to be indexed or, with `index`, an index that is used where it is."""
        self.database.insert(
            "corpora",
            id=made,
            title=readable(title.strip()[:LETTERS]) or "documents",
            source=source.model_dump_json(),
            options=options.model_dump_json(),
            folder=str(index or self.indexes / made),
            own=int(index is None),
            state="waiting" if index is None else "ready",
            problem=None,
            created=now(),
        )

    def _start(self, corpus: str) -> None:
        row = self._row(corpus)
        options = _options(row)
        try:
            model = None if options.model is None else self._offered(options.model)
            documents = replace(self._documents(source_from(row["source"]), options), label_field=None)
        except SeeTopicError as error:
            self._mark(corpus, "failed", str(error))
            return

        def ended(_: Any, problem: str | None, stopped: bool) -> None:
            if self.database.one("SELECT id FROM corpora WHERE id = ?", (corpus,)) is None:
                return
            if stopped:  # by a user, or the server is stopping and resumes it at the next start
                return
            self._mark(corpus, "ready" if problem is None else "failed", problem)

        self.jobs.start(
            corpus,
            BUILDING,
            ended,
            build_index,
            documents,
            self._folder(row),
            self._texts_folder(corpus),
            settings=options.to_settings(),
            embedding_model=model,
            cache=self.cache,
            n_jobs=self.workers,
        )

    def _folder(self, row: Any) -> Path:
        """The folder of the index; own builds are found relative to the data folder, so that it can be copied."""
        return self.indexes / str(row["id"]) if row["own"] else Path(row["folder"])

    def _mark(self, corpus: str, state: State, problem: str | None = None) -> None:
        self.database.do("UPDATE corpora SET state = ?, problem = ? WHERE id = ?", (state, problem, corpus))

    def _row(self, corpus: str) -> Any:
        row = self.database.one("SELECT * FROM corpora WHERE id = ?", (corpus,))
        if row is None:
            raise Missing(f"there is no corpus {corpus[:40]!r}; it may have been removed")
        return row

    def _shown(self, row: Any) -> Corpus:
        options = _options(row)
        state: State = row["state"]
        job = self.jobs.job(row["id"])
        if state == "waiting" and job is not None and job.seconds > 0:
            state = "indexing"
        facts, problem = Facts(model=options.model or EMBEDDED_NAME), row["problem"]
        columns: tuple[str, ...] = ()
        if state == "ready":
            try:
                facts = _facts(self.index(row["id"]))
                columns = self.index(row["id"]).column_names
            except SeeTopicError as error:
                state, problem = "failed", str(error)
        return Corpus(
            id=row["id"],
            title=row["title"],
            state=state,
            created=row["created"],
            problem=None if problem is None else self.plainly(problem),
            job=job if state in ("waiting", "indexing") else None,
            text_field=options.text_field,
            label_field=options.label_field,
            labels=options.label_field is not None,
            can_quote=bool(row["own"]),
            can_change=bool(row["own"]) and source_from(row["source"]).kind != "demo",
            options=options,
            columns=columns,
            doubts=tuple(_doubts(facts, options)) if state == "ready" else (),
            **dict(facts),
        )


def _options(row: Any) -> BuildOptions:
    return BuildOptions.model_validate_json(row["options"])


def _facts(index: Index) -> Facts:
    """Facts from a manifest, validated, because the index may come from anywhere."""
    corpus = index.manifest["corpus"]
    try:
        known = {name: corpus[name] for name in Facts.model_fields if name != "model"}
        return Facts(model=index.manifest["model"]["name"], **known)
    except (KeyError, ValidationError) as error:
        raise DamagedIndex(f"{index.folder / MANIFEST} is damaged (invalid value); build the index again") from error


def _doubts(facts: Facts, options: BuildOptions) -> Iterator[str]:
    """Why the text column is probably not the one with the text."""
    if facts.documents < _JUDGED:
        return
    column = "the documents" if options.text_field is None else f"the column {options.text_field!r}"
    if facts.terms < _FEW_TERMS and facts.tokens < _FEW_WORDS * facts.documents:
        yield f"only {facts.terms:,} terms were found in {column}; is it the right one?"
    elif facts.tokens < 2 * facts.documents:
        yield f"{column} has fewer than two words per document; is it the right one?"


def build_index(documents: Documents, out: Path, texts: Path, *, progress: Progress, **options: Any) -> None:
    """Body of the build process; the folder is the workbench's own, so an index with other options is replaced."""
    plan(documents, out, progress=progress, warn=ignore, **options).run(overwrite=True)
    store_texts(documents, texts, progress)


def _is_same_folder(first: str, second: str) -> bool:
    try:
        return Path(first).samefile(second)
    except (OSError, ValueError):  # missing, too long, or containing NUL
        return False


def _last_change(path: Path) -> str:
    """A value that differs if the file or index has changed."""
    meant = path / MANIFEST if is_index(path) else path
    found = meant.stat()
    return f"{found.st_mtime_ns}-{found.st_size}"
