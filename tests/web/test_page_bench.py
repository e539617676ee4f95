"""The workbench's page in a real browser: what people type, judge and disagree about is never lost."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from importlib import resources
from pathlib import Path
from typing import Any

import httpx
import pytest
from playwright.sync_api import Browser, Page, Route, expect

from planted import NAMES
from seetopic import Index
from seetopic.web.limits import WorkbenchSettings
from seetopic.web.sources import BuildOptions

from .served import TOKEN, serving

HOSTILE = "<img src=x onerror=\"document.title='broken'\"> games"


@dataclass(frozen=True)
class Planted:
    """The planted corpus on a server."""

    address: str
    client: httpx.Client
    corpus: str

    def ask(self, method: str, path: str, body: Any = None) -> Any:
        return self.client.request(method, path, json=body).raise_for_status().json()

    def project(self, *names: str) -> str:
        asked = {"corpus": self.corpus, "title": "Planted", "names": names}
        return str(self.ask("POST", "/api/projects", asked)["id"])

    def names(self, project: str) -> list[str]:
        return [category["name"] for category in self.ask("GET", f"/api/projects/{project}")["categories"]]

    def edit(self, project: str, **edit: Any) -> None:
        base = self.ask("GET", f"/api/projects/{project}")["version"]
        self.ask("POST", f"/api/projects/{project}/edits", {"base": base, "by": "Ana", "edit": edit})


@pytest.fixture(scope="module")
def served(index: Index, cache: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Planted]:
    settings = WorkbenchSettings(data=tmp_path_factory.mktemp("workbench"), cache=cache, jobs=1)
    with serving(settings) as server, server.client() as client:
        yield Planted(server.url, client, server.workbench.corpora.add_given(index.folder.resolve(), BuildOptions()).id)


@pytest.fixture
def page(browser: Browser, served: Planted) -> Iterator[Page]:
    """A page that may not complain, of a browser that has opened the printed link before."""
    context = browser.new_context(viewport={"width": 1280, "height": 800}, reduced_motion="reduce")
    assert context.request.get(f"{served.address}/?token={TOKEN}").ok
    page = context.new_page()
    broken: list[str] = []
    page.on("pageerror", lambda error: broken.append(str(error)))
    page.on("dialog", lambda dialog: broken.append(dialog.message))
    # The browser itself reports every answer that is an error; what the page does with them is tested here.
    known = "Failed to load resource"
    page.on(
        "console", lambda told: broken.append(told.text) if told.type == "error" and known not in told.text else None
    )
    yield page
    context.close()
    assert not broken


def opened(page: Page, served: Planted, project: str, part: str = "topics") -> None:
    page.goto(f"{served.address}/#/project/{project}/{part}")
    if part == "topics":
        expect(page.locator(".terms .term").first).to_be_visible()


def terms_of(page: Page, number: int) -> list[str]:
    return page.locator(".topic").nth(number).locator(".terms .text").all_text_contents()


def focused(page: Page) -> str:
    return str(page.evaluate("document.activeElement.closest('.term')?.dataset.term ?? ''"))


def test_who_types_keeps_focus_caret_and_text_while_topics_change(page: Page, served: Planted) -> None:
    project = served.project(*NAMES)
    opened(page, served, project)
    field = page.get_by_label("Name of category 2")
    field.fill("kitchen stories")
    field.evaluate("each => each.setSelectionRange(3, 3)")
    served.edit(project, kind="place", category="c2", at=0)  # someone else moves the very row
    served.edit(project, kind="add", names=["weather"])
    expect(page.locator(".topic")).to_have_count(4)
    expect(page.locator(".notice")).to_contain_text("Ana")
    moved = page.get_by_label("Name of category 1")
    expect(moved).to_be_focused()
    expect(moved).to_have_value("kitchen stories")
    assert moved.evaluate("each => each.selectionStart") == 3
    moved.press("Enter")
    expect(page.locator(".topic-name").first).to_have_text("kitchen stories")
    expect(page.locator(".saved")).to_have_text("Saved")
    assert served.names(project) == ["kitchen stories", "sports and games", "outer space", "weather"]


def test_nothing_about_earlier_topics_is_asked_for_while_an_edit_is_answered(page: Page, served: Planted) -> None:
    opened(page, served, served.project(*NAMES))
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url.rpartition("/")[2]))
    held: list[Route] = []
    page.route("**/edits", lambda route: held.append(route))
    page.get_by_label("Name of category 2").fill("kitchen")
    page.get_by_label("Name of category 2").press("Enter")
    page.wait_for_timeout(1000)  # longer than the page waits before it asks
    assert not {"overview", "uncovered"} & set(asked[asked.index("edits") :])
    with page.expect_request("**/overview"), page.expect_request("**/uncovered"):
        held[0].continue_()


def test_while_a_name_is_typed_the_page_tells_whether_it_occurs(page: Page, served: Planted) -> None:
    opened(page, served, served.project(*NAMES))
    told = page.get_by_role("status", name="About the name")
    before = told.bounding_box()
    page.get_by_label("Name of a new category").fill("telescope")
    expect(told).to_contain_text("occurs")
    expect(told).to_contain_text("nearest:")
    assert told.bounding_box() == before  # nothing jumps


def test_a_doubtful_topic_asks_what_its_name_covers_and_finds_it(page: Page, served: Planted) -> None:
    project = served.project("outer space", "qwertyuiop")
    opened(page, served, project)
    topic = page.locator(".topic").nth(1)
    expect(topic.locator(".terms")).not_to_contain_text("athlete")
    topic.get_by_role("button", name="Describe what it covers").click()
    field = page.get_by_label("What to add to qwertyuiop")
    expect(field).to_be_focused()
    field.fill("matches, athletes and clubs")
    field.press("Enter")
    covers = page.locator(".row").nth(1).locator(".tag")
    expect(covers).to_contain_text("covers: matches, athletes and clubs")
    expect(topic.locator(".also")).to_have_text("covers: matches, athletes and clubs")
    expect(topic.locator(".terms")).to_contain_text("athlete")
    page.get_by_role("button", name="Remove: covers").click()
    expect(covers).to_have_count(0)
    expect(page.locator(".saved")).to_have_text("Saved")
    described = [each["description"] for each in served.ask("GET", f"/api/projects/{project}")["categories"]]
    assert described == ["", ""]


def test_what_is_written_in_html_is_shown_as_it_was_written(page: Page, served: Planted) -> None:
    project = served.project(HOSTILE, "outer space")
    served.edit(project, kind="pin", category="c1", term="<b>football</b>")
    opened(page, served, project)
    expect(page.locator(".topic-name").first).to_have_text(HOSTILE)
    expect(page.locator(".tag").first).to_contain_text("<b>football</b>")
    page.locator(".topic-name").first.click()
    expect(page.locator(".reading h2")).to_have_text(HOSTILE)
    page.goto(f"{served.address}/#/project/{project}/map")
    expect(page.locator(".figure svg")).to_have_count(3)
    page.goto(f"{served.address}/#/project/{project}/history")
    expect(page.locator(".steps")).to_contain_text("<b>football</b>")
    page.goto(f"{served.address}/#/")
    expect(page.locator(".names-line").first).to_contain_text(HOSTILE)
    assert page.locator("main img, main b:has-text('football')").count() == 0
    assert page.title() != "broken"


def test_terms_are_judged_by_keyboard_and_the_focus_goes_on(page: Page, served: Planted) -> None:
    project = served.project(*NAMES)
    opened(page, served, project)
    first, second, third = terms_of(page, 0)[:3]
    page.locator(".terms .term-main").first.focus()
    page.keyboard.press("ArrowDown")
    assert focused(page) == second
    page.keyboard.press("r")
    assert focused(page) == third
    expect(page.locator(f'.topic >> nth=0 >> .term[data-term="{second}"]')).to_have_count(0)
    assert focused(page) == third
    page.keyboard.press("ArrowRight")
    assert focused(page) in terms_of(page, 1)
    page.keyboard.press("ArrowLeft")
    page.keyboard.press("Home")
    page.keyboard.press("a")
    expect(page.locator('.topic >> nth=0 >> .term[data-state="pinned"]')).to_have_count(1)
    page.keyboard.press("Control+z")
    expect(page.locator(".term[data-state=pinned]")).to_have_count(0)
    page.keyboard.press("Control+z")
    expect(page.locator(f'.topic >> nth=0 >> .term[data-term="{second}"]')).to_have_count(1)
    page.keyboard.press("Control+Shift+z")
    expect(page.locator(f'.topic >> nth=0 >> .term[data-term="{second}"]')).to_have_count(0)
    assert served.ask("GET", f"/api/projects/{project}")["categories"][0]["negative"] == [second]
    assert first in terms_of(page, 0)


def test_a_term_is_moved_to_another_category_by_keyboard(page: Page, served: Planted) -> None:
    opened(page, served, served.project(*NAMES))
    moved = terms_of(page, 0)[0]
    page.locator(".terms .term-main").first.focus()
    page.keyboard.press("m")
    expect(page.get_by_role("listbox")).to_be_visible()
    page.keyboard.press("ArrowDown")
    page.keyboard.press("Enter")
    expect(page.locator(f'.topic >> nth=2 >> .term[data-term="{moved}"]')).to_have_count(1)
    assert moved not in terms_of(page, 0)
    assert focused(page)


@pytest.mark.parametrize("seen", [False, True])
def test_two_who_change_the_same_name_are_both_heard(page: Page, served: Planted, seen: bool) -> None:
    project = served.project(*NAMES)
    opened(page, served, project)
    field = page.get_by_label("Name of category 1")
    field.fill("ball games")
    served.edit(project, kind="rename", category="c1", name="athletics")
    if seen:  # the page has it, but who types has begun before
        expect(page.locator(".notice")).to_contain_text("athletics")
    field.press("Enter")
    notice = page.locator(".notice.warn")
    expect(notice).to_contain_text("Ana")
    expect(notice).to_contain_text("athletics")
    expect(notice).to_contain_text("ball games")
    assert served.names(project)[0] == "athletics"
    notice.get_by_role("button", name="Use mine").click()
    expect(page.locator(".topic-name").first).to_have_text("ball games")
    expect(page.locator(".saved")).to_have_text("Saved")
    assert served.names(project)[0] == "ball games"


def test_a_change_outlives_a_server_that_cannot_be_reached(page: Page, served: Planted) -> None:
    project = served.project(*NAMES)
    opened(page, served, project)

    def gone(route: Route) -> None:
        route.abort()

    page.route("**/api/**", gone)
    field = page.get_by_label("Name of category 3")
    field.fill("astronomy books")
    field.press("Enter")
    expect(page.locator("#banner")).to_contain_text("cannot be reached; your last change is not saved yet")
    expect(field).to_have_value("astronomy books")
    page.unroute("**/api/**", gone)
    expect(page.locator("#banner")).to_be_hidden()
    expect(page.locator(".saved")).to_have_text("Saved")
    assert served.names(project)[2] == "astronomy books"


def test_a_name_that_is_refused_stays_in_its_field_with_the_reason(page: Page, served: Planted) -> None:
    project = served.project(*NAMES)
    opened(page, served, project)
    field = page.get_by_label("Name of category 1")
    field.fill("outer space")
    field.press("Enter")
    expect(page.locator(".row .problem").first).to_contain_text("appears twice")
    expect(field).to_have_value("outer space")
    field.press("Escape")
    expect(field).to_have_value("sports and games")


def test_a_list_that_is_pasted_becomes_categories(page: Page, served: Planted) -> None:
    opened(page, served, served.project("outer space"))
    page.get_by_label("Name of a new category").evaluate(
        """field => {
             const data = new DataTransfer();
             data.setData('text', 'food\\n  sport \\n\\nfood\\n');
             field.dispatchEvent(new ClipboardEvent('paste', {clipboardData: data, bubbles: true, cancelable: true}));
           }"""
    )
    expect(page.locator(".topic-name")).to_have_text(["outer space", "food", "sport"])


def test_the_page_never_scrolls_sideways(page: Page, served: Planted) -> None:
    project = served.project(*NAMES, "a" * 120)
    for width in (360, 3840):
        page.set_viewport_size({"width": width, "height": 700})
        for part in ("topics", "topics/c1", "map", "history"):
            opened(page, served, project, part)
            page.locator(".term, .figure svg, .steps li").first.wait_for()
            assert page.evaluate("document.documentElement.scrollWidth <= document.documentElement.clientWidth"), part
        for part in ("", "open"):
            page.goto(f"{served.address}/#/{part}")
            page.locator(".page").wait_for()
            assert page.evaluate("document.documentElement.scrollWidth <= document.documentElement.clientWidth"), part


def test_everything_that_can_be_pressed_or_filled_has_a_name(page: Page, served: Planted) -> None:
    project = served.project(*NAMES)
    opened(page, served, project, "topics/c1")
    page.locator(".reading table").wait_for()
    page.locator(".passages a").first.wait_for()
    nameless = page.evaluate(
        """[...document.querySelectorAll('button, a[href], input, select, textarea')]
             .filter(each => !(each.getAttribute('aria-label') || each.textContent.trim() || each.labels?.length))
             .map(each => each.outerHTML)"""
    )
    assert nameless == []


def test_the_page_is_light() -> None:
    files = [file for file in resources.files("seetopic.web").joinpath("page").iterdir() if file.is_file()]
    assert sum(len(file.read_bytes()) for file in files) < 350_000


def test_every_file_that_the_page_names_is_there() -> None:
    folder = resources.files("seetopic.web").joinpath("page")
    there = {file.name for file in folder.iterdir()} | {"figures.css", "figure.js"}
    named = set()
    for file in folder.iterdir():
        text = file.read_text(encoding="utf-8")
        named |= set(re.findall(r'(?:from "\./|(?:src|href)="/static/)([\w.]+)"', text))
    assert named <= there


def test_the_page_asks_for_news_only_while_somebody_looks(page: Page, served: Planted) -> None:
    page.clock.install()
    opened(page, served, served.project(*NAMES))
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    page.clock.run_for(10_000)
    assert asked
    page.evaluate("Object.defineProperty(document, 'hidden', {get: () => true})")
    asked.clear()
    page.clock.run_for(10_000)
    assert asked == []


def test_a_topic_that_is_read_keeps_place_and_focus_while_it_changes(page: Page, served: Planted) -> None:
    project = served.project(*NAMES)
    opened(page, served, project, "topics")
    kept, gone = terms_of(page, 0)[:2]
    page.locator(".terms .term-main").first.click()
    told = page.locator(".why-terms details[open]")
    expect(told).to_contain_text("terms, it ranks")
    expect(told.locator("summary")).to_be_focused()
    served.edit(project, kind="bar", category="c1", term=gone)
    expect(page.locator(".why-terms")).not_to_contain_text(gone)
    expect(page.locator(".why-terms details[open] summary")).to_contain_text(kept)
    expect(page.locator(".why-terms details[open] summary")).to_be_focused()
    page.keyboard.press("Escape")
    expect(page.locator(".reading")).to_be_hidden()
    assert focused(page) == kept


def test_edits_are_sent_even_if_the_project_is_left_at_once(page: Page, served: Planted) -> None:
    project = served.project(*NAMES)
    opened(page, served, project)
    page.get_by_label("Name of category 1").fill("ball games")
    page.evaluate(
        """() => {
          document.activeElement.dispatchEvent(new KeyboardEvent("keydown", { key: "Enter", bubbles: true }));
          location.hash = "#/";
        }"""
    )
    expect(page.get_by_role("heading", name="Workbench")).to_be_visible()
    page.goto(f"{served.address}/#/project/{project}/history")
    expect(page.locator("main")).to_contain_text("ball games")
    assert served.names(project) == ["ball games", *NAMES[1:]]
    steps = served.ask("GET", f"/api/projects/{project}/history")
    assert [step["label"] for step in steps][1:] == ["create the project"]


def test_ones_own_change_is_no_conflict(page: Page, served: Planted) -> None:
    project = served.project(*NAMES)
    opened(page, served, project)
    field = page.get_by_label("Name of category 1")
    field.fill("ball games")
    field.press("Enter")
    expect(page.locator(".saved")).to_have_text("Saved")
    served.edit(project, kind="add", names=["weather"])  # somebody else changes something else
    expect(page.locator(".topic")).to_have_count(4)
    field.fill("team games")
    field.press("Enter")
    expect(page.locator(".saved")).to_have_text("Saved")
    expect(page.locator(".topic-name").first).to_have_text("team games")
    assert served.names(project) == ["team games", *NAMES[1:], "weather"]
