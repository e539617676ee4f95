"""What figures show of a run: how similar topics are, and how sampled documents are sorted into them."""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import Future
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TypeAlias

import numpy as np

from seetopic.classify import Sorter, sorter_of
from seetopic.discovery import Discovery, Query, RankedTerm, Topic, Topics, Tree, sampled_documents, tree_of
from seetopic.errors import SettingsError
from seetopic.index import Index
from seetopic.output.charts.drawing import brief
from seetopic.runtime import Doubles, Lists, Longs, Sparse, normalized, one_thread, quantity

NONE = -1  # the category of a document that belongs to none of the topics


@dataclass(frozen=True)
class Scene:
    """Topics, where they come from, and what figures need of them, each computed once."""

    query: Query
    topics: Topics
    source: Sorter | Future[Sorter] | Discovery = field(repr=False)  # what sorts documents, or what it is made from

    @property
    def index(self) -> Index:
        return self.query.index

    @property
    def sampled(self) -> Sparse:
        """1 where a sampled document holds a term; (n_documents, n_terms)."""
        return sampled_documents(self.index).documents

    @cached_property
    def terms(self) -> tuple[list[int], ...]:
        """The term ids of each topic's terms in the index."""
        ids = self.index.vocabulary.ids
        return tuple([ids[term] for term in topic] for topic in self.topics)

    @cached_property
    def sorter(self) -> Sorter:
        source = self.source.result() if isinstance(self.source, Future) else self.source
        return source if isinstance(source, Sorter) else sorter_of(source)

    @cached_property
    def vectors(self) -> tuple[Doubles, ...]:
        """The language model's and the local vectors of each topic's terms, side by side; unit rows."""
        return tuple(self._joined(terms) for terms in self.terms)

    def _joined(self, terms: list[int]) -> Doubles:
        index = self.index
        both = np.hstack([np.asarray(index.general[terms], np.float64), np.asarray(index.local[terms], np.float64)])
        joined: Doubles = both / np.sqrt(2)
        return joined

    @cached_property
    def centres(self) -> Doubles:
        """The mean vector of each topic's terms, unit rows; for a topic without terms, that of its name."""
        local = np.zeros(self.index.local.shape[1])
        # The names are encoded only if a topic has no terms: a saved model may be without its language model.
        names = None if all(map(len, self.vectors)) else self.query.encoded_names().plain
        means = [
            np.concatenate([names[number], local]) if names is not None and not len(own) else own.mean(axis=0)
            for number, own in enumerate(self.vectors)
        ]
        return normalized(np.array(means, np.float64))

    @cached_property
    def likeness(self) -> Doubles:
        """Cosines of topics' centres; (n_topics, n_topics)."""
        centres = self.centres
        with one_thread():
            cosines: Doubles = np.clip(centres @ centres.T, -1, 1)
        return cosines

    @cached_property
    def document_shares(self) -> Doubles:
        """Shares of the sample's documents in the topics; (n_documents, n_topics).

        `assign` also finds terms within longer terms, which would mean to go through all words of the sample again.
        """
        return self._shares[:, :-1]

    @cached_property
    def document_topics(self) -> Longs:
        """The topic that each document of the sample is given, or NONE."""
        return self.sorter.best(self._held, self._shares)

    @cached_property
    def _shares(self) -> Doubles:
        """The same with the share of none as the last column."""
        return self.sorter.shares(self._held)

    @cached_property
    def _held(self) -> Lists:
        """The terms of each document of the sample."""
        return Lists(self.sampled.indices.astype(np.int64), self.sampled.indptr.astype(np.int64))

    @cached_property
    def documents_given(self) -> Longs:
        """How many sampled documents are assigned to each topic; the last count is of those without a topic."""
        counts = np.bincount(self.document_topics % (len(self.topics) + 1), minlength=len(self.topics) + 1)
        return counts.astype(np.int64)

    @cached_property
    def tree(self) -> Tree | None:
        """The tree of the topics, if any has a parent."""
        return tree_of(self.query.seeds)

    @cached_property
    def documents_within(self) -> Longs:
        """How many sampled documents are assigned to each topic or, in a tree, to one below it."""
        own = self.documents_given[:-1]
        return own if self.tree is None else self.tree.summed(own[None].astype(np.float64))[0].astype(np.int64)

    @cached_property
    def shares_within(self) -> Doubles:
        """Shares of the sample's documents in each topic with those below it; (n_documents, n_topics)."""
        return self.document_shares if self.tree is None else self.tree.summed(self.document_shares)

    @cached_property
    def shared_documents(self) -> Doubles:
        """The mean share in topic j of the documents assigned to topic i; (n_topics, n_topics)."""
        mean = np.zeros((len(self.topics), len(self.topics)))
        for topic in range(len(self.topics)):
            own = self.document_shares[self.document_topics == topic]
            mean[topic] = own.mean(axis=0) if len(own) else 0.0
        return mean


Drawable: TypeAlias = Discovery | Scene


def scene_of(run: Drawable) -> Scene:
    if isinstance(run, Scene):
        return run
    if isinstance(run, Discovery):
        return Scene(run.query, run.topics, run)
    raise SettingsError(f"this figure needs a run, which includes the index, but got {type(run).__name__}")


def topics_of(given: Drawable | Topics) -> Topics:
    """The topics themselves, or those of a run."""
    return given if isinstance(given, Topics) else scene_of(given).topics


def chosen(topics: Topics, numbers: Sequence[int] | None, top: int) -> list[int]:
    """The numbers of the topics to draw, checked; all if `numbers` is None."""
    if top < 1:
        raise SettingsError(f"`top` is {top}, but must be at least 1")
    wanted = list(range(len(topics))) if numbers is None else list(numbers)
    unknown = [number for number in wanted if not 0 <= number < len(topics)]
    if unknown or not wanted:
        raise SettingsError(f"`topics` is {wanted}, but must be one or more numbers from 0 to {len(topics) - 1}")
    return wanted


def check_width(width: int) -> None:
    if not 280 <= width <= 4000:
        raise SettingsError(f"`width` is {width}, but must be between 280 and 4000 pixels")


def term_tip(topic: Topic, term: RankedTerm) -> str:
    """The tip shown for a term under the pointer."""
    others = f"\nalso {', '.join(term.variants)}" if term.variants else ""
    return f"{term.term}\n{brief(topic.name)}; score {term.score:.2g}, {quantity(term.documents, 'document')}{others}"


def shortened(topics: Topics, top: int) -> Topics:
    """Each topic's best terms."""
    return replace(topics, topics=tuple(replace(topic, terms=topic.terms[:top]) for topic in topics))
