"""`SeeTopic`: names and documents in, topics out, as scikit-learn users expect."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from numbers import Integral
from pathlib import Path
from typing import TYPE_CHECKING, Any, SupportsIndex

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.exceptions import NotFittedError

from seetopic.classify import AssignOptions, DocumentStream, Placement, Sorter
from seetopic.corpus import (
    Documents,
    Judgement,
    Judgements,
    OnError,
    Seeds,
    as_judgements,
    joined,
    open_documents,
)
from seetopic.discovery import (
    About,
    Discovery,
    Question,
    Residual,
    TeachingReport,
    Topics,
    ask,
    encode_names,
    expanded,
    run_of,
    suggest_below,
    suggest_beside,
    teaching_report,
    tree_of,
)
from seetopic.errors import SeeTopicError, SettingsError
from seetopic.estimator import fitting, saving
from seetopic.estimator.plots import Pictures
from seetopic.estimator.shares import Shares
from seetopic.estimator.tables import ModelTables
from seetopic.estimator.temporary import build_temporary, update_temporary
from seetopic.estimator.vectors import Ready, document_rows, model_for, name_vectors
from seetopic.index import Index
from seetopic.runtime import Doubles, Longs, Progress, available_cores, silent
from seetopic.settings import Settings
from seetopic.text import Tokenizer, tokenize

if TYPE_CHECKING:
    from typing import Self


class NotFitted(SeeTopicError, NotFittedError):  # type: ignore[misc] # scikit-learn has no type hints
    """The model was used before it was fitted."""


class SeeTopic(Pictures, ModelTables, Shares, TransformerMixin, BaseEstimator):  # type: ignore[misc]
    """Finds topics for category names in documents; a scikit-learn estimator.

        model = SeeTopic(["books", "health & personal care"]).fit(texts)
        model.topics_               # the terms of each category, with scores; prints as a table
        model.transform(texts)      # how much each document belongs to each category
        model.predict(texts)        # the number of its category, or -1

    `fit` builds an index of the documents in a temporary folder (set TMPDIR to choose where), which is removed when no
    model uses it any more; the same documents, settings and random state always give the same results. To keep the
    index, `save` the model, or build an `Index` yourself and fit on that. Vectors of terms are kept in `cache`. A
    pickled model contains its index and its documents; `save` stores the same without pickle.

    Parameters, which are stored as they are given and checked by `fit`:

    - `seeds`: a list of names, a dict of categories to their names, a `Seeds`, or a `pathlib.Path` to a file.
      `seed_topic_list` is an alias.
    - `embedding_model`: a folder or Hugging Face name, a sentence-transformers model, or a function from texts to
      vectors; None is the embedded model, or no model if `term_embeddings` are given.
    - `reader`: another language model, which reads the documents, and the names to sort them by; terms are still ranked
      by `embedding_model`. None is the same model.
    - `preset`: "default", "paper", "released-code", "no-iter", or a complete `Settings` of your own.
    - `top` (terms per topic), `min_count`, `language`, `random_state`: None keeps the preset's value.
    - `tokenizer`: a function from a text to its words; None is the default tokenizer.
    - `text_field`, `on_error`: how files and tables are read, as for `Index.build`.
    - `read_documents`: whether the language model reads the documents to sort, which is more accurate but slower.
    - `threshold`: the smallest share at which `predict` assigns a category.
    - `n_jobs` (None and -1 mean all cores, -2 all but one), `device`, `cache`, `verbose`: how it is computed; they
      change no result.

    Fitted attributes: `topics_` (a `Topics`), `index_`, `sorter_`, and `seeds_`, the names as they were parsed.
    """

    topics_: Topics
    index_: Index
    seeds_: Seeds
    _given: fitting.FittedOn
    _learned: fitting.Learned

    if TYPE_CHECKING:  # from scikit-learn, which has no type hints

        def get_params(self, deep: bool = True) -> dict[str, Any]:
            """The parameters by name."""

        def set_output(self, *, transform: str | None = None) -> Self:
            """Choose whether `transform` returns an array or a pandas or polars table."""

    def __init__(
        self,
        seeds: Any = None,
        *,
        seed_topic_list: Any = None,
        embedding_model: Any = None,
        reader: Any = None,
        preset: str | Settings = "default",
        top: int | None = None,
        min_count: int | None = None,
        language: str | None = None,
        random_state: int | None = None,
        tokenizer: Tokenizer | None = None,
        text_field: str | None = None,
        on_error: OnError = "raise",
        read_documents: bool = False,
        threshold: float = 0.0,
        n_jobs: int | None = None,
        device: str = "auto",
        cache: str | Path | None = None,
        verbose: bool = False,
    ) -> None:
        self.seeds = fitting.one_of(seeds, seed_topic_list)
        self.embedding_model = embedding_model
        self.reader = reader
        self.preset = preset
        self.top = top
        self.min_count = min_count
        self.language = language
        self.random_state = random_state
        self.tokenizer = tokenizer
        self.text_field = text_field
        self.on_error = on_error
        self.read_documents = read_documents
        self.threshold = threshold
        self.n_jobs = n_jobs
        self.device = device
        self.cache = cache
        self.verbose = verbose

    @classmethod
    def _get_param_names(cls) -> list[str]:
        """scikit-learn's parameters; an alias is not one of its own."""
        return [name for name in super()._get_param_names() if name != "seed_topic_list"]

    def set_params(self, **params: Any) -> Self:
        """Change parameters by name; `seed_topic_list` is an alias of `seeds`."""
        if "seed_topic_list" in params:
            params["seeds"] = fitting.one_of(params.get("seeds"), params.pop("seed_topic_list"))
        super().set_params(**params)
        return self

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.string = True
        tags.input_tags.two_d_array = False
        return tags

    # Fitting

    def fit(
        self,
        X: Any,
        y: Any = None,
        *,
        term_embeddings: Any = None,
        seed_embeddings: Any = None,
        document_embeddings: Any = None,
        columns: Any = None,
    ) -> Self:
        """Find topics in documents: strings (a list, or a pandas or polars column), a path, or an `Index`.

        `columns` are stored with the documents in `index_`: a mapping of names to one value per document, or a table,
        if the documents are strings; names of columns if they are a file or a table.

        Precomputed vectors are used as they are and never changed. `term_embeddings` maps terms to vectors,
        `seed_embeddings` maps names to vectors or is an array with one row per name, and `document_embeddings` is an
        array with one row per document; all must come from the same language model, except that those of documents come
        from the `reader`, if there is one. Terms that are missing from the mapping are encoded by `embedding_model`, if
        it is set. `y` is ignored; it exists for compatibility with scikit-learn. Judgements that the model was taught
        are forgotten, as is everything that it learned before; a `clone` has none, either.
        """
        seeds = fitting.seeds_from(self.seeds)
        settings = self._settings()
        names = name_vectors(seeds, seed_embeddings)
        index = fitting.ready_index(X, self.embedding_model, self.reader, self.tokenizer, self.cache)
        if index is None:
            documents = self._documents(X, columns)
            rows = document_rows(documents, document_embeddings)
            return self._fit_documents(documents, seeds, settings, Ready(term_embeddings, names, rows))
        if columns is not None:
            raise SettingsError("an index has its columns already; pass `keep` to Index.build")
        if term_embeddings is not None or document_embeddings is not None:
            raise SettingsError(
                "an index already has its vectors; to use your own, pass the term and document vectors to Index.build "
                "as `model` and `document_vectors`"
            )
        fitting.say_unused(index, self.min_count, self.language, self.random_state)
        ready = Ready(names=names)
        fitting.say_unreadable(index, seeds, ready)
        return self._learn(index, seeds, settings, fitting.FittedOn(ready=ready))

    def partial_fit(
        self,
        X: Any,
        y: Any = None,
        *,
        term_embeddings: Any = None,
        document_embeddings: Any = None,
        columns: Any = None,
    ) -> Self:
        """Fit on the earlier documents and these together, with the same names under the same numbers.

        Adds the documents to a copy of the index with `Index.update`, so the earlier ones are not read again, and the
        result is exactly that of one `fit` on all of them. The index keeps the settings it was built with. An `Index`
        that the model was fitted on is not changed. `term_embeddings` have vectors of the new terms; known terms keep
        theirs. A model that is not fitted yet is fitted.
        """
        if not hasattr(self, "index_"):
            given = {"document_embeddings": document_embeddings, "columns": columns}
            return self.fit(X, y, term_embeddings=term_embeddings, **given)
        index, new, before = self.index_, self._documents(X, columns), self._given
        fitting.refuse_other_columns(index.column_names, new)
        ready, model = before.ready, index.embedding_model
        if (ready.documents is None) != (document_embeddings is None):
            raise SettingsError(
                "`document_embeddings` must be given for all documents or for none, in `fit` and in `partial_fit`"
            )
        if document_embeddings is not None:
            rows = document_rows(new, document_embeddings)
            ready = replace(ready, documents=np.concatenate([ready.documents, rows]))
        if term_embeddings is not None:
            ready = replace(ready, terms=term_embeddings)
            model = model_for(self.embedding_model, self.reader, ready, self.seeds_, index.settings, self.device)
        fitting.say_unused(index, self.min_count, self.language, self.random_state)
        options: dict[str, Any] = {"document_vectors": ready.documents, "n_jobs": self._jobs(), "device": self.device}
        with self._progress() as progress:
            index = update_temporary(index, new, model, progress=progress, **options)
        fitting.say_unreadable(index, self.seeds_, ready)
        documents = None if before.documents is None else joined(before.documents, new)
        return self._learn(index, self.seeds_, self._settings(), fitting.FittedOn(documents, ready, before.judgements))

    def with_seeds(self, seeds: Any, *, seed_embeddings: Any = None) -> Self:
        """A new model with other names, fitted on the same documents; takes about a second.

        A name that was given a vector keeps it, unless another one is given.
        """
        asked = fitting.seeds_from(seeds)
        before = self._checked()._given
        kept = {name: vector for name, vector in before.ready.names.items() if name in asked.names}
        names = {**kept, **name_vectors(asked, seed_embeddings)}
        params = {**self.get_params(deep=False), "seeds": seeds}
        ready = Ready(before.ready.terms, names, before.ready.documents)
        given = fitting.FittedOn(before.documents, ready, before.judgements)
        if asked.all_names != self.seeds_.all_names:  # `accept` and `reject` change no names
            fitting.say_unreadable(self.index_, asked, given.ready)
        return type(self)(**params)._learn(self.index_, asked, self._settings(), given)

    def teach(self, judgements: Any) -> Self:
        """A new fitted model that also learns from these judgements of terms and documents.

            model.teach([{"category": "sports", "document": 17, "belongs": True}])

        Judgements are a path to a file with one JSON object per line, or one or several dicts or `Judgement`s:
        `category` (None: none of the categories), `term` or `document` (its number in the index, or its text), and
        `belongs`. Their order does not matter.
        """
        before = self._checked()._given
        return self._taught(before.judgements.plus(as_judgements(judgements)))

    def forget(self, judgement: Any) -> Self:
        """A new fitted model, as if this judgement had never been made."""
        known = self._checked()._given.judgements
        for each in as_judgements(judgement):
            known = known.without(each)
        return self._taught(known)

    @property
    def judgements_(self) -> tuple[Judgement, ...]:
        """The judgements that the model has learned from."""
        return self._checked()._given.judgements.judgements

    def ask(self, n: int = 20, *, about: About = "both") -> list[Question]:
        """The questions whose answers would help most, each with its reason; `teach` the model the answers."""
        return ask(self._run(), n, about)

    def teaching_report(self) -> TeachingReport:
        """How well judgements predict each other, what they contradict, and whether more of them would help."""
        return teaching_report(self._run())

    def _run(self) -> Discovery:
        given = self._checked()._given
        return fitting.learn(self.index_, self.seeds_, self._settings(), self.device, silent, given)

    def _taught(self, judgements: Judgements) -> Self:
        given = replace(self._given, judgements=judgements)
        params = self.get_params(deep=False)
        return type(self)(**params)._learn(self.index_, self.seeds_, self._settings(), given)

    def suggest(self, number: int = 10, *, below: str | None = None) -> tuple[Residual, ...]:
        """Suggest names for themes of the documents that the names do not cover.

        In a tree of names, `below` is the name or path of a parent: what it holds that none of its children names.
        """
        index, settings, ready = self._checked().index_, self._settings().discovery, self._given.ready.names
        if below is not None:
            return suggest_below(run_of(index, self.seeds_, settings, name_vectors=ready), number, below)
        asked = expanded(self.seeds_, index.vocabulary.terms)
        names = encode_names(index, asked, ready).spoken
        return suggest_beside(index, names, number, settings, seeds=asked)

    def accept(self, topic: int | str, terms: str | Sequence[str]) -> Self:
        """A new fitted model in which these terms come first in a topic, given by its number or name."""
        return self.with_seeds(fitting.accepted(self._checked().seeds_, topic, fitting.listed_terms(terms)))

    def reject(self, topic: int | str, terms: str | Sequence[str]) -> Self:
        """A new fitted model in which a topic contains neither these terms nor their inflections.

        A name of the topic can be rejected, too: it then only gives the meaning.
        """
        return self.with_seeds(fitting.rejected(self._checked().seeds_, topic, fitting.listed_terms(terms)))

    # Sorting documents

    def fit_transform(self, X: Any, y: Any = None, *, document_embeddings: Any = None, **options: Any) -> Doubles:
        """`fit`, with the same parameters, then `transform` of the same documents."""
        self.fit(X, y, document_embeddings=document_embeddings, **options)
        return self.transform(X, document_embeddings=document_embeddings)

    def predict(self, X: Any, *, document_embeddings: Any = None, level: int | None = None) -> Longs:
        """The number of each document's topic, or -1 for none.

        A document has none if it is about something else, if it contains no known term, or if no share reaches
        `threshold`. In a tree of names, the share of no topic is compared with that of the best topic's root,
        everything below it included; `level` asks for the topic at that level, 0 for the roots: the one above the
        document's topic, or the topic itself if it is not that deep.
        """
        tree = tree_of(self._checked().seeds_)
        if level is not None and (not isinstance(level, SupportsIndex) or isinstance(level, bool) or int(level) < 0):
            deepest = 0 if tree is None else max(tree.depths)
            raise SettingsError(
                f"`level` is {level!r}, but must be a whole number: 0 for the roots of a tree, {deepest} or more for "
                "its deepest level; without `level`, documents get the best topic at any level"
            )
        best = self._placement(X, document_embeddings).best
        return best if level is None or tree is None else tree.up_to(int(level), best)

    def predict_proba(self, X: Any, *, document_embeddings: Any = None) -> Doubles:
        """The shares of `transform`, with `classes_` as columns; each row and the share of no topic add up to 1.

        In a tree of names, the share of a parent is what it has besides its children.
        """
        return self._stream(X, document_embeddings).shares()[:, :-1]

    @property
    def classes_(self) -> NDArray[np.object_]:
        """The names of the categories, in the order of their numbers; in a tree, their paths as texts."""
        return self.get_feature_names_out()

    def get_feature_names_out(self, input_features: Any = None) -> NDArray[np.object_]:
        """The names of the columns of `transform`, which are those of the topics."""
        return np.array(self._checked().seeds_.labels, dtype=object)

    # Saving

    def save(self, folder: str | Path, *, documents: bool = True) -> None:
        """Write the model to a folder as JSON, safetensors and an index, without pickle; replaces an earlier model.

        The documents are written as well, so that a report can quote them, unless `documents` is False.
        """
        saving.save(self._checked(), Path(folder), documents)

    @classmethod
    def load(
        cls,
        folder: str | Path,
        *,
        embedding_model: Any = None,
        reader: Any = None,
        tokenizer: Tokenizer | None = None,
        cache: str | Path | None = None,
    ) -> Self:
        """Load what `save` wrote; the model gives exactly the same answers, and uses the index where it is.

        The folder may come from anyone: its contents run no code, download no model and touch no other files. So a
        language model or reader other than the embedded model must be passed again to use new names.
        """
        saved = saving.load(Path(folder), embedding_model, reader, tokenizer, cache)
        model = cls(**saved.params, tokenizer=tokenizer, cache=cache)
        return model._set(saved.index, saved.seeds, saved.learned, saved.given)

    # Shared by the methods

    def _fit_documents(
        self,
        documents: Documents,
        seeds: Seeds,
        settings: Settings,
        ready: Ready,
    ) -> Self:
        model = model_for(self.embedding_model, self.reader, ready, seeds, settings.index, self.device)
        with self._progress() as progress:
            index = build_temporary(
                documents,
                settings=settings.index,
                embedding_model=model,
                reader=self.reader,
                tokenizer=self.tokenizer or tokenize,
                document_vectors=ready.documents,
                n_jobs=self._jobs(),
                device=self.device,
                cache=self.cache,
                names=fitting.names_to_read(seeds, ready),
                progress=progress,
            )
        return self._learn(index, seeds, settings, fitting.FittedOn(documents, ready))

    def _learn(self, index: Index, seeds: Seeds, settings: Settings, given: fitting.FittedOn) -> Self:
        with self._progress() as progress:
            run = fitting.learn(index, seeds, settings, self.device, progress, given)
        return self._set(index, seeds, fitting.Learned(run.topics, run), given)

    def _set(self, index: Index, seeds: Seeds, learned: fitting.Learned, given: fitting.FittedOn) -> Self:
        self.index_, self.seeds_, self._given = index, seeds, given
        self.topics_, self._learned = learned.topics, learned
        return self

    @property
    def sorter_(self) -> Sorter:
        """Sorts documents by terms and, if they are read, by the language model's vectors."""
        return self._learned.sorter

    def _checked(self) -> Self:
        if not hasattr(self, "index_"):
            raise NotFitted("the model is not fitted yet; call `fit` with documents first")
        return self

    def _settings(self) -> Settings:
        self._options()  # refuses a wrong threshold before any work
        parts = (self.top, self.min_count, self.language, self.random_state)
        return fitting.settings_from_parameters(self.preset, *parts)

    def _jobs(self) -> int | None:
        if isinstance(self.n_jobs, Integral) and self.n_jobs < 0:
            return max(1, available_cores() + 1 + self.n_jobs)
        return self.n_jobs

    def _options(self) -> AssignOptions:
        return fitting.options_from(self.threshold)

    def _documents(self, source: Any, columns: Any = None) -> Documents:
        named = columns is None or isinstance(columns, str | list | tuple)
        kept: dict[str, Any] = {"keep": columns or ()} if named else {"columns": columns}
        with fitting.telling_texts_from_files(source):
            return open_documents(source, text_field=self.text_field, on_error=self.on_error, **kept)

    def _stream(self, source: Any, vectors: Any, read: bool | None = None) -> DocumentStream:
        index = self._checked().index_
        reads = vectors is None and (self.read_documents if read is None else read)
        reader: Callable[[list[str]], Any] | None = index.read_texts if reads else None
        return DocumentStream(self._opened(source), self.sorter_, vectors, reader, self._jobs())

    def _opened(self, source: Any) -> Documents | Index:
        if isinstance(source, Documents):
            return source
        return fitting.ready_index(source, None, None, self.tokenizer, self.cache) or self._documents(source)

    def _placement(self, source: Any, vectors: Any) -> Placement:
        return self._stream(source, vectors).placement(self._options())

    @contextmanager
    def _progress(self) -> Iterator[Progress]:
        if not self.verbose:
            yield silent
            return
        from seetopic.runtime import shown_progress

        with shown_progress(quiet=False) as progress:
            yield progress
