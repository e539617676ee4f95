"""Where trends are computed from: a table that `assign` wrote, or documents that are sorted first."""

from __future__ import annotations

import gzip
from collections.abc import Iterator, Mapping, Sequence
from itertools import chain, islice
from pathlib import Path
from typing import Any, Literal

import numpy as np
import orjson
from numpy.typing import NDArray

from seetopic.classify.documents import DocumentStream
from seetopic.classify.findings.counts import TERMS, Scan
from seetopic.classify.findings.dates import DateOrder, Unit
from seetopic.classify.findings.judged import judged_documents
from seetopic.classify.findings.options import TrendOptions
from seetopic.classify.findings.results import Trends, trends_of
from seetopic.classify.placement import AssignOptions
from seetopic.classify.sorter import Sorter, sorter_for
from seetopic.classify.tables import IS_CATEGORY
from seetopic.corpus import as_seeds, local_file, raw_rows
from seetopic.errors import CorpusError, MissingExtra, SettingsError
from seetopic.index import Index
from seetopic.runtime import Lists, Progress, silent, unguarded

_BATCH = 1 << 17  # rows in memory at once
_FORMATS = {
    ".csv": "csv",
    ".tsv": "csv",
    ".parquet": "parquet",
    ".jsonl": "json",
    ".ndjson": "json",
    ".xlsx": "xlsx",
}
_PATH = "path"  # the column of categories in a tree
_SHOWN = 12  # column names in an error


def trends(
    source: Any,
    *,
    time: str | None = None,
    group: str | None = None,
    by: Unit | Literal["auto"] = "auto",
    seeds: Any = None,
    topics: str | Path | Sorter | None = None,
    several: bool = False,
    label_field: str | None = None,
    judgements: Any = None,
    dates: DateOrder | None = None,
    time_zone: str | None = None,
    top: int = 10,
    device: str = "auto",
    progress: Progress = silent,
) -> Trends:
    """Shares of categories over time, by group, or both, with what changes and what differs.

    `source` is a table that `assign` wrote (.csv, .parquet, .jsonl or .xlsx, a folder of .parquet files, or a pyarrow
    table), or an `Index` with kept columns, whose documents are first sorted by `seeds` or `topics`; for a table these
    only set the order of the categories. `judgements` are as for `SeeTopic.teach`. The options are those of
    `seetopic trends`.
    """
    options = TrendOptions(
        time=time,
        group=group,
        by=by,
        several=several,
        label_field=label_field,
        judged=None if judgements is None else judged_documents(judgements, several),
        dates=dates,
        time_zone=time_zone,
        top=top,
    )
    if isinstance(source, Index):
        return trends_in_index(source, _sorter(source, seeds, topics, device, progress), options, progress)
    asked = None if seeds is None else as_seeds(seeds)
    names: Sequence[str] | None = None
    if asked is None and topics is not None:
        names = (topics if isinstance(topics, Sorter) else Sorter.load(topics)).names
    is_file = isinstance(source, str | Path)
    columns: list[str] = []
    batches = _batches(source, options, columns)
    first = next(batches, None)
    restore = unguarded if is_file and _format(Path(source)) == "csv" else str
    in_tree = _is_of_tree(columns)
    if asked is not None:
        names = asked.labels if in_tree else asked.names
    scan = Scan(options, restore, in_tree=in_tree)
    scan.add_all(batches if first is None else chain([first], batches), progress)
    order = [restore(name).removesuffix(IS_CATEGORY) for name in _after("problem", columns)]  # of columns of shares
    return trends_of(scan.counts(names, order), options, Path(source).name if is_file else "the table")


def trends_in_index(index: Index, sorter: Sorter, options: TrendOptions, progress: Progress = silent) -> Trends:
    """The same for the documents of an index, by columns that were kept in it."""
    columns = {name: index.column(name) for name in options.kept}
    stream, assigned = DocumentStream(index, sorter), AssignOptions(several=options.several)
    return trends_of_documents(stream, columns, assigned, options, source=index.folder.name, progress=progress)


