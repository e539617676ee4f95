"""Documents: the same texts from every format, and one clear sentence for whatever cannot be read."""

from __future__ import annotations

import csv
import errno
import gc
import gzip
import io
import json
import os
import subprocess
import sys
import tempfile
import threading
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st

from seetopic.corpus.documents import Documents, joined
from seetopic.corpus.formats import FORMATS
from seetopic.corpus.opening import open_documents
from seetopic.corpus.partition import Rules, shards_of
from seetopic.corpus.readers import field_size_limit
from seetopic.corpus.records import Fields
from seetopic.errors import CorpusError, MissingExtra, OutputError
from seetopic.runtime import ignore
from seetopic.settings import TextSettings

TEXTS = ["Plain words.", 'He said "no", twice', '"quoted as a whole"', "naïve café 北京 हिन्दी", "  blanks around ", "x"]
A_MILLION = "word " * 200_000


def write_lines(path: Path, texts: list[str]) -> None:
    path.write_bytes("".join(f"{text}\n" for text in texts).encode())


def write_jsonl(path: Path, texts: list[str]) -> None:
    write_lines(path, [json.dumps({"id": number, "text": text}) for number, text in enumerate(texts)])


def write_table(path: Path, texts: list[str], delimiter: str = ",", line_end: str = "\n") -> None:
    with path.open("w", encoding="utf-8", newline="") as file:
        rows = csv.writer(file, delimiter=delimiter, lineterminator=line_end)
        rows.writerows([["id", "text"], *enumerate(texts)])


def write_parquet(path: Path, texts: list[str]) -> None:
    pq.write_table(pa.table({"id": range(len(texts)), "text": texts}), path)


WRITERS: dict[str, Callable[[Path, list[str]], None]] = {
    "txt": write_lines,
    "jsonl": write_jsonl,
    "ndjson": write_jsonl,
    "csv": write_table,
    "tsv": lambda path, texts: write_table(path, texts, "\t"),
    "parquet": write_parquet,
}


def packed(path: Path, cut: int | None = None) -> Path:
    """The file as .gz beside it, truncated at `cut` if given."""
    target = path.with_name(f"{path.name}.gz")
    target.write_bytes(gzip.compress(path.read_bytes())[:cut])
    return target


def written(path: Path, contents: str | bytes) -> Path:
    path.write_bytes(contents.encode() if isinstance(contents, str) else contents)
    return path


def texts_of(source: Any, **options: Any) -> list[str]:
    return list(open_documents(source, **options).texts())


def skipped_of(source: Any, **options: Any) -> tuple[list[str], dict[str, int]]:
    skipped: Counter[str] = Counter()
    texts = list(open_documents(source, on_error="skip", **options).texts(skipped))
    return texts, dict(skipped)


def refuse_reading(path: Path, message: str, **options: Any) -> None:
    """The whole corpus is refused, however faults are handled."""
    for on_error in ("raise", "skip"):
        with pytest.raises(CorpusError, match=message):
            texts_of(path, on_error=on_error, **options)


def refuse_or_skip(source: Any, message: str, left: list[str], kind: str, **options: Any) -> None:
    """By default the fault is an error; otherwise it is counted, and the other documents are read."""
    with pytest.raises(CorpusError, match=message):
        texts_of(source, **options)
    assert skipped_of(source, **options) == (left, {kind: 1})


# The same documents in every format.


@pytest.mark.parametrize("ending", WRITERS)
def test_every_format_gives_the_same_texts_packed_or_not(tmp_path, ending):
    path = tmp_path / f"corpus.{ending}"
    WRITERS[ending](path, TEXTS)
    assert texts_of(path) == TEXTS
    assert texts_of(str(packed(path))) == TEXTS


@given(
    st.lists(
        st.text(st.characters(exclude_categories=["Cc", "Cs"], exclude_characters="\ufeff"), max_size=20).filter(
            str.strip
        ),
        min_size=1,
        max_size=8,
    )
)
def test_any_texts_come_back_from_every_format(texts):
    with tempfile.TemporaryDirectory() as folder:
        for ending, write in WRITERS.items():
            path = Path(folder) / f"corpus.{ending}"
            write(path, texts)
            assert texts_of(path) == texts


@pytest.mark.parametrize(
    "source",
    [
        TEXTS,
        tuple(TEXTS),
        np.array(TEXTS),
        dict.fromkeys(TEXTS).keys(),
        pd.Series(TEXTS),
        pd.Series(TEXTS, dtype="string"),
        pd.Series(TEXTS, dtype="category"),
        pl.Series(TEXTS),
        pd.DataFrame({"id": range(len(TEXTS)), "text": TEXTS}),
        pl.DataFrame({"id": range(len(TEXTS)), "text": TEXTS}),
    ],
    ids=lambda source: f"{type(source).__module__}.{type(source).__name__}",
)
def test_every_kind_of_column_gives_the_same_texts_again_and_again(source):
    documents = open_documents(source)
    assert documents.name == "documents"
    assert list(documents.texts()) == TEXTS
    assert list(documents.texts()) == TEXTS


