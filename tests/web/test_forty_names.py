"""Forty names in a real browser against the real command: found, folded, nested, added offline, and accessible."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

import httpx
import pytest
from playwright.sync_api import Browser, Page, Route, expect

from seetopic import Index

from .axe import RULES, violations
from .forty import NAMES, forty_documents
from .served import Command, commanded


@dataclass(frozen=True)
class Forty:
    """The command that serves the corpus."""

    command: Command
    client: httpx.Client
    corpus: str

    def project(self, *names: str, levels: tuple[int, ...] = ()) -> str:
        asked = {"corpus": self.corpus, "title": "Forty", "names": names, "levels": levels}
        return str(self.client.post("/api/projects", json=asked).raise_for_status().json()["id"])

    def categories(self, project: str) -> list[dict[str, Any]]:
        found: list[dict[str, Any]] = (
            self.client.get(f"/api/projects/{project}").raise_for_status().json()["categories"]
        )
        return found

    def edit(self, project: str, **edit: Any) -> None:
        base = self.client.get(f"/api/projects/{project}").json()["version"]
        body = {"base": base, "by": "Ana", "edit": edit}
        self.client.post(f"/api/projects/{project}/edits", json=body).raise_for_status()


@pytest.fixture(scope="module")
def forty(cache: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Forty]:
    folder = tmp_path_factory.mktemp("forty")
    Index.build(forty_documents(), folder / "index", cache=cache, n_jobs=1)
    with (
        commanded(folder / "data", str(folder / "index"), "--cache", str(cache)) as command,
        command.client() as client,
    ):
        yield Forty(command, client, client.get("/api/workbench").json()["given"])


@pytest.fixture
def page(browser: Browser, forty: Forty) -> Iterator[Page]:
    context = browser.new_context(viewport={"width": 1280, "height": 800}, reduced_motion="reduce")
    assert context.request.get(forty.command.link).ok
    page = context.new_page()
    broken: list[str] = []
    page.on("pageerror", lambda error: broken.append(str(error)))
    yield page
    context.close()
    assert not broken


@pytest.fixture
def opened(page: Page, forty: Forty) -> Callable[..., Page]:
    def to(project: str, part: str = "topics") -> Page:
        page.goto(f"{forty.command.url}/#/project/{project}/{part}")
        if part == "topics":
            expect(page.locator(".topic .facts:not(.unknown) .share b").first).to_contain_text("%")
        return page

    return to


def focused(page: Page) -> str:
    return str(page.evaluate("document.activeElement.className"))


def names_shown(page: Page) -> list[str]:
    shown: list[str] = page.locator(".row .name").evaluate_all("fields => fields.map(field => field.value)")
    return shown


@pytest.mark.slow
def test_forty_names_are_an_overview_that_filters_unfolds_and_jumps(forty: Forty, opened: Callable[..., Page]) -> None:
    project = forty.project(*NAMES)
    page = opened(project)

    # One line per topic is the first thing seen, with its terms and figures.
    lines = page.locator(".topic-cards.overview-lines > .topic")
    expect(lines).to_have_count(40)
    expect(page.locator(".topic:not(.folded)")).to_have_count(0)
    expect(page.locator(".five").first).to_contain_text(", ")
    for fact in ("share", "confidence", "found"):
        expect(page.locator(f".topic .{fact}").first).to_be_visible()
    hues = page.locator(".topic").evaluate_all("all => all.map(each => each.style.getPropertyValue('--hue'))")
    assert len(set(hues)) > 20

    # At most 15 tabs lead to the topics, and two arrows to the first term.
    page.locator(".skip").focus()
    tabs = 1
    while "topic-name" not in focused(page) and tabs < 20:
        page.keyboard.press("Tab")
        tabs += 1
    assert tabs <= 15
    page.keyboard.press("ArrowRight")
    page.keyboard.press("ArrowDown")
    assert "term-main" in focused(page)
    page.keyboard.press("m")
    page.keyboard.type("chess")
    expect(page.get_by_role("listbox").get_by_role("option")).to_have_count(1)
    page.keyboard.press("Escape")
    page.keyboard.press("ArrowUp")
    page.keyboard.press("ArrowLeft")
    expect(page.locator(".topic:not(.folded)")).to_have_count(0)

    # A filter by name or term, for the list and the topics.
    page.keyboard.press("/")
    page.keyboard.type("checkmate")
    expect(lines).to_have_count(1)
    assert names_shown(page) == ["chess"]
    page.keyboard.press("Escape")
    expect(lines).to_have_count(40)

    # From the list to a card; a word of JavaScript is a word.
    page.get_by_role("button", name="Show the topic: programming").click()
    card = page.locator(".topic:not(.folded)")
    expect(card).to_have_count(1)
    expect(card).to_be_in_viewport()
    expect(card.locator(".terms .text").filter(has_text="constructor")).to_have_count(1)
    forty.edit(project, kind="bar", category=f"c{NAMES.index('programming') + 1}", term="compiler")
    expect(card.locator(".went")).to_contain_text("compiler")
    assert "native code" not in page.locator("main").inner_text()

    # The categories stay in view while a topic is read.
    card.locator(".topic-name").click()
    expect(page.locator(".reading h2")).to_have_text("programming")
    expect(page.locator(".row.read .name")).to_be_visible()
    page.keyboard.press("Escape")

    # The palette leads everywhere; its shortcut is shown.
    expect(page.locator(".go-to kbd")).to_be_visible()
    page.keyboard.press("Control+k")
    page.keyboard.type("wine")
    page.keyboard.press("Enter")
    expect(page.locator(".topic.pointed .topic-name")).to_have_text("wine")
    expect(page.locator(".topic.pointed .topic-name")).to_be_focused()
    assert page.locator(".topic.pointed").evaluate("each => getComputedStyle(each).animationName") == "none"

    # Moved to another place, a category keeps its colour.
    before = page.locator(".topic.pointed").evaluate("each => each.style.getPropertyValue('--hue')")
    forty.edit(project, kind="place", category=f"c{NAMES.index('wine') + 1}", at=0)
    expect(page.locator(".topic").first.locator(".topic-name")).to_have_text("wine")
    assert page.locator(".topic").first.evaluate("each => each.style.getPropertyValue('--hue')") == before

    # On a phone the topics are not below forty fields.
    page.set_viewport_size({"width": 390, "height": 844})
    expect(page.locator(".rows")).to_be_hidden()
    page.get_by_role("button", name="Show all 40 categories").click()
    expect(page.locator(".rows")).to_be_visible()


@pytest.mark.slow
def test_new_names_show_at_once_and_are_saved_when_the_server_is_back(
    forty: Forty, opened: Callable[..., Page]
) -> None:
    project = forty.project(*NAMES[:9])
    page = opened(project)
    saved = page.locator(".saved")
    expect(saved).to_have_text("Saved")

    def gone(route: Route) -> None:
        route.abort()

    page.route("**/api/**", gone)
    field = page.get_by_label("Name of a new category")
    field.fill("chess")
    expect(saved).to_have_text("Typing…")
    field.press("Enter")
    new = page.locator(".topic.unsaved")
    expect(new.locator(".topic-name")).to_have_text("chess")
    expect(new).to_be_in_viewport()
    expect(saved).to_have_text("Not saved")
    expect(page.locator("#banner")).to_contain_text("cannot be reached; your last change is not saved yet")
    # What is done to it before the server knows it is done to it, whatever others add in the meantime.
    forty.edit(project, kind="add", names=["aviation"])
    row = page.locator(".row.unsaved .name")
    row.fill("chess games")
    row.press("Enter")
    row.press("Alt+ArrowUp")
    page.get_by_label("Name of category 1", exact=True).focus()
    page.get_by_role("button", name="More about: football").click()
    page.get_by_role("menuitem", name="Remove").click()
    assert names_shown(page) == [*NAMES[1:8], "chess games", NAMES[8]]
    page.unroute("**/api/**", gone)
    expect(saved).to_have_text("Saved")
    expect(page.locator("#banner")).to_be_hidden()
    kept = [each["name"] for each in forty.categories(project)]
    assert kept == [*NAMES[1:8], "chess games", NAMES[8], "aviation"]
    expect(page.locator(".row.unsaved")).to_have_count(0)
    expect(page.locator(".topic:not(.folded) .terms .text").first).to_be_visible()


@pytest.mark.slow
def test_names_are_nested_by_keys_and_by_dragging_and_shares_add_up(forty: Forty, opened: Callable[..., Page]) -> None:
    project = forty.project("sport", *NAMES[:3], "food", *NAMES[4:6])
    page = opened(project)

    def name(text: str) -> Any:
        place = names_shown(page).index(text)
        return page.locator(".row .name").nth(place)

    def parents() -> dict[str, str | None]:
        expect(page.locator(".saved")).to_have_text("Saved")
        found = forty.categories(project)
        names = {each["id"]: each["name"] for each in found}
        return {each["name"]: names.get(each["parent"]) for each in found}

    for child in NAMES[:3]:
        name(child).press("Alt+ArrowRight")
    expect(page.locator(".row .fold:visible")).to_have_count(1)
    assert parents() == {
        "sport": None,
        **dict.fromkeys(NAMES[:3], "sport"),
        "food": None,
        "cooking": None,
        "baking": None,
    }
    name("cycling").press("Alt+ArrowLeft")
    assert parents()["cycling"] is None

    # Dropped on the middle of a row, a category goes below it.
    def drag(text: str, onto: str, share: float = 0.5) -> None:
        box = page.locator(".row", has=page.locator(f'.name[title="{onto}"]')).bounding_box()
        grip = page.locator(".row", has=page.locator(f'.name[title="{text}"]')).locator(".grip")
        assert box is not None
        grip.hover()
        page.mouse.down()
        page.mouse.move(box["x"] + 60, box["y"] + share * box["height"], steps=4)
        page.mouse.move(box["x"] + 61, box["y"] + share * box["height"])
        page.mouse.up()

    drag("cooking", "food")
    drag("baking", "food")
    assert parents()["cooking"] == parents()["baking"] == "food"
    assert list(parents()) == ["sport", "football", "tennis", "cycling", "food", "cooking", "baking"]

    # A parent's share includes those below it; folded, it stands for them.
    expect(page.locator(".row .row-share").first).to_contain_text("%")
    shares = page.request.get(f"{forty.command.url}/api/projects/{project}/overview").json()["lines"]
    of = dict(zip(parents(), [each["share"] for each in shares], strict=True))
    assert of["food"] >= of["cooking"] + of["baking"] > 0
    page.get_by_role("button", name="Hide what is below food").click()
    assert names_shown(page) == ["sport", "football", "tennis", "cycling", "food"]
    expect(page.locator(".topic")).to_have_count(5)
    page.keyboard.press("Control+z")
    assert parents()["baking"] is None


@pytest.mark.slow
def test_every_state_is_accessible(forty: Forty, opened: Callable[..., Page]) -> None:
    project, few = forty.project(*NAMES), forty.project("animals", *NAMES[13:16], levels=(0, 1, 1, 1))
    found: list[str] = []
    # The dark theme has other colours, and nothing else is different.
    themes: dict[Literal["light", "dark"], dict[str, Any]] = {"dark": {"runOnly": ["color-contrast"]}, "light": RULES}
    for theme, rules in themes.items():
        page = opened(project)
        page.emulate_media(color_scheme=theme)
        found += violations(page, f"{theme} overview", rules)
        page.keyboard.press("Control+k")
        found += violations(page, f"{theme} palette", rules)
        page.keyboard.press("Escape")
        opened(few, "topics/c1")
        expect(page.locator(".reading .loading-note:visible")).to_have_count(0)
        found += violations(page, f"{theme} cards and reading", rules)
        page.get_by_role("button", name="More about: animals").click()
        found += violations(page, f"{theme} menu", rules)
        page.keyboard.press("Escape")
    order = ["- banner", '- complementary "Categories"', '- region "Topics"', '- complementary "Topic details"']
    read_aloud = page.locator("body").aria_snapshot()
    assert [read_aloud.index(each) for each in order] == sorted(read_aloud.index(each) for each in order)
    parts = ("documents", "trends", "teach", "map", "annotate", "compare", "takeaway", "history")
    others = ("", "#/open", f"#/corpus/{forty.corpus}", "#/project/0123456789abcdef/topics", "#/nowhere")
    for address in (*(f"#/project/{few}/{part}" for part in parts), *others):
        page.evaluate("document.querySelectorAll('main h1').forEach(each => each.dataset.before = '')")
        page.goto(f"{forty.command.url}/{address}")
        expect(
            page.locator("main h1:not([data-before])")
        ).to_be_attached()  # not the page before, which may stay a while
        expect(page.locator("main .loading-note:visible, main .loading:visible")).to_have_count(0)
        found += violations(page, address)
    assert not found, "\n".join(found)
    # At 200 % zoom there is half the room, and nothing is cut off.
    page.set_viewport_size({"width": 640, "height": 400})
    opened(project)
    assert page.evaluate("document.documentElement.scrollWidth <= document.documentElement.clientWidth")


def test_without_a_token_there_is_a_page_with_a_field(browser: Browser, forty: Forty) -> None:
    context = browser.new_context()
    page = context.new_page()
    for address in ("/", "/api/projects", "/somewhere"):
        page.goto(forty.command.url + address)
        expect(page.get_by_role("heading", level=1)).to_contain_text("token")
    assert violations(page, "closed") == []
    page.get_by_label("Token").fill("wrong-token-of-mine")
    page.keyboard.press("Enter")
    expect(page.get_by_role("alert")).to_contain_text("not the token")
    page.get_by_label("Token").fill(forty.command.link)  # people paste the whole link
    page.get_by_role("button", name="Open the workbench").click()
    expect(page.locator("main h1")).to_be_visible()
    assert "token" not in page.url
    context.close()


def test_the_page_says_at_once_what_it_is_doing(browser: Browser, forty: Forty) -> None:
    context = browser.new_context(java_script_enabled=False)
    assert context.request.get(forty.command.link).ok
    page = context.new_page()
    page.goto(forty.command.url)
    expect(page.get_by_role("status").first).to_have_text("Opening the workbench…")
    context.close()
