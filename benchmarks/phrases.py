"""Mined phrases against a parser's noun chunks, gensim's Phrases and a reader, as JSON.

    python benchmarks/phrases.py FOLDER --pipeline en_core_web_md [--kept DIR] > benchmarks/results/phrases.json
    python benchmarks/phrases.py FOLDER --lists DIR      lists to judge: the 200 best phrases and 200 random ones

FOLDER contains NAME.jsonl.gz (one object per line: `text`). Needs gensim, spacy and psutil, and the pipeline: a name
or a folder. Phrases are mined on whole corpora and judged on 2,000 documents of each, drawn with a fixed seed:

- precision: share of phrase occurrences (terms of two words or more, after segmentation) that are exactly a noun
  chunk without its determiner (article, possessive, "this"), or a named entity (without an article, too);
- recall: share of occurrences of such chunks, of two words or more and 10 occurrences in the corpus, that are found;
- `without_numbers_and_values`: the same against chunks without leading numbers ("35 patients") and entities other
  than dates, amounts and the like: what should be a term of a topic;
- `f1_of_one_that_knows_the_answers`: of an oracle that looks up in the sample itself how often each run is a chunk;
- gensim: the same words with the same separators; NPMI scoring, ENGLISH_CONNECTOR_WORDS, one pass and two passes,
  the best of five thresholds by F1, for each corpus and once for all corpora together;
- speed: texts in memory to segmented documents, alternating whole processes. gensim gets the words of seetopic's own
  tokenizer, whose time is included; it has no parallel mode.

Judged lists (`results/phrases_judged_*.csv`) are read back, and the shares accepted are reported.
"""

from __future__ import annotations

import argparse
import csv
import gzip
import importlib.util
import json
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np

from chunk_scores import Cut, Gold, Sentence, found_by, gold_of, scores
from noun_chunks import Parsed, Span, parsed
from seetopic.runtime.disk_counts import Scratch
from seetopic.runtime.engine import LocalEngine
from seetopic.settings import DEFAULT
from seetopic.text.phrases import Candidates, PhraseTable, mine, segment
from seetopic.text.phrases.candidates import runs_by_length
from seetopic.text.shards import Shard, WordTable, scan
from seetopic.text.tokenizer import cleaned, tokenize
from seetopic.text.vocabulary import segment_shards, vocabulary_of

CORPORA = ("ohsumed", "amazon", "huffpost")
JUDGED = ("ohsumed", "amazon")
SAMPLE = 2000
OFTEN = 10  # occurrences in the corpus from which a chunk should be found
THRESHOLDS = (0.3, 0.4, 0.5, 0.6, 0.7)  # of gensim's NPMI
LISTED = 200
CORES = 2
RESULTS = Path(__file__).parent / "results"
TEXT = DEFAULT.index.text

GOLD: dict[str, Callable[[Parsed], set[Span]]] = {
    "noun_chunks": lambda document: document.all_names,
    "without_numbers_and_values": lambda document: document.no_values,
}


def texts_of(folder: Path, name: str) -> list[str]:
    with gzip.open(folder / f"{name}.jsonl.gz", "rt", encoding="utf-8") as file:
        return [json.loads(line)["text"] for line in file]


def missing() -> list[str]:
    return [name for name in ("gensim", "spacy", "psutil") if importlib.util.find_spec(name) is None]


# Ours


def scanned(texts: list[str], folder: Path, jobs: int) -> tuple[LocalEngine, WordTable, list[Shard]]:
    engine = LocalEngine(jobs)
    parts = (texts[first : first + TEXT.shard_documents] for first in range(0, len(texts), TEXT.shard_documents))
    words, sizes = scan(engine, parts, folder, tokenize, lowercase=True, min_count=TEXT.min_count)
    return engine, words, [Shard(folder, number) for number in range(len(sizes))]


def mined(texts: list[str]) -> tuple[WordTable, PhraseTable]:
    with tempfile.TemporaryDirectory() as folder:
        engine, words, shards = scanned(texts, Path(folder), CORES)
        return words, mine(engine, shards, words, TEXT, Scratch(Path(folder) / "scratch"))


def our_cut(words: WordTable, table: PhraseTable) -> Cut:
    ids = {word: number for number, word in enumerate(words.words)}
    lengths = np.array([1] * len(ids) + [len(phrase) for phrase in table.phrases()])

    def cut(document: Parsed) -> set[Span]:
        numbers = [ids.get(word, -1) if word else -1 for word in document.words]
        codes, starts = segment(np.array([*numbers, -1], np.int64), table)
        first = np.flatnonzero(starts)
        ends = first + lengths[codes[first]]
        return {span for span in zip(first.tolist(), ends.tolist(), strict=True) if span[1] - span[0] > 1}

    return cut


# gensim's


def sentences_of(texts: list[str]) -> list[Sentence]:
    """The same words, with the same separators."""
    known: dict[str, str | None] = {}
    found: list[Sentence] = []
    for text in texts:
        sentence: Sentence = []
        for token in tokenize(text.lower()):
            if token not in known:
                word = cleaned(token)
                known[token] = word.replace(" ", "_") if word else None
            word = known[token]
            if word is None:
                if sentence:
                    found.append(sentence)
                sentence = []
            else:
                sentence.append(word)
        if sentence:
            found.append(sentence)
    return found