@pytest.mark.parametrize("frame", [pd.DataFrame, pl.DataFrame])
def test_a_frame_is_read_from_the_named_column(frame):
    assert texts_of(frame({"text": ["no"], "body": ["yes"]}), text_field="body") == ["yes"]


def test_a_frame_without_names_is_read_by_the_number_of_its_column():
    assert texts_of(pd.DataFrame([["a", "b"], ["c", "d"]]), text_field="1") == ["b", "d"]


@pytest.mark.parametrize("frame", [pd.DataFrame, pl.DataFrame])
def test_a_frame_without_the_column_is_refused_with_its_columns(frame):
    with pytest.raises(
        CorpusError, match="the table has no column 'text'; its columns are id, body: choose one with `text_field`"
    ):
        open_documents(frame({"id": [1], "body": ["x"]}))


def test_a_frame_with_two_such_columns_is_refused():
    with pytest.raises(CorpusError, match="more than one column 'text'"):
        open_documents(pd.DataFrame([["a", "b"]], columns=["text", "text"]))


def test_a_folder_gives_its_txt_files_in_the_order_of_their_names(tmp_path):
    (tmp_path / "a" / "folder.txt").mkdir(parents=True)
    written(tmp_path / "b.txt", "second\n")
    written(tmp_path / "a" / "deep.txt", "\ufefffirst\r\nof two lines\r\n")
    written(tmp_path / "notes.md", "not read")
    documents = open_documents(tmp_path)
    assert list(documents.texts()) == ["first\r\nof two lines", "second"]
    assert documents.name == tmp_path.name


def test_a_folder_without_documents_is_refused(tmp_path):
    refuse_reading(tmp_path, r"contains no documents; give a file, or a folder with \.txt, \.md or \.parquet files")


def test_a_file_of_a_folder_that_is_no_text_is_named(tmp_path):
    written(tmp_path / "good.txt", "good")
    written(tmp_path / "latin.txt", "na\xefve".encode("latin-1"))
    refuse_or_skip(tmp_path, r"latin\.txt is not UTF-8 text \(at character 2\)", ["good"], "not UTF-8")


@pytest.mark.parametrize("ending", ["txt", "jsonl", "csv", "tsv"])
def test_windows_line_ends_are_not_part_of_a_text(tmp_path, ending):
    path = tmp_path / f"corpus.{ending}"
    WRITERS[ending](path, TEXTS)
    written(path, path.read_bytes().replace(b"\n", b"\r\n"))
    assert texts_of(path) == TEXTS


@pytest.mark.parametrize("ending", ["txt", "jsonl", "csv", "tsv"])
def test_a_byte_order_mark_is_not_part_of_the_first_text(tmp_path, ending):
    path = tmp_path / f"corpus.{ending}"
    WRITERS[ending](path, TEXTS)
    written(path, b"\xef\xbb\xbf" + path.read_bytes())
    assert texts_of(path, text_field="id" if ending in ("csv", "tsv") else "text") == (
        [str(number) for number in range(len(TEXTS))] if ending in ("csv", "tsv") else TEXTS
    )


@pytest.mark.parametrize("ending", WRITERS)
def test_one_document_is_a_corpus(tmp_path, ending):
    path = tmp_path / f"corpus.{ending}"
    WRITERS[ending](path, ["only"])
    assert texts_of(path) == ["only"]


def test_the_last_line_needs_no_line_end(tmp_path):
    assert texts_of(written(tmp_path / "a.txt", "one\ntwo")) == ["one", "two"]
    assert texts_of(written(tmp_path / "a.csv", 'text\none\n"two"')) == ["one", "two"]


def test_endings_are_read_in_capitals_too(tmp_path):
    write_table(tmp_path / "A.CSV", TEXTS)
    assert texts_of(tmp_path / "A.CSV") == TEXTS
    assert texts_of(packed(tmp_path / "A.CSV").rename(tmp_path / "B.Csv.GZ")) == TEXTS


def test_the_format_can_be_said_where_the_name_does_not_tell(tmp_path):
    write_jsonl(tmp_path / "corpus.data", TEXTS)
    assert texts_of(tmp_path / "corpus.data", format="jsonl") == TEXTS
    assert texts_of(packed(tmp_path / "corpus.data"), format="jsonl") == TEXTS


@pytest.mark.parametrize("ending", WRITERS)
def test_a_document_of_a_million_characters_is_read_whole(tmp_path, ending):
    path = tmp_path / f"corpus.{ending}"
    WRITERS[ending](path, ["before", A_MILLION, "after"])
    assert texts_of(path) == ["before", A_MILLION, "after"]


