"""Measures of a tree of topics on labelled documents: level by level, and by whole paths.

A label is that of a topic by its path or its name. A document with the label of a topic also belongs to the topics
above it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from seetopic.corpus import path_text, split_path
from seetopic.discovery import Tree
from seetopic.evaluation.figures import Figures, Table, means
from seetopic.evaluation.labels import (
    NO_GUESS,
    NO_LABEL,
    Labels,
    f1_of_guesses,
    guesses_by_terms,
    label_precision,
    refuse_few_matches,
)
from seetopic.evaluation.labels import speaks_for as typical_labels
from seetopic.runtime import Flags, Longs

if TYPE_CHECKING:
    from scipy.sparse import csr_array


@dataclass(frozen=True)
class LabelledTree:
    """A tree of topics, and which documents belong to each of its topics."""

    tree: Tree
    labels: Labels  # of the documents, as given
    own: Longs  # the label of each topic, or NO_LABEL

    @cached_property
    def belongs(self) -> Flags:
        """Whether a document has the label of a topic, or of one below it; (n_documents, n_topics)."""
        given = self.labels.of_documents.toarray() > 0
        belongs: Flags = np.zeros((len(given), len(self.tree)), np.bool_)
        for topic in range(len(self.tree) - 1, -1, -1):
            if self.own[topic] != NO_LABEL:
                belongs[:, topic] |= given[:, self.own[topic]]
            if self.tree.parents[topic] >= 0:
                belongs[:, self.tree.parents[topic]] |= belongs[:, topic]
        return belongs

    @cached_property
    def is_known(self) -> Flags:
        """Whether any document belongs to a topic; (n_topics,)."""
        known: Flags = self.own != NO_LABEL
        for topic in range(len(self.tree) - 1, -1, -1):
            if self.tree.parents[topic] >= 0:
                known[self.tree.parents[topic]] |= known[topic]
        return known

    @property
    def depths(self) -> range:
        """The levels that have labels."""
        return range(1 + max(self.tree.depths[topic] for topic in np.flatnonzero(self.is_known)))

    def at(self, depth: int) -> tuple[list[int], Labels]:
        """The topics at a depth, with leaves above it, and the documents' labels at that level."""
        from scipy.sparse import csr_array

        there = [topic for topic in self.tree.cut(depth) if self.is_known[topic]]
        return there, Labels(tuple(map(str, there)), csr_array(self.belongs[:, there].astype(np.int64)))

    def by_paths(self, guesses: Longs) -> Figures:
        """Of documents with a known label: the share with exactly the right path, and F1 over all topics on paths.

        Paths end at the deepest level that has labels.
        """
        guesses, known = self.tree.up_to(self.depths[-1], guesses), self.belongs.any(axis=1)
        on_path = np.zeros((len(self.tree) + 1, len(self.tree)), np.bool_)  # the last row is for no guess
        for topic in range(len(self.tree)):
            on_path[topic, self.tree.path(topic)] = True
        guessed, truth = on_path[guesses[known]], self.belongs[known]
        exact = (guessed == truth).all(axis=1)
        return {
            "exact_path": float(exact.mean()) if known.any() else float("nan"),
            "hierarchical_f1": 2 * int((guessed & truth).sum()) / max(1, int(guessed.sum() + truth.sum())),
        }


def labelled_tree(paths: Sequence[tuple[str, ...]], labels: Labels) -> LabelledTree:
    """Match labels to topics, given by their paths: by path, or else by a name that only one topic has.

    As in `own_labels`, a label in the same case comes first.
    """
    places = {path: place for place, path in enumerate(paths)}
    parents = tuple(places.get(path[:-1], -1) for path in paths)
    exact = {path_text(split_path(label)): number for number, label in reversed(list(enumerate(labels.names)))}
    folded = {label.casefold(): number for label, number in exact.items()}
    times = Counter(path[-1].casefold() for path in paths)

    def number_of(text: str) -> int:
        return exact.get(text, folded.get(text.casefold(), NO_LABEL))

    own = []
    for path in paths:
        number = number_of(path_text(path))
        if number == NO_LABEL and times[path[-1].casefold()] == 1:
            number = number_of(path[-1])
        own.append(number)
    return LabelledTree(Tree(parents, len(paths)), labels, np.array(own, np.int64))


def refuse_unlabelled_tree(paths: Sequence[tuple[str, ...]], labels: Labels) -> None:
    """Refuse labels that at every level fewer than half of the topics have, themselves or below them."""
    labelled = labelled_tree(paths, labels)
    cuts = [labelled.tree.cut(depth) for depth in range(max(labelled.tree.depths) + 1)]
    best = max(cuts, key=lambda cut: float(labelled.is_known[cut].mean()))
    refuse_few_matches([path_text(paths[topic]) for topic in best], int(labelled.is_known[best].sum()), labels.names)


def level_tables(
    tree: LabelledTree, best: Mapping[int, Sequence[Sequence[int]]], holds: csr_array, guesses: Longs | None
) -> tuple[Table, list[Figures]]:
    """Label measures of each topic at its own level, and the means of each level that has labels.

    `best` are terms by depth.
    """
    n_topics = len(tree.tree)
    table: Table = {}
    levels: list[Figures] = []
    for depth in tree.depths:
        topics, labels = tree.at(depth)
        speaking, own = typical_labels(holds, labels), np.arange(len(topics))
        at_level: Table = {}
        for k, lists in best.items():
            some = [lists[topic] for topic in topics]
            at_level[f"label_precision@{k}"] = label_precision(some, own, speaking)
            at_level[f"label_f1@{k}"] = f1_of_guesses(guesses_by_terms(some, holds), own, labels)
        if guesses is not None:
            place = np.full(n_topics + 1, NO_GUESS)
            place[topics] = np.arange(len(topics))
            at_level["macro_f1"] = f1_of_guesses(place[tree.tree.up_to(depth, guesses)], own, labels)
        levels.append({"topics": float(len(topics)), **means(at_level)})
        for name, values in at_level.items():
            row = table.setdefault(name, [float("nan")] * n_topics)
            for topic, value in zip(topics, values, strict=True):
                row[topic] = value
    return table, levels
