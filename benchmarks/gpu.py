"""The parts of a build that run on a GPU, as JSON: encoding terms with the embedded model, and the factorisation.

    python benchmarks/gpu.py [--terms 1000000] [--entries 200000000] [--device cuda]

The matrix is synthetic: 200,000 terms that co-occur by Zipf's law; four fifths of the entries are pairs of terms, the
rest terms in documents. Its counts are on disk as a build writes them; the time is measured from these to the vectors.
"""

from __future__ import annotations

import argparse
import itertools
import json
import tempfile
import time
from functools import partial
from pathlib import Path
from typing import NamedTuple

import numpy as np

from planted import Model
from seetopic.runtime.arrays import Longs
from seetopic.runtime.disk_counts import Band, Tally, tally
from seetopic.runtime.engine import LocalEngine, available_cores
from seetopic.runtime.progress import silent
from seetopic.settings import LocalSettings
from seetopic.vectors.cooccurrence import Block, blocks_of
from seetopic.vectors.encoder.minilm import EmbeddedEncoder
from seetopic.vectors.local.factorise import context_matrix, document_matrix, factorise

N_TERMS = 200_000
PARTS = 40  # bands of rows


def made_up_terms(number: int) -> list[str]:
    """Distinct words and pairs of words."""
    words = Model().words.tolist()
    pairs = (f"{left} {right}" for left, right in itertools.product(words[:3000], words[3000:6000]))
    return [*words, *itertools.islice(pairs, max(0, number - len(words)))][:number]


def encoding(number: int, device: str) -> float:
    encoder = EmbeddedEncoder(device)
    encoder.encode(made_up_terms(10_000), 1, silent)  # warm-up: loads the model and selects kernels
    terms = made_up_terms(number)
    begun = time.perf_counter()
    encoder.encode(terms, available_cores(), silent)
    return time.perf_counter() - begun


def made_up_band(number: int, entries: int, folder: Path) -> Band:
    """Pairs of rows and columns drawn by Zipf's law."""
    chance = np.random.default_rng(number)
    first, last = N_TERMS * number // PARTS, N_TERMS * (number + 1) // PARTS
    rows = chance.integers(first, last, entries * 5 // 4)
    columns = (N_TERMS ** chance.random(rows.size)).astype(np.int64) - 1
    found = tally(rows * N_TERMS + columns)
    more = chance.integers(0, N_TERMS, max(0, entries - found.keys.size))  # in place of duplicates
    keys = np.unique(np.concatenate([found.keys, chance.integers(first, last, more.size) * N_TERMS + more]))[:entries]
    band = Band(folder, number, first, last)
    band.write(Tally(keys, chance.geometric(0.5, keys.size)), N_TERMS)
    return band


class Counts(NamedTuple):
    term_counts: Longs
    neighbours: list[Band]
    blocks: list[Block]


def made_up_counts(entries: int, folder: Path, engine: LocalEngine) -> Counts:
    pairs, held = entries * 4 // 5, entries // 5
    bands = list(engine.map(partial(made_up_band, entries=pairs // PARTS, folder=folder / "bands"), range(PARTS)))
    documents: Longs = (N_TERMS ** np.random.default_rng(0).random(held)).astype(np.int32) - 1
    np.save(folder / "documents.npy", documents.astype(np.int32))
    np.save(folder / "starts.npy", np.arange(0, held + 1, 10))
    counts = np.maximum(np.bincount(documents, minlength=N_TERMS), 1)
    return Counts(counts, bands, blocks_of(folder / "documents.npy", folder / "starts.npy"))


def factorising(entries: int, device: str) -> dict[str, float]:
    engine = LocalEngine(available_cores())
    with tempfile.TemporaryDirectory() as name:
        counts = made_up_counts(entries, Path(name), engine)
        found = sum(int(band.starts[-1]) for band in counts.neighbours) + entries // 5
        begun = time.perf_counter()
        folder, settings = Path(name) / "scratch", LocalSettings()
        contexts = context_matrix(engine, counts.neighbours, counts.term_counts, settings, folder / "contexts")
        documents, isolated = document_matrix(engine, counts.blocks, counts.term_counts, settings, folder / "documents")
        engine.close()
        factorise(contexts, documents, isolated, settings, 0, device, engine, silent)
        seconds = time.perf_counter() - begun
        engine.close()
    return {"entries": found, "seconds": seconds}


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--terms", type=int, default=1_000_000)
    parser.add_argument("--entries", type=int, default=200_000_000)
    parser.add_argument("--device", default="cuda")
    given = parser.parse_args()
    factorised = factorising(given.entries, given.device)
    print(json.dumps({"factorisation": factorised}), flush=True)
    encoded = {"terms": given.terms, "seconds": encoding(given.terms, given.device)}
    print(json.dumps({"device": given.device, "factorisation": factorised, "encoding": encoded}, indent=1))
