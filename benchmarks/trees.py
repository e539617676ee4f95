"""Trees of names against the same names without a tree, as JSON lines.

    python benchmarks/trees.py FOLDER [NAME ...] [--states 1] [--cache DIR]

FOLDER and the split are as in `quality.py`, and it contains NAME.tree.txt, an outline of the same names. A document's
label at the upper level is the parent of its label. Topics are judged on all held-out documents, sorting on some of
them, drawn once. The last line compares the time of a tree of 500 names with that of 500 names without one.
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
import time
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
from sklearn.metrics import f1_score

from corpora import Corpus, corpus_named
from draws import another_draw
from open_world import Judged, judged_documents, rounded
from seetopic import Index, Topics
from seetopic.classify import Sorter, sorter_of
from seetopic.corpus import Seeds, as_seeds, read_seeds
from seetopic.discovery import Tree, run_of, sampled_documents
from seetopic.evaluation import EvaluationOptions, evaluate_all
from seetopic.runtime import Longs

FIGURES = ("label_precision@10", "label_f1@10")


def topics_measured(topics: Topics, chosen: Sequence[int], corpus: Corpus, labels: list[str]) -> dict[str, float]:
    """Label measures of some topics, which are called like the labels."""
    some = Topics(tuple(replace(topics[node], path=()) for node in chosen), topics.made_with)
    held_out = replace(corpus.parts.held_out, labels=labels)
    (found,) = evaluate_all([some], held_out, options=EvaluationOptions(draws=0))
    return {figure: found.figures[figure] for figure in FIGURES}


def sorting_measured(guesses: Longs, seeds: Seeds, judged: Judged) -> dict[str, float]:
    """Macro-F1 at the leaves, and F1 over all names on the paths; guesses are names of the tree, -1 for none."""
    tree = Tree(seeds.parents, len(seeds))
    truth = np.array([seeds.names.index(label) for label in judged.labels])
    leaves = sorted(set(truth.tolist()))
    on_path = np.zeros((len(tree) + 1, len(tree)), bool)  # the last row is for no guess
    for node in range(len(tree)):
        on_path[node, tree.path(node)] = True
    guessed, right = on_path[guesses], on_path[truth]
    return {
        "macro_f1": float(np.mean([f1_score(truth == leaf, guesses == leaf, zero_division=0) for leaf in leaves])),
        "exact_path": float((guesses == truth).mean()),
        "hierarchical_f1": 2 * float((guessed & right).sum()) / float(guessed.sum() + right.sum()),
    }


def sorted_by(sorter: Sorter, judged: Judged, columns: Sequence[int]) -> dict[str, Longs]:
    """The best name of each document by its terms, and with the language model's reading."""
    matched = sorter.terms_in(judged.texts)
    places = np.append(columns, -1)
    return {
        "assign": places[sorter.place(matched).best],
        "assign --read": places[sorter.place(matched, judged.vectors).best],
    }


def measured(index: Index, corpus: Corpus, seeds: Seeds, judged: Judged) -> dict[str, object]:
    tree = Tree(seeds.parents, len(seeds))
    leaves, roots = list(tree.leaves), [node for node in range(len(tree)) if tree.parents[node] < 0]
    labels = list(corpus.parts.held_out.labels or ())
    above = [seeds.names[tree.path(seeds.names.index(label))[0]] for label in labels]
    names = [[seeds.names[node] for node in nodes] for nodes in (leaves, roots)]
    flat, parents, whole = run_of(index, names[0]), run_of(index, names[1]), run_of(index, seeds)
    flat_sorted = sorted_by(sorter_of(flat), judged, leaves)
    tree_sorted = sorted_by(sorter_of(whole), judged, range(len(tree)))
    return {
        "leaves, flat": topics_measured(flat.topics, range(len(leaves)), corpus, labels),
        "leaves, tree": topics_measured(whole.topics, leaves, corpus, labels),
        "parents, flat": topics_measured(parents.topics, range(len(roots)), corpus, above),
        "parents, tree": topics_measured(whole.topics, roots, corpus, above),
        "sorting, flat": {way: sorting_measured(each, seeds, judged) for way, each in flat_sorted.items()},
        "sorting, tree": {way: sorting_measured(each, seeds, judged) for way, each in tree_sorted.items()},
    }


def seconds_for_many(index: Index, size: int = 500, parents: int = 25) -> dict[str, float]:
    """The time of a tree and of as many names without one; vectors of names are in the cache."""
    words = [term for term in index.vocabulary.terms[200:] if term.isalpha() and len(term) > 4][: size - parents]
    groups = [f"group {number}" for number in range(parents)]
    children = np.array_split(words, parents)
    nested = {group: {"children": each.tolist()} for group, each in zip(groups, children, strict=True)}
    asked = {"flat": as_seeds([*words, *groups]), "tree": as_seeds(nested)}
    taken: dict[str, list[float]] = {way: [] for way in asked}
    for _ in range(2):  # the first fills the cache
        for way, seeds in asked.items():
            vars(sampled_documents(index)).pop("_readings", None)  # sort the sample again
            started = time.perf_counter()
            run_of(index, seeds)
            taken[way].append(time.perf_counter() - started)
    return {way: min(each[1:]) for way, each in taken.items()}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", type=Path)
    parser.add_argument("names", nargs="*", default=["huffpost", "amazon"])
    parser.add_argument("--samples", type=int, default=1, help="the first is the program's own")
    parser.add_argument("--judged", type=int, default=5000, help="held-out documents to sort")
    parser.add_argument("--cache", type=Path, help="keep the language model's vectors here")
    parser.add_argument("--indexes", type=Path, help="keep the indexes here")
    parsed = parser.parse_args()
    with tempfile.TemporaryDirectory() as temporary:
        place, cache = parsed.indexes or Path(temporary), parsed.cache or Path(temporary)
        for name in parsed.names:
            corpus = corpus_named(parsed.folder, name)
            seeds = read_seeds(parsed.folder / f"{name}.tree.txt")
            for sample in range(parsed.samples):
                with another_draw(sample):
                    index = Index.build(list(corpus.parts.learned_from), place / f"{name}-{sample}", cache=cache)
                judged = judged_documents(corpus, index, parsed.judged)
                found = measured(index, corpus, seeds, judged)
                json.dump({"corpus": name, "sample": sample, **rounded(found)}, sys.stdout)
                print(flush=True)
        json.dump({"corpus": name, "seconds for 500 names": rounded(seconds_for_many(index))}, sys.stdout)
        print(flush=True)


if __name__ == "__main__":
    main()
