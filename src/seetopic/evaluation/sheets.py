"""Sheets on which people judge which terms belong to their category, without seeing the method (Section 4.1)."""

from __future__ import annotations

import csv
import errno
import hashlib
import io
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from importlib import resources
from pathlib import Path
from typing import Any

import numpy as np

from seetopic.corpus import Judgement, normalized_name
from seetopic.discovery import Topics
from seetopic.errors import OutputError, SettingsError, SheetError
from seetopic.runtime import FileSet, guarded, read_json, unguarded, write_text

FORMAT = 1
COLUMNS = ("item", "category", "term", "belongs", "sheet")
ANSWERS = {
    **dict.fromkeys(("1", "1.0", "yes", "y", "true"), True),
    **dict.fromkeys(("0", "0.0", "no", "n", "false"), False),
    "": None,  # not judged
}
BELONGS = (  # the one definition, which sheets, the workbench and the documentation quote
    "A term belongs to a category if a text about the category is more likely to use it than a text about the others. "
    "A document belongs to the category that it is mainly about."
)
_PAGE_DATA, _PAGE_DEFINITION = "__SHEET__", "__BELONGS__"


@dataclass(frozen=True)
class Item:
    """A term to judge, and its place in the topic of each method that found it."""

    item: int
    category: str  # its name; in a tree, its path
    term: str
    places: dict[str, int]  # method -> rank, 1 for the best


@dataclass(frozen=True)
class Sheet:
    """All items in the order in which people see them; only the key says which methods found them."""

    methods: tuple[str, ...]
    categories: tuple[str, ...]
    items: tuple[Item, ...]

    @cached_property
    def id(self) -> str:
        """A hash of the content; starts with a letter, so that no spreadsheet takes it for a number."""
        content = json.dumps(self._content(), sort_keys=True).encode()
        return "s" + hashlib.sha256(content).hexdigest()[:12]

    def to_csv(self) -> str:
        """What people fill in; nothing in it reveals the methods."""
        rows = [",".join(COLUMNS), *(f"{_cells(each)},,{self.id}" for each in self.items)]
        text = "\r\n".join(rows) + "\r\n"
        return text if text.isascii() else "\ufeff" + text  # Excel recognises UTF-8 only by this mark

    def to_page(self, name: str) -> str:
        """A self-contained page to fill in the sheet with the keyboard; the saved file's name starts with `name`."""
        items = [
            {"item": each.item, "category": each.category, "term": each.term, "cells": _cells(each)}
            for each in self.items
        ]
        value = {"sheet": self.id, "name": name, "columns": COLUMNS, "items": items}
        # ASCII without `<`, so that no user's text can end the script element.
        data = json.dumps(value).replace("<", "\\u003c")
        template = resources.files("seetopic.evaluation").joinpath("sheet.html").read_text(encoding="utf-8")
        return template.replace(_PAGE_DEFINITION, BELONGS).replace(_PAGE_DATA, data)

    def to_key(self) -> dict[str, Any]:
        return {"format": FORMAT, "sheet": self.id, **self._content()}

    def _content(self) -> dict[str, Any]:
        items = [
            {"item": each.item, "category": each.category, "term": each.term, "methods": each.places}
            for each in self.items
        ]
        return {"methods": list(self.methods), "categories": list(self.categories), "items": items}


@dataclass(frozen=True)
class SheetFiles:
    """Where a sheet was written: `table` and `page` are for the annotators, `key` is not."""

    table: Path
    page: Path
    key: Path

    @classmethod
    def beside(cls, out: str | Path) -> SheetFiles:
        table = Path(out)
        if table.suffix.lower() != ".csv":
            raise OutputError(f"the sheet is a CSV file, but {table} does not end in .csv; choose a name that does")
        return cls(table, table.with_suffix(".html"), table.with_suffix(".key.json"))


@dataclass(frozen=True)
class FilledSheet:
    """One annotator's judgements: item -> whether the term belongs, None if not judged."""

    source: Path
    annotator: str
    belongs: dict[int, bool | None] = field(repr=False)


@dataclass(frozen=True)
class _Table:
    """A CSV file as read: the row numbers that a spreadsheet shows, and the cells by column."""

    path: Path
    rows: tuple[tuple[int, dict[str, str]], ...]
    sheet: str
    annotator: str


