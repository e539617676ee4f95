"""Comparisons: two sides next to each other, and their figures as the library reckons them."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from planted import NAMES, PLANTED
from seetopic.corpus.opening import open_documents
from seetopic.evaluation.evaluate import evaluate_all
from seetopic.web.candidates import MethodSide, ProjectSide, Within
from seetopic.web.differences import differences
from seetopic.web.limits import WorkbenchSettings
from seetopic.web.sources import BuildOptions
from seetopic.web.topic_service import ShownTopic, Term
from waiting import until

from .served import Bench

LABELS = list(PLANTED)  # the names of the project are the labels of the documents


class Comparisons(Bench):
    """With labelled documents of its own, indexed as a person would."""

    def __init__(self, data: Path, table: Path, cache: Path) -> None:
        super().__init__(WorkbenchSettings(data=data, cache=cache, jobs=1), table, BuildOptions(label_field="kind"))
        self.table = table
        until(lambda: self.workbench.corpora.get(self.corpus).state in ("ready", "failed"), 90)

    def project(self, names: list[str] = LABELS, title: str = "mine") -> str:
        made = self.owner.post("/api/projects", json={"corpus": self.corpus, "names": names, "title": title})
        return str(made.json()["id"])

    def compare(self, project: str, left: Any, right: Any, evaluate: bool = False) -> dict[str, Any]:
        asked = {"left": left, "right": right, "evaluate": evaluate}
        made = self.owner.post(f"/api/projects/{project}/comparisons", json=asked)
        assert made.status_code == 202, made.text
        path = f"/api/comparisons/{made.json()['id']}"
        until(lambda: self.owner.get(path).json()["state"] != "running", 90)
        return dict(self.owner.get(path).json())


@pytest.fixture(scope="module")
def bench(
    documents: list[str], index: Any, cache: Path, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Comparisons]:
    assert index  # the cache has its vectors then
    folder = tmp_path_factory.mktemp("bench")
    records = [{"text": text, "kind": LABELS[number % 3]} for number, text in enumerate(documents)]
    (folder / "kinds.jsonl").write_text("\n".join(map(json.dumps, records)), encoding="utf-8")
    made = Comparisons(folder / "data", folder / "kinds.jsonl", cache)
    assert made.workbench.corpora.get(made.corpus).state == "ready"
    yield made
    made.workbench.close()


def this(project: str) -> dict[str, str]:
    return {"kind": "project", "id": project}


def terms(side: dict[str, Any], name: str) -> list[str]:
    topic = next(each for each in side["topics"] if each["name"] == name)
    return [each["term"] for each in topic["terms"]]


@pytest.mark.slow
def test_two_sets_of_names_are_compared_at_once_by_the_names_of_categories(bench):
    project, other = bench.project(), bench.project(["sport", "cooking & cuisine", "Astronomy"], "other names")
    found = bench.compare(project, this(project), this(other))
    assert found["state"] == "ready"
    assert found["titles"] == ["mine", "other names"]
    assert [each["name"] for each in found["differences"]] == [*LABELS, "cooking & cuisine"]
    sport, food, astronomy, cooking = found["differences"]
    for name, each, right in (("sport", sport, "sport"), ("astronomy", astronomy, "Astronomy")):
        left_terms, right_terms = terms(found["left"], name), terms(found["right"], right)
        assert sorted([*each["both"], *each["only_left"]]) == sorted(left_terms)
        assert sorted([*each["both"], *each["only_right"]]) == sorted(right_terms)
    assert food["both"] == food["only_right"] == cooking["both"] == cooking["only_left"] == []
    assert food["only_left"] == terms(found["left"], "food")
    assert found["figures"] is None


def test_an_earlier_step_is_compared_as_it_was(bench):
    project = bench.project()
    edit = {"base": 1, "by": "x", "edit": {"kind": "rename", "category": "c1", "name": "outer space"}}
    bench.owner.post(f"/api/projects/{project}/edits", json=edit)
    found = bench.compare(project, this(project), {"kind": "version", "number": 1})
    assert [each["name"] for each in found["left"]["topics"]] == ["outer space", *LABELS[1:]]
    assert [each["name"] for each in found["right"]["topics"]] == LABELS
    assert found["titles"][1].startswith("step 1")


@pytest.mark.slow
def test_two_methods_have_the_figures_of_evaluate_on_the_same_documents(bench):
    project = bench.project()
    sides = [{"kind": "method", "name": name} for name in ("plm", "zero-shot")]
    found = bench.compare(project, *sides, evaluate=True)
    assert found["state"] == "ready", found["problem"]
    kept = bench.workbench.projects.get(project)
    wanted = [bench.workbench.sides.wanted(kept, MethodSide(**side)) for side in sides]
    topics = bench.workbench.sides.quick(wanted)
    assert [list(topic) for topic in topics[0]] == [terms(found["left"], name) for name in LABELS]
    expected = evaluate_all(topics, open_documents(bench.table, label_field="kind"), n_jobs=1)
    for side, evaluation in zip((found["figures"]["left"], found["figures"]["right"]), expected, strict=True):
        assert side == {name: evaluation.to_json()[name] for name in side}
    assert found["figures"]["left"]["label_precision@10"] is not None
    assert found["figures"]["about"]["diversity"]
    assert "do not predict" in found["figures"]["note"]


@pytest.mark.slow
def test_names_that_are_no_labels_are_measured_without_them(bench):
    project = bench.project(NAMES)
    found = bench.compare(project, this(project), this(bench.project(NAMES[:2])), evaluate=True)
    assert found["state"] == "ready", found["problem"]
    assert "labels are left out" in found["figures"]["note"]
    assert not [name for name in found["figures"]["names"] if name.startswith("label")]
    assert found["figures"]["left"]["npmi"] is not None


def test_the_same_documents_with_another_model_are_another_projects_corpus(bench, index):
    second = bench.workbench.corpora.add_given(index.folder, BuildOptions()).id
    project = bench.project()
    other = bench.owner.post("/api/projects", json={"corpus": second, "copy_of": project}).json()["id"]
    found = bench.compare(project, this(project), this(other))
    assert found["titles"][0] == "mine"
    assert bench.workbench.corpora.get(second).model in found["titles"][1]
    assert all(each["both"] for each in found["differences"])


def test_what_cannot_be_compared_is_refused_and_nothing_is_kept(bench):
    project = bench.project()
    for left, right, status in (
        (this(project), this(project), 409),
        (this(project), this("0" * 16), 404),
        (this(project), {"kind": "version", "number": 9}, 404),
        (this(project), {"kind": "method", "name": "<script>"}, 400),
        (this(project), {"kind": "folder", "name": "/etc"}, 422),
        (this(project), this(bench.project([])), 409),
    ):
        asked = {"left": left, "right": right, "evaluate": False}
        reply = bench.owner.post(f"/api/projects/{project}/comparisons", json=asked)
        assert (reply.status_code, set(reply.json())) == (status, {"problem", "kind"})
    assert bench.owner.get(f"/api/projects/{project}/comparisons").json() == []


def test_comparisons_are_listed_newest_first_and_can_be_removed(bench):
    project, other = bench.project(), bench.project(["sport", "food"], "fewer")
    first, second = (
        bench.compare(project, *each) for each in ((this(project), this(other)), (this(other), this(project)))
    )
    listed = bench.owner.get(f"/api/projects/{project}/comparisons").json()
    assert [each["id"] for each in listed] == [second["id"], first["id"]]
    assert (listed[0]["left"], listed[0]["right"], listed[0]["state"]) == ("fewer", "mine", "ready")
    assert bench.owner.delete(f"/api/comparisons/{second['id']}").status_code == 204
    assert bench.owner.get(f"/api/comparisons/{second['id']}").status_code == 404
    assert bench.owner.post(f"/api/comparisons/{first['id']}/again").status_code == 409
    bench.owner.delete(f"/api/projects/{project}")
    assert bench.owner.get(f"/api/comparisons/{first['id']}").status_code == 404


@pytest.mark.slow
def test_a_comparison_that_a_server_left_unfinished_is_made_at_the_next_start(bench):
    project = bench.project()
    kept = bench.workbench.projects.get(project)
    sides = [
        bench.workbench.sides.wanted(kept, each)
        for each in (ProjectSide(**this(project)), MethodSide(kind="method", name="plm"))
    ]
    made = bench.workbench.comparisons.make(kept, *sides, False).id
    until(lambda: bench.workbench.comparisons.get(made).state != "running", 90)
    bench.workbench.database.do("UPDATE comparisons SET state = 'running', result = NULL WHERE id = ?", (made,))
    bench.workbench.comparisons.resume_all()
    until(lambda: bench.workbench.comparisons.get(made).state != "running", 90)
    assert bench.workbench.comparisons.get(made).state == "ready"


def topic(name: str, *words: str) -> ShownTopic:
    shown = tuple(Term(term=word, score=1, documents=1, ranks={}, variants=(), state="") for word in words)
    return ShownTopic(
        category="c1", name=name, names=(name,), in_vocabulary=True, confidence=1, low=False, warnings=(), terms=shown
    )


def test_what_both_have_keeps_the_left_order_and_nothing_stands_twice():
    (sport, music) = differences(
        [topic("Sport", "goal", "ball", "race")], [topic(" sport", "race", "run", "goal"), topic("music", "song")]
    )
    assert (sport.name, sport.both, sport.only_left, sport.only_right) == (
        "Sport",
        ("goal", "race"),
        ("ball",),
        ("run",),
    )
    assert (music.both, music.only_left, music.only_right) == ((), (), ("song",))


def test_stages_within_a_stage_never_go_back():
    seen = []
    told = Within(lambda stage, done, total: seen.append((stage, done, total)), "paper")
    for stage, done, total in (("a", 0, 4), ("a", 4, 4), ("b", 0, None), ("b", 1, 2), ("c", 5, 5)):
        told(stage, done, total)
    assert [done for _, done, _ in seen] == sorted(done for _, done, _ in seen)
    assert {stage for stage, _, _ in seen} == {"paper"}
    assert all(0 <= done <= total for _, done, total in seen)
