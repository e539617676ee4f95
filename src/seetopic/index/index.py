"""An index: everything of a corpus that does not depend on category names, on disk."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterable, Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass, field, fields, replace
from functools import cached_property
from pathlib import Path
from typing import Any, TypeVar, cast

import numpy as np

from seetopic.corpus import Documents, OnError, open_documents
from seetopic.errors import DamagedIndex, EncoderError, IndexFailure, SettingsError
from seetopic.index import layout
from seetopic.index.build import Build, Means
from seetopic.index.estimate import memory_size
from seetopic.index.layout import (
    Check,
    bounds,
    finite,
    of_length,
    read_array,
    read_lists,
    read_long_array,
    read_words,
    tokenizer_name,
    within,
)
from seetopic.index.positions import Texts
from seetopic.index.sample import Sample, inverse_frequency
from seetopic.index.stages import alone, clear_finished
from seetopic.index.themes import SampleThemes, n_centres
from seetopic.index.update import (
    Part,
    Stored,
    Update,
    check_made_with,
    forget_update,
    opened_parts,
    parts_before,
    parts_of,
    refuse_again,
    refuse_nothing,
    starts_of,
    without,
)
from seetopic.runtime import (
    Doubles,
    Floats,
    Ids,
    Longs,
    Memory,
    Progress,
    Warn,
    available_cores,
    engine_for,
    resolve_device,
    silent,
    warn,
)
from seetopic.settings import DEFAULT, IndexSettings, index_settings_from
from seetopic.text import Spellings, Tokenizer, Variants, Vocabulary, as_term, spellings_of, tokenize
from seetopic.vectors import (
    ReadyDocuments,
    ReadyVectors,
    TermEncoder,
    VectorCache,
    cache_folder,
    encoder_for,
    is_embedded,
    reads_texts,
    warnings_about_names,
)

Found = TypeVar("Found")
_KNOWN_TEXTS = 1000  # names, sentences and descriptions whose vectors are remembered: 1.5 MB
_SHOWN = 5  # damaged files that are named


@dataclass(frozen=True)
class Index:
    """An opened index. Its arrays are read, and checked against the manifest, when they are first asked for."""

    folder: Path
    manifest: dict[str, Any] = field(repr=False)
    model: Any = field(default=None, repr=False)  # what `encoder_for` takes; None: the one it was built with
    tokenizer: Tokenizer = field(default=tokenize, repr=False)
    cache: VectorCache = field(default_factory=lambda: VectorCache(cache_folder()), repr=False)

    @classmethod
    def open(
        cls, folder: str | Path, *, model: Any = None, tokenizer: Tokenizer = tokenize, cache: str | Path | None = None
    ) -> Index:
        """Open an index; a damaged, foreign or too new one is refused with a sentence."""
        path = Path(folder)
        index = cls(path, layout.read_manifest(path), model, tokenizer, VectorCache(cache_folder(_as_path(cache))))
        index._check_settings()
        if path.name:
            clear_finished(layout.resolved(path))
        return index

    @classmethod
    def build(
        cls,
        documents: Any,
        out: str | Path,
        *,
        settings: IndexSettings = DEFAULT.index,
        model: Any = None,
        tokenizer: Tokenizer = tokenize,
        document_vectors: Any = None,
        text_field: str | None = None,
        on_error: OnError = "raise",
        jobs: int | None = None,
        engine: str = "local",
        address: str | None = None,
        device: str = "auto",
        cache: str | Path | None = None,
        memory: str | int | None = None,
        overwrite: bool = False,
        progress: Progress = silent,
    ) -> Index:
        """Build the index of documents into the folder `out`, or go on with a build that was cut off.

        `document_vectors`, a row a document by the model that gives terms their vectors, spare it the reading.
        `engine` is `local` (processes of this machine) or `ray`: the cluster at `address`, or one that is started.
        `memory`, such as "4GB", is what the build may take.
        """
        build = plan(
            open_documents(documents, text_field=text_field, on_error=on_error),
            Path(out),
            settings=settings,
            model=model,
            tokenizer=tokenizer,
            document_vectors=document_vectors,
            jobs=jobs,
            engine=engine,
            address=address,
            device=device,
            cache=cache,
            memory=memory,
            progress=progress,
        )
        build.run(overwrite=overwrite)
        return cls.open(out, model=model, tokenizer=tokenizer, cache=cache)

    @property
    def parts(self) -> tuple[Part, ...]:
        """Documents that came together: those of the first build, and of each update."""
        return parts_of(self.manifest["corpus"])

    def warnings_about(self, names: Iterable[str]) -> list[str]:
        """A sentence if the index's language model cannot read most of the names."""
        if not is_embedded(self.manifest["model"]["fingerprint"]):
            return []
        return warnings_about_names(tuple(names), self.manifest["corpus"]["warnings"])

    def update(
        self,
        add: Any = None,
        remove: Iterable[int | str] = (),
        *,
        again: bool = False,
        text_field: str | None = None,
        on_error: OnError = "raise",
        jobs: int | None = None,
        engine: str = "local",
        address: str | None = None,
        device: str = "auto",
        memory: str | int | None = None,
        progress: Progress = silent,
    ) -> Index:
        """Add documents as a new part (a list of `Documents`: as several), remove parts, or both; gives the new index.

        Parts to remove are given by their names, or their numbers, counted from 1. The new index takes the place of
        this one when it is whole; an update that was cut off goes on when it is asked for again, and if it had come to
        its end, the index stays as it is. Which `engine` and
        how much `memory` it may use is said as for `build`.
        """
        means: dict[str, Any] = {"jobs": jobs, "engine": engine, "address": address, "device": device, "memory": memory}
        reading: dict[str, Any] = {"text_field": text_field, "on_error": on_error}
        with self.updating(add, remove, again=again, **reading, **means, progress=progress) as updated:
            return updated

    @contextmanager
    def updating(
        self,
        add: Any = None,
        remove: Iterable[int | str] = (),
        *,
        again: bool = False,
        text_field: str | None = None,
        on_error: OnError = "raise",
        **means: Any,
    ) -> Iterator[Index]:
        """The same as `update`, but it counts as reported only when the block ends.

        Whoever asks for it again before that, because this process was killed, is given the index as it is.
        """
        added = opened_parts(add, text_field=text_field, on_error=on_error)
        removed = (remove,) if isinstance(remove, int | str) else tuple(remove)
        if not self._was_done(added, removed, means):
            kept = without(self.parts, removed)
            refuse_nothing(self.parts, kept, added)
            build = self._planned(kept, added, means)
            with closing(build.means.engine):
                if not again:
                    refuse_again(kept, build.parts[len(kept) :])
                build.run()
        updated = self.open(self.folder, model=self.model, tokenizer=self.tokenizer, cache=self.cache.folder)
        yield updated
        forget_update(layout.resolved(self.folder), updated.manifest["key"])

    def _planned(self, kept: tuple[Part, ...], added: tuple[Documents, ...], means: dict[str, Any]) -> Build:
        build = plan(
            Documents((), title=self.manifest["corpus"]["name"]),
            self.folder,
            settings=self.settings,
            model=self._model,
            tokenizer=self.tokenizer,
            cache=self.cache.folder,
            **means,
        )
        self._check_model(build.encoder)
        check_made_with(self.manifest, build.encoder.name, tokenizer_name(self.tokenizer))
        return replace(build, update=Update(self._stored, kept, added))

    def _was_done(self, added: tuple[Documents, ...], removed: tuple[int | str, ...], means: dict[str, Any]) -> bool:
        """Whether this index is what the same update made, which was killed before it could say so."""
        folder, key = layout.resolved(self.folder), self.manifest["key"]
        before = parts_before(folder, key)
        if before is None:
            return False
        try:
            build = self._planned(without(before, removed), added, means)
        except IndexFailure:  # it had no such part: this is another update
            return False
        with closing(build.means.engine), alone(folder):
            done = bool(build.key == key)
            if done:
                shutil.rmtree(build.folder, ignore_errors=True)
            else:
                forget_update(folder, key)
        return done

    @property
    def _stored(self) -> Stored:
        """What an update takes over; all of it is checked."""
        parts, texts = self.parts, self.texts
        sample_texts = read_lists(self._checked(layout.SAMPLE_TEXTS))
        if starts_of(parts)[-1] != len(self) or len(sample_texts) != len(parts):
            raise DamagedIndex(f"{self.folder / layout.MANIFEST} has parts of other documents; build the index again")
        return Stored(
            key=str(self.manifest["key"]),
            parts=parts,
            words=texts.words,
            texts=self.folder / layout.TEXTS,
            text_starts=self.folder / layout.TEXT_STARTS,
            terms=self.vocabulary.terms,
            general=self.general,
            sampled=self.sampled,
            sample_general=self.sample.general,
            sample_texts=sample_texts,
        )

    def verify(self) -> None:
        """Read every file to its end, and check it; `DamagedIndex` names those that are damaged, and says what to do.

        Large files are otherwise read to their end only once: they are trusted as long as they look unchanged.
        """
        fresh = self.open(self.folder, model=self.model, tokenizer=self.tokenizer, cache=self.cache.folder)
        damaged = layout.damaged_files(layout.place_of(self.folder), fresh.manifest, self._remembered)
        if damaged and layout.read_manifest(self.folder) != fresh.manifest:
            return self.verify()  # another index took its place meanwhile
        if damaged:
            shown = ", ".join(damaged[:_SHOWN]) + (f" and {len(damaged) - _SHOWN} more" if damaged[_SHOWN:] else "")
            raise DamagedIndex(
                f"{self.folder} is damaged: {shown}; build the index again, or bring these files back from a backup"
            )
        fresh._everything()  # whole files may still not fit together: an index may be of any origin
        return None

    def _everything(self) -> tuple[object, ...]:
        """All that is stored, each part checked against the others as it is read."""
        return self._stored, self.local, self.variants, self.themes, self.posting_documents, self._documents

    def __getstate__(self) -> dict[str, Any]:
        """It is pickled as what opens it, without the arrays that were read so far."""
        return {each.name: getattr(self, each.name) for each in fields(self)}

    def __len__(self) -> int:
        """How many documents it has."""
        return len(self._starts) - 1

    @cached_property
    def _starts(self) -> Longs:
        """Where each document's terms start, and where the last ones end."""
        array: Longs = self._array(layout.DOCUMENT_STARTS, np.int64, 1, bounds())
        return array

    @cached_property
    def settings(self) -> IndexSettings:
        return self._check_settings()

    def _check_settings(self) -> IndexSettings:
        """Those of the manifest; refuses what this version does not know."""
        try:
            return index_settings_from(self.manifest["settings"])
        except (KeyError, TypeError, SettingsError) as error:
            raise DamagedIndex(f"{self.folder / layout.MANIFEST} has settings that cannot be used ({error})") from error

    @cached_property
    def vocabulary(self) -> Vocabulary:
        terms = read_words(self._checked(layout.TERMS))
        return Vocabulary(terms, self._array(layout.TERM_COUNTS, np.int64, 1, of_length(len(terms))))

    @cached_property
    def document_frequencies(self) -> Longs:
        """In how many documents each term occurs."""
        return np.diff(self.posting_starts)

    @cached_property
    def posting_starts(self) -> Longs:
        array: Longs = self._array(layout.POSTINGS[0], np.int64, 1, bounds(len(self.vocabulary)))
        return array

    @cached_property
    def posting_documents(self) -> Ids:
        checks = of_length(self.posting_starts[-1]), within(0, len(self))
        array: Ids = self._long_array(layout.POSTINGS[1], np.int32, *checks)
        return array

    @property
    def positions(self) -> tuple[Ids, Ids]:
        """The term ids of all documents one after the other, and for each the number of its document."""
        numbers = np.repeat(np.arange(len(self), dtype=np.int32), np.diff(self._starts))
        return np.asarray(self._documents), numbers

    def terms_of(self, documents: Longs) -> Ids:
        """The term ids of some documents, one after the other."""
        bounds = zip(self._starts[documents].tolist(), self._starts[documents + 1].tolist(), strict=True)
        return np.concatenate([np.empty(0, np.int32), *(self._documents[first:last] for first, last in bounds)])

    @cached_property
    def _documents(self) -> Ids:
        checks = of_length(self._starts[-1]), within(0, len(self.vocabulary))
        array: Ids = self._long_array(layout.DOCUMENTS, np.int32, *checks)
        return array

    @cached_property
    def _words(self) -> tuple[str, ...]:
        return read_words(self._checked(layout.WORDS))

    def has_words(self, term: str) -> bool:
        """Whether all words of a term, or itself as one word, occur in the documents."""
        known = self._known_words
        return term in known or all(word in known for word in term.split(" "))

    @cached_property
    def _known_words(self) -> frozenset[str]:
        return frozenset(self._words)

    @cached_property
    def texts(self) -> Texts:
        """The documents as all their words."""
        words = self._words
        places = self._long_array(layout.TEXTS, np.int32, within(-1, len(words)))
        return Texts(words, places, self._array(layout.TEXT_STARTS, np.int64, 1, bounds(len(self), len(places))))

    @cached_property
    def general(self) -> Floats:
        """Language-model vectors of the terms, unit rows; (n_terms, dimension)."""
        array: Floats = self._array(layout.GENERAL, np.float32, 2, of_length(len(self.vocabulary)), finite)
        return array

    @cached_property
    def local(self) -> Floats:
        """Local vectors of the terms, unit rows; (n_terms, rank)."""
        array: Floats = self._array(layout.LOCAL, np.float32, 2, of_length(len(self.vocabulary)), finite)
        return array

    @cached_property
    def variants(self) -> Variants:
        """Which terms are variants of one."""
        n_terms = len(self.vocabulary)
        return Variants(self._array(layout.VARIANTS, np.int64, 1, of_length(n_terms), within(0, n_terms)))

    @cached_property
    def _spellings(self) -> Spellings:
        return spellings_of(self.vocabulary.terms)

    @cached_property
    def sample(self) -> Sample:
        """Documents that the language model read, and more."""
        n_terms, n_sampled, length = len(self.vocabulary), len(self.sampled), self.general.shape[1]
        terms = self._array(layout.SAMPLE_TERMS, np.int32, 1, within(0, n_terms))
        starts = self._array(layout.SAMPLE_STARTS, np.int64, 1, bounds(n_sampled, len(terms)))
        read = self._array(layout.SAMPLE_GENERAL, np.float32, 2, finite)
        if len(read) > n_sampled or (len(read) and read.shape[1] != length):
            raise DamagedIndex(f"{self.folder / layout.SAMPLE_GENERAL} has vectors of other documents or lengths")
        return Sample(starts, terms, read)

    @cached_property
    def themes(self) -> SampleThemes:
        """What the sample is about before any name is given."""
        vectors = np.asarray(self.sample.general)
        centres: Floats = self._array(layout.THEMES, np.float32, 2, finite)
        if centres.shape != (n_centres(len(vectors)), vectors.shape[1]):
            raise DamagedIndex(f"{self.folder / layout.THEMES} has themes of other documents")
        return SampleThemes(vectors, centres)

    def derived(self, make: Callable[[Index], Found]) -> Found:
        """What `make` makes of this index: made once, and kept for as long as the index is open."""
        return cast(Found, self._derived[make] if make in self._derived else self._derived.setdefault(make, make(self)))

    @cached_property
    def _derived(self) -> dict[Callable[[Index], Any], Any]:
        return {}

    @cached_property
    def sampled(self) -> Longs:
        """The number of each document of the sample."""
        array: Longs = self._array(layout.SAMPLE_DOCUMENTS, np.int64, 1, within(0, len(self)))
        return array

    @cached_property
    def idf(self) -> Doubles:
        """How much the occurrence of each term says."""
        return inverse_frequency(self.document_frequencies, len(self))

    def term_id(self, name: str) -> int | None:
        """The term that a name is, if it occurs as one."""
        term = self.as_term(name)
        return None if term is None else self.vocabulary.ids.get(term)

    def as_term(self, name: str) -> str | None:
        """How a name would be written as a term; None if no term can look like it."""
        return as_term(name, lowercase=self.settings.text.lowercase, tokenizer=self.tokenizer)

    def encode_names(self, names: list[str]) -> Floats:
        """Vectors of names: a name that is a term has the term's own; (n_names, dimension)."""
        ids = [self.term_id(name) for name in names]
        new = [name for name, term in zip(names, ids, strict=True) if term is None]
        encoded = iter(self._encoded(new)) if new else iter(())
        rows = [next(encoded) if term is None else np.asarray(self.general[term]) for term in ids]
        if any(row.shape != self.general[0].shape for row in rows):
            raise EncoderError(
                "names have vectors of another length than the index's terms; "
                f"open it with the model {self.manifest['model']['name']!r}"
            )
        return np.stack(rows)

    def _encoded(self, texts: list[str]) -> Iterable[Floats]:
        """Vectors of texts that are not terms; the most recent ones are remembered, if they can never change."""
        if self._encoder.fingerprint is None:
            return self.cache.encode_names(self._encoder, texts)
        return self._known_texts.all(texts, lambda new: self.cache.encode_names(self._encoder, new))

    @cached_property
    def _known_texts(self) -> Memory[str, Floats]:
        return Memory(_KNOWN_TEXTS)

    def can_encode(self, text: str) -> bool:
        """Whether a vector of the text can be had: where vectors were ready, they are of some texts only."""
        encoder = self._encoder
        return encoder.knows(text) if isinstance(encoder, ReadyVectors) else True

    @property
    def reads_texts(self) -> bool:
        """Whether vectors of any text can be had."""
        return reads_texts(self._encoder)

    def encode_texts(self, texts: list[str], progress: Progress = silent) -> Floats:
        """Vectors of texts, remembered in the cache; (n_texts, dimension)."""
        return self.cache.encode(self._encoder, texts, available_cores(), progress)

    @cached_property
    def _encoder(self) -> TermEncoder:
        encoder = encoder_for(self._model, precision=self.settings.precision)
        self._check_model(encoder)
        return encoder

    @property
    def _model(self) -> Any:
        """The model as it was given, or the name of the one that the index was made with."""
        made_with = self.manifest["model"]
        if self.model is None and made_with["fingerprint"] is None:
            raise EncoderError(f"the index was made with a {made_with['name']}; open it with the same one as `model`")
        return made_with["name"] if self.model is None else self.model

    def _check_model(self, encoder: TermEncoder) -> None:
        made_with = self.manifest["model"]
        if encoder.fingerprint != made_with["fingerprint"]:
            raise EncoderError(
                f"the index was made with the model {made_with['name']!r}, but this is {encoder.name!r} "
                "or another version of it; use the same model, or build the index again"
            )

    def _array(self, name: str, dtype: type[np.generic], dimensions: int, *checks: Check) -> Any:
        """In memory: if somebody cuts a file off that is mapped, that ends the process."""
        path, data = self._found(name, layout.read_contents)
        return read_array(path, dtype, dimensions, *checks, data=data)

    def _long_array(self, name: str, dtype: type[np.generic], *checks: Check) -> Any:
        """As long as all documents are: where it is large, it stays on disk, and is read in parts."""
        if not self._found(name, lambda place, *_: layout.is_large(place, name))[1]:
            return self._array(name, dtype, 1, *checks)
        path, file = self._found(name, layout.open_contents)
        return read_long_array(path, file, dtype, *checks)

    def _checked(self, name: str) -> Path:
        return self._found(name, layout.check_contents)[0]

    def _found(self, name: str, read: Callable[[Path, str, str, Path], Found]) -> tuple[Path, Found]:
        """Where a file is, and what `read` gives of it."""
        place = layout.place_of(self.folder)
        try:
            return place / name, read(place, name, str(self.manifest["files"][name]["sha256"]), self._remembered)
        except (DamagedIndex, FileNotFoundError) as error:
            if layout.read_manifest(self.folder) != self.manifest:
                raise IndexFailure(f"{self.folder} was updated since it was opened; open it again") from None
            if isinstance(error, FileNotFoundError):  # it was put beside its folder in this moment
                return self._found(name, read)
            raise

    @property
    def _remembered(self) -> Path:
        """Where it is noted that large files were whole."""
        return self.cache.folder / "checked"


