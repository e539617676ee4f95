"""A corpus with planted topics, whose words are known; imports nothing slow, for the processes that tests start."""

from __future__ import annotations

import random

PLANTED = {
    "sport": "football goalkeeper tennis basketball referee stadium athlete tournament striker coach midfielder league",
    "food": "bread cheese soup pasta butter tomato onion garlic recipe oven chef salad",
    "astronomy": "planet galaxy telescope comet asteroid orbit nebula moon satellite astronomer eclipse meteor",
}
KINDS = [words.split(" ") for words in PLANTED.values()]
NAMES = [
    "sports and games",
    "cooking & cuisine",
    "outer space",
]  # of these kinds, in this order; none occurs in the documents
_FILLER = ["people", "time", "place", "thing", "story", "morning", "reason", "number", "letter", "window"]


def planted_documents(size: int = 240, seed: int = 0) -> list[str]:
    """Documents of one topic each: six of its twelve words among filler words and function words.

    Commas separate the words, so that no phrases are found by chance.
    """
    chance = random.Random(seed)
    documents = []
    for number in range(size):
        words = list(PLANTED.values())[number % len(PLANTED)].split(" ")
        chosen = chance.sample(words, 6) + chance.sample(_FILLER, 3) + ["the", "of", "and"]
        chance.shuffle(chosen)
        documents.append(", ".join(chosen) + ".")
    return documents
