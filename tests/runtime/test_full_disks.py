"""A disk that is and stays full or read-only is reported in one sentence, whatever the program was doing."""

from __future__ import annotations

import errno
import json
import os
import shutil
import sys
from pathlib import Path

import pytest

from commands import run_here
from planted import NAMES, planted_documents

COMMANDS = {
    "index": ("index", "docs.txt", "--out", "{out}/index", "--overwrite"),
    "update": ("update", "{out}/index", "--add", "more.txt"),
    "discover": ("discover", "{out}/index", "--seeds", "names.txt", "--out", "{out}/topics"),
    "assign": ("assign", "more.txt", "--topics", "topics", "--out", "{out}/table.csv"),
}


def given(place: Path, command: str, out: str) -> list[object]:
    """The exit code of a command, and its messages."""
    arguments = [part.format(out=out) for part in COMMANDS[command]]
    done = run_here(*arguments, "--quiet", "--cache", "cache", "--jobs", "1", cwd=place)
    return [done.returncode, done.stderr]


def refuse(folder: str, tries: str) -> None:
    """What each command says when the disk is full, or read-only, from one of its steps on."""
    from killing import NEVER, refused_from

    os.fsync = lambda _: None  # no test cuts the power
    place, said = Path(folder), []
    for command in COMMANDS:  # loads all libraries and caches all vectors
        assert given(place, command, "warm")[0] == 0
    for command in COMMANDS:
        if command in ("update", "discover"):
            shutil.copytree(place / "first", place / f"{command}-whole" / "index")
        steps, _ = refused_from(NEVER, errno.EROFS, lambda command=command: given(place, command, f"{command}-whole"))
        for attempt in range(int(tries)):
            number = (errno.EROFS, errno.ENOSPC)[attempt % 2]
            out = f"{command}-{attempt}"
            if command in ("update", "discover"):
                shutil.copytree(place / "first", place / out / "index")
            step = 1 + attempt * (steps - 1) // (int(tries) - 1)
            _, done = refused_from(step, number, lambda command=command, out=out: given(place, command, out))
            said.append([command, step, steps, *done])
    sys.stdout.write(json.dumps(said))


@pytest.fixture(scope="module")
def place(tmp_path_factory, new_cache) -> Path:
    folder = tmp_path_factory.mktemp("disk")
    new_cache(folder / "cache")
    (folder / "docs.txt").write_text("\n".join(planted_documents(24)))
    (folder / "more.txt").write_text("\n".join(planted_documents(12, seed=1)))
    (folder / "names.txt").write_text("\n".join(NAMES))
    for arguments in (
        ("index", "docs.txt", "--out", "first"),
        ("discover", "first", "--seeds", "names.txt", "--out", "topics"),
    ):
        assert run_here(*arguments, "--quiet", "--cache", "cache", "--jobs", "1", cwd=folder).returncode == 0
    return folder


@pytest.mark.slow
def test_a_disk_that_stays_full_or_read_only_gets_one_sentence(place, forks):
    script = "import sys, test_full_disks as own; own.refuse(*sys.argv[1:])"
    result = forks.run(script, place, "3", cwd=Path(__file__).parent)
    assert result.returncode == 0, result.stderr
    assert "Traceback" not in result.stderr
    for command, step, steps, code, said in json.loads(result.stdout):
        where = f"{command}, step {step} of {steps}: {said}"
        assert "Traceback" not in said, where
        assert code in (0, 2), where  # 0 if only leftovers could not be removed
        if code == 2:
            assert said.count("\n") == 1, where
            assert "Read-only file system" in said or "No space left on device" in said, where
