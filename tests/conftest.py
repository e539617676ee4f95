"""A corpus with planted topics, and its index, shared by the tests."""

from __future__ import annotations

import os
import random
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import settings

from seetopic import Index

# Speed is measured in benchmarks: on a busy machine a slow example is not a wrong one.
settings.register_profile("unhurried", deadline=None)
settings.load_profile("unhurried")

PLANTED = {
    "sport": "football goalkeeper tennis basketball referee stadium athlete tournament striker coach midfielder league",
    "food": "bread cheese soup pasta butter tomato onion garlic recipe oven chef salad",
    "astronomy": "planet galaxy telescope comet asteroid orbit nebula moon satellite astronomer eclipse meteor",
}
_FILLER = ["people", "time", "place", "thing", "story", "morning", "reason", "number", "letter", "window"]


def planted_documents(size: int = 240, seed: int = 0) -> list[str]:
    """Documents of one topic each: six of its twelve words among filler words and function words.

    Commas part the words, so that no phrases are found by chance.
    """
    chance = random.Random(seed)
    documents = []
    for number in range(size):
        words = list(PLANTED.values())[number % len(PLANTED)].split(" ")
        chosen = chance.sample(words, 6) + chance.sample(_FILLER, 3) + ["the", "of", "and"]
        chance.shuffle(chosen)
        documents.append(", ".join(chosen) + ".")
    return documents


@pytest.fixture(scope="session", autouse=True)
def unwaited() -> Iterator[None]:
    """No test cuts the power, so none waits for the disk; those that ask whether it is waited for say so themselves."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(os, "fsync", lambda _: None)
        yield


@pytest.fixture(scope="session")
def documents() -> list[str]:
    return planted_documents()


@pytest.fixture(scope="session")
def cache(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("cache")


@pytest.fixture(scope="session")
def index(documents: list[str], cache: Path, tmp_path_factory: pytest.TempPathFactory) -> Index:
    """The planted corpus, indexed with the embedded language model."""
    return Index.build(documents, tmp_path_factory.mktemp("planted") / "index", cache=cache, jobs=1)
