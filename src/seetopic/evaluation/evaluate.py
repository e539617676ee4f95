"""Evaluates topics on held-out documents in any form."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, closing, contextmanager, suppress
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from seetopic.classify import SORTER, Sorter
from seetopic.corpus import Documents, OnError, open_documents
from seetopic.discovery import Topics
from seetopic.errors import CorpusError, SettingsError
from seetopic.evaluation.figures import Evaluation, TopicFigures
from seetopic.evaluation.held_out import IndexedTexts, scan_texts
from seetopic.evaluation.labels import Labels, labels_of, own_labels
from seetopic.evaluation.levels import refuse_unlabelled_tree
from seetopic.evaluation.measures import EvaluationOptions, Judge, depths_of, names_of, terms_of
from seetopic.index import Index, is_index
from seetopic.runtime import (
    Progress,
    cache_folder,
    engine_for,
    remove_temporary,
    silent,
    temporary_folder,
)
from seetopic.settings import DEFAULT
from seetopic.text import Tokenizer, tokenize
from seetopic.vectors import VectorCache, encoder_for

__all__ = [
    "Evaluation",
    "EvaluationOptions",
    "TopicFigures",
    "evaluate",
    "evaluate_all",
    "evaluate_folder",
    "labels_for",
    "terms_of",
]


def evaluate(
    topics: Topics,
    documents: Any,
    *,
    options: EvaluationOptions = EvaluationOptions(),  # noqa: B008 - frozen
    text_field: str | None = None,
    label_field: str | None = None,
    on_error: OnError = "raise",
    sorter: Sorter | None = None,
    vectors: NDArray[Any] | None = None,
    tokenizer: Tokenizer | None = None,
    n_jobs: int | None = None,
    progress: Progress = silent,
) -> Evaluation:
    """Measure topics on documents: anything that `open_documents` accepts, an index, or an index's folder.

    With a label field, or `Documents` that have labels, label measures are included and, given the topics' sorter,
    the macro-F1 of sorting documents. `vectors` are the language model's, one row for each of `terms_of(topics)`.
    An index does not count words inside longer terms separately; its labels are in a column that was kept in it. Texts
    are split by `tokenizer`, else by the sorter's tokenizer, else by the default one.
    """
    _check(topics, sorter, vectors)
    opened = _opened(documents, text_field, label_field, on_error)
    cut = tokenizer or (tokenize if sorter is None else sorter.tokenizer)
    with _judging(opened, [topics], cut, n_jobs, progress, label_field) as judge:
        return judge.evaluation(topics, options, sorter, vectors)


def evaluate_folder(
    folder: str | Path,
    documents: Any,
    *,
    options: EvaluationOptions = EvaluationOptions(),  # noqa: B008 - frozen
    label_field: str | None = None,
    n_jobs: int | None = None,
    cache: str | Path | None = None,
    progress: Progress = silent,
) -> Evaluation:
    """Measure the topics that `discover --out` wrote, using the sorter next to them and the language model by its
    name. If the model was a function or precomputed vectors, embedding coherence is left out."""
    topics = Topics.load(folder)
    labelled = label_field is not None or (isinstance(documents, Documents) and documents.has_labels)
    sorter = Sorter.load(folder) if labelled and (Path(folder) / SORTER).exists() else None
    vectors, model = None, topics.made_with.get("model") or {}
    if model.get("fingerprint") is not None:
        where = VectorCache(cache_folder(cache))
        vectors = where.encode_names(encoder_for(model["name"]), terms_of(topics))
    return evaluate(
        topics,
        documents,
        options=options,
        label_field=label_field,
        sorter=sorter,
        vectors=vectors,
        n_jobs=n_jobs,
        progress=progress,
    )


def evaluate_all(
    several: Sequence[Topics],
    documents: Any,
    *,
    options: EvaluationOptions = EvaluationOptions(),  # noqa: B008 - frozen
    n_jobs: int | None = None,
    progress: Progress = silent,
) -> list[Evaluation]:
    """Measure the topics of several methods on the same documents, which are read once, and to the same depths.

    A method may have found no terms, which is a valid result.
    """
    depths = depths_of(several, options.depths)
    with _judging(_opened(documents), several, tokenize, n_jobs, progress) as judge:
        return [judge.evaluation(topics, options, depths=depths) for topics in several]


@contextmanager
def _judging(
    documents: Documents | Index,
    several: Sequence[Topics],
    tokenizer: Tokenizer,
    n_jobs: int | None,
    progress: Progress,
    label_field: str | None = None,
) -> Iterator[Judge]:
    """Documents ready to be counted; tokenised texts are in a folder that is removed at the end.

    `label_field` is the column of an index with its documents' labels.
    """
    if isinstance(documents, Index):
        name = str(documents.manifest["corpus"]["name"])
        labels = None
        if label_field is not None:
            kept = _labels_in(documents, label_field)
            for topics in several:
                labels = labels_for(_paths(topics), kept, name, label_field)
        yield Judge(IndexedTexts(documents), name, labels)
        return
    workers = engine_for("local", n_jobs)
    lowercase = _lowercase(several)
    skipped: Counter[str] = Counter()
    given: list[tuple[str, ...]] = []
    folder = temporary_folder()
    with ExitStack() as stack:
        stack.callback(remove_temporary, folder)
        engine = stack.enter_context(closing(workers))
        held_out = scan_texts(
            documents.pieces(DEFAULT.index.text, engine),
            folder,
            engine,
            tokenizer,
            lowercase=lowercase,
            skipped=skipped,
            labels=given,
            told=lambda done: progress("reading documents", done, None),
        )
        documents.refuse_if_empty(sum(held_out.sizes), skipped)
        labels = None
        if documents.has_labels:
            for topics in several:
                # Reject them before any slow work.
                paths, fields = _paths(topics), documents.column_names
                labels = labels_for(paths, given, documents.name, documents.label_field, fields)
        yield Judge(held_out, documents.name, labels, tuple(skipped.items()))


def _check(topics: Topics, sorter: Sorter | None = None, vectors: NDArray[Any] | None = None) -> None:
    if not any(topic.terms for topic in topics):
        raise SettingsError("the topics have no terms, so there is nothing to measure; give topics with terms")
    if sorter is not None and list(sorter.names) != names_of(topics):
        raise SettingsError(
            f"the sorter is for {', '.join(sorter.names)}, but the topics are {', '.join(names_of(topics))}; "
            "give the sorter that was saved with the topics"
        )
    n_terms = len(terms_of(topics))
    if vectors is not None and (np.ndim(vectors) != 2 or len(vectors) != n_terms):
        raise SettingsError(
            f"`vectors` has shape {np.shape(vectors)}, but must have one row for each of the {n_terms} terms"
        )


def _lowercase(several: Sequence[Topics]) -> bool:
    """Whether the topics' terms come from lower-cased text, which is the default."""
    answers = set()
    for topics in several:
        value: Any = topics.made_with
        for name in ("settings", "index", "text", "lowercase"):
            value = value.get(name) if isinstance(value, dict) else None
        answers.add(value is not False)
    if len(answers) > 1:
        raise SettingsError("some of the topics were made with `lowercase`, others without; measure them one by one")
    return answers != {False}