def plan(
    documents: Any,
    out: Path,
    *,
    settings: IndexSettings,
    model: Any = None,
    tokenizer: Tokenizer = tokenize,
    document_vectors: Any = None,
    jobs: int | None = None,
    engine: str = "local",
    address: str | None = None,
    device: str = "auto",
    cache: str | Path | None = None,
    memory: str | int | None = None,
    names: Iterable[str] = (),
    progress: Progress = silent,
    warn: Warn = warn,
) -> Build:
    """A build, not yet begun."""
    if device != "auto":
        resolve_device(device)  # a device that is not there is refused before any work
    workers = available_cores() if jobs is None else jobs
    carrier = engine_for(engine, jobs, address)
    encoder = encoder_for(model, device=device, precision=settings.precision)
    allowed = None if memory is None else memory_size(memory)
    means = Means(carrier, workers, device, VectorCache(cache_folder(_as_path(cache))), progress, allowed, warn)
    ready = None if document_vectors is None else ReadyDocuments(np.asarray(document_vectors))
    return Build(documents, layout.resolved(out), settings, encoder, tokenizer, means, ready, tuple(names))


def plan_cached(documents: Any, *, cache: str | Path | None = None, **options: Any) -> Build:
    """A build into the cache folder, under a name that stands for documents, settings and model."""
    somewhere = plan(documents, Path("unnamed"), cache=cache, **options)
    with closing(somewhere.means.engine):  # it looks at the documents, and perhaps nothing is left to build then
        key = somewhere.key
    return replace(somewhere, out=cache_folder(_as_path(cache)) / "indexes" / key[:32], is_shared=True)


def _as_path(given: str | Path | None) -> Path | None:
    return None if given is None else Path(given)
