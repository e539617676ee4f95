"""What an index will be, before it is built: its documents, settings and models, its key, and where its files go."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from seetopic.corpus import Fingerprint, Pieces
from seetopic.index import layout
from seetopic.index.estimate import held_for
from seetopic.index.layout import key_of, tokenizer_name
from seetopic.index.update import Part, Update, identity_of, next_number, starts_of
from seetopic.runtime import Engine, Progress, Warn, warn
from seetopic.settings import IndexSettings, as_json
from seetopic.text import Tokenizer
from seetopic.vectors import ReadyDocuments, TermEncoder, VectorCache, is_embedded


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
class PlannedIndex:
    """An index that is to be built, in a folder beside its final one."""

    update: Update
    out: Path
    settings: IndexSettings
    encoder: TermEncoder
    tokenizer: Tokenizer
    resources: Resources
    ready_documents: ReadyDocuments | None = None
    names: tuple[str, ...] = ()  # of categories, if known; a warning lists those that the model cannot read
    reader: TermEncoder | None = None  # reads the documents, if another model than `encoder` does

    @property
    def folder(self) -> Path:
        return layout.building(self.out)

    @property
    def work(self) -> Path:
        return self.folder / "work"

    @property
    def files(self) -> Path:
        """Where the new index's files are written."""
        return self.folder / "index"

    @cached_property
    def parts(self) -> tuple[Part, ...]:
        """The parts that the new index will have."""
        parts = [*self.update.kept]
        for each, found in zip(self.update.added, self.fingerprints, strict=True):
            parts.append(Part(each.documents.name, found.sha256, found.documents, next_number(parts), found.skipped))
        return tuple(parts)

    @property
    def pieces(self) -> tuple[Pieces, ...]:
        """The pieces of each new part."""
        return tuple(each.pieces(self.settings.text, self.resources.engine) for each in self.update.added)

    @property
    def fingerprints(self) -> tuple[Fingerprint, ...]:
        """The fingerprint of each new part."""
        text, resources = self.settings.text, self.resources
        return tuple(each.fingerprint(text, resources.engine, resources.progress) for each in self.update.added)

    @property
    def n_documents(self) -> int:
        return starts_of(self.parts)[-1]

    @cached_property
    def key(self) -> str:
        """The same for the same documents, settings, model and tokenizer."""
        made_with = (self.encoder.fingerprint, tokenizer_name(self.tokenizer), *self.told_apart_by.values())
        return key_of(identity_of(self.parts), as_json(self.settings), *made_with)

    @property
    def told_apart_by(self) -> dict[str, Any]:
        """Precomputed document vectors and the reader; empty if there are none."""
        vectors = {} if self.ready_documents is None else {"document_vectors": self.ready_documents.fingerprint}
        return vectors if self.reader is None else vectors | {"reader": self.reader.fingerprint or self.reader.name}

    @property
    def is_embedded(self) -> bool:
        return any(is_embedded(encoder.fingerprint) for encoder in (self.encoder, self.reads))

    @property
    def reads(self) -> TermEncoder:
        """The model that reads documents."""
        return self.encoder if self.reader is None else self.reader
