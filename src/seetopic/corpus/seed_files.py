"""How category names come in: Python values, and files in the formats that people write them in."""

from __future__ import annotations

import csv
import io
import json
import re
import reprlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, fields
from difflib import get_close_matches
from pathlib import Path
from typing import Any

from seetopic.corpus.seeds import (
    PATH_MARK,
    Seed,
    Seeds,
    normalized_name,
    path_key,
    path_text,
    problems,
    repeated,
    text_of,
    texts_of,
)
from seetopic.errors import SeedError
from seetopic.runtime import warn

FORMATS = (".txt", ".yaml", ".yml", ".json", ".csv", ".dic")
_FIELDS = ("names", "description", "pinned", "negative", "examples", "children")
OWN_WORDS = "__"  # quanteda writes the words of a category that also has subcategories below this key
_YAML = re.compile(r"[^:]+:|[^:]+:\s+[\[{].*[\]}]")  # "politics:", "politics: [congress]"
_BULLET = re.compile(r"[-*•–]\s")
_ORDINAL = re.compile(r"\d+[.)]\s")  # a single "1. FC Köln" is a name
_NUMBERED = re.compile(r"\d+\s*:.*")
_DEEPEST = 100  # levels of a tree; more of them mean that a value contains itself

# Columns of a CSV file, by what people call them. Words may also be separated by commas, but names may contain them.
HEADERS = ("name", "names", "category", "categories", "topic", "topics")  # also of a list of names
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


@dataclass(frozen=True)
class _ReadSeed:
    """A category, and the line that it was read from, if known."""

    seed: Seed
    line: int | None = None


def as_seeds(given: Any) -> Seeds:
    """Seeds from a path, a list of names, a list of lists of names, or a dict of name -> further names.

    In a dict, a category may also be a dict itself: with `names`, `description`, `pinned`, `negative`, `examples` and
    `children`, or with its children alone.
    """
    if isinstance(given, Seeds):
        return given
    if isinstance(given, Path):
        return read_seeds(given)
    if isinstance(given, str):
        raise SeedError(f"seeds must be a list of names, not one string; give [{given!r}], or a pathlib.Path to a file")
    if isinstance(given, set | frozenset):
        raise SeedError("seeds in a set have no order, but topics keep the order of their names; give a list")
    if not isinstance(given, Iterable):
        raise SeedError(f"seeds must be a list or a dict of names, not {type(given).__name__}")
    return _checked(list(_categories(given, ())))


def as_value(seeds: Seeds) -> list[dict[str, Any]] | dict[str, Any]:
    """Seeds as a value for JSON or a script, which `as_seeds` reads back: by name, or with their paths in a tree."""
    if seeds.is_tree:
        return as_records(seeds)
    return {record.pop("name"): record for record in as_records(seeds)}


def as_records(seeds: Seeds) -> list[dict[str, Any]]:
    """Each category as a dict of its name, its names and whatever else it has; a path only if it is not a root."""
    records = []
    for seed in seeds.seeds:
        parts = {part.name: getattr(seed, part.name) for part in fields(seed)}
        if len(seed.path) == 1:
            del parts["path"]
        records.append({name: list(part) if isinstance(part, tuple) else part for name, part in parts.items() if part})
    return records


def _checked(read: Sequence[_ReadSeed]) -> Seeds:
    seeds = tuple(each.seed for each in read)
    for place, sentence in problems(seeds):
        raise SeedError(sentence + (_line(read[place].line) if read else ""))
    return Seeds(seeds)


def _line(number: int | None) -> str:
    return "" if number is None else f" (line {number})"


# Values: what Python, YAML and JSON have in common.


class _Text(str):
    """A text with the line it comes from."""

    line: int


