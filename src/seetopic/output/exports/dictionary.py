"""Topics in the form shared by all exports: categories with the words to look for, checked once."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from seetopic.errors import OutputError, SettingsError

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from seetopic.discovery import RankedTerm, Topic, Topics

_CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f]")


@dataclass(frozen=True)
class DictionaryEntry:
    """A term of a category, with all the forms to look for."""

    rank: int  # 1 for the best
    term: str
    forms: tuple[str, ...]  # the term itself, then its variants
    score: float
    documents: int


@dataclass(frozen=True)
class DictionaryCategory:
    """A topic to export."""

    number: int  # its position among all topics, from 0, whichever of them are exported
    name: str  # in a tree, the path as text
    confidence: float
    entries: tuple[DictionaryEntry, ...]
    path: tuple[str, ...] = ()
    above: tuple[int, ...] = ()  # in a tree, the numbers of the categories above it, from the root

    @property
    def forms(self) -> tuple[str, ...]:
        """The forms of all terms, best first, each once."""
        return tuple(dict.fromkeys(form for entry in self.entries for form in entry.forms))


@dataclass(frozen=True)
class Dictionary:
    """The topics to export."""

    categories: tuple[DictionaryCategory, ...]
    n_topics: int  # including those left out
    keeps_case: bool  # whether "Polish" and "polish" are two terms


def dictionary_of(
    topics: Topics, *, variants: bool = True, min_confidence: float = 0.0, top: int | None = None
) -> Dictionary:
    """The topics with enough confidence, each with its best terms; no text in them is empty or unwritable."""
    if not 0 <= min_confidence <= 1:
        raise SettingsError(f"`min_confidence` is {min_confidence}, but must be between 0 and 1")
    if top is not None and top < 1:
        raise SettingsError(f"`top` is {top}, but must be at least 1")
    if not len(topics):
        raise OutputError("there are no topics to export; make some with `seetopic discover`")
    kept = [(number, topic) for number, topic in enumerate(topics) if topic.confidence >= min_confidence]
    if not kept:
        surest = max(topic.confidence for topic in topics)
        raise SettingsError(
            f"`min_confidence` is {min_confidence}, but no topic has a confidence above {surest}; lower it"
        )
    for topic in topics:
        for name in topic.path:
            _writable(name, "a category's name")
    _refuse_one_name_twice([topic.label for topic in topics])
    numbers = {topic.path: number for number, topic in enumerate(topics)}
    categories = tuple(_category(number, topic, variants, top, numbers) for number, topic in kept)
    forms = [form for category in categories for form in category.forms]
    return Dictionary(categories, len(topics), _keeps_case(topics.made_with, forms))


def one_line(text: str) -> str:
    """The text without line breaks, tabs and control characters, for formats that cannot represent them."""
    return " ".join(_CONTROL.sub(" ", text).split())


def refuse_marks(dictionary: Dictionary, marks: str, meaning: str) -> None:
    """Raise an error for a term with a character that the format would misread and cannot escape."""
    for category in dictionary.categories:
        for form in category.forms:
            mark = next((mark for mark in marks if mark in form), None)
            if mark is not None:
                raise OutputError(
                    f"the term {form!r} of {category.name!r} contains {mark!r}, which {meaning}; "
                    "choose another format, or make it a negative term of that category"
                )


def _category(
    number: int, topic: Topic, variants: bool, top: int | None, numbers: Mapping[tuple[str, ...], int]
) -> DictionaryCategory:
    ranked = enumerate(topic.terms[:top], start=1)
    entries = tuple(_entry(rank, each, variants, topic.label) for rank, each in ranked)
    above = tuple(numbers[topic.path[:depth]] for depth in range(1, len(topic.path)))
    return DictionaryCategory(number, topic.label, topic.confidence, entries, topic.path, above)


def _entry(rank: int, each: RankedTerm, variants: bool, name: str) -> DictionaryEntry:
    found = (each.term, *each.variants) if variants else (each.term,)
    # Terms are words separated by single spaces; those from other files are normalised.
    forms = tuple(dict.fromkeys(one_line(_writable(form, f"a term of {name!r}")) for form in found))
    return DictionaryEntry(rank, forms[0], forms, each.score, each.documents)


def _writable(text: Any, what: str) -> str:
    if not isinstance(text, str) or not one_line(text):
        raise OutputError(f"{what} is {text!r}, which is not usable text; correct it in topics.json")
    try:
        text.encode("utf-8")
    except UnicodeEncodeError as error:
        raise OutputError(f"{what} is {text!r}, which is not valid Unicode; correct it in topics.json") from error
    return text


def _refuse_one_name_twice(names: Iterable[str]) -> None:
    seen: dict[str, str] = {}
    for name in names:
        other = seen.setdefault(one_line(name), name)
        if other is not name:
            raise OutputError(
                f"the category names {other!r} and {name!r} count as the same name in an export; rename one of them"
            )


def _keeps_case(made_with: Any, forms: Iterable[str]) -> bool:
    """As in the settings of the index; for topics from elsewhere, whether any form has a capital."""
    settings = made_with
    for part in ("settings", "index", "text"):
        settings = settings.get(part) if isinstance(settings, dict) else None
    if isinstance(settings, dict) and "lowercase" in settings:
        return not settings["lowercase"]
    return any(form != form.lower() for form in forms)
