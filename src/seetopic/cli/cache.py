"""What is in the cache: `cache list`, `cache clear`."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from seetopic.cli.messages import say
from seetopic.cli.options import CACHE, SHOWING, with_options
from seetopic.errors import SettingsError

if TYPE_CHECKING:
    from seetopic.index import CachedItem


@click.group()
def cache() -> None:
    """List or remove cached indexes and vectors; they are computed again when needed."""


@cache.command("list")
@with_options(CACHE, SHOWING[1])
def list_items(cache: Path | None, as_json: bool) -> None:
    """List what is in the cache, with sizes and dates."""
    from seetopic.index import cached_items
    from seetopic.runtime import cache_folder

    folder = cache_folder(cache)
    items = cached_items(folder)
    if as_json:
        click.echo(json.dumps({"cache": str(folder), "items": _records(items)}, ensure_ascii=False, indent=1))
        return
    for item in items:
        about = f"  ({item.about})" if item.about else ""
        name = item.path.relative_to(folder)
        click.echo(f"{item.kind:<16}  {_size(item.bytes):>12}  {item.changed:%Y-%m-%d %H:%M}  {name}{about}")
    click.echo(f"{folder}: {_total(items)}")


@cache.command()
@click.option("--yes", is_flag=True, help="Remove without asking.")
@with_options(CACHE, SHOWING[1])
def clear(yes: bool, cache: Path | None, as_json: bool) -> None:
    """Remove everything that `seetopic cache list` shows; other files in the folder are kept."""
    from seetopic.index import cached_items, clear_cached
    from seetopic.runtime import cache_folder

    folder = cache_folder(cache)
    items = cached_items(folder)
    removed = clear_cached(items) if yes or not items or _agreed(f"Remove {_total(items)} from {folder}?") else ()
    for item in items if removed else ():
        if item not in removed:
            say(f"{item.path} is in use, so it was kept")
    if as_json:
        click.echo(json.dumps({"cache": str(folder), "removed": _records(removed)}, ensure_ascii=False, indent=1))
    else:
        click.echo(f"{folder}: removed {_total(removed)}")


def _agreed(question: str) -> bool:
    try:
        return click.confirm(question, err=True)
    except click.Abort:
        if sys.stdin.isatty():
            raise
        raise SettingsError("nobody is there to confirm; nothing was removed: pass --yes") from None


def _records(items: Iterable[CachedItem]) -> list[dict[str, Any]]:
    return [
        {
            "kind": item.kind,
            "path": str(item.path),
            "about": item.about,
            "bytes": item.bytes,
            "changed": item.changed.isoformat(timespec="seconds"),
        }
        for item in items
    ]


def _total(items: Iterable[CachedItem]) -> str:
    found = list(items)
    noun = "item" if len(found) == 1 else "items"
    return f"{len(found)} {noun}, {_size(sum(item.bytes for item in found))}"


def _size(size: int) -> str:
    return f"{size / 1e6:,.1f} MB"
