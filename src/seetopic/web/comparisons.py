"""Comparisons of two sides: their topics, how they differ, and measures of both on the same documents."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial

from seetopic.corpus import Documents
from seetopic.discovery import Topics
from seetopic.errors import CorpusError
from seetopic.evaluation import Evaluation
from seetopic.index import Index
from seetopic.runtime import Progress
from seetopic.web.background import Background, BackgroundState
from seetopic.web.candidates import MEASURING, Run, Wanted, Within, find_topics, plan_for, with_own_titles
from seetopic.web.database import new_id, now
from seetopic.web.differences import Compared, ComparedFigures, Difference, SideTopics, compared_figures, differences
from seetopic.web.errors import Conflict, NotYet
from seetopic.web.jobs import Job
from seetopic.web.limits import COMPARISONS
from seetopic.web.projects import Kept
from seetopic.web.schemas import Frozen
from seetopic.web.topic_service import shown_topics

_SAME_DOCUMENTS = (
    "Both sides are measured on the documents of {corpus}, in which the topics were found: the figures compare the two "
    "sides, but do not predict results on new documents."
)


class AskedComparison(Frozen):
    """Both sides as they were when requested, and the corpus to measure them on."""

    left: Wanted
    right: Wanted
    measured: str | None


class ListedComparison(Frozen):
    id: str
    left: str
    right: str
    created: float
    state: BackgroundState


class SavedComparison(Frozen):
    """A comparison, finished or running."""

    id: str
    project: str
    titles: tuple[str, str]
    state: BackgroundState
    problem: str | None
    job: Job | None
    created: float
    left: SideTopics | None
    right: SideTopics | None
    differences: tuple[Difference, ...]
    figures: ComparedFigures | None


@dataclass(frozen=True)
class Measured:
    """What topics are measured on: documents, with labels if known, or else an index."""

    corpus: str
    documents: Documents | Index
    workers: int | None


@dataclass(frozen=True)
class ComparisonResult:
    """Result of the comparison process."""

    topics: tuple[Topics, Topics]
    evaluations: tuple[Evaluation, Evaluation] | None
    note: str


def compare(runs: Sequence[Run], measured: Measured | None, *, progress: Progress) -> ComparisonResult:
    """Body of the comparison process."""
    left, right = find_topics(runs, progress=progress)
    if measured is None:
        return ComparisonResult((left, right), None, "")
    evaluations, note = _evaluated((left, right), measured, progress)
    return ComparisonResult((left, right), (evaluations[0], evaluations[1]), note)


def _evaluated(topics: Sequence[Topics], measured: Measured, progress: Progress) -> tuple[list[Evaluation], str]:
    from seetopic.evaluation import evaluate_all

    documents, workers = measured.documents, measured.workers
    note = _SAME_DOCUMENTS.format(corpus=repr(measured.corpus))
    progress(MEASURING, 0, None)
    told = Within(progress, MEASURING)
    try:
        found = evaluate_all(topics, documents, n_jobs=workers, progress=told)
    except CorpusError as error:
        if not isinstance(documents, Documents) or documents.label_field is None:
            raise
        # Names need not match labels; everything else can be measured without labels.
        found = evaluate_all(topics, replace(documents, label_field=None), n_jobs=workers, progress=told)
        return found, f"{note} Their labels are left out: {error}."
    if isinstance(documents, Index) or documents.label_field is None:
        note += " They have no known label field, so measures that need labels are left out."
    return found, note


@dataclass(frozen=True)
class Comparisons(Background[SavedComparison]):
    """All comparisons of a database."""

    table = "comparisons"
    noun = "comparison"

    workers: int | None

    def of_project(self, project: str) -> list[ListedComparison]:
        """Comparisons of a project, newest first."""
        rows = self.database.all(
            "SELECT id, asked, created, state FROM comparisons WHERE project = ? ORDER BY created DESC, id", (project,)
        )
        asked = [AskedComparison.model_validate_json(row["asked"]) for row in rows]
        return [
            ListedComparison(
                id=row["id"],
                left=each.left.title,
                right=each.right.title,
                created=row["created"],
                state=row["state"],
            )
            for row, each in zip(rows, asked, strict=True)
        ]

    def get(self, number: str) -> SavedComparison:
        row = self._row(number)
        asked = AskedComparison.model_validate_json(row["asked"])
        found = None if row["result"] is None else Compared.model_validate_json(row["result"])
        return SavedComparison(
            id=row["id"],
            project=row["project"],
            titles=(asked.left.title, asked.right.title),
            state=row["state"],
            problem=row["problem"],
            job=self.jobs.job(number) if row["state"] == "running" else None,
            created=row["created"],
            left=None if found is None else found.left,
            right=None if found is None else found.right,
            differences=() if found is None else found.differences,
            figures=None if found is None else found.figures,
        )

    def make(self, kept: Kept, left: Wanted, right: Wanted, evaluate: bool) -> SavedComparison:
        """Compare at once or, if methods must run or figures are requested, in the background."""
        if left == right:
            raise Conflict("both sides are the same; choose two different ones")
        self.jobs.require_room()
        first, second = with_own_titles([left, right])
        asked = AskedComparison(left=first, right=second, measured=kept.corpus if evaluate else None)
        made = new_id()
        self.database.insert(
            "comparisons",
            id=made,
            project=kept.id,
            asked=asked.model_dump_json(),
            state="running",
            problem=None,
            result=None,
            created=now(),
        )
        self._forget_old(kept.id)
        self._start(made)
        return self.get(made)

    def measure(self, number: str) -> SavedComparison:
        """Compare the same sides again, and measure both on the project's documents."""
        row = self._row(number)
        if row["state"] == "running":
            raise NotYet("the comparison is still running; wait a moment")
        self.jobs.require_room()
        corpus = self.sides.projects.get(row["project"]).corpus
        asked = AskedComparison.model_validate_json(row["asked"]).model_copy(update={"measured": corpus})
        self.database.do("UPDATE comparisons SET asked = ? WHERE id = ?", (asked.model_dump_json(), number))
        self._mark(number, "running")
        self._start(number)
        return self.get(number)

    def _start(self, number: str) -> None:
        asked = AskedComparison.model_validate_json(self._row(number)["asked"])
        sides, keep = (asked.left, asked.right), partial(self._keep, number, asked)
        with self._failing(number):
            found = self.sides.quick(sides) if asked.measured is None else None
            if found is None:
                runs, measured = self.sides.runs(sides), self._measured(asked.measured)
                plan = plan_for(sides, measured is not None)
                self.jobs.start(number, plan, self._ended(number, keep), compare, runs, measured)
            else:
                keep(ComparisonResult((found[0], found[1]), None, ""))

    def _measured(self, corpus: str | None) -> Measured | None:
        if corpus is None:
            return None
        documents = self.sides.corpora.documents(corpus, with_labels=True) or self.sides.corpora.index(corpus)
        return Measured(self.sides.corpora.get(corpus).title, documents, self.workers)

    def _keep(self, number: str, asked: AskedComparison, found: ComparisonResult) -> None:
        left, right = (
            SideTopics(title=each.title, topics=shown_topics(topics, each.names, self.sides.corpora.index(each.corpus)))
            for each, topics in zip((asked.left, asked.right), found.topics, strict=True)
        )
        figures = None if found.evaluations is None else compared_figures(*found.evaluations, note=found.note)
        differing = differences(left.topics, right.topics)
        result = Compared(left=left, right=right, differences=differing, figures=figures).model_dump_json()
        self.database.do(
            "UPDATE comparisons SET state = 'ready', problem = NULL, result = ? WHERE id = ?", (result, number)
        )

    def _forget_old(self, project: str) -> None:
        self.database.do(
            "DELETE FROM comparisons WHERE project = ? AND state <> 'running' AND id NOT IN "
            "(SELECT id FROM comparisons WHERE project = ? ORDER BY created DESC, id LIMIT ?)",
            (project, project, COMPARISONS),
        )
