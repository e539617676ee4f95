"""The categories that documents are assigned to, their shares in all categories, and the evidence."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from seetopic.discovery import Tree
from seetopic.errors import SettingsError
from seetopic.runtime import Doubles, Flags, Floats, Lists, Longs, Shorts

STEPS = 10_000  # shares are stored in ten-thousandths
_FEW = 3  # terms that are evidence if a document has none of its topic's terms


@dataclass(frozen=True)
class Assigned:
    """A document's shares in all categories, the categories it is assigned to, and the evidence for the best one."""

    shares: tuple[float, ...]
    categories: tuple[int, ...]  # best first; empty if it is assigned to none
    evidence: tuple[str, ...]  # matched terms of the best category's topic, or else those that count most for it


@dataclass(frozen=True)
class Placement:
    """What a sorter says about some documents; the threshold can still be raised."""

    steps: Shorts  # shares in ten-thousandths, (n_documents, n_categories)
    none: Shorts  # the share of none in ten-thousandths, (n_documents,)
    categories: Lists  # those that a document is assigned to, best first
    shares: Doubles  # of these, not rounded
    evidence: Lists  # terms in the document that are in the best category's topic, or else count most for it

    def __len__(self) -> int:
        return len(self.steps)

    @property
    def best(self) -> Longs:
        """The best category of each document, or -1."""
        first = np.append(self.categories.values, -1)[self.categories.starts[:-1]]
        return np.where(self.categories.sizes > 0, first, -1)

    @property
    def best_steps(self) -> Shorts:
        """The best share of each document in ten-thousandths; 0 if it has no category."""
        best = self.best
        steps: Shorts = np.where(best >= 0, self.steps[np.arange(len(best)), best], np.int16(0))
        return steps

    def at_least(self, bounds: Bounds) -> Placement:
        """Only categories with large enough shares; evidence for one that is not among them any more is dropped."""
        needed = np.full(len(self.shares), bounds.further)
        needed[self.categories.starts[:-1][self.categories.sizes > 0]] = bounds.best
        enough = self.shares >= needed
        given = self.categories.where(enough)
        found = Placement(self.steps, self.none, given, self.shares[enough], self.evidence)
        is_for_best = (found.best == self.best) & (given.sizes > 0)
        return replace(found, evidence=self.evidence.where(is_for_best[self.evidence.documents]))

    def where(self, chosen: Flags) -> Placement:
        """Only the flagged documents."""
        given = self.categories.of_documents(chosen)
        shares = self.shares[chosen[self.categories.documents]]
        return Placement(self.steps[chosen], self.none[chosen], given, shares, self.evidence.of_documents(chosen))

    @staticmethod
    def joined(parts: Sequence[Placement]) -> Placement:
        """Several placements, concatenated; there must be at least one."""
        return Placement(
            np.concatenate([part.steps for part in parts]),
            np.concatenate([part.none for part in parts]),
            Lists.joined([part.categories for part in parts]),
            np.concatenate([part.shares for part in parts]),
            Lists.joined([part.evidence for part in parts]),
        )

    def assigned(self, terms: tuple[str, ...]) -> list[Assigned]:
        """One value per document."""
        rows = (self.steps / STEPS).tolist(), self.categories.as_lists(), self.evidence.as_lists()
        return [
            Assigned(tuple(shares), tuple(given), tuple(terms[term] for term in evidence))
            for shares, given, evidence in zip(*rows, strict=True)
        ]

    def arrays(self) -> dict[str, Any]:
        """Its arrays by name, to be saved."""
        return {
            "steps": self.steps,
            "none": self.none,
            "categories": self.categories.values.astype(np.int32),
            "category_starts": self.categories.starts,
            "shares": self.shares,
            "evidence": self.evidence.values.astype(np.int32),
            "evidence_starts": self.evidence.starts,
        }

    @staticmethod
    def from_arrays(arrays: dict[str, Any]) -> Placement:
        return Placement(
            arrays["steps"],
            arrays["none"],
            Lists(arrays["categories"].astype(np.int64), arrays["category_starts"]),
            arrays["shares"],
            Lists(arrays["evidence"].astype(np.int64), arrays["evidence_starts"]),
        )


@dataclass(frozen=True)
class AssignOptions:
    """Which categories documents are assigned to."""

    threshold: float = 0.0  # smallest share at which a category is assigned
    rate: float | None = None  # alternatively, the share of documents that get a category
    several: bool = False

    def __post_init__(self) -> None:
        if not 0 <= self.threshold <= 1:
            raise SettingsError(f"`threshold` is {self.threshold}, but must be between 0 and 1")
        if self.rate is not None and self.threshold > 0:
            raise SettingsError("both `threshold` and `rate` are given, but each determines the other; give only one")
        if self.rate is not None and not 0 < self.rate <= 1:
            raise SettingsError(f"`rate` is {self.rate}, but must be greater than 0 and at most 1")

    def rule(self, n_categories: int) -> AssignmentRule:
        """The rule for one document; with a rate, the threshold is known only after all documents are sorted.

        `n_categories` is the number of categories among which an even share is equal: in a tree, that of its roots.
        """
        if self.rate is not None:
            return AssignmentRule(0.0, self.several, may_be_none=False)
        return AssignmentRule(self._smallest(n_categories), self.several)

    def bounds(self, n_categories: int, best_steps: Longs) -> Bounds:
        """The shares at which categories are assigned, once all documents are sorted; see `threshold_for`."""
        smallest = self._smallest(n_categories)
        if self.rate is None:
            return Bounds(smallest, smallest)
        threshold = threshold_for(best_steps, self.rate)
        # With a high rate, the threshold is so low that documents would get nearly all categories.
        return Bounds(threshold, max(threshold, smallest))

    def _smallest(self, n_categories: int) -> float:
        return 1 / n_categories if self.several and self.threshold == 0 else self.threshold


