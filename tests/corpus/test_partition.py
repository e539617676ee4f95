"""Pieces: workers together read what one process would, however files are split and stored."""

from __future__ import annotations

import csv
import functools
import gzip
import http.server
import io
import json
import os
import pickle
import re
import tempfile
import threading
import zipfile
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from typing import Any

import fsspec
import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st

from seetopic.corpus import partition
from seetopic.corpus.documents import Documents, joined
from seetopic.corpus.fingerprint import Fingerprint, fingerprint
from seetopic.corpus.opening import open_documents
from seetopic.corpus.partition import Pieces, Stream, line_begins
from seetopic.corpus.storage import local_file, seen
from seetopic.errors import CorpusError
from seetopic.index.sample import beginnings
from seetopic.runtime.engine import LocalEngine
from seetopic.runtime.notices import ignore
from seetopic.runtime.progress import silent
from seetopic.settings import TextSettings
from seetopic.text.shards import scan
from seetopic.text.tokenizer import tokenize

HERE = LocalEngine(1)
# Anything but line breaks, which end a text in some formats; U+2028 and the like do not.
LETTERS = st.characters(exclude_categories=["Cs"], exclude_characters="\0\n\r\ufeff")
TEXT = st.text(LETTERS, max_size=12)
PLAIN = st.text(st.characters(exclude_categories=["Cc", "Cs"], exclude_characters="\ufeff"), max_size=12)


@pytest.fixture(scope="module")
def two() -> Iterator[LocalEngine]:
    engine = LocalEngine(2)
    yield engine
    engine.close()


