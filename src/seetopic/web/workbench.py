"""The workbench without HTTP: everything users do in it, as method calls."""

from __future__ import annotations

import gc
import logging
import sqlite3
from contextlib import suppress
from importlib import import_module
from typing import Any

from seetopic.classify import Sorter, own_columns
from seetopic.corpus import normalized_name
from seetopic.discovery import Topics, run_of
from seetopic.errors import SeeTopicError
from seetopic.index import Index
from seetopic.web.annotation import Annotators, Rounds
from seetopic.web.candidates import Sides
from seetopic.web.columns import CorpusColumns
from seetopic.web.comparisons import Comparisons
from seetopic.web.corpora import Corpora
from seetopic.web.data_folder import DATABASE
from seetopic.web.database import Database
from seetopic.web.document_tables import DocumentTable, DocumentTables, Format, TableSource, table_documents
from seetopic.web.edits import NewJudged, Teach
from seetopic.web.errors import Conflict, NotYet, Refused
from seetopic.web.jobs import Jobs
from seetopic.web.limits import WorkbenchSettings
from seetopic.web.projects import Kept, Last, Projects
from seetopic.web.schemas import Category, Frozen, Options
from seetopic.web.search import Filter, FoundDocuments, Search
from seetopic.web.served_folder import AllowedFolder
from seetopic.web.sorted_documents import DocumentSorter, SortedCorpus, Sorting
from seetopic.web.topic_service import Change, Finding, ShownTopic, TopicFinder, TopicRequest, changes
from seetopic.web.trends import AskedTrends, ShownTrends, shown_trends
from seetopic.web.uploads import Uploads

_LOG = logging.getLogger("seetopic.web")


class JudgedNumbers(Frozen):
    """How many questions were answered."""

    documents: int
    terms: int


class Project(Frozen):
    """A project in its current state."""

    id: str
    title: str
    corpus: str
    version: int
    categories: tuple[Category, ...]
    options: Options
    judged: JudgedNumbers
    undo: str | None
    redo: str | None
    last: Last


class Result(Frozen):
    """A project and its topics; if there are none, `problem` says why."""

    project: Project
    topics: tuple[ShownTopic, ...] | None
    problem: str | None
    changes: dict[str, Change]
    seconds: float


