"""Variants of one term (tumor, tumors, tumour), which are similar in spelling and by both kinds of vectors."""

from __future__ import annotations

import re
import unicodedata
from collections import defaultdict
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from enum import IntEnum
from functools import cached_property, lru_cache
from itertools import combinations

import numpy as np

from seetopic.errors import DamagedIndex
from seetopic.runtime import Doubles, Floats, Longs

_ACCENTS = re.compile("[\u0300-\u036f]")  # of Latin, Greek and Cyrillic letters; other scripts' marks are letters
_POSSESSIVES = ((" 's ", "'s "), ("'s ", " "), ("s' ", "s "))
# Regional spellings and their replacement; a space ends a word. Accidental matches ("four", "for") do no harm, because
# their vectors differ.
_COUNTRIES = (
    ("our", "or"),  # tumour
    ("iz", "is"),  # organize
    ("yz", "ys"),  # analyze
    ("sulph", "sulf"),  # sulphate
    ("grey", "gray"),
    ("lling ", "ling "),  # travelling
    ("lled ", "led "),
    ("ller ", "ler "),
    ("llers ", "lers "),
    ("bre ", "ber "),  # fibre
    ("bres ", "bers "),
    ("tre ", "ter "),  # centre
    ("tres ", "ters "),
    ("ogue ", "og "),  # catalogue
    ("ogues ", "ogs "),
    ("mme ", "m "),  # programme
    ("mmes ", "ms "),
    ("ence ", "ense "),  # defence
)
_DIPHTHONGS = (re.compile("ae(?!s? )"), re.compile("oe(?!s? )"))  # anaemia, oedema; but not vertebrae, shoes
_IRREGULAR = {"men": "man", "women": "woman", "children": "child", "teeth": "tooth", "feet": "foot", "mice": "mouse"}
_CLOSED = re.compile("[^aeiou]*[aeiou][^aeiouwxy]")  # such a verb doubles its last letter: "caring" is not from "car"
_VOWEL = re.compile("[aeiouy]")
_NO_PLURAL = ("ss", "us", "is")
_CHANGING = "aeiys"  # letters that forms of a word may end in or lose
_ENDINGS = ("ing", "ed", "u", "um", "on")  # and endings without those letters: virus, bacterium, criterion


class Likeness(IntEnum):
    """How strongly two spellings suggest that they are one word."""

    SAME = 0  # except for case, accents, possessive, hyphens or regional spelling
    NUMBER = 1  # one or both are plurals, or verbs with -s
    VERB_FORM = 2  # one has -ing or -ed: often another part of speech


def pairs_of_equal(keys: Sequence[str]) -> list[tuple[int, int]]:
    """Pairs of positions, the lower one first, that have the same key."""
    firsts: dict[str, int] = {}
    blocks: dict[str, list[int]] = {}  # of two or more: most skeletons are unique
    for number, key in enumerate(keys):
        first = firsts.setdefault(key, number)
        if first != number:
            blocks.setdefault(key, [first]).append(number)
    return [pair for block in blocks.values() for pair in combinations(block, 2)]


def folded(terms: Sequence[str]) -> list[str]:
    """The terms without case, accents, possessives, hyphens and regional spelling."""
    text = " \n ".join(terms).casefold() + " "  # replacing in one text is much faster than term by term
    if not text.isascii():
        text = _ACCENTS.sub("", unicodedata.normalize("NFD", text))
    for spelling, instead in (*_POSSESSIVES, ("-", " "), *_COUNTRIES):
        text = text.replace(spelling, instead)
    for diphthong in _DIPHTHONGS:
        text = diphthong.sub("e", text)
    return [term.strip(" ") for term in text.split("\n")]


def term_skeleton(term: str) -> str:
    """The skeletons of a folded term's words, joined, so that its spaces do not matter."""
    return "".join(map(skeleton, term.split(" ")))


