"""The page that annotators fill in, in a real browser."""

from __future__ import annotations

from collections.abc import Callable
from itertools import product
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from seetopic.evaluation.sheets import Item, Sheet, SheetFiles, read_sheets, write_sheet
from waiting import until

TERMS = {
    "health & personal care": ["vitamin", "=cmd|' /C calc'!A0", "</script><script>window.harmed=1</script>"],
    "<b>books</b>": ["novel", "<img src=x onerror='window.harmed=1'>", 'crème, "brûlée"\nand more'],
}
PAIRS = [(category, term) for category, terms in TERMS.items() for term in terms]
SHEET = Sheet(
    ("ours",),
    tuple(TERMS),
    tuple(Item(n, category, term, {"ours": n}) for n, (category, term) in enumerate(PAIRS, start=1)),
)


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> SheetFiles:
    return write_sheet(SHEET, tmp_path_factory.mktemp("page") / "sheet.csv")


@pytest.fixture
def open_page(open_quiet: Callable[[str, str], Page], files: SheetFiles) -> Callable[[], Page]:
    return lambda: open_quiet(files.page.as_uri(), "file:")


@pytest.fixture
def page(open_page: Callable[[], Page]) -> Page:
    opened = open_page()
    enter(opened, "Anna")
    expect(opened.locator("#work")).to_be_visible()
    return opened


def enter(page: Page, name: str) -> None:
    page.get_by_label("Your name").fill(name)
    page.keyboard.press("Enter")


def press(page: Page, keys: str) -> None:
    for key in keys.split():
        page.keyboard.press(key)


def is_current(page: Page, term: str) -> None:
    expect(page.locator("li[aria-current] .term")).to_have_text(term)


def has_count(page: Page, judged: int) -> None:
    expect(page.locator("#count")).to_have_text(f"{judged} of 6")


def reload(page: Page) -> None:
    """Wait for the page, since keys pressed before it has loaded are lost.

    A page of the disk that is reloaded within milliseconds may come up in a process of Chromium that does not know yet
    what the old one stored, once in a hundred times, and goes on believing that until it has left the page.
    """

    def is_back() -> bool:
        page.reload()
        if not page.locator("#work").is_visible():
            address = page.url
            page.goto("about:blank")
            page.goto(address)
        return page.locator("#work").is_visible()

    until(is_back)


def saved(page: Page, folder: Path) -> Path:
    with page.expect_download() as download:
        page.get_by_role("button", name="Save").click()
    path = folder / download.value.suggested_filename
    download.value.save_as(path)
    return path


def judgements(page: Page, files: SheetFiles, folder: Path) -> dict[int, bool | None]:
    return read_sheets([saved(page, folder)], files.key)[1][0].belongs


def test_the_keyboard_alone_fills_the_sheet_and_what_is_saved_reads_back(page, files, tmp_path):
    press(page, "j f y n j f")
    has_count(page, 6)
    expect(page.locator("#done")).to_contain_text("Save the file")
    path = saved(page, tmp_path)
    assert path.name == "sheet-Anna.csv"
    expect(page.locator("#done")).to_contain_text("Thank you")
    _, (filled,) = read_sheets([path], files.key)
    assert filled.annotator == "Anna"
    assert filled.belongs == {1: True, 2: False, 3: True, 4: False, 5: True, 6: False}
    blank = files.table.read_bytes().decode("utf-8-sig")
    header, *rows = path.read_bytes().decode("utf-8-sig").split("\r\n")
    assert header == "item,category,term,belongs,sheet,annotator"
    assert rows[0] == f"1,health & personal care,vitamin,1,{SHEET.id},Anna"
    assert blank.split("\r\n")[2].split(",,")[0] == rows[1].split(",0,")[0]


def test_a_users_text_is_shown_and_never_run(page):
    expect(page.locator("#name")).to_have_text("health & personal care")
    shown = page.locator(".term").all_text_contents()
    press(page, "ArrowRight")
    expect(page.locator("#name")).to_have_text("<b>books</b>")
    assert shown + page.locator(".term").all_text_contents() == [term for _, term in PAIRS]
    assert page.evaluate("window.harmed") is None
    assert page.locator("img, li b, h2 b").count() == 0


def test_a_judgement_leads_to_the_next_open_term_and_on_to_the_next_category(page):
    press(page, "ArrowDown j")
    is_current(page, PAIRS[2][1])
    press(page, "f")
    is_current(page, "novel")
    press(page, "j j j")
    is_current(page, "vitamin")


def test_arrows_move_between_terms_and_categories(page):
    press(page, "ArrowUp")
    is_current(page, "vitamin")
    press(page, "ArrowDown ArrowDown ArrowDown")
    is_current(page, "novel")
    press(page, "ArrowLeft")
    is_current(page, "vitamin")
    press(page, "ArrowRight ArrowRight")
    is_current(page, "novel")


