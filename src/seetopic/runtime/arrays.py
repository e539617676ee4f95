"""Array types used throughout the package."""

from __future__ import annotations

from typing import Any, TypeAlias, TypeVar

import numpy as np
from numpy.typing import NDArray

Floats: TypeAlias = NDArray[np.float32]
Doubles: TypeAlias = NDArray[np.float64]
Shorts: TypeAlias = NDArray[np.int16]
Ids: TypeAlias = NDArray[np.int32]
Longs: TypeAlias = NDArray[np.int64]
Flags: TypeAlias = NDArray[np.bool_]
Real = TypeVar("Real", np.float32, np.float64)


def normalized(rows: NDArray[Real]) -> NDArray[Real]:
    """Rows scaled to length 1; a row of zeros stays as it is."""
    unit: NDArray[Real] = rows / np.maximum(np.linalg.norm(rows, axis=1, keepdims=True), 1e-12)
    return unit


def distinct(numbers: NDArray[np.integer[Any]], size: int) -> tuple[Longs, Longs]:
    """The distinct numbers, ascending, and the place of each number among them; all are at least 0 and below `size`."""
    if len(numbers) < size:
        return np.unique(numbers, return_inverse=True)
    is_there = np.zeros(size, np.bool_)  # with many numbers, this takes a tenth of the time of sorting them
    is_there[numbers] = True
    return np.flatnonzero(is_there), (np.cumsum(is_there) - 1)[numbers]


def median(values: NDArray[Real]) -> Real:
    """As `np.median`, which takes ten times as long for a few values, and imports masked arrays first."""
    ordered, middle = np.sort(values), len(values) // 2
    found: Real = ordered[middle] if len(values) % 2 else (ordered[middle - 1] + ordered[middle]) / 2
    return found
