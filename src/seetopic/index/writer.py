"""Writes the files of an index, one method per stage of a build.

Each stage reads its inputs from disk, so it does not matter whether earlier stages ran just now.
"""

from __future__ import annotations

import json
import shutil
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from itertools import chain, pairwise
from pathlib import Path
from typing import Any

import numpy as np

from seetopic.corpus import FingerprintBuilder
from seetopic.errors import CorpusError, EncoderError
from seetopic.index import layout
from seetopic.index.columns import write_columns
from seetopic.index.estimate import memory_needed, require_memory
from seetopic.index.planned import PlannedIndex, Resources
from seetopic.index.sample import Contents, beginnings, choose_among, distinct_terms
from seetopic.index.themes import SampleThemes, find_centres, find_neighbours, may_be_stored
from seetopic.index.update import facts_of, starts_of
from seetopic.runtime import (
    Floats,
    Longs,
    Progress,
    Renamed,
    Scratch,
    counted,
    load_array,
    map_array,
    resolve_device,
    word_keys,
    write_array,
    write_json,
)
from seetopic.settings import language_codes
from seetopic.text import (
    Grammar,
    Shard,
    WordTable,
    all_words,
    find_variants,
    languages_of,
    mine,
    sampled_counts,
    scan,
    segment_shards,
    spellings_of,
    vocabulary_of,
    warnings_about_spaces,
    without_frequent,
    write_documents,
    write_texts,
)
from seetopic.vectors import (
    Block,
    PostingFiles,
    TermEncoder,
    blocks_of,
    context_matrix,
    document_matrix,
    factorise,
    neighbours,
    reads_texts,
    script_shares,
    warnings_about_text,
    write_postings,
)


