"""The user's constraints on terms: pinned terms, names that are terms, and negative terms."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import cached_property
from itertools import chain

import numpy as np

from seetopic.corpus import Seeds, has_wildcard
from seetopic.discovery.evidence.similarity import products
from seetopic.discovery.names import report_many
from seetopic.discovery.ranking import Entries
from seetopic.discovery.wildcards import TermPatterns
from seetopic.errors import EncoderError
from seetopic.index import Index
from seetopic.runtime import Doubles, Flags, Floats, Longs, Progress, silent
from seetopic.text import Variants

_ALIKE = 0.75  # cosine from which two terms with similar spelling are inflections of one word
_SAME_BEGINNING = 4  # first letters that must agree for spellings to be similar
_FIXED = 2.0  # above every score, so that a fixed term comes first in its category
_ACCEPTED = 3  # place of an accepted term, at the latest: a doubtful one should not lead its topic


@dataclass(frozen=True)
class Accepted:
    """A term that belongs to some categories, and so to no others, except above or below them in a tree."""

    term: int
    categories: tuple[int, ...]
    may_have: Flags  # the categories that may have it, residual themes included
    group: Flags  # the term and its inflections


@dataclass(frozen=True)
class Constraints:
    """Terms that come first in a category, terms that belong to it, and terms that may not be in it."""

    fixed: tuple[tuple[int, ...], ...]  # pinned terms and names that are terms, by category
    barred: Flags  # (n_categories, n_terms)
    accepted: tuple[tuple[int, ...], ...] = ()  # by category; () if there are none

    @staticmethod
    def none(n_categories: int, n_terms: int) -> Constraints:
        return Constraints(((),) * n_categories, np.zeros((n_categories, n_terms), np.bool_))

    @cached_property
    def all_fixed(self) -> list[int]:
        """The fixed terms of all categories."""
        return [term for terms in self.fixed for term in terms]

    def applied(self, scores: Entries) -> Entries:
        """The scores with fixed terms first, in their order, accepted ones among the best, and without barred ones."""
        is_fixed = np.zeros(scores.shape[1], np.bool_)
        is_fixed[self.all_fixed] = True
        kept = scores.only(~is_fixed[scores.terms] & ~self.barred[scores.categories, scores.terms])
        sizes = [len(terms) for terms in self.fixed]
        values = [_FIXED - np.arange(size) / (1 + size) for size in sizes]
        categories = np.append(kept.categories, np.repeat(np.arange(len(sizes)), sizes))
        order = np.argsort(categories, kind="stable")
        terms = np.append(kept.terms, np.array(self.all_fixed, np.int64))
        scored = np.concatenate([kept.scores, *values])
        found = Entries(categories[order], terms[order], scored[order], scores.shape)
        if not any(self.accepted):
            return found
        parts = [_lifted(*part, set(own)) for part, own in zip(found.parts, self.accepted, strict=True)]
        return Entries.joined(parts, scores.shape[1])

    def with_accepted(self, accepted: Iterable[Accepted]) -> Constraints:
        """The same with accepted terms, unless the names themselves exclude them."""
        barred, own = self.barred.copy(), [list[int]() for _ in self.fixed]
        for each in accepted:
            barred[np.ix_(~each.may_have, each.group)] = True
            for category in each.categories:
                if not self.barred[category, each.term]:
                    own[category].append(each.term)
        for category, fixed in enumerate(self.fixed):
            barred[category, list(fixed)] = False
        taken = set(self.all_fixed)
        free = (tuple(term for term in terms if term not in taken) for terms in own)
        return Constraints(self.fixed, barred, tuple(free))

    def among(self, columns: Sequence[int], barred: Flags) -> Constraints:
        """Those of some categories, with other barred terms."""
        fixed = tuple(self.fixed[column] for column in columns)
        return Constraints(fixed, barred, tuple(self.accepted[column] for column in columns) if self.accepted else ())

    def without_fixed(self, category: int, similarity: Floats) -> Floats:
        """A category's similarities, minus infinity where a term is barred, or fixed in any category; (n_terms,)"""
        free: Floats = np.where(self.barred[category], np.float32(-np.inf), similarity)
        free[self.all_fixed] = -np.inf
        return free


