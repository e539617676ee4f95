"""Frequent runs: counted over shards and found again in each, compared with a simple implementation."""

from __future__ import annotations

import tempfile
from collections import Counter
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from seetopic.runtime.disk_counts import Scratch
from seetopic.runtime.engine import LocalEngine
from seetopic.text.phrases.candidates import Candidates, frequent_runs, kept_runs, pairs_in, runs_by_length

Run = tuple[int, ...]
word_ids = st.lists(st.integers(-1, 3), min_size=1, max_size=60)


def plainly_counted(words: list[int], longest: int, min_count: int) -> dict[int, Counter[Run]]:
    """Every run of n words that occurs often enough, by n; -1 is a separator."""
    found = {}
    for length in range(2, longest + 1):
        runs = (tuple(words[first : first + length]) for first in range(len(words) - length + 1))
        counts = Counter(run for run in runs if -1 not in run)
        found[length] = Counter({run: count for run, count in counts.items() if count >= min_count})
    return found


def shard_of(words: list[int], folder: Path, number: int = 0) -> Any:
    """A shard whose words are not on disk; what it stores is."""
    return SimpleNamespace(
        words=lambda: np.array(words, np.int64), path=lambda kind: folder / f"{number:06d}.{kind}.npy"
    )


def runs_of(shards: list[list[int]], longest: int, min_count: int) -> Candidates:
    with tempfile.TemporaryDirectory() as folder:
        parts = [shard_of([*words, -1], Path(folder), number) for number, words in enumerate(shards)]
        return frequent_runs(
            LocalEngine(1), parts, 4, longest=longest, min_count=min_count, scratch=Scratch(Path(folder), 2)
        )[0]


@pytest.mark.slow
@given(st.lists(word_ids, min_size=1, max_size=3), st.integers(2, 3), st.sampled_from([4, 6]))
def test_frequent_runs_are_those_a_plain_count_finds(shards, min_count, longest):
    found = runs_of(shards, longest, min_count)
    expected = plainly_counted([word for words in shards for word in [*words, -1]], longest, min_count)
    assert len(found.levels) == sum(bool(expected[length]) for length in range(2, longest + 1))
    for at, level in enumerate(found.levels):
        rows = found.words_of(at, np.arange(level.keys.size))
        assert dict(zip(map(tuple, rows.tolist()), level.counts.tolist(), strict=True)) == expected[at + 2]
        assert (np.diff(level.keys) > 0).all()
        assert found.numbers_of(rows).tolist() == list(range(level.keys.size))


@pytest.mark.slow
@given(word_ids)
def test_runs_are_found_where_they_stand(words):
    found = runs_of([words], 5, 2)
    row = np.array([*words, -1], np.int64)
    for at, runs in enumerate(runs_by_length(row, found)):
        length = at + 2
        rows = found.words_of(at, runs.numbers).tolist()
        assert [list(words[start : start + length]) for start in runs.starts.tolist()] == rows
        often = plainly_counted([*words, -1], length, 2)[length]
        assert Counter(map(tuple, rows)) == often


@pytest.mark.slow
@given(st.lists(word_ids, min_size=1, max_size=3), st.sampled_from([2, 5]))
def test_shards_keep_where_their_runs_stand(shards, longest):
    with tempfile.TemporaryDirectory() as folder:
        parts = [shard_of([*words, -1], Path(folder), number) for number, words in enumerate(shards)]
        # What is stored of other runs is replaced.
        frequent_runs(LocalEngine(1), parts, 4, longest=6, min_count=1, scratch=Scratch(Path(folder)))
        found, _ = frequent_runs(LocalEngine(1), parts, 4, longest=longest, min_count=2, scratch=Scratch(Path(folder)))
        for shard in parts:
            for length, runs in enumerate(runs_by_length(shard.words(), found), start=2):
                kept = kept_runs(shard, length)
                assert kept.starts.tolist() == runs.starts.tolist()
                assert kept.numbers.tolist() == runs.numbers.tolist()


def test_all_pairs_are_counted_also_those_that_occur_once(tmp_path):
    shard = shard_of([0, 1, 2, -1, 0, 1, -1], tmp_path)
    _, (pairs,) = frequent_runs(
        LocalEngine(1), [shard], 3, longest=2, min_count=2, scratch=Scratch(tmp_path / "scratch")
    )
    cells = zip(pairs.rows.tolist(), pairs.columns.tolist(), strict=True)
    assert dict(zip(cells, pairs.counts.tolist(), strict=True)) == {(0, 1): 2, (1, 2): 1}


def test_pairs_of_one_shard_are_counted(tmp_path):
    counted = pairs_in(shard_of([0, 1, 0, 1, -1, 1, 0, -1], tmp_path), 2)
    assert sorted(counted.tolist()) == [0 * 2 + 1, 0 * 2 + 1, 1 * 2 + 0, 1 * 2 + 0]


def test_a_run_that_is_not_frequent_has_no_number():
    found = runs_of([[0, 1, 2], [0, 1, 2], [1, 3]], 3, 2)
    assert found.numbers_of(np.array([[0, 1, 2], [0, 1, 3], [3, 1, 2]])).tolist() == [0, -1, -1]
    assert found.numbers_of(np.array([[0, 1, 2, 3, 0]])).tolist() == [-1]
