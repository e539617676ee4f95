"""Files cut into pieces: plain lines by bytes, Parquet by row groups, small files together, others as a whole."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from functools import partial
from itertools import pairwise
from typing import TypeAlias

import numpy as np

from seetopic import readers
from seetopic.arrays import Longs
from seetopic.engine import Engine
from seetopic.pieces import Lines, Part, Piece, RowGroups, Rules, Stream, TextFile, Whole
from seetopic.stored import SeenFile, StoredFile, seen

_SMALL = 1 << 18  # bytes of a plain file in which lines are not worth looking for
_SEARCHED = 64 << 20  # bytes of a file that one worker searches for lines
_READ = 4 << 20
_LARGEST_WHOLE = 256 << 20  # bytes of a file that one worker may read from its beginning to its end
_UNPACKED = 8  # how many times as large a packed file is in truth, as a rule
_FEW_STRETCHES = 4  # stretches that are searched before a worker has started

Weighed: TypeAlias = tuple[Part, int]  # with its size in bytes; parts that are large enough have the largest
Begins: TypeAlias = list[tuple[int, int]]  # a byte, and the number of lines before it


def cut_files(files: Sequence[StoredFile], file_format: str, rules: Rules, engine: Engine) -> list[Piece | Stream]:
    """Files of one format, in order."""
    known = [seen(file) for file in files]
    n_sequential = sum(_is_sequential(each.file, file_format) for each in known)
    streamed = [_is_streamed(each, file_format, n_sequential, engine) for each in known]
    cut = [each for each, is_streamed in zip(known, streamed, strict=True) if not is_streamed]
    found = _parquet(cut, rules, engine) if file_format == "parquet" else _text(cut, file_format, rules, engine)
    in_order: list[Stream | list[Weighed]] = [
        Stream(partial(Whole(each, file_format).records, rules), rules) if is_streamed else next(found)
        for each, is_streamed in zip(known, streamed, strict=True)
    ]
    return list(_together(in_order, rules))


def cut_folder(files: Iterable[StoredFile], rules: Rules) -> list[Piece | Stream]:
    """Files that are one document each."""
    known = [seen(file) for file in files]
    return list(_together([[(TextFile(each), each.size)] for each in known], rules))


def _is_sequential(file: StoredFile, file_format: str) -> bool:
    """Whether it can only be read from its beginning; the texts of a csv file may hold line ends."""
    return file_format == "csv" or file.is_packed or not file.can_seek


def _is_streamed(each: SeenFile, file_format: str, n_sequential: int, engine: Engine) -> bool:
    """Whether this process reads it: nobody else can, or it would keep one worker busy while the others wait."""
    reached = ("everywhere",) if engine.remote else ("everywhere", "this machine")
    if each.file.reach not in reached:
        return True
    return _is_sequential(each.file, file_format) and (n_sequential == 1 or each.size > _LARGEST_WHOLE)


def _together(parts: Iterable[Stream | list[Weighed]], rules: Rules) -> Iterator[Piece | Stream]:
    """Pieces in order; small parts share one."""
    least = -(-rules.most_characters // rules.most_documents)  # a part has at least one document
    waiting: list[Part] = []
    total = 0
    for each in parts:
        weighed = [] if isinstance(each, Stream) else each
        for part, size in weighed:
            weight = max(size, least)
            if waiting and total + weight > rules.most_characters:
                yield Piece(tuple(waiting), rules)
                waiting, total = [], 0
            waiting.append(part)
            total += weight
        if isinstance(each, Stream):
            if waiting:
                yield Piece(tuple(waiting), rules)
                waiting, total = [], 0
            yield each
    if waiting:
        yield Piece(tuple(waiting), rules)


# Lines.


def _text(files: Sequence[SeenFile], file_format: str, rules: Rules, engine: Engine) -> Iterator[list[Weighed]]:
    small = min(_SMALL, rules.most_characters)
    searched = [
        range(0, each.size, _SEARCHED) if each.size > small and not _is_sequential(each.file, file_format) else range(0)
        for each in files
    ]
    items = [
        (each, first, min(first + _SEARCHED, each.size))
        for each, firsts in zip(files, searched, strict=True)
        for first in firsts
    ]
    search = partial(line_begins, most_lines=rules.most_documents, most_bytes=rules.most_characters)
    found = engine.map(search, items) if len(items) > _FEW_STRETCHES else map(search, items)
    for each, firsts in zip(files, searched, strict=True):
        if firsts:
            lines = _lines(each, file_format, [next(found) for _ in firsts])
            yield [(part, rules.most_characters) for part in lines]
        elif _is_sequential(each.file, file_format):
            yield [(Whole(each, file_format), each.size * (_UNPACKED if each.file.is_packed else 1))]
        else:
            yield [(Lines(each, file_format, 0, each.size), each.size)]


def _lines(file: SeenFile, file_format: str, found: Iterable[tuple[Begins, int]]) -> list[Lines]:
    """Parts of a file from what its stretches hold."""
    header = readers.header_of(file.file, "\t") if file_format == "tsv" else None
    begins: Begins = []
    before = 0
    for own, n_lines in found:
        begins += [(byte, before + line) for byte, line in own]
        before += n_lines
    return [
        Lines(file, file_format, start, end, line + 1, last - line, header)
        for (start, line), (end, last) in pairwise([*begins, (file.size, before)])
    ]


def line_begins(stretch: tuple[SeenFile, int, int], most_lines: int, most_bytes: int) -> tuple[Begins, int]:
    """Where parts begin among the lines that begin in a stretch of a file, and how many lines do."""
    file, first, end = stretch
    begins: Begins = [(0, 0)] if first == 0 else []
    n_lines = len(begins)
    at = max(first - 1, 0)  # a line begins behind the end of the one before
    with file.file.open() as opened:
        opened.seek(at)
        while read := opened.read(min(_READ, end - 1 - at)):
            lines: Longs = np.flatnonzero(np.frombuffer(read, np.uint8) == ord("\n")) + (at + 1)
            begins += _cut(lines, n_lines, begins[-1:], most_lines, most_bytes)
            n_lines += len(lines)
            at += len(read)
    return begins, n_lines


def _cut(lines: Longs, n_before: int, current: Begins, most_lines: int, most_bytes: int) -> Begins:
    """The beginnings of further parts, behind the current one."""
    cut = current[:]
    while True:
        at = 0
        if cut:
            byte, line = cut[-1]
            at = min(line + most_lines - n_before, int(np.searchsorted(lines, byte + most_bytes)))
        if at >= len(lines):
            return cut[len(current) :]
        cut.append((int(lines[at]), n_before + at))


# Parquet.


def _parquet(files: Sequence[SeenFile], rules: Rules, engine: Engine) -> Iterator[list[Weighed]]:
    search = partial(_row_groups, rules=rules)
    return engine.map(search, files) if len(files) > _FEW_STRETCHES else map(search, files)


def _row_groups(file: SeenFile, rules: Rules) -> list[Weighed]:
    """Row groups, small ones together; a packed file cannot be read by position."""
    if _is_sequential(file.file, "parquet"):
        return [(Whole(file, "parquet"), file.size * _UNPACKED)]
    with readers.parquet_file(file.file, file.file.name) as opened:
        about = opened.metadata
        groups = [about.row_group(number) for number in range(about.num_row_groups)]
        sizes = [(each.num_rows, each.total_byte_size) for each in groups]
    parts: list[Weighed] = []
    first = row = rows = size = 0
    for number, (n_rows, n_bytes) in enumerate(sizes):
        rows, size = rows + n_rows, size + n_bytes
        if rows >= rules.most_documents or size >= rules.most_characters or number == len(sizes) - 1:
            weight = max(size, rows * rules.most_characters // rules.most_documents)
            parts.append((RowGroups(file, first, number, row + 1), weight))
            first, row, rows, size = number + 1, row + rows, 0, 0
    return parts
