"""Counts of sorted documents by period, group and category: all that trends are computed from.

Tables are read batch by batch and grouped by Arrow; only sums stay in memory, however many rows there are.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from seetopic.classify.findings.dates import MOST_PERIODS, NO_DATE, DateReader, Unit, period_starts, unit_for
from seetopic.classify.findings.options import TrendOptions
from seetopic.corpus import normalized_name, path_text, split_path
from seetopic.errors import CorpusError
from seetopic.runtime import Lists, Longs, Progress, silent

SEPARATOR = "|"  # of the values of a list in CSV
TERMS = ("terms", "evidence")  # the column of matched terms, by whichever name it has
_CELLS = 1 << 20  # rows of partial sums after which they are added up
_MOST_GROUPS = 1000  # a column with more values is rather an identifier
_MOST_DAYS = 7 * MOST_PERIODS  # with a longer span, the automatic unit is a month or longer


@dataclass(frozen=True)
class JudgedCounts:
    """How documents with a label were sorted; each (n_groups, n_periods, n_categories)."""

    documents: int  # that have labels
    found: Longs  # have the label and the category
    missed: Longs  # have the label only
    wrong: Longs  # have the category only
    neither: Longs


@dataclass(frozen=True)
class TermCounts:
    """How many documents of a category contain each term, by period and group; parallel arrays."""

    terms: tuple[str, ...]
    term: Longs
    category: Longs
    period: Longs
    group: Longs
    documents: Longs


@dataclass(frozen=True)
class Counts:
    """Numbers of documents."""

    categories: tuple[str, ...]
    groups: tuple[str, ...]  # one empty name if documents have no groups
    periods: Longs  # first days, ascending; one 0 if documents have no dates
    unit: Unit | None
    documents: Longs  # (n_groups, n_periods)
    given: Longs  # those with a category; (n_groups, n_periods, n_categories)
    terms: TermCounts
    judged: JudgedCounts | None  # if there are labels
    together: Longs | None  # documents with both of two categories; (n_categories, n_categories)
    left_out: Counter[str]  # rows without a document, a date or a group, by reason
    unreadable: tuple[str, ...]  # examples of unreadable dates

    @property
    def total(self) -> int:
        return int(self.documents.sum())


class _Names:
    """Texts by number, in the order in which they were seen: numbers are grouped faster than texts."""

    def __init__(self, restore: Callable[[str], str]) -> None:
        self.restore, self.numbers = restore, dict[str, int]()

    def encode(self, texts: Any) -> Any:
        """The numbers of an Arrow array of texts without nulls."""
        encoded = texts.dictionary_encode()
        own = [
            self.numbers.setdefault(self.restore(text), len(self.numbers)) for text in encoded.dictionary.to_pylist()
        ]
        return np.array(own, np.int64)[encoded.indices.to_numpy()]

    def ranks(self, order: Sequence[str]) -> Longs:
        """The place of each number's text in the given order, which has all of them."""
        places = {text: place for place, text in enumerate(order)}
        return np.array([places[text] for text in self.numbers], np.int64)


class _Sums:
    """Numbers of rows by the values of some columns."""

    def __init__(self, *keys: str) -> None:
        self.keys, self.parts, self.waiting = list(keys), list[Any](), 0

    def add(self, **columns: Longs) -> None:
        import pyarrow as pa

        counted = pa.table(columns).group_by(self.keys).aggregate([([], "count_all")])
        self.parts.append(counted.rename_columns([*self.keys, "number"]))
        self.waiting += counted.num_rows
        if self.waiting > _CELLS:
            self.total()

    def total(self) -> dict[str, Longs]:
        import pyarrow as pa

        if not self.parts:
            return {name: np.zeros(0, np.int64) for name in (*self.keys, "number")}
        summed = pa.concat_tables(self.parts).group_by(self.keys).aggregate([("number", "sum")])
        self.parts, self.waiting = [summed.rename_columns([*self.keys, "number"])], 0
        return {name: self.parts[0][name].to_numpy() for name in self.parts[0].column_names}

    def merge_days(self, unit: Unit) -> None:
        """Replace days by the first day of their period."""
        import pyarrow as pa

        for place, part in enumerate(self.parts):
            starts = pa.array(period_starts(part["day"].to_numpy(), unit))
            self.parts[place] = part.set_column(part.schema.get_field_index("day"), "day", starts)
        self.total()


