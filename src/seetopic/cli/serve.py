"""The workbench: `serve`."""

from __future__ import annotations

import os
import threading
from contextlib import ExitStack
from pathlib import Path

import click

from seetopic.cli.options import CACHE, JOBS, PATH, kept_columns, with_options


@click.command()
@click.argument("source", metavar="[INDEX|DOCS]", required=False)
@click.option(
    "--host",
    default="127.0.0.1",
    show_default=True,
    help="Address to listen on; 0.0.0.0 accepts connections from other machines.",
)
@click.option(
    "--port", type=click.IntRange(0, 65535), help="Port; 0 for any free one.  [default: 8765, or the next free one]"
)
@click.option(
    "--allow-host",
    "hosts",
    multiple=True,
    metavar="NAME",
    help="Additional host name of the server, such as that of a reverse proxy; may be repeated.",
)
@click.option(
    "--folder",
    type=PATH,
    metavar="DIR",
    help="Folder whose files users may open.  [default: the current one; none if other machines can connect]",
)
@click.option(
    "--data",
    type=PATH,
    metavar="DIR",
    help="Folder for projects, uploads and indexes.  [default: SEETOPIC_DATA, or the user data folder]",
)
@click.option(
    "--token", envvar="SEETOPIC_TOKEN", help="Access token.  [default: generated once and stored with the data]"
)
@click.option(
    "--model",
    "models",
    multiple=True,
    metavar="NAME|PATH",
    help="Language model to offer in addition to the embedded one; may be repeated.",
)
@click.option(
    "--max-upload",
    type=click.IntRange(1),
    default=500,
    show_default=True,
    metavar="MB",
    help="Maximum size of an uploaded file.",
)
@click.option("--text-field", metavar="NAME", help="Field or column of DOCS that holds the text.  [default: text]")
@click.option("--label-field", metavar="NAME", help="Field or column of DOCS with the true categories.")
@click.option(
    "--keep",
    metavar="COLUMNS",
    help="Columns of DOCS for filters and trends, separated by commas, such as date,source.",
)
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
    keep: str | None,
    no_browser: bool,
    jobs: int | None,
    cache: Path | None,
) -> None:
    """Open the workbench in a browser: edit a name and see the topics change."""
    from seetopic.errors import SettingsError
    from seetopic.web import Address, UploadLimits, WorkbenchSettings, entry_page, serve

    address = Address(host=host, port=port)
    if folder is not None and not folder.is_dir():
        raise SettingsError(f"--folder {folder} is not a folder; give an existing one")
    if keep == "all":
        raise SettingsError("--keep is 'all', but the workbench needs names; give some, such as date,source")
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
            click.echo(
                f"The workbench is running at {link}\nPress Ctrl-C to stop it; everything is saved in {settings.data}"
            )
            if not no_browser:
                import webbrowser  # every command imports this module

                page = until_it_ends.enter_context(entry_page(settings.data, link))
                threading.Thread(target=webbrowser.open, args=(page.resolve().as_uri(),), daemon=True).start()

        serve(
            settings,
            address,
            source=source,
            text_field=text_field,
            label_field=label_field,
            keep=kept_columns(keep),
            token=token,
            hosts=hosts,
            ready=ready,
        )


def data_folder(given: Path | None) -> Path:
    if given is not None:
        return given
    from platformdirs import user_data_path

    return Path(os.environ.get("SEETOPIC_DATA") or user_data_path("seetopic"))
