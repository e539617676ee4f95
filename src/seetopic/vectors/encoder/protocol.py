"""What an encoder is, and the check that every encoder's vectors pass."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Protocol, runtime_checkable

import numpy as np

from seetopic.errors import EncoderError
from seetopic.runtime import Floats, Progress


@runtime_checkable
class TermEncoder(Protocol):
    """Gives each text a vector of the language model (e_w of Section 3.1)."""

    @property
    def name(self) -> str:
        """What a person calls it, and what opens it again."""

    @property
    def fingerprint(self) -> str | None:
        """Changes whenever its vectors would; None if that cannot be known, and nothing may be cached."""

    def encode(self, texts: Sequence[str], jobs: int, progress: Progress) -> Floats:
        """Unit rows, (n_texts, dimension); the same for any number of jobs and any other texts beside them."""

    def encode_names(self, names: Sequence[str]) -> Floats:
        """The same for a handful of texts, at once rather than fast."""


def require_texts(texts: Sequence[str]) -> None:
    """Refuse to encode nothing: there would be no vector to tell the dimension from."""
    if not len(texts):
        raise EncoderError("there are no texts to encode; give at least one")


def unit_rows(vectors: Any, texts: Sequence[str]) -> Floats:
    """The vectors checked and scaled to length 1; always a new array."""
    require_texts(texts)
    try:
        with np.errstate(over="ignore"):  # a number too large becomes infinite, and is refused below
            array = np.asarray(vectors, np.float32)
    except (TypeError, ValueError, RuntimeError) as error:
        raise EncoderError(f"the encoder gave no array of numbers ({error}); it must give a row each") from error
    if array.ndim != 2 or len(array) != len(texts):
        raise EncoderError(
            f"the encoder gave an array of shape {array.shape} for {len(texts)} texts; it must give a row each"
        )
    lengths = np.linalg.norm(array, axis=1, keepdims=True)
    wrong = np.flatnonzero(~np.isfinite(lengths[:, 0]) | (lengths[:, 0] == 0))
    if wrong.size:
        raise EncoderError(
            f"the vector of {texts[int(wrong[0])]!r} is zero or not finite; every text needs a direction"
        )
    lengths[np.abs(lengths - 1) < 1e-5] = 1  # of unit length already: the same to the last bit
    scaled: Floats = array / lengths
    return scaled