@contextmanager
def cut_small(searched: int = 64) -> Iterator[None]:
    """Files of any size are searched for lines, in small stretches."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(partition, "_SMALL", 0)
        patch.setattr(partition, "_SEARCHED", searched)
        patch.setattr(partition, "_READ", 7)
        yield


def read(pieces: Pieces) -> tuple[list[str], list[tuple[str, ...]], dict[str, int]]:
    texts, labels, skipped = [], [], Counter()
    for piece in pieces:
        for shard in pickle.loads(pickle.dumps(piece)).shards():
            texts += shard.texts
            labels += shard.labels
            skipped.update(shard.skipped)
    return texts, labels, dict(skipped)


def read_in_a_row(documents: Documents) -> tuple[list[str], dict[str, int]]:
    skipped: Counter[str] = Counter()
    return list(documents.texts(skipped)), dict(skipped)


def outcome(work: Any) -> Any:
    try:
        return work()
    except CorpusError as error:
        return str(error)


def sizes_of(number: int) -> TextSettings:
    return TextSettings(shard_documents=number, shard_characters=1000)


def known(documents: Documents, engine: LocalEngine = HERE, number: int = 2048) -> Fingerprint:
    return fingerprint(documents, documents.pieces(sizes_of(number), engine), engine, silent)


# Pieces against one process.


def line_of(ending: str) -> st.SearchStrategy[bytes]:
    text = TEXT.map(str.encode)
    plain = st.one_of(
        text, st.just(b""), st.just(b"  "), st.binary(max_size=6).map(lambda raw: raw.replace(b"\n", b""))
    )
    if ending == "jsonl":
        record = st.one_of(TEXT, st.none(), st.integers(), st.just("\ud800"), st.just("a\0b"))
        objects = st.dictionaries(st.sampled_from(["text", "id"]), record, max_size=2).map(json.dumps).map(str.encode)
        return st.one_of(
            objects, objects, TEXT.map(lambda each: json.dumps({"text": each}, ensure_ascii=False).encode()), plain
        )
    if ending == "tsv":
        return st.lists(st.one_of(text, plain), max_size=3).map(b"\t".join)
    return plain


@st.composite
def line_files(draw: st.DrawFn) -> tuple[str, bytes]:
    """A file of lines with every oddity: two kinds of line breaks, blank lines, a byte order mark, faults."""
    ending = draw(st.sampled_from(["txt", "jsonl", "tsv"]))
    lines = draw(st.lists(line_of(ending), max_size=14))
    if ending == "tsv":
        lines.insert(draw(st.integers(0, min(1, len(lines)))), b"id\ttext")
    end = draw(st.sampled_from([b"\n", b"\r\n"]))
    start = draw(st.sampled_from([b"", b"", b"\xef\xbb\xbf"]))
    return ending, start + end.join(lines) + draw(st.sampled_from([end, b""]))


@given(line_files(), st.integers(1, 4), st.integers(1, 80), st.sampled_from(["raise", "skip"]))
def test_pieces_of_lines_hold_what_one_process_reads_in_a_row(file, number, searched, on_error):
    ending, contents = file
    with tempfile.TemporaryDirectory() as folder, cut_small(searched):
        path = Path(folder) / f"a.{ending}"
        path.write_bytes(contents)
        documents = open_documents(path, on_error=on_error, told=ignore)
        in_a_row = outcome(lambda: read_in_a_row(documents))
        in_pieces = outcome(lambda: read(documents.pieces(sizes_of(number)))[::2])
        if isinstance(in_a_row, str) and "contains no documents" in in_a_row:
            assert in_pieces[0] == []
        else:
            assert in_pieces == in_a_row


@given(
    st.lists(st.binary(max_size=9).map(lambda raw: raw.replace(b"\n", b"x")), max_size=20),
    st.integers(1, 5),
    st.integers(1, 40),
    st.integers(1, 30),
)
def test_parts_begin_at_lines_and_are_as_large_as_they_may_be(lines, most_lines, most_bytes, searched):
    contents = b"".join(line + b"\n" for line in lines) + b"end"
    with tempfile.TemporaryDirectory() as folder, cut_small(searched):
        path = Path(folder) / "a.txt"
        path.write_bytes(contents)
        file = seen(local_file(path))
        begins, before = [], 0
        for first in range(0, len(contents), searched):
            own, n_lines = line_begins((file, first, min(first + searched, len(contents))), most_lines, most_bytes)
            begins += [(byte, before + line) for byte, line in own]
            before += n_lines
            for (start, line), (end, last) in pairwise(own):
                assert last - line <= most_lines
                longest = contents[start:end].split(b"\n")[-2]
                assert end - start < most_bytes + len(longest) + 1  # a line is never split
                assert last - line == most_lines or end - start >= most_bytes
    assert before == len(lines) + 1
    assert begins[0] == (0, 0)
    assert all(contents[byte - 1 : byte] == b"\n" and contents[:byte].count(b"\n") == line for byte, line in begins[1:])


@given(st.lists(st.one_of(TEXT, st.none()), min_size=1, max_size=20), st.integers(1, 6), st.integers(1, 5))
def test_pieces_of_parquet_hold_what_one_process_reads_in_a_row(texts, group, number):
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "a.parquet"
        pq.write_table(pa.table({"text": pa.array(texts, pa.string())}), path, row_group_size=group)
        documents = open_documents(path)
        kept = [text for text in texts if text and text.strip()]
        found, _, skipped = read(documents.pieces(sizes_of(number)))
        assert (found, skipped.get("empty", 0)) == (kept, len(texts) - len(kept))


@pytest.mark.slow
@given(st.lists(PLAIN.filter(str.strip), min_size=1, max_size=10), st.integers(1, 4), st.data())
def test_the_fingerprint_is_the_same_however_texts_are_stored(texts, number, data):
    cut = data.draw(st.integers(0, len(texts)))
    same = {known(open_documents(texts))[:2]}
    with tempfile.TemporaryDirectory() as folder, cut_small():
        for name, own in (("all", texts), ("part-1", texts[:cut]), ("part-2", texts[cut:])):
            write_all(Path(folder), name, own)
        for ending in ("txt", "jsonl", "tsv", "csv", "parquet"):
            same.add(known(open_documents(Path(folder) / f"all.{ending}"), number=number)[:2])
            same.add(known(open_documents(str(Path(folder) / f"part-*.{ending}")), number=number)[:2])
        same.add(known(open_documents(str(Path(folder) / "part-*.jsonl.gz")), number=number)[:2])
        same.add(known(joined(open_documents(texts[:1]), open_documents([*texts[1:], " "])))[:2])
    assert len(same) == 1
    assert known(open_documents([*texts, "more"]))[:2] not in same


def write_all(folder: Path, name: str, texts: list[str]) -> None:
    records = "".join(json.dumps({"text": text}) + "\n" for text in texts)
    (folder / f"{name}.txt").write_bytes("".join(f"{text}\n" for text in texts).encode())
    (folder / f"{name}.jsonl").write_text(records)
    (folder / f"{name}.jsonl.gz").write_bytes(gzip.compress(records.encode()))
    for ending, delimiter in (("csv", ","), ("tsv", "\t")):
        with (folder / f"{name}.{ending}").open("w", encoding="utf-8", newline="") as file:
            csv.writer(file, delimiter=delimiter, lineterminator="\n").writerows(
                [["text"], *([text] for text in texts)]
            )
    pq.write_table(pa.table({"text": pa.array(texts, pa.string())}), folder / f"{name}.parquet")


def test_a_fingerprint_tells_texts_order_and_borders_apart():
    corpora = [["ab", "c"], ["a", "bc"], ["c", "ab"], ["abc"], ["ab", "c", "c"]]
    assert len({known(open_documents(corpus)).sha256 for corpus in corpora}) == len(corpora)


# Bounds.


def test_no_shard_is_larger_than_it_may_be_whatever_the_file(tmp_path):
    texts = [f"text number {number}" for number in range(100)]
    write_all(tmp_path, "a", texts)
    write_all(tmp_path, "b", texts)
    for ending in ("txt", "jsonl", "jsonl.gz", "csv", "tsv", "parquet"):
        pieces = open_documents(str(tmp_path / f"*.{ending}")).pieces(TextSettings(shard_documents=30))
        shards = [shard for piece in pieces for shard in piece.shards()]
        assert [text for shard in shards for text in shard.texts] == [*texts, *texts]
        assert max(len(shard.texts) for shard in shards) <= 30


def test_small_files_share_a_piece_and_large_ones_have_several(tmp_path):
    for number in range(100):
        (tmp_path / f"{number:03d}.txt").write_text("word " * 30)
    pieces = list(open_documents(tmp_path).pieces(TextSettings(shard_documents=40)))
    assert [len(piece.parts) for piece in pieces] == [40, 40, 20]
    (tmp_path / "large.jsonl").write_text('{"text": "some words"}\n' * 20_000)
    large = open_documents(tmp_path / "large.jsonl").pieces(TextSettings(shard_documents=500))
    assert len(large.cut) == 40
    assert all(len(pickle.dumps(piece)) < 1000 for piece in large)


def test_a_file_that_cannot_be_cut_is_read_here_unless_there_are_several(tmp_path):
    write_all(tmp_path, "a", ["one"])
    write_all(tmp_path, "b", ["two"])
    alone = open_documents(tmp_path / "a.jsonl.gz").pieces()
    assert [type(each) for each in alone.cut] == [Stream]
    several = open_documents(str(tmp_path / "?.jsonl.gz")).pieces()
    assert not any(isinstance(each, Stream) for each in several.cut)
    assert read(several)[0] == ["one", "two"]


# Workers.


@pytest.mark.slow
def test_one_and_two_processes_find_the_same(tmp_path, two):
    lines = [json.dumps({"text": f"kidney number {number}" if number % 7 else ""}) for number in range(3000)]
    (tmp_path / "a.jsonl").write_text("\n".join(lines))
    documents = open_documents(tmp_path / "a.jsonl")
    small = TextSettings(shard_documents=20)
    results = []
    with cut_small(searched=5000):
        for name, engine in (("one", HERE), ("two", two)):
            pieces = documents.pieces(small, engine)
            found = fingerprint(documents, pieces, engine, silent)
            skipped: Counter[str] = Counter()
            words, sizes = scan(engine, pieces, tmp_path / name, tokenize, lowercase=True, min_count=1, skipped=skipped)
            chosen = np.arange(5, sum(sizes), 311)
            texts = beginnings(engine, pieces, found.sizes, chosen, 2)
            files = {path.name: path.read_bytes() for path in sorted((tmp_path / name).iterdir())}
            results.append((pieces, found, words.words, sizes, skipped, texts, files))
    assert len(results[0][0].cut) > 16  # enough that workers were used
    assert results[0][1:] == results[1][1:]
    assert results[0][1].documents == sum(results[0][3]) == 3000 - 429
    assert results[0][4] == {"empty": 429}


def test_the_beginnings_of_chosen_documents_are_theirs(tmp_path):
    texts = [f"document {number} says more" for number in range(50)]
    (tmp_path / "a.txt").write_text("\n\n".join(texts))
    for documents in (open_documents(tmp_path / "a.txt"), open_documents(texts)):
        pieces = documents.pieces(sizes_of(4))
        sizes = fingerprint(documents, pieces, HERE, silent).sizes
        assert beginnings(HERE, pieces, sizes, np.array([0, 7, 8, 49]), 2) == [f"document {n}" for n in (0, 7, 8, 49)]
        assert beginnings(HERE, pieces, sizes, np.array([], np.int64), 2) == []
    with pytest.raises(CorpusError, match="the documents have changed since they were counted"):
        beginnings(HERE, open_documents(texts[:10]).pieces(), sizes, np.array([49]), 2)


def test_labels_come_with_their_texts(tmp_path):
    lines = [{"text": "one", "label": ["a", "b"]}, {"text": ""}, {"text": "two"}, {"text": "three", "label": 5}]
    (tmp_path / "a.jsonl").write_text("\n".join(map(json.dumps, lines)))
    texts, labels, skipped = read(open_documents(tmp_path / "a.jsonl", label_field="label").pieces(sizes_of(1)))
    assert (texts, labels, skipped) == (["one", "two", "three"], [("a", "b"), (), ("5",)], {"empty": 1})


@pytest.mark.parametrize("jobs", [1, 2])
def test_a_fault_is_named_by_its_line_whoever_finds_it(tmp_path, two, jobs):
    lines = [json.dumps({"text": f"text {number}"}) for number in range(2000)]
    lines[1716] = '{"text": "cut o'
    (tmp_path / "a.jsonl").write_text("\n".join(lines))
    documents = open_documents(tmp_path / "a.jsonl")
    engine = two if jobs == 2 else HERE
    with cut_small(searched=1000), pytest.raises(CorpusError, match=r"^a\.jsonl, line 1717 is not valid JSON .*skip"):
        fingerprint(documents, documents.pieces(sizes_of(10), engine), engine, silent)
    left_out = replace(documents, on_error="skip")
    assert known(left_out, engine).documents == 1999


# Files that have changed.


def changed(path: Path, documents: Documents, change: Any) -> str:
    with cut_small():
        pieces = documents.pieces(sizes_of(1))
    assert len(pieces.cut) > 1
    change(path)
    for piece in list(pieces)[1:]:
        with pytest.raises(CorpusError) as refused:
            list(piece.shards())
    return str(refused.value)


def test_a_file_that_vanished_or_changed_is_named_with_the_lines(tmp_path):
    path = tmp_path / "a.txt"
    path.write_text("word\n" * 20)
    changes = {
        Path.unlink: r"a.txt, lines \d+ to 20: .*a.txt cannot be opened: No such file",
        lambda each: each.write_text("word\n" * 21): r"a.txt, lines \d+ to 20: the file has changed since",
        lambda each: os.utime(each, ns=(1, 1)): r"a.txt, lines \d+ to 20: the file has changed since",
    }
    for change, message in changes.items():
        path.write_text("word\n" * 20)
        assert re.match(message, changed(path, open_documents(path), change))


def test_a_damaged_row_group_is_named(tmp_path):
    path = tmp_path / "a.parquet"
    texts = [os.urandom(20).hex() for _ in range(400)]
    pq.write_table(pa.table({"text": texts}), path, row_group_size=100, compression=None, use_dictionary=False)
    about = pq.read_metadata(path).row_group(2).column(0)
    contents = bytearray(path.read_bytes())
    contents[about.data_page_offset : about.data_page_offset + 60] = bytes(60)
    path.write_bytes(contents)
    pieces = list(open_documents(path).pieces(TextSettings(shard_documents=100)))
    assert [len(list(piece.shards())) for piece in (pieces[0], pieces[3])] == [1, 1]
    with pytest.raises(CorpusError, match=r"^a\.parquet, row groups 3 to 3, cannot be read as Parquet: .*complete$"):
        list(pieces[2].shards())


# Patterns.


def test_a_pattern_stands_for_files_in_the_order_of_their_names(tmp_path):
    for name, text in (("b/part-2.txt", "two"), ("a/part-1.txt", "one"), ("a/part-3.md", "no")):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(f"{text}\n")
    documents = open_documents(str(tmp_path / "**" / "part-*.txt"))
    assert list(documents.texts()) == ["one", "two"]
    assert documents.name == "part-*.txt"
    (tmp_path / "b" / "part-2.txt").write_bytes(b"fine\n\xff\n")
    with pytest.raises(CorpusError, match=r"^b/part-2\.txt, line 2 is not UTF-8"):
        list(open_documents(str(tmp_path / "?" / "part-[0-9].txt")).texts())


def test_a_file_whose_name_looks_like_a_pattern_is_that_file(tmp_path):
    (tmp_path / "a[1].txt").write_text("one\n")
    (tmp_path / "a1.txt").write_text("other\n")
    assert list(open_documents(str(tmp_path / "a[1].txt")).texts()) == ["one"]


def test_a_path_is_never_a_pattern_nor_a_url(tmp_path):
    (tmp_path / "a1.txt").write_text("one\n")
    for path in (tmp_path / "a*.txt", Path("memory://a.txt")):
        with pytest.raises(CorpusError, match="does not exist"):
            open_documents(path)


def test_a_pattern_for_nothing_or_for_several_formats_is_refused(tmp_path):
    with pytest.raises(CorpusError, match=r"\*\.jsonl matches no files; give a pattern that matches some"):
        open_documents(str(tmp_path / "*.jsonl"))
    write_all(tmp_path, "a", ["one"])
    with pytest.raises(
        CorpusError, match=r"^a\.\* matches files of different formats \(csv, jsonl, parquet, tsv, txt\)"
    ):
        open_documents(str(tmp_path / "a.*"))
    assert list(open_documents(str(tmp_path / "a.t*"), format="txt").texts()) == ["text", "one", "one"]


# URLs.


@pytest.fixture
def memory() -> Iterator[Any]:
    system = fsspec.filesystem("memory")
    system.store.clear()
    yield system
    system.store.clear()


@pytest.mark.parametrize("ending", ["txt", "jsonl", "jsonl.gz", "csv", "tsv", "parquet"])
def test_any_file_system_gives_the_same_texts(tmp_path, memory, two, ending):
    texts = [f"text {number}" for number in range(300)]
    write_all(tmp_path, "part-1", texts[:150])
    write_all(tmp_path, "part-2", texts[150:])
    for path in sorted(tmp_path.glob(f"*.{ending}")):
        memory.pipe(f"/in/{path.name}", path.read_bytes())
    with zipfile.ZipFile(tmp_path / "all.zip", "w") as archive:
        for path in sorted(tmp_path.glob(f"*.{ending}")):
            archive.write(path, path.name)
    local = open_documents(str(tmp_path / f"*.{ending}"))
    for url, is_here in (
        (f"memory://in/part-*.{ending}", True),
        (f"file://{tmp_path}/part-*.{ending}", False),
        (f"zip://part-*.{ending}::file://{tmp_path}/all.zip", False),
        (f"simplecache::memory://in/*.{ending}", True),
    ):
        documents = open_documents(url)
        assert list(documents.texts()) == texts
        with cut_small(searched=500):
            pieces = documents.pieces(sizes_of(5), two)
            assert all(isinstance(each, Stream) for each in pieces.cut) == is_here
            assert fingerprint(documents, pieces, two, silent)[:2] == known(local)[:2]
    assert open_documents(f"memory://in/part-1.{ending}").name == f"part-1.{ending}"


def test_a_file_in_memory_that_changed_is_refused(memory):
    memory.pipe("/a.txt", b"one\n")
    pieces = open_documents("memory://a.txt").pieces()
    memory.rm("/a.txt")
    with pytest.raises(CorpusError, match=r"^a\.txt cannot be opened: No such file"):
        read(pieces)


@pytest.mark.parametrize(
    ("url", "message"),
    [
        ("s3://key:secret@bucket/part-*.jsonl", r"^reading part-\*\.jsonl needs the package s3fs: pip install s3fs$"),
        ("gs://secret/a.csv", "^reading a.csv needs the package gcsfs"),
        ("nowhere://secret/a.txt", "^a.txt cannot be opened: the protocol nowhere:// is unknown"),
        ("memory://secret/a.txt", "^a.txt does not exist at the given address"),
        ("memory://secret/*.txt", r"^\*\.txt matches no files"),
        ("zip://a.txt::file:///secret/none.zip", "^a.txt does not exist"),
        ("http://user:secret@127.0.0.1:9/a.txt?sign=secret", "^a.txt (cannot be opened|does not exist)"),
    ],
)
def test_what_cannot_be_opened_is_told_without_secrets(memory, url, message):
    with pytest.raises(CorpusError, match=message) as refused:
        open_documents(url)
    assert "secret" not in str(refused.value)
    assert refused.value.__cause__ is None


class Ranges(http.server.SimpleHTTPRequestHandler):
    """Sends parts of files, and refuses requests without a signature."""

    sends_parts = True

    def do_GET(self) -> None:
        self.send(with_body=True)

    def do_HEAD(self) -> None:
        self.send(with_body=False)

    def send(self, *, with_body: bool) -> None:
        path, _, query = self.path.partition("?")
        file = Path(self.directory) / path.strip("/")
        if query != "sign=secret" or not file.is_file():
            self.send_error(404)
            return
        contents = file.read_bytes()
        asked = self.headers.get("Range") if self.sends_parts else None
        first, last = map(int, asked.removeprefix("bytes=").split("-")) if asked else (0, len(contents) - 1)
        body = contents[first : last + 1]
        self.send_response(206 if asked else 200)
        self.send_header("Content-Length", str(len(body)))
        if self.sends_parts:
            self.send_header("Accept-Ranges", "bytes")
        if asked:
            self.send_header("Content-Range", f"bytes {first}-{first + len(body) - 1}/{len(contents)}")
        self.end_headers()
        if with_body:
            self.wfile.write(body)

    def log_message(self, *_: Any) -> None:
        """Nothing is logged."""


class NoRanges(Ranges):
    sends_parts = False


@contextmanager
def served(folder: Path, handler: type[Ranges]) -> Iterator[str]:
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), functools.partial(handler, directory=str(folder))) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        try:
            yield f"http://127.0.0.1:{server.server_port}"
        finally:
            server.shutdown()
            thread.join()


@pytest.mark.slow
@pytest.mark.parametrize("handler", [Ranges, NoRanges])
def test_documents_are_read_from_a_web_server(tmp_path, two, handler):
    pytest.importorskip("aiohttp")
    texts = [f"text {number}" for number in range(200)]
    write_all(tmp_path, "a", texts)
    (tmp_path / "faulty.txt").write_bytes(b"fine\n\xff\n")
    with served(tmp_path, handler) as address, cut_small(searched=500):
        for ending in ("txt", "jsonl.gz", "csv", "parquet"):
            documents = open_documents(f"{address}/a.{ending}?sign=secret")
            assert documents.name == f"a.{ending}"
            pieces = documents.pieces(sizes_of(2), two)
            assert (len(pieces.cut) > 8) == (ending == "txt" and handler is Ranges)
            assert fingerprint(documents, pieces, two, silent)[:2] == known(open_documents(texts))[:2]
        with pytest.raises(CorpusError, match=r"^faulty\.txt, line 2 is not UTF-8"):
            list(open_documents(f"{address}/faulty.txt?sign=secret").texts())
        with pytest.raises(CorpusError, match=r"^a\.txt (does not exist|cannot be opened)") as refused:
            open_documents(f"{address}/a.txt?sign=other-secret")
        assert "secret" not in str(refused.value)
        assert "secret" not in repr(open_documents(f"{address}/a.txt?sign=secret"))


@pytest.mark.slow
def test_standard_input_is_read_by_workers_of_this_machine_only(monkeypatch):
    class Far(LocalEngine):
        remote = True

    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(b"one\ntwo\n")))
    documents = open_documents("-")
    assert not any(isinstance(each, Stream) for each in documents.pieces(sizes_of(2), HERE).cut)
    assert all(isinstance(each, Stream) for each in documents.pieces(sizes_of(2), Far(1)).cut)
    assert read(documents.pieces(sizes_of(2), Far(1)))[0] == ["one", "two"]
