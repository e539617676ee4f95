"""What lies where a result goes: never destroyed, also if it came there during the work; links are followed."""

from __future__ import annotations

import os
import shutil
import stat
from collections.abc import Callable
from pathlib import Path

import pytest

from commands import one_line_error, run_here
from fake_model import directions
from planted import NAMES, planted_documents
from seetopic import Index, SeeTopic, discover
from seetopic.classify.assignment import assign, assign_documents
from seetopic.classify.sorter import Sorter
from seetopic.corpus.opening import open_documents
from seetopic.errors import IndexFailure, OutputError
from seetopic.output.exports import export
from seetopic.runtime.engine import LocalEngine
from seetopic.runtime.files import write_text

OPTIONS = {"embedding_model": directions, "n_jobs": 1}


def meanwhile(happens: Callable[[], object]) -> Callable[[str, int, int | None], None]:
    """A progress that lets something happen once, when work is well under way."""
    once = [happens]

    def progress(stage: str, done: int, total: int | None) -> None:
        if stage == "local vectors" and once:
            once.pop()()

    return progress


def a_file(out: Path) -> None:
    out.write_text("years of work")


def a_folder(out: Path) -> None:
    out.mkdir()
    (out / "thesis.txt").write_text("years of work")


def a_pipe(out: Path) -> None:
    os.mkfifo(out)


def a_project(out: Path) -> None:
    out.mkdir()
    (out / "manifest.json").write_text('{"name": "a browser extension"}')


def an_index(out: Path) -> None:
    Index.build(planted_documents(9, seed=5), out, **OPTIONS)


def snapshot(path: Path) -> list[tuple[str, int, bytes]]:
    """Everything at a path: names, kinds and bytes."""
    paths = [path, *sorted(path.rglob("*"))] if path.is_dir() else [path]
    return [(str(each), each.stat().st_mode, each.read_bytes() if each.is_file() else b"") for each in paths]


@pytest.mark.parametrize("thing", [a_file, a_folder, a_pipe, a_project, an_index])
def test_what_appears_where_an_index_is_built_stays(tmp_path, thing):
    out = tmp_path / "index"
    seen = []

    def appears() -> None:
        thing(out.with_name("made"))
        out.with_name("made").rename(out)
        seen.extend(snapshot(out))

    with pytest.raises(IndexFailure, match=r"exists but is not an index|contains an index with different documents"):
        Index.build(planted_documents(9), out, **OPTIONS, progress=meanwhile(appears))
    assert seen
    assert snapshot(out) == seen
    out.rename(tmp_path / "moved")
    again = []
    assert len(Index.build(planted_documents(9), out, **OPTIONS, progress=lambda stage, *_: again.append(stage))) == 9
    assert "local vectors" not in again  # the work was not lost


def test_files_that_people_put_into_an_index_are_not_lost(tmp_path):
    index = Index.build(planted_documents(9), tmp_path / "index", **OPTIONS)
    notes = index.folder / "notes.txt"
    notes.write_text("years of work")
    with pytest.raises(
        IndexFailure, match=r"contains 'notes\.txt', which does not belong to an index and would be lost"
    ):
        index.update(planted_documents(9, seed=1), n_jobs=1)
    with pytest.raises(IndexFailure, match="would be lost"):
        Index.build(planted_documents(9, seed=1), index.folder, **OPTIONS, overwrite=True)
    assert notes.read_text() == "years of work"
    notes.unlink()
    writes = meanwhile(lambda: notes.write_text("years of work"))
    with pytest.raises(IndexFailure, match="would be lost"):
        index.update(planted_documents(9, seed=1), n_jobs=1, progress=writes)
    assert notes.read_text() == "years of work"
    assert len(Index.open(index.folder)) == 9


def test_files_that_people_put_into_a_saved_model_are_not_lost(model, tmp_path):
    model.save(tmp_path / "model")
    notes = tmp_path / "model" / "notes.txt"
    notes.write_text("years of work")
    with pytest.raises(OutputError, match=r"contains 'notes\.txt', which would be lost"):
        model.save(tmp_path / "model")
    assert notes.read_text() == "years of work"
    notes.unlink()
    model.save(tmp_path / "model")
    assert SeeTopic.load(tmp_path / "model").topics_ == model.topics_


