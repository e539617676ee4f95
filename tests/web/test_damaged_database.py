"""A workbench's database that a disk has damaged: refused at the start with one sentence, and its backup works."""

from __future__ import annotations

import random
import shutil
import sqlite3
from pathlib import Path
from typing import Any

import pytest

from seetopic.errors import OutputError
from seetopic.web import database as database_module
from seetopic.web.database import FORMAT, Database
from seetopic.web.projects import Projects
from seetopic.web.schemas import GivenCategory, Names, with_new

from .test_edits import edit

TABLES = ("corpora", "projects", "entries", "versions", "rounds", "annotators", "answers", "comparisons", "uploads")


def rows_of(data: Database) -> dict[str, list[tuple[Any, ...]]]:
    return {table: sorted(tuple(row) for row in data.all(f"SELECT * FROM {table}")) for table in TABLES}


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """A database in which people have worked, closed."""
    data = Database(tmp_path / "workbench.sqlite")
    data.insert("corpora", id="k", title="", source="", options="", folder="", own=0, state="ready", created=0)
    projects = Projects(data)
    for number in range(3):
        made = projects.make("k", with_new(Names(title=f"Project {number}"), [GivenCategory(name="sport")]), "Ann")
        for version in range(1, 8):
            projects.edit(made, version, "Ben", edit("add", names=[f"name {version}"]))
    projects.remove(made)
    data.insert(
        "rounds",
        id="r",
        project=data.all("SELECT id FROM projects")[0][0],
        title="",
        asked="",
        state="ready",
        created=1.5,
    )
    data.insert("annotators", id="a", round="r", name="Ann", secret="s", created=2)
    for belongs in (0, 1):
        data.do("INSERT OR REPLACE INTO answers VALUES ('a', 1, ?, 3)", (belongs,))
    data.close()
    return data.path


@pytest.mark.slow
def test_a_flipped_bit_anywhere_is_refused_or_changes_nothing(path: Path) -> None:
    first = Database(path)
    right, whole = rows_of(first), path.read_bytes()
    first.close()
    chance = random.Random(0)
    refused = 0
    for _ in range(250):
        damaged = bytearray(whole)
        damaged[chance.randrange(len(damaged))] ^= 1 << chance.randrange(8)
        path.write_bytes(damaged)
        for left in path.parent.glob("workbench.sqlite-*"):
            left.unlink()
        try:
            data = Database(path)
        except OutputError as error:
            refused += "workbench.backup.sqlite" in str(error) or "newer version of seetopic" in str(error)
            continue
        assert rows_of(data) == right
        data.close()
    assert refused > 20


def test_the_backup_holds_the_last_good_state(path: Path) -> None:
    data = Database(path)
    right = rows_of(data)
    data.close()
    whole = path.read_bytes()
    path.write_bytes(whole.replace(b"name 5", b"nome 5"))
    damaged = r"is damaged \(rows of .*\); to continue from its backup of \d{4}-"
    with pytest.raises(OutputError, match=damaged) as caught:
        Database(path)
    assert len(str(caught.value)) - len(str(path)) < 300
    assert "and copy workbench.backup.sqlite to workbench.sqlite" in str(caught.value)
    for left in path.parent.glob("workbench.sqlite*"):
        left.unlink()
    shutil.copy(path.parent / "workbench.backup.sqlite", path)
    restored = Database(path)
    assert rows_of(restored) == right
    Projects(restored).edit(right["projects"][0][0], 8, "Ann", edit("add", names=["after all"]))
    restored.close()


def test_damage_never_gets_into_the_backup(path: Path) -> None:
    backup = path.parent / "workbench.backup.sqlite"
    kept = backup.read_bytes()
    path.write_bytes(path.read_bytes().replace(b"name 5", b"nome 5"))
    with pytest.raises(OutputError, match="is damaged"):
        Database(path)
    assert backup.read_bytes() == kept


def test_a_server_that_runs_for_long_backs_up_what_changes(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(database_module, "_BACKED_UP", -1)
    data = Database(path)
    project = data.all("SELECT id FROM projects")[0][0]
    Projects(data).edit(project, 8, "Ann", edit("add", names=["only now"]))
    copy = sqlite3.connect(path.parent / "workbench.backup.sqlite")
    assert copy.execute("SELECT version FROM projects WHERE id = ?", (project,)).fetchone() == (9,)
    copy.close()
    data.close()


def test_the_backup_is_for_its_owner_alone(path: Path) -> None:
    assert (path.parent / "workbench.backup.sqlite").stat().st_mode & 0o077 == 0


def test_a_database_of_the_first_format_is_sealed(path: Path) -> None:
    older = sqlite3.connect(path)
    for (name,) in older.execute("SELECT name FROM sqlite_master WHERE type = 'trigger'").fetchall():
        older.execute(f"DROP TRIGGER {name}")
    older.execute("DROP TABLE seals")
    older.execute("PRAGMA user_version=1")
    older.commit()
    older.close()
    data = Database(path)
    assert data.all("PRAGMA user_version")[0][0] == FORMAT
    data.close()
    path.write_bytes(path.read_bytes().replace(b"name 5", b"nome 5"))
    with pytest.raises(OutputError, match="rows of"):
        Database(path)
