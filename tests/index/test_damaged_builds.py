"""An interrupted build resumes from undamaged results; its folder always contains an index."""

from __future__ import annotations

import json
import shutil
import signal
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from fake_model import directions
from planted import planted_documents
from seetopic import Index, discover
from seetopic.errors import IndexFailure, OutputError
from seetopic.index import layout

DOCUMENTS = planted_documents(60)


class Model:
    """Directions with a fingerprint, so that stages of another run can be compared."""

    name = "directions"
    fingerprint = "directions-1"

    def encode(self, texts, jobs, progress):
        progress("language model", 0, len(texts))
        return directions(list(texts))

    def encode_names(self, names):
        return directions(list(names))


@pytest.fixture(autouse=True)
def own_cache(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SEETOPIC_CACHE", str(tmp_path_factory.mktemp("cache")))


def build(out: Path, **options) -> Index:
    return Index.build(DOCUMENTS, out, embedding_model=Model(), n_jobs=1, cache=out.parent / "cache", **options)


def contents(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in folder.iterdir()}


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return build(tmp_path_factory.mktemp("whole") / "index").folder


@pytest.fixture(scope="module")
def begun(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a build that was interrupted in its last stage."""
    folder = tmp_path_factory.mktemp("begun")

    def stop(stage: str, done: int, total: int | None) -> None:
        if stage == "language model reads documents":
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        build(folder / "index", progress=stop)
    return folder


def files_of(begun: Path) -> Iterator[Path]:
    folder = begun / ".index.building"
    return (path.relative_to(begun) for path in sorted(folder.rglob("*")) if path.is_file())


@pytest.mark.slow
def test_damage_in_any_file_that_was_left_is_mended(begun, whole, tmp_path):
    for number, name in enumerate(files_of(begun)):
        folder = tmp_path / str(number)
        shutil.copytree(begun, folder)
        data = bytearray((folder / name).read_bytes())
        if number % 3:
            data[-len(data) // 3] ^= 1
        else:
            del data[len(data) // 2 :]
        (folder / name).write_bytes(data)
        assert contents(build(folder / "index").folder) == contents(whole), name
        shutil.rmtree(folder)


@pytest.mark.parametrize("name", [f"index/{layout.GENERAL}", f"index/{layout.TERMS}", "work/scan.json"])
def test_a_file_that_was_lost_is_made_again(begun, whole, tmp_path, name):
    shutil.copytree(begun, tmp_path, dirs_exist_ok=True)
    (tmp_path / ".index.building" / name).unlink()
    assert contents(build(tmp_path / "index").folder) == contents(whole)


@pytest.mark.parametrize("text", ["", "{", "[]", "{}", '{"done": {}}', '{"done": [1], "seal": 2}', "\ud800"])
def test_a_record_that_cannot_be_read_is_no_record(begun, whole, tmp_path, text):
    shutil.copytree(begun, tmp_path, dirs_exist_ok=True)
    (tmp_path / ".index.building" / "stages.json").write_text(text, errors="surrogatepass")
    assert contents(build(tmp_path / "index").folder) == contents(whole)


def test_a_record_in_which_anything_was_changed_is_no_record(begun, whole, tmp_path):
    shutil.copytree(begun, tmp_path, dirs_exist_ok=True)
    record = tmp_path / ".index.building" / "stages.json"
    general = tmp_path / ".index.building" / "index" / layout.GENERAL
    np.save(general, -np.load(general))
    told = json.loads(record.read_text())
    del told["done"]["general"]["files"][f"index/{layout.GENERAL}"]
    record.write_text(json.dumps(told))
    assert contents(build(tmp_path / "index").folder) == contents(whole)


def test_damage_after_the_last_stage_is_not_vouched_for(tmp_path, monkeypatch):
    write = layout.write_manifest

    def damaged(path: Path, value: dict[str, object]) -> None:
        data = bytearray((path.parent / layout.LOCAL).read_bytes())
        data[-1] ^= 1
        (path.parent / layout.LOCAL).write_bytes(data)
        write(path, value)

    monkeypatch.setattr(layout, "write_manifest", damaged)
    build(tmp_path / "index")
    assert not layout.is_intact(tmp_path / "index")


# The last step.


def test_a_build_that_cannot_be_given_its_name_is_not_lost(tmp_path, monkeypatch):
    rename, calls = Path.rename, []

    def refused(path: Path, to: Path) -> Path:
        if to == tmp_path / "index":
            raise PermissionError(13, "Permission denied")
        return rename(path, to)

    def tokenizer(text: str) -> list[str]:
        calls.append(text)
        return text.split()

    with monkeypatch.context() as patch:
        patch.setattr(Path, "rename", refused)
        with pytest.raises(OutputError, match=r"cannot write .*index: Permission denied"):
            build(tmp_path / "index", tokenizer=tokenizer)
    assert len(calls) == 60
    assert len(build(tmp_path / "index", tokenizer=tokenizer)) == 60
    assert len(calls) == 60


@pytest.fixture
def unexchangeable(monkeypatch: pytest.MonkeyPatch) -> None:
    from seetopic.index import build as build_module

    monkeypatch.setattr(build_module, "exchanged", lambda *_: False)  # a file system that cannot


def test_where_folders_cannot_change_places_readers_always_find_an_index(whole, tmp_path, monkeypatch, unexchangeable):
    index = Index.open(shutil.copytree(whole, tmp_path / "index"), embedding_model=Model())
    rename, found = Path.rename, []

    def watched(path: Path, to: Path) -> Path:
        done = rename(path, to)
        opened = Index.open(tmp_path / "index", embedding_model=Model())
        found.append((len(opened), len(discover(opened, ["food", "sport"]))))
        return done

    monkeypatch.setattr(Path, "rename", watched)
    index.update(planted_documents(30, seed=1), n_jobs=1)
    assert found == [(60, 2), (90, 2)]
    assert [path.name for path in tmp_path.iterdir()] == ["index"]


def test_an_old_index_that_cannot_be_replaced_is_put_back(whole, tmp_path, monkeypatch, unexchangeable):
    index = Index.open(shutil.copytree(whole, tmp_path / "index"), embedding_model=Model())
    rename = Path.rename

    def refused(path: Path, to: Path) -> Path:
        if path.name == "index" and path.parent.name == ".index.building":
            raise PermissionError(13, "Permission denied")
        return rename(path, to)

    monkeypatch.setattr(Path, "rename", refused)
    with pytest.raises(OutputError, match="Permission denied"):
        index.update(planted_documents(30, seed=1), n_jobs=1)
    assert contents(tmp_path / "index") == contents(whole)


_KILLED = """
import os, signal, sys
from pathlib import Path
from seetopic import Index
from seetopic.index import build
from test_damaged_builds import Model
from planted import planted_documents

rename = Path.rename
def dying(path, to):
    if to == Path(sys.argv[1]):
        os.kill(os.getpid(), signal.SIGKILL)
    return rename(path, to)

Path.rename = dying
build.exchanged = lambda *_: False  # a file system that cannot
Index.open(sys.argv[1], embedding_model=Model()).update(planted_documents(30, seed=1), n_jobs=1)
"""


@pytest.mark.slow
def test_killed_between_two_renames_the_old_index_is_used_and_the_new_one_finished(whole, tmp_path, forks):
    folder = Path(shutil.copytree(whole, tmp_path / "index"))
    killed = forks.run(_KILLED, folder, cwd=Path(__file__).parent)
    assert killed.returncode == -signal.SIGKILL, killed.stderr
    assert not folder.exists()
    index = Index.open(folder, embedding_model=Model())
    assert len(index) == 60
    assert len(discover(index, ["food", "sport"])) == 2
    assert len(index.update(planted_documents(30, seed=1), n_jobs=1)) == 90
    assert [path.name for path in tmp_path.iterdir()] == ["index"]


@pytest.mark.parametrize("name", ["", ".", "x" * 250, "none"])
def test_what_was_never_an_index_is_no_index(name):
    with pytest.raises(IndexFailure, match="is not an index"):
        Index.open(name)
