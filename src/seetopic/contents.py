"""What an index's files may hold. A folder may be of any origin: numbers in it must point at what is there.

Checksums tell damage, not malice: whoever writes an index writes them, too. Sparse products do not look at the
numbers that they are given, and would read memory that is not theirs.
"""

from __future__ import annotations

import json
import math
from collections.abc import Callable
from pathlib import Path
from tokenize import TokenError
from typing import Any, TypeAlias

import numpy as np

from seetopic.errors import DamagedIndex

Check: TypeAlias = Callable[[Any], bool]  # of an array: whether it is as it must be


def read_array(path: Path, dtype: type[np.generic], dimensions: int, *checks: Check) -> Any:
    """A memory-mapped array of this kind that passes all checks."""
    try:
        array = _mapped(path, np.dtype(dtype), dimensions)
    except (ValueError, TypeError, SyntaxError, RecursionError, MemoryError, TokenError) as error:
        raise DamagedIndex(f"{path} cannot be read ({error}); build the index again") from error
    if not all(check(array) for check in checks):
        raise DamagedIndex(f"{path} does not fit the other files of the index; build the index again")
    return array


def _mapped(path: Path, dtype: np.dtype[Any], dimensions: int) -> Any:
    """As `np.load` maps it, but what the header promises is looked at before anything is made of it."""
    with path.open("rb") as file:
        if np.lib.format.read_magic(file) != (1, 0):
            raise ValueError("it is of another format")
        shape, by_columns, kind = np.lib.format.read_array_header_1_0(file)
        offset = file.tell()
    if kind != dtype or len(shape) != dimensions or by_columns or min(shape, default=0) < 0:
        raise ValueError("it holds another kind of array than an index has")
    if offset + math.prod(shape) * dtype.itemsize != path.stat().st_size:
        raise ValueError("its size is not what its header says")
    return np.memmap(path, dtype, "r", offset, shape)


def read_words(path: Path) -> tuple[str, ...]:
    """A list of different texts."""
    try:
        words = json.loads(path.read_text(encoding="utf-8"))
    except (ValueError, RecursionError) as error:
        raise DamagedIndex(f"{path} cannot be read ({error}); build the index again") from error
    if not isinstance(words, list) or not all(isinstance(word, str) for word in words) or len(set(words)) < len(words):
        raise DamagedIndex(f"{path} is no list of different texts; build the index again")
    return tuple(words)


def read_lists(path: Path) -> tuple[tuple[str, ...], ...]:
    """Lists of texts, which may be alike."""
    try:
        lists = json.loads(path.read_text(encoding="utf-8"))
    except (ValueError, RecursionError) as error:
        raise DamagedIndex(f"{path} cannot be read ({error}); build the index again") from error
    fine = isinstance(lists, list) and all(isinstance(each, list) for each in lists)
    if not fine or not all(isinstance(text, str) for each in lists for text in each):
        raise DamagedIndex(f"{path} is no list of lists of texts; build the index again")
    return tuple(map(tuple, lists))


def of_length(length: int) -> Check:
    return lambda array: len(array) == length


def within(low: int, high: int) -> Check:
    """Every number from `low` up to, and without, `high`."""
    return lambda array: not array.size or bool(low <= array.min() and array.max() < high)


def bounds(parts: int | None = None, end: int | None = None) -> Check:
    """Where parts start that lie one after the other, so many if that is known, and where the last one ends."""

    def check(array: Any) -> bool:
        if not len(array) or array[0] != 0 or parts not in (None, len(array) - 1):
            return False
        return bool((end is None or array[-1] == end) and (array[1:] >= array[:-1]).all())

    return check


def finite(array: Any) -> bool:
    """No number is missing or without end; one pass, and no second array."""
    with np.errstate(over="ignore", invalid="ignore"):
        return bool(np.isfinite(array.sum()))
