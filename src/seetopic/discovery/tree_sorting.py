"""Sorts documents into a tree: all levels decide together.

The score of a path is the score of its last name plus a share of the score of the path above it, all linear in the
document's features. So a document is likely in a category if it is likely in its parent, and likely in the parent if
it is likely in one of its children; no level decides alone.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from seetopic.discovery.self_training import (
    CLOSED,
    Features,
    Rule,
    SortedSample,
    mean_of_rounds,
    regression,
    scored,
    scored_by_names,
    shares,
    spread_of,
)
from seetopic.discovery.teaching import Lessons, taught
from seetopic.discovery.term_rule import TermRule
from seetopic.discovery.tree import Tree
from seetopic.runtime import Doubles, Floats, one_thread
from seetopic.settings import SortingSettings

_ABOVE = 0.5  # weight of the path above a name, relative to the name
_TINY = 1e-12


@one_thread()
def sort_by_paths(
    features: Features, names: Floats, settings: SortingSettings, tree: Tree, handicaps: Doubles
) -> SortedSample:
    """As `sort_sample`, for the columns of a tree. Parents' columns are closed: their documents are in those below."""
    leaves = list(tree.leaves)
    lowered = handicaps[leaves]
    named = _only(_by_path(scored_by_names(names, features), tree), leaves)

    def learned(scores: Doubles) -> Rule:
        return _only(_by_path(_learned(features, scores - lowered, settings, tree), tree), leaves)

    rule = mean_of_rounds(named, learned, settings)
    offset = -(features.mean.astype(np.float64) @ rule.weights)
    n_columns = len(names)
    return SortedSample(
        among_all(leaves, n_columns, rule.scores - lowered, -CLOSED),
        among_all(leaves, n_columns, rule.weights, 0.0),
        among_all(leaves, n_columns, offset - lowered, -CLOSED),
        among_all(leaves, n_columns, named.scores - lowered, -CLOSED),
    )


def taught_by_paths(
    features: Features, found: SortedSample, lessons: Lessons, settings: SortingSettings, tree: Tree
) -> SortedSample:
    """As `taught`, for the columns of a tree."""
    leaves, n_columns = list(tree.leaves), len(tree)
    own = SortedSample(
        found.scores[:, leaves], found.weights[:, leaves], found.offset[leaves], found.by_name[:, leaves]
    )
    learned = taught(features, own, replace(lessons, allowed=lessons.allowed[:, leaves]), settings)
    assert learned.left_out is not None
    return SortedSample(
        among_all(leaves, n_columns, learned.scores, -CLOSED),
        among_all(leaves, n_columns, learned.weights, 0.0),
        among_all(leaves, n_columns, learned.offset, -CLOSED),
        found.by_name,
        among_all(leaves, n_columns, learned.left_out, -CLOSED),
        found,
    )


def among_all(columns: list[int], n_columns: int, values: Doubles | Floats, others: float) -> Doubles:
    """Values of some columns in an array with all columns."""
    result = np.full((*values.shape[:-1], n_columns), others)
    result[..., columns] = values
    return result


def widened(tree: Tree | None, rule: TermRule) -> TermRule:
    """A rule for the columns that have documents as one for all columns."""
    if tree is None:
        return rule
    leaves = list(tree.leaves)
    weights = among_all(leaves, len(tree), rule.weights, 0.0).astype(np.float32)
    return TermRule(weights, among_all(leaves, len(tree), rule.offset, -CLOSED))


def _learned(features: Features, scores: Doubles, settings: SortingSettings, tree: Tree) -> Rule:
    """A regression for each level, on the documents that are clearest at that level by the scores of the leaves."""
    leaves = list(tree.leaves)
    weights = np.zeros((len(features.mean), len(tree)))
    weights[:, leaves] = regression(features.centred, scores, settings)
    likely = tree.summed(among_all(leaves, len(tree), shares(scores, settings.temperature), 0.0))
    for depth in tree.inner_depths:
        cut = tree.cut(depth)
        at_level = regression(features.centred, np.log(likely[:, cut] + _TINY), settings)
        for place, node in enumerate(cut):
            if node in tree.inner and tree.depths[node] == depth:
                weights[:, node] = at_level[:, place]
    return scored(weights, features)


def _by_path(rule: Rule, tree: Tree) -> Rule:
    """Each column's score plus a share of that of the path above it, with spread 1."""
    weights, scores = rule.weights.copy(), rule.scores.copy()
    for column, parent in enumerate(tree.parents):
        if parent >= 0:  # parents come first, so theirs are complete
            weights[:, column] += _ABOVE * weights[:, parent]
            scores[:, column] += _ABOVE * scores[:, parent]
            spread = spread_of(scores[:, [column]])[0]
            weights[:, column] /= spread
            scores[:, column] /= spread
    return Rule(weights, scores)


def _only(rule: Rule, columns: list[int]) -> Rule:
    return Rule(rule.weights[:, columns], rule.scores[:, columns])
