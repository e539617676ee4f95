"""`seetopic trends`: the same from an index with kept columns and from the table of `assign`, as files of any kind."""

from __future__ import annotations

import csv
import json
import re
from pathlib import Path
from xml.etree import ElementTree

import pyarrow.parquet
import pytest
from python_calamine import CalamineWorkbook

from commands import one_line_error, run_here
from planted import NAMES, planted_documents
from seetopic import Index, Sorter, assign, sorter_for, trends


@pytest.fixture(scope="module")
def folder(cache: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Documents of three topics in turn; the first one is from the agency, and rises in April."""
    place = tmp_path_factory.mktemp("trends")
    texts = planted_documents(240)
    rows = []
    for number, text in enumerate(texts):
        month = 1 + number // 3 % 6
        if number % 3 == 0 and month < 4 and number % 12:
            month += 3
        source = "agency" if number % 3 == 0 else "paper"
        rows.append({"text": text, "date": f"{1 + number % 28}/{month}/2025", "source": source})
    with (place / "docs.csv").open("w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, rows[0])
        writer.writeheader()
        writer.writerows([*rows, {"text": "", "date": "1/1/2025", "source": "paper"}])
    (place / "names.txt").write_text("\n".join(NAMES), encoding="utf-8")
    index = Index.build(place / "docs.csv", place / "index", keep=("date", "source"), n_jobs=1)
    sorter_for(index, NAMES).save(place / "topics")
    keep = ("date", "source")
    for ending in ("csv", "parquet", "jsonl"):
        assign(place / "docs.csv", Sorter.load(place / "topics"), place / f"sorted.{ending}", keep=keep, n_jobs=1)
    return place


OVER_TIME = ("--time", "date", "--by", "month", "--dates", "day-first", "--json")


def found(folder: Path, *arguments: str) -> dict[str, object]:
    done = run_here("trends", *arguments, cwd=folder)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def test_an_index_and_every_table_show_the_same_shares(folder):
    from_index = found(folder, "index", "--seeds", "names.txt", *OVER_TIME, "--group", "source")
    assert from_index["documents"] == 240
    assert from_index["categories"] == NAMES
    assert from_index["periods"] == [f"2025-0{month}" for month in range(1, 7)]
    for ending in ("csv", "parquet", "jsonl"):
        table = found(folder, f"sorted.{ending}", "--topics", "topics", *OVER_TIME, "--group", "source")
        assert table["left_out"] == {"empty or malformed": 1}
        for name in ("shares", "changes", "differences"):
            assert table[name] == from_index[name]
    agency = [row for row in from_index["differences"] if row["group"] == "agency" and row["category"] == NAMES[0]]
    assert agency[0]["difference"] > 0.9
    assert agency[0]["p"] < 1e-6


def test_what_was_planted_is_printed(folder):
    done = run_here("trends", "sorted.csv", *OVER_TIME[:-1], "--quiet", cwd=folder)
    assert "▲ 2025-04" in done.stdout
    assert "240 documents, 6 periods (month)" in done.stdout
    assert done.stderr == "left out: 1 empty or malformed\n"
    groups = run_here("trends", "sorted.csv", "--group", "source", cwd=folder)
    assert "points" in groups.stdout


def test_the_terminal_says_that_shares_are_corrected(folder):
    rows = [
        ["category", "date", "label"],
        *(["sport", "2025-01-01", "sport"],) * 9,
        *(["", "2025-01-01", "other"],) * 9,
    ]
    (folder / "labelled.csv").write_text("\n".join(map(",".join, rows)), encoding="utf-8")
    done = run_here("trends", "labelled.csv", "--time", "date", "--label-field", "label", cwd=folder)
    assert "shares are corrected for errors of sorting, by 18 labels; documents, changes" in done.stdout
    plain = run_here("trends", "labelled.csv", "--time", "date", cwd=folder)
    assert "corrected" not in plain.stdout + plain.stderr


def test_every_kind_of_file_is_written(folder, tmp_path):
    options = [folder / "sorted.csv", *OVER_TIME]
    shares = found(folder, *options)["shares"]
    for name in ("a.csv", "a.parquet", "a.xlsx", "a.json", "a.svg", "a.html", "everything"):
        assert run_here("trends", *options, "--out", tmp_path / name, cwd=folder).returncode == 0
    with (tmp_path / "a.csv").open(encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    assert list(rows[0]) == ["period", "start", "category", "documents", "of", "share", "low", "high"]
    assert [float(row["share"]) for row in rows] == [row["share"] for row in shares]
    table = pyarrow.parquet.read_table(tmp_path / "a.parquet")
    assert table.column_names == list(rows[0])
    assert table["share"].to_pylist() == [row["share"] for row in shares]
    book = CalamineWorkbook.from_path(tmp_path / "a.xlsx")
    assert book.sheet_names == ["shares", "changes"]
    assert book.get_sheet_by_name("shares").to_python()[0] == list(rows[0])
    assert json.loads((tmp_path / "a.json").read_text(encoding="utf-8"))["shares"] == shares
    assert ElementTree.parse(tmp_path / "a.svg").getroot().get("role") == "img"
    assert (tmp_path / "a.html").read_text(encoding="utf-8").startswith("<!doctype html>")
    written = {path.name for path in (tmp_path / "everything").iterdir()}
    assert written == {"shares.csv", "changes.csv", "trends.json", "trends.svg", "trends.html"}


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (["sorted.csv"], "neither --time nor --group is given"),
        (["sorted.csv", "--time", "date"], "may begin with the day or with the month"),
        (["sorted.csv", "--time", "when"], "has no column 'when'"),
        (["sorted.csv", "--time", "date", "--out", "trends.docx"], "unsupported extension '.docx'"),
        (["docs.txt", "--time", "date"], "is neither a table"),
        (["index", "--time", "date"], "give either --seeds or --topics"),
        (["index", "--time", "when", "--seeds", "names.txt"], "when"),
    ],
)
def test_what_cannot_be_done_is_said_in_one_line(folder, arguments, told):
    assert told in one_line_error(run_here("trends", *arguments, cwd=folder))
    assert not (folder / "trends.docx").exists()


def sections(report: Path) -> list[str]:
    return re.findall(r'<h2 id="(\w+)-head"', report.read_text(encoding="utf-8"))


def test_the_report_of_discover_shows_the_columns_of_an_index(folder, tmp_path):
    options = ("--seeds", "names.txt", "--out", tmp_path / "topics")
    over_time = ("--time", "date", "--by", "month", "--dates", "day-first")
    run_here("discover", "index", *options, *over_time, "--group", "source", cwd=folder).check_returncode()
    shown = sections(tmp_path / "topics" / "report.html")
    assert {"topics", "trends", "changes", "groups"} <= set(shown)
    for arguments, told in ((over_time[:2], "--dates"), (("--group", "who"), "'who'")):
        refused = run_here("discover", "index", *options, *arguments, cwd=folder)
        assert refused.returncode == 2
        assert told in refused.stderr
    assert "--out" in one_line_error(run_here("discover", "index", *options[:2], *over_time, cwd=folder))


@pytest.mark.slow
def test_the_cached_index_of_discover_gets_the_columns_of_every_run(folder, tmp_path):
    options = ("--seeds", "names.txt", "--out", tmp_path / "topics", "--jobs", "1")
    dated = ("--time", "date", "--dates", "day-first")
    for arguments, expected in (
        (dated, "changes"),
        (("--group", "source"), "groups"),
        (dated, "changes"),
        ((), "topics"),
    ):
        run_here("discover", "docs.csv", *options, *arguments, cwd=folder).check_returncode()
        assert expected in sections(tmp_path / "topics" / "report.html")


def test_columns_of_an_index_may_have_the_names_of_those_of_sorted_documents(cache, tmp_path):
    texts = planted_documents(60)
    rows = [
        {"text": text, "category": NAMES[number % 2], "path": "/home" if number < 40 else "", "terms": "2025-06-03"}
        for number, text in enumerate(texts)
    ]
    (tmp_path / "docs.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    index = Index.build(tmp_path / "docs.jsonl", tmp_path / "index", keep="all", cache=cache, n_jobs=1)
    by_label = trends(index, group="category", time="terms", by="day", seeds=NAMES)
    assert (by_label.group, by_label.groups) == ("category", tuple(sorted(NAMES[:2])))
    assert (by_label.time, by_label.periods) == ("terms", ("2025-06-03",))
    assert [row.of for row in by_label.shares] == [30] * 6
    by_path = trends(index, group="path", label_field="category", several=True, seeds=NAMES)
    assert by_path.groups == ("/home",)
    assert by_path.left_out == {"without a path": 20}
    assert by_path.categories == tuple(NAMES)
    assert not by_path.shares[2].calibrated  # no document is labelled with this name


def test_the_documents_of_an_index_are_assigned_with_its_columns(folder, tmp_path):
    out = tmp_path / "sorted.parquet"
    run_here("assign", "index", "--topics", "topics", "--keep", "all", "--out", out, cwd=folder).check_returncode()
    options = ("--topics", "topics", *OVER_TIME, "--group", "source")
    assert found(folder, out, *options) == found(folder, "index", *options) | {"source": out.name}
    arguments = ("assign", "index", "--topics", "topics", "--out", out)
    one_line_error(run_here(*arguments, "--keep", "who", cwd=folder))
    one_line_error(run_here(*arguments, "--read", cwd=folder))
    assign(folder / "index", folder / "topics", out, keep="date", n_jobs=1)  # one name, as for other documents
    assert "date" in pyarrow.parquet.read_schema(out).names
