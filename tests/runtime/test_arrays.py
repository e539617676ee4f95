"""Helpers for arrays."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from seetopic.runtime import distinct


@given(st.integers(1, 30).flatmap(lambda size: st.tuples(st.just(size), st.lists(st.integers(0, size - 1)))))
def test_distinct_numbers_are_those_that_sorting_finds(given_: tuple[int, list[int]]) -> None:
    size, numbers = given_
    values, places = distinct(np.array(numbers, np.int64), size)
    assert values.tolist() == sorted(set(numbers))
    assert values[places].tolist() == numbers
