"""Work on a project that runs in the background and is stored in the database as running, ready or failed."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, ClassVar, Generic, Literal, TypeVar

from seetopic.errors import SeeTopicError
from seetopic.web.candidates import Sides
from seetopic.web.database import Database
from seetopic.web.errors import Conflict, Missing
from seetopic.web.jobs import Ended, Jobs

Shown = TypeVar("Shown")
BackgroundState = Literal["running", "ready", "failed"]


@dataclass(frozen=True)
class Background(ABC, Generic[Shown]):
    """All rows of one table; each is worked on by a job with the row's id."""

    table: ClassVar[str]
    noun: ClassVar[str]  # as errors call a row

    database: Database
    sides: Sides
    jobs: Jobs

    @abstractmethod
    def get(self, number: str) -> Shown:
        """What a row shows to users."""

    @abstractmethod
    def _start(self, number: str) -> None:
        """Do the work of a row, at once or in a job."""

    def again(self, number: str) -> Shown:
        """Retry failed work."""
        if self._row(number)["state"] != "failed":
            raise Conflict(f"this {self.noun} did not fail, so there is nothing to retry")
        self.jobs.require_room()
        self._mark(number, "running")
        self._start(number)
        return self.get(number)

    def resume_all(self) -> None:
        """Resume unfinished work after a restart; methods that had finished are not run again."""
        for row in self.database.all(f"SELECT id FROM {self.table} WHERE state = 'running' ORDER BY created"):
            self._start(row["id"])

    def remove(self, number: str) -> None:
        self._row(number)
        self.jobs.stop(number)
        self.database.do(f"DELETE FROM {self.table} WHERE id = ?", (number,))

    def _ended(self, number: str, keep: Callable[[Any], None]) -> Ended:
        """What a job calls at its end: `keep` stores its result, or the row has failed."""

        def ended(found: Any, problem: str | None, stopped: bool) -> None:
            if stopped:  # removed by a user, or the server is stopping and resumes it at the next start
                return
            if problem is None:
                with self._failing(number):
                    keep(found)
            else:
                self._mark(number, "failed", self.sides.corpora.plainly(problem))
            self.sides.tidy()

        return ended

    @contextmanager
    def _failing(self, number: str) -> Iterator[None]:
        """Errors that users can fix mark the row as failed."""
        try:
            yield
        except SeeTopicError as error:
            self._mark(number, "failed", str(error))

    def _mark(self, number: str, state: BackgroundState, problem: str | None = None) -> None:
        self.database.do(f"UPDATE {self.table} SET state = ?, problem = ? WHERE id = ?", (state, problem, number))

    def _row(self, number: str) -> Any:
        row = self.database.one(f"SELECT * FROM {self.table} WHERE id = ?", (number,))
        if row is None:
            raise Missing(f"this {self.noun} does not exist; it may have been removed")
        return row
