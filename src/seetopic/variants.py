"""Variants of one term (tumor, tumors, tumour): spelled alike, and used and meant alike by both kinds of vectors."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from seetopic.arrays import Doubles, Floats, Longs
from seetopic.errors import DamagedIndex
from seetopic.spelling import folded, likeness, pairs_of_equal, term_skeleton

# The least agreement of two terms by local vectors, by the language model's, and of their sum: where one kind is less
# sure, the other must be surer. 0 is the agreement of any two terms, 1 that of equal ones. The less the spelling says,
# the more the vectors must; docs/method.md has the figures.
_BOUNDS = np.array(
    [
        (0.1, 0.2, 0.5),  # Likeness.SAME
        (0.1, 0.7, 0.95),  # Likeness.NUMBER
        (0.1, 0.75, 1.05),  # Likeness.VERB_FORM
    ]
)
_AT_ONCE = 2048  # pairs: little memory, used again, is faster than much
_COMPARED = 2000  # terms whose mean tells how near any two are


@dataclass(frozen=True)
class Variants:
    """Groups of terms that are variants of one."""

    heads: Longs  # of each term, the most frequent one of its group; itself, if it has no variants

    def representatives(self, best_scores: Doubles, kept: Collection[int] = ()) -> Longs:
        """For each term the one that stands for it: the best of its group by any category; (n_terms,).

        Terms that are to be kept stand for themselves in any case.
        """
        stands = np.arange(len(self.heads))
        grouped = self._grouped
        order = grouped[np.lexsort((-best_scores[grouped], self.heads[grouped]))]
        heads, first = np.unique(self.heads[order], return_index=True)
        best = np.zeros_like(self.heads)
        best[heads] = order[first]
        stands[grouped] = best[self.heads[grouped]]
        stands[list(kept)] = list(kept)
        return stands

    @cached_property
    def _grouped(self) -> Longs:
        """Terms that have variants, or are some."""
        sizes = np.bincount(self.heads, minlength=len(self.heads))
        return np.flatnonzero(sizes[self.heads] > 1)


def no_variants(n_terms: int) -> Variants:
    return Variants(np.arange(n_terms))


@dataclass(frozen=True)
class Spellings:
    """Terms, the most frequent first, as their spelling tells them apart."""

    folded: tuple[str, ...]
    skeletons: tuple[str, ...]
    pairs: Longs  # of one skeleton, the more frequent term first; (n_pairs, 2)

    def followed_by(self, terms: Sequence[str]) -> Spellings:
        """The same with more terms behind: a few terms take much less time than all."""
        spelled = folded(terms)
        skeletons = (*self.skeletons, *map(term_skeleton, spelled))
        n_terms = len(self.skeletons)
        added = [
            (number, n_terms + place)
            for place, skeleton in enumerate(skeletons[n_terms:])
            for number, other in enumerate(skeletons[: n_terms + place])
            if other == skeleton
        ]
        pairs = np.concatenate([self.pairs, np.array(added, np.int64).reshape(-1, 2)])
        return Spellings((*self.folded, *spelled), skeletons, pairs)


def spellings_of(terms: Sequence[str]) -> Spellings:
    spelled = folded(terms)
    skeletons = tuple(map(term_skeleton, spelled))
    return Spellings(tuple(spelled), skeletons, np.array(pairs_of_equal(skeletons), np.int64).reshape(-1, 2))


def find_variants(terms: Spellings, local: Floats, general: Floats) -> Variants:
    """Variants among terms; vectors are unit rows, (n_terms, dimension).

    A term joins the more frequent term that it agrees with most and that has joined none itself: its vector is the
    less noisy one, so every member of a group agrees with the group's best known member. A rare term's local vector
    may agree by chance, so it is never trusted alone: the language model's, which must agree as well, does not depend
    on counts.
    """
    if terms.pairs.max(initial=-1) >= min(len(local), len(general)):
        raise DamagedIndex(
            f"there are {len(terms.folded)} terms, but {len(local)} and {len(general)} vectors of terms: files of the "
            "index, or of its build, were changed; build it again in another folder"
        )
    pairs, agreement = _agreeing(terms, local, general)
    nearest: defaultdict[int, list[tuple[float, int]]] = defaultdict(list)
    for (frequent, rarer), both in zip(pairs.tolist(), agreement.tolist(), strict=True):
        nearest[rarer].append((-both, frequent))
    heads = list(range(len(terms.folded)))
    for rarer in sorted(nearest):  # the more frequent ones are settled before
        free = [each for each in nearest[rarer] if heads[each[1]] == each[1]]
        heads[rarer] = min(free)[1] if free else rarer
    return Variants(np.array(heads, np.int64))


def _agreeing(terms: Spellings, local: Floats, general: Floats) -> tuple[Longs, Doubles]:
    """Pairs of terms, the more frequent one first, that are spelled, used and meant alike; and how much they agree."""
    pairs, spelled = terms.pairs, terms.folded
    if not len(pairs):
        return pairs, np.zeros(0)
    # Vectors first: they are compared all at once, and leave few pairs whose spelling must be looked at.
    used = agreement_of(local, *pairs.T)
    left = used >= _BOUNDS[:, 0].min()
    pairs, used = pairs[left], used[left]
    meant = agreement_of(general, *pairs.T)
    agreement = np.stack([used, meant, used + meant], axis=1)
    left = (agreement >= _BOUNDS.min(axis=0)).all(axis=1)
    pairs, agreement = pairs[left], agreement[left]
    alike = [likeness(spelled[frequent], spelled[rarer]) for frequent, rarer in pairs.tolist()]
    kinds = np.array([-1 if each is None else each for each in alike], np.int64)
    agree = (kinds >= 0) & (agreement >= _BOUNDS[kinds]).all(axis=1)
    return pairs[agree], agreement[agree, 2]


def agreement_of(vectors: Floats, first: Longs, second: Longs) -> Doubles:
    """Cosines of pairs of terms, measured from what any two terms have: so models become comparable; 1 at best."""
    mean = np.asarray(vectors[:: len(vectors) // _COMPARED + 1]).mean(axis=0, dtype=np.float64)
    anywhere = min(float(mean @ mean), 0.99)  # the mean cosine of all pairs
    cosines = np.empty(len(first))
    for start in range(0, len(first), _AT_ONCE):
        part = slice(start, start + _AT_ONCE)
        cosines[part] = np.einsum("ij,ij->i", vectors[first[part]], vectors[second[part]])
    agreement: Doubles = (cosines - anywhere) / (1 - anywhere)
    return agreement
