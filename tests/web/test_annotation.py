"""Rounds of annotation: blinded, by link, kept at once, and reckoned as the library reckons them."""

from __future__ import annotations

import csv
import io
import json
import multiprocessing
import os
import signal
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from planted import NAMES
from seetopic import Index
from seetopic.corpus import as_judgements
from seetopic.evaluation.agreement import agreement_of
from seetopic.evaluation.sheets import FilledSheet, sheet_of_key
from seetopic.runtime.spreadsheets import unguarded
from seetopic.web.limits import WorkbenchSettings
from seetopic.web.sources import BuildOptions
from waiting import until

from .served import Bench


class Rounds(Bench):
    """With a project about the planted corpus; annotators have no token."""

    def project(self, names: list[str] = NAMES) -> str:
        made = self.owner.post("/api/projects", json={"corpus": self.corpus, "names": names})
        return str(made.json()["id"])

    def round(self, project: str, *methods: str, top: int = 5, **more: Any) -> dict[str, Any]:
        sources = [{"kind": "project", "id": project}, *({"kind": "method", "name": name} for name in methods)]
        asked = {"title": "Which terms belong?", "sources": sources, "top": top, **more}
        answer = self.owner.post(f"/api/projects/{project}/rounds", json=asked)
        assert answer.status_code == 201, answer.text
        return dict(answer.json())

    def ended(self, number: str) -> dict[str, Any]:
        def found() -> dict[str, Any] | None:
            now = dict(self.owner.get(f"/api/rounds/{number}").json())
            return None if now["state"] == "running" else now

        return dict(until(found))

    def invite(self, number: str, name: str) -> str:
        """The address of the annotator's own API."""
        made = self.owner.post(f"/api/rounds/{number}/annotators", json={"name": name})
        assert made.status_code == 201, made.text
        return "/api" + str(made.json()["link"])


def bench_at(data: Path, index: Index, cache: Path) -> Rounds:
    return Rounds(WorkbenchSettings(data=data, cache=cache, jobs=1), index.folder, BuildOptions())


@pytest.fixture
def open_bench(index: Index, cache: Path, tmp_path: Path) -> Iterator[Callable[[], Rounds]]:
    """Opens a workbench on the same data again and again: what a restart does."""
    opened: list[Rounds] = []

    def make() -> Rounds:
        opened.append(bench_at(tmp_path / "data", index, cache))
        opened[-1].workbench.begin()
        return opened[-1]

    yield make
    for each in opened:
        each.workbench.close()


@pytest.fixture(scope="module")
def bench(index: Index, cache: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Rounds]:
    """One for all tests that do not end it; each makes a project of its own."""
    made = bench_at(tmp_path_factory.mktemp("bench"), index, cache)
    yield made
    made.workbench.close()


def answer(bench: Rounds, link: str, item: int, belongs: Any) -> Any:
    return bench.stranger.post(f"{link}/answers", json={"item": item, "belongs": belongs})


def judge_all(bench: Rounds, link: str, says: Callable[[dict[str, Any]], bool | None]) -> dict[int, bool | None]:
    items = bench.stranger.get(link).json()["items"]
    answers = {each["item"]: says(each) for each in items}
    for item, belongs in answers.items():
        if belongs is not None:
            assert answer(bench, link, item, belongs).status_code == 200
    return answers


@pytest.mark.slow
def test_nothing_that_an_annotator_can_fetch_tells_the_methods(bench):
    project = bench.project()
    made = bench.ended(bench.round(project, "plm")["id"])
    assert made["state"] == "ready"
    assert len(made["methods"]) == 2
    assert "plm" in made["methods"]
    link = bench.invite(made["id"], "Anna")
    sheet = bench.stranger.get(link)
    assert set(sheet.json()) == {"name", "title", "definition", "items"}
    assert all(set(each) == {"item", "category", "term", "example", "belongs"} for each in sheet.json()["items"])
    pages = [sheet.text, bench.stranger.get(link.removeprefix("/api")).text, answer(bench, link, 1, True).text]
    pages += [bench.stranger.get(f"/static/{name}").text for name in ("annotate.js", "annotate.css", "answers.js")]
    assert not [page for page in pages if "plm" in page.casefold()]
    for path in (f"/api/rounds/{made['id']}", f"/api/rounds/{made['id']}/agreement", f"/api/projects/{project}/rounds"):
        assert bench.stranger.get(path).status_code == 401


