"""Measures topics on held-out documents: coherence, labels, sorting, and random topics as a control."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from seetopic.classify import AssignOptions, DocumentStream, Sorter
from seetopic.discovery import Topics
from seetopic.errors import SettingsError
from seetopic.evaluation.coherence import BY_DOCUMENTS, c_v, diversity, embedding_coherence
from seetopic.evaluation.controls import NEVER_SEEN, random_topics
from seetopic.evaluation.figures import Evaluation, Figures, Table, TopicFigures, mean_figures, means, median, rows
from seetopic.evaluation.held_out import HeldOut, IndexedTexts, Occurrences, ScannedTexts, held_terms
from seetopic.evaluation.labels import (
    Labels,
    coverage,
    f1_of_guesses,
    guesses_by_terms,
    label_precision,
    own_labels,
    speaks_for,
)
from seetopic.evaluation.levels import labelled_tree, level_tables
from seetopic.evaluation.occurrences import found_in
from seetopic.runtime import Lists, Longs
from seetopic.text import Shard, TermTable

if TYPE_CHECKING:
    from scipy.sparse import csr_array


@dataclass(frozen=True, kw_only=True)
class EvaluationOptions:
    """What to measure, and how many terms of each topic."""

    top: int = 10  # best terms per topic used for coherence
    depths: tuple[int, ...] = (10, 50)  # k: best terms used for label measures
    window: int = 110  # words per window, for C_V
    draws: int = 10  # random topics for each topic, as the control
    random_state: int = 0  # of the control

    def __post_init__(self) -> None:
        for name, low in {"top": 2, "window": 1, "draws": 0, "random_state": 0}.items():
            if getattr(self, name) < low:
                raise SettingsError(f"`{name}` is {getattr(self, name)}, but must be at least {low}")
        if not self.depths or min(self.depths) < 1:
            raise SettingsError(f"`depths` is {self.depths}, but must contain one or more numbers, each at least 1")


def terms_of(topics: Iterable[Iterable[str]]) -> tuple[str, ...]:
    """The distinct terms of all topics, in order of appearance, as in the rows of `vectors` in `evaluate`."""
    return tuple(dict.fromkeys(term for topic in topics for term in topic))


def variants_of(topics: Topics) -> dict[str, tuple[str, ...]]:
    """Other spellings of the terms: a document that contains one contains the term."""
    return {each.term: each.variants for topic in topics for each in topic.terms if each.variants}


@dataclass(frozen=True)
class Judge:
    """Documents that topics are measured on, and their labels."""

    held_out: HeldOut
    corpus: str
    labels: Labels | None = None
    skipped: tuple[tuple[str, int], ...] = ()

    def evaluation(
        self,
        topics: Topics,
        options: EvaluationOptions,
        sorter: Sorter | None = None,
        vectors: NDArray[Any] | None = None,
        depths: Sequence[int] | None = None,
    ) -> Evaluation:
        """Label measures use the `depths` best terms; by default those of the options, as far as the topics reach."""
        terms, top = terms_of(topics), _numbered(topics, options.top)
        depths = depths_of([topics], options.depths) if depths is None else depths
        tree = None
        if self.labels is not None and topics.is_tree:
            labelled = self.labels.restricted_to(self.labels.labelled)
            tree = labelled_tree([topic.path for topic in topics], labelled)
        own = None
        if self.labels is not None:
            own = own_labels(names_of(topics), self.labels.names) if tree is None else tree.own
        found = self.held_out.count(terms, top, options.window, variants_of(topics))
        table = coherence_table(found)
        if vectors is not None:
            table["embedding_coherence"] = [embedding_coherence(vectors[topic]) for topic in top]
        figures, levels = {**_overall(table, found), "diversity": diversity(top)}, list[Figures]()
        figures |= {f"coverage@{depth}": coverage(_numbered(topics, depth), found.holds) for depth in depths}
        if self.labels is not None and own is not None:
            guesses = None if sorter is None else guesses_of(sorter, self.held_out)
            best = {depth: _numbered(topics, depth) for depth in depths}
            if tree is None:
                by_label = label_table(best, found.holds, self.labels, own, guesses)
                figures |= means(by_label)
            else:
                documents = self.labels.labelled
                guesses = None if guesses is None else guesses[documents]
                by_label, levels = level_tables(tree, best, found.holds[documents], guesses)
                figures |= {name: value for name, value in levels[-1].items() if name != "topics"}
                figures |= {} if guesses is None else tree.by_paths(guesses)
            table |= by_label
        frequencies = found.holds.sum(axis=0).tolist()
        unmatched = [] if own is None else [topic for topic, label in zip(topics, own, strict=True) if label < 0]
        return Evaluation(
            self.corpus,
            self.held_out.n_documents,
            tuple(
                TopicFigures(topic.label, {terms[term]: int(frequencies[term]) for term in measured}, row)
                for topic, measured, row in zip(topics, top, rows(table, len(topics)), strict=True)
            ),
            figures,
            control_figures(self.held_out, terms, found, options),
            None if self.labels is None else int(self.labels.labelled.size),
            tuple(topic.label for topic in unmatched if tree is None or not topics.children(topic.label)),
            self.skipped,
            tuple(levels),
        )


def label_table(
    topics: Mapping[int, Sequence[Sequence[int]]],
    holds: csr_array,
    labels: Labels,
    own: Longs,
    guesses: Longs | None = None,
) -> Table:
    """Measures on the labelled documents; `topics` are term numbers, by depth."""
    documents = labels.labelled
    labels, holds = labels.restricted_to(documents), holds[documents]
    speaking = speaks_for(holds, labels)
    table: Table = {}
    for depth, best in topics.items():
        table[f"label_precision@{depth}"] = label_precision(best, own, speaking)
        table[f"label_f1@{depth}"] = f1_of_guesses(guesses_by_terms(best, holds), own, labels)
    if guesses is not None:
        table["macro_f1"] = f1_of_guesses(guesses[documents], own, labels)
    return table


def coherence_table(found: Occurrences) -> Table:
    """Every measure of coherence, for each topic."""
    table = {name: [measure(counts) for counts in found.documents] for name, measure in BY_DOCUMENTS.items()}
    return {**table, "c_v": [c_v(windows) for windows in found.windows]}


def _overall(table: Table, found: Occurrences) -> Figures:
    """Means over topics; for document frequencies, the median over all terms."""
    frequencies = [count for topic in found.documents for count in topic.frequencies.tolist()]
    return {**means(table), "median_document_frequency": median(frequencies)}


def control_figures(held_out: HeldOut, terms: Sequence[str], found: Occurrences, options: EvaluationOptions) -> Figures:
    """Mean figures of random topics whose terms occur in as many documents as the topics' terms do."""
    words, frequencies = held_out.words
    known = set(terms)
    others = np.array([number for number, word in enumerate(words) if word not in known], np.int64)
    if not others.size or not options.draws:
        return {}
    draws = random_topics(
        [topic.frequencies for topic in found.documents],
        frequencies[others],
        draws=options.draws,
        random_state=options.random_state,
    )
    drawn = sorted({word for draw in draws for topic in draw for word in topic if word != NEVER_SEEN})
    column = {word: number for number, word in enumerate(drawn)} | {NEVER_SEEN: len(drawn)}
    numbered = [[column[word] for word in topic] for draw in draws for topic in draw]
    # The empty term represents all terms that never occur: no text contains it.
    spelled = [words[others[word]] for word in drawn] + [""]
    counts = held_out.count(spelled, numbered, options.window)
    size = len(found.documents)
    parts = [
        Occurrences(counts.holds, counts.documents[at : at + size], counts.windows[at : at + size])
        for at in range(0, len(numbered), size)
    ]
    return mean_figures([_overall(coherence_table(part), part) for part in parts])