class Workbench:
    """Everything that is open in a server; created once, and `close` stops its jobs."""

    def __init__(self, settings: WorkbenchSettings) -> None:
        self.settings = settings
        self.database = Database(settings.data / DATABASE)
        self.folder = AllowedFolder(settings.folder)
        self.uploads = Uploads(self.database, settings.data / "uploads", settings.uploads, set())
        self.building, self.working = Jobs(), Jobs()
        self.corpora = Corpora(
            self.database,
            self.folder,
            self.uploads,
            settings.data / "indexes",
            self.building,
            settings.models,
            settings.cache,
            settings.jobs,
            {},
        )
        self.projects = Projects(self.database)
        self.finder = TopicFinder()
        self.given: str | None = None  # the corpus given on the command line
        self.sides = Sides(self.projects, self.corpora, self.finder, settings.data / "methods")
        self.rounds = Rounds(self.database, self.sides, self.working, Annotators(self.database))
        self.comparisons = Comparisons(self.database, self.sides, self.working, settings.jobs)
        self.sorter = DocumentSorter(self.finding, lambda found: self.finder.of_run(_prepared_sorter, found))
        self.tabling = Jobs()
        self.tables = DocumentTables(settings.data / "tables", self.tabling, self.corpora.plainly)
        self._columns: dict[str, CorpusColumns] = {}

    def begin(self) -> None:
        """Resume jobs that were unfinished when the server last stopped."""
        self.uploads.tidy()
        self.corpora.resume_all()
        self.rounds.resume_all()
        self.comparisons.resume_all()
        self.tables.tidy()

    def warm(self) -> None:
        """Prepare what people will ask for first: topics, then trends."""
        with suppress(SeeTopicError, sqlite3.ProgrammingError):  # the server may be stopping
            self._warm_topics()
            self._warm_trends()
        gc.collect()
        gc.freeze()  # what is there now stays, and looking for garbage in it takes longer than many an edit

    def _warm_topics(self) -> None:
        """Find the topics of the most recently changed project, so that it opens quickly; without a project, find any
        topics of the newest corpus, because a first run reads the index and loads the language model."""
        for project in self.projects.ids()[:1]:
            self.result(self.projects.get(project))
            return
        for corpus in [corpus.id for corpus in self.corpora.all() if corpus.state == "ready"][:1]:
            self.finder.do(_any_topics, self.corpora.index(corpus))

    def _warm_trends(self) -> None:
        """Load what filters by date and trends need, if documents have columns: it takes seconds, and 90 MB."""
        if any(corpus.columns for corpus in self.corpora.all()):
            for module in ("pyarrow.dataset", "scipy.stats"):
                import_module(module)

    def close(self) -> None:
        self.building.close()
        self.working.close()
        self.tabling.close()
        self.sorter.close()
        self.finder.close()
        self.database.close()

    def forget(self, corpus: str) -> None:
        """Drop what was computed from a corpus that is removed or indexed again."""
        self.finder.forget(corpus)
        self.sorter.forget(corpus)
        self._columns.pop(corpus, None)

    def columns(self, corpus: str) -> CorpusColumns:
        """The kept columns of a corpus."""
        index = self.corpora.index(corpus)
        known = self._columns.get(corpus)
        if known is None or known.index is not index:
            known = self._columns[corpus] = CorpusColumns(index)
        return known

    def search(self, kept: Kept, asked: Filter, offset: int, limit: int) -> FoundDocuments:
        """Documents that fit a filter; without categories while they are being sorted, or if they cannot be."""
        index, problem = self.corpora.index(kept.corpus), None
        try:
            state = self.sorter.get(kept) if kept.names.categories else None
        except SeeTopicError as error:
            state, problem = None, self.corpora.plainly(str(error))
        sorted_ = state if isinstance(state, SortedCorpus) else None
        quotable = self.corpora.texts(kept.corpus) or self.corpora.documents(kept.corpus)
        found = Search(index, self.columns(kept.corpus), sorted_).found(asked, offset, limit, quotable)
        sorting = state if isinstance(state, Sorting) else None
        return found.model_copy(update={"sorting": sorting, "problem": problem})

    def trends(self, kept: Kept, asked: AskedTrends, width: int) -> ShownTrends:
        """Shares over time or by group; only how far sorting is while it has not ended."""
        state = self.sorter.get(kept)
        if isinstance(state, Sorting):
            return ShownTrends(sorting=state)
        return shown_trends(Search(self.corpora.index(kept.corpus), self.columns(kept.corpus), state), asked, width)

    def make_table(
        self, kept: Kept, asked: Filter, kind: Format, *, about: str, with_text: bool, read: bool
    ) -> DocumentTable:
        """Begin to make a table of the documents that fit a filter."""
        finding = self.finding(kept)
        index, chosen = self.corpora.index(kept.corpus), None
        if not asked.is_empty:
            state = self.sorter.get(kept, wait=60.0) if asked.category is not None else None
            if isinstance(state, Sorting):
                raise NotYet("the documents are still being sorted; try again in a moment")
            chosen = Search(index, self.columns(kept.corpus), state).fits(asked)
            if not chosen.any():
                raise Refused("no document fits the filter; choose fewer conditions")
        written, texts = self.corpora.documents(kept.corpus), self.corpora.texts(kept.corpus)
        if read and written is None and texts is None:
            raise Refused("the texts are not on this server, so the language model cannot read them; sort without that")
        text = {written.text_field: None} if with_text and written is not None and written.has_columns else {}
        sorter = self.finder.of_run(_prepared_sorter, finding)
        own = own_columns(sorter.tree)
        documents, in_file = table_documents(written, texts, index, own, with_text=with_text)
        source = TableSource(
            documents,
            sorter,
            chosen,
            in_file,
            n_documents=len(index),
            left_out=tuple(name for name in {**dict.fromkeys(index.column_names), **text} if name in own),
            model=index.model_or_name if read else None,
            cache=self.settings.cache,
            n_jobs=self.settings.jobs,
        )
        return self.tables.make(kept.id, kept.names.title, kind, about, source)

    def finding(self, kept: Kept) -> Finding:
        """The topics of a project in its current state."""
        return self.finder.find(self._request(kept))

    def _request(self, kept: Kept) -> TopicRequest:
        return TopicRequest(
            kept.corpus,
            self.corpora.index(kept.corpus),
            kept.names,
            self.corpora.documents(kept.corpus),
            self.corpora.texts(kept.corpus),
            (kept.id, kept.version),
        )

    def topics_at(self, kept: Kept, version: int) -> Topics:
        """The topics of a project at an earlier version."""
        index, documents = self.corpora.index(kept.corpus), self.corpora.documents(kept.corpus)
        names = self.projects.names_at(kept.id, version)
        return self.finder.find(TopicRequest(kept.corpus, index, names, documents)).topics

    def take_over(self, number: str, by: str) -> Result:
        """Take over the annotators' answers of a round as judgements; without those of removed categories."""
        before = self.projects.get(self.rounds.project_of(number))
        by_name = {each.name: each.id for each in before.names.categories}  # as in older rounds
        ids = {normalized_name(label): category for label, category in (by_name | before.names.ids).items()}
        answers = [
            NewJudged(
                category=ids[normalized_name(each.category)],
                term=each.term,
                belongs=each.belongs,
                by=each.by,
                at=each.at,
            )
            for each in self.rounds.answers(number)
            if each.category is not None and normalized_name(each.category) in ids
        ]
        if not answers:
            raise Conflict("nobody has judged terms of the current categories yet; invite annotators first")
        return self.edited(before.id, before.version, by, Teach(kind="judge", answers=tuple(answers)))

    def result(self, kept: Kept, before: Kept | None = None) -> Result:
        """The project with its topics, and how they differ from before; a change is kept even if finding them fails."""
        topics, problem, seconds, differing = None, None, 0.0, {}
        try:
            found = self.finder.shown(self._request(kept))
            topics, seconds = found.topics, found.seconds
            old = None if before is None else self.finder.known(before.corpus, before.names)
            differing = {} if old is None else changes(old.topics, topics)
        except SeeTopicError as error:
            problem = self.corpora.plainly(str(error))
        except Exception:
            _LOG.exception("topics of %s could not be found", kept.id)
            problem = "an unexpected error occurred while finding topics, but the names are saved; see the server's log"
        return Result(
            project=shown_project(kept),
            topics=topics,
            problem=problem,
            changes=differing,
            seconds=round(seconds, 3),
        )

    def changed(self, kept: Kept, before: Kept) -> Result:
        """The project after a change, with its topics unless they take long: then the page requests them separately, so
        that the next change does not wait for them."""
        if kept.names.are_heavy and self.finder.known(kept.corpus, kept.names) is None:
            return Result(project=shown_project(kept), topics=None, problem=None, changes={}, seconds=0.0)
        return self.result(kept, before)

    def remove_project(self, project: str) -> None:
        """Remove a project with everything that belongs to it, and stop its jobs."""
        self.finder.stop(project)
        self.sorter.stop(project)
        self.tables.remove_all(project)
        rounds = [each.id for each in self.rounds.of_project(project)]
        for job in [*rounds, *(each.id for each in self.comparisons.of_project(project))]:
            self.working.stop(job)
        self.projects.remove(project)

    def edited(self, project: str, base: int, by: str, edit: Any, *, with_topics: bool = True) -> Result:
        """The project after an edit; without topics if another edit follows immediately."""
        before = self.projects.get(project)
        kept = self.projects.edit(project, base, by, edit)
        if with_topics:
            return self.changed(kept, before)
        return Result(project=shown_project(kept), topics=None, problem=None, changes={}, seconds=0.0)


def _prepared_sorter(finding: Finding) -> Sorter:
    return finding.scene.sorter.prepared()


def _any_topics(index: Index) -> Topics:
    return run_of(index, list(index.vocabulary.terms[:2])).topics


def shown_project(kept: Kept) -> Project:
    names = kept.names
    return Project(
        id=kept.id,
        title=names.title,
        corpus=kept.corpus,
        version=kept.version,
        categories=names.categories,
        options=names.options,
        judged=JudgedNumbers(
            documents=sum(each.document is not None for each in names.judgements),
            terms=sum(each.term is not None for each in names.judgements),
        ),
        undo=kept.undo,
        redo=kept.redo,
        last=kept.last,
    )
