"""Builds an index in stages, each complete on disk before the next, so that an interrupted build resumes."""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterable, Sequence
from contextlib import AbstractContextManager, closing, suppress
from dataclasses import dataclass, replace
from functools import cached_property, partial
from itertools import chain, pairwise
from pathlib import Path
from typing import Any

import numpy as np

from seetopic.corpus import Documents, Fingerprint, FingerprintBuilder, Piece, Pieces, open_documents
from seetopic.errors import CorpusError, EncoderError, IndexFailure
from seetopic.index import layout
from seetopic.index.cached import INDEXES
from seetopic.index.columns import write_columns
from seetopic.index.estimate import BuildEstimate, estimate, held_for, memory_needed, memory_size, require_memory
from seetopic.index.layout import key_of, tokenizer_name
from seetopic.index.sample import Contents, beginnings, choose_among, distinct_terms
from seetopic.index.stages import Stage, alone, do_stages, forget_stages
from seetopic.index.themes import find_centres
from seetopic.index.update import (
    Incoming,
    Part,
    Update,
    facts_of,
    identity_of,
    next_number,
    record_update,
    starts_of,
)
from seetopic.runtime import (
    Engine,
    Floats,
    Longs,
    Progress,
    Renamed,
    Scratch,
    Warn,
    available_cores,
    counted,
    engine_for,
    exchanged,
    linked,
    load_array,
    map_array,
    remove_unless_held,
    resolve_device,
    silent,
    warn,
    word_keys,
    write_array,
    write_json,
    writing,
)
from seetopic.settings import IndexSettings, as_json, language_codes
from seetopic.text import (
    Grammar,
    Shard,
    Tokenizer,
    WordTable,
    all_words,
    find_variants,
    languages_of,
    mine,
    sampled_counts,
    scan,
    segment_shards,
    spellings_of,
    tokenize,
    vocabulary_of,
    warnings_about_spaces,
    without_frequent,
    write_documents,
    write_texts,
)
from seetopic.vectors import (
    Block,
    PostingFiles,
    ReadyDocuments,
    TermEncoder,
    VectorCache,
    blocks_of,
    cache_folder,
    context_matrix,
    document_matrix,
    encoder_for,
    factorise,
    is_embedded,
    neighbours,
    reads_texts,
    script_shares,
    warnings_about_names,
    warnings_about_text,
    write_postings,
)

_SCAN = 2  # version of `scan.json`; files written by earlier versions are not reused


@dataclass(frozen=True)
class Resources:
    """How a build is computed; none of this changes the result."""

    engine: Engine
    n_jobs: int
    device: str
    cache: VectorCache
    progress: Progress
    memory: int | None = None  # bytes that the build may use
    warn: Warn = warn

    @property
    def held(self) -> int:
        """How many counts each worker may hold in memory."""
        return held_for(self.memory, self.n_jobs)


