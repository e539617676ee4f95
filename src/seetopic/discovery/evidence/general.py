"""Evidence from the language model: similarity to the category's name and current terms; score_G of Eq. (5)."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import NamedTuple

import numpy as np

from seetopic.discovery.evidence.similarity import contrasted, mean_vectors, products
from seetopic.runtime import Doubles, Flags, Floats, median

DRIFT = 0.43  # a topic that is less close than this to its name has drifted; docs/method.md has the figures
_TINY = 1e-6  # avoids a division by 0 if every term is the name itself


@dataclass(frozen=True)
class GeneralEvidence:
    """By the language model's vectors of the terms, e_w; the name's own vector counts in every iteration."""

    vectors: Floats  # unit rows, (n_terms, dimension)
    names: Floats  # unit rows, (n_categories, dimension)
    name_pull: float = 0.0  # the name counts as this many terms
    contrast: float = 0.0
    held_back: float = 5.0  # in a topic that has drifted, the name counts as this many more terms
    rivals: Flags | None = None  # categories that lower the scores of others; None: all do
    name: str = "general"

    @cached_property
    def similarity(self) -> Floats:
        """Cosine of each category's name and each term; (n_categories, n_terms)."""
        return products(self.names, self.vectors)

    def among(self, categories: list[int]) -> GeneralEvidence:
        """The same for some categories, without computing their similarities again."""
        part = replace(self, names=self.names[categories])
        vars(part)["similarity"] = self.similarity[categories]
        return part

    @cached_property
    def _means(self) -> Means:
        return means_of(self.similarity)

    def closeness(self, current: list[list[int]]) -> Doubles:
        return closeness(self.similarity, current, self._means)

    def scores(self, current: list[list[int]]) -> Floats:
        sizes = np.array([len(terms) for terms in current], np.float32)
        pull = np.full(len(current), self.name_pull, np.float32)
        if self.name_pull > 0 and self.held_back > 0:
            pull += np.float32(self.held_back) * (self.closeness(current) < DRIFT)
        pull[sizes == 0] = 1  # without terms, only the name represents a category
        share = (pull / np.maximum(pull + sizes, 1))[:, None]
        centres = (1 - share) * mean_vectors(self.vectors, current) + share * self.names
        return contrasted(products(centres.astype(np.float32), self.vectors), self.contrast, self.rivals)


class Means(NamedTuple):
    """What `closeness` needs of all similarities."""

    of_categories: Floats  # mean similarity to all terms
    totals: Doubles  # sum over the categories, by term


def means_of(similarity: Floats) -> Means:
    return Means(similarity.mean(axis=1), similarity.sum(axis=0, dtype=np.float64))


def closeness(similarity: Floats, current: list[list[int]], means: Means | None = None) -> Doubles:
    """How close each topic is to its name, from 0 to 1.

    The median similarity of its terms to the name, plus the median of how much nearer they are to it than to the other
    names; measured from the name's mean similarity to all terms, as a share of what is left up to 1. Similarity alone
    would trust terms that are near to everything; requiring the nearest of all names would penalise a topic for another
    one that means the same. Measuring from the mean makes models comparable. `similarity` is between names and terms,
    (n_categories, n_terms); `means` are its `means_of`, if already known.
    """
    found, n_others = np.zeros(len(current)), len(similarity) - 1
    anywhere, totals = means_of(similarity) if means is None else means
    for category, terms in enumerate(current):
        if terms:
            own = similarity[category, terms]
            elsewhere = (totals[terms] - own) / n_others if n_others else anywhere[category]
            gain = median(own) - anywhere[category] + median(own - elsewhere)
            found[category] = np.clip(gain / max(1 - anywhere[category], _TINY), 0, 1)
    return found
