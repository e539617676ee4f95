"""Example sentences from the documents that show topics' terms in use."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise

import numpy as np

from seetopic.discovery import sampled_documents
from seetopic.output.charts.scene import Scene
from seetopic.output.report.passages import PlacedWords, Quotable, marks_in, passages_of
from seetopic.runtime import Doubles, Longs, sparse_product

_LONGEST = 36  # words shown of a sentence
_BEFORE = 9  # words shown before the first marked term of a shortened sentence
_CANDIDATES = 8  # documents per topic to choose sentences from


@dataclass(frozen=True)
class Sentence:
    """Part of a document, with its terms marked."""

    parts: tuple[tuple[str, bool], ...]
    terms: frozenset[str]  # marked terms
    document: int  # its number, from 0


@dataclass(frozen=True)
class Examples:
    """Sentences for each topic and for each of its terms, and whether they are quoted as written."""

    of_topics: tuple[tuple[Sentence, ...], ...]
    of_terms: tuple[dict[str, Sentence], ...]
    quoted: bool


def examples(
    scene: Scene, documents: Quotable | None = None, each: int = 3, chosen: ChosenDocuments | None = None
) -> Examples:
    """Up to `each` sentences per topic, chosen to show many terms, and one per term; `chosen` may be ready already."""
    found = ChosenDocuments(scene) if chosen is None else chosen
    passages, quoted = passages_of(scene.index, found.numbers, documents)
    of_topics, of_terms = [], []
    for topic, (candidates, by_term) in enumerate(zip(found.by_topic, found.by_term, strict=True)):
        spelled = spellings(scene, topic)
        shown = [sentence_in(passages[number], number, spelled) for number in candidates]
        of_topics.append(_covering([one for one in shown if one is not None], each))
        own = {term: sentence_in(passages[number], number, spelled, term) for term, number in by_term.items()}
        of_terms.append({term: sentence for term, sentence in own.items() if sentence is not None})
    return Examples(tuple(of_topics), tuple(of_terms), quoted)


@dataclass(frozen=True)
class ChosenDocuments:
    """The documents to take sentences from, by their numbers in the corpus."""

    scene: Scene

    def get_ready(self) -> tuple[object, ...]:
        """Compute and keep what needs no sorter."""
        return self._hits, self.scene.index.texts

    @cached_property
    def by_topic(self) -> list[list[int]]:
        """Sampled documents that contain many of a topic's best terms and belong to it or to one below it."""
        scene, index = self.scene, self.scene.index
        if not len(scene.document_shares):
            return [[] for _ in scene.topics]
        hits = self._hits
        ranked = hits * scene.shares_within
        chosen = []
        for topic in range(len(scene.topics)):
            order = _highest(ranked[:, topic])
            chosen.append([int(index.sampled[row]) for row in order if hits[row, topic] > 0])
        return chosen

    @cached_property
    def _hits(self) -> Doubles:
        """How many of each topic's terms each sampled document has, by their scores; (n_documents, n_topics)."""
        topics, ids = self.scene.topics, self.scene.index.vocabulary.ids
        weights = np.zeros((len(ids), len(topics)))
        for number, topic in enumerate(topics):
            for ranked in topic.terms:
                weights[[ids[form] for form in (ranked.term, *ranked.variants)], number] = np.sqrt(
                    max(ranked.score, 0.0)
                )
        return sparse_product(self.scene.sampled, weights)

    @cached_property
    def by_term(self) -> list[dict[str, int]]:
        """For each term, the sampled document with it that belongs most clearly to the topic."""
        scene, index, chosen = self.scene, self.scene.index, []
        columns = sampled_documents(index).by_term
        for topic, terms in enumerate(scene.terms):
            taken: set[int] = set()
            own = {}
            for term in terms:
                rows = columns.indices[columns.indptr[term] : columns.indptr[term + 1]]
                order = rows[_highest(scene.shares_within[rows, topic])]
                numbers = index.sampled[order].tolist() or self._first_document(term)
                number = next((one for one in numbers if one not in taken), numbers[0] if numbers else None)
                if number is not None:
                    taken.add(number)
                    own[index.vocabulary.terms[term]] = number
            chosen.append(own)
        return chosen

    def _first_document(self, term: int) -> list[int]:
        index = self.scene.index
        first, last = index.posting_starts[term], index.posting_starts[term + 1]
        return [int(index.posting_documents[first])] if last > first else []

    @cached_property
    def numbers(self) -> set[int]:
        listed = {number for numbers in self.by_topic for number in numbers}
        return listed | {number for own in self.by_term for number in own.values()}


def _highest(values: Doubles) -> Longs:
    """Where the highest values are, best first; the first of equal ones comes first."""
    falling = -values
    if len(values) > _CANDIDATES:  # sorting all of very many takes longer than choosing from them
        reach = np.flatnonzero(falling <= np.partition(falling, _CANDIDATES - 1)[_CANDIDATES - 1])
        return reach[np.argsort(falling[reach], kind="stable")][:_CANDIDATES]
    return np.argsort(falling, kind="stable")


def spellings(scene: Scene, topic: int) -> dict[str, str]:
    """The term that each spelling in a topic is a form of."""
    return {form: one.term for one in scene.topics[topic].terms for form in (one.term, *one.variants)}


def sentence_in(
    passage: PlacedWords, number: int, spelled: dict[str, str], wanted: str | None = None
) -> Sentence | None:
    """The sentence of a passage with the most terms, including the wanted one if given."""
    marks = marks_in(passage.words, spelled)
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
    """A short sentence as a whole; otherwise a window that starts a little before each term."""
    own = [mark for mark in marks if wanted in (None, mark[2])]
    if last - first <= _LONGEST:
        return [(first, last)] if own else []
    begins = [max(first, min(mark[0] - _BEFORE, last - _LONGEST)) for mark in own]
    return [(begin, min(last, begin + _LONGEST)) for begin in begins]


def _parts(
    passage: PlacedWords, marks: Sequence[tuple[int, int, str]], begin: int, end: int
) -> tuple[tuple[str, bool], ...]:
    """The text of a window, split into marked and unmarked parts."""
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
    """Sentences that together show many different terms: each time the one with the most new ones."""
    chosen: list[Sentence] = []
    seen: set[str] = set()
    left = list(sentences)
    while left and len(chosen) < most:
        best = max(left, key=lambda one: len(one.terms - seen))  # ties go to the first, the clearer document
        left.remove(best)
        chosen.append(best)
        seen |= best.terms
    return tuple(chosen)
