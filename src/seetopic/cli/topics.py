"""From documents and names to topics: `demo`, `index`, `check`, `discover`, `suggest`, `assign`."""

from __future__ import annotations

import json
import sys
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from seetopic.cli.messages import ROOM
from seetopic.cli.options import (
    ADDRESS,
    BY,
    CACHE,
    DATES,
    DEVICE,
    ENGINE,
    GROUP,
    INDEX_MODELS,
    INDEXING,
    JOBS,
    JUDGEMENTS,
    KEEP,
    PATH,
    PRESET,
    READING,
    READING_EVERY_ROW,
    SEEDS,
    SHOWING,
    TIME,
    TIME_ZONE,
    TOP,
    build_options,
    cached_build,
    given_documents,
    kept_columns,
    open_index,
    refuse_to_replace_inputs,
    require_index,
    say_doubts,
    say_left_out,
    say_note,
    say_skipped,
    say_unused,
    say_warning,
    say_warnings,
    show,
    size_of,
    with_options,
)
from seetopic.errors import OutputError
from seetopic.settings import DEFAULT, PRESETS

if TYPE_CHECKING:
    from seetopic.classify import TrendOptions
    from seetopic.corpus import Documents
    from seetopic.discovery import Discovery
    from seetopic.index import Index

_TURN = 0.0005  # seconds that a thread may keep others waiting: arithmetic and reading give way to Python often


@click.command()
@click.option(
    "--out",
    type=PATH,
    default="seetopic-demo",
    show_default=True,
    help="Folder for the results.",
)
@with_options(*SHOWING, JOBS, CACHE)
def demo(out: Path, quiet: bool, as_json: bool, jobs: int | None, cache: Path | None) -> None:
    """Find topics in the 2,224 news articles that come with seetopic."""
    from seetopic.corpus import NAMES, demo_documents
    from seetopic.discovery import run_of
    from seetopic.index import Index, plan_cached
    from seetopic.runtime import shown_progress, silent

    _check_out(out)
    with shown_progress(quiet) as progress:
        resources: dict[str, Any] = {"n_jobs": jobs, "cache": cache, "progress": progress, "warn": say_warning}
        articles = demo_documents()
        build = plan_cached(articles, settings=DEFAULT.index, names=NAMES, **resources)
        build.run()
    opened = Index.open(build.out, cache=cache)
    for reason, count in opened.manifest["corpus"]["skipped"].items():
        say_note(f"{count} of the articles that come with seetopic is {reason}, and left out on purpose")
    run = run_of(opened, list(NAMES), None, DEFAULT.preset, "auto", silent)
    show_topics(run, out, as_json, articles, "seetopic demo")


@click.command()
@click.argument("documents", metavar="DOCS")
@click.option("--out", required=True, type=PATH, metavar="INDEX", help="Folder to build the index in.")
@click.option("--overwrite", is_flag=True, help="Replace an existing index in that folder.")
@click.option(
    "--seeds",
    multiple=True,
    type=PATH,
    metavar="FILE",
    help="Category names, if already known; multi-word names are treated as known phrases.",
)
@with_options(KEEP, *READING, *INDEXING, *SHOWING)
def index(documents: str, out: Path, overwrite: bool, quiet: bool, as_json: bool, **options: Any) -> None:
    """Index DOCS once; finding topics for any set of names then takes about a second.

    DOCS is a .txt, .md, .jsonl, .json, .csv, .tsv, .parquet or .xlsx file (optionally gzipped), a quoted pattern that
    matches several files ("data/part-?.jsonl"), the URL of such a file or pattern (s3://, https://, ...), a folder of
    texts or tables, a dataset saved with Hugging Face's datasets library, or - for standard input. An interrupted build
    resumes when the same command is run again.
    """
    from seetopic.index import is_intact, plan
    from seetopic.runtime import shown_progress

    with shown_progress(quiet) as progress:
        build = plan(given_documents(documents, options), out, **build_options(options, progress))
        if not quiet and (overwrite or not is_intact(out)):  # an index that is there already takes no time
            click.echo(str(build.estimate), err=True)
        build.run(overwrite=overwrite)
    built = open_index(out, options)
    say_skipped(built)
    corpus = built.manifest["corpus"]
    if as_json:
        click.echo(json.dumps({"index": str(out), "corpus": corpus, **built.models}, ensure_ascii=False))
    else:
        click.echo(f"{out}: {size_of(corpus)}")


