"""Terminal output of evaluations, comparisons and agreement."""

from __future__ import annotations

from collections.abc import Iterable
from math import isnan
from typing import TYPE_CHECKING

from rich.console import Console
from rich.markup import escape
from rich.table import Table

from seetopic.discovery import DOUBTFUL
from seetopic.evaluation import in_order, mark, meaning, stem
from seetopic.runtime import listed, quantity

if TYPE_CHECKING:
    from seetopic.evaluation import Agreement, Comparison, Estimate, Evaluation

_SIDE_BY_SIDE = 4  # methods per table, to fit a terminal
_DISPUTED = 20  # terms shown
_OF_TOPICS = ("label_precision@", "label_f1@", "npmi", "npmi_unsmoothed", "c_v", "median_document_frequency")
_COMPARED = (
    "label_precision@10", "label_f1@10", "label_f1@50", "npmi", "lcp", "diversity", "npmi_unsmoothed",
    "median_document_frequency", "c_v",
)  # fmt: skip


def print_evaluation(evaluation: Evaluation) -> None:
    """All measures next to those of equally rare random words, then topic by topic."""
    console = Console(emoji=False)
    overall = _table("measure", "topics", "random words", "")
    for name in in_order(evaluation.figures):
        random = evaluation.control.get(name)
        overall.add_row(name, _shown(evaluation.figures[name]), "" if random is None else _shown(random), meaning(name))
    console.print(overall)
    if evaluation.levels:
        measures = in_order(name for name in evaluation.levels[0] if name != "topics")
        by_level = _table("level", "topics", *map(_in_lines, measures))
        for number, level in enumerate(evaluation.levels):
            by_level.add_row(str(number), f"{level['topics']:.0f}", *(_shown(level[name]) for name in measures))
        console.print(by_level)
    shown = [name for name in in_order(evaluation.figures) if stem(name) in _OF_TOPICS]
    per_topic = _table("category", *map(_in_lines, shown))
    for topic in evaluation.topics:
        per_topic.add_row(escape(topic.name), *(_shown(topic.figures.get(name, float("nan"))) for name in shown))
    console.print(per_topic)
    labelled = "" if evaluation.n_labelled is None else f", {evaluation.n_labelled:,} of them labelled"
    console.print(
        f"{quantity(evaluation.n_documents, 'document')} of {escape(evaluation.corpus)}{labelled}", highlight=False
    )
    _print_notes(console, evaluation.names_without_label, evaluation.skipped)


def print_comparison(comparison: Comparison) -> None:
    """Means over runs, with stars where a method is significantly worse than the first."""
    console = Console(emoji=False)
    first, evaluation = comparison.methods[0], comparison.outcomes[0].evaluation
    shown = [name for name in _COMPARED if name in evaluation.figures]
    for at in range(0, len(comparison.methods), _SIDE_BY_SIDE):
        methods = comparison.methods[at : at + _SIDE_BY_SIDE]
        table = _table("measure", *methods)
        for name in shown:
            table.add_row(name, *(_with_stars(comparison, method, name, first) for method in methods))
        table.add_row("seconds", *(f"{_seconds(comparison, method):.1f}" for method in methods))
        console.print(table)
    for outcome in comparison.outcomes:
        if outcome.random_state == 0:
            terms = _table(f"category, by {outcome.method}", "terms, best first")
            for topic in outcome.topics:
                doubtful = " [yellow](low confidence)[/]" if topic.confidence < DOUBTFUL else ""
                terms.add_row(escape(topic.label) + doubtful, escape(", ".join(list(topic)[:10])))
            console.print(terms)
    told = f"{quantity(comparison.n_learned_from, 'document')} to learn from, {evaluation.n_documents:,} to evaluate on"
    console.print(f"{told}, {quantity(comparison.runs, 'run')} of each method", highlight=False)
    if comparison.runs == 1:
        console.print("to see which differences are significant, use several runs: --runs 3", highlight=False)
    else:
        console.print(f"* p < .05, ** p < .01: significantly worse than {first} across runs", highlight=False)
    _print_notes(console, evaluation.names_without_label, comparison.skipped)


def _with_stars(comparison: Comparison, method: str, name: str, first: str) -> str:
    ours, value = (_mean(comparison.values(which, name)) for which in (first, method))
    neither_way = name == "median_document_frequency"
    return _shown(value) + (mark(comparison.p_value(method, name)) if value < ours and not neither_way else "")


def _seconds(comparison: Comparison, method: str) -> float:
    return _mean([each.seconds for each in comparison.outcomes if each.method == method])


def _print_notes(console: Console, names: Iterable[str], skipped: Iterable[tuple[str, int]]) -> None:
    missing = list(names)
    if missing:
        console.print(f"[yellow]note:[/] no document has the label {escape(listed(missing))}", highlight=False)
    for reason, count in skipped:
        console.print(f"left out: {count} {escape(reason)}", highlight=False)


def print_agreement(agreement: Agreement) -> None:
    console = Console(emoji=False)
    accuracy = _table("method", "MACC", *(escape(each.name) for each in agreement.annotators))
    for method in agreement.methods:
        shares = (method.per_annotator[each.name] for each in agreement.annotators)
        accuracy.add_row(escape(method.method), _optional(method.macc), *(_optional(share) for share in shares))
    console.print(accuracy)
    categories = list(agreement.methods[0].per_topic)
    topics = _table("category", *(escape(method.method) for method in agreement.methods))
    for category in categories:
        shares = (method.per_topic[category] for method in agreement.methods)
        topics.add_row(escape(category), *(_optional(share) for share in shares))
    console.print(topics)
    console.print(f"Fleiss' kappa {_estimate(agreement.fleiss_kappa)}", highlight=False)
    console.print(f"Krippendorff's alpha {_estimate(agreement.krippendorff_alpha)}", highlight=False)
    if agreement.disputed:
        disputed = _table("disputed term", "category", "yes", "no", "found by")
        for each in agreement.disputed[:_DISPUTED]:
            found_by = ", ".join(each.methods)
            disputed.add_row(escape(each.term), escape(each.category), str(each.yes), str(each.no), escape(found_by))
        console.print(disputed)
        if (rest := len(agreement.disputed) - _DISPUTED) > 0:
            console.print(f"and {quantity(rest, 'more disputed term')}; --json lists all", highlight=False)
    for sentence in agreement.notes:
        console.print(f"[yellow]note:[/] {escape(sentence)}", highlight=False)


def _table(*headings: str) -> Table:
    table = Table()
    for number, heading in enumerate(headings):
        table.add_column(heading, style="bold" if number == 0 else "", overflow="fold")
    return table


def _in_lines(measure: str) -> str:
    """Its name with a line for each word, so that all measures fit a terminal."""
    return measure if measure == "c_v" else measure.replace("_", "\n")


def _mean(values: list[float]) -> float:
    return sum(values) / len(values) if values else float("nan")


def _shown(value: float) -> str:
    return "-" if isnan(value) else f"{value:.3f}" if abs(value) < 100 else f"{value:,.0f}"


def _optional(value: float | None) -> str:
    return "-" if value is None else f"{value:.3f}"


def _estimate(estimate: Estimate) -> str:
    if estimate.value is None:
        return "undefined (see the notes)"
    between = f" (95% interval: {estimate.low:.3f} to {estimate.high:.3f})" if estimate.low is not None else ""
    return f"{estimate.value:.3f}{between}, over {estimate.items} terms"
