"""How good a phrase a run of words is, from 0 to 1: how often, how surely together, how complete, how well formed."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from seetopic.arrays import Doubles, Flags, Longs
from seetopic.phrases import contexts
from seetopic.phrases.candidates import Candidates
from seetopic.phrases.english import ABOUT_FORM, ENGLISH, FEATURES, Model
from seetopic.shards import WordTable
from seetopic.tally import Tally

# A word that chance could have put there says nothing, however well formed the whole: "good book".
_ATTRACTION, _ATTRACTION_WIDTH = 0.31, 0.03  # normalised PMI of the weakest split where quality is halved
_JOINED_ATTRACTION = 0.6  # the same where a joining word stands inside: "quality of life", not "patients with cancer"
_UNSURE = 0.5  # occurrences that count against a run, so that the more often it is seen the better
# A run that is nearly always continued by the same word is a piece of something longer: "support vector".
_CONTINUED, _CONTINUED_WIDTH = 0.8, 0.04  # share of its occurrences
_BEGINS, _ENDS = FEATURES.index("first word begins"), FEATURES.index("first word ends")


@dataclass(frozen=True)
class Described:
    """The well-formed runs of one length and what is known of each."""

    runs: Longs  # their numbers among the candidates
    words: Longs  # (n_runs, length)
    counts: Longs
    features: Doubles  # standardised; (n_runs, len(FEATURES)); 0 where nothing is known
    attraction: Doubles  # of the weakest split
    continued: Doubles  # largest share of occurrences with the same word beside them
    joined: Flags  # whether a joining word stands inside

    def quality(self, model: Model = ENGLISH) -> Doubles:
        """Between 0 and 1, by what holds for any text."""
        return sigmoid(self.features @ model.weights + model.bias) * self.soundness

    @property
    def soundness(self) -> Doubles:
        """Near 1; near 0 for words that met by chance and for pieces of something longer."""
        needed = np.where(self.joined, _JOINED_ATTRACTION, _ATTRACTION)
        together = sigmoid((self.attraction - needed) / _ATTRACTION_WIDTH)
        whole = sigmoid((_CONTINUED - self.continued) / _CONTINUED_WIDTH)
        return together * whole * (self.counts / (self.counts + _UNSURE))


def well_formed(candidates: Candidates, words: WordTable) -> tuple[Flags, ...]:
    """By length, which runs neither begin nor end with a function word or number, nor hold one that does not join."""
    flags = []
    for at, level in enumerate(candidates.levels):
        rows = candidates.words_of(at, np.arange(level.keys.size))
        ends = words.may_end_a_phrase[rows[:, 0]] & words.may_end_a_phrase[rows[:, -1]]
        flags.append(ends & words.may_join_a_phrase[rows].all(axis=1))
    return tuple(flags)


def described(
    candidates: Candidates,
    fit: tuple[Flags, ...],
    words: WordTable,
    pairs: Tally,
    neighbours: list[Longs],
    classes: Longs,
    model: Model = ENGLISH,
) -> list[Described]:
    """All well-formed runs, by length."""
    known = contexts.is_known_language(words, classes)
    beside = contexts.neighbours_of_words(pairs, words, classes)
    likely = beside @ model.begins, beside @ model.ends
    found = []
    for at, flags in enumerate(fit):
        runs = np.flatnonzero(flags)
        rows = candidates.words_of(at, runs)
        features = _features(candidates, at, runs, rows, words, neighbours[at], likely)
        standard = (features - model.means) / model.scales
        if not known:
            standard[:, ABOUT_FORM] = 0.0
        joins: Flags = ~words.may_end_a_phrase[rows]
        # Before a joining word stands a noun, as at the end: "quality" of life.
        standard[:, _BEGINS] = np.where(joins[:, 1], standard[:, _ENDS], standard[:, _BEGINS])
        found.append(
            Described(
                runs,
                rows,
                candidates.levels[at].counts[runs],
                standard,
                attraction=features[:, FEATURES.index("weakest attraction")],
                continued=features[:, [FEATURES.index("same word after"), FEATURES.index("same word before")]].max(
                    axis=1
                ),
                joined=np.logical_or.reduce(joins, axis=1),
            )
        )
    return found


def _features(
    candidates: Candidates,
    at: int,
    runs: Longs,
    rows: Longs,
    words: WordTable,
    neighbours: Longs,
    likely: tuple[Doubles, Doubles],
) -> Doubles:
    """In the order of FEATURES; (n_runs, len(FEATURES))."""
    begins, ends = likely
    counts = candidates.levels[at].counts[runs]
    splits = _splits(candidates, rows, counts, words.counts)
    same_right, same_left = _continued(candidates, at, words.may_end_a_phrase)
    return np.column_stack(
        [
            np.log(counts),
            splits.attraction.min(axis=0),
            splits.attraction.mean(axis=0),
            np.log(splits.of_left[-1]),
            np.log(splits.of_right[0]),
            same_right[runs],
            same_left[runs],
            *_sides(neighbours),
            ends[rows[:, -1]],
            begins[rows[:, -1]],
            begins[rows[:, 0]],
            ends[rows[:, 0]],
            np.full(runs.size, at > 0),
        ]
    )


@dataclass(frozen=True)
class _Splits:
    """Every way to part a run in two; (n_splits, n_runs)."""

    attraction: Doubles  # normalised PMI of the parts: 0 by chance, 1 if never apart
    of_left: Doubles  # share of the left part's occurrences that the run is
    of_right: Doubles


def _splits(candidates: Candidates, rows: Longs, counts: Longs, word_counts: Longs) -> _Splits:
    total = float(word_counts.sum())

    def often(part: Longs) -> Doubles:
        numbers = candidates.numbers_of(part)
        known = word_counts if part.shape[1] == 1 else candidates.levels[part.shape[1] - 2].counts
        return known[numbers].astype(np.float64)

    surprise = np.maximum(-np.log(counts / total), 1e-12)
    attraction, of_left, of_right = [], [], []
    for cut in range(1, rows.shape[1]):
        left, right = often(rows[:, :cut]), often(rows[:, cut:])
        attraction.append(np.log(counts * total / (left * right)) / surprise)
        of_left.append(counts / left)
        of_right.append(counts / right)
    return _Splits(np.array(attraction), np.array(of_left), np.array(of_right))


def _continued(candidates: Candidates, at: int, content: Flags) -> tuple[Doubles, Doubles]:
    """The largest share of each run's occurrences that have the same content word after, and before, them."""
    counts = candidates.levels[at].counts
    most = np.zeros((2, counts.size), np.int64)
    if at + 1 < len(candidates.levels):
        longer = candidates.levels[at + 1]
        rows = candidates.words_of(at + 1, np.arange(longer.keys.size))
        after, before = content[rows[:, -1]], content[rows[:, 0]]
        np.maximum.at(most[0], longer.keys[after] // candidates.n_words, longer.counts[after])
        np.maximum.at(most[1], candidates.numbers_of(rows[before, 1:]), longer.counts[before])
    shares: Doubles = most / counts
    return shares[0], shares[1]


def _sides(neighbours: Longs) -> list[Doubles]:
    """Shares of a run's occurrences: closed on the left and right, and beside what."""
    shares = (neighbours + 0.5) / (neighbours.sum(axis=2, keepdims=True) + 1.0)
    left, right = shares[:, 0], shares[:, 1]
    return [
        1.0 - left[:, contexts.CONTENT_BESIDE],
        1.0 - right[:, contexts.CONTENT_BESIDE],
        left[:, contexts.ARTICLE_BEFORE],
        left[:, contexts.VERB_BEFORE],
        right[:, contexts.VERB_AFTER],
        right[:, contexts.JOINED_AFTER],
    ]


def sigmoid(values: Doubles) -> Doubles:
    return 0.5 * (1.0 + np.tanh(0.5 * values))
