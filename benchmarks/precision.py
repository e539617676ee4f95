"""What `--precision bfloat16` changes in the label figures of the default method, on labelled corpora, as JSON.

    python benchmarks/precision.py FOLDER [NAME ...] [--cache DIR]

FOLDER and the split are those of `quality.py`; both precisions index the same documents with the same sample.
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
from dataclasses import replace
from pathlib import Path

from corpora import Corpus, corpus_named
from quality import FIGURES
from seetopic import Index, discover
from seetopic.evaluation.evaluate import EvaluationOptions, evaluate_all
from seetopic.settings import DEFAULT

PRECISIONS = ("float32", "bfloat16")
TOP = replace(DEFAULT.discovery, top=50)


def measure(corpus: Corpus, cache: Path) -> dict[str, dict[str, float]]:
    """The figures of each precision, and the share of the ten best terms that they have in common."""
    found = {}
    for precision in PRECISIONS:
        settings = replace(DEFAULT.index, precision=precision)
        with tempfile.TemporaryDirectory() as place:
            texts = list(corpus.parts.learned_from)
            index = Index.build(texts, Path(place) / "index", settings=settings, cache=cache)
            found[precision] = discover(index, corpus.seeds, settings=TOP)
    judged = evaluate_all(list(found.values()), corpus.parts.held_out, options=EvaluationOptions(draws=0))
    figures = {
        precision: {figure: round(each.figures[figure], 3) for figure in FIGURES}
        for precision, each in zip(found, judged, strict=True)
    }
    pairs = [(set(list(one)[:10]), set(list(other)[:10])) for one, other in zip(*found.values(), strict=True)]
    same = sum(len(one & other) for one, other in pairs) / max(sum(len(one) for one, _ in pairs), 1)
    return {**figures, "both": {"same_terms@10": round(same, 3)}}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", type=Path)
    parser.add_argument("names", nargs="*", default=["ohsumed", "amazon", "crisis", "huffpost"])
    parser.add_argument("--cache", type=Path, help="keep the language model's vectors here")
    parsed = parser.parse_args()
    with tempfile.TemporaryDirectory() as temporary:
        cache = parsed.cache or Path(temporary)
        json.dump(
            {name: measure(corpus_named(parsed.folder, name), cache) for name in parsed.names}, sys.stdout, indent=1
        )
    print()


if __name__ == "__main__":
    main()
