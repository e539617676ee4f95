"""Label precision and label F1 of the topics of labelled corpora, on held-out documents, as JSON.

    python benchmarks/quality.py FOLDER [NAME ...]

FOLDER holds NAME.jsonl.gz (one object a line: `text`, `label`) and NAME.seeds.txt. Documents are split
60-40 by a fixed shuffle: the first part is indexed, without its labels; the second part judges.
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
import time
from collections import Counter, defaultdict
from dataclasses import replace
from pathlib import Path

import numpy as np
from scipy.sparse import csr_array

from corpora import Labelled, labelled_split
from seetopic import Index, sorter_for
from seetopic.encoder import encoder_for
from seetopic.encoder.cache import VectorCache
from seetopic.engine import available_cores
from seetopic.progress import silent
from seetopic.ranking import pick_in_turns
from seetopic.run import Discovery
from seetopic.sample import beginning
from seetopic.seeds import read_seeds
from seetopic.settings import DEFAULT, PAPER
from seetopic.words import cleaned, tokenize

# Two kinds of evidence as in the paper, with local vectors by factorisation.
PAPERS_ENSEMBLE = replace(PAPER.discovery, training=None, top=50)


def occurrences(documents: list[str], terms: set[str]) -> list[set[str]]:
    """Which of the terms occur in each document, as whole words in a row."""
    longest = max(len(term.split()) for term in terms)
    found = []
    for text in documents:
        words = [cleaned(token) or "" for token in tokenize(text.lower())]
        found.append(
            {
                run
                for length in range(1, longest + 1)
                for first in range(len(words) - length + 1)
                if (run := " ".join(words[first : first + length])) in terms
            }
        )
    return found


def label_precision(topics: dict[str, list[str]], held_out: Labelled, found: list[set[str]]) -> float:
    """Share of terms whose most over-represented label is their topic's own, significantly so."""
    label_counts = Counter(held_out.labels)
    n_documents = len(held_out.labels)
    by_term: dict[str, Counter[str]] = defaultdict(Counter)
    for label, terms in zip(held_out.labels, found, strict=True):
        for term in terms:
            by_term[term][label] += 1
    right = []
    for name, terms in topics.items():
        for term in terms:
            counts = by_term[term]
            if not counts:
                right.append(False)
                continue
            best = max(counts, key=lambda label: counts[label] / label_counts[label])
            share = label_counts[name] / n_documents
            frequency = counts.total()
            z = (counts[name] - frequency * share) / np.sqrt(frequency * share * (1 - share))
            right.append(best == name and z > 1.645)
    return float(np.mean(right))


def label_f1(topics: dict[str, list[str]], held_out: Labelled, found: list[set[str]]) -> float:
    """Macro-F1 of giving each document the topic with the largest sum of idf over its matched terms."""
    frequencies = Counter(term for terms in found for term in terms)
    topic_of = {term: name for name, terms in topics.items() for term in terms}
    guesses = []
    for terms in found:
        sums: Counter[str] = Counter()
        for term in sorted(terms):
            if term in topic_of:
                sums[topic_of[term]] += np.log(len(found) / frequencies[term])
        guesses.append(sums.most_common(1)[0][0] if sums else None)
    scores = []
    for name in topics:
        both = sum(guess == label == name for guess, label in zip(guesses, held_out.labels, strict=True))
        guessed, labelled = guesses.count(name), held_out.labels.count(name)
        scores.append(2 * both / (guessed + labelled) if guessed + labelled else 0.0)
    return float(np.mean(scores))


def language_model_alone(run: Discovery) -> list[list[int]]:
    return pick_in_turns(run.similarity.astype(np.float64) + 2.0, 50)


def zero_shot(run: Discovery, vectors: np.ndarray) -> list[list[int]]:
    """Every indexed document sorted by cosine to the names, then class-based TF-IDF."""
    index, ones = run.index, np.ones(len(run.index.posting_documents), np.float32)
    shape = (len(index.vocabulary), len(index))
    by_term = csr_array((ones, np.asarray(index.posting_documents), np.asarray(index.posting_starts)), shape=shape)
    guesses = (vectors @ run.names.T).argmax(axis=1)
    counts = (by_term @ np.eye(len(run.seeds))[guesses]).T  # (n_categories, n_terms)
    shares = counts / np.maximum(counts.sum(axis=1, keepdims=True), 1)
    weights = shares * np.log(1 + counts.sum(axis=1).mean() / np.maximum(counts.sum(axis=0), 1))
    return [np.argsort(-row, kind="stable")[:50].tolist() for row in weights]