def _categories(given: Any, above: tuple[str, ...], inside: tuple[int, ...] = ()) -> Iterator[_ReadSeed]:
    """The categories of one level and all levels below it; `inside` has the ids of the values that contain them."""
    if isinstance(given, Mapping):
        if len(given) > 1 and all(name in _FIELDS for name in given):
            _refuse_without_name(given)
        for name, value in given.items():
            yield from _named(name, value, above, inside)
        return
    for each in given:
        if isinstance(each, Seed):
            yield _ReadSeed(each)
        elif isinstance(each, Mapping):
            if {"name", "path"} & set(each):
                yield from _record(each, above, inside)
                continue
            if any(name in _FIELDS for name in each):
                _refuse_without_name(each)
            yield from _categories(each, above, inside)
        else:
            if hasattr(each, "in_vocabulary"):  # a topic, which would be read as a list of its terms
                raise SeedError(
                    f"{each.name!r} is a topic, not a name; give the names, such as model.seeds_, or "
                    "[topic.name for topic in topics]"
                )
            texts = texts_of(each)
            if not texts:
                raise SeedError("a category has no names; give it a name or remove it")
            first = each if isinstance(each, str) else next(iter(each), None)
            yield _ReadSeed(Seed(texts[0], texts, path=(*above, texts[0])), _line_of(first))


def _refuse_without_name(given: Mapping[Any, Any]) -> None:
    field = next(name for name in given if name in _FIELDS)
    raise SeedError(f"a category has the field {str(field)!r}, but no name; add its name{_line(_line_of(field))}")


def _record(given: Mapping[Any, Any], above: tuple[str, ...], inside: tuple[int, ...]) -> Iterator[_ReadSeed]:
    """A category whose name or path is one of its fields."""
    parts = dict(given)
    written = parts.pop("path", None)
    path = () if written is None else split_path(written) if isinstance(written, str) else texts_of(written)
    name = parts.pop("name", path[-1] if path else "")
    line = next(filter(None, map(_line_of, (name, written, *(written if isinstance(written, list) else ())))), None)
    yield from _named(name, parts, (*above, *path[:-1]), inside, is_record=True, line=line)


def _named(
    name: Any,
    given: Any,
    above: tuple[str, ...],
    inside: tuple[int, ...],
    *,
    is_record: bool = False,
    line: int | None = None,
) -> Iterator[_ReadSeed]:
    own, line = text_of(name), line or _line_of(name)
    if id(given) in inside:
        raise SeedError(f"{path_text((*above, own))!r} contains itself; give it children of its own{_line(line)}")
    if len(above) >= _DEEPEST:
        raise SeedError(
            f"categories are nested more than {_DEEPEST} levels deep; check that none contains itself{_line(line)}"
        )
    parts = _parts(own, given, is_record) if isinstance(given, Mapping) else {"further": given}
    texts = {part: texts_of(parts[part]) if parts.get(part) is not None else () for part in (*_FIELDS[:-1], "further")}
    further = texts["further"]
    is_listed = normalized_name(own) in map(normalized_name, further)
    names = texts["names"] or (further if is_listed else (own, *further))
    description = ", ".join(texts["description"])
    path = (*above, own)
    seed = Seed(own, names, texts["pinned"], texts["negative"], description, texts["examples"], path)
    yield _ReadSeed(seed, line)
    children = parts.get("children")
    if isinstance(children, str | set | frozenset) or not isinstance(children, Iterable | None):
        raise SeedError(
            f"`children` must be a list or a mapping of categories, not {reprlib.repr(children)}"
            f"{_line(_line_of(children) or line)}"
        )
    if children is not None:
        yield from _categories(children, path, (*inside, id(given)))


def _line_of(text: Any) -> int | None:
    return getattr(text, "line", None)


