"""Cells of tables that people open in a spreadsheet: none of them may be run as a formula."""

from __future__ import annotations

import csv
import re
from collections.abc import Iterable
from typing import Any, Protocol

# Where a spreadsheet could see a cell begin (another country's parts cells at `;`), a formula must not follow.
# The apostrophe is one of the marks, so that one that was there before is told from one put in.
_CELL_START, _FORMULA_MARKS = r'((?:^|[;,"\t\r\n])\s*)', r"(?=[=+\-@'＝＋－＠])"
_UNGUARDED = re.compile(_CELL_START + _FORMULA_MARKS)
_GUARDED = re.compile(_CELL_START + "'" + _FORMULA_MARKS)
_QUOTED = re.compile(r'[,"\r\n]')


class Writable(Protocol):
    """Whatever text can be written to."""

    def write(self, text: str, /) -> object: ...


class SafeRows:
    """Writes rows as CSV, lines end with \\n; texts are guarded."""

    def __init__(self, file: Writable) -> None:
        self._file = file
        # Told that lines end so, the writer puts a text with a lone carriage return in quotes, too.
        self._rows = csv.writer(self, lineterminator="\r\n")

    def write(self, line: str) -> None:
        self._file.write(line.removesuffix("\r\n") + "\n")

    def add(self, cells: Iterable[Any]) -> None:
        self._rows.writerow([guarded(cell) if isinstance(cell, str) else cell for cell in cells])


def cell(text: str) -> str:
    """A text as it stands in a row of several cells that `SafeRows` writes."""
    safe = guarded(text)
    return '"' + safe.replace('"', '""') + '"' if _QUOTED.search(safe) else safe


def guarded(text: str) -> str:
    """The text with an apostrophe wherever a spreadsheet could run a formula."""
    return _UNGUARDED.sub(r"\1'", text)


def unguarded(cell: str) -> str:
    """What `guarded` was given."""
    return _GUARDED.sub(r"\1", cell)
