"""An index that is truncated while a program has it open: the program continues or reports it, but is never killed."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import numpy as np
import pytest

from fake_model import directions
from planted import planted_documents
from seetopic import Index, discover
from seetopic.errors import DamagedIndex
from seetopic.index import layout
from seetopic.index.positions import Texts
from seetopic.runtime.npy import LongArray

NAMES = ["food", "sport", "quokka eating bread"]  # the last one becomes a term, for which all texts are searched


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    documents = [*planted_documents(90), "A quokka eating bread.", "Quokka eating bread."]
    return Index.build(
        documents, tmp_path_factory.mktemp("built") / "index", embedding_model=directions, n_jobs=1
    ).folder


@pytest.fixture
def copied(built: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(built, tmp_path / "index"))


_CUT_OFF = """
import os, sys
from pathlib import Path
from fake_model import directions
from seetopic import Index, discover

index = Index.open(sys.argv[1], embedding_model=directions)
index.general, index.local, index.sample, index.variants, index.texts, index.positions, index.idf
index.posting_documents, index.vocabulary, index.sampled, index.themes
for path in Path(sys.argv[1]).glob("*.npy"):
    os.truncate(path, 0)
print(discover(index, sys.argv[2:]))
"""


@pytest.mark.slow
def test_what_is_open_is_not_lost_when_its_files_are_cut_off(copied, built, forks):
    done = forks.run(_CUT_OFF, copied, *NAMES, cwd=copied.parent)
    assert done.returncode == 0, done.stderr
    assert done.stdout.strip() == str(discover(Index.open(built, embedding_model=directions), NAMES)).strip()


@pytest.fixture
def everything_is_large(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(layout, "_LARGE", 1)


def test_what_stays_on_disk_gives_the_same_topics(built, everything_is_large, tmp_path):
    index = Index.open(built, embedding_model=directions, cache=tmp_path)
    assert isinstance(index.texts.places, LongArray)
    assert isinstance(index.posting_documents, LongArray)
    assert discover(index, NAMES) == discover(Index.open(built, embedding_model=directions), NAMES)


def test_what_stays_on_disk_and_is_cut_off_is_told(copied, everything_is_large, tmp_path):
    index = Index.open(copied, embedding_model=directions, cache=tmp_path / "cache")
    assert len(index.texts.occurrences("quokka eating bread")) == 2
    os.truncate(copied / layout.TEXTS, 500)
    with pytest.raises(DamagedIndex, match=r"texts\.npy was truncated while it was being read"):
        index.texts.occurrences("quokka eating bread")


def test_what_takes_the_place_of_a_file_on_disk_is_not_read(copied, everything_is_large, tmp_path):
    index = Index.open(copied, embedding_model=directions, cache=tmp_path / "cache")
    before = np.array(index.texts.places)
    np.save(copied / "other.npy", before[::-1])
    (copied / "other.npy").replace(copied / layout.TEXTS)
    assert np.array_equal(index.texts.places, before)


@pytest.mark.slow
def test_runs_of_words_are_found_across_the_ends_of_blocks(monkeypatch):
    from seetopic.index import positions as texts_module

    chance = np.random.default_rng(0)
    places = chance.integers(-1, 3, 2000).astype(np.int32)
    texts = Texts(("a", "b", "c"), places, np.array([0, 2000]))
    terms = ["a", "a b", "b b", "c a b", "a a a", "b c a b"]
    whole = [texts.occurrences(term).tolist() for term in terms]
    assert all(whole)
    for size in (1, 2, 3, 7, 64):
        monkeypatch.setattr(texts_module, "_AT_ONCE", size)
        assert [texts.occurrences(term).tolist() for term in terms] == whole
