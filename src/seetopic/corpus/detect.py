"""What a file does not say about itself: the encoding of its text, its delimiter, and which column has the texts."""

from __future__ import annotations

import codecs
import csv
import io
import re
from collections.abc import Mapping, Sequence
from typing import Any

from seetopic.corpus.readers import field_size_limit
from seetopic.corpus.records import text_fault

SAMPLE = 1 << 20  # bytes at the beginning of a file that are looked at
_DELIMITERS = (",", ";", "\t", "|")
_ROWS_COMPARED = 20  # rows that must have as many cells as the header
_ACCENTED = 1 / 3  # other letters per ASCII letter, at most, in a language that is written with Windows-1252
_LONGEST_CELL = 1 << 24
_WORDS = re.compile(r"[^\W\d_]\S*\s+\S*[^\W\d_]")  # two words next to each other


def detected_encoding(sample: bytes) -> str | None:
    """The encoding of a text that is not UTF-8; None if it is, or if it is unclear what it is.

    Text with more valid than invalid UTF-8 characters is taken for damaged UTF-8, so that its faults are reported.
    """
    if sample.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        return "utf-16"
    read = codecs.getincrementaldecoder("utf-8")("surrogateescape").decode(sample)  # the last character may be cut
    invalid = sum("\udc80" <= character <= "\udcff" for character in read)
    others = sum(character > "\x7f" for character in read)
    letters = sum(character.isascii() and character.isalpha() for character in read)
    if not invalid or others - invalid >= invalid or others > _ACCENTED * letters or "\0" in read:
        return None
    try:
        sample.decode("cp1252")
    except UnicodeDecodeError:
        return "latin-1"
    return "cp1252"


def detected_delimiter(sample: str, text_field: str, *, is_whole: bool) -> str:
    """The delimiter of a CSV file: a comma, unless another one gives a proper table and the comma does not."""
    tables = {each: _cells(sample, each, is_whole) for each in _DELIMITERS}
    named = [each for each, rows in tables.items() if rows and text_field in rows[0]]
    proper = [each for each, rows in tables.items() if rows and _is_table(rows)]
    return next((each for each in (*named, *proper)), ",")


def _cells(sample: str, delimiter: str, is_whole: bool) -> list[list[str]]:
    found: list[list[str]] = []
    with field_size_limit(_LONGEST_CELL):
        try:
            for row in csv.reader(io.StringIO(sample, newline=""), delimiter=delimiter):
                found += [row] if row else []
                if len(found) > _ROWS_COMPARED:
                    return found
        except csv.Error:
            return []
    return found if is_whole else found[:-1]


def _is_table(rows: Sequence[Sequence[str]]) -> bool:
    return len(rows[0]) > 1 and all(len(row) == len(rows[0]) for row in rows)


def only_text_column(rows: Sequence[Mapping[str, Any]]) -> str | None:
    """The column whose values mostly have words next to each other; None if there are several, or none."""
    names = dict.fromkeys(name for row in rows for name in row if text_fault(name) is None)
    texts = [name for name in names if _is_text([row.get(name) for row in rows])]
    return texts[0] if len(texts) == 1 else None


def _is_text(values: Sequence[Any]) -> bool:
    given = [value for value in values if value is not None and value != ""]
    worded = sum(isinstance(value, str) and _WORDS.search(value) is not None for value in given)
    return 2 * worded > len(given)
