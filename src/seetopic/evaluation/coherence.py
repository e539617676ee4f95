"""Measures of coherence: the paper's, companions that show what those hide, and two standard ones.

Each function takes one topic's counts and returns one number, nan if it is undefined (fewer than two terms).
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

import numpy as np
from numpy.typing import NDArray

from seetopic.runtime import Doubles, Longs

_C_V_SMOOTHING = 1e-12  # as in Röder et al. and gensim


@dataclass(frozen=True)
class PairCounts:
    """How many documents (or windows) terms occur in together; terms are in rank order."""

    total: int  # |D|
    together: Longs  # (n_terms, n_terms), symmetric; the diagonal: how many each term occurs in

    @property
    def frequencies(self) -> Longs:
        return self.together.diagonal()

    def pairs(self) -> tuple[Doubles, Doubles, Doubles]:
        """For all pairs j < k: how often both occur, j occurs, and k occurs."""
        first, second = np.triu_indices(len(self.together), 1)
        counts = self.together.astype(np.float64)
        return counts[first, second], counts[first, first], counts[second, second]


def npmi(counts: PairCounts) -> float:
    """The paper's NPMI: 1/|D| is added to every probability, over pairs j < k.

    A pair in all documents, or in all but one, leaves nothing to normalise by (-log P is 0 or less): it counts
    as 1, like every pair whose terms never occur apart. Because of the smoothing, a pair of terms that never
    occur at all also has 1: read this only together with the companions and the control.
    """
    both, first, second = counts.pairs()
    total = counts.total
    ratio = np.log((both + 1) * total / ((first + 1) * (second + 1)))
    normal = both + 1 < total
    return _mean(np.divide(ratio, -np.log((both + 1) / total), out=np.ones_like(ratio), where=normal))


def lcp(counts: PairCounts) -> float:
    """The paper's LCP: log (P(wj, wk) + 1/|D|) / (P(wj) + 1/|D|), over pairs j < k; 0 if j never occurs."""
    both, first, _ = counts.pairs()
    return _mean(np.log((both + 1) / (first + 1)))


def pmi(counts: PairCounts) -> float:
    """The paper's PMI, smoothed like its NPMI."""
    both, first, second = counts.pairs()
    return _mean(np.log((both + 1) * counts.total / ((first + 1) * (second + 1))))


def npmi_unsmoothed(counts: PairCounts) -> float:
    """NPMI without smoothing, over pairs whose terms both occur; -1 if never together, 1 if in all documents."""
    both, first, second = (each.astype(np.float64) for each in _occurring(counts))
    values = np.where(both == 0, -1.0, 1.0)
    usual = (both > 0) & (both < counts.total)
    ratio = np.log(both[usual] * counts.total / (first[usual] * second[usual]))
    values[usual] = ratio / -np.log(both[usual] / counts.total)
    return _mean(values)


def _occurring(counts: PairCounts) -> tuple[Doubles, Doubles, Doubles]:
    both, first, second = counts.pairs()
    known = (first > 0) & (second > 0)
    return both[known], first[known], second[known]


def pairs_never_together(counts: PairCounts) -> float:
    """Share of pairs that no document contains."""
    both, _, _ = counts.pairs()
    return _mean((both == 0).astype(np.float64))


def terms_never_seen(counts: PairCounts) -> float:
    """Share of terms that no document contains."""
    return _mean((counts.frequencies == 0).astype(np.float64))


def median_document_frequency(counts: PairCounts) -> float:
    return float(np.median(counts.frequencies)) if counts.frequencies.size else float("nan")


def u_mass(counts: PairCounts, added: float = 1.0) -> float:
    """Mimno et al.'s coherence: log (D(wj, wk) + 1) / D(wj), over pairs j < k whose first term occurs.

    gensim's `u_mass` is the same with `added=1e-12 * total`, and 0 (the best possible value) where the first term
    never occurs.
    """
    both, first, _ = counts.pairs()
    known = first > 0
    return _mean(np.log((both[known] + added) / first[known]))


def c_v(windows: PairCounts) -> float:
    """Röder et al.'s C_V on counts of windows: mean cosine of each term's NPMI vector and the sum of all.

    The same as gensim's `c_v`, except in two cases that gensim leaves undefined: a term that never occurs has NPMI 0
    with every term and cosine 0, and terms in every window have NPMI 1 with each other. (If a word is repeated
    within a window, gensim drops it when its first occurrence leaves the window; here it is still counted.)
    """
    if len(windows.together) < 2:
        return float("nan")
    shares = windows.together / windows.total
    alone = shares.diagonal()
    values = np.zeros(shares.shape)
    known = (alone[:, None] > 0) & (alone[None, :] > 0)
    everywhere = windows.together == windows.total
    usual = known & ~everywhere
    smoothed = shares[usual] + _C_V_SMOOTHING
    values[usual] = np.log(smoothed / np.outer(alone, alone)[usual]) / -np.log(smoothed)
    values[everywhere] = 1.0
    return _mean(_cosines(values, values.sum(axis=0)[None, :])[:, 0])


def embedding_coherence(vectors: NDArray[Any]) -> float:
    """Mean cosine of all pairs of a topic's terms; `vectors` has one row per term; zero rows have cosine 0."""
    rows = np.asarray(vectors, np.float64)
    return _mean(_cosines(rows, rows)[np.triu_indices(len(rows), 1)])


def _cosines(left: Doubles, right: Doubles) -> Doubles:
    lengths = np.outer(np.linalg.norm(left, axis=1), np.linalg.norm(right, axis=1))
    return np.divide(left @ right.T, lengths, out=np.zeros(lengths.shape), where=lengths > 0)


def diversity(topics: Sequence[Sequence[Hashable]]) -> float:
    """Share of distinct terms among all topics' terms."""
    terms = [term for topic in topics for term in topic]
    return len(set(terms)) / len(terms) if terms else float("nan")


def mean_over_topics(values: Sequence[float]) -> float:
    """The mean over the topics for which it is defined."""
    known = np.array(values, np.float64)
    return _mean(known[~np.isnan(known)])


def _mean(values: Doubles) -> float:
    return float(values.mean()) if values.size else float("nan")


Measure = Callable[[PairCounts], float]
BY_DOCUMENTS: MappingProxyType[str, Measure] = MappingProxyType(
    {
        "npmi": npmi,
        "lcp": lcp,
        "pmi": pmi,
        "npmi_unsmoothed": npmi_unsmoothed,
        "median_document_frequency": median_document_frequency,
        "pairs_never_together": pairs_never_together,
        "terms_never_seen": terms_never_seen,
        "u_mass": u_mass,
    }
)