@dataclass(frozen=True)
class Bounds:
    """The smallest shares at which a document is assigned to categories."""

    best: float  # of its best category
    further: float


@dataclass(frozen=True)
class AssignmentRule:
    """A category is assigned if its share reaches the bound and, with `may_be_none`, also the share of none."""

    bound: float
    several: bool  # every such category, or only the best one
    may_be_none: bool = True


BEST = AssignmentRule(bound=0.0, several=False)


def placed(
    with_none: Doubles,
    known: Flags,
    matched: Lists,
    topic_pairs: Longs,
    n_terms: int,
    counts: Callable[[Longs, Longs], Floats],
    rule: AssignmentRule,
    tree: Tree | None = None,
) -> Placement:
    """Assign each known document to its categories.

    `with_none` has one column of shares per category and a last one for none. `topic_pairs` are category * n_terms +
    term for the terms of every category's topic, ascending; `counts` says how much terms count for categories. In a
    tree, the share of a category includes those of the categories below it, and a document whose best category has too
    small a share belongs to one above it.
    """
    shares, order, given = _given(with_none, known, rule, tree)
    ordered = np.take_along_axis(shares, order, axis=1)
    starts = np.concatenate([np.zeros(1, np.int64), np.cumsum(given.sum(axis=1))])
    # In a tree, a parent may be assigned although its child, which comes before it, has too small a share.
    first = given.argmax(axis=1)[:, None]
    best = np.where(given.any(axis=1), np.take_along_axis(order, first, axis=1)[:, 0], -1)
    pairs = best[matched.documents] * n_terms + matched.values  # negative where no category is assigned
    at = np.searchsorted(topic_pairs, pairs)
    is_evidence = np.append(topic_pairs, -1)[at] == pairs
    is_evidence |= _counts_most(matched, best, (best >= 0) & (matched.where(is_evidence).sizes == 0), counts)
    steps = np.rint(np.hstack([shares, with_none[:, -1:]]) * STEPS).astype(np.int16)
    return Placement(
        steps[:, :-1], steps[:, -1], Lists(order[given], starts), ordered[given], matched.where(is_evidence)
    )


def _counts_most(matched: Lists, best: Longs, chosen: Flags, counts: Callable[[Longs, Longs], Floats]) -> Flags:
    """Whether a term is among the few that count most for the best category of a chosen document."""
    places = np.flatnonzero(chosen[matched.documents])
    documents = matched.documents[places]
    counted = counts(matched.values[places], best[documents])
    order = np.lexsort((-counted, documents))
    sizes = matched.sizes[chosen]
    rank = np.empty(len(order), np.int64)
    rank[order] = np.arange(len(order)) - np.repeat(np.cumsum(sizes) - sizes, sizes)
    flags = np.zeros(len(matched.values), np.bool_)
    flags[places] = (rank < _FEW) & (counted > 0)
    return flags


def best_categories(with_none: Doubles, known: Flags, tree: Tree | None = None) -> Longs:
    """The best category of each document, -1 for none: as `placed`, without the terms that are evidence for it."""
    _, order, given = _given(with_none, known, BEST, tree)
    return np.where(given[:, 0], order[:, 0], -1)


def _given(with_none: Doubles, known: Flags, rule: AssignmentRule, tree: Tree | None) -> tuple[Doubles, Longs, Flags]:
    """Shares, the categories of each document that may be assigned, best first, and which of them are."""
    shares, none = with_none[:, :-1], with_none[:, -1:]
    order = np.argsort(-shares, axis=1, kind="stable") if rule.several else shares.argmax(axis=1)[:, None]
    competing = np.take_along_axis(shares, order, axis=1)  # with the share of none
    if tree is not None:
        shares = tree.summed(shares)
        competing = np.take_along_axis(shares, np.array([tree.path(node)[0] for node in range(tree.n_names)])[order], 1)
        order = order if rule.several else _climbed(order, shares, tree, rule.bound)
    given = (np.take_along_axis(shares, order, axis=1) >= rule.bound) & known[:, None]
    if rule.may_be_none:
        given &= competing >= none
    return shares, order, given


def _climbed(best: Longs, shares: Doubles, tree: Tree, bound: float) -> Longs:
    """The nearest category, from the best one upwards, whose share reaches the bound; else the root."""
    parents = np.array(tree.parents)
    for _ in range(max(tree.depths)):
        too_small = (np.take_along_axis(shares, best, axis=1) < bound) & (parents[best] >= 0)
        best = np.where(too_small, parents[best], best)
    return best


def threshold_for(best_steps: Longs, rate: float) -> float:
    """The threshold at which this share of documents gets a category.

    `best_steps` counts the documents by their best share in ten-thousandths, so memory does not grow with the
    documents.
    """
    total = int(best_steps.sum())
    if rate >= 1 or not total:
        return 0.0
    place = (1 - rate) * (total - 1)
    ranks = np.minimum([int(place), int(place) + 1], total - 1)
    below, above = np.searchsorted(np.cumsum(best_steps), ranks, side="right") / STEPS
    return float(np.quantile([below, above], place - int(place)))
