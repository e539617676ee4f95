"""Warnings for the user: Python warnings, unless a caller shows them elsewhere."""

from __future__ import annotations

import inspect
import warnings
from collections.abc import Callable
from pathlib import Path

Warn = Callable[[str], None]
_PACKAGE = str(Path(__file__).parents[1])


def warn(sentence: str) -> None:
    """Issue a Python warning that points to the line that called this package, however deep its cause."""
    outside, level, frame = 1, 1, inspect.currentframe()
    while frame is not None:
        if frame.f_code.co_filename.startswith(_PACKAGE):
            outside = level + 1
        level, frame = level + 1, frame.f_back
    warnings.warn(sentence, UserWarning, stacklevel=outside)


def ignore(sentence: str) -> None:
    """For callers that read the same warnings from the finished index."""
