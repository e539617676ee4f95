"""Terms of a tree: a child is told apart from all others within its parent, a parent has what its children share.

The leaves are ranked against each other, and so are the parents of each level. A parent may only have terms that at
least two of its children use, or its documents outside them, and that no child is clearly more typical of. What it
takes leaves its children.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from seetopic.discovery.algorithm import DEEP, Discovered, discover_terms, stood_for
from seetopic.discovery.constraints import Constraints
from seetopic.discovery.evidence import Evidence, StartRemembered
from seetopic.discovery.evidence.documents import ReadDocumentsEvidence, typical_terms
from seetopic.discovery.evidence.general import GeneralEvidence
from seetopic.discovery.evidence.similarity import best_two
from seetopic.discovery.ranking import Entries, pick_best
from seetopic.discovery.tree import Tree
from seetopic.runtime import Doubles, Flags, Floats, Longs, Sparse, in_parallel, in_parts
from seetopic.settings import DiscoverySettings
from seetopic.text import Variants

_USED = 1.645  # z-score from which a term is typical of a child, one-sided at 5 %
_AS_TYPICAL = 0.8  # a parent has a term if its z-score is at least this share of its best child's


@dataclass(frozen=True)
class TreeRanking:
    """What the terms of a tree are ranked by."""

    tree: Tree
    general: GeneralEvidence  # of all columns
    local: Evidence
    constraints: Constraints
    settings: DiscoverySettings
    top_of_parents: int  # fewer than the settings' if leaves are groups of names, among which terms are dealt out
    variants: Variants
    matched: Evidence | None = None  # from documents, if the language model has read none

    def leaves(self, typical: Floats | None, settings: DiscoverySettings | None = None) -> Discovered:
        """The terms of names without children and of themes; parents get none."""
        leaves, barred = list(self.tree.leaves), self.constraints.barred
        return self._ranked(leaves, typical, barred, settings or self.settings, *self._of_leaves)

    @cached_property
    def _of_leaves(self) -> tuple[GeneralEvidence, StartRemembered]:
        """With the scores of the starting terms remembered, because leaves are ranked twice."""
        general = self.general.among(list(self.tree.leaves))
        return general, StartRemembered(general)

    def whole(self, typical: Floats | None) -> Discovered:
        """The terms of all names and themes, no term in two of them."""
        tree, found = self.tree, self.leaves(typical)
        for depth in tree.inner_depths:
            cut = tree.cut(depth)
            barred = self.constraints.barred.copy()
            for parent in set(tree.inner).intersection(cut):
                barred[parent] |= self._not_shared(parent, typical)
            general = self.general.among(cut)
            above = self._ranked(cut, typical, barred, self.settings, general, general)
            found = _merged(found, above, [node for node in cut if node in tree.inner and tree.depths[node] == depth])
        return self._exclusive(found)

    def typical(self, documents: Sparse, summed: Doubles) -> Floats:
        """z-scores of terms in the documents of each column, those below it included; (n_columns, n_terms)."""
        scores = np.empty((len(self.tree), documents.shape[1]), np.float32)
        leaves = list(self.tree.leaves)
        scores[leaves] = typical_terms(documents, summed[:, leaves])
        for depth in self.tree.inner_depths:
            cut = self.tree.cut(depth)
            at_level = typical_terms(documents, summed[:, cut])
            inner = [place for place, node in enumerate(cut) if node in self.tree.inner]
            scores[[cut[place] for place in inner]] = at_level[inner]
        return scores

    def _ranked(
        self,
        columns: list[int],
        typical: Floats | None,
        barred: Flags,
        settings: DiscoverySettings,
        named: GeneralEvidence,
        general: Evidence,
    ) -> Discovered:
        """Algorithm 1 for some columns, which compete with each other; the result has all columns."""
        evidence: list[tuple[Evidence, float]] = [
            (general, settings.general_weight),
            (self.local, settings.local_weight),
        ]
        if typical is not None:
            # What is typical of a child must also be typical of what is above it.
            evidence.append((ReadDocumentsEvidence(self._along_paths(typical, columns)), settings.documents_weight))
        elif self.matched is not None:
            evidence.append((self.matched, settings.documents_weight))
        found = discover_terms(
            named.similarity,
            self._constraints_of(columns, barred),
            [(kind, weight) for kind, weight in evidence if weight > 0],
            settings,
            self.variants,
            veto=general,
        )
        return _among_all(found, columns, len(self.tree))

    def _along_paths(self, typical: Floats, columns: list[int]) -> Floats:
        """The lowest score of each column and those above it."""
        lowest = typical[columns]

        def fill(part: slice) -> None:
            for row, column in zip(lowest[part], columns[part], strict=True):
                for above in self.tree.path(column)[:-1]:
                    np.minimum(row, typical[above], out=row)

        in_parallel(fill, in_parts(len(columns)))
        return lowest

    def _constraints_of(self, columns: list[int], barred: Flags) -> Constraints:
        """Names of other columns are barred: each stands with its own."""
        fixed = self.constraints.fixed
        others = [term for column in set(range(len(fixed))).difference(columns) for term in fixed[column]]
        own = barred[columns]
        own[:, others] = True
        return self.constraints.among(columns, own)

    def _not_shared(self, parent: int, typical: Floats | None) -> Flags:
        """Terms that a parent may not have: one child alone uses them, or is clearly more typical of them."""
        if typical is None:
            return np.zeros(self.constraints.barred.shape[1], np.bool_)
        best, second = best_two(typical[self.tree.children(parent)])
        elsewhere = [theme for theme in range(self.tree.n_names, len(self.tree)) if self.tree.parents[theme] == parent]
        used = (typical[elsewhere] >= _USED).any(axis=0) | (second >= _USED)
        barred: Flags = ~used | (typical[parent] <= _AS_TYPICAL * best)
        return barred

    def _exclusive(self, found: Discovered) -> Discovered:
        """Each term goes to one column: first to the parents, whose best terms their children leave to them."""
        tree, top = self.tree, self.settings.top
        applied = self.constraints.applied(found.scores)
        stands = self.variants.representatives(applied.highest(), self.constraints.all_fixed)
        listed = [_represented(terms, own, stands) for terms, own in zip(found.deep, applied.parts, strict=True)]
        contest = []
        for column, (terms, scores) in enumerate(listed):
            above = [stands[found.deep[node]] for node in tree.path(column)[:-1]]
            kept = ~np.isin(terms, np.concatenate([np.empty(0, np.int64), *above]))
            kept |= np.isin(terms, self.constraints.fixed[column])
            contest.append((terms[kept], scores[kept]))
        size = max(top, DEEP)
        picked = pick_best(Entries.joined(contest, applied.shape[1]), size)
        taken = [term for node in tree.inner for term in picked[node][: self.top_of_parents]]
        rest = Entries.joined(listed, applied.shape[1])
        deep = pick_best(rest.only(~np.isin(rest.terms, taken) & ~np.isin(rest.categories, tree.inner)), size)
        for node in tree.inner:
            deep[node] = picked[node][: self.top_of_parents]
        return replace(
            found,
            terms=[terms[:top] for terms in deep],
            deep=deep,
            variants=stood_for(deep, stands, self.constraints),
        )


def _among_all(found: Discovered, columns: Sequence[int], n_columns: int) -> Discovered:
    """A result for some columns as one for all of them, in which the others have no terms."""
    place = {column: number for number, column in enumerate(columns)}
    nothing = np.empty(0, np.int64)

    def lists(some: list[list[int]]) -> list[list[int]]:
        return [some[place[column]] if column in place else [] for column in range(n_columns)]

    parts, none = found.scores.parts, (nothing, np.empty(0))
    scores = Entries.joined(
        [parts[place[column]] if column in place else none for column in range(n_columns)], found.scores.shape[1]
    )
    ranked: dict[str, list[Longs]] = {
        kind: [rows[place[column]] if column in place else nothing for column in range(n_columns)]
        for kind, rows in found.ranked.items()
    }
    return Discovered(lists(found.terms), lists(found.deep), scores, ranked, found.variants)


def _merged(found: Discovered, other: Discovered, columns: list[int]) -> Discovered:
    """The first result with some columns of the other."""
    parts, others = found.scores.parts, other.scores.parts
    for column in columns:
        found.terms[column], found.deep[column] = other.terms[column], other.deep[column]
        parts[column] = others[column]
        for kind, rows in found.ranked.items():
            rows[column] = other.ranked[kind][column]
    return replace(found, scores=Entries.joined(parts, found.scores.shape[1]))


def _represented(terms: Sequence[int], scored: tuple[Longs, Doubles], stands: Longs) -> tuple[Longs, Doubles]:
    """Terms by those that represent them, each with the best score of all that it represents."""
    known, scores = scored
    order = np.argsort(known)
    own = np.isin(known[order], terms)
    represented, of_terms = np.unique(stands[known[order][own]], return_inverse=True)
    best = np.zeros(len(represented))
    np.maximum.at(best, of_terms, scores[order][own])
    return represented, best
