"""An index: everything of a corpus that does not depend on category names, on disk."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, fields
from functools import cached_property
from pathlib import Path
from typing import Any, TypeVar, cast

import numpy as np

from seetopic.corpus import OnError, open_documents
from seetopic.errors import DamagedIndex, EncoderError, SettingsError
from seetopic.index import layout
from seetopic.index.build import plan
from seetopic.index.changes import stored_in, update_index
from seetopic.index.files import IndexFiles
from seetopic.index.layout import (
    bounds,
    finite,
    of_length,
    read_words,
    within,
)
from seetopic.index.positions import Texts
from seetopic.index.sample import Sample, inverse_frequency
from seetopic.index.stages import clear_finished
from seetopic.index.themes import SampleThemes, n_centres
from seetopic.index.update import (
    Part,
    forget_update,
    parts_of,
)
from seetopic.runtime import (
    LRU,
    Doubles,
    Floats,
    Ids,
    Longs,
    Progress,
    available_cores,
    silent,
)
from seetopic.settings import DEFAULT, IndexSettings, index_settings_from
from seetopic.text import Spellings, Tokenizer, Variants, Vocabulary, as_term, spellings_of, tokenize
from seetopic.vectors import (
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
        path, where = Path(folder), VectorCache(cache_folder(None if cache is None else Path(cache)))
        index = cls(path, layout.read_manifest(path), model, tokenizer, where)
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
        reading: dict[str, Any] = {"text_field": text_field, "on_error": on_error}
        resources = {"jobs": jobs, "engine": engine, "address": address, "device": device, "memory": memory}
        with self.updating(add, remove, again=again, **reading, **resources, progress=progress) as updated:
            return updated

    @contextmanager
    def updating(self, add: Any = None, remove: Iterable[int | str] = (), **options: Any) -> Iterator[Index]:
        """Like `update`, but the update counts as reported only when the block ends.

        If the process is killed before that, the same update asked for again leaves the index as it is.
        """
        update_index(self, add, remove, **options)
        updated = self.open(self.folder, model=self.model, tokenizer=self.tokenizer, cache=self.cache.folder)
        yield updated
        forget_update(layout.resolved(self.folder), updated.manifest["key"])

    def verify(self) -> None:
        """Read every file to its end, and check it; `DamagedIndex` names those that are damaged, and says what to do.

        Large files are otherwise read to their end only once: they are trusted as long as they look unchanged.
        """
        fresh = self.open(self.folder, model=self.model, tokenizer=self.tokenizer, cache=self.cache.folder)
        damaged = fresh.files.damaged()
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
        return stored_in(self), self.local, self.variants, self.themes, self.posting_documents, self._documents

    def __getstate__(self) -> dict[str, Any]:
        """It is pickled as what opens it, without the arrays that were read so far."""
        return {each.name: getattr(self, each.name) for each in fields(self)}

    def __len__(self) -> int:
        """How many documents it has."""
        return len(self._starts) - 1

    @cached_property
    def files(self) -> IndexFiles:
        """Its files; cached, because it keeps the arrays that were read."""
        return IndexFiles(self.folder, self.manifest, self.cache.folder / "checked")

    @property
    def _starts(self) -> Longs:
        """Where each document's terms start, and where the last ones end."""
        array: Longs = self.files.array(layout.DOCUMENT_STARTS, np.int64, 1, bounds())
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
        terms = read_words(self.files.path(layout.TERMS))
        return Vocabulary(terms, self.files.array(layout.TERM_COUNTS, np.int64, 1, of_length(len(terms))))

    @property
    def document_frequencies(self) -> Longs:
        """In how many documents each term occurs."""
        return np.diff(self.posting_starts)

    @property
    def posting_starts(self) -> Longs:
        """Where the documents of each term start in `posting_documents`, and where the last ones end."""
        array: Longs = self.files.array(layout.POSTINGS[0], np.int64, 1, bounds(len(self.vocabulary)))
        return array

    @property
    def posting_documents(self) -> Ids:
        """The documents that hold each term, term by term."""
        checks = of_length(self.posting_starts[-1]), within(0, len(self))
        array: Ids = self.files.long_array(layout.POSTINGS[1], np.int32, *checks)
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

    @property
    def _documents(self) -> Ids:
        checks = of_length(self._starts[-1]), within(0, len(self.vocabulary))
        array: Ids = self.files.long_array(layout.DOCUMENTS, np.int32, *checks)
        return array

    def has_words(self, term: str) -> bool:
        """Whether all words of a term, or itself as one word, occur in the documents."""
        known = self._known_words
        return term in known or all(word in known for word in term.split(" "))

    @property
    def _known_words(self) -> frozenset[str]:
        return self.derived(_make_known_words)

    @property
    def texts(self) -> Texts:
        """The documents as all their words."""
        return self.derived(_make_texts)

    @property
    def general(self) -> Floats:
        """Language-model vectors of the terms, unit rows; (n_terms, dimension)."""
        array: Floats = self.files.array(layout.GENERAL, np.float32, 2, of_length(len(self.vocabulary)), finite)
        return array

    @property
    def local(self) -> Floats:
        """Local vectors of the terms, unit rows; (n_terms, rank)."""
        array: Floats = self.files.array(layout.LOCAL, np.float32, 2, of_length(len(self.vocabulary)), finite)
        return array

    @property
    def variants(self) -> Variants:
        """Which terms are variants of one."""
        return self.derived(_make_variants)

    @property
    def _spellings(self) -> Spellings:
        return self.derived(_make_spellings)

    @cached_property
    def sample(self) -> Sample:
        """Documents that the language model read, and more."""
        n_terms, n_sampled, length = len(self.vocabulary), len(self.sampled), self.general.shape[1]
        terms = self.files.array(layout.SAMPLE_TERMS, np.int32, 1, within(0, n_terms))
        starts = self.files.array(layout.SAMPLE_STARTS, np.int64, 1, bounds(n_sampled, len(terms)))
        read = self.files.array(layout.SAMPLE_GENERAL, np.float32, 2, finite)
        if len(read) > n_sampled or (len(read) and read.shape[1] != length):
            raise DamagedIndex(f"{self.folder / layout.SAMPLE_GENERAL} has vectors of other documents or lengths")
        return Sample(starts, terms, read)

    @property
    def themes(self) -> SampleThemes:
        """What the sample is about before any name is given."""
        return self.derived(_make_themes)

    def derived(self, make: Callable[[Index], Found]) -> Found:
        """What `make` makes of this index: made once, and kept for as long as the index is open."""
        return cast(Found, self._derived[make] if make in self._derived else self._derived.setdefault(make, make(self)))

    @cached_property
    def _derived(self) -> dict[Callable[[Index], Any], Any]:
        return {}

    @property
    def sampled(self) -> Longs:
        """The number of each document of the sample."""
        array: Longs = self.files.array(layout.SAMPLE_DOCUMENTS, np.int64, 1, within(0, len(self)))
        return array

    @property
    def idf(self) -> Doubles:
        """How much the occurrence of each term says."""
        return self.derived(_make_idf)

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

    @property
    def _known_texts(self) -> LRU[str, Floats]:
        return self.derived(_make_known_texts)

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
        encoder = encoder_for(self.model_or_name, precision=self.settings.precision)
        self.check_model(encoder)
        return encoder

    @property
    def model_or_name(self) -> Any:
        """The model as it was given, or the name of the one that the index was made with."""
        made_with = self.manifest["model"]
        if self.model is None and made_with["fingerprint"] is None:
            raise EncoderError(f"the index was made with a {made_with['name']}; open it with the same one as `model`")
        return made_with["name"] if self.model is None else self.model

    def check_model(self, encoder: TermEncoder) -> None:
        """Refuse a language model other than the one that the index was built with."""
        made_with = self.manifest["model"]
        if encoder.fingerprint != made_with["fingerprint"]:
            raise EncoderError(
                f"the index was made with the model {made_with['name']!r}, but this is {encoder.name!r} "
                "or another version of it; use the same model, or build the index again"
            )


