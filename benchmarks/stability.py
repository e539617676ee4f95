"""How much topics depend on chance: Jaccard similarity of the ten terms of the same names, as JSON lines.

    python benchmarks/stability.py FOLDER [NAME ...] [--repeats 5] [--cache DIR]

FOLDER and the split are as in `quality.py`. Topics are compared between random states, with those of the same documents
in another order, of one document fewer, and of one further name that has nothing to do with the documents. The random
state and the order have no part in choosing the documents that are read, so their figures are 1 by construction;
`draws` shows how much topics owe to that choice: label precision and Jaccard similarity between independent draws.
`local vectors` is the correlation of cosines of term pairs between the first two draws.
"""

from __future__ import annotations

import argparse
import json
import random
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import replace
from itertools import combinations
from pathlib import Path

import numpy as np

from corpora import Corpus, corpus_named
from draws import another_draw
from seetopic import Index, Topics, discover
from seetopic.evaluation.evaluate import EvaluationOptions, evaluate_all
from seetopic.settings import DEFAULT

UNRELATED = ("qwertyuiop", "medieval castles", "quantum chromodynamics")
FEWER = 3  # documents that are left out, one at a time
PAIRS = 20_000  # of terms


def likeness(one: Topics, other: Topics) -> float:
    """Mean Jaccard similarity of the terms of the categories that both have."""
    pairs = [({*first}, {*second}) for first, second in zip(one, other, strict=False)]
    return float(np.mean([len(first & second) / len(first | second) for first, second in pairs]))


def correlation(one: Index, other: Index) -> float:
    pairs = np.random.default_rng(0).integers(0, len(one.vocabulary), (2, PAIRS))
    cosines = [np.einsum("ij,ij->i", *(np.asarray(index.local)[each] for each in pairs)) for index in (one, other)]
    return float(np.corrcoef(*cosines)[0, 1])


def measured(corpus: Corpus, repeats: int, place: Path, cache: Path) -> dict[str, object]:
    names, texts = list(corpus.seeds.names), list(corpus.parts.learned_from)

    def built(documents: Sequence[str], folder: str, state: int = 0, draw: int = 0) -> Index:
        settings = replace(DEFAULT.index, random_state=state)
        with another_draw(draw):
            return Index.build(documents, place / folder, settings=settings, cache=cache)

    by_state = [discover(built(texts, f"state-{state}", state), names) for state in range(repeats)]
    indexes = [built(texts, f"draw-{draw}", draw=draw) for draw in range(repeats)]
    found = [discover(index, names) for index in indexes]
    judged = evaluate_all(found, corpus.parts.held_out, options=EvaluationOptions(draws=0))
    precision = [each.figures["label_precision@10"] for each in judged]
    shuffled = random.Random(0).sample(texts, len(texts))
    gone = random.Random(1).sample(range(len(texts)), FEWER)
    fewer = [built(texts[:each] + texts[each + 1 :], f"without-{each}") for each in gone]
    return {
        "draws": {
            "label_precision@10": [round(each, 3) for each in precision],
            "spread": round(max(precision) - min(precision), 3),
            "likeness": round(np.mean([likeness(*pair) for pair in combinations(found, 2)]), 3),
        },
        "random states": round(np.mean([likeness(*pair) for pair in combinations(by_state, 2)]), 3),
        "shuffled": round(likeness(found[0], discover(built(shuffled, "shuffled"), names)), 3),
        "one document fewer": round(np.mean([likeness(found[0], discover(each, names)) for each in fewer]), 3),
        "one unrelated name": {
            name: round(likeness(found[0], discover(indexes[0], [*names, name])), 3) for name in UNRELATED
        },
        "local vectors": round(correlation(*indexes[:2]), 4),
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", type=Path)
    parser.add_argument("names", nargs="*", default=["ohsumed", "amazon", "crisis", "huffpost"])
    parser.add_argument("--repeats", type=int, default=5, help="random states and draws")
    parser.add_argument("--cache", type=Path, help="keep the language model's vectors here")
    parsed = parser.parse_args()
    for name in parsed.names:
        with tempfile.TemporaryDirectory() as place:
            corpus = corpus_named(parsed.folder, name)
            result = measured(corpus, parsed.repeats, Path(place), parsed.cache or Path(place))
            json.dump({"corpus": name, **result}, sys.stdout)
            print(flush=True)


if __name__ == "__main__":
    main()
