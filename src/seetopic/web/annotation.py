"""Annotation rounds: blinded terms of several methods, the annotators who judge them, and the results."""

from __future__ import annotations

import io
import json
import secrets
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import lru_cache, partial
from pathlib import Path
from typing import Any

from seetopic.corpus import Judgement
from seetopic.discovery import Topics
from seetopic.errors import SeeTopicError, SheetError
from seetopic.evaluation import BELONGS, Agreement, FilledSheet, Sheet, agreement_of, make_sheet, sheet_of_key
from seetopic.runtime import SafeRows
from seetopic.web.background import Background, BackgroundState
from seetopic.web.candidates import Wanted, find_topics, plan_for, with_own_titles
from seetopic.web.database import Database, new_id, now
from seetopic.web.errors import Conflict, Missing, NotYet
from seetopic.web.examples import Parts, sentences_with
from seetopic.web.jobs import Job
from seetopic.web.limits import ANNOTATORS, ROUNDS
from seetopic.web.projects import Kept
from seetopic.web.schemas import Frozen


class Invited(Frozen):
    """An annotator, identified by the link."""

    id: str
    name: str
    link: str
    judged: int
    items: int


@dataclass(frozen=True)
class Annotators:
    """All annotators of a database."""

    database: Database

    def of_round(self, number: str, items: int) -> tuple[Invited, ...]:
        return tuple(_invited(row, len(self.answers(row["id"])), items) for row in self.rows(number))

    def invite(self, number: str, name: str, items: int) -> Invited:
        """Create a personal link."""
        with self.database.change():
            known = [row["name"].casefold() for row in self.rows(number)]
            if name.casefold() in known:
                raise Conflict(f"{name!r} has already been invited; give each annotator a different name")
            if len(known) >= ANNOTATORS:
                raise Conflict(f"a round has at most {ANNOTATORS} annotators; create another round")
            row = {"id": new_id(), "round": number, "name": name, "secret": secrets.token_urlsafe(18), "created": now()}
            self.database.insert("annotators", **row)
        return _invited(row, 0, items)

    def dismiss(self, number: str, annotator: str) -> None:
        """Remove an annotator: the link stops working, and the answers are deleted."""
        if not self.database.do("DELETE FROM annotators WHERE id = ? AND round = ?", (annotator, number)):
            raise Missing("this annotator does not exist; they may have been removed")

    def by_secret(self, secret: str) -> Any:
        row = self.database.one("SELECT * FROM annotators WHERE secret = ?", (secret,))
        if row is None:
            raise Missing("this link is no longer valid; ask the person who sent it for a new one")
        return row

    def rows(self, number: str) -> list[Any]:
        """Annotators of a round, in order of invitation."""
        return self.database.all("SELECT * FROM annotators WHERE round = ? ORDER BY created, rowid", (number,))

    def keep(self, annotator: str, item: int, belongs: bool | None) -> None:
        """Store an answer; the last one counts, and None withdraws it."""
        self.database.do(
            "INSERT INTO answers (annotator, item, belongs, made) VALUES (?, ?, ?, ?) "
            "ON CONFLICT (annotator, item) DO UPDATE SET belongs = excluded.belongs, made = excluded.made",
            (annotator, item, None if belongs is None else int(belongs), now()),
        )

    def answers(self, annotator: str) -> dict[int, bool]:
        return {item: belongs for item, (belongs, _) in self.timed_answers(annotator).items()}

    def timed_answers(self, annotator: str) -> dict[int, tuple[bool, str]]:
        """The answer to each judged item, and its time."""
        rows = self.database.all(
            "SELECT item, belongs, made FROM answers WHERE annotator = ? AND belongs IS NOT NULL", (annotator,)
        )
        return {
            row["item"]: (bool(row["belongs"]), datetime.fromtimestamp(row["made"], UTC).isoformat(timespec="seconds"))
            for row in rows
        }

    def filled(self, number: str, sheet: Sheet) -> list[FilledSheet]:
        """The sheets of all annotators who have judged anything."""
        given = [(row["name"], self.answers(row["id"])) for row in self.rows(number)]
        return [
            FilledSheet(Path("workbench"), name, {each.item: answers.get(each.item) for each in sheet.items})
            for name, answers in given
            if answers
        ]