def test_documents_can_be_given_as_documents():
    documents = open_documents(TEXTS)
    assert open_documents(documents) is documents


# Standard input.


@pytest.fixture
def typed(monkeypatch: pytest.MonkeyPatch) -> Callable[[bytes], None]:
    return lambda contents: monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(contents)))


@pytest.mark.slow
def test_standard_input_is_read_more_than_once_and_leaves_nothing_behind(typed):
    typed("one\n\nnaïve\n".encode())
    documents = open_documents("-")
    assert list(documents.texts()) == ["one", "naïve"]
    assert list(documents.texts()) == ["one", "naïve"]
    assert documents.name == "standard input"
    kept = Path(documents.source)  # a path of its own, because the file exists for as long as the original does
    assert kept.exists()
    del documents
    gc.collect()
    assert not kept.parent.exists()


@pytest.mark.parametrize("ending", ["jsonl", "csv", "tsv", "parquet"])
def test_standard_input_takes_every_format(tmp_path, typed, ending):
    WRITERS[ending](tmp_path / "corpus", TEXTS)
    typed((tmp_path / "corpus").read_bytes())
    assert texts_of("-", format=ending) == TEXTS


def test_faults_in_standard_input_are_placed_by_line(typed):
    typed(b"fine\n\xff\n")
    with pytest.raises(CorpusError, match=r"^standard input, line 2 is not UTF-8"):
        texts_of("-", encoding="utf-8")


def test_empty_standard_input_is_refused(typed):
    typed(b"")
    with pytest.raises(CorpusError, match="standard input' contains no documents"):
        texts_of("-")


def test_a_full_disk_while_standard_input_is_kept_says_what_to_do(monkeypatch):
    class Full(io.BytesIO):
        def read(self, size: int | None = -1) -> bytes:
            raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(Full()))
    with pytest.raises(OutputError, match="No space left on device; free some space"):
        open_documents("-")


def test_a_pipe_is_standard_input():
    script = "from seetopic.corpus.opening import open_documents; print(list(open_documents('-').texts()))"
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", script], input="a\nb\n", capture_output=True, text=True, check=True
    )
    assert (done.stdout.strip(), done.stderr) == ("['a', 'b']", "")


# Shards.


def sharded(source: Any, **sizes: int) -> Iterator[list[str]]:
    chosen = TextSettings(**sizes)
    rules = Rules(Fields(), "raise", chosen.shard_documents, chosen.shard_characters)
    return (shard.texts for shard in shards_of(source, rules))


def test_shards_are_cut_by_number_of_documents():
    assert list(sharded([*"abcdefg"], shard_documents=3)) == [["a", "b", "c"], ["d", "e", "f"], ["g"]]
    assert list(sharded([*"abcdef"], shard_documents=3)) == [["a", "b", "c"], ["d", "e", "f"]]


def test_shards_are_cut_by_number_of_characters():
    small, half, large = "s" * 400, "h" * 500, "l" * 5000
    assert list(sharded([small] * 7, shard_characters=1000)) == [[small] * 3, [small] * 3, [small]]
    assert list(sharded([half] * 4, shard_characters=1000)) == [[half] * 2, [half] * 2]
    assert list(sharded([small, large, small], shard_characters=1000)) == [[small, large], [small]]


def test_texts_that_are_left_out_do_not_count_for_shards():
    assert list(sharded(["a", "", "b", " ", "c"], shard_documents=2)) == [["a", "b"], ["c"]]


@given(st.lists(st.integers(1, 700).map("a".__mul__), min_size=1, max_size=20), st.integers(1, 5))
def test_shards_hold_all_texts_in_order_and_none_could_be_cut_earlier(texts, number):
    shards = list(sharded(texts, shard_documents=number, shard_characters=1000))
    assert [text for shard in shards for text in shard] == texts
    assert all(len(shard) <= number and sum(map(len, shard[:-1])) < 1000 for shard in shards)
    assert all(len(shard) == number or sum(map(len, shard)) >= 1000 for shard in shards[:-1])


def test_documents_are_read_as_a_stream():
    class Told:
        def __init__(self) -> None:
            self.told = 0

        def __iter__(self) -> Iterator[str]:
            for self.told in range(1, 1001):
                yield "text"

    source = Told()
    shards = sharded(source, shard_documents=5)
    assert next(shards) == ["text"] * 5
    assert source.told == 5


# Sources that are refused at once.


@pytest.mark.parametrize("once", [(text for text in TEXTS), iter(TEXTS), map(str, TEXTS)])
def test_an_iterator_is_refused_because_it_can_be_read_only_once(once):
    with pytest.raises(CorpusError, match=r"this iterator can be read only once; convert it with list\(\.\.\.\)"):
        open_documents(once)


