"""Search over all documents of a corpus: by words and phrases, category, values of kept columns, and dates."""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import date
from typing import Annotated

import numpy as np
from pydantic import Field, StringConstraints

from seetopic.classify import STEPS, DateOrder
from seetopic.index import Index
from seetopic.output import Quotable, passages_of, sentence_in
from seetopic.runtime import Doubles, Flags, Longs
from seetopic.text import cleaned
from seetopic.web.columns import CorpusColumns
from seetopic.web.errors import Missing
from seetopic.web.examples import Parts
from seetopic.web.inspect import plain_beginning
from seetopic.web.limits import COLUMNS, LETTERS
from seetopic.web.schemas import Frozen
from seetopic.web.sorted_documents import SortedCorpus, Sorting

NONE = "none"
_UNIT = re.compile(r'(-?)(?:"([^"]*)"?|(\S+))')
_SATURATION, _LENGTH = 1.2, 0.75  # the usual constants of BM25
ColumnName = Annotated[str, StringConstraints(min_length=1, max_length=LETTERS)]
Value = Annotated[str, StringConstraints(max_length=10_000)]


class Filter(Frozen):
    """Which documents: those that fit everything that is given."""

    words: Annotated[str, StringConstraints(max_length=500)] = ""  # all must occur; "a phrase", -not this
    category: Annotated[str, StringConstraints(pattern=r"^(c[0-9]{1,9}|none)$")] | None = None
    groups: dict[ColumnName, tuple[Value, ...]] = Field(default_factory=dict, max_length=COLUMNS)
    time: ColumnName | None = None
    since: date | None = None
    until: date | None = None
    dates: DateOrder | None = None  # of dates such as 3/4/2025

    @property
    def is_empty(self) -> bool:
        return self == Filter(dates=self.dates, time=self.time)


class Hit(Frozen):
    """A document that was found, with the sentence that shows why."""

    number: int
    parts: Parts
    category: str | None  # None: it fits no category, or is not sorted yet
    share: float | None
    none: float | None
    columns: dict[str, str]


class FoundDocuments(Frozen):
    """Documents that fit a filter, best first."""

    total: int
    documents: tuple[Hit, ...]
    counts: dict[str, int]  # per category, and none, of those that fit everything but the category
    sorting: Sorting | None = None  # while documents are still being sorted; those of a category are unknown
    unknown: tuple[str, ...] = ()  # what no document contains
    problem: str | None = None  # why documents cannot be sorted


@dataclass(frozen=True)
class Words:
    """Documents with the words and phrases of a query."""

    fits: Flags
    scores: Doubles | None  # how well each fits, if there are words
    spelled: dict[str, str]
    unknown: tuple[str, ...]


