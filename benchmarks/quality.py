"""Topics and sorted documents of the default method on labelled corpora, several draws of the sample, as JSON lines.

    python benchmarks/quality.py FOLDER [NAME ...]

FOLDER contains NAME.jsonl.gz (one object per line: `text`, `label`) and NAME.seeds.txt. Documents are split 60-40 by
a fixed shuffle: the first part is indexed without its labels, the second part is for evaluation. Other methods read
every indexed document. All methods of the paper are in `main_table.py`.
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
import time
from dataclasses import replace
from pathlib import Path

import numpy as np

from corpora import Corpus, corpus_named
from draws import another_draw
from seetopic import Index, sorter_for
from seetopic.discovery.query import Query
from seetopic.discovery.run import find
from seetopic.evaluation.evaluate import EvaluationOptions, evaluate_all
from seetopic.evaluation.labels import f1_of_guesses, labels_of, own_labels
from seetopic.evaluation.methods import Task, method_named
from seetopic.index.sample import beginning
from seetopic.settings import DEFAULT, PAPER

# Two kinds of evidence as in the paper, with local vectors by factorisation.
PAPERS_ENSEMBLE = replace(PAPER.discovery, training=None, top=50)
FIGURES = ("label_precision@10", "label_f1@10", "label_f1@50")


def measured_topics(task: Task, corpus: Corpus) -> dict[str, dict[str, float]]:
    found = {
        "default": method_named("default")(task, 50, 0),
        "paper's ensemble": find(Query(task.index, task.seeds, PAPERS_ENSEMBLE)).topics,
        "language model alone": method_named("plm")(task, 50, 0),
        "zero-shot, c-TF-IDF": method_named("zero-shot")(task, 50, 0),
    }
    judged = evaluate_all(list(found.values()), corpus.parts.held_out, options=EvaluationOptions(draws=0))
    return {
        method: {figure: round(each.figures[figure], 3) for figure in FIGURES}
        for method, each in zip(found, judged, strict=True)
    }


def measured_sorting(task: Task, corpus: Corpus) -> dict[str, float]:
    """Macro-F1 of each way of sorting the held-out documents."""
    given: list[tuple[str, ...]] = []
    texts = list(corpus.parts.held_out.texts(labels=given))
    labels, names = labels_of(given), list(task.seeds.names)
    sorter = sorter_for(task.index, task.seeds)
    matched = sorter.terms_in(texts)
    vectors = task.index.encode_texts([beginning(text, DEFAULT.index.sample.document_words) for text in texts])
    guesses = {
        "assign": sorter.shares(matched)[:, : len(names)].argmax(axis=1),
        "assign --read": sorter.shares(matched, vectors)[:, : len(names)].argmax(axis=1),
        "cosine of document and name": (vectors @ task.names.T).argmax(axis=1),
    }
    own = own_labels(names, labels.names)
    return {way: round(float(np.mean(f1_of_guesses(each, own, labels))), 3) for way, each in guesses.items()}


def measure(corpus: Corpus, draw: int, cache: Path) -> dict[str, object]:
    with tempfile.TemporaryDirectory() as place:
        texts = corpus.parts.learned_from
        with another_draw(draw):
            index = Index.build(list(texts), Path(place) / "index", cache=cache)
        task = Task(index, corpus.seeds, texts)
        return {
            "corpus": corpus.name,
            "sample": draw,
            "topics": measured_topics(task, corpus),
            "macro_f1": measured_sorting(task, corpus),
        }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", type=Path)
    parser.add_argument("names", nargs="*", default=["ohsumed", "amazon", "crisis", "huffpost"])
    parser.add_argument("--samples", type=int, default=3, help="the first is the program's own")
    parser.add_argument("--cache", type=Path, help="keep the language model's vectors here")
    parsed = parser.parse_args()
    with tempfile.TemporaryDirectory() as temporary:
        for name in parsed.names:
            corpus = corpus_named(parsed.folder, name)
            for draw in range(parsed.samples):
                started = time.perf_counter()
                result = measure(corpus, draw, parsed.cache or Path(temporary))
                json.dump({**result, "seconds": round(time.perf_counter() - started, 1)}, sys.stdout)
                print(flush=True)


if __name__ == "__main__":
    main()
