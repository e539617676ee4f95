"""Names that no document is about: they get no documents, and the other names' topics are as they are without them.

A codebook may have categories that these documents do not have. The documents nearest to such a name are hardly nearer
than others and unlike each other, and no term is near it.
"""

from __future__ import annotations

import numpy as np

from seetopic.corpus import Seeds, Settled
from seetopic.discovery.evidence.similarity import products
from seetopic.discovery.names import EncodedNames
from seetopic.index import Index
from seetopic.runtime import Doubles, Flags

_GAIN = 0.23  # how much nearer than other documents the nearest ones are to most names that few documents are about
_ABSENT, _PRESENT = (
    1.85,
    2.05,
)  # sum of three measures, about 1 each: of what no document is about, and of what some are
_HANDICAP = 3.0  # of a name between both, at most, in standard deviations
_NO_CHANCE = 1e5  # of an absent name: no document is left to it


def handicaps_of(index: Index, seeds: Seeds, settled: Settled, names: EncodedNames) -> Doubles:
    """What is subtracted from the scores of documents in each category, by its name; (n_names,)"""
    handicaps = np.zeros(len(seeds))
    if index.themes.may_be_cut_across_by(names.spoken):
        return handicaps  # the documents nearest to such names are unlike each other, too
    measured = index.themes.nearest_to(names.spoken)
    if measured is None:
        return handicaps
    alike, gain = measured.T
    presence = alike + gain / _GAIN
    sure = _with_documents(seeds, settled).union(seeds.parents)  # parents have the documents of their children
    unsure = [name for name in np.flatnonzero(presence < _PRESENT).tolist() if name not in sure]
    if unsure:
        presence[unsure] += products(names.plain[unsure], np.asarray(index.general)).max(axis=1)
        absence = np.clip((_PRESENT - presence[unsure]) / (_PRESENT - _ABSENT), 0.0, 1.0)
        handicaps[unsure] = np.where(absence < 1, _HANDICAP * absence, _NO_CHANCE)
    return np.zeros(len(seeds)) if (handicaps == _NO_CHANCE).all() else handicaps


def _with_documents(seeds: Seeds, settled: Settled) -> set[int]:
    """Categories that have examples, or documents that were judged to belong to them."""
    answered = settled.documents.values()
    judged = {category for answers in answered for category, belongs in answers.items() if belongs}
    return judged.union(category for category, seed in enumerate(seeds.seeds) if seed.examples)


def is_absent(handicaps: Doubles) -> Flags:
    """Whether no document is about each category."""
    absent: Flags = handicaps == _NO_CHANCE
    return absent


def is_rare(handicap: float) -> bool:
    """Whether hardly any document is about a name."""
    return handicap >= _HANDICAP / 2