def a_device(path: Path) -> None:
    try:
        os.mknod(path, stat.S_IFCHR | 0o666, os.makedev(1, 3))  # as /dev/null
    except PermissionError:  # only root may: a pipe is as good a test
        a_pipe(path)


@pytest.mark.parametrize("make", [a_device, a_pipe])
@pytest.mark.parametrize("link", [False, True])
def test_a_device_or_a_pipe_is_not_replaced_by_a_file(model, tmp_path, make, link):
    real = tmp_path / "special.csv"
    make(real)
    out = tmp_path / "link.csv" if link else real
    if link:
        out.symlink_to(real)
    before = real.lstat()
    sorter: Sorter = model.sorter_
    for write in (
        lambda: write_text(out, "text"),
        lambda: export(model.topics_, "csv", out),
        lambda: assign_documents(open_documents(["a planet"]), sorter, out, LocalEngine(1)),
    ):
        with pytest.raises(OutputError, match="is a device or a pipe"):
            write()
    after = real.lstat()
    assert (after.st_mode, after.st_ino, after.st_rdev) == (before.st_mode, before.st_ino, before.st_rdev)
    assert {path.name for path in tmp_path.iterdir()} == {"special.csv", out.name}


def test_a_file_behind_a_link_is_written_and_the_link_stays(model, tmp_path):
    (tmp_path / "real").mkdir()
    link = tmp_path / "table.csv"
    link.symlink_to(tmp_path / "real" / "other.csv")
    assign_documents(open_documents(["a planet", "an oven"]), model.sorter_, link, LocalEngine(1))
    assert link.is_symlink()
    assert len((tmp_path / "real" / "other.csv").read_text().splitlines()) == 3


@pytest.fixture
def linked(tmp_path: Path) -> tuple[Path, Path]:
    """An index and a link to it."""
    real = tmp_path / "disk" / "real"
    Index.build(planted_documents(9), real, **OPTIONS)
    link = tmp_path / "link"
    link.symlink_to(real)
    return real, link


def test_an_index_behind_a_link_is_updated_and_the_link_stays(linked):
    real, link = linked
    updated = Index.open(link, embedding_model=directions).update(planted_documents(9, seed=1), n_jobs=1)
    assert len(updated) == 18
    assert link.is_symlink()
    assert len(Index.open(real)) == 18
    Index.build(planted_documents(12, seed=2), link, **OPTIONS, overwrite=True)
    assert link.is_symlink()
    assert len(Index.open(real)) == 12
    assert [path.name for path in link.parent.iterdir() if path.name.startswith(".")] == []
    assert [path.name for path in real.parent.iterdir()] == ["real"]


def test_of_two_updates_through_two_names_one_is_refused(linked):
    real, link = linked
    refused = []

    def second() -> None:
        with pytest.raises(IndexFailure) as caught:
            Index.open(link, embedding_model=directions).update(planted_documents(9, seed=2), n_jobs=1)
        refused.append(str(caught.value))

    first = Index.open(real, embedding_model=directions)
    assert len(first.update(planted_documents(9, seed=1), n_jobs=1, progress=meanwhile(second))) == 18
    assert len(refused) == 1
    assert len(Index.open(link)) == 18


def test_a_link_that_leads_nowhere_is_refused_before_any_work(tmp_path):
    (tmp_path / "link").symlink_to(tmp_path / "nowhere")
    stages = []
    with pytest.raises(IndexFailure, match="is a link to a folder that does not exist"):
        Index.build(planted_documents(9), tmp_path / "link", **OPTIONS, progress=lambda *told: stages.append(told))
    assert stages == []
    assert os.listdir(tmp_path) == ["link"]  # noqa: PTH208 - a link that leads nowhere is listed, too