def make_sheet(methods: Mapping[str, Topics], *, top: int = 10, random_state: int = 0) -> Sheet:
    """The distinct terms of all methods' topics, shuffled within each category; its name, which needs no thought, last.

    The order of the methods does not affect the order of the terms.
    """
    if top < 1:
        raise SettingsError(f"`top` is {top}, but must be at least 1")
    categories = _common_categories(methods)
    chance = np.random.default_rng(random_state)
    items: list[Item] = []
    for category in categories:
        found: dict[str, dict[str, int]] = {}
        name = normalized_name(next(iter(methods.values()))[category].name)
        for method, topics in methods.items():
            for place, term in enumerate(list(topics[category])[:top], start=1):
                found.setdefault(term, {}).setdefault(method, place)
        terms = sorted(found)
        shuffled = [terms[number] for number in chance.permutation(len(terms))]
        shuffled.sort(key=lambda term: normalized_name(term) == name)
        items += [Item(len(items) + 1 + n, category, term, found[term]) for n, term in enumerate(shuffled)]
    if not items:
        raise SheetError("the topics have no terms, so there is nothing to judge; discover topics from more documents")
    return Sheet(tuple(methods), categories, tuple(items))


def write_sheet(sheet: Sheet, out: str | Path) -> SheetFiles:
    """Write the table, the page and the key; existing files are never overwritten."""
    files = SheetFiles.beside(out)
    together = FileSet(files.table.parent, files.table.name, last=files.table.name, replaces=False)
    texts = {
        files.table: sheet.to_csv(),
        files.page: sheet.to_page(files.table.stem),
        files.key: json.dumps(sheet.to_key(), ensure_ascii=False, indent=1) + "\n",
    }
    together.complete()
    if all(_holds(path, text) for path, text in texts.items()):
        return files  # requested again, perhaps because the program was killed before it could report
    for path in texts:
        if path.exists():
            raise OutputError(
                f"{path} already exists and may contain judgements; choose another name or remove it first"
            )
    with together.written() as beside:
        for path, text in texts.items():
            write_text(beside / path.name, text)
    return files


def _holds(path: Path, text: str) -> bool:
    return path.is_file() and path.read_bytes() == text.encode()


def load_methods(folders: Sequence[str | Path]) -> dict[str, Topics]:
    """The topics of each folder, by the folder's name, or by its path where two have the same name."""
    paths = [Path(folder) for folder in folders]
    names = [path.resolve().name for path in paths]
    labels = names if len(set(names)) == len(names) else [str(path) for path in paths]
    twice = next((label for label in labels if labels.count(label) > 1), None)
    if twice is not None:
        raise SheetError(f"{twice} was given twice; give each method's folder once")
    return {label: Topics.load(path) for label, path in zip(labels, paths, strict=True)}


def annotate(folders: Sequence[str | Path], out: str | Path, *, top: int = 10, random_state: int = 0) -> SheetFiles:
    """Write a sheet for the topics in `folders`, as `seetopic annotate` does."""
    SheetFiles.beside(out)
    return write_sheet(make_sheet(load_methods(folders), top=top, random_state=random_state), out)


def read_key(path: str | Path) -> Sheet:
    """The sheet that a key describes."""
    try:
        value = read_json(Path(path))
    except (OSError, ValueError) as error:
        raise SheetError(
            f"{path} cannot be read as a key ({error}); give the .key.json that `annotate` wrote"
        ) from error
    return sheet_of_key(value, str(path))


def sheet_of_key(value: Any, name: str = "the key") -> Sheet:
    """The inverse of `to_key`; errors refer to the key as `name`."""
    try:
        if value["format"] != FORMAT:
            raise SheetError(
                f"{name} has key format {value['format']!r}, but this version of seetopic reads format {FORMAT}"
            )
        items = tuple(Item(each["item"], each["category"], each["term"], each["methods"]) for each in value["items"])
        sheet = Sheet(tuple(value["methods"]), tuple(value["categories"]), items)
        _check_sheet(sheet)
        whole = sheet.id == value["sheet"]
    except (ValueError, KeyError, TypeError, RecursionError) as error:
        raise SheetError(
            f"{name} cannot be read as a key ({error}); give the .key.json that `annotate` wrote"
        ) from error
    if not whole:
        raise SheetError(f"{name} has been changed since it was written; give the .key.json as `annotate` wrote it")
    return sheet