def trends_of_documents(
    stream: DocumentStream,
    columns: Mapping[str, Any],
    assigned: AssignOptions,
    options: TrendOptions,
    *,
    source: str,
    progress: Progress = silent,
) -> Trends:
    """The same for documents that are sorted now; `columns` have one value per document."""
    scan = Scan(options, in_tree=stream.sorter.tree is not None, column_of=_beside)
    scan.add_all(_sorted_batches(stream, columns, assigned), progress)
    return trends_of(scan.counts(stream.sorter.names), options, source)


def _sorter(index: Index, seeds: Any, topics: str | Path | Sorter | None, device: str, progress: Progress) -> Sorter:
    if (seeds is None) == (topics is None):
        raise SettingsError("the documents of an index must be sorted first; give either --seeds or --topics")
    if seeds is not None:
        return sorter_for(index, seeds, device=device, progress=progress)
    return topics if isinstance(topics, Sorter) else Sorter.load(str(topics), tokenizer=index.tokenizer)


def _sorted_batches(stream: DocumentStream, columns: Mapping[str, Any], options: AssignOptions) -> Iterator[Any]:
    pa = _pyarrow()
    names, words = (pa.array(each, pa.string()) for each in (stream.sorter.names, stream.sorter.terms))
    kept = {_beside(name): arrow_array(values) for name, values in columns.items()}
    done = 0
    for placement, terms, empty in stream.placed_with_terms(options):
        best = placement.best
        rows = {name: column.slice(done, len(placement)) for name, column in kept.items()}
        rows["category"] = rows[_PATH] = names.take(pa.array(best, mask=best < 0))
        rows["categories"] = _listed(placement.categories, names)
        rows["terms"] = _listed(terms, words)
        rows["document"] = pa.array(np.arange(done, done + len(placement)))
        rows["problem"] = pa.array(np.where(empty, "empty", ""))
        done += len(placement)
        _check_lengths(columns, at_least=done)
        yield pa.record_batch(rows)
    _check_lengths(columns, at_most=done)


def _beside(name: str) -> str:
    """The name of a column beside those of the sorted documents, which may have one of that name."""
    return f"{name} (column)"


def _check_lengths(columns: Mapping[str, Any], at_least: int = 0, at_most: int | None = None) -> None:
    for name, values in columns.items():
        if len(values) < at_least or (at_most is not None and len(values) > at_most):
            raise SettingsError(f"`{name}` has {len(values):,} values, but must have one for each document")


def arrow_array(values: Sequence[Any] | NDArray[Any]) -> Any:
    """An Arrow array; values of several types become texts."""
    import pyarrow as pa

    try:
        return pa.array(values, from_pandas=True)
    except (pa.ArrowInvalid, pa.ArrowTypeError):
        return pa.array([None if value is None else str(value) for value in values], pa.string())


def _listed(numbers: Lists, texts: Any) -> Any:
    pa = _pyarrow()
    coded = pa.DictionaryArray.from_arrays(pa.array(numbers.values.astype(np.int32)), texts)
    return pa.ListArray.from_arrays(pa.array(numbers.starts, pa.int32()), coded)


def _after(name: str, columns: Sequence[str]) -> Sequence[str]:
    return columns[columns.index(name) + 1 :] if name in columns else ()


