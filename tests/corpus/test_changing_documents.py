"""Files of any format that change while an index is built: the build says so and leaves no index."""

from __future__ import annotations

import csv
import gzip
import json
from dataclasses import replace
from pathlib import Path

import pyarrow
import pyarrow.parquet
import pytest

from fake_model import directions
from planted import planted_documents
from seetopic import Index
from seetopic.errors import CorpusError
from seetopic.settings import DEFAULT, TextSettings

SMALL_SHARDS = replace(DEFAULT.index, text=TextSettings(shard_documents=20))
FORMATS = ["txt", "jsonl", "csv", "tsv", "parquet", "txt.gz", "jsonl.gz", "csv.gz", "tsv.gz", "parquet.gz"]


def written(path: Path, texts: list[str]) -> Path:
    """The texts in the format of the file's extension."""
    plain = path.with_suffix("") if path.suffix == ".gz" else path
    if plain.suffix == ".parquet":
        pyarrow.parquet.write_table(pyarrow.table({"text": texts}), plain, row_group_size=40)
    else:
        with plain.open("w", encoding="utf-8", newline="") as file:
            if plain.suffix == ".jsonl":
                file.writelines(json.dumps({"text": text}) + "\n" for text in texts)
            elif plain.suffix == ".txt":
                file.writelines(f"{text}\n" for text in texts)
            else:
                rows = csv.writer(file, delimiter="\t" if plain.suffix == ".tsv" else ",")
                rows.writerows([("text",), *((text,) for text in texts)])
    if plain != path:
        path.write_bytes(gzip.compress(plain.read_bytes(), mtime=0))
        plain.unlink()
    return path


@pytest.mark.parametrize("ending", FORMATS)
@pytest.mark.parametrize("moment", ["while it is read", "after it was read", "before the sample is read"])
def test_a_file_that_changes_during_a_build_is_noticed(tmp_path, ending, moment):
    path = written(tmp_path / f"docs.{ending}", planted_documents(80))
    stage, least = {
        "while it is read": ("reading documents", 1),
        "after it was read": ("reading documents", 80),
        "before the sample is read": ("local vectors", 0),
    }[moment]
    changed = []

    def change(reached: str, done: int, total: int | None) -> None:
        if reached == stage and done >= least and not changed:
            changed.append(done)
            other = written(tmp_path / f"other.{ending}", planted_documents(95, seed=1))
            other.replace(path)

    out = tmp_path / "index"
    with pytest.raises(CorpusError, match="changed since"):
        Index.build(path, out, settings=SMALL_SHARDS, embedding_model=directions, n_jobs=1, progress=change)
    assert changed
    assert not out.exists()


def test_an_iterable_that_gives_other_numbers_of_documents_is_refused(tmp_path):
    class Growing:
        readings = 0

        def __iter__(self):
            self.readings += 1
            return iter(planted_documents(60 + 10 * self.readings))

    with pytest.raises(CorpusError, match=r"\d0 documents when they were counted, but \d0 when they were read again"):
        Index.build(Growing(), tmp_path / "index", embedding_model=directions, n_jobs=1)
    assert not (tmp_path / "index").exists()
