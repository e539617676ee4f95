"""The vector cache: nothing is computed twice, lost beyond the last batch, shared by accident, or wrong."""

from __future__ import annotations

import multiprocessing
import sqlite3
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from fake_model import directions
from seetopic.errors import EncoderError, OutputError
from seetopic.runtime.files import cache_folder
from seetopic.runtime.progress import Progress, silent
from seetopic.vectors.encoder import cache as cache_module
from seetopic.vectors.encoder import encoder_for
from seetopic.vectors.encoder.cache import VectorCache
from seetopic.vectors.encoder.protocol import unit_rows


def expected(texts: Sequence[str]) -> np.ndarray:
    return unit_rows(directions(list(texts)), texts)


@dataclass(frozen=True)
class CountingEncoder:
    """Records the texts it is asked for, and fails on a chosen batch."""

    fingerprint: str | None = "counting"
    dies_on: int = -1  # the number of the batch
    name: str = "counting"
    asked: list[list[str]] = field(default_factory=list)

    def encode(self, texts: Sequence[str], jobs: int, progress: Progress) -> np.ndarray:
        if len(self.asked) == self.dies_on:
            raise RuntimeError("killed")
        self.asked.append(list(texts))
        progress("language model", 0, len(texts))
        progress("language model", len(texts), len(texts))
        return expected(texts)

    def encode_names(self, names: Sequence[str]) -> np.ndarray:
        return self.encode(names, 1, silent)


@pytest.fixture
def cache(tmp_path: Path) -> VectorCache:
    return VectorCache(tmp_path)


def encode(cache: VectorCache, encoder: Any, texts: Sequence[str], progress: Progress = silent) -> np.ndarray:
    return cache.encode(encoder, texts, 1, progress)


def database_of(cache: VectorCache, fingerprint: str = "counting") -> Path:
    return cache.folder / "vectors" / f"{fingerprint}.sqlite"


def texts_in(path: Path) -> list[str]:
    database = sqlite3.connect(path)
    try:
        return [text for (text,) in database.execute("SELECT text FROM sealed_vectors ORDER BY text")]
    finally:
        database.close()


# What is computed


def test_a_second_run_encodes_only_what_is_new(cache):
    first = CountingEncoder()
    encode(cache, first, ["a", "b", "c"])
    second = CountingEncoder()
    found = encode(cache, second, ["d", "b", "a", "e"])
    assert (first.asked, second.asked) == ([["a", "b", "c"]], [["d", "e"]])
    assert found.tobytes() == expected(["d", "b", "a", "e"]).tobytes()


def test_what_is_known_is_read_without_asking_the_encoder(cache):
    texts = [f"term {number}" for number in range(1700)]  # more than SQLite accepts in one query
    encode(cache, CountingEncoder(), texts)
    again = CountingEncoder()
    assert encode(cache, again, texts[::-1]).tobytes() == expected(texts[::-1]).tobytes()
    assert again.asked == []


def test_a_text_asked_for_twice_is_encoded_once(cache):
    encoder = CountingEncoder()
    texts = ["a", "b", "a", "a", "c", "b"]
    assert encode(cache, encoder, texts).tobytes() == expected(texts).tobytes()
    assert encoder.asked == [["a", "b", "c"]]
    assert encode(cache, encoder, texts).tobytes() == expected(texts).tobytes()
    assert len(encoder.asked) == 1


def test_texts_that_look_alike_are_kept_apart(cache):
    texts = ["a", "A", "a ", "á", "a\u0301", "a\0", "a\0b", "'; DELETE FROM sealed_vectors; --", "%", "_", "1", "1.0"]
    encode(cache, CountingEncoder(), texts)
    again = CountingEncoder()
    assert encode(cache, again, texts).tobytes() == expected(texts).tobytes()
    assert again.asked == []


def test_each_model_has_vectors_of_its_own(cache):
    encode(cache, CountingEncoder("one"), ["a"])
    other = CountingEncoder("other")
    encode(cache, other, ["a"])
    assert other.asked == [["a"]]
    assert sorted(path.name for path in (cache.folder / "vectors").iterdir()) == ["one.sqlite", "other.sqlite"]


