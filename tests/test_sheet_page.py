"""The page that annotators fill in, in a real browser."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from seetopic.evaluation.judgements import Item, Sheet, SheetFiles, read_sheets, write_sheet

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
    return opened


def enter(page: Page, name: str) -> None:
    page.get_by_label("Your name").fill(name)
    page.keyboard.press("Enter")


def press(page: Page, keys: str) -> None:
    for key in keys.split():
        page.keyboard.press(key)


def current(page: Page) -> str:
    return page.locator("li[aria-current] .term").text_content() or ""


def count(page: Page) -> str:
    return page.locator("#count").text_content() or ""


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
    assert count(page) == "6 of 6"
    assert "Save the file" in page.locator("#done").text_content()
    path = saved(page, tmp_path)
    assert path.name == "sheet-Anna.csv"
    assert "Thank you" in page.locator("#done").text_content()
    _, (filled,) = read_sheets([path], files.key)
    assert filled.annotator == "Anna"
    assert filled.belongs == {1: True, 2: False, 3: True, 4: False, 5: True, 6: False}
    blank = files.table.read_bytes().decode("utf-8-sig")
    header, *rows = path.read_bytes().decode("utf-8-sig").split("\r\n")
    assert header == "item,category,term,belongs,sheet,annotator"
    assert rows[0] == f"1,health & personal care,vitamin,1,{SHEET.id},Anna"
    assert blank.split("\r\n")[2].split(",,")[0] == rows[1].split(",0,")[0]


def test_a_users_text_is_shown_and_never_run(page):
    assert page.locator("#name").text_content() == "health & personal care"
    shown = page.locator(".term").all_text_contents()
    press(page, "ArrowRight")
    assert page.locator("#name").text_content() == "<b>books</b>"
    assert shown + page.locator(".term").all_text_contents() == [term for _, term in PAIRS]
    assert page.evaluate("window.harmed") is None
    assert page.locator("img, li b, h2 b").count() == 0


def test_a_judgement_leads_to_the_next_open_term_and_on_to_the_next_category(page):
    press(page, "ArrowDown j")
    assert current(page) == PAIRS[2][1]
    press(page, "f")
    assert current(page) == "novel"
    press(page, "j j j")
    assert current(page) == "vitamin"


def test_arrows_move_between_terms_and_categories(page):
    press(page, "ArrowUp")
    assert current(page) == "vitamin"
    press(page, "ArrowDown ArrowDown ArrowDown")
    assert current(page) == "novel"
    press(page, "ArrowLeft")
    assert current(page) == "vitamin"
    press(page, "ArrowRight ArrowRight")
    assert current(page) == "novel"


def test_undo_takes_back_one_judgement_at_a_time_also_after_a_reload(page, files, tmp_path):
    press(page, "j f")
    page.reload()
    press(page, "u")
    assert count(page) == "1 of 6"
    assert current(page) == PAIRS[1][1]
    press(page, "j ArrowUp f Control+z")
    assert judgements(page, files, tmp_path) == {1: True, 2: True} | dict.fromkeys(range(3, 7))
    press(page, "u u u")
    assert count(page) == "0 of 6"
    assert page.get_by_role("button", name="Undo").is_disabled()


def test_a_judgement_can_be_changed_and_cleared(page, files, tmp_path):
    press(page, "j j ArrowUp ArrowUp f ArrowUp")
    assert current(page) == PAIRS[1][1]
    press(page, "Delete")
    assert current(page) == PAIRS[1][1]
    assert count(page) == "1 of 6"
    assert judgements(page, files, tmp_path) == {1: False} | dict.fromkeys(range(2, 7))


def test_a_reload_loses_nothing(page, files, tmp_path):
    press(page, "j f j f")
    page.reload()
    assert count(page) == "4 of 6"
    assert page.locator("#who").text_content() == "Anna"
    assert current(page) == PAIRS[4][1]
    assert judgements(page, files, tmp_path) == {1: True, 2: False, 3: True, 4: False, 5: None, 6: None}


def test_annotators_who_share_a_browser_do_not_see_each_others_answers(page, files, tmp_path):
    press(page, "j j j")
    page.get_by_role("button", name="Change annotator").click()
    enter(page, "Bob; =1")
    assert count(page) == "0 of 6"
    press(page, "f")
    path = saved(page, tmp_path)
    assert path.name == "sheet-Bob-1.csv"
    _, (filled,) = read_sheets([path], files.key)
    assert filled.annotator == "Bob; =1"
    assert "Bob; '=1" in path.read_text(encoding="utf-8-sig")
    page.get_by_role("button", name="Change annotator").click()
    enter(page, "anna")
    assert count(page) == "3 of 6"


def test_two_tabs_keep_both_their_answers(page, open_page):
    second = open_page()
    press(page, "j")
    expect(second.locator("#count")).to_have_text("1 of 6")
    press(second, "ArrowDown f")
    expect(page.locator("#count")).to_have_text("2 of 6")


def test_the_mouse_judges_any_term_and_says_so_to_a_screen_reader(page):
    button = page.get_by_role("button", name=f"{PAIRS[1][1]}: does not")
    button.click()
    assert button.get_attribute("aria-pressed") == "true"
    assert page.locator("#spoken").text_content().startswith(f"{PAIRS[1][1]}: does not belong.")
    page.get_by_label("Category", exact=True).select_option(index=1)
    assert current(page) == "novel"
    page.get_by_role("button", name="Previous category").click()
    assert current(page) == "vitamin"


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
    assert page.locator("#work").is_hidden()
    page.keyboard.type("Jenny Fynn")
    page.keyboard.press("Enter")
    assert page.locator("#who").text_content() == "Jenny Fynn"
    assert count(page) == "0 of 6"


def test_a_key_held_down_is_one_judgement(page):
    page.keyboard.down("j")
    page.keyboard.down("j")
    page.keyboard.up("j")
    assert count(page) == "1 of 6"


def test_a_browser_that_keeps_nothing_says_so_and_still_saves(context, open_page, files, tmp_path):
    context.add_init_script("Storage.prototype.setItem = () => { throw new Error('full'); }")
    page = open_page()
    enter(page, "Anna")
    assert "does not keep your answers" in page.locator("#warning").text_content()
    press(page, "j")
    assert judgements(page, files, tmp_path)[1] is True


@pytest.mark.parametrize("stored", ["{", "null", '{"answers": 3, "history": []}', '{"answers": {"1": 1}}'])
def test_damaged_storage_starts_afresh(page, stored):
    page.evaluate(f"localStorage.setItem('seetopic:{SHEET.id}:by:anna', {stored!r})")
    page.reload()
    assert count(page) == "0 of 6"
    press(page, "j")
    assert count(page) == "1 of 6"


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [360, 1280])
def test_it_fits_the_screen_in_light_and_dark(browser, files, scheme, width):
    page = browser.new_page(viewport={"width": width, "height": 740}, color_scheme=scheme)
    page.goto(files.page.as_uri())
    enter(page, "A rather long name of an annotator")
    press(page, "j f")
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    brightness = page.evaluate("getComputedStyle(document.body).backgroundColor.match(/\\d+/g).map(Number)[0]")
    assert (brightness > 128) == (scheme == "light")
    small = page.evaluate(
        "[...document.querySelectorAll('button')].map(e => e.getBoundingClientRect())"
        ".filter(r => r.width && Math.min(r.width, r.height) < 40).length"
    )
    assert small == 0
    page.close()
