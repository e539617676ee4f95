"""The speed of the skip-gram training in tokens per second, as JSON.

    python benchmarks/skipgram.py --index FOLDER [--reference PROGRAM] [--into benchmarks/results/skipgram.json]
    python benchmarks/skipgram.py --synthetic --device cuda

Prints the result, and with `--into` adds it to a file under the name of the device.

Tokens are counted before subsampling. Only epochs after the first are timed, without reading files, making tables
or writing vectors. PROGRAM is the executable of the released trainer; it alternates with ours, on the same tokens,
with the same number of threads, categories, window, negatives and dimensions. Its start and end are excluded by
taking the difference of a longer and a shorter run.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import torch

from seetopic.index.layout import DOCUMENT_STARTS, DOCUMENTS
from seetopic.settings import SkipgramSettings
from seetopic.vectors.local.skipgram import train

# The size of SciDocs, the larger of the paper's corpora.
SYNTHETIC_TOKENS, SYNTHETIC_TERMS, SYNTHETIC_DOCUMENTS = 3_400_000, 56_000, 14_000
ITERATIONS = 4  # T: how often the paper trains again
Tokens = tuple[np.ndarray, np.ndarray]  # term ids, document numbers


def of_index(folder: Path, most: int | None) -> Tokens:
    """The first tokens of an index, with terms renumbered by frequency."""
    starts = np.load(folder / DOCUMENT_STARTS)
    documents = np.repeat(np.arange(len(starts) - 1), np.diff(starts)).astype(np.int32)
    terms = np.load(folder / DOCUMENTS)[:most]
    _, numbers, counts = np.unique(terms, return_inverse=True, return_counts=True)
    places = np.empty(len(counts), np.int32)
    places[np.argsort(-counts, kind="stable")] = np.arange(len(counts))
    return places[numbers], documents[: len(terms)]


def synthetic(most: int | None) -> Tokens:
    """Terms by Zipf's law, in documents of equal length."""
    chances = 1 / (np.arange(SYNTHETIC_TERMS) + 10.0)
    size = min(most or SYNTHETIC_TOKENS, SYNTHETIC_TOKENS)
    terms = np.random.default_rng(0).choice(SYNTHETIC_TERMS, size, p=chances / chances.sum()).astype(np.int32)
    length = -(-SYNTHETIC_TOKENS // SYNTHETIC_DOCUMENTS)
    return terms, (np.arange(size) // length).astype(np.int32)


def categories_of(n_terms: int, number: int) -> list[list[int]]:
    """Three terms each, neither the most frequent nor the rarest."""
    first = min(300, n_terms // 2)
    return [[first + 3 * category + place for place in range(3)] for category in range(number)]


def our_seconds(tokens: Tokens, settings: SkipgramSettings, categories: list[list[int]], device: str) -> float:
    """Seconds per epoch after the first."""
    times = []

    def note(*_: object) -> None:
        if device == "cuda":
            torch.cuda.synchronize()
        times.append(time.perf_counter())

    n_terms, n_documents = (int(each.max()) + 1 for each in tokens)
    train(*tokens, n_terms, n_documents, settings, categories=categories, device=device, after_epoch=note)
    return (times[-1] - times[0]) / (len(times) - 1)


def reference_seconds(
    program: Path, place: Path, settings: SkipgramSettings, threads: int, long: int = 3, short: int = 1
) -> float:
    """Seconds per epoch, from runs of `long` and of `short` epochs."""

    def seconds(epochs: int) -> float:
        options = {
            "train": place / "text", "topic-name": place / "categories", "res": place / "res",
            "word-emb": place / "terms.out", "topic-emb": place / "categories.out", "size": settings.dimensions,
            "window": settings.window, "negative": settings.negatives, "sample": settings.subsample, "min-count": 1,
            "threads": threads, "iter": epochs, "pretrain": 0, "debug": 0,
        }  # fmt: skip
        arguments = [str(part) for name, value in options.items() for part in (f"-{name}", value)]
        started = time.perf_counter()
        subprocess.run([str(program.resolve()), *arguments], check=True, stdout=subprocess.DEVNULL)
        return time.perf_counter() - started

    return (seconds(long) - seconds(short)) / (long - short)


def write_reference_input(place: Path, tokens: Tokens, categories: list[list[int]]) -> None:
    bounds = np.flatnonzero(np.diff(tokens[1])) + 1
    documents = (" ".join(f"w{term}" for term in part) for part in np.split(tokens[0], bounds))
    (place / "text").write_text("\n".join(documents) + "\n")
    (place / "categories").write_text("".join(" ".join(f"w{term}" for term in each) + "\n" for each in categories))


def in_turns(rounds: int, contestants: dict[str, Callable[[], float]]) -> dict[str, list[float]]:
    """Seconds of each in each round, alternating so that other load affects all of them."""
    seconds: dict[str, list[float]] = {name: [] for name in contestants}
    for _ in range(rounds):
        for name, contestant in contestants.items():
            seconds[name].append(contestant())
            print(f"{name}: {seconds[name][-1]:.2f} s an epoch", file=sys.stderr)
    return seconds


def product_share(tokens: Tokens, settings: SkipgramSettings, device: str) -> float:
    """The share of the device's time spent on matrix products."""
    activity = torch.profiler.ProfilerActivity
    kinds = [activity.CPU, activity.CUDA] if device == "cuda" else [activity.CPU]
    with torch.profiler.profile(activities=kinds) as profile:
        our_seconds(tokens, replace(settings, epochs=2, warm_up=2), [], device)
    name = "self_device_time_total" if device == "cuda" else "self_cpu_time_total"
    events = [(event.key, float(getattr(event, name))) for event in profile.key_averages()]
    if device == "cuda":
        products = [seconds for key, seconds in events if "gemm" in key or "cutlass" in key or "nvjet" in key]
        total = sum(seconds for key, seconds in events if not key.startswith(("aten::", "cuda")))
    else:
        products = [seconds for key, seconds in events if key in ("aten::bmm", "aten::mm")]
        total = sum(seconds for _, seconds in events)
    return sum(products) / total


def measure(parsed: argparse.Namespace, place: Path) -> dict[str, object]:
    tokens = synthetic(parsed.tokens) if parsed.synthetic else of_index(parsed.index, parsed.tokens)
    n_terms = int(tokens[0].max()) + 1
    options = {} if parsed.block is None else {"block": parsed.block}
    settings = SkipgramSettings(epochs=parsed.epochs, warm_up=0, category_term="softmax", **options)
    categories = categories_of(n_terms, parsed.categories)
    threads = torch.get_num_threads()
    contestants = {"ours": lambda: our_seconds(tokens, settings, categories, parsed.device)}
    if parsed.reference:
        write_reference_input(place, tokens, categories)
        contestants["reference"] = lambda: reference_seconds(parsed.reference, place, settings, threads)
    seconds = in_turns(parsed.rounds, contestants)
    size = len(tokens[0])
    result: dict[str, object] = {
        "device": torch.cuda.get_device_name() if parsed.device == "cuda" else f"cpu, {threads} threads",
        "tokens": size,
        "terms": n_terms,
        "documents": int(tokens[1].max()) + 1,
        "categories": len(categories),
        "settings": settings.__dict__,
        **{f"{name}_tokens_per_second": round(size / float(np.median(each))) for name, each in seconds.items()},
        "seconds_of_the_paper_s_training": round(12 * ITERATIONS * float(np.median(seconds["ours"])), 1),
    }
    if parsed.reference:
        ratios = [theirs / ours for theirs, ours in zip(seconds["reference"], seconds["ours"], strict=True)]
        result["ratio"] = round(float(np.median(ratios)), 2)
        result["ratio_of_each_round"] = [round(ratio, 2) for ratio in ratios]
    if parsed.profile:
        result["share_of_matrix_products"] = round(product_share(tokens, settings, parsed.device), 3)
    return result


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    source = parser.add_mutually_exclusive_group(required=True)
    source.add_argument("--index", type=Path)
    source.add_argument("--synthetic", action="store_true")
    parser.add_argument("--tokens", type=int, help="use only this many tokens from the start")
    parser.add_argument("--device", default="cpu", choices=("cpu", "cuda"))
    parser.add_argument("--threads", type=int)
    parser.add_argument("--epochs", type=int, default=3)
    parser.add_argument("--block", type=int)
    parser.add_argument("--categories", type=int, default=10)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--reference", type=Path)
    parser.add_argument("--profile", action="store_true")
    parser.add_argument("--into", type=Path)
    parsed = parser.parse_args()
    if parsed.threads:
        torch.set_num_threads(parsed.threads)
    with tempfile.TemporaryDirectory() as place:
        result = measure(parsed, Path(place))
    print(json.dumps(result, indent=1))
    if parsed.into:
        others = json.loads(parsed.into.read_text()) if parsed.into.exists() else {}
        parsed.into.write_text(json.dumps({**others, parsed.device: result}, indent=1) + "\n")


if __name__ == "__main__":
    main()
