"""Terms that may be one by their spelling: plurals, possessives, verb forms, British and American, accents, hyphens."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from enum import IntEnum
from functools import lru_cache
from itertools import combinations

_ACCENTS = re.compile("[\u0300-\u036f]")  # of Latin, Greek and Cyrillic letters; other scripts' marks are letters
_POSSESSIVES = ((" 's ", "'s "), ("'s ", " "), ("s' ", "s "))
# What differs between countries, written one way; a space ends a word. Words that were not meant ("four", "for") do no
# harm: their vectors tell them apart.
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
_CLOSED = re.compile("[^aeiou]*[aeiou][^aeiouwxy]")  # such a verb doubles its last letter: "caring" is not of "car"
_VOWEL = re.compile("[aeiouy]")
_NO_PLURAL = ("ss", "us", "is")
_CHANGING = "aeiys"  # letters that forms of a word may end in or lose
_ENDINGS = ("ing", "ed", "u", "um", "on")  # and endings, less those letters: virus, bacterium, criterion


class Likeness(IntEnum):
    """How much two spellings say that they are one word."""

    SAME = 0  # but for case, accents, possessive, hyphens or a country's habits
    NUMBER = 1  # one is, or both are, a plural, or a verb with -s
    VERB_FORM = 2  # one has -ing or -ed: often another part of speech


def pairs_of_one_skeleton(folded_terms: Sequence[str]) -> list[tuple[int, int]]:
    """Pairs of terms, by number, the lower one first, that are worth a look; among them are all that are alike.

    Only terms of one skeleton meet, so that the work grows with the number of terms, not of their pairs.
    """
    return pairs_of_equal([term_skeleton(term) for term in folded_terms])


def pairs_of_equal(keys: Sequence[str]) -> list[tuple[int, int]]:
    """Pairs of places, the lower one first, that have the same key."""
    firsts: dict[str, int] = {}
    blocks: dict[str, list[int]] = {}  # of two or more: most terms have a skeleton of their own
    for number, key in enumerate(keys):
        first = firsts.setdefault(key, number)
        if first != number:
            blocks.setdefault(key, [first]).append(number)
    return [pair for block in blocks.values() for pair in combinations(block, 2)]


def folded(terms: Sequence[str]) -> list[str]:
    """The terms without case, accents, possessives, hyphens and what is only a country's spelling."""
    text = " \n ".join(terms).casefold() + " "  # one text: replacing in it is much faster than term by term
    if not text.isascii():
        text = _ACCENTS.sub("", unicodedata.normalize("NFD", text))
    for spelling, instead in (*_POSSESSIVES, ("-", " "), *_COUNTRIES):
        text = text.replace(spelling, instead)
    for diphthong in _DIPHTHONGS:
        text = diphthong.sub("e", text)
    return [term.strip(" ") for term in text.split("\n")]


def term_skeleton(term: str) -> str:
    """The skeletons of a folded term's words, however they are parted."""
    return "".join(map(skeleton, term.split(" ")))


@lru_cache(maxsize=1 << 16)
def skeleton(word: str) -> str:
    """What all forms of a word share, and some other words, too: it without all that inflection adds or changes."""
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
    """Of two folded terms: the weakest likeness of their words; None if two words are not alike.

    Terms that are parted differently ("x ray", "xray") are compared whole.
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
    """Of two folded words that differ."""
    singulars, other_singulars = _singulars(word), _singulars(other)
    if not singulars.isdisjoint(other_singulars):
        return Likeness.NUMBER
    if not (singulars | _verbs(word)).isdisjoint(other_singulars | _verbs(other)):
        return Likeness.VERB_FORM
    return None


@lru_cache(maxsize=1 << 16)
def _singulars(word: str) -> frozenset[str]:
    """The words that a word may be the plural of, itself among them."""
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
