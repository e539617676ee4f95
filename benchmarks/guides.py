"""Figures of the how-to guides, whose examples use the demo's articles: one half is indexed, the other half sorted.

python benchmarks/guides.py > benchmarks/results/guides.json
"""

from __future__ import annotations

import json
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from seetopic import Index, assign, sorter_for
from seetopic.corpus.demo import NAMES, demo_documents
from seetopic.discovery.run import run_of
from seetopic.evaluation.labels import f1_of_guesses, labels_of, own_labels

SECTIONS = dict(zip(("entertainment", "business", "politics", "sports", "tech"), NAMES, strict=True))
TWO = ("government and politics", "business and finance")
FEW = ("military", "politics", "economy")
RATE = 0.4


def halves() -> list[tuple[list[str], list[str]]]:
    """Texts and sections, as `docs/index.md` writes them to news.csv and held-out.csv."""
    articles = sorted(Path(demo_documents().source).glob("*/*.txt"))
    return [
        (
            [path.read_text(encoding="utf-8", errors="replace") for path in half],
            [SECTIONS[path.parent.name] for path in half],
        )
        for half in (articles[::2], articles[1::2])
    ]


def sorted_by(index: Index, names: Sequence[str], texts: list[str], sections: list[str], work: Path) -> dict[str, Any]:
    """How many of the texts get a category, and how often it and the largest share are right."""
    sorter = sorter_for(index, list(names))

    def rows(**options: Any) -> list[dict[str, Any]]:
        assign(texts, sorter, work / "sorted.jsonl", **options)
        return [json.loads(line) for line in (work / "sorted.jsonl").read_text(encoding="utf-8").splitlines()]

    def given(found: list[dict[str, Any]]) -> dict[str, int]:
        right = [row["category"] == section for row, section in zip(found, sections, strict=True)]
        return {"given": sum(row["category"] is not None for row in found), "right": sum(right)}

    plain = rows()
    truth = [section if section in names else None for section in sections]
    guesses = np.array([names.index(row["category"]) if row["category"] else -1 for row in plain])
    labels = labels_of([(section,) for section in sections])
    return {
        "documents": len(texts),
        "of these names": sum(each is not None for each in truth),
        "plain": given(plain),
        "at the rate": given(rows(rate=RATE)),
        "mean largest share": round(float(np.mean([row["share"] or row["none"] for row in plain])), 2),
        "largest share right": round(
            float(np.mean([row["category"] == t for row, t in zip(plain, truth, strict=True)])), 2
        ),
        "macro_f1": round(float(np.mean(f1_of_guesses(guesses, own_labels(names, labels.names), labels))), 2),
    }


def main() -> None:
    (texts, _), (others, labels) = halves()
    with tempfile.TemporaryDirectory() as work:
        index = Index.build(texts, Path(work) / "news")
        both = Index.build([*texts, *others], Path(work) / "all")
        few = run_of(both, list(FEW)).topics
        found = {
            "indexed": len(texts),
            "two names": sorted_by(index, TWO, others, labels, Path(work)),
            "all names": sorted_by(index, NAMES, others, labels, Path(work)),
            "few names": {
                "coverage": few.coverage,
                "residual": [{"name": each.suggested_name, "share": each.share} for each in few.residual[:5]],
            },
        }
    print(json.dumps(found, indent=1))


if __name__ == "__main__":
    main()
