"""What an index's files may hold. A folder may be of any origin: numbers in it must point at what is there.

Checksums tell damage, not malice: whoever writes an index writes them, too. Sparse products do not look at the
numbers that they are given, and would read memory that is not theirs.
"""

from __future__ import annotations

import io
import json
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import IO, Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from seetopic.errors import DamagedIndex
from seetopic.npy import Header, LongArray, blocks, read_header

_HEAD = 1 << 12  # bytes that hold the header of any array
Check: TypeAlias = Callable[[Any], bool]  # of an array: whether it is as it must be


def read_array(
    path: Path, dtype: type[np.generic], dimensions: int, *checks: Check, data: NDArray[np.uint8] | None = None
) -> Any:
    """An array of this kind that passes all checks, in memory; `data` is what the file holds, if that was read."""
    read = np.fromfile(path, np.uint8) if data is None else data
    try:
        header = _header(io.BytesIO(read[:_HEAD].tobytes()), len(read), np.dtype(dtype), dimensions)
    except ValueError as error:
        raise DamagedIndex(f"{path} cannot be read ({error}); build the index again") from error
    return _passed(header.shaped(read[header.start :].view(dtype)), path, checks)


def read_long_array(path: Path, file: io.FileIO, dtype: type[np.generic], *checks: Check) -> Any:
    """A row of numbers that passes all checks and stays on disk."""
    try:
        header = _header(file, path.stat().st_size, np.dtype(dtype), 1)
    except ValueError as error:
        file.close()
        raise DamagedIndex(f"{path} cannot be read ({error}); build the index again") from error
    return _passed(LongArray(file, header, str(path)), path, checks)


def _header(file: IO[bytes], size: int, dtype: np.dtype[Any], dimensions: int) -> Header:
    """What it promises is looked at before anything is made of it."""
    header = read_header(file)
    if header.dtype != dtype or len(header.shape) != dimensions or header.by_columns:
        raise ValueError("it holds another kind of array than an index has")
    if header.end != size:
        raise ValueError("its size is not what its header says")
    return header


def _passed(array: Any, path: Path, checks: Sequence[Check]) -> Any:
    if not all(check(array) for check in checks):
        raise DamagedIndex(f"{path} does not fit the other files of the index; build the index again")
    return array


def read_words(path: Path) -> tuple[str, ...]:
    """A list of different texts."""
    try:
        words = json.loads(path.read_text(encoding="utf-8"))
    except (ValueError, RecursionError) as error:
        raise DamagedIndex(f"{path} cannot be read ({error}); build the index again") from error
    if not isinstance(words, list) or not all(isinstance(word, str) for word in words) or len(set(words)) < len(words):
        raise DamagedIndex(f"{path} is not a list of different texts; build the index again")
    return tuple(words)


def read_lists(path: Path) -> tuple[tuple[str, ...], ...]:
    """Lists of texts, which may be alike."""
    try:
        lists = json.loads(path.read_text(encoding="utf-8"))
    except (ValueError, RecursionError) as error:
        raise DamagedIndex(f"{path} cannot be read ({error}); build the index again") from error
    fine = isinstance(lists, list) and all(isinstance(each, list) for each in lists)
    if not fine or not all(isinstance(text, str) for each in lists for text in each):
        raise DamagedIndex(f"{path} is not a list of lists of texts; build the index again")
    return tuple(map(tuple, lists))


def of_length(length: int) -> Check:
    return lambda array: len(array) == length


def within(low: int, high: int) -> Check:
    """Every number from `low` up to, and without, `high`."""
    return lambda array: all(bool(low <= block.min() and block.max() < high) for _, block in blocks(array))


def bounds(parts: int | None = None, end: int | None = None) -> Check:
    """Where parts start that lie one after the other, so many if that is known, and where the last one ends."""

    def check(array: Any) -> bool:
        if not len(array) or array[0] != 0 or parts not in (None, len(array) - 1):
            return False
        return bool((end is None or array[-1] == end) and (array[1:] >= array[:-1]).all())

    return check


def finite(array: Any) -> bool:
    """All values are finite; one pass, and no second array."""
    with np.errstate(over="ignore", invalid="ignore"):
        return bool(np.isfinite(array.sum()))
