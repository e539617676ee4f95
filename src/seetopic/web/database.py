"""The workbench's database: one SQLite file. Acknowledged changes are on disk, so a crash loses nothing."""

from __future__ import annotations

import secrets
import sqlite3
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager, suppress
from pathlib import Path
from typing import Any

from seetopic.errors import OutputError
from seetopic.runtime import writing, written_whole
from seetopic.web.checksums import broken_pages, damage, know_seals, seal_rows

FORMAT = 2
_BACKED_UP = 600  # seconds between backups, if anything has changed
_SCHEMA = """
CREATE TABLE corpora (
    id TEXT PRIMARY KEY, title TEXT NOT NULL, source TEXT NOT NULL, options TEXT NOT NULL, folder TEXT NOT NULL,
    own INTEGER NOT NULL, state TEXT NOT NULL, problem TEXT, created REAL NOT NULL
);
CREATE TABLE uploads (id TEXT PRIMARY KEY, name TEXT NOT NULL, bytes INTEGER NOT NULL, created REAL NOT NULL);
CREATE TABLE projects (
    id TEXT PRIMARY KEY, corpus TEXT NOT NULL REFERENCES corpora(id), version INTEGER NOT NULL, created REAL NOT NULL
);
-- Entries are never changed or removed. Undo makes an earlier one current, an edit after it is a branch.
CREATE TABLE entries (
    project TEXT NOT NULL REFERENCES projects(id) ON DELETE CASCADE, number INTEGER NOT NULL, parent INTEGER,
    names TEXT NOT NULL, label TEXT NOT NULL, person TEXT NOT NULL, made REAL NOT NULL, PRIMARY KEY (project, number)
);
-- Which entry was the current one at each version, which rises with every change, undo included.
CREATE TABLE versions (
    project TEXT NOT NULL REFERENCES projects(id) ON DELETE CASCADE, version INTEGER NOT NULL, entry INTEGER NOT NULL,
    label TEXT NOT NULL, person TEXT NOT NULL, made REAL NOT NULL, PRIMARY KEY (project, version)
);
CREATE TABLE rounds (
    id TEXT PRIMARY KEY, project TEXT NOT NULL REFERENCES projects(id) ON DELETE CASCADE, title TEXT NOT NULL,
    asked TEXT NOT NULL, state TEXT NOT NULL, problem TEXT, sheet TEXT, created REAL NOT NULL
);
CREATE TABLE annotators (
    id TEXT PRIMARY KEY, round TEXT NOT NULL REFERENCES rounds(id) ON DELETE CASCADE, name TEXT NOT NULL,
    secret TEXT NOT NULL UNIQUE, created REAL NOT NULL
);
CREATE TABLE answers (
    annotator TEXT NOT NULL REFERENCES annotators(id) ON DELETE CASCADE, item INTEGER NOT NULL, belongs INTEGER,
    made REAL NOT NULL, PRIMARY KEY (annotator, item)
);
CREATE TABLE comparisons (
    id TEXT PRIMARY KEY, project TEXT NOT NULL REFERENCES projects(id) ON DELETE CASCADE, asked TEXT NOT NULL,
    state TEXT NOT NULL, problem TEXT, result TEXT, created REAL NOT NULL
);
"""