def test_terms_of_a_category_stand_together_and_are_shuffled(bench):
    project = bench.project()
    one, other = (bench.round(project, top=10, random_state=state) for state in (0, 1))
    sheets = [bench.stranger.get(bench.invite(each["id"], "Anna")).json()["items"] for each in (one, other)]
    assert list(dict.fromkeys(each["category"] for each in sheets[0])) == NAMES
    assert [each["item"] for each in sheets[0]] == list(range(1, 31))
    terms = [[each["term"] for each in sheet] for sheet in sheets]
    assert terms[0] != terms[1]
    assert sorted(terms[0]) == sorted(terms[1])


@pytest.mark.parametrize("secret", ["wrong", "%00", "..%2F..", "a" * 200, "' OR 1=1 --"])
def test_a_wrong_link_opens_nothing(bench, secret):
    bench.invite(bench.round(bench.project())["id"], "Anna")
    for reply in (
        bench.stranger.get(f"/api/annotate/{secret}"),
        bench.stranger.post(f"/api/annotate/{secret}/answers", json={"item": 1, "belongs": True}),
    ):
        assert reply.status_code in (404, 405)
        assert reply.json()["kind"] in ("missing", "invalid")


def test_an_annotator_may_do_nothing_else(bench):
    project = bench.project()
    made = bench.round(project)
    link = bench.invite(made["id"], "Anna")
    assert bench.stranger.post(f"/api/rounds/{made['id']}/annotators", json={"name": "Bob"}).status_code == 401
    assert bench.stranger.delete(f"/api/rounds/{made['id']}").status_code == 401
    from_elsewhere = {"origin": "http://evil.example", "sec-fetch-site": "cross-site"}
    refused = bench.stranger.post(f"{link}/answers", json={"item": 1, "belongs": True}, headers=from_elsewhere)
    assert refused.status_code == 403


def test_the_last_answer_counts_and_null_takes_it_back(bench):
    link = bench.invite(bench.round(bench.project())["id"], "Anna")
    items = 3 * 5
    assert answer(bench, link, 2, True).json() == {"judged": 1, "items": items}
    assert answer(bench, link, 2, False).json() == {"judged": 1, "items": items}
    assert bench.stranger.get(link).json()["items"][1]["belongs"] is False
    assert answer(bench, link, 2, None).json() == {"judged": 0, "items": items}
    assert bench.stranger.get(link).json()["items"][1]["belongs"] is None


@pytest.mark.parametrize(("item", "belongs", "status"), [(16, True, 404), (0, True, 422), (1, "perhaps", 422)])
def test_an_answer_to_something_else_is_refused(bench, item, belongs, status):
    link = bench.invite(bench.round(bench.project())["id"], "Anna")
    assert answer(bench, link, item, belongs).status_code == status
    assert bench.stranger.get(link).json()["items"][0]["belongs"] is None


def test_a_removed_annotators_link_and_answers_are_gone(bench):
    made = bench.round(bench.project())
    link = bench.invite(made["id"], "Anna")
    answer(bench, link, 1, True)
    (anna,) = bench.owner.get(f"/api/rounds/{made['id']}").json()["annotators"]
    assert (anna["judged"], anna["items"]) == (1, 15)
    gone = f"/api/rounds/{made['id']}/annotators/{anna['id']}"
    assert bench.owner.delete(gone).status_code == 204
    assert bench.stranger.get(link).status_code == 404
    assert answer(bench, link, 2, True).status_code == 404
    assert bench.owner.delete(gone).status_code == 404
    refused = bench.owner.get(f"/api/rounds/{made['id']}/agreement")
    assert (refused.status_code, refused.json()["kind"]) == (409, "busy")
    assert bench.stranger.get(bench.invite(made["id"], "anna")).json()["items"][0]["belongs"] is None


