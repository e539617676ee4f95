"""Sorts a whole corpus into a table, which is written completely or not at all; an interrupted run resumes.

First, workers sort every shard into a file of its own, a part. Once all parts exist, the number of each document and
the required share are known, and the parts become rows of the table, in order.
"""

from __future__ import annotations

import hashlib
import os
import shutil
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from contextlib import closing
from dataclasses import asdict, dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import orjson

from seetopic.classify.placement import STEPS, AssignmentRule, AssignOptions, Bounds
from seetopic.classify.rows import Kind, SortedRows, blank, column_kind, columns_of
from seetopic.classify.sorter import Sorter
from seetopic.classify.tables import Table, table_for
from seetopic.classify.taught import taught_sorter
from seetopic.corpus import Documents, Keep, OnError, Piece, TextShard, as_judgements, as_keep, open_documents
from seetopic.errors import CorpusError, SettingsError
from seetopic.index import Index, exclusive, is_index
from seetopic.runtime import (
    Engine,
    Flags,
    Floats,
    Longs,
    Progress,
    Shorts,
    available_cores,
    cache_folder,
    engine_for,
    place_of_file,
    read_json,
    refuse_to_replace,
    silent,
    warn,
    write_json,
    writing,
    written_whole,
)
from seetopic.settings import TextSettings
from seetopic.vectors import TermEncoder, VectorCache, encoder_for
from seetopic.version import __version__

_SHARDS = TextSettings(shard_documents=2048)  # small, because a shard's shares in all categories are in memory at once


@dataclass(frozen=True)
class Reader:
    """The language model that reads documents, if requested."""

    encoder: TermEncoder
    cache: VectorCache
    n_jobs: int


@dataclass(frozen=True)
class _Read:
    """A shard of documents that the language model has read, or that an index has."""

    shard: TextShard
    vectors: Floats | None = None  # None if they have already been sorted
    words: list[list[str]] | None = None  # of the documents of an index, which are not tokenised again


@dataclass(frozen=True)
class StoredDocuments:
    """The documents of an index, and the columns to keep of those that it has."""

    index: Index
    keep: Keep = ()

    def kept_columns(self) -> tuple[str, ...]:
        return self.index.column_names if self.keep == "all" else self.keep

    def shards(self) -> Iterator[tuple[int, _Read]]:
        columns = {name: self.index.column(name) for name in self.kept_columns()}
        for number, first in enumerate(range(0, len(self.index), _SHARDS.shard_documents)):
            last = min(first + _SHARDS.shard_documents, len(self.index))
            words = [self.index.texts.words_of(document) for document in range(first, last)]
            rows = [{name: column[document] for name, column in columns.items()} for document in range(first, last)]
            yield number, _Read(TextShard([" ".join(each) for each in words], columns=rows), words=words)


class CategoryCounts(Counter[str]):
    """The number of documents in each category; `""` counts those without one."""

    documents = 0  # in total, because one may be in several categories


@dataclass(frozen=True)
class _Sorted:
    """The result for one piece."""

    parts: dict[str, tuple[int, Shorts]] = field(default_factory=dict)  # by name, its rows and documents' best shares
    kinds: dict[str, set[Kind]] = field(default_factory=dict)  # of the values in each kept column
    skipped: Counter[str] = field(default_factory=Counter)


