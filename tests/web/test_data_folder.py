"""The folder of `--data`: nothing in it is deleted that the workbench did not make, and nobody else reads it."""

from __future__ import annotations

import shutil
import stat
from pathlib import Path

import pytest

from seetopic.web.limits import WorkbenchSettings
from seetopic.web.sources import BuildOptions, FileSource
from seetopic.web.workbench import Workbench
from waiting import until

from .served import commanded, serving
from .test_serve import refused

DATABASE = "workbench.sqlite"


def mode(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


def names(folder: Path) -> set[str]:
    return {each.name for each in folder.iterdir()}


def test_a_folder_that_is_not_the_workbenchs_is_refused_and_nothing_in_it_is_touched(tmp_path: Path) -> None:
    thesis = tmp_path / "uploads" / "thesis"
    thesis.mkdir(parents=True)
    (thesis / "chapter.txt").write_text("years of work")
    said = refused("--data", ".", cwd=tmp_path)
    assert "not a workbench folder and is not empty" in said
    assert "--data" in said
    assert (thesis / "chapter.txt").read_text() == "years of work"
    assert names(tmp_path) == {"uploads"}


def test_a_start_removes_what_it_marked_and_nothing_else(fresh: WorkbenchSettings) -> None:
    data = fresh.data
    with serving(fresh) as served, served.client() as client:
        kept = client.post("/api/uploads", params={"name": "kept.csv"}, content=b"text\nx").json()["id"]
        half = client.post("/api/uploads", params={"name": "half.csv"}, content=b"text\nx").json()["id"]
        filled = client.post("/api/uploads", params={"name": "filled.csv"}, content=b"text\nx").json()["id"]
    uploads = data / "uploads"
    (uploads / filled / "notes.txt").write_text("put here by a person")
    (uploads / "thesis").mkdir()
    (uploads / "thesis" / "chapter.txt").write_text("years of work")
    (uploads / "link").symlink_to(uploads / half)
    (data / "methods").mkdir(exist_ok=True)
    (data / "methods" / "mine.json").write_text("{}")
    workbench = Workbench(fresh)
    workbench.database.do("DELETE FROM uploads WHERE id IN (?, ?)", (half, filled))  # as a crash while receiving
    workbench.close()
    with serving(fresh) as served, served.client() as client:
        assert client.get("/api/corpora").status_code == 200
        until(lambda: not (uploads / half).exists())
        assert names(uploads) == {kept, filled, "thesis", "link"}
        assert names(uploads / filled) == {"notes.txt"}
        assert (uploads / kept / "kept.csv").read_bytes() == b"text\nx"
        assert (uploads / "thesis" / "chapter.txt").read_text() == "years of work"


def test_what_is_removed_in_a_copy_of_the_folder_stays_in_the_original(fresh: WorkbenchSettings, index) -> None:
    first = Workbench(fresh)
    made = first.corpora.add(FileSource(kind="index", path="planted"), BuildOptions()).id
    own = fresh.data / "indexes" / made
    shutil.copytree(index.folder, own)
    first.database.do("UPDATE corpora SET own = 1, folder = ? WHERE id = ?", (str(own), made))
    first.close()
    copied = fresh.data.with_name("copy")
    shutil.copytree(fresh.data, copied)
    second = Workbench(WorkbenchSettings(data=copied, cache=fresh.cache))
    assert second.corpora.index(made).folder == copied / "indexes" / made
    second.corpora.remove(made)
    second.close()
    assert not (copied / "indexes" / made).exists()
    assert (own / "manifest.json").is_file()


@pytest.mark.slow
def test_a_folder_and_a_database_that_were_there_become_private(tmp_path: Path) -> None:
    data = tmp_path / "data"
    data.mkdir(mode=0o755)
    data.chmod(0o755)
    (data / DATABASE).touch(mode=0o644)
    (data / DATABASE).chmod(0o644)
    with commanded(data) as served, served.client() as client:
        assert client.get("/api/corpora").status_code == 200
        assert mode(data) == 0o700
        assert mode(data / DATABASE) == mode(data / f"{DATABASE}-wal") == mode(data / "token") == 0o600
