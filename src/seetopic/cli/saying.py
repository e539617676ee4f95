"""What the command line says beside its results: one line at a time, never too long for a log."""

from __future__ import annotations

import click

LONGEST = 300  # characters of a line


def one_line(text: str) -> str:
    """The text in one line; of a long one the middle is left out, for the end tells what to do."""
    words = " ".join(text.split())
    line = "".join(letter if letter.isprintable() else ascii(letter)[1:-1] for letter in words)
    if len(line) <= LONGEST:
        return line
    end = LONGEST // 3
    return f"{line[: LONGEST - end - 5]} ... {line[-end:]}"


def say(text: str) -> None:
    click.echo(one_line(text), err=True)