@pytest.mark.parametrize(("source", "kind"), [(5, "int"), (None, "NoneType"), ({"a": "text"}, "a dict")])
def test_what_is_no_list_of_texts_is_refused(source, kind):
    with pytest.raises(CorpusError, match=f"must be a path or an iterable of strings, not {kind}"):
        open_documents(source)


def test_a_missing_file_is_refused(tmp_path):
    with pytest.raises(CorpusError, match=r"gone\.txt does not exist; give a file, a folder of \.txt files, or -"):
        open_documents(tmp_path / "gone.txt")


def test_a_text_in_place_of_a_path_is_refused_in_a_short_sentence():
    with pytest.raises(CorpusError, match="File name too long; give a path, or a list of texts") as refused:
        open_documents(A_MILLION)
    assert len(str(refused.value)) < 200


@pytest.mark.parametrize(("name", "ending"), [("a.docx", ".docx"), ("a.docx.gz", ".docx"), ("a.gz", "")])
def test_an_unknown_ending_is_refused_with_the_known_ones(tmp_path, name, ending):
    with pytest.raises(
        CorpusError,
        match=rf"has the unsupported extension '{ending}'; use one of \.txt, \.md, \.jsonl, .* or specify --format",
    ):
        open_documents(written(tmp_path / name, "text"))


def test_a_pipe_by_name_is_refused_because_it_can_be_read_only_once(tmp_path):
    os.mkfifo(tmp_path / "pipe.txt")
    with pytest.raises(CorpusError, match=r"pipe\.txt can be read only once; use - "):
        open_documents(tmp_path / "pipe.txt")


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"on_error": "ignore"}, "`on_error` is 'ignore', but must be 'raise' or 'skip'"),
        ({"format": "xml"}, "the format 'xml' is unknown; give one of txt, md, jsonl"),
    ],
)
def test_an_unknown_option_is_refused(options, message):
    with pytest.raises(CorpusError, match=message):
        open_documents(TEXTS, **options)


def test_a_file_that_may_not_be_read_is_refused(tmp_path, monkeypatch):
    def forbidden(*_: object, **__: object) -> None:
        raise PermissionError(errno.EACCES, "Permission denied")

    path = written(tmp_path / "secret.txt", "text")
    monkeypatch.setattr(Path, "open", forbidden)
    refuse_reading(path, r"secret\.txt cannot be opened: Permission denied; check its name and your permissions")


def test_a_disk_that_fails_while_reading_is_reported_with_the_line(tmp_path, monkeypatch):
    class Failing(io.BytesIO):
        def read(self, size: int | None = -1) -> bytes:
            if self.tell() > 0:
                raise OSError(errno.EIO, "Input/output error")
            return super().read(size)

    path = written(tmp_path / "a.txt", "one\ntwo\n")
    monkeypatch.setattr(Path, "open", lambda *_, **__: Failing(b"one\ntwo\n"))
    refuse_reading(path, r"a\.txt cannot be read after line 2: .*Input/output error")


# Corpora without documents.


@pytest.mark.parametrize("ending", ["txt", "jsonl", "csv", "tsv"])
def test_an_empty_file_is_refused(tmp_path, ending):
    empty = written(tmp_path / f"a.{ending}", "")
    refuse_reading(empty, rf"the corpus 'a\.{ending}' contains no documents; give a corpus with text")
    refuse_reading(packed(empty), "contains no documents; give a corpus with text")


@pytest.mark.parametrize("ending", ["csv", "tsv", "parquet"])
def test_a_table_without_rows_is_refused(tmp_path, ending):
    path = tmp_path / f"a.{ending}"
    WRITERS[ending](path, [])
    refuse_reading(path, "contains no documents; give a corpus with text")


@pytest.mark.parametrize("ending", WRITERS)
def test_a_file_of_empty_documents_is_refused_with_their_number(tmp_path, ending):
    path = tmp_path / f"a.{ending}"
    WRITERS[ending](path, ["", "  ", "\u3000"])
    refuse_reading(path, r"contains no documents \(3 empty\)")


def test_no_documents_at_all_are_refused():
    with pytest.raises(CorpusError, match="the corpus 'documents' contains no documents; give a corpus with text"):
        texts_of([])


def test_a_corpus_of_which_all_is_skipped_is_refused_with_the_reasons():
    with pytest.raises(CorpusError, match=r"contains no documents \(2 not text, 1 empty\)"):
        texts_of([1, 2, ""], on_error="skip")


# Faults of single documents.


@pytest.mark.parametrize("ending", WRITERS)
def test_empty_documents_are_counted_and_left_out(tmp_path, ending):
    path = tmp_path / f"a.{ending}"
    WRITERS[ending](path, ["one", "", "two", " "])
    assert skipped_of(path) == (["one", "two"], {"empty": 2})
    assert texts_of(path) == ["one", "two"]


