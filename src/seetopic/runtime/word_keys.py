"""Numbers that depend on words alone: a choice made by them is the same whatever other words there are."""

from __future__ import annotations

from collections.abc import Sequence
from zlib import crc32

import numpy as np
from numpy.typing import NDArray


def word_keys(words: Sequence[str]) -> NDArray[np.uint64]:
    """A number for each word, spread evenly over 64 bits."""
    return spread(np.fromiter((crc32(word.encode()) for word in words), np.uint64, len(words)))


def spread(numbers: NDArray[np.uint64]) -> NDArray[np.uint64]:
    """Spread numbers evenly over 64 bits: the finaliser of SplitMix64."""
    numbers = numbers + np.uint64(0x9E3779B97F4A7C15)
    numbers = (numbers ^ (numbers >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    numbers = (numbers ^ (numbers >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return numbers ^ (numbers >> np.uint64(31))
