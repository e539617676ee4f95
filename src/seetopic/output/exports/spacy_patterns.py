"""spaCy: patterns for `EntityRuler` and `Matcher`, one JSON object per line.

A term is matched token by token, and spaCy tokenises differently from us and differently in each language: English
splits "follow-up" into three tokens, German does not split it. So a term has a pattern for every way to split it.
"""

from __future__ import annotations

import json
import re
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import product
from math import prod
from typing import Any

from seetopic.output.exports.dictionary import Dictionary

_WORD = re.compile(r"\S+")
_UNIT = re.compile(r"(?<=\d)(?=[^\W\d_])")  # 10 mg
_HAN = re.compile(r"[\u3400-\u9fff]{2,}")  # split into single characters
# English words that spaCy splits into two or three tokens: im, dont, shouldve, cannot, gonna.
_SUBJECTS = "i|you|he|she|it|we|they|this|that|these|those|there|who|what|when|where|why|how|not"
_VERBS = "ai|are|ca|could|dare|did|does|do|had|has|have|is|may|might|must|need|ought|sha|should|was|were|wo|would"
_CONTRACTED = re.compile(
    rf"({_SUBJECTS})(m|s|d|ll|re)?(ve)?|({_VERBS})(nt)?(ve)?|(can)(not)|(gon)(na)|(got)(ta)|(y)(all)|(i)(m)(a)",
    re.IGNORECASE,
)
_LINE_END = {"IS_SPACE": True, "OP": "?"}  # line breaks often occur within a term
_MOST_PATTERNS = 64
_ABBREVIATION = 5  # letters; some languages keep a final full stop with words up to this length


@dataclass(frozen=True)
class _Spot:
    """A place inside a word, and the positions at which it may be split there."""

    kind: str
    ways: tuple[tuple[int, ...], ...]


def spacy_patterns(dictionary: Dictionary) -> str:
    attribute = "TEXT" if dictionary.keeps_case else "LOWER"
    lines = [
        {"label": category.name, "pattern": pattern, "id": entry.term}
        for category in dictionary.categories
        for entry in category.entries
        for form in entry.forms
        for pattern in _patterns(form if dictionary.keeps_case else form.lower(), attribute)
    ]
    return "".join(json.dumps(line, ensure_ascii=False) + "\n" for line in lines)


def _patterns(form: str, attribute: str) -> Iterator[list[dict[str, Any]]]:
    # The last full stop of "u.s." is its own token in some languages, and merges with the sentence's in others.
    bare = form.rstrip(".") or form
    for tokens in dict.fromkeys(_ways_to_cut(bare)):
        *first, last = tokens
        stopped = bare != form or len(last) <= _ABBREVIATION or last[-1].isdigit()
        ends = [last, f"{last}."] if stopped else [last]
        yield [*(_token([token], attribute) if token else _LINE_END for token in first), _token(ends, attribute)]


def _token(texts: list[str], attribute: str) -> dict[str, Any]:
    # Our terms use one kind of apostrophe, texts use two.
    spelled = list(dict.fromkeys([*texts, *(text.replace("'", "’") for text in texts)]))
    return {attribute: spelled[0] if len(spelled) == 1 else {"IN": spelled}}


def _ways_to_cut(form: str) -> Iterator[tuple[str, ...]]:
    """Every way to split a form into tokens, with an empty token between words."""
    spots = list(_spots(form))
    # In a term with very many marks, all marks of a kind are split in the same way.
    alike = prod(len(spot.ways) for spot in spots) > _MOST_PATTERNS
    keys = [spot.kind if alike else str(number) for number, spot in enumerate(spots)]
    ways = {key: range(len(spot.ways)) for key, spot in zip(keys, spots, strict=True)}
    for chosen in product(*ways.values()):
        way = dict(zip(ways, chosen, strict=True))
        cuts = {cut for key, spot in zip(keys, spots, strict=True) for cut in spot.ways[way[key]]}
        yield tuple(_pieces(form, cuts))


def _pieces(form: str, cuts: set[int]) -> Iterator[str]:
    start = 0
    for end in range(1, len(form) + 1):
        if end == len(form) or end in cuts or form[end] == " ":
            yield form[start:end].strip()
            start = end
            if form[end:].startswith(" "):
                yield ""
                start = end + 1


def _spots(form: str) -> Iterator[_Spot]:
    for at, mark in enumerate(form):
        if 0 < at < len(form) - 1 and _is_mark(mark) and form[at - 1] != " ":
            yield _Spot(_kind(form, at), _cuts_at(form, at))
    for found in _UNIT.finditer(form):
        yield _Spot("unit", ((), (found.start(),)))
    for found in _WORD.finditer(form):
        word, start = found.group(), found.start()
        if _HAN.fullmatch(word):
            yield _Spot("han", ((), tuple(range(start + 1, found.end()))))
        contracted = _CONTRACTED.fullmatch(word)
        if contracted is not None:
            ends = [start + contracted.end(part) for part in range(1, len(contracted.groups()) + 1) if contracted[part]]
            yield _Spot("contracted", ((), tuple(ends[:-1])))


def _is_mark(character: str) -> bool:
    return unicodedata.category(character)[0] in "PS"


def _kind(form: str, at: int) -> str:
    before, after = ("1" if form[side].isdigit() else "a" for side in (at - 1, at + 1))
    return before + form[at] + after


def _cuts_at(form: str, at: int) -> tuple[tuple[int, ...], ...]:
    """Unsplit, or split on both sides of the mark; for an apostrophe also on one: mother 's, l' amour, do n't."""
    if form[at] != "'":
        return (), (at, at + 1)
    either = (), (at,), (at + 1,), (at, at + 1)
    return (*either, (at - 1,)) if form[at - 1 : at + 2].lower() == "n't" and at > 1 else either
