"""A flipped bit anywhere in the vector cache: the vectors are right, or an error says which file to delete."""

from __future__ import annotations

import random
import sqlite3
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest

from fake_model import directions
from seetopic.errors import OutputError
from seetopic.runtime.progress import silent
from seetopic.vectors.encoder.cache import VectorCache
from seetopic.vectors.encoder.protocol import unit_rows

TEXTS = [f"term {number}" for number in range(400)]


class Encoder:
    """Encodes texts as directions, and counts the texts it was asked for."""

    name = fingerprint = "directions"

    def __init__(self) -> None:
        self.asked: list[str] = []

    def encode(self, texts: Sequence[str], jobs, progress) -> np.ndarray:
        self.asked += texts
        return directions(list(texts))

    def encode_names(self, names: Sequence[str]) -> np.ndarray:
        return directions(list(names))


@pytest.fixture(scope="module")
def right() -> bytes:
    return unit_rows(directions(TEXTS), TEXTS).tobytes()


@pytest.fixture
def path(tmp_path: Path) -> Path:
    VectorCache(tmp_path).encode(Encoder(), TEXTS, 1, silent)
    return tmp_path / "vectors" / "directions.sqlite"


@pytest.mark.slow
def test_a_flipped_bit_anywhere_gives_no_wrong_vector(path, right):
    whole = path.read_bytes()
    chance = random.Random(0)
    outcomes = {"right": 0, "refused": 0}
    for _ in range(300):
        damaged = bytearray(whole)
        damaged[chance.randrange(len(damaged))] ^= 1 << chance.randrange(8)
        path.write_bytes(damaged)
        try:
            found = VectorCache(path.parents[1]).encode(Encoder(), TEXTS, 1, silent)
        except OutputError as error:
            outcomes["refused"] += "delete that file" in str(error)
        else:
            assert found.tobytes() == right
            outcomes["right"] += 1
    assert outcomes["right"] > 250
    assert sum(outcomes.values()) == 300


def test_a_row_of_another_text_is_not_taken(path, right):
    database = sqlite3.connect(path)
    with database:  # as a damaged page of SQLite's index would do
        other = database.execute("SELECT vector, checksum FROM sealed_vectors WHERE text = 'term 8'").fetchone()
        database.execute("UPDATE sealed_vectors SET vector = ?, checksum = ? WHERE text = 'term 7'", other)
    database.close()
    encoder = Encoder()
    assert VectorCache(path.parents[1]).encode(encoder, TEXTS, 1, silent).tobytes() == right
    assert encoder.asked == ["term 7"]


def test_a_damaged_text_is_encoded_again(path, right):
    data = path.read_bytes()
    path.write_bytes(data.replace(b"term 399", b"term\xff399"))
    assert VectorCache(path.parents[1]).encode(Encoder(), TEXTS, 1, silent).tobytes() == right
