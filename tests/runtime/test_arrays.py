"""Helpers for arrays."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from seetopic.runtime import distinct, median


@given(st.integers(1, 30).flatmap(lambda size: st.tuples(st.just(size), st.lists(st.integers(0, size - 1)))))
def test_distinct_numbers_are_those_that_sorting_finds(given_: tuple[int, list[int]]) -> None:
    size, numbers = given_
    values, places = distinct(np.array(numbers, np.int64), size)
    assert values.tolist() == sorted(set(numbers))
    assert values[places].tolist() == numbers


@given(st.lists(st.floats(-9, 9, width=32), min_size=1), st.sampled_from([np.float32, np.float64]))
def test_the_median_has_the_bits_of_numpys(values: list[float], dtype: type[np.float32]) -> None:
    array = np.array(values, dtype)
    assert median(array) == np.median(array)
    assert median(array).dtype == array.dtype
