"""Messages of the command line besides its results: one line each, short enough for a log."""

from __future__ import annotations

import click

LONGEST = 300  # characters per line
ROOM = 180  # of them for a list of names


def one_line(text: str) -> str:
    """The text on one line; if it is too long, the middle is cut, because the end says what to do."""
    words = " ".join(text.split())
    line = "".join(letter if letter.isprintable() else ascii(letter)[1:-1] for letter in words)
    if len(line) <= LONGEST:
        return line
    end = LONGEST // 3
    return f"{line[: LONGEST - end - 5]} ... {line[-end:]}"


def say(text: str) -> None:
    click.echo(one_line(text), err=True)
