"""Columns as a pandas or polars table."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from importlib import import_module
from typing import Any, Literal, TypeAlias

from seetopic.errors import MissingExtra, SettingsError

Library: TypeAlias = Literal["pandas", "polars"]
LIBRARIES: tuple[Library, ...] = ("pandas", "polars")


def dataframe(columns: Mapping[str, Sequence[Any]], library: Library = "pandas") -> Any:
    """A table of these columns; an integer column with missing values stays an integer column."""
    if library not in LIBRARIES:
        raise SettingsError(f"`library` is {library!r}, but must be one of {', '.join(LIBRARIES)}")
    try:
        made_by = import_module(library)
    except ImportError as error:
        raise MissingExtra(f"a {library} table", library) from error
    if library == "polars":
        return made_by.DataFrame(dict(columns), strict=False)
    return made_by.DataFrame({name: _pandas_column(made_by, values) for name, values in columns.items()})


def _pandas_column(pandas: Any, values: Sequence[Any]) -> Any:
    missing = any(value is None for value in values)
    whole = missing and all(value is None or isinstance(value, int) for value in values)
    return pandas.array(list(values), dtype="Int64") if whole else list(values)
