"""CSV cells that no spreadsheet can run as a formula."""

from __future__ import annotations

import csv
import re
from collections.abc import Iterable
from typing import Any, Protocol

# No formula may follow wherever a spreadsheet could see a cell begin; some locales separate cells by `;`.
# The apostrophe is a mark too, so that one in the original text differs from an inserted one.
_CELL_START, _FORMULA_MARKS = r'((?:^|[;,"\t\r\n])\s*)', r"(?=[=+\-@'＝＋－＠])"
_UNGUARDED = re.compile(_CELL_START + _FORMULA_MARKS)
_GUARDED = re.compile(_CELL_START + "'" + _FORMULA_MARKS)
_QUOTED = re.compile(r'[,"\r\n]')


class Writable(Protocol):
    """Anything that text can be written to."""

    def write(self, text: str, /) -> object: ...


class SafeRows:
    """Writes rows as CSV with \\n line endings; texts are guarded."""

    def __init__(self, file: Writable) -> None:
        self._file = file
        # With this terminator the writer also quotes a text that contains a lone carriage return.
        self._rows = csv.writer(self, lineterminator="\r\n")

    def write(self, line: str) -> None:
        self._file.write(line.removesuffix("\r\n") + "\n")

    def add(self, cells: Iterable[Any]) -> None:
        self._rows.writerow([guarded(cell) if isinstance(cell, str) else cell for cell in cells])


def cell(text: str) -> str:
    """A text as `SafeRows` writes it in a row of several cells."""
    safe = guarded(text)
    return '"' + safe.replace('"', '""') + '"' if _QUOTED.search(safe) else safe


def guarded(text: str) -> str:
    """The text with an apostrophe wherever a spreadsheet could run a formula."""
    return _UNGUARDED.sub(r"\1'", text)


def unguarded(cell: str) -> str:
    """The text that `guarded` was called with."""
    return _GUARDED.sub(r"\1", cell)
