"""The quality of a run of words as a phrase, from 0 to 1: frequency, attraction, completeness and form."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from seetopic.runtime import Band, Doubles, Flags, Longs
from seetopic.text.phrases import contexts
from seetopic.text.phrases.candidates import Candidates
from seetopic.text.phrases.english import ABOUT_FORM, ENGLISH, TIMES, UNITS, Model
from seetopic.text.shards import WordTable

# Words that could be together by chance are not a phrase, however well formed: "good book".
_ATTRACTION, _ATTRACTION_WIDTH = 0.31, 0.03  # normalised PMI of the weakest split at which quality is halved
# Unless the first part predicts the second: "patients" is frequent, but it follows a third of all "elderly".
_CALL = 0.5  # share of the second part's information that the first part must give
# A gradable word may precede anything: "very poor" shows that "poor quality" is not a name.
_GRADED, _GRADED_WIDTH = 1.5, 0.2  # log ratio of how much more often than usual "very" and the like precede a word
_MORE_FOR_GRADED = 0.15  # additional attraction that such a word needs to the next word
_JOINED_ATTRACTION = 0.65  # attraction with a connector inside: "quality of life", not "patients with cancer"
_UNSURE = 0.5  # pseudo-occurrences that count against a run, so that frequent runs score higher
# A run that nearly always has the same word next to it is a fragment of a longer phrase: "support vector".
_CONTINUED, _CONTINUED_WIDTH = 0.8, 0.04  # share of its occurrences


@dataclass(frozen=True)
class Described:
    """The well-formed runs of one length and their features."""

    runs: Longs  # their numbers among the candidates
    words: Longs  # (n_runs, length)
    counts: Longs
    features: Doubles  # standardised; (n_runs, len(FEATURES)); 0 where nothing is known
    attraction: Doubles  # of the weakest split
    bond: Doubles  # by how much the weakest split exceeds the attraction that it needs
    continued: Doubles  # largest share of occurrences with the same word next to them
    joined: Flags  # whether it contains a connector or begins with a number

    def quality(self, model: Model = ENGLISH) -> Doubles:
        """Quality between 0 and 1 by the built-in model."""
        likely = sigmoid(self.features @ model.weights + model.bias) * self.soundness
        # A parser also calls "previous version" a noun phrase, so likely phrases are ranked by attraction.
        return np.where(likely > 0.5, 0.5 + (likely - 0.5) * self.attraction.clip(0.0, 1.0), likely)

    @property
    def soundness(self) -> Doubles:
        """Near 1, but near 0 for chance neighbours and for fragments of longer phrases."""
        together = sigmoid(self.bond / _ATTRACTION_WIDTH)
        whole = sigmoid((_CONTINUED - self.continued) / _CONTINUED_WIDTH)
        return together * whole * (self.counts / (self.counts + _UNSURE))


def well_formed(candidates: Candidates, words: WordTable) -> tuple[Flags, ...]:
    """Which runs may be phrases, judging by their words, for each length.

    They do not begin or end with a function word, number or unit, contain only function words that are connectors,
    and do not consist of time words only.
    """
    flags = []
    unit, time = (np.array([word.lower() in listed for word in words.words], np.bool_) for listed in (UNITS, TIMES))
    may_begin, may_end = _may_begin(words) & ~unit, words.may_end_a_phrase & ~unit
    for at, level in enumerate(candidates.levels):
        rows = candidates.words_of(at, np.arange(level.keys.size))
        ends = may_begin[rows[:, 0]] & may_end[rows[:, -1]]
        flags.append(ends & words.may_join_a_phrase[rows[:, 1:]].all(axis=1) & ~time[rows].all(axis=1))
    return tuple(flags)


def described(
    candidates: Candidates,
    fit: tuple[Flags, ...],
    words: WordTable,
    pairs: Sequence[Band],
    neighbours: list[Longs],
    classes: Longs,
    model: Model = ENGLISH,
) -> list[Described]:
    """All well-formed runs and their features, by length."""
    known = contexts.is_known_language(words, classes)
    told = contexts.told_of_words(pairs, words, classes)
    begins, ends = told @ model.begins, told @ model.ends
    graded = sigmoid((told[:, contexts.DEGREE] - _GRADED) / _GRADED_WIDTH) * known
    joining = ~_may_begin(words)
    found = []
    for at, flags in enumerate(fit):
        runs = np.flatnonzero(flags)
        rows = candidates.words_of(at, runs)
        counts = candidates.levels[at].counts[runs]
        splits = _splits(candidates, rows, counts, words.counts)
        beside = _continued(candidates, at, words.may_end_a_phrase, classes[:-1] == contexts.PREPOSITION).of(runs)
        features = np.column_stack(
            [
                splits.attraction.min(axis=0),
                beside.content_after,
                beside.content_before,
                *_sides(neighbours[at]),
                ends[rows[:, -1]],
                begins[rows[:, -1]],
                _weakest(rows, joining, begins, ends),
                ends[rows[:, 0]],
                np.full(runs.size, at > 0),
            ]
        )
        standard = (features - model.means) / model.scales
        if not known:
            standard[:, ABOUT_FORM] = 0.0
        joined: Flags = np.logical_or.reduce(joining[rows], axis=1) | (classes[rows[:, 0]] == contexts.NUMBER)
        found.append(
            Described(
                runs,
                rows,
                counts,
                standard,
                splits.attraction.min(axis=0),
                splits.bond(joined, graded[rows[:, 0]]),
                beside.same(joined),
                joined,
            )
        )
    return found


def _may_begin(words: WordTable) -> Flags:
    return np.array([words.grammar.may_begin_a_phrase(word) for word in words.words], np.bool_)


def _weakest(rows: Longs, joining: Flags, begins: Doubles, ends: Doubles) -> Doubles:
    """The log-odds of the least likely word in its position, among those before the last word.

    Before a connector a noun is expected, as at the end ("quality" of life); between other words, either kind.
    """
    before, after = rows[:, :-1], rows[:, 1:]
    likely = np.where(joining[after], ends[before], begins[before])
    likely[:, 1:] = np.maximum(likely[:, 1:], ends[before[:, 1:]])
    weakest: Doubles = np.where(joining[before], np.inf, likely).min(axis=1)
    return weakest


@dataclass(frozen=True)
class _Splits:
    """Every way to split a run in two; (n_splits, n_runs)."""

    attraction: Doubles  # normalised PMI of the parts: 0 by chance, 1 if never apart
    call: Doubles  # the same for the left part alone: 1 if it is always followed by the right part

    def bond(self, joined: Flags, graded: Doubles) -> Doubles:
        """By how much the weakest split exceeds what it needs; `graded` is how surely the first word is gradable."""
        free = np.maximum(self.attraction - _ATTRACTION, self.call - _CALL)
        free[0] -= _MORE_FOR_GRADED * graded
        weakest: Doubles = np.where(joined, self.attraction - _JOINED_ATTRACTION, free).min(axis=0)
        return weakest


def _splits(candidates: Candidates, rows: Longs, counts: Longs, word_counts: Longs) -> _Splits:
    total = float(word_counts.sum())

    def often(part: Longs) -> Doubles:
        numbers = candidates.numbers_of(part)
        known = word_counts if part.shape[1] == 1 else candidates.levels[part.shape[1] - 2].counts
        return known[numbers].astype(np.float64)

    surprise = np.maximum(-np.log(counts / total), 1e-12)
    attraction, call = [], []
    for cut in range(1, rows.shape[1]):
        left, right = often(rows[:, :cut]), often(rows[:, cut:])
        information = np.log(counts * total / (left * right))
        attraction.append(information / surprise)
        call.append(information / np.maximum(-np.log(right / total), 1e-12))
    return _Splits(np.array(attraction), np.array(call))


@dataclass(frozen=True)
class _Beside:
    """The largest share of each run's occurrences that have the same word next to them."""

    content_after: Doubles
    content_before: Doubles
    preposition_before: Doubles

    def of(self, runs: Longs) -> _Beside:
        return _Beside(self.content_after[runs], self.content_before[runs], self.preposition_before[runs])

    def same(self, joined: Flags) -> Doubles:
        """The share to judge by; for joined runs a preposition counts too: (in) "vitro and in vivo" is a fragment."""
        content = np.maximum(self.content_after, self.content_before)
        share: Doubles = np.where(joined, np.maximum(content, self.preposition_before), content)
        return share


