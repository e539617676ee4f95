"""Topics of the presets that train as the paper does: label precision, label F1 and the paper's NPMI, as JSON lines.

    python benchmarks/presets.py FOLDER [NAME ...] [--presets released-code] [--dimensions 256] [--device cuda]

FOLDER, the split and the labels are those of `quality.py`.
"""

from __future__ import annotations

import argparse
import itertools
import json
import sys
import tempfile
import time
from dataclasses import replace
from pathlib import Path

import numpy as np

from corpora import Labelled, labelled_split
from quality import occurrences, topic_figures
from seetopic import Index
from seetopic.run import Discovery
from seetopic.seeds import read_seeds
from seetopic.settings import DEFAULT, PRESETS, preset_named


def papers_npmi(topics: list[list[str]], held_out: Labelled) -> float:
    """Mean over topics and pairs of their terms, smoothed by 1 / |D| as in the paper."""
    found = occurrences(held_out.texts, {term for topic in topics for term in topic})
    size = len(found)
    scores = []
    for topic in topics:
        held = np.array([[term in terms for term in topic] for terms in found], np.float64)
        together = held.T @ held / size
        alone = np.diag(together)
        pairs = []
        for one, other in itertools.combinations(range(len(topic)), 2):
            both = together[one, other] + 1 / size
            pairs.append(np.log(both / ((alone[one] + 1 / size) * (alone[other] + 1 / size))) / -np.log(both))
        scores.append(np.mean(pairs))
    return round(float(np.mean(scores)), 3)


def measure(parsed: argparse.Namespace, name: str, cache: Path) -> None:
    train, held_out = labelled_split(parsed.folder / f"{name}.jsonl.gz")
    seeds = read_seeds(parsed.folder / f"{name}.seeds.txt")
    for state, preset in itertools.product(range(parsed.states), parsed.presets):
        with tempfile.TemporaryDirectory() as place:
            settings = replace(DEFAULT.index, random_state=state)
            index = Index.build(train.texts, Path(place) / "index", settings=settings, cache=cache)
            chosen = replace(preset_named(preset).discovery, top=50)
            if chosen.training is not None and parsed.dimensions:
                chosen = replace(chosen, training=replace(chosen.training, dimensions=parsed.dimensions))
            started = time.perf_counter()
            topics = [list(topic) for topic in Discovery(index, seeds, chosen, preset, parsed.device).topics]
            seconds = time.perf_counter() - started
        result = {
            "corpus": name,
            "preset": preset,
            "dimensions": chosen.training.dimensions if chosen.training else None,
            "random_state": state,
            **topic_figures(topics, seeds.names, held_out),
            "paper_npmi": papers_npmi([topic[:10] for topic in topics], held_out),
            "seconds": round(seconds, 1),
        }
        json.dump(result, sys.stdout)
        print(flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", type=Path)
    parser.add_argument("names", nargs="*", default=["ohsumed", "amazon"])
    parser.add_argument("--presets", nargs="+", choices=list(PRESETS), default=["released-code"])
    parser.add_argument("--dimensions", type=int, help="of the trained vectors; the preset's if not given")
    parser.add_argument("--states", type=int, default=1, help="random states 0, 1, ...")
    parser.add_argument("--device", default="auto")
    parser.add_argument("--cache", type=Path, help="keep the language model's vectors here")
    parsed = parser.parse_args()
    with tempfile.TemporaryDirectory() as temporary:
        for name in parsed.names:
            measure(parsed, name, parsed.cache or Path(temporary))


if __name__ == "__main__":
    main()
