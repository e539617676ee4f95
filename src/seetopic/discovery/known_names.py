"""Which names the language model hardly knows.

A model reads a word that it has rarely seen as its pieces ("st-oma-to-gna-thic"), and then finds nothing near it but
terms that are spelled alike ("strabismus"). A word that it knows is near to some term of another spelling.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from seetopic.corpus import Seeds
from seetopic.index import Index
from seetopic.runtime import Doubles, Floats
from seetopic.text import Vocabulary, function_words, tokenize
from seetopic.vectors import is_embedded

_FREQUENT = 200  # terms that the model knows, which show how near known words are to others
_LEAST = 0.02  # share of them that may be farther from everything than a word that counts as known
_NEAREST = 50  # terms among which one of another spelling is looked for


@dataclass(frozen=True)
class Terms:
    """The terms that words are compared with, most frequent first."""

    vocabulary: Vocabulary
    vectors: Floats  # unit rows, (n_terms, dimension)
    pieces: Callable[[Sequence[str]], list[list[int]]]  # of texts, as the model splits them

    def nearness(self, words: Sequence[str], vectors: Floats) -> Doubles:
        """The cosine of each word and the nearest term that shares no piece with it."""
        found = []
        for own, row in zip(self.pieces(words), vectors @ self.vectors.T, strict=True):
            near = np.argpartition(-row, min(_NEAREST, len(row)) - 1)[:_NEAREST]
            best = near[np.argsort(-row[near])].tolist()
            others = (term for term in best if not {*own} & {*self.pieces([self.vocabulary.terms[term]])[0]})
            found.append(row[next(others, best[-1])])
        return np.array(found)

    @cached_property
    def bound(self) -> float:
        """The nearness from which a word counts as known."""
        frequent = self.vocabulary.terms[: 5 * _FREQUENT]
        known = [number for number, own in enumerate(self.pieces(frequent)) if len(own) == 1][:_FREQUENT]
        if not known:
            return -1.0
        return float(np.quantile(self.nearness([frequent[number] for number in known], self.vectors[known]), _LEAST))


def hardly_known_in(index: Index, seeds: Seeds) -> tuple[str, ...]:
    """`hardly_known` for the terms of an index, if its model is the embedded one: others may take long to load."""
    if not is_embedded(index.models["model"]["fingerprint"]):
        return ()
    ignored = frozenset[str]().union(*map(function_words, index.manifest["corpus"]["languages"]))

    def is_term(word: str) -> bool:
        return index.as_term(word) in index.vocabulary.ids

    return hardly_known(seeds, index.derived(_terms), index.encode_names, is_term, ignored)


def _terms(index: Index) -> Terms:
    return Terms(index.vocabulary, np.asarray(index.general), index.pieces)


def hardly_known(
    seeds: Seeds,
    terms: Terms,
    encode: Callable[[list[str]], Floats],
    is_term: Callable[[str], bool],
    ignored: Collection[str],
) -> tuple[str, ...]:
    """Categories without a description of which the model knows no word that tells them from the others.

    A word that is a term counts as known, because its documents show what it means.
    """
    words = [{word for name in seed.names for word in tokenize(name.lower())} - {*ignored} for seed in seeds.seeds]
    shared = {word for word, number in Counter(word for each in words for word in each).items() if number > 1}
    telling = [set() if seed.description else own - shared or own for seed, own in zip(seeds.seeds, words, strict=True)]
    asked = sorted({word for own in telling if not any(map(is_term, own)) for word in own})
    if not asked:  # the model need not be loaded
        return ()
    rare = {word for word, own in zip(asked, terms.pieces(asked), strict=True) if len(own) > 1}
    doubtful = sorted({word for own in telling if own <= rare for word in own})
    if not doubtful:
        return ()
    far = terms.nearness(doubtful, encode(doubtful)) < terms.bound
    unknown = {word for word, is_far in zip(doubtful, far, strict=True) if is_far}
    return tuple(seed.label for seed, own in zip(seeds.seeds, telling, strict=True) if own and own <= unknown)
