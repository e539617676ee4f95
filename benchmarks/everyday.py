"""The cost of everyday use, as JSON: importing, other names, saving and loading, the report, disk space.

    python benchmarks/everyday.py FOLDER [--corpus amazon] [--cache CACHE] [--runs 5]

Everything except the fit is measured several times, and the median reported. Imports and the first steps after loading
are measured in fresh processes; the time that Python itself takes to start is not included.
"""

from __future__ import annotations

import argparse
import json
import re
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from importlib import metadata
from pathlib import Path
from statistics import median

from seetopic import SeeTopic
from seetopic.corpus import read_seeds

_TIMED = "import time; started = time.perf_counter()\n{}\nprint(time.perf_counter() - started)"
# The first steps of a new process with a saved model, timed one by one.
_LOADED = """
import json, sys, time
from seetopic import SeeTopic
seconds, last = {}, time.perf_counter()
def told(step):
    global last
    now = time.perf_counter()
    seconds[step] = now - last
    last = now
SeeTopic(); told("first model: scikit-learn is loaded")
model = SeeTopic.load(sys.argv[1]); told("load")
model.predict(["a book about cooking"]); told("first predict")
model.visualize_topics(); told("first figure")
model.with_seeds(json.loads(sys.argv[2])); told("first with_seeds")
print(json.dumps(seconds))
"""


def in_a_fresh_process(code: str, *arguments: str | Path) -> str:
    command = [sys.executable, "-c", code, *map(str, arguments)]
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout


def import_seconds(statement: str, runs: int) -> float:
    in_a_fresh_process(statement)  # warm-up: compiles it and fills the system's file cache
    return median(float(in_a_fresh_process(_TIMED.format(statement))) for _ in range(runs))


def seconds(step: Callable[[], object], runs: int) -> float:
    found = []
    for _ in range(runs):
        started = time.perf_counter()
        step()
        found.append(time.perf_counter() - started)
    return median(found)


def fitted_steps(model: SeeTopic, other_names: list[str], folder: Path, runs: int) -> dict[str, float]:
    """Common steps with a fitted model, and how long each takes."""
    term = model.get_topic(0)[-1][0]
    steps: dict[str, Callable[[], object]] = {
        "with_seeds": lambda: model.with_seeds(other_names),
        "accept": lambda: model.accept(0, term),
        "reject": lambda: model.reject(0, term),
        "save": lambda: model.save(folder / "model"),
        "save without documents": lambda: model.save(folder / "slim", documents=False),
        "write_report": lambda: model.write_report(folder),
        "visualize_barchart": model.visualize_barchart,
        "visualize_topics": model.visualize_topics,
        "visualize_documents": model.visualize_documents,
        "visualize_heatmap": model.visualize_heatmap,
        "visualize_term_rank": model.visualize_term_rank,
    }
    return {name: seconds(step, runs) for name, step in steps.items()}


def loaded_steps(folder: Path, other_names: list[str], runs: int) -> dict[str, float]:
    found = [json.loads(in_a_fresh_process(_LOADED, folder, json.dumps(other_names))) for _ in range(runs)]
    return {step: median(each[step] for each in found) for step in found[0]}


def installed_bytes(name: str) -> dict[str, int]:
    """The disk space of a package and its dependencies, by package; extras are left out."""
    sizes: dict[str, int] = {}
    waiting = [name]
    while waiting:
        package = re.sub(r"[-_.]+", "-", waiting.pop()).lower()
        if package in sizes:
            continue
        try:
            found = metadata.distribution(package)
        except metadata.PackageNotFoundError:  # for another system or another version of Python
            continue
        places = [Path(str(file.locate())) for file in found.files or ()]
        sizes[package] = sum(place.stat().st_size for place in places if place.is_file())
        needed = [each for each in found.requires or () if "extra ==" not in each]
        waiting += [re.split(r"[^A-Za-z0-9_.-]", each, maxsplit=1)[0] for each in needed]
    return sizes


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--corpus", default="amazon")
    parser.add_argument("--cache", type=Path)
    parser.add_argument("--runs", type=int, default=5)
    options = parser.parse_args()
    names = list(read_seeds(options.folder / f"{options.corpus}.seeds.txt").names)
    other_names = [*reversed(names[1:]), "birthday presents for children"]
    statements = ("import seetopic", "from seetopic import SeeTopic")
    imports = {statement: import_seconds(statement, options.runs) for statement in statements}
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place)
        started = time.perf_counter()
        model = SeeTopic(names, cache=options.cache).fit(options.folder / f"{options.corpus}.jsonl.gz")
        fit = time.perf_counter() - started
        steps = fitted_steps(model, other_names, folder, options.runs)
        steps |= loaded_steps(folder / "model", other_names, options.runs)
        saved = sum(path.stat().st_size for path in (folder / "model").rglob("*") if path.is_file())
        report = (folder / "report.html").stat().st_size
    disk = installed_bytes("seetopic")
    largest = sorted(disk, key=lambda package: -disk[package])[:5]
    result = {
        "corpus": options.corpus,
        "documents": len(model.index_),
        "topics": len(names),
        "runs": options.runs,
        "import_seconds": {step: round(value, 3) for step, value in imports.items()},
        "fit_seconds": round(fit, 1),
        "seconds": {step: round(value, 3) for step, value in steps.items()},
        "megabytes": {
            "report": round(report / 1e6, 2),
            "saved model": round(saved / 1e6, 1),
            "installed, with all that it needs": round(sum(disk.values()) / 1e6),
            **{f"of these, {package}": round(disk[package] / 1e6) for package in largest},
        },
    }
    print(json.dumps(result, indent=1))


if __name__ == "__main__":
    main()
