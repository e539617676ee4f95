"""The paper's main table: every method on every corpus, several random states, as JSON; resumes if interrupted.

    python benchmarks/main_table.py FOLDER [NAME ...] --work DIR > benchmarks/results/main_table.json

FOLDER contains NAME.jsonl.gz and NAME.seeds.txt, or the folders of the paper's authors. Results are saved in DIR;
delete it to start over. Methods that train vectors do so with `--dimensions` and `--epochs`.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from multiprocessing import get_context
from pathlib import Path
from typing import Any

from corpora import corpus_named
from seetopic.evaluation.comparison import CompareOptions, Comparison, compare
from seetopic.evaluation.methods import METHODS

FIGURES = (
    "npmi", "lcp", "pmi", "diversity", "median_document_frequency", "terms_never_seen", "pairs_never_together",
    "npmi_unsmoothed", "u_mass", "c_v", "label_precision@10", "label_f1@10", "label_f1@50", "coverage@10",
)  # fmt: skip
OF_TOPICS = ("npmi", "label_precision@10")


def rounded(value: float | None) -> float | None:
    return None if value is None else round(value, 4)


def slim(outcome: dict[str, Any]) -> dict[str, Any]:
    """An outcome without the counts of single terms."""
    measured = outcome["evaluation"]
    topics = [
        {
            "name": topic["name"],
            "in_vocabulary": outcome["in_vocabulary"][topic["name"]],
            **({"terms": outcome["topics"][topic["name"]]} if outcome["random_state"] == 0 else {}),
            **{figure: rounded(topic.get(figure)) for figure in OF_TOPICS},
        }
        for topic in measured["topics"]
    ]
    figures = {figure: rounded(measured.get(figure)) for figure in FIGURES}
    control = {figure: rounded(value) for figure, value in measured["control"].items()}
    chosen = {name: outcome[name] for name in ("method", "random_state", "seconds")}
    return {**chosen, "figures": figures, "control": control, "topics": topics}


def significance(comparison: Comparison) -> dict[str, Any]:
    """Each method against the first: p of the paper's tests over runs, and a bootstrap over topics."""
    result: dict[str, Any] = {}
    for method in comparison.methods[1:]:
        over_topics = {figure: comparison.over_topics(method, figure) for figure in OF_TOPICS}
        result[method] = {
            "p_over_runs": {figure: rounded(comparison.p_value(method, figure)) for figure in FIGURES},
            "over_topics": {
                figure: None if found is None else {name: rounded(value) for name, value in vars(found).items()}
                for figure, found in over_topics.items()
            },
        }
    return result


def compared(parsed: argparse.Namespace, name: str) -> dict[str, Any]:
    """All methods on one corpus."""
    corpus = corpus_named(parsed.folder, name)
    options = CompareOptions(
        runs=parsed.runs,
        model=parsed.model,
        device=parsed.device,
        cache=parsed.cache or parsed.work / "cache",
        dimensions=parsed.dimensions,
        epochs=parsed.epochs,
    )
    comparison = compare(
        corpus.parts,
        corpus.seeds,
        parsed.methods.split(","),
        options=options,
        folder=parsed.work / name,
        progress=Lines(name),
    )
    return {
        "documents": {"learned_from": len(corpus.parts.learned_from), "held_out": held_out_size(comparison)},
        "outcomes": [slim(outcome.to_json()) for outcome in comparison.outcomes],
        "significance": significance(comparison),
    }


def held_out_size(comparison: Comparison) -> int:
    return comparison.outcomes[0].evaluation.n_documents


class Lines:
    """A line on standard error for each stage."""

    def __init__(self, corpus: str) -> None:
        self.corpus, self.stage = corpus, ""

    def __call__(self, stage: str, done: int, total: int | None) -> None:
        if stage != self.stage:
            self.stage = stage
            print(f"{time.strftime('%X')} {self.corpus}: {stage}", file=sys.stderr, flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", type=Path)
    parser.add_argument("names", nargs="*", default=["ohsumed", "amazon", "crisis", "huffpost"])
    parser.add_argument("--work", type=Path, required=True, help="folder for the methods' results")
    parser.add_argument("--methods", default=",".join(METHODS))
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument(
        "--at-once", type=int, default=2, help="corpora to run at the same time, since many methods use one core"
    )
    parser.add_argument("--dimensions", type=int, default=128, help="of vectors that methods train")
    parser.add_argument("--epochs", type=int, default=4, help="of a preset's training in each iteration")
    parser.add_argument("--model", help="language model: a folder or a hub name")
    parser.add_argument("--device", default="auto")
    parser.add_argument("--cache", type=Path)
    parsed = parser.parse_args()
    # Fresh processes, so that what a method's packages do to threads and random states affects only one corpus.
    with ProcessPoolExecutor(parsed.at_once, mp_context=get_context("spawn")) as pool:
        found = list(pool.map(partial(compared, parsed), parsed.names))
    table = {
        "runs": parsed.runs,
        "dimensions": parsed.dimensions,
        "epochs": parsed.epochs,
        "corpora": dict(zip(parsed.names, found, strict=True)),
    }
    json.dump(table, sys.stdout, separators=(",", ":"))


if __name__ == "__main__":
    main()