@lru_cache(maxsize=1 << 16)
def skeleton(word: str) -> str:
    """A word without all that inflection adds or changes: the same for all its forms, and for some other words."""
    word = _IRREGULAR.get(word, word)
    if word.endswith("s") and not word.endswith(_NO_PLURAL):
        word = word[:-2] if word.endswith("es") else word[:-1]
    left = word[:1] + word[1:].rstrip(_CHANGING)
    while left.endswith(_ENDINGS):
        word = left[: -3 if left.endswith("ing") else -1 if left.endswith("u") else -2]
        left = word[:1] + word[1:].rstrip(_CHANGING)
    word = left
    if len(word) > 2 and word[-1] == word[-2]:
        word = word[:-1]
    return word[:-1] + "f" if word.endswith("v") else word  # lives, life


def likeness(term: str, other: str) -> Likeness | None:
    """The weakest likeness of the words of two folded terms; None if two words are not alike.

    Terms with different spaces ("x ray", "xray") are compared as one word.
    """
    words, others = term.split(" "), other.split(" ")
    if len(words) != len(others):
        words, others = ["".join(words)], ["".join(others)]
    weakest = Likeness.SAME
    for word, other in zip(words, others, strict=True):
        if word != other:
            found = word_likeness(word, other)
            if found is None:
                return None
            weakest = max(weakest, found)
    return weakest


def word_likeness(word: str, other: str) -> Likeness | None:
    """The likeness of two different folded words."""
    singulars, other_singulars = _singulars(word), _singulars(other)
    if not singulars.isdisjoint(other_singulars):
        return Likeness.NUMBER
    if not (singulars | _verbs(word)).isdisjoint(other_singulars | _verbs(other)):
        return Likeness.VERB_FORM
    return None


@lru_cache(maxsize=1 << 16)
def _singulars(word: str) -> frozenset[str]:
    """The words that a word may be the plural of, including itself."""
    found = {word, _IRREGULAR.get(word, word)}
    if word.endswith("s") and not word.endswith(_NO_PLURAL):
        found.add(word[:-1])
        if word.endswith("ies"):
            found.add(word[:-3] + "y")
        elif word.endswith("ves"):
            found |= {word[:-3] + "f", word[:-3] + "fe"}
        elif word.endswith(("ses", "xes", "zes", "hes", "oes")):
            found |= {word[:-2], word[:-2] + "is"}  # boxes, diagnoses
    elif word.endswith("a"):
        found |= {word[:-1] + "um", word[:-1] + "on"}  # bacteria, criteria
    elif word.endswith("ae"):
        found.add(word[:-1])  # vertebrae
    elif word.endswith("i"):
        found.add(word[:-1] + "us")  # nuclei
    return frozenset(found)


@lru_cache(maxsize=1 << 16)
def _verbs(word: str) -> frozenset[str]:
    """The verbs that a word may be a form of."""
    if word.endswith("ied"):
        return frozenset({word[:-3] + "y", word[:-1]})  # carried, died
    stem = word[:-3] if word.endswith("ing") else word[:-2] if word.endswith("ed") else ""
    if len(stem) < 2 or not _VOWEL.search(stem):  # thing, bed
        return frozenset()
    if _CLOSED.fullmatch(stem):
        return frozenset({stem + "e"})
    undoubled = stem[:-1] if stem[-1] == stem[-2] else stem
    return frozenset({stem, stem + "e", undoubled})


# The minimum agreement of two terms by local vectors, by the language model's, and of their sum, so that if one is less
# certain the other must be more so. 0 is the agreement of any two terms, 1 that of equal ones. The weaker the evidence
# of the spelling, the stronger that of the vectors must be; docs/method.md has the figures.
_BOUNDS = np.array(
    [
        (0.1, 0.2, 0.5),  # Likeness.SAME
        (0.1, 0.7, 0.95),  # Likeness.NUMBER
        (0.1, 0.75, 1.05),  # Likeness.VERB_FORM
    ]
)
_AT_ONCE = 2048  # pairs: a small buffer that is reused is faster than a large one
_COMPARED = 2000  # terms whose mean gives the similarity of any two terms


