"""The paper's coherence of random terms, by how rare they are, as JSON.

    python benchmarks/rare_terms.py FOLDER [NAME ...]

Topics are ten random words that all occur in about the same number of held-out documents: from the labelled corpora,
and from documents without any topics, whose words are drawn independently from one Zipf distribution.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections import Counter, defaultdict
from pathlib import Path

import numpy as np

from corpora import corpus_named
from seetopic.discovery.topics import RankedTerm, Topic, Topics
from seetopic.evaluation.evaluate import EvaluationOptions, evaluate_all
from seetopic.text.tokenizer import ENGLISH, cleaned, tokenize

FREQUENCIES = (0, 1, 2, 4, 8, 16, 32, 64, 128, 256)  # held-out documents with a word; 0: it never occurs
N_TOPICS, N_TERMS = 50, 10


def without_topics(n_documents: int, random_state: int) -> list[str]:
    """Documents of 60 words each, all independent."""
    chance = np.random.default_rng(random_state)
    n_words = 20_000
    weights = 1 / np.arange(1, n_words + 1)
    words = chance.choice(n_words, size=(n_documents, 60), p=weights / weights.sum())
    return [" ".join(f"w{word}x" for word in document) for document in words.tolist()]


def by_frequency(texts: list[str]) -> dict[int, list[str]]:
    """Words by document frequency, rounded down to the nearest of `FREQUENCIES`."""
    counts: Counter[str] = Counter()
    for text in texts:
        counts.update(
            {word for token in tokenize(text.lower()) if (word := cleaned(token)) and ENGLISH.may_be_a_term(word)}
        )
    groups: dict[int, list[str]] = defaultdict(list)
    for word in sorted(counts):
        groups[max(bound for bound in FREQUENCIES if bound <= counts[word])].append(word)
    groups[0] = [f"neverseen{number}x" for number in range(N_TOPICS * N_TERMS)]
    return groups


def random_topics(words: list[str], chance: np.random.Generator) -> Topics:
    def topic(number: int) -> Topic:
        chosen = chance.choice(len(words), N_TERMS, replace=False)
        terms = tuple(RankedTerm(words[word], 1.0, 0, {}) for word in chosen.tolist())
        return Topic(f"random {number}", (f"random {number}",), False, terms)

    return Topics(tuple(topic(number) for number in range(N_TOPICS)), {})


def measure(texts: list[str], random_state: int = 0) -> dict[str, dict[str, float]]:
    chance = np.random.default_rng(random_state)
    groups = {bound: words for bound, words in sorted(by_frequency(texts).items()) if len(words) >= 2 * N_TERMS}
    topics = [random_topics(words, chance) for words in groups.values()]
    measured = evaluate_all(topics, texts, options=EvaluationOptions(draws=0))
    wanted = ("npmi", "lcp", "npmi_unsmoothed", "pairs_never_together")
    return {
        str(bound): {figure: round(each.figures[figure], 4) for figure in wanted if not np.isnan(each.figures[figure])}
        for bound, each in zip(groups, measured, strict=True)
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", type=Path)
    parser.add_argument("names", nargs="*", default=["ohsumed", "amazon", "crisis", "huffpost"])
    parsed = parser.parse_args()
    result = {"without topics": measure(without_topics(6000, 0))}
    for name in parsed.names:
        result[name] = measure(list(corpus_named(parsed.folder, name).parts.held_out.texts()))
    json.dump(result, sys.stdout, indent=1)


if __name__ == "__main__":
    main()
