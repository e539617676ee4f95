"""Very many documents sorted into a file: completely or not at all, the same bytes however often it was interrupted."""

from __future__ import annotations

import csv
import io
import json
import signal
import sys
import tempfile
from collections import Counter
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet
import pytest
from filelock import FileLock
from hypothesis import given
from hypothesis import strategies as st
from python_calamine import CalamineWorkbook

from planted import NAMES, planted_documents
from seetopic import Index, Sorter, assign, sorter_for
from seetopic.classify.assignment import Reader, assign_documents
from seetopic.classify.documents import DocumentStream
from seetopic.classify.placement import STEPS, AssignmentRule, AssignOptions
from seetopic.classify.rows import SortedRows
from seetopic.classify.tables import COLUMNS, CsvTable, ParquetTable, SheetTable
from seetopic.corpus.opening import open_documents
from seetopic.errors import CorpusError, EncoderError, IndexInUse, MissingExtra, OutputError, SettingsError
from seetopic.runtime.engine import LocalEngine
from seetopic.runtime.spreadsheets import SafeRows, cell
from seetopic.text.tokenizer import tokenize
from seetopic.vectors.encoder.cache import VectorCache

ENDINGS = ("csv", "parquet")


@pytest.fixture(scope="module")
def many() -> list[str]:
    """Three shards, of which one is short; some documents contain no term."""
    return [*planted_documents(4500, seed=5), "qwerty uiop", *planted_documents(20, seed=6)]


