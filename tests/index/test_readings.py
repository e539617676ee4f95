"""How often documents are read before their terms are known; counted where the file system hands out their bytes."""

from __future__ import annotations

import csv
import gzip
import io
import json
from pathlib import Path
from typing import Any, ClassVar

import fsspec
import numpy as np
import pytest
from fsspec.implementations.local import LocalFileSystem

from fake_model import directions
from seetopic import open_documents
from seetopic.index import Build, plan
from seetopic.settings import DEFAULT

TOPICS = ("bread", "goal", "verdict")
NOISE = np.random.default_rng(0).bytes(2_700_000).hex()  # so that it cannot be packed well; long, so that rows are few
ROWS = [f"{TOPICS[number % 3]} of day {NOISE[number * 180 : number * 180 + 180]}" for number in range(30_000)]


class CountedFile(io.FileIO):
    """A file that records when its last byte is read."""

    ended: ClassVar[list[str]] = []

    def readinto(self, buffer: Any) -> int | None:
        size = super().readinto(buffer)
        if size and self.tell() == Path(str(self.name)).stat().st_size:
            self.ended.append(str(self.name))
        return size


class CountedFiles(LocalFileSystem):
    """This machine's files, each reading of which is counted."""

    protocol = "counted"

    @classmethod
    def _strip_protocol(cls, path: str) -> str:
        return path.removeprefix("counted://")

    def _open(self, path: str, mode: str = "rb", **_: Any) -> io.BufferedReader:
        return io.BufferedReader(CountedFile(path, mode))


@pytest.fixture(scope="module", autouse=True)
def _registered() -> None:
    fsspec.register_implementation("counted", CountedFiles, clobber=True)


def as_csv(file: Any) -> None:
    rows = csv.writer(file)
    rows.writerows([["text"], *([row] for row in ROWS)])


def written(folder: Path, name: str) -> Path:
    path = folder / name
    with gzip.open(path, "wt") if name.endswith(".gz") else path.open("w") as file:
        if ".csv" in name:
            as_csv(file)
        else:
            file.writelines(f"{json.dumps({'text': row})}\n" for row in ROWS)
    return path


def planned(path: Path, out: Path) -> Build:
    CountedFile.ended.clear()
    documents = open_documents(f"counted://{path}", text_field="text")
    return plan(documents, out, settings=DEFAULT.index, embedding_model=directions, n_jobs=1)


@pytest.mark.slow
@pytest.mark.parametrize("name", ["d.csv", "d.csv.gz", "d.jsonl.gz"])
def test_a_file_that_is_read_from_its_beginning_is_read_once(tmp_path, name, monkeypatch):
    monkeypatch.setattr("seetopic.index.estimate._ENOUGH", 2_000_000)  # less than the file has
    build = planned(written(tmp_path, name), tmp_path / "index")
    assert build.estimate.documents == pytest.approx(len(ROWS), rel=0.02)
    assert CountedFile.ended == []
    build.prepare()
    assert len(CountedFile.ended) == 1


@pytest.mark.slow
def test_lines_are_read_once_to_be_divided_among_workers_and_once_for_their_words(tmp_path):
    build = planned(written(tmp_path, "d.jsonl"), tmp_path / "index")
    build.prepare()
    assert len(CountedFile.ended) == 2
