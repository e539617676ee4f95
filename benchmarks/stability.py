"""How much topics depend on chance: Jaccard similarity of the ten terms of the same names, as JSON lines.

    python benchmarks/stability.py FOLDER [NAME ...] [--states 5] [--cache DIR]

FOLDER and the split are as in `quality.py`. Topics of random state 0 are compared with those of other random states, of
the same documents in another order, of one document fewer, and of one further name that has nothing to do with the
documents. `local vectors` is the correlation of cosines of term pairs between the first two random states.
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


def measured(corpus: Corpus, states: int, place: Path, cache: Path) -> dict[str, object]:
    names, texts = list(corpus.seeds.names), list(corpus.parts.learned_from)

    def built(documents: Sequence[str], state: int, folder: str) -> Index:
        return Index.build(documents, place / folder, settings=replace(DEFAULT.index, random_state=state), cache=cache)

    indexes = [built(texts, state, f"state-{state}") for state in range(states)]
    found = [discover(index, names) for index in indexes]
    judged = evaluate_all(found, corpus.parts.held_out, options=EvaluationOptions(draws=0))
    precision = [each.figures["label_precision@10"] for each in judged]
    shuffled = random.Random(0).sample(texts, len(texts))
    gone = random.Random(1).sample(range(len(texts)), FEWER)
    fewer = [built(texts[:each] + texts[each + 1 :], 0, f"without-{each}") for each in gone]
    return {
        "label_precision@10": [round(each, 3) for each in precision],
        "spread": round(max(precision) - min(precision), 3),
        "random states": round(np.mean([likeness(*pair) for pair in combinations(found, 2)]), 3),
        "shuffled": round(likeness(found[0], discover(built(shuffled, 0, "shuffled"), names)), 3),
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
    parser.add_argument("--states", type=int, default=5, help="random states 0, 1, ...")
    parser.add_argument("--cache", type=Path, help="keep the language model's vectors here")
    parsed = parser.parse_args()
    for name in parsed.names:
        with tempfile.TemporaryDirectory() as place:
            corpus = corpus_named(parsed.folder, name)
            result = measured(corpus, parsed.states, Path(place), parsed.cache or Path(place))
            json.dump({"corpus": name, **result}, sys.stdout)
            print(flush=True)


if __name__ == "__main__":
    main()