def _opened(
    documents: Any, text_field: str | None = None, label_field: str | None = None, on_error: OnError = "raise"
) -> Documents | Index:
    index = _index_of(documents)
    if index is not None:
        return index
    if isinstance(documents, Documents) and label_field is not None:
        return replace(documents, label_field=label_field)
    return open_documents(documents, text_field=text_field, on_error=on_error, label_field=label_field)


def _index_of(documents: Any) -> Index | None:
    if isinstance(documents, Index):
        return documents
    return Index.open(documents) if isinstance(documents, str | Path) and is_index(documents) else None


def _paths(topics: Topics) -> list[tuple[str, ...]]:
    return [topic.path for topic in topics]


def _labels_in(index: Index, field: str) -> list[tuple[str, ...]]:
    """The labels of the documents of an index, from a column that was kept in it, where a list is JSON text."""
    found = []
    for value in index.column(field):
        with suppress(ValueError):
            value = json.loads(value) if isinstance(value, str) and value.startswith("[") else value
        texts = (str(each).strip() for each in (value if isinstance(value, list) else [value]) if each is not None)
        found.append(tuple(dict.fromkeys(filter(None, texts))))
    return found


def labels_for(
    paths: Sequence[tuple[str, ...]],
    given: list[tuple[str, ...]],
    corpus: str,
    label_field: str | None,
    fields: Callable[[], Sequence[str]] = tuple,
) -> Labels:
    """The labels of a corpus's documents, which must match the names; in a tree, those of a level.

    `fields` are those of the documents.
    """
    labels = labels_of(given)
    if not labels.names:
        known = ", ".join(fields())
        field = "" if label_field is None else f" in the field {label_field!r}"
        field += f" (its fields: {known})" if known else ""
        raise CorpusError(
            f"no document in {corpus} has a label{field}; "
            "choose another field with --label-field (in Python: label_field)"
        )
    if any(len(path) > 1 for path in paths):
        refuse_unlabelled_tree(paths, labels)
    else:
        own_labels([name for (name,) in paths], labels.names)
    return labels