def _lifted(terms: Longs, scores: Doubles, accepted: set[int]) -> tuple[Longs, Doubles]:
    """The terms of a category with their scores, those of accepted terms raised."""
    free = np.sort(scores[scores <= 1.0])[::-1]
    least = float(free[min(_ACCEPTED, len(free)) - 1]) if len(free) else 1.0
    found = dict(zip(terms.tolist(), scores.tolist(), strict=True))
    found |= {term: max(found.get(term, 0.0), least) for term in accepted}
    ordered = sorted(found)
    return np.array(ordered, np.int64), np.array([found[term] for term in ordered])


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
    negative = [_negative(index, seed.negative) for seed in seeds.seeds]
    fixed = tuple(
        (*terms, *(term for term in named if term not in elsewhere | excluded and names_first))
        for terms, named, excluded in zip(pinned, own, negative, strict=True)
    )
    words = [word for seed in seeds.seeds for word in seed.negative]
    similar = iter(_similarities(index, words, progress))
    barred = [
        _barred(index, seed.negative, terms, variants, similar) for seed, terms in zip(seeds.seeds, fixed, strict=True)
    ]
    others = Constraints.none(n_themes, len(index.vocabulary))
    return Constraints((*fixed, *others.fixed), np.vstack([np.stack(barred), others.barred]))


def _negative(index: Index, words: tuple[str, ...]) -> set[int]:
    """The terms that are negative themselves, and not only as inflections; a name among them is just a name."""
    patterns = filter(has_wildcard, words)
    matching = (index.derived(term_patterns).matching(word) for word in patterns)
    return {*_ids(index, words), *chain.from_iterable(matching)}


def _barred(
    index: Index, negative: tuple[str, ...], fixed: tuple[int, ...], variants: Variants, similar: Iterator[Floats]
) -> Flags:
    """Negative terms and their inflections: terms with the same number of words, and similar spelling and meaning.

    `similar` has the cosine of each negative term and all terms, for one category after the other.
    """
    barred = np.zeros(len(index.vocabulary), np.bool_)
    for word, similarity in zip(negative, similar, strict=False):
        if has_wildcard(word):
            barred[index.derived(term_patterns).matching(word)] = True
            continue
        spelled = word.lower()
        for term in np.flatnonzero(similarity >= _ALIKE).tolist():
            barred[term] |= _spelled_alike(spelled, index.vocabulary.terms[term].lower())
        if (own := index.term_id(word)) is not None:
            barred |= variants.heads == variants.heads[own]
    barred[list(fixed)] = False  # fixed terms stay
    return barred


def term_patterns(index: Index) -> TermPatterns:
    """What wildcards are matched with; kept by `Index.derived`, because all terms are sorted for it."""
    return TermPatterns(index.vocabulary.terms)


def _similarities(index: Index, words: list[str], progress: Progress) -> Floats:
    """Cosine of each word and each term; 0 if the word has no vector."""
    vectors = np.zeros((len(words), index.general.shape[1]), np.float32)
    for number, word in enumerate(words):
        report_many(progress, "encoding negative terms", number, len(words))
        with suppress(EncoderError):
            vectors[number] = index.encode_names([word])[0]
    return products(vectors, np.asarray(index.general))


def _ids(index: Index, names: tuple[str, ...]) -> tuple[int, ...]:
    found = (index.term_id(name) for name in names)
    return tuple(dict.fromkeys(term for term in found if term is not None))


def _spelled_alike(word: str, other: str) -> bool:
    """Whether two terms have the same number of words, and each pair of words begins alike."""
    pairs = list(zip(word.split(), other.split(), strict=False))
    same_length = len(word.split()) == len(other.split())
    shared = (min(len(first), len(second), _SAME_BEGINNING) for first, second in pairs)
    return same_length and all(first[:n] == second[:n] for (first, second), n in zip(pairs, shared, strict=True))
