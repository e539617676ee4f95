"""Two names with and without a sentence that says what each covers, as JSON lines.

    python benchmarks/described.py FOLDER [NAME ...] [--draws 5] [--samples 2] [--cache DIR]

FOLDER, the draws and the figures are as in `open_world.py`; the sentences are in `descriptions.yaml`.
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import yaml

from corpora import Corpus, corpus_named
from draws import another_draw
from open_world import FIGURES, OTHER, Judged, asked_for, judged_documents, rounded, sorted_figures
from seetopic import Index
from seetopic.classify.sorter import sorter_of
from seetopic.discovery.run import run_of
from seetopic.evaluation.evaluate import EvaluationOptions, evaluate_all

SENTENCES = Path(__file__).parent / "descriptions.yaml"


def measured(index: Index, corpus: Corpus, judged: Judged, seeds: Mapping[str, Any]) -> dict[str, float]:
    held_out, run = corpus.parts.held_out, run_of(index, seeds)
    labels = [label if label in seeds else OTHER for label in held_out.labels or ()]
    (topics,) = evaluate_all([run.topics], replace(held_out, labels=labels), options=EvaluationOptions(draws=0))
    sorter = sorter_of(run)
    shares = sorter.shares(sorter.terms_in(judged.texts), judged.vectors)
    return {**{each: topics.figures[each] for each in FIGURES}, **sorted_figures(shares, judged.numbered(list(seeds)))}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", type=Path)
    parser.add_argument("names", nargs="*", default=["ohsumed", "amazon", "crisis", "huffpost"])
    parser.add_argument("--draws", type=int, default=5)
    parser.add_argument("--samples", type=int, default=2, help="the first is the program's own")
    parser.add_argument("--judged", type=int, default=5000, help="held-out documents to sort")
    parser.add_argument("--cache", type=Path, help="keep the language model's vectors here")
    parsed = parser.parse_args()
    sentences = yaml.safe_load(SENTENCES.read_text(encoding="utf-8"))
    with tempfile.TemporaryDirectory() as temporary:
        for name in parsed.names:
            corpus = corpus_named(parsed.folder, name)
            for sample in range(parsed.samples):
                place = Path(temporary) / f"{name}-{sample}"
                with another_draw(sample):
                    index = Index.build(list(corpus.parts.learned_from), place, cache=parsed.cache or Path(temporary))
                judged = judged_documents(corpus, index, parsed.judged)
                for kind, draw, names in asked_for(corpus.seeds.names, parsed.draws):
                    if kind != "two names":
                        continue
                    described = {each: {"description": sentences[name][each]} for each in names}
                    row = {
                        "names alone": measured(index, corpus, judged, dict.fromkeys(names)),
                        "described": measured(index, corpus, judged, described),
                    }
                    about = {"corpus": name, "sample": sample, "draw": draw, "names": names}
                    json.dump({**about, **rounded(row)}, sys.stdout)
                    print(flush=True)


if __name__ == "__main__":
    main()
