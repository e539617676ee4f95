"""Trends: intervals that cover the truth, changes that were planted and no others, and the same from any table."""

from __future__ import annotations

import csv
import json
import sys
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.csv
import pyarrow.parquet
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import binom, chi2_contingency, hypergeom

from seetopic import Trends, trends
from seetopic.classify.findings.changes import change_points, comparisons
from seetopic.classify.findings.correction import Cells, corrected, error_rates, log_likelihood, most_likely_shares
from seetopic.classify.findings.counts import TermCounts
from seetopic.classify.findings.judged import judged_documents
from seetopic.classify.findings.shares import (
    difference_interval,
    difference_test,
    holm,
    interval,
)
from seetopic.classify.findings.typical import typical_terms
from seetopic.errors import CorpusError, JudgementError, MissingExtra, SettingsError
from seetopic.output.trend_files import write_trends
from seetopic.runtime import workbook, write_sheet

MONTHS = [f"2025-{month:02d}-15" for month in range(1, 13)]
BASE = np.array([0.20, 0.15, 0.10, 0.08, 0.05])


def rows_of(counts: dict[tuple[str, str, str], int]) -> dict[str, list[str]]:
    """A table with so many rows per date, source and category."""
    rows = [place for place, number in counts.items() for _ in range(number)]
    dates, sources, categories = (list(column) for column in zip(*rows, strict=True))
    return {"date": dates, "source": sources, "category": categories}


def planted() -> dict[str, list[str]]:
    """Sport rises from 10 to 20 % in July, and the paper has more food than the wire."""
    counts = {}
    for number, day in enumerate(MONTHS):
        for source, food in (("paper", 90), ("wire", 30)):
            sport = 30 if number < 6 else 60
            counts |= {(day, source, "sport"): sport, (day, source, "food"): food}
            counts[day, source, ""] = 300 - sport - food
    return rows_of(counts)


@pytest.fixture(scope="module")
def found() -> Trends:
    return trends(pa.table(planted()), time="date", group="source")


def test_shares_are_counted_per_period_group_and_category(found):
    assert (found.by, found.groups, found.categories) == ("month", ("paper", "wire"), ("food", "sport"))
    assert found.periods[0] == "2025-01"
    assert len(found.shares) == 12 * 2 * 2
    row = next(
        each for each in found.shares if (each.group, each.period, each.category) == ("wire", "2025-07", "sport")
    )
    assert (row.documents, row.of, row.share, row.start) == (60, 300, 0.2, "2025-07-01")
    assert 0.15 < row.low < 0.2 < row.high < 0.25


def test_a_change_is_reported_where_it_begins_and_nowhere_else(found):
    assert [(each.group, each.category, each.period, each.direction) for each in found.changes] == [
        ("paper", "sport", "2025-07", "rise"),
        ("wire", "sport", "2025-07", "rise"),
    ]
    change = found.changes[0]
    assert (change.before, change.after, change.change) == (0.1, 0.2, 0.1)
    assert change.low < 0.1 < change.high
    assert change.p < 0.001


def test_groups_that_differ_are_told_from_those_that_do_not(found):
    different = {(each.group, each.category): each.p <= 0.05 for each in found.differences}
    assert different == {
        ("paper", "food"): True, ("wire", "food"): True, ("paper", "sport"): False, ("wire", "sport"): False,
    }  # fmt: skip
    food = found.differences[0]
    assert (food.share, food.others, food.difference) == (0.3, 0.1, 0.2)


@pytest.mark.parametrize("ending", ["csv", "parquet", "jsonl", "tsv", "xlsx"])
def test_every_kind_of_table_gives_the_same_trends(found, tmp_path, ending):
    rows = pa.table(planted()).to_pylist()
    path = tmp_path / f"sorted.{ending}"
    if ending == "parquet":
        pa.parquet.write_table(pa.table(planted()), path, row_group_size=1000)
    elif ending == "xlsx":
        with workbook(path) as book:
            write_sheet(book, "documents", list(rows[0]), (row.values() for row in rows))
    elif ending == "jsonl":
        path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    else:
        with path.open("w", newline="", encoding="utf-8") as file:
            writer = csv.DictWriter(file, rows[0], delimiter="\t" if ending == "tsv" else ",")
            writer.writeheader()
            writer.writerows(rows)
    again = trends(path, time="date", group="source")
    assert again.to_json() == {**found.to_json(), "source": path.name}