def test_undo_takes_back_one_judgement_at_a_time_also_after_a_reload(page, files, tmp_path):
    press(page, "j f")
    reload(page)
    press(page, "u")
    has_count(page, 1)
    is_current(page, PAIRS[1][1])
    press(page, "j ArrowUp f Control+z")
    assert judgements(page, files, tmp_path) == {1: True, 2: True} | dict.fromkeys(range(3, 7))
    press(page, "u u u")
    has_count(page, 0)
    expect(page.get_by_role("button", name="Undo")).to_be_disabled()


def test_a_judgement_can_be_changed_and_cleared(page, files, tmp_path):
    press(page, "j j ArrowUp ArrowUp f ArrowUp")
    is_current(page, PAIRS[1][1])
    press(page, "Delete")
    is_current(page, PAIRS[1][1])
    has_count(page, 1)
    assert judgements(page, files, tmp_path) == {1: False} | dict.fromkeys(range(2, 7))


def test_a_reload_loses_nothing(page, files, tmp_path):
    press(page, "j f j f")
    reload(page)
    has_count(page, 4)
    expect(page.locator("#who")).to_have_text("Anna")
    is_current(page, PAIRS[4][1])
    assert judgements(page, files, tmp_path) == {1: True, 2: False, 3: True, 4: False, 5: None, 6: None}


def test_annotators_who_share_a_browser_do_not_see_each_others_answers(page, files, tmp_path):
    press(page, "j j j")
    page.get_by_role("button", name="Change annotator").click()
    enter(page, "Bob; =1")
    has_count(page, 0)
    press(page, "f")
    path = saved(page, tmp_path)
    assert path.name == "sheet-Bob-1.csv"
    _, (filled,) = read_sheets([path], files.key)
    assert filled.annotator == "Bob; =1"
    assert "Bob; '=1" in path.read_text(encoding="utf-8-sig")
    page.get_by_role("button", name="Change annotator").click()
    enter(page, "anna")
    has_count(page, 3)


def test_two_tabs_keep_both_their_answers(page, open_page):
    second = open_page()
    press(page, "j")
    expect(second.locator("#count")).to_have_text("1 of 6")
    press(second, "ArrowDown f")
    expect(page.locator("#count")).to_have_text("2 of 6")


def test_the_mouse_judges_any_term_and_says_so_to_a_screen_reader(page):
    button = page.get_by_role("button", name=f"{PAIRS[1][1]}: does not")
    button.click()
    expect(button).to_have_attribute("aria-pressed", "true")
    expect(page.locator("#spoken")).to_contain_text(f"{PAIRS[1][1]}: does not belong.")
    page.get_by_label("Category", exact=True).select_option(index=1)
    is_current(page, "novel")
    page.get_by_role("button", name="Previous category").click()
    is_current(page, "vitamin")


def test_every_control_has_a_name_and_focus_follows_the_current_term(page):
    unnamed = page.evaluate(
        "[...document.querySelectorAll('button, input, select')].filter(e => !(e.ariaLabel || e.textContent.trim()"
        " || (e.labels && e.labels.length))).length"
    )
    assert unnamed == 0
    press(page, "ArrowDown")
    assert page.evaluate("document.activeElement.hasAttribute('aria-current')")


def test_a_name_is_needed_and_letters_in_it_are_no_judgements(open_page):
    page = open_page()
    enter(page, "   ")
    expect(page.locator("#work")).to_be_hidden()
    page.keyboard.type("Jenny Fynn")
    page.keyboard.press("Enter")
    expect(page.locator("#who")).to_have_text("Jenny Fynn")
    has_count(page, 0)


def test_a_key_held_down_is_one_judgement(page):
    page.keyboard.down("j")
    page.keyboard.down("j")
    page.keyboard.up("j")
    has_count(page, 1)


def test_a_browser_that_keeps_nothing_says_so_and_still_saves(context, open_page, files, tmp_path):
    context.add_init_script("Storage.prototype.setItem = () => { throw new Error('full'); }")
    page = open_page()
    enter(page, "Anna")
    expect(page.locator("#warning")).to_contain_text("is not storing your answers")
    press(page, "j")
    assert judgements(page, files, tmp_path)[1] is True


def test_damaged_storage_starts_afresh(page):
    for stored in ("{", "null", '{"answers": 3, "history": []}', '{"answers": {"1": 1}}'):
        page.evaluate(f"localStorage.setItem('seetopic:{SHEET.id}:by:anna', {stored!r})")
        reload(page)
        has_count(page, 0)
        press(page, "j")
        has_count(page, 1)


def test_it_fits_the_screen_in_light_and_dark(open_page):
    page = open_page()
    enter(page, "A rather long name of an annotator")
    press(page, "j f")
    for width, scheme in product((360, 1280), ("light", "dark")):
        page.set_viewport_size({"width": width, "height": 740})
        page.emulate_media(color_scheme=scheme)
        assert page.evaluate("document.documentElement.scrollWidth") <= width
        brightness = page.evaluate("getComputedStyle(document.body).backgroundColor.match(/\\d+/g).map(Number)[0]")
        assert (brightness > 128) == (scheme == "light")
        small = page.evaluate(
            "[...document.querySelectorAll('button')].map(e => e.getBoundingClientRect())"
            ".filter(r => r.width && Math.min(r.width, r.height) < 40).length"
        )
        assert small == 0
