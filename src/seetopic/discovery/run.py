"""The steps of a discovery, in order: from an index and category names to topics."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

from seetopic.corpus import Seeds, as_judgements, as_seeds
from seetopic.discovery.absence import are_all_rare, handicaps_of, is_absent
from seetopic.discovery.algorithm import Discovered, discover_terms, starting_terms
from seetopic.discovery.constraints import Accepted, Constraints, constraints_of, names_as_terms
from seetopic.discovery.coverage import covering
from seetopic.discovery.doubtful import may_have_drifted, nearer_to_names
from seetopic.discovery.evidence import CurrentTerms, Evidence, StartRemembered
from seetopic.discovery.evidence.confidence import JUDGED
from seetopic.discovery.evidence.documents import (
    MatchedDocumentsEvidence,
    ReadDocumentsEvidence,
    theme_vectors,
    typical_among_neighbours,
    typical_of_nearest,
    typical_terms,
)
from seetopic.discovery.evidence.general import GeneralEvidence
from seetopic.discovery.evidence.local import LocalEvidence
from seetopic.discovery.lessons import (
    lessons_of,
    require_known,
    with_rejected_terms,
    with_theme_of_none,
    without_refuted,
)
from seetopic.discovery.names import EncodedNames, report_many
from seetopic.discovery.query import Query, index_with_names
from seetopic.discovery.sampled import Reading, SampledDocuments, sampled_documents
from seetopic.discovery.teaching import Lessons
from seetopic.discovery.topic_making import confidence_of, topics_found, without_fixed
from seetopic.discovery.topics import Topics
from seetopic.discovery.tree import Tree, tree_of, with_uncovered
from seetopic.discovery.tree_terms import TreeRanking
from seetopic.discovery.twins import Twins, dealt_reading, dealt_terms, twins_among
from seetopic.discovery.wildcards import expanded
from seetopic.index import Index, Uncovered, all_uncovered, may_be_stored, require_index, uncovered_by
from seetopic.runtime import Doubles, Flags, Floats, Ids, Progress, normalized, resolve_device, silent, warn
from seetopic.settings import DEFAULT, DiscoverySettings, preset_named
from seetopic.text import Variants

_CLOSE = 0.35  # closeness from which the terms of a topic may describe its name
_NEAREST = 20  # minimum number of documents that represent a single name
_LEFT_OUT = 2.0  # times the weight of general evidence, if the names leave out a part of the documents


def discover(
    index: Index,
    seeds: Any,
    *,
    settings: DiscoverySettings | None = None,
    preset: str = DEFAULT.preset,
    judgements: Any = None,
    device: str = "auto",
    progress: Progress = silent,
) -> Topics:
    """Find topics for category names in an index; takes about a second.

    `seeds` is a list, a list of lists, a dict or a path to a file; `judgements` are as for `SeeTopic.teach`. The
    presets `paper`, `released-code` and `no-iter` train vectors first, which takes minutes on a CPU.
    """
    require_index(index)
    asked = as_seeds(seeds)
    for sentence in index.warnings_about(asked.all_names):
        warn(sentence)
    return run_of(index, asked, settings, preset, device, progress, judgements=judgements).topics


@dataclass(frozen=True)
class Discovery:
    """Topics, and the intermediate results that sorting documents, figures and the report need."""

    query: Query
    encoded: EncodedNames
    uncovered: Uncovered
    general: GeneralEvidence
    found: Discovered
    described: Reading | None  # the sample sorted by described names; None if documents were not used
    topics: Topics
    handicaps: Doubles  # what is subtracted from the scores of documents in each category, (n_categories,)
    lessons: Lessons | None = None  # what judgements taught
    tree: Tree | None = None  # of the names and the residual themes, if any name has a parent

    @property
    def index(self) -> Index:
        return self.query.index

    @property
    def seeds(self) -> Seeds:
        return self.query.seeds

    @property
    def settings(self) -> DiscoverySettings:
        return self.query.settings

    @property
    def names(self) -> Floats:
        """Vectors of the names; unit rows, (n_names, dimension)."""
        return self.encoded.plain

    @property
    def n_categories(self) -> int:
        """The number of names and residual themes, which compete for documents and terms; names come first."""
        return len(self.seeds) + len(self.uncovered.centres)

    @property
    def similarity(self) -> Floats:
        """Cosine of each category's name and each term; (n_names, n_terms)."""
        return self.general.similarity[: len(self.seeds)]

    @property
    def sampled(self) -> SampledDocuments:
        return sampled_documents(self.index)

    @property
    def neighbours(self) -> Ids | None:
        """The documents nearest to each that was read, if near documents belong to the same category."""
        return neighbours_for(self.index, self.encoded.spoken[~is_absent(self.handicaps[: len(self.seeds)])])

    @cached_property
    def reading(self) -> Reading | None:
        """The sample sorted by the names; None if the language model has read no documents.

        Computed on demand: topics without document evidence do not need it, but a sorter does.
        """
        if self.described is not None or not self.index.sample.was_read:
            return self.described
        spoken = _all_spoken(self.encoded, self.uncovered)
        return self.sampled.sorted_by(spoken, self.handicaps, self.settings.sorting, self.lessons, self.tree)


