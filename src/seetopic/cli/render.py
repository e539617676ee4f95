"""Terminal output of topics, of checked names and of trends."""

from __future__ import annotations

from collections.abc import Sequence

from rich.console import Console
from rich.markup import escape
from rich.table import Table

from seetopic.classify import CategoryShare, Trends
from seetopic.discovery import Check, Topics
from seetopic.runtime import quantity


def print_topics(topics: Topics) -> None:
    table = Table(title=None, show_lines=True)
    table.add_column("category", style="bold")
    table.add_column("occurs")
    table.add_column("confidence", justify="right")
    table.add_column("terms, best first")
    for topic in topics:
        occurs = "yes" if topic.in_vocabulary else "no"
        name = "  " * (len(topic.path) - 1) + topic.name
        table.add_row(escape(name), occurs, f"{topic.confidence:.2f}", escape(", ".join(topic)))
    console = Console(emoji=False)
    console.print(table)
    for sentence in topics.notes:
        console.print(f"[yellow]note:[/] {escape(sentence)}", highlight=False)


def print_check(check: Check) -> None:
    console = Console(emoji=False)
    table = Table(show_lines=True)
    for heading in ("name", "occurs", "times", "nearest terms, with similarity"):
        table.add_column(heading, style="bold" if heading == "name" else "")
    for each in check.names:
        title = each.name if each.name == each.category else f"{each.category}: {each.name}"
        nearest = ", ".join(f"{term} {similarity:.2f}" for term, similarity in each.nearest)
        occurs = "yes" if each.in_vocabulary else "yes, as a new term" if each.occurrences else "no"
        table.add_row(escape(title), occurs, f"{each.occurrences:,}", escape(nearest))
    console.print(table)
    scope = "" if check.compared_terms == check.terms else f"; nearest of the {check.compared_terms:,} most informative"
    console.print(f"{quantity(check.documents, 'document')}, {quantity(check.terms, 'term')}{scope}", highlight=False)
    for number, (name, size) in enumerate(check.parts if len(check.parts) > 1 else (), start=1):
        console.print(f"part {number}: {escape(name)}, {quantity(size, 'document')}", highlight=False)
    for first, second, similarity in check.close:
        console.print(
            f"[yellow]close:[/] {escape(first)!r} and {escape(second)!r} ({similarity:.2f}) "
            "may compete for the same terms",
            highlight=False,
        )
    if check.hardly_known:
        console.print(
            f"[yellow]hardly known:[/] the language model hardly knows {_listed(check.hardly_known)}: only similarly "
            "spelled words are near; add a description of what each covers, or another name",
            highlight=False,
        )
    if check.far:
        console.print(
            f"[yellow]far:[/] no term is near {_listed(check.far)}; the topic may be about something else",
            highlight=False,
        )
    for name, parent in check.misplaced:
        console.print(
            f"[yellow]misplaced?[/] {escape(name)!r} is nearer to {escape(parent)!r} than to its own parent; "
            "say more in its name, or move it",
            highlight=False,
        )


def _listed(names: Sequence[str]) -> str:
    *before, last = (repr(escape(name)) for name in names)
    return f"{', '.join(before)} and {last}" if before else last


def print_trends(trends: Trends) -> None:
    """One row per category and group: its share, and what stands out."""
    table = Table()
    table.add_column("category", style="bold")
    if trends.groups:
        table.add_column("group")
    table.add_column("documents", justify="right")
    over_time = bool(trends.periods)
    for heading in ("share", "lowest", "highest") if over_time else ("share", "95 % interval"):
        table.add_column(heading, justify="right")
    table.add_column("rises and falls" if over_time else "against the others")
    for category in trends.categories:
        for group in trends.groups or ("",):
            cells = (_over_time if over_time else _by_group)(trends, category, group)
            table.add_row(*map(escape, [category, *([group] if trends.groups else []), *cells]))
    console = Console(emoji=False)
    console.print(table)
    per = f", {quantity(len(trends.periods), 'period')} ({trends.by})" if over_time else ""
    console.print(f"{quantity(trends.documents, 'document')}{per}", highlight=False)
    if trends.corrected:
        console.print(trends.corrected, highlight=False, soft_wrap=True)


def _over_time(trends: Trends, category: str, group: str) -> list[str]:
    rows, (overall,) = (_of(shares, category, group) for shares in (trends.shares, trends.overall))
    ends = [pick(rows, key=lambda row: row.share) for pick in (min, max)]
    changes = [
        f"{'▲' if each.direction == 'rise' else '▼'} {each.period}: {each.before:.1%} → {each.after:.1%}"
        for each in trends.changes
        if (each.category, each.group) == (category, group)
    ]
    shown = [f"{row.share:.1%} ({row.period})" for row in ends]
    return [f"{overall.documents:,}", f"{overall.share:.1%}", *shown, "\n".join(changes)]


def _of(shares: Sequence[CategoryShare], category: str, group: str) -> list[CategoryShare]:
    return [row for row in shares if (row.category, row.group) == (category, group)]


def _by_group(trends: Trends, category: str, group: str) -> list[str]:
    (row,) = _of(trends.overall, category, group)
    differs = [
        f"{100 * each.difference:+.1f} points"
        for each in trends.differences
        if (each.category, each.group) == (category, group) and each.p <= 0.05
    ]
    return [
        f"{row.documents:,}",
        f"{row.share:.1%}",
        f"{row.low:.1%} to {row.high:.1%}",
        *(differs or [""]),
    ]
