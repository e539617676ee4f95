"""Corpora for benchmarks: labelled ones with a fixed split, and the folders of the paper's authors."""

from __future__ import annotations

import gzip
import json
import random
from dataclasses import dataclass, replace
from pathlib import Path

from seetopic.corpus import Seeds, read_seeds
from seetopic.corpus.opening import open_documents
from seetopic.evaluation.comparison import Parts


@dataclass(frozen=True)
class Labelled:
    """Documents with labels, which evaluate methods and never guide them."""

    texts: list[str]
    labels: list[str]


@dataclass(frozen=True)
class Corpus:
    """Documents to learn from, held-out documents, and the names."""

    name: str
    parts: Parts
    seeds: Seeds


def labelled_split(path: Path) -> tuple[Labelled, Labelled]:
    """The 60% to learn from and the 40% held out: line numbers shuffled with a fixed seed."""
    with gzip.open(path, "rt", encoding="utf-8") as file:
        records = [json.loads(line) for line in file]
    order = list(range(len(records)))
    random.Random(0).shuffle(order)
    cut = int(len(order) * 0.6)
    parts = [[records[number] for number in numbers] for numbers in (order[:cut], order[cut:])]
    train, held_out = (Labelled([each["text"] for each in part], [each["label"] for each in part]) for part in parts)
    return train, held_out


def corpus_named(folder: Path, name: str) -> Corpus:
    """NAME.jsonl.gz (`text`, `label`) and NAME.seeds.txt; or the authors' NAME/ with its three files."""
    if (folder / name / f"{name}.txt").exists():
        place = folder / name
        learned_from = tuple(open_documents(place / f"{name}.txt").texts())
        held_out = open_documents(place / f"{name}_test.txt")
        return Corpus(name, Parts(learned_from, held_out), read_seeds(place / "keywords_0.txt"))
    train, judged = labelled_split(folder / f"{name}.jsonl.gz")
    held_out = replace(open_documents(judged.texts), title=name, labels=judged.labels)
    return Corpus(name, Parts(tuple(train.texts), held_out), read_seeds(folder / f"{name}.seeds.txt"))
