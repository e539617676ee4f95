"""What to know about each topic, as sentences."""

from __future__ import annotations

import numpy as np

from seetopic.corpus import Seed, Seeds, has_wildcard
from seetopic.discovery.absence import is_absent, is_rare
from seetopic.discovery.algorithm import Discovered
from seetopic.discovery.constraints import term_patterns
from seetopic.discovery.evidence.confidence import DOUBTFUL
from seetopic.discovery.known_names import hardly_known_in
from seetopic.discovery.names import is_far
from seetopic.discovery.topics import LOW_CONFIDENCE
from seetopic.discovery.twins import Twins
from seetopic.index import Index
from seetopic.runtime import Doubles, Floats


def warnings_of(
    index: Index,
    seeds: Seeds,
    top: int,
    similarity: Floats,
    found: Discovered,
    sure: Doubles,
    handicaps: Doubles,
    twins: Twins | None,
) -> list[list[str]]:
    """The warnings of each topic; `similarity` is between the categories and the terms, (n_categories, n_terms)."""
    unknown, sentences = hardly_known_in(index, seeds), []
    for category, seed in enumerate(seeds.seeds):
        told, n_found = [], len(found.terms[category])
        if twins is not None and (alike := twins.told(seeds, category)):
            told.append(f"{alike} mean nearly the same and share their terms; make them one category")
        if n_found < top:
            told.append(f"only {n_found} of {top} terms; others fit other categories better, or there are no more")
        if n_found and sure[category] < DOUBTFUL:
            told.append(LOW_CONFIDENCE)
        new = not occurs(index, seed)
        if new and is_far(float(np.max(similarity[category])), len(index.vocabulary)):
            told.append("no term is near this name, so its topic may be about something else")
        elif new and seed.label in unknown:
            told.append("the language model hardly knows this name; add a description, or another name")
        elif is_absent(handicaps[category]):
            told.append("no document seems to be about this name, so it gets none; a description may help")
        elif is_rare(handicaps[category]):
            told.append("hardly any document is about this name, so it gets few; a description may help")
        for kind, words in (("pinned", seed.pinned), ("negative", seed.negative)):
            absent = [word for word in words if index.term_id(word) is None and not _matches(index, word)]
            if absent:
                told.append(f"{kind}, but not terms of the documents: {', '.join(absent)}")
        sentences.append(told)
    return sentences


def _matches(index: Index, word: str) -> bool:
    return has_wildcard(word) and bool(index.derived(term_patterns).matching(word))


def occurs(index: Index, seed: Seed) -> bool:
    """Whether any of a category's names is a term of the documents."""
    return any(index.term_id(name) is not None for name in seed.names)
