"""Describes themes to people: by terms, a name from the documents' own phrases, and passages."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby

import numpy as np

from seetopic.discovery.topics import Residual
from seetopic.index import Index, Themes
from seetopic.runtime import Doubles, Floats, Longs

TERMS = 10
_PASSAGES = 3
_PASSAGE_WORDS = 40


def told_themes(
    index: Index,
    memberships: Doubles,
    terms: Sequence[Sequence[int]],
    meanings: Floats,
    first: int,
    themes: Themes | None = None,
    parents: Sequence[str | None] | None = None,
) -> tuple[Residual, ...]:
    """Themes, whose columns begin at `first`, largest first; those without documents or terms are left out.

    `meanings` are vectors of the themes that can be compared with those of terms. Passages are of the documents with
    the largest membership or, if `themes` are given, nearest to their centre. `parents` are the labels of the topics
    that they belong to in a tree.
    """
    best = memberships.argmax(axis=1)
    sizes = np.bincount(best, minlength=memberships.shape[1])[first:] / max(len(best), 1)
    told = []
    for theme in by_size(sizes).tolist():
        own = list(terms[first + theme])
        if not own:
            continue
        nearness = memberships[:, first + theme] if themes is None else themes.vectors @ themes.centres[theme]
        documents = np.flatnonzero(best == first + theme)
        typical = documents[np.argsort(-nearness[documents], kind="stable")][:_PASSAGES]
        told.append(
            Residual(
                index.vocabulary.terms[_best_name(index, own, meanings[theme])],
                round(float(sizes[theme]), 4),
                tuple(index.vocabulary.terms[term] for term in own[:TERMS]),
                tuple(_passage(index, int(number)) for number in index.sampled[typical]),
                None if parents is None else parents[theme],
            )
        )
    return tuple(told)


def by_size(sizes: Doubles | Longs) -> Longs:
    """Themes that have documents, largest first."""
    order = np.argsort(-sizes, kind="stable")
    return order[sizes[order] > 0]


def _best_name(index: Index, terms: Sequence[int], meaning: Floats) -> int:
    """Of the best terms, one that is frequent and close in meaning to the theme."""
    best = list(terms[:TERMS])
    common = np.log1p(index.document_frequencies[best])
    return int(best[int((np.asarray(index.general[best]) @ meaning * common).argmax())])


def _passage(index: Index, number: int) -> str:
    """The beginning of a document, from the words that the index stores."""
    words = index.texts.words_of(number)
    parts = groupby(words[:_PASSAGE_WORDS], bool)  # runs of words, and separators
    shown = " · ".join(" ".join(each) for is_word, each in parts if is_word)
    return shown + (" …" if len(words) > _PASSAGE_WORDS else "")
