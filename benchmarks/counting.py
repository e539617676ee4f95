"""How long `evaluate` takes: on a million short documents, and on a corpus's held-out part, as JSON.

    python benchmarks/counting.py FOLDER [NAME] [--documents 1000000] [--jobs 2]

The million is generated here: 8 to 16 words each, drawn from 200,000 by Zipf's law, with labels; 50 topics of ten
terms, a fifth of them of two words. The corpus is measured as users would run it: the command, including its start.
"""

from __future__ import annotations

import argparse
import json
import string
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np

from corpora import corpus_named, labelled_split
from seetopic import Index, Topics, discover
from seetopic.classify.sorter import sorter_for
from seetopic.discovery.topics import RankedTerm, Topic
from seetopic.evaluation.evaluate import evaluate

N_WORDS, N_TOPICS, N_TERMS = 200_000, 50, 10


def made_up(n_documents: int, path: Path) -> list[str]:
    """Write the documents; returns the words by descending frequency."""
    chance = np.random.default_rng(0)
    letters = np.array(list(string.ascii_lowercase))
    words = ["".join(chance.choice(letters, length)) for length in chance.integers(3, 10, N_WORDS).tolist()]
    weights = 1 / np.arange(1, N_WORDS + 1)
    spelled = np.array(words, object)
    with path.open("w", encoding="utf-8") as file:
        for first in range(0, n_documents, 10_000):
            lengths = chance.integers(8, 17, min(10_000, n_documents - first))
            drawn = spelled[chance.choice(N_WORDS, int(lengths.sum()), p=weights / weights.sum())]
            for number, text in enumerate(np.split(drawn, np.cumsum(lengths)[:-1])):
                label = f"topic {(first + number) % N_TOPICS}"
                file.write(
                    json.dumps({"text": f"{' '.join(text[:-3])}, {' '.join(text[-3:])}.", "label": label}) + "\n"
                )
    return words


def made_up_topics(words: list[str]) -> Topics:
    def term(topic: int, place: int) -> str:
        at = 50 + 7 * (N_TERMS * topic + place) * (1 + topic)
        return words[at] if place % 5 else f"{words[topic]} {words[topic + place + 1]}"

    def made(topic: int) -> Topic:
        terms = tuple(RankedTerm(term(topic, place), 1.0, 1, {}) for place in range(N_TERMS))
        return Topic(f"topic {topic}", (f"topic {topic}",), True, terms)

    return Topics(tuple(made(topic) for topic in range(N_TOPICS)), {})


def on_a_million(n_documents: int, jobs: int, place: Path) -> dict[str, float]:
    topics = made_up_topics(made_up(n_documents, place / "million.jsonl"))
    started = time.perf_counter()
    found = evaluate(topics, place / "million.jsonl", label_field="label", n_jobs=jobs)
    seconds = round(time.perf_counter() - started, 1)
    return {"documents": found.n_documents, "terms": N_TOPICS * N_TERMS, "jobs": jobs, "seconds": seconds}


def on_a_corpus(folder: Path, name: str, cache: Path | None, place: Path) -> dict[str, object]:
    corpus = corpus_named(folder, name)
    _, held_out = labelled_split(folder / f"{name}.jsonl.gz")
    rows = zip(held_out.texts, held_out.labels, strict=True)
    lines = (json.dumps({"text": text, "label": label}) for text, label in rows)
    (place / "held-out.jsonl").write_text("\n".join(lines), encoding="utf-8")
    index = Index.build(list(corpus.parts.learned_from), place / "index", cache=cache)
    discover(index, corpus.seeds).save(place / "topics")
    sorter_for(index, corpus.seeds).save(place / "topics")
    command = [sys.executable, "-m", "seetopic", "evaluate", place / "topics", "--on", place / "held-out.jsonl"]
    times = []
    for _ in range(3):
        started = time.perf_counter()
        subprocess.run([*map(str, command), "--label-field", "label", "--json"], check=True, capture_output=True)
        times.append(round(time.perf_counter() - started, 1))
    return {"corpus": name, "documents": len(held_out.texts), "seconds": times}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", type=Path)
    parser.add_argument("name", nargs="?", default="amazon")
    parser.add_argument("--documents", type=int, default=1_000_000)
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--cache", type=Path, help="keep the language model's vectors here")
    parsed = parser.parse_args()
    with tempfile.TemporaryDirectory() as temporary:
        place = Path(temporary)
        measured = {
            "million": on_a_million(parsed.documents, parsed.jobs, place),
            "held_out": on_a_corpus(parsed.folder, parsed.name, parsed.cache, place),
        }
    json.dump(measured, sys.stdout, indent=1)
    print()


if __name__ == "__main__":
    main()