def guesses_of(sorter: Sorter, held_out: HeldOut) -> Longs | None:
    """The category that a sorter gives each document, as in `Sorter.assign`: none if no term matches."""
    if isinstance(held_out, IndexedTexts):
        return DocumentStream(held_out.index, sorter).placement(AssignOptions()).best
    if not isinstance(held_out, ScannedTexts):
        return None
    work = partial(_guess_shard, sorter=sorter, table=held_out.term_table(sorter.terms))
    return np.concatenate(list(held_out.map_shards(work)))


def _guess_shard(shard: Shard, sorter: Sorter, table: TermTable) -> Longs:
    found = found_in(shard.words(), shard.ends(), table)
    documents, terms = held_terms(found)
    matched = Lists(terms, np.searchsorted(documents, np.arange(found.lengths.size + 1)))
    return sorter.place(matched).best


def names_of(topics: Topics) -> list[str]:
    """What topics are known by; in a tree, their paths."""
    return [topic.label for topic in topics]


def _numbered(topics: Topics, depth: int) -> list[list[int]]:
    """Each topic's best terms, as positions in `terms_of(topics)`."""
    numbers = {term: number for number, term in enumerate(terms_of(topics))}
    return [[numbers[term] for term in topic][:depth] for topic in topics]


def depths_of(several: Sequence[Topics], wanted: Sequence[int]) -> list[int]:
    """The wanted depths that some topic reaches; if none does, the length of the longest topic."""
    longest = max((len(topic.terms) for topics in several for topic in topics), default=0)
    return [depth for depth in wanted if depth <= longest] or [longest]