@click.command()
@click.argument("source", metavar="DOCS|INDEX")
@SEEDS
@with_options(*READING, *INDEXING, *SHOWING)
def check(source: str, seeds: tuple[Path, ...], quiet: bool, as_json: bool, **options: Any) -> None:
    """Check whether category names occur in the documents, and list the terms nearest to each, before any slow step."""
    from seetopic.cli.render import print_check
    from seetopic.corpus import read_seeds
    from seetopic.discovery import check, check_build
    from seetopic.index import is_index, is_intact
    from seetopic.runtime import shown_progress

    asked = read_seeds(*seeds)
    with shown_progress(quiet) as progress:
        if is_index(source):
            opened = open_index(source, options)
            say_unused(opened, options)
            result = check(opened, asked)
            say_warnings(result.warnings)
        else:
            build = cached_build(source, options, progress)
            if is_intact(build.out):
                result = check(open_index(build.out, options), asked)
                say_warnings(result.warnings)
            else:
                result = check_build(build, asked)
    show(result, as_json, print_check)


@click.command()
@click.argument("source", metavar="DOCS|INDEX")
@SEEDS
@click.option("--out", type=PATH, metavar="DIR", help="Folder for topics.json, topics.csv and report.html.")
@with_options(JUDGEMENTS, TIME, BY, GROUP, DATES, TIME_ZONE, TOP, PRESET, *READING, *INDEXING, *SHOWING)
@click.option("--keep-variants", is_flag=True, help="List inflections and other spellings as separate terms.")
def discover(
    source: str,
    seeds: tuple[Path, ...],
    out: Path | None,
    judgements: Path | None,
    time: str | None,
    by: str,
    group: str | None,
    dates: str | None,
    time_zone: str | None,
    top: int,
    keep_variants: bool,
    quiet: bool,
    as_json: bool,
    **options: Any,
) -> None:
    """Find the terms for each category.

    DOCS are indexed first, and the index is cached for later runs. With --time or --group, the report also shows the
    shares of the categories over time and by group, as `seetopic trends` does; an INDEX must contain these columns.
    """
    from seetopic.corpus import as_judgements, read_seeds
    from seetopic.index import is_index
    from seetopic.runtime import shown_progress

    asked, judged = read_seeds(*seeds), as_judgements(judgements)
    judged.settled(asked)  # refuse what cannot be used before any slow work
    if out is not None and out.exists() and not out.is_dir():
        raise OutputError(f"--out {out} is a file; give a folder")  # fail now, not after minutes of work
    shown = None
    if time is not None or group is not None:
        if out is None:
            raise OutputError("--time and --group are shown in the report; give a folder for it with --out")
        from seetopic.classify import TrendOptions

        shown = TrendOptions(time=time, group=group, by=by, dates=dates, time_zone=time_zone)  # type: ignore[arg-type]
    kept = () if shown is None else tuple(shown.kept)
    preset = PRESETS[options["preset"]]
    merge = preset.discovery.merge_variants and not keep_variants
    settings = replace(preset.discovery, top=top, merge_variants=merge)
    with shown_progress(quiet) as progress:
        documents = None
        if is_index(source):
            opened = open_index(source, options)
            say_unused(opened, options)
            say_doubts(opened, asked.all_names)
            _get_ready(opened)
            _check_out(out, *seeds, judgements)
        else:
            _check_out(out, source, *seeds, judgements)
            build = cached_build(source, options, progress, asked.all_names, kept)
            documents = build.update.added[0].documents
            build.run()
            opened = open_index(build.out, options)
        say_skipped(opened)
        for name in kept:
            opened.column(name)  # refuse a missing one now
        from seetopic.discovery import run_of

        run = run_of(opened, asked, settings, preset.preset, options["device"], progress, judgements=judged)
    for sentence in run.query.settled.contradictions:
        say_warning(f"contradiction: {sentence}")
    show_topics(run, out, as_json, documents, trends=shown)


