"""Category names in the rows and columns of a CSV file."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field

from seetopic.corpus.seed_lists import HEADERS, is_comment
from seetopic.corpus.seed_values import DEEPEST, ReadSeed, at_line, checked, split_path
from seetopic.corpus.seeds import Seed, Seeds, normalized_name, path_key, path_text, text_of
from seetopic.errors import SeedError

# Columns of a CSV file, by what people call them. Words may also be separated by commas, but names may contain them.
_FURTHER_HEADERS = ("seed", "label")
_COLUMNS = {
    **dict.fromkeys((*HEADERS, *_FURTHER_HEADERS, "child", "class", "concept", "group", "theme"), "name"),
    **dict.fromkeys(
        ("names", "other names", "further names", "synonym", "synonyms", "more", "alias", "aliases"), "names"
    ),
    **dict.fromkeys(("term", "terms", "word", "words", "keyword", "keywords", "seeds", "seed words"), "words"),
    "pinned": "pinned",
    "negative": "negative",
    "description": "description",
    "example": "examples",
    "examples": "examples",
    "parent": "parent",
    "path": "path",
}
_OF_DOCUMENTS = ("text", "id")  # columns that tables of documents have
_NUMBER_OR_DATE = re.compile(r"[-+]?[\d.,]+%?|\d{4}-\d\d-\d\d([T ].*)?|\d{1,2}[./]\d{1,2}[./]\d{2,4}")
_LONGEST_NAME = 20  # words; what is longer is a text
_SEPARATORS = {"names": r"[;|]", "words": r"[,;|]", "pinned": r"[,;|]", "negative": r"[,;|]"}


@dataclass
class _Row:
    """What the rows of a CSV file say about one category."""

    name: str
    line: int
    above: tuple[str, ...] = ()  # its parent's path, or name alone
    names: list[str] = field(default_factory=list)
    pinned: list[str] = field(default_factory=list)
    negative: list[str] = field(default_factory=list)
    description: list[str] = field(default_factory=list)
    examples: list[str] = field(default_factory=list)

    def read(self, path: tuple[str, ...]) -> ReadSeed:
        names = {normalized_name(name): name for name in reversed((self.name, *self.names))}  # the first spelling
        return ReadSeed(
            Seed(
                self.name,
                tuple(reversed(names.values())),
                tuple(dict.fromkeys(self.pinned)),
                tuple(dict.fromkeys(self.negative)),
                ", ".join(self.description),
                tuple(self.examples),
                path,
            ),
            self.line,
        )


def seeds_of_table(text: str) -> Seeds:
    """One category per row, or one of its terms per row; a header row says what the columns are.

    Without a header, a row is a name and its further names.
    """
    rows = _cells(text)
    header = _header(rows[0][1]) if rows else None
    columns = ["name"] if header is None else header
    if header is None:
        _refuse_documents(rows)
    if header is not None and "name" not in header and "path" not in header:
        raise SeedError("the header has no column for the category; call it 'name'")
    found: dict[tuple[str, ...], _Row] = {}
    for line, cells in rows if header is None else rows[1:]:
        row = _row(line, [*columns, *[""] * (len(cells) - len(columns))], cells)
        earlier = found.setdefault(path_key((*row.above, row.name)), row)
        if earlier is not row:
            _merge(earlier, row)
    return checked(list(_by_paths(found) if "path" in columns else _by_parents(found)))


def _refuse_documents(rows: Sequence[tuple[int, list[str]]]) -> None:
    """Refuse a table whose first row is neither a category nor a header of categories, such as one of documents."""
    if len(rows) < 2:
        return
    (_, first), *others = rows
    for place, title in enumerate(first):
        cells = [(line, cells[place]) for line, cells in others if place < len(cells) and cells[place]]
        if title.casefold() in _OF_DOCUMENTS:
            raise _unknown_column(title)
        if len(cells) > 1 and all(_NUMBER_OR_DATE.fullmatch(cell) for _, cell in cells):
            raise SeedError(
                f"the column {title!r} has numbers or dates, not names; remove it, or give a table of names"
            )
        for line, cell in cells:
            if len(cell.split()) > _LONGEST_NAME:
                raise SeedError(
                    f"the column {title!r} has texts, not names; give a table of names, or call the column "
                    f"description or examples{at_line(line)}"
                )


def _unknown_column(title: str) -> SeedError:
    others = "name, names, description, pinned, negative, examples, parent or path"
    return SeedError(f"the column {title!r} is not known; call it {others}, or remove it")


def _cells(text: str) -> list[tuple[int, list[str]]]:
    """The rows that have any content, with their lines."""
    said = re.match(r"sep=(.)\r?\n", text)  # Excel's own way to say it
    text = text[said.end() - 1 :] if said else text
    delimiter = said[1] if said else _delimiter(text)
    lines, rows, before = list(io.StringIO(text)), [], 0
    reader = csv.reader(lines, strict=True, delimiter=delimiter)
    try:
        for row in reader:
            cells = [cell.strip() for cell in row]
            if any(cells) and not is_comment(lines[before], before + 1):
                rows.append((before + 1, cells))
            before = reader.line_num
    except csv.Error as error:
        raise SeedError(f"the file is not valid CSV ({error})") from error
    return rows


def _delimiter(text: str) -> str:
    """The character between cells: that of the header, or the only one outside quotes, or that of every row."""
    outside = re.sub(r'"[^"]*"', "", text)
    lines = [line for line in outside.splitlines() if line.strip() and not line.lstrip().startswith("#")]
    used = [mark for mark in ",;\t" if any(mark in line for line in lines)]
    if len(used) < 2:
        return used[0] if used else ","
    with suppress(SeedError):  # from an unknown column
        of_header = [mark for mark in used if mark in lines[0] and _header(lines[0].split(mark))]
        if len(of_header) == 1:
            return of_header[0]
    everywhere = [mark for mark in used if all(mark in line for line in lines)]
    if len(everywhere) == 1:
        return everywhere[0]
    raise SeedError(
        f"it is unclear whether {used[0]!r} or {used[1]!r} separates the cells; use one of them, "
        "and put names that contain the other in quotes"
    )


def _header(cells: Sequence[str]) -> list[str] | None:
    """The meaning of each column; None if the first row is not a header."""
    words = [cell.strip().casefold() for cell in cells]
    known = [_COLUMNS.get(word, "names" if not word else None) for word in words]
    if words[0] in (*HEADERS, *_FURTHER_HEADERS):
        known = ["name", *("words" if column == "name" else column for column in known[1:])]
    elif not {"pinned", "negative", "description", "examples"} & set(known[1:]) and (
        None in known or not {"name", "path"} & set(known)
    ):
        return None
    for word, column in zip(cells, known, strict=True):
        if column is None:
            raise _unknown_column(word.strip())
    if {"parent", "path"} <= set(known):
        raise SeedError("the columns 'parent' and 'path' mean the same; remove one")
    return [column or "" for column in known]


def _row(line: int, columns: Sequence[str], cells: Sequence[str]) -> _Row:
    """A row; cells without a column are further names."""
    row = _Row("", line)
    path: tuple[str, ...] = ()
    for column, cell in zip(columns, cells, strict=False):
        text = text_of(cell)
        if not text:
            continue
        parts = [part.strip() for part in re.split(_SEPARATORS.get(column, r"(?!)"), text) if part.strip()]
        if column == "path":
            path = split_path(text)
        elif column == "name":
            row.name = text
        elif column == "parent":
            row.above = split_path(text)
        else:
            getattr(row, {"words": "names", "": "names"}.get(column, column)).extend(parts)
    if path:
        if row.name and normalized_name(row.name) != normalized_name(path[-1]):
            raise SeedError(f"the path {path_text(path)!r} must end with the name {row.name!r}{at_line(line)}")
        *above, row.name = path
        row.above = tuple(above)
    if not all((*row.above, row.name)):
        raise SeedError(f"a category has an empty name; give it a name or remove it{at_line(line)}")
    return row


def _merge(row: _Row, other: _Row) -> None:
    """Add what another row says about the same category; refuse a row that says nothing new."""
    parts = ("names", "pinned", "negative", "description", "examples")
    if not any(getattr(other, part) for part in parts):
        raise SeedError(f"the name {other.name!r} appears twice; rename or remove one{at_line(other.line)}")
    for part in parts:
        getattr(row, part).extend(getattr(other, part))


def _by_paths(rows: Mapping[tuple[str, ...], _Row]) -> Iterator[ReadSeed]:
    """Categories by their paths; parents without a row are added before their first child."""
    done: set[tuple[str, ...]] = set()
    for row in rows.values():
        path = (*row.above, row.name)
        for length in range(1, len(path) + 1):
            key = path_key(path[:length])
            if key not in done:
                done.add(key)
                own = rows.get(key) or _Row(path[length - 1], row.line)
                yield own.read((*path[: length - 1], own.name))


def _by_parents(rows: Mapping[tuple[str, ...], _Row]) -> Iterator[ReadSeed]:
    """Categories by their parents' names or paths; a parent that comes after its child is moved before it."""
    named: dict[str, list[_Row]] = {}
    for row in rows.values():
        named.setdefault(normalized_name(row.name), []).append(row)

    def lineage(row: _Row, below: tuple[_Row, ...]) -> tuple[_Row, ...]:
        """The row and all above it, from the root."""
        again = next((place for place, other in enumerate(below) if other is row), None)
        if again is not None:
            circle = path_text([each.name for each in (row, *below[: again + 1])])
            raise SeedError(f"{row.name!r} is below itself: {circle}; correct its parent{at_line(row.line)}")
        if len(below) >= DEEPEST:
            raise SeedError(f"categories are nested more than {DEEPEST} levels deep{at_line(row.line)}")
        if not row.above:
            return (row,)
        wanted = path_key(row.above)
        if wanted[-1] == normalized_name(row.name):
            raise SeedError(
                f"the category {row.name!r} has the same name as its parent; rename one of them{at_line(row.line)}"
            )
        likely = [rows[wanted]] if wanted in rows else named.get(wanted[-1], [])
        found = [lineage(other, (row, *below)) for other in likely]
        if len(wanted) > 1:
            found = [each for each in found if path_key([above.name for above in each]) == wanted]
        if len(found) > 1:
            raise SeedError(
                f"the parent {path_text(row.above)!r} of {row.name!r} may be any of {len(found)} categories; "
                f"write its path, such as {path_text([each.name for each in found[0]])!r}{at_line(row.line)}"
            )
        if not found:
            raise SeedError(
                f"the parent {path_text(row.above)!r} of {row.name!r} is not a category; "
                f"add a row for it{at_line(row.line)}"
            )
        return (*found[0], row)

    done: set[int] = set()
    for row in rows.values():
        line = lineage(row, ())
        for place, each in enumerate(line):
            if id(each) not in done:
                done.add(id(each))
                yield each.read(tuple(above.name for above in line[: place + 1]))
