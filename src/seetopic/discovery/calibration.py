"""Calibrates the shares of documents as probabilities, without labels.

What was learned from the names is right about as often as it agrees with the names alone on where a document belongs.
Shares are mixed with even ones until the largest one matches this on average: clear cases are wrong at times, too.
"""

from __future__ import annotations

import numpy as np

from seetopic.discovery.self_training import shares
from seetopic.discovery.tree import Tree, owners_in
from seetopic.runtime import Doubles, Flags

READ, BY_TERMS = 2.5, 2.1  # accuracy is the agreement to this power; measured on four kinds of labelled corpora
_LOOKED_AT = 2000  # documents, enough for a mean
_LEAST_TRUST = 0.02
_TRIED = 40  # trusts that are compared on judged documents
_STIFFNESS = 5.0  # documents' worth of trust in what is expected without judgements


def shares_with_none(
    scores: Doubles, n_names: int, temperature: float, trust: float = 1.0, tree: Tree | None = None
) -> Doubles:
    """Shares in the names and, last, in none of them, from scores; rows add up to 1, (n_documents, n_names + 1)."""
    return with_none(shares(scores, temperature), n_names, trust, tree)


def with_none(plain: Doubles, n_names: int, trust: float = 1.0, tree: Tree | None = None) -> Doubles:
    """The same from shares in names and residual themes; in a tree of names, those of a parent's themes are its own.

    `trust` is the weight of these shares; the rest is spread evenly.
    """
    owners = _owners(n_names, plain.shape[1], tree)
    joined = np.column_stack([plain[:, :n_names], np.zeros(len(plain))])
    for theme, owner in enumerate(owners, n_names):
        joined[:, owner] += plain[:, theme]
    return joined if trust == 1 else trust * joined + (1 - trust) * even_shares(n_names, plain.shape[1], tree)


def even_shares(n_names: int, n_columns: int, tree: Tree | None = None) -> Doubles:
    """The same share in everything that can have documents: names without children, what has themes; (n_names + 1,)"""
    is_open = np.zeros(n_names + 1, np.bool_)
    is_open[: n_names if tree is None else 0] = True
    is_open[[] if tree is None else [leaf for leaf in tree.leaves if leaf < n_names]] = True
    is_open[_owners(n_names, n_columns, tree)] = True
    return is_open / np.count_nonzero(is_open)


def _owners(n_names: int, n_columns: int, tree: Tree | None) -> list[int]:
    """Where the share of each residual theme is counted: in a parent, or last, in none of the names."""
    return [-1] * (n_columns - n_names) if tree is None else list(owners_in(tree))


def expected_accuracy(shares: Doubles, by_name: Doubles, power: float) -> float:
    """How often the largest share is expected to be right: how often the names alone agree, to a power."""
    same = np.count_nonzero(shares.argmax(axis=1) == by_name.argmax(axis=1))
    accuracy: float = ((same + 1) / (len(shares) + 2)) ** power  # few documents prove little
    return accuracy


def trust_for(shares: Doubles, accuracy: float, even: Doubles) -> float:
    """The trust that makes the largest shares, including those in none, on average as large as the accuracy."""
    largest, least = float(shares[:: max(1, len(shares) // _LOOKED_AT)].max(axis=1).mean()), float(even.max())
    if largest <= least:
        return 1.0
    return round(float(np.clip((accuracy - least) / (largest - least), _LEAST_TRUST, 1.0)), 3)


def trust_by_judged(
    left_out: Doubles, allowed: Flags, n_names: int, temperature: float, expected: float, tree: Tree | None = None
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
    plain, n_columns = shares_with_none(scores, n_names, temperature, tree=tree), scores.shape[1]
    truth = np.column_stack([allowed[known, :n_names], allowed[known, n_names:].any(axis=1)])
    right, by_chance = (plain * truth).sum(axis=1), (even_shares(n_names, n_columns, tree) * truth).sum(axis=1)
    trusts = np.geomspace(_LEAST_TRUST, 1.0, _TRIED)
    losses = [
        -np.log(np.maximum(trust * right + (1 - trust) * by_chance, 1e-12)).sum()
        + _STIFFNESS * np.log(trust / expected) ** 2
        for trust in trusts
    ]
    return round(float(trusts[int(np.argmin(losses))]), 3)
