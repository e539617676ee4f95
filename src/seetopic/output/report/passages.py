"""Passages of documents: texts with the positions of their words, so that terms can be marked in them.

They are quoted from the documents if these are available and few enough to read quickly; otherwise they are made
from the words stored in the index: in lower case, with a dot in place of separators.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TypeAlias

import numpy as np
import regex

from seetopic.corpus import Documents
from seetopic.index import Index
from seetopic.text import cleaned

Quotable: TypeAlias = Documents | Mapping[int, str]  # texts by number are at hand; documents are read from the start
_READ_THROUGH = 1_500_000  # words of all documents, up to which they are read: a fifth of a second
_LOOKED_AT = 1500  # words per document, from its beginning
_PARTED = " · "
_SENTENCE_END = regex.compile(r"[.!?…。！？]+[\"'”’)\]]*\s+|\s*[\n\r\u2028\u2029]+\s*")


@dataclass(frozen=True)
class PlacedWords:
    """A text, and its words with their positions; None for separators."""

    text: str
    words: list[str | None]
    spans: list[tuple[int, int]]
    ends: list[int] = field(default_factory=list)  # numbers of words before which a sentence ends


def passages_of(
    index: Index, numbers: Collection[int], documents: Quotable | None = None, words: int = _LOOKED_AT
) -> tuple[dict[int, PlacedWords], bool]:
    """Documents by number, up to `words` words of each, and whether they are quoted as written."""
    if isinstance(documents, Documents):
        few = index.manifest["corpus"]["tokens"] <= _READ_THROUGH
        written = _originals(documents, numbers) if few and numbers else {}
    else:
        written = {number: _composed(documents[number]) for number in numbers} if documents is not None else {}
    return {number: _passage(index, number, written.get(number), words) for number in sorted(numbers)}, bool(written)


def _originals(documents: Documents, numbers: Collection[int]) -> dict[int, str]:
    """The original texts of some documents."""
    last, found = max(numbers), {}
    for number, text in enumerate(documents.texts()):
        if number in numbers:
            found[number] = _composed(text)
        if number == last:
            break
    return found


def _composed(text: str) -> str:
    return unicodedata.normalize("NFC", text)


def _passage(index: Index, number: int, original: str | None, words: int) -> PlacedWords:
    stored = _stored(index, number, words)
    if original is None:
        return stored
    quoted = _quoted(index, original, words)
    # A document that differs from the indexed one is not an example of its terms.
    return (
        quoted
        if [word for word in quoted.words if word][:20] == [word for word in stored.words if word][:20]
        else stored
    )


def _stored(index: Index, number: int, most: int) -> PlacedWords:
    texts = index.texts
    first, last = int(texts.starts[number]), int(texts.starts[number + 1])
    parts, words, spans = list[str](), list[str | None](), list[tuple[int, int]]()
    at, known = 0, texts.words
    word: str | None = None
    for place in texts.places[first : min(last, first + most)].tolist():
        if place >= 0:
            at += word is not None  # a space
            parts.append(known[place] if word is None else f" {known[place]}")
            word = known[place]
            spans.append((at, at + len(word)))
        elif word is not None:
            parts.append(_PARTED)
            word = None
            spans.append((at, at))
        else:  # a separator after another one
            continue
        words.append(word)
        at += len(_PARTED if word is None else word)
    return PlacedWords("".join(parts), words, spans)


def _quoted(index: Index, text: str, most: int) -> PlacedWords:
    """The text's words with their positions; a token that is not in the text is a separator."""
    lowered = text.lower() if index.settings.text.lowercase else text
    if len(lowered) != len(text):  # a few letters become two in lower case, which would shift positions
        text = lowered
    words, spans, at = list[str | None](), list[tuple[int, int]](), 0
    for token in index.tokenizer(lowered)[:most]:
        start = lowered.find(token, at) if token else -1
        words.append((cleaned(token) or None) if start >= 0 else None)
        at = start if start >= 0 else at
        spans.append((at, at + len(token) if start >= 0 else at))
        at = spans[-1][1]
    starts = [start for start, _ in spans]
    ends = [int(np.searchsorted(starts, match.end())) for match in _SENTENCE_END.finditer(text)]
    return PlacedWords(text, words, spans, ends)


def marks_in(words: Sequence[str | None], spelled: dict[str, str]) -> list[tuple[int, int, str]]:
    """Where terms occur, the longest at each word, without overlaps."""
    longest: dict[str, int] = {}
    for form in spelled:
        beginning, *rest = form.split(" ")
        longest[beginning] = max(longest.get(beginning, 1), 1 + len(rest))
    marks, end = list[tuple[int, int, str]](), 0
    begins = [at for at, word in enumerate(words) if word in longest or (word is not None and " " in word)]
    for at in begins:  # few of all words
        word = words[at]
        if word is None or at < end:
            continue
        for size in range(longest.get(word.split(" ")[0] if " " in word else word, 0), 0, -1):
            run = words[at : at + size]
            term = spelled.get(" ".join(each for each in run if each)) if None not in run else None
            if term is not None:
                end = at + len(run)
                marks.append((at, end, term))
                break
    return marks


def marked_whole(passage: PlacedWords, spelled: dict[str, str]) -> tuple[tuple[str, str | None], ...]:
    """A whole passage, split into parts with the term that each is a form of, or None."""
    parts, at = list[tuple[str, str | None]](), 0
    for start, stop, meant in marks_in(passage.words, spelled):
        first, last = passage.spans[start][0], passage.spans[stop - 1][1]
        parts += [(passage.text[at:first], None), (passage.text[first:last], meant)]
        at = last
    end = passage.spans[-1][1] if passage.spans else 0
    parts.append((passage.text[at:end], None))
    return tuple((part, meant) for part, meant in parts if part)