def _parts(own: str, given: Mapping[Any, Any], is_record: bool) -> dict[str, Any]:
    """The fields of a category; without any, the mapping has its children, as in nested dictionaries of quanteda."""
    if isinstance(given.get("parent"), str):
        parent = given["parent"]
        raise SeedError(
            f"only CSV files have a field 'parent'; put {own!r} under the children of {str(parent)!r}"
            f"{_line(_line_of(parent))}"
        )
    others = [key for key in given if key not in _FIELDS]
    mistyped = [key for key in others if isinstance(key, str) and get_close_matches(key, _FIELDS, 1, 0.85)]
    if not mistyped and all(isinstance(key, str) and _resembles_a_field(key) for key in others):
        mistyped = others  # and no other key shows that it is a tree
    if not others or (not is_record and len(others) == len(given) and not mistyped):
        children = {key: given[key] for key in others if key != OWN_WORDS}
        return {"children": children, "further": given.get(OWN_WORDS)} if others else dict(given)
    wrong = (mistyped or others)[0]
    raise SeedError(
        f"{reprlib.repr(str(wrong))} is not a field of a category; use {', '.join(_FIELDS)}, "
        f"and put subcategories under children{_line(_line_of(wrong))}"
    )


def _resembles_a_field(key: str) -> bool:
    """Whether it begins like a field and is spelled much alike: "naems" does, "games" does not."""
    alike = [field for field in _FIELDS if field[0] == key[:1].casefold()]
    return bool(get_close_matches(key.casefold(), alike, 1, 0.8))


def split_path(text: str) -> tuple[str, ...]:
    """The names of a path: the inverse of `path_text`."""
    return tuple(text_of(name) for name in text.split(PATH_MARK))


# Files.


def read_seeds(*paths: Path) -> Seeds:
    """Seeds from one or more files, in the formats given by their extensions.

    A name on the path to others may be in several files, so that one file can add children to another's parents.
    """
    parts = [_read_file(path) for path in paths]
    if len(parts) == 1:
        return parts[0]
    seeds: dict[tuple[str, ...], Seed] = {}
    bare: set[tuple[str, ...]] = set()  # of names without anything else, which only say where their children are
    twice: list[Seed] = []
    for part in parts:
        inner = {path_key(path[:-1]) for path in part.paths}
        for seed in part.seeds:
            key = path_key(seed.path)
            is_bare = key in inner and seed == Seed(seed.name, path=seed.path)
            if key not in seeds:
                seeds[key] = seed
                bare |= {key} if is_bare else set()
            elif key in bare and not is_bare:
                seeds[key] = seed
                bare.remove(key)
            elif not is_bare:
                twice.append(seed)
    places = {key: place for place, key in enumerate(seeds)}
    # Children come right after their parent, whichever file they are in.
    ordered = sorted(seeds, key=lambda key: [places.get(key[:length], 0) for length in range(1, len(key) + 1)])
    try:
        return Seeds((*map(seeds.__getitem__, ordered), *twice))
    except SeedError as error:
        raise SeedError(f"{' and '.join(path.name for path in paths)}: {error}") from error


def _read_file(path: Path) -> Seeds:
    if path.suffix.lower() not in FORMATS:
        raise SeedError(f"{path} has the unsupported extension {path.suffix!r}; use one of {', '.join(FORMATS)}")
    if path.exists() and not path.is_file() and not path.is_dir():
        raise SeedError(f"{path} is a pipe or a device, which may never reach end of file; use a regular file")
    try:
        text = path.read_text(encoding="utf-8-sig")
    except OSError as error:
        raise SeedError(f"{path} cannot be opened: {error.strerror}; check its name") from error
    except UnicodeDecodeError as error:
        raise SeedError(f"{path} is not UTF-8 text (byte {error.start}); save it as UTF-8") from error
    if "\0" in text:
        raise SeedError(f"{path} contains NUL bytes, so it is not text; save it as UTF-8")
    parse = {".yaml": _from_yaml, ".yml": _from_yaml, ".json": _from_json, ".csv": _from_csv, ".dic": _from_dic}
    try:
        return parse.get(path.suffix.lower(), _from_lines)(text)
    except SeedError as error:
        raise SeedError(f"{path.name}: {error}") from error