@dataclass(frozen=True)
class Variants:
    """Groups of terms that are variants of each other."""

    heads: Longs  # the most frequent term of each term's group; itself if it has no variants

    def representatives(self, best_scores: Doubles, kept: Collection[int] = ()) -> Longs:
        """The term that represents each term: the best of its group by any category; (n_terms,).

        Terms in `kept` always represent themselves.
        """
        stands = np.arange(len(self.heads))
        grouped, starts, groups = self._grouped
        if len(grouped):
            scores = best_scores[grouped]
            best = np.flatnonzero(scores == np.maximum.reduceat(scores, starts)[groups])
            first = best[np.diff(groups[best], prepend=-1) > 0]  # ties go to the most frequent term
            stands[grouped] = grouped[first][groups]
        stands[list(kept)] = list(kept)
        return stands

    @cached_property
    def _grouped(self) -> tuple[Longs, Longs, Longs]:
        """Terms that have variants, group by group, where each group starts, and the group of each term."""
        sizes = np.bincount(self.heads, minlength=len(self.heads))
        terms = np.flatnonzero(sizes[self.heads] > 1)
        terms = terms[np.argsort(self.heads[terms], kind="stable")]
        _, starts, groups = np.unique(self.heads[terms], return_index=True, return_inverse=True)
        return terms, starts, groups


def no_variants(n_terms: int) -> Variants:
    return Variants(np.arange(n_terms))


@dataclass(frozen=True)
class Spellings:
    """What is compared of the spelling of terms, the most frequent first."""

    folded: tuple[str, ...]
    skeletons: tuple[str, ...]
    pairs: Longs  # with the same skeleton, the more frequent term first; (n_pairs, 2)

    def followed_by(self, terms: Sequence[str]) -> Spellings:
        """The same with more terms appended, which is much faster than starting again."""
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

    A term joins the more frequent term that it agrees with most and that has not joined another itself, so every
    member of a group agrees with its most frequent member, whose vector is the least noisy. A rare term's local vector
    may agree by chance, so the language model's, which does not depend on counts, must agree as well.
    """
    if terms.pairs.max(initial=-1) >= min(len(local), len(general)):
        raise DamagedIndex(
            f"there are {len(terms.folded)} terms, but {len(local)} local and {len(general)} general term vectors, so "
            "some files in the index or its build folder have been changed; build it again in another folder"
        )
    pairs, agreement = _agreeing(terms, local, general)
    nearest: defaultdict[int, list[tuple[float, int]]] = defaultdict(list)
    for (frequent, rarer), both in zip(pairs.tolist(), agreement.tolist(), strict=True):
        nearest[rarer].append((-both, frequent))
    heads = list(range(len(terms.folded)))
    for rarer in sorted(nearest):  # more frequent terms are settled first
        free = [each for each in nearest[rarer] if heads[each[1]] == each[1]]
        heads[rarer] = min(free)[1] if free else rarer
    return Variants(np.array(heads, np.int64))


def _agreeing(terms: Spellings, local: Floats, general: Floats) -> tuple[Longs, Doubles]:
    """Pairs of terms similar in spelling, use and meaning, the more frequent one first; and how much they agree."""
    pairs, spelled = terms.pairs, terms.folded
    if not len(pairs):
        return pairs, np.zeros(0)
    # Vectors first: they are compared all at once, and leave few pairs whose spelling must be compared.
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
    """Cosines of pairs of terms, rescaled so that models are comparable: 0 for any two terms, 1 at best."""
    mean = np.asarray(vectors[:: len(vectors) // _COMPARED + 1]).mean(axis=0, dtype=np.float64)
    anywhere = min(float(mean @ mean), 0.99)  # the mean cosine of all pairs
    cosines = np.empty(len(first))
    for start in range(0, len(first), _AT_ONCE):
        part = slice(start, start + _AT_ONCE)
        cosines[part] = np.einsum("ij,ij->i", vectors[first[part]], vectors[second[part]])
    agreement: Doubles = (cosines - anywhere) / (1 - anywhere)
    return agreement
