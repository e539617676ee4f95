"""Files split into pieces: lines by bytes, Parquet by row groups; small files share a piece, others stay whole."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import chain, pairwise
from typing import Any, Literal, Protocol, TypeAlias, TypeVar

import numpy as np

from seetopic.corpus import arrow_files, readers
from seetopic.corpus.readers import Dialect, Stretch, TableHeader
from seetopic.corpus.records import Fault, Fields, Labelled, Record, Row
from seetopic.corpus.storage import SeenFile, StoredFile, seen
from seetopic.errors import CorpusError
from seetopic.runtime import Engine, Longs

Item = TypeVar("Item")
Result = TypeVar("Result")
OnError: TypeAlias = Literal["raise", "skip"]
_FEW = 8  # up to this many pieces, reading is faster than starting workers
# Quotes in tab-separated files are plain characters more often than not.
DIALECTS = {"csv": Dialect(",", quoted=True), "tsv": Dialect("\t", quoted=False)}


@dataclass(frozen=True)
class Rules:
    """How records become texts, and how many may be in memory at a time."""

    fields: Fields
    on_error: OnError
    most_documents: int
    most_characters: int
    delimiter: str | None = None  # of a table's cells; None: that of its format
    every_row: bool = False  # whether empty and faulty records count as documents without text

    def dialect(self, file_format: str) -> Dialect:
        usual = DIALECTS[file_format]
        return usual if self.delimiter is None else usual._replace(delimiter=self.delimiter)


@dataclass
class TextShard:
    """Consecutive texts, limited in number and size, so that huge documents do not fill the memory."""

    texts: list[str] = field(default_factory=list)
    labels: list[tuple[str, ...]] = field(default_factory=list)  # of each text, if labels are read
    skipped: Counter[str] = field(default_factory=Counter)  # number of skipped records by reason
    columns: list[dict[str, Any]] = field(default_factory=list)  # of each text, if columns are kept
    problems: dict[int, str] = field(default_factory=dict)  # why a text is empty, by its place, if every row counts


class PieceRange(Protocol):
    """Where some or all records of a piece are."""

    def records(self, rules: Rules) -> Iterator[Record]: ...

    def check(self) -> None:
        """Refuse it if it has changed since the corpus was split."""


@dataclass(frozen=True)
class Piece:
    """Consecutive records that any worker can read independently."""

    parts: tuple[PieceRange, ...]
    rules: Rules

    def shards(self) -> Iterator[TextShard]:
        """Its texts, in several shards if it could not be split finely enough."""
        return shards_of(chain.from_iterable(part.records(self.rules) for part in self.parts), self.rules)

    def check(self) -> None:
        """For callers that do not read to the end, where the check is automatic."""
        for part in self.parts:
            part.check()


def shards_of(records: Iterable[Record], rules: Rules) -> Iterator[TextShard]:
    """The texts of records in shards, each with counts of its skipped records; the last shard may contain no texts."""
    shard, characters = TextShard(), 0
    for each in records:
        # Nearly all are plain strings, for which the first test is enough.
        record, columns = (each, None) if type(each) is str or not isinstance(each, Row) else each
        text, problem = "", None
        if type(record) is str:
            text = record
        elif isinstance(record, Fault):
            refuse_or_count(record, rules.on_error, shard.skipped)
            problem = f"{record.place} {record.sentence}"
        else:
            text = record[0]
        if not text.strip():
            if problem is None:
                shard.skipped["empty"] += 1
            if not rules.every_row:
                continue
            shard.problems[len(shard.texts)] = problem or "empty"
        shard.texts.append(text)
        if isinstance(record, Labelled):
            shard.labels.append(record.labels)
        if columns is not None:
            shard.columns.append(columns)
        characters += len(text) if columns is None else _size(each)
        if len(shard.texts) >= rules.most_documents or characters >= rules.most_characters:
            yield shard
            shard, characters = TextShard(), 0
    if shard.texts or shard.skipped:
        yield shard


def _size(record: Record) -> int:
    """About how many characters it takes."""
    if isinstance(record, Row):
        return _size(record.record) + sum(len(value) for value in record.columns.values() if isinstance(value, str))
    return len(record if isinstance(record, str) else record[0])


def refuse_or_count(fault: Fault, on_error: OnError, skipped: Counter[str]) -> None:
    """Refuse a faulty record, or count it as skipped."""
    if on_error == "raise":
        named = "name the encoding of the file with --encoding, " if fault.kind == "not UTF-8" else ""
        raise CorpusError(
            f"{fault.place} {fault.sentence}; fix it, {named}or leave out such records with --on-error skip "
            '(in Python: on_error="skip")'
        )
    skipped[fault.kind] += 1


# Kinds of parts.


@dataclass(frozen=True)
class Held:
    """Records that are sent with the piece, because only this process can read them."""

    held: tuple[Record, ...] = field(repr=False)

    def records(self, rules: Rules) -> Iterator[Record]:
        return iter(self.held)

    def check(self) -> None:
        """Records in memory do not change."""


@dataclass(frozen=True)
class _InFile(ABC):
    """Records of a file that must not change after the corpus is split."""

    seen: SeenFile

    @property
    def place(self) -> str:
        return self.seen.file.name

    def check(self) -> None:
        self.seen.check(self.place)

    def records(self, rules: Rules) -> Iterator[Record]:
        """Checked before and after, because a file that is being written may mix old and new content."""
        self.check()
        try:
            yield from self._read(rules)
        except CorpusError:
            self.check()  # if it has changed, that is the cause
            raise
        self.check()

    @abstractmethod
    def _read(self, rules: Rules) -> Iterator[Record]:
        """The records, if the file does not change."""


@dataclass(frozen=True)
class Lines(_InFile):
    """Whole lines of an uncompressed file."""

    format: str
    start: int
    end: int
    first_line: int = 1
    n_lines: int | None = None  # if they were counted
    header: TableHeader | None = None

    def _read(self, rules: Rules) -> Iterator[Record]:
        stretch = Stretch(self.seen.file, self.start, self.end, self.first_line)
        return _records(stretch, self.format, rules, self.header)

    @property
    def place(self) -> str:
        if self.n_lines is None:
            return self.seen.file.name
        return f"{self.seen.file.name}, lines {self.first_line} to {self.first_line + self.n_lines - 1}"


@dataclass(frozen=True)
class RowGroups(_InFile):
    """Row groups of a Parquet file."""

    first: int
    last: int
    first_row: int

    @property
    def place(self) -> str:
        return f"{self.seen.file.name}, row groups {self.first + 1} to {self.last + 1}"

    def _read(self, rules: Rules) -> Iterator[Record]:
        groups = arrow_files.GroupRange(self.first, self.last, self.first_row)
        return arrow_files.parquet(self.seen.file, rules.fields, groups)


@dataclass(frozen=True)
class Whole(_InFile):
    """A file that can only be read from its beginning: compressed, or a table whose texts may contain line breaks."""

    format: str

    def _read(self, rules: Rules) -> Iterator[Record]:
        return records_of(self.seen.file, self.format, rules)


@dataclass(frozen=True)
class TextFile(_InFile):
    """A file that is one document."""

    def _read(self, rules: Rules) -> Iterator[Record]:
        yield readers.whole_text(self.seen.file, rules.fields)


def records_of(file: StoredFile, file_format: str, rules: Rules) -> Iterator[Record]:
    """All records of a file, from beginning to end."""
    whole = {
        "parquet": arrow_files.parquet,
        "arrow": arrow_files.arrow,
        "json": readers.json_array,
        "xlsx": readers.sheet,
    }
    if file_format in whole:
        return whole[file_format](file, rules.fields)
    return _records(Stretch(file), file_format, rules)


def _records(stretch: Stretch, file_format: str, rules: Rules, header: TableHeader | None = None) -> Iterator[Record]:
    if file_format == "txt":
        return readers.lines(stretch)
    if file_format == "jsonl":
        return readers.json_lines(stretch, rules.fields)
    return readers.table(stretch, rules.dialect(file_format), rules.fields, header)


# What this process reads.


@dataclass(frozen=True)
class Stream:
    """Records that only one process can read, so this one does; they are sent with their pieces."""

    records: Callable[[], Iterator[Record]]
    rules: Rules
    file: Whole | None = None  # that they come from, if it is read bit by bit

    def beginning(self, characters: int) -> tuple[Piece, float]:
        """The first records of its file, with at least as many characters if it has them, and their share of it."""
        if self.file is None:
            raise ValueError("only a file has a beginning of known size")
        seen, watched = self.file.seen.watched
        held: list[Record] = []
        position = 0
        for record in replace(self.file, seen=seen).records(self.rules):
            if watched.position != position and characters <= 0:  # all records up to the position before have come
                return Piece((Held(tuple(held)),), self.rules), position / seen.size
            position = watched.position
            held.append(record)
            characters -= _size(record)
        return Piece((Held(tuple(held)),), self.rules), 1.0

    def pieces(self) -> Iterator[Piece]:
        held: list[Record] = []
        characters = 0
        for record in self.records():
            held.append(record)
            characters += _size(record)
            if len(held) >= self.rules.most_documents or characters >= self.rules.most_characters:
                yield Piece((Held(tuple(held)),), self.rules)
                held, characters = [], 0
        if held:
            yield Piece((Held(tuple(held)),), self.rules)


@dataclass(frozen=True)
class Pieces:
    """The pieces of a corpus in order, which can be iterated repeatedly."""

    cut: tuple[Piece | Stream, ...]

    @property
    def size(self) -> int:
        """The bytes of all files."""
        streamed = [each.file for each in self.streams]
        others = [part for each in self.cut if isinstance(each, Piece) for part in each.parts]
        return sum(each.size for each in {part.seen for part in [*streamed, *others] if isinstance(part, _InFile)})

    @property
    def streams(self) -> list[Stream]:
        return [each for each in self.cut if isinstance(each, Stream)]

    def __iter__(self) -> Iterator[Piece]:
        for each in self.cut:
            if isinstance(each, Piece):
                yield each
            else:
                yield from each.pieces()

    def mapped(self, engine: Engine, work: Callable[[Item], Result], items: Iterable[Item]) -> Iterator[Result]:
        """Light work on all or some pieces, by the engine unless this process is faster alone.

        If this process has to read the texts, it also does the work, which is faster than sending them.
        """
        is_light = len(self.cut) <= _FEW or not all(isinstance(each, Piece) for each in self.cut)
        return map(work, items) if is_light else engine.map(work, items)


_SMALL = 1 << 18  # bytes up to which a file is not worth searching for lines
_SEARCHED = 64 << 20  # bytes of a file that one worker searches for lines
_READ = 4 << 20
_LARGEST_WHOLE = 256 << 20  # bytes up to which one worker may read a file from beginning to end
_UNPACKED = 8  # typical compression ratio
_READ_GRADUALLY = ("txt", "jsonl", "csv", "tsv")  # the other formats may have to be read as a whole
_FEW_STRETCHES = 4  # up to this many stretches, searching is faster than starting workers

Weighed: TypeAlias = tuple[PieceRange, int]  # with its size in bytes; a part that fills a piece has the maximum
Begins: TypeAlias = list[tuple[int, int]]  # byte offsets, each with the number of lines before it


def cut_files(files: Sequence[StoredFile], file_format: str, rules: Rules, engine: Engine) -> list[Piece | Stream]:
    """The pieces of files of one format, in order."""
    known = [seen(file) for file in files]
    n_sequential = sum(_is_sequential(each.file, file_format) for each in known)
    streamed = [_is_streamed(each, file_format, n_sequential, engine) for each in known]
    cut = [each for each, is_streamed in zip(known, streamed, strict=True) if not is_streamed]
    found = _parquet(cut, rules, engine) if file_format == "parquet" else _text(cut, file_format, rules, engine)
    in_order: list[Stream | list[Weighed]] = [
        _stream(Whole(each, file_format), rules) if is_streamed else next(found)
        for each, is_streamed in zip(known, streamed, strict=True)
    ]
    return list(_together(in_order, rules))


def _stream(file: Whole, rules: Rules) -> Stream:
    return Stream(partial(file.records, rules), rules, file if file.format in _READ_GRADUALLY else None)


def cut_folder(files: Iterable[StoredFile], rules: Rules) -> list[Piece | Stream]:
    """The pieces of files that are one document each."""
    known = [seen(file) for file in files]
    return list(_together([[(TextFile(each), each.size)] for each in known], rules))


def _is_sequential(file: StoredFile, file_format: str) -> bool:
    """Whether it can only be read from its beginning; the texts of a CSV file may contain line breaks."""
    by_position = file_format in ("txt", "jsonl", "tsv", "parquet") and file.encoding is None
    return not by_position or file.is_packed or not file.can_seek


def _is_streamed(each: SeenFile, file_format: str, n_sequential: int, engine: Engine) -> bool:
    """Whether this process reads it: no other can, or it would keep one worker busy while the others wait."""
    reached = ("everywhere",) if engine.remote else ("everywhere", "this machine")
    if each.file.reach not in reached:
        return True
    return _is_sequential(each.file, file_format) and (n_sequential == 1 or each.size > _LARGEST_WHOLE)


def _together(parts: Iterable[Stream | list[Weighed]], rules: Rules) -> Iterator[Piece | Stream]:
    """Pieces in order; small parts share a piece."""
    least = -(-rules.most_characters // rules.most_documents)  # a part has at least one document
    waiting: list[PieceRange] = []
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
            lines = _lines(each, file_format, rules, [next(found) for _ in firsts])
            yield [(part, rules.most_characters) for part in lines]
        elif _is_sequential(each.file, file_format):
            yield [(Whole(each, file_format), each.size * (_UNPACKED if each.file.is_packed else 1))]
        else:
            yield [(Lines(each, file_format, 0, each.size), each.size)]


def _lines(file: SeenFile, file_format: str, rules: Rules, found: Iterable[tuple[Begins, int]]) -> list[Lines]:
    """Parts of a file, from the lines found in its stretches."""
    header = readers.header_of(file.file, rules.dialect(file_format)) if file_format == "tsv" else None
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
    """Where parts begin within a stretch of a file, and how many lines begin there."""
    file, first, end = stretch
    begins: Begins = [(0, 0)] if first == 0 else []
    n_lines = len(begins)
    at = max(first - 1, 0)  # a line begins after the line break before it
    with file.file.open() as opened:
        opened.seek(at)
        while read := opened.read(min(_READ, end - 1 - at)):
            lines: Longs = np.flatnonzero(np.frombuffer(read, np.uint8) == ord("\n")) + (at + 1)
            begins += _cut(lines, n_lines, begins[-1:], most_lines, most_bytes)
            n_lines += len(lines)
            at += len(read)
    return begins, n_lines


def _cut(lines: Longs, n_before: int, current: Begins, most_lines: int, most_bytes: int) -> Begins:
    """The beginnings of further parts, after the current one."""
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
    """Row groups, small ones together; a compressed file cannot be read by position."""
    if _is_sequential(file.file, "parquet"):
        return [(Whole(file, "parquet"), file.size * _UNPACKED)]
    with arrow_files.parquet_file(file.file, file.file.name) as opened:
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
