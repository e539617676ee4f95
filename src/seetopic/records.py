"""A record: the text of a document, or why it is none."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple, TypeAlias

from seetopic.errors import CorpusError

_NO_MORE = object()


class Fault(NamedTuple):
    """Why a record cannot be used as a document."""

    place: str  # where it stands, for errors: "reviews.csv, line 17"
    sentence: str
    kind: str  # the same as a word, for counting


class Labelled(NamedTuple):
    """A document, and what people say it is about, where a field of that was asked for."""

    text: str
    labels: tuple[str, ...]


Record: TypeAlias = str | Labelled | Fault  # nearly always a plain string: there may be a thousand million of them


def strings(values: Iterable[Any], labels: Iterable[Any] | None = None) -> Iterator[Record]:
    """Any iterable; missing values of a table (None, NaN) count as empty."""
    waiting = None if labels is None else iter(labels)
    for number, value in enumerate(values):
        record = checked(value, "", "document", number)
        if waiting is not None:
            label = next(waiting, _NO_MORE)
            if label is _NO_MORE:
                raise CorpusError(f"there are only {number} labels, but more documents; give a label or None for each")
            record = labelled(record, label, f"document {number}")
        yield record
    if waiting is not None and next(waiting, _NO_MORE) is not _NO_MORE:
        raise CorpusError("there are more labels than documents; give a label or None for each document")


def labelled(record: Record, value: Any, place: str) -> Record:
    """The record with its labels: a text, a number, a list of these, or nothing."""
    if not isinstance(record, str):
        return record
    values = value if isinstance(value, list | tuple) else [value]
    known = [each for each in values if not _is_missing(each)]
    strange = next((each for each in known if not isinstance(each, str | int | float)), None)
    if strange is not None:
        kind = type(strange).__name__
        return Fault(place, f"has a label of type {kind}, not text or a list of texts", "with odd label")
    spelled = [str(each).strip() for each in known]
    return Labelled(record, tuple(dict.fromkeys(label for label in spelled if label)))


def checked(value: Any, name: str, unit: str, number: int) -> Record:
    """The value as a text, or what is wrong with it."""
    if type(value) is str and value.isascii() and "\0" not in value:
        return value
    if _is_missing(value):
        return ""
    place = f"{name}, {unit} {number}" if name else f"{unit} {number}"
    if not isinstance(value, str):
        return Fault(place, f"is of type {type(value).__name__}, not text", "not text")
    if (fault := text_fault(value)) is not None:
        return Fault(place, *fault)
    return str.__str__(value)  # strings of NumPy are plain ones from here on


def _is_missing(value: Any) -> bool:
    # By name, because pandas need not be there; its NA refuses to be compared.
    is_nan = isinstance(value, float) and math.isnan(value)
    return value is None or is_nan or type(value).__name__ in ("NAType", "NaTType")


def text_fault(text: str) -> tuple[str, str] | None:
    """Why a text is none: a sentence, and its kind."""
    if "\0" in text:
        return "holds NUL bytes, so it is not UTF-8 text", "with NUL bytes"
    if not text.isascii():
        try:
            text.encode("utf-8")
        except UnicodeEncodeError as error:
            return f"is not UTF-8 text (at character {error.start})", "not UTF-8"
    return None


def option(name: str) -> str:
    """An option as it is given on the command line, and in Python."""
    return f"{name}, in Python {name[2:].replace('-', '_')}"


def column_named(names: tuple[str, ...], field: str, file: str, chosen_by: str = "--text-field") -> int:
    """The number of a column in its table."""
    if (fault := text_fault("".join(names))) is not None:
        raise CorpusError(f"the first line of {file} {fault[0]}; save the file as UTF-8")
    if field not in names:
        raise CorpusError(
            f"{file} has no column {field!r}; its columns are {', '.join(map(repr, names))}: "
            f"choose one with {option(chosen_by)}"
        )
    return names.index(field)
