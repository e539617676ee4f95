"""Waiting for conditions, never for a fixed time."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any


def until(reached: Callable[[], Any], seconds: float = 120) -> Any:
    """Wait until a condition holds; fail if it never does."""
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        if found := reached():
            return found
        time.sleep(0.02)
    raise AssertionError(f"not reached within {seconds} seconds")
