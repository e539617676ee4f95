"""Topics of the presets that train as in the paper: label precision, label F1 and the paper's NPMI, as JSON lines.

    python benchmarks/presets.py FOLDER [NAME ...] [--presets released-code] [--dimensions 256] [--device cuda]

FOLDER, the split and the labels are as in `quality.py`.
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

from corpora import corpus_named
from seetopic import Index
from seetopic.discovery.query import Query
from seetopic.discovery.run import find
from seetopic.evaluation.evaluate import EvaluationOptions, evaluate
from seetopic.settings import DEFAULT, PRESETS, preset_named

FIGURES = ("label_precision@10", "label_f1@10", "label_f1@50")


def measure(parsed: argparse.Namespace, name: str, cache: Path) -> None:
    corpus = corpus_named(parsed.folder, name)
    for state, preset in itertools.product(range(parsed.states), parsed.presets):
        with tempfile.TemporaryDirectory() as place:
            settings = replace(DEFAULT.index, random_state=state)
            index = Index.build(list(corpus.parts.learned_from), Path(place) / "index", settings=settings, cache=cache)
            chosen = replace(preset_named(preset).discovery, top=50)
            if chosen.training is not None and parsed.dimensions:
                chosen = replace(chosen, training=replace(chosen.training, dimensions=parsed.dimensions))
            started = time.perf_counter()
            topics = find(Query(index, corpus.seeds, chosen, preset, parsed.device)).topics
            seconds = time.perf_counter() - started
        figures = evaluate(topics, corpus.parts.held_out, options=EvaluationOptions(draws=0)).figures
        result = {
            "corpus": name,
            "preset": preset,
            "dimensions": chosen.training.dimensions if chosen.training else None,
            "random_state": state,
            **{figure: round(figures[figure], 3) for figure in FIGURES},
            "paper_npmi": round(figures["npmi"], 3),
            "seconds": round(seconds, 1),
        }
        json.dump(result, sys.stdout)
        print(flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", type=Path)
    parser.add_argument("names", nargs="*", default=["ohsumed", "amazon"])
    parser.add_argument("--presets", nargs="+", choices=list(PRESETS), default=["released-code"])
    parser.add_argument("--dimensions", type=int, help="of the trained vectors; by default the preset's")
    parser.add_argument("--states", type=int, default=1, help="random states 0, 1, ...")
    parser.add_argument("--device", default="auto")
    parser.add_argument("--cache", type=Path, help="keep the language model's vectors here")
    parsed = parser.parse_args()
    with tempfile.TemporaryDirectory() as temporary:
        for name in parsed.names:
            measure(parsed, name, parsed.cache or Path(temporary))


if __name__ == "__main__":
    main()
