"""Other samples than the program's own, to measure how much a result owes to the sample.

The program reads the documents that their words choose, whatever the random state. So runs with several random states
are one run, and say nothing about how lucky that choice is; runs with several draws do.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from unittest.mock import patch

import numpy as np
from numpy.typing import NDArray

from seetopic.runtime import spread, word_keys


@contextmanager
def another_draw(number: int) -> Iterator[None]:
    """Inside, indexes are built with another sample and another start of the factorisation; 0 is the program's own."""

    def keys(words: Sequence[str]) -> NDArray[np.uint64]:
        own = word_keys(words)
        return spread(own + np.uint64(number)) if number else own

    with patch("seetopic.index.writer.word_keys", keys), patch("seetopic.vectors.local.factorise.word_keys", keys):
        yield
