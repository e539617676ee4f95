"""Checksums of everything the commands write for the demo and a folder of corpora, or where two such lists differ.

    python benchmarks/same_bytes.py CORPORA [--cache DIR] > before.json
    python benchmarks/same_bytes.py --compare before.json after.json

Uses only commands, so that the code behind them may be reorganised in between. The wording of the report and of
error messages may change freely, so reports are left out.
"""

from __future__ import annotations

import argparse
import gzip
import hashlib
import json
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

EXPORTS = ("csv", "json", "liwc", "quanteda", "spacy", "snorkel", "prompt")
ASSIGNED = 1000  # documents to sort per corpus
REWORDED = ("report.html",)


def seetopic(*arguments: str | Path) -> None:
    command = [sys.executable, "-m", "seetopic", *map(str, arguments)]
    finished = subprocess.run(command, capture_output=True, text=True, check=False)
    if finished.returncode:
        raise SystemExit(f"{' '.join(command)}\n{finished.stderr}")


def use_every_command(documents: Path, seeds: Path, out: Path, cache: list[str | Path]) -> None:
    index, topics = out / "index", out / "topics"
    seetopic("index", documents, "--out", index, "--quiet", *cache)
    seetopic("discover", index, "--seeds", seeds, "--out", topics, "--top", "30", "--quiet", *cache)
    seetopic("suggest", index, "--seeds", seeds, "--out", out / "suggested.yaml", "--quiet", *cache)
    export(topics, out)
    some = out / "some.jsonl"
    with gzip.open(documents, "rt", encoding="utf-8") as lines:
        some.write_text("".join(line for _, line in zip(range(ASSIGNED), lines, strict=False)), encoding="utf-8")
    for name, options in {"plain.csv": [], "read.parquet": ["--read"], "several.csv": ["--several"]}.items():
        seetopic("assign", some, "--topics", topics, "--out", out / name, "--quiet", *options, *cache)
    few = out / "few.txt"
    few.write_text("\n".join(seeds.read_text(encoding="utf-8").splitlines()[:2]), encoding="utf-8")
    seetopic("discover", index, "--seeds", few, "--out", out / "few", "--quiet", *cache)


def export(topics: Path, out: Path) -> None:
    for form in EXPORTS:
        seetopic("export", topics, "--format", form, "--out", out / f"export.{form}")


def checksums(folder: Path) -> dict[str, str]:
    files = sorted(path for path in folder.rglob("*") if path.is_file() and path.name not in REWORDED)
    return {str(path.relative_to(folder)): hashlib.sha256(path.read_bytes()).hexdigest() for path in files}


def compare(before: Path, after: Path) -> int:
    old, new = (json.loads(path.read_text()) for path in (before, after))
    differing = sorted(name for name in old.keys() | new.keys() if old.get(name) != new.get(name))
    print(f"{len(old)} files before, {len(new)} after, {len(differing)} differ", *differing, sep="\n  ")
    return bool(differing)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("corpora", type=Path, nargs="?")
    parser.add_argument("names", nargs="*", default=["ohsumed", "crisis", "amazon", "huffpost"])
    parser.add_argument("--compare", type=Path, nargs=2)
    parser.add_argument("--cache", type=Path)
    parsed = parser.parse_args()
    if parsed.compare:
        return compare(*parsed.compare)
    cache: list[str | Path] = ["--cache", parsed.cache] if parsed.cache else []
    # Some files contain paths, so the folder has the same name each time; it must not exist yet.
    out = Path(tempfile.gettempdir()) / "seetopic-same-bytes"
    out.mkdir()
    try:
        seetopic("demo", "--out", out / "demo" / "topics", "--quiet", *cache)
        export(out / "demo" / "topics", out / "demo")
        for name in parsed.names:
            (out / name).mkdir()
            documents, seeds = parsed.corpora / f"{name}.jsonl.gz", parsed.corpora / f"{name}.seeds.txt"
            use_every_command(documents, seeds, out / name, cache)
        json.dump(checksums(out), sys.stdout, indent=1)
    finally:
        shutil.rmtree(out)
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
