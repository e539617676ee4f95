"""Tables of counts on disk, against a plain Counter, for any size of shards and bands."""

from __future__ import annotations

from collections import Counter
from functools import partial

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from seetopic.runtime import disk_counts
from seetopic.runtime.disk_counts import Scratch, table_of
from seetopic.runtime.engine import LocalEngine

Cells = list[tuple[int, int]]


def keys(shard: Cells, n_columns: int) -> np.ndarray:
    return np.array([row * n_columns + column for row, column in shard], np.int64)


def table(folder, shards: list[Cells], shape: tuple[int, int], held: int, jobs: int = 1) -> Counter[tuple[int, int]]:
    bands = table_of(LocalEngine(jobs), partial(keys, n_columns=shape[1]), shards, shape, Scratch(folder, held))
    assert [band.first for band in bands] == [0, *(band.last for band in bands[:-1])][: len(bands)]
    assert bands[-1].last == shape[0]
    found: Counter[tuple[int, int]] = Counter()
    for band in bands:
        cells = list(zip(band.rows.tolist(), band.columns.tolist(), strict=True))
        assert cells == sorted(set(cells))
        assert all(band.first <= row < band.last for row, _ in cells)
        found.update(dict(zip(cells, band.counts.tolist(), strict=True)))
    return found


@pytest.mark.slow
@given(
    st.lists(st.lists(st.tuples(st.integers(0, 6), st.integers(0, 4)), max_size=30), max_size=5),
    st.sampled_from([1, 2, 7, 1000]),
)
def test_the_table_is_what_a_counter_finds(tmp_path_factory, shards, held):
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(disk_counts, "_EVERY", 2)  # so that few keys fill several bands
        found = table(tmp_path_factory.mktemp("table"), shards, (7, 5), held)
    assert found == Counter(cell for shard in shards for cell in shard)


def test_keys_beyond_32_bits_are_kept_whole(tmp_path, monkeypatch):
    monkeypatch.setattr(disk_counts, "_EVERY", 1)
    shape = (3_000_000, 3_000_000)
    far: Cells = [(0, 0), (1431, 1_967_295), (1431, 1_967_296), (1431, 1_967_297), (2_999_999, 2_999_999)]
    assert 1431 * shape[1] + 1_967_296 == 2**32  # the first key of the second upper half
    assert table(tmp_path, [far, far[::-1], [far[2]]], shape, 2) == Counter([*far, *far, far[2]])


def test_counts_of_any_size_are_kept(tmp_path):
    shards: list[Cells] = [[(0, 0)] * 70_000 + [(1, 1)] * 300 + [(1, 0)]]
    assert table(tmp_path, shards, (2, 2), 10) == {(0, 0): 70_000, (1, 1): 300, (1, 0): 1}


def test_bands_hold_about_as_much_as_they_may(tmp_path, monkeypatch):
    monkeypatch.setattr(disk_counts, "_EVERY", 1)
    shards: list[Cells] = [[(row, column) for row in range(100) for column in range(10)]] * 3
    bands = table_of(LocalEngine(1), partial(keys, n_columns=10), shards, (100, 10), Scratch(tmp_path, 300))
    assert 9 <= len(bands) <= 11


def test_a_table_without_shards_or_rows_is_empty(tmp_path):
    assert table(tmp_path, [], (3, 3), 5) == {}
    assert table_of(LocalEngine(1), partial(keys, n_columns=3), [], (0, 3), Scratch(tmp_path)) == []


def test_only_the_bands_stay_on_disk_and_clearing_leaves_nothing(tmp_path):
    scratch = Scratch(tmp_path / "scratch")
    table_of(LocalEngine(1), partial(keys, n_columns=2), [[(0, 1)]], (2, 2), scratch)
    assert [path.name for path in scratch.folder.iterdir()] == ["bands"]
    scratch.clear()
    assert not scratch.folder.exists()


@pytest.mark.slow
def test_two_processes_write_the_same_bytes_as_one(tmp_path):
    chance = np.random.default_rng(0)
    shards = [list(map(tuple, chance.integers(0, 400, (5000, 2)).tolist())) for _ in range(6)]
    for jobs in (1, 2):
        table(tmp_path / str(jobs), shards, (400, 400), 4096, jobs)
    one, two = ({path.name: path.read_bytes() for path in (tmp_path / jobs).rglob("*.npy")} for jobs in "12")
    assert one == two
    assert len(one) > 3
