"""Words to phrases: runs of words that occur often, and far more often than their parts would by chance."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial

import numpy as np

from seetopic.arrays import Doubles, Flags, Longs
from seetopic.engine import Engine
from seetopic.settings import TextSettings
from seetopic.shards import Shard, WordTable
from seetopic.tally import Tally, summed, tally


@dataclass(frozen=True)
class Level:
    """All frequent runs of n words; `keys` are (number of the run without its last word) * n_words + last word."""

    keys: Longs  # rising
    counts: Longs
    accepted: Flags  # which of them are phrases


@dataclass(frozen=True)
class PhraseTable:
    """Frequent runs of two, three, ... words."""

    n_words: int
    levels: tuple[Level, ...] = ()

    @property
    def n_phrases(self) -> int:
        return int(sum(level.accepted.sum() for level in self.levels))

    def words_of(self, level: int, runs: Longs) -> Longs:
        """The word ids of runs at a level (0: pairs), one run a row; (n_runs, level + 2)."""
        columns = []
        for at in range(level, -1, -1):
            keys = self.levels[at].keys[runs]
            columns.append(keys % self.n_words)
            runs = keys // self.n_words
        return np.column_stack([runs, *columns[::-1]])

    def phrases(self) -> Iterator[Longs]:
        """Every phrase as its word ids, in the order of the codes that `segment` gives them."""
        for at, level in enumerate(self.levels):
            yield from self.words_of(at, np.flatnonzero(level.accepted))


def mine(engine: Engine, shards: list[Shard], words: WordTable, settings: TextSettings) -> PhraseTable:
    """Count runs level by level; a run can only be frequent if both runs within it are."""
    table = PhraseTable(len(words.words))
    for _ in range(settings.max_phrase_words - 1):
        counted = summed(engine.map(partial(count_runs, table=table), shards))
        frequent = counted.at_least(settings.phrase_min_count)
        if not frequent.keys.size:
            break
        table = _with_level(table, frequent, words, settings.phrase_npmi)
    return table


def _with_level(table: PhraseTable, runs: Tally, known: WordTable, npmi: float) -> PhraseTable:
    undecided = Level(runs.keys, runs.counts, np.zeros(runs.keys.size, np.bool_))
    grown = PhraseTable(table.n_words, (*table.levels, undecided))
    words = grown.words_of(len(table.levels), np.arange(runs.keys.size))  # (n_runs, length)
    first, last = words[:, 0], words[:, -1]
    total = float(known.counts.sum())
    attraction = np.minimum(  # a stray word at either end shows as weak attraction to the rest
        _npmi(runs.counts, _run_counts(grown, words[:, :-1], known.counts), known.counts[last], total),
        _npmi(runs.counts, known.counts[first], _run_counts(grown, words[:, 1:], known.counts), total),
    )
    well_formed = (
        known.may_end_a_phrase[first] & known.may_end_a_phrase[last] & known.may_join_a_phrase[words].all(axis=1)
    )
    return PhraseTable(
        table.n_words, (*table.levels, Level(runs.keys, runs.counts, well_formed & (attraction >= npmi)))
    )


def _run_counts(table: PhraseTable, words: Longs, word_counts: Longs) -> Longs:
    """How often each row of words occurs as a run; every row is known to be frequent."""
    runs = words[:, 0]
    for at in range(words.shape[1] - 1):
        runs = np.searchsorted(table.levels[at].keys, runs * table.n_words + words[:, at + 1])
    return word_counts[runs] if words.shape[1] == 1 else table.levels[words.shape[1] - 2].counts[runs]


def _npmi(together: Longs, left: Longs, right: Longs, total: float) -> Doubles:
    """Normalised pointwise mutual information: 0 by chance, 1 if never apart."""
    surprise = np.maximum(-np.log(together / total), 1e-12)
    return np.log(together * total / (left.astype(np.float64) * right)) / surprise


def run_numbers(words: Longs, table: PhraseTable) -> Iterator[Longs]:
    """For each level, the number of the frequent run that starts at each position, or -1."""
    runs = words
    for at, level in enumerate(table.levels):
        keys = _keys(words, runs, at + 1, table.n_words)
        found = np.searchsorted(level.keys, keys)
        found[found == level.keys.size] = 0
        runs = np.where((keys >= 0) & (level.keys[found] == keys), found, -1)
        yield runs


def _keys(words: Longs, runs: Longs, length: int, n_words: int) -> Longs:
    """Keys of runs of `length` + 1 words, -1 where there is none; `runs` number those of `length` words."""
    keys = np.full(words.size, -1, np.int64)
    if words.size > length:
        prefix, suffix, last = runs[:-length], runs[1 : words.size - length + 1], words[length:]
        keys[:-length] = np.where((prefix >= 0) & (suffix >= 0), prefix * n_words + last, -1)
    return keys


def count_runs(shard: Shard, table: PhraseTable) -> Tally:
    """Runs one word longer than the table's longest, in one shard."""
    words = shard.words()
    runs = [words, *run_numbers(words, table)][-1]
    keys = _keys(words, runs, len(table.levels) + 1, table.n_words)
    return tally(keys[keys >= 0])


def segment(words: Longs, table: PhraseTable) -> tuple[Longs, Flags]:
    """The code of the term that starts at each position, and where terms start.

    From left to right, the longest phrase that fits; codes below `n_words` are words, the others
    number the phrases in the order of `PhraseTable.phrases`.
    """
    codes = words.copy()
    lengths = np.ones(words.size, np.int64)
    base = table.n_words
    for at, (level, runs) in enumerate(zip(table.levels, run_numbers(words, table), strict=True)):
        numbers = np.cumsum(level.accepted) - 1 + base
        is_phrase = (runs >= 0) & level.accepted[runs]
        codes[is_phrase] = numbers[runs[is_phrase]]
        lengths[is_phrase] = at + 2
        base += int(level.accepted.sum())
    starts = words >= 0
    end = 0
    for position in np.flatnonzero(lengths > 1).tolist():
        if position >= end:  # not inside an earlier phrase
            end = position + int(lengths[position])
            starts[position + 1 : end] = False
    return codes, starts