@dataclass(frozen=True)
class IndexWriter:
    """The work of each stage, and what is known once it is done."""

    index: PlannedIndex

    @property
    def _files(self) -> Path:
        return self.index.files

    @property
    def _work(self) -> Path:
        return self.index.work

    @property
    def _resources(self) -> Resources:
        return self.index.resources

    def write_words(self) -> None:
        text, update = self.index.settings.text, self.index.update
        shutil.rmtree(self._work / "shards", ignore_errors=True)
        # Documents that nobody has read yet are hashed while they are scanned, which saves one pass.
        counted_first = update.kept or len(update.added) != 1 or update.added[0].needs_counting
        read, n_documents = (None, self.index.n_documents) if counted_first else (FingerprintBuilder(), None)
        words, sizes = scan(
            self._resources.engine,
            chain(update.texts(text), *self.index.pieces),
            self._work / "shards",
            self.index.tokenizer,
            lowercase=text.lowercase,
            min_count=text.min_count,
            stored_words=update.stored.words,
            fingerprint=read,
            told=lambda done: self._resources.progress("reading documents", done, n_documents),
        )
        if read is not None:
            update.added[0].learn(read)
        if sum(sizes) != self.index.n_documents:
            raise CorpusError(
                f"the corpus {update.added[-1].documents.name!r} had {self.index.n_documents:,} documents "
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

    def write_terms(self) -> None:
        text, engine = self.index.settings.text, self._resources.engine
        words = WordTable(
            tuple(json.loads((self._work / "words.json").read_text(encoding="utf-8"))),
            load_array(self._work / "word_counts.npy"),
            self._scan["tokens"],
            Grammar(frozenset(self._scan["function_words"]), frozenset(self._scan["connectors"])),
        )
        shards = self._shards(len(self._scan["sizes"]))
        self._resources.progress("finding phrases", 0, None)
        table = mine(
            engine,
            shards,
            words,
            text,
            self._scratch("phrases"),
            tokenizer=self.index.tokenizer,
            random_state=self.index.settings.random_state,
        )
        counted_codes = counted(
            segment_shards(engine, shards, table), "finding terms", len(shards), self._resources.progress
        )
        vocabulary, term_ids = vocabulary_of(counted_codes, words, table, text.min_count, text.stop_words)
        if text.max_documents < 1:
            most = text.max_documents * self.index.n_documents
            vocabulary, term_ids = without_frequent(engine, shards, vocabulary, term_ids, most)
            if not len(vocabulary):
                raise CorpusError(
                    f"every term occurs in more than {text.max_documents:.1%} of the documents; raise --max-documents "
                    "(in Python: max_documents of TextSettings)"
                )
        if not len(vocabulary):
            raise CorpusError(
                f"no term occurs {text.min_count} times in the corpus {self.index.parts[0].name!r} "
                f"({self.index.n_documents} documents); lower --min-count "
                "(in Python: min_count of SeeTopic or TextSettings), or give more documents"
            )
        needed = memory_needed(len(vocabulary), self.index.settings, self._resources.n_jobs, self._resources.held)
        require_memory(self._resources.memory, needed, len(vocabulary))
        write_json(self._files / layout.TERMS, vocabulary.terms)
        write_array(self._files / layout.TERM_COUNTS, vocabulary.counts)
        write_documents(shards, term_ids, self._files / layout.DOCUMENTS, self._files / layout.DOCUMENT_STARTS)
        write_json(self._files / layout.WORDS, [word for word, _ in all_words(self._work / "shards")])
        write_texts(shards, self._files / layout.TEXTS, self._files / layout.TEXT_STARTS)
        for shard in shards:
            shard.tidy()

    def write_postings(self) -> None:
        resources, scratch = self._resources, self._scratch("postings")
        write_postings(resources.engine, self._blocks(), self._n_terms, self._postings, scratch, resources.progress)

    def write_general(self) -> None:
        terms = json.loads((self._files / layout.TERMS).read_text(encoding="utf-8"))
        vectors = self.index.update.term_vectors(terms, partial(self._encode, self.index.encoder))
        write_array(self._files / layout.GENERAL, vectors)

    def _encode(self, encoder: TermEncoder, texts: list[str], reading: Progress | None = None) -> Floats:
        resources = self._resources
        return resources.cache.encode(encoder, texts, resources.n_jobs, reading or resources.progress, resources.engine)

    def write_variants(self) -> None:
        terms = json.loads((self._files / layout.TERMS).read_text(encoding="utf-8"))
        local, general = (map_array(self._files / name) for name in (layout.LOCAL, layout.GENERAL))
        self._resources.progress("finding variants", 0, None)
        write_array(self._files / layout.VARIANTS, find_variants(spellings_of(terms), local, general).heads)

    def write_local(self) -> None:
        local, engine, progress = self.index.settings.local, self._resources.engine, self._resources.progress
        counts, blocks = load_array(self._files / layout.TERM_COUNTS), self._blocks()
        pairs, matrices = self._scratch("neighbours"), self._scratch("matrices")
        near = neighbours(engine, blocks, self._n_terms, local.window, pairs, progress)
        progress("local vectors", 0, local.lanczos_steps + 1)
        contexts = context_matrix(engine, near, counts, local, matrices.folder / "contexts")
        pairs.clear()  # the matrix has all of their information, and disk space is limited
        documents, isolated = document_matrix(engine, blocks, counts, local, matrices.folder / "documents")
        if not engine.remote:
            engine.close()  # products use threads, and need the memory that the workers hold
        terms = layout.read_words(self._files / layout.TERMS)
        vectors = factorise(
            contexts, documents, isolated, terms, local, resolve_device(self._resources.device), engine, progress
        )
        matrices.clear()
        write_array(self._files / layout.LOCAL, vectors)

    def write_sample(self) -> None:
        starts = map_array(self._files / layout.DOCUMENT_STARTS)
        read, more = self._chosen_from(self._ranges)
        chosen = np.concatenate([read, more])
        sample_starts, terms = distinct_terms(map_array(self._files / layout.DOCUMENTS), starts, chosen)
        write_array(self._files / layout.SAMPLE_DOCUMENTS, chosen)
        write_array(self._files / layout.SAMPLE_STARTS, sample_starts)
        write_array(self._files / layout.SAMPLE_TERMS, terms.astype(np.int32))
        texts = self._sample_texts()
        write_json(self._files / layout.SAMPLE_TEXTS, [list(part.values()) for part in texts])
        known = {number: text for part in texts for number, text in part.items()}
        write_array(self._files / layout.SAMPLE_GENERAL, self._document_vectors(read, known))

    def write_themes(self) -> None:
        self._resources.progress("finding themes", 0, None)
        vectors = load_array(self._files / layout.SAMPLE_GENERAL)
        centres = find_centres(vectors)
        write_array(self._files / layout.THEMES, centres)
        neighbours = find_neighbours(vectors) if may_be_stored(len(vectors)) else np.empty((0, 0), np.int32)
        write_array(self._files / layout.SAMPLE_NEIGHBOURS, neighbours)
        likeness = [SampleThemes(vectors, centres).likeness] if len(centres) else []
        write_array(self._files / layout.SAMPLE_LIKENESS, np.array(likeness, np.float64))

    def write_columns(self) -> None:
        added = zip(self.index.update.added, self.index.fingerprints, strict=True)
        write_columns(
            self._files,
            self._work / "columns",
            self.index.update.stored_columns(),
            ((each.documents, found.documents) for each, found in added),
            self.index.update.keep,
            self.index.settings.text,
            self._resources.engine,
        )

    @cached_property
    def _contents(self) -> Contents:
        """Kept, because the sample is drawn once from all parts and once from each."""
        texts, starts = (map_array(self._files / name) for name in (layout.TEXTS, layout.TEXT_STARTS))
        keys = word_keys(layout.read_words(self._files / layout.WORDS))
        return Contents(np.append(keys, np.uint64(0)), texts, starts)

    def _chosen_from(self, ranges: Sequence[tuple[int, int]]) -> tuple[Longs, Longs]:
        return choose_among(self._contents, ranges, self.index.settings.sample)

    @property
    def _ranges(self) -> list[tuple[int, int]]:
        """The positions of each part's documents."""
        return list(pairwise(starts_of(self.index.parts)))

    def _sample_texts(self) -> list[dict[int, str]]:
        """For each part, the beginnings of the documents that would be read if it were the only part, by number.

        Whatever parts are added or removed later, the language model will read no other documents of it.
        """
        if self.index.ready_documents is not None or not reads_texts(self.index.reads):
            return [{} for _ in self.index.parts]
        sample, ranges = self.index.settings.sample, self._ranges
        alone = [self._chosen_from([each])[0] - each[0] for each in ranges]
        stored = self.index.update.beginnings()
        if any(len(own) != len(part) for own, part in zip(alone, stored, strict=False)):
            raise EncoderError(
                f"{self.index.out} does not contain the texts that this model has to read; update it with the model it "
                "was built with, or build it again"
            )
        new = zip(self.index.pieces, self.index.fingerprints, alone[len(stored) :], strict=True)
        texts = stored + [
            beginnings(self._resources.engine, pieces, found.sizes, chosen, sample.document_words)
            for pieces, found, chosen in new
        ]
        numbered = zip(ranges, alone, texts, strict=True)
        return [dict(zip((low + own).tolist(), part, strict=True)) for (low, _), own, part in numbered]

    def _document_vectors(self, read: Longs, texts: dict[int, str]) -> Floats:
        """The language model's vectors of documents; empty if there are only precomputed vectors of terms."""
        if not len(read):
            return np.empty((0, 0), np.float32)
        if self.index.ready_documents is not None:
            terms = map_array(self._files / layout.GENERAL)
            names = (
                terms
                if self.index.reader is None
                else self._resources.cache.encode_names(self.index.reader, self.index.names or ["a"])
            )
            return self.index.ready_documents.rows(read, names.shape[1])
        if not reads_texts(self.index.reads):
            return np.empty((0, 0), np.float32)
        reading = Renamed(self._resources.progress, "language model reads documents")
        encode = partial(self._encode, self.index.reads, reading=reading)
        wanted = [texts[number] for number in read.tolist()]
        return self.index.update.document_vectors(read, wanted, encode)

    @property
    def corpus(self) -> dict[str, Any]:
        """Facts about the documents, known once their terms are."""
        scan = self._scan
        return {
            **facts_of(self.index.parts),
            "tokens": scan["tokens"],
            "terms": self._n_terms,
            "languages": scan["languages"],
            "warnings": self.warnings,
        }

    @property
    def warnings(self) -> list[str]:
        """Warnings about the documents."""
        scan = self._scan
        about_text = warnings_about_text(scan["scripts"], scan["detected"]) if self.index.is_embedded else []
        return [*scan["warnings"], *about_text]

    def _shards(self, number: int) -> list[Shard]:
        return [Shard(self._work / "shards", each) for each in range(number)]

    @property
    def _scan(self) -> dict[str, Any]:
        value: dict[str, Any] = json.loads((self._work / "scan.json").read_text(encoding="utf-8"))
        return value

    @property
    def _n_terms(self) -> int:
        return len(map_array(self._files / layout.TERM_COUNTS))

    @property
    def _postings(self) -> PostingFiles:
        return PostingFiles(*(self._files / name for name in layout.POSTINGS))

    def _blocks(self) -> list[Block]:
        return blocks_of(self._files / layout.DOCUMENTS, self._files / layout.DOCUMENT_STARTS)

    def _scratch(self, name: str) -> Scratch:
        return Scratch(self._work / name, self._resources.held)
