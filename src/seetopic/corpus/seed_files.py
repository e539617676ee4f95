"""Category names from a file of any format, or from a Python value."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from seetopic.corpus.seed_lists import seeds_of_lines
from seetopic.corpus.seed_tables import seeds_of_table
from seetopic.corpus.seed_values import LocatedText, at_line, seeds_of_value
from seetopic.corpus.seeds import Seed, Seeds, path_key, repeated, text_of
from seetopic.errors import SeedError

FORMATS = (".txt", ".yaml", ".yml", ".json", ".csv", ".dic")


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
    return seeds_of_value(given)


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
    parse = {".yaml": _from_yaml, ".yml": _from_yaml, ".json": _from_json, ".csv": seeds_of_table, ".dic": _from_dic}
    try:
        return parse.get(path.suffix.lower(), seeds_of_lines)(text)
    except SeedError as error:
        raise SeedError(f"{path.name}: {error}") from error


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
                    raise SeedError(f"{error}{at_line(node.start_mark.line + 1)}") from error

        def construct_mapping(self, node: Any, deep: bool = False) -> Any:
            for key, _ in node.value:
                if key.tag != "tag:yaml.org,2002:merge":
                    self.refuse_other_than_text(key)
            keys = [key for key, _ in node.value if isinstance(key.value, str)]
            for place in repeated([key.value for key in keys]):
                line = keys[place].start_mark.line + 1
                raise SeedError(f"the name {keys[place].value!r} appears twice; rename or remove one{at_line(line)}")
            return super().construct_mapping(node, deep)

        def construct_text(self, node: Any) -> LocatedText:
            text = LocatedText(self.construct_scalar(node))
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
    return seeds_of_value(value)


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
