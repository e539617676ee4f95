"""All documents of a corpus: found, sorted, counted over time and taken away, over HTTP and in a real browser."""

from __future__ import annotations

import csv
import io
import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx
import pyarrow.parquet as parquet
import pytest
from playwright.sync_api import Browser, Page, expect
from python_calamine import CalamineWorkbook

from planted import KINDS, NAMES, planted_documents
from seetopic.web.document_tables import DocumentTable, DocumentTables
from seetopic.web.jobs import Jobs
from seetopic.web.sources import BuildOptions, FileSource
from waiting import until

from .axe import violations
from .served import Command, Served, commanded

SPORT, FOOD, SPACE = KINDS
PATIENCE = 60_000  # milliseconds
TEXTS = planted_documents()


def rows() -> list[dict[str, str]]:
    """A document a day, of which every third is about space; food is eaten in Köln, and most of it from June on."""
    made = []
    for number, text in enumerate(TEXTS):
        kind = number % 3
        month = 1 + number % 5 if kind != 1 or number % 12 == 1 else 6 + number % 7
        city = "Köln" if kind == 1 else ("Bern", "Wien")[number % 2]
        made.append(
            {"number": str(number), "day": f"2024-{month:02d}-{1 + number % 28:02d}", "city": city, "opinion": text}
        )
    return made


def written(encoding: str, delimiter: str, *copies: str) -> bytes:
    """The table as a file; `copies` are further columns with the city."""
    file = io.StringIO()
    table = csv.DictWriter(file, ["number", "day", "city", *copies, "opinion"], delimiter=delimiter)
    table.writeheader()
    table.writerows({**row, **dict.fromkeys(copies, row["city"])} for row in rows())
    return file.getvalue().encode(encoding)


@dataclass(frozen=True)
class Corpus:
    """The corpus on a server, and a project with two of its three topics."""

    command: Command
    client: httpx.Client
    corpus: str
    project: str

    def ask(self, method: str, path: str, body: Any = None) -> Any:
        answer = self.client.request(method, f"/api/projects/{self.project}/{path}", json=body)
        assert answer.is_success, answer.text
        return answer.json()

    def found(self, **asked: Any) -> dict[str, Any]:
        """The documents of a search, once they are sorted."""

        def sorted_ones() -> Any:
            answer = self.ask("POST", "search", {"limit": 100, **asked})
            return None if answer["sorting"] else answer

        answer: dict[str, Any] = until(sorted_ones)
        return answer

    def numbers(self, **asked: Any) -> list[int]:
        return [each["number"] for each in self.found(**asked)["documents"]]


def made_corpus(client: httpx.Client, source: dict[str, Any], **options: Any) -> str:
    corpus = client.post("/api/corpora", json={"source": source, **options}).raise_for_status().json()["id"]

    def state() -> Any:
        found = client.get(f"/api/corpora/{corpus}").json()
        assert found["state"] != "failed", found["problem"]
        return found["state"] == "ready"

    until(state)
    return str(corpus)


@pytest.fixture(scope="module")
def command(cache: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Command]:
    with commanded(tmp_path_factory.mktemp("documents") / "data", "--cache", str(cache), "--jobs", "1") as served:
        yield served


@pytest.fixture(scope="module")
def corpus(command: Command) -> Iterator[Corpus]:
    with command.client() as client:
        data = (
            written("utf-8", ",", "category") + b"240,2024-01-01,Wien,Wien,\n"
        )  # an empty document, which an index leaves out
        upload = client.post("/api/uploads", params={"name": "opinions.csv"}, content=data).json()["id"]
        source = {"kind": "upload", "id": upload}
        made = made_corpus(client, source, text_field="opinion", keep=["day", "city", "category"], title="Opinions")
        asked = {"corpus": made, "title": "Opinions", "names": NAMES[:2]}
        project = client.post("/api/projects", json=asked).json()["id"]
        yield Corpus(command, client, made, project)


def having(*words: str) -> list[int]:
    return [number for number, text in enumerate(TEXTS) if all(re.search(rf"\b{word}\b", text) for word in words)]


