"""Terminal output of topics and of checked names."""

from __future__ import annotations

from rich.console import Console
from rich.markup import escape
from rich.table import Table

from seetopic.discovery import Check, Topics


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
    console = Console()
    console.print(table)
    for sentence in topics.notes:
        console.print(f"[yellow]note:[/] {escape(sentence)}", highlight=False)


def print_check(check: Check) -> None:
    console = Console()
    table = Table(show_lines=True)
    for heading in ("name", "occurs", "times", "nearest terms, with similarity"):
        table.add_column(heading, style="bold" if heading == "name" else "")
    for each in check.names:
        title = each.name if each.name == each.category else f"{each.category}: {each.name}"
        nearest = ", ".join(f"{term} {similarity:.2f}" for term, similarity in each.nearest)
        occurs = "yes" if each.in_vocabulary else "as words" if each.occurrences else "no"
        table.add_row(escape(title), occurs, f"{each.occurrences:,}", escape(nearest))
    console.print(table)
    scope = "" if check.compared_terms == check.terms else f"; nearest of the {check.compared_terms:,} most informative"
    console.print(f"{check.documents:,} documents, {check.terms:,} terms{scope}", highlight=False)
    for number, (name, size) in enumerate(check.parts if len(check.parts) > 1 else (), start=1):
        console.print(f"part {number}: {escape(name)}, {size:,} documents", highlight=False)
    for first, second, similarity in check.close:
        console.print(
            f"[yellow]close:[/] {escape(first)!r} and {escape(second)!r} ({similarity:.2f}) "
            "may compete for the same terms",
            highlight=False,
        )
    for name, parent in check.misplaced:
        console.print(
            f"[yellow]misplaced?[/] {escape(name)!r} is nearer to {escape(parent)!r} than to its own parent; "
            "say more in its name, or move it",
            highlight=False,
        )
