"""Terms that are typical of a part of a category's documents against its other documents.

Log-odds ratios with an informative Dirichlet prior: how often the category's documents contain a term overall pulls
rare terms towards no difference (Monroe, Colaresi and Quinn 2008).
"""

from __future__ import annotations

import numpy as np

from seetopic.classify.findings.counts import TermCounts
from seetopic.classify.findings.shares import ALPHA
from seetopic.runtime import Doubles, Longs


def typical_terms(counts: TermCounts, parts: Longs, n_parts: int, n_categories: int) -> tuple[Longs, Longs, Doubles]:
    """The terms that are typical of each part of each category; `parts` are periods or groups, parallel to `counts`.

    Returns keys (category * n_parts + part, term), the number of documents, and z, sorted by key and falling z. At
    most 5 % of them are expected to be there by chance (Benjamini and Hochberg 1995).
    """
    from scipy.stats import false_discovery_control, norm

    n_terms = max(len(counts.terms), 1)
    cells, documents = _summed((counts.category * n_parts + parts) * n_terms + counts.term, counts.documents)
    rows, terms = np.divmod(cells, n_terms)
    of_part = np.bincount(rows, documents, n_categories * n_parts)
    own, of_category = _summed(rows // n_parts * n_terms + terms, documents)
    place = np.searchsorted(own, rows // n_parts * n_terms + terms)
    everywhere = of_category[place]  # of this term in the category
    of_all = np.bincount(rows // n_parts, documents, n_categories)[rows // n_parts]
    distinct = np.bincount(own // n_terms, minlength=n_categories)[rows // n_parts]
    prior, prior_sum = everywhere * distinct / of_all, distinct  # one document per term, shared out by frequency
    here, there = documents + prior, everywhere - documents + prior
    rest = of_part[rows] + prior_sum - here, of_all - of_part[rows] + prior_sum - there
    alone = distinct == 1  # with nothing to compare it with
    odds = np.divide(here, rest[0], out=np.ones(len(here)), where=~alone)
    other_odds = np.divide(there, rest[1], out=np.ones(len(here)), where=~alone)
    z = np.log(odds / other_odds) / np.sqrt(1 / here + 1 / there)
    kept = false_discovery_control(norm.sf(z)) <= ALPHA if len(z) else np.zeros(0, np.bool_)
    rows, terms, documents, z = rows[kept], terms[kept], documents[kept], z[kept]
    order = np.lexsort((terms, -z, rows))
    return np.stack([rows, terms], axis=1)[order], documents[order], z[order]


def _summed(keys: Longs, numbers: Longs) -> tuple[Longs, Longs]:
    distinct, places = np.unique(keys, return_inverse=True)
    return distinct, np.bincount(places, numbers, len(distinct)).astype(np.int64)
