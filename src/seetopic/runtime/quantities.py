"""Numbers and lists of things in sentences."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import accumulate


def quantity(number: int, noun: str, plural: str | None = None) -> str:
    """A number with its noun: "1 document", "1,204 documents"."""
    return f"{number:,} {noun if number == 1 else plural or noun + 's'}"


def listed(texts: Iterable[str], room: int | None = None) -> str:
    """Texts as in a sentence: "a, b and c"; in quotes if one of them contains a comma or "and".

    Of those that take more than `room` characters, the last ones are only counted: "a, b and 7 more".
    """
    given = list(texts)
    is_unclear = len(given) > 1 and any("," in text or " and " in text for text in given)
    shown = [repr(text) for text in given] if is_unclear else given
    if room is not None:
        ends = accumulate(len(text) + 2 for text in shown)
        shown = [text for text, end in zip(shown, ends, strict=True) if end <= room] or shown[:1]
    rest = [f"{len(given) - len(shown):,} more"] if len(shown) < len(given) else []
    *before, last = [*shown, *rest]
    return f"{', '.join(before)} and {last}" if before else last
