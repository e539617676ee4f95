"""Projects: history, branches, what is removed with what, and that nothing that was answered is ever lost."""

from __future__ import annotations

import gc
import sqlite3
from pathlib import Path
from typing import Any

import httpx
import psutil
import pytest

from planted import NAMES
from seetopic.errors import OutputError
from seetopic.web.database import FORMAT, Database
from seetopic.web.errors import Conflict, Missing
from seetopic.web.limits import WorkbenchSettings
from seetopic.web.projects import Projects
from seetopic.web.schemas import GivenCategory, Names, with_new
from seetopic.web.sources import BuildOptions
from seetopic.web.workbench import Workbench

from .served import Served, commanded, serving
from .test_edits import edit


@pytest.fixture
def data(tmp_path: Path) -> Any:
    made = Database(tmp_path / "x.sqlite")
    made.insert("corpora", id="k", title="", source="", options="", folder="", own=0, state="ready", created=0)
    yield made
    made.close()


@pytest.fixture
def projects(data: Database) -> Projects:
    return Projects(data)


@pytest.fixture
def made(projects: Projects) -> str:
    return projects.make(
        "k", with_new(Names(title="A project"), [GivenCategory(name="sport"), GivenCategory(name="food")]), "Ann"
    )


def test_history_tells_every_step_the_newest_first(projects: Projects, made: str) -> None:
    projects.edit(made, 1, "Ben", edit("add", names=["law"]))
    projects.edit(made, 2, "", edit("pin", category="c1", term="ball"))
    told = [(each.number, each.label, each.by, each.current) for each in projects.history(made)]
    assert told == [
        (3, "accept “ball” in “sport”", "someone", True),
        (2, "add “law”", "Ben", False),
        (1, "create the project", "Ann", False),
    ]


def test_an_edit_that_changes_nothing_is_no_step(projects: Projects, made: str) -> None:
    assert projects.edit(made, 1, "Ann", edit("rename", category="c1", name="sport")).version == 1
    assert projects.edit(made, 1, "Ann", edit("free", category="c1", term="ball")).version == 1


def test_undo_and_redo_say_what_they_would_do_and_count_as_versions(projects: Projects, made: str) -> None:
    kept = projects.edit(made, 1, "Ann", edit("remove", category="c1"))
    assert (kept.undo, kept.redo, kept.version) == ("remove “sport”", None, 2)
    kept = projects.undo(made, 2, "Ben")
    assert (kept.undo, kept.redo, kept.version) == (None, "remove “sport”", 3)
    assert (kept.last.by, kept.last.label) == ("Ben", "undo: remove “sport”")
    with pytest.raises(Conflict, match="nothing to undo"):
        projects.undo(made, 3, "Ben")
    assert [each.id for each in projects.redo(made, 3, "Ann").names.categories] == ["c2"]
    with pytest.raises(Conflict, match="nothing to redo"):
        projects.redo(made, 4, "Ann")


def test_an_edit_after_undo_is_a_branch_and_the_other_one_can_still_be_gone_back_to(
    projects: Projects, made: str
) -> None:
    projects.edit(made, 1, "Ann", edit("add", names=["law"]))
    projects.undo(made, 2, "Ann")
    kept = projects.edit(made, 3, "Ann", edit("add", names=["art"]))
    assert [each.name for each in kept.names.categories] == ["sport", "food", "art"]
    assert kept.redo is None
    kept = projects.restore(made, 4, "Ann", 2)
    assert [each.name for each in kept.names.categories] == ["sport", "food", "law"]
    assert kept.undo == "restore step 2"
    assert [each.name for each in projects.undo(made, 5, "Ann").names.categories] == ["sport", "food", "art"]
    assert len(projects.history(made)) == 4


def test_the_id_of_a_category_that_was_undone_is_never_anothers(projects: Projects, made: str) -> None:
    """Whoever still sees it would judge a term in a category that they never saw."""
    projects.edit(made, 1, "Ann", edit("add", names=["law"]))
    projects.undo(made, 2, "Ann")
    kept = projects.edit(made, 3, "Ann", edit("add", names=["art"]))
    assert [each.id for each in kept.names.categories] == ["c1", "c2", "c4"]
    with pytest.raises(Conflict) as refused:
        projects.edit(made, 2, "Ben", edit("pin", category="c3", term="judge"))
    assert refused.value.more == {"theirs": "gone", "by": "Ann"}
    assert "undo: add “law”" in str(refused.value)


