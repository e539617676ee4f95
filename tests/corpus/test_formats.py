"""What people have: other delimiters and encodings, JSON arrays, workbooks, folders, datasets; columns of each."""

from __future__ import annotations

import csv
import gzip
import io
import json
import tempfile
from collections.abc import Callable
from datetime import date
from pathlib import Path
from typing import Any

import pandas as pd
import pyarrow as pa
import pyarrow.ipc
import pyarrow.parquet as pq
import pytest
import xlsxwriter
from hypothesis import given
from hypothesis import strategies as st

from seetopic.corpus import readers
from seetopic.corpus.detect import detected_delimiter, detected_encoding, only_text_column
from seetopic.corpus.documents import Documents
from seetopic.corpus.opening import open_documents
from seetopic.errors import CorpusError, MissingExtra
from seetopic.settings import TextSettings

CELL = st.text(st.characters(codec="cp1252", exclude_characters="\0\x1a", exclude_categories=("Cc", "Cs")), max_size=12)


def read(path: Any, **options: Any) -> tuple[list[str], list[str]]:
    """The texts, and what was said."""
    said: list[str] = []
    documents = open_documents(path, told=said.append, **options)
    return list(documents.texts()), said


def rows_of(documents: Documents) -> list[tuple[str, dict[str, Any]]]:
    """Every row with its columns."""
    shards = [shard for piece in documents.pieces(keep=True, every_row=True) for shard in piece.shards()]
    return [row for shard in shards for row in zip(shard.texts, shard.columns, strict=True)]


def table(rows: list[dict[str, Any]], delimiter: str, quoting: int = csv.QUOTE_MINIMAL) -> str:
    file = io.StringIO(newline="")
    made = csv.DictWriter(file, list(rows[0]), delimiter=delimiter, quoting=quoting)
    made.writeheader()
    made.writerows(rows)
    return file.getvalue()


# Delimiters and encodings.


@pytest.mark.slow
@given(
    st.lists(st.fixed_dictionaries({"id": CELL, "text": CELL, "no te": CELL}), min_size=1, max_size=6),
    st.sampled_from([",", ";", "\t", "|"]),
    st.sampled_from([csv.QUOTE_MINIMAL, csv.QUOTE_ALL]),
    st.sampled_from(["utf-8", "utf-8-sig", "utf-16", "cp1252"]),
)
def test_any_delimiter_and_quotes_are_recognised(rows, delimiter, quoting, encoding):
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "a.csv"
        # Enough plain words that the encoding can be told.
        rows = [{"id": "plain", "text": "some plain words before the others", "no te": "é"}, *rows]
        path.write_bytes(table(rows, delimiter, quoting).encode(encoding))
        said: list[str] = []
        documents = open_documents(path, keep=("id", "no te"), encoding=None, told=said.append)
        if encoding == "cp1252" and documents.encoding == "utf-8":  # most of it is not ASCII, so it is not guessed
            documents = open_documents(path, keep=("id", "no te"), encoding=encoding, told=said.append)
        found = rows_of(documents)
        assert [text for text, _ in found] == [row["text"] for row in rows]
        assert [columns for _, columns in found] == [{"id": row["id"], "no te": row["no te"]} for row in rows]
        assert any("separated by" in sentence for sentence in said) == (delimiter != ",")


def test_what_is_detected_is_said_in_one_line_each(tmp_path):
    path = tmp_path / "kunden.csv"
    path.write_bytes("nr;text\r\n1;Die Lieferung war spät\r\n2;Herr Müller ruft an\r\n".encode("latin-1"))
    assert read(path) == (
        ["Die Lieferung war spät", "Herr Müller ruft an"],
        [
            "kunden.csv is not UTF-8, so it is read as Windows-1252 (Latin-1); name another encoding with --encoding",
            "the cells of kunden.csv are separated by ';'; name another delimiter with --delimiter",
        ],
    )
    assert read(path, delimiter=";", encoding="latin-1")[1] == []
    (tmp_path / "packed.csv.gz").write_bytes(gzip.compress(path.read_bytes()))
    assert read(tmp_path / "packed.csv.gz")[0] == ["Die Lieferung war spät", "Herr Müller ruft an"]


