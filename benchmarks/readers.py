"""Topics and sorted documents with and without another model that reads the documents, as JSON lines.

    python benchmarks/readers.py FOLDER READER [NAME ...] [--words 150000]

FOLDER and the split are as in `quality.py`; READER is the folder of a language model. Both models read the sample and
the first 5,000 of the held-out documents.
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np

from corpora import Corpus, corpus_named, labelled_split
from seetopic import Index
from seetopic.classify import sorter_of
from seetopic.discovery import run_of
from seetopic.evaluation.evaluate import EvaluationOptions, evaluate_all
from seetopic.evaluation.labels import f1_of_guesses, labels_of, own_labels
from seetopic.runtime import Doubles
from seetopic.settings import DEFAULT

FIGURES = ("label_precision@10", "label_f1@10", "label_f1@50")
_HELD_OUT = 5_000


def measure(corpus: Corpus, labels: Sequence[str], words: int, reader: Path | None, cache: Path) -> dict[str, object]:
    """`labels` are those of the indexed documents."""
    names = list(corpus.seeds.names)

    def macro_f1(scores: Doubles, given: list[tuple[str, ...]]) -> float:
        found = labels_of(given[: len(scores)])
        return round(float(np.mean(f1_of_guesses(scores.argmax(axis=1), own_labels(names, found.names), found))), 3)

    settings = replace(DEFAULT.index, sample=replace(DEFAULT.index.sample, words=words))
    with tempfile.TemporaryDirectory() as place:
        texts = list(corpus.parts.learned_from)
        index = Index.build(texts, Path(place) / "index", settings=settings, reader=reader, cache=cache)
        run = run_of(index, names, replace(DEFAULT.discovery, top=50))
        assert run.reading is not None
        (judged,) = evaluate_all([run.topics], corpus.parts.held_out, options=EvaluationOptions(draws=0))
        held_out: list[tuple[str, ...]] = []
        sorter = sorter_of(run)
        texts = list(corpus.parts.held_out.texts(labels=held_out))[:_HELD_OUT]
        matched = sorter.terms_in(texts)
        read = index.read_texts(sorter.read_texts(texts))
        vectors = np.asarray(index.sample.general)
        sampled = [(labels[number],) for number in index.sampled[: len(vectors)].tolist()]
        return {
            "corpus": corpus.name,
            "reader": None if reader is None else reader.name,
            "words": words,
            "documents read": len(vectors),
            "topics": {figure: round(judged.figures[figure], 3) for figure in FIGURES},
            "macro_f1": {
                "assign": macro_f1(sorter.shares(matched)[:, : len(names)], held_out),
                "assign --read": macro_f1(sorter.shares(matched, read)[:, : len(names)], held_out),
                "sample": macro_f1(run.reading.found.scores[:, : len(names)], sampled),
                "sample, by cosine": macro_f1(vectors @ run.encoded.spoken.T, sampled),
            },
        }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", type=Path)
    parser.add_argument("reader", type=Path)
    parser.add_argument("names", nargs="*", default=["ohsumed", "amazon", "crisis", "huffpost"])
    parser.add_argument("--words", type=int, default=DEFAULT.index.sample.words)
    parser.add_argument("--cache", type=Path, help="keep the language models' vectors here")
    parsed = parser.parse_args()
    with tempfile.TemporaryDirectory() as temporary:
        for name in parsed.names:
            corpus = corpus_named(parsed.folder, name)
            labels = labelled_split(parsed.folder / f"{name}.jsonl.gz")[0].labels
            for reader in (None, parsed.reader):
                result = measure(corpus, labels, parsed.words, reader, parsed.cache or Path(temporary))
                json.dump(result, sys.stdout)
                print(flush=True)


if __name__ == "__main__":
    main()
