"""Trends in the report, and as a page of their own."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from seetopic.classify import Trends
from seetopic.output.charts import shares_chart
from seetopic.output.charts.drawing import safe
from seetopic.output.charts.shares import percent
from seetopic.output.report.frame import Section, framed, page_of
from seetopic.runtime import quantity
from seetopic.version import __version__

_PHONE = 340
_MOST_ROWS = 200  # of a table; the files have all of them
_SIGNIFICANT = 0.05


def trends_html(trends: Trends) -> str:
    """The page as text; everything that comes from documents or names is escaped."""
    return page_of(f"Trends in {trends.source}", __version__, list(trend_sections(trends)))


def trend_sections(trends: Trends) -> Iterator[Section]:
    """The chart, and the tables that have rows."""
    yield Section("trends", "Shares", "Share of documents", _intro(trends) + _chart(trends))
    if trends.periods:
        yield Section("changes", "Changes", "Rises and falls", _changes(trends))
    if trends.differences:
        yield Section("groups", "Groups", "Differences between groups", _differences(trends))
    if trends.terms:
        yield Section("typical", "Terms", "Typical terms", _terms(trends))
    if trends.together:
        yield Section("together", "Together", "Which categories go together", _together(trends))


def _intro(trends: Trends) -> str:
    left_out = ", ".join(f"{number:,} {reason}" for reason, number in trends.left_out.items())
    examples = f" Unreadable dates: {', '.join(map(repr, trends.unreadable))}." if trends.unreadable else ""
    notes = [*([f"Left out: {left_out}.{examples}"] if left_out else []), *trends.notes]
    per = f" per {trends.by}" if trends.by else ""
    corrected = f" {trends.corrected[0].upper()}{trends.corrected[1:]}." if trends.corrected else ""
    told = (
        f"<p>The share of {quantity(trends.documents, 'document')} in each category{per}. "
        f"Bands and bars are 95 % intervals.{corrected}</p>"
    )
    return told + "".join(f'<p class="note">{safe(note)}</p>' for note in notes)


def _chart(trends: Trends) -> str:
    return framed(shares_chart(trends), shares_chart(trends, width=_PHONE))


def _changes(trends: Trends) -> str:
    told = (
        "<p>Periods from which on a share is higher or lower than in the periods before. The probability that this "
        "table has any false alarm is at most 5 %.</p>"
    )
    if not trends.changes:
        return f"{told}<p>No share rises or falls more than chance explains.</p>"
    grouped = bool(trends.groups)
    heads = [
        "Category",
        *(["Group"] if grouped else []),
        "From",
        "Share before",
        "Share after",
        "Change",
        "95 % interval",
    ]
    return told + _table(
        heads,
        (
            [
                each.category,
                *([each.group] if grouped else []),
                each.period,
                percent(each.before),
                percent(each.after),
                _points(each.change),
                f"{_points(each.low)} to {_points(each.high)}",
            ]
            for each in trends.changes
        ),
    )


def _differences(trends: Trends) -> str:
    told = (
        "<p>Each group against all others; only differences that are too large for chance, with a correction for the "
        "number of comparisons (Holm).</p>"
    )
    found = sorted(
        (each for each in trends.differences if each.p <= _SIGNIFICANT), key=lambda each: -abs(each.difference)
    )
    if not found:
        return f"{told}<p>No group differs from the others more than chance explains.</p>"
    heads = ["Category", "Group", "Share", "Share in others", "Difference in points", "95 % interval"]
    return told + _table(
        heads,
        (
            [
                each.category,
                each.group,
                percent(each.share),
                percent(each.others),
                _points(each.difference),
                f"{_points(each.low)} to {_points(each.high)}",
            ]
            for each in found
        ),
    )


def _terms(trends: Trends) -> str:
    told = (
        "<p>Terms that a category’s documents of a period or group contain more often than its other documents: "
        "log-odds with an informative prior.</p>"
    )
    rows: dict[tuple[str, str], list[str]] = {}
    for each in trends.terms:
        rows.setdefault((each.category, each.period or each.group), []).append(each.term)
    return told + _table(
        ["Category", "Period or group", "Terms"], ([*place, ", ".join(terms)] for place, terms in rows.items())
    )


def _together(trends: Trends) -> str:
    told = "<p>How many documents have both of two categories, against chance.</p>"
    heads = ["Category", "Other category", "Documents", "Expected by chance", "Ratio"]
    return told + _table(
        heads,
        (
            [each.category, each.other, f"{each.documents:,}", f"{each.expected:,.1f}", f"{each.ratio:.2f}"]
            for each in trends.together
            if each.p <= _SIGNIFICANT
        ),
    )


def _points(change: float) -> str:
    return f"{100 * change:+.1f}"


def _table(heads: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    listed = list(rows)
    head = "".join(f'<th scope="col">{safe(each)}</th>' for each in heads)
    body = "".join(
        f'<tr><th scope="row">{safe(row[0])}</th>{"".join(f"<td>{safe(cell)}</td>" for cell in row[1:])}</tr>'
        for row in listed[:_MOST_ROWS]
    )
    more = f"<p>{len(listed) - _MOST_ROWS:,} more rows.</p>" if len(listed) > _MOST_ROWS else ""
    return f'<div class="table"><table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table></div>{more}'