@dataclass(frozen=True)
class Build:
    """An index being built, in a folder beside its final one."""

    update: Update
    out: Path
    settings: IndexSettings
    encoder: TermEncoder
    tokenizer: Tokenizer
    resources: Resources
    ready_documents: ReadyDocuments | None = None
    names: tuple[str, ...] = ()  # of categories, if known; a warning lists those that the model cannot read
    is_shared: bool = False  # in the cache: a second build of the same index waits for the first and uses its result
    reader: TermEncoder | None = None  # reads the documents, if another model than `encoder` does

    @property
    def folder(self) -> Path:
        return layout.building(self.out)

    @property
    def _work(self) -> Path:
        return self.folder / "work"

    @property
    def files(self) -> Path:
        """Where the new index's files are written."""
        return self.folder / "index"

    @cached_property
    def parts(self) -> tuple[Part, ...]:
        """The parts that the new index will have."""
        parts = [*self.update.kept]
        for each, found in zip(self.update.added, self._fingerprints, strict=True):
            parts.append(Part(each.documents.name, found.sha256, found.documents, next_number(parts), found.skipped))
        return tuple(parts)

    @property
    def _pieces(self) -> tuple[Pieces, ...]:
        """The pieces of each new part."""
        return tuple(each.pieces(self.settings.text, self.resources.engine) for each in self.update.added)

    @property
    def _fingerprints(self) -> tuple[Fingerprint, ...]:
        """The fingerprint of each new part."""
        text, resources = self.settings.text, self.resources
        return tuple(each.fingerprint(text, resources.engine, resources.progress) for each in self.update.added)

    @cached_property
    def estimate(self) -> BuildEstimate:
        """What a build from scratch will need; only a stream has to be read to learn its length."""
        (pieces,) = self._pieces
        is_cut = all(isinstance(each, Piece) for each in pieces.cut)
        known = None if is_cut else self.n_documents
        resources = self.resources
        return estimate(pieces, known, self.settings, self.tokenizer, resources.n_jobs, resources.held)

    @property
    def n_documents(self) -> int:
        return starts_of(self.parts)[-1]

    @cached_property
    def key(self) -> str:
        """The same for the same documents, settings, model and tokenizer."""
        made_with = (self.encoder.fingerprint, tokenizer_name(self.tokenizer), *self._told_apart_by.values())
        return key_of(identity_of(self.parts), as_json(self.settings), *made_with)

    @property
    def _told_apart_by(self) -> dict[str, Any]:
        """Precomputed document vectors and the reader; empty if there are none."""
        vectors = {} if self.ready_documents is None else {"document_vectors": self.ready_documents.fingerprint}
        return vectors if self.reader is None else vectors | {"reader": self.reader.fingerprint or self.reader.name}

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
        return alone(self.out, waiting=self._wait if self.is_shared else None)

    def _warn(self, about_documents: Sequence[str]) -> None:
        """Pass on the warnings about documents and names before any slow work."""
        for sentence in (*about_documents, *self._about_names(about_documents)):
            self.resources.warn(sentence)

    def _about_names(self, about_documents: Sequence[str]) -> list[str]:
        return warnings_about_names(self.names, about_documents) if self._is_embedded else []

    @property
    def _is_embedded(self) -> bool:
        return any(is_embedded(encoder.fingerprint) for encoder in (self.encoder, self._reads))

    @property
    def _reads(self) -> TermEncoder:
        """The model that reads documents."""
        return self.encoder if self.reader is None else self.reader

    def _wait(self) -> None:
        self.resources.progress("waiting for another program that builds the same index", 0, None)

    def _clear(self, folder: Path) -> None:
        """Remove partial files of killed builds; this build holds the lock and has written all of its own."""
        for path in folder.glob(".*.part"):
            remove_unless_held(path)

    def _stages(self) -> list[Stage]:
        settings = self.settings
        tokenizer = tokenizer_name(self.tokenizer)
        local = {**as_json(settings.local), "random_state": settings.random_state}

        # Functions, because the documents' fingerprint may be known only after they are read.
        def words() -> dict[str, Any]:
            corpus = identity_of(self.parts)
            return {"corpus": corpus, "tokenizer": tokenizer, "scan": _SCAN, **as_json(settings.text)}

        def sample() -> dict[str, Any]:
            return {"model": self._reads.fingerprint, **as_json(settings.sample), **self._told_apart_by}

        return [
            Stage("words", words, self._write_words, lambda: self._warn(self._warnings)),
            Stage("terms", lambda: {"random_state": settings.random_state}, self._write_terms),
            Stage("postings", dict, self._write_postings),
            Stage("local", lambda: local, self._write_local),
            Stage("general", lambda: {"model": self.encoder.fingerprint}, self._write_general),
            Stage("variants", dict, self._write_variants),
            Stage("sample", sample, self._write_sample),
            Stage("themes", lambda: {"random_state": settings.random_state}, self._write_themes),
            # Always run again, because nothing says whether columns have changed but reading them.
            Stage("columns", lambda: {"columns": None}, self._write_columns),
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

    # Each stage reads its inputs from disk, so it does not matter whether earlier stages ran just now.

    def _write_words(self) -> None:
        text = self.settings.text
        shutil.rmtree(self._work / "shards", ignore_errors=True)
        # Documents that nobody has read yet are hashed while they are scanned, which saves one pass.
        counted_first = self.update.kept or len(self.update.added) != 1 or self.update.added[0].needs_counting
        read, n_documents = (None, self.n_documents) if counted_first else (FingerprintBuilder(), None)
        words, sizes = scan(
            self.resources.engine,
            chain(self.update.texts(text), *self._pieces),
            self._work / "shards",
            self.tokenizer,
            lowercase=text.lowercase,
            min_count=text.min_count,
            stored_words=self.update.stored.words,
            fingerprint=read,
            told=lambda done: self.resources.progress("reading documents", done, n_documents),
        )
        if read is not None:
            self.update.added[0].learn(read)
        if sum(sizes) != self.n_documents:
            raise CorpusError(
                f"the corpus {self.update.added[-1].documents.name!r} had {self.n_documents:,} documents "
                f"when they were counted, but {sum(sizes):,} when they were read again; "
                "start again once they have stopped changing"
            )
        write_json(self._work / "words.json", words.words)
        write_array(self._work / "word_counts.npy", words.counts)
        shards = self._shards(len(sizes))
        languages = languages_of(
            words.words, sampled_counts(shards, sizes, len(words.words)), language_codes(text.language)
        )
        write_json(
            self._work / "scan.json",
            {
                "sizes": sizes,
                "tokens": words.n_tokens,
                "languages": languages.shares,
                "function_words": sorted({*languages.grammar.function_words, *text.stop_words}),
                "connectors": sorted(languages.grammar.connectors),
                "detected": languages.detected,
                "scripts": script_shares(all_words(self._work / "shards")),
                "warnings": warnings_about_spaces(all_words(self._work / "shards")),
            },
        )

    def _write_terms(self) -> None:
        text, engine = self.settings.text, self.resources.engine
        words = WordTable(
            tuple(json.loads((self._work / "words.json").read_text(encoding="utf-8"))),
            load_array(self._work / "word_counts.npy"),
            self._scan["tokens"],
            Grammar(frozenset(self._scan["function_words"]), frozenset(self._scan["connectors"])),
        )
        shards = self._shards(len(self._scan["sizes"]))
        self.resources.progress("finding phrases", 0, None)
        table = mine(
            engine,
            shards,
            words,
            text,
            self._scratch("phrases"),
            tokenizer=self.tokenizer,
            random_state=self.settings.random_state,
        )
        counted_codes = counted(
            segment_shards(engine, shards, table), "finding terms", len(shards), self.resources.progress
        )
        vocabulary, term_ids = vocabulary_of(counted_codes, words, table, text.min_count, text.stop_words)
        if text.max_documents < 1:
            most = text.max_documents * self.n_documents
            vocabulary, term_ids = without_frequent(engine, shards, vocabulary, term_ids, most)
            if not len(vocabulary):
                raise CorpusError(
                    f"every term occurs in more than {text.max_documents:.1%} of the documents; raise --max-documents "
                    "(in Python: max_documents)"
                )
        if not len(vocabulary):
            raise CorpusError(
                f"no term occurs {text.min_count} times in the corpus {self.parts[0].name!r} "
                f"({self.n_documents} documents); lower --min-count (in Python: min_count), or give more documents"
            )
        needed = memory_needed(len(vocabulary), self.settings, self.resources.n_jobs, self.resources.held)
        require_memory(self.resources.memory, needed, len(vocabulary))
        write_json(self.files / layout.TERMS, vocabulary.terms)
        write_array(self.files / layout.TERM_COUNTS, vocabulary.counts)
        write_documents(shards, term_ids, self.files / layout.DOCUMENTS, self.files / layout.DOCUMENT_STARTS)
        write_json(self.files / layout.WORDS, [word for word, _ in all_words(self._work / "shards")])
        write_texts(shards, self.files / layout.TEXTS, self.files / layout.TEXT_STARTS)
        for shard in shards:
            shard.tidy()

    def _write_postings(self) -> None:
        resources, scratch = self.resources, self._scratch("postings")
        write_postings(resources.engine, self._blocks(), self._n_terms, self._postings, scratch, resources.progress)

    def _write_general(self) -> None:
        terms = json.loads((self.files / layout.TERMS).read_text(encoding="utf-8"))
        vectors = self.update.term_vectors(terms, partial(self._encode, self.encoder))
        write_array(self.files / layout.GENERAL, vectors)

    def _encode(self, encoder: TermEncoder, texts: list[str], reading: Progress | None = None) -> Floats:
        resources = self.resources
        return resources.cache.encode(encoder, texts, resources.n_jobs, reading or resources.progress, resources.engine)

    def _write_variants(self) -> None:
        terms = json.loads((self.files / layout.TERMS).read_text(encoding="utf-8"))
        local, general = (map_array(self.files / name) for name in (layout.LOCAL, layout.GENERAL))
        self.resources.progress("finding variants", 0, None)
        write_array(self.files / layout.VARIANTS, find_variants(spellings_of(terms), local, general).heads)

    def _write_local(self) -> None:
        local, engine, progress = self.settings.local, self.resources.engine, self.resources.progress
        counts, blocks = load_array(self.files / layout.TERM_COUNTS), self._blocks()
        pairs, matrices = self._scratch("neighbours"), self._scratch("matrices")
        near = neighbours(engine, blocks, self._n_terms, local.window, pairs, progress)
        progress("local vectors", 0, local.lanczos_steps + 1)
        contexts = context_matrix(engine, near, counts, local, matrices.folder / "contexts")
        pairs.clear()  # the matrix has all of their information, and disk space is limited
        documents, isolated = document_matrix(engine, blocks, counts, local, matrices.folder / "documents")
        if not engine.remote:
            engine.close()  # products use threads, and need the memory that the workers hold
        terms = layout.read_words(self.files / layout.TERMS)
        vectors = factorise(
            contexts, documents, isolated, terms, local, resolve_device(self.resources.device), engine, progress
        )
        matrices.clear()
        write_array(self.files / layout.LOCAL, vectors)

    def _write_sample(self) -> None:
        starts = map_array(self.files / layout.DOCUMENT_STARTS)
        read, more = self._chosen_from(self._ranges)
        chosen = np.concatenate([read, more])
        sample_starts, terms = distinct_terms(map_array(self.files / layout.DOCUMENTS), starts, chosen)
        write_array(self.files / layout.SAMPLE_DOCUMENTS, chosen)
        write_array(self.files / layout.SAMPLE_STARTS, sample_starts)
        write_array(self.files / layout.SAMPLE_TERMS, terms.astype(np.int32))
        texts = self._sample_texts()
        write_json(self.files / layout.SAMPLE_TEXTS, [list(part.values()) for part in texts])
        known = {number: text for part in texts for number, text in part.items()}
        write_array(self.files / layout.SAMPLE_GENERAL, self._document_vectors(read, known))

    def _write_themes(self) -> None:
        self.resources.progress("finding themes", 0, None)
        vectors = load_array(self.files / layout.SAMPLE_GENERAL)
        write_array(self.files / layout.THEMES, find_centres(vectors, self.settings.random_state))

    def _write_columns(self) -> None:
        added = zip(self.update.added, self._fingerprints, strict=True)
        write_columns(
            self.files,
            self._work / "columns",
            self.update.stored_columns(),
            ((each.documents, found.documents) for each, found in added),
            self.update.keep,
            self.settings.text,
            self.resources.engine,
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
            for name in layout.FILES:
                if name not in layout.COLUMN_FILES:
                    linked(self.out / name, self.files / name)
        facts = {name: value for name, value in manifest.items() if name not in ("format", "version", "files")}
        layout.write_manifest(
            self.files / layout.MANIFEST, layout.manifest(folder=self.files, digests=digests, **facts)
        )
        self._move()

    def _by_name(self, digests: dict[str, str]) -> dict[str, str]:
        """The SHA-256 of the index's files by name; `digests` has all files, by their path in the build folder."""
        paths = {name: (self.files / name).relative_to(self.folder).as_posix() for name in layout.FILES}
        return {name: digests[path] for name, path in paths.items() if path in digests}

    @cached_property
    def _contents(self) -> Contents:
        """Kept, because the sample is drawn once from all parts and once from each."""
        texts, starts = (map_array(self.files / name) for name in (layout.TEXTS, layout.TEXT_STARTS))
        keys = word_keys(layout.read_words(self.files / layout.WORDS))
        return Contents(np.append(keys, np.uint64(0)), texts, starts)

    def _chosen_from(self, ranges: Sequence[tuple[int, int]]) -> tuple[Longs, Longs]:
        return choose_among(self._contents, ranges, self.settings.sample)

    @property
    def _ranges(self) -> list[tuple[int, int]]:
        """The positions of each part's documents."""
        return list(pairwise(starts_of(self.parts)))

    def _sample_texts(self) -> list[dict[int, str]]:
        """For each part, the beginnings of the documents that would be read if it were the only part, by number.

        Whatever parts are added or removed later, the language model will read no other documents of it.
        """
        if self.ready_documents is not None or not reads_texts(self._reads):
            return [{} for _ in self.parts]
        sample, ranges = self.settings.sample, self._ranges
        alone = [self._chosen_from([each])[0] - each[0] for each in ranges]
        stored = self.update.beginnings()
        if any(len(own) != len(part) for own, part in zip(alone, stored, strict=False)):
            raise EncoderError(
                f"{self.out} does not contain the texts that this model has to read; update it with the model it "
                "was built with, or build it again"
            )
        new = zip(self._pieces, self._fingerprints, alone[len(stored) :], strict=True)
        texts = stored + [
            beginnings(self.resources.engine, pieces, found.sizes, chosen, sample.document_words)
            for pieces, found, chosen in new
        ]
        numbered = zip(ranges, alone, texts, strict=True)
        return [dict(zip((low + own).tolist(), part, strict=True)) for (low, _), own, part in numbered]

    def _document_vectors(self, read: Longs, texts: dict[int, str]) -> Floats:
        """The language model's vectors of documents; empty if there are only precomputed vectors of terms."""
        if not len(read):
            return np.empty((0, 0), np.float32)
        if self.ready_documents is not None:
            terms = map_array(self.files / layout.GENERAL)
            names = (
                terms if self.reader is None else self.resources.cache.encode_names(self.reader, self.names or ["a"])
            )
            return self.ready_documents.rows(read, names.shape[1])
        if not reads_texts(self._reads):
            return np.empty((0, 0), np.float32)
        reading = Renamed(self.resources.progress, "language model reads documents")
        encode = partial(self._encode, self._reads, reading=reading)
        wanted = [texts[number] for number in read.tolist()]
        return self.update.document_vectors(read, wanted, encode)

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

    # Shared by the stages.

    @property
    def corpus(self) -> dict[str, Any]:
        """Facts about the documents, known once their terms are."""
        scan = self._scan
        return {
            **facts_of(self.parts),
            "tokens": scan["tokens"],
            "terms": self._n_terms,
            "languages": scan["languages"],
            "warnings": self._warnings,
        }

    @property
    def warnings(self) -> tuple[str, ...]:
        """Warnings about the documents and names, available once the documents' words are known."""
        return (*self._warnings, *self._about_names(self._warnings))

    @property
    def _warnings(self) -> list[str]:
        """Warnings about the documents."""
        scan = self._scan
        about_text = warnings_about_text(scan["scripts"], scan["detected"]) if self._is_embedded else []
        return [*scan["warnings"], *about_text]

    def _shards(self, number: int) -> list[Shard]:
        return [Shard(self._work / "shards", each) for each in range(number)]

    @property
    def _scan(self) -> dict[str, Any]:
        value: dict[str, Any] = json.loads((self._work / "scan.json").read_text(encoding="utf-8"))
        return value

    @property
    def _n_terms(self) -> int:
        return len(map_array(self.files / layout.TERM_COUNTS))

    @property
    def _postings(self) -> PostingFiles:
        return PostingFiles(*(self.files / name for name in layout.POSTINGS))

    def _blocks(self) -> list[Block]:
        return blocks_of(self.files / layout.DOCUMENTS, self.files / layout.DOCUMENT_STARTS)

    def _scratch(self, name: str) -> Scratch:
        return Scratch(self._work / name, self.resources.held)


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
    workers = available_cores() if n_jobs is None else n_jobs
    carrier = engine_for(engine, n_jobs, address)
    encoder = encoder_for(embedding_model, device=device, precision=settings.precision)
    reads = None if reader is None else encoder_for(reader, device=device, precision=settings.precision)
    if reads is not None and not reads_texts(reads):
        raise EncoderError("the reader is a mapping of precomputed vectors, but must read any text; pass a model")
    allowed = None if memory is None else memory_size(memory)
    where = VectorCache(cache_folder(None if cache is None else Path(cache)))
    resources = Resources(carrier, workers, device, where, progress, allowed, warn)
    ready = None if document_vectors is None else ReadyDocuments(np.asarray(document_vectors))
    update = documents if isinstance(documents, Update) else Update((Incoming(documents),))
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
