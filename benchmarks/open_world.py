"""Names that cover only part of the documents: a few labels of a corpus are names, all others are "other". JSON lines.

    python benchmarks/open_world.py FOLDER [NAME ...] [--draws 5] [--samples 2] [--cache DIR]

FOLDER, the split and the labels are as in `quality.py`. The names are two of the labels, 30% of them, each one alone,
and all of them. Topics are judged on all held-out documents, sorting on some of them, drawn once.
"""

from __future__ import annotations

import argparse
import json
import random
import sys
import tempfile
from collections.abc import Callable, Container, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np
from sklearn.metrics import average_precision_score, f1_score

from corpora import Corpus, corpus_named
from draws import another_draw
from seetopic import Index
from seetopic.classify.sorter import sorter_of
from seetopic.corpus import as_seeds
from seetopic.discovery.run import run_of
from seetopic.evaluation.evaluate import EvaluationOptions, evaluate_all
from seetopic.evaluation.methods import Task, method_named
from seetopic.index.sample import beginning
from seetopic.runtime.arrays import Doubles, Floats, Longs
from seetopic.settings import DEFAULT

BINS = 10  # of shares, to measure how well they are calibrated
OTHER = "other"  # the label of documents whose own label is not a name
FIGURES = ("label_precision@10", "label_f1@10")
KINDS = ("two names", "30 % of the names", "one name", "all names")


@dataclass(frozen=True)
class Judged:
    """Held-out documents to sort, with the language model's vectors."""

    texts: list[str]
    labels: list[str]
    vectors: Floats

    def numbered(self, names: Sequence[str]) -> Longs:
        """The number of each document's name; for other labels, the number after the last."""
        numbers = {name: number for number, name in enumerate(names)}
        return np.array([numbers.get(label, len(names)) for label in self.labels])


Measure: TypeAlias = Callable[[Index, Corpus, Judged, list[str]], dict[str, Any]]


def asked_for(names: Sequence[str], draws: int) -> Iterator[tuple[str, int, list[str]]]:
    """Kind, number of the draw, and names."""
    ordered = sorted(names)
    for kind, size in {"two names": 2, "30 % of the names": max(2, round(0.3 * len(ordered)))}.items():
        for draw in range(draws):
            yield kind, draw, random.Random(draw).sample(ordered, size)
    for number, name in enumerate(ordered):
        yield "one name", number, [name]
    yield "all names", 0, list(names)


def judged_documents(corpus: Corpus, index: Index, size: int) -> Judged:
    labels: list[tuple[str, ...]] = []
    texts = list(corpus.parts.held_out.texts(labels=labels))
    chosen = sorted(random.Random(0).sample(range(len(texts)), min(size, len(texts))))
    kept = [texts[number] for number in chosen]
    vectors = index.encode_texts([beginning(text, DEFAULT.index.sample.document_words) for text in kept])
    return Judged(kept, [labels[number][0] for number in chosen], vectors)


def sorted_figures(shares: Doubles, truth: Longs) -> dict[str, float]:
    """`shares` has one column per name and a last one for none; (n_documents, n_names + 1)."""
    there = [name for name in range(shares.shape[1] - 1) if (truth == name).any()]
    guessed, sure = shares.argmax(axis=1), shares.max(axis=1)
    bins = np.minimum((sure * BINS).astype(int), BINS - 1)
    right = guessed == truth
    gaps = [abs(float((right - sure)[bins == each].sum())) for each in range(BINS)]
    return {
        "average_precision": _mean(average_precision_score(truth == name, shares[:, name]) for name in there),
        "macro_f1": _mean(f1_score(truth == name, guessed == name, zero_division=0) for name in there),
        "none_given": float((guessed == shares.shape[1] - 1).mean()),
        "calibration_error": sum(gaps) / len(truth),
    }


def _mean(values: Iterator[float]) -> float:
    return float(np.mean(list(values)))


def measured(index: Index, corpus: Corpus, judged: Judged, names: list[str]) -> dict[str, Any]:
    run = run_of(index, names)
    task = Task(index, as_seeds(names), corpus.parts.learned_from)
    topics = [run.topics, method_named("plm")(task, DEFAULT.discovery.top, 0)]
    held_out = corpus.parts.held_out
    labels = [label if label in names else OTHER for label in held_out.labels or ()]
    ours, model = evaluate_all(topics, replace(held_out, labels=labels), options=EvaluationOptions(draws=0))
    sorter, truth = sorter_of(run), judged.numbered(names)
    matched = sorter.terms_in(judged.texts)
    cosines = judged.vectors @ run.names.T
    there = [name for name in range(len(names)) if (truth == name).any()]
    return {
        **{figure: ours.figures[figure] for figure in FIGURES},
        "of the language model alone": {figure: model.figures[figure] for figure in FIGURES},
        "none_true": float((truth == len(names)).mean()),
        "assign": sorted_figures(sorter.shares(matched), truth),
        "assign --read": sorted_figures(sorter.shares(matched, judged.vectors), truth),
        "cosine": {
            "average_precision": _mean(average_precision_score(truth == name, cosines[:, name]) for name in there)
        },
    }


def rounded(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: rounded(each) for key, each in value.items()}
    return round(value, 3)


def report(about: str, measure: Measure, kinds: Container[str]) -> None:
    """Print a line for every corpus, sample and draw of names of some kinds."""
    parser = argparse.ArgumentParser(description=about)
    parser.add_argument("folder", type=Path)
    parser.add_argument("names", nargs="*", default=["ohsumed", "amazon", "crisis", "huffpost"])
    parser.add_argument("--draws", type=int, default=5)
    parser.add_argument("--samples", type=int, default=2, help="the first is the program's own")
    parser.add_argument("--judged", type=int, default=5000, help="held-out documents to sort")
    parser.add_argument("--cache", type=Path, help="keep the language model's vectors here")
    parsed = parser.parse_args()
    with tempfile.TemporaryDirectory() as temporary:
        for name in parsed.names:
            corpus = corpus_named(parsed.folder, name)
            for sample in range(parsed.samples):
                place = Path(temporary) / f"{name}-{sample}"
                with another_draw(sample):
                    index = Index.build(list(corpus.parts.learned_from), place, cache=parsed.cache or Path(temporary))
                judged = judged_documents(corpus, index, parsed.judged)
                for kind, draw, names in asked_for(corpus.seeds.names, parsed.draws):
                    if kind in kinds:
                        row = {"corpus": name, "sample": sample, "asked_for": kind, "draw": draw, "names": names}
                        json.dump({**row, **rounded(measure(index, corpus, judged, names))}, sys.stdout)
                        print(flush=True)


if __name__ == "__main__":
    report(__doc__.splitlines()[0], measured, KINDS)