def test_an_encoder_without_a_fingerprint_is_never_cached(cache):
    encoder = CountingEncoder(fingerprint=None)
    for _ in range(2):
        assert encode(cache, encoder, ["a", "a"]).tobytes() == expected(["a", "a"]).tobytes()
        cache.encode_names(encoder, ["b"])
    assert encoder.asked == [["a", "a"], ["b"], ["a", "a"], ["b"]]
    assert list(cache.folder.iterdir()) == []


def test_names_are_cached_but_for_the_embedded_model(cache):
    encoder = CountingEncoder()
    for _ in range(2):
        assert cache.encode_names(encoder, ["heart"]).tobytes() == expected(["heart"]).tobytes()
    assert encoder.asked == [["heart"]]
    embedded = encoder_for(device="cpu")
    assert cache.encode_names(embedded, ["heart"]).tobytes() == embedded.encode_names(["heart"]).tobytes()
    assert not database_of(cache, str(embedded.fingerprint)).exists()


@pytest.mark.parametrize("fingerprint", ["counting", None])
def test_nothing_to_encode_is_refused(cache, fingerprint):
    with pytest.raises(EncoderError, match="no texts to encode; give at least one"):
        encode(cache, CountingEncoder(fingerprint), [])


# Custom encoders


@dataclass(frozen=True)
class OwnEncoder:
    vectors: Any
    fingerprint: str | None
    name: str = "own"

    def encode(self, texts: Sequence[str], jobs: int, progress: Progress) -> Any:
        return self.vectors

    def encode_names(self, names: Sequence[str]) -> Any:
        return self.vectors


@pytest.mark.parametrize("fingerprint", ["own", None])
def test_long_vectors_of_doubles_become_unit_rows(cache, fingerprint):
    own = OwnEncoder(np.array([[3.0, 4.0], [0.0, 7.0]]), fingerprint)
    for _ in range(2):
        found = encode(cache, own, ["a", "b"])
        assert found.dtype == np.float32
        np.testing.assert_allclose(found, [[0.6, 0.8], [0, 1]], atol=1e-7)
        np.testing.assert_allclose(cache.encode_names(own, ["a", "b"]), [[0.6, 0.8], [0, 1]], atol=1e-7)


@pytest.mark.parametrize("fingerprint", ["own", None])
@pytest.mark.parametrize("vectors", [np.full((2, 3), np.nan), np.zeros((2, 3)), np.ones((1, 3))], ids=str)
def test_bad_vectors_are_refused_and_never_kept(cache, vectors, fingerprint):
    with pytest.raises(EncoderError, match=r"zero or not finite|must return one row per text"):
        encode(cache, OwnEncoder(vectors, fingerprint), ["a", "b"])
    with pytest.raises(EncoderError, match=r"zero or not finite|must return one row per text"):
        cache.encode_names(OwnEncoder(vectors, fingerprint), ["a", "b"])
    assert not database_of(cache, "own").exists()


# Killed builds


def test_a_killed_build_loses_at_most_one_batch(cache, monkeypatch):
    monkeypatch.setattr(cache_module, "_SAVED", 4)
    texts = [f"term {number}" for number in range(14)]
    with pytest.raises(RuntimeError, match="killed"):
        encode(cache, CountingEncoder(dies_on=2), texts)
    assert texts_in(database_of(cache)) == sorted(texts[:8])
    second = CountingEncoder()
    assert encode(cache, second, texts).tobytes() == expected(texts).tobytes()
    assert second.asked == [texts[8:12], texts[12:]]


def test_progress_rises_to_the_number_of_new_texts(cache, monkeypatch):
    monkeypatch.setattr(cache_module, "_SAVED", 4)
    encode(cache, CountingEncoder(), ["known"])
    told: list[tuple[str, int, int | None]] = []
    encode(cache, CountingEncoder(), ["known", *"abcdefghij"], lambda *report: told.append(report))
    assert told == [("language model", done, 10) for done in (0, 4, 4, 8, 8, 10)]


# Concurrent processes


def _encode_slice(folder: Path, first: int, start: Any, answers: Any) -> None:
    cache_module._SAVED = 5  # many small writes, so that the processes compete
    texts = [f"term {number}" for number in range(first, first + 100)]
    start.wait()
    vectors = VectorCache(folder).encode(CountingEncoder(), texts, 1, silent)
    answers.put((first, vectors.tobytes()))


