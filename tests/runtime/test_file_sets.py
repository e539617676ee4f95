"""Results that belong together are replaced together, and a killed command can be repeated."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import CliRunner

from fake_model import directions
from planted import NAMES, planted_documents
from seetopic import Index, Topics, discover
from seetopic.cli import cli
from seetopic.errors import OutputError
from seetopic.evaluation.sheets import annotate, read_key
from seetopic.index import layout
from seetopic.runtime.files import FileSet, written_whole

RESULTS = ("report.html", "sorter.safetensors", "topics.csv", "topics.json")
SHEET = ("sheet.csv", "sheet.html", "sheet.key.json")


def run(*arguments: object) -> None:
    result = CliRunner().invoke(cli, [str(each) for each in arguments])
    assert result.exit_code == 0, result.output


def contents(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in folder.iterdir() if not path.name.startswith(".")}


def discover_over(place: Path, out: Path) -> Callable[[], None]:
    return lambda: run("discover", place / "index", "--seeds", place / "new.txt", "--out", out, "--json", "--quiet")


def kill_discover(place: Path) -> list[list[bool]]:
    """For each kill: whether the set was new, and whether it was complete."""
    from killing import NEVER, killed_at

    run("discover", place / "index", "--seeds", place / "old.txt", "--out", place / "old", "--json", "--quiet")
    discover_over(place, place / "new")()
    old, new = contents(place / "old"), contents(place / "new")
    last = killed_at(NEVER, discover_over(place, place / "uncut"))
    found = []
    for step in (last - 20, last - 10, last - 7, last - 6, last - 5, last - 2, last):
        out = place / str(step)
        out.mkdir()
        for name, data in old.items():
            (out / name).write_bytes(data)
        assert not killed_at(step, discover_over(place, out))
        Topics.load(out)  # as `assign`, `evaluate` or `export` would
        found.append([contents(out) == new, contents(out) in (old, new)])
    discover_over(place, place / str(last - 20))()  # removes what the kill left
    assert sorted(os.listdir(place / str(last - 20))) == sorted(RESULTS)  # noqa: PTH208
    return found


def kill_annotate(place: Path) -> list[list[bool]]:
    """For each kill: whether there was a sheet, and whether the same command then completed it."""
    from killing import NEVER, killed_at

    def annotated(folder: Path) -> Callable[[], None]:
        return lambda: run("annotate", place / "new", "--out", folder / "sheet.csv")

    whole = place / "sheets"
    annotated(whole)()
    last = killed_at(NEVER, annotated(place / "uncut-sheets"))
    found = []
    for step in range(1, last + 1):
        folder = place / f"sheet-{step}"
        assert not killed_at(step, annotated(folder))
        was_there = (folder / "sheet.csv").exists()
        annotated(folder)()
        assert sorted(os.listdir(folder)) == sorted(SHEET)  # noqa: PTH208
        found.append([was_there, contents(folder) == contents(whole)])
    return found


def kill_both(place: str) -> None:
    os.fsync = lambda _: None  # no test cuts the power
    sys.stdout.write(json.dumps([kill_discover(Path(place)), kill_annotate(Path(place))]))


@pytest.mark.slow
def test_results_and_sheets_that_are_killed_at_any_step_are_there_as_a_set_or_not_at_all(index, tmp_path, forks):
    (tmp_path / "index").mkdir()
    for name in (layout.MANIFEST, *layout.FILES):
        os.link(index.folder / name, tmp_path / "index" / name)
    (tmp_path / "old.txt").write_text("\n".join(NAMES[:2]))
    (tmp_path / "new.txt").write_text("\n".join(NAMES))
    script = "import sys, test_file_sets as own; own.kill_both(sys.argv[1])"
    result = forks.run(script, tmp_path, cwd=Path(__file__).parent)
    assert result.returncode == 0, result.stderr
    discovered, annotated = json.loads(result.stdout)
    assert {is_new for is_new, _ in discovered} == {True, False}
    assert [is_whole for _, is_whole in discovered] == [True] * len(discovered)
    assert {was_there for was_there, _ in annotated} == {True, False}
    assert [is_whole for _, is_whole in annotated] == [True] * len(annotated)


def write_set(files: FileSet, texts: dict[str, str]) -> None:
    with files.written() as beside:
        for name, text in texts.items():
            (beside / name).write_text(text)


def test_a_set_that_cannot_be_put_in_place_changes_nothing(tmp_path):
    files = FileSet(tmp_path, "results", last="b")
    write_set(files, {"a": "1", "b": "1"})
    (tmp_path / "c").mkdir()
    (tmp_path / "notes").write_text("mine")
    with pytest.raises(OutputError, match="c is a folder; name a file in it"):
        write_set(files, {"a": "2", "b": "2", "c": "2"})
    assert sorted(os.listdir(tmp_path)) == ["a", "b", "c", "notes"]  # noqa: PTH208
    assert ((tmp_path / "a").read_text(), (tmp_path / "b").read_text()) == ("1", "1")
    with (
        pytest.raises(OutputError, match=r"cannot write .*/a: No space left") as caught,
        files.written() as beside,
        written_whole(beside / "a"),
    ):
        raise OSError(28, "No space left on device")
    assert ".part" not in str(caught.value)
    assert (tmp_path / "a").read_text() == "1"


def test_a_sheet_is_repeated_but_never_one_that_was_filled_in(tmp_path):
    index = Index.build(planted_documents(30), tmp_path / "index", embedding_model=directions, n_jobs=1)
    discover(index, NAMES).save(tmp_path / "topics")
    files = annotate([tmp_path / "topics"], tmp_path / "sheet.csv")
    assert annotate([tmp_path / "topics"], tmp_path / "sheet.csv") == files
    files.table.write_text(files.table.read_text().replace(",,", ",1,"))
    with pytest.raises(OutputError, match=r"sheet\.csv already exists and may contain judgements"):
        annotate([tmp_path / "topics"], tmp_path / "sheet.csv")
    # Killed after the key was moved into place; then a sheet of the same name was made and filled in separately.
    filled, settled = files.table.read_text(), tmp_path / ".sheet.csv.new"
    settled.mkdir()
    (settled / "sheet.csv").write_text("")
    with pytest.raises(OutputError, match=r"sheet\.csv already exists"):
        annotate([tmp_path / "topics"], tmp_path / "sheet.csv")
    assert files.table.read_text() == filled
    assert read_key(files.key).methods == ("topics",)