@pytest.mark.slow
def test_documents_are_found_by_words_phrases_columns_and_dates(corpus: Corpus) -> None:
    assert sorted(corpus.numbers(words="Comet orbit")) == having("comet", "orbit")
    assert sorted(corpus.numbers(words="comet -orbit")) == sorted(set(having("comet")) - set(having("orbit")))
    assert corpus.found(words='"comet orbit"')["total"] == 0  # a comma is between them
    assert corpus.found(words="comet zebra")["unknown"] == ["zebra"]
    first = corpus.found(words="comet")["documents"][0]
    assert ["comet", True] in [[part.lower(), mark] for part, mark in first["parts"]]
    data = rows()
    for asked, fits in (
        ({"groups": {"city": ["Wien", "Bern"]}}, lambda row: row["city"] != "Köln"),
        ({"time": "day", "since": "2024-07-01"}, lambda row: row["day"] >= "2024-07-01"),
        ({"time": "day", "until": "2024-02-10", "groups": {"city": ["Wien"]}},
         lambda row: row["day"] <= "2024-02-10" and row["city"] == "Wien"),
    ):  # fmt: skip
        assert corpus.found(**asked)["total"] == sum(map(fits, data))
    assert (
        corpus.client.post(f"/api/projects/{corpus.project}/search", json={"groups": {"x": ["y"]}}).status_code == 404
    )
    kept = corpus.ask("GET", "columns")
    kinds = [(each["name"], each["kind"]) for each in kept]
    assert kinds == [("day", "date"), ("city", "group"), ("category", "group")]
    assert {each["value"]: each["documents"] for each in kept[1]["values"]} == Counter(row["city"] for row in data)


@pytest.mark.slow
def test_documents_are_found_by_category_and_those_that_fit_none(corpus: Corpus) -> None:
    counts = corpus.found()["counts"]
    assert sum(counts.values()) == len(TEXTS)
    food = corpus.found(category="c2")
    assert food["total"] == counts["c2"]
    assert {each["number"] % 3 for each in food["documents"][:50]} == {1}
    none = corpus.numbers(category="none")
    assert none
    assert {number % 3 for number in none} == {2}  # no name is about space
    read = corpus.ask("GET", f"documents/{none[0]}")
    assert read["none"] > max(each["share"] for each in read["shares"])
    assert "".join(part for part, _ in read["parts"]) == TEXTS[none[0]]
    assert read["columns"]["city"] in ("Bern", "Wien")


@pytest.mark.slow
def test_a_tables_rows_are_those_of_the_file_with_what_was_kept(corpus: Corpus) -> None:
    def made(form: str, **asked: Any) -> bytes:
        table = corpus.ask("POST", "tables", {"format": form, **asked})["id"]
        address = f"/api/projects/{corpus.project}/tables/{table}"

        def ready() -> Any:
            found = corpus.client.get(address).json()
            assert found["state"] != "failed", found["problem"]
            assert found["left_out"] == ["category"]  # the table has its own
            return found["state"] == "ready"

        until(ready)
        answer = corpus.client.get(f"{address}/file")
        assert f"Opinions%20sorted.{form}" in answer.headers["content-disposition"]
        assert corpus.client.delete(address).status_code == 204
        return answer.content

    whole = list(csv.DictReader(io.StringIO(made("csv").decode())))
    assert [row["opinion"] for row in whole] == [*TEXTS, ""]
    assert [row["city"] for row in whole[:240]] == [row["city"] for row in rows()]
    assert whole[-1]["problem"] == "empty"
    shown = {each["number"]: each["category"] for each in corpus.found(words="comet")["documents"]}
    names = {None: "", "c1": NAMES[0], "c2": NAMES[1]}
    assert all(whole[number]["category"] == names[category] for number, category in shown.items())

    chosen = {"groups": {"city": ["Wien"]}, "category": "c1"}
    some = parquet.read_table(io.BytesIO(made("parquet", filter=chosen, text=False))).to_pylist()
    assert sorted(row["document"] for row in some) == sorted(corpus.numbers(**chosen))
    assert {(row["city"], row["category"]) for row in some} == {("Wien", NAMES[0])}
    assert "opinion" not in some[0]
    sheet = CalamineWorkbook.from_filelike(io.BytesIO(made("xlsx", filter={"words": "comet"}))).get_sheet_by_index(0)
    assert [int(row[0]) for row in sheet.to_python()[1:]] == having("comet")
    nothing = corpus.client.post(f"/api/projects/{corpus.project}/tables", json={"filter": {"words": "zebra"}})
    assert nothing.status_code == 403