@pytest.mark.parametrize(
    "column",
    [
        [None, "a", float("nan"), "b"],
        np.array([None, "a", np.nan, "b"], dtype=object),
        pd.Series([None, "a", float("nan"), "b"]),
        pd.Series([pd.NA, "a", pd.NaT, "b"], dtype=object),
        pd.Series([pd.NA, "a", None, "b"], dtype="string"),
        pl.Series([None, "a", None, "b"]),
    ],
    ids=["list", "numpy", "pandas", "pandas-objects", "pandas-string", "polars"],
)
def test_missing_values_count_as_empty(column):
    assert skipped_of(column) == (["a", "b"], {"empty": 2})


@pytest.mark.parametrize(
    ("value", "kind"), [(7, "int"), (b"bytes", "bytes"), (["a"], "list"), (np.zeros(3), "ndarray"), (0.5, "float")]
)
def test_a_value_that_is_no_text_is_named_by_place_and_type(value, kind):
    refuse_or_skip(["fine", value], f"document 1 is of type {kind}, not text; fix it, or .*skip", ["fine"], "not text")


def test_a_column_of_lists_is_no_column_of_texts():
    with pytest.raises(CorpusError, match="document 0 is of type Series, not text"):
        texts_of(pl.Series([["a"], ["b"]]))


def test_a_string_that_is_no_unicode_text_is_refused():
    refuse_or_skip(["fine", "a\ud800"], r"document 1 is not UTF-8 text \(at character 1\)", ["fine"], "not UTF-8")


@pytest.mark.parametrize("ending", ["txt", "csv", "tsv"])
def test_latin_1_bytes_are_refused_with_their_line_in_a_file_that_is_said_to_be_utf_8(tmp_path, ending):
    path = tmp_path / f"a.{ending}"
    WRITERS[ending](path, ["fine", "naïve"])
    written(path, path.read_text(encoding="utf-8").encode("latin-1"))
    line = 2 if ending == "txt" else 3
    message = rf"a\.{ending}, line {line} is not UTF-8 text \(at character 2\); fix it, name the encoding .* --encoding"
    refuse_or_skip(path, message, ["fine"], "not UTF-8", encoding="utf-8")


def test_latin_1_bytes_in_json_are_refused_with_their_line(tmp_path):
    path = written(tmp_path / "a.jsonl", b'{"text": "fine"}\n{"text": "na\xefve"}\n')
    refuse_or_skip(path, r"a\.jsonl, line 2 is not UTF-8 text", ["fine"], "not UTF-8", encoding="utf-8")


def test_bad_bytes_in_another_column_do_no_harm(tmp_path):
    path = written(tmp_path / "a.csv", b"text,other\nfine,na\xefve\n")
    assert texts_of(path, encoding="utf-8") == ["fine"]


@pytest.mark.parametrize("ending", ["txt", "jsonl"])
def test_nul_bytes_are_refused(tmp_path, ending):
    path = written(tmp_path / f"a.{ending}", b"\0" * 4096)
    with pytest.raises(CorpusError, match=rf"a\.{ending}, line 1 contains NUL bytes, so it is not UTF-8 text"):
        texts_of(path)
    with pytest.raises(CorpusError, match=r"contains no documents \(1 with NUL bytes\)"):
        texts_of(path, on_error="skip")


@pytest.mark.parametrize("ending", ["csv", "tsv"])
def test_a_header_of_nul_bytes_is_refused(tmp_path, ending):
    refuse_reading(written(tmp_path / f"a.{ending}", b"\0" * 4096), "the first line of .* contains NUL bytes")


@pytest.mark.parametrize("ending", ["csv", "tsv"])
def test_a_nul_byte_in_a_row_is_refused_with_its_line(tmp_path, ending):
    path = written(tmp_path / f"a.{ending}", "text\nfine\nb\0d\n")
    refuse_or_skip(path, "line 3 contains NUL bytes", ["fine"], "with NUL bytes")


@pytest.mark.parametrize("encoding", ["utf-16", "utf-16-le"])
@pytest.mark.parametrize("ending", ["txt", "jsonl", "csv", "tsv"])
def test_utf_16_is_refused(tmp_path, ending, encoding):
    path = tmp_path / f"a.{ending}"
    WRITERS[ending](path, TEXTS)
    written(path, path.read_text(encoding="utf-8").encode(encoding))
    with pytest.raises(CorpusError, match="UTF-8"):
        texts_of(path, encoding="utf-8")


def test_utf_16_without_zero_bytes_is_refused(tmp_path):
    refuse_or_skip(
        written(tmp_path / "a.txt", b"fine\n" + "\ufeff北京".encode("utf-16-le")),
        "line 2 is not UTF-8 text",
        ["fine"],
        "not UTF-8",
    )


# Faults of JSON.


