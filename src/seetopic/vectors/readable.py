"""What the embedded language model, which was made for English, cannot read: other languages and scripts."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from functools import cache

import regex

from seetopic.vectors.encoder.minilm import EMBEDDED_NAME

_MOST = 0.5  # share of the text, or of the names, beyond which it is said
_WORTH_NAMING = 0.05  # share of the text
_LISTED = 3  # languages and scripts that a sentence names
_SHOWN = 40  # letters of a name that a sentence shows
_LANGUAGES = {  # of those that are detected; Russian is told by its script
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
_LATIN = regex.compile(r"[\p{Latin}\p{Common}\p{Inherited}]")
_SCRIPT = regex.compile("|".join(rf"(?P<{script}>\p{{{script}}})" for script in _SCRIPTS))
_MADE_FOR = f"the embedded language model, {EMBEDDED_NAME}, was made for English"
_CHANGE = "choose a multilingual model with --model (in Python: `embedding_model` or `model`)"


def script_shares(words: Iterable[tuple[str, int]]) -> dict[str, float]:
    """How much of a text, given as words and how often each occurs, is in each script other than Latin."""
    letters: Counter[str] = Counter()
    for word, count in words:
        # Words of several scripts are rare, so the first letter tells.
        first = None if word.isascii() else _LETTER.search(word)
        letters[_script(first[0]) if first else ""] += count * len(word)
    total = max(letters.total(), 1)
    return {script: n / total for script, n in letters.most_common() if script}


@cache
def _script(letter: str) -> str:
    """What a person calls the script of a letter; nothing if it is Latin."""
    if _LATIN.match(letter):
        return ""
    found = _SCRIPT.match(letter)
    return _SCRIPTS[str(found.lastgroup)] if found else _OTHER


def warnings_about_text(scripts: Mapping[str, float], languages: Mapping[str, float]) -> list[str]:
    """A sentence if most of the text is not English, by the shares of scripts, and of languages by their codes."""
    latin = {code: share for code, share in languages.items() if code == "en" or code in _LANGUAGES}
    scale = (1 - sum(scripts.values())) / (sum(latin.values()) or 1)
    foreign = {**scripts, **{_LANGUAGES[code]: share * scale for code, share in latin.items() if code != "en"}}
    share = sum(foreign.values())
    if share <= _MOST:
        return []
    named = [kind for kind, part in Counter(foreign).most_common(_LISTED) if part >= _WORTH_NAMING * share]
    return [f"{share:.0%} of the text is in {_either(named)}, but {_MADE_FOR}, so expect poor topics; {_CHANGE}"]


def warnings_about_names(names: Sequence[str], said: Iterable[str] = ()) -> list[str]:
    """A sentence if most names are in another script than Latin; none if it was said of the documents already.

    Names are too few words to tell languages of one script apart: "Politik", "sport" and "restaurant" are anybody's.
    """
    scripts = [_script_of_name(name) for name in names]
    foreign = [name for name, script in zip(names, scripts, strict=True) if script]
    if len(foreign) <= _MOST * len(names) or any(_MADE_FOR in sentence for sentence in said):
        return []
    named = [script for script, _ in Counter(filter(None, scripts)).most_common(_LISTED)]
    return [
        f"the category names are mostly in {_either(named)}, such as {foreign[0][:_SHOWN]!r}, but {_MADE_FOR}; "
        f"write them in English, or {_CHANGE}"
    ]


def _script_of_name(name: str) -> str:
    """The script of most of its letters; nothing if that is Latin, or there are no letters."""
    letters = Counter(map(_script, _LETTER.findall(name)))
    latin = letters.pop("", 0)
    return letters.most_common(1)[0][0] if letters.total() > latin else ""


def _either(kinds: Sequence[str]) -> str:
    return " or ".join([*([", ".join(kinds[:-1])] if kinds[1:] else []), kinds[-1]])
