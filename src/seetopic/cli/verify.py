"""Verifying an index: `verify`."""

from __future__ import annotations

import json
from pathlib import Path

import click

from seetopic.cli.options import CACHE, SHOWING, with_options


@click.command()
@click.argument("folder", metavar="INDEX", type=click.Path(path_type=Path))
@with_options(CACHE, SHOWING[1])
def verify(folder: Path, cache: Path | None, as_json: bool) -> None:
    """Read every file in INDEX completely and compare it with its recorded checksum.

    Other commands also check the files, but reread large ones only if they appear to have changed. If anything is
    damaged, the command names the files, says what to do, and exits with code 2.
    """
    from seetopic.index import Index

    index = Index.open(folder, cache=cache)
    index.verify()
    files = index.manifest["files"]
    size = sum(file["bytes"] for file in files.values())
    if as_json:
        click.echo(json.dumps({"index": str(folder), "files": len(files), "bytes": size}))
        return
    click.echo(f"{folder}: {len(files)} files, {size / 1e6:,.1f} MB, all intact")
