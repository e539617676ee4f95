"""Cache of vectors on disk by model and text, safe for concurrent processes."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from zlib import crc32

import numpy as np

from seetopic.errors import OutputError
from seetopic.runtime import Engine, Floats, Progress, silent, writing
from seetopic.vectors.encoder.minilm import EmbeddedEncoder
from seetopic.vectors.encoder.protocol import TermEncoder, require_texts, unit_rows

_ASKED = 500  # texts per query; SQLite allows at most 999 parameters
_SAVED = 4096  # texts encoded between two writes: the most that a killed build loses
_SENT = 100  # batches sent to other machines, unless they would be too small or too large
_LEAST_SENT, _MOST_SENT = 256, 16384  # texts
# Not the table of older versions, whose checksums left out the text: both may share a cache.
_TABLE = "CREATE TABLE IF NOT EXISTS sealed_vectors (text TEXT PRIMARY KEY, vector BLOB, checksum INTEGER)"


@dataclass(frozen=True)
class VectorCache:
    """One SQLite file per model; SQLite's locks make concurrent access safe."""

    folder: Path

    def encode(
        self,
        encoder: TermEncoder,
        texts: Sequence[str],
        n_jobs: int,
        progress: Progress,
        engine: Engine | None = None,
    ) -> Floats:
        """The encoder's vectors; those not in the cache are computed, by an engine's other machines or here.

        Encoders without a fingerprint (functions, precomputed vectors) run on this machine.
        """
        require_texts(texts)
        if encoder.fingerprint is None:
            return unit_rows(encoder.encode(texts, n_jobs, progress), texts)
        path = self.folder / "vectors" / f"{encoder.fingerprint}.sqlite"
        rows = _Rows(list(dict.fromkeys(texts)))
        for text, vector in self._read(path, rows.texts):
            rows.put([text], vector[None])
        new = rows.missing
        computed = _by_others(engine, encoder, new, progress) if engine and engine.remote else None
        for batch, vectors in computed or _here(encoder, new, n_jobs, progress):
            self._write(path, batch, vectors)
            rows.put(batch, vectors)
        return rows.of(texts)

    def encode_names(self, encoder: TermEncoder, names: Sequence[str]) -> Floats:
        """Encode a few names: the embedded model needs no cache for them, but other models are slow to load."""
        if encoder.fingerprint is None or isinstance(encoder, EmbeddedEncoder):
            return unit_rows(encoder.encode_names(names), names)
        return self.encode(encoder, names, 1, silent)

    def _read(self, path: Path, texts: Sequence[str]) -> Iterator[tuple[str, Floats]]:
        """The cached vectors; damaged ones are skipped, and so computed again."""
        if not path.exists():
            return
        with _database(path) as database:
            database.text_factory = bytes  # a damaged text may not be valid UTF-8
            for first in range(0, len(texts), _ASKED):
                asked = {text.encode(): text for text in texts[first : first + _ASKED]}
                marks = ",".join("?" * len(asked))
                for text, vector, checksum in database.execute(
                    f"SELECT text, vector, checksum FROM sealed_vectors WHERE text IN ({marks})", list(asked.values())
                ):
                    # SQLite does not check contents, and a damaged page of its index may lead to another text's row.
                    if text in asked and isinstance(vector, bytes) and _checksum(text, vector) == checksum:
                        yield asked[text], np.frombuffer(vector, np.float32)

    def _write(self, path: Path, texts: Sequence[str], vectors: Floats) -> None:
        with writing(path):
            path.parent.mkdir(parents=True, exist_ok=True)
        stored = (vector.tobytes() for vector in vectors)
        rows = ((text, vector, _checksum(text.encode(), vector)) for text, vector in zip(texts, stored, strict=True))
        with _database(path) as database, database:
            # REPLACE, since the row may be there but damaged.
            database.executemany("INSERT OR REPLACE INTO sealed_vectors VALUES (?, ?, ?)", rows)


def _checksum(text: bytes, vector: bytes) -> int:
    """Covers both, so that no vector is taken for another text's."""
    return crc32(vector, crc32(text))


class _Rows:
    """Vectors of distinct texts, collected in one array so that they are in memory only once."""

    def __init__(self, texts: list[str]) -> None:
        self.texts = texts
        self._places = {text: place for place, text in enumerate(texts)}
        self._known = np.zeros(len(texts), np.bool_)
        self._vectors: Floats = np.empty((0, 0), np.float32)

    def put(self, texts: Sequence[str], vectors: Floats) -> None:
        if not self._vectors.size:
            self._vectors = np.empty((len(self.texts), vectors.shape[1]), np.float32)
        places = [self._places[text] for text in texts]
        self._vectors[places] = vectors
        self._known[places] = True

    @property
    def missing(self) -> list[str]:
        return [self.texts[place] for place in np.flatnonzero(~self._known).tolist()]

    def of(self, texts: Sequence[str]) -> Floats:
        if len(texts) == len(self.texts):
            return self._vectors
        return self._vectors[[self._places[text] for text in texts]]


def _here(
    encoder: TermEncoder, texts: list[str], n_jobs: int, progress: Progress
) -> Iterator[tuple[list[str], Floats]]:
    for batch, first in _batches(texts, _SAVED):
        yield batch, unit_rows(encoder.encode(batch, n_jobs, _Shifted(progress, first, len(texts))), batch)


def _by_others(
    engine: Engine, encoder: TermEncoder, texts: list[str], progress: Progress
) -> Iterator[tuple[list[str], Floats]]:
    """The same vectors as `_here`: a text's vector does not depend on the rest of its batch."""
    batches = _batches(texts, min(max(len(texts) // _SENT, _LEAST_SENT), _MOST_SENT))
    results = engine.map(partial(_encoded, encoder=encoder), (batch for batch, _ in batches), gpu=True)
    done = 0
    progress("language model", 0, len(texts))
    for batch, vectors in results:
        yield batch, vectors
        done += len(batch)
        progress("language model", done, len(texts))


def _batches(texts: list[str], size: int) -> Iterator[tuple[list[str], int]]:
    """Consecutive texts, and the number of the first in each batch."""
    return ((texts[first : first + size], first) for first in range(0, len(texts), size))


def _encoded(texts: list[str], encoder: TermEncoder) -> tuple[list[str], Floats]:
    return texts, unit_rows(encoder.encode(texts, 1, silent), texts)


@contextmanager
def _database(path: Path) -> Iterator[sqlite3.Connection]:
    try:
        with closing(sqlite3.connect(path, timeout=60)) as database:
            database.execute(_TABLE)
            yield database
    except (sqlite3.Error, UnicodeDecodeError) as error:  # SQLite's messages may quote damaged text
        raise OutputError(
            f"the vector cache {path} cannot be used ({error}); delete that file, or choose another folder "
            "with --cache (in Python: cache=...)"
        ) from error


@dataclass(frozen=True)
class _Shifted:
    """Reports progress on a part as progress on the whole."""

    progress: Progress
    before: int
    total: int

    def __call__(self, stage: str, done: int, total: int | None) -> None:
        self.progress(stage, self.before + done, self.total)
