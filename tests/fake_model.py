"""A fast fake language model: each text gets its own random direction, the same in every process."""

from __future__ import annotations

import hashlib

import numpy as np


def directions(texts: list[str]) -> np.ndarray:
    seeds = [int.from_bytes(hashlib.sha256(text.encode()).digest()[:8], "little") for text in texts]
    return np.stack([np.random.default_rng(seed).standard_normal(16) for seed in seeds]).astype(np.float32)


def build_and_die(out: str, stage: str) -> None:
    """Build the planted corpus's index; kill this process, as the system would, when `stage` is reached."""
    import os
    import signal

    from planted import planted_documents
    from seetopic import Index

    def die(reached: str, done: int, total: int | None) -> None:
        if reached == stage:
            os.kill(os.getpid(), signal.SIGKILL)

    Index.build(planted_documents(), out, embedding_model=directions, n_jobs=1, progress=die)


def update_and_die(folder: str, stage: str) -> None:
    """Add more planted documents to an index; kill this process when `stage` is reached."""
    import os
    import signal

    from planted import planted_documents
    from seetopic import Index

    def die(reached: str, done: int, total: int | None) -> None:
        if reached == stage:
            os.kill(os.getpid(), signal.SIGKILL)

    Index.open(folder, embedding_model=directions).update(planted_documents(30, seed=1), n_jobs=1, progress=die)
