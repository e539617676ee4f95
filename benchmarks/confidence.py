"""How well confidence ranks topics by what readers think of their terms, as JSON.

    python benchmarks/confidence.py FOLDER [--indexes DIR] [--cache DIR] > benchmarks/results/confidence.json

FOLDER, the split and the draws of names are as in `open_world.py`. results/judged_topics.jsonl says how many of a
topic's ten terms each reader found wrong, who did not know how the topics were found; a topic is bad if that is more
than three on average. Only topics that still have the terms that were judged count.
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.metrics import roc_auc_score

from corpora import corpus_named
from open_world import asked_for
from seetopic import Index
from seetopic.discovery.evidence.confidence import DOUBTFUL
from seetopic.discovery.run import run_of

JUDGED = Path(__file__).parent / "results" / "judged_topics.jsonl"
WRONG = 3  # terms out of ten, above which a topic is bad


def rated(rows: list[dict[str, Any]], index: Index, names: tuple[str, ...]) -> Iterator[dict[str, Any]]:
    """Judged topics of a corpus that are found again, with their confidence."""
    draws = 1 + max(row["draw"] for row in rows)
    for kind, draw, some in asked_for(names, draws):
        own = {row["name"]: row for row in rows if (row["asked_for"], row["draw"]) == (kind, draw)}
        for topic in run_of(index, some).topics if own else ():
            row = own.get(topic.name)
            if row is not None and {term.term for term in topic.terms} == set(row["terms"]):
                yield {**row, "confidence": topic.confidence}


def figures(rows: list[dict[str, Any]]) -> dict[str, float]:
    good = np.array([np.mean(row["wrong"]) <= WRONG for row in rows])
    sure = np.array([row["confidence"] for row in rows])
    return {
        "topics": len(rows),
        "bad": int((~good).sum()),
        "ranked_correctly": round(float(roc_auc_score(good, sure)), 3),
        "bad_flagged": round(float((sure[~good] < DOUBTFUL).mean()), 3),
        "good_flagged": round(float((sure[good] < DOUBTFUL).mean()), 3),
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--indexes", type=Path, help="keep the indexes here")
    parser.add_argument("--cache", type=Path)
    options = parser.parse_args()
    judged = [json.loads(line) for line in JUDGED.read_text(encoding="utf-8").splitlines()]
    found: list[dict[str, Any]] = []
    with tempfile.TemporaryDirectory() as temporary:
        for name in dict.fromkeys(row["corpus"] for row in judged):
            corpus = corpus_named(options.folder, name)
            place = (options.indexes or Path(temporary)) / f"{name}-0"
            index = Index.build(list(corpus.parts.learned_from), place, cache=options.cache or Path(temporary))
            found += rated([row for row in judged if row["corpus"] == name], index, corpus.seeds.names)
    kinds = {kind: [row for row in found if row["asked_for"] == kind] for kind in {row["asked_for"] for row in found}}
    result = {"judged": len(judged), "every": figures(found), **{kind: figures(kinds[kind]) for kind in sorted(kinds)}}
    json.dump(result, sys.stdout, indent=1)
    print()


if __name__ == "__main__":
    main()
