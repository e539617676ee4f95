"""Columns kept beside the documents: for every format, through updates, and without doing other work again."""

from __future__ import annotations

import csv
import json
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st

from planted import NAMES, planted_documents
from seetopic import Index, SeeTopic, open_documents
from seetopic.corpus import joined
from seetopic.corpus.records import column_value
from seetopic.errors import CorpusError, DamagedIndex, IndexFailure, SettingsError
from seetopic.index import layout, plan
from seetopic.index.columns import Columns, write_columns
from seetopic.runtime import LocalEngine, load_array
from seetopic.settings import DEFAULT, IndexSettings, TextSettings

TEXTS = planted_documents(60, seed=2)
ROWS = [
    {"id": number, "text": "" if number % 7 == 3 else text, "date": f"2024-01-{number % 28 + 1:02d}"}
    for number, text in enumerate(TEXTS)
]
KEPT = [row for row in ROWS if row["text"]]


def write_csv(path: Path, rows: list[dict[str, Any]]) -> Path:
    with path.open("w", encoding="utf-8", newline="") as file:
        table = csv.DictWriter(file, list(rows[0]))
        table.writeheader()
        table.writerows(rows)
    return path


def build(source: Any, out: Path, **options: Any) -> Index:
    settings = IndexSettings(text=TextSettings(min_count=1))
    # Vectors are the same for all of them, so they are cached together.
    return Index.build(source, out, settings=settings, cache=out.parent.parent / "cache", n_jobs=1, **options)


@pytest.fixture
def built(tmp_path: Path) -> Index:
    return build(write_csv(tmp_path / "a.csv", ROWS), tmp_path / "index", keep=("date", "id"))


def test_columns_stand_beside_the_documents_that_are_not_empty(built):
    assert built.column_names == ("date", "id")
    assert built.column("date").tolist() == [row["date"] for row in KEPT]
    assert built.column("id").tolist() == [str(row["id"]) for row in KEPT]
    built.verify()


@pytest.mark.parametrize("ending", ["jsonl", "json", "parquet"])
def test_numbers_of_typed_formats_stay_numbers(tmp_path, ending):
    path = tmp_path / f"a.{ending}"
    if ending == "parquet":
        pq.write_table(pa.Table.from_pylist(ROWS), path)
    elif ending == "json":
        path.write_text(json.dumps(ROWS))
    else:
        path.write_text("".join(json.dumps(row) + "\n" for row in ROWS))
    index = build(path, tmp_path / "index", keep="all")
    assert index.column("id").tolist() == [row["id"] for row in KEPT]
    assert sorted(index.column_names) == ["date", "id"]


@pytest.mark.parametrize("kind", ["lines", "list", "joined"])
def test_all_columns_of_plain_texts_are_none(tmp_path, kind):
    (tmp_path / "a.txt").write_text("\n".join(TEXTS[:30]))
    texts = tmp_path / "a.txt"
    source = {"lines": texts, "list": open_documents(TEXTS[:30])}.get(kind) or joined(
        open_documents(write_csv(tmp_path / "a.csv", ROWS), keep="all"), open_documents(texts, keep="all")
    )
    index = build(open_documents(source, keep="all"), tmp_path / "index")
    assert index.column_names == (("id", "date") if kind == "joined" else ())
    assert len(index) == (len(KEPT) + 30 if kind == "joined" else 30)
    if kind == "joined":
        assert index.column("id").tolist() == [*(str(row["id"]) for row in KEPT), *[None] * 30]


def test_an_unknown_column_is_refused_with_the_known_ones(built, tmp_path):
    with pytest.raises(SettingsError, match=r"no column 'source' \(its columns: date, id\)"):
        built.column("source")
    with pytest.raises(CorpusError, match="has a column 'source'"):
        build(tmp_path / "a.csv", tmp_path / "other", keep=("source",))
    (tmp_path / "b.jsonl").write_text("".join(json.dumps(row) + "\n" for row in ROWS))
    with pytest.raises(CorpusError, match=r"no document of 'b\.jsonl' has a column 'source'; the columns are id"):
        build(tmp_path / "b.jsonl", tmp_path / "other", keep=("source", "id"))


