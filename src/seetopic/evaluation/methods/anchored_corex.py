"""Anchored CorEx (Gallagher et al., 2017): topics that best explain which terms occur together, guided by anchors.

Uses the authors' package (corextopic), with one topic per category and free ones that absorb what belongs to none. For
speed it sees only the most frequent terms and all starting terms: each round is a Python loop over terms.
Terms in every document are left out: they carry no information, and the package prints a warning about them.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from importlib import import_module
from typing import Any

import numpy as np
from scipy.sparse import csr_matrix

from seetopic.discovery import Topics
from seetopic.errors import MissingExtra
from seetopic.evaluation.methods.contract import Task
from seetopic.evaluation.methods.frequent import frequent_terms
from seetopic.runtime import Longs

_TERMS = 20_000  # most frequent ones; the others occur in only a handful of documents
_ROUNDS = 100
_STRENGTH = 3.0  # of anchors; other terms of a topic have at most 1
_FREE = 5  # topics without a category
_SEEDS = 2**32  # NumPy's global generator accepts only smaller ones


def run(task: Task, size: int, random_state: int) -> Topics:
    """Each topic's terms by mutual information, if their presence is evidence for it; no term is in two topics."""
    kept = _informative(task, frequent_terms(task, _TERMS))
    column_of = {int(term): column for column, term in enumerate(kept)}
    anchors = [[column_of[term] for term in terms if term in column_of] for terms in task.starting]
    # A category without anchors would be silently skipped, which would shift all later topics.
    anchored = [category for category, columns in enumerate(anchors) if columns]
    model = _fitted(task, kept, [anchors[category] for category in anchored], random_state)
    ranked: list[list[tuple[int, float]]] = [[] for _ in anchors]
    for topic, category in enumerate(anchored):
        ranked[category] = [(int(kept[column]), score) for column, score in _best(model, topic, size)]
    settings = {"anchor_strength": _STRENGTH, "free_topics": _FREE, "rounds": _ROUNDS, "terms": _TERMS}
    return task.topics("anchored-corex", ranked, **settings, random_state=random_state)


def _informative(task: Task, terms: Longs) -> Longs:
    return terms[task.index.document_frequencies[terms] < len(task.index)]


def _fitted(task: Task, kept: Longs, anchors: list[list[int]], random_state: int) -> Any:
    try:
        package = import_module("corextopic.corextopic")
    except ImportError as error:
        raise MissingExtra("the method anchored-corex", "baselines") from error
    occurs = csr_matrix(task.counts[:, kept] > 0).astype(np.float64)
    task.progress("anchored-corex", 0, None)
    with _globals_restored():
        model = package.Corex(n_hidden=len(anchors) + _FREE, max_iter=_ROUNDS, seed=random_state % _SEEDS)
        return model.fit(occurs, anchors=anchors, anchor_strength=_STRENGTH)


@contextmanager
def _globals_restored() -> Iterator[None]:
    """Undo the package's changes: it seeds NumPy's global generator and turns off NumPy's warnings."""
    state = np.random.get_state()  # noqa: NPY002 - to put it back
    try:
        with np.errstate():
            yield
    finally:
        np.random.set_state(state)  # noqa: NPY002


def _best(model: Any, topic: int, size: int) -> list[tuple[int, float]]:
    """The columns that belong to the topic, with their weighted mutual information."""
    weights = model.alpha[topic] * model.mis[topic]
    own = np.flatnonzero((model.alpha[topic] >= 1) & (model.sign[topic] > 0) & (weights > 0))
    best = own[np.argsort(-weights[own], kind="stable")][:size]
    return [(int(column), float(weights[column])) for column in best]