def test_stepping_needs_to_have_seen_the_newest(projects: Projects, made: str) -> None:
    projects.edit(made, 1, "Ann", edit("title", title="Mine"))
    for step in (projects.undo, projects.redo):
        with pytest.raises(
            Conflict, match=r"Ann has changed the project in the meantime .rename the project to “Mine”."
        ):
            step(made, 1, "Ben")
    with pytest.raises(Conflict, match="Ann has changed the project in the meantime"):
        projects.restore(made, 1, "Ben", 1)
    with pytest.raises(Missing, match="no step 99"):
        projects.restore(made, 2, "Ben", 99)
    with pytest.raises(Conflict, match="never had a version 99"):
        projects.edit(made, 99, "Ben", edit("title", title="x"))


def test_a_project_that_is_removed_takes_all_of_it_along(data: Database, projects: Projects, made: str) -> None:
    data.insert("rounds", id="r", project=made, title="", asked="", state="ready", created=0)
    data.insert("annotators", id="a", round="r", name="", secret="s", created=0)
    data.insert("answers", annotator="a", item=1, belongs=1, made=0)
    data.insert("comparisons", id="v", project=made, asked="", state="ready", created=0)
    projects.remove(made)
    tables = ("projects", "entries", "versions", "rounds", "annotators", "answers", "comparisons")
    assert [data.all(f"SELECT * FROM {table}") for table in tables] == [[]] * len(tables)
    for missing in (projects.get, projects.history, projects.remove):
        with pytest.raises(Missing):
            missing(made)


def test_a_database_of_a_newer_format_or_of_another_kind_is_refused(tmp_path: Path) -> None:
    newer = sqlite3.connect(tmp_path / "newer.sqlite")
    newer.execute(f"PRAGMA user_version={FORMAT + 1}")
    newer.close()
    with pytest.raises(OutputError, match="newer version of seetopic"):
        Database(tmp_path / "newer.sqlite")
    (tmp_path / "other.sqlite").write_bytes(b"no database at all" * 500)
    with pytest.raises(OutputError, match="cannot be used"):
        Database(tmp_path / "other.sqlite")
    with pytest.raises(OutputError, match="cannot be opened"):
        Database(tmp_path)


def test_what_a_full_disk_refuses_leaves_the_project_as_it_was_and_usable(
    data: Database, projects: Projects, made: str
) -> None:
    pages = data.all("PRAGMA page_count")[0][0]
    data.do(f"PRAGMA max_page_count={pages}")
    many = edit("seeds", categories=[{"name": f"{number} {'x' * 150}"} for number in range(100)])
    with pytest.raises(sqlite3.OperationalError, match="full"):
        projects.edit(made, 1, "Ann", many)
    assert projects.get(made).version == 1
    data.do("PRAGMA max_page_count=100000")
    assert projects.edit(made, 1, "Ann", many).version == 2
    again = Database(data.path)
    assert len(Projects(again).get(made).names.categories) == 100
    again.close()


# Over HTTP


def test_topics_come_with_an_edit_and_what_changed_in_them(client: httpx.Client, project: Any) -> None:
    address = f"/api/projects/{project['id']}"
    before = client.get(f"{address}/topics").json()
    assert [topic["name"] for topic in before["topics"]] == NAMES
    assert (before["changes"], before["problem"]) == ({}, None)
    asked = {
        "base": 1,
        "by": "Ann",
        "edit": {"kind": "bar", "category": "c1", "term": before["topics"][0]["terms"][0]["term"]},
    }
    after = client.post(f"{address}/edits", json=asked).json()
    assert after["changes"]["c1"]["went"] == [asked["edit"]["term"]]
    assert asked["edit"]["term"] not in [term["term"] for term in after["topics"][0]["terms"]]
    undone = client.post(f"{address}/undo", json={"base": 2, "by": "Ben"}).json()
    assert undone["topics"] == before["topics"]
    assert undone["changes"]["c1"]["came"] == [asked["edit"]["term"]]


def test_a_conflict_over_http_has_who_what_and_the_newest(client: httpx.Client, project: Any) -> None:
    address = f"/api/projects/{project['id']}"
    for who, name in (("Ann", "ball games"), ("Ben", "play")):
        asked = {"base": 1, "by": who, "edit": {"kind": "rename", "category": "c1", "name": name}}
        answer = client.post(f"{address}/edits", json=asked)
    told = answer.json()
    assert (answer.status_code, told["kind"], told["by"], told["theirs"]) == (409, "conflict", "Ann", "ball games")
    assert "Ann" in told["problem"]
    assert told["project"] == client.get(address).json()
    answer = client.post(f"{address}/undo", json={"base": 1, "by": "Ben"})
    assert (answer.status_code, answer.json()["project"]["version"]) == (409, 2)