def gensim_passes(sentences: list[Sentence], threshold: float, passes: int) -> list[Any]:
    """Frozen models, to be applied in sequence."""
    from gensim.models.phrases import ENGLISH_CONNECTOR_WORDS, Phrases

    models: list[Any] = []
    for _ in range(passes):
        seen: Any = sentences
        for model in models:
            seen = model[seen]
        phrases = Phrases(
            seen,
            min_count=TEXT.phrase_min_count,
            threshold=threshold,
            scoring="npmi",
            connector_words=ENGLISH_CONNECTOR_WORDS,
        )
        models.append(phrases.freeze())
    return models


def gensim_cut(models: list[Any]) -> Cut:
    def cut(document: Parsed) -> set[Span]:
        found = set()
        for first, sentence in _parts(document):
            terms: Sentence = sentence
            for model in models:
                terms = model[terms]
            at = 0
            for term in terms:
                length = 1
                while "_".join(sentence[at : at + length]) != term:
                    length += 1
                if length > 1:
                    found.add((first + at, first + at + length))
                at += length
        return found

    return cut


def _parts(document: Parsed) -> Iterator[tuple[int, Sentence]]:
    sentence: Sentence = []
    for at, word in enumerate([*document.words, None]):
        if word is not None:
            sentence.append(word.replace(" ", "_"))
        elif sentence:
            yield at - len(sentence), sentence
            sentence = []


# Judged by the parser


def against_noun_chunks(folder: Path, name: str, pipeline: str, kept: Path | None) -> dict[str, Any]:
    texts = texts_of(folder, name)
    sample = parsed(texts, SAMPLE, pipeline, kept / f"{name}.jsonl" if kept else None)
    sentences = sentences_of(texts)
    words, table = mined(texts)
    ours = found_by(our_cut(words, table), sample)
    gensim = {
        f"{threshold}, {passes} pass{'es' * (passes > 1)}": found_by(
            gensim_cut(gensim_passes(sentences, threshold, passes)), sample
        )
        for threshold in THRESHOLDS
        for passes in (1, 2)
    }
    figures: dict[str, Any] = {"documents": len(sample), "phrases": table.n_phrases}
    for title, names_of in GOLD.items():
        gold = gold_of(sample, names_of, sentences, OFTEN)
        tried = {setting: scores(found, gold) for setting, found in gensim.items()}
        best = max(tried, key=lambda setting: tried[setting]["f1"])
        mined_scores = scores(ours, gold)
        figures[title] = {
            "chunks_to_find": len(gold.often),
            "seetopic": mined_scores,
            "gensim_best": {"threshold": best, **tried[best]},
            "gensim": {setting: each["f1"] for setting, each in tried.items()},
            "ratio": round(mined_scores["f1"] / tried[best]["f1"], 2),
            "f1_of_one_that_knows_the_answers": ceiling(table.candidates, words, gold)["f1"],
        }
    return figures


def ceiling(candidates: Candidates, words: WordTable, gold: Gold) -> dict[str, float]:
    """The scores of an oracle, which accepts runs by how often they are chunks in the sample itself."""
    ids = {word: number for number, word in enumerate(words.words)}
    seen = [np.zeros((level.counts.size, 2)) for level in candidates.levels]
    for document, names in zip(gold.sample, gold.names, strict=True):
        row = np.array([ids.get(word, -1) if word else -1 for word in [*document.words, None]], np.int64)
        for at, runs in enumerate(runs_by_length(row, candidates)):
            for start, number in zip(runs.starts.tolist(), runs.numbers.tolist(), strict=True):
                seen[at][number] += (1, (start, start + at + 2) in names)
    shares = tuple(counts[:, 1] / np.maximum(counts[:, 0], 1) for counts in seen)
    tables = (PhraseTable(candidates, shares, threshold) for threshold in (0.2, 0.3, 0.4, 0.5))
    return max(
        (scores(found_by(our_cut(words, table), gold.sample), gold) for table in tables), key=lambda each: each["f1"]
    )


# Speed


def work(kind: str, texts: list[str]) -> dict[str, float]:
    """One whole run, from texts to segmented documents."""
    begun = time.perf_counter()
    if kind == "seetopic":
        with tempfile.TemporaryDirectory() as folder:
            engine, words, shards = scanned(texts, Path(folder), CORES)
            table = mine(engine, shards, words, TEXT, Scratch(Path(folder) / "scratch"))
            vocabulary_of(segment_shards(engine, shards, table), words, table, TEXT.min_count)
            n_words = words.n_tokens
            seconds = time.perf_counter() - begun
    else:
        sentences = sentences_of(texts)
        first, second = gensim_passes(sentences, 0.5, 2)
        for _ in second[first[sentences]]:
            pass
        seconds = time.perf_counter() - begun
        n_words = sum(map(len, sentences))
    return {"seconds": seconds, "words": n_words}