def test_the_order_of_rows_and_their_batches_do_not_matter(found):
    table = pa.table(planted())
    shuffled = table.take(np.random.default_rng(0).permutation(table.num_rows))
    pieces = pa.Table.from_batches(shuffled.to_batches(max_chunksize=700))
    assert trends(pieces, time="date", group="source") == found


def test_periods_are_long_enough_for_the_documents_of_each_group():
    days = [f"{year}-{month:02d}-15" for year in (2023, 2024, 2025) for month in range(1, 13) for _ in range(120)]
    table = pa.table({"date": days, "source": ["a", "b", "c"] * (len(days) // 3), "category": ["x"] * len(days)})
    assert trends(table, time="date").by == "month"
    assert trends(table, time="date", group="source").by == "quarter"


def test_dates_of_many_years_are_counted_by_month_as_they_come():
    days = np.arange("2015-01-01", "2025-01-01", 2, dtype="datetime64[D]").astype(str).tolist()
    table = pa.table({"date": days, "category": ["sport"] * len(days)})
    parts = pa.Table.from_batches(table.to_batches(max_chunksize=100))
    by_month, by_itself = (trends(parts, time="date", by=by) for by in ("month", "auto"))
    assert len(by_month.periods) == 120
    assert sum(each.documents for each in by_month.shares) == len(days)
    assert by_itself == trends(table, time="date", by=by_itself.by)


def test_with_names_categories_keep_their_order_and_missing_ones_have_no_documents():
    found = trends(pa.table(planted()), group="source", seeds=["sport", "music", "food"])
    assert found.categories == ("sport", "music", "food")
    assert [row.documents for row in found.shares if row.category == "music"] == [0, 0]
    assert [(row.low, row.high > 0) for row in found.shares if row.category == "music"] == [(0.0, True)] * 2


def test_what_is_not_counted_is_said():
    table = {
        "date": ["2025-01-01", "soon", "", "2025-01-02", "2025-01-03", None],
        "source": ["a", "a", "a", "", "a", "a"],
        "category": ["x", "x", "x", "x", None, "x"],
        "problem": ["", "", "", "", "empty", None],
    }
    found = trends(pa.table(table), time="date", group="source")
    assert found.documents == 1
    assert found.left_out == {
        "empty or malformed": 1, "without a source": 1, "without a date": 2, "with an unreadable date": 1,
    }  # fmt: skip
    assert found.unreadable == ("soon",)


def test_texts_that_a_spreadsheet_could_run_are_restored(tmp_path):
    path = tmp_path / "sorted.csv"
    path.write_text("category,source\n'=sum,'@me\n'=sum,you\n", encoding="utf-8")
    found = trends(path, group="source")
    assert (found.categories, found.groups) == (("=sum",), ("@me", "you"))


@pytest.mark.parametrize(
    ("options", "error", "told"),
    [
        ({}, SettingsError, "neither --time nor --group"),
        ({"time": "day"}, CorpusError, "no column 'day', only 'date', 'source', 'category'; keep it with"),
        ({"group": "source", "several": True}, CorpusError, "no column 'categories'"),
        ({"time": "source"}, CorpusError, "none of the 7,200 rows can be counted .*such as 'paper'"),
        ({"time": "date", "by": "decade"}, SettingsError, "`by` is 'decade'"),
        ({"time": "date", "dates": "year-first"}, SettingsError, "`dates` is 'year-first'"),
        ({"time": "date", "top": 0}, SettingsError, "`top` is 0"),
        ({"time": "date", "label_field": "source"}, CorpusError, "in the column 'source'"),
    ],
)
def test_wrong_columns_and_options_are_refused(options, error, told):
    with pytest.raises(error, match=told):
        trends(pa.table(planted()), **options)


def test_in_a_tree_a_document_counts_for_the_categories_above_its_own():
    table = pa.table(
        {
            "document": range(4),
            "source": ["a", "a", "a", "b"],
            "category": ["films", "media", "films", None],
            "path": ["media > films", "media", "sport > films", None],
            "path_shares": [[0.9, 0.8], [0.5], [0.7, 0.6], []],
            "categories": [["media > films", "sport"], ["media"], ["sport > films", "sport"], []],
        }
    )
    found = {row.category: row.documents for row in trends(table, group="source").shares if row.group == "a"}
    assert found == {"media": 2, "media > films": 1, "sport": 1, "sport > films": 1}
    several = trends(table, group="source", several=True)
    found = {row.category: row.documents for row in several.shares if row.group == "a"}
    assert found == {"media": 2, "media > films": 1, "sport": 2, "sport > films": 1}
    assert not {("media", "media > films"), ("sport", "sport > films")} & {
        (each.category, each.other) for each in several.together
    }
    kept = table.drop_columns("path_shares")  # then `path` is a column of the user's own
    assert "films" in trends(kept, group="source").categories
    by_path = trends(kept.filter(pa.compute.is_valid(kept["path"])), group="path")
    assert by_path.categories == ("films", "media")
    judged = judged_documents(
        [{"category": name, "document": 1, "belongs": True} for name in ("media > films",)]
        + [{"category": name, "document": 2, "belongs": True} for name in ("media", "sport")],
        several=False,
    )
    assert judged[1] == {"media > films": True, "media": True, "sport": False}
    assert judged[2] == {"media": True, "sport": True}


def test_with_names_of_a_tree_its_categories_keep_their_order():
    paths = ["media > films", "media > books", "media > films"]
    rows = {"source": ["a", "b", "b"], "category": [path.split(" > ")[1] for path in paths], "path": paths}
    table = pa.table({**rows, "path_shares": [[0.9, 0.8]] * 3})
    found = trends(table, group="source", seeds={"sport": None, "media": {"children": ["books", "games", "films"]}})
    assert found.categories == ("sport", "media", "media > books", "media > games", "media > films")


OF_OTHERS = [pa.large_string(), pa.string_view(), pa.dictionary(pa.int32(), pa.string())]  # types of texts


@pytest.mark.parametrize("texts", OF_OTHERS, ids=str)
def test_lists_as_texts_are_split_in_a_table_of_any_library(texts):
    rows = {"source": ["a", "b"], "category": ["sport", "food"], "categories": ["sport|food", "food"]}
    rows |= {"label": ["food", "sport|food"], "problem": ["", ""]}
    own = pa.table({name: pa.array(cells, pa.string()).cast(texts) for name, cells in rows.items()})
    options = {"group": "source", "several": True, "label_field": "label"}
    assert trends(own, **options) == trends(pa.table(rows), **options)
    assert trends(own, **options).categories == ("food", "sport")


def test_documents_without_any_category_are_refused_unless_names_are_given():
    table = pa.table({"source": ["a", "b"], "category": ["", None]})
    with pytest.raises(CorpusError, match="none of the 2 documents has a category"):
        trends(table, group="source")
    assert [row.share for row in trends(table, group="source", seeds=["sport"]).shares] == [0.0, 0.0]


def test_a_batch_without_any_category_adds_nothing():
    rows = {"source": ["a", "b"], "category": [None, "sport"], "categories": [[], ["sport", "food"]]}
    categories = pa.array(rows["categories"], pa.list_(pa.string()))
    batches = [pa.table(rows | {"categories": categories}).slice(row, 1).to_batches()[0] for row in (0, 1, 0)]
    together = trends(pa.Table.from_batches(batches), group="source", several=True).together
    assert [(each.category, each.other, each.documents) for each in together] == [("food", "sport", 1)]


def test_values_of_several_types_in_jsonl_are_read_one_by_one(tmp_path):
    rows = [{"date": date, "category": "x", "source": 1} for date in ("2025-06-03", 1748908800, "soon", None, 2025)]
    path = tmp_path / "sorted.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    found = trends(path, time="date", group="source", by="year")
    assert (found.documents, found.groups, found.periods) == (3, ("1",), ("2025",))
    assert found.left_out == {"without a date": 1, "with an unreadable date": 1}
    path.write_text('{"date": "2025", "category": "x"}\nnull\n', encoding="utf-8")
    with pytest.raises(CorpusError, match="contains None, which is not an object"):
        trends(path, time="date")


def test_a_column_of_identifiers_is_not_a_group():
    table = pa.table({"id": [str(number) for number in range(1001)], "category": ["x"] * 1001})
    with pytest.raises(CorpusError, match="1,001 values"):
        trends(table, group="id")


@pytest.mark.parametrize(
    ("name", "content"), [("sorted.xlsx", b"x"), ("sorted.parquet", b"x"), ("x.jsonl", b"{"), ("missing.csv", None)]
)
def test_a_file_that_is_no_table_is_refused(tmp_path, name, content):
    if content is not None:
        (tmp_path / name).write_bytes(content)
    with pytest.raises(CorpusError, match=name):
        trends(tmp_path / name, time="date")


def test_without_arrow_the_extra_is_named(tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    with pytest.raises(MissingExtra, match=r"seetopic\[parquet\]"):
        trends(tmp_path / "sorted.csv", time="date")


# Which categories go together


def test_categories_that_meet_more_often_than_by_chance_are_told_from_others():
    chance = np.random.default_rng(0)
    first, second = chance.random((2, 4000)) < 0.3
    third = np.where(chance.random(4000) < 0.5, first, second)
    several = ["|".join(np.array(["a", "b", "c"])[list(row)]) for row in zip(first, second, third, strict=True)]
    table = {"date": ["2025-01-01"] * 4000, "category": [each.split("|")[0] for each in several], "categories": several}
    found = trends(pa.table(table), time="date", several=True)
    pairs = {frozenset((each.category, each.other)): each for each in found.together}
    independent, dependent = pairs[frozenset("ab")], pairs[frozenset("ac")]
    assert independent.p > 0.05
    assert abs(independent.ratio - 1) < 0.1
    assert dependent.p < 1e-6
    assert dependent.documents == (first & third).sum()
    assert dependent.expected == pytest.approx(first.sum() * third.sum() / 4000, abs=0.1)
    lists = pa.table({**table, "categories": [each.split("|") if each else [] for each in several]})
    assert trends(lists, time="date", several=True) == found


# Calibration


def test_with_labels_shares_are_those_of_the_true_categories():
    chance = np.random.default_rng(1)
    true = chance.random(20_000) < 0.2
    sorted_into = np.where(true, chance.random(20_000) < 0.7, chance.random(20_000) < 0.1)
    label = np.where(np.arange(20_000) < 2000, np.where(true, "SPORT ", "other"), "")
    table = {"date": ["2025-01-01"] * 20_000, "category": np.where(sorted_into, "sport", ""), "label": label}
    (plain,) = trends(pa.table(table), time="date").shares
    (row,) = trends(pa.table(table), time="date", label_field="label").shares
    assert not plain.low <= true.mean() <= plain.high
    assert row.low <= true.mean() <= row.high
    assert row.calibrated
    assert row.high - row.low > plain.high - plain.low
    assert (row,) == trends(pa.table(table), time="date", label_field="label").shares
    assert trends(pa.table(table), time="date", label_field="label").labels == 2000


def test_judgements_of_documents_calibrate_as_labels_do(tmp_path):
    chance = np.random.default_rng(1)
    true = chance.random(5000) < 0.2
    given = np.where(true, chance.random(5000) < 0.7, chance.random(5000) < 0.1)
    label = np.where(np.arange(5000) < 1000, np.where(true, "sport", "other"), "")
    table = pa.table(
        {
            "document": np.arange(5000),
            "source": ["a"] * 5000,
            "category": np.where(given, "sport", ""),
            "label": label,
        }
    )
    judgements = [{"category": "Sport", "document": number, "belongs": bool(true[number])} for number in range(1000)]
    path = tmp_path / "judgements.jsonl"
    other = [{"category": "sport", "term": "goal", "belongs": True}]
    path.write_text("".join(json.dumps(each) + "\n" for each in [*judgements, *other]), encoding="utf-8")
    by_labels = trends(table, group="source", label_field="label")
    assert trends(table, group="source", judgements=path) == by_labels
    assert trends(table, group="source", judgements=judgements) == by_labels
    pa.csv.write_csv(table, tmp_path / "sorted.csv")
    assert trends(tmp_path / "sorted.csv", group="source", judgements=path).shares == by_labels.shares
    with pytest.raises(SettingsError, match="both --label-field and --judgements"):
        trends(table, group="source", judgements=judgements, label_field="label")


@pytest.mark.parametrize("several", [False, True])
def test_judgements_are_settled_as_for_teaching(several):
    given = [
        {"category": "Sport", "document": 1, "belongs": True, "by": "Ann"},
        {"category": "film", "document": 2, "belongs": False},
        {"category": None, "document": 3, "belongs": True},
        *({"category": "film", "document": 4, "belongs": belongs, "by": "Ann"} for belongs in (True, False)),
        {"category": "film", "document": "its text", "belongs": True},
    ]
    with pytest.warns(UserWarning, match="1 contradiction in"):
        found = judged_documents(given, several)
    assert found[1] == ({"sport": True} if several else {"sport": True, "film": False})
    assert found[2] == {"film": False}
    assert found[3] == {"sport": False, "film": False}
    assert set(found) == {1, 2, 3}


@pytest.mark.parametrize(
    "content", ["", "{}", '{"document": 1, "category": "x", "belongs": 1}', '{"term": "x", "belongs": true}']
)
def test_judgements_that_cannot_be_used_are_refused(tmp_path, content):
    path = tmp_path / "judgements.jsonl"
    path.write_text(content, encoding="utf-8")
    with pytest.raises(JudgementError):
        trends(pa.table({**planted(), "document": range(7200)}), group="source", judgements=path)


def labelled_months(known: float, sensitivity: float = 0.4, false_positives: float = 0.05) -> dict[str, list[str]]:
    """Two years of 20 documents per month and source, 2 to 3 % of them sport; badly sorted, a part with labels."""
    chance = np.random.default_rng(3)
    months = [f"{year}-{month:02d}-15" for year in (2024, 2025) for month in range(1, 13)]
    date, source = (each.ravel() for each in np.meshgrid(months * 40, ["paper", "web"]))
    true = chance.random(len(date)) < 0.025
    given = chance.random(len(date)) < np.where(true, sensitivity, false_positives)
    label = np.where(chance.random(len(date)) < known, np.where(true, "sport", "other"), "")
    columns = {"date": date, "source": source, "category": np.where(given, "sport", ""), "label": label}
    return {name: column.tolist() for name, column in {**columns, "true": np.where(true, "sport", "")}.items()}


@pytest.mark.parametrize("known", [0.1, 0.5, 1.0])
def test_a_share_of_all_periods_does_not_depend_on_their_length(known):
    table = pa.table(labelled_months(known))
    truth = trends(table.set_column(2, "category", table["true"]), time="date", group="source", by="year").overall
    found = {
        by: trends(table, time="date", group="source", by=by, label_field="label")
        for by in ("week", "month", "quarter", "year")
    }
    for each in found.values():
        assert each.overall == found["year"].overall
        assert max(row.share for row in each.shares) <= 0.2  # without labels, a month says next to nothing
        assert all(row.low <= row.share <= row.high and row.low < row.high for row in (*each.shares, *each.overall))
    for row, true in zip(found["year"].overall, truth, strict=True):
        assert row.low <= true.share <= row.high
        assert known < 1 or row.share == true.share
    one_group, *_ = trends(table, group="source", label_field="label").overall
    assert (one_group.share, one_group.low) == (found["year"].overall[0].share, found["year"].overall[0].low)


def test_where_all_documents_have_labels_shares_are_known():
    table = pa.table(labelled_months(1.0))
    truth = trends(table.set_column(2, "category", table["true"]), time="date", group="source", by="month")
    found = trends(table, time="date", group="source", by="month", label_field="label")
    assert [row.share for row in found.shares] == [row.share for row in truth.shares]
    assert "by 1,920 labels" in str(found)


def test_labels_count_in_the_periods_and_groups_of_their_documents():
    """All documents of January have labels; those of February have none, and are sorted by the same rates."""
    counts = {("2025-01-01", "a", "sport"): 100, ("2025-02-01", "a", "sport"): 500}
    counts |= {("2025-01-01", "a", ""): 100, ("2025-02-01", "a", ""): 500}
    table = rows_of(counts)
    table["label"] = ["sport"] * 60 + ["other"] * 40 + [""] * 500 + ["other"] * 100 + [""] * 500
    found = trends(pa.table(table), time="date", by="month", label_field="label")
    january, february = found.shares
    assert january.share == 0.3
    assert february.share == pytest.approx((0.5 - 40 / 140) / (1 - 40 / 140), abs=0.02)
    assert (january.documents, found.labels) == (100, 200)


def test_cells_that_truly_differ_are_not_pulled_together():
    chance = np.random.default_rng(0)
    true = np.array([0.05] * 6 + [0.15] * 6)
    given = chance.binomial(20_000, 0.8 * true + 0.02 * (1 - true))
    labelled = Cells(*(np.full(12, number) for number in (0, 0)), given, np.full(12, 20_000))
    share, low, high = corrected(labelled, error_rates(80_000, 20_000, 18_000, 882_000))
    assert share == pytest.approx(true, abs=0.01)
    assert ((low <= true) & (true <= high)).all()


def test_perfect_sorting_needs_no_correction():
    rates = error_rates(100_000, 0, 0, 100_000)
    nothing = np.zeros(1, np.int64)
    share, low, high = corrected(Cells(nothing, nothing, nothing + 300, nothing + 1000), rates)
    assert share[0] == pytest.approx(0.3, abs=0.003)
    assert (low[0], high[0]) == pytest.approx([float(each) for each in interval(300, 1000)], abs=0.003)


def test_the_likelihood_is_that_of_drawn_error_rates():
    """The mean of binomial likelihoods over draws of both rates."""
    judged = 30, 20, 12, 140
    cells = Cells(*(np.array([number]) for number in (3, 20, 25, 200)))
    true = np.linspace(0.01, 0.5, 50)
    chance = np.random.default_rng(0)
    s, f = chance.beta(30.5, 20.5, 40_000), chance.beta(12.5, 140.5, 40_000)
    q = np.outer(true, s) + np.outer(1 - true, f)
    expected = binom.pmf(25, 200, q).mean(axis=1) * binom.pmf(3, 20, true)
    found = np.exp(log_likelihood(true[None], cells, error_rates(*judged)))[0]
    assert found / found.sum() == pytest.approx(expected / expected.sum(), abs=2e-3)


@given(st.integers(0, 30), st.integers(1, 30), st.integers(0, 400), st.integers(1, 400))
def test_a_corrected_interval_contains_its_share_and_is_never_a_point(true, labelled, given, others):
    cells = Cells(*(np.array([number]) for number in (min(true, labelled), labelled, min(given, others), others)))
    for judged in ((50, 10, 10, 300), (5, 50, 60, 500)):
        share, low, high = (float(each[0]) for each in corrected(cells, error_rates(*judged)))
        assert 0 <= low <= share <= high <= 1
        assert low < high


def test_many_documents_have_a_narrow_interval():
    share, low, high = most_likely_shares(Cells(*(np.array([n]) for n in (3000, 30_000_000, 0, 0))), None)
    assert share[0] == pytest.approx(1e-4, rel=1e-3)
    assert (low[0], high[0]) == pytest.approx([float(each) for each in interval(3000, 30_000_000)], rel=2e-3)


@pytest.mark.parametrize("share", [0.0, 0.01, 0.03, 0.2])
@pytest.mark.parametrize("known", [0.05, 0.3, 1.0])
@pytest.mark.parametrize("errors", [(0.85, 0.02), (0.4, 0.05)])
def test_corrected_intervals_cover_the_truth(share, known, errors):
    """Cells of 60 documents with few labels or many; one of them has a share of its own."""
    chance = np.random.default_rng(0)
    true = np.array([share] * 14 + [0.15])
    inside = []
    for _ in range(80):
        labelled = chance.binomial(60, known, len(true))
        positive = chance.binomial(labelled, true)
        belongs = chance.binomial(60 - labelled, true)
        given = chance.binomial(belongs, errors[0]) + chance.binomial(60 - labelled - belongs, errors[1])
        belonging, others = int(positive.sum()), int((labelled - positive).sum())
        found, wrong = (int(chance.binomial(*each)) for each in zip((belonging, others), errors, strict=True))
        rates = error_rates(found, belonging - found, wrong, others - wrong)
        _, low, high = corrected(Cells(positive, labelled, given, 60 - labelled), rates)
        inside.append((low <= true) & (true <= high))
    assert np.mean(inside) >= 0.93


def test_labels_that_do_not_show_that_a_category_is_found_count_alone():
    assert error_rates(0, 5, 0, 5) is error_rates(1, 0, 9, 9) is error_rates(2, 8, 5, 15) is None
    rows = {"source": ["a"] * 330, "category": ["sport"] * 30 + [""] * 300}
    rows["label"] = ["other"] * 15 + ["sport"] * 1 + [""] * 14 + ["sport"] * 9 + ["other"] * 75 + [""] * 216
    found = trends(pa.table(rows), group="source", label_field="label")
    assert found.shares[0].share == pytest.approx(0.1, abs=1e-3)
    assert found.notes == (
        "the shares of 'sport' are those of its labels alone: 1 of 10 documents with this label were sorted into it",
    )


def test_a_category_without_labels_is_not_corrected():
    rows = {"source": ["a"] * 4, "category": ["", "food", "", "food"], "label": ["", "food", "none", "none"]}
    found = trends(pa.table(rows), group="source", seeds=["sport", "food"], label_field="label")
    assert (found.shares[0].share, found.shares[0].calibrated) == (0.0, False)
    assert found.notes[0].startswith("the shares of 'sport' are not corrected")
    assert "corrected, where possible, for errors" in found.corrected


# Statistics


@given(st.integers(0, 400), st.integers(1, 400))
def test_an_interval_contains_its_share(given, documents):
    given = min(given, documents)
    low, high = interval(given, documents)
    assert 0 <= low <= given / documents <= high <= 1
    assert low < high


@given(*[st.integers(1, 60)] * 4)
def test_few_documents_are_tested_exactly(k1, rest1, k2, rest2):
    n1, n2 = k1 + rest1, k2 + rest2
    table = (n1 + n2, k1 + k2, n1)
    tails = hypergeom.cdf(k1, *table), hypergeom.sf(k1 - 1, *table)
    if min(k1 + k2, rest1 + rest2) * min(n1, n2) / (n1 + n2) < 25:
        assert difference_test(k1, n1, k2, n2) == pytest.approx(min(1, 2 * min(tails)), rel=1e-6)


@given(*[st.integers(100, 5000)] * 4)
def test_many_documents_are_tested_by_the_likelihood_ratio(k1, rest1, k2, rest2):
    expected = chi2_contingency([[k1, rest1], [k2, rest2]], correction=False, lambda_="log-likelihood").pvalue
    assert difference_test(k1, k1 + rest1, k2, k2 + rest2) == pytest.approx(expected, rel=1e-4, abs=1e-12)


def test_the_correction_is_that_of_holm():
    assert holm(np.array([0.01, 0.04, 0.03, 0.005])) == pytest.approx([0.03, 0.06, 0.06, 0.02])
    assert len(holm(np.zeros(0))) == 0


def test_the_interval_of_a_difference_is_that_of_newcombe():
    """His example of 56/70 against 48/80, with the intervals of this package in place of Wilson's."""
    difference, low, high = difference_interval(56, 70, 48, 80)
    (low1, high1), (low2, high2) = interval(56, 70), interval(48, 80)
    assert difference == pytest.approx(0.2)
    assert low == pytest.approx(0.2 - np.sqrt((0.8 - low1) ** 2 + (high2 - 0.6) ** 2))
    assert high == pytest.approx(0.2 + np.sqrt((high1 - 0.8) ** 2 + (0.6 - low2) ** 2))


def test_typical_terms_are_those_of_the_equation():
    """Monroe, Colaresi and Quinn's equations (16) and (20) to (22), written out."""
    counts = np.array([[40, 5, 55], [10, 30, 60]])  # (parts, terms)
    part, term = (each.ravel() for each in np.indices(counts.shape))
    zeros = np.zeros(6, np.int64)
    keys, documents, scores = typical_terms(
        TermCounts(("a", "b", "c"), term, zeros, part, zeros, counts.ravel()), part, 2, 1
    )
    found = {(row, number): z for (row, number), z in zip(keys.tolist(), scores.tolist(), strict=True)}
    prior = counts.sum(axis=0) * 3 / counts.sum()
    for row, number in ((0, 0), (1, 1)):
        here, there = counts[row], counts[1 - row]
        odds = [
            np.log((each[number] + prior[number]) / (each.sum() + 3 - each[number] - prior[number]))
            for each in (here, there)
        ]
        spread = np.sqrt(1 / (here[number] + prior[number]) + 1 / (there[number] + prior[number]))
        assert found[row, number] == pytest.approx((odds[0] - odds[1]) / spread)
    assert set(found) == {(0, 0), (1, 1)}
    assert documents.tolist() == [40, 30]


def test_terms_of_a_period_are_found_in_a_table():
    dates = ["2025-01-01"] * 200 + ["2025-02-01"] * 200
    january = ["goal|league"] * 120 + ["goal|olympics"] * 20 + ["goal"] * 60
    terms = january + ["goal|league"] * 20 + ["goal|olympics"] * 120 + ["goal"] * 60
    table = {"date": dates, "category": ["sport"] * 400, "terms": terms}
    found = trends(pa.table(table), time="date", by="month")
    assert [(each.period, each.term, each.documents) for each in found.terms] == [
        ("2025-01", "league", 120),
        ("2025-02", "olympics", 120),
    ]


def test_the_best_terms_of_a_group_are_found_and_shown_on_a_page(tmp_path):
    table = {"source": ["paper"] * 200 + ["wire"] * 200, "category": ["sport"] * 400}
    table["terms"] = (
        ["goal|cup|league"] * 100 + ["goal|cup"] * 50 + ["goal"] * 50 + ["goal|olympics"] * 120 + ["olympics"] * 80
    )
    found = trends(pa.table(table), group="source", top=1)
    assert [(each.group, each.term) for each in found.terms] == [("paper", "cup"), ("wire", "olympics")]
    write_trends(found, tmp_path / "trends.html")
    page = (tmp_path / "trends.html").read_text(encoding="utf-8")
    assert "Typical terms" in page
    assert "<td>wire</td><td>olympics</td>" in page


def test_the_only_term_of_a_category_is_typical_of_nothing():
    table = {"date": ["2025-01-01", "2025-02-01"], "category": ["sport"] * 2, "terms": ["goal"] * 2}
    assert trends(pa.table(table), time="date", by="month").terms == ()


@given(st.lists(st.integers(1, 500), min_size=1, max_size=30), st.integers(0, 100))
def test_equal_shares_never_change(documents, percent):
    n = np.array(documents) * 100
    assert change_points(np.array(documents) * percent, n, comparisons(len(n))) == []


def test_simulated_intervals_cover_the_truth_and_planted_changes_are_found():
    """A small version of benchmarks/trends.py, on counts."""
    chance = np.random.default_rng(0)
    inside = total = false_alarms = found = 0
    for _ in range(60):
        shares = np.tile(BASE, (12, 1))
        month = int(chance.integers(3, 9))
        shares[month:, 2] += 0.05
        given = np.array([chance.multinomial(2000, [*each, 1 - each.sum()])[:-1] for each in shares])
        low, high = interval(given, 2000)
        inside, total = inside + ((low <= shares) & (shares <= high)).sum(), total + shares.size
        n_tests = comparisons(12) * len(BASE)
        changes = [change_points(given[:, each], np.full(12, 2000), n_tests) for each in range(len(BASE))]
        found += changes[2] == [month]
        false_alarms += any(changes[:2] + changes[3:])
    assert 0.93 <= inside / total <= 0.97
    assert found >= 59
    assert false_alarms <= 3


def test_a_folder_of_parquet_files_is_one_table(found, tmp_path: Path):
    table = pa.table(planted())
    for number in range(3):
        pa.parquet.write_table(table.slice(number * 2400, 2400), tmp_path / f"part-{number}.parquet")
    assert trends(tmp_path, time="date", group="source").shares == found.shares


def test_without_names_categories_have_the_order_of_their_columns_of_shares(tmp_path):
    columns = {"source": ["a", "a", "b"], "category": ["food", "food", "sport"], "problem": [None] * 3}
    table = pa.table(columns | {"sport": [0.0, 0.0, 1.0], "none of it": [0.0] * 3, "food": [1.0, 1.0, 0.0]})
    pyarrow.csv.write_csv(table, tmp_path / "sorted.csv")
    (tmp_path / "sorted.jsonl").write_text("".join(json.dumps(row) + "\n" for row in table.to_pylist()))
    for source in (table, tmp_path / "sorted.csv", tmp_path / "sorted.jsonl"):
        assert trends(source, group="source").categories == ("sport", "food")
    assert trends(pa.table(columns), group="source").categories == ("food", "sport")  # the largest first


def test_trends_print_as_a_short_table(found):
    head, titles, *rows = str(found).splitlines()
    assert head == "7,200 documents, time='date', by='month', group='source'"
    assert titles.split() == ["category", "group", "documents", "share", "changes"]
    assert [row.split() for row in rows][1] == ["food", "wire", "360", "10.0%", "0"]
    assert repr(found) == str(found)
    assert len(str(found)) < 400
