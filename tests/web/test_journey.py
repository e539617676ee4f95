"""The whole way of a person through the workbench, in a real browser against the real command: from a file to a
dictionary, with annotators, a comparison, a crash in between, and everything taken away."""

from __future__ import annotations

import csv
import json
import re
import shlex
import signal
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, BrowserContext, Page, expect

from commands import run_here
from planted import KINDS, NAMES, planted_documents

from .served import run_serve

LABELS = ["sports and games", "cooking & cuisine", "outer space"]
HOSTILE = '<script>document.title = "broken"</script>'
TOP = 5  # terms of each topic that annotators judge
PATIENCE = 60_000  # milliseconds: a busy machine is slow, not wrong


class Command:
    """`seetopic serve`, as a person gives it; the same address after every start."""

    def __init__(self, data: Path, cache: Path) -> None:
        self.data, self.cache, self.port = data, cache, "0"
        self.start()

    def start(self) -> None:
        given = ["--data", str(self.data), "--cache", str(self.cache), "--port", self.port]
        self.process = run_serve(*given, "--folder", str(self.data.parent), cwd=self.data.parent)
        assert self.process.stdout is not None
        found = re.search(r"(http://127\.0\.0\.1:(\d+))/\?token=\S+", self.process.stdout.readline())
        assert found is not None
        self.link, self.url, self.port = found[0], found[1], found[2]

    def end(self, how: signal.Signals) -> None:
        self.process.send_signal(how)
        self.process.communicate()


@pytest.fixture
def command(tmp_path: Path, cache: Path) -> Iterator[Command]:
    started = Command(tmp_path / "data", cache)
    yield started
    started.end(signal.SIGINT)


@pytest.fixture
def context(browser: Browser) -> Iterator[BrowserContext]:
    """A browser in which nothing may complain, and no page may be loaded from elsewhere."""
    context = browser.new_context(viewport={"width": 1280, "height": 900}, reduced_motion="reduce")
    context.set_default_timeout(PATIENCE)
    broken: list[str] = []
    context.on("weberror", lambda error: broken.append(str(error.error)))
    asked: list[str] = []
    context.on("request", lambda request: asked.append(request.url))
    yield context
    context.close()
    assert not broken
    assert {re.match(r"[^:]+://[^/:]+", url)[0] for url in asked if not url.startswith("data:")} == {"http://127.0.0.1"}


def reviews(path: Path) -> Path:
    """A table with labels, whose columns are not named as usual, and a hostile text."""
    with path.open("w", newline="", encoding="utf-8") as file:
        rows = csv.writer(file)
        rows.writerow(["number", "opinion", "label"])
        for number, text in enumerate(planted_documents()):
            rows.writerow([number, f"{HOSTILE} {text}" if number == 0 else text, LABELS[number % 3]])
    return path


def terms_of(page: Page, number: int) -> list[str]:
    return page.locator(".topic").nth(number).locator(".terms .text").all_text_contents()


def expect_terms(page: Page, shown: list[list[str]]) -> None:
    expect(page.locator(".topic")).to_have_count(len(shown))
    for number, terms in enumerate(shown):
        expect(page.locator(".topic").nth(number).locator(".terms .text")).to_have_text(terms)


def open_the_file(page: Page, command: Command, file: Path) -> None:
    page.goto(command.link)
    page.get_by_role("link", name="Open a corpus").first.click()
    page.locator("#upload").set_input_files(file)
    expect(page.get_by_label("Text")).to_have_value("opinion")
    expect(page.locator("table")).to_contain_text(HOSTILE)
    page.get_by_label("Title", exact=False).first.fill("Opinions")
    page.get_by_role("button", name="Index it").click()
    expect(page.get_by_role("heading", name="Opinions")).to_be_visible()


def saved(page: Page, name: str) -> Path:
    with page.expect_download() as download:
        page.get_by_label(f"Save {name}", exact=False).first.click()
    return Path(download.value.path())


def judged_by(context: BrowserContext, link: str, wrong: set[str]) -> None:
    """An annotator who accepts all terms but some."""
    page = context.new_page()
    page.goto(link)
    assert "default" not in page.content()
    page.get_by_role("button", name="Start").click()
    for _ in range(3 * TOP):
        term = page.locator(".question .term").text_content()
        page.keyboard.press("0" if term in wrong else "1")
    expect(page.locator("body")).to_contain_text(f"{3 * TOP} of {3 * TOP}")
    expect(page.locator("#saving")).to_contain_text("All answers saved")
    page.close()


