"""Category names, always in the user's order and spelling."""

from __future__ import annotations

import csv
import io
import json
import re
import reprlib
import unicodedata
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from seetopic.errors import SeedError

_NUMBERED = re.compile(r"\d+\s*:\s*(.*)")
_PARTS = ("names", "pinned", "negative")
FORMATS = (".txt", ".yaml", ".yml", ".json", ".csv", ".dic")


@dataclass(frozen=True)
class Seed:
    """One category: its name, and the names that describe it (usually just that one).

    Pinned terms always come first in its topic; negative terms and their inflections never appear in it.
    """

    name: str
    names: tuple[str, ...]
    pinned: tuple[str, ...] = ()
    negative: tuple[str, ...] = ()


@dataclass(frozen=True)
class Seeds:
    """All categories; topic i is seed i."""

    seeds: tuple[Seed, ...]

    def __post_init__(self) -> None:
        if not self.seeds:
            raise SeedError("there are no category names; give at least one")
        for number, seed in enumerate(self.seeds, start=1):
            if not seed.names:
                raise SeedError(f"category {seed.name!r} has no names; give it a name or remove it")
            if not all(name.strip() for name in (seed.name, *seed.names, *seed.pinned, *seed.negative)):
                raise SeedError(f"category {number} has an empty name; give it a name or remove it")
            for term in set(seed.pinned) & set(seed.negative):
                raise SeedError(f"{term!r} is both pinned and negative in {seed.name!r}; remove one of the two")
        _refuse_repeated([seed.name for seed in self.seeds])
        _refuse_repeated([*self.all_names])
        _refuse_repeated([term for seed in self.seeds for term in seed.pinned])

    def __len__(self) -> int:
        return len(self.seeds)

    @property
    def names(self) -> tuple[str, ...]:
        """What the categories are called."""
        return tuple(seed.name for seed in self.seeds)

    @property
    def all_names(self) -> tuple[str, ...]:
        """The names of all categories, one after the other."""
        return tuple(name for seed in self.seeds for name in seed.names)


def _refuse_repeated(names: list[str]) -> None:
    seen: set[str] = set()
    for name in names:
        # Names that differ only in case, spaces or the encoding of accents would ask for the same terms twice.
        key = normalized_name(name)
        if key in seen:
            raise SeedError(f"the name {name!r} appears twice; a name may belong to only one category: remove one")
        seen.add(key)


def as_seeds(given: Any) -> Seeds:
    """Seeds from a path, a list of names, a list of lists of names, or a dict of name -> names.

    In a dict, a category may also be a dict itself, with `names`, `pinned` and `negative`.
    """
    if isinstance(given, Seeds):
        return given
    if isinstance(given, Path):
        return read_seeds(given)
    if isinstance(given, str):
        raise SeedError(f"seeds must be a list of names, not one string; give [{given!r}], or a pathlib.Path to a file")
    if isinstance(given, Mapping):
        return Seeds(tuple(_named_seed(name, names) for name, names in given.items()))
    if isinstance(given, set | frozenset):
        raise SeedError("seeds in a set have no order, but topics keep the order of their names; give a list")
    if isinstance(given, Iterable):
        return Seeds(tuple(_unnamed_seed(names) for names in given))
    raise SeedError(f"seeds must be a list or a dict of names, not {type(given).__name__}")


def _named_seed(name: Any, names: Any) -> Seed:
    given = names if isinstance(names, Mapping) else {"names": names}
    unknown = [key for key in given if key not in _PARTS]
    if unknown:
        raise SeedError(f"{reprlib.repr(unknown[0])} is not a field of a category; use {', '.join(_PARTS)}")
    parts = {part: () if given.get(part) is None else _texts(given[part]) for part in _PARTS}
    parts["names"] = parts["names"] or (_text(name),)  # `sports:` alone in a YAML file describes itself
    return Seed(_text(name), **parts)


def _unnamed_seed(names: Any) -> Seed:
    texts = _texts(names)
    if not texts:
        raise SeedError("a category has no names; give it a name or remove it")
    return Seed(texts[0], texts)


def _texts(names: Any) -> tuple[str, ...]:
    if isinstance(names, str) or not isinstance(names, Iterable):
        return (_text(names),)
    if isinstance(names, Mapping | set | frozenset):
        raise SeedError(f"the names of a category must be a list, not {reprlib.repr(names)}")
    return tuple(map(_text, names))


def _text(name: Any) -> str:
    if not isinstance(name, str):
        raise SeedError(f"a category name must be text, not {reprlib.repr(name)}; put it in quotes")
    try:
        name.encode("utf-8")
    except UnicodeEncodeError as error:
        raise SeedError(f"the name {name!r} is not valid Unicode (at character {error.start}); retype it") from error
    return name.strip()


def normalized_name(name: str) -> str:
    """How names and terms are compared: ignoring case, spacing and how accents are encoded."""
    return " ".join(unicodedata.normalize("NFC", name.casefold()).split())


def read_seeds(path: Path) -> Seeds:
    """Seeds from a file, in the format given by its extension."""
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


def _from_lines(text: str) -> Seeds:
    names = [line.strip() for line in text.splitlines() if line.strip()]
    # Files of the paper's released code number the names and join their words: `0:mental_disorders`. Only a file in
    # which every line is numbered is read that way.
    numbered = [_NUMBERED.fullmatch(name) for name in names]
    if names and all(numbered):
        names = [match.group(1).replace("_", " ").strip() for match in numbered if match]
    return as_seeds(names)


def _from_yaml(text: str) -> Seeds:
    import yaml

    try:
        node, value = yaml.compose(text, yaml.SafeLoader), yaml.safe_load(text)
    except Exception as error:  # for odd scalars PyYAML raises more than its own errors
        raise SeedError(f"the file is not valid YAML ({' '.join(str(error).split())})") from error
    if isinstance(value, Mapping):
        _refuse_repeated([str(key.value) for key, _ in node.value])
    return _from_value(value)


def _from_json(text: str) -> Seeds:
    try:
        value = json.loads(text, object_pairs_hook=_unrepeated)
    except SeedError:  # from `_unrepeated`
        raise
    except (ValueError, RecursionError) as error:
        raise SeedError(f"the file is not valid JSON ({error})") from error
    return _from_value(value)


def _unrepeated(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    _refuse_repeated([name for name, _ in pairs])
    return dict(pairs)


def _from_value(value: Any) -> Seeds:
    if not isinstance(value, Mapping | list):
        raise SeedError("the file must contain a list of names, or a mapping of names to lists of names")
    return as_seeds(value)


def _from_csv(text: str) -> Seeds:
    """One category per row: its name, then further names; a header row such as `name` or `category` is skipped."""
    try:
        rows = [[cell.strip() for cell in row if cell.strip()] for row in csv.reader(io.StringIO(text), strict=True)]
    except csv.Error as error:
        raise SeedError(f"the file is not valid CSV ({error})") from error
    rows = [row for row in rows if row]
    if rows and rows[0][0].casefold() in ("name", "category", "topic", "seed"):
        rows = rows[1:]
    return Seeds(tuple(Seed(row[0], tuple(row)) for row in rows))


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
        for number in numbers:
            if number not in categories:
                raise SeedError(f"the word {word!r} has the undefined category {number!r}; define it or correct it")
            categories[number][1].append(word.rstrip("*"))
    return Seeds(tuple(Seed(name, tuple(words) or (name,)) for name, words in categories.values()))
