"""Builds an index in stages, each complete on disk before the next, so that an interrupted build resumes."""

from __future__ import annotations

import shutil
from collections.abc import Iterable, Sequence
from contextlib import AbstractContextManager, closing, suppress
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from seetopic.corpus import Documents, open_documents
from seetopic.errors import EncoderError, IndexFailure, SettingsError
from seetopic.index import layout
from seetopic.index.cached import INDEXES
from seetopic.index.estimate import BuildEstimate, estimate, memory_size
from seetopic.index.layout import tokenizer_name
from seetopic.index.planned import PlannedIndex, Resources
from seetopic.index.stages import Stage, do_stages, exclusive, forget_stages
from seetopic.index.update import Incoming, Update, identity_of, record_update
from seetopic.index.writer import IndexWriter
from seetopic.runtime import (
    Progress,
    Warn,
    available_cores,
    cache_folder,
    engine_for,
    exchanged,
    linked,
    remove_unless_held,
    resolve_device,
    silent,
    warn,
    writing,
)
from seetopic.settings import IndexSettings, as_json
from seetopic.text import Tokenizer, tokenize
from seetopic.vectors import (
    ReadyDocuments,
    VectorCache,
    encoder_for,
    reads_texts,
    warnings_about_names,
)

_SCAN = 2  # version of `scan.json`; files written by earlier versions are not reused