@pytest.mark.parametrize(
    ("text", "delimiter"),
    [
        ("text\na; b\nc\n", ","),  # one column, whatever its texts contain
        ("what; do you think\na; b\nc\n", ","),  # rows do not match
        ("a,b\n1,x; y\n", ","),
        ("name, first;text\nx;y\n", ";"),  # the text column decides
        ("a;b\n1;2\n", ";"),
        ("a|b\n1|2\n", "|"),
        ("", ","),
    ],
)
def test_a_comma_stays_unless_another_delimiter_makes_a_table(text, delimiter):
    assert detected_delimiter(text, "text", is_whole=True) == delimiter


@pytest.mark.parametrize(
    ("raw", "encoding"),
    [
        (b"plain", None),
        ("naïve café".encode(), None),
        ("naïve café".encode()[:-1], None),  # cut within a character
        ("naïve café and others".encode("cp1252"), "cp1252"),
        ("100 € für “alles zusammen und mehr”".encode("cp1252"), "cp1252"),
        (b"na\xefve \x81 and others", "latin-1"),
        ("Привет, как дела".encode("cp1251"), None),  # another alphabet is not guessed
        ("naïve café naïve".encode() + b" \xff", None),  # damaged UTF-8
        ("text".encode("utf-16"), "utf-16"),
        (b"\x00\xff words and more words", None),
    ],
)
def test_an_encoding_is_guessed_only_where_it_is_clear(raw, encoding):
    assert detected_encoding(raw) == encoding


@given(st.binary(max_size=60))
def test_any_bytes_can_be_decoded_by_what_is_detected(raw):
    encoding = detected_encoding(raw)
    if encoding in ("cp1252", "latin-1"):
        assert raw.decode(encoding)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"encoding": "klingon"}, "the encoding 'klingon' is unknown; give one such as utf-8, cp1252 or latin-1"),
        ({"encoding": "base64"}, "the encoding 'base64' is unknown"),
        ({"delimiter": ";;"}, "the delimiter ';;' is not a single character; give one, such as ';', or tab"),
        ({"keep": ("date",)}, r"a\.csv has no column 'date'; its columns are 'text', 'id'"),
        ({"keep": ("",)}, "`keep` is .* but must be the names of columns, or 'all'"),
    ],
)
def test_options_that_fit_nothing_are_refused(tmp_path, options, message):
    (tmp_path / "a.csv").write_text("text,id\nx,1\n")
    with pytest.raises(CorpusError, match=message):
        rows_of(open_documents(tmp_path / "a.csv", **options))


def test_a_delimiter_is_refused_where_there_is_none(tmp_path):
    (tmp_path / "a.jsonl").write_text('{"text": "x"}\n')
    with pytest.raises(CorpusError, match=r"a\.jsonl is not a \.csv or \.tsv file, so it has no delimiter"):
        open_documents(tmp_path / "a.jsonl", delimiter=";")


def test_a_tab_may_be_written_as_a_word(tmp_path):
    (tmp_path / "a.csv").write_text("id\ttext\n1\tx\n")
    for delimiter in ("tab", "\\t", "\t"):
        assert read(tmp_path / "a.csv", delimiter=delimiter) == (["x"], [])


def test_bytes_that_an_encoding_does_not_have_are_placed_by_line(tmp_path):
    (tmp_path / "a.txt").write_bytes(b"fine\n\x81\xff\n")
    with pytest.raises(CorpusError, match=r"a\.txt, line 2 is not UTF-8"):
        read(tmp_path / "a.txt", encoding="cp1252")


# The column with the texts.