def assign(
    documents: Any,
    topics: str | Path | Sorter,
    out: str | Path,
    *,
    threshold: float = 0.0,
    rate: float | None = None,
    several: bool = False,
    read: bool = False,
    judgements: Any = None,
    text_field: str | None = None,
    on_error: OnError = "skip",
    keep: Keep | Sequence[str] = (),
    problems: Counter[str] | None = None,
    n_jobs: int | None = None,
    engine: str = "local",
    address: str | None = None,
    device: str = "auto",
    cache: str | Path | None = None,
    progress: Progress = silent,
) -> CategoryCounts:
    """Sort documents into categories and write a table with one row for every row of the input.

    `documents` are as `open_documents` takes them, or an index, whose documents and kept columns the table gets.
    `topics` is a `Sorter` or the folder that `seetopic discover --out` wrote. With `read`, the language model also
    reads the documents, which is more accurate but slower. `judgements`, as for `SeeTopic.teach`, correct the sorter;
    documents must be given as text. `keep` names columns of the input that the table gets, too. Rows that are empty or,
    unless `on_error` is "raise", cannot be read have a `problem` instead of a category; `problems` counts them by
    reason. The options are those of `seetopic assign`. Returns the number of documents in each category, and their
    total as `documents`; `""` counts those without a category.
    """
    options = AssignOptions(threshold=threshold, rate=rate, several=several)
    if not isinstance(topics, str | Path | Sorter):
        raise SettingsError(
            f"`topics` is a {type(topics).__name__}, but must be the folder that `seetopic discover --out` wrote, or a "
            "Sorter: model.sorter_, or sorter_for(index, names)"
        )
    sorter = topics if isinstance(topics, Sorter) else Sorter.load(topics)
    table_for(Path(out), sorter.names, sorter.terms)  # refuses an unknown format before anything is read
    source: Documents | StoredDocuments
    if isinstance(documents, Index) or (isinstance(documents, str | Path) and is_index(documents)):
        source = StoredDocuments(documents if isinstance(documents, Index) else Index.open(documents), as_keep(keep))
    else:
        source = open_documents(documents, text_field=text_field, on_error=on_error, keep=keep)
        refuse_to_replace([Path(out)], source.paths())
    reader = None
    if read and isinstance(source, StoredDocuments):
        raise SettingsError(
            "an index stores documents as words, which the language model cannot read; give the documents themselves, "
            "or leave out --read (in Python: read=False)"
        )
    if read:
        sorter.require_reading()
        where = VectorCache(cache_folder(cache))
        reader = Reader(
            encoder_for(sorter.model, device=device), where, available_cores() if n_jobs is None else n_jobs
        )
    if judgements is not None:
        encode = None if reader is None else partial(_encoded_by, reader)
        sorter = taught_sorter(sorter, as_judgements(judgements), encode)
    with closing(engine_for(engine, n_jobs, address)) as carrier:
        return assign_documents(
            source, sorter, Path(out), carrier, options=options, reader=reader, problems=problems, progress=progress
        )


def assign_documents(
    documents: Documents | StoredDocuments,
    sorter: Sorter,
    out: Path,
    engine: Engine,
    *,
    options: AssignOptions = AssignOptions(),  # noqa: B008 - frozen
    reader: Reader | None = None,
    problems: Counter[str] | None = None,
    chosen: Flags | None = None,
    progress: Progress = silent,
) -> CategoryCounts:
    """Write one row per row of the input: its best category and share, all its categories, and the evidence.

    The file's extension is its format. `chosen` flags the rows of the input that are written, all if it is None.
    Returns the number of documents per category; `problems` counts those without text, by reason.
    """
    table = table_for(out, sorter.names, sorter.terms, sorter.tree)
    table.refuse_clash(documents.kept_columns())  # as far as they are known now
    out = place_of_file(out)  # fails now, not at the end, if nothing can be written there
    folder = out.absolute().with_name(f".{out.name}.parts")  # workers may have another working directory
    with exclusive(out, "run"):
        with writing(out):
            _prepare(folder, _made_of(sorter, options, reader))
        items: Iterable[tuple[int, Piece | _Read]]
        if isinstance(documents, StoredDocuments):
            items = documents.shards()
        else:
            pieces = enumerate(documents.pieces(_SHARDS, engine, keep=True, every_row=True))
            items = pieces if reader is None else _read_by(reader, pieces, sorter, folder, engine)
        work = partial(_sort, sorter=sorter.prepared(), folder=folder, rule=options.rule(sorter.n_roots))
        parts, bests, done = _gathered(engine.map(work, items), progress)
        if isinstance(documents, Documents):
            documents.refuse_if_empty(int(bests.sum()), done.skipped)
        table = table.keeping(_kept(documents, done.kinds))
        table.require_room(sum(parts.values()))
        bounds = options.bounds(sorter.n_roots, bests)
        made = engine.map(partial(_rows, table=table, folder=folder, bounds=bounds), _numbered(parts, chosen))
        written = _Written()
        with written_whole(out, beside=folder / "table") as beside:
            total = sum(parts.values()) if chosen is None else int(chosen.sum())
            table.write(beside, _counted(made, written, total, progress))
        shutil.rmtree(folder, ignore_errors=True)
    if problems is not None:
        problems.update(done.skipped)
    given = written.categories
    if options.threshold and given.keys() == {-1}:
        warn(
            f"no document has a category: the largest share is {written.largest:.2f}, below --threshold "
            f"{options.threshold:g} (in Python: threshold); lower it, or choose the share of documents that get a "
            "category with --rate (in Python: rate)"
        )
    counts = CategoryCounts(
        {"" if category < 0 else sorter.names[category]: number for category, number in given.items()}
    )
    counts.documents = written.documents
    return counts