@dataclass(frozen=True)
class Build(PlannedIndex):
    """A planned index, with what builds it and moves it to its folder."""

    is_shared: bool = False  # in the cache: a second build of the same index waits for the first and uses its result

    @cached_property
    def estimate(self) -> BuildEstimate:
        """What a build from scratch will need; only what is not a file, or is read as a whole, has to be counted."""
        (pieces,) = self.pieces
        known = self.n_documents if any(stream.file is None for stream in pieces.streams) else None
        resources = self.resources
        rest = self.settings, self.tokenizer, resources.n_jobs, resources.held
        found = estimate(pieces, known, *rest)
        # If the sample has no text, all documents are counted, which refuses a corpus without any.
        return found if found.documents else estimate(pieces, self.n_documents, *rest)

    def run(self, *, overwrite: bool = False) -> None:
        """Build the index, and move it to its folder only when it is complete."""
        with closing(self.resources.engine), self._alone():
            if self.ready_documents is not None:
                self.ready_documents.check(self.n_documents)
            with writing(self.out):
                layout.put_back(self.out)
            if layout.is_intact(self.out) and layout.read_manifest(self.out)["key"] == self.key:
                self._renew_columns(overwrite)
                self._clear(self.out)
                shutil.rmtree(self.folder, ignore_errors=True)
                self._warn(layout.read_manifest(self.out)["corpus"]["warnings"])
                return
            self._check_unchanged()
            self._check_out(overwrite or self.update.replaces)
            self.resources.engine.check_shared(self.folder)
            digests = do_stages(self._stages(), self.folder)
            self._finish(digests, overwrite or self.update.replaces)

    def prepare(self) -> None:
        """Run only the quick stages: the terms and their counts. `run` continues from there."""
        with closing(self.resources.engine), self._alone():
            self.resources.engine.check_shared(self.folder)
            do_stages(self._stages()[:2], self.folder)

    def _alone(self) -> AbstractContextManager[None]:
        return exclusive(self.out, waiting=self._wait if self.is_shared else None)

    def _warn(self, about_documents: Sequence[str]) -> None:
        """Pass on the warnings about documents and names before any slow work."""
        for sentence in (*about_documents, *self._about_names(about_documents)):
            self.resources.warn(sentence)

    def _about_names(self, about_documents: Sequence[str]) -> list[str]:
        return warnings_about_names(self.names, about_documents) if self.is_embedded else []

    def _wait(self) -> None:
        self.resources.progress("waiting for another program that builds the same index", 0, None)

    def _clear(self, folder: Path) -> None:
        """Remove partial files of killed builds; this build holds the lock and has written all of its own."""
        for path in folder.glob(".*.part"):
            remove_unless_held(path)

    def _stages(self) -> list[Stage]:
        settings, writer = self.settings, self._writer
        tokenizer = tokenizer_name(self.tokenizer)
        local = {**as_json(settings.local), "random_state": settings.random_state}

        # Functions, because the documents' fingerprint may be known only after they are read.
        def words() -> dict[str, Any]:
            corpus = identity_of(self.parts)
            return {"corpus": corpus, "tokenizer": tokenizer, "scan": _SCAN, **as_json(settings.text)}

        def sample() -> dict[str, Any]:
            return {"model": self.reads.fingerprint, **as_json(settings.sample), **self.told_apart_by}

        return [
            Stage("words", words, writer.write_words, lambda: self._warn(writer.warnings)),
            Stage("terms", lambda: {"random_state": settings.random_state}, writer.write_terms),
            Stage("postings", dict, writer.write_postings),
            Stage("local", lambda: local, writer.write_local),
            Stage("general", lambda: {"model": self.encoder.fingerprint}, writer.write_general),
            Stage("variants", dict, writer.write_variants),
            Stage("sample", sample, writer.write_sample),
            Stage("themes", dict, writer.write_themes),
            # Always run again, because nothing says whether columns have changed but reading them.
            Stage("columns", lambda: {"columns": None}, writer.write_columns),
        ]

    def _check_out(self, overwrite: bool) -> None:
        """Refuse to replace anything but an index that is damaged or may be overwritten."""
        if not self.out.exists():
            return
        if not self.out.is_dir() or not layout.may_be_index(self.out):
            raise IndexFailure(f"{self.out} exists but is not an index; choose another folder")
        others = layout.others_in(self.out)
        if others:
            raise IndexFailure(
                f"{self.out} contains {others[0]!r}, which does not belong to an index and would be lost; "
                "move it elsewhere or choose another folder"
            )
        if not overwrite and layout.is_intact(self.out):
            raise IndexFailure(
                f"{self.out} contains an index with different documents, settings or model; "
                "choose another folder, or replace it with --overwrite (in Python: overwrite=True)"
            )

    def _check_unchanged(self) -> None:
        if self.update.replaces and layout.read_manifest(self.out)["key"] != self.update.stored.key:
            raise IndexFailure(
                f"{self.out} was changed by another program in the meantime; open it again and repeat the update"
            )

    def _renew_columns(self, overwrite: bool) -> None:
        """If other columns are asked for than the index has, replace them, and leave everything else as it is."""
        if self.update.replaces or not self.update.keep:
            return
        shutil.rmtree(self.folder, ignore_errors=True)  # a build of something else that was never finished
        written = do_stages(self._stages()[-1:], self.folder)
        manifest = layout.read_manifest(self.out)
        digests = {name: file["sha256"] for name, file in manifest["files"].items()} | self._by_name(written)
        if all(digests[name] == manifest["files"][name]["sha256"] for name in layout.COLUMN_FILES):
            return
        before, after = (layout.read_words(each / layout.COLUMNS) for each in (self.out, self.files))
        lost = next((name for name in before if name not in after), None)
        if lost is not None and not overwrite:
            raise IndexFailure(
                f"{self.out} has a column {lost!r}, which would be lost; keep it, too, or replace the columns with "
                "--overwrite (in Python: overwrite=True)"
            )
        with writing(self.files):
            for name in layout.files_of(manifest):
                if name not in layout.COLUMN_FILES:
                    linked(self.out / name, self.files / name)
        facts = {name: value for name, value in manifest.items() if name not in ("version", "files")}
        layout.write_manifest(
            self.files / layout.MANIFEST, layout.manifest(folder=self.files, digests=digests, **facts)
        )
        self._move()

    def _by_name(self, digests: dict[str, str]) -> dict[str, str]:
        """The SHA-256 of the index's files by name; `digests` has all files, by their path in the build folder."""
        paths = {name: (self.files / name).relative_to(self.folder).as_posix() for name in layout.FILES}
        return {name: digests[path] for name, path in paths.items() if path in digests}

    def _finish(self, digests: dict[str, str], overwrite: bool) -> None:
        """Write the manifest, and move the index to its folder; `digests` are by path in the build folder."""
        self._clear(self.files)
        reader = {}
        if self.reader is not None:
            reader = {"reader": {"name": self.reader.name, "fingerprint": self.reader.fingerprint}}
        manifest = layout.manifest(
            corpus=self.corpus,
            key=self.key,
            model={"name": self.encoder.name, "fingerprint": self.encoder.fingerprint},
            **reader,
            tokenizer=tokenizer_name(self.tokenizer),
            settings=as_json(self.settings),
            document_vectors=None if self.ready_documents is None else self.ready_documents.fingerprint,
            folder=self.files,
            digests=self._by_name(digests),
        )
        layout.write_manifest(self.files / layout.MANIFEST, manifest)
        self._check_unchanged()  # again, because another program may have written there in the meantime
        self._check_out(overwrite)
        if self.update.replaces:
            record_update(self.out, self.update.stored.parts, self.key)
        self._move()

    def _move(self) -> None:
        is_replaced = self.out.exists()
        with writing(self.out):
            if not (is_replaced and exchanged(self.files, self.out)):
                self._rename(is_replaced)
        # Only now: if the move failed, the next run finds every stage done and only has to move the index.
        forget_stages(self.folder)
        shutil.rmtree(self.folder, ignore_errors=True)
        layout.clear_replaced(self.out)

    def _rename(self, is_replaced: bool) -> None:
        """Replace in two steps where folders cannot be exchanged atomically; in between, readers find the old index."""
        if is_replaced:
            layout.clear_replaced(self.out)  # left by a replacement that was interrupted at its end
            self.out.rename(layout.replaced(self.out))
        try:
            self.files.rename(self.out)
        except OSError:
            layout.put_back(self.out)
            raise

    @property
    def _writer(self) -> IndexWriter:
        return IndexWriter(self)  # not kept, because it refers to this build and to large files

    @property
    def corpus(self) -> dict[str, Any]:
        """Facts about the documents, known once their terms are."""
        return self._writer.corpus

    @property
    def warnings(self) -> tuple[str, ...]:
        """Warnings about the documents and names, available once the documents' words are known."""
        about_documents = self._writer.warnings
        return (*about_documents, *self._about_names(about_documents))


