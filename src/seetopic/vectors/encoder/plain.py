"""Vectors supplied by the user, through a function or a mapping of precomputed vectors."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from seetopic.errors import EncoderError
from seetopic.runtime import Floats, Progress, silent
from seetopic.vectors.encoder.protocol import TermEncoder, require_texts, unit_rows

_BATCH = 4096


@dataclass(frozen=True)
class CallableEncoder:
    """A function from a list of texts to an array with one row per text."""

    function: Callable[[list[str]], Any]

    @property
    def name(self) -> str:
        return f"function {getattr(self.function, '__name__', type(self.function).__name__)}"

    @property
    def fingerprint(self) -> None:
        return None  # what a function computes cannot be known from outside

    def encode(self, texts: Sequence[str], n_jobs: int, progress: Progress) -> Floats:
        require_texts(texts)
        parts = []
        for first in range(0, len(texts), _BATCH):
            progress("language model", first, len(texts))
            batch = list(texts[first : first + _BATCH])
            parts.append(unit_rows(self.function(batch), batch))
        progress("language model", len(texts), len(texts))
        return np.concatenate(parts)

    def encode_names(self, names: Sequence[str]) -> Floats:
        return self.encode(names, 1, silent)


@dataclass(frozen=True)
class ReadyVectors:
    """Precomputed vectors by text, for terms and names alike; they are never modified."""

    vectors: Mapping[str, Any]
    others: TermEncoder | None = None  # encodes the texts that have no precomputed vector

    @property
    def name(self) -> str:
        return "ready vectors"

    @property
    def fingerprint(self) -> None:
        return None

    def knows(self, text: str) -> bool:
        """Whether it has, or can compute, a vector of the text."""
        return self.others is not None or text in self.vectors

    def encode(self, texts: Sequence[str], n_jobs: int, progress: Progress) -> Floats:
        require_texts(texts)
        missing = [text for text in texts if text not in self.vectors]
        if missing and self.others is None:
            shown = ", ".join(map(repr, missing[:5])) + (", ..." if len(missing) > 5 else "")
            raise EncoderError(
                f"{len(missing)} of {len(texts)} texts have no precomputed vector ({shown}); add them to the mapping"
            )
        made = {}
        if missing and self.others is not None:
            made = dict(zip(missing, self.others.encode(missing, n_jobs, progress), strict=True))
        return unit_rows(_same_length([made[text] if text in made else self.vectors[text] for text in texts]), texts)

    def encode_names(self, names: Sequence[str]) -> Floats:
        return self.encode(names, 1, silent)


def _same_length(rows: list[Any]) -> list[Any]:
    lengths = sorted({len(row) for row in rows if hasattr(row, "__len__")})
    if len(lengths) > 1:
        raise EncoderError(
            f"the precomputed vectors have different lengths ({', '.join(map(str, lengths))}); "
            "use the same model for all of them"
        )
    return rows


def reads_texts(encoder: TermEncoder) -> bool:
    """Whether it can encode any text, not only those with a precomputed vector."""
    return not isinstance(encoder, ReadyVectors) or encoder.others is not None
