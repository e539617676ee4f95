"""Numbers of things in sentences."""

from __future__ import annotations


def quantity(number: int, noun: str, plural: str | None = None) -> str:
    """A number with its noun: "1 document", "1,204 documents"."""
    return f"{number:,} {noun if number == 1 else plural or noun + 's'}"