def _is_comment(line: str, number: int) -> bool:
    """Whether a line is a comment: `# ...`; a hashtag may be meant as a name or as a comment, so it is refused."""
    if not line.lstrip().startswith("#"):
        return False
    if re.match(r"#+(\s|$)", line.lstrip()):
        return True
    raise SeedError(
        f"{line.strip()!r:.60} may be a comment or a name; write '# ' before a comment, "
        f"or put the name in quotes in a .yaml, .json or .csv file{_line(number)}"
    )


# Lines of text: a list or an outline.


def _from_lines(text: str) -> Seeds:
    numbered = enumerate(text.splitlines(), start=1)
    lines = [(number, line) for number, line in numbered if line.strip() and not _is_comment(line, number)]
    is_numbered = all(_NUMBERED.fullmatch(line.strip()) for _, line in lines)
    if not is_numbered:
        _refuse_other_formats([(number, line.strip()) for number, line in lines])
    # Text that was pasted from a page may be indented with other kinds of spaces.
    indents = [re.sub(r"[^\S\t]", " ", line[: len(line) - len(line.lstrip())]) for _, line in lines]
    if len(set(indents)) > 1:
        return _checked(list(_outline(lines, indents)))
    if len(lines) > 1 and lines[0][1].strip().casefold() in HEADERS:
        lines = lines[1:]
    for mark, name in ((";", "semicolons"), ("\t", "tabs")):
        if len(lines) > 1 and all(mark in line.strip() for _, line in lines):
            raise SeedError(f"every line is divided by {name}, as in a table; rename the file to end in .csv")
    names = [line.strip() for _, line in lines]
    # Files of the paper's released code number the names and join their words: `0:mental_disorders`. Only a file in
    # which every line is numbered is read that way.
    if is_numbered:
        names = [name.partition(":")[2].replace("_", " ").strip() for name in names]
    return _checked(
        [_ReadSeed(Seed(text_of(name), (name,)), number) for name, (number, _) in zip(names, lines, strict=True)]
    )


def _refuse_other_formats(lines: Sequence[tuple[int, str]]) -> None:
    """Refuse YAML and lists with bullets or numbers, and warn of names side by side: all would be part of the names."""
    for number, line in lines:
        if _YAML.fullmatch(line):
            raise SeedError(f"{line!r:.60} looks like YAML; rename the file to end in .yaml{_line(number)}")
        if _BULLET.match(line):
            raise SeedError(f"{line!r:.60} begins with a bullet; remove the bullets{_line(number)}")
    if len(lines) > 1 and all(_ORDINAL.match(line) for _, line in lines):
        number, line = lines[0]
        raise SeedError(f"every line begins with a number, such as {line!r:.60}; remove the numbers{_line(number)}")
    if len(lines) == 1 and re.search("[,;\t]", lines[0][1]):
        warn(f"{lines[0][1]!r:.60} is read as one name; if these are several, write one name per line")


def _outline(lines: Sequence[tuple[int, str]], indents: Sequence[str]) -> Iterator[_ReadSeed]:
    """Children are indented more than their parent; the indentation of siblings is the same."""
    mark = next(indent[0] for indent in indents if indent)
    open_levels: list[tuple[int, str]] = []  # indentation and name, from the root to the line before
    for (number, line), indent in zip(lines, indents, strict=True):
        if indent.strip(mark):
            raise SeedError(f"the indentation mixes tabs and spaces; use only one of them{_line(number)}")
        depth = len(indent)
        closed = [level for level, _ in open_levels if level >= depth]
        if (closed and depth not in closed) or (not open_levels and depth):
            raise SeedError(
                f"the indentation of {line.strip()!r} fits no line above it; "
                f"indent it like its siblings, or more than its parent{_line(number)}"
            )
        open_levels = [*(level for level in open_levels if level[0] < depth), (depth, text_of(line))]
        path = tuple(name for _, name in open_levels)
        yield _ReadSeed(Seed(path[-1], path[-1:], path=path), number)


