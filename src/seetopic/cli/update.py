"""Changing an index: `update`."""

from __future__ import annotations

import json
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from seetopic.cli.messages import say
from seetopic.cli.options import (
    ADDRESS,
    CACHE,
    DEVICE,
    ENGINE,
    INDEX_MODELS,
    JOBS,
    MEMORY,
    PATH,
    READING,
    SHOWING,
    given_documents,
    open_index,
    say_doubts,
    say_skipped,
    say_warning,
    size_of,
    with_options,
)

if TYPE_CHECKING:
    from seetopic.index import Index


@click.command()
@click.argument("folder", metavar="INDEX", type=PATH)
@click.option("--add", "added", multiple=True, metavar="DOCS", help="Documents to add as a new part; may be repeated.")
@click.option(
    "--remove", "removed", multiple=True, metavar="PART", help="Part to remove, by name or number; may be repeated."
)
@click.option("--again", is_flag=True, help="Add documents even if they are already in the index.")
@with_options(*INDEX_MODELS, *READING, MEMORY, JOBS, ENGINE, ADDRESS, DEVICE, CACHE, *SHOWING)
def update(
    folder: Path,
    added: tuple[str, ...],
    removed: tuple[str, ...],
    again: bool,
    quiet: bool,
    as_json: bool,
    **options: Any,
) -> None:
    """Add documents to INDEX, remove parts of it, or both; without either, list its parts.

    The result is the same as indexing all documents again, but nothing is read, tokenised or encoded twice. The index
    keeps its settings and stays usable until the updated one replaces it. An interrupted update resumes when the same
    command is run again.
    """
    from seetopic.runtime import shown_progress

    index = open_index(folder, options)
    if not (added or removed):
        show_parts(index, as_json)
        return
    with ExitStack() as until_shown:
        with shown_progress(quiet) as progress:
            updating = index.updating(
                [given_documents(source, options) for source in added],
                removed,
                again=again,
                progress=progress,
                warn=say_warning,
                n_jobs=options["jobs"],
                **{name: options[name] for name in ("engine", "address", "device", "memory")},
            )
            updated = until_shown.enter_context(updating)
        if updated.manifest["key"] == index.manifest["key"]:
            say(f"note: {folder} already has this update; nothing was changed")
            say_doubts(updated)
        say_skipped(updated)
        show_parts(updated, as_json)


def show_parts(index: Index, as_json: bool) -> None:
    corpus = index.manifest["corpus"]
    if as_json:
        shown = {"index": str(index.folder), "corpus": corpus, **index.models}
        click.echo(json.dumps(shown, ensure_ascii=False))
        return
    for number, part in enumerate(index.parts, start=1):
        noun = "document " if part.documents == 1 else "documents"
        click.echo(f"{number:>4}  {part.documents:>11,} {noun}  {part.name}")
    click.echo(f"{index.folder}: {size_of(corpus)}")