def timed(folder: Path, name: str, kind: str) -> dict[str, float]:
    """A run in its own process, with its peak memory, including worker processes."""
    import psutil

    command = [sys.executable, __file__, str(folder), "--work", kind, name]
    running = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    peak = 0

    def watch() -> None:
        nonlocal peak
        while running.poll() is None:
            try:
                tree = [psutil.Process(running.pid), *psutil.Process(running.pid).children(recursive=True)]
                peak = max(peak, sum(each.memory_info().rss for each in tree))
            except psutil.Error:
                pass
            time.sleep(0.1)

    watcher = threading.Thread(target=watch)
    watcher.start()
    output, _ = running.communicate()
    watcher.join()
    return {**json.loads(output), "peak_gb": peak / 1e9}


def speed(folder: Path, name: str, turns: int) -> dict[str, Any]:
    runs: dict[str, list[dict[str, float]]] = {"seetopic": [], "gensim": []}
    for _ in range(turns):
        for kind, each in runs.items():
            each.append(timed(folder, name, kind))
    rates = {kind: [run["words"] / run["seconds"] for run in each] for kind, each in runs.items()}
    ratios = [ours / theirs for ours, theirs in zip(rates["seetopic"], rates["gensim"], strict=True)]
    return {
        "corpus": name,
        "cores": CORES,
        **{f"{kind}_words_a_second": round(statistics.median(rate)) for kind, rate in rates.items()},
        **{f"{kind}_peak_gb": round(max(run["peak_gb"] for run in each), 2) for kind, each in runs.items()},
        "ratio_of_each_turn": [round(ratio, 2) for ratio in ratios],
        "ratio": round(statistics.median(ratios), 2),
    }


# Judged by a reader


def write_lists(folder: Path, out: Path) -> None:
    """Write the best and some random phrases of the corpora, to be judged in the last column."""
    for name in JUDGED:
        words, table = mined(texts_of(folder, name))
        counts = np.concatenate(
            [level.counts[flags] for level, flags in zip(table.candidates.levels, table.accepted, strict=True)]
        )
        phrases = [" ".join(words.words[word] for word in phrase) for phrase in table.phrases()]
        order = np.argsort(-table.qualities(), kind="stable")
        chosen = {"best": order[:LISTED], "random": np.random.default_rng(0).choice(order, LISTED, replace=False)}
        for kind, numbers in chosen.items():
            with (out / f"phrases_judged_{name}_{kind}.csv").open("w", newline="", encoding="utf-8") as file:
                rows = csv.writer(file, lineterminator="\n")
                rows.writerow(["phrase", "count", "quality", "accepted"])
                quality = table.qualities()
                rows.writerows([phrases[at], int(counts[at]), f"{quality[at]:.3f}", ""] for at in numbers)


def accepted() -> dict[str, float]:
    """The share of each list that was accepted."""
    shares = {}
    for path in sorted(RESULTS.glob("phrases_judged_*.csv")):
        with path.open(encoding="utf-8") as file:
            verdicts = [row["accepted"] for row in csv.DictReader(file)]
        shares[path.stem.removeprefix("phrases_judged_")] = round(sum(map(int, verdicts)) / len(verdicts), 3)
    return shares


def means(figures: list[dict[str, Any]]) -> dict[str, float]:
    """F1 over the corpora; for gensim, with the best threshold of each, and with the best one for all."""
    settings = figures[0]["gensim"]
    found = {
        "seetopic": statistics.mean(each["seetopic"]["f1"] for each in figures),
        "gensim_best_of_each": statistics.mean(each["gensim_best"]["f1"] for each in figures),
        "gensim_best_of_all": max(statistics.mean(each["gensim"][setting] for each in figures) for setting in settings),
    }
    return {name: round(value, 3) for name, value in found.items()}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--pipeline", default="en_core_web_md", help="spaCy pipeline, by name or folder")
    parser.add_argument("--kept", type=Path, help="cache folder for the parser's output")
    parser.add_argument("--turns", type=int, default=3, help="of the speed comparison")
    parser.add_argument("--speed-of", type=Path, metavar="FILE", help="take the speed from an earlier result instead")
    parser.add_argument("--lists", type=Path, metavar="DIR", help="only write lists to judge")
    parser.add_argument("--work", nargs=2, metavar=("KIND", "NAME"), help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.work:
        print(json.dumps(work(options.work[0], texts_of(options.folder, options.work[1]))))
        return
    if options.lists:
        write_lists(options.folder, options.lists)
        return
    if lacking := missing():
        sys.exit(f"this benchmark needs {', '.join(lacking)}: pip install {' '.join(lacking)}")
    chunks = {name: against_noun_chunks(options.folder, name, options.pipeline, options.kept) for name in CORPORA}
    result = {
        "chunks": chunks,
        "mean_f1": {title: means([each[title] for each in chunks.values()]) for title in GOLD},
        "speed": (
            json.loads(options.speed_of.read_text(encoding="utf-8"))["speed"]
            if options.speed_of
            else speed(options.folder, "amazon", options.turns)
        ),
        "accepted": accepted(),
    }
    print(json.dumps(result, indent=2))


if __name__ == "__main__":
    main()
