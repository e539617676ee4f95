"""The workbench: `serve`."""

from __future__ import annotations

import os
import threading
import webbrowser
from contextlib import ExitStack
from pathlib import Path

import click

from seetopic.cli.options import CACHE, JOBS, PATH, with_options


@click.command()
@click.argument("source", metavar="[INDEX|DOCS]", required=False)
@click.option(
    "--host", default="127.0.0.1", show_default=True, help="Address to listen at; 0.0.0.0 lets other machines in."
)
@click.option(
    "--port", type=click.IntRange(0, 65535), help="0: any that is free.  [default: 8765, or the next free one]"
)
@click.option(
    "--allow-host",
    "hosts",
    multiple=True,
    metavar="NAME",
    help="A further name that it is reached by, such as that of a web server before it; may be given again.",
)
@click.option(
    "--folder",
    type=PATH,
    metavar="DIR",
    help="Files that people may open.  [default: this folder; none where others can reach the server]",
)
@click.option(
    "--data",
    type=PATH,
    metavar="DIR",
    help="Where projects, uploads and indexes are kept.  [default: SEETOPIC_DATA, or yours]",
)
@click.option("--token", envvar="SEETOPIC_TOKEN", help="What lets people in.  [default: made once, kept with the data]")
@click.option(
    "--model",
    "models",
    multiple=True,
    metavar="NAME|PATH",
    help="A language model to offer beside the embedded one; may be given again.",
)
@click.option(
    "--max-upload",
    type=click.IntRange(1),
    default=500,
    show_default=True,
    metavar="MB",
    help="Largest file that can be sent.",
)
@click.option("--text-field", metavar="NAME", help="Of DOCS: field or column that holds the text.  [default: text]")
@click.option("--label-field", metavar="NAME", help="Of DOCS: field or column with the true categories.")
@click.option("--no-browser", is_flag=True, help="Do not open a browser.")
@with_options(JOBS, CACHE)
def serve(
    source: str | None,
    host: str,
    port: int | None,
    hosts: tuple[str, ...],
    folder: Path | None,
    data: Path | None,
    token: str | None,
    models: tuple[str, ...],
    max_upload: int,
    text_field: str | None,
    label_field: str | None,
    no_browser: bool,
    jobs: int | None,
    cache: Path | None,
) -> None:
    """Open the workbench in a browser: change a name, see the topics change."""
    from seetopic.errors import SettingsError
    from seetopic.web import Address, UploadLimits, WorkbenchSettings, entry_page, serve

    address = Address(host=host, port=port)
    if folder is not None and not folder.is_dir():
        raise SettingsError(f"--folder {folder} is not a folder; give one that is there")
    allowed = folder if folder is not None else (Path.cwd() if address.is_loopback else None)
    settings = WorkbenchSettings(
        data=data_folder(data),
        folder=allowed,
        models=models,
        cache=cache,
        jobs=jobs,
        uploads=UploadLimits(file_bytes=max_upload * 1_000_000),
    )

    with ExitStack() as until_it_ends:

        def ready(link: str) -> None:
            click.echo(f"The workbench is at {link}\nCtrl-C ends it; everything is kept in {settings.data}")
            if not no_browser:
                page = until_it_ends.enter_context(entry_page(settings.data, link))
                threading.Thread(target=webbrowser.open, args=(page.resolve().as_uri(),), daemon=True).start()

        serve(
            settings,
            address,
            source=source,
            text_field=text_field,
            label_field=label_field,
            token=token,
            hosts=hosts,
            ready=ready,
        )


def data_folder(given: Path | None) -> Path:
    if given is not None:
        return given
    from platformdirs import user_data_path

    return Path(os.environ.get("SEETOPIC_DATA") or user_data_path("seetopic"))
