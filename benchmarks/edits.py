"""How long a change of names takes in Python, step by step, as JSON.

    python benchmarks/edits.py FOLDER [--indexes INDEXES] [--edits 50] [--cache CACHE] > benchmarks/results/edits.json

FOLDER contains NAME.jsonl.gz and NAME.seeds.txt. On an open index of each corpus, one name after the other is replaced,
and a term accepted and rejected; on the demo's index, 200 and 500 names are used for the first time. Besides seconds,
processor seconds are given, summed over threads, because they depend less on what else the machine does. The steps are
measured with cProfile, which makes them a little slower; steps are nested.
"""

from __future__ import annotations

import argparse
import cProfile
import json
import os
import pstats
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np

from seetopic import Index, SeeTopic
from seetopic.corpus import read_seeds
from seetopic.corpus.demo import demo_documents
from workbench import WORDS

STEPS = {  # functions of the package, by file
    "everything": ("estimator/estimator.py", "with_seeds"),
    "looking for names in the texts": ("discovery/named_terms.py", "with_named_terms"),
    "encoding names and descriptions": ("discovery/names.py", "mean_vectors_of"),
    "themes that names leave uncovered": ("index/themes.py", "uncovered_by"),
    "sorting the sample": ("discovery/sampled.py", "sorted_by"),
    "sorting the sample: regressions": ("discovery/self_training.py", "regression"),
    "typical terms of documents": ("discovery/evidence/documents.py", "typical_terms"),
    "ranking terms": ("discovery/algorithm.py", "discover_terms"),
    "ranking terms: similarities": ("discovery/evidence/similarity.py", "products"),
    "ranking terms: best terms": ("discovery/ranking.py", "ranked"),
    "topics": ("discovery/topic_making.py", "topics_found"),
    "sorter": ("classify/sorter.py", "sorter_of"),
}


def timed(steps: list[Callable[[], object]]) -> dict[str, float]:
    seconds, processor = [], []
    for step in steps:
        began, used = time.perf_counter(), time.process_time()
        step()
        seconds.append(time.perf_counter() - began)
        processor.append(time.process_time() - used)
    return {
        "median": round(float(np.median(seconds)), 3),
        "p95": round(float(np.quantile(seconds, 0.95)), 3),
        "processor_median": round(float(np.median(processor)), 3),
    }


class Editor:
    """Replaces one name after the other, by names that were not used before."""

    def __init__(self, model: SeeTopic) -> None:
        self.model, self._made = model, 0

    def edit(self) -> None:
        names, number = list(self.model.seeds_.names), self._made
        names[number % len(names)] = f"{WORDS[number % len(WORDS)]} {number // len(WORDS) or ''}".strip()
        self.model, self._made = self.model.with_seeds(names), number + 1


def by_step(edit: Callable[[], None], edits: int) -> dict[str, float]:
    profile = cProfile.Profile(time.process_time)
    profile.enable()
    for _ in range(edits):
        edit()
    profile.disable()
    spent = {
        (file, name): cumulative
        for (file, _, name), (_, _, _, cumulative, _) in pstats.Stats(profile).stats.items()  # type: ignore[attr-defined]
    }
    return {
        step: round(sum(each for (file, own), each in spent.items() if file.endswith(path) and own == name) / edits, 4)
        for step, (path, name) in STEPS.items()
    }


def edited(index: Index, names: list[str], edits: int) -> dict[str, object]:
    editor = Editor(SeeTopic(names).fit(index))
    editor.edit()
    model = editor.model
    terms = [term for term, _ in model.get_topic(0)][1:4]
    return {
        "terms": len(index.vocabulary),
        "names": len(names),
        "rename": timed([editor.edit] * edits),
        "accept": timed([lambda term=term: model.accept(0, term) for term in terms]),
        "reject": timed([lambda term=term: model.reject(0, term) for term in terms]),
        "processor_seconds_by_step": by_step(editor.edit, max(1, edits // 4)),
    }


def many(index: Index, number: int) -> dict[str, float]:
    """The first topics for many names, none of which was used before."""
    terms = [term for term in index.vocabulary.terms[200:] if term.isalpha() and len(term) > 4][:number]
    opened = Index.open(index.folder, cache=index.cache.folder)
    model = SeeTopic(["news"]).fit(opened)  # loads the language model and reads the index
    return timed([lambda: model.with_seeds(terms)])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("names", nargs="*", default=["amazon", "huffpost"])
    parser.add_argument("--edits", type=int, default=50)
    parser.add_argument("--indexes", type=Path, help="keep the indexes here")
    parser.add_argument("--cache", type=Path)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as temporary:
        place = options.indexes or Path(temporary)
        result: dict[str, object] = {"cores": os.cpu_count(), "load": round(os.getloadavg()[0], 1)}
        for name in options.names:
            index = Index.build(options.folder / f"{name}.jsonl.gz", place / f"{name}-full", cache=options.cache)
            result[name] = edited(index, list(read_seeds(options.folder / f"{name}.seeds.txt").names), options.edits)
        demo = Index.build(demo_documents(), place / "demo", cache=options.cache)
        result["demo"] = {f"{number} names": many(demo, number) for number in (200, 500)}
    json.dump(result, sys.stdout, indent=1)
    print()


if __name__ == "__main__":
    main()
