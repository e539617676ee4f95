"""Python labelling functions: a standalone module, which uses Snorkel if it is installed."""

from __future__ import annotations

import re
import unicodedata

from seetopic.output.exports.dictionary import Dictionary, DictionaryCategory

_HEAD = '''\
"""Labelling functions, one for each category; made by seetopic.

Each takes a text, or anything that has a `text` (a row of a table, a spaCy document), and returns the number of its
category where the text holds one of the terms as whole words, else ABSTAIN. Where Snorkel is installed they are its
labelling functions; nothing but Python is needed.
"""

import re
import unicodedata
from functools import lru_cache

try:
    from snorkel.labeling import labeling_function
except ImportError:

    def labeling_function():
        return lambda function: function


ABSTAIN = -1
'''
_HELPERS = r"""
# A word goes on with these: letters, numbers, and the signs that some scripts put on letters.
_INSIDE = r"\w\u0300-\u036f\u0591-\u05c7\u0610-\u061a\u064b-\u0670\u0900-\u0dff\u0f00-\u0fff\u200c\u200d"
# Scripts without spaces between words.
_SPACELESS = re.compile(r"[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u9fff\U00020000-\U0003ffff]")


@lru_cache(maxsize=1024)
def _plain(text):
    text = unicodedata.normalize("NFC", text).replace("\u2019", "'").replace("_", " ")
    return " ".join(text@LOWER@.split())


def _whole(term):
    before = "" if _SPACELESS.match(term[0]) else f"(?<![{_INSIDE}])"
    after = "" if _SPACELESS.match(term[-1]) else f"(?![{_INSIDE}])"
    return before + re.escape(term) + after


def _pattern(terms):
    return re.compile("|".join(_whole(term) for term in map(_plain, terms) if term) or r"(?!)")


_PATTERNS = {name: _pattern(terms) for name, terms in TERMS.items()}


def _vote(x, name):
    text = x if isinstance(x, str) else x.text
    if not isinstance(text, str):  # a missing value
        return ABSTAIN
    return LABELS[name] if _PATTERNS[name].search(_plain(text)) else ABSTAIN

"""


def labelling_functions(dictionary: Dictionary) -> str:
    """The module's source code. Names and terms are only in literals, so that none of them can be executed."""
    functions = _function_names(dictionary.categories)
    labels = "".join(f"    {category.name!r}: {category.number},\n" for category in dictionary.categories)
    terms = "".join(f"    {category.name!r}: [\n{_listed(category)}    ],\n" for category in dictionary.categories)
    definitions = "".join(
        f"\n@labeling_function()\ndef {function}(x):\n    return _vote(x, {category.name!r})\n\n"
        for function, category in zip(functions, dictionary.categories, strict=True)
    )
    return (
        f"{_HEAD}CARDINALITY = {dictionary.n_topics}  # for Snorkel's LabelModel\n"
        f"LABELS = {{\n{labels}}}\nTERMS = {{\n{terms}}}\n"
        f"{_HELPERS.replace('@LOWER@', '' if dictionary.keeps_case else '.lower()')}"
        f"{definitions}\nLFS = [{', '.join(functions)}]\n"
    )


def _listed(category: DictionaryCategory) -> str:
    """One line per term, with its variants."""
    return "".join(f"        {', '.join(map(repr, entry.forms))},\n" for entry in category.entries)


def _function_names(categories: tuple[DictionaryCategory, ...]) -> list[str]:
    """Unique identifiers that resemble the names."""
    functions: list[str] = []
    for category in categories:
        name = _identifier(category)
        while name in functions:
            name += f"_{category.number}"
        functions.append(name)
    return functions


def _identifier(category: DictionaryCategory) -> str:
    # Python treats identifiers that are equal in this form as the same.
    folded = unicodedata.normalize("NFKC", category.name.lower())
    letters = "".join(letter if f"a{letter}".isidentifier() else " " for letter in folded)
    return "lf_" + (re.sub(r"[\s_]+", "_", letters).strip("_") or f"category_{category.number}")
