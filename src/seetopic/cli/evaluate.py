"""Evaluating topics: `evaluate`, `compare`, `annotate`, `agreement`."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import Any

import click

from seetopic.cli.options import (
    CACHE,
    DEVICE,
    JOBS,
    MIN_COUNT,
    PATH,
    READER,
    READING,
    SEEDS,
    SHOWING,
    given_documents,
    refuse_to_replace_inputs,
    say_warning,
    show,
    with_options,
)
from seetopic.settings import DEFAULT

# Repeats the names in `seetopic.evaluation.METHODS`, because importing it would slow down `--help`.
METHODS = (
    "default", "paper", "released-code", "no-iter", "plm", "zero-shot", "seeded-lda", "anchored-corex", "labeled-etm",
    "cate", "bertopic-guided", "bertopic-zeroshot",
)  # fmt: skip

_LABEL = click.option("--label-field", metavar="NAME", help="Field or column with the documents' true categories.")
_RANDOM = click.option(
    "--random-state",
    type=click.IntRange(min=0),
    default=0,
    show_default=True,
    help="Seed for the random number generator.",
)
_TERMS = click.option(
    "--top", type=int, default=DEFAULT.discovery.top, show_default=True, help="Number of best terms per topic to use."
)


@click.command()
@click.argument("topics", type=PATH, metavar="DIR")
@click.option(
    "--on", "held_out", required=True, metavar="DOCS|INDEX", help="Documents that were not used to find the topics."
)
@with_options(_LABEL, _TERMS, *READING, _RANDOM, JOBS, CACHE, *SHOWING)
def evaluate(topics: Path, held_out: str, top: int, quiet: bool, as_json: bool, **options: Any) -> None:
    """Evaluate the topics in DIR (written by `discover --out`) on other documents.

    Reports coherence (computed as in the SeeTopic paper), other measures that capture what coherence misses, the
    scores of random words as a baseline and, with --label-field, how well the terms indicate the true categories.
    """
    from seetopic.cli.verdicts import print_evaluation
    from seetopic.evaluation import EvaluationOptions, evaluate_folder
    from seetopic.index import is_index
    from seetopic.runtime import shown_progress

    label_field = options["label_field"]
    source = held_out if is_index(held_out) else given_documents(held_out, options)
    with shown_progress(quiet) as progress:
        result = evaluate_folder(
            topics,
            source,
            options=EvaluationOptions(top=top, random_state=options["random_state"]),
            label_field=label_field,
            n_jobs=options["jobs"],
            cache=options["cache"],
            progress=progress,
        )
    show(result, as_json, print_evaluation)


@click.command()
@click.argument("documents", metavar="DOCS")
@SEEDS
@click.option(
    "--methods",
    default="default,plm,zero-shot",
    show_default=True,
    help=f"Methods, separated by commas; the first is the reference. All of them: {', '.join(METHODS)}.",
)
@click.option("--on", "held_out", metavar="DOCS", help="Documents to evaluate on.  [default: held out from DOCS]")
@click.option("--hold-out", type=float, default=0.4, show_default=True, help="Share of DOCS held out for evaluation.")
@click.option(
    "--runs", type=int, default=1, show_default=True, help="Number of runs of each method, with different seeds."
)
@click.option(
    "--dimensions", type=int, help="Dimensions of trained vectors; fewer are faster.  [default: the method's own]"
)
@click.option("--epochs", type=int, help="Number of training epochs for the paper, released-code and no-iter presets.")
@click.option(
    "--out",
    type=PATH,
    metavar="DIR",
    help="Folder for the results; running the command again with the same folder continues from them.",
)
@click.option("--model", metavar="NAME|PATH", help="Language model: a folder or a Hugging Face model name.")
@with_options(READER, MIN_COUNT, DEVICE, _LABEL, *READING, JOBS, CACHE, *SHOWING)
def compare(
    documents: str,
    seeds: tuple[Path, ...],
    methods: str,
    held_out: str | None,
    hold_out: float,
    out: Path | None,
    quiet: bool,
    as_json: bool,
    **options: Any,
) -> None:
    """Run several methods on the same documents and names, and evaluate them on other documents."""
    from seetopic.cli.verdicts import print_comparison
    from seetopic.corpus import read_seeds
    from seetopic.evaluation import CompareOptions, Parts, compare, split
    from seetopic.runtime import shown_progress

    asked = read_seeds(*seeds)
    if held_out is None:
        parts = split(given_documents(documents, options), hold_out, random_state=0)
    else:
        skipped: Counter[str] = Counter()
        learned_from = given_documents(documents, {**options, "label_field": None})
        texts = tuple(learned_from.texts(skipped))
        parts = Parts(texts, given_documents(held_out, options), tuple(skipped.items()), learned_from.name)
    chosen = CompareOptions(
        n_jobs=options["jobs"],
        **{
            name: options[name]
            for name in ("runs", "model", "reader", "device", "cache", "min_count", "dimensions", "epochs")
        },
    )
    with shown_progress(quiet) as progress:
        result = compare(
            parts, asked, _listed(methods), options=chosen, folder=out, progress=progress, warn=say_warning
        )
    show(result, as_json, print_comparison)


@click.command()
@click.argument("topics", nargs=-1, required=True, type=PATH, metavar="DIR...")
@click.option("--out", required=True, type=PATH, metavar="SHEET.csv", help="Sheet to write.")
@with_options(_TERMS, _RANDOM)
def annotate(topics: tuple[Path, ...], out: Path, top: int, random_state: int) -> None:
    """Create a sheet for people to judge whether each term belongs to its category.

    Terms are shuffled, and the method that found each one is hidden. If several DIRs are given, their terms are mixed
    in one sheet. An HTML page with the same sheet is written next to it, to be filled in using the keyboard.
    """
    from seetopic.evaluation import annotate

    files = annotate(topics, out, top=top, random_state=random_state)
    click.echo(f"{files.table}: fill in 1 or 0, in one copy per annotator")
    click.echo(f"{files.page}: the same sheet for a browser and the keyboard")
    click.echo(f"{files.key}: which method found what; hide it from annotators, but keep it for `seetopic agreement`")


@click.command()
@click.argument("sheets", nargs=-1, required=True, type=PATH, metavar="SHEET.csv...")
@click.option("--key", type=PATH, metavar="KEY.json", help="Key file for the sheets.  [default: the one next to them]")
@click.option(
    "--judgements",
    type=PATH,
    metavar="FILE",
    help="Add the answers to this file, for `seetopic discover --judgements`.",
)
@click.option("--json", "as_json", is_flag=True, help="Print the result as JSON.")
@with_options(_RANDOM)
def agreement(
    sheets: tuple[Path, ...], key: Path | None, judgements: Path | None, as_json: bool, random_state: int
) -> None:
    """Evaluate filled-in sheets: the accuracy of each method (MACC), and how well annotators agree."""
    from seetopic.cli.verdicts import print_agreement
    from seetopic.corpus import append_judgements
    from seetopic.evaluation import agreement_of, judgements_of, read_sheets

    if judgements is not None:
        refuse_to_replace_inputs([judgements], *sheets, key)
    filled = read_sheets(sheets, key)
    result = agreement_of(*filled, random_state=random_state)
    if judgements is not None:
        append_judgements(judgements, judgements_of(*filled))
    show(result, as_json, print_agreement)


def _listed(methods: str) -> list[str]:
    """Method names as typed, without duplicates."""
    return list(dict.fromkeys(name.strip() for name in methods.split(",") if name.strip()))