def test_a_broken_line_17_is_named(tmp_path):
    lines = [json.dumps({"text": f"text {number}"}) for number in range(20)]
    lines[16] = '{"text": "cut o'
    path = tmp_path / "a.jsonl"
    write_lines(path, lines)
    left = [f"text {number}" for number in range(20) if number != 16]
    refuse_or_skip(path, r"a\.jsonl, line 17 is not valid JSON \(.*\); fix it, or .*--on-error skip", left, "not JSON")
    refuse_or_skip(packed(path), r"a\.jsonl\.gz, line 17 is not valid JSON", left, "not JSON")


@pytest.mark.parametrize(
    ("line", "message", "kind"),
    [
        ("{'text': 'x'}", "is not valid JSON", "not JSON"),
        ("[" * 100_000, "is not valid JSON", "not JSON"),
        ('{"text": ' + "9" * 5000 + "}", "is not valid JSON", "not JSON"),
        ('["text"]', "is a JSON list, not an object", "not an object"),
        ("null", "is a JSON NoneType, not an object", "not an object"),
        ('{"body": "x", "id": 1}', r"has no field 'text' \(its fields: 'body', 'id'; choose one", "without text field"),
        ("{}", r"has no field 'text' \(its fields: none;", "without text field"),
        ('{"text": 5}', "is of type int, not text", "not text"),
        ('{"text": {"a": "b"}}', "is of type dict, not text", "not text"),
        ('{"text": "\\ud800"}', r"is not UTF-8 text \(at character 0\)", "not UTF-8"),
        ('{"text": "a\\u0000b"}', "contains NUL bytes", "with NUL bytes"),
    ],
)
def test_a_line_that_is_no_document_is_named(tmp_path, line, message, kind):
    path = written(tmp_path / "a.jsonl", f'{{"text": "fine"}}\n\n{line}\n{{"text": "also"}}\n')
    refuse_or_skip(path, rf"a\.jsonl, line 3 {message}", ["fine", "also"], kind)


@pytest.mark.parametrize("value", ["null", "NaN", '""'])
def test_a_json_value_without_text_counts_as_empty(tmp_path, value):
    path = written(tmp_path / "a.jsonl", f'{{"text": {value}}}\n{{"text": "fine"}}\n')
    assert skipped_of(path) == (["fine"], {"empty": 1})


# Faults of tables.


def test_line_breaks_within_quotes_belong_to_the_text(tmp_path):
    write_table(tmp_path / "a.csv", ["two\nlines", "two\r\nother lines", 'a "quote",\n\nand more'])
    assert texts_of(tmp_path / "a.csv") == ["two\nlines", "two\r\nother lines", 'a "quote",\n\nand more']


@pytest.mark.parametrize("ending", ["csv", "tsv"])
def test_blank_lines_of_a_table_are_no_rows(tmp_path, ending):
    assert texts_of(written(tmp_path / f"a.{ending}", "\n\ntext\none\n\ntwo\n\n")) == ["one", "two"]


def test_quotes_in_tab_separated_files_are_plain_unless_they_hold_the_whole_field(tmp_path):
    path = written(tmp_path / "a.tsv", 'id\t"text"\n1\t"Great" stuff\n2\t"all of it"\n3\t"\n4\t"a ""b"" c"\n')
    assert texts_of(path) == ['"Great" stuff', "all of it", '"', 'a "b" c']


@pytest.mark.parametrize("ending", ["csv", "tsv", "parquet"])
def test_a_table_without_the_column_is_refused_with_its_columns(tmp_path, ending):
    path = tmp_path / f"a.{ending}"
    WRITERS[ending](path, TEXTS)
    refuse_reading(
        path, rf"a\.{ending} has no column 'body'; its columns are 'id', 'text': choose one", text_field="body"
    )


@pytest.mark.parametrize(("ending", "tab"), [("csv", ","), ("tsv", "\t")])
def test_a_row_that_is_too_short_is_named_by_its_line(tmp_path, ending, tab):
    path = written(tmp_path / f"a.{ending}", f"id{tab}text\n1{tab}fine\n2\n3{tab}also\n")
    refuse_or_skip(
        path, "line 3 has only 1 of 2 fields, so it lacks the column 'text'", ["fine", "also"], "without text field"
    )


@pytest.mark.parametrize(("ending", "tab"), [("csv", ","), ("tsv", "\t")])
def test_a_text_that_is_cut_by_a_delimiter_is_a_fault(tmp_path, ending, tab):
    path = written(tmp_path / f"a.{ending}", f"id{tab}text\n1{tab}fine\n2{tab}cut{tab} in two\n")
    refuse_or_skip(path, "line 3 has 3 fields, but the header has 2", ["fine"], "with too many fields")


def test_a_row_may_lack_fields_behind_its_text_or_have_empty_ones(tmp_path):
    assert texts_of(written(tmp_path / "a.csv", "id,text,label\n1,short\n2,long,x,,\n")) == ["short", "long"]