def _kept(documents: Documents | StoredDocuments, kinds: dict[str, set[Kind]]) -> dict[str, Kind]:
    """The kept columns and their kinds, in the order that was asked for, or else as they were found."""
    names = tuple(kinds) if documents.keep == "all" else documents.keep
    missing = next((name for name in names if name not in kinds), None)
    if missing is not None and isinstance(documents, Documents):
        raise CorpusError(
            f"no record of {documents.name!r} has a field {missing!r}; its fields are "
            f"{', '.join(documents.column_names()) or 'unknown'}: choose some of them with --keep (in Python: keep)"
        )
    return {name: column_kind(kinds[name]) for name in names}


# Interrupted runs: finished parts are reused if they were made with the same sorter and options.


def _encoded_by(reader: Reader, texts: list[str]) -> Floats:
    return reader.cache.encode(reader.encoder, texts, reader.n_jobs, silent)


def _made_of(sorter: Sorter, options: AssignOptions, reader: Reader | None) -> dict[str, Any]:
    asked = {**asdict(options), "rate": options.rate is not None}  # its value matters only later
    read = None if reader is None else reader.encoder.fingerprint or os.urandom(16).hex()  # None never matches
    return {"version": __version__, "sorter": sorter.fingerprint, "read": read, **asked}


def _prepare(folder: Path, made_of: dict[str, Any]) -> None:
    record = folder / "made-of.json"
    try:
        if read_json(record) == made_of:
            return
    except (OSError, ValueError):
        pass
    shutil.rmtree(folder, ignore_errors=True)
    write_json(record, made_of)


def _loaded(part: Path) -> SortedRows | None:
    try:
        return SortedRows.load(part)
    except (OSError, ValueError, TypeError, KeyError):  # missing, or truncated by a power failure
        return None


# First step: shards to parts.


def _read_by(
    reader: Reader, pieces: Iterable[tuple[int, Piece]], sorter: Sorter, folder: Path, engine: Engine
) -> Iterator[tuple[int, _Read]]:
    """Shards of documents with the language model's vectors."""
    for number, shard in enumerate(shard for _, piece in pieces for shard in piece.shards() if shard.texts):
        vectors = None
        if _loaded(_part(folder, number, 0, shard)) is None:
            has_text = ~blank(shard.texts)
            texts = sorter.read_texts([text for text, kept in zip(shard.texts, has_text, strict=True) if kept])
            vectors = np.zeros((len(shard.texts), len(sorter.arrays["document_weights"])), np.float32)
            if texts:
                vectors[has_text] = reader.cache.encode(reader.encoder, texts, reader.n_jobs, silent, engine)
        yield number, _Read(shard, vectors)


