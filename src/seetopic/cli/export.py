"""Exporting topics to other tools: `export`."""

from __future__ import annotations

from pathlib import Path

import click

from seetopic.cli.options import PATH, refuse_to_replace_inputs, say_warnings
from seetopic.errors import SettingsError

# Repeats the names in `seetopic.output.FORMATS`, because importing it would slow down `--help`.
FORMATS = ("csv", "json", "liwc", "quanteda", "spacy", "snorkel", "prompt")


@click.command(
    help="""Export topics for another tool. DIR is a folder written by `discover --out`, or the topics.json in it.

\b
  csv       .csv    a table with a row for each form of each term
  json      .json   each name with the list of its words
  liwc      .dic    a LIWC dictionary
  quanteda  .yml    for dictionary(file = "topics.yml") in R
  spacy     .jsonl  patterns for spaCy's EntityRuler and Matcher
  snorkel   .py     labelling functions that work with or without Snorkel
  prompt    .txt    asks a language model to classify a {document}

Terms include their inflections and other spellings. Without --out, the text goes to standard output.

\b
  seetopic export topics --out topics.dic
  seetopic export topics --out topics.yml --min-confidence 0.5
  seetopic export topics --format prompt --top 10 --no-variants
"""
)
@click.argument("topics", type=PATH, metavar="DIR")
@click.option("--format", type=click.Choice(FORMATS), help="Export format.  [default: from the extension of --out]")
@click.option("--out", type=PATH, metavar="FILE", help="File to write.")
@click.option("--top", type=int, metavar="N", help="Number of best terms per topic.  [default: all]")
@click.option("--variants/--no-variants", default=True, help="Whether to include inflections and other spellings.")
@click.option(
    "--min-confidence", type=float, default=0.0, show_default=True, help="Leave out topics with lower confidence."
)
def export(
    topics: Path, format: str | None, out: Path | None, top: int | None, variants: bool, min_confidence: float
) -> None:
    from seetopic.discovery import Topics
    from seetopic.output import doubts, format_of
    from seetopic.output import export as export_topics
    from seetopic.runtime import quantity

    if format is None:
        if out is None:
            raise SettingsError(f"no format is given; add --format with one of {', '.join(FORMATS)}")
        format = format_of(out)
    if out is not None:
        refuse_to_replace_inputs([out], topics)
    found = Topics.load(topics)
    text = export_topics(found, format, out, variants=variants, min_confidence=min_confidence, top=top)
    say_warnings(doubts(found, min_confidence))
    if out is None:
        click.echo(text.encode(), nl=False)  # bytes, so that line endings are the same on every system
    else:
        kept = [topic for topic in found if topic.confidence >= min_confidence]
        terms = sum(len(topic.terms[:top]) for topic in kept)
        click.echo(f"{out}: {quantity(len(kept), 'category', 'categories')}, {quantity(terms, 'term')}")
