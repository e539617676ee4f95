"""Two names with and without a sentence that says what each covers, as JSON lines.

    python benchmarks/described.py FOLDER [NAME ...] [--draws 5] [--samples 2] [--cache DIR]

FOLDER, the draws and the figures are as in `open_world.py`; the sentences are in `descriptions.yaml`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import yaml

from corpora import Corpus
from open_world import FIGURES, OTHER, Judged, report, sorted_figures
from seetopic import Index
from seetopic.classify.sorter import sorter_of
from seetopic.discovery.run import run_of
from seetopic.evaluation.evaluate import EvaluationOptions, evaluate_all

SENTENCES = Path(__file__).parent / "descriptions.yaml"


def measured(index: Index, corpus: Corpus, judged: Judged, names: list[str]) -> dict[str, Any]:
    sentences = yaml.safe_load(SENTENCES.read_text(encoding="utf-8"))[corpus.name]
    described = {name: {"description": sentences[name]} for name in names}
    return {
        "names alone": figures_of(index, corpus, judged, dict.fromkeys(names)),
        "described": figures_of(index, corpus, judged, described),
    }


def figures_of(index: Index, corpus: Corpus, judged: Judged, seeds: Mapping[str, Any]) -> dict[str, float]:
    held_out, run = corpus.parts.held_out, run_of(index, seeds)
    labels = [label if label in seeds else OTHER for label in held_out.labels or ()]
    (topics,) = evaluate_all([run.topics], replace(held_out, labels=labels), options=EvaluationOptions(draws=0))
    sorter = sorter_of(run)
    shares = sorter.shares(sorter.terms_in(judged.texts), judged.vectors)
    return {**{each: topics.figures[each] for each in FIGURES}, **sorted_figures(shares, judged.numbered(list(seeds)))}


if __name__ == "__main__":
    report(__doc__.splitlines()[0], measured, ["two names"])
