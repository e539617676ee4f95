"""Where trends are computed from: a table that `assign` wrote, or documents that are sorted first."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Literal, TypedDict, Unpack

import numpy as np

from seetopic.classify.documents import DocumentStream
from seetopic.classify.findings.counts import TERMS, Scan, TrendColumns
from seetopic.classify.findings.dates import UNITS, DateOrder, DateReader, Unit
from seetopic.classify.findings.results import Trends, trends_of
from seetopic.classify.placement import AssignOptions
from seetopic.classify.sorter import Sorter, sorter_for
from seetopic.corpus import as_seeds
from seetopic.errors import CorpusError, MissingExtra, SettingsError
from seetopic.index import Index
from seetopic.runtime import Lists, Progress, silent, unguarded

_BATCH = 1 << 17  # rows in memory at once
_FORMATS = {".csv": "csv", ".tsv": "csv", ".parquet": "parquet", ".jsonl": "json", ".ndjson": "json"}
_SHOWN = 12  # column names in an error


class TrendChoices(TypedDict, total=False):
    """How dates are read, and what is shown."""

    by: Unit | Literal["auto"]
    dates: DateOrder | None
    time_zone: str | None
    top: int
    random_state: int


class TrendOptions(TrendChoices, total=False):
    """Which columns there are, too."""

    time: str | None
    group: str | None
    label_field: str | None
    several: bool


def trends(
    source: Any,
    *,
    seeds: Any = None,
    topics: str | Path | Sorter | None = None,
    device: str = "auto",
    progress: Progress = silent,
    **options: Unpack[TrendOptions],
) -> Trends:
    """Shares of categories over time, by group, or both, with what changes and what differs.

    `source` is a table that `assign` wrote (.csv, .parquet or .jsonl, a folder of .parquet files, or a pyarrow table),
    or an `Index` with kept columns, whose documents are first sorted by `seeds` or `topics`; for a table these only
    set the order of the categories. The options are those of `seetopic trends`.
    """
    if isinstance(source, Index):
        sorter = _sorter(source, seeds, topics, device, progress)
        columns = {name: source.column(name) for name in _columns(options).kept}
        stream, assigned = DocumentStream(source, sorter), AssignOptions(several=options.get("several", False))
        return trends_of_documents(stream, columns, assigned, source=source.folder.name, progress=progress, **options)
    names: Sequence[str] | None = None
    if seeds is not None:
        names = as_seeds(seeds).names
    elif topics is not None:
        names = (topics if isinstance(topics, Sorter) else Sorter.load(topics)).names
    is_file = isinstance(source, str | Path)
    restore = unguarded if is_file and _format(Path(source)) == "csv" else str
    title = Path(source).name if is_file else "the table"
    batches = _batches(source, _columns(options))
    return _counted(batches, names, title, restore, progress, options)


def trends_of_documents(
    stream: DocumentStream,
    columns: Mapping[str, Any],
    assigned: AssignOptions,
    *,
    source: str,
    progress: Progress = silent,
    **options: Unpack[TrendOptions],
) -> Trends:
    """The same for documents that are sorted now; `columns` have one value per document."""
    batches = _sorted_batches(stream, columns, assigned)
    return _counted(batches, stream.sorter.names, source, str, progress, options)


def _counted(
    batches: Iterable[Any],
    names: Sequence[str] | None,
    source: str,
    restore: Callable[[str], str],
    progress: Progress,
    options: TrendOptions,
) -> Trends:
    columns, by, top = _columns(options), options.get("by", "auto"), options.get("top", 10)
    if by not in (*UNITS, "auto"):
        raise SettingsError(f"`by` is {by!r}, but must be one of {', '.join(UNITS)}, auto")
    if top < 1:
        raise SettingsError(f"`top` is {top}, but must be at least 1")
    reader = DateReader(options.get("dates"), options.get("time_zone"))
    scan = Scan(columns, reader, None if by == "auto" else by, restore)
    scan.add_all(batches, progress)
    state = options.get("random_state", 0)
    return trends_of(
        scan.counts(names), source=source, time=columns.time, group=columns.group, top=top, random_state=state
    )


def _columns(options: TrendOptions) -> TrendColumns:
    columns = TrendColumns(
        options.get("time"), options.get("group"), options.get("label_field"), options.get("several", False)
    )
    if columns.time is None and columns.group is None:
        raise SettingsError("neither --time nor --group is given; name the column of dates, of groups, or both")
    return columns


def _sorter(index: Index, seeds: Any, topics: str | Path | Sorter | None, device: str, progress: Progress) -> Sorter:
    if (seeds is None) == (topics is None):
        raise SettingsError("the documents of an index must be sorted first; give either --seeds or --topics")
    if seeds is not None:
        return sorter_for(index, seeds, device=device, progress=progress)
    return topics if isinstance(topics, Sorter) else Sorter.load(str(topics), tokenizer=index.tokenizer)


def _sorted_batches(stream: DocumentStream, columns: Mapping[str, Any], options: AssignOptions) -> Iterator[Any]:
    pa = _pyarrow()
    names, words = (pa.array(each, pa.string()) for each in (stream.sorter.names, stream.sorter.terms))
    kept = {name: _array(values) for name, values in columns.items()}
    done = 0
    for placement, terms, empty in stream.placed_with_terms(options):
        best = placement.best
        rows = {name: column.slice(done, len(placement)) for name, column in kept.items()}
        rows["category"] = names.take(pa.array(best, mask=best < 0))
        rows["categories"] = _listed(placement.categories, names)
        rows["terms"] = _listed(terms, words)
        rows["problem"] = pa.array(np.where(empty, "empty", ""))
        done += len(placement)
        _check_lengths(columns, at_least=done)
        yield pa.record_batch(rows)
    _check_lengths(columns, at_most=done)


def _check_lengths(columns: Mapping[str, Any], at_least: int = 0, at_most: int | None = None) -> None:
    for name, values in columns.items():
        if len(values) < at_least or (at_most is not None and len(values) > at_most):
            raise SettingsError(f"`{name}` has {len(values):,} values, but must have one for each document")


def _array(values: Sequence[Any]) -> Any:
    """An Arrow array; values of several types become texts."""
    pa = _pyarrow()
    try:
        return pa.array(values, from_pandas=True)
    except (pa.ArrowInvalid, pa.ArrowTypeError):
        return pa.array([None if value is None else str(value) for value in values], pa.string())


def _listed(numbers: Lists, texts: Any) -> Any:
    pa = _pyarrow()
    coded = pa.DictionaryArray.from_arrays(pa.array(numbers.values.astype(np.int32)), texts)
    return pa.ListArray.from_arrays(pa.array(numbers.starts, pa.int32()), coded)


def _batches(source: Any, columns: TrendColumns) -> Iterator[Any]:
    pa = _pyarrow()
    if isinstance(source, pa.Table):
        wanted = _wanted(columns, source.schema.names, "the table")
        yield from source.select(wanted).to_batches(max_chunksize=_BATCH)
        return
    path = Path(source)
    try:
        data = pa.dataset.dataset(path, format=_reader(path, columns))
        wanted = _wanted(columns, data.schema.names, str(path))
        # Arrow reads many batches ahead by default, which takes memory and no less time.
        yield from data.to_batches(columns=wanted, batch_size=_BATCH, batch_readahead=2, fragment_readahead=1)
    except (OSError, pa.ArrowException) as error:
        reason = " ".join(str(error).split())
        raise CorpusError(
            f"{path} cannot be read as a table ({reason}); give one that `seetopic assign` wrote"
        ) from error


def _format(path: Path) -> str:
    """The format of a table, by its name; a folder has Parquet files."""
    if path.is_dir():
        return "parquet"
    ending = path.with_suffix("").suffix if path.suffix == ".gz" else path.suffix
    if ending.lower() not in _FORMATS:
        raise CorpusError(
            f"{path} is neither a table that `seetopic assign` wrote (.csv, .parquet or .jsonl) nor an index"
        )
    return _FORMATS[ending.lower()]


def _reader(path: Path, columns: TrendColumns) -> Any:
    pa = _pyarrow()
    kind = _format(path)
    if kind != "csv":
        return kind
    from pyarrow import csv

    # Everything is text: the first rows do not decide how the others are read.
    texts = dict.fromkeys([*columns.required, *TERMS, "problem"], pa.string())
    return pa.dataset.CsvFileFormat(
        csv.ParseOptions(delimiter="\t" if ".tsv" in path.suffixes else ",", newlines_in_values=True),
        convert_options=csv.ConvertOptions(column_types=texts, null_values=[""], strings_can_be_null=True),
    )


def _wanted(columns: TrendColumns, names: Sequence[str], source: str) -> list[str]:
    for name in columns.required:
        if name not in names:
            own = ", ".join(map(repr, names[:_SHOWN])) + (", ..." if len(names) > _SHOWN else "")
            advice = (
                f"keep it with `seetopic assign --keep {name}`"
                if name in columns.kept
                else "give a table that `seetopic assign` wrote"
            )
            raise CorpusError(f"{source} has no column {name!r}, only {own}; {advice}")
    further = [name for name in (*TERMS, "problem") if name in names and name not in columns.required]
    return [*columns.required, *further]


def _pyarrow() -> Any:
    try:
        import pyarrow
        import pyarrow.dataset
    except ImportError as error:
        raise MissingExtra("counting sorted documents", "parquet") from error
    return pyarrow
