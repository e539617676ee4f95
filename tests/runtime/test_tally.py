"""Tallies against the standard library's counter."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from seetopic.runtime import disk_counts as tally_module
from seetopic.runtime.disk_counts import Tally, summed, tally

# Few distinct keys, so that they repeat; and the largest possible ones.
KEYS = st.integers(-3, 12) | st.sampled_from([2**62, 2**63 - 1, -(2**63)])
SHARDS = st.lists(st.lists(KEYS, max_size=30), max_size=12)


def as_dict(found: Tally) -> dict[int, int]:
    assert found.keys.dtype == found.counts.dtype == np.int64
    assert (np.diff(found.keys.astype(object)) > 0).all()  # distinct and ascending
    return dict(zip(found.keys.tolist(), found.counts.tolist(), strict=True))


def tallies(shards: Iterable[list[int]]) -> list[Tally]:
    return [tally(np.array(shard, np.int64)) for shard in shards]


@given(st.lists(KEYS))
def test_a_tally_is_a_count_of_each_key(keys):
    assert as_dict(tally(np.array(keys, np.int64))) == Counter(keys)


@given(SHARDS, st.sampled_from([0, 1, 5, 1 << 24]))
def test_the_sum_is_the_count_over_all_shards_however_often_it_is_merged(shards, held):
    found = as_dict(summed(iter(tallies(shards)), held))
    assert found == Counter(key for shard in shards for key in shard)


def test_the_sum_of_nothing_is_empty():
    assert as_dict(summed([])) == {}
    assert as_dict(summed(tallies([[], []]))) == {}


def test_tallies_are_merged_before_more_than_the_limit_piles_up(monkeypatch):
    merged: list[int] = []
    merge = tally_module._merged

    def told(parts: list[Tally]) -> Tally:
        merged.append(sum(part.keys.size for part in parts[1:]))
        return merge(parts)

    monkeypatch.setattr(tally_module, "_merged", told)
    found = as_dict(summed(tallies([[1, 2, 3, 4]] * 50), 10))
    assert found == dict.fromkeys([1, 2, 3, 4], 50)
    assert max(merged) == 12  # three shards of four keys are the first to exceed ten
    assert len(merged) == 17


def test_counts_do_not_overflow_where_keys_repeat_often():
    large = Tally(np.array([5]), np.array([2**40]))
    assert as_dict(summed([large] * 8)) == {5: 2**43}


@given(SHARDS)
def test_the_sum_does_not_depend_on_how_documents_are_cut_into_shards(shards):
    whole = summed(tallies([[key for shard in shards for key in shard]]))
    parts = summed(tallies(shards))
    assert (parts.keys.tobytes(), parts.counts.tobytes()) == (whole.keys.tobytes(), whole.counts.tobytes())