@pytest.mark.parametrize("name", ["a.csv", "a.jsonl", "a.parquet"])
def test_a_missing_column_is_refused_before_anything_is_built(tmp_path, name):
    if name == "a.csv":
        write_csv(tmp_path / name, ROWS)
    elif name == "a.jsonl":
        (tmp_path / name).write_text("".join(json.dumps(row) + "\n" for row in ROWS))
    else:
        pq.write_table(pa.Table.from_pylist(ROWS), tmp_path / name)
    with pytest.raises(CorpusError, match="has a column 'source'"):
        plan(open_documents(tmp_path / name, keep=("id", "source")), tmp_path / "index", settings=DEFAULT.index)


def test_a_column_that_only_a_late_record_has_is_kept(tmp_path):
    rows = [{"text": text} for text in TEXTS] + [{"text": TEXTS[0], "source": "late"}]
    (tmp_path / "a.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    column = build(tmp_path / "a.jsonl", tmp_path / "index", keep=("source",)).column("source")
    assert column.tolist() == [None] * len(TEXTS) + ["late"]


def test_columns_in_memory_belong_to_documents_in_memory_and_have_names(built, tmp_path):
    (tmp_path / "a.txt").write_text("one\n")
    with pytest.raises(CorpusError, match="`columns` belong to documents in memory; name the columns of a file with"):
        open_documents(tmp_path / "a.txt", columns={"id": [1]})
    for wrong in (["id"], 5):
        with pytest.raises(CorpusError, match="`columns` must map names to one value per document, or be a table"):
            open_documents(["one"], columns=wrong)
    with pytest.raises(SettingsError, match=r"an index has its columns already; pass `keep` to Index\.build"):
        SeeTopic(["a", "b"]).fit(built, columns={"id": [1]})


def test_other_columns_of_the_same_documents_are_added_without_other_work(built, tmp_path):
    before = {name: (built.folder / name).stat().st_ino for name in layout.FILES}
    more = build(tmp_path / "a.csv", built.folder, keep=("id", "date", "text"))
    assert more.column_names == ("id", "date", "text")
    assert more.column("text").tolist() == [row["text"] for row in KEPT]
    same = [name for name in layout.FILES if (more.folder / name).stat().st_ino == before[name]]
    assert set(layout.FILES) - set(same) == set(layout.COLUMN_FILES)
    assert more.manifest["key"] == built.manifest["key"]
    more.verify()


def test_columns_are_lost_only_on_request(built, tmp_path):
    assert build(tmp_path / "a.csv", built.folder).column_names == ("date", "id")
    with pytest.raises(IndexFailure, match="has a column 'date', which would be lost"):
        build(tmp_path / "a.csv", built.folder, keep=("id",))
    assert Index.open(built.folder).column_names == ("date", "id")
    assert build(tmp_path / "a.csv", built.folder, keep=("id",), overwrite=True).column_names == ("id",)


def test_changed_values_of_the_same_documents_replace_the_old_ones(built, tmp_path):
    write_csv(tmp_path / "a.csv", [{**row, "date": "later"} for row in ROWS])
    assert set(build(tmp_path / "a.csv", built.folder, keep=("date", "id")).column("date")) == {"later"}


def test_an_update_carries_the_columns_and_drops_those_of_removed_parts(built, tmp_path):
    new = [{"text": text, "id": 100 + number, "date": None} for number, text in enumerate(TEXTS[:9])]
    (tmp_path / "new.jsonl").write_text("".join(json.dumps(row) + "\n" for row in new))
    added = built.update(tmp_path / "new.jsonl")
    assert added.column("id").tolist() == [*(str(row["id"]) for row in KEPT), *range(100, 109)]
    assert added.column("date").tolist()[-9:] == [None] * 9
    left = added.update(remove=[1])
    assert left.column("id").tolist() == list(range(100, 109))
    left.verify()
    (tmp_path / "bare.jsonl").write_text('{"text": "a", "id": 7}\n')
    refused = r"no document of 'bare\.jsonl' has a column 'date'; .* text, id: the index keeps it, so rename"
    with pytest.raises(CorpusError, match=refused):
        left.update(tmp_path / "bare.jsonl")
    with pytest.raises(CorpusError, match="these documents have no column 'date'"):
        left.update([open_documents(["a"])])
    (tmp_path / "plain.txt").write_text("text\n")
    with pytest.raises(CorpusError, match="is plain text, so it has no field 'date'"):
        left.update(tmp_path / "plain.txt")


def test_an_updated_index_has_the_bytes_of_one_built_at_once(built, tmp_path):
    write_csv(tmp_path / "b.csv", ROWS[:20])
    updated = built.update(tmp_path / "b.csv", again=True)
    whole = build(write_csv(tmp_path / "c.csv", [*ROWS, *ROWS[:20]]), tmp_path / "whole", keep=("date", "id"))
    for name in layout.COLUMN_FILES:
        assert (updated.folder / name).read_bytes() == (whole.folder / name).read_bytes()


@pytest.mark.parametrize("values", [b'"a",' * 52 * 2, b"[1]," * 53 * 2, b"x,,," * 53 * 2])
def test_columns_that_do_not_match_the_documents_are_damage(built, values):
    broken = Columns(built.column_names, np.frombuffer(values, np.uint8), built.columns.starts, len(built))
    with pytest.raises(DamagedIndex, match="the column 'date'"):
        broken.check()


def test_a_folder_of_texts_has_the_column_file(tmp_path):
    (tmp_path / "texts").mkdir()
    for number, text in enumerate(TEXTS[:9]):
        (tmp_path / "texts" / f"{number}.txt").write_text(text)
    index = build(tmp_path / "texts", tmp_path / "index", keep=("file",))
    assert index.column("file").tolist() == [f"{number}.txt" for number in range(9)]


VALUES = st.one_of(st.none(), st.booleans(), st.integers(), st.floats(), st.text(), st.dates(), st.binary(max_size=3))


@given(st.lists(st.fixed_dictionaries({}, optional={"a": VALUES, "b": VALUES}), min_size=1, max_size=20))
def test_any_values_are_kept_as_json_has_them(tmp_path_factory, rows):
    folder = tmp_path_factory.mktemp("columns")
    columns = {name: [row.get(name) for row in rows] for name in ("a", "b")}
    documents = open_documents(["text"] * len(rows), columns=columns)
    settings = TextSettings(shard_documents=3)
    write_columns(folder, folder / "work", [], [(documents, len(rows))], ("a", "b"), settings, LocalEngine(1))
    values, starts = (load_array(folder / name) for name in (layout.COLUMN_VALUES, layout.COLUMN_STARTS))
    found = Columns(("a", "b"), values, starts, len(rows))
    found.check()
    for name in ("a", "b"):
        assert found.column(name).tolist() == [column_value(each) for each in columns[name]]


def test_dates_numbers_and_lists_have_one_form():
    moment = datetime(2024, 5, 17, 9, 30, tzinfo=UTC)
    values = [moment, moment.date(), np.int64(7), np.float64("nan"), float("inf"), [1, "a"], 2**70, b"x", np.True_]
    expected = ["2024-05-17T09:30:00+00:00", "2024-05-17", 7, None, None, '[1,"a"]', str(2**70), "b'x'", True]
    assert [column_value(each) for each in values] == expected


def test_lists_and_objects_with_values_that_few_programs_write_are_kept(tmp_path):
    assert [column_value(each) for each in ([2**70, "é"], {1: "a"})] == [f'[{2**70},"é"]', '{"1":"a"}']
    path = tmp_path / "a.jsonl"
    path.write_text(r'{"text": "broken emoji", "tags": ["\ud83d", "ok"]}')
    (shard,) = (shard for piece in open_documents(path, keep="all").pieces(keep=True) for shard in piece.shards())
    assert shard.columns == [{"tags": '["?","ok"]'}]


@pytest.mark.slow
def test_a_model_keeps_columns_through_saving_and_more_documents(tmp_path):
    model = SeeTopic(NAMES, min_count=1, cache=tmp_path / "cache").fit(TEXTS, columns={"text": range(60)})
    model.save(tmp_path / "model")
    again = SeeTopic.load(tmp_path / "model", cache=tmp_path / "cache")
    with pytest.raises(CorpusError, match="fitted with the columns text, but these documents come with no columns"):
        again.partial_fit(TEXTS[:3])
    again.partial_fit(TEXTS[:3], columns={"text": [7, 8, None]})
    assert again.index_.column("text").tolist() == [*range(60), 7, 8, None]


@pytest.mark.parametrize(("values", "message"), [([1, 2], "has only 2 values"), (range(61), "has more values than")])
def test_columns_of_another_length_are_refused(values, message):
    with pytest.raises(CorpusError, match=f"the column 'n' {message}"):
        SeeTopic(NAMES).fit(TEXTS, columns={"n": values})