def test_a_row_of_several_lines_is_named_by_its_first(tmp_path):
    path = written(tmp_path / "a.csv", b'id,text\n1,"two\nlines"\n2,"\xff\n\n"\n')
    refuse_or_skip(path, r"a\.csv, line 4 is not UTF-8", ["two\nlines"], "not UTF-8", encoding="utf-8")


@pytest.mark.parametrize("rest", ["1,b\n2,c\n", "", 'x "" y\n'])
def test_a_quote_that_is_never_closed_is_refused_with_the_line_that_opened_it(tmp_path, rest):
    path = written(tmp_path / "a.csv", f'id,text\n0,fine\n1,"open\n{rest}')
    refuse_reading(path, r"a\.csv, line 3 opens a quote that is never closed; double it or remove it")


@pytest.mark.parametrize("ending", ["csv", "tsv"])
def test_a_row_that_is_no_row_is_named_by_its_line(tmp_path, ending):
    path = written(tmp_path / f"a.{ending}", "text\nfine\nold\rline ends\nalso\n")
    refuse_or_skip(path, "line 3 is not a table row", ["fine", "also"], "not a row")


def test_a_header_that_is_no_row_is_refused(tmp_path):
    refuse_reading(written(tmp_path / "a.csv", "id\rtext\r1\rx\n"), r"the first line of a\.csv is not a table header")


@pytest.fixture
def limit() -> Iterator[int]:
    """A field size limit that somebody else has set."""
    before = csv.field_size_limit(5000)
    yield 5000
    csv.field_size_limit(before)


def test_the_limit_on_fields_is_put_back_whatever_happens(tmp_path, limit):
    path = tmp_path / "a.csv"
    write_table(path, ["one", A_MILLION, "three"])
    half_read = open_documents(path).texts()
    assert next(half_read) == "one"
    assert csv.field_size_limit() == limit
    other = open_documents(path).texts()
    assert next(other) == "one"
    assert [*half_read] == [A_MILLION, "three"]
    assert [*other] == [A_MILLION, "three"]
    with pytest.raises(CorpusError):
        texts_of(written(tmp_path / "b.csv", "text\na\rb\n"))
    assert csv.field_size_limit() == limit


# Faults of packed files and of Parquet.


@pytest.mark.parametrize("ending", ["txt", "jsonl", "csv", "tsv"])
def test_a_truncated_gz_is_refused(tmp_path, ending):
    path = tmp_path / f"a.{ending}"
    WRITERS[ending](path, [os.urandom(20).hex() for _ in range(1000)])
    refuse_reading(
        packed(path, cut=-1000),
        rf"a\.{ending}\.gz cannot be unpacked after line \d+: .*; check that the file is complete",
    )


@pytest.mark.parametrize("ending", ["txt", "parquet"])
def test_a_gz_that_is_none_is_refused(tmp_path, ending):
    path = written(tmp_path / f"a.{ending}.gz", "plain text\n")
    refuse_reading(path, r"cannot be unpacked.*Not a gzipped file .*; check that the file is complete")


@pytest.mark.parametrize(("place", "damage"), [(10, b"\xff"), (2000, bytes(100))])
def test_a_gz_with_damaged_contents_is_refused(tmp_path, place, damage):
    write_lines(tmp_path / "a.txt", [os.urandom(20).hex() for _ in range(1000)])
    path = packed(tmp_path / "a.txt")
    contents = bytearray(path.read_bytes())
    contents[place : place + len(damage)] = damage
    refuse_reading(written(path, bytes(contents)), r"a\.txt\.gz cannot be unpacked after line \d+")


def test_a_truncated_parquet_gz_is_refused(tmp_path):
    write_parquet(tmp_path / "a.parquet", TEXTS)
    refuse_reading(packed(tmp_path / "a.parquet", cut=-50), r"a\.parquet\.gz cannot be unpacked: ")


@pytest.mark.parametrize("contents", ["", "plain text\n" * 100])
def test_a_parquet_file_that_is_none_is_refused(tmp_path, contents):
    path = written(tmp_path / "a.parquet", contents)
    refuse_reading(path, r"a\.parquet cannot be read as Parquet: .*; check that the file is complete")
    refuse_reading(packed(path), r"a\.parquet\.gz cannot be read as Parquet")


def test_a_parquet_file_with_damaged_contents_is_refused(tmp_path):
    pq.write_table(pa.table({"text": [os.urandom(20).hex() for _ in range(1000)]}), tmp_path / "a.parquet")
    contents = bytearray((tmp_path / "a.parquet").read_bytes())
    contents[4:200] = bytes(196)
    refuse_reading(written(tmp_path / "a.parquet", bytes(contents)), r"a\.parquet cannot be read as Parquet")


def test_parquet_values_that_are_no_texts_are_named_by_their_row(tmp_path):
    pq.write_table(pa.table({"id": [1, None], "text": ["a", None]}), tmp_path / "a.parquet")
    assert skipped_of(tmp_path / "a.parquet") == (["a"], {"empty": 1})
    with pytest.raises(CorpusError, match=r"a\.parquet, row 1 is of type int, not text"):
        texts_of(tmp_path / "a.parquet", text_field="id")