@pytest.mark.parametrize("ending", ["csv", "jsonl", "json", "parquet", "xlsx"])
def test_the_only_text_column_is_taken_and_said(tmp_path, ending):
    rows = [{"id": number, "day": "2024-05-17 10:00", "body": f"two words {number}"} for number in range(3)]
    rows[1]["day"] = "not known"  # most values decide
    path = WRITERS[ending](tmp_path / f"a.{ending}", rows)
    expected = (
        "a.%s has no column 'text', so its only column with text, 'body', is read; choose another with --text-field"
    )
    assert read(path) == (["two words 0", "two words 1", "two words 2"], [expected % ending])
    assert read(path, text_field="body")[1] == []


def test_of_several_text_columns_none_is_taken(tmp_path):
    path = WRITERS["csv"](tmp_path / "a.csv", [{"title": "A good day", "body": "two words"}])
    with pytest.raises(CorpusError, match=r"a\.csv has no column 'text'; its columns are 'title', 'body'"):
        read(path)


@given(st.lists(st.dictionaries(st.sampled_from("abc"), st.one_of(st.text(), st.integers(), st.none())), max_size=5))
def test_a_text_column_has_words_and_no_other_column_has(rows):
    column = only_text_column(rows)
    if column is not None:
        assert any(" " in value or len(value.split()) > 1 for row in rows if isinstance(value := row.get(column), str))


# Formats.


def write_xlsx(path: Path, rows: list[dict[str, Any]]) -> Path:
    with xlsxwriter.Workbook(path, {"default_date_format": "yyyy-mm-dd"}) as book:
        sheet = book.add_worksheet()
        sheet.write_row(0, 0, list(rows[0]))
        for number, row in enumerate(rows, start=1):
            for column, value in enumerate(row.values()):
                sheet.write(number, column, value)
    return path


def written(path: Path, text: str) -> Path:
    path.write_text(text, encoding="utf-8", newline="")
    return path


def write_parquet(path: Path, rows: list[dict[str, Any]]) -> Path:
    pq.write_table(pa.Table.from_pylist(rows), path)
    return path


WRITERS: dict[str, Callable[[Path, list[dict[str, Any]]], Path]] = {
    "csv": lambda path, rows: written(path, table(rows, ",")),
    "jsonl": lambda path, rows: written(path, "".join(json.dumps(row) + "\n" for row in rows)),
    "json": lambda path, rows: written(path, json.dumps(rows, indent=1)),
    "parquet": write_parquet,
    "xlsx": write_xlsx,
}


def test_a_workbook_has_types(tmp_path):
    rows = [{"id": 1, "text": "=1+1 is a text", "day": date(2024, 5, 17)}, {"id": 2.5, "text": None, "day": None}]
    path = tmp_path / "a.xlsx"
    with xlsxwriter.Workbook(path) as book:
        sheet, as_date = book.add_worksheet(), book.add_format({"num_format": "yyyy-mm-dd"})
        sheet.write_row(0, 0, list(rows[0]))
        for number, row in enumerate(rows, start=1):
            sheet.write_number(number, 0, row["id"])
            sheet.write_string(number, 1, row["text"] or "")
            if row["day"]:
                sheet.write_datetime(number, 2, row["day"], as_date)
    assert rows_of(open_documents(path, keep="all")) == [
        ("=1+1 is a text", {"id": 1.0, "day": "2024-05-17"}),
        ("", {"id": 2.5, "day": None}),
    ]


def test_a_workbook_may_be_empty_or_have_blank_rows_and_labels(tmp_path):
    xlsxwriter.Workbook(tmp_path / "empty.xlsx").close()
    assert rows_of(open_documents(tmp_path / "empty.xlsx", text_field="text")) == []
    path = write_xlsx(tmp_path / "a.xlsx", [{"text": "one", "kind": "x"}, {}, {"text": "two", "kind": "y"}])
    labels: list[tuple[str, ...]] = []
    assert list(open_documents(path, label_field="kind").texts(None, labels)) == ["one", "two"]
    assert labels == [("x",), ("y",)]


