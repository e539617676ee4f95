"""Teaching in a real browser against the real command, on the demo's articles: questions, one key each, and their
effect; annotators' answers as judgements; and two sides compared."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest
from playwright.sync_api import Browser, Page, expect

from commands import run_here
from seetopic.evaluation import BELONGS, make_sheet
from waiting import until

from .served import Command, commanded

NAMES = ["business", "entertainment", "politics", "sport"]


@pytest.fixture(scope="module")
def command(demo_cache: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Command]:
    with commanded(tmp_path_factory.mktemp("teach") / "data", "--cache", str(demo_cache)) as started:
        yield started


@pytest.fixture(scope="module")
def client(command: Command) -> Iterator[httpx.Client]:
    with command.client() as made:
        yield made


@pytest.fixture(scope="module")
def corpus(client: httpx.Client) -> str:
    made = client.post("/api/corpora", json={"source": {"kind": "demo"}}).json()["id"]
    until(lambda: client.get(f"/api/corpora/{made}").json()["state"] == "ready")
    return str(made)


@pytest.fixture
def project(client: httpx.Client, corpus: str) -> str:
    return str(client.post("/api/projects", json={"corpus": corpus, "title": "News", "names": NAMES}).json()["id"])


@pytest.fixture
def page(browser: Browser, command: Command) -> Iterator[Page]:
    context = browser.new_context(viewport={"width": 1280, "height": 800}, reduced_motion="reduce")
    assert context.request.get(command.link).ok
    page = context.new_page()
    broken: list[str] = []
    page.on("pageerror", lambda error: broken.append(str(error)))
    yield page
    context.close()
    assert not broken


def judged(client: httpx.Client, project: str) -> dict[str, int]:
    found: dict[str, int] = client.get(f"/api/projects/{project}").json()["judged"]
    return found


def topics_of(client: httpx.Client, project: str) -> dict[str, list[str]]:
    topics = client.get(f"/api/projects/{project}/topics").json()["topics"]
    return {topic["name"]: [term["term"] for term in topic["terms"]] for topic in topics}


@pytest.mark.slow
def test_questions_are_answered_by_one_key_each_and_show_their_effect(
    page: Page, command: Command, client: httpx.Client, project: str
) -> None:
    page.goto(f"{command.url}/#/project/{project}/teach")
    ask = page.locator(".question-ask")
    asked: list[tuple[str, str]] = []
    for key in "ynsuny0y1y":  # two of them are a skipped question, which is then taken back and answered
        expect(ask).to_be_visible()
        if key != "u":
            asked.append((page.locator(".question-about + *").inner_text(), ask.inner_text()))
        page.keyboard.press(key)
    expect(page.locator(".question-head")).to_contain_text("9 of 10")
    page.keyboard.press("y")
    page.keyboard.press("n")
    effect = page.locator(".effect-card")
    expect(effect).to_contain_text("are now sorted as you would")
    expect(page.locator(".question-head")).to_contain_text("1 of 10")
    expect(page.locator(".saved")).to_have_text("Saved")
    assert sum(judged(client, project).values()) == 10
    # No question asks for the obvious, and a term comes with a sentence.
    assert not any(name in subject.casefold().split() == [name] for subject, _ in asked for name in NAMES)
    questions: list[dict[str, Any]] = client.get(f"/api/projects/{project}/questions").json()
    assert {each["term"] is None for each in questions} == {True, False}
    assert all(any(mark for _, mark in each["parts"]) for each in questions if each["term"] is not None)
    # What was learned shows in the topics, outlives a reload, and can be undone.
    page.goto(f"{command.url}/#/project/{project}/topics")
    expect(page.locator(".topic .terms .term").first).to_be_visible()
    page.keyboard.press("Control+z")
    expect(page.locator(".saved")).to_have_text("Saved")
    until(lambda: sum(judged(client, project).values()) == 9)


@pytest.mark.slow
def test_a_tree_learns_too_and_keeps_the_answers(client: httpx.Client, project: str) -> None:
    answer = {"category": "c1", "term": "film", "belongs": False, "by": "Ada"}
    path = f"/api/projects/{project}"
    edit = {"base": 1, "edit": {"kind": "judge", "answers": [answer]}}
    assert client.post(f"{path}/edits", json=edit).status_code == 200
    nest = {"base": 2, "edit": {"kind": "nest", "category": "c2", "parent": "c1"}}
    assert client.post(f"{path}/edits", json=nest).json()["topics"]
    asked = client.get(f"{path}/questions").raise_for_status().json()
    assert {each["category"] for each in asked} <= {"c1", "c2", "c3", "c4"}
    answers = [{"category": each["likely"][0], "document": each["document"]} for each in asked if each["likely"]]
    edit = {"base": 3, "edit": {"kind": "judge", "answers": answers}}
    assert "film" not in [term["term"] for term in client.post(f"{path}/edits", json=edit).json()["topics"][0]["terms"]]
    assert client.get(f"{path}/effect", params={"since": 3}).raise_for_status().json()["documents"] == len(answers)
    assert judged(client, project) == {"documents": len(answers), "terms": 1}


@pytest.mark.slow
def test_annotators_answers_become_judgements_and_the_command_line_learns_the_same(
    page: Page, command: Command, client: httpx.Client, project: str, demo_cache: Path, tmp_path: Path
) -> None:
    round_ = client.post(
        f"/api/projects/{project}/rounds",
        json={"title": "Which?", "sources": [{"kind": "project", "id": project}], "top": 4},
    ).json()
    link = client.post(f"/api/rounds/{round_['id']}/annotators", json={"name": "Ada"}).json()["link"]
    annotator = page.context.new_page()
    annotator.goto(command.url + link)
    expect(annotator.locator("main")).to_contain_text(BELONGS)
    annotator.get_by_role("button", name="Start").click()
    expect(annotator.locator(".example mark").first).to_be_visible()
    assert annotator.locator("#term").inner_text() != annotator.locator("#category").inner_text()
    first = annotator.locator("#term").inner_text()
    annotator.keyboard.press("0")
    expect(annotator.locator("#saving")).to_contain_text("All answers saved")
    page.goto(f"{command.url}/#/project/{project}/annotate")
    page.get_by_role("button", name="Use as judgements").click()
    expect(page.locator(".note.good")).to_contain_text("1 judged term")
    assert judged(client, project) == {"documents": 0, "terms": 1}
    page.goto(f"{command.url}/#/project/{project}/takeaway")
    expect(page.get_by_label("Judgements", exact=True)).to_contain_text(first)
    # The same names and judgements on the command line give the same topics.
    (tmp_path / "judgements.jsonl").write_text(client.get(f"/api/projects/{project}/again").json()["judgements"])
    (tmp_path / "names.txt").write_text("\n".join(NAMES))
    manifests = {path.parent: json.loads(path.read_text()) for path in demo_cache.rglob("manifest.json")}
    folder = max(manifests, key=lambda each: manifests[each]["corpus"]["documents"])  # other tests keep theirs there
    given = ("--seeds", "names.txt", "--judgements", "judgements.jsonl", "--out", "topics")
    done = run_here("discover", str(folder), *given, "--quiet", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    found = json.loads((tmp_path / "topics" / "topics.json").read_text(encoding="utf-8"))["topics"]
    shown = client.get(f"/api/projects/{project}/topics").json()["topics"]
    assert [[term["term"] for term in each["terms"]] for each in shown] == [
        [term["term"] for term in each["terms"]] for each in found
    ]


@pytest.mark.slow
def test_two_sides_show_what_differs_first_and_measures_on_demand(
    page: Page, command: Command, client: httpx.Client, project: str
) -> None:
    before = topics_of(client, project)
    term = before["sport"][1]
    edit = {"base": 1, "edit": {"kind": "bar", "category": "c4", "term": term}}
    assert client.post(f"/api/projects/{project}/edits", json=edit).status_code == 200
    after = topics_of(client, project)
    kept = {name: len({*before[name]} & {*after[name]}) for name in NAMES}
    assert kept["sport"] < 10
    page.goto(f"{command.url}/#/project/{project}/compare")
    page.get_by_role("button", name="Compare", exact=True).click()  # with the step before
    found = page.locator(".compared")
    expect(found.locator(".pair h3").first).to_have_text(min(NAMES, key=lambda name: kept[name]))
    changed = found.locator(".pair").filter(has=page.locator("h3", has_text="sport"))
    expect(changed.locator(".right .only").first).to_contain_text(term)
    expect(changed).to_contain_text(re.compile(r"▲ \d+ \d+ places? higher"))
    expect(found).not_to_contain_text("= ")
    expect(found.locator("table")).to_have_count(0)
    page.get_by_role("button", name="Measure both").click()
    expect(found.locator("table").first).to_contain_text("Terms used together")
    expect(found.locator("table").first).to_contain_text("npmi")
    page.get_by_role("link", name="Export").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("Export")


def test_belonging_is_defined_once(documents: list[str]) -> None:
    root = Path(__file__).parents[2]
    for place in ("docs/howto/annotators.md", "docs/howto/teaching.md", "docs/howto/workbench.md"):
        assert BELONGS in " ".join((root / place).read_text(encoding="utf-8").split()), place
    page = root / "src" / "seetopic" / "evaluation" / "sheet.html"
    assert page.read_text(encoding="utf-8").count("__BELONGS__") == 1


def test_the_name_itself_is_asked_about_last(model: Any) -> None:
    topics = model.topics_
    renamed = type(topics)(
        tuple(type(each)(each.terms[0].term, each.names, True, each.terms) for each in topics), topics.made_with
    )
    sheet = make_sheet({"one": renamed})
    for category in sheet.categories:
        terms = [item.term for item in sheet.items if item.category == category]
        assert terms.index(category) == len(terms) - 1
