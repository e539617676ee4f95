"""Frequent runs of words, counted level by level over shards."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import numpy as np

from seetopic.runtime import Band, Engine, Longs, Scratch, Tally, load_array, table_of, write_array
from seetopic.text.shards import Shard


@dataclass(frozen=True)
class Candidates:
    """All frequent runs of two, three, ... words.

    A run's key is (number of the run without its last word) * n_words + last word; its number is the
    position of its key among the ascending keys of its length.
    """

    n_words: int
    levels: tuple[Tally, ...] = ()

    def words_of(self, level: int, runs: Longs) -> Longs:
        """The word ids of runs at a level (0: pairs), one run per row; (n_runs, level + 2)."""
        columns = []
        for at in range(level, -1, -1):
            keys = self.levels[at].keys[runs]
            columns.append(keys % self.n_words)
            runs = keys // self.n_words
        return np.column_stack([runs, *columns[::-1]])

    def numbers_of(self, words: Longs) -> Longs:
        """The number of the run in each row of words, or -1; the inverse of `words_of`."""
        runs = words[:, 0]
        for at in range(words.shape[1] - 1):
            if at >= len(self.levels):
                return np.full(len(words), -1, np.int64)
            known = (runs >= 0) & (words[:, at + 1] >= 0)
            runs = np.where(known, _places(self.levels[at].keys, runs * self.n_words + words[:, at + 1]), -1)
        return runs


@dataclass(frozen=True)
class Runs:
    """Where frequent runs of one length occur in a shard."""

    starts: Longs  # ascending positions
    numbers: Longs


def frequent_runs(
    engine: Engine, shards: list[Shard], n_words: int, *, longest: int, min_count: int, scratch: Scratch
) -> tuple[Candidates, list[Band]]:
    """Frequent runs, counted level by level, and all pairs, even rare ones.

    A run can only be frequent if the two runs within it that are one word shorter are frequent. Each shard stores where
    its frequent runs occur, for `kept_runs`, because finding them is most of the work.
    """
    keys_of = partial(pairs_in, n_words=n_words)
    pairs = table_of(engine, keys_of, shards if longest > 1 else [], (n_words, n_words), scratch.subdir("pairs"))
    found = Candidates(n_words)
    frequent = _frequent(engine, pairs, n_words, min_count)
    while frequent.keys.size and len(found.levels) < longest - 1:
        found = Candidates(n_words, (*found.levels, frequent))
        keep = partial(keep_and_find_longer, n_words=n_words, length=len(found.levels) + 1, keys=frequent.keys)
        longer = table_of(engine, keep, shards, (frequent.keys.size, n_words), scratch.subdir("longer"))
        frequent = _frequent(engine, longer, n_words, min_count)
    scratch.subdir("longer").clear()
    return found, pairs


def _frequent(engine: Engine, bands: list[Band], n_words: int, min_count: int) -> Tally:
    parts = list(engine.map(partial(_frequent_of, n_words=n_words, min_count=min_count), bands))
    keys = np.concatenate([np.empty(0, np.int64), *(part.keys for part in parts)])
    return Tally(keys, np.concatenate([np.empty(0, np.int64), *(part.counts for part in parts)]))


def _frequent_of(band: Band, n_words: int, min_count: int) -> Tally:
    enough = np.flatnonzero(band.counts >= min_count)
    return Tally(band.rows[enough] * n_words + band.columns[enough], band.counts[enough])


def pairs_in(shard: Shard, n_words: int) -> Longs:
    """The keys of all pairs of words in a shard."""
    words = shard.words()
    return _longer(single_words(words), words, 1, n_words)[1]


def keep_and_find_longer(shard: Shard, n_words: int, length: int, keys: Longs) -> Longs:
    """Store where runs of `length` words with these keys occur in a shard; return the keys of runs one word longer."""
    words = shard.words()
    shorter = kept_runs(shard, length - 1) if length > 2 else single_words(words)
    runs = _longer_with(keys, shorter, words, length - 1, n_words)
    write_array(_kept(shard, length), np.array([runs.starts, runs.numbers], np.int32), lasting=False)
    return _longer(runs, words, length, n_words)[1]


def kept_runs(shard: Shard, length: int) -> Runs:
    """Where the frequent runs of `length` words occur in a shard, as stored before."""
    return Runs(*load_array(_kept(shard, length)).astype(np.int64))


def _kept(shard: Shard, length: int) -> Path:
    return shard.path(f"runs_of_{length}")


def single_words(words: Longs) -> Runs:
    starts = np.flatnonzero(words >= 0)
    return Runs(starts, words[starts])


def runs_by_length(words: Longs, found: Candidates) -> Iterator[Runs]:
    """Where the frequent runs of two, three, ... words occur."""
    runs = single_words(words)
    for at, level in enumerate(found.levels):
        runs = _longer_with(level.keys, runs, words, at + 1, found.n_words)
        yield runs


def _longer_with(keys: Longs, runs: Runs, words: Longs, length: int, n_words: int) -> Runs:
    """The runs of `length` + 1 words whose keys are in `keys`."""
    starts, found = _longer(runs, words, length, n_words)
    numbers = _places(keys, found)
    known = numbers >= 0
    return Runs(starts[known], numbers[known])


def _longer(runs: Runs, words: Longs, length: int, n_words: int) -> tuple[Longs, Longs]:
    """Starts and keys of runs of `length` + 1 words that begin and end with frequent runs of `length` words."""
    overlap = np.flatnonzero(runs.starts[1:] == runs.starts[:-1] + 1)
    starts = runs.starts[overlap]
    return starts, runs.numbers[overlap] * n_words + words[starts + length]


def _places(keys: Longs, wanted: Longs) -> Longs:
    """The position of each wanted key among the ascending keys, or -1."""
    if not keys.size:
        return np.full(wanted.size, -1, np.int64)
    places = np.searchsorted(keys, wanted)
    places[places == keys.size] = 0
    return np.where(keys[places] == wanted, places, -1)
