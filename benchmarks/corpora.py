"""Labelled corpora and their fixed split."""

from __future__ import annotations

import gzip
import json
import random
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class Labelled:
    """Documents with the labels that judge, and never guide, a method."""

    texts: list[str]
    labels: list[str]


def labelled_split(path: Path) -> tuple[Labelled, Labelled]:
    """The 60 % to learn from and the 40 % to judge by: line numbers shuffled by a fixed seed."""
    with gzip.open(path, "rt", encoding="utf-8") as file:
        records = [json.loads(line) for line in file]
    order = list(range(len(records)))
    random.Random(0).shuffle(order)
    cut = int(len(order) * 0.6)
    parts = [[records[number] for number in numbers] for numbers in (order[:cut], order[cut:])]
    train, held_out = (Labelled([each["text"] for each in part], [each["label"] for each in part]) for part in parts)
    return train, held_out
