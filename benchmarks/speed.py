"""The time and memory that building an index and discovering topics take, as JSON.

    python benchmarks/speed.py FOLDER [--corpus amazon]

Measures the command line as users run it: whole processes, wall-clock time, an empty cache unless stated
otherwise. Memory is the sum over all processes of an invocation, with shared pages counted in each.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path

import psutil

from corpora import labelled_split


def run(*arguments: str | Path) -> dict[str, object]:
    """One invocation: its seconds, the seconds of its stages, and its peak memory."""
    started = time.perf_counter()
    process = subprocess.Popen(
        [sys.executable, "-m", "seetopic", *map(str, arguments)],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
    )
    peak = _Peak(process.pid)
    stages: dict[str, float] = {}
    last, since = "starting", started
    for line in process.stderr or ():
        now = time.perf_counter()
        stages[last] = round(now - since, 2)
        last, since = line.strip().removesuffix(" ..."), now
    code = process.wait()
    ended = time.perf_counter()
    stages[last] = round(ended - since, 2)
    if code:
        raise SystemExit(f"seetopic {' '.join(map(str, arguments))} ended with {code}: {last}")
    return {"seconds": round(ended - started, 2), "peak_gb": peak.stop(), "stages": stages}


class _Peak:
    """The peak resident memory of a process and its children, sampled twenty times a second."""

    def __init__(self, pid: int) -> None:
        self._process = psutil.Process(pid)
        self._most = 0
        self._stopped = threading.Event()
        self._thread = threading.Thread(target=self._watch)
        self._thread.start()

    def _watch(self) -> None:
        while not self._stopped.wait(0.05):
            try:
                family = [self._process, *self._process.children(recursive=True)]
                self._most = max(self._most, sum(each.memory_info().rss for each in family))
            except psutil.Error:
                continue

    def stop(self) -> float:
        self._stopped.set()
        self._thread.join()
        return round(self._most / 1e9, 2)


BFLOAT16 = ("--precision", "bfloat16")
_OPERATIONS = 6 * (4 * 384**2 + 2 * 384 * 1536) * 2  # per token: the matrix products of the six layers


def peak_operations(rounds: int = 5, size: int = 2048) -> float:
    """Operations per second of a large float32 matrix product on the cores that the language model uses."""
    import torch

    matrix, seconds = torch.rand(size, size), []
    for _ in range(rounds):
        started = time.perf_counter()
        matrix @ matrix
        seconds.append(time.perf_counter() - started)
    return 2 * size**3 / min(seconds)


def encoder_ratio(texts: list[str], rounds: int = 3) -> dict[str, float]:
    """Terms per second of a plain `SentenceTransformer.encode` and of ours, alternating within one run.

    `share_of_peak` relates the operations per second of ours, without those on padding and in attention, to those of a
    large matrix product, measured in the same rounds.
    """
    import numpy as np
    from sentence_transformers import SentenceTransformer

    from seetopic.runtime.engine import available_cores
    from seetopic.runtime.progress import silent
    from seetopic.vectors.encoder import encoder_for
    from seetopic.vectors.encoder.minilm import embedded_folder

    plain = SentenceTransformer(str(embedded_folder()), device="cpu")
    ours = {precision: encoder_for(device="cpu", precision=precision) for precision in ("float32", "bfloat16")}
    for encoder in ours.values():
        encoder.encode(texts[:64], 1, silent)
    seconds: dict[str, list[float]] = {"plain": [], **{precision: [] for precision in ours}}
    results, peak = {}, 0.0
    for _ in range(rounds):
        peak = max(peak, peak_operations())
        started = time.perf_counter()
        results["plain"] = plain.encode(texts, show_progress_bar=False)
        seconds["plain"].append(time.perf_counter() - started)
        for precision, encoder in ours.items():
            started = time.perf_counter()
            results[precision] = encoder.encode(texts, available_cores(), silent)
            seconds[precision].append(time.perf_counter() - started)
    rates = {name: len(texts) / min(times) for name, times in seconds.items()}
    operations = _OPERATIONS * sum(map(len, ours["float32"].token_ids(texts))) / len(texts)  # per term
    return {
        "terms": len(texts),
        **{f"{name}_terms_per_second": round(rate) for name, rate in rates.items()},
        "matrix_product_gflops": round(peak / 1e9),
        "share_of_peak": round(rates["float32"] * operations / peak, 2),
        "ratio_float32": round(rates["float32"] / rates["plain"], 2),
        "ratio_bfloat16": round(rates["bfloat16"] / rates["plain"], 2),
        "largest_difference_float32": float(np.abs(results["float32"] - results["plain"]).max()),
    }


def of_peak(index: Path, texts: list[str], built: dict[str, object], peak: float) -> dict[str, float]:
    """The language model's stage of a build: its seconds, and which part of the operations of `peak` it reaches.

    Its seconds include the start of torch and the reading of vectors from the cache, which finds none.
    """
    from seetopic import Index
    from seetopic.index import beginning
    from seetopic.vectors.encoder import encoder_for

    opened = Index.open(index, cache=index.parent)
    words, numbers = opened.settings.sample.document_words, opened.sampled[: len(opened.sample.general)]
    read = [*opened.vocabulary.terms, *(beginning(texts[number], words) for number in numbers.tolist())]
    tokens = sum(map(len, encoder_for(device="cpu").token_ids(read)))
    seconds = sum(built["stages"][stage] for stage in ("language model", "language model reads documents"))
    return {"seconds": round(seconds, 1), "tokens": tokens, "share": round(_OPERATIONS * tokens / seconds / peak, 2)}


def measure(folder: Path, corpus: str, place: Path) -> dict[str, object]:
    train, _ = labelled_split(folder / f"{corpus}.jsonl.gz")
    seeds = folder / f"{corpus}.seeds.txt"
    result: dict[str, object] = {"corpus": corpus, "documents": len(train.texts)}
    sizes, peak = {}, 0.0
    for share in (25, 50, 100):
        peak = max(peak, peak_operations())
        file = place / f"{share}.jsonl"
        part = train.texts[: len(train.texts) * share // 100]
        file.write_text("".join(json.dumps({"text": text}) + "\n" for text in part), encoding="utf-8")
        cold = run("index", file, "--out", place / f"cold-{share}", "--cache", place / f"cache-{share}")
        found = [run("discover", place / f"cold-{share}", "--seeds", seeds, "--cache", place) for _ in range(3)]
        sizes[f"{share} %"] = {
            "documents": len(part),
            "index": cold,
            "discover_seconds": min(each["seconds"] for each in found),
        }
    result["sizes"] = sizes
    result["index_cold_cache"] = sizes["100 %"]["index"]
    coarse = run(
        *("index", place / "100.jsonl", "--out", place / "coarse", "--cache", place / "cache-coarse"), *BFLOAT16
    )
    result["index_bfloat16"] = coarse
    peak = max(peak, peak_operations())
    result["language_model"] = {
        "float32_product_gflops": round(peak / 1e9),
        "float32": of_peak(place / "cold-100", train.texts, sizes["100 %"]["index"], peak),
        "bfloat16": of_peak(place / "coarse", train.texts, coarse, peak),
        "load": os.getloadavg()[0],
    }
    result["index_warm_cache"] = run(
        "index", place / "100.jsonl", "--out", place / "warm", "--cache", place / "cache-100"
    )
    reported = [run("discover", place / "warm", "--seeds", seeds, "--out", place / "topics") for _ in range(5)]
    result["discover"] = min(reported, key=lambda each: each["seconds"])
    result["check_documents"] = run("check", place / "100.jsonl", "--seeds", seeds, "--cache", place / "cache-check")
    result["help_seconds"] = min(run("--help")["seconds"] for _ in range(3))
    terms = json.loads((place / "warm" / "terms.json").read_text(encoding="utf-8"))
    result["terms"] = len(terms)
    result["encoder"] = encoder_ratio(terms[::4])
    return result


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", type=Path)
    parser.add_argument("--corpus", default="amazon")
    parsed = parser.parse_args()
    with tempfile.TemporaryDirectory() as place:
        json.dump(measure(parsed.folder, parsed.corpus, Path(place)), sys.stdout, indent=1)
    print()


if __name__ == "__main__":
    main()
