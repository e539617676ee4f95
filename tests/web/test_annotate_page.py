"""The page of annotators and the tabs around it, in a real browser against a real server."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import product
from pathlib import Path
from typing import Any

import httpx
import pytest
from playwright.sync_api import Page, expect

from planted import NAMES
from seetopic import Index
from seetopic.web.limits import WorkbenchSettings
from seetopic.web.sources import BuildOptions

from .served import TOKEN, serving

HOSTILE = "<img src=x onerror='window.harmed=1'>"
TOP = 3
ITEMS = TOP * len(NAMES)


@dataclass(frozen=True)
class Planted:
    """A project of the planted topics on a server; `owner` may do everything."""

    address: str
    owner: httpx.Client
    project: str

    def post(self, path: str, **body: Any) -> dict[str, Any]:
        answer = self.owner.post(path, json=body)
        assert answer.status_code < 300, answer.text
        return dict(answer.json())

    def round(self, title: str = "Which terms belong?") -> str:
        source = {"kind": "project", "id": self.project}
        path = f"/api/projects/{self.project}/rounds"
        return str(self.post(path, title=title, sources=[source], top=TOP)["id"])

    def invite(self, name: str, number: str | None = None) -> str:
        return str(self.post(f"/api/rounds/{number or self.round()}/annotators", name=name)["link"])

    def answers(self, link: str) -> list[bool | None]:
        return [each["belongs"] for each in self.owner.get(f"/api{link}").json()["items"]]


@pytest.fixture(scope="module")
def served(index: Index, cache: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Planted]:
    settings = WorkbenchSettings(data=tmp_path_factory.mktemp("served"), cache=cache, jobs=1)
    with serving(settings) as server, server.client() as owner:
        corpus = server.workbench.corpora.add_given(index.folder, BuildOptions()).id
        made = owner.post("/api/projects", json={"corpus": corpus, "names": NAMES, "title": "Planted"})
        yield Planted(server.url, owner, str(made.json()["id"]))


@pytest.fixture
def opened(open_quiet: Callable[[str, str], Page], served: Planted) -> Callable[[str], Page]:
    """A page of the workbench by the printed link, or of an annotator, who has no token."""
    return lambda path: open_quiet(served.address + path.replace("/#", f"/?token={TOKEN}#"), served.address)


def begin(page: Page) -> Page:
    page.get_by_role("button", name="Start").click()
    expect(page.locator("#term")).to_be_visible()
    return page


def press(page: Page, keys: str) -> None:
    for key in keys.split():
        page.keyboard.press(key)


def saved(page: Page, count: str) -> None:
    expect(page.locator("#count")).to_have_text(count)
    expect(page.locator("#saving")).to_contain_text("All answers saved")


def test_the_keyboard_alone_judges_everything_and_every_answer_is_kept_at_once(served, opened):
    link = served.invite("Anna")
    page = opened(link)
    expect(page.get_by_role("main")).to_contain_text("Hello Anna")
    page.keyboard.press("Enter")
    press(page, "1")
    saved(page, f"1 of {ITEMS}")
    assert served.answers(link)[:2] == [True, None]
    press(page, "0 j n y f 1 1")
    assert "Everything is judged" not in page.get_by_role("main").text_content()
    press(page, "0")
    saved(page, f"{ITEMS} of {ITEMS}")
    expect(page.get_by_role("main")).to_contain_text("All terms are judged. Thank you!")
    assert served.answers(link) == [True, False, True, False, True, False, True, True, False]


def test_undo_clearing_and_moving_work_and_a_reload_goes_on_where_it_was(served, opened):
    link = served.invite("Anna")
    page = begin(opened(link))
    press(page, "1 0 u ArrowLeft Delete")
    saved(page, f"0 of {ITEMS}")
    press(page, "ArrowRight ArrowRight 1 Control+z 0 Backspace 1")
    saved(page, f"1 of {ITEMS}")
    assert served.answers(link)[:4] == [None, None, True, None]
    page.reload()
    expect(page.locator("#count")).to_have_text(f"1 of {ITEMS}")
    shown = page.locator("#term").text_content()
    page.get_by_role("button", name=f"{shown}: not judged").click()
    page.get_by_role("button", name="Does not belong", exact=True).click()
    saved(page, f"2 of {ITEMS}")
    page.locator(".categories button").nth(2).click()
    expect(page.locator("#category")).to_have_text(NAMES[2])


def test_a_key_held_down_is_one_answer(served, opened):
    page = begin(opened(served.invite("Anna")))
    page.keyboard.down("1")
    page.keyboard.down("1")
    page.keyboard.up("1")
    saved(page, f"1 of {ITEMS}")


def test_answers_given_while_the_server_is_away_are_sent_when_it_is_back(served, context, browser):
    link = served.invite("Anna")
    page = context.new_page()
    page.goto(served.address + link)
    begin(page)
    context.set_offline(True)
    press(page, "1 0")
    expect(page.locator("#saving")).to_contain_text("not saved yet, retrying")
    assert served.answers(link)[0] is None
    context.set_offline(False)
    saved(page, f"2 of {ITEMS}")
    assert served.answers(link)[:3] == [True, False, None]


def test_answers_that_were_not_sent_outlive_the_page(served, context):
    link = served.invite("Anna")
    page = context.new_page()
    page.goto(served.address + link)
    begin(page)
    context.set_offline(True)
    press(page, "1")
    expect(page.locator("#saving")).to_contain_text("not saved yet")
    page.close(run_before_unload=False)
    context.set_offline(False)
    again = context.new_page()
    again.goto(served.address + link)
    saved(again, f"1 of {ITEMS}")
    assert served.answers(link)[0] is True


def test_a_wrong_link_gets_a_calm_sentence(served, context):
    page = context.new_page()
    for path in ("/annotate/wrong", "/annotate/%3Cscript%3Ealert(1)"):
        page.goto(served.address + path)
        expect(page.get_by_role("heading")).to_have_text("This link does not work")
        expect(page.get_by_role("main")).to_contain_text("Ask the person who sent it")


def test_somebody_who_is_removed_meanwhile_is_told(served, context):
    number = served.round()
    page = context.new_page()
    page.goto(served.address + served.invite("Anna", number))
    begin(page)
    served.owner.delete(f"/api/rounds/{number}")
    press(page, "1")
    expect(page.locator("main h1")).to_have_text("This round is closed")


def test_names_are_shown_and_never_run(served, opened):
    page = opened(served.invite(HOSTILE, served.round(HOSTILE)))
    expect(page.get_by_role("heading")).to_have_text(HOSTILE)
    begin(page)
    expect(page.locator("#name")).to_have_text(HOSTILE)
    assert page.evaluate("window.harmed") is None


def test_it_fits_the_screen_and_is_named_throughout(served, opened):
    page = begin(opened(served.invite("A rather long name of an annotator")))
    press(page, "1 0")
    for width, scheme in product((360, 1280), ("light", "dark")):
        page.set_viewport_size({"width": width, "height": 740})
        page.emulate_media(color_scheme=scheme)
        assert page.evaluate("document.documentElement.scrollWidth") <= width
        brightness = page.evaluate("getComputedStyle(document.body).backgroundColor.match(/\\d+/g).map(Number)[0]")
        assert (brightness > 128) == (scheme == "light")
    unnamed = "[...document.querySelectorAll('button')].filter(e => !(e.ariaLabel || e.textContent.trim())).length"
    assert page.evaluate(unnamed) == 0


def test_a_round_is_made_people_are_invited_and_their_answers_appear(served, opened):
    page = opened(f"/#/project/{served.project}/annotate")
    page.get_by_text("New round").click()
    page.get_by_label("Title", exact=True).fill("By hand")
    page.get_by_label("Terms per topic").fill(str(TOP))
    page.get_by_role("button", name="Create round").click()
    card = page.locator(".round", has=page.get_by_role("heading", name="By hand"))
    for name in ("Anna", "Bob"):
        card.get_by_label("Annotator's name").fill(name)
        card.get_by_role("button", name="Invite").click()
        expect(card.get_by_label(f"Link for {name}", exact=True)).to_be_visible()
    for name, keys in (("Anna", "1 1 1 0 0 0 1 1 1"), ("Bob", "1 0 1 0 0 0 1 1 1")):
        link = card.get_by_label(f"Link for {name}", exact=True).input_value()
        other = begin(opened(link.removeprefix(served.address)))
        press(other, keys)
        saved(other, f"{ITEMS} of {ITEMS}")
        other.close()
    expect(card).to_contain_text(f"✓ all {ITEMS}")
    expect(card.get_by_role("region", name="MACC by method and category")).to_contain_text("0.61")
    expect(card.get_by_role("region", name="Disputed terms").locator("tbody tr")).to_have_count(1)
    expect(card).to_contain_text("95% interval")


def test_two_projects_are_compared_side_by_side(served, opened):
    corpus = served.owner.get(f"/api/projects/{served.project}").json()["corpus"]
    served.post("/api/projects", corpus=corpus, names=[NAMES[0], "music"], title="Other names")
    page = opened(f"/#/project/{served.project}/compare")
    page.get_by_label("Right", exact=True).select_option(label="Other names · documents")
    page.get_by_role("button", name="Compare", exact=True).click()
    expect(page.get_by_role("heading", name="Planted and Other names")).to_be_visible()
    expect(page.get_by_role("region", name="music")).to_contain_text("only Other names has this category")
    expect(page.get_by_role("list", name=f"{NAMES[0]}, Planted").get_by_role("listitem")).to_have_count(10)
    page.reload()
    expect(page.get_by_role("heading", name="Planted and Other names")).to_be_visible()


def test_what_is_taken_away_is_what_the_server_gives_and_a_project_file_opens_again(served, opened, tmp_path):
    page = opened(f"/#/project/{served.project}/takeaway")
    with page.expect_download() as download:
        page.get_by_role("button", name="Save Table (topics.csv)").click()
    text = Path(download.value.path()).read_text(encoding="utf-8")
    assert text == served.owner.get(f"/api/projects/{served.project}/topics.csv").text
    with page.expect_download() as download:
        page.get_by_role("button", name="Save Project file").click()
    assert download.value.suggested_filename == "Planted.seetopic.json"
    download.value.save_as(tmp_path / "project.json")
    page.locator("input[type=file]").set_input_files(tmp_path / "project.json")
    page.wait_for_url(lambda url: url.endswith("/topics") and served.project not in url)
    page.go_back()
    (tmp_path / "no.json").write_text("no", encoding="utf-8")
    page.locator("input[type=file]").set_input_files(tmp_path / "no.json")
    expect(page.get_by_role("alert")).to_contain_text("is not a project file")