# YAML and JSON.


def _from_yaml(text: str) -> Seeds:
    return _from_value(_yaml_value(text))


def _yaml_value(text: str) -> Any:
    """The value of a YAML file; its texts know their lines."""
    import yaml

    class Loader(yaml.SafeLoader):
        def construct_sequence(self, node: Any, deep: bool = False) -> Any:
            for each in node.value:
                self.refuse_other_than_text(each)
            return super().construct_sequence(node, deep)

        def refuse_other_than_text(self, node: Any) -> None:
            """Lists contain texts, and so do the keys of mappings; one that looks like a number needs quotes."""
            if isinstance(node, yaml.ScalarNode):
                try:
                    text_of(self.construct_object(node))
                except SeedError as error:
                    raise SeedError(f"{error}{_line(node.start_mark.line + 1)}") from error

        def construct_mapping(self, node: Any, deep: bool = False) -> Any:
            for key, _ in node.value:
                if key.tag != "tag:yaml.org,2002:merge":
                    self.refuse_other_than_text(key)
            keys = [key for key, _ in node.value if isinstance(key.value, str)]
            for place in repeated([key.value for key in keys]):
                line = keys[place].start_mark.line + 1
                raise SeedError(f"the name {keys[place].value!r} appears twice; rename or remove one{_line(line)}")
            return super().construct_mapping(node, deep)

        def construct_text(self, node: Any) -> _Text:
            text = _Text(self.construct_scalar(node))
            text.line = node.start_mark.line + 1
            return text

    Loader.add_constructor("tag:yaml.org,2002:str", Loader.construct_text)
    try:
        return yaml.load(text, Loader)
    except SeedError:
        raise
    except Exception as error:  # for odd scalars PyYAML raises more than its own errors
        raise SeedError(f"the file is not valid YAML ({' '.join(str(error).split())})") from error


def _from_json(text: str) -> Seeds:
    try:
        return _from_value(json.loads(text, object_pairs_hook=_unrepeated))
    except SeedError as error:
        raise _located(text, error) from error
    except (ValueError, RecursionError) as error:
        raise SeedError(f"the file is not valid JSON ({error})") from error


def _located(text: str, error: SeedError) -> SeedError:
    """The same error with its line: JSON is YAML without tabs, and PyYAML knows lines."""
    try:
        _from_value(_yaml_value(text.replace("\t", " ")))
    except SeedError as found:
        if str(found).startswith(str(error)):
            return found
    return error