def test_a_column_of_a_workbook_may_have_no_name(tmp_path):
    path = write_xlsx(tmp_path / "a.xlsx", [{"id": 1, "": "the only words"}, {"id": 2, "": "here they are"}])
    with pytest.warns(UserWarning, match="its only column with text, '', is read"):
        documents = open_documents(path, keep="all")
    assert rows_of(documents) == [("the only words", {"id": 1.0}), ("here they are", {"id": 2.0})]
    assert documents.column_names() == ("id", "")


def test_a_workbook_without_its_extra_is_refused(tmp_path, monkeypatch):
    monkeypatch.setitem(__import__("sys").modules, "python_calamine", None)
    path = write_xlsx(tmp_path / "a.xlsx", [{"text": "x"}])
    with pytest.raises(MissingExtra, match=r'reading a\.xlsx needs an extra: pip install "seetopic\[xlsx\]"'):
        read(path)


def test_a_file_that_is_no_workbook_is_refused(tmp_path):
    (tmp_path / "a.xlsx").write_bytes(b"PK\x03\x04 not a workbook")
    with pytest.raises(CorpusError, match=r"a\.xlsx cannot be read as \.xlsx"):
        read(tmp_path / "a.xlsx")


JSON = st.recursive(st.one_of(st.none(), st.booleans(), st.integers(), st.text()), st.lists, max_leaves=4)


@given(
    st.lists(st.dictionaries(st.sampled_from(["text", "a", "b"]), JSON, max_size=3), max_size=8),
    st.sampled_from([None, 0, 3]),
    st.integers(1, 40),
    st.booleans(),
)
def test_a_json_array_is_read_in_any_blocks(values, indent, block, lines):
    text = "\n".join(json.dumps(value) for value in values) if lines else json.dumps(values, indent=indent)
    with tempfile.TemporaryDirectory() as folder, pytest.MonkeyPatch.context() as patch:
        patch.setattr(readers, "_BLOCK", block)
        path = written(Path(folder) / "a.json", text)
        assert list(readers._json_values(readers.StoredFile(str(path), "a.json"))) == values


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('[{"text": "x"}, {"text": ', "is not valid JSON after element 1"),
        ('[{"text": "x"}', "the JSON array in a.json is not closed"),
        ('[{"text": "x"}] 7', "is not valid JSON after element 1"),
        ("[7]", "a.json, element 1 is a JSON int, not an object"),
        ('{"data": [1]}', r"a.json, element 1 has no field 'text' \(its fields: 'data'"),
        ("[]", "contains no documents"),
    ],
)
def test_json_that_is_no_array_of_objects_is_refused(tmp_path, text, message):
    with pytest.raises(CorpusError, match=message):
        read(written(tmp_path / "a.json", text))


def test_an_array_of_strings_is_documents(tmp_path):
    assert read(written(tmp_path / "a.json", '["one", "two", ""]'))[0] == ["one", "two"]


# Folders.


def test_a_folder_of_parquet_is_one_table(tmp_path):
    (tmp_path / "data" / "year=2024").mkdir(parents=True)
    write_parquet(tmp_path / "data" / "b.parquet", [{"text": "second", "n": 2}])
    write_parquet(tmp_path / "data" / "a.parquet", [{"text": "first", "n": 1}])
    write_parquet(tmp_path / "data" / "year=2024" / "c.parquet", [{"text": "third", "n": 3}])
    (tmp_path / "data" / "README.md").write_text("About the data.")
    (tmp_path / "data" / ".hidden.parquet").write_text("x")
    found = rows_of(open_documents(tmp_path / "data", keep=("n",)))
    assert found == [("first", {"n": 1}), ("second", {"n": 2}), ("third", {"n": 3})]
    (tmp_path / "data" / "d.csv").write_text("text\nx\n")
    with pytest.raises(CorpusError, match=r"contains files of different formats \(parquet, csv\); choose some"):
        open_documents(tmp_path / "data")


