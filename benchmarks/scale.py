"""How time, memory and disk grow with the number of documents: indexes of synthetic corpora, as JSON, and a plot.

    python benchmarks/scale.py WORK [--documents 100000 1000000 10000000] [--memory 4GB] [--jobs 2]

WORK is a folder with room for the corpora, the indexes and the temporary files of a build. A size whose index already
exists is not built again: its earlier measurements are reported.

Memory is the peak of what all processes of a build hold together (private and shared pages, without the system's file
cache, which is freed when others need memory). Time is that of the whole command. Planted topics are judged on
documents that were not indexed.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import psutil

from planted import BATCH, TOPICS, Model, write

SEETOPIC = (sys.executable, "-m", "seetopic")
SIZES = [100_000, 300_000, 1_000_000, 3_000_000, 10_000_000]
HELD_OUT = 200_000  # documents to judge topics on
RUNS = 5  # of discover
_POLLED = 0.2  # seconds


def indexed(corpus: Path, out: Path, options: list[str]) -> dict[str, Any]:
    """Build an index with the command, and measure it."""
    command = [*SEETOPIC, "index", str(corpus / "part-*.jsonl"), "--out", str(out), *options]
    begun = time.perf_counter()
    process = psutil.Popen([*command, "--json"], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    building = out.with_name(f".{out.name}.building")
    peaks = {"memory": 0, "disk": 0}
    stages: dict[str, dict[str, float]] = {}
    stage_begun, stage_peak, polls = begun, 0, 0
    while process.poll() is None:
        memory = sum(_own_memory(each) for each in _tree(process))
        stage_peak = max(stage_peak, memory)
        peaks["memory"] = max(peaks["memory"], memory)
        if polls % 20 == 0:
            peaks["disk"] = max(peaks["disk"], _disk(building))
            for name in _done(building):
                if name not in stages:
                    now = time.perf_counter()
                    stages[name] = {"seconds": now - stage_begun, "memory": stage_peak}
                    stage_begun, stage_peak = now, 0
        polls += 1
        time.sleep(_POLLED)
    seconds = time.perf_counter() - begun
    told, said = process.communicate()
    if process.returncode:
        raise RuntimeError(said)
    stages["rest"] = {"seconds": time.perf_counter() - stage_begun, "memory": stage_peak}
    corpus_facts = json.loads(told)["corpus"]
    counts = {name: corpus_facts[name] for name in ("documents", "tokens", "terms")}
    told_before = next((line for line in said.splitlines() if line.startswith("about ")), None)
    return {**counts, "seconds": seconds, **peaks, "index": _disk(out), "stages": stages, "estimate": told_before}


def _tree(process: psutil.Process) -> Iterator[psutil.Process]:
    try:
        yield process
        yield from process.children(recursive=True)
    except psutil.NoSuchProcess:
        return


def _own_memory(process: psutil.Process) -> int:
    """Pages that are not backed by files, in bytes."""
    try:
        lines = Path(f"/proc/{process.pid}/status").read_text().splitlines()
    except OSError:
        return 0
    return 1024 * sum(int(line.split()[1]) for line in lines if line.startswith(("RssAnon", "RssShmem")))


def _disk(folder: Path) -> int:
    total = 0
    for place, _, names in os.walk(folder):  # skips folders that a build has removed in the meantime
        for name in names:
            with suppress(OSError):
                total += (Path(place) / name).stat().st_blocks * 512
    return total


def _done(building: Path) -> list[str]:
    try:
        return list(json.loads((building / "stages.json").read_text())["done"])
    except (OSError, ValueError, KeyError):
        return []


def discovered(index: Path, corpus: Path, held_out: Path, work: Path) -> dict[str, Any]:
    """Discover topics with the command, and compare them with the planted ones."""
    out = work / "topics"
    command = [*SEETOPIC, "discover", str(index), "--seeds", str(corpus / "seeds.txt")]
    seconds = []
    for _ in range(RUNS):
        shutil.rmtree(out, ignore_errors=True)
        begun = time.perf_counter()
        subprocess.run([*command, "--out", str(out), "--quiet"], check=True, stdout=subprocess.DEVNULL)
        seconds.append(time.perf_counter() - begun)
    judged = subprocess.run(
        [*SEETOPIC, "evaluate", str(out), "--on", str(held_out), "--label-field", "label", "--quiet", "--json"],
        check=True,
        stdout=subprocess.PIPE,
        text=True,
    )
    topics = {each["name"]: [term["term"] for term in each["terms"]] for each in _topics(out)}
    own = planted_words()
    right = [sum(term in own[name] for term in terms) / len(terms) for name, terms in topics.items()]
    return {
        "discover_seconds": seconds,
        "share_planted": sum(right) / len(right),
        "label_precision@10": json.loads(judged.stdout)["label_precision@10"],
    }


def _topics(out: Path) -> list[dict[str, Any]]:
    topics: list[dict[str, Any]] = json.loads((out / "topics.json").read_text(encoding="utf-8"))["topics"]
    return topics


def planted_words() -> dict[str, set[str]]:
    """The words of each topic, real and made-up."""
    model = Model()
    ids, _ = model.topics
    return {name: set(model.words[own].tolist()) for name, own in zip(TOPICS, ids, strict=True)}


def held_out_documents(path: Path) -> None:
    """Documents from the same model that are in no corpus of this benchmark."""
    far = 10**9 // BATCH * BATCH
    with path.open("w", encoding="utf-8") as file:
        file.writelines(Model().lines(far, far + HELD_OUT))


def draw(points: list[dict[str, Any]], path: Path) -> None:
    """Time per document, memory, and disk per document against the number of documents."""
    import matplotlib

    matplotlib.use("svg")
    import matplotlib.pyplot as plt

    sizes = [point["documents"] for point in points]
    drawn = {
        "milliseconds a document": {
            "the whole build": [1000 * point["seconds"] / point["documents"] for point in points],
            "without the language model": [1000 * without_model(point) / point["documents"] for point in points],
        },
        "GB of memory": {"at the highest": [point["memory"] / 1e9 for point in points]},
        "KB of disk a document": {
            "on the way": [point["disk"] / 1e3 / point["documents"] for point in points],
            "the index": [point["index"] / 1e3 / point["documents"] for point in points],
        },
    }
    figure, grid = plt.subplots(1, len(drawn), figsize=(9, 2.8))
    for axes, (title, lines) in zip(grid, drawn.items(), strict=True):
        for label, values in lines.items():
            axes.plot(sizes, values, marker="o", markersize=3, label=label)
        axes.set(xscale="log", xlabel="documents", ylim=(0, None))
        axes.set_title(title, fontsize=9)
        axes.tick_params(labelsize=8)
        axes.legend(fontsize=7, frameon=False)
        axes.spines[["top", "right"]].set_visible(False)
    figure.tight_layout()
    matplotlib.rcParams["svg.hashsalt"] = "seetopic"  # the same points, the same bytes
    figure.savefig(path, metadata={"Date": None})


def without_model(point: dict[str, Any]) -> float:
    """Seconds of the stages that grow with documents; terms and the sample are bounded."""
    stages = point["stages"]
    last = stages.get("sample", stages["rest"])  # a short build may end before the end of its last stage is observed
    return float(point["seconds"] - stages["general"]["seconds"] - last["seconds"])


def measured(size: int, work: Path, options: list[str]) -> dict[str, Any]:
    corpus, index, record = work / f"corpus-{size}", work / f"index-{size}", work / f"measured-{size}.json"
    if record.exists():
        found: dict[str, Any] = json.loads(record.read_text())
        return found
    if not (corpus / "seeds.txt").exists():
        write(corpus, size)
    held_out = work / "held-out.jsonl"
    if not held_out.exists():
        held_out_documents(held_out)
    built = record.with_suffix(".index.json")
    own_cache = ["--cache", str(work / f"cache-{size}")]  # otherwise larger corpora would reuse vectors of smaller ones
    found = json.loads(built.read_text()) if built.exists() else indexed(corpus, index, [*options, *own_cache])
    built.write_text(json.dumps(found, indent=1))
    found |= discovered(index, corpus, held_out, work)
    record.write_text(json.dumps(found, indent=1))
    return found


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("work", type=Path)
    parser.add_argument(
        "--documents", type=int, nargs="+", default=[100_000, 300_000, 1_000_000, 3_000_000, 10_000_000]
    )
    parser.add_argument("--memory", default="4GB")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--figure", type=Path, help="where to draw the points, as SVG")
    given = parser.parse_args()
    given.work.mkdir(parents=True, exist_ok=True)
    told = ["--memory", given.memory, "--jobs", str(given.jobs)]
    points = [measured(size, given.work, told) for size in given.documents]
    print(json.dumps({"memory": given.memory, "jobs": given.jobs, "points": points}, indent=1))
    if given.figure:
        draw(points, given.figure)
