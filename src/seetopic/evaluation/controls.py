"""Random topics as rare as the given ones: a control for how measures score unrelated terms."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from seetopic.runtime import Longs

NEVER_SEEN = -1
_ALIKE = 20  # minimum number of candidates to draw from, if the documents have that many


def random_topics(
    frequencies: Sequence[Longs], candidates: Longs, *, draws: int, random_state: int
) -> list[list[list[int]]]:
    """For each draw and topic, a random candidate of (nearly) the same document frequency for each term.

    `frequencies` are those of each topic's terms, `candidates` those of the terms to draw from, to whose positions
    the result refers. Candidates of equal frequency are used if there are 20 of them, otherwise the 20 nearest
    by rank of frequency. No random topic repeats a term, as long as there are others. A term that never occurs
    is replaced by `NEVER_SEEN`, which never occurs either.
    """
    chance = np.random.default_rng(random_state)
    order = np.argsort(candidates, kind="stable")
    rising = candidates[order]
    return [[_random_topic(topic, rising, order, chance) for topic in frequencies] for _ in range(draws)]


def _random_topic(topic: Longs, rising: Longs, order: Longs, chance: np.random.Generator) -> list[int]:
    drawn: list[int] = []
    for frequency in topic.tolist():
        if frequency == 0 or not rising.size:
            drawn.append(NEVER_SEEN)
            continue
        low, high = alike(rising, frequency)
        pool = order[low:high]
        candidate = int(pool[chance.integers(pool.size)])
        if candidate in drawn:
            others = pool[~np.isin(pool, drawn)]
            candidate = int(others[chance.integers(others.size)]) if others.size else candidate
        drawn.append(candidate)
    return drawn


def alike(rising: Longs, frequency: int) -> tuple[int, int]:
    """The range of ascending frequencies to draw from for a term of this frequency."""
    low, high = int(np.searchsorted(rising, frequency)), int(np.searchsorted(rising, frequency, side="right"))
    if high - low >= _ALIKE:
        return low, high
    first = min(max((low + high - _ALIKE) // 2, 0), max(rising.size - _ALIKE, 0))
    return first, min(first + _ALIKE, rising.size)
