"""Checksums of all rows of a database, because SQLite only detects damage to the structure of its pages."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from zlib import crc32

_SCHEMA = "sqlite_master"  # sealed as row 0 of a table with this name
_SEALS = (
    "CREATE TABLE IF NOT EXISTS seals (of TEXT NOT NULL, row INTEGER NOT NULL, seal INTEGER NOT NULL, "
    "PRIMARY KEY (of, row)) WITHOUT ROWID"
)


def know_seals(connection: sqlite3.Connection) -> None:
    """Register the function that the triggers call, and let REPLACE fire delete triggers too."""
    # Not a Python function: SQLite would swallow a Ctrl-C that arrives while it runs.
    connection.create_function("seal", 1, crc32, deterministic=True)
    connection.execute("PRAGMA recursive_triggers=ON")


def seal_rows(connection: sqlite3.Connection) -> None:
    """Seal all rows, and from now on every row that changes."""
    connection.execute(_SEALS)
    connection.execute("DELETE FROM seals")
    for table, seal in _tables(connection):
        sealed = f"INSERT INTO seals SELECT '{table}', rowid, {seal} FROM {table}"
        connection.execute(sealed)
        unsealed = f"DELETE FROM seals WHERE of = '{table}' AND row ="
        for event in ("INSERT", "UPDATE"):
            # Not INSERT OR REPLACE: an outer statement's ON CONFLICT clause would override it.
            _trigger(connection, table, event, f"{unsealed} NEW.rowid; {sealed} WHERE rowid = NEW.rowid")
        _trigger(connection, table, "DELETE", f"{unsealed} OLD.rowid")
    connection.execute("INSERT INTO seals VALUES (?, 0, ?)", (_SCHEMA, _seal_of_schema(connection)))


def broken_pages(connection: sqlite3.Connection) -> str | None:
    """Damage found by SQLite itself, if any."""
    (found,) = connection.execute("PRAGMA integrity_check(1)").fetchone()
    return None if found == "ok" else " ".join(str(found).split())


def damage(connection: sqlite3.Connection) -> str | None:
    """A description of damage to the database, if any; unreadable data raises SQLite's own error."""
    if (broken := broken_pages(connection)) is not None:
        return broken
    if connection.execute("PRAGMA foreign_key_check").fetchone():
        return "rows refer to rows that do not exist"
    known = "SELECT count(*) FROM seals WHERE of = ? AND row = 0 AND seal = ?"
    if connection.execute(known, (_SCHEMA, _seal_of_schema(connection))).fetchone()[0] != 1:
        return "its tables have been changed"
    tables = list(_tables(connection))
    for table, seal in tables:
        matching = f"SELECT count(*) FROM {table} AS t JOIN seals ON of = '{table}' AND row = t.rowid AND seal = "
        (n_right,) = connection.execute(f"{matching} {seal}").fetchone()
        (n_rows,) = connection.execute(f"SELECT count(*) FROM {table}").fetchone()
        (n_seals,) = connection.execute("SELECT count(*) FROM seals WHERE of = ?", (table,)).fetchone()
        if not n_right == n_rows == n_seals:
            return f"rows of {table} have been changed"
    return None


def _tables(connection: sqlite3.Connection) -> Iterator[tuple[str, str]]:
    """Each table except the seals, with the SQL expression for a row's seal."""
    asked = "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite_%' AND name != 'seals'"
    for (name,) in connection.execute(f"{asked} ORDER BY name").fetchall():
        columns = [column[1] for column in connection.execute(f"PRAGMA table_info({name})")]
        # `quote` is exact for numbers and distinguishes types; `hex` does not stop at a NUL in a text.
        values = " || ',' || ".join(f"quote({column}) || hex({column})" for column in columns)
        yield name, f"seal(CAST({values} AS BLOB))"


def _trigger(connection: sqlite3.Connection, table: str, event: str, work: str) -> None:
    name = f"seal_{event.lower()}_{table}"
    connection.execute(f"DROP TRIGGER IF EXISTS {name}")
    connection.execute(f"CREATE TRIGGER {name} AFTER {event} ON {table} BEGIN {work}; END")


def _seal_of_schema(connection: sqlite3.Connection) -> int:
    rows = connection.execute("SELECT type, name, tbl_name, sql FROM sqlite_master ORDER BY type, name")
    return crc32(repr([tuple(row) for row in rows]).encode())
