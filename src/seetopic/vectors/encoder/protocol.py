"""The encoder interface, and the check that every encoder's vectors must pass."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Protocol, runtime_checkable

import numpy as np

from seetopic.errors import EncoderError
from seetopic.runtime import Floats, Progress


@runtime_checkable
class TermEncoder(Protocol):
    """Maps texts to vectors of a language model (e_w in Section 3.1)."""

    @property
    def name(self) -> str:
        """The name shown to users, which also opens the encoder again."""

    @property
    def fingerprint(self) -> str | None:
        """Changes whenever the vectors would; None if that cannot be known, so that nothing may be cached."""

    def encode(self, texts: Sequence[str], n_jobs: int, progress: Progress) -> Floats:
        """Unit rows, (n_texts, dimension), which depend neither on `n_jobs` nor on the other texts."""

    def encode_names(self, names: Sequence[str]) -> Floats:
        """The same for a handful of texts, with a quick start rather than high throughput."""


def word_pieces(encoder: TermEncoder, texts: Sequence[str]) -> list[list[int]]:
    """The pieces that a model splits texts into, by number; one for each text if it does not tell."""
    token_ids = getattr(encoder, "token_ids", None)
    if token_ids is None:
        return [[0] for _ in texts]
    around, *found = token_ids(["", *texts])  # what every text gets, such as [CLS] and [SEP]
    return [[piece for piece in pieces if piece not in around] for pieces in found]


def require_texts(texts: Sequence[str]) -> None:
    """Reject an empty list: without a vector, the dimension is unknown."""
    if not len(texts):
        raise EncoderError("there are no texts to encode; give at least one")


def unit_rows(vectors: Any, texts: Sequence[str]) -> Floats:
    """The vectors, checked and scaled to length 1; always a new array."""
    require_texts(texts)
    try:
        with np.errstate(over="ignore"):  # values that overflow become infinite and are rejected below
            array = np.asarray(vectors, np.float32)
    except (TypeError, ValueError, RuntimeError) as error:
        raise EncoderError(
            f"the encoder did not return an array of numbers ({error}); it must return one row per text"
        ) from error
    if array.ndim != 2 or len(array) != len(texts):
        raise EncoderError(
            f"the encoder returned an array of shape {array.shape} for {len(texts)} texts; "
            "it must return one row per text"
        )
    lengths = np.linalg.norm(array, axis=1, keepdims=True)
    wrong = np.flatnonzero(~np.isfinite(lengths[:, 0]) | (lengths[:, 0] == 0))
    if wrong.size:
        raise EncoderError(
            f"the vector of {texts[int(wrong[0])]!r} is zero or not finite; every vector must be finite and non-zero"
        )
    lengths[np.abs(lengths - 1) < 1e-5] = 1  # already of unit length: do not change a bit
    scaled: Floats = array / lengths
    return scaled
