"""Checks an Excel workbook before anything reads it: a small file can unpack to any size, or claim any number of cells.

Readers keep a sheet in memory from its first to its last cell, so two cells far apart take as much as a full sheet.
"""

from __future__ import annotations

import struct
import zipfile
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO
from xml.parsers import expat

from seetopic.errors import CorpusError
from seetopic.web.errors import TooLarge
from seetopic.web.limits import WORKBOOK_BYTES, WORKBOOK_CELLS

_CHUNK = 1 << 18
_HEADER = struct.Struct("<26xHH")  # of a file in the archive: the lengths of its name and of its extra field
_CELLS = b"sheetData"  # the element that holds the cells of a sheet


def check_workbook(path: Path, name: str) -> None:
    """Refuse a workbook that would take too much memory, or that is not one."""
    left = WORKBOOK_BYTES
    try:
        with zipfile.ZipFile(path) as archive, path.open("rb") as file:
            for member in archive.infolist():
                sheet = _Sheet()
                for chunk in _unpacked(file, member):
                    left -= len(chunk)
                    if left < 0:
                        raise TooLarge(
                            f"{name} unpacks to more than {WORKBOOK_BYTES:,} bytes; save it as CSV and open that"
                        )
                    sheet.read(chunk)
                    if sheet.cells > WORKBOOK_CELLS:
                        raise TooLarge(
                            f"a sheet of {name} spans {sheet.cells:,} cells, but at most {WORKBOOK_CELLS:,} can be "
                            "read; delete what is far from the table, or save it as CSV"
                        )
                if not sheet.is_well_formed and sheet.has_cells:
                    raise ValueError(f"{member.filename[:80]} is damaged")
    # A RuntimeError is how zipfile refuses a version of the format that it does not know.
    except (OSError, ValueError, EOFError, RuntimeError, zlib.error, struct.error, zipfile.BadZipFile) as error:
        if isinstance(error, CorpusError | TooLarge):
            raise
        raise CorpusError(f"{name} cannot be read as .xlsx ({error}); check that the file is complete") from error


def _unpacked(file: BinaryIO, member: zipfile.ZipInfo) -> Iterator[bytes]:
    """The contents of a file in an archive, whose own word on their size is not trusted."""
    file.seek(member.header_offset)
    file.seek(sum(_HEADER.unpack(file.read(_HEADER.size))), 1)
    left = member.compress_size
    if member.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
        raise ValueError("it is compressed in an unusual way")
    packed = None if member.compress_type == zipfile.ZIP_STORED else zlib.decompressobj(-zlib.MAX_WBITS)
    while left > 0 and (read := file.read(min(_CHUNK, left))):
        left -= len(read)
        if packed is None:
            yield read
            continue
        while read:
            yield packed.decompress(read, _CHUNK)
            read = packed.unconsumed_tail


class _Sheet:
    """How far the cells of a sheet reach, if a file is one."""

    def __init__(self) -> None:
        self.is_well_formed = True
        self.has_cells = False
        self._rows = self._columns = self._column = 0
        self._before = b""
        self._parser = expat.ParserCreate()
        self._parser.StartElementHandler = self._begin

    @property
    def cells(self) -> int:
        return self._rows * self._columns

    def read(self, chunk: bytes) -> None:
        self.has_cells = self.has_cells or _CELLS in self._before + chunk
        self._before = chunk[-len(_CELLS) :]
        if self.is_well_formed:
            try:
                self._parser.Parse(chunk)
            except expat.ExpatError:  # a picture, for example
                self.is_well_formed = False

    def _begin(self, name: str, attributes: dict[str, str]) -> None:
        kind = name.rpartition(":")[2]
        if kind not in ("row", "c"):
            return
        place = attributes.get("r", "").upper()
        letters = place.rstrip("0123456789")
        row = int(place[len(letters) :][:9] or 0)
        if kind == "row":
            self._rows, self._column = max(row, self._rows + 1), 0
        else:
            column = 0
            for letter in letters[:4]:
                column = 26 * column + ord(letter) - ord("A") + 1
            self._column = max(column, self._column + 1)
            self._rows, self._columns = max(row, self._rows), max(self._columns, self._column)
