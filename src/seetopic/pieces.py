"""A corpus in pieces: consecutive records that any worker can open and read alone, where they lie."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from itertools import chain
from typing import Literal, Protocol, TypeAlias, TypeVar

from seetopic import readers
from seetopic.engine import Engine
from seetopic.errors import CorpusError
from seetopic.readers import Header, Stretch
from seetopic.records import Fault, Labelled, Record
from seetopic.stored import SeenFile, StoredFile

Item = TypeVar("Item")
Result = TypeVar("Result")
OnError: TypeAlias = Literal["raise", "skip"]
_FEW = 8  # pieces that are read before a worker has started
_DELIMITERS = {"csv": ",", "tsv": "\t"}


@dataclass(frozen=True)
class Rules:
    """How records become texts, and how many of them may be in memory at a time."""

    text_field: str
    label_field: str | None
    on_error: OnError
    most_documents: int
    most_characters: int


@dataclass
class Texts:
    """A shard: consecutive texts, cut by number and by size, so that one huge document cannot fill the memory."""

    texts: list[str] = field(default_factory=list)
    labels: list[tuple[str, ...]] = field(default_factory=list)  # of each text, where labels were asked for
    skipped: Counter[str] = field(default_factory=Counter)  # how many records were left out, by the reason


class Part(Protocol):
    """Where the records of a piece, or some of them, are."""

    def records(self, rules: Rules) -> Iterator[Record]: ...

    def check(self) -> None:
        """Refuse it if it has changed since the corpus was cut."""


@dataclass(frozen=True)
class Piece:
    """Consecutive records that can be read alone, wherever it is opened."""

    parts: tuple[Part, ...]
    rules: Rules

    def shards(self) -> Iterator[Texts]:
        """Its texts; several shards where it could not be cut small enough."""
        return shards_of(chain.from_iterable(part.records(self.rules) for part in self.parts), self.rules)

    def check(self) -> None:
        """For those who do not read it to its end, which is checked, too."""
        for part in self.parts:
            part.check()


def shards_of(records: Iterable[Record], rules: Rules) -> Iterator[Texts]:
    """What is kept of records, in shards, and with each what was left out; the last one may hold no text."""
    shard, characters = Texts(), 0
    for record in records:
        if type(record) is str:
            text = record
        elif isinstance(record, Fault):
            refuse_or_count(record, rules.on_error, shard.skipped)
            continue
        else:
            text = record[0]
        if not text.strip():
            shard.skipped["empty"] += 1
            continue
        shard.texts.append(text)
        if isinstance(record, Labelled):
            shard.labels.append(record.labels)
        characters += len(text)
        if len(shard.texts) >= rules.most_documents or characters >= rules.most_characters:
            yield shard
            shard, characters = Texts(), 0
    if shard.texts or shard.skipped:
        yield shard


def refuse_or_count(fault: Fault, on_error: OnError, skipped: Counter[str]) -> None:
    """A record that is not a document."""
    if on_error == "raise":
        raise CorpusError(
            f"{fault.place}: {fault.sentence}; mend it, or leave such records out with --on-error skip "
            '(in Python: on_error="skip")'
        )
    skipped[fault.kind] += 1


# Kinds of parts.


@dataclass(frozen=True)
class Held:
    """Records that travel with the piece, because only this process can read them."""

    held: tuple[Record, ...] = field(repr=False)

    def records(self, rules: Rules) -> Iterator[Record]:
        return iter(self.held)

    def check(self) -> None:
        """Nobody else can change it."""


@dataclass(frozen=True)
class _InFile(ABC):
    """Records of a file that must stay what it was when the corpus was cut."""

    seen: SeenFile

    @property
    def place(self) -> str:
        return self.seen.file.name

    def check(self) -> None:
        self.seen.check(self.place)

    def records(self, rules: Rules) -> Iterator[Record]:
        """Checked before and after: what is read while somebody writes may be a mixture."""
        self.check()
        try:
            yield from self._read(rules)
        except CorpusError:
            self.check()  # if it has changed, that is why
            raise
        self.check()

    @abstractmethod
    def _read(self, rules: Rules) -> Iterator[Record]:
        """The records, of a file that stays as it is."""


@dataclass(frozen=True)
class Lines(_InFile):
    """Whole lines of a plain file."""

    format: str
    start: int
    end: int
    first_line: int = 1
    n_lines: int | None = None  # where they were counted
    header: Header | None = None

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
        groups = readers.Groups(self.first, self.last, self.first_row)
        return readers.parquet(self.seen.file, rules.text_field, rules.label_field, groups)


@dataclass(frozen=True)
class Whole(_InFile):
    """A file that can only be read from its beginning: packed, or a table whose texts may hold line ends."""

    format: str

    def _read(self, rules: Rules) -> Iterator[Record]:
        return records_of(self.seen.file, self.format, rules)


@dataclass(frozen=True)
class TextFile(_InFile):
    """A file that is one document."""

    def _read(self, rules: Rules) -> Iterator[Record]:
        yield readers.whole_text(self.seen.file)


def records_of(file: StoredFile, file_format: str, rules: Rules) -> Iterator[Record]:
    """All records of a file, from beginning to end."""
    if file_format == "parquet":
        return readers.parquet(file, rules.text_field, rules.label_field)
    return _records(Stretch(file), file_format, rules)


def _records(stretch: Stretch, file_format: str, rules: Rules, header: Header | None = None) -> Iterator[Record]:
    if file_format == "txt":
        return readers.lines(stretch)
    if file_format == "jsonl":
        return readers.json_lines(stretch, rules.text_field, rules.label_field)
    return readers.table(stretch, _DELIMITERS[file_format], rules.text_field, rules.label_field, header)


# What this process reads.


@dataclass(frozen=True)
class Stream:
    """Records that only this process can read, or that only one could: they travel with their pieces."""

    records: Callable[[], Iterator[Record]]
    rules: Rules

    def pieces(self) -> Iterator[Piece]:
        held: list[Record] = []
        characters = 0
        for record in self.records():
            held.append(record)
            characters += len(record if isinstance(record, str) else record[0])
            if len(held) >= self.rules.most_documents or characters >= self.rules.most_characters:
                yield Piece((Held(tuple(held)),), self.rules)
                held, characters = [], 0
        if held:
            yield Piece((Held(tuple(held)),), self.rules)


@dataclass(frozen=True)
class Pieces:
    """The pieces of a corpus in order, as often as they are asked for."""

    cut: tuple[Piece | Stream, ...]

    def __iter__(self) -> Iterator[Piece]:
        for each in self.cut:
            if isinstance(each, Piece):
                yield each
            else:
                yield from each.pieces()

    def mapped(self, engine: Engine, work: Callable[[Item], Result], items: Iterable[Item]) -> Iterator[Result]:
        """Light work on all or some pieces: by the engine, unless it is done before workers have started.

        Where this process has to read the texts, it also does what is quicker than sending them away.
        """
        is_light = len(self.cut) <= _FEW or not all(isinstance(each, Piece) for each in self.cut)
        return map(work, items) if is_light else engine.map(work, items)
