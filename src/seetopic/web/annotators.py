"""Annotators of rounds and their answers: each known by the secret of a link, each answer kept at once."""

from __future__ import annotations

import secrets
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from seetopic.evaluation.judgements import FilledSheet, Sheet
from seetopic.web.database import Database, new_id, now
from seetopic.web.failures import Conflict, Missing
from seetopic.web.limits import ANNOTATORS
from seetopic.web.names import Frozen


class Invited(Frozen):
    """Somebody who judges; whoever has the link is this person."""

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
        """A link of its own for one person."""
        with self.database.change():
            known = [row["name"].casefold() for row in self.rows(number)]
            if name.casefold() in known:
                raise Conflict(f"{name!r} is invited already; give each annotator a name of their own")
            if len(known) >= ANNOTATORS:
                raise Conflict(f"a round has at most {ANNOTATORS} annotators; make another one")
            row = {"id": new_id(), "round": number, "name": name, "secret": secrets.token_urlsafe(18), "created": now()}
            self.database.insert("annotators", **row)
        return _invited(row, 0, items)

    def dismiss(self, number: str, annotator: str) -> None:
        """Take somebody out: the link no longer opens, and their answers are gone."""
        if not self.database.do("DELETE FROM annotators WHERE id = ? AND round = ?", (annotator, number)):
            raise Missing("there is no such annotator; they may have been removed")

    def by_secret(self, secret: str) -> Any:
        row = self.database.one("SELECT * FROM annotators WHERE secret = ?", (secret,))
        if row is None:
            raise Missing("this link does not lead to terms any more; ask the person who sent it for a new one")
        return row

    def rows(self, number: str) -> list[Any]:
        """In the order in which they were invited."""
        return self.database.all("SELECT * FROM annotators WHERE round = ? ORDER BY created, rowid", (number,))

    def keep(self, annotator: str, item: int, belongs: bool | None) -> None:
        """The last answer counts; None takes it back."""
        self.database.do(
            "INSERT INTO answers (annotator, item, belongs, made) VALUES (?, ?, ?, ?) "
            "ON CONFLICT (annotator, item) DO UPDATE SET belongs = excluded.belongs, made = excluded.made",
            (annotator, item, None if belongs is None else int(belongs), now()),
        )

    def answers(self, annotator: str) -> dict[int, bool]:
        return {item: belongs for item, (belongs, _) in self.timed_answers(annotator).items()}

    def timed_answers(self, annotator: str) -> dict[int, tuple[bool, str]]:
        """Each judged item's answer, and when it was given."""
        rows = self.database.all(
            "SELECT item, belongs, made FROM answers WHERE annotator = ? AND belongs IS NOT NULL", (annotator,)
        )
        return {
            row["item"]: (bool(row["belongs"]), datetime.fromtimestamp(row["made"], UTC).isoformat(timespec="seconds"))
            for row in rows
        }

    def filled(self, number: str, sheet: Sheet) -> list[FilledSheet]:
        """The sheets of all who have judged anything."""
        given = [(row["name"], self.answers(row["id"])) for row in self.rows(number)]
        return [
            FilledSheet(Path("workbench"), name, {each.item: answers.get(each.item) for each in sheet.items})
            for name, answers in given
            if answers
        ]


def _invited(row: Any, judged: int, items: int) -> Invited:
    return Invited(id=row["id"], name=row["name"], link=f"/annotate/{row['secret']}", judged=judged, items=items)