def _check_sheet(sheet: Sheet) -> None:
    """Everything computed from a key must be present and of the right type: a key may come from anywhere."""
    texts = [*sheet.methods, *sheet.categories, *(text for each in sheet.items for text in (each.category, each.term))]
    if not all(isinstance(text, str) for text in texts):
        raise TypeError("a value has the wrong type")
    "".join(texts).encode()  # a lone surrogate could not be displayed
    if len(set(sheet.categories)) < len(sheet.categories) or not sheet.items:
        raise ValueError("a category occurs twice, or there are no items")
    for each in sheet.items:
        if type(each.item) is not int or each.category not in sheet.categories or not isinstance(each.places, dict):
            raise ValueError(f"item {each.item!r:.60} does not match the rest")
        if not all(method in sheet.methods and type(place) is int for method, place in each.places.items()):
            raise ValueError(f"item {each.item} was found by unknown methods")
    if len({each.item for each in sheet.items}) < len(sheet.items):
        raise ValueError("an item occurs twice")


def read_sheets(paths: Sequence[str | Path], key: str | Path | None = None) -> tuple[Sheet, tuple[FilledSheet, ...]]:
    """What the annotators filled in; without `key`, the key next to their sheets is used."""
    tables = [_read_table(Path(path)) for path in paths]
    if not tables:
        raise SheetError("no sheets were given; give at least one filled-in sheet")
    sheet = read_key(_find_key(tables) if key is None else key)
    filled = tuple(_judgements(table, sheet) for table in tables)
    seen: dict[str, FilledSheet] = {}
    for each in filled:
        other = seen.setdefault(each.annotator.casefold(), each)
        if other is not each:
            raise SheetError(
                f"{other.source} and {each.source} are both by {each.annotator}; give each annotator's sheet once, "
                "named after the annotator or with the name in a column `annotator`"
            )
    return sheet, filled


def judgements_of(sheet: Sheet, filled: Sequence[FilledSheet]) -> tuple[Judgement, ...]:
    """All answers as judgements; where annotators disagree, the majority counts when they are used."""
    return tuple(
        Judgement(item.category, item.term, belongs=answer, by=each.annotator)
        for each in filled
        for item in sheet.items
        if (answer := each.belongs[item.item]) is not None
    )


def _common_categories(methods: Mapping[str, Topics]) -> tuple[str, ...]:
    if not methods:
        raise SheetError("no topics were given; give at least one folder that `seetopic discover` wrote")
    first, *_ = methods
    names = {method: [topic.label for topic in topics] for method, topics in methods.items()}
    for method, own in names.items():
        twice = next((name for name in own if own.count(name) > 1), None)
        if twice is not None:
            raise SheetError(f"{method} has two topics named {twice!r}; give each category a different name")
        differing = sorted(set(own) ^ set(names[first]))
        if differing:
            raise SheetError(
                f"{first} and {method} are not about the same categories: only one of them has {differing[0]!r}; "
                "compare topics with the same names"
            )
    return tuple(names[first])


def _cells(item: Item) -> str:
    """The cells of a row that annotators do not fill in."""
    text = io.StringIO()
    # Both characters, because the writer quotes values that contain any of them.
    csv.writer(text, lineterminator="\r\n").writerow([item.item, guarded(item.category), guarded(item.term)])
    return text.getvalue().removesuffix("\r\n")


def _decoded(data: bytes) -> str:
    if data.startswith((b"\xff\xfe", b"\xfe\xff")):
        return data.decode("utf-16", errors="replace")
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError:
        # Excel's plain CSV uses a code page. Items are matched by number, so a wrong letter does no harm.
        return data.decode("cp1252", errors="replace")