def test_no_two_annotators_of_a_round_have_the_same_name(bench):
    made = bench.round(bench.project())
    bench.invite(made["id"], "Anna")
    again = bench.owner.post(f"/api/rounds/{made['id']}/annotators", json={"name": " ANNA "})
    assert again.status_code == 409
    assert "ANNA" in again.json()["problem"]


@pytest.mark.slow
def test_figures_are_those_of_the_library_for_the_same_answers(bench):
    made = bench.ended(bench.round(bench.project(), "plm")["id"])
    says = {
        "Anna": lambda each: each["item"] % 3 != 0,
        "Bob": lambda each: each["item"] % 2 == 0 if each["item"] % 5 else None,
        "Carla": lambda _: None,  # nothing judged yet: left out
    }
    links = {name: bench.invite(made["id"], name) for name in says}
    belongs = {name: judge_all(bench, links[name], says[name]) for name in says}
    key = bench.workbench.database.one("SELECT sheet FROM rounds WHERE id = ?", (made["id"],))["sheet"]
    sheet = sheet_of_key(json.loads(key))
    filled = [FilledSheet(Path("x"), name, belongs[name]) for name in ("Anna", "Bob")]
    found = bench.owner.get(f"/api/rounds/{made['id']}/agreement").json()
    expected = agreement_of(sheet, filled, random_state=0).to_json()
    assert found == json.loads(json.dumps(expected))
    assert [each["name"] for each in found["annotators"]] == ["Anna", "Bob"]
    assert found["disputed"]
    assert 0 < next(each["macc"] for each in found["methods"] if each["method"] == "plm") < 1


def test_two_annotators_at_once_lose_no_answer(bench):
    made = bench.round(bench.project(), top=10)
    links = [bench.invite(made["id"], name) for name in ("Anna", "Bob")]
    with ThreadPoolExecutor(2) as people:
        given = list(people.map(lambda link: judge_all(bench, link, lambda each: each["item"] % 2 == 0), links))
    for link, answers in zip(links, given, strict=True):
        assert {each["item"]: each["belongs"] for each in bench.stranger.get(link).json()["items"]} == answers
    judged = [each["judged"] for each in bench.owner.get(f"/api/rounds/{made['id']}").json()["annotators"]]
    assert judged == [30, 30]


@pytest.mark.slow
def test_later_edits_leave_a_round_as_it_was_and_a_restart_loses_no_answer(open_bench):
    bench = open_bench()
    project = bench.project()
    link = bench.invite(bench.round(project)["id"], "Anna")
    before = bench.stranger.get(link).json()
    answer(bench, link, 3, True)
    edit = {"base": 1, "by": "x", "edit": {"kind": "add", "names": ["music"]}}
    assert bench.owner.post(f"/api/projects/{project}/edits", json=edit).status_code == 200
    bench.workbench.close()
    after = open_bench().stranger.get(link).json()
    assert after["items"][2].pop("belongs") is True
    before["items"][2].pop("belongs")
    assert after == before


@pytest.mark.slow
def test_a_restart_in_the_middle_of_a_method_goes_on_with_it(open_bench):
    bench = open_bench()
    made = bench.round(bench.project(), "plm")
    assert made["state"] == "running"
    assert made["job"]["stages"][1]["name"] == "plm"
    link = bench.invite(made["id"], "Anna")  # people may be invited before the terms are there
    early = bench.stranger.get(link)
    assert (early.status_code, early.json()["kind"]) == (409, "busy")
    bench.workbench.close()
    again = open_bench()
    assert again.ended(made["id"])["state"] == "ready"
    assert again.stranger.get(link).json()["items"]


