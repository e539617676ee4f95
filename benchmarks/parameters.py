"""The paper's parameter study: rho and the number of iterations, one at a time, as JSON lines.

    python benchmarks/parameters.py FOLDER [NAME ...] [--methods default factorised paper]

`factorised` is the paper's ensemble with local vectors by factorisation; `paper` trains them again in every iteration.
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
from dataclasses import replace
from pathlib import Path

from corpora import corpus_named
from seetopic import Index
from seetopic.discovery.query import Query
from seetopic.discovery.run import find
from seetopic.evaluation.evaluate import EvaluationOptions, evaluate_all
from seetopic.settings import DEFAULT, PAPER, DiscoverySettings

RHOS = (0.1, 0.3, 0.5, 0.7, 0.9, 1.0)
ITERATIONS = (1, 2, 3, 4, 5)
FIGURES = ("npmi", "lcp", "npmi_unsmoothed", "label_precision@10", "label_f1@10", "label_f1@50")


def settings_of(method: str, dimensions: int, epochs: int) -> DiscoverySettings:
    if method == "default":
        return replace(DEFAULT.discovery, top=50)
    if method == "factorised":
        return replace(PAPER.discovery, training=None, top=50)
    training = PAPER.discovery.training
    assert training is not None
    return replace(PAPER.discovery, training=replace(training, dimensions=dimensions, epochs=epochs), top=50)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", type=Path)
    parser.add_argument("names", nargs="*", default=["ohsumed", "amazon", "crisis", "huffpost"])
    parser.add_argument(
        "--methods", nargs="+", choices=["default", "factorised", "paper"], default=["default", "factorised"]
    )
    parser.add_argument("--dimensions", type=int, default=128)
    parser.add_argument("--epochs", type=int, default=4)
    parser.add_argument("--cache", type=Path, help="keep the language model's vectors here")
    parsed = parser.parse_args()
    for name in parsed.names:
        corpus = corpus_named(parsed.folder, name)
        with tempfile.TemporaryDirectory() as place:
            index = Index.build(list(corpus.parts.learned_from), Path(place) / "index", cache=parsed.cache)
            tried = [
                (method, asked, find(Query(index, corpus.seeds, replace(base, **asked))).topics)
                for method in parsed.methods
                for base in [settings_of(method, parsed.dimensions, parsed.epochs)]
                for asked in [*({"rho": rho} for rho in RHOS), *({"iterations": count} for count in ITERATIONS)]
            ]
        topics = [found for _, _, found in tried]
        measured = evaluate_all(topics, corpus.parts.held_out, options=EvaluationOptions(draws=0))
        for (method, asked, _), evaluation in zip(tried, measured, strict=True):
            figures = {
                figure: round(evaluation.figures[figure], 4) for figure in FIGURES if figure in evaluation.figures
            }
            json.dump({"corpus": name, "method": method, **asked, **figures}, sys.stdout)
            print(flush=True)


if __name__ == "__main__":
    main()
