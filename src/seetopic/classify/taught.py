"""Corrects a sorter by judgements of texts and terms, without the index it was made from."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from seetopic.classify.sorter import KNOWN_DOCUMENTS, Sorter
from seetopic.corpus import Judgements, Seeds, as_seeds, split_path
from seetopic.discovery import (
    CLOSED,
    CONSTANT,
    allowed_categories,
    corrections,
    is_closed,
    most_predictive,
    says_something,
)
from seetopic.index import weighted_rows
from seetopic.runtime import Floats, Lists, Sparse, warn

if TYPE_CHECKING:
    from scipy.sparse import csr_array


def taught_sorter(
    sorter: Sorter, judgements: Judgements, encode: Callable[[list[str]], Floats] | None = None
) -> Sorter:
    """The sorter, corrected by judged texts and terms; `encode` is the language model, if it reads documents."""
    settled = judgements.settled(_seeds(sorter))
    n_themes = len(sorter.arrays["term_offset"]) - len(sorter.names)
    numbered = [document for document in settled.documents if isinstance(document, int)]
    if numbered:
        warn(
            f"{len(numbered)} judged documents are given by their number in an index, which `assign` does not have, so "
            "they are not used; pass the judgements to `seetopic discover`"
        )
    given = {text: answers for text, answers in settled.documents.items() if isinstance(text, str)} | settled.terms
    masks = {
        text: allowed_categories(answers, len(sorter.names), n_themes, sorter.tree) for text, answers in given.items()
    }
    texts = [text for text, mask in masks.items() if says_something(mask, sorter.tree)]
    if not texts:
        return sorter
    sorter = _opened(
        sorter, {category for answers in given.values() for category, belongs in answers.items() if belongs}
    )
    matched, allowed = sorter.terms_in(texts), np.array([masks[text] for text in texts])
    rows, arrays = _rows(matched, sorter), dict(sorter.arrays)
    products = (rows @ rows.T).toarray().astype(np.float64)
    best = most_predictive(corrections(products, sorter.scores(matched), allowed))
    arrays |= _plus(arrays, "term_weights", rows.T @ best.by_judged)
    arrays |= _plus(arrays, "term_offset", CONSTANT * best.by_judged.sum(axis=0))
    if encode is not None:
        vectors = encode(sorter.read_texts(texts))
        by_guess = sorter.scores(matched, vectors)
        best = most_predictive(corrections(products + vectors @ vectors.T, by_guess, allowed))
        arrays |= _plus(arrays, "document_weights", vectors.T @ best.by_judged)
        arrays |= _plus(arrays, "document_term_weights", rows.T @ best.by_judged)
        arrays |= _plus(arrays, "document_offset", CONSTANT * best.by_judged.sum(axis=0))
        for name in KNOWN_DOCUMENTS:  # without their texts, they cannot be sorted again
            arrays.pop(name, None)
    # Judgements correct names and themes together, so that the names alone no longer tell what belongs to none.
    return replace(sorter, arrays=arrays, term_level=None, read_level=None)


def _opened(sorter: Sorter, accepted: set[int]) -> Sorter:
    """The sorter in which names that no document was about get documents, because a judgement says so."""
    inner = () if sorter.tree is None else sorter.tree.inner
    closed = is_closed(sorter.arrays["term_offset"])
    reopened = [category for category in accepted.difference(inner) if closed[category]]
    arrays = dict(sorter.arrays)
    for name in ("term_offset", "document_offset"):
        if name in arrays:
            more = np.zeros(len(closed))
            more[reopened] = CLOSED
            arrays |= _plus(arrays, name, more)
    return replace(sorter, arrays=arrays)


def _seeds(sorter: Sorter) -> Seeds:
    """The names, which are paths in a tree."""
    if sorter.tree is None:
        return as_seeds(list(sorter.names))
    paths = map(split_path, sorter.names)
    return as_seeds([{"name": path[-1], "path": path} for path in paths])


def _plus(arrays: dict[str, Any], name: str, more: Any) -> dict[str, Any]:
    return {name: (arrays[name] + more).astype(arrays[name].dtype)}


def _rows(matched: Lists, sorter: Sorter) -> csr_array:
    """Texts as unit rows of idf-weighted terms."""
    from scipy.sparse import csr_array

    ones = np.ones(len(matched.values), np.float32)
    matrix = Sparse.rows(ones, matched.values, matched.starts, (len(matched), len(sorter.terms)))
    rows = weighted_rows(matrix, sorter.arrays["idf"])
    return csr_array((rows.data, rows.indices, rows.indptr), shape=rows.shape)
