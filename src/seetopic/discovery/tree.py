"""Trees of categories: which category stands below which, and what a parent says about its children.

A category is sorted and ranked as one column. Residual themes follow the names, each below the parent whose documents
it is among, or below none.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from seetopic.corpus import Seed, Seeds
from seetopic.discovery.names import EncodedNames, encode_names
from seetopic.index import Index, SampleThemes, Uncovered, uncovered_in_tree
from seetopic.runtime import Doubles, Floats, Longs, Progress, laid_out, normalized, silent


@dataclass(frozen=True)
class Tree:
    """Names, parents before their children, followed by residual themes."""

    parents: tuple[int, ...]  # of each column, -1 for a root and for a theme that belongs to no parent
    n_names: int

    def __len__(self) -> int:
        return len(self.parents)

    @cached_property
    def inner(self) -> tuple[int, ...]:
        """Names that have children."""
        return tuple(sorted({parent for parent in self.parents[: self.n_names] if parent >= 0}))

    @cached_property
    def leaves(self) -> tuple[int, ...]:
        """Columns that documents are sorted into: names without children, and themes."""
        inner = set(self.inner)
        return tuple(column for column in range(len(self)) if column not in inner)

    @cached_property
    def depths(self) -> tuple[int, ...]:
        """0 for roots."""
        depths: list[int] = []
        for parent in self.parents:
            depths.append(0 if parent < 0 else depths[parent] + 1)
        return tuple(depths)

    @property
    def owners(self) -> tuple[int, ...]:
        """The parent that each residual theme belongs to, -1 for none."""
        return self.parents[self.n_names :]

    def children(self, node: int) -> list[int]:
        """The names right below a name."""
        return [child for child in range(self.n_names) if self.parents[child] == node]

    def path(self, column: int) -> list[int]:
        """A column and those above it, from the root."""
        above = [column]
        while self.parents[above[-1]] >= 0:
            above.append(self.parents[above[-1]])
        return above[::-1]

    def up_to(self, depth: int, columns: Longs) -> Longs:
        """The column at a depth above each of these, or itself if it is not that deep; -1 stays -1."""
        above = [self.path(column)[: depth + 1][-1] for column in range(len(self))]
        return np.append(above, -1)[columns]

    def cut(self, depth: int) -> list[int]:
        """Columns that share all documents among themselves: those at a depth, and leaves above it.

        Themes below a name of the cut are part of it.
        """
        inner = set(self.inner)
        names = [
            node
            for node in range(self.n_names)
            if self.depths[node] == depth or (self.depths[node] < depth and node not in inner)
        ]
        split = inner.intersection(names)
        themes = [theme for theme in range(self.n_names, len(self)) if not split.intersection(self.path(theme))]
        return [*names, *themes]

    @property
    def inner_depths(self) -> list[int]:
        """Depths at which some name has children."""
        return sorted({self.depths[node] for node in self.inner})

    def below(self, node: int) -> list[int]:
        """The columns with documents that are part of a name: its leaves and their themes, or itself."""
        return [column for column in self.leaves if node in self.path(column)]

    def with_themes(self, number: int) -> Tree:
        """The tree with this number of themes; those that it does not have yet are below no name."""
        return Tree((*self.parents, *[-1] * (self.n_names + number - len(self))), self.n_names)

    def summed(self, shares: Doubles) -> Doubles:
        """The share of each column plus those of all columns below it; (n_documents, n_columns)."""
        total = laid_out(shares, "F")  # whole columns are added
        for column in range(len(self) - 1, -1, -1):
            if self.parents[column] >= 0:
                total[:, self.parents[column]] += total[:, column]
        return total


def tree_of(seeds: Seeds) -> Tree | None:
    """None if no name has a parent."""
    return Tree(seeds.parents, len(seeds)) if seeds.is_tree else None


def owners_in(tree: Tree | None, n_themes: int) -> tuple[int, ...]:
    """The same without a tree as well, where no theme belongs to a parent."""
    return (-1,) * n_themes if tree is None else tree.owners


def with_uncovered(tree: Tree, names: Floats, themes: SampleThemes) -> tuple[Tree, Uncovered]:
    """The tree with the residual themes, by the spoken names that `names_in_context` returns."""
    leaves, inner = names[list(tree.leaves)], names[list(tree.inner)]
    uncovered, owners = uncovered_in_tree(leaves, inner, themes)
    parents = np.append(tree.inner, -1)[owners]
    return Tree((*tree.parents, *parents.tolist()), tree.n_names), uncovered


def branch_vectors(tree: Tree, names: Floats) -> Floats:
    """Vectors of names in which a parent means its name and all its children; unit rows."""
    vectors = names.copy()
    for node in reversed(tree.inner):
        vectors[node] = normalized((names[node] + vectors[tree.children(node)].sum(axis=0))[None])[0]
    return vectors


def nearer_to_others(tree: Tree, names: Floats) -> tuple[Doubles, Longs]:
    """How much nearer each name is to another name at its parent's level than to its parent, and which one that is.

    In standard deviations; -inf and -1 for roots. A parent is its name and its other children.
    """
    vectors, gaps = branch_vectors(tree, names), np.full(tree.n_names, -np.inf)
    nearest = np.full(tree.n_names, -1)
    nearness = names @ vectors.T  # (n_names, n_names)
    for depth in tree.inner_depths:
        candidates = [node for node in tree.cut(depth) if node < tree.n_names]
        spread = max(float(nearness[:, candidates].std()), 1e-9)
        for parent in (node for node in candidates if node in tree.inner):
            children, others = tree.children(parent), [node for node in candidates if node != parent]
            total = names[parent] + vectors[children].sum(axis=0)
            for child in children if others else []:
                own = float(names[child] @ normalized((total - vectors[child])[None])[0])
                nearest[child] = others[int(nearness[child, others].argmax())]
                gaps[child] = (float(nearness[child, nearest[child]]) - own) / spread
    return gaps, nearest


def names_in_context(
    index: Index, seeds: Seeds, tree: Tree, names: EncodedNames, progress: Progress = silent
) -> EncodedNames:
    """Names as their place in the tree explains them.

    A name that is nearer to another parent than to its own is read together with the names above it ("gear, baby
    products"), the more the farther it is. A parent means its name and its children.
    """
    weights = np.clip(nearer_to_others(tree, names.spoken)[0], 0, 1)
    weights[list(names.wordless)] = 0
    unclear = np.flatnonzero(weights > 0).tolist()
    plain, spoken = names.plain.copy(), names.spoken.copy()
    if unclear:
        explained = Seeds(tuple(_explained(seeds.seeds[node]) for node in unclear))
        context = encode_names(index, explained, None, progress)
        share = weights[unclear].astype(np.float32)[:, None]
        plain[unclear] = normalized(plain[unclear] + share * context.plain)
        spoken[unclear] = normalized(spoken[unclear] + share * context.spoken)
    return replace(names, plain=branch_vectors(tree, plain), spoken=branch_vectors(tree, spoken))


def _explained(seed: Seed) -> Seed:
    above = ", ".join(reversed(seed.path[:-1]))
    names = tuple(f"{name}, {above}" for name in seed.names)
    return Seed(names[0], names)