@pytest.fixture
def inputs(model: SeeTopic, unseen: list[str], tmp_path: Path) -> Path:
    """Documents, names, topics, and a table of sorted documents."""
    (tmp_path / "docs.txt").write_text("\n".join(unseen))
    (tmp_path / "names.yaml").write_text("".join(f"- {name}\n" for name in NAMES))
    model.topics_.save(tmp_path / "topics")
    model.sorter_.save(tmp_path / "topics")
    (tmp_path / "by-name").symlink_to(tmp_path / "topics")
    (tmp_path / "index").symlink_to(model.index_.folder)
    (tmp_path / "shares.csv").write_text("document,date,category,share\n0,2025-01-01,sport,0.9\n")
    return tmp_path


@pytest.mark.parametrize(
    "command",
    [
        "assign docs.txt --topics topics --out topics/topics.csv",
        "suggest index --seeds names.yaml --out names.yaml",
        "trends shares.csv --time date --out shares.csv",
        "trends shares.csv --time date --out .",
        "trends index --topics topics --time date --out index/manifest.json",
        "export topics --out topics/topics.json",
        "export topics/topics.json --out by-name/topics.csv",
        "discover topics/topics.csv --seeds names.yaml --out topics --text-field term",
        "agreement shares.csv --judgements shares.csv",
    ],
)
def test_an_input_is_never_overwritten(inputs, command):
    (inputs / "trends.json").write_text('{"shares": []}')  # of an earlier run in this folder
    before = snapshot(inputs)
    assert "is an input, and would be overwritten" in one_line_error(run_here(*command.split(), cwd=inputs))
    assert snapshot(inputs) == before


def test_documents_are_not_overwritten_by_their_table(inputs, model):
    table = inputs / "docs.csv"
    table.write_text("text\nfootball\n")
    for source in (table, str(inputs / "docs.*v"), inputs / "docs.csv"):
        with pytest.raises(OutputError, match="is an input"):
            assign(source, model.sorter_, inputs / "docs.csv")
    assert table.read_text() == "text\nfootball\n"
    assign(table, model.sorter_, inputs / "sorted.csv", n_jobs=1)
    assign(table, model.sorter_, inputs / "sorted.csv", n_jobs=1)  # an earlier result is replaced


@pytest.mark.parametrize("theirs", ["report.html", "topics.csv", "topics.json"])
def test_a_file_that_only_has_the_name_of_a_result_stays(inputs, theirs):
    out = inputs / "out"
    out.mkdir()
    (out / theirs).write_text('{"topics": ["years of work"]}')
    before = snapshot(out)
    told = one_line_error(run_here("discover", "docs.txt", "--seeds", "names.yaml", "--out", "out", cwd=inputs))
    assert f"out/{theirs} would be lost" in told
    if theirs != "report.html":  # which `save` does not write
        with pytest.raises(OutputError, match="would be lost"):
            discover(Index.open(inputs / "index"), NAMES).save(out)
    assert snapshot(out) == before


def test_a_table_of_trends_replaces_only_those_of_an_earlier_run(inputs):
    out = inputs / "out"
    out.mkdir()
    (out / "changes.csv").write_text("years of work")
    command = ("trends", "shares.csv", "--time", "date", "--out", "out")
    assert "out/changes.csv would be lost" in one_line_error(run_here(*command, cwd=inputs))
    assert (out / "changes.csv").read_text() == "years of work"
    (out / "changes.csv").unlink()
    for _ in range(2):
        assert run_here(*command, cwd=inputs).returncode == 0


def test_a_table_of_trends_replaces_those_of_an_interrupted_run(inputs, monkeypatch):
    command = ("trends", "shares.csv", "--time", "date", "--out", "out")

    def interrupted(*_: object) -> None:
        raise KeyboardInterrupt

    for step in ("_csv", "shares_chart", "trends_html"):
        with monkeypatch.context() as patch:
            patch.setattr(f"seetopic.output.trend_files.{step}", interrupted)
            assert run_here(*command, cwd=inputs).returncode == 130
        assert run_here(*command, cwd=inputs).returncode == 0
        shutil.rmtree(inputs / "out")
