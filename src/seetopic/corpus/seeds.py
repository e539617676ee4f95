"""Category names: what they are, always in the user's order and spelling."""

from __future__ import annotations

import reprlib
import unicodedata
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

from seetopic.errors import SeedError

PATH_MARK = ">"  # between the names of a path, so that no name in a tree may contain it


@dataclass(frozen=True)
class Seed:
    """One category: its name, and the names that describe it (by default just that one).

    Pinned terms always come first in its topic; negative terms and their inflections never appear in it. A negative
    term that is also a name only gives the meaning. A description and examples (texts of documents) tell what the name
    means. `path` has the names from the root of a tree to it.
    """

    name: str
    names: tuple[str, ...] = ()
    pinned: tuple[str, ...] = ()
    negative: tuple[str, ...] = ()
    description: str = ""
    examples: tuple[str, ...] = ()
    path: tuple[str, ...] = ()  # by default the name alone: a root

    def __post_init__(self) -> None:
        name = text_of(self.name)
        parts = {part: texts_of(getattr(self, part)) for part in ("names", "pinned", "negative", "examples", "path")}
        parts["names"], parts["path"] = parts["names"] or (name,), parts["path"] or (name,)
        for part, value in {**parts, "name": name, "description": ", ".join(texts_of(self.description))}.items():
            object.__setattr__(self, part, value)

    @property
    def label(self) -> str:
        """Its path as text, which no other category has; without a tree, its name."""
        return path_text(self.path)


@dataclass(frozen=True)
class Seeds:
    """All categories; topic i is seed i. In a tree, parents come before their children."""

    seeds: tuple[Seed, ...]

    def __post_init__(self) -> None:
        for _, sentence in problems(self.seeds):
            raise SeedError(sentence)
        object.__setattr__(self, "seeds", tuple(_spelled_like_parents(self.seeds)))

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

    @property
    def paths(self) -> tuple[tuple[str, ...], ...]:
        """The names from the root to each category; unique."""
        return tuple(seed.path for seed in self.seeds)

    @property
    def labels(self) -> tuple[str, ...]:
        """The same as texts."""
        return tuple(seed.label for seed in self.seeds)

    @cached_property
    def parents(self) -> tuple[int, ...]:
        """The position of each category's parent, -1 for a root."""
        places = {path_key(path): place for place, path in enumerate(self.paths)}
        return tuple(places.get(path_key(path[:-1]), -1) for path in self.paths)

    @property
    def is_tree(self) -> bool:
        """Whether any category has a parent."""
        return any(len(seed.path) > 1 for seed in self.seeds)


def _spelled_like_parents(seeds: Sequence[Seed]) -> Iterator[Seed]:
    """The seeds with paths in the spelling of the names above them."""
    paths: dict[tuple[str, ...], tuple[str, ...]] = {}
    for seed in seeds:
        path = (*paths.get(path_key(seed.path[:-1]), ()), seed.name)
        paths[path_key(path)] = path
        yield seed if path == seed.path else replace(seed, path=path)


def path_text(path: Sequence[str]) -> str:
    """A path as text: "media > books"; a root is its name."""
    return f" {PATH_MARK} ".join(path)


def is_below(label: str, other: str) -> bool:
    """Whether one category is below another in a tree, by their paths as texts."""
    return label.startswith(path_text((other, "")))


def normalized_name(name: str) -> str:
    """How names and terms are compared: ignoring case, spacing and how accents are encoded."""
    return " ".join(unicodedata.normalize("NFC", name.casefold()).split())


def texts_of(names: Any) -> tuple[str, ...]:
    """One text, or a list of them, as a tuple."""
    if isinstance(names, str) or not isinstance(names, Iterable):
        return (text_of(names),)
    if isinstance(names, Mapping | set | frozenset):
        raise SeedError(f"the names of a category must be a list, not {reprlib.repr(names)}")
    return tuple(map(text_of, names))


