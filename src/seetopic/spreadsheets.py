"""Cells of tables that people open in a spreadsheet: none of them may be run as a formula."""

from __future__ import annotations

import re

# Where a spreadsheet could see a cell begin (another country's parts cells at `;`), a formula must not follow.
# The apostrophe is one of the marks, so that one that was there before is told from one put in.
_CELL_START, _FORMULA_MARKS = r'((?:^|[;,"\t\r\n])\s*)', r"(?=[=+\-@'＝＋－＠])"
_UNGUARDED = re.compile(_CELL_START + _FORMULA_MARKS)
_GUARDED = re.compile(_CELL_START + "'" + _FORMULA_MARKS)


def guarded(text: str) -> str:
    """The text with an apostrophe wherever a spreadsheet could run a formula."""
    return _UNGUARDED.sub(r"\1'", text)


def unguarded(cell: str) -> str:
    """What `guarded` was given."""
    return _GUARDED.sub(r"\1", cell)
