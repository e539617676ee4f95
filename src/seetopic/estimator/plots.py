"""The figures and the report of a fitted model."""

from __future__ import annotations

from collections.abc import Sequence
from numbers import Integral
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from seetopic.classify import Sorter, Trends
from seetopic.corpus import Seeds
from seetopic.discovery import Query, Topics, with_named_terms
from seetopic.errors import EncoderError, OutputError
from seetopic.estimator.fitting import FittedOn, topic_number
from seetopic.index import Index
from seetopic.output import (
    Figure,
    Scene,
    barchart,
    documents_map,
    heatmap,
    term_rank,
    topics_map,
    treemap,
    write_report,
)
from seetopic.settings import settings_from

if TYPE_CHECKING:
    from typing import Self


class Pictures:
    """Figures of a fitted model, with BERTopic's names, and its report; all show `topics_` as they are.

    A figure is displayed in notebooks and responds to the mouse; its `save` writes .svg, .html or .png.
    """

    topics_: Topics
    index_: Index
    seeds_: Seeds
    _given: FittedOn

    if TYPE_CHECKING:

        @property
        def sorter_(self) -> Sorter: ...

        def _checked(self) -> Self: ...

    def visualize_barchart(
        self, topics: int | str | Sequence[int | str] | None = None, *, top: int = 10, width: int = 960
    ) -> Figure:
        """The best terms of topics as bars, for all topics or for one or several given by number or name."""
        found = self._checked().topics_
        given: Any = [topics] if isinstance(topics, str | Integral) else topics
        numbers = None if given is None else [topic_number(self.seeds_, topic) for topic in given]
        return barchart(found, topics=numbers, top=top, width=width)

    def visualize_topics(self, *, top: int = 10, width: int = 960) -> Figure:
        """A map of topics and their terms: topics with similar terms are close to each other."""
        return topics_map(self._scene(), top=top, width=width)

    def visualize_documents(self, *, documents: int = 1000, width: int = 960) -> Figure:
        """A map of documents of the index, at most `documents` of them, around the topics they are assigned to."""
        return documents_map(self._scene(), documents=documents, width=width)

    def visualize_heatmap(self, *, by: Literal["terms", "documents"] = "terms", width: int = 720) -> Figure:
        """Topics against topics: how similar their terms are, or how far they share documents."""
        return heatmap(self._scene(), by=by, width=width)

    def visualize_term_rank(self, *, log: bool = True, width: int = 960) -> Figure:
        """How fast the scores of each topic fall from its best term to its last."""
        return term_rank(self._checked().topics_, log=log, width=width)

    def visualize_hierarchy(self, *, width: int = 960) -> Figure:
        """A treemap of a tree of topics: areas are shares of the documents that the names cover."""
        return treemap(self._checked().topics_, width=width)

    def write_report(self, folder: str | Path, *, trends: Trends | None = None) -> Path:
        """Write `report.html`, one page with all figures and example sentences, to a folder; returns its path.

        With the result of `trends`, the page has its chart and tables, too.
        """
        scene = self._scene()
        return write_report(scene, folder, documents=self._given.documents, trends=trends)

    def _scene(self) -> Scene:
        """The topics and the sorter as they are, and the index with the same terms; nothing is searched again."""
        index = _as_sorted(self._checked().index_, self.sorter_)
        made, ids = self.topics_.made_with, index.vocabulary.ids
        if not all(
            form in ids for topic in self.topics_ for each in topic.terms for form in (each.term, *each.variants)
        ):
            raise OutputError("the model's topics contain terms that are not in its index; fit it again")
        try:
            settings = settings_from({"preset": made["preset"], **made["settings"]})
        except (KeyError, TypeError, AttributeError) as error:
            raise OutputError(f"the model's topics were made with unknown settings ({error}); fit it again") from error
        vectors, judgements = self._given.ready.names, self._given.judgements
        query = Query(
            index, self.seeds_, settings.discovery, settings.preset, name_vectors=vectors, judgements=judgements
        )
        return Scene(query, self.topics_, self.sorter_)


def _as_sorted(index: Index, sorter: Sorter) -> Index:
    """The index with the names that were added as terms, which follow its own terms in the sorter."""
    named = with_named_terms(index, sorter.terms[len(index.vocabulary) :])
    if named.vocabulary.terms != sorter.terms:
        raise EncoderError(
            "some names were added as terms by a language model that is not available; "
            "pass it again: SeeTopic.load(folder, embedding_model=...)"
        )
    return named
