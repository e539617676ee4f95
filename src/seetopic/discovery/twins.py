"""Names that mean nearly the same share their documents and terms, instead of fighting over them.

Twins are found by their vectors. They go through a discovery as one category with several names; then its documents and
terms are dealt out among them by what tells the names apart.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from itertools import chain
from typing import Any

import numpy as np

from seetopic.corpus import Seed, Seeds, normalized_name
from seetopic.discovery.algorithm import DEEP, Discovered
from seetopic.discovery.constraints import Constraints
from seetopic.discovery.ranking import Entries
from seetopic.discovery.sampled import Reading
from seetopic.discovery.self_training import Features, SortedSample, scored, shares
from seetopic.discovery.tree import Tree
from seetopic.discovery.wildcards import distinct_names
from seetopic.runtime import Doubles, Flags, Floats, Longs, compiled, listed

_SAME = 0.75  # cosine from which two names mean nearly the same: "parents" and "parenting", not "style" and "beauty"
_WINDOW = 2  # terms per twin from which each takes one


@dataclass(frozen=True)
class Twins:
    """Which categories count as one: categories of the same group do."""

    groups: tuple[tuple[int, ...], ...]  # categories, ascending; every category is in one group

    @property
    def largest(self) -> int:
        return max(map(len, self.groups))

    def columns(self, n_themes: int) -> Longs:
        """The group of each category, followed by the residual themes, which are apart."""
        column = np.zeros(sum(map(len, self.groups)) + n_themes, np.int64)
        for number, group in enumerate(self.groups):
            column[list(group)] = number
        column[len(column) - n_themes :] = len(self.groups) + np.arange(n_themes)
        return column

    def merged(self, seeds: Seeds) -> Seeds:
        """One seed per group: with the names of all of its members, without what only some of them exclude."""
        return Seeds(tuple(_merged([seeds.seeds[member] for member in group]) for group in self.groups))

    def merged_answers(self, terms: Mapping[str, Mapping[int, bool]]) -> dict[str, dict[int, bool]]:
        """Judged terms by group: one that belongs to a member belongs to the group, one to no member does not."""
        found: dict[str, dict[int, bool]] = {}
        for term, answers in terms.items():
            for number, group in enumerate(self.groups):
                own = [answers.get(member) for member in group]
                if any(own) or not any(answer is None for answer in own):
                    found.setdefault(term, {})[number] = any(own)
        return found

    def apart(self, tree: Tree, seeds: Seeds) -> Tree:
        """The tree of all names, from that of the groups; residual themes stay where they are."""
        owners = [-1 if owner < 0 else self.groups[owner][0] for owner in tree.owners]  # a parent is its own group
        return Tree((*seeds.parents, *owners), len(seeds))

    def told(self, seeds: Seeds, category: int) -> str:
        """The names of a category's group: "a, b and c"; empty if it is alone."""
        group = next(group for group in self.groups if category in group)
        return listed(seeds.seeds[member].label for member in group) if len(group) > 1 else ""


def twins_among(names: Floats, tree: Tree | None = None) -> Twins | None:
    """Groups of names, unit rows, linked by pairs that mean nearly the same; None if there is no such pair.

    In a tree, only names without children that have the same parent: others are told apart by their place.
    """
    same = names @ names.T >= _SAME
    if tree is not None:
        parents, leaves = np.array(tree.parents), np.isin(np.arange(len(tree)), tree.leaves)
        same &= (parents[:, None] == parents) & leaves[:, None] & leaves
    if not np.triu(same, 1).any():
        return None
    first = _first_linked(same)
    return Twins(tuple(tuple(np.flatnonzero(first == name).tolist()) for name in np.unique(first)))


def _first_linked(same: Flags) -> Longs:
    """The first name that each name is linked with, directly or through others."""
    first = np.arange(len(same))
    while True:
        nearer = np.minimum(first, np.where(same, first, len(same)).min(axis=1))
        if np.array_equal(nearer, first):
            return first
        first = nearer


def _merged(seeds: list[Seed]) -> Seed:
    if len(seeds) == 1:
        return seeds[0]
    pinned = tuple(dict.fromkeys(chain.from_iterable(seed.pinned for seed in seeds)))
    negative = [set(map(normalized_name, seed.negative)) for seed in seeds]
    return Seed(
        seeds[0].name,
        distinct_names(chain.from_iterable(seed.names for seed in seeds)),
        pinned,
        tuple(word for word in seeds[0].negative if all(normalized_name(word) in each for each in negative)),
        "; ".join(filter(None, (seed.description for seed in seeds))),
        path=seeds[0].path,
    )