@dataclass(frozen=True)
class Search:
    """A corpus to search in; `sorted` is None if its documents are not sorted yet."""

    index: Index
    columns: CorpusColumns
    sorted: SortedCorpus | None

    def fits(self, asked: Filter) -> Flags:
        """Which documents fit the whole filter."""
        return self._beside(asked) & self.with_words(asked.words).fits & self._in_category(asked.category)

    def found(self, asked: Filter, offset: int, limit: int, texts: Quotable | None) -> FoundDocuments:
        words = self.with_words(asked.words)
        beside = words.fits & self._beside(asked)
        chosen = np.flatnonzero(beside & self._in_category(asked.category))
        order = self._ordered(chosen, asked.category, words)[offset : offset + limit]
        return FoundDocuments(
            total=len(chosen),
            documents=self._hits(order.tolist(), words.spelled, asked.category, texts),
            counts=self._counts(beside),
            unknown=words.unknown,
        )

    def with_words(self, text: str) -> Words:
        """Documents in which all words and phrases occur, and none of those after a minus."""
        fits, scores = np.ones(len(self.index), np.bool_), None
        spelled, unknown = dict[str, str](), list[str]()
        for minus, phrase, word in _UNIT.findall(text):
            term = self._as_words(phrase or word)
            if not term:  # only signs, which no document keeps
                unknown += [] if minus else [phrase or word]
                continue
            times = self._times(term)
            if minus:
                fits &= times == 0
                continue
            fits &= times > 0
            scores = _score(times, self._lengths) + (0.0 if scores is None else scores)
            spelled[term] = term
            unknown += [] if times.any() else [phrase or word]
        return Words(fits, scores, spelled, tuple(unknown))

    def _as_words(self, text: str) -> str:
        """A word or phrase as the index has it, without signs."""
        index = self.index
        words = map(cleaned, index.tokenizer(text.lower() if index.settings.text.lowercase else text))
        return " ".join(word for word in words if word)

    def _times(self, term: str) -> Longs:
        """How often a term occurs in each document."""
        texts = self.index.texts
        return np.bincount(texts.documents(texts.occurrences(term)), minlength=len(self.index))

    @property
    def _lengths(self) -> Longs:
        return np.diff(self.index.texts.starts)

    def _beside(self, asked: Filter) -> Flags:
        fits = np.ones(len(self.index), np.bool_)
        for name, values in asked.groups.items():
            if values:
                fits &= self.columns.having(self.known(name), values)
        if asked.time is not None and (asked.since is not None or asked.until is not None):
            days = self.columns.days(self.known(asked.time), asked.dates)
            fits &= days >= _day(asked.since or date.min)
            fits &= days <= _day(asked.until or date.max)
        return fits

    def known(self, name: str) -> str:
        if name not in self.index.column_names:
            raise Missing(f"the column {name[:80]!r} is not kept; keep it with Change options of the corpus")
        return name

    def _in_category(self, category: str | None) -> Flags:
        if category is None:
            return np.ones(len(self.index), np.bool_)
        if self.sorted is None:
            return np.zeros(len(self.index), np.bool_)
        return self.sorted.best < 0 if category == NONE else self.sorted.within(category)

    def _ordered(self, chosen: Longs, category: str | None, words: Words) -> Longs:
        """Best first: by words, else by how clearly they belong to the category, else as in the corpus."""
        keys = words.scores
        if keys is None and category is not None and self.sorted is not None:
            keys = (self.sorted.none if category == NONE else self.sorted.steps).astype(np.float64)
        return chosen if keys is None else chosen[np.argsort(-keys[chosen], kind="stable")]

    def _counts(self, fits: Flags) -> dict[str, int]:
        if self.sorted is None:
            return {}
        none, *counts = np.bincount(self.sorted.best[fits] + 1, minlength=len(self.sorted.categories) + 1).tolist()
        below = self.sorted.below
        return {NONE: none, **{each: sum(counts[number] for number in below[each]) for each in self.sorted.categories}}

    def _hits(
        self, numbers: list[int], words: dict[str, str], category: str | None, texts: Quotable | None
    ) -> tuple[Hit, ...]:
        passages, _ = passages_of(self.index, numbers, texts)
        made = []
        for number in numbers:
            best = -1 if self.sorted is None else int(self.sorted.best[number])
            own = {} if self.sorted is None or best < 0 or category is None else self.sorted.spelled[best]
            passage = passages[number]
            shown = sentence_in(passage, number, words or own) or plain_beginning(passage.text, number)
            made.append(
                Hit(
                    number=number,
                    parts=shown.parts,
                    category=None if self.sorted is None or best < 0 else self.sorted.categories[best],
                    share=None if self.sorted is None or best < 0 else self.sorted.steps[number] / STEPS,
                    none=None if self.sorted is None else self.sorted.none[number] / STEPS,
                    columns=self.columns.values_of(number),
                )
            )
        return tuple(made)


def _score(times: Longs, lengths: Longs) -> Doubles:
    """BM25 of one term in all documents."""
    n_documents, held = len(times), int((times > 0).sum())
    rarity = np.log1p((n_documents - held + 0.5) / (held + 0.5))
    scores: Doubles = (
        rarity * times / (times + _SATURATION * (1 - _LENGTH + _LENGTH * lengths / max(lengths.mean(), 1)))
    )
    return scores


def _day(given: date) -> int:
    return (given - date(1970, 1, 1)).days