def _unrepeated(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    for place in repeated([name for name, _ in pairs]):
        raise SeedError(f"the name {pairs[place][0]!r} appears twice; rename or remove one")
    return dict(pairs)


def _from_value(value: Any) -> Seeds:
    if not isinstance(value, Mapping | list):
        raise SeedError("the file must contain a list of names, or a mapping of names to lists of names")
    return as_seeds(value)


# Tables.


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

    def read(self, path: tuple[str, ...]) -> _ReadSeed:
        names = {normalized_name(name): name for name in reversed((self.name, *self.names))}  # the first spelling
        return _ReadSeed(
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


def _from_csv(text: str) -> Seeds:
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
    return _checked(list(_by_paths(found) if "path" in columns else _by_parents(found)))


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
                    f"description or examples{_line(line)}"
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
            if any(cells) and not _is_comment(lines[before], before + 1):
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
            raise SeedError(f"the path {path_text(path)!r} must end with the name {row.name!r}{_line(line)}")
        *above, row.name = path
        row.above = tuple(above)
    if not all((*row.above, row.name)):
        raise SeedError(f"a category has an empty name; give it a name or remove it{_line(line)}")
    return row


def _merge(row: _Row, other: _Row) -> None:
    """Add what another row says about the same category; refuse a row that says nothing new."""
    parts = ("names", "pinned", "negative", "description", "examples")
    if not any(getattr(other, part) for part in parts):
        raise SeedError(f"the name {other.name!r} appears twice; rename or remove one{_line(other.line)}")
    for part in parts:
        getattr(row, part).extend(getattr(other, part))


def _by_paths(rows: Mapping[tuple[str, ...], _Row]) -> Iterator[_ReadSeed]:
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


def _by_parents(rows: Mapping[tuple[str, ...], _Row]) -> Iterator[_ReadSeed]:
    """Categories by their parents' names or paths; a parent that comes after its child is moved before it."""
    named: dict[str, list[_Row]] = {}
    for row in rows.values():
        named.setdefault(normalized_name(row.name), []).append(row)

    def lineage(row: _Row, below: tuple[_Row, ...]) -> tuple[_Row, ...]:
        """The row and all above it, from the root."""
        again = next((place for place, other in enumerate(below) if other is row), None)
        if again is not None:
            circle = path_text([each.name for each in (row, *below[: again + 1])])
            raise SeedError(f"{row.name!r} is below itself: {circle}; correct its parent{_line(row.line)}")
        if len(below) >= _DEEPEST:
            raise SeedError(f"categories are nested more than {_DEEPEST} levels deep{_line(row.line)}")
        if not row.above:
            return (row,)
        wanted = path_key(row.above)
        if wanted[-1] == normalized_name(row.name):
            raise SeedError(
                f"the category {row.name!r} has the same name as its parent; rename one of them{_line(row.line)}"
            )
        likely = [rows[wanted]] if wanted in rows else named.get(wanted[-1], [])
        found = [lineage(other, (row, *below)) for other in likely]
        if len(wanted) > 1:
            found = [each for each in found if path_key([above.name for above in each]) == wanted]
        if len(found) > 1:
            raise SeedError(
                f"the parent {path_text(row.above)!r} of {row.name!r} may be any of {len(found)} categories; "
                f"write its path, such as {path_text([each.name for each in found[0]])!r}{_line(row.line)}"
            )
        if not found:
            raise SeedError(
                f"the parent {path_text(row.above)!r} of {row.name!r} is not a category; "
                f"add a row for it{_line(row.line)}"
            )
        return (*found[0], row)

    done: set[int] = set()
    for row in rows.values():
        line = lineage(row, ())
        for place, each in enumerate(line):
            if id(each) not in done:
                done.add(id(each))
                yield each.read(tuple(above.name for above in line[: place + 1]))


# Dictionaries.


def _from_dic(text: str) -> Seeds:
    """A LIWC dictionary: categories between two lines of `%`, then words with their categories' numbers."""
    parts = re.split(r"^%[ \t]*$", text, flags=re.MULTILINE)
    if len(parts) != 3 or parts[0].strip():
        raise SeedError("the file is not a LIWC dictionary; put its categories between two lines that contain only %")
    categories: dict[str, tuple[str, list[str]]] = {}
    for line in filter(str.strip, parts[1].splitlines()):
        number, _, name = line.strip().partition("\t")
        if not name.strip():
            raise SeedError(f"the category line {line.strip()!r} must consist of a number, a tab and a name")
        if number.strip() in categories:
            raise SeedError(f"the category number {number.strip()!r} appears twice; give each category its own number")
        categories[number.strip()] = (name.strip(), [])
    for line in filter(str.strip, parts[2].splitlines()):
        word, *numbers = [cell.strip() for cell in line.strip().split("\t") if cell.strip()]
        if not numbers:
            raise SeedError(f"the word {word!r} has no category; add a tab and the number of its category after it")
        if not word.strip("*?"):
            raise SeedError(f"the word {word!r} is a wildcard for every word; add letters or remove it")
        for number in numbers:
            if number not in categories:
                raise SeedError(f"the word {word!r} has the undefined category {number!r}; define it or correct it")
            categories[number][1].append(word)
    return Seeds(tuple(Seed(name, tuple(dict.fromkeys(words)) or (name,)) for name, words in categories.values()))
