"""The user's constraints on terms: pinned terms, names that are terms, and negative terms."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass

import numpy as np

from seetopic.corpus import Seeds, has_wildcard
from seetopic.discovery.names import report_many
from seetopic.discovery.wildcards import TermPatterns
from seetopic.errors import EncoderError
from seetopic.index import Index
from seetopic.runtime import Doubles, Flags, Floats, Longs, Progress, one_thread, silent
from seetopic.text import Variants

_ALIKE = 0.75  # cosine from which two terms with similar spelling are inflections of one word
_SAME_BEGINNING = 4  # first letters that must agree for spellings to be similar
_FIXED = 2.0  # above every score, so that a fixed term comes first in its category


@dataclass(frozen=True)
class Constraints:
    """Terms that come first in a category, and terms that may not be in it."""

    fixed: tuple[tuple[int, ...], ...]  # pinned terms and names that are terms, by category
    barred: Flags  # (n_categories, n_terms)

    @staticmethod
    def none(n_categories: int, n_terms: int) -> Constraints:
        return Constraints(((),) * n_categories, np.zeros((n_categories, n_terms), np.bool_))

    @property
    def all_fixed(self) -> list[int]:
        """The fixed terms of all categories."""
        return [term for terms in self.fixed for term in terms]

    def applied(self, scores: Doubles) -> Doubles:
        """The scores with fixed terms above all others, in their order, and 0 where a term is barred."""
        settled = np.where(self.barred, 0.0, scores)
        for category, terms in enumerate(self.fixed):
            settled[:, list(terms)] = 0.0
            settled[category, list(terms)] = _FIXED - np.arange(len(terms)) / (1 + len(terms))
        return settled

    def among(self, terms: Longs) -> Constraints:
        """The same for a subset of terms, which includes all fixed ones, by their positions in it."""
        fixed = tuple(tuple(np.searchsorted(terms, own).tolist()) for own in self.fixed)
        return Constraints(fixed, self.barred[:, terms])


def names_as_terms(index: Index, seeds: Seeds) -> tuple[tuple[int, ...], ...]:
    """The names that are terms, by category."""
    return tuple(_ids(index, seed.names) for seed in seeds.seeds)


def constraints_of(
    index: Index,
    seeds: Seeds,
    variants: Variants,
    *,
    names_first: bool,
    n_themes: int = 0,
    progress: Progress = silent,
) -> Constraints:
    """The user's constraints, followed by empty ones for `n_themes` residual themes."""
    pinned = [_ids(index, seed.pinned) for seed in seeds.seeds]
    own = names_as_terms(index, seeds)
    times = Counter(term for terms in own for term in terms)
    # A name of several categories goes to the one that it fits best, like any other term.
    elsewhere = {term for terms in pinned for term in terms} | {term for term, count in times.items() if count > 1}
    fixed = tuple(
        (*terms, *(term for term in named if term not in elsewhere and names_first))
        for terms, named in zip(pinned, own, strict=True)
    )
    barred = [
        _barred(index, seed.negative, terms, variants, progress) for seed, terms in zip(seeds.seeds, fixed, strict=True)
    ]
    others = Constraints.none(n_themes, len(index.vocabulary))
    return Constraints((*fixed, *others.fixed), np.vstack([np.stack(barred), others.barred]))


def _barred(
    index: Index, negative: tuple[str, ...], fixed: tuple[int, ...], variants: Variants, progress: Progress
) -> Flags:
    """Negative terms and their inflections: terms with the same number of words, and similar spelling and meaning."""
    barred = np.zeros(len(index.vocabulary), np.bool_)
    for number, word in enumerate(negative):
        report_many(progress, "encoding negative terms", number, len(negative))
        if has_wildcard(word):
            barred[index.derived(_patterns).matching(word)] = True
            continue
        spelled = word.lower()
        for term in np.flatnonzero(_similarity(index, word) >= _ALIKE).tolist():
            barred[term] |= _spelled_alike(spelled, index.vocabulary.terms[term].lower())
        if (own := index.term_id(word)) is not None:
            barred |= variants.heads == variants.heads[own]
    barred[list(fixed)] = False  # fixed terms stay
    return barred


def _patterns(index: Index) -> TermPatterns:
    return TermPatterns(index.vocabulary.terms)


def _similarity(index: Index, word: str) -> Floats:
    """Cosine of each term and a word; 0 if the word has no vector."""
    try:
        vector = index.encode_names([word])[0]
    except EncoderError:
        vector = np.zeros(index.general.shape[1], np.float32)
    with one_thread():
        similarity: Floats = np.asarray(index.general) @ vector
    return similarity


def _ids(index: Index, names: tuple[str, ...]) -> tuple[int, ...]:
    found = (index.term_id(name) for name in names)
    return tuple(dict.fromkeys(term for term in found if term is not None))


def _spelled_alike(word: str, other: str) -> bool:
    """Whether two terms have the same number of words, and each pair of words begins alike."""
    pairs = list(zip(word.split(), other.split(), strict=False))
    same_length = len(word.split()) == len(other.split())
    shared = (min(len(first), len(second), _SAME_BEGINNING) for first, second in pairs)
    return same_length and all(first[:n] == second[:n] for (first, second), n in zip(pairs, shared, strict=True))