class Scan:
    """Adds up batches of rows, as `assign` writes them."""

    def __init__(
        self,
        options: TrendOptions,
        restore: Callable[[str], str] = str,  # texts from cells
        in_tree: bool = False,  # whether categories are paths, so that a document also counts for those above
        column_of: Callable[[str], str] = str,  # the columns in batches of those that were kept
    ) -> None:
        self.options, self.reader = options, DateReader(options.dates, options.time_zone)
        self._in_tree, self._column_of = in_tree, column_of
        self._counted: Unit = options.unit or "day"
        self.rows, self.left_out = 0, Counter[str]()
        self._categories, self._groups, self._terms = (_Names(restore) for _ in range(3))
        self._labels = _Names(lambda text: normalized_name(restore(text)))
        self._documents = _Sums("day", "group")
        self._given = _Sums("day", "group", "category")
        self._term_documents = _Sums("day", "group", "category", "term")
        self._together = Counter[tuple[int, int]]()
        self._n_labelled = 0
        self._labelled = _Sums("day", "group")  # documents with a label, which judges all categories
        self._judged = {kind: _Sums("day", "group", "label") for kind in ("judged", "label", "given", "both")}
        self._span: tuple[int, int] | None = None

    def add_all(self, batches: Iterable[Any], progress: Progress = silent) -> None:
        for batch in batches:
            self.add(batch)
            progress("counting documents", self.rows, None)

    def add(self, batch: Any) -> None:
        import pyarrow as pa
        from pyarrow import compute as pc

        self.rows += batch.num_rows
        time, group = self.options.time, self.options.group
        if "problem" in batch.schema.names:
            batch = self._only(batch, _empty(batch.column("problem")), "empty or malformed")
        if group is not None:
            batch = self._only(batch, pc.invert(_empty(batch.column(self._column_of(group)))), f"without a {group}")
        days = np.zeros(batch.num_rows, np.int64)
        if time is not None:
            days = self.reader.days(batch.column(self._column_of(time)))
            known = days != NO_DATE
            if not known.all():
                batch, days = batch.filter(pa.array(known)), days[known]
            days = period_starts(days, self._counted)
        groups = np.zeros(len(days), np.int64)
        if group is not None:
            groups = self._groups.encode(batch.column(self._column_of(group)).cast(pa.string()))
        if not batch.num_rows:
            return
        self._documents.add(day=days, group=groups)
        several = self.options.several
        rows, texts = self._of(batch, several)
        categories = self._categories.encode(texts)
        self._given.add(day=days[rows], group=groups[rows], category=categories)
        self._add_terms(batch, days, groups)
        if several:
            self._add_pairs(rows, categories, batch.num_rows)
        if self.options.label_field is not None:
            labels = _lists(batch.column(self._column_of(self.options.label_field)))
            self._add_labels(*(_with_parents(*labels) if self._in_tree else labels), rows, texts, days, groups)
        if self.options.judged is not None:
            self._add_judged(batch.column("document").to_numpy(), rows, texts, days, groups)
        if self.options.unit is None:
            self._coarsen(days)

    def _only(self, batch: Any, kept: Any, reason: str) -> Any:
        number = batch.num_rows - kept.true_count
        if not number:
            return batch
        self.left_out[reason] += number
        return batch.filter(kept)

    def _add_terms(self, batch: Any, days: Longs, groups: Longs) -> None:
        """Count the matched terms of each document's best category."""
        name = next((each for each in TERMS if each in batch.schema.names), None)
        if name is None:
            return
        best, texts = self._of(batch, several=False)
        levels = np.arange(len(best)) - np.searchsorted(best, best)  # 0 for a root, and without a tree
        numbers = self._categories.encode(texts)
        rows, terms = _lists(batch.column(name))
        found = self._terms.encode(terms)
        for level in range(int(levels.max(initial=-1)) + 1):
            category = np.full(batch.num_rows, -1)
            category[best[levels == level]] = numbers[levels == level]
            known = category[rows] >= 0
            own = rows[known]
            self._term_documents.add(day=days[own], group=groups[own], category=category[own], term=found[known])

    def _of(self, batch: Any, several: bool) -> tuple[Longs, Any]:
        """The rows and names of their categories, ascending by row."""
        column = "categories" if several else "path" if self._in_tree else "category"
        found = _lists(batch.column(column), split=several)
        return _with_parents(*found) if self._in_tree else found

    def _add_pairs(self, rows: Longs, categories: Longs, n_rows: int) -> None:
        from scipy.sparse import csr_array

        shape = n_rows, len(self._categories.numbers)
        marks = csr_array((np.ones(len(rows), np.int64), (rows, categories)), shape)
        marks.sum_duplicates()
        marks.data[:] = 1  # a category that is listed twice counts once
        pairs = (marks.T @ marks).tocoo()
        places = zip(pairs.row.tolist(), pairs.col.tolist(), strict=True)
        self._together.update(dict(zip(places, pairs.data.tolist(), strict=True)))

    def _add_labels(
        self, labelled: Longs, labels: Any, rows: Longs, categories: Any, days: Longs, groups: Longs
    ) -> None:
        """Compare the categories of documents with their labels, ignoring case."""
        known = np.unique(labelled)
        self._n_labelled += len(known)
        self._labelled.add(day=days[known], group=groups[known])
        judged = np.isin(rows, known)
        size = 1 << 32  # more than there are names
        own = np.unique(labelled * size + self._labels.encode(labels))
        given = np.unique((rows * size + self._labels.encode(categories))[judged])
        for kind, pairs in {"label": own, "given": given, "both": np.intersect1d(own, given)}.items():
            own_rows, names = np.divmod(pairs, size)
            self._judged[kind].add(day=days[own_rows], group=groups[own_rows], label=names)

    def _add_judged(self, documents: Longs, rows: Longs, categories: Any, days: Longs, groups: Longs) -> None:
        """Compare the categories of documents with judgements of them."""
        judged = self.options.judged or {}
        found: dict[str, list[tuple[int, int]]] = {kind: [] for kind in self._judged}  # row, number of the category
        for row in np.flatnonzero(np.isin(documents, list(judged))).tolist():
            self._n_labelled += 1
            own = set(map(self._labels.restore, categories.take(np.flatnonzero(rows == row)).to_pylist()))
            for category, belongs in judged[documents[row]].items():
                number = self._labels.numbers.setdefault(category, len(self._labels.numbers))
                given = category in own
                answers = {"judged": True, "label": belongs, "given": given, "both": belongs and given}
                for kind in (each for each, answer in answers.items() if answer):
                    found[kind].append((row, number))
        for kind, pairs in found.items():
            if pairs:
                own_rows, numbers = np.array(pairs, np.int64).T
                self._judged[kind].add(day=days[own_rows], group=groups[own_rows], label=numbers)

    def _coarsen(self, days: Longs) -> None:
        """Count months instead of days once the dates span so much that no shorter unit will be chosen."""
        low, high = int(days.min()), int(days.max())
        self._span = (low, high) if self._span is None else (min(low, self._span[0]), max(high, self._span[1]))
        if self._counted == "day" and self._span[1] - self._span[0] >= _MOST_DAYS:
            self._counted = "month"
            self._merge_days("month")

    def _merge_days(self, unit: Unit) -> None:
        for sums in (self._documents, self._given, self._term_documents, self._labelled, *self._judged.values()):
            sums.merge_days(unit)

    def counts(self, names: Sequence[str] | None = None, preferred: Sequence[str] = ()) -> Counts:
        """What was counted; `names` are the categories in order, if known, and `preferred` orders those that occur."""
        dates = {"without a date": self.reader.missing, "with an unreadable date": self.reader.unreadable}
        left_out = +(self.left_out + Counter(dates))
        documents = self._documents.total()
        if not len(documents["number"]):
            self._refuse(left_out)
        unit = None if self.options.time is None else self.options.unit
        if self.options.time is not None and unit is None:
            # What is compared with other periods is a period of a group.
            n_groups = max(1, len(self._groups.numbers))
            unit = unit_for(documents["day"], int(documents["number"].sum()) // n_groups)
            self._merge_days(unit)
            documents = self._documents.total()
        given, terms = self._given.total(), self._term_documents.total()
        groups = sorted(self._groups.numbers) if self.options.group is not None else [""]
        if len(groups) > _MOST_GROUPS:
            raise CorpusError(
                f"the column {self.options.group!r} has {len(groups):,} values, but at most {_MOST_GROUPS:,} groups "
                "can be compared; choose another column"
            )
        categories = self._ordered(given, names, preferred)
        if not categories:
            raise CorpusError(f"none of the {self.rows:,} documents has a category; sort them by other names")
        periods = np.unique(documents["day"])
        totals = np.zeros((len(groups), len(periods)), np.int64)
        counts = np.zeros((*totals.shape, len(categories)), np.int64)
        group = self._groups.ranks(groups) if self.options.group is not None else np.zeros(1, np.int64)
        category = self._categories.ranks(categories)

        def cells(summed: dict[str, Longs]) -> tuple[Longs, Longs]:
            return group[summed["group"]], np.searchsorted(periods, summed["day"])

        def per_cell(summed: dict[str, Longs], own: Any) -> Longs:
            found = np.zeros(totals.shape, np.int64)
            found[tuple(each[own] for each in cells(summed))] = summed["number"][own]
            return found

        totals[cells(documents)] = documents["number"]
        counts[*cells(given), category[given["category"]]] = given["number"]
        words = sorted(self._terms.numbers)
        of_groups, of_periods = cells(terms)
        word, own = self._terms.ranks(words)[terms["term"]], category[terms["category"]]
        order = np.lexsort((word, own, of_periods, of_groups))  # threads add up in any order
        columns = (each[order] for each in (word, own, of_periods, of_groups, terms["number"]))
        return Counts(
            tuple(categories),
            tuple(groups),
            periods,
            unit,
            totals,
            counts,
            TermCounts(tuple(words), *columns),
            self._judgements(categories, per_cell) if self.options.calibrates else None,
            self._meetings(category, len(categories)) if self.options.several else None,
            left_out,
            tuple(self.reader.examples),
        )

    def _ordered(self, given: dict[str, Longs], names: Sequence[str] | None, preferred: Sequence[str]) -> list[str]:
        """The categories: those given in order, then those in `preferred`, then others, the largest first."""
        sizes = np.bincount(given["category"], given["number"], len(self._categories.numbers))
        places, numbers = {name: place for place, name in enumerate(preferred)}, self._categories.numbers
        seen = sorted(numbers, key=lambda name: (places.get(name, len(places)), -sizes[numbers[name]], name))
        known = list(names or ())
        return [*known, *(name for name in seen if name not in set(known))]

    def _refuse(self, left_out: Counter[str]) -> None:
        why = ", ".join(f"{number:,} {reason}" for reason, number in left_out.items())
        examples = f", such as {self.reader.examples[0]!r}" if self.reader.examples else ""
        raise CorpusError(
            f"none of the {self.rows:,} rows can be counted ({why or 'there are none'}{examples}); "
            "choose other columns for --time and --group"
        )

    def _judgements(
        self, categories: Sequence[str], per_cell: Callable[[dict[str, Longs], Any], Longs]
    ) -> JudgedCounts:
        """How labelled documents were sorted; `per_cell` puts some of the sums into an array by group and period."""
        summed = {kind: sums.total() for kind, sums in self._judged.items()}
        own = [self._labels.numbers.get(normalized_name(name), -1) for name in categories]
        if not np.isin(own, [*summed["label"]["label"], *summed["judged"]["label"]]).any():
            label_field = self.options.label_field
            problem = (
                f"no judgement is about one of these {self.rows:,} documents and one of their categories"
                if label_field is None
                else f"no document is labelled with the name of a category in the column {label_field!r}"
            )
            raise CorpusError(f"{problem}; give the true categories of some of the documents")
        judged, label, given, both = (
            np.stack([per_cell(each, each["label"] == number) for number in own], axis=-1) for each in summed.values()
        )
        labelled = per_cell(self._labelled.total(), slice(None))[:, :, None] + judged
        return JudgedCounts(self._n_labelled, both, label - both, given - both, labelled - label - given + both)

    def _meetings(self, ranks: Longs, size: int) -> Longs:
        together = np.zeros((size, size), np.int64)
        for (first, second), number in self._together.items():
            together[ranks[first], ranks[second]] = number
        return together


def _empty(column: Any) -> Any:
    """Where a column has no value."""
    import pyarrow as pa
    from pyarrow import compute as pc

    kind = column.type.value_type if pa.types.is_dictionary(column.type) else column.type
    if str(kind) in ("string", "large_string", "string_view"):  # by name: older versions of Arrow have no string views
        return pc.equal(column.cast(pa.string()).fill_null(""), "")
    return pc.is_null(column, nan_is_null=True)


def _lists(column: Any, split: bool = True) -> tuple[Longs, Any]:
    """The rows and values of a column of lists, or of texts that are lists; empty values are left out."""
    import pyarrow as pa
    from pyarrow import compute as pc

    if not (pa.types.is_list(column.type) or pa.types.is_large_list(column.type)):
        column = column.cast(pa.string())  # pandas and polars have texts of other types, too
        column = pc.split_pattern(column, SEPARATOR) if split else column
    if pa.types.is_string(column.type):
        rows, values = pa.array(np.arange(len(column))), column
    else:
        rows, values = pc.list_parent_indices(column), pc.list_flatten(column).cast(pa.string())
    kept = pc.invert(_empty(values))
    return rows.filter(kept).to_numpy(), values.filter(kept)


def _with_parents(rows: Longs, paths: Any) -> tuple[Longs, Any]:
    """The same rows and paths with all those above them, from the root, each once per row."""
    import pyarrow as pa

    encoded, above = paths.dictionary_encode(), dict[str, int]()
    lists = []
    for path in encoded.dictionary.to_pylist():
        names = split_path(path)
        texts = [path_text(names[:depth]) for depth in range(1, len(names) + 1)]
        lists.append([above.setdefault(text, len(above)) for text in texts])
    own = Lists.of(lists)
    codes = encoded.indices.to_numpy()
    sizes = own.sizes[codes]
    firsts = np.repeat(own.starts[codes] - np.concatenate([[0], np.cumsum(sizes)[:-1]]), sizes)
    pairs = np.stack([np.repeat(rows, sizes), own.values[firsts + np.arange(sizes.sum())]])
    _, kept = np.unique(pairs, axis=1, return_index=True)
    kept.sort()
    texts = pa.array(list(above), pa.string())
    return pairs[0][kept], texts.take(pa.array(pairs[1][kept]))
