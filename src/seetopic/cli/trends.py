"""`trends`: shares of categories over time and by group."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import click

from seetopic.cli.options import (
    BY,
    CACHE,
    DATES,
    DEVICE,
    GROUP,
    INDEX_MODELS,
    PATH,
    SHOWING,
    TIME,
    TIME_ZONE,
    open_index,
    say_left_out,
    with_options,
)


@click.command()
@click.argument("source", metavar="INDEX|TABLE")
@TIME
@BY
@GROUP
@click.option(
    "--seeds", multiple=True, type=PATH, metavar="FILE", help="Category names to sort the documents of INDEX by."
)
@click.option("--topics", type=PATH, metavar="DIR", help="Instead of --seeds, a folder written by `discover --out`.")
@click.option(
    "--several", is_flag=True, help="Count every category of a document, not only the best one, and which go together."
)
@click.option(
    "--label-field",
    metavar="NAME",
    help="Column with the true categories of some documents; corrects the shares for the error of sorting.",
)
@click.option(
    "--judgements",
    type=PATH,
    metavar="FILE",
    help="Instead of --label-field, a .jsonl file with `category`, `document` (its number) and `belongs` per line.",
)
@DATES
@TIME_ZONE
@click.option(
    "--out",
    type=PATH,
    metavar="FILE|DIR",
    help="Shares as .csv or .parquet, all tables as .xlsx, everything as .json, the chart as .svg or .png, a page as "
    ".html; a name without an extension is a folder.",
)
@click.option("--top", type=int, default=10, show_default=True, help="Number of typical terms per period or group.")
@click.option(
    "--random-state", type=int, default=0, expose_value=False, help="As in other commands, but nothing here is random."
)
@with_options(*INDEX_MODELS, DEVICE, CACHE, *SHOWING)
def trends(
    source: str,
    seeds: tuple[Path, ...],
    topics: Path | None,
    out: Path | None,
    quiet: bool,
    as_json: bool,
    model: str | None,
    reader: str | None,
    device: str,
    cache: Path | None,
    **options: Any,
) -> None:
    """Show how categories rise and fall over time, and how groups differ, with 95 % intervals.

    TABLE is what `seetopic assign --keep FIELD,...` wrote; INDEX is an index built with `--keep FIELD,...`, whose
    documents are sorted by --seeds or --topics first.
    """
    from seetopic.classify import trends as trends_in
    from seetopic.cli.render import print_trends
    from seetopic.corpus import read_seeds
    from seetopic.index import is_index
    from seetopic.output import check_trends_place, write_trends
    from seetopic.runtime import shown_progress

    if out is not None:
        check_trends_place(out)
    models = {"model": model, "reader": reader, "cache": cache}
    opened: Any = open_index(source, models) if is_index(source) else Path(source)
    asked = read_seeds(*seeds) if seeds else None
    with shown_progress(quiet) as progress:
        found = trends_in(opened, seeds=asked, topics=topics, device=device, progress=progress, **options)
    say_left_out(found)
    written = [] if out is None else write_trends(found, out)
    if as_json:
        click.echo(json.dumps(found.to_json(), ensure_ascii=False, indent=1))
        return
    print_trends(found)
    if out is not None:
        names = f": {', '.join(path.name for path in written)}" if out.is_dir() else ""
        click.echo(f"{out}{names}")
