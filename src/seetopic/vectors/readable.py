"""Warnings about languages and scripts that the embedded language model, trained on English, cannot read."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from functools import cache

import regex

from seetopic.vectors.encoder.minilm import EMBEDDED_NAME

_MOST = 0.5  # share of the text, or of the names, above which to warn
_WORTH_NAMING = 0.05  # share of the text
_LISTED = 3  # languages and scripts named in a warning
_SHOWN = 40  # characters of a name shown in a warning
_LANGUAGES = {  # of the detected languages; Russian is recognised by its script
    "da": "Danish",
    "de": "German",
    "es": "Spanish",
    "fr": "French",
    "it": "Italian",
    "nb": "Norwegian",
    "nl": "Dutch",
    "pl": "Polish",
    "pt": "Portuguese",
    "sv": "Swedish",
}
# Words between others in names of these languages, as "and" in English. Words of proper names and dishes that English
# has, too, are left out ("van der Waals", "Rio de Janeiro", "coq au vin").
_BETWEEN = {
    "da": "og til af med",
    "de": "und oder für im zum zur vom auf bei über aus ohne",
    "en": "and of the for to with",
    "es": "y en con para por",
    "fr": "et ou dans sur aux avec sans pour",
    "it": "e ed nel nella della delle degli con",
    "nb": "og til av med",
    "nl": "en het voor bij zonder",
    "pl": "i oraz dla na",
    "pt": "e ou em para por",
    "sv": "och för till av med",
}
_FEWEST = 2  # names with such words that show their language
_SCRIPTS = {
    "Arabic": "Arabic script",
    "Bengali": "Bengali script",
    "Cyrillic": "Cyrillic script",
    "Devanagari": "Devanagari script",
    "Greek": "Greek",
    "Han": "Chinese or Japanese",
    "Hangul": "Korean",
    "Hebrew": "Hebrew script",
    "Hiragana": "Chinese or Japanese",
    "Katakana": "Chinese or Japanese",
    "Tamil": "Tamil script",
    "Thai": "Thai",
}
_OTHER = "a script other than Latin"
_LETTER = regex.compile(r"\p{L}")
_WORD = regex.compile(r"[\p{L}\p{M}]+")
_ACCENTED = regex.compile(r"(?=\p{Latin})[^a-zA-Z]")
_LATIN = regex.compile(r"[\p{Latin}\p{Common}\p{Inherited}]")
_SCRIPT = regex.compile("|".join(rf"(?P<{script}>\p{{{script}}})" for script in _SCRIPTS))
_MADE_FOR = f"the embedded language model, {EMBEDDED_NAME}, was trained on English"
_CHANGE = "choose a multilingual model with --model (in Python: `embedding_model` or `model`)"


def script_shares(words: Iterable[tuple[str, int]]) -> dict[str, float]:
    """The share of a text, given as words and their counts, that is in each script other than Latin."""
    letters: Counter[str] = Counter()
    for word, count in words:
        # Words that mix scripts are rare, so the first letter decides.
        first = None if word.isascii() else _LETTER.search(word)
        letters[_script(first[0]) if first else ""] += count * len(word)
    total = max(letters.total(), 1)
    return {script: n / total for script, n in letters.most_common() if script}


@cache
def _script(letter: str) -> str:
    """The usual name of a letter's script; empty if it is Latin."""
    if _LATIN.match(letter):
        return ""
    found = _SCRIPT.match(letter)
    return _SCRIPTS[str(found.lastgroup)] if found else _OTHER


def warnings_about_text(scripts: Mapping[str, float], languages: Mapping[str, float]) -> list[str]:
    """A warning if most of the text is not English, given the shares of scripts and of language codes."""
    latin = {code: share for code, share in languages.items() if code == "en" or code in _LANGUAGES}
    scale = (1 - sum(scripts.values())) / (sum(latin.values()) or 1)
    foreign = {**scripts, **{_LANGUAGES[code]: share * scale for code, share in latin.items() if code != "en"}}
    share = sum(foreign.values())
    if share <= _MOST:
        return []
    named = [kind for kind, part in Counter(foreign).most_common(_LISTED) if part >= _WORTH_NAMING * share]
    return [f"{share:.0%} of the text is in {_either(named)}, but {_MADE_FOR}, so expect poor topics; {_CHANGE}"]


def warnings_about_names(names: Sequence[str], said: Iterable[str] = ()) -> list[str]:
    """A warning if most names are clearly not in English; none if there is already one about the documents."""
    scripts = map(_script_of_name, names)
    kinds = [script or language for script, language in zip(scripts, _languages_of_names(names), strict=True)]
    foreign = [name for name, kind in zip(names, kinds, strict=True) if kind]
    if len(foreign) <= _MOST * len(names) or any(_MADE_FOR in sentence for sentence in said):
        return []
    named = [kind for kind, _ in Counter(filter(None, kinds)).most_common(_LISTED)]
    return [
        f"the category names are mostly in {_either(named)}, such as {foreign[0][:_SHOWN]!r}, but {_MADE_FOR}; "
        f"write them in English, or {_CHANGE}"
    ]


def _languages_of_names(names: Sequence[str]) -> list[str]:
    """The language of each name in Latin script; empty if it may be English.

    A name has too few words to tell: "sport" is a word in many languages, and English has words of others. So several
    names must have words of one language between others, and more of them than have English ones; then names with
    letters that English lacks count as well.
    """
    between = [{*_WORD.findall(name.casefold())[1:-1]} for name in names]
    times = {code: sum(not own.isdisjoint(words.split()) for own in between) for code, words in _BETWEEN.items()}
    most = max(times.values())
    if most < _FEWEST or most == times["en"]:
        return [""] * len(names)
    best = [code for code, number in times.items() if number == most]
    language, words = _either([_LANGUAGES[code] for code in best]), {*" ".join(_BETWEEN[code] for code in best).split()}
    shown = [
        not own.isdisjoint(words) or bool(_ACCENTED.search(name)) for own, name in zip(between, names, strict=True)
    ]
    return [language if is_shown else "" for is_shown in shown]


def _script_of_name(name: str) -> str:
    """The script of most letters of a name; empty if it is Latin or there are no letters."""
    letters = Counter(map(_script, _LETTER.findall(name)))
    latin = letters.pop("", 0)
    return letters.most_common(1)[0][0] if letters.total() > latin else ""


def _either(kinds: Sequence[str]) -> str:
    return " or ".join([*([", ".join(kinds[:-1])] if kinds[1:] else []), kinds[-1]])