def _batches(source: Any, options: TrendOptions, columns: list[str]) -> Iterator[Any]:
    """Batches of the columns that matter; before the first one, the names of all columns are added to `columns`."""
    pa = _pyarrow()
    if isinstance(source, pa.Table):
        columns += source.schema.names
        wanted = _wanted(options, columns, "the table")
        yield from source.select(wanted).to_batches(max_chunksize=_BATCH)
        return
    path = Path(source)
    try:
        if _format(path) in ("json", "xlsx"):
            rows = _json_rows(path) if _format(path) == "json" else raw_rows(local_file(path), "xlsx")
            yield from _row_batches(rows, path, options, columns)
            return
        data = pa.dataset.dataset(path, format=_reader(path, options))
        columns += data.schema.names
        wanted = _wanted(options, columns, str(path))
        # Arrow reads many batches ahead by default, which takes memory and no less time.
        yield from data.to_batches(columns=wanted, batch_size=_BATCH, batch_readahead=2, fragment_readahead=1)
    except CorpusError:  # which is a ValueError
        raise
    except (OSError, EOFError, ValueError, pa.ArrowException) as error:
        reason = " ".join(str(error).split())
        raise CorpusError(
            f"{path} cannot be read as a table ({reason}); give one that `seetopic assign` wrote"
        ) from error


def _row_batches(rows: Iterator[Any], path: Path, options: TrendOptions, columns: list[str]) -> Iterator[Any]:
    """Batches of rows that are read one by one; in Arrow's own readers, the first ones decide the types of all."""
    pa = _pyarrow()
    wanted: list[str] = []
    while some := list(islice(rows, _BATCH)):
        if others := [row for row in some if not isinstance(row, dict)]:
            raise CorpusError(f"{path} contains {others[0]!r}, which is not an object; give one JSON object per line")
        columns += () if columns else dict.fromkeys(name for row in some for name in row)
        wanted = wanted or _wanted(options, columns, str(path))
        yield pa.record_batch({name: arrow_array([row.get(name) for row in some]) for name in wanted})


def _json_rows(path: Path) -> Iterator[Any]:
    with (gzip.open if path.suffix == ".gz" else open)(path, "rb") as file:
        yield from map(orjson.loads, file)


def _format(path: Path) -> str:
    """The format of a table, by its name; a folder has Parquet files."""
    if path.is_dir():
        return "parquet"
    ending = path.with_suffix("").suffix if path.suffix == ".gz" else path.suffix
    if ending.lower() not in _FORMATS:
        raise CorpusError(
            f"{path} is neither a table that `seetopic assign` wrote (.csv, .parquet, .jsonl or .xlsx) nor an index"
        )
    return _FORMATS[ending.lower()]


def _reader(path: Path, options: TrendOptions) -> Any:
    pa = _pyarrow()
    kind = _format(path)
    if kind != "csv":
        return kind
    from pyarrow import csv

    # Everything is text: the first rows do not decide how the others are read.
    texts = dict.fromkeys([*options.required, *TERMS, _PATH, "problem"], pa.string()) | {"document": pa.int64()}
    return pa.dataset.CsvFileFormat(
        csv.ParseOptions(delimiter="\t" if ".tsv" in path.suffixes else ",", newlines_in_values=True),
        convert_options=csv.ConvertOptions(column_types=texts, null_values=[""], strings_can_be_null=True),
    )


def _wanted(options: TrendOptions, names: Sequence[str], source: str) -> list[str]:
    for name in options.required:
        if name not in names:
            own = ", ".join(map(repr, names[:_SHOWN])) + (", ..." if len(names) > _SHOWN else "")
            advice = (
                f"keep it with `seetopic assign --keep {name}`"
                if name in options.kept
                else "give a table that `seetopic assign` wrote"
            )
            raise CorpusError(f"{source} has no column {name!r}, only {own}; {advice}")
    in_tree = (_PATH,) if _is_of_tree(names) else ()
    further = [name for name in (*in_tree, *TERMS, "problem") if name in names and name not in options.required]
    return [*options.required, *further]


def _is_of_tree(columns: Sequence[str]) -> bool:
    """Whether a table with these columns has paths of categories; `path` alone is a column that was kept."""
    return "path_shares" in columns


def _pyarrow() -> Any:
    try:
        import pyarrow
        import pyarrow.dataset
    except ImportError as error:
        raise MissingExtra("counting sorted documents", "parquet") from error
    return pyarrow
