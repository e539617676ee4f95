"""What a fitted model says about topics and documents, as tables and over time."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any, Literal

from seetopic.classify import (
    AssignOptions,
    DateOrder,
    DocumentStream,
    Sorter,
    TrendOptions,
    Trends,
    Unit,
    judged_documents,
    trends_of_documents,
)
from seetopic.corpus import Documents, Seeds
from seetopic.discovery import Topics
from seetopic.estimator import fitting, views
from seetopic.index import Index
from seetopic.runtime import Library

if TYPE_CHECKING:
    from typing import Self


class ModelTables:
    """Topics and documents of a fitted model as tables, with BERTopic's names, and trends."""

    topics_: Topics
    index_: Index
    seeds_: Seeds
    read_documents: bool
    _given: fitting.FittedOn

    if TYPE_CHECKING:

        @property
        def sorter_(self) -> Sorter: ...

        def _checked(self) -> Self: ...

        def _opened(self, source: Any) -> Documents | Index: ...

        def _options(self) -> AssignOptions: ...

        def _stream(self, source: Any, vectors: Any, read: bool | None = None) -> DocumentStream: ...

    def get_topics(self) -> dict[int, list[tuple[str, float]]]:
        """The terms of every topic with their scores, by topic number."""
        return {number: self.get_topic(number) for number in range(len(self._checked().topics_))}

    def get_topic(self, topic: int | str) -> list[tuple[str, float]]:
        """The terms of a topic and their scores, best first; an empty list for -1 (no topic)."""
        number = fitting.topic_or_none(self._checked().seeds_, topic)
        return [] if number < 0 else [(ranked.term, ranked.score) for ranked in self.topics_[number].terms]

    def get_topic_info(self, topic: int | str | None = None, *, library: Library = "pandas") -> Any:
        """A table with one row per topic: number, documents, name, confidence and terms.

        The documents are those of the index, sorted as by `predict`; -1 counts those without a topic. With
        `read_documents`, this needs the texts that the model was fitted on; without them (it was fitted on an index, or
        saved with `documents=False`), the terms alone decide.
        """
        index, documents = self._checked().index_, self._given.documents
        reads = self.read_documents and documents is not None
        source = list(documents.texts()) if documents is not None and reads else index
        found = self._stream(source, None, read=reads).placement(self._options())
        only = None if topic is None else fitting.topic_or_none(self.seeds_, topic)
        return views.topic_info(self.topics_, found.best, only, library)

    def get_document_info(self, docs: Any, *, document_embeddings: Any = None, library: Library = "pandas") -> Any:
        """A table with one row per document: its topic, the topic's name and terms, the share and the matched terms.

        An index stores only the words of its documents, so the table shows those instead of the texts.
        """
        source = self._opened(docs)
        found = self._stream(source, document_embeddings).placement(self._options())
        return views.document_info(self.topics_, views.texts_of(source), found, self.sorter_.terms, library)

    # Over time and by group

    def trends(
        self,
        docs: Any,
        *,
        time: Any = None,
        group: Any = None,
        by: Unit | Literal["auto"] = "auto",
        several: bool = False,
        labels: Any = None,
        judgements: Any = None,
        dates: DateOrder | None = None,
        time_zone: str | None = None,
        top: int = 10,
        document_embeddings: Any = None,
    ) -> Trends:
        """Shares of topics over time and by group with 95 % intervals, and what stands out.

        `time` and `group` have one value per document or, if `docs` is an index, are the names of columns that were
        kept in it. `by` is the length of a period: "day", "week", "month", "quarter", "year" or "auto". With
        `several`, a document counts for every topic whose share is large enough. `labels`, given like `group` and empty
        where unknown, or `judgements` of documents by number correct the shares for the error of sorting. The options
        are those of `seetopic trends`.
        """
        stream = self._stream(docs, document_embeddings)
        given = {"time": time, "group": group, "labels": labels}
        given = {name: value for name, value in given.items() if value is not None}
        names = views.column_names(given)
        columns = {names[name]: views.values_of(stream.source, value) for name, value in given.items()}
        options = TrendOptions(
            time=names.get("time"),
            group=names.get("group"),
            by=by,
            several=several,
            label_field=names.get("labels"),
            judged=None if judgements is None else judged_documents(judgements, several),
            dates=dates,
            time_zone=time_zone,
            top=top,
        )
        assigned = replace(self._options(), several=several)
        return trends_of_documents(stream, columns, assigned, options, source="the documents")

    def topics_over_time(
        self,
        docs: Any,
        timestamps: Any,
        *,
        by: Unit | Literal["auto"] = "auto",
        dates: DateOrder | None = None,
        time_zone: str | None = None,
        document_embeddings: Any = None,
        library: Library = "pandas",
    ) -> Any:
        """A table with one row per topic and period: words, number of documents, and share with its interval.

        `Words` begins with the terms that are typical of the topic in this period. `docs` and `timestamps` are as for
        `trends`.
        """
        found = self.trends(
            docs, time=timestamps, by=by, dates=dates, time_zone=time_zone, document_embeddings=document_embeddings
        )
        return views.topics_by("Timestamp", found, self.topics_, library)

    def topics_per_class(
        self, docs: Any, classes: Any, *, document_embeddings: Any = None, library: Library = "pandas"
    ) -> Any:
        """A table with one row per topic and class: words, number of documents, and share with its interval.

        `Words` begins with the terms that are typical of the topic in this class.
        """
        found = self.trends(docs, group=classes, document_embeddings=document_embeddings)
        return views.topics_by("Class", found, self.topics_, library)
