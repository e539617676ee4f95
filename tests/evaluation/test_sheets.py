"""Sheets for annotators: what they contain, what they hide, and that they survive a round trip."""

from __future__ import annotations

import csv
import io
import json
import re
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from seetopic import Topics, as_seeds
from seetopic.corpus import Judgements
from seetopic.discovery.topics import RankedTerm, Topic
from seetopic.errors import OutputError, SettingsError, SheetError
from seetopic.evaluation.agreement import agreement_of
from seetopic.evaluation.sheets import (
    Item,
    Sheet,
    SheetFiles,
    annotate,
    guarded,
    judgements_of,
    load_methods,
    make_sheet,
    read_key,
    read_sheets,
    unguarded,
    write_sheet,
)

FOOD = {"food": ["bread", "soup", "goal"], "sport": ["tennis", "goal"]}
OTHER = {"food": ["soup", "oven"], "sport": ["goal", "coach"]}


def topics_of(terms: dict[str, list[str]]) -> Topics:
    return Topics(
        tuple(
            Topic(name, (name,), True, tuple(RankedTerm(term, 1.0, 1, {}) for term in own))
            for name, own in terms.items()
        ),
        {},
    )


@pytest.fixture
def sheet() -> Sheet:
    return make_sheet({"ours": topics_of(FOOD), "theirs": topics_of(OTHER)})


@pytest.fixture
def written(sheet, tmp_path) -> SheetFiles:
    return write_sheet(sheet, tmp_path / "sheet.csv")


def filled(files: SheetFiles, name: str, answers: dict[int, str] | str = "1", **columns: str) -> Path:
    """The sheet as an annotator returns it, with one answer for all items or one for each."""
    rows = read_rows(files.table)
    for row in rows:
        row["belongs"] = answers if isinstance(answers, str) else answers[int(row["item"])]
        row.update(columns)
    return write_rows(files.table.with_name(name), rows)


def write_rows(path: Path, rows: list[dict[str, str]], delimiter: str = ",", encoding: str = "utf-8") -> Path:
    text = io.StringIO(newline="")
    table = csv.DictWriter(text, list(rows[0]), delimiter=delimiter)
    table.writeheader()
    table.writerows(rows)
    path.write_bytes(text.getvalue().encode(encoding))
    return path


def read_rows(path: Path) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(path.read_bytes().decode("utf-8-sig"), newline="")))


def test_a_sheet_has_each_pair_of_category_and_term_once_with_its_places(sheet):
    places = {(each.category, each.term): each.places for each in sheet.items}
    assert len(places) == len(sheet.items)
    assert places == {
        ("food", "bread"): {"ours": 1},
        ("food", "soup"): {"ours": 2, "theirs": 1},
        ("food", "goal"): {"ours": 3},
        ("food", "oven"): {"theirs": 2},
        ("sport", "tennis"): {"ours": 1},
        ("sport", "goal"): {"ours": 2, "theirs": 1},
        ("sport", "coach"): {"theirs": 2},
    }
    assert [each.item for each in sheet.items] == list(range(1, 8))
    assert [each.category for each in sheet.items] == ["food"] * 4 + ["sport"] * 3


def test_only_the_best_terms_are_asked_for():
    assert {each.term for each in make_sheet({"ours": topics_of(FOOD)}, top=1).items} == {"bread", "tennis"}


def test_the_order_depends_on_the_random_state_and_not_on_the_methods():
    terms = {"food": [f"term {n}" for n in range(30)]}
    better = {"food": terms["food"][::-1]}

    def order(methods, random_state):
        made = make_sheet({m: topics_of(t) for m, t in methods}, top=30, random_state=random_state)
        return [each.term for each in made.items]

    first = order([("a", terms), ("b", better)], 0)
    assert first == order([("a", terms), ("b", better)], 0) == order([("b", better), ("a", terms)], 0)
    assert first != order([("a", terms), ("b", better)], 1)
    assert first not in (terms["food"], better["food"], sorted(terms["food"]))


def test_the_table_and_the_page_do_not_tell_the_methods(written):
    for path in (written.table, written.page):
        assert not re.search(r"\b(ours|theirs)\b", path.read_text(encoding="utf-8"))
    assert {"ours", "theirs"} == set(json.loads(written.key.read_text())["methods"])


def test_the_table_has_the_promised_columns_and_the_sheets_id(sheet, written):
    rows = read_rows(written.table)
    assert list(rows[0]) == ["item", "category", "term", "belongs", "sheet"]
    assert {row["belongs"] for row in rows} == {""}
    assert {row["sheet"] for row in rows} == {sheet.id}
    assert re.fullmatch("s[0-9a-f]{12}", sheet.id)


