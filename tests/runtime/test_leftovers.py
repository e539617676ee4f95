"""Leftovers of killed programs are removed by the next program, and a signal ends a program like Ctrl-C."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import psutil
import pytest
from filelock import FileLock

from commands import run_here
from fake_model import directions
from planted import NAMES, planted_documents
from seetopic import Index
from seetopic.discovery.topics import Topics
from seetopic.index import layout
from seetopic.runtime.files import held, write_text
from seetopic.runtime.temporary import remove_temporary, temporary_folder

OPTIONS = {"embedding_model": directions, "n_jobs": 1}


def names_in(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


def test_parts_of_files_that_a_killed_build_left_are_in_no_index(tmp_path):
    def stop(stage: str, *_: object) -> None:
        if stage == "local vectors":
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        Index.build(planted_documents(9), tmp_path / "index", **OPTIONS, progress=stop)
    part = ".terms.json.99999999.part"
    (tmp_path / ".index.building" / "index" / part).touch()
    index = Index.build(planted_documents(9), tmp_path / "index", **OPTIONS)
    assert names_in(index.folder) == sorted([layout.MANIFEST, *layout.FILES])
    # A file that an earlier version left in a finished index, and a folder that a kill during the clean-up leaves.
    (index.folder / part).touch()
    (tmp_path / ".index.building" / "index").mkdir(parents=True)
    Index.build(planted_documents(9), tmp_path / "index", **OPTIONS)
    assert names_in(index.folder) == sorted([layout.MANIFEST, *layout.FILES])
    assert names_in(tmp_path) == ["index"]


def test_whoever_opens_an_index_clears_the_rest_of_its_build_but_never_one_that_can_go_on(tmp_path):
    index = Index.build(planted_documents(9), tmp_path / "index", **OPTIONS)
    rest = tmp_path / ".index.building" / "index"
    rest.mkdir(parents=True)
    with FileLock(tmp_path / ".index.lock"):
        Index.open(index.folder)
        assert rest.exists()  # a build is running
    Index.open(index.folder)
    assert names_in(tmp_path) == ["index"]
    rest.mkdir(parents=True)
    (rest.parent / "stages.json").write_text("{}")
    Index.open(index.folder)
    assert rest.exists()


def test_parts_beside_results_go_unless_somebody_writes_them(tmp_path):
    dead, alive, other = (tmp_path / name for name in (".topics.json.1.part", ".topics.json.2.part", ".x.json.1.part"))
    for path in (dead, alive, other):
        path.touch()
    folder = tmp_path / ".results.3.part"
    folder.mkdir()
    with held(alive):
        write_text(tmp_path / "topics.json", '{"made_with": {}}')
        assert names_in(tmp_path) == sorted([alive.name, other.name, folder.name, "topics.json"])
        Topics((), {}).save(tmp_path)
        assert names_in(tmp_path) == sorted([alive.name, other.name, "topics.csv", "topics.json"])
    Topics((), {}).save(tmp_path)
    assert names_in(tmp_path) == [other.name, "topics.csv", "topics.json"]  # not the name of a file written here


def test_folders_in_the_temporary_place_go_with_the_next_program_unless_they_are_used(tmp_path, monkeypatch):
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    script = "import os, seetopic.runtime.temporary as own; own.temporary_folder(); os.kill(os.getpid(), 9)"
    environment = {**os.environ, "TMPDIR": str(tmp_path)}
    subprocess.run([sys.executable, "-c", script], check=False, env=environment)
    (left,) = tmp_path.iterdir()
    (tmp_path / "seetopic-notes").mkdir()
    used = temporary_folder()
    assert not left.exists()
    another = temporary_folder()
    assert set(tmp_path.iterdir()) == {used, another, tmp_path / "seetopic-notes"}
    for folder in (used, another):
        remove_temporary(folder)
    assert names_in(tmp_path) == ["seetopic-notes"]


@pytest.mark.slow
@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP])
def test_a_signal_ends_a_build_as_ctrl_c_does(tmp_path, number):
    (tmp_path / "docs.txt").write_text("\n".join(planted_documents(3000)))
    arguments = ["index", "docs.txt", "--out", "index", "--cache", "cache", "--jobs", "2"]
    command = [sys.executable, "-m", "seetopic", *arguments]
    before = signal.signal(number, signal.SIG_DFL)  # with `nohup`, tests ignore a hang-up, and so would the program
    program = subprocess.Popen(command, cwd=tmp_path, stderr=subprocess.PIPE, text=True)
    signal.signal(number, before)
    with program:
        assert program.stderr is not None
        said = [program.stderr.readline()]
        while said[-1] and "finding phrases" not in said[-1]:  # by then there are workers
            said.append(program.stderr.readline())
        workers = psutil.Process(program.pid).children(recursive=True)
        program.send_signal(number)
        rest = program.stderr.read()
    assert workers, said
    assert rest.splitlines()[-1].startswith("seetopic: interrupted; if an index was being built, run")
    assert "Traceback" not in rest
    assert program.returncode == 128 + number
    assert psutil.wait_procs(workers, timeout=30)[1] == []
    assert names_in(tmp_path) == [".index.building", "docs.txt"]


@pytest.mark.slow
def test_two_runs_on_the_same_new_documents_share_the_index(tmp_path, new_cache):
    new_cache(tmp_path / "cache")
    (tmp_path / "docs.txt").write_text("\n".join(planted_documents(120)))
    (tmp_path / "names.txt").write_text("\n".join(NAMES))
    arguments = ["discover", "docs.txt", "--seeds", "names.txt", "--json", "--cache", "cache"]
    command = [sys.executable, "-m", "seetopic", *arguments, "--jobs", "1"]
    key = next(iter(_built(tmp_path, arguments)))
    (tmp_path / "cache" / "indexes" / key).rename(tmp_path / "moved")
    lock = FileLock(tmp_path / "cache" / "indexes" / f".{key}.lock")
    lock.acquire()  # like a program that is building the index
    with subprocess.Popen(command, cwd=tmp_path, stderr=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as second:
        assert second.stderr is not None
        said = second.stderr.readline()
        while said and "waiting" not in said:
            said = second.stderr.readline()
        (tmp_path / "moved").rename(tmp_path / "cache" / "indexes" / key)
        lock.release()
        shown, rest = second.communicate()
    assert said == "waiting for another program that builds the same index ...\n"
    assert second.returncode == 0, rest
    assert "local vectors" not in rest
    assert shown == run_here(*arguments, cwd=tmp_path).stdout


def _built(folder: Path, arguments: list[str]) -> list[str]:
    assert run_here(*arguments, cwd=folder).returncode == 0
    return names_in(folder / "cache" / "indexes")
