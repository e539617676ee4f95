"""Vectors on disk by model and text, so that no term is ever encoded twice; safe for several processes."""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from zlib import crc32

import numpy as np

from seetopic.arrays import Floats
from seetopic.encoder.minilm import EmbeddedEncoder
from seetopic.encoder.protocol import TermEncoder, require_texts, unit_rows
from seetopic.engine import Engine
from seetopic.errors import OutputError
from seetopic.files import writing
from seetopic.progress import Progress, silent

_ASKED = 500  # texts per question; SQLite takes at most 999 values in one
_SAVED = 4096  # texts encoded between two savings: what a killed build loses at most
_SENT = 100  # batches sent to other machines, if they are neither too small nor too large
_LEAST_SENT, _MOST_SENT = 256, 16384  # texts
_TABLE = "CREATE TABLE IF NOT EXISTS checked_vectors (text TEXT PRIMARY KEY, vector BLOB, checksum INTEGER)"


def cache_folder(given: Path | None = None) -> Path:
    """Where vectors and indexes are kept: as given, or by SEETOPIC_CACHE, or the user's own cache folder."""
    if given is not None:
        return given
    from platformdirs import user_cache_path

    return Path(os.environ.get("SEETOPIC_CACHE") or user_cache_path("seetopic"))


@dataclass(frozen=True)
class VectorCache:
    """One SQLite file a model: SQLite's own locks keep several processes apart."""

    folder: Path

    def encode(
        self,
        encoder: TermEncoder,
        texts: Sequence[str],
        jobs: int,
        progress: Progress,
        engine: Engine | None = None,
    ) -> Floats:
        """The encoder's vectors, of which only those that are new are computed: by an engine's other machines, or here.

        What cannot be known by a fingerprint, a function or ready vectors, stays on this machine.
        """
        require_texts(texts)
        if encoder.fingerprint is None:
            return unit_rows(encoder.encode(texts, jobs, progress), texts)
        path = self.folder / "vectors" / f"{encoder.fingerprint}.sqlite"
        rows = _Rows(list(dict.fromkeys(texts)))
        for text, vector in self._read(path, rows.texts):
            rows.put([text], vector[None])
        new = rows.missing
        computed = _by_others(engine, encoder, new, progress) if engine and engine.remote else None
        for batch, vectors in computed or _here(encoder, new, jobs, progress):
            self._write(path, batch, vectors)
            rows.put(batch, vectors)
        return rows.of(texts)

    def encode_names(self, encoder: TermEncoder, names: Sequence[str]) -> Floats:
        """Names are few: the embedded model needs no cache for them, another one is slow to load."""
        if encoder.fingerprint is None or isinstance(encoder, EmbeddedEncoder):
            return unit_rows(encoder.encode_names(names), names)
        return self.encode(encoder, names, 1, silent)

    def _read(self, path: Path, texts: Sequence[str]) -> Iterator[tuple[str, Floats]]:
        if not path.exists():
            return
        with _database(path) as database:
            for first in range(0, len(texts), _ASKED):
                asked = texts[first : first + _ASKED]
                marks = ",".join("?" * len(asked))
                for text, vector, checksum in database.execute(
                    f"SELECT text, vector, checksum FROM checked_vectors WHERE text IN ({marks})", asked
                ):
                    if not isinstance(vector, bytes) or crc32(vector) != checksum:  # SQLite looks at no contents
                        raise sqlite3.DatabaseError(f"the vector of {text!r} is damaged")
                    yield text, np.frombuffer(vector, np.float32)

    def _write(self, path: Path, texts: Sequence[str], vectors: Floats) -> None:
        with writing(path):
            path.parent.mkdir(parents=True, exist_ok=True)
        stored = (vector.tobytes() for vector in vectors)
        rows = ((text, vector, crc32(vector)) for text, vector in zip(texts, stored, strict=True))
        with _database(path) as database, database:
            database.executemany("INSERT OR IGNORE INTO checked_vectors VALUES (?, ?, ?)", rows)


        rows = _Rows(list(dict.fromkeys(texts)))
        for text, vector in self._read(path, rows.texts):
            rows.put([text], vector[None])
        new = rows.missing
        for first in range(0, len(new), _SAVED):
            batch = new[first : first + _SAVED]
            part = _Shifted(progress, first, len(new))
            vectors = unit_rows(encoder.encode(batch, jobs, part), batch)


        known = self._read(path, texts)
        new = [text for text in dict.fromkeys(texts) if text not in known]
        computed = _by_others(engine, encoder, new, progress) if engine and engine.remote else None
        for batch, vectors in computed or _here(encoder, new, jobs, progress):


@contextmanager
def _database(path: Path) -> Iterator[sqlite3.Connection]:
    try:
        with closing(sqlite3.connect(path, timeout=60)) as database:
            database.execute(_TABLE)
            yield database
    except sqlite3.Error as error:
        raise OutputError(
            f"the vector cache {path} cannot be used ({error}); delete that file, or choose another folder "
            "with --cache (in Python: cache=...)"
        ) from error


@dataclass(frozen=True)
class _Shifted:
    """Progress of a part, told as progress of the whole."""

    progress: Progress
    before: int
    total: int

    def __call__(self, stage: str, done: int, total: int | None) -> None:
        self.progress(stage, self.before + done, self.total)