def test_other_content_has_another_id(sheet):
    assert sheet.id == make_sheet({"ours": topics_of(FOOD), "theirs": topics_of(OTHER)}).id
    assert sheet.id != make_sheet({"ours": topics_of(OTHER), "theirs": topics_of(FOOD)}).id
    assert sheet.id != make_sheet({"ours": topics_of(FOOD)}).id


def test_a_key_reads_back_as_the_same_sheet(sheet, written):
    assert read_key(written.key) == sheet


@pytest.mark.parametrize("name", ["sheet.csv", "sheet.html", "sheet.key.json"])
def test_nothing_is_written_over(sheet, tmp_path, name):
    (tmp_path / name).write_text("mine")
    with pytest.raises(OutputError, match=f"{name} already exists"):
        write_sheet(sheet, tmp_path / "sheet.csv")
    assert [path.name for path in tmp_path.iterdir()] == [name]
    assert (tmp_path / name).read_text() == "mine"


def test_annotate_reads_folders_and_names_methods_after_them(tmp_path):
    topics_of(FOOD).save(tmp_path / "ours")
    topics_of(OTHER).save(tmp_path / "theirs")
    files = annotate([tmp_path / "ours", tmp_path / "theirs"], tmp_path / "out" / "sheet.csv")
    assert files.table.exists()
    assert files.page.exists()
    assert read_key(files.key).methods == ("ours", "theirs")


def test_folders_of_the_same_name_are_told_apart_by_their_paths(tmp_path):
    for folder in ("a/topics", "b/topics"):
        topics_of(FOOD).save(tmp_path / folder)
    assert list(load_methods([tmp_path / "a/topics", tmp_path / "b/topics"])) == [
        str(tmp_path / "a/topics"),
        str(tmp_path / "b/topics"),
    ]
    with pytest.raises(SheetError, match="was given twice"):
        load_methods([tmp_path / "a/topics", tmp_path / "a/topics"])


@pytest.mark.parametrize(
    ("methods", "sentence"),
    [
        ({}, "no topics were given"),
        ({"a": {"food": ["soup"]}, "b": {"sport": ["goal"]}}, "not about the same categories.*'food'"),
        ({"a": {"food": []}}, "have no terms"),
    ],
)
def test_topics_that_cannot_be_judged_are_refused(methods, sentence):
    with pytest.raises(SheetError, match=sentence):
        make_sheet({method: topics_of(terms) for method, terms in methods.items()})


def test_two_topics_of_one_name_are_refused():
    twice = Topics(topics_of(FOOD).topics * 2, {})
    with pytest.raises(SheetError, match="two topics named 'food'"):
        make_sheet({"a": twice})


def test_topics_of_a_tree_are_judged_by_their_paths(tmp_path):
    topics = topics_of({"leisure": [], "games": ["tennis", "games"], "technology": [], "other games": ["console"]})
    below = [replace(topics[1], path=("leisure", "games")), replace(topics[3], name="games")]
    tree = Topics((topics[0], below[0], topics[2], replace(below[1], path=("technology", "games"))), {})
    files = write_sheet(make_sheet({"ours": tree}), tmp_path / "sheet.csv")
    categories = ["leisure > games", "leisure > games", "technology > games"]
    assert [row["category"] for row in read_rows(files.table)] == categories
    assert [row["term"] for row in read_rows(files.table)][1] == "games"  # the category's own name comes last
    read = read_sheets([filled(files, "ana.csv")])
    assert agreement_of(*read).methods[0].per_topic["technology > games"] == 1.0
    seeds = as_seeds({"leisure": {"games": None}, "technology": {"games": None}})
    assert Judgements(judgements_of(*read)).settled(seeds).terms["console"] == {3: True}


def test_top_must_be_positive_and_a_sheet_must_be_a_csv(sheet, tmp_path):
    with pytest.raises(SettingsError, match="`top` is 0"):
        make_sheet({"a": topics_of(FOOD)}, top=0)
    with pytest.raises(OutputError, match=r"sheet\.xlsx does not end in \.csv"):
        write_sheet(sheet, tmp_path / "sheet.xlsx")


@pytest.mark.parametrize(
    ("text", "cell"),
    [
        ("=1+1", "'=1+1"),
        (" =1", " '=1"),
        ("+49", "'+49"),
        ("-x", "'-x"),
        ("@a", "'@a"),
        ("'tis", "''tis"),
        ("a;=1", "a;'=1"),
        ("＝1", "'＝1"),
        ("a=b", "a=b"),
        ("don't", "don't"),
        ("b-side", "b-side"),
    ],
)
def test_no_cell_starts_as_a_formula(text, cell):
    assert guarded(text) == cell
    assert unguarded(cell) == text


