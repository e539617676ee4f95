"""Orders a topic's terms so that the first ones are not ten words for one thing.

A greedy cover: the next term is the one with the best product of its score and of the documents of its category that
it adds to those of the terms before it.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from seetopic.discovery.algorithm import Discovered
from seetopic.discovery.constraints import Constraints
from seetopic.discovery.evidence.confidence import JUDGED
from seetopic.discovery.ranking import Entries
from seetopic.runtime import Doubles, Longs, Sparse

_WEIGHT = 0.3  # power of the documents that a term adds, relative to its score
_ELSEWHERE = 0.2  # a document with a smaller share in the category counts against the term


def covering(
    found: Discovered, documents: Sparse, memberships: Doubles, constraints: Constraints, top: int
) -> Discovered:
    """The same terms in another order, with scores that fall in this order; fixed terms stay first.

    `documents` is 1 where a document contains a term, (n_documents, n_terms); `memberships` are the shares of these
    documents in the categories. The order of the first terms does not depend on how many are asked for.
    """
    scores, deep = [], []
    place_of = np.full(found.scores.shape[1], -1)  # of a term among those of one category that have a score
    for category, (terms, (scored, own)) in enumerate(zip(found.deep, found.scores.parts, strict=True)):
        place_of[scored] = np.arange(len(scored))
        places = place_of[terms]
        place_of[scored] = -1
        # In a tree, a term may stand for a variant that has a score while it has none itself.
        has_score = places >= 0
        known = np.where(has_score, own[places], 0.0) if len(own) else np.zeros(len(terms))
        n_fixed = len(set(terms) & set(constraints.fixed[category]))
        worth = memberships[:, category] - _ELSEWHERE
        order, factors = _greedy(known, _postings(documents, terms), worth, n_fixed, max(top, JUDGED))
        deep.append([terms[place] for place in order])
        lowered = own.copy()
        lowered[places[has_score]] *= factors[has_score]
        scores.append((scored, lowered))
    entries = Entries.joined(scores, found.scores.shape[1])
    return replace(found, terms=[terms[:top] for terms in deep], deep=deep, scores=entries)


def _postings(documents: Sparse, terms: list[int]) -> tuple[Longs, Longs]:
    """The documents of each term, one term after the other, and where each term's documents start."""
    starts, ends = documents.indptr[terms], documents.indptr[[term + 1 for term in terms]]
    held = [documents.indices[start:end] for start, end in zip(starts, ends, strict=True)]
    bounds = np.concatenate([[0], np.cumsum(ends - starts)])
    return np.concatenate([np.empty(0, np.int64), *held]), bounds


def _greedy(
    scores: Doubles, postings: tuple[Longs, Longs], worth: Doubles, n_fixed: int, top: int
) -> tuple[list[int], Doubles]:
    """Places of the terms, best first, and the factor of each term's score.

    What a term adds only shrinks as others come before it, so the products fall in the order in which they are chosen.
    """
    held, bounds = postings
    left, factors, order = worth.copy(), np.ones(len(scores)), list(range(n_fixed))
    is_left, sums, most = np.arange(len(scores)) >= n_fixed, np.zeros(len(held) + 1), 0.0

    def cover(place: int) -> None:
        own = held[bounds[place] : bounds[place + 1]]
        left[own] = np.minimum(left[own], 0.0)  # what counts against other terms still does

    for place in order:
        cover(place)
    while len(order) < min(top, len(scores)):
        left.take(held).cumsum(out=sums[1:])
        until = sums[bounds]
        added = np.maximum(until[1:] - until[:-1], 0.0)
        most = most or float(added[is_left].max())
        np.copyto(factors, ((1 + added) / (1 + most)) ** _WEIGHT, where=is_left)
        best = int(np.where(is_left, scores * factors, -1.0).argmax())
        order.append(best)
        is_left[best] = False
        cover(best)
    rest = np.flatnonzero(is_left)
    last = rest[np.argsort(-(scores * factors)[rest], kind="stable")]
    return [*order, *last.tolist()], factors
