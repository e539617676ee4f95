"""The page shows every word as a word, and says so where a change could not be saved."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest
from playwright.sync_api import Browser, Page, expect

from seetopic import Index
from seetopic.web.limits import WorkbenchSettings
from seetopic.web.sources import BuildOptions

from .served import TOKEN, Served, serving

WORDS = ("constructor", "__proto__", "toString", "hasOwnProperty")


@pytest.fixture(scope="module")
def served(index: Index, cache: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    with serving(WorkbenchSettings(data=tmp_path_factory.mktemp("words"), cache=cache, jobs=1)) as server:
        server.workbench.corpora.add_given(index.folder.resolve(), BuildOptions())
        yield server


@pytest.fixture
def client(served: Served) -> Iterator[httpx.Client]:
    with served.client() as made:
        yield made


@pytest.fixture
def page(browser: Browser, served: Served) -> Iterator[Page]:
    context = browser.new_context()
    context.set_default_timeout(20_000)
    assert context.request.get(f"{served.url}/?token={TOKEN}").ok
    yield context.new_page()
    context.close()


def made(client: httpx.Client, *names: str) -> str:
    corpus = client.get("/api/corpora").json()[0]["id"]
    return str(client.post("/api/projects", json={"corpus": corpus, "names": names}).json()["id"])


def test_columns_may_be_called_like_what_every_object_has(served: Served, page: Page, tmp_path: Path) -> None:
    rows = [{"text": "some text", **dict.fromkeys(WORDS, "a word")}, {"text": "another one"}]
    file = tmp_path / "words.jsonl"
    file.write_text("\n".join(map(json.dumps, rows)) + "\n")
    page.goto(f"{served.url}/#/open")
    page.locator("#upload").set_input_files(file)
    expect(page.locator("table thead th")).to_have_count(1 + len(WORDS))
    expect(page.locator("table tbody tr").nth(0).locator("td")).to_have_text(["some text", *["a word"] * len(WORDS)])
    expect(page.locator("table tbody tr").nth(1).locator("td")).to_have_text(["another one", *[""] * len(WORDS)])


def test_terms_and_names_may_be_called_so_too(served: Served, client: httpx.Client, page: Page) -> None:
    project = made(client, *WORDS)
    page.goto(f"{served.url}/#/project/{project}/topics")
    expect(page.locator(".topic-name")).to_have_text(list(WORDS))
    # A change as the server tells it, and as the page works it out: nothing has moved that is not there.
    moved = """async ([words, project]) => {
        const { difference } = await import("/static/edits.js");
        const { get } = await import("/static/api.js");
        const topic = (terms) => [{ category: "c1", terms: terms.map((term) => ({ term })) }];
        const own = difference(topic([...words, "a"]), topic([...words, "b"])).c1.moved;
        const told = (await get(`/api/projects/${project}/topics`)).changes;
        return words.map((word) => [own[word], told[word]].map((each) => each === undefined));
    }"""
    assert page.evaluate(moved, [list(WORDS), project]) == [[True, True]] * len(WORDS)


def test_on_a_full_disk_an_edit_says_so_and_is_saved_once_there_is_room(
    served: Served, client: httpx.Client, page: Page
) -> None:
    project = made(client, "sport", "food")
    page.goto(f"{served.url}/#/project/{project}/topics")
    expect(page.locator(".saved")).to_have_text("Saved")
    database = served.workbench.database
    database.do("VACUUM")
    pages = database.all("PRAGMA page_count")[0][0]
    database.do(f"PRAGMA max_page_count = {pages}")
    for number in range(50):  # until the pages that there are have no room left
        edit = {"kind": "title", "title": f"{'x' * 100} {number}"}
        version = client.get(f"/api/projects/{project}").json()["version"]
        answer = client.post(f"/api/projects/{project}/edits", json={"base": version, "edit": edit, "topics": False})
        if answer.status_code != 200:
            break
    assert answer.status_code == 507
    assert "disk is full" in answer.json()["problem"]
    assert client.get(f"/api/projects/{project}").json()["version"] == version
    field = page.get_by_label("Name of category 1")
    games = f"ball games {'x' * 150}"
    field.fill(games)
    field.press("Enter")
    expect(page.locator(".saved")).to_have_text("Not saved")
    expect(page.locator("#banner")).to_contain_text("disk is full")
    expect(field).to_have_value(games)
    database.do("PRAGMA max_page_count = 1000000")
    expect(page.locator(".saved")).to_have_text("Saved")
    expect(page.locator("#banner")).to_be_hidden()
    assert client.get(f"/api/projects/{project}").json()["categories"][0]["name"] == games
