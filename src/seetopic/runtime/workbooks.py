"""Excel workbooks; the same rows give the same bytes."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime
from itertools import chain
from pathlib import Path
from typing import Any

from seetopic.errors import MissingExtra, OutputError

SHEET_ROWS, SHEET_COLUMNS = 1_048_576, 16_384  # the limits of Excel
_CELL_CHARACTERS = 32_767


def xlsxwriter() -> Any:
    """The library; an error names the extra to install."""
    try:
        import xlsxwriter
    except ImportError as error:
        raise MissingExtra("writing a .xlsx table", "xlsx") from error
    return xlsxwriter


@contextmanager
def workbook(path: Path) -> Iterator[Any]:
    """A new workbook; texts stay texts, and it has no date."""
    options = {"constant_memory": True, "strings_to_formulas": False, "strings_to_urls": False}
    with xlsxwriter().Workbook(path, options) as book:
        book.set_properties({"created": datetime(2000, 1, 1, tzinfo=UTC)})
        yield book


def write_sheet(book: Any, name: str, header: Sequence[str], rows: Iterable[Iterable[Any]]) -> None:
    """Add a sheet; lists become texts separated by `|`, missing values empty cells."""
    sheet = book.add_worksheet(name)
    for number, row in enumerate(chain([header], rows)):
        if number >= SHEET_ROWS:
            raise OutputError(f"a sheet has at most {SHEET_ROWS:,} rows, but {name} have more; write .parquet")
        _write_row(sheet, number, row, header)


def _write_row(sheet: Any, number: int, values: Iterable[Any], header: Sequence[str]) -> None:
    for column, value in enumerate(values):
        shown = "|".join(map(str, value)) if isinstance(value, list) else value
        if isinstance(shown, str) and len(shown) > _CELL_CHARACTERS:
            raise OutputError(
                f"the column {header[column]!r} of row {number} has {len(shown):,} characters, but a cell of a sheet "
                f"has at most {_CELL_CHARACTERS:,}; write .csv or .parquet"
            )
        if isinstance(shown, str) and shown:
            sheet.write_string(number, column, shown)
        elif isinstance(shown, bool):
            sheet.write_boolean(number, column, shown)
        elif isinstance(shown, int | float):
            sheet.write_number(number, column, shown)
