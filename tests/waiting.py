"""Waiting for conditions, never for a fixed time."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any


def until(reached: Callable[[], Any], seconds: float = 120, longest_pause: float = 0.1) -> Any:
    """Wait until a condition holds; fail if it never does."""
    end = time.monotonic() + seconds
    pause = 0.005  # longer and longer, because asking takes time from what is waited for
    while time.monotonic() < end:
        if found := reached():
            return found
        time.sleep(pause)
        pause = min(1.5 * pause, longest_pause)
    raise AssertionError(f"not reached within {seconds} seconds")