@click.command()
@click.argument("source", metavar="INDEX")
@click.option("--seeds", multiple=True, type=PATH, metavar="FILE", help="Category names chosen so far, if any.")
@click.option("--number", type=int, default=10, show_default=True, help="Maximum number of names to suggest.")
@click.option("--below", metavar="NAME", help="Suggest only names below this one, the name or path of a parent.")
@click.option("--out", type=PATH, metavar="FILE", help="YAML file to write the names to, instead of standard output.")
@with_options(*INDEX_MODELS, CACHE, *SHOWING)
def suggest(
    source: str,
    seeds: tuple[Path, ...],
    number: int,
    below: str | None,
    out: Path | None,
    quiet: bool,
    as_json: bool,
    **options: Any,
) -> None:
    """Suggest names for subjects in INDEX that your names do not cover yet.

    The result is a names file to edit; comments give each name's share of the documents and its terms.
    """
    from dataclasses import asdict

    from seetopic.corpus import read_seeds
    from seetopic.discovery import as_seeds_file
    from seetopic.discovery import suggest as suggested
    from seetopic.runtime import quantity, write_text

    asked = read_seeds(*seeds) if seeds else None
    if out is not None and out.suffix not in (".yaml", ".yml"):
        raise OutputError(
            f"--out {out} does not end in .yaml; names are written as YAML, so choose a file name ending in .yaml"
        )
    require_index(source)
    if out is not None:
        refuse_to_replace_inputs([out], source, *seeds)
    found = suggested(open_index(source, options), asked, number=number, below=below)
    if out is not None:
        write_text(out, as_seeds_file(found))
    if as_json:
        click.echo(json.dumps([asdict(each) for each in found], ensure_ascii=False, indent=1))
    elif out is None:
        click.echo(as_seeds_file(found), nl=False)
    elif not quiet:
        click.echo(f"{out}: {quantity(len(found), 'name')}")


