"""The report in a real browser: its content, its accessibility, and that it runs only its own script."""

from __future__ import annotations

import random
import re
import shlex
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from html import unescape
from itertools import pairwise
from pathlib import Path

import pytest
from click.testing import CliRunner
from playwright.sync_api import Browser, Page, expect

from fake_model import directions
from planted import NAMES, planted_documents
from seetopic import Index, Topics, as_seeds
from seetopic.classify import sorter_of
from seetopic.cli import cli
from seetopic.corpus import Judgement, Judgements, write_judgements
from seetopic.corpus.documents import Documents
from seetopic.discovery.run import Discovery, run_of
from seetopic.errors import OutputError
from seetopic.evaluation.methods import Task, method_named
from seetopic.output.charts import topics_map
from seetopic.output.charts.scene import Scene
from seetopic.output.report import report_html, write_report
from seetopic.output.report.reproduce import Origin, commands, python_script
from seetopic.runtime.progress import silent
from seetopic.settings import DEFAULT, PRESETS, SampleSettings
from waiting import until

JUDGED = (
    Judgement(NAMES[0], "moon", belongs=False),
    Judgement(NAMES[1], "salad"),
    Judgement(NAMES[1], document=0, belongs=False),
    Judgement(None, document=4),
)
HARM = "window.harmed=1"
SCRIPT = f"<script>{HARM}</script>"
ODD_NAMES = [f"</script>{SCRIPT}", f'cooking" onload="{HARM}', f"<img src=x onerror={HARM}>"]
ODD_TITLE = f"</title></style>{SCRIPT}<svg onload={HARM}>.txt"


def found(index: Index, names=NAMES, settings=None, preset: str = "default") -> Discovery:
    return run_of(index, names, settings, preset, "auto", silent)


@pytest.fixture(scope="module")
def run(index: Index) -> Discovery:
    return found(index)


