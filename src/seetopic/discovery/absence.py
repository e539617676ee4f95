"""Names that no document is about: they get no documents, and hardly change the other names' topics.

A codebook may have categories that these documents do not have. The documents nearest to such a name are hardly nearer
than others and unlike each other, and no term is near it.
"""

from __future__ import annotations

import numpy as np

from seetopic.corpus import Seeds, Settled
from seetopic.discovery.evidence.similarity import products
from seetopic.discovery.names import EncodedNames
from seetopic.discovery.self_training import CLOSED
from seetopic.index import Index
from seetopic.runtime import Doubles, Flags

_GAIN = 2.0  # weight of how near the nearest documents are, so that each of three measures is about 1
_ABSENT = 2.0  # sum of the measures, up to which no document is about a name
_PRESENT = 2.2  # from which some are
_HANDICAP = 3.0  # of a name between both, at most, in standard deviations
_FEW = 3  # names that are surely present, from which they alone tell whether names cut across subjects
_TINY = 1e-6


def handicaps_of(index: Index, seeds: Seeds, settled: Settled, names: EncodedNames) -> Doubles:
    """What is subtracted from the scores of documents in each category, by its name; (n_names,)"""
    handicaps = np.zeros(len(seeds))
    measured = index.themes.nearest_to(names.spoken)
    if measured is None:
        return handicaps
    alike, gain = measured.T
    presence = alike + _GAIN * gain
    sure = _with_documents(seeds, settled).union(seeds.parents)  # parents have the documents of their children
    unsure = [name for name in np.flatnonzero(presence < _PRESENT).tolist() if name not in sure]
    if unsure:
        nearness = products(names.plain[unsure], np.asarray(index.general))
        average = nearness.mean(axis=1)
        presence[unsure] += (nearness.max(axis=1) - average) / np.maximum(1 - average, _TINY)
        absence = np.clip((_PRESENT - presence[unsure]) / (_PRESENT - _ABSENT), 0.0, 1.0)
        handicaps[unsure] = np.where(absence < 1, _HANDICAP * absence, CLOSED)
    # The documents nearest to names that cut across subjects are unlike each other, too. Absent names must not make
    # the others look like such names, but one or two others say little about all.
    present = presence >= _PRESENT
    known = names.spoken[present] if np.count_nonzero(present) >= _FEW else names.spoken
    leaves = list(set(range(len(seeds))).difference(seeds.parents))
    if is_absent(handicaps[leaves]).all():
        # One or two names may be misread, and some document may be about one of many after all.
        return np.full(len(seeds), _HANDICAP if len(leaves) >= _FEW else 0.0)
    return np.zeros(len(seeds)) if index.themes.may_be_cut_across_by(known) else handicaps


def _with_documents(seeds: Seeds, settled: Settled) -> set[int]:
    """Categories that have examples, or of which a document or term was judged to belong to them."""
    answered = (*settled.documents.values(), *settled.terms.values())
    judged = {category for answers in answered for category, belongs in answers.items() if belongs}
    return judged.union(category for category, seed in enumerate(seeds.seeds) if seed.examples)


def is_absent(handicaps: Doubles) -> Flags:
    """Whether no document is about each category."""
    absent: Flags = handicaps == CLOSED
    return absent


def are_all_rare(handicaps: Doubles) -> bool:
    """Whether hardly any document is about any of the names."""
    return bool((handicaps >= _HANDICAP).all())


def is_rare(handicap: float) -> bool:
    """Whether hardly any document is about a name."""
    return handicap >= _HANDICAP / 2