def test_a_page_that_knows_the_version_is_told_only_that(client: httpx.Client, project: Any) -> None:
    address = f"/api/projects/{project['id']}"
    tag = client.get(address).headers["etag"]
    same = client.get(address, headers={"if-none-match": tag})
    assert (same.status_code, same.content, same.headers["etag"]) == (304, b"", tag)
    client.post(f"{address}/edits", json={"base": 1, "by": "", "edit": {"kind": "title", "title": "Other"}})
    assert client.get(address, headers={"if-none-match": tag}).json()["title"] == "Other"


def test_names_that_cannot_be_sought_are_refused_and_a_project_without_names_says_so(
    client: httpx.Client, server: Served
) -> None:
    twice = client.post("/api/projects", json={"corpus": server.corpus, "names": ["sport", "Sport"]})
    assert (twice.status_code, twice.json()["kind"]) == (400, "invalid")
    assert "appears twice" in twice.json()["problem"]
    empty = client.post("/api/projects", json={"corpus": server.corpus}).json()
    result = client.get(f"/api/projects/{empty['id']}/topics").json()
    assert (result["topics"], result["project"]["title"]) == (None, "Planted")
    assert "no category names" in result["problem"]


def test_a_copy_has_the_names_and_a_life_of_its_own(client: httpx.Client, server: Served, project: Any) -> None:
    copy = client.post(
        "/api/projects", json={"corpus": server.corpus, "copy_of": project["id"], "title": "Copy"}
    ).json()
    assert (copy["title"], copy["categories"]) == ("Copy", project["categories"])
    client.post(
        f"/api/projects/{copy['id']}/edits", json={"base": 1, "by": "", "edit": {"kind": "remove", "category": "c1"}}
    )
    assert client.get(f"/api/projects/{project['id']}").json() == project
    listed = client.get("/api/projects").json()
    assert listed[0]["id"] == copy["id"]
    assert client.delete(f"/api/projects/{copy['id']}").status_code == 204
    assert client.get(f"/api/projects/{copy['id']}").status_code == 404


def test_a_project_that_was_taken_away_opens_again(client: httpx.Client, server: Served, project: Any) -> None:
    file = client.get(f"/api/projects/{project['id']}/project.json").json()
    opened = client.post("/api/projects/import", json={"file": file, "by": "Ben"}).json()
    assert (opened["title"], opened["categories"]) == (project["title"], project["categories"])
    assert opened["last"]["label"] == "open a project file"


# Crashes


@pytest.mark.slow
def test_what_was_answered_is_there_after_the_server_is_killed(fresh: WorkbenchSettings, folder: Path) -> None:
    planted = folder / "planted"
    arguments = ("--folder", str(folder), "--cache", str(fresh.cache), "--jobs", "1")
    with commanded(fresh.data, *arguments, str(planted)) as served, served.client() as client:
        corpus = client.get("/api/corpora").json()[0]["id"]
        project = client.post("/api/projects", json={"corpus": corpus, "names": ["sport"]}).json()
        for base in range(1, 6):
            asked = {"base": base, "by": "Ann", "edit": {"kind": "pin", "category": "c1", "term": f"term {base}"}}
            answer = client.post(f"/api/projects/{project['id']}/edits", json=asked)
            if base == 5:
                served.process.kill()
        assert answer.status_code == 200
    with serving(fresh) as again, again.client() as client:
        assert again.workbench.corpora.add_given(planted, BuildOptions()).id == corpus  # given as before
        kept = client.get(f"/api/projects/{project['id']}").json()
        assert kept == answer.json()["project"]
        assert [each["id"] for each in client.get("/api/corpora").json()] == [corpus]


@pytest.mark.slow
def test_three_hundred_edits_do_not_fill_the_memory(workbench: Workbench) -> None:
    corpus = workbench.corpora.all()[0].id
    made = workbench.projects.make(corpus, with_new(Names(title="x"), [GivenCategory(name=name) for name in NAMES]))

    def edits(first: int, last: int) -> None:
        for number in range(first, last):
            kind = "bar" if number % 2 == 0 else "free"
            change = edit(kind, category="c1", term=f"word {number // 8}")
            workbench.edited(made, workbench.projects.version(made), "Ann", change)

    edits(0, 80)  # what is loaded once is loaded, and what is kept of runs has its place
    gc.collect()
    before = psutil.Process().memory_info().rss
    edits(80, 380)
    gc.collect()
    assert psutil.Process().memory_info().rss - before < 40_000_000