# Documents


def dealt_reading(reading: Reading, twins: Twins, names: Floats, features: Features, temperature: float) -> Reading:
    """The sample sorted by groups, with the documents of each group dealt out by how near they are to its names.

    `names` are unit rows, (n_categories, dimension). Documents that were not read are dealt out evenly.
    """
    column = twins.columns(reading.memberships.shape[1] - len(twins.groups))
    groups = [list(group) for group in twins.groups if len(group) > 1]  # nothing changes for other names
    members = [member for group in groups for member in group]
    by_name = np.zeros((len(features.mean), len(members)))
    by_name[: names.shape[1]] = names[members].T
    apart = scored(by_name, features)
    weights, scores = apart.weights, apart.scores
    even, first = np.zeros(len(members)), 0  # so that shares of one group's members add up to about the group's
    dealt_shares = np.take(reading.memberships, column, axis=-1) / np.bincount(column)[column]
    read = dealt_shares[: len(scores)]
    for group in groups:
        own = slice(first, first + len(group))
        weights[:, own] -= weights[:, own].mean(axis=1, keepdims=True)
        scores[:, own] -= scores[:, own].mean(axis=1, keepdims=True)
        read[:, group] *= len(group) * shares(scores[:, own], temperature)
        even[own] = temperature * np.log(len(group))
        first += len(group)
    scores -= even

    def dealt_out(whole: Doubles, added: Doubles) -> Doubles:
        result = np.take(whole, column, axis=-1)  # whole[..., column] would have its columns in sequence
        result[..., members] += added
        return result

    found = reading.found
    dealt = SortedSample(
        dealt_out(found.scores, scores),
        dealt_out(found.weights, weights),
        dealt_out(found.offset, -(features.mean.astype(np.float64) @ weights) - even),
        dealt_out(found.by_name, scores),
    )
    return Reading(dealt, dealt_shares)


# Terms


def dealt_terms(found: Discovered, twins: Twins, similarity: Floats, constraints: Constraints, top: int) -> Discovered:
    """The terms of each group dealt out among its members, one to each in turn, by what tells their names apart.

    `similarity` is between the categories, themes included, and the terms; (n_categories, n_terms).
    """
    column = twins.columns(len(similarity) - sum(map(len, twins.groups)))
    size, parts = max(top, DEEP), found.scores.parts
    deep = [list(found.deep[number][:size]) for number in column]
    for number, group in enumerate(twins.groups):
        if len(group) > 1:
            own = [constraints.fixed[member] for member in group]
            free = [term for term in found.deep[number] if term not in set(chain.from_iterable(own))]
            hands = _dealt(free, similarity[list(group)], constraints.barred[list(group)])
            for member, fixed, hand in zip(group, own, hands, strict=True):
                order = np.argsort([-score for score in found.scores.scores_of(number, hand)], kind="stable")
                best = [hand[place] for place in order]
                deep[member] = [*fixed, *best][:size]
    return replace(
        found,
        terms=[terms[:top] for terms in deep],
        deep=deep,
        scores=Entries.joined([parts[number] for number in column], found.scores.shape[1]),
        ranked={kind: [rows[number] for number in column] for kind, rows in found.ranked.items()},
    )


def _dealt(terms: list[int], similarity: Floats, barred: Flags) -> list[list[int]]:
    """Deal terms, best first: in each round every member takes one of the next, such that all suit best together."""
    n_members, left = len(similarity), list(terms)
    hands: list[list[int]] = [[] for _ in range(n_members)]
    while left:
        window = left[: _WINDOW * n_members]
        suits = similarity[:, window] - similarity[:, window].mean(axis=0)
        suits = np.where(barred[:, window], -10.0, suits)
        taken = set()
        for member, place in zip(*_assignment()(suits, maximize=True), strict=True):
            taken.add(window[place])
            if not barred[member, window[place]]:
                hands[member].append(window[place])
        left = [term for term in left if term not in taken]
    return hands


def _assignment() -> Any:
    routines = compiled("optimize", "_lsap", "linear_sum_assignment")
    if routines is None:
        from scipy import optimize as routines
    return routines.linear_sum_assignment