def test_markdown_files_are_one_document_each(tmp_path):
    (tmp_path / "notes").mkdir()
    for name in ("b", "a"):
        (tmp_path / "notes" / f"{name}.md").write_text(f"# Title {name}\n\nText.\n")
    expected = ["# Title a\n\nText.", "# Title b\n\nText."]
    assert read(tmp_path / "notes")[0] == read(str(tmp_path / "notes" / "*.md"))[0] == expected
    assert read(tmp_path / "notes" / "a.md")[0] == expected[:1]
    assert rows_of(open_documents(tmp_path / "notes", keep=("file",)))[0] == (expected[0], {"file": "a.md"})


def save_dataset(folder: Path, *parts: list[dict[str, Any]]) -> Path:
    """A folder as the `datasets` library writes it."""
    folder.mkdir(parents=True)
    names = [f"data-{number:05d}-of-{len(parts):05d}.arrow" for number in range(len(parts))]
    for name, rows in zip(names, parts, strict=True):
        batch = pa.Table.from_pylist(rows)
        with pa.ipc.new_stream(folder / name, batch.schema) as stream:
            stream.write_table(batch, max_chunksize=2)
    (folder / "state.json").write_text(json.dumps({"_data_files": [{"filename": name} for name in names]}))
    (folder / "dataset_info.json").write_text("{}")
    return folder


def test_a_dataset_on_disk_is_read_without_its_library(tmp_path):
    rows = [{"text": f"document {number}", "n": number, "tags": ["x"]} for number in range(5)]
    folder = save_dataset(tmp_path / "train", rows[:3], rows[3:])
    assert rows_of(open_documents(folder, keep="all")) == [(row["text"], {"n": row["n"]}) for row in rows]
    (tmp_path / "train" / "data-00001-of-00002.arrow").write_bytes(b"no")
    with pytest.raises(CorpusError, match=r"data-00001-of-00002\.arrow cannot be read as Arrow"):
        rows_of(open_documents(folder))


def test_a_dataset_with_splits_says_which(tmp_path):
    for split in ("train", "test"):
        save_dataset(tmp_path / "all" / split, [{"text": "x"}])
    (tmp_path / "all" / "dataset_dict.json").write_text("{}")
    with pytest.raises(CorpusError, match=r"is a dataset with several splits \(test, train\); give the folder of one"):
        open_documents(tmp_path / "all")


def test_a_dataset_does_not_lead_outside_its_folder(tmp_path):
    folder = save_dataset(tmp_path / "data", [{"text": "x"}])
    (folder / "state.json").write_text(json.dumps({"_data_files": [{"filename": "../secret.arrow"}]}))
    with pytest.raises(CorpusError, match="contains no documents"):
        read(folder)


# Tables in memory.


def test_columns_of_a_data_frame_are_kept_by_name():
    frame = pd.DataFrame({"text": ["one", None], "n": [1, 2], "when": pd.to_datetime(["2024-01-01", None])})
    expected = [("one", {"n": 1, "when": "2024-01-01T00:00:00"}), ("", {"n": 2, "when": None})]
    assert rows_of(open_documents(frame, keep="all")) == expected
    assert rows_of(open_documents(["one", ""], columns=frame[["n", "when"]])) == expected
    with pytest.raises(CorpusError, match="these documents are plain strings, so they have no columns to keep"):
        open_documents(["one"], keep=("n",))


def test_kept_columns_count_towards_the_size_of_a_shard():
    settings = TextSettings(shard_characters=1000)
    documents = open_documents(["x"] * 10, columns={"long": ["y" * 400] * 10})
    shards = [shard for piece in documents.pieces(settings, keep=True) for shard in piece.shards()]
    assert [len(shard.texts) for shard in shards] == [3, 3, 3, 1]