@pytest.mark.slow
def test_processes_that_encode_overlapping_texts_at_once_get_the_right_vectors(tmp_path):
    context = multiprocessing.get_context("spawn")
    start, answers = context.Barrier(2), context.Queue()
    workers = [context.Process(target=_encode_slice, args=(tmp_path, first, start, answers)) for first in (0, 50)]
    for worker in workers:
        worker.start()
    found = dict(answers.get(timeout=60) for _ in workers)
    for worker in workers:
        worker.join(60)
    assert [worker.exitcode for worker in workers] == [0, 0]
    texts = [f"term {number}" for number in range(150)]
    assert found == {first: expected(texts[first : first + 100]).tobytes() for first in (0, 50)}
    assert texts_in(database_of(VectorCache(tmp_path))) == sorted(texts)
    again = CountingEncoder()
    assert encode(VectorCache(tmp_path), again, texts).tobytes() == expected(texts).tobytes()
    assert again.asked == []


# Damaged files


def overwrite_start(path: Path) -> None:
    path.write_bytes(b"no database" * 1000)


def cut_off(path: Path) -> None:
    content = path.read_bytes()
    path.write_bytes(content[: len(content) // 2])


def scramble(path: Path) -> None:
    content = bytearray(path.read_bytes())
    content[200:] = np.random.default_rng(0).bytes(len(content) - 200)
    path.write_bytes(bytes(content))


def blank_a_vector(path: Path) -> None:
    content = path.read_bytes()
    stored = expected(["term 7"])[0].tobytes()
    assert content.count(stored) == 1
    path.write_bytes(content.replace(stored, bytes(len(stored))))


def shorten_a_vector(path: Path) -> None:
    database = sqlite3.connect(path)
    with database:
        database.execute("UPDATE sealed_vectors SET vector = substr(vector, 1, 61) WHERE text = 'term 7'")
    database.close()


def forget_a_vector(path: Path) -> None:
    database = sqlite3.connect(path)
    with database:
        database.execute("UPDATE sealed_vectors SET vector = NULL WHERE text = 'term 7'")
    database.close()


@pytest.mark.parametrize("damage", [overwrite_start, cut_off, scramble])
def test_a_damaged_file_is_named_with_what_to_do(cache, damage):
    texts = [f"term {number}" for number in range(300)]
    encode(cache, CountingEncoder(), texts)
    damage(database_of(cache))
    with pytest.raises(OutputError, match=r"counting\.sqlite cannot be used \(.+\); delete that file, or choose"):
        encode(cache, CountingEncoder(), texts)


@pytest.mark.parametrize("damage", [blank_a_vector, shorten_a_vector, forget_a_vector])
def test_a_damaged_vector_is_computed_again(cache, damage):
    texts = [f"term {number}" for number in range(300)]
    encode(cache, CountingEncoder(), texts)
    damage(database_of(cache))
    again, third = CountingEncoder(), CountingEncoder()
    assert encode(cache, again, texts).tobytes() == expected(texts).tobytes()
    assert again.asked == [["term 7"]]
    encode(cache, third, texts)
    assert third.asked == []


def test_an_empty_file_is_a_cache_without_vectors(cache):
    database_of(cache).parent.mkdir()
    database_of(cache).touch()  # as left by a process that was killed immediately
    assert encode(cache, CountingEncoder(), ["a"]).tobytes() == expected(["a"]).tobytes()
    assert texts_in(database_of(cache)) == ["a"]


def test_a_place_that_cannot_be_written_to_is_named(tmp_path):
    (tmp_path / "file").touch()
    with pytest.raises(OutputError, match=r"cannot write .*counting\.sqlite"):
        encode(VectorCache(tmp_path / "file"), CountingEncoder(), ["a"])


# Location


def test_the_folder_is_the_given_one_or_the_environments_or_the_users(tmp_path, monkeypatch):
    monkeypatch.setenv("SEETOPIC_CACHE", str(tmp_path / "environment"))
    assert cache_folder(tmp_path / "given") == tmp_path / "given"
    assert cache_folder() == tmp_path / "environment"
    monkeypatch.setenv("SEETOPIC_CACHE", "")
    assert cache_folder().name == "seetopic"
