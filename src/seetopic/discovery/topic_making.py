"""Makes topics of the terms that were found, and of the themes that the names leave out."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from seetopic.corpus import path_text
from seetopic.discovery.algorithm import Discovered
from seetopic.discovery.calibration import have_names, shares_with_none
from seetopic.discovery.constraints import Constraints
from seetopic.discovery.evidence import CurrentTerms
from seetopic.discovery.evidence.confidence import DOUBTFUL, topic_confidence
from seetopic.discovery.evidence.general import GeneralEvidence
from seetopic.discovery.query import Query
from seetopic.discovery.residual import told_themes
from seetopic.discovery.sampled import Reading
from seetopic.discovery.topic_warnings import occurs, warnings_of
from seetopic.discovery.topics import RankedTerm, Topic, Topics
from seetopic.discovery.tree import Tree, owners_in
from seetopic.discovery.twins import Twins
from seetopic.index import FEWEST
from seetopic.runtime import Doubles


def confidence_of(query: Query, constraints: Constraints, general: GeneralEvidence, found: Discovered) -> Doubles:
    """How far each name's topic can be trusted, with the two decimals that are shown, so that they decide."""
    names, local = general.names[: len(query.seeds)], np.asarray(query.index.local)
    return topic_confidence(names, general.vectors, local, without_fixed(found, constraints)).round(2)


def without_fixed(found: Discovered, constraints: Constraints) -> CurrentTerms:
    """The terms of each category that the user did not choose, best first."""
    both = zip(found.deep, constraints.fixed, strict=True)
    return [[term for term in terms if term not in set(given)] for terms, given in both]


def topics_found(
    query: Query,
    general: GeneralEvidence,
    found: Discovered,
    sure: Doubles,
    handicaps: Doubles,
    reading: Reading | None,
    tree: Tree | None,
    summed: Doubles | None,
    twins: Twins | None = None,
) -> Topics:
    """The names' terms as topics, and the themes that the names leave out."""
    n_names, index = len(query.seeds), query.index
    themes = general.names[n_names:]
    shares = None if tree is None or summed is None else summed.mean(axis=0).round(4).tolist()
    warnings = warnings_of(
        index, query.seeds, query.settled, query.settings.top, general.similarity, found, sure, handicaps, twins
    )
    topics = tuple(
        _topic(query, category, found, sure, None if shares is None else shares[category], warnings[category])
        for category in range(n_names)
    )
    if not len(themes) or reading is None:
        return Topics(topics, query.made_with(), coverage_note=_coverage_note(query, sure))
    owners = owners_in(tree, len(themes))
    temperature = query.settings.sorting.temperature
    joined = shares_with_none(reading.found.scores, n_names, temperature, tree)
    coverage = round(float(have_names(joined, tree).mean()), 4)
    labels = [None if owner < 0 else path_text(query.seeds.paths[owner]) for owner in owners]
    residual = told_themes(index, reading.memberships, found.deep, themes, n_names, parents=labels)
    return Topics(topics, query.made_with(), coverage, residual)


def _coverage_note(query: Query, sure: Doubles) -> str | None:
    """Why the names leave nothing out, if documents were read to find out; `sure` is the confidence of each topic."""
    if not (query.settings.documents_weight > 0 and query.index.sample.was_read):
        return None
    if query.index.themes.grains:
        taken = "The names are taken to cover all documents"
        if 2 * np.count_nonzero(sure < DOUBTFUL) <= len(sure):
            return f"{taken}."
        return f"{taken}, but most topics have low confidence: the documents may be about something else."
    few = f"Only {len(query.index.sample.general)} documents were read"
    return f"{few}, too few to tell what the names leave out (it takes {FEWEST}); shares of documents say little."


def _topic(
    query: Query, category: int, found: Discovered, sure: Doubles, share: float | None, warnings: Sequence[str]
) -> Topic:
    index, seed = query.index, query.seeds.seeds[category]
    frequencies, terms = index.document_frequencies, found.terms[category]
    scores, ranks = found.scores.scores_of(category, terms), found.ranks(category, terms)
    ranked = tuple(
        RankedTerm(
            index.vocabulary.terms[term],
            score,
            int(frequencies[term]),
            own,
            tuple(index.vocabulary.terms[other] for other in found.variants.get(term, ())),
        )
        for term, score, own in zip(terms, scores, ranks, strict=True)
    )
    confidence = float(sure[category])
    return Topic(seed.name, seed.names, occurs(index, seed), ranked, confidence, tuple(warnings), seed.path, share)
