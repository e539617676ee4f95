"""`seetopic cache`: what the program keeps, and nothing else, is listed and removed."""

from __future__ import annotations

import json
import shutil
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from commands import one_line_error, run_here
from planted import planted_documents
from seetopic import Index
from seetopic.index import cached_items, exclusive
from seetopic.runtime import silent
from seetopic.vectors import VectorCache, encoder_for

MINE = [f"indexes/{'0' * 32}/mine.txt", "indexes/mine.txt", "mine.txt", "vectors/mine.sqlite"]


@pytest.fixture
def place(index: Index, tmp_path: Path) -> Path:
    """A folder with a cache that has an index, vectors, and files that somebody else has put there."""
    cache = tmp_path / "kept"
    shutil.copytree(index.folder, cache / "indexes" / ("a" * 32))
    VectorCache(cache).encode(encoder_for(None), ["books"], 1, silent)
    (cache / "checked").mkdir()
    (cache / "checked" / ("b" * 64)).write_text("{}")
    for name in MINE:
        (cache / name).parent.mkdir(exist_ok=True)
        (cache / name).write_text("mine")
    return tmp_path


def kinds(place: Path) -> list[str]:
    listed = run_here("cache", "list", "--json", "--cache", "kept", cwd=place)
    assert listed.returncode == 0, listed.stderr
    return [item["kind"] for item in json.loads(listed.stdout)["items"]]


def test_the_cache_is_listed_and_cleared_but_not_what_others_put_there(place):
    told = run_here("cache", "list", "--cache", "kept", cwd=place).stdout.splitlines()
    assert told[0].endswith(" documents)")
    assert told[-1].startswith("kept: 3 items, ")
    value = json.loads(run_here("cache", "list", "--json", "--cache", "kept", cwd=place).stdout)
    assert [item["kind"] for item in value["items"]] == ["index", "vectors", "checks"]
    for item in value["items"]:
        path = place / item["path"]
        files = [path] if path.is_file() else [file for file in path.rglob("*") if file.is_file()]
        assert item["bytes"] == sum(file.stat().st_size for file in files)

    asked = run_here("cache", "clear", "--cache", "kept", cwd=place, given="n\n")
    assert (asked.returncode, asked.stdout) == (0, "kept: removed 0 items, 0.0 MB\n")
    unanswered = run_here("cache", "clear", "--cache", "kept", cwd=place)
    assert "nothing was removed: pass --yes" in one_line_error(unanswered)
    assert len(kinds(place)) == 3

    building = place / "kept" / "indexes" / ("a" * 32)
    with exclusive(building):
        held = run_here("cache", "clear", "--yes", "--json", "--cache", "kept", cwd=place)
    assert "is in use, so it was kept" in held.stderr
    assert [item["kind"] for item in json.loads(held.stdout)["removed"]] == ["vectors", "checks"]
    assert kinds(place) == ["index"]

    agreed = run_here("cache", "clear", "--cache", "kept", cwd=place, given="y\n")
    assert agreed.stdout.startswith("kept: removed 1 item, ")
    assert kinds(place) == []
    assert sorted(str(path.relative_to(place / "kept")) for path in (place / "kept").rglob("*.*")) == MINE


def test_an_index_that_is_being_built_can_be_listed(tmp_path):
    building = tmp_path / "indexes" / f".{'a' * 32}.building"
    building.mkdir(parents=True)

    def build() -> None:
        for _ in range(40):
            (building / "work" / "shards").mkdir(parents=True)
            for number in range(100):
                (building / "work" / "shards" / str(number)).write_text("x")
            shutil.rmtree(building / "work")

    with ThreadPoolExecutor(1) as pool:
        built = pool.submit(build)
        while not built.done():
            assert [item.kind for item in cached_items(tmp_path)] == ["unfinished index"]
        built.result()


def test_what_check_has_begun_is_listed_as_that_until_discover_completes_it(tmp_path, new_cache):
    new_cache(tmp_path / "kept")
    (tmp_path / "docs.txt").write_text("\n".join(planted_documents(60)))
    (tmp_path / "names.txt").write_text("sports\n")
    command = ("docs.txt", "--seeds", "names.txt", "--cache", "kept", "--jobs", "1")
    assert run_here("check", *command, cwd=tmp_path).returncode == 0
    told = run_here("cache", "list", "--cache", "kept", cwd=tmp_path).stdout.splitlines()[0]
    assert told.startswith("unfinished index")
    assert "(begun by `seetopic check` or an interrupted command; " in told
    continued = run_here("discover", *command, cwd=tmp_path).stderr
    assert "counting documents" in continued
    assert "finding phrases" not in continued  # `check` has done that
    assert "unfinished index" not in kinds(tmp_path)


def test_a_cache_that_does_not_exist_is_empty(tmp_path):
    assert run_here("cache", "list", "--cache", "none", cwd=tmp_path).stdout == "none: 0 items, 0.0 MB\n"
    assert run_here("cache", "clear", "--cache", "none", cwd=tmp_path).returncode == 0
    assert not (tmp_path / "none").exists()
