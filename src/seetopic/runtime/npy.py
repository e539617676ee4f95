"""Arrays in `.npy` files, with a header parser that several threads can use at once.

NumPy's parser uses `ast`, which fails at random when two threads use it at once (CPython issue 106905).
"""

from __future__ import annotations

import io
import math
import os
import re
import struct
import threading
import weakref
import zlib
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import IO, Any, NamedTuple
from zipfile import BadZipFile, ZipFile

import numpy as np

from seetopic.errors import DamagedIndex

_MAGIC = b"\x93NUMPY\x01\x00"  # including the version of the format
_HEADER = re.compile(
    r"\{'descr': '([<>|](?:b1|[iu][1248]|f[248]))', 'fortran_order': (False|True), "
    r"'shape': \(((?:\d{1,19}, ?)*(?:\d{1,19})?)\), \} *\n"
)
_LONGEST = 1 << 10  # bytes of a header that are read


class Header(NamedTuple):
    """The type and shape of an array, and where its values begin in the file."""

    dtype: np.dtype[Any]
    shape: tuple[int, ...]
    by_columns: bool
    start: int

    @property
    def n_values(self) -> int:
        return math.prod(self.shape)

    @property
    def end(self) -> int:
        return self.start + self.n_values * self.dtype.itemsize

    def shaped(self, values: Any) -> Any:
        return values.reshape(self.shape, order="F" if self.by_columns else "C")


def read_header(file: IO[bytes]) -> Header:
    """The header of an open file; raises `ValueError` unless `np.save` would write it for plain numbers."""
    magic = file.read(len(_MAGIC) + 2)
    if magic[: len(_MAGIC)] != _MAGIC or len(magic) < len(_MAGIC) + 2:
        raise ValueError("it is not a version 1.0 .npy file")
    (length,) = struct.unpack("<H", magic[len(_MAGIC) :])
    found = _HEADER.fullmatch(file.read(min(length, _LONGEST)).decode("latin-1"))
    if found is None:
        raise ValueError("its header does not describe an array of numbers")
    shape = tuple(int(each) for each in found[3].split(",") if each.strip())
    return Header(np.dtype(found[1]), shape, found[2] == "True", len(magic) + length)


def load_array(path: Path) -> Any:
    """Read an array, as `np.load` does."""
    with path.open("rb") as file:
        header = read_header(file)
        if os.fstat(file.fileno()).st_size < header.end:
            raise ValueError(f"{path} is shorter than its header says")
        return header.shaped(np.fromfile(file, header.dtype, header.n_values))


def map_array(path: Path) -> Any:
    """Map an array read-only, as `np.load` does."""
    with path.open("rb") as file:
        header = read_header(file)
    return np.memmap(path, header.dtype, "r", header.start, header.shape, "F" if header.by_columns else "C")


class LongArray:
    """A one-dimensional array that stays in its file and is read in parts.

    If the file is truncated meanwhile, reading raises an error; with a memory map it would kill the process. Each part
    must pass `check` when it is read: to read all of a large file first takes longer than what is done with it.
    """

    def __init__(self, file: io.FileIO, header: Header, name: str, check: Callable[[Any], bool]) -> None:
        self._check = check
        self.dtype = header.dtype
        self.ndim = len(header.shape)
        self._file, self._start, self._length, self._name = file, header.start, header.n_values, name
        self._lock = threading.Lock()
        weakref.finalize(self, file.close)

    def __len__(self) -> int:
        return self._length

    def __getitem__(self, part: slice) -> Any:
        first, last, step = part.indices(self._length)
        found = np.empty(max(last - first, 0), self.dtype)
        left = found.view(np.uint8).data
        with self._lock:
            self._file.seek(self._start + first * self.dtype.itemsize)
            while left and (n_read := self._file.readinto(left)):
                left = left[n_read:]
        if left:
            raise DamagedIndex(f"{self._name} was truncated while it was being read; build the index again")
        if not self._check(found):
            raise DamagedIndex(f"{self._name} does not match the other files of the index; build the index again")
        return found[::step]

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> Any:
        return np.asarray(self[:], dtype)


def blocks(array: Any, size: int = 1 << 20, overlap: int = 0) -> Iterator[tuple[int, Any]]:
    """A one-dimensional array in blocks, each with its offset; a block may overlap the start of the next."""
    for first in range(0, len(array), size):
        yield first, array[first : first + size + overlap]


def arrays_in(archive: Path) -> dict[str, Any]:
    """The arrays that `np.savez` wrote; raises `ValueError` if the archive is damaged."""
    try:
        with ZipFile(archive) as members:
            return {name.removesuffix(".npy"): _array_of(members.read(name)) for name in members.namelist()}
    except (BadZipFile, RuntimeError, struct.error, zlib.error, LookupError, OverflowError, EOFError) as error:
        raise ValueError(f"{archive} is damaged ({error})") from error


def _array_of(data: bytes) -> Any:
    header = read_header(io.BytesIO(data))
    if len(data) != header.end:
        raise ValueError("its size does not match its header")
    return header.shaped(np.frombuffer(bytearray(data), header.dtype, offset=header.start))
