"""The command line: parse, call, print; nothing else."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

from seetopic.errors import OutputError, SeeTopicError
from seetopic.settings import DEFAULT, PRESETS, IndexSettings
from seetopic.version import __version__

if TYPE_CHECKING:
    from seetopic.build import Build
    from seetopic.index import Index
    from seetopic.progress import Progress
    from seetopic.run import Discovery

Command = TypeVar("Command", bound=Callable[..., Any])
_TEXT, _LOCAL = DEFAULT.index.text, DEFAULT.index.local

_READING = (
    click.option("--text-field", metavar="NAME", help="Field or column that holds the text.  [default: text]"),
    click.option(
        "--format", type=click.Choice(["txt", "jsonl", "csv", "tsv", "parquet"]), help="If the name does not tell."
    ),
    click.option(
        "--on-error",
        type=click.Choice(["raise", "skip"]),
        default="raise",
        show_default=True,
        help="What to do with broken records.",
    ),
)
_INDEXING = (
    click.option(
        "--model",
        metavar="NAME|PATH",
        help="Language model: a folder or a hub name.  [default: embedded all-MiniLM-L6-v2]",
    ),
    click.option(
        "--preset",
        type=click.Choice(list(PRESETS)),
        default="default",
        show_default=True,
        help="Method of `discover`; all but the default train vectors for it, minutes on a CPU.",
    ),
    click.option(
        "--min-count",
        type=int,
        default=_TEXT.min_count,
        show_default=True,
        help="Leave out terms that occur less often.",
    ),
    click.option(
        "--max-phrase-words",
        type=int,
        default=_TEXT.max_phrase_words,
        show_default=True,
        help="Longest phrase; 1: none.",
    ),
    click.option("--keep-case", is_flag=True, help="Tell Polish from polish."),
    click.option(
        "--window",
        type=int,
        default=_LOCAL.window,
        show_default=True,
        help="Terms on either side that count as context.",
    ),
    click.option("--rank", type=int, default=_LOCAL.rank, show_default=True, help="Length of the local vectors."),
    click.option(
        "--sample-words",
        type=int,
        default=DEFAULT.index.sample.words,
        show_default=True,
        help="Words of documents that the language model reads; 0: none.",
    ),
    click.option(
        "--precision",
        type=click.Choice(["float32", "bfloat16"]),
        default="float32",
        show_default=True,
        help="Of the language model.",
    ),
    click.option("--random-state", type=int, default=0, show_default=True),
    click.option(
        "--jobs",
        type=int,
        metavar="N",
        help="Worker processes; the result is the same for any number.  [default: all cores]",
    ),
    click.option("--device", type=click.Choice(["auto", "cpu", "cuda"]), default="auto", show_default=True),
    click.option(
        "--cache",
        type=click.Path(path_type=Path),
        metavar="DIR",
        help="Folder for vectors and indexes.  [default: SEETOPIC_CACHE, or yours]",
    ),
)
_SHOWING = (
    click.option("--quiet", is_flag=True, help="No progress."),
    click.option("--json", "as_json", is_flag=True, help="The result as JSON on standard output."),
)
_SEEDS = click.option(
    "--seeds",
    required=True,
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="Category names: .txt, .yaml, .json, .csv, .dic.",
)
_TOP = click.option("--top", type=int, default=DEFAULT.discovery.top, show_default=True, help="Terms of a topic.")


def _with(*options: Callable[[Command], Command]) -> Callable[[Command], Command]:
    def decorate(command: Command) -> Command:
        for option in reversed(options):
            command = option(command)
        return command

    return decorate


@click.group(context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 110})
@click.version_option(__version__, prog_name="seetopic")
def cli() -> None:
    """Name your categories; get, for each, the terms your documents really use for it."""


@cli.command()
@click.option(
    "--out",
    type=click.Path(path_type=Path),
    default=Path("seetopic-demo"),
    show_default=True,
    help="Folder for the results.",
)
@_with(*_SHOWING)
@click.option("--jobs", type=int, metavar="N")
@click.option("--cache", type=click.Path(path_type=Path), metavar="DIR")
def demo(out: Path, quiet: bool, as_json: bool, jobs: int | None, cache: Path | None) -> None:
    """Find topics in 2,225 news articles that came with seetopic."""
    from seetopic.console import shown_progress
    from seetopic.demo import NAMES, demo_documents
    from seetopic.index import Index, plan_cached
    from seetopic.run import Discovery
    from seetopic.seeds import as_seeds

    with shown_progress(quiet) as progress:
        build = plan_cached(demo_documents(), settings=DEFAULT.index, jobs=jobs, cache=cache, progress=progress)
        build.run()
    opened = Index.open(build.out, cache=cache)
    _say_skipped(opened)
    _show(Discovery(opened, as_seeds(list(NAMES))), out, as_json)


@cli.command()
@click.argument("documents", metavar="DOCS")
@click.option(
    "--out", required=True, type=click.Path(path_type=Path), metavar="INDEX", help="Folder to build the index in."
)
@click.option("--overwrite", is_flag=True, help="Replace another index in that folder.")
@_with(*_READING, *_INDEXING, *_SHOWING)
def index(documents: str, out: Path, overwrite: bool, quiet: bool, as_json: bool, **options: Any) -> None:
    """Build the index of DOCS once; then any names give topics in about a second.

    DOCS is a .txt, .jsonl, .csv, .tsv or .parquet file (each also .gz), a folder of .txt files, or - for
    standard input. A build that was cut off goes on when the same command is given again.
    """
    from seetopic.console import shown_progress
    from seetopic.index import Index, plan

    with shown_progress(quiet) as progress:
        build = plan(_documents(documents, options), out, **_build_options(options, progress))
        build.run(overwrite=overwrite)
    built = Index.open(out, model=options["model"], cache=options["cache"])
    _say_skipped(built)
    corpus = built.manifest["corpus"]
    if as_json:
        click.echo(
            json.dumps({"index": str(out), "corpus": corpus, "model": built.manifest["model"]}, ensure_ascii=False)
        )
    else:
        click.echo(f"{out}: {corpus['documents']:,} documents, {corpus['tokens']:,} words, {corpus['terms']:,} terms")


@cli.command()
@click.argument("source", metavar="DOCS|INDEX")
@_SEEDS
@_with(*_READING, *_INDEXING, *_SHOWING)
def check(source: str, seeds: Path, quiet: bool, as_json: bool, **options: Any) -> None:
    """Look at category names before any slow work: do they occur, what is near them."""
    from seetopic.check import check_build, check_index
    from seetopic.console import print_check, shown_progress
    from seetopic.layout import is_intact
    from seetopic.seeds import read_seeds

    asked = read_seeds(seeds)
    with shown_progress(quiet) as progress:
        if _is_index(source):
            result = check_index(_open(source, options), asked)
        else:
            build = _cached_build(source, options, progress)
            ready = is_intact(build.out)
            result = check_index(_open(build.out, options), asked) if ready else check_build(build, asked)
    if as_json:
        click.echo(json.dumps(result.to_json(), ensure_ascii=False, indent=1))
    else:
        print_check(result)


@cli.command()
@click.argument("source", metavar="DOCS|INDEX")
@_SEEDS
@click.option(
    "--out", type=click.Path(path_type=Path), metavar="DIR", help="Folder for topics.json, topics.csv and report.html."
)
@_with(_TOP, *_READING, *_INDEXING, *_SHOWING)
def discover(source: str, seeds: Path, out: Path | None, top: int, quiet: bool, as_json: bool, **options: Any) -> None:
    """Find the terms of each category.

    DOCS are indexed first, and the index is kept in the cache for the next time.
    """
    from seetopic.console import shown_progress
    from seetopic.run import Discovery
    from seetopic.seeds import read_seeds

    asked = read_seeds(seeds)
    if out is not None and out.exists() and not out.is_dir():
        raise OutputError(f"--out {out} is a file; name a folder")  # said now, not after minutes of work
    preset = PRESETS[options["preset"]]
    settings = replace(preset.discovery, top=top)
    with shown_progress(quiet) as progress:
        if _is_index(source):
            opened = _open(source, options)
        else:
            build = _cached_build(source, options, progress)
            build.run()
            opened = _open(build.out, options)
            _say_skipped(opened)
        run = Discovery(opened, asked, settings, preset.preset, options["device"], progress)
        run.topics  # noqa: B018 - found here, while progress is shown
    _show(run, out, as_json)


@cli.command()
@click.argument("documents", metavar="DOCS")
@click.option(
    "--topics", required=True, type=click.Path(path_type=Path), metavar="DIR", help="What `discover --out` wrote."
)
@click.option("--out", required=True, type=click.Path(path_type=Path), metavar="FILE.csv", help="Table to write.")
@click.option("--read", is_flag=True, help="Let the language model read the documents, too: better, and slower.")
@click.option("--several", is_flag=True, help="Give a document every category that reaches the threshold.")
@click.option("--threshold", type=float, default=0.0, show_default=True, help="Least share of a category to be given.")
@click.option("--rate", type=float, help="Share of documents to give a category; the least clear get none.")
@_with(*_READING, *_SHOWING)
@click.option("--jobs", type=int, metavar="N", help="Worker processes.  [default: all cores]")
@click.option("--device", type=click.Choice(["auto", "cpu", "cuda"]), default="auto", show_default=True)
@click.option("--cache", type=click.Path(path_type=Path), metavar="DIR")
def assign(
    documents: str,
    topics: Path,
    out: Path,
    read: bool,
    several: bool,
    threshold: float,
    rate: float | None,
    quiet: bool,
    as_json: bool,
    **options: Any,
) -> None:
    """Sort DOCS into the categories of topics, with the terms that speak for each."""
    from seetopic.assign import Sorter
    from seetopic.assigning import AssignOptions, Reader, assign_documents
    from seetopic.console import shown_progress
    from seetopic.encoder import encoder_for
    from seetopic.encoder.cache import VectorCache, cache_folder
    from seetopic.engine import LocalEngine, available_cores

    sorter = Sorter.load(topics)
    jobs = options["jobs"] or available_cores()
    reader = None
    if read:
        sorter.require_reading()
        encoder = encoder_for(sorter.model, device=options["device"])
        reader = Reader(encoder, VectorCache(cache_folder(options["cache"])), jobs)
    chosen = AssignOptions(threshold=threshold, rate=rate, several=several)
    with shown_progress(quiet) as progress:
        given = assign_documents(
            _documents(documents, options),
            sorter,
            out,
            LocalEngine(jobs),
            options=chosen,
            reader=reader,
            progress=progress,
        )
    counts = {name: given[name] for name in (*sorter.names, "")}
    if as_json:
        click.echo(
            json.dumps({"out": str(out), "documents": sum(counts.values()), "given": counts}, ensure_ascii=False)
        )
    else:
        for name, count in counts.items():
            click.echo(f"{count:>9,}  {name or '(none)'}")
        click.echo(f"{out}: {sum(counts.values()):,} documents")


def _show(run: Discovery, out: Path | None, as_json: bool) -> None:
    from seetopic.assign import sorter_of
    from seetopic.console import print_topics
    from seetopic.report import write_report

    topics = run.topics
    if out is not None:
        write_report(topics, out)
        sorter_of(run).save(out)
        topics.save(out)
    if as_json:
        click.echo(json.dumps(topics.to_json(), ensure_ascii=False, indent=1))
        return
    print_topics(topics)
    if out is not None:
        click.echo(f"{out}: topics.json, topics.csv, report.html, sorter.safetensors")


def _is_index(source: str) -> bool:
    from seetopic.layout import MANIFEST

    return (Path(source) / MANIFEST).exists()


def _open(source: str | Path, options: dict[str, Any]) -> Index:
    from seetopic.index import Index

    return Index.open(source, model=options["model"], cache=options["cache"])


def _documents(source: str, options: dict[str, Any]) -> Any:
    from seetopic.documents import open_documents

    return open_documents(
        source, text_field=options["text_field"], on_error=options["on_error"], format=options["format"]
    )


def _cached_build(source: str, options: dict[str, Any], progress: Progress) -> Build:
    from seetopic.index import plan_cached

    return plan_cached(_documents(source, options), **_build_options(options, progress))


def _build_options(options: dict[str, Any], progress: Progress) -> dict[str, Any]:
    return {
        "settings": _index_settings(options),
        "progress": progress,
        **{name: options[name] for name in ("model", "jobs", "device", "cache")},
    }


def _index_settings(options: dict[str, Any]) -> IndexSettings:
    settings = PRESETS[options["preset"]].index
    text = replace(
        settings.text,
        min_count=options["min_count"],
        max_phrase_words=options["max_phrase_words"],
        lowercase=not options["keep_case"],
    )
    local = replace(settings.local, window=options["window"], rank=options["rank"])
    sample = replace(settings.sample, words=options["sample_words"])
    rest = {name: options[name] for name in ("precision", "random_state")}
    return replace(settings, text=text, local=local, sample=sample, **rest)


def _say_skipped(opened: Index) -> None:
    skipped = opened.manifest["corpus"]["skipped"]
    if skipped:
        click.echo("left out: " + ", ".join(f"{count} {reason}" for reason, count in skipped.items()), err=True)


def main() -> None:
    """Exit code 0; 2 and one line for what the user can mend; 1 and a trace for a bug."""
    try:
        cli(standalone_mode=False)
    except SeeTopicError as error:
        click.echo(f"seetopic: {error}", err=True)
        sys.exit(2)
    except click.ClickException as error:
        click.echo(f"seetopic: {error.format_message()} (see seetopic --help)", err=True)
        sys.exit(2)
    except (click.Abort, KeyboardInterrupt):
        click.echo("seetopic: stopped; an index that is being built goes on when the command is given again", err=True)
        sys.exit(130)
