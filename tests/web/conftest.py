"""A workbench with a ready index and an allowed folder, served for real; shared by the tests of the workbench."""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import httpx
import pytest

from planted import NAMES
from seetopic import Index
from seetopic.web.limits import UploadLimits, WorkbenchSettings
from seetopic.web.sources import BuildOptions, FileSource
from seetopic.web.workbench import Workbench

from .served import Served, serving


@pytest.fixture(scope="session")
def folder(index: Index, documents: list[str], tmp_path_factory: pytest.TempPathFactory) -> Path:
    """What people may open: an index, tables, a folder of texts; beside it, a file that nobody may see."""
    root = tmp_path_factory.mktemp("served") / "allowed"
    root.mkdir()
    shutil.copytree(index.folder, root / "planted")
    labels = ["sport", "food", "astronomy"]
    records = [{"id": n, "text": text, "label": labels[n % 3]} for n, text in enumerate(documents)]
    (root / "records.jsonl").write_text("\n".join(map(json.dumps, records)) + "\n", encoding="utf-8")
    rows = ["id,review,label\n", *(f'{each["id"]},"{each["text"]}",{each["label"]}\n' for each in records)]
    (root / "reviews.csv").write_text("".join(rows), encoding="utf-8")
    (root / "lines.txt").write_text("\n".join(documents) + "\n", encoding="utf-8")
    (root / "texts").mkdir()
    for number in range(3):
        (root / "texts" / f"{number}.txt").write_text(documents[number], encoding="utf-8")
    (root.parent / "secret.csv").write_text("text\nthe secret of the house\n", encoding="utf-8")
    return root


@pytest.fixture(scope="session")
def settings(folder: Path, cache: Path, tmp_path_factory: pytest.TempPathFactory) -> WorkbenchSettings:
    return WorkbenchSettings(
        data=tmp_path_factory.mktemp("data"),
        folder=folder,
        cache=cache,
        jobs=1,
        uploads=UploadLimits(file_bytes=1_000_000, files=200),
    )


@pytest.fixture
def fresh(settings: WorkbenchSettings, tmp_path: Path) -> WorkbenchSettings:
    """The same, with data of a test's own."""
    return replace(settings, data=tmp_path / "data")


@pytest.fixture
def workbench(fresh: WorkbenchSettings) -> Iterator[Workbench]:
    """Of a test's own, without a server; the planted corpus is ready in it."""
    made = Workbench(fresh)
    made.corpora.add(FileSource(kind="index", path="planted"), BuildOptions())
    yield made
    made.close()


@pytest.fixture(scope="session")
def server(settings: WorkbenchSettings) -> Iterator[Served]:
    with serving(settings) as served:
        corpus = served.workbench.corpora.add(FileSource(kind="index", path="planted"), BuildOptions(), "Planted")
        yield replace(served, corpus=corpus.id)


@pytest.fixture(scope="session")
def client(server: Served) -> Iterator[httpx.Client]:
    with server.client() as made:
        yield made


@pytest.fixture
def project(client: httpx.Client, server: Served) -> dict[str, Any]:
    """A project of a test's own, with the names of the planted topics."""
    asked = {"corpus": server.corpus, "title": "A project", "names": NAMES, "by": "Ann"}
    answer = client.post("/api/projects", json=asked)
    assert answer.status_code == 201, answer.text
    return answer.json()