@pytest.mark.slow
def test_shares_over_time_and_by_group_are_those_of_the_documents_that_fit(corpus: Corpus) -> None:
    until(lambda: not corpus.ask("POST", "trends", {"time": "day"})["sorting"])
    found = corpus.ask("POST", "trends", {"time": "day", "by": "month"})
    assert [each["category"] for each in found["changes"]][:1] == [NAMES[1]]
    assert "<svg" in found["picture"]["svg"]
    some = corpus.ask("POST", "trends", {"group": "city", "filter": {"groups": {"city": ["Köln", "Wien"]}}})
    assert some["documents"] == sum(row["city"] != "Bern" for row in rows())
    same = corpus.ask("POST", "trends", {"group": "category", "filter": {"groups": {"city": ["Köln", "Wien"]}}})
    assert same["differences"] == some["differences"]
    best = some["differences"][0]
    assert (best["category"], best["group"]) in {(NAMES[1], "Köln"), (NAMES[1], "Wien")}
    wrong = corpus.client.post(f"/api/projects/{corpus.project}/trends", json={"time": "city"})
    assert wrong.status_code in (400, 403)


@pytest.mark.slow
def test_what_names_miss_becomes_known_and_an_index_alone_is_searched_too(corpus: Corpus, server: Served) -> None:
    missed = corpus.ask("GET", "uncovered")
    assert 0.5 < missed["coverage"] < 0.8
    assert set(missed["themes"][0]["terms"]) & set(SPACE)
    names = corpus.client.get(f"/api/corpora/{corpus.corpus}/suggestions?number=3").json()
    assert {each["name"] for each in names} <= {word for kind in KINDS for word in kind}

    bench = server.workbench  # its corpus is an index without its documents
    alone = bench.corpora.add(FileSource(kind="index", path="planted"), BuildOptions(), "Alone").id
    with server.client() as client:
        project = client.post("/api/projects", json={"corpus": alone, "names": NAMES}).json()["id"]
        address = f"/api/projects/{project}"
        found = until(
            lambda: (got := client.post(f"{address}/search", json={})).json()["sorting"] is None and got.json()
        )
        table = client.post(f"{address}/tables", json={}).json()["id"]
        until(lambda: client.get(f"{address}/tables/{table}").json()["state"] == "ready")
        content = client.get(f"{address}/tables/{table}/file").text
        given = Counter(row["category"] for row in csv.DictReader(io.StringIO(content)))
        assert [given[name] for name in NAMES] == [found["counts"][each] for each in ("c1", "c2", "c3")]
        assert client.delete(address).status_code == 204
        assert not (bench.settings.data / "tables" / project).exists()


def test_a_table_that_was_cut_off_says_so_and_other_files_of_its_folder_go(tmp_path: Path) -> None:
    tables = DocumentTables(tmp_path, Jobs(), str)
    cut, nothing = tmp_path / "project" / "cut", tmp_path / "project" / "nothing"
    begun = DocumentTable(id="cut", name="a sorted.csv", about="all", state="working", made=1.0)
    for place in (cut, nothing):
        place.mkdir(parents=True)
    (cut / "about.json").write_text(begun.model_dump_json())
    tables.tidy()
    (table,) = tables.of_project("project")
    assert (table.id, table.state) == ("cut", "failed")
    assert "make it again" in (table.problem or "")
    assert not nothing.exists()
    tables.remove("project", "cut")
    assert tables.of_project("project") == []


# In a browser


@pytest.fixture
def page(browser: Browser, command: Command) -> Iterator[Page]:
    """A page that may not complain."""
    context = browser.new_context(viewport={"width": 1280, "height": 900}, reduced_motion="reduce")
    context.set_default_timeout(PATIENCE)
    broken: list[str] = []
    context.on("weberror", lambda error: broken.append(str(error.error)))
    context.on("console", lambda message: broken.append(message.text) if message.type == "error" else None)
    shown = context.new_page()
    shown.goto(command.link)
    yield shown
    context.close()
    assert not broken


