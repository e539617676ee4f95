"""Trends: shares of categories over time and by group, what changes, what differs, and what goes together."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import asdict, dataclass, fields
from functools import cached_property
from itertools import combinations, product
from typing import Any

import numpy as np

from seetopic.classify.findings.changes import change_points, comparisons
from seetopic.classify.findings.correction import Cells, ErrorRates, corrected, error_rates
from seetopic.classify.findings.counts import Counts
from seetopic.classify.findings.dates import Unit, iso_date, period_name
from seetopic.classify.findings.options import TrendOptions
from seetopic.classify.findings.shares import difference_interval, difference_test, holm, interval
from seetopic.classify.findings.typical import typical_terms
from seetopic.corpus import is_below
from seetopic.runtime import Doubles, Longs, quantity

_DIGITS = 6


@dataclass(frozen=True)
class CategoryShare:
    """The share of a category among the documents of a period and group, with its 95 % interval.

    Without a period, it is the share in all periods together.
    """

    group: str
    period: str
    start: str  # the first day of the period
    category: str
    documents: int  # sorted into the category
    of: int  # all documents
    share: float
    low: float
    high: float
    calibrated: bool  # whether the share is corrected for the error of sorting


@dataclass(frozen=True)
class ShareChange:
    """The first period of a run in which a category's share differs from the run before it."""

    group: str
    category: str
    period: str
    direction: str  # "rise" or "fall"
    since: str  # the first period of those before
    until: str  # the last period with the new share
    before: float
    after: float
    change: float
    low: float
    high: float
    p: float  # corrected


@dataclass(frozen=True)
class GroupDifference:
    """A category's share in a group against its share in all other groups."""

    group: str
    category: str
    share: float
    others: float
    difference: float
    low: float
    high: float
    p: float  # corrected


@dataclass(frozen=True)
class TypicalTerm:
    """A term that a category's documents of a period or group contain more often than its other documents."""

    group: str
    period: str
    category: str
    term: str
    documents: int
    z: float


@dataclass(frozen=True)
class CategoryPair:
    """How often documents have both of two categories, against chance."""

    category: str
    other: str
    documents: int
    expected: float  # if the two were independent
    ratio: float
    p: float  # corrected


@dataclass(frozen=True, repr=False)
class Trends:
    """What sorted documents show over time and by group; prints as a short table."""

    source: str
    time: str | None
    by: Unit | None
    group: str | None
    documents: int
    labels: int  # documents whose true category is known, from which shares are corrected
    left_out: dict[str, int]  # rows that are not counted, by reason
    unreadable: tuple[str, ...]  # examples of unreadable dates
    categories: tuple[str, ...]
    groups: tuple[str, ...]  # empty if documents have no groups
    periods: tuple[str, ...]  # empty if documents have no dates
    notes: tuple[str, ...]
    shares: tuple[CategoryShare, ...]
    overall: tuple[CategoryShare, ...]  # in all periods together
    changes: tuple[ShareChange, ...]
    differences: tuple[GroupDifference, ...]
    terms: tuple[TypicalTerm, ...]
    together: tuple[CategoryPair, ...]

    def __str__(self) -> str:
        rows = self._overview()
        widths = [max(len(row[column]) for row in rows) for column in range(len(rows[0]))]
        lines = ["  ".join(map(str.ljust, row, widths)).rstrip() for row in rows]
        about = [("time", self.time), ("by", self.by), ("group", self.group)]
        columns = ", ".join(f"{name}={value!r}" for name, value in about if value is not None)
        corrected = [self.corrected] if self.corrected else []
        return "\n".join([f"{quantity(self.documents, 'document')}, {columns}", *lines, *corrected])

    __repr__ = __str__

    @property
    def corrected(self) -> str:
        """A sentence if shares are corrected for the error of sorting."""
        if not any(row.calibrated for row in self.overall):
            return ""
        everything = "corrected" if all(row.calibrated for row in self.overall) else "corrected, where possible,"
        return (
            f"shares are {everything} for errors of sorting, by {quantity(self.labels, 'label')}; documents, changes "
            "and differences are as sorted"
        )

    def _overview(self) -> list[list[str]]:
        """A row of texts for each category and group: its share in all periods, and how often it changes."""
        overall = {(row.category, row.group): row for row in self.overall}
        changes = Counter((each.category, each.group) for each in self.changes)
        rows = [["category", *(["group"] if self.groups else []), "documents", "share"]]
        rows[0] += ["changes"] if self.periods else []
        for category, group in product(self.categories, self.groups or ("",)):
            row = overall[category, group]
            cells = [f"{row.documents:,}", f"{row.share:.1%}"]
            cells += [str(changes[category, group])] if self.periods else []
            rows.append([category, *([group] if self.groups else []), *cells])
        return rows

    def to_json(self) -> dict[str, Any]:
        """Everything, as `seetopic trends --json` prints it."""
        return asdict(self)

    def tables(self) -> dict[str, list[dict[str, Any]]]:
        """Rows by table; columns that mean nothing here, such as `group` without groups, are left out."""
        unused = {
            *(() if self.groups else ("group",)),
            *(() if self.periods else ("period", "start")),
            *(() if any(each.calibrated for each in self.shares) else ("calibrated",)),
        }
        found = {
            "shares": (CategoryShare, self.shares),
            "changes": (ShareChange, self.changes),
            "differences": (GroupDifference, self.differences),
            "terms": (TypicalTerm, self.terms),
            "together": (CategoryPair, self.together),
        }
        return {
            name: [
                {each.name: getattr(row, each.name) for each in fields(kind) if each.name not in unused} for row in rows
            ]
            for name, (kind, rows) in found.items()
        }


