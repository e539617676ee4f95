"""The command line: parse, call, print; nothing else."""

from __future__ import annotations

import sys

import click

from seetopic.cli import exporting, judging, serving, topics, updating, verifying
from seetopic.errors import SeeTopicError
from seetopic.version import __version__


@click.group(context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 110})
@click.version_option(__version__, prog_name="seetopic")
def cli() -> None:
    """Name your categories; get, for each, the terms your documents really use for it."""


for command in (
    topics.demo,
    topics.index,
    updating.update,
    verifying.verify,
    topics.check,
    topics.discover,
    topics.assign,
    judging.evaluate,
    judging.compare,
    judging.annotate,
    judging.agreement,
    exporting.export,
    serving.serve,
):
    cli.add_command(command)


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
