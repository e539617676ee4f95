"""Orders a topic's terms so that the first ones are not ten words for one thing.

A greedy cover: the next term is the one with the best product of its score and of the documents of its category that
it adds to those of the terms before it.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from seetopic.discovery.algorithm import Discovered
from seetopic.discovery.constraints import Constraints
from seetopic.discovery.ranking import Entries
from seetopic.runtime import Doubles, Longs

if TYPE_CHECKING:
    from scipy.sparse import csc_array

_WEIGHT = 0.3  # power of the documents that a term adds, relative to its score
_ELSEWHERE = 0.2  # a document with a smaller share in the category counts against the term


def covering(
    found: Discovered, documents: csc_array, memberships: Doubles, constraints: Constraints, top: int
) -> Discovered:
    """The same terms in another order, with scores that fall in this order; fixed terms stay first.

    `documents` is 1 where a document contains a term, (n_documents, n_terms); `memberships` are the shares of these
    documents in the categories. The order of the first terms does not depend on how many are asked for.
    """
    scores, deep = [], []
    for category, (terms, (scored, own)) in enumerate(zip(found.deep, found.scores.parts, strict=True)):
        places = {term: place for place, term in enumerate(scored.tolist())}
        # In a tree, a term may stand for a variant that has a score while it has none itself.
        known = np.array([own[places[term]] if term in places else 0.0 for term in terms])
        n_fixed = len(set(terms) & set(constraints.fixed[category]))
        worth = memberships[:, category] - _ELSEWHERE
        order, factors = _greedy(known, _postings(documents, terms), worth, n_fixed, top)
        deep.append([terms[place] for place in order])
        lowered = own.copy()
        for term, factor in zip(terms, factors.tolist(), strict=True):
            if term in places:
                lowered[places[term]] *= factor
        scores.append((scored, lowered))
    entries = Entries.joined(scores, found.scores.shape[1])
    return replace(found, terms=[terms[:top] for terms in deep], deep=deep, scores=entries)


def _postings(documents: csc_array, terms: list[int]) -> tuple[Longs, Longs]:
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
    rest, most = np.arange(n_fixed, len(scores)), 0.0

    def cover(place: int) -> None:
        own = held[bounds[place] : bounds[place + 1]]
        left[own] = np.minimum(left[own], 0.0)  # what counts against other terms still does

    for place in order:
        cover(place)
    while len(rest) and len(order) < top:
        sums = np.concatenate([[0.0], np.cumsum(left[held])])
        added = np.maximum(sums[bounds[1:]] - sums[bounds[:-1]], 0.0)[rest]
        most = most or float(added.max())
        factors[rest] = ((1 + added) / (1 + most)) ** _WEIGHT
        best = int(rest[np.argmax((scores * factors)[rest])])
        order.append(best)
        rest = rest[rest != best]
        cover(best)
    last = rest[np.argsort(-(scores * factors)[rest], kind="stable")]
    return [*order, *last.tolist()], factors
