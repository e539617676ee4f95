"""Small Parquet files that contain one long text many times: memory stays bounded wherever they are read."""

from __future__ import annotations

from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from forks import Forks
from seetopic.corpus.opening import open_documents
from seetopic.errors import CorpusError

LONG, TIMES = 4_000_000, 750  # 3 GB in a few kilobytes
MEMORY = 2_000_000_000  # bytes of address space beyond what the libraries take; pyarrow reserves more than it uses
LIMITED = """
import resource, sys
import numpy, pyarrow, pyarrow.parquet, pyarrow.compute
import seetopic.web.preview, seetopic.web.uploads
from seetopic.corpus.opening import open_documents
taken = int(next(line for line in open("/proc/self/status") if line.startswith("VmSize")).split()[1]) * 1024
resource.setrlimit(resource.RLIMIT_AS, (taken + int(sys.argv[3]), -1))
from pathlib import Path
path = Path(sys.argv[2])
if sys.argv[1] == "read":
    print(sum(len(text) for text in open_documents(path).texts()))
else:
    print(len(seetopic.web.preview.preview_of(path).rows))
    try:
        seetopic.web.uploads.check_contents(path, path.name, 200_000_000)
    except seetopic.web.uploads.TooLarge as error:
        print(error)
"""


def bomb(path: Path, kind: str) -> Path:
    """The same text in every row, stored once."""
    text = pa.array(["word " * (LONG // 5)])
    if kind == "delta":  # every text extends the one before it
        table, encoding = pa.table({"text": pa.concat_arrays([text] * 100)}), {"text": "DELTA_BYTE_ARRAY"}
        pq.write_table(table, path, use_dictionary=False, column_encoding=encoding, compression="zstd")
        return path
    texts = pa.DictionaryArray.from_arrays(pa.array([0] * TIMES, pa.int32()), text)
    pq.write_table(pa.table({"text": texts}), path, compression="zstd", store_schema=kind == "categories")
    assert path.stat().st_size < 50_000
    return path


def limited(forks: Forks, what: str, path: Path) -> list[str]:
    done = forks.run(LIMITED, what, path, MEMORY, cwd=path.parent)
    assert done.returncode == 0, done.stderr
    return done.stdout.splitlines()


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["dictionary", "categories", "delta"])
def test_a_bomb_is_refused_as_an_upload_and_previewed(tmp_path: Path, forks: Forks, kind: str) -> None:
    rows, refused = limited(forks, "upload", bomb(tmp_path / "a.parquet", kind))
    assert int(rows) > 0
    assert "unpacks to more than 200,000,000 bytes" in refused


@pytest.mark.slow
def test_a_bomb_is_read_within_bounded_memory(tmp_path: Path, forks: Forks) -> None:
    assert limited(forks, "read", bomb(tmp_path / "a.parquet", "dictionary")) == [str(LONG * TIMES)]


def test_a_column_of_lists_is_refused_before_it_is_read(tmp_path: Path) -> None:
    pq.write_table(pa.table({"text": ["a"], "lists": [["a", "b"]]}), tmp_path / "a.parquet")
    with pytest.raises(CorpusError, match=r"the column 'lists' of a\.parquet contains lists, not texts"):
        list(open_documents(tmp_path / "a.parquet", text_field="lists").texts())


def test_texts_of_every_length_and_encoding_are_read_in_order(tmp_path: Path) -> None:
    texts = [f"{number} " + "word " * (number % 7) * 50 for number in range(1, 1000)]
    labels = [f"label {number % 3}" for number in range(1, 1000)]
    for number, how in enumerate(({}, {"use_dictionary": False}, {"row_group_size": 10}, {"data_page_size": 100})):
        path = tmp_path / f"{number}.parquet"
        pq.write_table(pa.table({"label": pa.array(labels).dictionary_encode(), "text": texts}), path, **how)
        assert list(open_documents(path, label_field="label").texts()) == texts


def test_two_columns_of_one_name_are_refused(tmp_path: Path) -> None:
    table = pa.Table.from_arrays([pa.array(["a"]), pa.array(["b"])], names=["text", "text"])
    pq.write_table(table, tmp_path / "a.parquet")
    with pytest.raises(CorpusError, match=r"a\.parquet has two columns named 'text'; rename one of them"):
        list(open_documents(tmp_path / "a.parquet").texts())
