"""Projects: names with their complete history, of which nothing is ever deleted; undo only moves a pointer."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from pydantic_core import to_jsonable_python

from seetopic.errors import SeedError
from seetopic.web.database import Database, new_id, now
from seetopic.web.edits import clash
from seetopic.web.errors import Conflict, Missing
from seetopic.web.limits import PROJECT_NAMES, PROJECT_TERMS
from seetopic.web.schemas import Frozen, Names

NOBODY = "someone"


class Last(Frozen):
    """The last change: who made it, when (seconds since 1970), and what it was."""

    by: str
    at: float
    label: str


class Entry(Frozen):
    """A step of a project's history."""

    number: int
    label: str
    by: str
    at: float
    current: bool


@dataclass(frozen=True)
class Kept:
    """A project in its current state."""

    id: str
    corpus: str
    version: int
    names: Names
    undo: str | None
    redo: str | None
    last: Last


class Projects:
    """All projects of a database."""

    def __init__(self, database: Database) -> None:
        self._data = database

    def ids(self) -> list[str]:
        """Ids of all projects, most recently changed first."""
        rows = self._data.all(
            "SELECT p.id FROM projects p JOIN versions v ON v.project = p.id AND v.version = p.version "
            "ORDER BY v.made DESC, p.id"
        )
        return [row["id"] for row in rows]

    def make(self, corpus: str, names: Names, by: str = "", label: str = "create the project") -> str:
        project = new_id()
        names.check()
        _require_few(names)
        with self._data.change():
            self._data.insert("projects", id=project, corpus=corpus, version=0, created=now())
            self._keep(project, None, names, label, by)
        return project

    def get(self, project: str) -> Kept:
        with self._data.change():
            row = self._row(project)
            step = self._data.one("SELECT * FROM versions WHERE project = ? AND version = ?", (project, row["version"]))
            assert step is not None
            entry = self._entry(project, step["entry"])
            back = None if entry["parent"] is None else entry["label"]
            onward = self._onward(project, step["entry"])
        last = Last(by=step["person"], at=step["made"], label=step["label"])
        names = Names.model_validate_json(entry["names"])
        return Kept(project, row["corpus"], row["version"], names, back, onward and onward["label"], last)

    def version(self, project: str) -> int:
        return int(self._row(project)["version"])

    def edit(self, project: str, base: int, by: str, edit: Any) -> Kept:
        """Apply an edit to the current state; rejected if someone has changed the same thing since `base`."""
        with self._data.change():
            kept = self.get(project)
            seen = self.names_at(project, base)
            theirs = clash(edit, seen, kept.names)
            if theirs is not None:
                who = self._who_changed(project, base, edit, seen)
                raise Conflict(
                    f"{who.by} has made a conflicting change in the meantime ({who.label}); "
                    "review it before you continue",
                    theirs=to_jsonable_python(theirs),
                    by=who.by,
                )
            label = edit.told(kept.names)
            start = self._with_unused_ids(project, kept.names)
            new = edit.applied(start)
            new.check()
            _require_few(new, start)
            if new != start:
                self._keep(project, self._current(project), new, label, by)
            return self.get(project)

    def undo(self, project: str, base: int, by: str) -> Kept:
        with self._data.change():
            self._must_be_newest(project, base)
            entry = self._entry(project, self._current(project))
            if entry["parent"] is None:
                raise Conflict("there is nothing to undo")
            self._point(project, entry["parent"], f"undo: {entry['label']}", by)
            return self.get(project)

    def redo(self, project: str, base: int, by: str) -> Kept:
        with self._data.change():
            self._must_be_newest(project, base)
            onward = self._onward(project, self._current(project))
            if onward is None:
                raise Conflict("there is nothing to redo")
            self._point(project, onward["number"], f"redo: {onward['label']}", by)
            return self.get(project)

    def restore(self, project: str, base: int, by: str, number: int) -> Kept:
        """Restore an earlier state as a new step, which can be undone like any other."""
        with self._data.change():
            self._must_be_newest(project, base)
            again = self._with_unused_ids(project, self.names_of_entry(project, number))
            self._keep(project, self._current(project), again, f"restore step {number}", by)
            return self.get(project)

    def names_of_entry(self, project: str, number: int) -> Names:
        return Names.model_validate_json(self._entry(project, number)["names"])

    def history(self, project: str) -> list[Entry]:
        current = self._current(project)
        rows = self._data.all(
            "SELECT number, label, person, made FROM entries WHERE project = ? ORDER BY number DESC", (project,)
        )
        return [
            Entry(
                number=row["number"],
                label=row["label"],
                by=row["person"],
                at=row["made"],
                current=row["number"] == current,
            )
            for row in rows
        ]

    def remove(self, project: str) -> None:
        if not self._data.do("DELETE FROM projects WHERE id = ?", (project,)):
            raise Missing(f"there is no project {project!r}; it may have been removed")

    def _row(self, project: str) -> Any:
        row = self._data.one("SELECT * FROM projects WHERE id = ?", (project,))
        if row is None:
            raise Missing(f"there is no project {project!r}; it may have been removed")
        return row

    def _entry(self, project: str, number: int) -> Any:
        row = self._data.one("SELECT * FROM entries WHERE project = ? AND number = ?", (project, number))
        if row is None:
            raise Missing(f"the project has no step {number}; reload its history")
        return row

    def _current(self, project: str) -> int:
        row = self._data.one(
            "SELECT v.entry FROM versions v JOIN projects p ON p.id = v.project AND p.version = v.version "
            "WHERE p.id = ?",
            (project,),
        )
        if row is None:
            raise Missing(f"there is no project {project!r}; it may have been removed")
        return int(row["entry"])

    def _onward(self, project: str, entry: int) -> Any:
        """The newest step made from this one."""
        return self._data.one(
            "SELECT number, label FROM entries WHERE project = ? AND parent = ? ORDER BY number DESC LIMIT 1",
            (project, entry),
        )

    def names_at(self, project: str, version: int) -> Names:
        """The names as they were at a version."""
        row = self._data.one("SELECT entry FROM versions WHERE project = ? AND version = ?", (project, version))
        if row is None:
            raise Conflict(f"the project has never had a version {version}; reload it")
        return self.names_of_entry(project, row["entry"])

    def _who_changed(self, project: str, base: int, edit: Any, seen: Names) -> Last:
        """The first change after `base` to what the edit would change."""
        rows = self._data.all(
            "SELECT * FROM versions WHERE project = ? AND version > ? ORDER BY version", (project, base)
        )
        made = next(row for row in rows if clash(edit, seen, self.names_of_entry(project, row["entry"])) is not None)
        return Last(by=made["person"], at=made["made"], label=made["label"])

    def _with_unused_ids(self, project: str, names: Names) -> Names:
        """Names whose next id was never used, so that users who still see an undone category cannot change another."""
        newest = self._data.one("SELECT max(number) AS number FROM entries WHERE project = ?", (project,))
        assert newest is not None
        return names.model_copy(update={"next_id": self.names_of_entry(project, newest["number"]).next_id})

    def _must_be_newest(self, project: str, base: int) -> None:
        kept = self.get(project)
        if kept.version != base:
            raise Conflict(
                f"{kept.last.by} has changed the project in the meantime ({kept.last.label}); review the change first"
            )

    def _keep(self, project: str, parent: int | None, names: Names, label: str, by: str) -> None:
        row = self._data.one("SELECT max(number) AS last FROM entries WHERE project = ?", (project,))
        number = 1 + ((row["last"] or 0) if row else 0)
        self._data.insert(
            "entries",
            project=project,
            number=number,
            parent=parent,
            names=names.model_dump_json(),
            label=label,
            person=by or NOBODY,
            made=now(),
        )
        self._point(project, number, label, by)

    def _point(self, project: str, entry: int, label: str, by: str) -> None:
        version = self.version(project) + 1
        self._data.do("UPDATE projects SET version = ? WHERE id = ?", (version, project))
        self._data.insert(
            "versions", project=project, version=version, entry=entry, label=label, person=by or NOBODY, made=now()
        )


def _require_few(names: Names, before: Names | None = None) -> None:
    """Reject more names than can be processed in reasonable time; older projects above the limit may shrink."""
    counts = ((names.count, PROJECT_NAMES, "names"), (names.count_judged, PROJECT_TERMS, "pinned and negative terms"))
    earlier = (0, 0) if before is None else (before.count, before.count_judged)
    for (number, most, what), had in zip(counts, earlier, strict=True):
        if number > max(most, had):
            raise SeedError(
                f"the project would have {number:,} {what}, but the limit is {most:,}; create a second project"
            )