def _invited(row: Any, judged: int, items: int) -> Invited:
    return Invited(id=row["id"], name=row["name"], link=f"/annotate/{row['secret']}", judged=judged, items=items)


_RANDOM_STATE = 0  # of the confidence intervals, so that the same answers give the same figures


class AskedRound(Frozen):
    """The sources of a round, as they were when it was requested."""

    sources: tuple[Wanted, ...]
    top: int
    random_state: int


class Round(Frozen):
    """A round as the page shows it, but never to annotators."""

    id: str
    title: str
    state: BackgroundState
    problem: str | None
    job: Job | None
    methods: tuple[str, ...]
    top: int
    items: int
    annotators: tuple[Invited, ...]
    created: float


class OpenItem(Frozen):
    """A term as an annotator sees it, without the method that found it."""

    item: int
    category: str
    term: str
    example: Parts  # a sentence of the documents in which it occurs, or nothing
    belongs: bool | None


class Assignment(Frozen):
    """The questions for one annotator."""

    name: str
    title: str
    definition: str  # what "belongs" means
    items: tuple[OpenItem, ...]


class Standing(Frozen):
    """Progress of an annotator."""

    judged: int
    items: int


@dataclass(frozen=True)
class Rounds(Background[Round]):
    """All rounds of a database."""

    table = "rounds"
    noun = "round"

    annotators: Annotators

    def of_project(self, project: str) -> list[Round]:
        """Rounds of a project, newest first."""
        rows = self.database.all("SELECT * FROM rounds WHERE project = ? ORDER BY created DESC, id", (project,))
        return [self._shown(row) for row in rows]

    def get(self, number: str) -> Round:
        return self._shown(self._row(number))

    def make(self, kept: Kept, title: str, asked: AskedRound) -> Round:
        """Create the sheet at once or, if methods must run first, in the background."""
        sources = with_own_titles(asked.sources)
        if len({(each.corpus, each.method, each.names.model_dump_json()) for each in sources}) < len(sources):
            raise Conflict("two of the sources are the same; choose each only once")
        _must_share_categories(sources)
        if len(self.database.all("SELECT id FROM rounds WHERE project = ?", (kept.id,))) >= ROUNDS:
            raise Conflict(f"the project already has {ROUNDS} rounds, which is the limit; remove one of them")
        self.jobs.require_room()
        made = new_id()
        self.database.insert(
            "rounds",
            id=made,
            project=kept.id,
            title=title,
            asked=asked.model_copy(update={"sources": tuple(sources)}).model_dump_json(),
            state="running",
            problem=None,
            sheet=None,
            created=now(),
        )
        self._start(made)
        return self.get(made)

    def invite(self, number: str, name: str) -> Invited:
        """Create a personal link; annotators may be invited before the terms are ready."""
        return self.annotators.invite(number, name, _count(self._row(number)))

    def assignment(self, secret: str) -> Assignment:
        """The questions for the owner of a link."""
        annotator = self.annotators.by_secret(secret)
        row = self._row(annotator["round"])
        answers, sheet = self.annotators.answers(annotator["id"]), _sheet(row)
        examples = self._examples(row, sheet)
        return Assignment(
            name=annotator["name"],
            title=row["title"],
            definition=BELONGS,
            items=tuple(
                OpenItem(
                    item=each.item,
                    category=each.category,
                    term=each.term,
                    example=examples.get(each.term, ()),
                    belongs=answers.get(each.item),
                )
                for each in sheet.items
            ),
        )

    def _examples(self, row: Any, sheet: Sheet) -> dict[str, Parts]:
        """Sentences with the terms of a round, of the documents that its first source was found in."""
        corpora, corpus = self.sides.corpora, _asked(row).sources[0].corpus
        with suppress(SeeTopicError):  # annotators can judge terms without examples, too
            return sentences_with(corpora.index(corpus), corpora.documents(corpus), [each.term for each in sheet.items])
        return {}

    def answer(self, secret: str, item: int, belongs: bool | None) -> Standing:
        """Store one answer; the last one counts, and None withdraws it."""
        with self.database.change():
            annotator = self.annotators.by_secret(secret)
            sheet = _sheet(self._row(annotator["round"]))
            if not any(each.item == item for each in sheet.items):
                raise Missing(f"there is no term {item} in this round; reload the page")
            self.annotators.keep(annotator["id"], item, belongs)
            return Standing(judged=len(self.annotators.answers(annotator["id"])), items=len(sheet.items))

    def agreement(self, number: str) -> Agreement:
        """Results of the answers so far, without annotators who have judged nothing."""
        sheet = _sheet(self._row(number))
        filled = self.annotators.filled(number, sheet)
        if not filled:
            raise NotYet("nobody has judged any terms yet; invite annotators and send them their links")
        return agreement_of(sheet, filled, random_state=_RANDOM_STATE)

    def judgements_csv(self, number: str) -> str:
        """One row per term and annotator, with the rank of the term in each method."""
        sheet = _sheet(self._row(number))
        text = io.StringIO()
        rows = SafeRows(text)
        rows.add(["annotator", "item", "category", "term", "belongs", "judged", *sheet.methods])
        for annotator in self.annotators.rows(number):
            answers = self.annotators.timed_answers(annotator["id"])
            for each in sheet.items:
                belongs, when = answers.get(each.item, (None, ""))
                cells = ["" if belongs is None else int(belongs), when]
                places = [each.places.get(method, "") for method in sheet.methods]
                rows.add([annotator["name"], each.item, each.category, each.term, *cells, *places])
        return text.getvalue()

    def judgements(self, number: str) -> str:
        """All answers in the form that `discover --judgements` reads."""
        return "".join(each.to_line() for each in self.answers(number))

    def answers(self, number: str) -> list[Judgement]:
        """All answers as judgements."""
        items, given = {each.item: each for each in _sheet(self._row(number)).items}, []
        for annotator in self.annotators.rows(number):
            for item, (belongs, when) in self.annotators.timed_answers(annotator["id"]).items():
                asked = items[item]
                given.append(Judgement(asked.category, asked.term, None, belongs, annotator["name"], when))
        return given

    def project_of(self, number: str) -> str:
        """The project of a round."""
        return str(self._row(number)["project"])

    def _start(self, number: str) -> None:
        asked = _asked(self._row(number))
        keep = partial(self._keep, number, asked)
        with self._failing(number):
            found = self.sides.quick(asked.sources)
            if found is None:
                runs = self.sides.runs(asked.sources)
                self.jobs.start(number, plan_for(asked.sources), self._ended(number, keep), find_topics, runs)
            else:
                keep(found)

    def _keep(self, number: str, asked: AskedRound, found: list[Topics]) -> None:
        methods = {source.title: topics for source, topics in zip(asked.sources, found, strict=True)}
        sheet = make_sheet(methods, top=asked.top, random_state=asked.random_state)
        key = json.dumps(sheet.to_key(), ensure_ascii=False)
        self.database.do("UPDATE rounds SET state = 'ready', problem = NULL, sheet = ? WHERE id = ?", (key, number))

    def _shown(self, row: Any) -> Round:
        asked = _asked(row)
        return Round(
            id=row["id"],
            title=row["title"],
            state=row["state"],
            problem=row["problem"],
            job=self.jobs.job(row["id"]) if row["state"] == "running" else None,
            methods=tuple(each.title for each in asked.sources),
            top=asked.top,
            items=_count(row),
            annotators=self.annotators.of_round(row["id"], _count(row)),
            created=row["created"],
        )


def _count(row: Any) -> int:
    return 0 if row["sheet"] is None else len(_sheet(row).items)


def _sheet(row: Any) -> Sheet:
    if row["sheet"] is None:
        raise NotYet("the terms of this round are not ready yet; wait a moment")
    return _sheet_of(row["sheet"])


@lru_cache(maxsize=32)  # read for every answer
def _sheet_of(key: str) -> Sheet:
    return sheet_of_key(json.loads(key))


@lru_cache(maxsize=64)
def _asked_of(text: str) -> AskedRound:
    return AskedRound.model_validate_json(text)


def _asked(row: Any) -> AskedRound:
    return _asked_of(row["asked"])


def _must_share_categories(sources: list[Wanted]) -> None:
    """Check before any method runs that all sources have the same categories."""
    first, *others = (set(each.names.ids) for each in sources)
    for each, own in zip(sources[1:], others, strict=True):
        differing = sorted(own ^ first)
        if differing:
            raise SheetError(
                f"{sources[0].title} and {each.title} do not have the same categories: only one of them has "
                f"{differing[0]!r}; choose sources with the same names"
            )
