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

from corpora import Labelled, labelled_split
from seetopic import Index, discover
from seetopic.settings import DEFAULT
from seetopic.words import cleaned, tokenize


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


def measure(folder: Path, name: str, cache: Path | None) -> dict[str, object]:
    train, held_out = labelled_split(folder / f"{name}.jsonl.gz")
    with tempfile.TemporaryDirectory() as place:
        index = Index.build(train.texts, Path(place) / "index", cache=cache)
        topics = discover(index, folder / f"{name}.seeds.txt", settings=replace(DEFAULT.discovery, top=50))
    by_name = {topic.name: list(topic) for topic in topics}
    found = occurrences(held_out.texts, {term for terms in by_name.values() for term in terms})
    top10 = {topic: terms[:10] for topic, terms in by_name.items()}
    return {
        "corpus": name,
        "label_precision@10": round(label_precision(top10, held_out, found), 3),
        "label_f1@10": round(label_f1(top10, held_out, found), 3),
        "label_f1@50": round(label_f1(by_name, held_out, found), 3),
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", type=Path)
    parser.add_argument("names", nargs="*", default=["ohsumed", "amazon", "crisis", "huffpost"])
    parser.add_argument("--cache", type=Path)
    parsed = parser.parse_args()
    for name in parsed.names:
        started = time.perf_counter()
        result = measure(parsed.folder, name, parsed.cache)
        json.dump({**result, "seconds": round(time.perf_counter() - started, 1)}, sys.stdout)
        print(flush=True)


if __name__ == "__main__":
    main()