def topic_figures(terms: list[list[str]], names: tuple[str, ...], held_out: Labelled) -> dict[str, float]:
    by_name = dict(zip(names, terms, strict=True))
    found = occurrences(held_out.texts, {term for each in terms for term in each})
    top10 = {topic: each[:10] for topic, each in by_name.items()}
    return {
        "label_precision@10": round(label_precision(top10, held_out, found), 3),
        "label_f1@10": round(label_f1(top10, held_out, found), 3),
        "label_f1@50": round(label_f1(by_name, held_out, found), 3),
    }


def macro_f1(guesses: np.ndarray, names: tuple[str, ...], labels: list[str]) -> float:
    scores = []
    for number, name in enumerate(names):
        own = np.array([label == name for label in labels])
        both, either = np.sum((guesses == number) & own), np.sum(guesses == number) + own.sum()
        scores.append(2 * both / either if either else 0.0)
    return round(float(np.mean(scores)), 3)


def read_by_model(texts: list[str], cache: Path) -> np.ndarray:
    """The language model's vectors of the beginnings of documents, as an index reads them."""
    beginnings = [beginning(text, DEFAULT.index.sample.document_words) for text in texts]
    return VectorCache(cache).encode(encoder_for(), beginnings, available_cores(), silent)


def measure(folder: Path, name: str, state: int, cache: Path) -> dict[str, object]:
    train, held_out = labelled_split(folder / f"{name}.jsonl.gz")
    with tempfile.TemporaryDirectory() as place:
        settings = replace(DEFAULT.index, random_state=state)
        index = Index.build(train.texts, Path(place) / "index", settings=settings, cache=cache)
        seeds = read_seeds(folder / f"{name}.seeds.txt")
        run = Discovery(index, seeds, replace(DEFAULT.discovery, top=50))
        spelled, all_vectors = index.vocabulary.terms, read_by_model(train.texts, cache)
        rows = {
            "default": [list(topic) for topic in run.topics],
            "paper's ensemble": [list(topic) for topic in Discovery(index, seeds, PAPERS_ENSEMBLE).topics],
            "language model alone": [[spelled[term] for term in terms] for terms in language_model_alone(run)],
            "zero-shot, c-TF-IDF": [[spelled[term] for term in terms] for terms in zero_shot(run, all_vectors)],
        }
        result: dict[str, object] = {
            method: topic_figures(terms, seeds.names, held_out) for method, terms in rows.items()
        }
        sorter = sorter_for(index, seeds)
        matched, vectors = sorter.matched(held_out.texts), read_by_model(held_out.texts, cache)
        guesses = {
            "assign": sorter.scores(matched).argmax(axis=1),
            "assign --read": sorter.scores(matched, vectors).argmax(axis=1),
            "cosine of document and name": (vectors @ run.names.T).argmax(axis=1),
        }
        assigned = {way: macro_f1(each, seeds.names, held_out.labels) for way, each in guesses.items()}
        return {"corpus": name, "random_state": state, "topics": result, "macro_f1": assigned}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", type=Path)
    parser.add_argument("names", nargs="*", default=["ohsumed", "amazon", "crisis", "huffpost"])
    parser.add_argument("--states", type=int, default=3, help="random states 0, 1, ...")
    parser.add_argument("--cache", type=Path, help="keep the language model's vectors here")
    parsed = parser.parse_args()
    with tempfile.TemporaryDirectory() as temporary:
        for name in parsed.names:
            for state in range(parsed.states):
                started = time.perf_counter()
                result = measure(parsed.folder, name, state, parsed.cache or Path(temporary))
                json.dump({**result, "seconds": round(time.perf_counter() - started, 1)}, sys.stdout)
                print(flush=True)


if __name__ == "__main__":
    main()
