"""Where the time of the whole command `seetopic discover INDEX --out DIR` goes, as JSON (Linux).

    python benchmarks/discover_steps.py INDEX SEEDS [INDEX SEEDS ...] [--before SRC] [--runs 9] > \\
        benchmarks/results/discover_steps.json

SRC is the folder `src` of another version, which is run in turns with this one; both must write the same bytes. Steps
are processor seconds of the main thread and of the threads beside it, which depend less on what else the machine does
than seconds of the clock: in further runs, a thread looks every 2 ms at what each of the others is doing.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import subprocess
import sys
import tempfile
import threading
import time
from collections import defaultdict
from pathlib import Path
from statistics import median
from types import FrameType

SRC = Path(__file__).parent.parent / "src"
STEPS = {  # functions, by the end of their file; the innermost that is being called counts
    "importing": ("<frozen importlib._bootstrap>", "_find_and_load"),
    "opening the index": ("cli/options.py", "open_index"),
    "reading the index": ("index/files.py", "_found"),
    "checking values of the index": ("index/layout.py", "_passed"),
    "loading the language model": ("encoder/minilm.py", "_in_numpy"),
    "encoding names": ("encoder/minilm.py", "vectors"),
    "looking for names in the texts": ("discovery/named_terms.py", "with_named_terms"),
    "themes of the sample": ("index/themes.py", "likeness"),
    "themes that names leave uncovered": ("index/themes.py", "uncovered_by"),
    "features of the sample": ("discovery/sampled.py", "get_ready"),
    "sorting the sample": ("discovery/sampled.py", "sorted_by"),
    "typical terms of documents": ("discovery/run.py", "_read_documents"),
    "ranking terms": ("discovery/algorithm.py", "discover_terms"),
    "topics": ("discovery/run.py", "_find_apart"),
    "sorter": ("classify/sorter.py", "sorter_of"),
    "saving the sorter": ("classify/sorter.py", "save"),
    "report": ("report/__init__.py", "write_report"),
    "saving topics": ("discovery/topics.py", "save"),
    "printing": ("cli/render.py", "print_topics"),
    "parallel arithmetic": ("runtime/hardware.py", "alone"),
}
_EVERY = 0.002  # seconds


def step_of(frame: FrameType | None) -> str:
    while frame is not None:
        file, name = frame.f_code.co_filename, frame.f_code.co_name
        for step, (path, function) in STEPS.items():
            if name == function and file.endswith(path):
                return step
        frame = frame.f_back
    return "the rest"


def sampled(arguments: list[str], out: Path) -> None:
    """Run the command in this process, and write the processor seconds of each step."""
    main_thread, seconds, stopped = threading.main_thread(), defaultdict[str, float](float), threading.Event()
    before = defaultdict[threading.Thread, float](float)

    def look() -> None:
        while not stopped.wait(_EVERY):
            frames = sys._current_frames()
            for thread in threading.enumerate():
                if thread is looking or thread.ident not in frames:
                    continue
                try:
                    spent = int(Path(f"/proc/self/task/{thread.native_id}/schedstat").read_text().split()[0]) / 1e9
                except OSError:  # it has just ended
                    continue
                whose = "main" if thread is main_thread else "beside"
                seconds[f"{whose}: {step_of(frames[thread.ident])}"] += spent - before[thread]
                before[thread] = spent

    looking = threading.Thread(target=look)
    looking.start()
    from seetopic.cli import cli

    cli(arguments, standalone_mode=False)
    stopped.set()
    looking.join()
    out.write_text(json.dumps(seconds), encoding="utf-8")


def run(command: list[str], source: Path) -> tuple[float, float]:
    """Seconds, and processor seconds."""
    before, began = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
    environment = {**os.environ, "PYTHONPATH": str(source)}
    subprocess.run([sys.executable, *command], check=True, stdout=subprocess.DEVNULL, env=environment)
    seconds, after = time.perf_counter() - began, resource.getrusage(resource.RUSAGE_CHILDREN)
    return seconds, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def measure(index: Path, seeds: Path, sources: dict[str, Path], runs: int, place: Path) -> dict[str, object]:
    took: dict[str, list[tuple[float, float]]] = {name: [] for name in sources}
    steps: dict[str, list[dict[str, float]]] = {name: [] for name in sources}
    written: dict[str, dict[str, bytes]] = {}
    for number in range(runs + 1):
        for name, source in sources.items():
            out = place / name
            arguments = ["discover", str(index), "--seeds", str(seeds), "--quiet", "--out", str(out)]
            once = run(["-m", "seetopic", *arguments], source)
            run([__file__, "--sampled", str(place / "steps.json"), *arguments], source)
            if number:  # the first run may have to verify the index
                took[name].append(once)
                steps[name].append(json.loads((place / "steps.json").read_text(encoding="utf-8")))
            written[name] = {path.name: path.read_bytes() for path in sorted(out.iterdir())}
    assert len({tuple(files.items()) for files in written.values()}) == 1, "the versions write different files"
    found: dict[str, object] = {}
    for name, each in took.items():
        listed = sorted({step for own in steps[name] for step in own})
        found[name] = {
            **_summary("seconds", [seconds for seconds, _ in each]),
            **_summary("processor_seconds", [spent for _, spent in each]),
            "steps": {step: round(median(own.get(step, 0.0) for own in steps[name]), 3) for step in listed},
        }
    return found


def _summary(kind: str, values: list[float]) -> dict[str, float]:
    return {f"{kind}_least": round(min(values), 3), f"{kind}_median": round(median(values), 3)}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("given", type=Path, nargs="+", metavar="INDEX SEEDS")
    parser.add_argument("--before", type=Path)
    parser.add_argument("--runs", type=int, default=9)
    options = parser.parse_args()
    sources = {**({} if options.before is None else {"before": options.before}), "now": SRC}
    result: dict[str, object] = {"cores": os.cpu_count(), "load": round(os.getloadavg()[0], 1), "runs": options.runs}
    with tempfile.TemporaryDirectory() as place:
        for index, seeds in zip(options.given[::2], options.given[1::2], strict=True):
            result[index.name] = measure(index, seeds, sources, options.runs, Path(place))
    json.dump(result, sys.stdout, indent=1)
    print()


if __name__ == "__main__":
    if sys.argv[1:2] == ["--sampled"]:
        sampled(sys.argv[3:], Path(sys.argv[2]))
    else:
        main()
