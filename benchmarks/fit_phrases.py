"""Fit the numbers of `seetopic.text.phrases.english` to a parser's noun chunks in the demo's articles, and print them.

    python benchmarks/fit_phrases.py PIPELINE [--documents 3000] [--kept FILE]

PIPELINE is a spaCy pipeline, by name or folder. No other corpus is used.
"""

from __future__ import annotations

import argparse
import tempfile
import textwrap
from pathlib import Path

import numpy as np
from sklearn.linear_model import LogisticRegression

from noun_chunks import Parsed, parsed
from seetopic.corpus.demo import demo_documents
from seetopic.runtime.disk_counts import Scratch
from seetopic.runtime.engine import LocalEngine, available_cores
from seetopic.settings import DEFAULT
from seetopic.text.phrases.candidates import frequent_runs, runs_by_length
from seetopic.text.phrases.contexts import N_TOLD, classes_of, neighbours_of_runs, told_of_words
from seetopic.text.phrases.english import FEATURES, Model
from seetopic.text.phrases.quality import described, well_formed
from seetopic.text.shards import Shard, WordTable, scan
from seetopic.text.tokenizer import tokenize

TEXT = DEFAULT.index.text
OFTEN = 3  # occurrences of a word in the sample from which it is used
CAP = 50  # and above which it counts no more
BIAS = 0.5  # added to the fitted one: a phrase may follow another word in the same chunk


def word_targets(sample: list[Parsed], ids: dict[str, int]) -> np.ndarray:
    """How often each word occurs, ends a noun chunk, and is in one before its end; (n_words, 3)."""
    counts = np.zeros((len(ids), 3))
    for document in sample:
        numbers = [ids.get(word, -1) if word else -1 for word in document.words]
        for number in numbers:
            counts[number, 0] += number >= 0
        for first, end in document.chunks:
            for at in range(first, end):
                if numbers[at] >= 0:
                    counts[numbers[at], 1 if at == end - 1 else 2] += 1
    return counts


def shares(features: np.ndarray, share: np.ndarray, weight: np.ndarray) -> LogisticRegression:
    """A logistic regression of shares."""
    share = share.clip(0, 1)
    both = np.concatenate([features, features])
    outcomes = np.r_[np.ones(len(share)), np.zeros(len(share))]
    weights = np.r_[weight * share, weight * (1 - share)]
    return LogisticRegression(max_iter=2000).fit(both, outcomes, sample_weight=weights / weights.mean())


def fitted(sample: list[Parsed], words: WordTable, shards: list[Shard], engine: LocalEngine) -> Model:
    ids = {word: number for number, word in enumerate(words.words)}
    scratch = Scratch(shards[0].folder / "scratch")
    candidates, pairs = frequent_runs(
        engine, shards, len(ids), longest=TEXT.max_phrase_words, min_count=TEXT.phrase_min_count, scratch=scratch
    )
    classes = classes_of(words)
    told = told_of_words(pairs, words, classes)
    targets = word_targets(sample, ids)
    teaches = (targets[:, 0] >= OFTEN) & words.may_end_a_phrase
    weight = np.minimum(targets[teaches, 0], CAP)
    taught = (shares(told[teaches, :-1], targets[teaches, column] / targets[teaches, 0], weight) for column in (1, 2))
    ends, begins = (np.append(each.coef_[0], each.intercept_[0]) for each in taught)
    n_features = len(FEATURES)
    plain = Model(begins, ends, np.zeros(n_features), np.ones(n_features), np.zeros(n_features), 0.0)
    fit = well_formed(candidates, words)
    neighbours = neighbours_of_runs(engine, shards, fit, classes, scratch.subdir("beside"))
    levels = described(candidates, fit, words, pairs, neighbours, classes, plain)
    seen = [np.zeros((level.counts.size, 2)) for level in candidates.levels]
    for document in sample:
        row = np.array([ids.get(word, -1) if word else -1 for word in [*document.words, None]], np.int64)
        names = document.no_values
        for at, runs in enumerate(runs_by_length(row, candidates)):
            for start, number in zip(runs.starts.tolist(), runs.numbers.tolist(), strict=True):
                seen[at][number] += (1, (start, start + at + 2) in names)
    # Noun chunks are flat ("quality", "life"), so they say nothing about runs with a connecting word.
    features = np.concatenate([level.features[~level.joined] for level in levels])
    counts = np.concatenate([seen[at][level.runs[~level.joined]] for at, level in enumerate(levels)])
    features, counts = features[counts[:, 0] > 0], counts[counts[:, 0] > 0]
    means, scales = features.mean(axis=0), features.std(axis=0)
    model = shares((features - means) / scales, counts[:, 1] / counts[:, 0], np.sqrt(counts[:, 0]))
    return Model(begins, ends, means, scales, model.coef_[0], float(model.intercept_[0]) + BIAS)


def printed(model: Model) -> str:
    lines = ["ENGLISH = Model("]
    for name in ("begins", "ends", "means", "scales", "weights"):
        numbers = textwrap.fill(" ".join(f"{value:.3g}" for value in getattr(model, name)), 100)
        lines += [f"    {name}=_numbers(", textwrap.indent(f'"""{numbers}"""', " " * 8), "    ),"]
    return "\n".join([*lines, f"    bias={model.bias:.3g},", ")"])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("pipeline")
    parser.add_argument("--documents", type=int, default=3000)
    parser.add_argument("--kept", type=Path, help="cache file for the parser's output")
    options = parser.parse_args()
    texts = list(demo_documents().texts())
    sample = parsed(texts, options.documents, options.pipeline, options.kept)
    engine = LocalEngine(available_cores())
    with tempfile.TemporaryDirectory() as folder:
        parts = (texts[first : first + TEXT.shard_documents] for first in range(0, len(texts), TEXT.shard_documents))
        words, sizes = scan(engine, parts, Path(folder), tokenize, lowercase=True, min_count=TEXT.min_count)
        shards = [Shard(Path(folder), number) for number in range(len(sizes))]
        model = fitted(sample, words, shards, engine)
    assert model.begins.size == N_TOLD
    print(printed(model))
    for name, weight in sorted(zip(FEATURES, model.weights, strict=True), key=lambda pair: -abs(pair[1])):
        print(f"# {weight:+.2f} {name}")


if __name__ == "__main__":
    main()
