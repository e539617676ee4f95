"""Exports topics to the formats of other tools; one function per format turns a checked dictionary into text."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from seetopic.errors import SettingsError
from seetopic.output.exports.dictionary import Dictionary, dictionary_of
from seetopic.output.exports.labelling import labelling_functions
from seetopic.output.exports.liwc import liwc_dictionary
from seetopic.output.exports.plain import json_dictionary
from seetopic.output.exports.prompt import prompt
from seetopic.output.exports.quanteda import quanteda_yaml
from seetopic.output.exports.spacy_patterns import spacy_patterns
from seetopic.output.exports.table import csv_table
from seetopic.runtime import listed, write_text

if TYPE_CHECKING:
    from seetopic.discovery import Topics


@dataclass(frozen=True)
class Format:
    """A format that topics can be exported to."""

    write: Callable[[Dictionary], str]
    suffixes: tuple[str, ...]  # file name endings, the usual one first
    about: str


_ROOM = 120  # characters for the names of topics in a sentence
FORMATS = {
    "csv": Format(csv_table, (".csv",), "a table with a row for each form of each term"),
    "json": Format(json_dictionary, (".json",), "each name with the list of its words"),
    "liwc": Format(liwc_dictionary, (".dic",), "a LIWC dictionary"),
    "quanteda": Format(quanteda_yaml, (".yml", ".yaml"), 'for dictionary(file = "topics.yml") in R'),
    "spacy": Format(spacy_patterns, (".jsonl",), "patterns for spaCy's EntityRuler and Matcher"),
    "snorkel": Format(labelling_functions, (".py",), "labelling functions that work with or without Snorkel"),
    "prompt": Format(prompt, (".txt",), "asks a language model to classify a {document}"),
}


def export(
    topics: Topics,
    format: str,
    path: str | Path | None = None,
    *,
    variants: bool = True,
    min_confidence: float = 0.0,
    top: int | None = None,
) -> str:
    """Topics in another tool's format (one of `FORMATS`), written to `path` if given, completely or not at all.

    A term's variants (inflections, other spellings) are listed with it unless `variants` is false. Topics with less
    confidence than `min_confidence` are left out; with `top`, only the best terms of each are exported.
    """
    if format not in FORMATS:
        raise SettingsError(f"there is no format {format!r}; choose one of {', '.join(FORMATS)}")
    text = FORMATS[format].write(dictionary_of(topics, variants=variants, min_confidence=min_confidence, top=top))
    if path is not None:
        write_text(Path(path), text)
    return text


def format_of(path: Path) -> str:
    """The format that matches a file's ending."""
    for name, each in FORMATS.items():
        if path.suffix.lower() in each.suffixes:
            return name
    endings = ", ".join(each.suffixes[0] for each in FORMATS.values())
    raise SettingsError(
        f"the extension of {path.name!r} does not match any export format ({endings}); choose a format with --format"
    )


def doubts(topics: Topics, min_confidence: float = 0.0) -> list[str]:
    """What to know about the topics before using an export of them: a sentence for those left out, one for others."""
    left_out = [topic.label for topic in topics if topic.confidence < min_confidence]
    kept = [topic for topic in topics if topic.confidence >= min_confidence and topic.warnings]
    told = []
    if left_out:
        told.append(f"left out because of a confidence below {min_confidence:g}: {listed(left_out, _ROOM)}")
    if kept:
        names = listed((topic.label for topic in kept), _ROOM)
        warned = {topic.warnings for topic in kept}
        why = "; ".join(warned.pop()) if len(warned) == 1 else "see the `warnings` of these topics in topics.json"
        told.append(f"{names}: {why}")
    return told
