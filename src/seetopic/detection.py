"""Which languages documents are in, so that the function words of each are left out, and text without spaces."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import regex

from seetopic.arrays import Flags, Longs
from seetopic.languages import connectors, function_words
from seetopic.settings import LANGUAGES
from seetopic.words import ENGLISH, NO_GRAMMAR, Grammar

if TYPE_CHECKING:
    from scipy.sparse import csr_array

NOTICEABLE = 0.01  # share of the documents of clear language from which a language counts
_EVIDENCE = 2  # function words that make a document's language clear, if no other language has as many
_CLEAR = 0.25  # share of the words, in documents of clear language, from which languages are told at all
_MUCH = 0.05  # share of letters in scripts without spaces from which it is said
_LETTERS = regex.compile(r"[\p{L}\p{M}]")


@dataclass(frozen=True)
class _Script:
    """Writing without spaces between words."""

    languages: str
    letters: regex.Pattern[str]
    longest: float  # letters, marks included, of a word on average; beyond, words are several in one


_WITHOUT_SPACES = (
    _Script("Chinese or Japanese", regex.compile(r"[\p{Han}\p{Hiragana}\p{Katakana}ー]"), 4.0),  # cut well: 2
    _Script("Thai, Khmer, Lao or Burmese", regex.compile(r"[\p{Thai}\p{Khmer}\p{Lao}\p{Myanmar}]"), 10.0),  # 4
)


@dataclass(frozen=True)
class Languages:
    """The languages of a corpus, and what is a function word in it."""

    shares: dict[str, float]  # of the documents of clear language, by falling share
    grammar: Grammar
    detected: dict[str, float]  # the same shares, whatever was asked for; none if too little of the text is clear


def languages_of(words: Sequence[str], sample: csr_array, asked: tuple[str, ...] | None) -> Languages:
    """Languages from a sample of documents, or those asked for; `sample` counts words, (n_documents, n_words).

    A function word of one language may say something in another ("son", "war", "die"). It is left out unless
    most of the documents that hold it, of those of clear language, are in such other languages.
    """
    spelled, counts = _in_lower_case(words, sample)
    listed = _listed(spelled, LANGUAGES)
    language = _clear_language(counts, listed)
    detected = _detected(counts, language)
    if asked == ():
        return Languages({}, NO_GRAMMAR, detected)
    candidates: Sequence[str] = LANGUAGES
    if asked is not None:
        candidates, listed = asked, _listed(spelled, asked)
        language = _clear_language(counts, listed)
    shares = np.bincount(language[language >= 0], minlength=len(candidates)) / max(int((language >= 0).sum()), 1)
    used = [number for number in np.argsort(-shares, kind="stable").tolist() if asked or shares[number] >= NOTICEABLE]
    if not used:  # too little text to tell
        return Languages({"en": 0.0}, ENGLISH, detected)
    known = frozenset[str]().union(*(function_words(candidates[number]) for number in used))
    known -= {spelled[word] for word in np.flatnonzero(_says_something(counts, listed, language, used))}
    joining = frozenset[str]().union(*(connectors(candidates[number]) for number in used))
    rounded = {candidates[number]: round(float(shares[number]), 3) for number in used}
    return Languages(rounded, Grammar(known, joining), detected)


def _in_lower_case(words: Sequence[str], sample: csr_array) -> tuple[list[str], csr_array]:
    """The same counts with "Die" and "die" as one word."""
    from scipy.sparse import csr_array

    places: dict[str, int] = {}
    column = np.array([places.setdefault(word.lower(), len(places)) for word in words], np.int32)
    columns = column[sample.indices] if len(words) else sample.indices
    return list(places), csr_array((sample.data, columns, sample.indptr), shape=(sample.shape[0], len(places)))


def _listed(spelled: list[str], candidates: Sequence[str]) -> Flags:
    """Whether each word is a function word of each language; (n_words, n_languages)."""
    places = {word: place for place, word in enumerate(spelled)}
    listed = np.zeros((len(spelled), len(candidates)), np.bool_)
    for number, code in enumerate(candidates):
        listed[[places[word] for word in function_words(code) if word in places], number] = True
    return listed


def _clear_language(counts: csr_array, listed: Flags) -> Longs:
    """The language whose function words each document holds most of; -1 where two have as many, or there are few."""
    evidence = counts @ listed.astype(np.float32)  # (n_documents, n_languages)
    best = evidence.max(axis=1)
    clear = (best >= _EVIDENCE) & ((evidence == best[:, None]).sum(axis=1) == 1)
    return np.where(clear, evidence.argmax(axis=1), -1)


def _detected(counts: csr_array, language: Longs) -> dict[str, float]:
    """Each language's share of the documents of clear language, if these hold enough of the words."""
    sizes, is_clear = counts.sum(axis=1), language >= 0
    if not is_clear.any() or sizes[is_clear].sum() < _CLEAR * sizes.sum():
        return {}
    shares = np.bincount(language[is_clear], minlength=len(LANGUAGES)) / is_clear.sum()
    return {code: float(share) for code, share in zip(LANGUAGES, shares, strict=True) if share}


def _says_something(counts: csr_array, listed: Flags, language: Longs, used: Sequence[int]) -> Flags:
    """Words of which most documents of the used languages are in one where they are not function words."""
    holds = counts.copy()
    holds.sum_duplicates()
    holds.data = np.ones_like(holds.data)
    inside = np.array([language == number for number in used], np.float32).T  # (n_documents, n_used)
    documents = holds.T @ inside  # (n_words, n_used): how many documents of each language hold each word
    own = (documents * listed[:, used]).sum(axis=1)
    found: Flags = listed[:, used].any(axis=1) & (documents.sum(axis=1) > 2 * own)
    return found


def warnings_about_spaces(words: Iterable[tuple[str, int]]) -> list[str]:
    """A sentence if much of the text, given as words and how often each occurs, has no spaces between words."""
    n_letters = 0
    found = [(0, 0)] * len(_WITHOUT_SPACES)  # letters, and words that have such letters, of each kind
    for word, count in words:
        n_letters += count * (len(word) if word.isascii() else len(_LETTERS.findall(word)))
        if not word.isascii():
            sizes = [len(script.letters.findall(word)) for script in _WITHOUT_SPACES]
            found = [
                (n + count * size, times + count * (size > 0)) for (n, times), size in zip(found, sizes, strict=True)
            ]
    return [
        f"{n / n_letters:.0%} of the letters are {script.languages}, written without spaces, so that whole clauses "
        "became single words; put spaces between the words, or give `Index.build` a `tokenizer` that cuts such text"
        for script, (n, times) in zip(_WITHOUT_SPACES, found, strict=True)
        if n >= _MUCH * max(n_letters, 1) and n > script.longest * times
    ]