def _make_words(index: Index) -> tuple[str, ...]:
    return read_words(index.files.path(layout.WORDS))


def _make_known_words(index: Index) -> frozenset[str]:
    return frozenset(index.derived(_make_words))


def _make_texts(index: Index) -> Texts:
    words = index.derived(_make_words)
    places = index.files.long_array(layout.TEXTS, np.int32, within(-1, len(words)))
    return Texts(words, places, index.files.array(layout.TEXT_STARTS, np.int64, 1, bounds(len(index), len(places))))


def _make_variants(index: Index) -> Variants:
    n_terms = len(index.vocabulary)
    return Variants(index.files.array(layout.VARIANTS, np.int64, 1, of_length(n_terms), within(0, n_terms)))


def _make_spellings(index: Index) -> Spellings:
    return spellings_of(index.vocabulary.terms)


def _make_themes(index: Index) -> SampleThemes:
    vectors = np.asarray(index.sample.general)
    centres: Floats = index.files.array(layout.THEMES, np.float32, 2, finite)
    if centres.shape != (n_centres(len(vectors)), vectors.shape[1]):
        raise DamagedIndex(f"{index.folder / layout.THEMES} has themes of other documents")
    return SampleThemes(vectors, centres)


def _make_idf(index: Index) -> Doubles:
    return inverse_frequency(index.document_frequencies, len(index))


def _make_known_texts(_: Index) -> LRU[str, Floats]:
    return LRU(_KNOWN_TEXTS)
