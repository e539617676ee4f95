"""Precomputed vectors of documents, one row each; they are never modified."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from seetopic.errors import EncoderError
from seetopic.runtime import Floats, Longs
from seetopic.vectors.encoder.protocol import unit_rows

_ROWS = 4096  # hashed at a time


@dataclass(frozen=True)
class ReadyDocuments:
    """An array of vectors, in memory or memory-mapped from a file."""

    vectors: Any  # (n_documents, dimension)

    def check(self, n_documents: int) -> None:
        """Check the shape, before any slow work."""
        if self.vectors.ndim != 2 or len(self.vectors) != n_documents:
            raise EncoderError(
                f"the document vectors have shape {self.vectors.shape}, but there are {n_documents} documents; "
                "give one row per document"
            )

    @cached_property
    def fingerprint(self) -> str:
        digest = hashlib.sha256(repr((self.vectors.shape, self.vectors.dtype.str)).encode())
        for first in range(0, len(self.vectors), _ROWS):
            digest.update(np.ascontiguousarray(self.vectors[first : first + _ROWS]).data)
        return digest.hexdigest()

    def rows(self, documents: Longs, length: int) -> Floats:
        """Unit vectors of the given documents, which must be as long as those of the names that they are sorted by."""
        chosen = unit_rows(self.vectors[documents], [f"document {number}" for number in documents.tolist()])
        if chosen.shape[1] != length:
            raise EncoderError(
                f"the document vectors have length {chosen.shape[1]}, but the model's vectors have length {length}; "
                "use the same model for both"
            )
        return chosen