odd_text = st.text(st.sampled_from("ab='\"+-@;,\t\r\n ＝<é\x00")) | st.text(st.characters(exclude_categories=["Cs"]))


@given(odd_text)
def test_what_is_guarded_comes_back(text):
    assert unguarded(guarded(text)) == text
    assert not re.search(r"(^|[;,\"\t\r\n])\s*[=+\-@＝＋－＠]", guarded(text))


@pytest.mark.slow
@given(st.lists(odd_text, min_size=1, max_size=6, unique=True), odd_text, st.data())
def test_odd_terms_come_back_from_table_key_and_page(tmp_path_factory, terms, category, data):
    sheet = make_sheet({"=evil": topics_of({category: terms})})
    folder = tmp_path_factory.mktemp("odd")
    files = write_sheet(sheet, folder / "sheet.csv")
    rows = read_rows(files.table)
    assert [unguarded(row["term"]) for row in rows] == [each.term for each in sheet.items]
    assert {unguarded(row["category"]) for row in rows} == {category}
    assert read_key(files.key) == sheet
    embedded = re.search(r'id="data">(.*?)</script>', files.page.read_text(encoding="utf-8"), re.DOTALL)
    assert [each["term"] for each in json.loads(embedded[1])["items"]] == [each.term for each in sheet.items]
    answers = {each.item: data.draw(st.sampled_from(["1", "0"])) for each in sheet.items}
    _, (back,) = read_sheets([filled(files, "back.csv", answers)])
    assert back.belongs == {item: answer == "1" for item, answer in answers.items()}


@pytest.mark.parametrize(
    ("written_as", "meaning"),
    [
        *((text, True) for text in ("1", "YES", " y", "True", "1.0")),
        *((text, False) for text in ("0", "No", "n ", "FALSE", "0.0")),
        (" ", None),
    ],
)
def test_answers_are_understood_in_any_of_these_ways(written, written_as, meaning):
    answers = dict.fromkeys(range(1, 8), "1") | {3: written_as}
    _, (one,) = read_sheets([filled(written, "anna.csv", answers)])
    assert one.belongs[3] is meaning


def test_the_annotator_is_the_columns_or_else_the_files_name(written):
    paths = [filled(written, "anna.csv"), filled(written, "b.csv", annotator="'=Bob"), filled(written, "c.csv")]
    _, sheets = read_sheets(paths)
    assert [each.annotator for each in sheets] == ["anna", "=Bob", "c"]


@pytest.mark.parametrize(
    ("delimiter", "encoding"), [(";", "utf-8-sig"), ("\t", "utf-16"), (",", "cp1252"), (";", "cp1252")]
)
def test_what_a_spreadsheet_saves_is_read(tmp_path, delimiter, encoding):
    sheet = make_sheet({"ours": topics_of({"café": ["crème", "a;b", "c,d", "1e5"]})})
    files = write_sheet(sheet, tmp_path / "sheet.csv")
    rows = [{"mine": "?", **row, "belongs": str(int(row["item"]) % 2)} for row in read_rows(files.table)][::-1]
    for row in rows:
        row["term"] = row["term"].replace("1e5", "100000")  # as Excel does
    rows.append(dict.fromkeys(rows[0], ""))
    path = write_rows(tmp_path / "anna.csv", rows, delimiter, encoding)
    _, (one,) = read_sheets([path])
    assert one.belongs == {1: True, 2: False, 3: True, 4: False}


def test_a_line_that_names_the_separator_is_passed_over(written):
    path = filled(written, "anna.csv")
    path.write_bytes(b"sep=,\r\n" + path.read_bytes())
    assert set(read_sheets([path])[1][0].belongs.values()) == {True}


def test_an_ascii_sheet_is_plain_and_another_is_marked_for_excel(tmp_path, written):
    assert written.table.read_bytes().startswith(b"item,")
    other = write_sheet(make_sheet({"ours": topics_of({"café": ["crème"]})}), tmp_path / "other.csv")
    assert other.table.read_bytes().startswith("\ufeffitem,".encode())


