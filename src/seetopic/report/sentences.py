"""Sentences of the documents that show topics' terms at work.

Quoted from the documents themselves where these are at hand and few enough to read through in a moment; else from
the words that the index keeps: in lower case, with a dot where something parted them.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Collection, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import pairwise

import numpy as np
import regex

from seetopic.arrays import Doubles
from seetopic.documents import Documents
from seetopic.figures.scene import Scene
from seetopic.index import Index
from seetopic.words import cleaned

_READ_THROUGH = 1_500_000  # words of documents that are read through for sentences: a fifth of a second
_LOOKED_AT = 1500  # words of a document, from its beginning
_LONGEST = 36  # words of a sentence that are shown
_BEFORE = 9  # words before the first marked term, where a sentence is cut
_CANDIDATES = 8  # documents of a topic that sentences are chosen from
_PARTED = " · "
_SENTENCE_END = regex.compile(r"[.!?…。！？]+[\"'”’)\]]*\s+|\s*[\n\r\u2028\u2029]+\s*")


@dataclass(frozen=True)
class Sentence:
    """A piece of a document; the parts of it that are terms are marked."""

    parts: tuple[tuple[str, bool], ...]
    terms: frozenset[str]  # that are marked
    document: int  # its number, from 0


@dataclass(frozen=True)
class Examples:
    """Sentences of each topic, and of each of its terms; whether they are quoted as they were written."""

    of_topics: tuple[tuple[Sentence, ...], ...]
    of_terms: tuple[dict[str, Sentence], ...]
    quoted: bool


@dataclass(frozen=True)
class _Passage:
    """A text, and its words with the place of each; None for what parts words."""

    text: str
    words: list[str | None]
    spans: list[tuple[int, int]]
    ends: list[int] = field(default_factory=list)  # words before which a sentence ends


def examples(scene: Scene, documents: Documents | None = None, each: int = 3) -> Examples:
    """Up to `each` sentences a topic, chosen to show many terms, and one a term."""
    found = _Chosen(scene)
    tokens = scene.run.index.manifest["corpus"]["tokens"]
    at_hand = documents if documents is not None and tokens <= _READ_THROUGH else None
    originals = _originals(at_hand, found.numbers)
    passages = {number: _passage(scene.run.index, number, originals.get(number)) for number in sorted(found.numbers)}
    of_topics, of_terms = [], []
    for topic, (candidates, by_term) in enumerate(zip(found.by_topic, found.by_term, strict=True)):
        spelled = _spellings(scene, topic)
        shown = [_sentence(passages[number], number, spelled) for number in candidates]
        of_topics.append(_covering([one for one in shown if one is not None], each))
        own = {term: _sentence(passages[number], number, spelled, term) for term, number in by_term.items()}
        of_terms.append({term: sentence for term, sentence in own.items() if sentence is not None})
    return Examples(tuple(of_topics), tuple(of_terms), bool(originals))


@dataclass(frozen=True)
class _Chosen:
    """Which documents are looked at, by their numbers in the corpus."""

    scene: Scene

    @cached_property
    def by_topic(self) -> list[list[int]]:
        """Documents of the sample that hold many of a topic's best terms, and belong to it."""
        scene, index = self.scene, self.scene.run.index
        if not len(scene.document_shares):
            return [[] for _ in scene.topics]
        hits = scene.run.sampled.documents @ self._weights
        ranked = hits * scene.document_shares
        chosen = []
        for topic in range(len(scene.topics)):
            order = np.argsort(-ranked[:, topic], kind="stable")[:_CANDIDATES]
            chosen.append([int(index.sampled[row]) for row in order if hits[row, topic] > 0])
        return chosen

    @property
    def _weights(self) -> Doubles:
        topics, ids = self.scene.topics, self.scene.run.index.vocabulary.ids
        weights = np.zeros((len(ids), len(topics)))
        for number, topic in enumerate(topics):
            for ranked in topic.terms:
                weights[[ids[form] for form in (ranked.term, *ranked.variants)], number] = np.sqrt(
                    max(ranked.score, 0.0)
                )
        return weights

    @cached_property
    def by_term(self) -> list[dict[str, int]]:
        """The document that belongs most clearly to the topic among those of the sample that hold the term."""
        run, chosen = self.scene.run, []
        columns = run.sampled.documents.tocsc()
        for topic, terms in enumerate(self.scene.terms):
            taken: set[int] = set()
            own = {}
            for term in terms:
                rows = columns.indices[columns.indptr[term] : columns.indptr[term + 1]]
                order = rows[np.argsort(-self.scene.document_shares[rows, topic], kind="stable")[:_CANDIDATES]]
                numbers = run.index.sampled[order].tolist() or self._first_document(term)
                number = next((one for one in numbers if one not in taken), numbers[0] if numbers else None)
                if number is not None:
                    taken.add(number)
                    own[run.index.vocabulary.terms[term]] = number
            chosen.append(own)
        return chosen

    def _first_document(self, term: int) -> list[int]:
        index = self.scene.run.index
        first, last = index.posting_starts[term], index.posting_starts[term + 1]
        return [int(index.posting_documents[first])] if last > first else []

    @cached_property
    def numbers(self) -> set[int]:
        listed = {number for numbers in self.by_topic for number in numbers}
        return listed | {number for own in self.by_term for number in own.values()}


def _originals(documents: Documents | None, numbers: Collection[int]) -> dict[int, str]:
    """The texts of some documents, as they were written."""
    if documents is None or not numbers:
        return {}
    last, found = max(numbers), {}
    for number, text in enumerate(documents.texts()):
        if number in numbers:
            found[number] = unicodedata.normalize("NFC", text)
        if number == last:
            break
    return found