@pytest.mark.slow
def test_a_method_whose_process_is_killed_fails_with_a_sentence_and_can_be_tried_again(open_bench):
    bench = open_bench()
    project = bench.project()
    made = bench.round(project, "plm")

    def killed() -> bool:
        """Whatever of it runs is killed, until it is known to have ended."""
        for child in multiprocessing.active_children():
            os.kill(child.pid, signal.SIGKILL)
        return bench.owner.get(f"/api/rounds/{made['id']}").json()["state"] != "running"

    until(killed)
    failed = bench.ended(made["id"])
    assert failed["state"] == "failed"
    assert "the job ended unexpectedly" in failed["problem"]
    assert bench.owner.post(f"/api/rounds/{made['id']}/again").json()["state"] == "running"
    assert bench.ended(made["id"])["state"] == "ready"
    assert bench.owner.post(f"/api/rounds/{made['id']}/again").status_code == 409
    # What the method found is kept: the next round with it is made at once.
    assert bench.round(project, "plm", random_state=5)["state"] == "ready"


def test_a_round_that_is_removed_stops_its_method(bench):
    made = bench.round(bench.project(), "plm", top=7)
    assert made["state"] == "running"
    assert bench.owner.delete(f"/api/rounds/{made['id']}").status_code == 204
    assert bench.owner.get(f"/api/rounds/{made['id']}").status_code == 404
    assert bench.workbench.working.job(made["id"]) is None


def test_sources_must_have_the_same_categories_and_be_different(bench):
    project, other = bench.project(), bench.project([*NAMES[:2], "music"])
    mine = {"kind": "project", "id": project}

    def refused(*sources: dict[str, Any]) -> str:
        asked = {"title": "x", "sources": sources, "top": 5}
        reply = bench.owner.post(f"/api/projects/{project}/rounds", json=asked)
        assert reply.status_code in (400, 404, 409, 422)
        return str(reply.json()["problem"])

    assert "'music'" in refused(mine, {"kind": "project", "id": other})
    assert "the same" in refused(mine, mine)
    assert "'nonsense'" in refused({"kind": "method", "name": "nonsense"})
    assert "whole documents" in refused({"kind": "method", "name": "zero-shot"})
    assert "step 99" in refused({"kind": "version", "number": 99})
    assert "no category names" in refused({"kind": "project", "id": bench.project([])})
    assert bench.owner.get(f"/api/projects/{project}/rounds").json() == []


def test_answers_about_categories_of_one_name_go_to_the_right_one(bench):
    asked = {"corpus": bench.corpus, "names": [NAMES[0], "places", NAMES[2], "places"], "levels": [0, 1, 0, 1]}
    project = bench.owner.post("/api/projects", json=asked).json()
    made = bench.ended(bench.round(project["id"])["id"])
    judge_all(bench, bench.invite(made["id"], "Anna"), lambda item: item["category"] == f"{NAMES[2]} > places" or None)
    assert bench.owner.post(f"/api/rounds/{made['id']}/use", json={"by": "me"}).status_code == 200
    judged = bench.workbench.projects.get(project["id"]).names.judgements
    assert {each.category for each in judged} == {project["categories"][3]["id"]}


def test_hostile_names_are_data_and_no_cell_of_the_table_is_a_formula(bench):
    hostile = ["=cmd|' /C calc'!A0", "<script>alert(1)</script>", 'a "quoted", name\u202e\nand more']
    project = bench.project([hostile[0], hostile[1], "outer space"])
    made = bench.round(project, title="@SUM(1+1)<img src=x>")
    link = bench.invite(made["id"], hostile[2])
    assert bench.stranger.get(link).json()["title"] == "@SUM(1+1)<img src=x>"
    assert bench.stranger.get(link).json()["name"] == hostile[2]
    answer(bench, link, 1, True)
    table = bench.owner.get(f"/api/rounds/{made['id']}/judgements.csv")
    assert table.headers["content-type"].startswith("text/csv")
    rows = list(csv.DictReader(io.StringIO(table.text, newline="")))
    assert len(rows) == 15
    assert rows[0]["category"] == "'" + hostile[0]
    assert unguarded(rows[0]["category"]) == hostile[0]
    assert [row["belongs"] for row in rows] == ["1", *[""] * 14]
    assert all(not cell.startswith(("=", "+", "-", "@")) for row in rows for cell in row.values())
    lines = bench.owner.get(f"/api/rounds/{made['id']}/judgements.jsonl").text.splitlines()
    (judged,) = as_judgements(map(json.loads, lines))
    assert (judged.category, judged.belongs, judged.by) == (hostile[0], True, hostile[2])