def _read_table(path: Path) -> _Table:
    """A sheet as any spreadsheet may save it: with commas, semicolons or tabs, reordered, with extra columns."""
    try:
        if path.exists() and not path.is_file() and not path.is_dir():  # a pipe may never end
            raise OSError(errno.EINVAL, "it is not a regular file")
        text = _decoded(path.read_bytes())
    except OSError as error:
        raise SheetError(f"{path} cannot be read ({error.strerror}); give a filled-in sheet") from error
    if text.lower().startswith("sep="):
        text = text.partition("\n")[2]
    header = text.partition("\n")[0]
    delimiter = max(",;\t", key=header.count)
    try:
        records = list(csv.reader(io.StringIO(text, newline=""), delimiter=delimiter))
    except csv.Error as error:
        raise SheetError(f"{path} cannot be read as CSV ({error}); save the sheet as CSV") from error
    columns = [name.strip().casefold() for name in records[0]] if records else []
    for name in COLUMNS:
        if columns.count(name) != 1:
            found = "no column" if name not in columns else "more than one column"
            raise SheetError(
                f"{path} has {found} `{name}`; use a filled-in CSV file, either the sheet written by `annotate` or the "
                "one saved from its HTML page"
            )
    rows = tuple(
        (number, {**dict.fromkeys(columns, ""), **dict(zip(columns, record, strict=False))})
        for number, record in enumerate(records[1:], start=2)
        if any(cell.strip() for cell in record)
    )
    return _Table(path, rows, _only(path, rows, "sheet"), unguarded(_only(path, rows, "annotator")) or path.stem)


def _only(path: Path, rows: Sequence[tuple[int, dict[str, str]]], column: str) -> str:
    values = sorted({value for _, row in rows if (value := row.get(column, "").strip())})
    if len(values) > 1:
        raise SheetError(
            f"{path} has both {values[0]!r} and {values[1]!r} in its column `{column}`; give one file for each"
        )
    return values[0] if values else ""


def _find_key(tables: Sequence[_Table]) -> Path:
    wanted = tables[0].sheet
    folders = dict.fromkeys(table.path.parent for table in tables)
    for path in (path for folder in folders for path in sorted(folder.glob("*.key.json"))):
        try:
            value = read_json(path)
        except (OSError, ValueError):
            continue  # perhaps of another sheet; only the right key must be readable
        if value.get("sheet") == wanted:
            return path
    raise SheetError(
        f"no key for sheet {wanted!r} was found next to {tables[0].path}; "
        "give the .key.json with --key (in Python: key)"
    )


def _judgements(table: _Table, sheet: Sheet) -> FilledSheet:
    if table.sheet != sheet.id:
        raise SheetError(
            f"{table.path} belongs to sheet {table.sheet!r}, but the key belongs to {sheet.id!r}; use the right key"
        )
    expected = {str(each.item): each for each in sheet.items}
    terms = {each.term.strip() for each in sheet.items}
    belongs: dict[int, bool | None] = {}
    for number, row in table.rows:
        where, item = f"row {number} of {table.path}", expected.get(row["item"].strip())
        if item is None:
            raise SheetError(f"{where} has item {row['item']!r}, which is not in the sheet; remove the row")
        if item.item in belongs:
            raise SheetError(f"{where} repeats item {item.item}; keep one row per item")
        # A spreadsheet may alter a term's letters, but not turn it into another item's term.
        term = unguarded(row["term"]).strip()
        if term != item.term.strip() and term in terms:
            raise SheetError(
                f"{where} has {term!r} for item {item.item}, but that item is {item.term!r}; "
                "when sorting the sheet, sort whole rows"
            )
        value = row["belongs"].strip().casefold()
        if value not in ANSWERS:
            raise SheetError(f"{where} has {row['belongs']!r} in the column `belongs`; write 1 or 0, or leave it empty")
        belongs[item.item] = ANSWERS[value]
    lost = [name for name, item in expected.items() if item.item not in belongs]
    if lost:
        more = f" and {len(lost) - 5} more" if len(lost) > 5 else ""
        items = "item" if len(lost) == 1 else "items"
        raise SheetError(f"{table.path} is missing {items} {', '.join(lost[:5])}{more}; keep all rows of the sheet")
    if all(answer is None for answer in belongs.values()):
        raise SheetError(f"{table.path} has no judgements; write 1 or 0 in its column `belongs`")
    return FilledSheet(table.path, table.annotator, belongs)