def run_of(
    index: Index,
    seeds: Any,
    settings: DiscoverySettings | None = None,
    preset: str = DEFAULT.preset,
    device: str = "auto",
    progress: Progress = silent,
    name_vectors: Mapping[str, Floats] | None = None,
    judgements: Any = None,
) -> Discovery:
    """Find topics, and keep all intermediate results.

    The preset of custom settings is called `custom`. `name_vectors` maps categories to unit vectors that replace the
    language model's.
    """
    require_index(index)
    named = preset_named(preset).discovery
    chosen = named if settings is None else settings
    name = preset if replace(chosen, top=named.top) == named else "custom"
    asked = expanded(as_seeds(seeds), index.vocabulary.terms)
    judged = as_judgements(judgements)
    settled = judged.settled(asked)
    asked = with_rejected_terms(asked, settled)
    extended = index_with_names(index, asked, chosen, progress, settled.accepted)
    require_known(extended, settled)
    return find(Query(extended, asked, chosen, name, device, progress, None, name_vectors or {}, judged, settled))


def find(query: Query) -> Discovery:
    """Find topics; names that mean nearly the same are one category until its terms are known."""
    names = query.encoded_names()
    twins = twins_among(names.plain, tree_of(query.seeds)) if query.may_merge_names else None
    if twins is None:
        return _find_apart(query, names)
    settings = replace(query.settings, top=max(query.settings.top, JUDGED) * twins.largest)
    settled = replace(query.settled, terms=twins.merged_answers(query.settled.terms))
    together = replace(query, seeds=twins.merged(query.seeds), settings=settings, settled=settled)
    return _dealt_out(query, names, twins, _find_apart(together, together.encoded_names(), twins))


def _dealt_out(query: Query, names: EncodedNames, twins: Twins, together: Discovery) -> Discovery:
    """A discovery whose categories are groups of names, as one of the names."""
    uncovered, reading = together.uncovered, together.described
    general = _general_evidence(query, names, together.general.names[len(together.seeds) :])
    constraints = _constraints(query, uncovered)
    found = dealt_terms(together.found, twins, general.similarity, constraints, query.settings.top)
    if reading is not None:
        temperature = query.settings.sorting.temperature
        reading = dealt_reading(reading, twins, names.spoken, together.sampled.features, temperature)
    sure = confidence_of(query, constraints, general, found)
    tree = None if together.tree is None else twins.apart(together.tree, query.seeds)
    shares = None if reading is None else _shares(reading, tree)
    handicaps = together.handicaps[twins.columns(len(uncovered.centres))]
    topics = topics_found(query, general, found, sure, handicaps, reading, tree, shares, twins)
    return Discovery(query, names, uncovered, general, found, reading, topics, handicaps, None, tree)