@click.command()
@click.argument("documents", metavar="DOCS|INDEX")
@click.option("--topics", required=True, type=PATH, metavar="DIR", help="Folder written by `discover --out`.")
@click.option(
    "--out",
    required=True,
    type=PATH,
    metavar="FILE",
    help="Table to write; its extension is its format: .csv, .parquet, .jsonl or .xlsx.",
)
@click.option("--read", is_flag=True, help="Also let the language model read the documents: more accurate, but slower.")
@click.option(
    "--several", is_flag=True, help="Assign every category that reaches the threshold, not only the best one."
)
@click.option(
    "--threshold",
    type=float,
    default=0.0,
    show_default=True,
    help="Minimum share of a document (0 to 1) that a category needs to be assigned to it.",
)
@click.option("--rate", type=float, help="Share of documents to assign a category to; the least certain ones get none.")
@with_options(JUDGEMENTS, KEEP, *READING_EVERY_ROW, *SHOWING, JOBS, ENGINE, ADDRESS, DEVICE, CACHE)
def assign(
    documents: str,
    topics: Path,
    out: Path,
    read: bool,
    several: bool,
    threshold: float,
    rate: float | None,
    judgements: Path | None,
    quiet: bool,
    as_json: bool,
    **options: Any,
) -> None:
    """Assign categories to DOCS, with the terms that are evidence for each.

    The table has one row for each row of DOCS. Given an INDEX, its own documents are sorted, and --keep selects from
    the columns stored in it. An interrupted run resumes when the same command is run again.
    """
    from seetopic.classify import Sorter, table_for
    from seetopic.classify import assign as assign_documents
    from seetopic.corpus import is_below
    from seetopic.discovery import Topics
    from seetopic.index import is_index
    from seetopic.runtime import listed, quantity, shown_progress

    sorter, problems = Sorter.load(topics), Counter[str]()
    table_for(out, sorter.names, sorter.terms)  # refuses an unknown format before standard input is read
    resources = {name: options[name] for name in ("engine", "address", "device", "cache")}
    with shown_progress(quiet) as progress:
        source = documents if is_index(documents) else given_documents(documents, options)
        refuse_to_replace_inputs([out], source, topics, judgements)
        given = assign_documents(
            source,
            sorter,
            out,
            threshold=threshold,
            rate=rate,
            several=several,
            read=read,
            keep=kept_columns(options["keep"]),
            problems=problems,
            judgements=judgements,
            progress=progress,
            n_jobs=options["jobs"],
            **resources,
        )
    if (topics / "topics.json").exists() and (doubtful := Topics.load(topics).doubtful):
        names = listed((topic.label for topic in doubtful), ROOM)
        say_note(f"low confidence, so the documents assigned may be about something else: {names}")
    if problems:
        reasons = ", ".join(f"{count} {reason}" for reason, count in sorted(problems.items()))
        say_note(f"some rows have no text ({reasons}); the column `problem` says why")
    counts = {name: given[name] for name in (*sorter.names, "")}
    if as_json:
        shown = {"out": str(out), "documents": given.documents, "given": counts, "problems": problems}
        click.echo(json.dumps(shown, ensure_ascii=False))
    else:
        for name, count in counts.items():
            # With several categories, a document below a category is counted in it already.
            is_sum = sorter.parents and not several
            below = [counts[other] for other in sorter.names if is_sum and is_below(other, name)]
            rest = f", {count:,} of them in none of its subtopics" if below and count else ""
            click.echo(f"{count + sum(below):>9,}  {name or '(none)'}{rest}")
        each = "; a document may have several categories" if several else ""
        click.echo(f"{out}: {quantity(given.documents, 'document')}{each}")


def _check_out(out: Path | None, *inputs: Any) -> None:
    """Refuse a folder for results where something else would be lost."""
    if out is None:
        return
    from seetopic.discovery import RESULTS, refuse_other_results

    refuse_other_results(out)
    refuse_to_replace_inputs([out / name for name in RESULTS], *inputs)


def _get_ready(opened: Index) -> None:
    """Read an index while what finding and showing topics needs is imported: both take about as long."""
    sys.setswitchinterval(_TURN)
    with opened.reading_ahead():
        for name in ("seetopic.classify", "seetopic.cli.render", "seetopic.output"):
            import_module(name)
        from seetopic.discovery import sampled_documents

        sampled_documents(opened).get_ready()


def show_topics(
    run: Discovery,
    out: Path | None,
    as_json: bool,
    documents: Documents | None = None,
    command: str | None = None,
    trends: TrendOptions | None = None,
) -> None:
    from seetopic.classify import sorter_of, trends_in_index
    from seetopic.cli.render import print_topics
    from seetopic.discovery import results_in
    from seetopic.output import write_report

    topics = run.topics
    if out is not None:
        with ThreadPoolExecutor(1) as beside_report, results_in(out).written() as beside:
            sorter = beside_report.submit(sorter_of, run)
            saved = beside_report.submit(lambda: sorter.result().save(beside))
            found = None if trends is None else trends_in_index(run.index, sorter.result(), trends)
            if found is not None:
                say_left_out(found)
            write_report(run, beside, documents=documents, sorter=sorter, command=command, trends=found)
            topics.save(beside)
            saved.result()
    show(topics, as_json, print_topics)
    if out is not None and not as_json:
        click.echo(f"{out}: topics.json, topics.csv, report.html, sorter.safetensors")