def test_from_a_file_to_a_dictionary(command: Command, context: BrowserContext, tmp_path: Path) -> None:
    page = context.new_page()

    # 1. A corpus: sent, previewed, indexed; closing the page does not stop it.
    open_the_file(page, command, reviews(tmp_path / "reviews.csv"))
    page.close()
    page = context.new_page()
    page.goto(command.link)
    page.get_by_role("link", name="New project").click()

    # 2. Names: while one types it is told what the documents know of it; topics come with the edit.
    page.get_by_label("Your categories, one per line").fill("\n".join(NAMES[:2]))
    page.get_by_role("button", name="Show topics").click()
    expect(page.locator(".topic")).to_have_count(2)
    expect(page.locator(".terms .text").first).to_be_visible()
    page.get_by_placeholder("Add a category").fill("garlic")
    expect(page.locator(".names-head")).to_contain_text(re.compile("occurs .*time|120 times|times"))
    page.get_by_placeholder("Add a category").fill(NAMES[2])
    page.keyboard.press("Enter")
    expect(page.locator(".topic")).to_have_count(3)
    expect(page.locator(".topic").nth(2).locator(".terms .text")).to_have_count(10)
    for number, kind in enumerate(KINDS):
        assert set(terms_of(page, number)) <= set(kind)

    # 3. Reading: why a term is there, sentences with it marked.
    page.locator(".topic-name").nth(1).click()
    expect(page.locator("mark").first).to_be_visible()
    assert page.locator("mark").first.text_content() in KINDS[1]
    page.keyboard.press("Escape")

    # 4. Judging by keyboard; undo; nothing is lost when the server is killed.
    first = terms_of(page, 0)[1]
    page.locator(f".term[data-term='{first}'] .term-main").focus()
    page.keyboard.press("r")
    expect(page.locator(f".topic >> nth=0 >> .terms .text >> text='{first}'")).to_have_count(0)
    page.keyboard.press("Control+z")
    expect(page.locator(f".topic >> nth=0 >> .terms .text >> text='{first}'")).to_have_count(1)
    page.locator(f".term[data-term='{first}'] .term-main").focus()
    page.keyboard.press("a")
    expect(page.locator(f".term[data-term='{first}'][data-state='pinned']")).to_have_count(1)
    expect(page.locator(".saved")).to_have_text("Saved")
    shown = [terms_of(page, number) for number in range(3)]
    command.end(signal.SIGKILL)
    command.start()
    page.reload()
    expect(page.locator(f".term[data-term='{first}'][data-state='pinned']")).to_have_count(1)
    expect_terms(page, shown)

    # 5. Annotators judge blinded terms by link; agreement comes in.
    page.get_by_role("link", name="Annotate").click()
    page.get_by_label("Terms per topic").fill(str(TOP))
    page.get_by_role("button", name="Create round").click()
    links = []
    for name in ("Ada", "Bob"):
        page.get_by_label("Annotator's name").fill(name)
        page.get_by_role("button", name="Invite").click()
        links.append(page.get_by_role("textbox", name=f"Link for {name}").input_value())
    judged_by(context, links[0], set())
    judged_by(context, links[1], {shown[0][0], shown[1][0]})
    expect(page.locator("main")).to_contain_text("Fleiss")
    expect(page.locator("main")).to_contain_text("0.93")  # 30 judgements, 2 against
    expect(page.locator("main")).to_contain_text(shown[0][0])  # disputed

    # 6. Two methods side by side, with figures, for the file has labels.
    page.get_by_role("link", name="Compare").click()
    page.get_by_role("combobox", name="Right").select_option('{"kind":"method","name":"plm"}')
    page.get_by_role("button", name="Compare", exact=True).click()
    page.get_by_role("button", name="Measure both").click()
    expect(page.locator("main")).to_contain_text("Terms typical of their label")
    expect(page.locator("main")).to_contain_text(NAMES[2])

    # 7. Taken away: a dictionary, the report, a project that opens again, and commands that give the same.
    page.get_by_role("link", name="Export").click()
    dictionary = saved(page, "liwc").read_text(encoding="utf-8")
    assert all(f"\t{name}" in dictionary for name in NAMES)
    assert "<h1>" in saved(page, "Report").read_text(encoding="utf-8")
    topics = json.loads(saved(page, "Topics").read_text(encoding="utf-8"))
    assert [[term["term"] for term in topic["terms"]] for topic in topics["topics"]] == shown
    project = tmp_path / "project.json"
    project.write_bytes(saved(page, "Project file").read_bytes())
    names = page.get_by_label("Names", exact=True).text_content()
    lines = page.get_by_label("Command line", exact=True).text_content()
    page.locator("input[type=file]").set_input_files(project)
    expect_terms(page, shown)
    assert page.title() != "broken"
    again(tmp_path, names or "", lines or "", shown)


def again(folder: Path, names: str, lines: str, shown: list[list[str]]) -> None:
    """The command lines, given in a folder that holds the file, find the same terms."""
    (folder / "names.json").write_text(names, encoding="utf-8")
    for line in lines.splitlines():
        _, *words = shlex.split(line)
        more = ["--text-field", "opinion"] if words[0] == "index" else []
        done = run_here(*words, *more, cwd=folder)
        assert done.returncode == 0, done.stderr
    found = json.loads((folder / "topics" / "topics.json").read_text(encoding="utf-8"))
    assert [[term["term"] for term in topic["terms"]] for topic in found["topics"]] == shown