def _find_apart(query: Query, names: EncodedNames, twins: Twins | None = None) -> Discovery:
    """Run the steps of a discovery. Algorithm 1 runs twice: its first pass finds terms that describe each name.

    If the categories are groups of twins, which are still to be dealt out, there are no topics yet.
    """
    settings = query.settings

    # Compare the names with the terms, and meanwhile read from disk what does not depend on them.
    with ThreadPoolExecutor(1) as pool:
        read_ahead = pool.submit(_read_ahead, query)
        of_names = _handicaps(query, names)
        tree, uncovered = _uncovered(query, names, of_names)
        if query.settled.documents:
            judged = query.index, query.seeds, query.settled
            uncovered = with_theme_of_none(*judged, uncovered)
            if tree is None:
                uncovered = without_refuted(*judged, uncovered, names.spoken, of_names, settings.sorting)
            else:  # a theme of none of the names is below none of them
                tree = tree.with_themes(len(uncovered.centres))
        handicaps = np.append(of_names, uncovered.handicaps)
        absent = is_absent(handicaps)
        rivals = ~absent if absent.any() and tree is None else None
        themes = _theme_vectors(query, names, uncovered, handicaps, tree)
        general = _general_evidence(query, names, themes, rivals)
        similarity = general.similarity  # (n_categories, n_terms)
        read_ahead.result()

    constraints = _constraints(query, uncovered)
    # Lines 1-7, the same for both passes. Cosines are above -1, so absent names start with what the others leave.
    nearness = similarity if rivals is None else similarity - 2 * absent[:, None].astype(np.float32)
    start = [] if tree else starting_terms(nearness, constraints, settings)
    # Documents sorted by a few names are a less reliable witness than documents sorted by many.
    more = _LEFT_OUT if uncovered.is_sure and tree is None else 1.0
    by_terms = [  # evidence that depends only on the current terms, with its weight
        (StartRemembered(general), more * settings.general_weight),
        (StartRemembered(_local_evidence(query, rivals)), settings.local_weight),
    ]

    # A single category has no other documents to compare with: the terms of all documents would be its own.
    uses_documents = settings.documents_weight > 0 and len(similarity) > 1 and len(query.index.sample) > 0

    documents = _matched_documents(query.index) if uses_documents and not query.index.sample.was_read else None
    by_level = None
    if tree is not None:
        of_parents = max(settings.top if twins is None else settings.top // twins.largest, JUDGED)
        ranks = general, by_terms[1][0], constraints, settings, of_parents, query.variants, documents
        by_level = TreeRanking(tree, *ranks)

    def ranked(
        chosen: DiscoverySettings, reading: Reading | None, shares: Doubles | None, *, last: bool = True
    ) -> Discovered:
        """Lines 8-16; `shares` are those of documents in categories and what is below them."""
        report_many(query.progress, "ranking terms", 0, len(query.seeds))
        if by_level is not None:
            typical = None if shares is None else by_level.typical(sampled.by_term, shares)
            return by_level.whole(typical) if last else by_level.leaves(typical, chosen)
        kinds: list[tuple[Evidence, float]] = list(by_terms)
        if uses_documents:
            read = None if reading is None else _read_documents(query, names, reading, absent)
            kinds.append((read or _matched_documents(query.index), chosen.documents_weight))
        used = [(kind, weight) for kind, weight in kinds if weight > 0]
        veto = by_terms[0][0]
        return discover_terms(similarity, constraints, used, chosen, query.variants, start, veto, absent)

    reading, sampled = None, sampled_documents(query.index)
    lessons = lessons_of(query.index, query.seeds, query.settled, len(uncovered.centres), tree)
    if uses_documents and query.index.sample.was_read:
        # Sort the sample by the names; then by the names with the terms that a first pass found for them.
        spoken = _all_spoken(names, uncovered)
        # With few names, the documents around a name's own are often about something else.
        near = None if uncovered.is_sure else neighbours_for(query.index, names.spoken[~is_absent(of_names)])
        reading = sampled.sorted_by(spoken, handicaps, settings.sorting, lessons, tree, near)
        if settings.sorting.described_by > 0:
            fewer = replace(settings, iterations=max(1, settings.iterations // 2))
            first = ranked(fewer, reading, _shares(reading, tree), last=False)
            described = _described(query, names, uncovered, general, first.deep)
            if tree is not None:  # children describe their parents
                described[list(tree.inner)] = spoken[list(tree.inner)]
            both = normalized(spoken + described)
            reading = sampled.sorted_by(both, handicaps, settings.sorting, lessons, tree, near)

    shares = None if reading is None else _shares(reading, tree)
    found = ranked(settings, reading, shares)
    if shares is not None:
        found = covering(found, sampled.by_term, shares, constraints, settings.top)
    if uncovered.is_sure and tree is None:
        local, free = np.asarray(query.index.local), without_fixed(found, constraints)
        drifted = may_have_drifted(similarity, len(query.seeds), local, free)
        found = nearer_to_names(found, drifted, similarity, constraints, settings.top)
    topics = Topics((), query.made_with())
    if twins is None:
        sure = confidence_of(query, constraints, general, found)
        topics = topics_found(query, general, found, sure, handicaps, reading, tree, shares)
    return Discovery(query, names, uncovered, general, found, reading, topics, handicaps, lessons, tree)


# Before the first pass


def _read_ahead(query: Query) -> Variants:
    """Prepare what does not depend on names, so that later steps find it in memory."""
    if query.settings.documents_weight > 0:  # whether documents are used may depend on names, which are not encoded yet
        sampled_documents(query.index).get_ready()
    return query.variants


def _handicaps(query: Query, names: EncodedNames) -> Doubles:
    if query.settings.documents_weight > 0 and query.index.sample.was_read:
        return handicaps_of(query.index, query.seeds, query.settled, names)
    return np.zeros(len(query.seeds))


def _uncovered(query: Query, names: EncodedNames, handicaps: Doubles) -> tuple[Tree | None, Uncovered]:
    """The themes that the names leave uncovered, among the documents that the language model has read.

    If any name has a parent, they are part of the tree of the names.
    """
    tree = tree_of(query.seeds)
    if not (query.settings.documents_weight > 0 and query.index.sample.was_read):
        return tree, Uncovered(names.spoken[:0], 1.0, np.empty(0))
    if are_all_rare(handicaps) and query.index.themes.grains:
        found = all_uncovered(len(query.seeds), query.index.themes)
        return tree and tree.with_themes(len(found.centres)), found
    if tree is not None:
        return with_uncovered(tree, names.spoken, query.index.themes)
    # Names that no document is about say nothing about what the others leave out.
    return None, uncovered_by(names.spoken[~is_absent(handicaps)], query.index.themes)


def _constraints(query: Query, uncovered: Uncovered) -> Constraints:
    found = constraints_of(
        query.index,
        query.seeds,
        query.variants,
        names_first=query.settings.names_first,
        n_themes=len(uncovered.centres),
        progress=query.progress,
    )
    return found.with_accepted(_accepted(query, len(uncovered.centres))) if query.settled.accepted else found


def _accepted(query: Query, n_themes: int) -> Iterator[Accepted]:
    paths, heads = query.seeds.paths, query.variants.heads
    for term in query.settled.accepted:
        number = query.index.term_id(term)
        if number is not None:
            own = tuple(category for category, belongs in query.settled.terms[term].items() if belongs)
            related = (any(path[: len(paths[one])] == paths[one][: len(path)] for one in own) for path in paths)
            may_have = np.array([*related, *(False for _ in range(n_themes))])
            yield Accepted(number, own, may_have, heads == heads[number])


def _all_spoken(names: EncodedNames, uncovered: Uncovered) -> Floats:
    return np.vstack([names.spoken, uncovered.centres])


def _theme_vectors(
    query: Query, names: EncodedNames, uncovered: Uncovered, handicaps: Doubles, tree: Tree | None
) -> Floats:
    """Vectors of residual themes that can be compared with those of terms; (n_themes, dimension)."""
    if not query.index.has_reader:
        return uncovered.centres
    if not len(uncovered.centres):
        return names.plain[:0]
    sampled = sampled_documents(query.index)
    reading = sampled.sorted_by(_all_spoken(names, uncovered), handicaps, query.settings.sorting, tree=tree)
    return theme_vectors(query.index, sampled.by_term, reading.memberships)[len(query.seeds) :]


def _general_evidence(
    query: Query, names: EncodedNames, themes: Floats, rivals: Flags | None = None
) -> GeneralEvidence:
    settings, vectors = query.settings, np.vstack([names.plain, themes])
    return GeneralEvidence(
        np.asarray(query.index.general), vectors, settings.name_pull, settings.contrast, settings.held_back, rivals
    )


def _local_evidence(query: Query, rivals: Flags | None = None) -> Evidence:
    index, settings = query.index, query.settings
    if settings.training is None:
        return LocalEvidence(np.asarray(index.local), settings.contrast, rivals)
    from seetopic.discovery.evidence.trained import TrainedLocalEvidence

    return TrainedLocalEvidence(
        *index.positions,
        len(index.vocabulary),
        len(index),
        settings.training,
        index.settings.random_state if query.random_state is None else query.random_state,
        resolve_device(query.device),
        query.progress,
        settings.contrast,
    )


def neighbours_for(index: Index, names: Floats) -> Ids | None:
    """The documents nearest to each that was read, if near documents belong to the same category; None otherwise.

    They do not if names cut across themes: of two messages about one flood, one asks for help and one offers it.
    """
    themes = index.themes
    if not themes.grains or not may_be_stored(len(themes.vectors)) or themes.are_surely_cut_across_by(names):
        return None
    return index.neighbours


def _matched_documents(index: Index) -> Evidence:
    return MatchedDocumentsEvidence(sampled_documents(index).documents, index.idf)


def _read_documents(query: Query, names: EncodedNames, reading: Reading, absent: Flags) -> Evidence:
    sampled, themes = sampled_documents(query.index), query.index.themes
    present = np.flatnonzero(~absent[: len(query.seeds)])
    if themes.grains and themes.are_surely_cut_across_by(names.spoken[present]):
        read = slice(sampled.n_read)  # the neighbours of other documents are unknown
        typical = typical_among_neighbours(sampled.documents[read], reading.memberships[read], query.index.neighbours)
    else:
        typical = typical_terms(sampled.by_term, reading.memberships)
    typical[absent] = -np.inf  # no document shows what is typical of them
    if len(present) == 1:
        # Without another name to be told apart from, what was learned spreads over the theme around the name: "comedy"
        # over all films. The documents nearest to the name stay with it; half as many as were learned are the clearest.
        (own,) = present
        learned = float(reading.memberships[: sampled.n_read, own].sum())
        number = max(_NEAREST, round(query.settings.sorting.kept * learned))
        typical[own] = typical_of_nearest(sampled.by_term, reading.found.by_name[:, own], number)
    return ReadDocumentsEvidence(typical)


# Between the passes


def _shares(reading: Reading, tree: Tree | None) -> Doubles:
    """The share of each document in each category, and in a tree also in those below it."""
    return reading.memberships if tree is None else tree.summed(reading.memberships)


def _described(
    query: Query, names: EncodedNames, uncovered: Uncovered, general: GeneralEvidence, found: CurrentTerms
) -> Floats:
    """Vectors of the terms that describe each category; of its name if they may be about something else."""
    described, describing = _all_spoken(names, uncovered), _describing(query, general, found)
    some = [category for category, terms in enumerate(describing) if terms]
    if some:
        described[some] = query.index.read_means([describing[category] for category in some])
    return described


def _describing(query: Query, general: GeneralEvidence, found: CurrentTerms) -> list[list[int]]:
    """The best terms of each category besides its names; none if they may be about something else."""
    is_close = general.closeness([terms[:JUDGED] for terms in found]) >= _CLOSE
    own = (*names_as_terms(query.index, query.seeds), *(() for _ in found[len(query.seeds) :]))
    others = [[term for term in terms if term not in own[category]] for category, terms in enumerate(found)]
    size = query.settings.sorting.described_by
    return [terms[:size] if is_close[category] else [] for category, terms in enumerate(others)]