class Database:
    """One connection shared by all threads; a change takes only a millisecond."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._lock = threading.RLock()
        self._changed = False
        self._backed_up = time.monotonic()
        with writing(path):
            path.parent.mkdir(parents=True, exist_ok=True)
        try:
            self._connection = sqlite3.connect(path, check_same_thread=False, timeout=30, isolation_level=None)
        except sqlite3.Error as error:
            raise OutputError(f"{path} cannot be opened ({error}); choose another folder with --data") from error
        try:
            self._prepare()
        except OutputError:
            self._connection.close()
            raise
        except (sqlite3.Error, UnicodeDecodeError) as error:  # SQLite's message may quote damaged text
            self._connection.close()
            raise OutputError(f"{path} cannot be used ({error}); {self._advice}") from error

    def _prepare(self) -> None:
        self._connection.row_factory = sqlite3.Row
        for setting in ("journal_mode=WAL", "synchronous=FULL", "foreign_keys=ON"):
            self._connection.execute(f"PRAGMA {setting}")
        found = self._connection.execute("PRAGMA user_version").fetchone()[0]
        if found > FORMAT:
            advice = "upgrade, or choose another folder with --data"
            raise OutputError(f"{self.path} was made by a newer version of seetopic; {advice}")
        know_seals(self._connection)
        damaged = broken_pages(self._connection) if found == 1 else damage(self._connection) if found else None
        if damaged is not None:
            raise OutputError(f"{self.path} is damaged ({damaged}); {self._advice}")
        if found < FORMAT:
            with self.change():
                for statement in _SCHEMA.split(";") if found == 0 else ():
                    self._connection.execute(statement)
                seal_rows(self._connection)
                self._connection.execute(f"PRAGMA user_version={FORMAT}")
        self._back_up()

    @property
    def backup(self) -> Path:
        """The last state that was found intact."""
        return self.path.with_suffix(".backup.sqlite")

    @property
    def _advice(self) -> str:
        if not self.backup.exists():
            return "choose another folder with --data"
        made = time.strftime("%Y-%m-%d %H:%M", time.localtime(self.backup.stat().st_mtime))
        name = self.path.name
        return (
            f"to continue from its backup of {made}, move {name} and, if they exist, {name}-wal and {name}-shm "
            f"elsewhere, and copy {self.backup.name} to {name}"
        )

    def _back_up(self) -> None:
        """Back up the current state, which was checked; on failure, the older backup stays."""
        self._backed_up = time.monotonic()
        with suppress(OutputError, sqlite3.Error), written_whole(self.backup) as beside:
            beside.chmod(0o600)
            with closing(sqlite3.connect(beside)) as copy:
                copy.execute("PRAGMA synchronous=OFF")  # `written_whole` syncs the file before renaming it
                copy.execute("PRAGMA journal_mode=OFF")
                self._connection.backup(copy)

    def _back_up_if_whole(self) -> None:
        with suppress(sqlite3.Error, UnicodeDecodeError):  # damaged; the next start reports it
            if damage(self._connection) is None:
                self._back_up()

    @contextmanager
    def change(self) -> Iterator[None]:
        """A transaction: all changes within it are kept, or none; other threads wait."""
        with self._lock:
            if self._connection.in_transaction:
                yield
                return
            self._connection.execute("BEGIN IMMEDIATE")
            try:
                yield
                self._connection.execute("COMMIT")
                self._changed = True
            except BaseException:
                if self._connection.in_transaction:  # SQLite rolls back by itself on a full disk
                    self._connection.execute("ROLLBACK")
                raise
            if time.monotonic() - self._backed_up > _BACKED_UP:
                self._back_up_if_whole()

    def all(self, question: str, values: Sequence[Any] = ()) -> list[sqlite3.Row]:
        with self._lock:
            return self._connection.execute(question, values).fetchall()

    def one(self, question: str, values: Sequence[Any] = ()) -> sqlite3.Row | None:
        found = self.all(question, values)
        return found[0] if found else None

    def do(self, statement: str, values: Sequence[Any] = ()) -> int:
        """Execute a statement; returns the number of rows changed."""
        with self._lock:
            self._changed = True
            return self._connection.execute(statement, values).rowcount

    def insert(self, table: str, **values: Any) -> None:
        marks = ", ".join("?" * len(values))
        self.do(f"INSERT INTO {table} ({', '.join(values)}) VALUES ({marks})", list(values.values()))

    def close(self) -> None:
        with self._lock:
            if self._changed:
                self._back_up_if_whole()
            self._connection.close()


def new_id() -> str:
    """A random id, long enough to be unique."""
    return secrets.token_hex(8)


def now() -> float:
    return time.time()