def _sort(numbered: tuple[int, Piece | _Read], sorter: Sorter, folder: Path, rule: AssignmentRule) -> _Sorted:
    """Sort each shard of an item into a part of its own, unless that already exists."""
    number, item = numbered
    done = _Sorted()
    shards = [item.shard] if isinstance(item, _Read) else item.shards()
    for own_number, shard in enumerate(shards):
        done.skipped.update(shard.skipped)
        if shard.texts:
            part = _part(folder, number, own_number, shard)
            rows = _loaded(part)
            if rows is None:
                vectors, words = (item.vectors, item.words) if isinstance(item, _Read) else (None, None)
                placement = sorter.place(sorter.terms_in(words or shard.texts), vectors, rule, blank(shard.texts))
                rows = SortedRows(placement, shard.problems, columns_of(shard))
                rows.save(part)
            done.parts[part.name] = len(rows), rows.best_steps
            _add_kinds(done.kinds, rows.kinds)
    return done


def _add_kinds(kinds: dict[str, set[Kind]], more: dict[str, set[Kind]]) -> None:
    for name, found in more.items():
        kinds.setdefault(name, set()).update(found)


def _part(folder: Path, number: int, own_number: int, shard: TextShard) -> Path:
    """The file of a shard's part, named by a hash of its rows, so that changed ones get a new part."""
    digest = hashlib.sha256(np.array([len(text) for text in shard.texts]).tobytes())
    digest.update("".join(shard.texts).encode("utf-8", "surrogatepass"))
    digest.update(orjson.dumps([[*shard.problems.items()], shard.columns]))
    return folder / f"{number:06d}-{own_number:03d}-{digest.hexdigest()[:32]}.npz"


def _gathered(done: Iterable[_Sorted], progress: Progress) -> tuple[dict[str, int], Longs, _Sorted]:
    """The number of rows per part, a histogram of documents' best shares, and everything else added up."""
    parts: dict[str, int] = {}
    bests, total = np.zeros(STEPS + 1, np.int64), _Sorted()
    for each in done:
        total.skipped.update(each.skipped)
        _add_kinds(total.kinds, each.kinds)
        for name, (n_rows, best_steps) in each.parts.items():
            parts[name] = n_rows
            bests += np.bincount(best_steps, minlength=STEPS + 1)
            progress("sorting documents", sum(parts.values()), None)
    return parts, bests, total


# Second step: parts to rows.


@dataclass
class _Written:
    """What is in some rows of the table."""

    documents: int = 0
    categories: Counter[int] = field(default_factory=Counter)  # documents by category; -1 for none
    largest: float = 0.0  # share of a document in a category


def _numbered(parts: dict[str, int], chosen: Flags | None) -> Iterator[tuple[str, int, Flags | None]]:
    """Each part with the number of its first document, and which of its rows are chosen; None for all."""
    first = 0
    for name, n_rows in parts.items():
        own = None if chosen is None else chosen[first : first + n_rows]
        yield name, first, None if own is None else np.pad(own, (0, n_rows - len(own)))
        first += n_rows


def _rows(
    numbered: tuple[str, int, Flags | None], table: Table, folder: Path, bounds: Bounds
) -> tuple[bytes, _Written]:
    name, first, chosen = numbered
    rows = SortedRows.load(folder / name).at_least(bounds)
    numbers = np.arange(first, first + len(rows))
    if chosen is not None:
        rows, numbers = rows.where(chosen), numbers[chosen]
    given, steps = rows.placement.categories, rows.placement.steps
    categories = Counter({-1: int(np.count_nonzero(given.sizes == 0))}) + Counter(given.values.tolist())
    return table.rows(rows, numbers), _Written(len(rows), categories, int(steps.max(initial=0)) / STEPS)


def _counted(
    made: Iterable[tuple[bytes, _Written]], written: _Written, total: int, progress: Progress
) -> Iterator[bytes]:
    """The rows, which are added up in `written`."""
    for rows, each in made:
        yield rows
        written.documents += each.documents
        written.categories += each.categories
        written.largest = max(written.largest, each.largest)
        progress("writing the table", written.documents, total)
