"""An update that was killed at its very end is recognised when it is repeated, and nothing else happens."""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner

from fake_model import directions
from planted import planted_documents
from seetopic import Index
from seetopic.cli import cli
from seetopic.corpus.opening import open_documents
from seetopic.index import layout
from seetopic.index.update import record_update


def copied(folder: Path, to: Path) -> Path:
    to.mkdir(parents=True)
    for name in (layout.MANIFEST, *layout.FILES):
        os.link(folder / name, to / name)
    return to


def update(folder: Path) -> None:
    """Remove one part, add others."""
    Index.open(folder, embedding_model=directions).update(planted_documents(6, seed=9), remove=[1], n_jobs=1)


def repeat_after_kills(source: str, place: str) -> None:
    """Kill an update before and after the new index replaces the old one, repeat it, and print the result."""
    from killing import NEVER, killed_at

    os.fsync = lambda _: None  # no test cuts the power
    whole = copied(Path(source), Path(place) / "whole" / "index")
    update(whole)  # what is imported now need not be imported in every copy of this process
    uncut = copied(Path(source), Path(place) / "uncut" / "index")
    last = killed_at(NEVER, lambda: update(uncut))
    found = []
    for step in (last - 70, last - 30, *range(last - 9, last + 1)):
        folder = copied(Path(source), Path(place) / str(step) / "index")
        assert not killed_at(step, lambda folder=folder: update(folder))
        was_done = (folder / layout.MANIFEST).read_text() == (whole / layout.MANIFEST).read_text()
        update(folder)
        is_done = (folder / layout.MANIFEST).read_text() == (whole / layout.MANIFEST).read_text()
        found.append([was_done, is_done, sorted(path.name for path in folder.parent.iterdir())])
    sys.stdout.write(json.dumps(found))


@pytest.fixture(scope="module")
def three_parts(tmp_path_factory) -> Path:
    index = Index.build(
        planted_documents(6), tmp_path_factory.mktemp("three") / "index", embedding_model=directions, n_jobs=1
    )
    more = [open_documents(planted_documents(6, seed=seed)) for seed in (1, 2)]
    return index.update(more, n_jobs=1).folder


@pytest.mark.slow
def test_an_update_killed_at_its_end_can_be_given_again(three_parts, tmp_path, forks):
    script = "import sys, test_repeated_updates as own; own.repeat_after_kills(*sys.argv[1:])"
    result = forks.run(script, three_parts, tmp_path, cwd=Path(__file__).parent)
    assert result.returncode == 0, result.stderr
    found = json.loads(result.stdout)
    assert {was_done for was_done, _, _ in found} == {True, False}
    assert [is_done for _, is_done, _ in found] == [True] * len(found)
    assert [left for _, _, left in found] == [["index"]] * len(found)


def test_another_update_after_one_that_was_killed_is_not_taken_for_it(three_parts, tmp_path):
    folder = copied(three_parts, tmp_path / "index")
    before = Index.open(folder).parts
    updated = Index.open(folder, embedding_model=directions).update(remove=[1], n_jobs=1)
    record_update(folder, before, updated.manifest["key"])  # as a kill at the very end leaves it
    assert updated.update(remove=[2], n_jobs=1).parts == before[1:2]
    assert sorted(path.name for path in tmp_path.iterdir()) == ["index"]


@pytest.mark.slow
def test_the_command_says_that_an_update_had_been_done(three_parts, tmp_path):
    folder = tmp_path / "index"
    texts = {name: tmp_path / f"{name}.txt" for name in ("one", "two", "three")}
    for seed, path in enumerate(texts.values()):
        path.write_text("\n".join(planted_documents(30, seed=seed)))
    run = CliRunner().invoke
    options = ["--quiet", "--jobs", "1", "--cache", str(tmp_path / "cache")]
    assert run(cli, ["index", str(texts["one"]), "--out", str(folder), *options]).exit_code == 0
    added = run(cli, ["update", str(folder), "--add", str(texts["two"]), "--add", str(texts["three"]), *options])
    assert added.exit_code == 0
    before = Index.open(folder).parts
    removed = run(cli, ["update", str(folder), "--remove", "1", *options])
    record_update(folder, before, Index.open(folder).manifest["key"])
    again = run(cli, ["update", str(folder), "--remove", "1", *options])
    assert again.exit_code == 0
    assert "already has this update; nothing was changed" in again.stderr
    assert again.stdout == removed.stdout
    assert Index.open(folder).parts == before[1:]
    assert run(cli, ["update", str(folder), "--remove", "1", *options]).exit_code == 0  # this time it is intended
    assert Index.open(folder).parts == before[2:]
