"""`Index`: everything about a corpus that does not depend on category names, on disk."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, field, fields
from functools import cached_property
from pathlib import Path
from typing import Any, Literal, TypeVar, cast

import numpy as np
from numpy.typing import NDArray

from seetopic.corpus import Keep, OnError, open_documents
from seetopic.errors import DamagedIndex, EncoderError, SettingsError
from seetopic.index import derived, layout
from seetopic.index.build import plan
from seetopic.index.changes import stored_in, update_index
from seetopic.index.columns import Columns
from seetopic.index.files import IndexFiles
from seetopic.index.layout import (
    bounds,
    finite,
    of_length,
    read_words,
    within,
)
from seetopic.index.positions import Texts
from seetopic.index.sample import Sample
from seetopic.index.stages import clear_finished
from seetopic.index.themes import SampleThemes
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
    blocks,
    cache_folder,
    normalized,
    silent,
)
from seetopic.settings import DEFAULT, IndexSettings, index_settings_from
from seetopic.text import Spellings, Tokenizer, Variants, Vocabulary, as_term, tokenize
from seetopic.vectors import (
    EmbeddedEncoder,
    ReadyVectors,
    TermEncoder,
    VectorCache,
    encoder_for,
    is_embedded,
    reads_texts,
    warnings_about_names,
    word_pieces,
)

Found = TypeVar("Found")
_SHOWN = 5  # damaged files named in the message


@dataclass(frozen=True)
class Index:
    """An opened index; its arrays are read, and checked against the manifest, on first use."""

    folder: Path
    manifest: dict[str, Any] = field(repr=False)
    embedding_model: Any = field(default=None, repr=False)  # as for `encoder_for`; None: the one it was built with
    tokenizer: Tokenizer = field(default=tokenize, repr=False)
    cache: VectorCache = field(default_factory=lambda: VectorCache(cache_folder()), repr=False)
    reader: Any = field(default=None, repr=False)  # the same for the model that reads documents, if it is another one

    @classmethod
    def open(
        cls,
        folder: str | Path,
        *,
        embedding_model: Any = None,
        reader: Any = None,
        tokenizer: Tokenizer = tokenize,
        cache: str | Path | None = None,
    ) -> Index:
        """Open an index; raises `IndexFailure` if it is damaged, not an index, or in a different format."""
        path, where = Path(folder), VectorCache(cache_folder(None if cache is None else Path(cache)))
        index = cls(path, layout.read_manifest(path), embedding_model, tokenizer, where, reader)
        index._check_settings()
        if reader is not None and not index.has_reader:
            raise EncoderError(
                f"{path} was built without a reader: its language model has read the documents; "
                "open it without a reader, or build it again with one"
            )
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
        embedding_model: Any = None,
        reader: Any = None,
        tokenizer: Tokenizer = tokenize,
        document_vectors: Any = None,
        text_field: str | None = None,
        on_error: OnError = "raise",
        keep: Keep = (),
        n_jobs: int | None = None,
        engine: str = "local",
        address: str | None = None,
        device: str = "auto",
        cache: str | Path | None = None,
        memory: str | int | None = None,
        overwrite: bool = False,
        progress: Progress = silent,
    ) -> Index:
        """Build an index of documents in the folder `out`, or resume an interrupted build.

        `reader` is another language model, which reads the documents, and the names to sort them by; terms are still
        ranked by `embedding_model`. `document_vectors` has one row per document, from the model that would read them,
        which then does not. `keep` names columns of the input to store beside the documents ("all": all but the
        text); `column` returns them. `engine` is `local` (processes on this machine) or `ray` (the cluster at
        `address`, or a new one). `memory`, such as "4GB", limits how much memory the build may use.
        """
        build = plan(
            open_documents(documents, text_field=text_field, on_error=on_error, keep=keep),
            Path(out),
            settings=settings,
            embedding_model=embedding_model,
            reader=reader,
            tokenizer=tokenizer,
            document_vectors=document_vectors,
            n_jobs=n_jobs,
            engine=engine,
            address=address,
            device=device,
            cache=cache,
            memory=memory,
            progress=progress,
        )
        build.run(overwrite=overwrite)
        return cls.open(out, embedding_model=embedding_model, reader=reader, tokenizer=tokenizer, cache=cache)

    @property
    def parts(self) -> tuple[Part, ...]:
        """The parts of the corpus: the documents of the first build, and those of each update."""
        return parts_of(self.manifest["corpus"])

    @property
    def models(self) -> dict[str, dict[str, Any]]:
        """The name and fingerprint of the language model and, if it is another one, of the `reader`."""
        return {kind: self.manifest[kind] for kind in ("model", "reader") if kind in self.manifest}

    def warnings_about(self, names: Iterable[str]) -> list[str]:
        """A warning if the index's language model cannot read most of the names."""
        if not any(is_embedded(model["fingerprint"]) for model in self.models.values()):
            return []
        return warnings_about_names(tuple(names), self.manifest["corpus"]["warnings"])

    def update(
        self,
        add: Any = None,
        remove: Iterable[int | str] = (),
        *,
        again: bool = False,
        document_vectors: Any = None,
        text_field: str | None = None,
        on_error: OnError = "raise",
        n_jobs: int | None = None,
        engine: str = "local",
        address: str | None = None,
        device: str = "auto",
        memory: str | int | None = None,
        progress: Progress = silent,
    ) -> Index:
        """Add documents as a new part, remove parts, or both; returns the updated index.

        A list of `Documents` is added as several parts. Parts to remove are given by name or by number, counted from 1.
        The updated index replaces this one once it is complete. An interrupted update resumes when it is repeated; if
        it had already finished, the index stays as it is. An index that was built with `document_vectors` needs one row
        for every document of the updated index, in order. `engine` and `memory` are as for `build`.
        """
        reading: dict[str, Any] = {"text_field": text_field, "on_error": on_error, "document_vectors": document_vectors}
        resources = {"n_jobs": n_jobs, "engine": engine, "address": address, "device": device, "memory": memory}
        with self.updating(add, remove, again=again, **reading, **resources, progress=progress) as updated:
            return updated

    @contextmanager
    def updating(self, add: Any = None, remove: Iterable[int | str] = (), **options: Any) -> Iterator[Index]:
        """Like `update`, but the update counts as reported only when the block ends.

        If the process is killed before that, repeating the same update leaves the index as it is.
        """
        update_index(self, add, remove, **options)
        updated = self._opened_again()
        yield updated
        forget_update(layout.resolved(self.folder), updated.manifest["key"])

    def verify(self) -> None:
        """Read every file to its end and check it; raises `DamagedIndex`, which names the damaged files.

        Otherwise, large files are checked only once and then trusted for as long as they look unchanged.
        """
        fresh = self._opened_again()
        damaged = fresh.files.damaged()
        if damaged and layout.read_manifest(self.folder) != fresh.manifest:
            return self.verify()  # the index was replaced in the meantime
        if damaged:
            shown = ", ".join(damaged[:_SHOWN]) + (f" and {len(damaged) - _SHOWN} more" if damaged[_SHOWN:] else "")
            raise DamagedIndex(
                f"{self.folder} is damaged: {shown}; build the index again, or restore these files from a backup"
            )
        fresh._everything()  # intact files may still not belong together: an index may come from anywhere
        return None

    def _opened_again(self) -> Index:
        models = {"embedding_model": self.embedding_model, "reader": self.reader}
        return self.open(self.folder, **models, tokenizer=self.tokenizer, cache=self.cache.folder)

    def _everything(self) -> tuple[object, ...]:
        """Everything that is stored; each file is checked against the others as it is read."""
        self.columns.check()
        for array in (self.posting_documents, self._documents, self.texts.places):
            deque(blocks(array), 0)  # a long one is checked as it is read
        return stored_in(self), self.local, self.variants, self.themes, self.neighbours

    def __getstate__(self) -> dict[str, Any]:
        """The state to pickle: the fields, without the arrays that were read so far."""
        return {each.name: getattr(self, each.name) for each in fields(self)}

    def __len__(self) -> int:
        """The number of documents."""
        return len(self._starts) - 1

    @cached_property
    def files(self) -> IndexFiles:
        """Its files; a cached property, because it keeps the arrays that were read."""
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
        """The settings in the manifest; refuses any that this version does not know."""
        try:
            return index_settings_from(self.manifest["settings"])
        except (KeyError, TypeError, SettingsError) as error:
            raise DamagedIndex(
                f"{self.folder / layout.MANIFEST} contains invalid settings ({error}); build the index again"
            ) from error

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
        """The documents that contain each term, term by term."""
        checks = of_length(self.posting_starts[-1]), within(0, len(self))
        array: Ids = self.files.long_array(layout.POSTINGS[1], np.int32, *checks)
        return array

    @property
    def positions(self) -> tuple[Ids, Ids]:
        """The term ids of all documents, concatenated, and the document number of each."""
        numbers = np.repeat(np.arange(len(self), dtype=np.int32), np.diff(self._starts))
        return np.asarray(self._documents), numbers

    def terms_of(self, documents: Longs) -> Ids:
        """The term ids of some documents, concatenated."""
        bounds = zip(self._starts[documents].tolist(), self._starts[documents + 1].tolist(), strict=True)
        return np.concatenate([np.empty(0, np.int32), *(self._documents[first:last] for first, last in bounds)])

    @property
    def _documents(self) -> Ids:
        checks = of_length(self._starts[-1]), within(0, len(self.vocabulary))
        array: Ids = self.files.long_array(layout.DOCUMENTS, np.int32, *checks)
        return array

    def has_words(self, term: str) -> bool:
        """Whether all words of a term, or the term as a single word, occur in the documents."""
        known = self._known_words
        return term in known or all(word in known for word in term.split(" "))

    @property
    def _known_words(self) -> frozenset[str]:
        return self.derived(derived.make_known_words)

    @property
    def texts(self) -> Texts:
        """The documents as sequences of all their words."""
        return self.derived(derived.make_texts)

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
        """Which terms are variants of each other."""
        return self.derived(derived.make_variants)

    @property
    def _spellings(self) -> Spellings:
        return self.derived(derived.make_spellings)

    @cached_property
    def sample(self) -> Sample:
        """The sampled documents, beginning with those that the language model has read."""
        n_terms, n_sampled = len(self.vocabulary), len(self.sampled)
        terms = self.files.array(layout.SAMPLE_TERMS, np.int32, 1, within(0, n_terms))
        starts = self.files.array(layout.SAMPLE_STARTS, np.int64, 1, bounds(n_sampled, len(terms)))
        read = self.files.array(layout.SAMPLE_GENERAL, np.float32, 2, finite)
        if len(read) > n_sampled or (len(read) and read.shape[1] != self.general.shape[1] and not self.has_reader):
            raise DamagedIndex(
                f"{self.folder / layout.SAMPLE_GENERAL} has vectors that do not match the index; build it again"
            )
        return Sample(starts, terms, read)

    @property
    def themes(self) -> SampleThemes:
        """What the sample is about, independently of any names."""
        return self.derived(derived.make_themes)

    @property
    def neighbours(self) -> Ids:
        """The nearest other ones of each document that was read, nearest first; (n_read, n_neighbours)."""
        return self.derived(derived.make_neighbours)

    def derived(self, make: Callable[[Index], Found]) -> Found:
        """The result of `make(self)`, computed once and kept for as long as the index is open."""
        derived = self._derived  # another thread may release it
        return cast(Found, derived[make] if make in derived else derived.setdefault(make, make(self)))

    @contextmanager
    def reading_ahead(self) -> Iterator[None]:
        """Meanwhile, another thread reads and computes what every discovery needs, whatever the names.

        If that fails, it fails again, and is reported, where it is needed.
        """
        with ThreadPoolExecutor(1) as pool:
            pool.submit(self._read_ahead)
            yield

    def _read_ahead(self) -> tuple[object, ...]:
        arrays = self.general, self.vocabulary.ids, self.variants, self.idf
        likeness = self.themes.likeness if self.themes.grains else None
        model = self._encoder.load() if isinstance(self._encoder, EmbeddedEncoder) else None
        return arrays, likeness, model, self.local  # last: the caller can read it at the same time as the others

    def release(self) -> None:
        """Free what was read and computed so far; it is read and computed again when it is needed."""
        for name in ("files", "vocabulary", "sample", "_derived"):
            vars(self).pop(name, None)

    @cached_property
    def _derived(self) -> dict[Callable[[Index], Any], Any]:
        return {}

    @property
    def sampled(self) -> Longs:
        """The document numbers of the sample."""
        array: Longs = self.files.array(layout.SAMPLE_DOCUMENTS, np.int64, 1, within(0, len(self)))
        return array

    @property
    def idf(self) -> Doubles:
        """The inverse document frequency of each term."""
        return self.derived(derived.make_idf)

    @property
    def column_names(self) -> tuple[str, ...]:
        """The names of the columns that are kept beside the documents."""
        return self.columns.names

    def column(self, name: str) -> NDArray[np.object_]:
        """A kept column: for each document a text, a number, True, False or None; (n_documents,)."""
        return self.columns.column(name)

    @property
    def columns(self) -> Columns:
        """The columns that are kept beside the documents."""
        return self.derived(derived.make_columns)

    def term_id(self, name: str) -> int | None:
        """The id of the term that equals a name, or None."""
        term = self.as_term(name)
        return None if term is None else self.vocabulary.ids.get(term)

    def as_term(self, name: str) -> str | None:
        """A name in the form of a term; None if it cannot be one."""
        return as_term(name, lowercase=self.settings.text.lowercase, tokenizer=self.tokenizer)

    def encode_names(self, names: list[str]) -> Floats:
        """Vectors of names; a name that is a term has the term's vector; (n_names, dimension)."""
        ids = [self.term_id(name) for name in names]
        new = [name for name, term in zip(names, ids, strict=True) if term is None]
        encoded = iter(self._encoded(new, self._encoder, self._known_texts)) if new else iter(())
        rows = [next(encoded) if term is None else np.asarray(self.general[term]) for term in ids]
        if any(row.shape != self.general[0].shape for row in rows):
            raise EncoderError(
                "the vectors of the names and of the index's terms have different lengths; "
                f"open the index with the model {self.manifest['model']['name']!r}"
            )
        return np.stack(rows)

    def _encoded(self, texts: list[str], encoder: TermEncoder, known: LRU[str, Floats]) -> Iterable[Floats]:
        """Vectors of texts; recent ones are known if the model has a fingerprint."""
        if encoder.fingerprint is None:
            return self.cache.encode_names(encoder, texts)
        return known.all(texts, lambda new: self.cache.encode_names(encoder, new))

    @property
    def has_reader(self) -> bool:
        """Whether another model than that of the terms reads documents, and names when documents are sorted by them.

        Vectors of the two cannot be compared, and may have different lengths.
        """
        return "reader" in self.manifest

    def read_names(self, names: list[str]) -> Floats:
        """Vectors of names that can be compared with those of documents; (n_names, dimension)."""
        if not self.has_reader:
            return self.encode_names(names)
        return np.stack([*self._encoded(names, self._reader, self._read_before)])

    def read_terms(self, terms: list[int]) -> Floats:
        """Vectors of terms that can be compared with those of documents; (n_terms, dimension)."""
        if not self.has_reader:
            return np.asarray(self.general[terms])
        if not terms:
            return self.sample.general[:0]
        return self.read_names([self.vocabulary.terms[term] for term in terms])

    def read_means(self, groups: list[list[int]]) -> Floats:
        """What the terms of each group have in common, as unit rows that can be compared with documents' vectors."""
        if self.has_reader:  # one text is read much faster than each of its terms
            return self.read_names([", ".join(self.vocabulary.terms[term] for term in group) for group in groups])
        return normalized(np.stack([np.asarray(self.general[group]).mean(axis=0) for group in groups]))

    def read_texts(self, texts: list[str], progress: Progress = silent) -> Floats:
        """Vectors of texts as documents, kept in the cache; (n_texts, dimension)."""
        return self.cache.encode(self._reader, texts, available_cores(), progress)

    @property
    def _known_texts(self) -> LRU[str, Floats]:
        return self.derived(derived.make_known_texts)

    @property
    def _read_before(self) -> LRU[str, Floats]:
        return self.derived(derived.make_read_before)

    def can_encode(self, text: str) -> bool:
        """Whether the text has a vector: precomputed vectors cover only some texts."""
        encoder = self._encoder
        return encoder.knows(text) if isinstance(encoder, ReadyVectors) else True

    def pieces(self, texts: Sequence[str]) -> list[list[int]]:
        """The pieces that the model of the terms splits texts into."""
        return word_pieces(self._encoder, texts)

    @property
    def reads_texts(self) -> bool:
        """Whether any text can be read, not only those with a precomputed vector."""
        return reads_texts(self._reader)

    def encode_texts(self, texts: list[str], progress: Progress = silent) -> Floats:
        """Vectors of texts, kept in the cache; (n_texts, dimension)."""
        return self.cache.encode(self._encoder, texts, available_cores(), progress)

    @cached_property
    def _encoder(self) -> TermEncoder:
        encoder = encoder_for(self.model_or_name, precision=self.settings.precision)
        self.check_model(encoder)
        return encoder

    @cached_property
    def _reader(self) -> TermEncoder:
        """The model that reads documents."""
        if not self.has_reader:
            return self._encoder
        encoder = encoder_for(self.reader_or_name, precision=self.settings.precision)
        self.check_model(encoder, "reader")
        return encoder

    @property
    def model_or_name(self) -> Any:
        """The model as passed by the caller, or the name of the one that the index was built with."""
        return self._passed_or_name(self.embedding_model, "model", "embedding_model")

    @property
    def reader_or_name(self) -> Any:
        """The same for the reader; None if there is none."""
        return self._passed_or_name(self.reader, "reader", "reader") if self.has_reader else None

    def _passed_or_name(self, passed: Any, kind: str, parameter: str) -> Any:
        made_with = self.manifest[kind]
        if passed is None and made_with["fingerprint"] is None:
            raise EncoderError(
                f"the index was built with {made_with['name']!r}; pass the same model as `{parameter}` to open it"
            )
        return made_with["name"] if passed is None else passed

    def check_model(self, encoder: TermEncoder, kind: Literal["model", "reader"] = "model") -> None:
        """Refuse a language model other than the one that the index was built with."""
        made_with = self.manifest[kind]
        if encoder.fingerprint != made_with["fingerprint"]:
            raise EncoderError(
                f"the index was built with the {kind} {made_with['name']!r}, but {encoder.name!r} is a "
                "different model, or a different version of it; use the same model, or build the index again"
            )


def require_index(value: Any) -> None:
    """Refuse documents, and the name of a folder, where an index is meant."""
    if not isinstance(value, Index):
        raise SettingsError(
            f"`index` is a {type(value).__name__}, but must be an Index; build one with "
            "Index.build(documents, folder), open one with Index.open(folder), or use SeeTopic(names).fit(documents)"
        )