def test_a_parquet_text_that_is_no_utf_8_is_named_by_its_row(tmp_path):
    bytes_column = pa.array([b"fine", b"na\xefve", None, b"also"], pa.binary())
    column = pa.Array.from_buffers(pa.string(), 4, bytes_column.buffers())
    pq.write_table(pa.table({"text": column}), tmp_path / "a.parquet")
    with pytest.raises(CorpusError, match=r"a\.parquet, row 2 is not UTF-8 text \(at character 2\)"):
        texts_of(tmp_path / "a.parquet")
    assert skipped_of(tmp_path / "a.parquet") == (["fine", "also"], {"not UTF-8": 1, "empty": 1})


@pytest.mark.parametrize("kind", [pa.large_string(), pa.string_view(), pa.dictionary(pa.int32(), pa.string())], ids=str)
def test_every_kind_of_parquet_text_is_read(tmp_path, kind):
    pq.write_table(pa.table({"text": pa.array(["a", "b"], pa.string()).cast(kind)}), tmp_path / "a.parquet")
    assert texts_of(tmp_path / "a.parquet") == ["a", "b"]


def test_rows_of_many_parquet_batches_are_numbered_through(tmp_path):
    texts = [f"text {number}" for number in range(3000)]
    pq.write_table(pa.table({"text": texts}), tmp_path / "a.parquet", row_group_size=700)
    assert texts_of(tmp_path / "a.parquet") == texts


def test_without_pyarrow_the_missing_extra_is_named(tmp_path, monkeypatch):
    write_parquet(tmp_path / "a.parquet", TEXTS)
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    with pytest.raises(MissingExtra, match=r'^reading a\.parquet needs an extra: pip install "seetopic\[parquet\]"$'):
        texts_of(tmp_path / "a.parquet")


# Arbitrary bytes.


@given(st.sampled_from(FORMATS), st.booleans(), st.binary(max_size=200))
def test_any_bytes_give_texts_or_a_corpus_error(ending, is_packed, contents):
    with tempfile.TemporaryDirectory() as folder:
        table = ending in ("jsonl", "csv", "tsv")
        path = written(Path(folder) / f"a.{ending}", b"text\n" + contents if table else contents)
        with suppress(CorpusError):
            texts = texts_of(packed(path) if is_packed else path, on_error="skip", told=ignore)
            assert texts
            assert all(text.strip() and text.encode("utf-8") and "\0" not in text for text in texts)


def test_documents_are_called_by_the_file_name(tmp_path):
    assert Documents(tmp_path / "reviews.csv").name == "reviews.csv"


def test_corpora_are_joined_in_order_by_the_name_of_the_first(tmp_path):
    (tmp_path / "old.txt").write_text("one\n\ntwo\n")
    both = joined(open_documents(tmp_path / "old.txt"), open_documents(["three", "", "four"]))
    whole = joined(both, open_documents(["five"]))
    assert list(whole.texts()) == ["one", "two", "three", "four", "five"]
    assert list(whole.numbers()) == [0, 2, 3, 5, 6]
    assert list(whole.all_texts()) == ["one", "", "two", "three", "", "four", "five"]
    assert whole.name == "old.txt"
    assert len(whole.source.parts) == 3


def test_a_broken_record_keeps_its_place_as_an_empty_text_or_is_refused():
    assert list(open_documents(["a", 3, "b"], on_error="skip").all_texts()) == ["a", "", "b"]
    with pytest.raises(CorpusError, match="document 1 is of type int"):
        list(open_documents(["a", 3, "b"]).all_texts())


def test_the_field_limit_that_one_thread_sets_is_not_seen_by_another():
    """The limit belongs to the process: whoever needs another one waits."""
    begun, seen = threading.Event(), []

    def other() -> None:
        begun.set()
        with field_size_limit(500_000):
            seen.append(csv.field_size_limit())

    before = csv.field_size_limit()
    with field_size_limit(7):
        thread = threading.Thread(target=other)
        thread.start()
        assert begun.wait(30)
        thread.join(0.2)
        assert seen == []
        assert csv.field_size_limit() == 7
    thread.join(30)
    assert seen == [500_000]
    assert csv.field_size_limit() == before


@pytest.mark.parametrize(
    "late", [{"text_field": "body"}, {"format": "csv"}, {"label_field": "label"}, {"columns": {"year": [1, 2]}}]
)
def test_options_that_open_documents_would_ignore_are_refused(late):
    opened = open_documents(["one", "two"])
    with pytest.raises(CorpusError, match=f"`{next(iter(late))}` comes too late"):
        open_documents(opened, **late)
    assert open_documents(opened, text_field="text", on_error="skip") is opened