def trends_of(counts: Counts, options: TrendOptions, source: str) -> Trends:
    """Everything that follows from the counts."""
    time, group = options.time, options.group
    made = _Findings(counts, group is not None, options.top)
    return Trends(
        source=source,
        time=time,
        by=counts.unit,
        group=group,
        documents=counts.total,
        labels=0 if counts.judged is None else counts.judged.documents,
        left_out=dict(counts.left_out),
        unreadable=counts.unreadable,
        categories=counts.categories,
        groups=counts.groups if group is not None else (),
        periods=made.periods if time is not None else (),
        notes=tuple(made.notes()),
        shares=tuple(made.shares()),
        overall=tuple(made.overall()),
        changes=tuple(made.changes()),
        differences=tuple(made.differences()) if len(counts.groups) > 1 else (),
        terms=tuple(made.terms()),
        together=tuple(made.together()),
    )


@dataclass(frozen=True)
class _Findings:
    counts: Counts
    grouped: bool
    top: int

    @cached_property
    def periods(self) -> tuple[str, ...]:
        unit = self.counts.unit
        return tuple("" if unit is None else period_name(start, unit) for start in self.counts.periods.tolist())

    @cached_property
    def judged(self) -> dict[int, tuple[int, int, int, int]]:
        """How labelled documents were sorted: found, missed, wrong, neither; for categories that labels can correct."""
        if (judged := self.counts.judged) is None:
            return {}
        kinds = np.stack([judged.found, judged.missed, judged.wrong, judged.neither]).sum(axis=(1, 2))
        own = dict(enumerate(zip(*kinds.tolist(), strict=True)))
        return {c: each for c, each in own.items() if each[0] + each[1] and each[2] + each[3]}

    @cached_property
    def rates(self) -> dict[int, ErrorRates | None]:
        """The error rates of categories; they are the same in all periods and groups."""
        return {c: error_rates(*each) for c, each in self.judged.items()}

    def notes(self) -> Iterator[str]:
        for c, name in enumerate(self.counts.categories if self.counts.judged is not None else ()):
            if c not in self.rates:
                yield f"the shares of {name!r} are not corrected: no labelled documents belong to it, or all of them"
            elif self.rates[c] is None and sum(self.judged[c]) < self.counts.total:
                found, missed, *_ = self.judged[c]
                yield (
                    f"the shares of {name!r} are those of its labels alone: {found} of {found + missed} documents with "
                    "this label were sorted into it"
                )

    @cached_property
    def estimates(self) -> Doubles:
        """Shares with both ends of their intervals, (3, n_groups, n_periods + 1, n_categories).

        The last period is all of them together: its share is that of its documents, whatever the periods are.
        """
        documents, given = (
            np.concatenate([each, each.sum(axis=1, keepdims=True)], axis=1)
            for each in (self.counts.documents[:, :, None], self.counts.given)
        )
        found = np.stack([given / np.maximum(documents, 1), *interval(given, documents)])
        for g, c in product(range(len(documents)), self.rates):
            known = np.flatnonzero(documents[g, :-1, 0])
            cells = self._cells(g, known, c)
            found[:, g, known, c] = corrected(cells, self.rates[c])
            found[:, g, -1, c] = np.ravel(corrected(cells.whole(), self.rates[c]))
        return found

    def _cells(self, g: int, periods: Longs, c: int) -> Cells:
        """What is known about a category in periods of a group."""
        judged = self.counts.judged
        assert judged is not None
        found, missed, wrong, neither = (
            each[g, periods, c] for each in (judged.found, judged.missed, judged.wrong, judged.neither)
        )
        labelled = found + missed + wrong + neither
        given, of = self.counts.given[g, periods, c], self.counts.documents[g, periods]
        # Labels ignore case, so that two categories may share theirs.
        return Cells(found + missed, labelled, np.clip(given - found - wrong, 0, of - labelled), of - labelled)

    def shares(self) -> Iterator[CategoryShare]:
        for g, p, c in np.ndindex(self.counts.given.shape):
            if self.counts.documents[g, p]:
                yield self._share(g, p, c)

    def overall(self) -> Iterator[CategoryShare]:
        for g, c in np.ndindex(len(self.counts.groups), len(self.counts.categories)):
            yield self._share(g, None, c)

    def _share(self, g: int, p: int | None, c: int) -> CategoryShare:
        """The share in a period, or in all of them."""
        counts, at = self.counts, slice(None) if p is None else p
        share, low, high = (round(float(each), _DIGITS) for each in self.estimates[:, g, -1 if p is None else p, c])
        dated = p is not None and counts.unit is not None
        return CategoryShare(
            group=counts.groups[g],
            period=self.periods[p] if p is not None else "",
            start=iso_date(int(counts.periods[p])) if dated else "",
            category=counts.categories[c],
            documents=int(counts.given[g, at, c].sum()),
            of=int(counts.documents[g, at].sum()),
            share=share,
            low=low,
            high=high,
            calibrated=c in self.rates,
        )

    def changes(self) -> Iterator[ShareChange]:
        counts, names = self.counts, self.periods
        if counts.unit is None:
            return
        known = counts.documents > 0
        n_tests = sum(comparisons(int(each.sum())) for each in known) * len(counts.categories)
        for g, c in np.ndindex(len(counts.groups), len(counts.categories)):
            places = np.flatnonzero(known[g])
            given, documents = counts.given[g, places, c], counts.documents[g, places]
            bounds = [0, *change_points(given, documents, n_tests), len(places)]
            k, n = (np.add.reduceat(each, bounds[:-1]) for each in (given, documents))
            change, low, high = difference_interval(k[1:], n[1:], k[:-1], n[:-1])
            p = np.minimum(1.0, difference_test(k[:-1], n[:-1], k[1:], n[1:]) * n_tests)
            for at in range(len(bounds) - 2):
                numbers = k[at] / n[at], k[at + 1] / n[at + 1], change[at], low[at], high[at]
                before, after, own, below, above = (round(float(each), _DIGITS) for each in numbers)
                first, last = names[places[bounds[at]]], names[places[bounds[at + 2] - 1]]
                yield ShareChange(
                    group=counts.groups[g],
                    category=counts.categories[c],
                    period=names[places[bounds[at + 1]]],
                    direction="rise" if own > 0 else "fall",
                    since=first,
                    until=last,
                    before=before,
                    after=after,
                    change=own,
                    low=below,
                    high=above,
                    p=_significant(p[at]),
                )

    def differences(self) -> Iterator[GroupDifference]:
        """Each category's share in each group, compared with its share in all other groups."""
        counts = self.counts
        k, n = counts.given.sum(axis=1), counts.documents.sum(axis=1)[:, None]
        others, of_others = k.sum(axis=0) - k, n.sum() - n
        difference, low, high = difference_interval(k, n, others, of_others)
        p = holm(difference_test(k, n, others, of_others).ravel()).reshape(k.shape)
        for g, c in np.ndindex(k.shape):
            numbers = k[g, c] / n[g, 0], others[g, c] / of_others[g, 0], difference[g, c], low[g, c], high[g, c]
            share, rest, own, below, above = (round(float(each), _DIGITS) for each in numbers)
            place = counts.groups[g], counts.categories[c]
            yield GroupDifference(*place, share, rest, own, below, above, _significant(p[g, c]))

    def terms(self) -> Iterator[TypicalTerm]:
        counts = self.counts
        if counts.unit is not None:
            for c, period, *term in self._typical(counts.terms.period, len(counts.periods)):
                yield TypicalTerm("", self.periods[period], counts.categories[c], *term)
        if self.grouped:
            for c, group, *term in self._typical(counts.terms.group, len(counts.groups)):
                yield TypicalTerm(counts.groups[group], "", counts.categories[c], *term)

    def _typical(self, parts: Longs, n_parts: int) -> Iterator[tuple[Any, ...]]:
        """The most typical terms of each part of each category."""
        counts = self.counts.terms
        keys, documents, scores = typical_terms(counts, parts, n_parts, len(self.counts.categories))
        row, taken = -1, 0
        for (cell, term), number, z in zip(keys.tolist(), documents.tolist(), scores.tolist(), strict=True):
            taken = taken + 1 if cell == row else 1
            row = cell
            if taken <= self.top:
                yield *divmod(cell, n_parts), counts.terms[term], number, round(z, 2)

    def _is_above(self, first: int, second: int) -> bool:
        """Whether one category is above the other in a tree, so that all documents of the lower one have both."""
        name, other = self.counts.categories[first], self.counts.categories[second]
        return is_below(name, other) or is_below(other, name)

    def together(self) -> Iterator[CategoryPair]:
        met, total = self.counts.together, self.counts.total
        if met is None or len(met) < 2:
            return
        own = np.diag(met)
        pairs = [pair for pair in combinations(range(len(met)), 2) if not self._is_above(*pair)]
        first, second = np.array(pairs, np.int64).reshape(-1, 2).T
        both = met[first, second]
        # Documents with the first category against those without it: how many have the second?
        p = holm(difference_test(both, own[first], own[second] - both, total - own[first]))
        expected = own[first] * own[second] / total
        for place in np.lexsort((second, first, -np.abs(both - expected))).tolist():
            name, other = self.counts.categories[first[place]], self.counts.categories[second[place]]
            yield CategoryPair(
                name,
                other,
                int(both[place]),
                round(float(expected[place]), 1),
                round(float(both[place] / expected[place]), 3) if expected[place] else 0.0,
                _significant(p[place]),
            )


def _significant(p: Any) -> float:
    return float(f"{float(p):.3g}")
