"""Records, which readers of all formats yield: a text or a fault with its location, and kept columns."""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Iterator, Mapping
from datetime import date, time
from typing import Any, Literal, NamedTuple, TypeAlias

import orjson

from seetopic.errors import CorpusError

_NO_MORE = object()


class Fault(NamedTuple):
    """Why a record cannot be used as a document."""

    place: str  # the location, for errors: "reviews.csv, line 17"
    sentence: str
    kind: str  # the same in a few words, for counting


class Labelled(NamedTuple):
    """A document and its labels, if a label field is read."""

    text: str
    labels: tuple[str, ...]


Plain: TypeAlias = str | Labelled | Fault  # a record without columns


class Row(NamedTuple):
    """A record with its kept columns, if any are asked for."""

    record: Plain
    columns: dict[str, Any]  # values as by `column_value`; those that the record lacks are left out


Record: TypeAlias = Plain | Row  # nearly always a plain string, because there may be a billion of them
Keep: TypeAlias = tuple[str, ...] | Literal["all"]  # columns to keep; "all": every one but the text


class Fields(NamedTuple):
    """The fields of a record that are read."""

    text: str = "text"
    label: str | None = None
    keep: Keep = ()

    def kept(self, names: Iterable[str]) -> tuple[str, ...]:
        """The columns to keep, of those with these names."""
        return tuple(name for name in names if name and name != self.text) if self.keep == "all" else self.keep


def column_value(value: Any) -> str | int | float | bool | None:
    """A kept value as JSON has it: dates become ISO text, lists and objects JSON text, and missing ones None."""
    if hasattr(value, "item") and getattr(value, "ndim", None) == 0:  # a NumPy scalar
        value = value.item()
    if isinstance(value, str):
        return value.encode("utf-8", "replace").decode()
    if _is_missing(value) or (isinstance(value, float) and not math.isfinite(value)):
        return None
    if isinstance(value, bool | float) or (isinstance(value, int) and -(2**63) <= value < 2**63):
        return value
    if isinstance(value, date | time):  # a datetime is a date
        return value.isoformat()
    return _json_text(value) if isinstance(value, list | dict) else str(value)


def _json_text(value: list[Any] | dict[Any, Any]) -> str:
    try:
        return orjson.dumps(value, default=str).decode()
    except TypeError:  # it refuses lone surrogates, integers of more than 64 bits and keys that are not texts
        text = json.dumps(value, ensure_ascii=False, separators=(",", ":"), default=str)
        return text.encode("utf-8", "replace").decode()


def strings(
    values: Iterable[Any], labels: Iterable[Any] | None = None, columns: Mapping[str, Iterable[Any]] | None = None
) -> Iterator[Record]:
    """The records of any iterable; missing values of a table (None, NaN) count as empty."""
    beside = {name: iter(each) for name, each in (columns or {}).items()}
    waiting = None if labels is None else iter(labels)
    for number, value in enumerate(values):
        record = checked(value, "", "document", number)
        if waiting is not None:
            label = next(waiting, _NO_MORE)
            if label is _NO_MORE:
                raise CorpusError(f"there are more documents than labels ({number}); give a label or None for each")
            record = labelled(record, label, f"document {number}")
        yield Row(record, {name: _beside(name, each, number) for name, each in beside.items()}) if beside else record
    if waiting is not None and next(waiting, _NO_MORE) is not _NO_MORE:
        raise CorpusError("there are more labels than documents; give a label or None for each document")
    for name, each in beside.items():
        if next(each, _NO_MORE) is not _NO_MORE:
            raise CorpusError(f"the column {name!r} has more values than there are documents; give one for each")


def _beside(name: str, values: Iterator[Any], number: int) -> Any:
    value = next(values, _NO_MORE)
    if value is _NO_MORE:
        raise CorpusError(f"the column {name!r} has only {number} values; give one for each document")
    return column_value(value)


def labelled(record: Plain, value: Any, place: str) -> Plain:
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


def checked(value: Any, name: str, unit: str, number: int) -> Plain:
    """The value as a text, or a fault that says what is wrong with it."""
    if type(value) is str and value.isascii() and "\0" not in value:
        return value
    if _is_missing(value):
        return ""
    place = f"{name}, {unit} {number}" if name else f"{unit} {number}"
    if not isinstance(value, str):
        return Fault(place, f"is of type {type(value).__name__}, not text", "not text")
    if (fault := text_fault(value)) is not None:
        return Fault(place, *fault)
    return str.__str__(value)  # NumPy strings become plain ones


def _is_missing(value: Any) -> bool:
    # By name, because pandas may not be installed, and its NA cannot be compared.
    is_nan = isinstance(value, float) and math.isnan(value)
    return value is None or is_nan or type(value).__name__ in ("NAType", "NaTType")


def text_fault(text: str) -> tuple[str, str] | None:
    """Why a string is not a valid text, as a sentence and its kind; None if it is valid."""
    if "\0" in text:
        return "contains NUL bytes, so it is not UTF-8 text", "with NUL bytes"
    if not text.isascii():
        try:
            text.encode("utf-8")
        except UnicodeEncodeError as error:
            return f"is not UTF-8 text (at character {error.start})", "not UTF-8"
    return None


def option(name: str) -> str:
    """An option as it is called on the command line and in Python."""
    return f"{name}, or {name[2:].replace('-', '_')} in Python"


def column_named(names: tuple[str, ...], field: str, file: str, chosen_by: str = "--text-field") -> int:
    """The position of a column in its table."""
    if (fault := text_fault("".join(names))) is not None:
        raise CorpusError(f"the first line of {file} {fault[0]}; save the file as UTF-8")
    if field not in names:
        raise CorpusError(
            f"{file} has no column {field!r}; its columns are {', '.join(map(repr, names))}: "
            f"choose one with {option(chosen_by)}"
        )
    return names.index(field)