@pytest.mark.slow
def test_from_a_wrong_column_to_a_table(page: Page, command: Command, tmp_path: Path) -> None:
    """Upload, change options, take a suggested name, make a theme a category, search, read, see a trend, download."""
    file = tmp_path / "opinions.csv"
    file.write_bytes(written("latin-1", ";"))
    page.goto(f"{command.url}/#/open")
    page.locator("#upload").set_input_files(file)
    expect(page.locator(".preview")).to_contain_text("separated by semicolons · Windows-1252 (Latin-1)")
    expect(page.locator(".table")).to_contain_text("Köln")
    expect(page.get_by_label("Text column")).to_have_value("opinion")

    # A wrong column is warned of; indexing fails, and is mended without the file.
    page.get_by_label("Text column").select_option("number")
    expect(page.locator(".note")).to_contain_text("holds numbers, not text. Is the text in “opinion”?")
    assert violations(page, "here") == []
    page.get_by_role("button", name="Index it").click()
    expect(page.locator(".indexing")).to_contain_text("Indexing failed")
    page.get_by_role("link", name="Change options").click()
    page.get_by_label("Text column").select_option("opinion")
    assert page.locator(".keep input:checked").evaluate_all("boxes => boxes.map(box => box.value)") == ["day", "city"]
    page.get_by_role("button", name="Index again").click()

    # Names: one is suggested, one typed; a term that is shown while typing can be taken over.
    page.locator(".suggested button").first.wait_for()
    names = page.get_by_label("Your categories, one per line")
    page.locator(".suggested button").first.click()
    assert names.input_value().strip() in {word for kind in KINDS for word in kind}
    names.fill(NAMES[0])
    page.get_by_role("button", name="Show topics").click()
    expect(page.locator(".topic")).to_have_count(1)
    new = page.get_by_label("Name of a new category")
    new.press_sequentially("kitchens")
    near = page.locator(".near button").first
    term = near.text_content()
    near.click()
    expect(new).to_have_value(term or "")
    expect(new).to_be_focused()
    new.fill(NAMES[1])
    new.press("Enter")
    expect(page.locator(".topic")).to_have_count(2)

    # What the names miss becomes a category with one click, and they cover more.
    share = page.locator(".coverage")
    expect(share).to_have_attribute("aria-label", re.compile("cover 6.% of the documents"))
    assert violations(page, "here") == []
    page.locator(".residual").first.get_by_role("button").click()
    expect(page.locator(".topic")).to_have_count(3)
    expect(share).not_to_have_attribute("aria-label", re.compile("cover 6.% of the documents"))
    page.get_by_label("Undo").click()
    expect(page.locator(".topic")).to_have_count(2)

    # All documents: by words, of a category, that fit none, in a city; one is read.
    page.get_by_role("link", name="Documents", exact=True).click()
    page.get_by_label("Search all documents").fill("comet -orbit")
    expected = len(set(having("comet")) - set(having("orbit")))
    expect(page.get_by_text(f"{expected} documents · with comet -orbit")).to_be_visible()
    page.get_by_role("button", name="Fits none").click()
    first = page.locator(".hit").first
    expect(first.locator("a")).to_have_text(f"document {first.get_attribute('data-number')}")
    page.locator(".hit a").first.click()
    expect(page.locator(".share-bars li").first).to_contain_text("none of these")
    expect(page.locator(".one-document .columns")).to_contain_text("city")
    assert violations(page, "here") == []
    page.keyboard.press("Escape")
    page.get_by_label("Search all documents").fill("")
    page.get_by_role("button", name=re.compile("^city:")).click()
    page.locator(".values label", has_text="Wien").click()
    assert violations(page, "here") == []
    page.keyboard.press("Escape")
    wien = sum(row["city"] == "Wien" for row in rows())
    page.get_by_role("button", name="All", exact=True).click()
    expect(page.get_by_text(f"{wien} documents · city: Wien")).to_be_visible()

    # The filter holds for the table, for a topic's documents, and for trends.
    page.get_by_role("button", name="Download a table").click()
    assert violations(page, "here") == []
    with page.expect_download(timeout=PATIENCE) as download:
        page.get_by_role("button", name="Sort and download").click()
    table = list(csv.DictReader(Path(download.value.path()).read_text(encoding="utf-8").splitlines()))
    assert (len(table), {row["city"] for row in table}) == (wien, {"Wien"})
    page.get_by_role("link", name="Topics", exact=True).click()
    page.locator(".topic-name").first.click()
    expect(page.locator(".reading")).to_contain_text("documents (city: Wien) belong mainly to it")
    page.get_by_role("link", name="Trends", exact=True).click()
    expect(page.locator(".drawn svg")).to_be_visible()
    expect(page.locator(".page")).to_contain_text(f"{wien} documents (city: Wien). Bands and bars are 95 % intervals")
    page.get_by_role("button", name="Clear filters").click()
    expect(page.locator(".findings")).to_contain_text(f"{NAMES[1]} rises from")
    page.get_by_label("By group").select_option("city")
    expect(page.locator(".page")).to_contain_text(f"{NAMES[1]} is more frequent in Köln")
    page.get_by_text("Numbers", exact=True).click()
    assert violations(page, "here") == []