def plan(
    documents: Documents | Update,
    out: Path,
    *,
    settings: IndexSettings,
    embedding_model: Any = None,
    reader: Any = None,
    tokenizer: Tokenizer = tokenize,
    document_vectors: Any = None,
    n_jobs: int | None = None,
    engine: str = "local",
    address: str | None = None,
    device: str = "auto",
    cache: str | Path | None = None,
    memory: str | int | None = None,
    names: Iterable[str] = (),
    progress: Progress = silent,
    warn: Warn = warn,
) -> Build:
    """Plan a build of documents, or an update of an index; nothing runs yet."""
    if device != "auto":
        resolve_device(device)  # raises an error for an unavailable device before any work is done
    if not callable(tokenizer):
        raise SettingsError(f"`tokenizer` is {tokenizer!r:.60}, but must be a function from a text to its words")
    workers = available_cores() if n_jobs is None else n_jobs
    carrier = engine_for(engine, n_jobs, address)
    encoder = encoder_for(embedding_model, device=device, precision=settings.precision)
    reads = None if reader is None else encoder_for(reader, device=device, precision=settings.precision)
    if reads is not None and not reads_texts(reads):
        raise EncoderError("the reader is a mapping of precomputed vectors, but must read any text; pass a model")
    allowed = None if memory is None else memory_size(memory)
    where = VectorCache(cache_folder(cache))
    resources = Resources(carrier, workers, device, where, progress, allowed, warn)
    ready = None if document_vectors is None else ReadyDocuments(np.asarray(document_vectors))
    update = documents if isinstance(documents, Update) else Update((Incoming(documents),))
    for each in update.added:  # columns are kept last
        if update.replaces:
            each.documents.require_columns("the index keeps it, so rename one of them, or add an empty column")
        else:
            each.documents.require_columns()
    place = layout.resolved(out)
    return Build(update, place, settings, encoder, tokenizer, resources, ready, tuple(names), reader=reads)


def plan_cached(documents: Documents, *, cache: str | Path | None = None, **options: Any) -> Build:
    """Plan a build into the cache folder, named by a hash of the documents, settings and model."""
    somewhere = plan(documents, Path("unnamed"), cache=cache, **options)
    # The documents are read to get the key, which says where the index is if it already exists.
    with closing(somewhere.resources.engine):
        key = somewhere.key
    build = replace(somewhere, out=somewhere.resources.cache.folder / INDEXES / key[:32], is_shared=True)
    if isinstance(build.update.keep, tuple) and build.update.keep:  # other columns were kept for other commands
        with suppress(IndexFailure, OSError):
            known = layout.read_words(build.out / layout.COLUMNS)
            build.update.added[0].documents = open_documents(documents, keep=(*build.update.keep, *known))
    return build