@pytest.fixture(scope="module")
def report(run: Discovery, documents: list[str], tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_report(run, tmp_path_factory.mktemp("report"), documents=Documents(documents))


@contextmanager
def watched(browser: Browser) -> Iterator[Callable[..., Page]]:
    """Opens pages, and checks at the end that they logged nothing to the console and requested nothing outside."""
    complaints: list[str] = []
    requests: list[str] = []
    contexts = []

    def open_page(path: Path, width: int = 1280, height: int = 800, **options) -> Page:
        contexts.append(browser.new_context(viewport={"width": width, "height": height}, **options))
        page = contexts[-1].new_page()
        page.on("console", lambda message: complaints.append(message.text))
        page.on("pageerror", lambda error: complaints.append(str(error)))
        page.on("request", lambda request: requests.append(request.url))
        page.goto(path.as_uri())
        return page

    yield open_page
    for context in contexts:
        context.close()
    assert complaints == []
    assert [url for url in requests if not url.startswith(("file:", "data:"))] == []


@pytest.fixture
def opened(browser: Browser) -> Iterator[Callable[..., Page]]:
    with watched(browser) as open_page:
        yield open_page


@pytest.fixture(scope="module")
def shown(browser: Browser, report: Path) -> Iterator[Page]:
    """The report, for tests that only read it."""
    with watched(browser) as open_page:
        yield open_page(report)


# --- content


def test_every_term_stands_there_with_score_documents_ranks_and_reasons(shown, run):
    cards = shown.locator(".card")
    assert cards.locator("h3").all_text_contents() == NAMES
    for number, topic in enumerate(run.topics):
        rows = cards.nth(number).locator(".terms li")
        assert rows.count() == len(topic.terms)
        for place, term in enumerate(topic.terms):
            told = rows.nth(place).locator("summary").inner_text().split()
            assert term.term in told[0] + told[1]
            assert f"{term.score:.2f}" in told
            assert f"{term.documents:,}" in told
            why = rows.nth(place).locator(".why").text_content()
            for kind, rank in term.ranks.items():
                words = {"general": "by meaning", "local": "by use", "documents": "by how typical"}[kind]
                assert re.search(rf"{'not among' if rank is None else f'{rank:,}(st|nd|rd|th)'}.*{words}", why), why


def test_a_bar_is_longer_the_better_its_term(shown):
    widths = shown.evaluate(
        "[...document.querySelectorAll('.card:first-of-type .bar')].map(e => e.getBoundingClientRect().width)"
    )
    assert widths == sorted(widths, reverse=True)
    assert widths[0] > 2 * widths[-1]


def test_sentences_are_quoted_from_the_documents_with_the_terms_marked(shown, run, documents):
    for number, topic in enumerate(run.topics):
        items = shown.locator(".card").nth(number).locator(".sentences li")
        assert items.count() == 3
        for sentence in items.all():
            marks = sentence.locator("mark").all_text_contents()
            assert marks
            assert set(marks) <= set(topic)
            quoted, _, source = sentence.text_content().rpartition(" document ")
            assert quoted.strip("… ") in documents[int(source)]
        for term in topic:
            marked = shown.locator(".card").nth(number).locator(f".terms li:has-text('{term}') blockquote mark")
            assert term in marked.all_text_contents()
    assert "quoted from the documents" in shown.locator("#topics").text_content()


def test_without_the_documents_sentences_come_from_the_index(run, tmp_path):
    page = report_html(run)
    assert "as stored in the index" in page
    assert re.search(r"<li>[^<]*<mark>\w+</mark> · ", page)


def test_the_counts_are_said_to_differ_from_those_of_assign(cache, tmp_path):
    """In the index, "cream" within "ice cream" is not a term of its own."""
    texts = [*["children love ice cream"] * 20, *["cream makes coffee better"] * 20, *planted_documents(120)]
    settings = replace(DEFAULT.index, text=replace(DEFAULT.index.text, known_phrases=("ice cream",)))
    index = Index.build(texts, tmp_path / "index", settings=settings, cache=cache, n_jobs=1)
    run = found(index, ["dessert", "coffee"])
    scene, by_assign = Scene(run.query, run.topics, run), sorter_of(run).terms_in(texts)
    assert len(scene.document_topics) == len(texts)
    assert len(scene.sampled.indices) < len(by_assign.values)
    assert "terms within longer terms" in report_html(run)


def test_documents_that_are_not_those_of_the_index_are_not_quoted(run, documents):
    assert "A document about" not in report_html(run, documents=Documents(["A document about striker"] * 240))


def test_a_sentence_of_a_long_document_is_cut_around_its_terms(tmp_path):
    texts = [f"{'the weather was fine and ' * 40}then a goalkeeper came. Rain! {'so it went on ' * 30}"] * 6
    texts += ["The goalkeeper’s Striker scored.\nThe end"] * 6
    index = Index.build(texts, tmp_path / "index", embedding_model=directions, n_jobs=1)
    page = report_html(found(index, ["goalkeeper", "rain"]), documents=Documents(texts))
    quotes = re.findall(r"<blockquote>(.*?)</blockquote>", page)
    assert "… " in quotes[0]
    assert "then a <mark>goalkeeper" in quotes[0]
    assert "Rain!" not in quotes[0]
    assert max(len(quote.split()) for quote in quotes) <= 40


def test_warnings_and_confidence_are_shown(index, opened, tmp_path):
    run = found(index, {"sport": ["sport"], "nonsense xyzzy": {"names": ["xyzzy plugh"], "pinned": ["quux"]}})
    page = opened(write_report(run, tmp_path))
    card = page.locator(".card").nth(1)
    for sentence in run.topics[1].warnings:
        assert sentence in card.locator(".note").all_text_contents()
    assert f"{run.topics[1].confidence:.2f}" in card.locator(".sure").text_content()
    assert "Topics with a warning: 1 of 2." in page.locator("#summary").text_content()


def test_pinned_terms_and_names_are_said_to_be_so(index):
    page = report_html(found(index, {"sport": {"names": ["football"], "pinned": ["coach"]}, "sky": ["the heavens"]}))
    assert "You pinned it, so it comes first." in page
    assert "It is the name itself, so it comes first." in page


def test_the_corpus_is_summed_up(shown):
    tiles = shown.locator(".tiles div").all_inner_texts()
    assert "documents\n240" in [re.sub(r"\n+", "\n", tile) for tile in tiles]
    rows = shown.locator("tbody tr").all()
    assert len(rows) == 3
    assert "%" in rows[0].text_content()


# --- reproducing the topics


def test_the_same_run_gives_the_same_bytes(index, documents, report):
    again = found(Index.open(index.folder, cache=index.cache.folder if hasattr(index.cache, "folder") else None))
    assert report_html(again, documents=Documents(documents)) == report.read_text(encoding="utf-8")


def code_of(page: str, label: str) -> str:
    return unescape(re.search(rf'aria-label="{label}"><code>(.*?)</code>', page, re.S).group(1))


@pytest.mark.slow
@pytest.mark.parametrize(
    ("names", "judged"),
    [
        (NAMES, ()),
        ({"sport": ["ball games", "athletics"], "sky": {"names": ["stars"], "negative": ["moon"]}}, ()),
        (NAMES, JUDGED),
    ],
)
def test_the_commands_in_it_give_the_same_topics(names, judged, cache, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("SEETOPIC_CACHE", str(cache))
    Path("my docs.txt").write_text("\n".join(planted_documents(90)))
    settings = replace(DEFAULT.index, local=replace(DEFAULT.index.local, window=4), random_state=3)
    index = Index.build("my docs.txt", "mine", settings=settings, n_jobs=1, cache=cache)
    chosen = replace(DEFAULT.discovery, top=4, merge_variants=False)
    run = run_of(index, names, chosen, judgements=judged)
    page = report_html(run)
    (file,) = re.findall(r"<code>(names\.\w+)</code>", page)
    Path(file).write_text(code_of(page, file))
    write_judgements(Path("judgements.jsonl"), judged)
    assert ("judgements, settings" in page) == bool(judged)
    for command in code_of(page, "Commands").splitlines():
        result = CliRunner().invoke(cli, [*shlex.split(command)[1:], "--quiet"], catch_exceptions=False)
        assert result.exit_code == 0, result.output
    again, first = Topics.load("topics").to_json(), run.topics.to_json()
    assert again["topics"] == first["topics"]
    assert again["made_with"].get("judgements") == first["made_with"].get("judgements")


def test_judgements_are_told_apart_whatever_their_order(index):
    given, other = Judgements(JUDGED).made_with(), Judgements(JUDGED[1:]).made_with()
    assert given["judgements"]["number"] == 4
    assert given == Judgements(JUDGED[::-1]).made_with() != other
    run = run_of(index, NAMES, replace(DEFAULT.discovery, growth=2), judgements=JUDGED)
    assert run.topics.made_with["judgements"] == given["judgements"]
    page = report_html(run)
    assert f"4 ({given['judgements']['sha256']})" in page
    assert "judgements=&#x27;judgements.jsonl&#x27;" in page
    damaged = replace(run.topics, made_with={**run.topics.made_with, "judgements": {"number": "4"}})
    with pytest.raises(OutputError, match="no valid record"):
        report_html(damaged)


def test_settings_without_an_option_are_given_as_python(index, tmp_path, monkeypatch):
    run = found(index, NAMES, replace(DEFAULT.discovery, growth=2))
    code = code_of(report_html(run), "Commands")
    monkeypatch.chdir(tmp_path)
    given: dict[str, object] = {}
    exec(code.replace("Index.build('documents', 'index')", "ready"), {"ready": index}, given)
    assert given["topics"].to_json() == run.topics.to_json()


def test_a_ready_index_is_opened_and_not_built_again(index, tmp_path, monkeypatch):
    run = found(index, {"sport": {"names": ["sports"], "pinned": ["tennis"]}, "food": {"names": ["cooking"]}})
    origin = Origin(index=index.folder.name)
    assert commands(run.topics, "names.json", origin) == "seetopic discover index --seeds names.json --out topics"
    monkeypatch.chdir(index.folder.parent)
    given: dict[str, object] = {}
    exec(python_script(run.query, origin).replace("topics.save('topics')", ""), {}, given)
    assert given["topics"].to_json() == run.topics.to_json()


def test_the_demos_articles_are_in_no_file_so_only_python_gives_them(index):
    run = found(index, NAMES)
    assert commands(run.topics, "names.txt", Origin(demo=True)) is None
    assert "Index.build(demo_documents(), 'index')" in python_script(run.query, Origin(demo=True))


def test_a_tables_column_is_named(index):
    run, origin = found(index, NAMES), Origin(text_field="a review")
    assert "--text-field 'a review'" in commands(run.topics, "names.txt", origin)
    assert "text_field='a review'" in python_script(run.query, origin)


def test_it_says_how_to_cite_and_with_which_settings(report):
    page = report.read_text(encoding="utf-8")
    assert "Seed-Guided Topic Discovery with Out-of-Vocabulary Seeds" in code_of(page, "Citation, BibTeX")
    assert '"checked_ranks": 1000' in code_of(page, "Settings")


# --- any topics


@pytest.mark.parametrize(
    "names",
    [["cooking"], [*NAMES, "everything else", "a word"], ["体育运动", "x" * 300, "⚽🏀"]],
    ids=["one name", "more names than terms", "odd names"],
)
def test_any_names_give_a_report(index, names, opened, tmp_path):
    page = opened(write_report(found(index, names), tmp_path), width=360)
    assert page.locator(".card").count() == len(names)
    assert page.evaluate("document.documentElement.scrollWidth") <= 360


def test_an_index_without_a_sample_gives_a_report(tmp_path):
    settings = replace(DEFAULT.index, sample=SampleSettings(words=0, more_words=0))
    index = Index.build(
        planted_documents(60), tmp_path / "index", embedding_model=directions, settings=settings, n_jobs=1
    )
    page = report_html(found(index, ["sport", "food"]))
    assert "<blockquote>" in page
    assert 'id="documents"' not in page


def test_topics_alone_give_a_report(run, opened, tmp_path):
    run.topics.save(tmp_path)
    page = opened(write_report(Topics.load(tmp_path), tmp_path))
    assert page.locator(".card").count() == 3
    assert page.locator("#map, #documents, blockquote").count() == 0


def test_topics_of_other_methods_give_a_report(index, opened, tmp_path):
    method_named("plm")(Task(index, as_seeds(NAMES)), 10, 0).save(tmp_path)
    page = opened(write_report(Topics.load(tmp_path), tmp_path))
    assert page.get_by_text("Reproduce these topics").count() == 0
    assert page.locator("#made dd").first.inner_text() == "plm"


def test_a_report_of_fifty_topics_has_at_most_three_megabytes(tmp_path, opened):
    chance = random.Random(0)
    letters = "abcdefghijklmnopqrstuvwxyz"
    words = [["".join(chance.choices(letters, k=chance.randint(4, 12))) for _ in range(14)] for _ in range(50)]
    texts = [" ".join(chance.choices(words[number % 50], k=45)) + "." for number in range(1500)]
    index = Index.build(texts, tmp_path / "index", embedding_model=directions, n_jobs=1)
    run = found(index, [f"{own[0]} and {own[1]}, number {n}" for n, own in enumerate(words)])
    assert sum(len(topic.terms) for topic in run.topics) > 400
    path = write_report(run, tmp_path, documents=Documents(texts))
    assert path.stat().st_size < 3_000_000
    page = opened(path, width=360)
    assert page.locator(".card").count() == 50
    assert page.evaluate("document.documentElement.scrollWidth") <= 360


# --- whatever documents, names and files contain


def test_a_users_text_is_shown_and_never_run(cache, tmp_path, opened):
    harms = [SCRIPT, f'"onload={HARM}', f"<img src=x onerror={HARM}>", "</mark></li>"]
    texts = [f"{harms[number // 3 % 4]} {text}" for number, text in enumerate(planted_documents(60))]
    documents = Documents(texts, title=ODD_TITLE)
    index = Index.build(documents, tmp_path / "index", n_jobs=1, cache=cache)
    page = opened(write_report(found(index, ODD_NAMES), tmp_path, documents=documents))
    page.get_by_role("button", name="Open all terms").click()
    assert page.evaluate("window.harmed") is None
    assert page.locator("main python_script, main img, main [onload], main [onerror], svg svg").count() == 0
    assert page.title() == f"Topics in {ODD_TITLE}"
    assert page.locator(".card h3").all_text_contents() == ODD_NAMES
    assert page.locator("h1").text_content() == f"Topics in {ODD_TITLE}"
    shown = " ".join(page.locator(".sentences li, blockquote").all_text_contents())
    assert [harm in shown for harm in harms] == [True] * 4


def test_a_script_that_is_not_its_own_would_not_run_either(report, browser, tmp_path):
    (tmp_path / "changed.html").write_text(
        report.read_text(encoding="utf-8").replace("</main>", f"{SCRIPT}<img src='data:,' onerror={HARM}></main>")
    )
    page = browser.new_page()
    page.goto((tmp_path / "changed.html").as_uri())
    assert page.evaluate("window.harmed") is None
    page.close()


# --- appearance, use and accessibility


def test_it_fits_the_screen_in_light_and_dark_and_every_text_can_be_read(report, opened):
    page = opened(report)
    page.evaluate("for (const each of document.querySelectorAll('details')) each.open = true")
    for width in (360, 1280, 3840):
        page.set_viewport_size({"width": width, "height": 800})
        assert page.evaluate("document.documentElement.scrollWidth") <= width
        assert page.evaluate(SMALLEST) >= 9
        boxes = [box for box in page.evaluate(FIGURES) if box["width"]]
        assert len(boxes) == 6
        assert all(box["width"] >= 250 and box["height"] >= 90 for box in boxes)
        for scheme in ("light", "dark"):
            page.emulate_media(color_scheme=scheme)
            brightness = page.evaluate("getComputedStyle(document.body).backgroundColor.match(/\\d+/g).map(Number)[0]")
            assert (brightness > 128) == (scheme == "light")
            assert page.evaluate(FAINT) == []


FIGURES = "[...document.querySelectorAll('figure svg')].map(each => each.getBoundingClientRect().toJSON())"
# In screen pixels: the text of a figure shrinks with it.
SMALLEST = """Math.min(...[...document.querySelectorAll("main *, header *")].filter((each) => each.checkVisibility() &&
  [...each.childNodes].some((node) => node.nodeType === 3 && node.data.trim())).map((each) =>
  parseFloat(getComputedStyle(each).fontSize) * (each.ownerSVGElement ? each.getScreenCTM().a : 1)))"""
FAINT = """(() => {
  const parts = (colour) => (colour.match(/[\\d.]+/g) || []).map(Number);
  const linear = (v) => v <= .04045 ? v / 12.92 : ((v + .055) / 1.055) ** 2.4;
  const light = (rgb) => rgb.slice(0, 3).map(v => linear(v / 255))
    .reduce((sum, v, at) => sum + v * [.2126, .7152, .0722][at], 0);
  const behind = (element) => {
    for (let each = element; each; each = each.parentElement) {
      const rgb = parts(getComputedStyle(each).backgroundColor);
      if (rgb.length === 3 || rgb[3] === 1) return rgb;
    }
    return [255, 255, 255];
  };
  const faint = [];
  for (const each of document.querySelectorAll("body *")) {
    const own = [...each.childNodes].some((node) => node.nodeType === 3 && node.data.trim());
    if (!own || !each.checkVisibility() || ["SCRIPT", "STYLE", "OPTION", "title"].includes(each.tagName)) continue;
    const style = getComputedStyle(each);
    const colour = each.ownerSVGElement ? style.fill : style.color;
    const [a, b] = [light(parts(colour)), light(behind(each))].sort((x, y) => y - x);
    if ((a + .05) / (b + .05) < 4.5) faint.push(each.outerHTML.slice(0, 90) + " " + (a + .05) / (b + .05));
  }
  return faint;
})()"""


def test_the_theme_can_be_chosen_and_is_kept(report, opened):
    page = opened(report, color_scheme="light")
    background = "getComputedStyle(document.body).backgroundColor"
    bright = page.evaluate(background)
    page.get_by_label("Theme").select_option("dark")
    dark = page.evaluate(background)
    assert dark != bright

    def is_dark_when_opened_again() -> bool:
        page.reload()
        return bool(page.evaluate(background) == dark)

    until(is_dark_when_opened_again)  # a browser decides when to write to its storage
    page.get_by_label("Theme").select_option("")
    assert page.evaluate(background) == bright


def test_the_keyboard_alone_reaches_and_opens_everything(report, opened):
    page = opened(report)
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.textContent") == "Skip to the topics"
    page.keyboard.press("Enter")
    page.locator(".terms summary").first.focus()
    page.keyboard.press("Enter")
    assert page.locator(".why").first.is_visible()
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.tagName") == "SUMMARY"
    unreachable = page.evaluate(
        "[...document.querySelectorAll('a, button, input, select, summary')].filter(e => e.tabIndex < 0).length"
    )
    assert unreachable == 0


def test_a_topic_or_term_is_found(report, run, opened):
    page = opened(report)
    term = run.topics[1].terms[0].term
    page.get_by_label("Find").fill(term.upper())
    assert page.locator(".card:visible h3").all_text_contents() == [NAMES[1]]
    assert page.locator("#found").text_content() == "1 of 3 topics"
    page.get_by_label("Find").press("Escape")
    assert page.locator(".card:visible").count() == 3
    page.get_by_label("Find").fill("no such thing")
    page.locator("#summary a").first.click()
    expect(page.locator(".card:visible")).to_have_count(3)


def test_a_screen_reader_finds_its_way(shown):
    levels = shown.evaluate("[...document.querySelectorAll('h1, h2, h3, h4')].map(e => Number(e.tagName[1]))")
    assert levels[0] == 1
    assert all(after - before <= 1 for before, after in pairwise(levels))
    for role in ("main", "navigation", "banner", "contentinfo"):
        assert shown.get_by_role(role).count() == 1
    unnamed = shown.evaluate(
        "[...document.querySelectorAll('button, input, select, svg, [role=group], [role=img]')].filter(e =>"
        " !(e.ariaLabel || e.textContent.trim() || (e.labels && e.labels.length))).length"
    )
    assert unnamed == 0
    ids = shown.evaluate("[...document.querySelectorAll('[id]')].map(e => e.id)")
    assert len(ids) == len(set(ids))
    assert shown.evaluate("document.documentElement.lang") == "en"


def test_nothing_jumps_while_it_loads(report, opened):
    page = opened(report)
    script = (
        "new Promise(done => { let sum = 0; new PerformanceObserver(list => { for (const each of list.getEntries())"
        " sum += each.value; }).observe({type: 'layout-shift', buffered: true}); setTimeout(() => done(sum), 150); })"
    )
    assert page.evaluate(script) == 0


def test_the_pointer_tells_more_and_dims_the_other_topics(report, run, opened):
    page = opened(report)
    term = run.topics[0].terms[0]
    label = page.locator("#map .wide text", has_text=re.compile(f"^{term.term}")).first
    label.scroll_into_view_if_needed()
    label.hover()
    assert f"{NAMES[0]}; score {term.score:.2g}, {term.documents:,} documents" in page.locator(".st-tip").text_content()
    assert page.locator("#map .wide .st-dim").count() == 4
    page.keyboard.press("Escape")
    assert page.locator(".st-tip").is_hidden()
    assert page.locator(".st-dim").count() == 0


def test_it_prints_in_black_on_white_without_controls(report, opened):
    page = opened(report, color_scheme="dark")
    page.emulate_media(media="print", color_scheme="dark")
    assert page.locator("header").is_hidden()
    assert page.evaluate("getComputedStyle(document.body).backgroundColor") == "rgb(255, 255, 255)"
    assert page.evaluate("getComputedStyle(document.body).color") == "rgb(24, 32, 44)"


def test_without_scripts_everything_is_still_there(report, opened):
    page = opened(report, java_script_enabled=False)
    page.locator(".terms summary").first.click()
    assert page.locator(".why").first.is_visible()
    assert page.locator("#map .wide svg").is_visible()


def test_a_figures_own_page_answers_the_pointer_too(run, opened, tmp_path):
    topics_map(run).save(tmp_path / "map.html")
    page = opened(tmp_path / "map.html", color_scheme="dark")
    page.locator("text", has_text=NAMES[1]).first.hover()
    assert "confidence" in page.locator(".st-tip").text_content()
    assert (
        page.evaluate("getComputedStyle(document.querySelector('.seetopic-figure')).backgroundColor")
        == "rgb(24, 30, 39)"
    )


def test_other_presets_are_reported(index, opened, tmp_path):
    small = replace(PRESETS["no-iter"].discovery.training, dimensions=8, epochs=1, warm_up=0)
    settings = replace(PRESETS["no-iter"].discovery, training=small)
    page = opened(write_report(found(index, NAMES, settings, "no-iter"), tmp_path))
    assert page.locator(".head").first.locator(".rank").all_text_contents() == ["Meaning", "Use"]