def text_of(name: Any) -> str:
    """A text without spaces around it; refuses what is not text."""
    if name is None:
        raise SeedError("a name is missing or null; write it, in quotes if it is the word null, or remove it")
    if not isinstance(name, str):
        raise SeedError(f"a category name must be text, not {reprlib.repr(name)}; put it in quotes")
    try:
        name.encode("utf-8")
    except UnicodeEncodeError as error:
        raise SeedError(f"the name {name!r} is not valid Unicode (at character {error.start}); retype it") from error
    return name.strip()


def has_wildcard(name: str) -> bool:
    """Whether a name stands for all terms that match it (`elect*`, `wom?n`); "who are you?" is a question."""
    asked = name.rstrip("?") if " " in name else name
    return ("*" in asked or "?" in asked) and any(map(str.isalnum, asked))


def path_key(path: Sequence[str]) -> tuple[str, ...]:
    """How paths are compared: name by name."""
    return tuple(map(normalized_name, path))


def problems(seeds: Sequence[Seed]) -> Iterator[tuple[int, str]]:
    """What is wrong with categories: the position of the category, and a sentence."""
    if not seeds:
        yield 0, "there are no category names; give at least one"
    for place, seed in enumerate(seeds):
        texts = (seed.name, *seed.names, *seed.pinned, *seed.negative, *seed.examples)
        if not all(text.strip() for text in texts):
            yield place, f"category {place + 1} has an empty name; give it a name or remove it"
        for term in _pinned_among(seed.negative, seed.pinned):
            yield place, f"{term!r} is both pinned and negative in {seed.name!r}; remove one of the two"
        # Names that differ only in case, spaces or the encoding of accents would ask for the same terms twice.
        for again in repeated(seed.names):
            yield place, f"the name {seed.names[again]!r} appears twice in {seed.name!r}; remove one"
    yield from _problems_of_paths(seeds)
    pinned = [(place, term) for place, seed in enumerate(seeds) for term in seed.pinned]
    for number in repeated([term for _, term in pinned]):
        place, term = pinned[number]
        yield place, f"the pinned term {term!r} appears twice; a term belongs to only one category: remove one"


def _pinned_among(negative: Sequence[str], pinned: Sequence[str]) -> list[str]:
    keys = set(map(normalized_name, pinned))
    return [term for term in negative if normalized_name(term) in keys]


def without_pinned(negative: Sequence[str], pinned: Sequence[str]) -> tuple[str, ...]:
    """Negative terms as saved by earlier versions, which ignored those that were pinned in another spelling."""
    ignored = set(_pinned_among(negative, pinned)).difference(pinned)
    return tuple(term for term in negative if term not in ignored)


def _problems_of_paths(seeds: Sequence[Seed]) -> Iterator[tuple[int, str]]:
    is_tree = any(len(seed.path) > 1 for seed in seeds)
    known: set[tuple[str, ...]] = set()
    for place, seed in enumerate(seeds):
        *above, name = key = path_key(seed.path)
        below = f" below {path_text(seed.path[:-1])!r}" if above else ""
        if key in known:
            yield place, f"the name {seed.name!r} appears twice{below}; rename or remove one"
        if name != normalized_name(seed.name):
            yield place, f"the path {path_text(seed.path)!r} must end with the name {seed.name!r}"
        if above and name == above[-1]:
            yield place, f"the category {seed.name!r} has the same name as its parent; rename one of them"
        if above and tuple(above) not in known:
            yield place, f"{path_text(seed.path)!r} has no parent: add {path_text(seed.path[:-1])!r} before it"
        if is_tree and PATH_MARK in seed.name:
            yield place, f"the name {seed.name!r} contains {PATH_MARK!r}, which separates levels of a tree; rename it"
        known.add(key)


def repeated(names: Sequence[str]) -> Iterator[int]:
    """The positions of names that occur earlier in the list, in any spelling."""
    seen: set[str] = set()
    for place, name in enumerate(names):
        key = normalized_name(name)
        if key in seen:
            yield place
        seen.add(key)