def _continued(candidates: Candidates, at: int, content: Flags, preposition: Flags) -> _Beside:
    counts = candidates.levels[at].counts
    most = np.zeros((3, counts.size), np.int64)
    if at + 1 < len(candidates.levels):
        longer = candidates.levels[at + 1]
        rows = candidates.words_of(at + 1, np.arange(longer.keys.size))
        without_last, without_first = longer.keys // candidates.n_words, candidates.numbers_of(rows[:, 1:])
        first, last = rows[:, 0], rows[:, -1]
        wanted = (without_last, content[last]), (without_first, content[first]), (without_first, preposition[first])
        for share, (runs, counted) in zip(most, wanted, strict=True):
            np.maximum.at(share, runs[counted], longer.counts[counted])
    return _Beside(*(most / counts))


def _sides(neighbours: Longs) -> list[Doubles]:
    """Shares of a run's occurrences: without a content word on the left and right, and by kind of neighbour."""
    shares = (neighbours + 0.5) / (neighbours.sum(axis=2, keepdims=True) + 1.0)
    left, right = shares[:, 0], shares[:, 1]
    return [
        1.0 - left[:, contexts.CONTENT_BESIDE],
        1.0 - right[:, contexts.CONTENT_BESIDE],
        left[:, contexts.ARTICLE_BEFORE],
        left[:, contexts.NUMBER_BEFORE],
        left[:, contexts.VERB_BEFORE],
        right[:, contexts.VERB_AFTER],
        right[:, contexts.JOINED_AFTER],
    ]


def sigmoid(values: Doubles) -> Doubles:
    return 0.5 * (1.0 + np.tanh(0.5 * values))
