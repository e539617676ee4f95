"""Other methods in the cases of `open_world.py`: two names, and themes besides the names, as JSON lines.

    python benchmarks/open_world_peers.py FOLDER [NAME ...] [--draws 3] [--themes 10] [--cache DIR]

The label of a theme is the most frequent one among the 50 documents with most of its ten terms. Names are left out of
amazon (four) and huffpost (eight); a method recovers those whose labels are among its first ten further themes.
"""

from __future__ import annotations

import argparse
import json
import random
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from corpora import Corpus, corpus_named, labelled_split
from open_world import OTHER, asked_for
from seetopic import Index
from seetopic.corpus import as_seeds
from seetopic.discovery.suggestions import suggest
from seetopic.evaluation.evaluate import EvaluationOptions, evaluate_all
from seetopic.evaluation.methods import Task, method_named
from seetopic.evaluation.methods.bertopic import zero_shot_model
from seetopic.runtime.arrays import Floats
from seetopic.settings import DEFAULT

METHODS = ("default", "plm", "zero-shot", "seeded-lda", "anchored-corex", "bertopic-guided", "bertopic-zeroshot")
LEFT_OUT = {"amazon": 4, "huffpost": 8}
TOPICS = 10  # further themes to consider, and terms of each
READ = 50  # documents that determine the label of a theme


def task_of(index: Index, corpus: Corpus, names: Sequence[str], vectors: Floats) -> Task:
    task = Task(index, as_seeds(list(names)), corpus.parts.learned_from)
    vars(task)["document_vectors"] = vectors  # the same for all names, and slow to compute
    return task


def two_names(index: Index, corpus: Corpus, vectors: Floats, draws: int) -> Iterator[dict[str, Any]]:
    held_out = corpus.parts.held_out
    for kind, draw, names in asked_for(corpus.seeds.names, draws):
        if kind != "two names":
            continue
        task = task_of(index, corpus, names, vectors)
        labels = [label if label in names else OTHER for label in held_out.labels or ()]
        topics = [method_named(method)(task, TOPICS, 0) for method in METHODS]
        figures = evaluate_all(topics, replace(held_out, labels=labels), options=EvaluationOptions(draws=0))
        measured = zip(METHODS, figures, strict=True)
        yield {
            "asked_for": kind,
            "draw": draw,
            "names": names,
            **{method: each.figures["label_precision@10"] for method, each in measured},
        }


def labels_of(themes: Sequence[Sequence[str]], task: Task, labels: Sequence[str]) -> set[str]:
    present = task.counts.astype(bool).astype(int)
    found = set()
    for terms in themes:
        columns = [task.index.vocabulary.ids[term] for term in terms]
        held = np.asarray(present[:, columns].sum(axis=1)).ravel()
        best = np.argsort(-held, kind="stable")[:READ]
        found.add(Counter(labels[number] for number in best).most_common(1)[0][0])
    return found


def further_clusters(task: Task) -> list[list[str]]:
    """The largest clusters of BERTopic zero-shot that do not belong to a name, as ten terms each."""
    model, of_names = zero_shot_model(task, 0)
    further = [topic for topic in sorted(set(model.topics_)) if topic >= 0 and topic not in of_names]
    further.sort(key=list(model.topics_).count, reverse=True)
    return [[term for term, weight in model.get_topic(topic) if weight > 0] for topic in further[:TOPICS]]


def left_out(
    index: Index, corpus: Corpus, vectors: Floats, labels: Sequence[str], draws: int
) -> Iterator[dict[str, Any]]:
    names = corpus.seeds.names
    for draw in range(draws):
        gone = random.Random(draw).sample(sorted(names), LEFT_OUT[corpus.name])
        kept = [name for name in names if name not in gone]
        task = task_of(index, corpus, kept, vectors)
        ours = labels_of([each.terms for each in suggest(index, kept, number=TOPICS)], task, labels)
        theirs = labels_of(further_clusters(task), task, labels)
        yield {
            "left out": draw,
            "names": gone,
            "suggest": np.mean([name in ours for name in gone]),
            "bertopic-zeroshot": np.mean([name in theirs for name in gone]),
        }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", type=Path)
    parser.add_argument("names", nargs="*", default=["ohsumed", "crisis", "amazon", "huffpost"])
    parser.add_argument("--draws", type=int, default=3)
    parser.add_argument("--themes", type=int, default=10, help="draws of names that are left out")
    parser.add_argument("--cache", type=Path, help="keep the language model's vectors here")
    parsed = parser.parse_args()
    with tempfile.TemporaryDirectory() as temporary:
        for name in parsed.names:
            corpus = corpus_named(parsed.folder, name)
            cache = parsed.cache or Path(temporary)
            index = Index.build(
                list(corpus.parts.learned_from), Path(temporary) / name, settings=DEFAULT.index, cache=cache
            )
            vectors = Task(index, corpus.seeds, corpus.parts.learned_from).document_vectors
            labels = labelled_split(parsed.folder / f"{name}.jsonl.gz")[0].labels
            rows = [two_names(index, corpus, vectors, parsed.draws)]
            if name in LEFT_OUT:
                rows.append(left_out(index, corpus, vectors, labels, parsed.themes))
            for row in (row for each in rows for row in each):
                json.dump({"corpus": name, **row}, sys.stdout)
                print(flush=True)


if __name__ == "__main__":
    main()
