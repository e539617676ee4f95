"""The overhead of the Ray engine on one machine, and whether killed workers change an index, as JSON.

    python benchmarks/engines.py CORPUS [--rounds 3] [--kills 10] [--cache FOLDER]

CORPUS is anything that `seetopic index` accepts. Builds are whole processes with two workers; Ray's time includes
starting and stopping its cluster on this machine. Builds of both engines alternate, and the ratio is that of their
medians, since the load of the machine may vary. With `--cache`, the language model's vectors are cached there and only
the first build computes them; without it, every build does.

Then one of the two workers is killed (SIGKILL) at a random moment of a build, again and again: the SHA-256 of all
files must be the same as in a build without faults.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import random
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import psutil

ENGINES = ("local", "ray")
WORKERS = 2
_LOOKED = 0.005  # seconds between two checks for a worker to kill


def command(corpus: str, out: Path, engine: str, cache: Path) -> list[str]:
    asked = ["index", corpus, "--out", str(out), "--engine", engine, "--jobs", str(WORKERS), "--cache", str(cache)]
    return [sys.executable, "-m", "seetopic", *asked, "--quiet"]


def digest(folder: Path) -> str:
    """A digest of the names and contents of all files of an index."""
    found = hashlib.sha256()
    for file in sorted(path for path in folder.rglob("*") if path.is_file()):
        found.update(f"{file.relative_to(folder).as_posix()}\n".encode())
        found.update(hashlib.sha256(file.read_bytes()).digest())
    return found.hexdigest()


def build(corpus: str, engine: str, cache: Path | None, kill_after: float | None = None) -> tuple[float, str, float]:
    """Seconds, the digest of the index, and when a worker was killed (0: never)."""
    with tempfile.TemporaryDirectory() as folder:
        out = Path(folder) / "index"
        began = time.perf_counter()
        process = subprocess.Popen(
            command(corpus, out, engine, cache or Path(folder) / "cache"), stdout=subprocess.DEVNULL
        )
        killed = 0.0 if kill_after is None else kill_a_worker(process, began, kill_after)
        if process.wait():
            raise SystemExit(f"the build with {engine} ended with {process.returncode}")
        return time.perf_counter() - began, digest(out), killed


def kill_a_worker(driver: subprocess.Popen[bytes], began: float, after: float) -> float:
    """Kill one worker a number of seconds after the first one started; returns the duration of the build."""
    first = None
    while driver.poll() is None:
        passed = time.perf_counter() - began
        found = workers_of(driver.pid)
        first = passed if first is None and found else first
        if first is not None and found and passed >= first + after:
            random.Random(after).choice(found).kill()
            return passed
        time.sleep(_LOOKED)
    return 0.0


def workers_of(driver: int) -> list[psutil.Process]:
    """The worker processes of loky or Ray, busy or between two tasks."""
    found = []
    for process in psutil.Process(driver).children(recursive=True):
        try:
            words = process.cmdline()
        except psutil.Error:
            continue
        if words and (words[0].startswith(("ray::_done", "ray::IDLE")) or any("popen_loky" in word for word in words)):
            found.append(process)
    return found


def killed_build(corpus: str, engine: str, cache: Path | None, moment: float) -> tuple[float, str, float]:
    """A build in which a worker was killed; repeated with an earlier moment if the build ended before."""
    while not (outcome := build(corpus, engine, cache, moment))[2]:
        moment /= 2
    return outcome


def measured(corpus: str, rounds: int, kills: int, cache: Path | None) -> dict[str, object]:
    seconds: dict[str, list[float]] = {engine: [] for engine in ENGINES}
    _, reference, _ = build(corpus, "local", cache)  # fills the cache; not measured
    digests = {reference}
    for _ in range(rounds):
        for engine in ENGINES:
            took, made, _ = build(corpus, engine, cache)
            seconds[engine].append(took)
            digests.add(made)
    medians = {engine: statistics.median(seconds[engine]) for engine in ENGINES}
    chance = random.Random(0)
    faults: dict[str, dict[str, object]] = {}
    for engine in ENGINES:
        moments = [chance.uniform(0, 0.8) * medians[engine] for _ in range(kills)]
        outcomes = [killed_build(corpus, engine, cache, moment) for moment in moments]
        faults[engine] = {
            "killed_at": [round(killed, 2) for _, _, killed in outcomes],
            "seconds": [round(took, 2) for took, _, _ in outcomes],
            "equal": sum(made == reference for _, made, _ in outcomes),
        }
    return {
        "corpus": Path(corpus).name,
        "workers": WORKERS,
        "cached_vectors": cache is not None,
        "seconds": {engine: [round(took, 2) for took in seconds[engine]] for engine in ENGINES},
        "ratio": round(medians["ray"] / medians["local"], 3),
        "same_bytes": digests == {reference},
        "kills": faults,
    }


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("corpus")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--kills", type=int, default=10)
    parser.add_argument("--cache", type=Path)
    given = parser.parse_args()
    print(json.dumps(measured(given.corpus, given.rounds, given.kills, given.cache), indent=1))