def _passage(index: Index, number: int, original: str | None) -> _Passage:
    stored = _stored(index, number)
    if original is None:
        return stored
    quoted = _quoted(index, original)
    # Another document than the one that was indexed is no example of its terms.
    return (
        quoted
        if [word for word in quoted.words if word][:20] == [word for word in stored.words if word][:20]
        else stored
    )


def _stored(index: Index, number: int) -> _Passage:
    texts = index.texts
    first, last = int(texts.starts[number]), int(texts.starts[number + 1])
    text, words, spans = "", list[str | None](), list[tuple[int, int]]()
    for place in texts.places[first : min(last, first + _LOOKED_AT)].tolist():
        if place >= 0:
            text += "" if not text or words[-1] is None else " "
            words.append(texts.words[place])
            spans.append((len(text), len(text) + len(texts.words[place])))
            text += texts.words[place]
        elif words and words[-1] is not None:
            words.append(None)
            spans.append((len(text), len(text)))
            text += _PARTED
    return _Passage(text, words, spans)


def _quoted(index: Index, text: str) -> _Passage:
    """The text's words, each where it stands; a tokenizer's word that is not in the text parts words."""
    lowered = text.lower() if index.settings.text.lowercase else text
    if len(lowered) != len(text):  # a few letters become two in lower case: places would be wrong
        text = lowered
    words, spans, at = list[str | None](), list[tuple[int, int]](), 0
    for token in index.tokenizer(lowered)[:_LOOKED_AT]:
        start = lowered.find(token, at) if token else -1
        words.append((cleaned(token) or None) if start >= 0 else None)
        at = start if start >= 0 else at
        spans.append((at, at + len(token) if start >= 0 else at))
        at = spans[-1][1]
    starts = [start for start, _ in spans]
    ends = [int(np.searchsorted(starts, match.end())) for match in _SENTENCE_END.finditer(text)]
    return _Passage(text, words, spans, ends)


def _spellings(scene: Scene, topic: int) -> dict[str, str]:
    """The term that each spelling of a topic stands for."""
    return {form: one.term for one in scene.topics[topic].terms for form in (one.term, *one.variants)}


def _sentence(passage: _Passage, number: int, spelled: dict[str, str], wanted: str | None = None) -> Sentence | None:
    """The sentence of a passage with the most terms; with a wanted one, if that is given."""
    marks = _marks(passage.words, spelled)
    bounds = [0, *passage.ends, len(passage.words)]
    best: tuple[int, int, int] | None = None
    for first, last in pairwise(bounds):
        inside = [mark for mark in marks if first <= mark[0] and mark[1] <= last]
        for begin, end in _windows(inside, first, last, wanted):
            count = len({term for start, stop, term in inside if begin <= start and stop <= end})
            if best is None or count > best[0]:
                best = count, begin, end
    if best is None:
        return None
    _, begin, end = best
    shown = [mark for mark in marks if begin <= mark[0] and mark[1] <= end]
    return Sentence(_parts(passage, shown, begin, end), frozenset(term for *_, term in shown), number)


def _windows(marks: Sequence[tuple[int, int, str]], first: int, last: int, wanted: str | None) -> list[tuple[int, int]]:
    """A sentence whole if it is short; else a piece that begins a little before each term."""
    own = [mark for mark in marks if wanted in (None, mark[2])]
    if last - first <= _LONGEST:
        return [(first, last)] if own else []
    begins = [max(first, min(mark[0] - _BEFORE, last - _LONGEST)) for mark in own]
    return [(begin, min(last, begin + _LONGEST)) for begin in begins]


def _marks(words: Sequence[str | None], spelled: dict[str, str]) -> list[tuple[int, int, str]]:
    """Where the terms stand, the longest first at each word, none within another."""
    longest: dict[str, int] = {}
    for form in spelled:
        beginning, *rest = form.split(" ")
        longest[beginning] = max(longest.get(beginning, 1), 1 + len(rest))
    marks, at = [], 0
    while at < len(words):
        word = words[at]
        step = 1
        if word is not None:
            for size in range(longest.get(word.split(" ")[0], 0), 0, -1):
                run = words[at : at + size]
                term = spelled.get(" ".join(each for each in run if each)) if None not in run else None
                if term is not None:
                    marks.append((at, at + len(run), term))
                    step = len(run)
                    break
        at += step
    return marks


def _parts(
    passage: _Passage, marks: Sequence[tuple[int, int, str]], begin: int, end: int
) -> tuple[tuple[str, bool], ...]:
    """The text of a window, cut into what is marked and what is not."""
    text, spans = passage.text, passage.spans
    at, parts = spans[begin][0], list[tuple[str, bool]]()
    if begin > 0 and begin not in passage.ends:
        parts.append(("… ", False))
    for start, stop, _ in marks:
        parts.append((text[at : spans[start][0]], False))
        parts.append((text[spans[start][0] : spans[stop - 1][1]], True))
        at = spans[stop - 1][1]
    whole = end == len(spans) or end in passage.ends
    parts.append((text[at : spans[end - 1][1]].rstrip(" ·"), False))
    if not whole:
        parts.append((" …", False))
    return tuple((" ".join(part.split("\n")), marked) for part, marked in parts if part)


def _covering(sentences: list[Sentence], most: int) -> tuple[Sentence, ...]:
    """Sentences that show as many different terms as can be: each time the one with the most new ones."""
    chosen: list[Sentence] = []
    seen: set[str] = set()
    left = list(sentences)
    while left and len(chosen) < most:
        best = max(left, key=lambda one: len(one.terms - seen))  # the first of equals: the clearer document
        left.remove(best)
        chosen.append(best)
        seen |= best.terms
    return tuple(chosen)
