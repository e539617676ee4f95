"""Category names as Python values, which YAML and JSON files have as well."""

from __future__ import annotations

import reprlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, fields
from difflib import get_close_matches
from typing import Any

from seetopic.corpus.seeds import PATH_MARK, Seed, Seeds, normalized_name, path_text, problems, text_of, texts_of
from seetopic.errors import SeedError

_FIELDS = ("names", "description", "pinned", "negative", "examples", "children")
OWN_WORDS = "__"  # quanteda writes the words of a category that also has subcategories below this key
DEEPEST = 100  # levels of a tree; more of them mean that a value contains itself


@dataclass(frozen=True)
class ReadSeed:
    """A category, and the line that it was read from, if known."""

    seed: Seed
    line: int | None = None


def checked(read: Sequence[ReadSeed]) -> Seeds:
    """The categories together; what is wrong with one is told with its line."""
    seeds = tuple(each.seed for each in read)
    for place, sentence in problems(seeds):
        raise SeedError(sentence + (at_line(read[place].line) if read else ""))
    return Seeds(seeds)


def at_line(number: int | None) -> str:
    """The end of a message about a line, if it is known."""
    return "" if number is None else f" (line {number})"


def seeds_of_value(given: Iterable[Any]) -> Seeds:
    """Seeds from a list or a mapping; see `as_seeds`."""
    return checked(list(_categories(given, ())))


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


def split_path(text: str) -> tuple[str, ...]:
    """The names of a path: the inverse of `path_text`."""
    return tuple(text_of(name) for name in text.split(PATH_MARK))


class LocatedText(str):
    """A text with the line it comes from."""

    line: int


def _categories(given: Any, above: tuple[str, ...], inside: tuple[int, ...] = ()) -> Iterator[ReadSeed]:
    """The categories of one level and all levels below it; `inside` has the ids of the values that contain them."""
    if isinstance(given, Mapping):
        if len(given) > 1 and all(name in _FIELDS for name in given):
            _refuse_without_name(given)
        for name, value in given.items():
            yield from _named(name, value, above, inside)
        return
    for each in given:
        if isinstance(each, Seed):
            yield ReadSeed(each)
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
            yield ReadSeed(Seed(texts[0], texts, path=(*above, texts[0])), _line_of(first))


def _refuse_without_name(given: Mapping[Any, Any]) -> None:
    field = next(name for name in given if name in _FIELDS)
    raise SeedError(f"a category has the field {str(field)!r}, but no name; add its name{at_line(_line_of(field))}")


def _record(given: Mapping[Any, Any], above: tuple[str, ...], inside: tuple[int, ...]) -> Iterator[ReadSeed]:
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
) -> Iterator[ReadSeed]:
    own, line = text_of(name), line or _line_of(name)
    if id(given) in inside:
        raise SeedError(f"{path_text((*above, own))!r} contains itself; give it children of its own{at_line(line)}")
    if len(above) >= DEEPEST:
        raise SeedError(
            f"categories are nested more than {DEEPEST} levels deep; check that none contains itself{at_line(line)}"
        )
    parts = _parts(own, given, is_record) if isinstance(given, Mapping) else {"further": given}
    texts = {part: texts_of(parts[part]) if parts.get(part) is not None else () for part in (*_FIELDS[:-1], "further")}
    further = texts["further"]
    is_listed = normalized_name(own) in map(normalized_name, further)
    names = texts["names"] or (further if is_listed else (own, *further))
    description = ", ".join(texts["description"])
    path = (*above, own)
    seed = Seed(own, names, texts["pinned"], texts["negative"], description, texts["examples"], path)
    yield ReadSeed(seed, line)
    children = parts.get("children")
    if isinstance(children, str | set | frozenset) or not isinstance(children, Iterable | None):
        raise SeedError(
            f"`children` must be a list or a mapping of categories, not {reprlib.repr(children)}"
            f"{at_line(_line_of(children) or line)}"
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
            f"{at_line(_line_of(parent))}"
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
        f"and put subcategories under children{at_line(_line_of(wrong))}"
    )


def _resembles_a_field(key: str) -> bool:
    """Whether it begins like a field and is spelled much alike: "naems" does, "games" does not."""
    alike = [field for field in _FIELDS if field[0] == key[:1].casefold()]
    return bool(get_close_matches(key.casefold(), alike, 1, 0.8))