def with_cell(number: int, column: str, value: str):
    return lambda rows: [{**row, column: value} if n == number else row for n, row in enumerate(rows)]


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        (with_cell(1, "belongs", "perhaps"), "row 3 of .*anna.csv has 'perhaps' in the column `belongs`"),
        (with_cell(1, "belongs", "x"), "has 'x' in the column `belongs`; write 1 or 0"),  # or was it struck out?
        (with_cell(1, "item", "99"), "row 3 of .* has item '99', which is not in the sheet"),
        (with_cell(1, "item", "1"), "row 3 of .* repeats item 1"),
        (lambda rows: rows[:-1], "is missing item 7; keep all rows"),
        (lambda rows: rows[:1], "is missing items 2, 3, 4, 5, 6 and 1 more"),
        (lambda rows: [{**row, "belongs": ""} for row in rows], "has no judgements"),
        (lambda rows: [{**row, "sheet": "s0"} for row in rows], "no key for sheet 's0' was found next to"),
        (with_cell(1, "sheet", "s0"), "in its column `sheet`; give one file for each"),
        (lambda rows: [{**row, "annotator": str(n)} for n, row in enumerate(rows)], "in its column `annotator`"),
        (lambda rows: [{k: v for k, v in row.items() if k != "belongs"} for row in rows], "no column `belongs`"),
        (
            lambda rows: [{**row, "term": other["term"]} for row, other in zip(rows, rows[::-1], strict=True)],
            "when sorting the sheet, sort whole rows",
        ),
    ],
)
def test_a_sheet_that_was_filled_wrongly_is_refused_in_one_sentence(written, change, sentence):
    rows = read_rows(filled(written, "anna.csv", annotator="anna"))
    path = write_rows(written.table.with_name("anna.csv"), change(rows))
    with pytest.raises(SheetError, match=sentence) as refused:
        read_sheets([path])
    assert "\n" not in str(refused.value)


def test_a_name_in_one_row_is_enough(written):
    rows = read_rows(filled(written, "anna.csv", annotator=""))
    path = write_rows(written.table.with_name("anna.csv"), with_cell(1, "annotator", "Eve")(rows))
    assert read_sheets([path])[1][0].annotator == "Eve"


def test_a_foreign_sheet_is_refused(written, tmp_path):
    foreign = write_sheet(make_sheet({"ours": topics_of(FOOD)}), tmp_path / "foreign.csv")
    path = filled(foreign, "eve.csv")
    with pytest.raises(SheetError, match=r"eve\.csv belongs to sheet 's.*', but the key belongs to 's.*'"):
        read_sheets([path], written.key)
    with pytest.raises(SheetError, match=r"eve\.csv belongs to sheet"):
        read_sheets([filled(written, "anna.csv"), path])


def test_the_same_annotator_twice_is_refused(written):
    paths = [filled(written, "anna.csv"), filled(written, "b.csv", annotator="Anna")]
    with pytest.raises(SheetError, match="are both by Anna; give each annotator's sheet once"):
        read_sheets(paths)


def test_a_missing_key_is_asked_for(written):
    path = filled(written, "anna.csv")
    written.key.rename(written.key.with_name("elsewhere.json"))
    with pytest.raises(SheetError, match=r"no key for sheet .* was found next to .*--key"):
        read_sheets([path])
    assert read_sheets([path], written.key.with_name("elsewhere.json"))[1][0].annotator == "anna"
    with pytest.raises(SheetError, match="cannot be read as a key"):
        read_sheets([path], written.key)


@pytest.mark.parametrize(
    "text", ["", "[]", "{}", "null", '{"format": 1}', '{"format": 1, "items": [1]}', "[" * 100_000]
)
def test_a_file_that_is_no_key_is_refused(tmp_path, text):
    path = tmp_path / "sheet.key.json"
    path.write_text(text)
    with pytest.raises(SheetError, match="cannot be read as a key"):
        read_key(path)


def test_a_key_of_another_format_or_with_changes_is_refused(written):
    value = json.loads(written.key.read_text())
    written.key.write_text(json.dumps(value | {"format": 9}))
    with pytest.raises(SheetError, match="key format 9"):
        read_key(written.key)
    value["items"][0]["methods"] = {"theirs": 1}
    written.key.write_text(json.dumps(value))
    with pytest.raises(SheetError, match="has been changed"):
        read_key(written.key)


def test_missing_and_empty_files_are_refused(written, tmp_path):
    with pytest.raises(SheetError, match="no sheets were given"):
        read_sheets([])
    with pytest.raises(SheetError, match="cannot be read"):
        read_sheets([tmp_path / "nowhere.csv"])
    (tmp_path / "empty.csv").write_text("")
    with pytest.raises(SheetError, match="no column `item`"):
        read_sheets([tmp_path / "empty.csv"])


@given(st.binary(max_size=200) | st.text(st.sampled_from('item,category,term,belongs,sheet\n;"1\t'), max_size=80))
def test_any_bytes_are_read_or_refused_in_one_sentence(tmp_path_factory, content):
    path = tmp_path_factory.mktemp("bytes") / "anna.csv"
    path.write_bytes(
        content if isinstance(content, bytes) else b"item,category,term,belongs,sheet\n" + content.encode()
    )
    with pytest.raises(SheetError):
        read_sheets([path])


def test_an_item_without_methods_is_still_an_item():
    assert Sheet((), ("food",), (Item(1, "food", "soup", {}),)).to_csv().splitlines()[1].startswith("1,food,soup,,s")
