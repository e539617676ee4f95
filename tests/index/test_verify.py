"""Checking a whole index on demand: every damaged file is named, even one that other commands trust."""

from __future__ import annotations

import json
import os
import random
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from fake_model import directions
from planted import planted_documents
from seetopic import Index
from seetopic.errors import DamagedIndex, IndexFailure
from seetopic.index import layout
from seetopic.runtime import files


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return Index.build(
        planted_documents(60), tmp_path_factory.mktemp("built") / "index", embedding_model=directions, n_jobs=1
    ).folder


@pytest.fixture
def copied(built: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(built, tmp_path / "index"))


def flip(path: Path) -> None:
    """Change the last byte as a failing disk would: nothing else about the file looks different."""
    seen = path.stat()
    data = bytearray(path.read_bytes())
    data[-1] ^= 1
    with path.open("rb+") as file:
        file.write(data)
    os.utime(path, ns=(seen.st_atime_ns, seen.st_mtime_ns))


@pytest.mark.parametrize("name", layout.FILES)
def test_a_flipped_bit_in_any_file_is_found_and_the_file_named(copied, name):
    index = Index.open(copied, embedding_model=directions)
    index.verify()
    flip(copied / name)
    with pytest.raises(DamagedIndex, match=f"is damaged: {name}; build the index again, or restore these files"):
        index.verify()


def test_many_damaged_files_are_one_sentence(copied):
    for name in layout.FILES:
        flip(copied / name)
    with pytest.raises(DamagedIndex, match=r"and \d+ more; build") as caught:
        Index.open(copied, embedding_model=directions).verify()
    assert len(str(caught.value)) - len(str(copied)) < 250


def test_a_large_file_that_is_trusted_is_read_and_trusted_no_longer(copied, tmp_path, monkeypatch):
    monkeypatch.setattr(layout, "_LARGE", 1)
    monkeypatch.setattr(files, "_state", lambda seen: f"{seen.st_ino} {seen.st_size} {seen.st_mtime_ns}")

    def opened() -> Index:
        return Index.open(copied, embedding_model=directions, cache=tmp_path / "cache")

    _ = opened().local
    flip(copied / layout.LOCAL)
    _ = opened().local  # trusted: a disk may lose bits without any program writing
    with pytest.raises(DamagedIndex, match=r"is damaged: local\.npy"):
        opened().verify()
    with pytest.raises(DamagedIndex, match=r"local\.npy is damaged"):
        _ = opened().local


def test_a_flipped_bit_anywhere_in_the_manifest_is_refused_or_changes_nothing(copied):
    path = copied / layout.MANIFEST
    whole, right = path.read_bytes(), Index.open(copied, embedding_model=directions).manifest
    chance = random.Random(0)
    for _ in range(300):
        damaged = bytearray(whole)
        damaged[chance.randrange(len(damaged))] ^= 1 << chance.randrange(8)
        path.write_bytes(damaged)
        try:
            found = Index.open(copied, embedding_model=directions).manifest
        except IndexFailure:
            continue
        assert {**found, **right} == {**right, **found}  # at most, the seal has a different name
        assert {name: found[name] for name in right} == right


def run(*arguments: str | Path) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "seetopic", *map(str, arguments)]
    return subprocess.run(command, capture_output=True, text=True, check=False)


@pytest.mark.slow
def test_the_command_says_what_it_found(copied):
    done = run("verify", copied)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout == (
        f"{copied}: {len(layout.FILES)} files, "
        f"{sum((copied / name).stat().st_size for name in layout.FILES) / 1e6:,.1f} MB, all intact\n"
    )
    assert json.loads(run("verify", copied, "--json").stdout)["files"] == len(layout.FILES)
    flip(copied / layout.GENERAL)
    damaged = run("verify", copied)
    assert (damaged.returncode, damaged.stdout) == (2, "")
    assert damaged.stderr == (
        f"seetopic: {copied} is damaged: general.npy; build the index again, or restore these files from a backup\n"
    )