@pytest.fixture(scope="module")
def saved(index: Index, many: list[str], tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A sorter's folder, with the documents beside it."""
    folder = tmp_path_factory.mktemp("sorter")
    sorter_for(index, NAMES).save(folder)
    (folder / "many.txt").write_text("\n".join(many) + "\n", encoding="utf-8")
    return folder


@pytest.fixture(scope="module")
def sorter(saved: Path) -> Sorter:
    return Sorter.load(saved)


@pytest.fixture(scope="module")
def uncut(sorter: Sorter, saved: Path) -> dict[str, bytes]:
    """The file of either format, from an uninterrupted run."""
    documents = open_documents(saved / "many.txt")
    for ending in ENDINGS:
        assign_documents(documents, sorter, saved / f"uncut.{ending}", LocalEngine(1))
    return {ending: (saved / f"uncut.{ending}").read_bytes() for ending in ENDINGS}


class _Cut(Exception):
    pass


def stopped(sorter: Sorter, documents: list[str], out: Path, *, at: str, done: int, **options: object) -> None:
    """A run that ends early."""

    def progress(stage: str, number: int, total: int | None) -> None:
        if stage == at and number >= done:
            raise _Cut

    with pytest.raises(_Cut):
        assign_documents(open_documents(documents), sorter, out, LocalEngine(1), progress=progress, **options)


class _Counting:
    """The default tokenizer, which counts the texts it is given."""

    name = "default"

    def __init__(self) -> None:
        self.texts = 0

    def __call__(self, text: str) -> list[str]:
        self.texts += 1
        return tokenize(text)


# The files.


def test_parquet_says_what_csv_says(uncut):
    table = pa.parquet.read_table(io.BytesIO(uncut["parquet"]))
    rows = list(csv.DictReader(io.StringIO(uncut["csv"].decode(), newline="")))
    assert table.column_names == list(rows[0]) == [*COLUMNS, *NAMES]
    assert len(rows) == table.num_rows == 4521
    for mine, row in zip(table.to_pylist(), rows, strict=True):
        assert str(mine["document"]) == row["document"]
        assert (mine["category"] or "") == row["category"]
        assert ("" if mine["share"] is None else str(mine["share"])) == row["share"]
        assert "|".join(mine["categories"]) == row["categories"]
        assert "|".join(mine["terms"]) == row["terms"]
        assert [str(mine[name]) for name in ("none", *NAMES)] == [row[name] for name in ("none", *NAMES)]
        assert mine["none"] + sum(mine[name] for name in NAMES) == pytest.approx(1, abs=1e-3)
        assert (mine["problem"], row["problem"]) == (None, "")
    assert table["category"].null_count == table["share"].null_count == 1


def test_parquet_columns_have_types(uncut):
    schema = pa.parquet.read_schema(io.BytesIO(uncut["parquet"]))
    kinds = {"document": pa.int64(), "category": pa.string(), "share": pa.float64()}
    kinds |= dict.fromkeys(NAMES, pa.float64())
    assert {name: schema.field(name).type for name in kinds} == kinds
    for name in ("categories", "terms"):
        assert pa.types.is_list(schema.field(name).type)
        assert schema.field(name).type.value_type == pa.string()


@pytest.mark.slow
def test_the_bytes_are_the_same_for_any_number_of_workers(sorter, saved, uncut, tmp_path):
    with closing(LocalEngine(2)) as engine:
        for ending in ENDINGS:
            given = assign_documents(open_documents(saved / "many.txt"), sorter, tmp_path / f"two.{ending}", engine)
            assert (tmp_path / f"two.{ending}").read_bytes() == uncut[ending]
            assert given.total() == 4521
            assert given[""] == 1
    assert sorted(path.name for path in tmp_path.iterdir()) == ["two.csv", "two.parquet"]


def test_row_groups_are_cut_by_their_size_alone(sorter, monkeypatch, tmp_path):
    table = ParquetTable(sorter.names, sorter.terms)
    matched = sorter.terms_in(planted_documents(100))
    part = table.rows(SortedRows(sorter.place(matched), {}, {}), np.arange(len(matched)))
    monkeypatch.setattr("seetopic.classify.tables._GROUP", 200 * 10)  # cells, of 10 columns
    table.write(tmp_path / "x.parquet", [part] * 5)
    groups = pa.parquet.ParquetFile(tmp_path / "x.parquet").metadata
    assert [groups.row_group(number).num_rows for number in range(groups.num_row_groups)] == [200, 200, 100]


def test_a_category_that_is_called_like_a_column_has_a_column_of_its_own(sorter, unseen, tmp_path):
    odd = replace(sorter, names=("share", "terms", "sky"))
    assign_documents(open_documents(unseen), odd, tmp_path / "x.parquet", LocalEngine(1))
    table = pa.parquet.read_table(tmp_path / "x.parquet")
    assert table.column_names[-3:] == ["share (category)", "terms (category)", "sky"]
    assert set(table["category"].to_pylist()) == {"share", "terms", "sky"}


@pytest.mark.parametrize("ending", ENDINGS)
def test_several_categories_are_listed_best_first(sorter, tmp_path, ending):
    mixed = ["football, goalkeeper, referee, stadium, planet, galaxy, comet, orbit"]
    out = tmp_path / f"x.{ending}"
    options = AssignOptions(several=True, threshold=0.2)
    assign_documents(open_documents(mixed), sorter, out, LocalEngine(1), options=options)
    (expected,) = sorter.assign(mixed, several=True, threshold=0.2)
    if ending == "csv":
        with out.open(encoding="utf-8", newline="") as file:
            found = next(csv.DictReader(file))["categories"].split("|")
    else:
        found = pa.parquet.read_table(out)["categories"].to_pylist()[0]
    assert found == [NAMES[category] for category in expected.categories]
    assert len(found) == 2


@given(st.lists(st.text(), min_size=2, max_size=4))
def test_a_cell_is_written_as_the_csv_writer_writes_it(texts):
    file = io.StringIO()
    SafeRows(file).add(texts)
    assert ",".join(map(cell, texts)) + "\n" == file.getvalue()


def test_the_rows_of_a_csv_file_are_those_of_the_csv_writer(sorter, unseen):
    odd = replace(sorter, names=('=1+"1"', "a,b", "-sky\r"))
    placement = odd.place(odd.terms_in([*unseen, "nothing"]), rule=AssignmentRule(0.2, several=True))
    file = io.StringIO()
    rows = SafeRows(file)
    kept = ["-1.5", "=1", None, -3, True, "a,b"]
    for number, each in enumerate(placement.assigned(odd.terms), start=7):
        names = [odd.names[category] for category in each.categories]
        best = (names[0], each.shares[each.categories[0]]) if names else ("", "")
        value = [-1.5, "=1", "", -3, "true", "a,b"][(number - 7) % 6]
        problem = "=empty" if number == 8 else ""
        none = placement.none[number - 7] / STEPS
        rows.add([number, value, *best, none, "|".join(names), "|".join(each.evidence), problem, *each.shares])
    columns = {"kept": [kept[number % 6] for number in range(len(placement))]}
    table = CsvTable(odd.names, odd.terms).keeping({"kept": "str"})
    assert (
        table.rows(SortedRows(placement, {1: "=empty"}, columns), 7 + np.arange(len(placement))).decode()
        == file.getvalue()
    )


def test_parquet_without_its_extra_is_refused_before_anything_is_read(sorter, monkeypatch, tmp_path):
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    with pytest.raises(
        MissingExtra, match=r"writing a \.parquet table needs an extra: pip install \"seetopic\[parquet\]\""
    ):
        assign_documents(open_documents(["text"]), sorter, tmp_path / "x.parquet", LocalEngine(1))
    assert not list(tmp_path.iterdir())


def test_a_folder_in_the_place_of_the_file_is_refused_before_anything_is_read(sorter, tmp_path):
    (tmp_path / "x.csv").mkdir()
    with pytest.raises(OutputError, match="is a folder; name a file in it"):
        assign_documents(open_documents(["text"]), sorter, tmp_path / "x.csv", LocalEngine(1))


# Every row of the input.

ROWS = [
    {"id": -1, "text": "the goalkeeper and the referee", "source": "a", "price": 2},
    {"id": 2, "text": "", "source": "b", "price": 2.5},
    {"id": 3, "text": 17, "source": None, "late": True},
    {"id": 4, "text": "qwerty uiop", "source": "=d", "price": None},
]


def write_rows(path: Path) -> Path:
    path.write_text("".join(json.dumps(row) + "\n" for row in ROWS) + "{\n", encoding="utf-8")
    return path


def read_rows(path: Path) -> list[dict[str, object]]:
    """The rows of any format, with empty cells and nulls alike."""
    if path.suffix == ".parquet":
        rows = pa.parquet.read_table(path).to_pylist()
    elif path.suffix == ".jsonl":
        rows = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    elif path.suffix == ".xlsx":
        header, *cells = CalamineWorkbook.from_path(path).get_sheet_by_index(0).to_python()
        rows = [dict(zip(header, row, strict=True)) for row in cells]
    else:
        with path.open(encoding="utf-8", newline="") as file:
            rows = list(csv.DictReader(file))
    return [{name: None if value in ("", []) else value for name, value in row.items()} for row in rows]


@pytest.mark.parametrize("ending", ["csv", "parquet", "jsonl", "xlsx"])
def test_every_input_row_has_its_row_with_its_columns_or_its_problem(sorter, tmp_path, ending):
    out, problems = tmp_path / f"x.{ending}", Counter()
    given = assign(write_rows(tmp_path / "in.jsonl"), sorter, out, keep=("source", "id"), problems=problems, n_jobs=1)
    rows = read_rows(out)
    assert list(rows[0]) == ["document", "source", "id", *COLUMNS[1:], *NAMES]
    assert [int(row["document"]) for row in rows] == [0, 1, 2, 3, 4]
    sources = ["a", "b", None, "'=d" if ending == "csv" else "=d", None]
    assert [row["source"] for row in rows] == sources
    assert [row["id"] and int(row["id"]) for row in rows] == [-1, 2, 3, 4, None]
    assert [row["category"] for row in rows] == [NAMES[0], None, None, None, None]
    assert [row["problem"] for row in rows[:2]] == [None, "empty"]
    assert rows[2]["problem"] == "in.jsonl, line 3 is of type int, not text"
    assert rows[4]["problem"].startswith("in.jsonl, line 5 is not valid JSON")
    assert [float(row["none"]) for row in rows][1:3] == [1, 1]
    assert [float(rows[1][name]) for name in NAMES] == [0] * len(NAMES)
    assert problems == {"empty": 1, "not text": 1, "not JSON": 1}
    assert given == {NAMES[0]: 1, "": 4}
    again = tmp_path / f"y.{ending}"
    assign(tmp_path / "in.jsonl", sorter, again, keep=("source", "id"), n_jobs=1)
    assert again.read_bytes() == out.read_bytes()


def test_columns_have_the_type_of_all_their_values(sorter, tmp_path):
    assign(write_rows(tmp_path / "in.jsonl"), sorter, tmp_path / "x.parquet", keep="all", n_jobs=1)
    schema = pa.parquet.read_schema(tmp_path / "x.parquet")
    kinds = {"id": pa.int64(), "source": pa.string(), "price": pa.float64(), "late": pa.bool_()}
    assert {name: schema.field(name).type for name in kinds} == kinds


@pytest.mark.parametrize("name", ["x.json", "x", "x.xls", "x.csv.gz", ".csv"])
def test_another_extension_is_refused_before_anything_is_read(sorter, tmp_path, name):
    with pytest.raises(OutputError, match=r"does not end in \.csv, \.parquet, \.jsonl, \.xlsx; choose one of these"):
        assign(tmp_path / "missing.csv", sorter, tmp_path / name, problems=Counter())
    assert not list(tmp_path.iterdir())


def test_a_kept_column_that_the_table_has_anyway_is_refused(sorter, tmp_path):
    (tmp_path / "in.csv").write_text("text,share\nthe referee,1\n")
    counting = _Counting()
    counted = replace(sorter, tokenizer=counting)
    for keep in (("share",), "all"):
        with pytest.raises(SettingsError, match="the table has its own column 'share'"):
            assign(tmp_path / "in.csv", counted, tmp_path / "x.csv", keep=keep, n_jobs=1)
    assert counting.texts == 0
    (tmp_path / "late.jsonl").write_text('{"text": "the referee"}\n' * 200 + '{"text": "soup", "share": 1}\n')
    with pytest.raises(SettingsError, match="the table has its own column 'share'"):
        assign(tmp_path / "late.jsonl", sorter, tmp_path / "x.csv", keep="all", n_jobs=1)
    assert not (tmp_path / "x.csv").exists()


def test_the_column_of_the_texts_is_not_kept_so_it_may_have_any_name(sorter, tmp_path):
    (tmp_path / "in.csv").write_text("terms,id\nthe referee,1\n")
    assign(tmp_path / "in.csv", sorter, tmp_path / "x.csv", text_field="terms", keep="all", n_jobs=1)
    assert [row["id"] for row in read_rows(tmp_path / "x.csv")] == ["1"]


def test_a_field_that_no_record_has_is_refused(sorter, tmp_path):
    with pytest.raises(
        CorpusError, match=r"no record of 'in\.jsonl' has a field 'date'; its fields are id, text, source, price"
    ):
        assign(write_rows(tmp_path / "in.jsonl"), sorter, tmp_path / "x.csv", keep=("id", "date"), n_jobs=1)
    with pytest.raises(CorpusError, match="its fields are id, text, source, price"):  # also if no other one is kept
        assign(tmp_path / "in.jsonl", sorter, tmp_path / "x.csv", keep="date", n_jobs=1)


def test_rows_without_text_do_not_count_for_the_rate(sorter, unseen, tmp_path):
    texts = [*unseen[:10], *([""] * 30)]
    given = assign(texts, sorter, tmp_path / "x.csv", rate=0.5, n_jobs=1)
    assert given[""] == 35


@pytest.mark.parametrize("n_rows", [3, 2049, 5000])
def test_vectors_of_too_few_or_too_many_documents_are_refused_with_both_numbers(sorter, n_rows):
    vectors = np.ones((n_rows, len(sorter.arrays["document_weights"])))
    stream = DocumentStream(open_documents(["the referee"] * 4100), sorter, vectors, n_jobs=1)
    with pytest.raises(EncoderError, match=f"has {n_rows} rows for 4100 documents"):
        stream.shares()


def test_a_document_whose_vector_is_zero_is_called_by_its_number(sorter):
    vectors = np.ones((2100, len(sorter.arrays["document_weights"])))
    vectors[2050] = 0
    with pytest.raises(EncoderError, match="'document 2050' is zero"):
        DocumentStream(open_documents(["the referee"] * 2100), sorter, vectors, n_jobs=1).shares()


def test_a_sheet_refuses_what_does_not_fit(sorter, tmp_path):
    with pytest.raises(OutputError, match="at most 1,048,576 rows, but this table has 1,048,577"):
        SheetTable(sorter.names, sorter.terms).require_room(1_048_576)
    table = pd.DataFrame({"text": ["the referee"], "note": ["x" * 40_000]})
    with pytest.raises(OutputError, match="the column 'note' of row 1 has 40,000 characters"):
        assign(table, sorter, tmp_path / "x.xlsx", keep=("note",), n_jobs=1)
    assert not (tmp_path / "x.xlsx").exists()


@given(st.lists(st.text(st.sampled_from(" \tgoal referee planet"), max_size=9), min_size=1, max_size=12), st.booleans())
def test_the_command_and_python_agree_row_by_row(sorter, texts, read):
    length = len(sorter.arrays["document_weights"])
    vectors = np.full((len(texts), length), length**-0.5, np.float32) if read else None
    stream = DocumentStream(open_documents(texts), sorter, vectors, n_jobs=1)
    shares, placement = stream.shares(), stream.placement(AssignOptions())
    empty = [number for number, text in enumerate(texts) if not text.strip()]
    assert len(shares) == len(placement) == len(texts)
    assert (placement.best[empty] == -1).all()
    assert (shares[empty, -1] == 1).all()
    assert [each.categories for each in sorter.assign(texts, vectors)] == [
        tuple(each) for each in placement.categories.as_lists()
    ]
    if len(empty) < len(texts) and not read:
        with tempfile.TemporaryDirectory() as folder:
            assign(texts, sorter, Path(folder) / "x.jsonl", n_jobs=1)
            rows = read_rows(Path(folder) / "x.jsonl")
        assert [row["category"] for row in rows] == [None if best < 0 else NAMES[best] for best in placement.best]
        assert [[row[name] for name in (*NAMES, "none")] for row in rows] == np.round(shares, 4).tolist()
        assert [bool(row["problem"]) for row in rows] == [not text.strip() for text in texts]


# Interrupted runs.

_KILLED = """
import os, signal, sys
from pathlib import Path
from seetopic import Sorter
from seetopic.classify.assignment import assign_documents
from seetopic.corpus.opening import open_documents
from seetopic.runtime.engine import LocalEngine
from seetopic.text.tokenizer import tokenize

folder, out, stage = Path(sys.argv[1]), Path(sys.argv[2]), sys.argv[3]

class Tokenizer:
    name, texts = "default", 0

    def __call__(self, text):
        self.texts += 1
        if stage == "sorting" and self.texts > 4200:  # in the third shard
            os.kill(os.getpid(), signal.SIGKILL)
        return tokenize(text)

def progress(at, done, total):
    if stage == "writing" and at == "writing the table":
        os.kill(os.getpid(), signal.SIGKILL)

sorter = Sorter.load(folder, tokenizer=Tokenizer())
assign_documents(open_documents(folder / "many.txt"), sorter, out, LocalEngine(1), progress=progress)
"""


@pytest.mark.slow
@pytest.mark.parametrize(("ending", "stage"), [("parquet", "sorting"), ("parquet", "writing"), ("csv", "sorting")])
def test_a_run_that_was_killed_goes_on_to_the_same_bytes(saved, uncut, tmp_path, forks, ending, stage):
    out = tmp_path / f"x.{ending}"
    killed = forks.run(_KILLED, saved, out, stage, cwd=tmp_path)
    assert killed.returncode == -signal.SIGKILL, killed.stderr
    assert not out.exists()
    assert len(list((tmp_path / f".x.{ending}.parts").glob("*.npz"))) == (2 if stage == "sorting" else 3)
    counting = _Counting()
    again = Sorter.load(saved, tokenizer=counting)
    assign_documents(open_documents(saved / "many.txt"), again, out, LocalEngine(1))
    assert out.read_bytes() == uncut[ending]
    assert counting.texts == (4521 - 2 * 2048 if stage == "sorting" else 0)
    assert [path.name for path in tmp_path.iterdir()] == [out.name]


def test_another_sorter_starts_anew(sorter, many, tmp_path):
    out = tmp_path / "x.csv"
    stopped(sorter, many, out, at="writing the table", done=1)
    other = replace(sorter, temperature=0.5)
    assign_documents(open_documents(many), other, out, LocalEngine(1))
    assign_documents(open_documents(many), other, tmp_path / "y.csv", LocalEngine(1))
    assert out.read_bytes() == (tmp_path / "y.csv").read_bytes()


def test_only_documents_that_changed_are_sorted_again(sorter, many, tmp_path):
    out, counting = tmp_path / "x.csv", _Counting()
    stopped(sorter, many, out, at="writing the table", done=1)
    changed = [*many[:-1], "another, text"]
    assign_documents(open_documents(changed), replace(sorter, tokenizer=counting), out, LocalEngine(1))
    assign_documents(open_documents(changed), sorter, tmp_path / "y.csv", LocalEngine(1))
    assert out.read_bytes() == (tmp_path / "y.csv").read_bytes()
    assert counting.texts == 4521 - 2 * 2048


@pytest.mark.parametrize("damage", [b"", b"PK\x03\x04", b"\x93NUMPY\x01\x00"])
def test_a_part_that_is_damaged_is_made_again(sorter, many, uncut, tmp_path, damage):
    out = tmp_path / "x.csv"
    stopped(sorter, many, out, at="writing the table", done=1)
    for part in (tmp_path / ".x.csv.parts").glob("*.npz"):
        part.write_bytes(damage)
    assign_documents(open_documents(many), sorter, out, LocalEngine(1))
    assert out.read_bytes() == uncut["csv"]


def test_a_record_that_cannot_be_read_starts_anew(sorter, many, uncut, tmp_path):
    out = tmp_path / "x.csv"
    stopped(sorter, many, out, at="sorting documents", done=1)
    (tmp_path / ".x.csv.parts" / "made-of.json").write_text("{", encoding="utf-8")
    assign_documents(open_documents(many), sorter, out, LocalEngine(1))
    assert out.read_bytes() == uncut["csv"]


@pytest.mark.parametrize("stage", ["sorting documents", "writing the table"])
def test_a_run_with_a_rate_goes_on_and_tokenises_every_document_once(sorter, many, tmp_path, stage):
    options = AssignOptions(rate=0.6, several=True)
    assign_documents(open_documents(many), sorter, tmp_path / "y.csv", LocalEngine(1), options=options)
    out, counting = tmp_path / "x.csv", _Counting()
    counted = replace(sorter, tokenizer=counting)
    stopped(counted, many, out, at=stage, done=3000, options=options)
    assign_documents(open_documents(many), counted, out, LocalEngine(1), options=options)
    assert out.read_bytes() == (tmp_path / "y.csv").read_bytes()
    assert counting.texts == 4521


def test_what_was_read_is_not_read_again(sorter, many, tmp_path):
    class Encoder:
        name, fingerprint, asked = "x", "x", 0

        def encode(self, texts, jobs, progress):
            Encoder.asked += len(texts)
            return np.ones((len(texts), len(sorter.arrays["document_weights"])), np.float32)

        encode_names = None

    reader = Reader(Encoder(), VectorCache(tmp_path / "cache"), 1)
    stopped(sorter, many, tmp_path / "x.csv", at="sorting documents", done=1, reader=reader)
    before = Encoder.asked
    (tmp_path / "cache" / "vectors" / "x.sqlite").unlink()  # so that the model would be asked again
    assign_documents(open_documents(many), sorter, tmp_path / "x.csv", LocalEngine(1), reader=reader)
    assert before == len(set(sorter.read_texts(many[:2048])))
    assert Encoder.asked - before == len(set(sorter.read_texts(many[2048:])))


def test_two_runs_do_not_write_the_same_file(sorter, tmp_path):
    with FileLock(tmp_path / ".x.csv.lock"), pytest.raises(IndexInUse, match="another run is writing"):
        assign_documents(open_documents(["text"]), sorter, tmp_path / "x.csv", LocalEngine(1))


def test_progress_has_a_total_once_the_documents_are_counted(sorter, many, tmp_path):
    told: list[tuple[str, int, int | None]] = []
    assign_documents(
        open_documents(many), sorter, tmp_path / "x.csv", LocalEngine(1), progress=lambda *each: told.append(each)
    )
    assert told[-1] == ("writing the table", 4521, 4521)
    assert [done for stage, done, _ in told if stage == "sorting documents"] == [2048, 4096, 4521]
