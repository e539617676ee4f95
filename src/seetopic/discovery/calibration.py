"""Calibrates the shares of documents as probabilities, without labels.

What was learned from the names is right about as often as it agrees with the names alone on where a document belongs.
Shares are mixed with even ones until the largest one matches this on average: clear cases are wrong at times, too.
"""

from __future__ import annotations

import numpy as np

from seetopic.discovery.self_training import is_closed, shares
from seetopic.discovery.tree import Tree, owners_in
from seetopic.runtime import Doubles, Flags

READ, BY_TERMS = 2.5, 2.1  # accuracy is the agreement to this power; measured on four kinds of labelled corpora
_LOOKED_AT = 2000  # documents, enough for a mean
_LEAST_TRUST = 0.02
_TRIED = 40  # trusts that are compared on judged documents
_STIFFNESS = 5.0  # documents' worth of trust in what is expected without judgements


def shares_with_none(
    scores: Doubles, n_names: int, temperature: float, tree: Tree | None = None, level: float | None = None
) -> Doubles:
    """Shares in the names and, last, in none of them, from scores; rows add up to 1, (n_documents, n_names + 1).

    With the result of `level_of_none`, the mean of the shares where residual themes compete and where the level does.
    """
    joined = joined_with_none(shares(scores, temperature), n_names, tree)
    if level is None:
        return joined
    names_and_level = np.column_stack([scores[:, :n_names], np.full(len(scores), level)])
    return (joined + shares(names_and_level, temperature)) / 2


def level_of_none(scores: Doubles, n_names: int, temperature: float) -> float | None:
    """The score that a document must have in some name to belong to it; None if there are no residual themes.

    As many documents have it as belong to names where the themes compete. The themes tell how many these are, but which
    ones they are, the names tell better: a document may be about a name and near to some theme as well.
    """
    if scores.shape[1] == n_names or not len(scores):
        return None
    highest = np.sort(scores[:, :n_names].max(axis=1))[::-1]
    bounds = np.concatenate([highest[:1] + temperature, highest, highest[-1:] - temperature])
    number = np.count_nonzero(have_names(shares_with_none(scores, n_names, temperature)))
    return float(bounds[number : number + 2].mean())


def joined_with_none(plain: Doubles, n_names: int, tree: Tree | None = None) -> Doubles:
    """The same from shares in names and residual themes; in a tree of names, those of a parent's themes are its own."""
    joined = np.column_stack([plain[:, :n_names], np.zeros(len(plain))])
    for theme, owner in enumerate(owners_in(tree, plain.shape[1] - n_names), n_names):
        joined[:, owner] += plain[:, theme]
    return joined


def have_names(joined: Doubles, tree: Tree | None = None) -> Flags:
    """Whether each document belongs to a name rather than to none, from the result of `joined_with_none`.

    In a tree, what counts is the share of the root above the best name, with everything below it.
    """
    shares, rows = joined[:, :-1], np.arange(len(joined))
    best = shares.argmax(axis=1)
    if tree is not None:
        names = Tree(tree.parents[: tree.n_names], tree.n_names)
        shares, best = names.summed(shares), np.array([names.path(node)[0] for node in range(len(names))])[best]
    named: Flags = shares[rows, best] >= joined[:, -1]
    return named


def mixed(joined: Doubles, even: Doubles, trust: float) -> Doubles:
    """The weighted mean of shares and even ones; `trust` is the weight of the shares."""
    return joined if trust == 1 else trust * joined + (1 - trust) * even


def even_shares(offsets: Doubles, n_names: int, tree: Tree | None = None) -> Doubles:
    """The same share in everything that documents can belong to; (n_names + 1,)

    In a tree, it is the same at each level, so that what is best at a level stays the best. `offsets` are those of the
    scores in names and themes, which tell what is closed.
    """
    is_open = ~is_closed(offsets)
    has_own = np.append(is_open[:n_names], False)
    owners = np.array(owners_in(tree, len(offsets) - n_names), np.int64)
    has_own[owners[is_open[n_names:]]] = True
    if tree is None:
        return has_own / np.count_nonzero(has_own)
    holds = has_own.copy()
    for node in reversed(range(n_names)):
        if tree.parents[node] >= 0:
            holds[tree.parents[node]] |= holds[node]
    roots = [node for node in range(n_names + 1) if holds[node] and (node == n_names or tree.parents[node] < 0)]
    even = np.zeros(n_names + 1)
    even[roots] = 1 / len(roots)
    for node in tree.inner:
        children = [child for child in tree.children(node) if holds[child]]
        size = len(children) + int(has_own[node])
        even[children] = even[node] / max(size, 1)
        even[node] = even[node] / size if has_own[node] else 0.0
    return even


def expected_accuracy(joined: Doubles, by_name: Doubles, power: float) -> float:
    """How often the largest share is expected to be right: how often the names alone agree, to a power."""
    same = np.count_nonzero(joined.argmax(axis=1) == by_name.argmax(axis=1))
    accuracy: float = ((same + 1) / (len(joined) + 2)) ** power  # few documents prove little
    return accuracy


def trust_for(joined: Doubles, accuracy: float, even: Doubles) -> float:
    """The trust that makes the largest shares, including those in none, on average as large as the accuracy."""
    some = joined[:: max(1, len(joined) // _LOOKED_AT)]
    largest, least = float(some.max(axis=1).mean()), float(even[some.argmax(axis=1)].mean())
    if largest <= least:
        return 1.0
    return round(float(np.clip((accuracy - least) / (largest - least), _LEAST_TRUST, 1.0)), 3)


def trust_by_judged(
    left_out: Doubles,
    allowed: Flags,
    n_names: int,
    temperature: float,
    even: Doubles,
    expected: float,
    tree: Tree | None = None,
) -> float:
    """The trust under which the scores of judged documents, each left out in turn, predict the judgements best.

    `expected` is the trust without judgements, from which few of them do not move far.
    """
    known = allowed[:, :n_names].sum(axis=1) <= 1
    if not known.any():
        return expected
    spread = left_out.std(axis=0)
    spread = spread[spread > 1e-6]  # parents in a tree have no documents of their own
    scores = left_out[known] / (float(spread.mean()) if len(spread) else 1.0)
    joined = shares_with_none(scores, n_names, temperature, tree)
    truth = joined_with_none(allowed[known].astype(np.float64), n_names, tree) > 0
    trusts = np.geomspace(_LEAST_TRUST, 1.0, _TRIED)
    losses = [
        -np.log(np.maximum((mixed(joined, even, trust) * truth).sum(axis=1), 1e-12)).sum()
        + _STIFFNESS * np.log(trust / expected) ** 2
        for trust in trusts
    ]
    return round(float(trusts[int(np.argmin(losses))]), 3)
