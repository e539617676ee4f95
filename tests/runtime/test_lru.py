"""The most recently used values are kept, and never more than the given number."""

from concurrent.futures import ThreadPoolExecutor

import pytest
from hypothesis import given
from hypothesis import strategies as st

from seetopic.runtime.lru import LRU


def test_what_was_not_asked_for_the_longest_is_forgotten_first():
    memory, made = LRU[str, str](2), []
    for key in "abacab":
        memory.one(key, lambda key=key: made.append(key) or key)
    assert made == ["a", "b", "c", "b"]


def test_what_is_missing_is_made_together_and_once():
    memory, asked = LRU[str, str](10), []

    def upper(keys: list[str]) -> list[str]:
        asked.append(keys)
        return [key.upper() for key in keys]

    assert memory.all(["a"], upper) == ["A"]
    assert memory.all(["b", "a", "c", "b"], upper) == ["B", "A", "C", "B"]
    assert memory.all([], upper) == []
    assert asked == [["a"], ["b", "c"]]


@given(st.lists(st.lists(st.integers(0, 20), max_size=12), max_size=20), st.integers(1, 8))
def test_values_are_right_and_few_whatever_is_asked(questions, size):
    memory = LRU[int, int](size)
    for keys in questions:
        assert memory.all(keys, lambda missing: [-key for key in missing]) == [-key for key in keys]
        assert len(memory) <= size


@pytest.mark.slow
def test_several_threads_may_ask_at_once():
    memory = LRU[int, int](3)

    def ask(number: int) -> bool:
        keys = [(number * step) % 11 for step in range(6)]
        return memory.all(keys, lambda missing: [-key for key in missing]) == [-key for key in keys]

    with ThreadPoolExecutor(8) as threads:
        assert all(threads.map(ask, range(3000)))
    assert len(memory) == 3
