"""Changes of a project's names, each frozen and pure: given names it gives new ones.

Accepting a term pins it, rejecting it makes it a negative term, so that whatever a person judges is what `discover`
is told. Every edit says in words what it does, and which part of the names it touches.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Annotated, Any, Literal

from pydantic import Field

from seetopic.errors import SeedError
from seetopic.web.limits import CATEGORIES, NAMES, TERMS, TOP
from seetopic.web.schemas import Category, CategoryId, Frozen, GivenCategory, Names, Text, Title, same, with_new


class Add(Frozen):
    """New categories, each by one name."""

    kind: Literal["add"]
    names: tuple[Text, ...] = Field(min_length=1, max_length=CATEGORIES)
    at: int | None = Field(default=None, ge=0, le=CATEGORIES)

    def applied(self, names: Names) -> Names:
        return with_new(names, [GivenCategory(name=name) for name in self.names], self.at)

    def touches(self, names: Names) -> Any:
        return None

    def told(self, names: Names) -> str:
        return f"add {_quoted(self.names)}"


class Rename(Frozen):
    """Another name for a category; the name it went by is no longer one of its names."""

    kind: Literal["rename"]
    category: CategoryId
    name: Text

    def applied(self, names: Names) -> Names:
        old = names[self.category]
        kept = [self.name if name == old.name else name for name in old.names]
        return _changed(names, old, name=self.name, names=_once(kept))

    def touches(self, names: Names) -> Any:
        return _part(names, self.category, "name")

    def told(self, names: Names) -> str:
        return f"rename {_quoted([names[self.category].name])} to {_quoted([self.name])}"


class Describe(Frozen):
    """All names that a category is sought by."""

    kind: Literal["names"]
    category: CategoryId
    names: tuple[Text, ...] = Field(min_length=1, max_length=NAMES)

    def applied(self, names: Names) -> Names:
        return _changed(names, names[self.category], names=_once(self.names))

    def touches(self, names: Names) -> Any:
        return _part(names, self.category, "names")

    def told(self, names: Names) -> str:
        return f"describe {_quoted([names[self.category].name])} by {_quoted(self.names)}"


class Remove(Frozen):
    """A category is gone, with all that was judged in it."""

    kind: Literal["remove"]
    category: CategoryId

    def applied(self, names: Names) -> Names:
        gone = names[self.category]
        return names.model_copy(update={"categories": tuple(each for each in names.categories if each != gone)})

    def touches(self, names: Names) -> Any:
        return names.get(self.category)

    def told(self, names: Names) -> str:
        return f"remove {_quoted([names[self.category].name])}"


class Place(Frozen):
    """A category stands elsewhere in the list."""

    kind: Literal["place"]
    category: CategoryId
    at: int = Field(ge=0, le=CATEGORIES)

    def applied(self, names: Names) -> Names:
        moved = names[self.category]
        others = [each for each in names.categories if each != moved]
        return names.model_copy(update={"categories": (*others[: self.at], moved, *others[self.at :])})

    def touches(self, names: Names) -> Any:
        return [each.id for each in names.categories]

    def told(self, names: Names) -> str:
        return f"move {_quoted([names[self.category].name])} to place {self.at + 1}"


class _Judgement(Frozen):
    category: CategoryId
    term: Text

    def touches(self, names: Names) -> Any:
        return _judged(names, self.category, self.term)


class Pin(_Judgement):
    """A term must stand in a category, and in no other."""

    kind: Literal["pin"]

    def touches(self, names: Names) -> Any:
        return _placed(names, (self.category,), self.term)

    def applied(self, names: Names) -> Names:
        return _pinned(names, self.category, self.term)

    def told(self, names: Names) -> str:
        return f"accept {_quoted([self.term])} in {_quoted([names[self.category].name])}"


class Bar(_Judgement):
    """A term must not stand in a category."""

    kind: Literal["bar"]

    def applied(self, names: Names) -> Names:
        return _barred(names, self.category, self.term)

    def told(self, names: Names) -> str:
        return f"reject {_quoted([self.term])} in {_quoted([names[self.category].name])}"


class Free(_Judgement):
    """What was judged of a term in a category is taken back."""

    kind: Literal["free"]

    def applied(self, names: Names) -> Names:
        own = names[self.category]
        without = {"pinned": _without(own.pinned, self.term), "negative": _without(own.negative, self.term)}
        return _changed(names, own, **without)

    def told(self, names: Names) -> str:
        return f"leave {_quoted([self.term])} in {_quoted([names[self.category].name])} open"


class Shift(_Judgement):
    """A term belongs to another category."""

    kind: Literal["shift"]
    to: CategoryId

    def touches(self, names: Names) -> Any:
        return _placed(names, (self.category, self.to), self.term)

    def applied(self, names: Names) -> Names:
        if self.to == self.category:
            raise SeedError(f"{self.term!r} stands in {names[self.to].name!r} already; choose another category")
        return _pinned(_barred(names, self.category, self.term), self.to, self.term)

    def told(self, names: Names) -> str:
        ways = names[self.category].name, names[self.to].name
        return f"move {_quoted([self.term])} from {_quoted(ways[:1])} to {_quoted(ways[1:])}"


class SetOptions(Frozen):
    """How many terms, and whether variants stand for themselves."""

    kind: Literal["options"]
    top: int | None = Field(default=None, ge=1, le=TOP)
    keep_variants: bool | None = None

    def applied(self, names: Names) -> Names:
        chosen = {key: value for key, value in self.model_dump(exclude={"kind"}).items() if value is not None}
        return names.model_copy(update={"options": names.options.model_copy(update=chosen)})

    def touches(self, names: Names) -> Any:
        return names.options

    def told(self, names: Names) -> str:
        told = [f"{self.top} terms a topic"] if self.top is not None else []
        if self.keep_variants is not None:
            told.append("variants as terms of their own" if self.keep_variants else "one term for its variants")
        return f"show {', '.join(told) or 'the same'}"


class SetTitle(Frozen):
    """What the project is called."""

    kind: Literal["title"]
    title: Title

    def applied(self, names: Names) -> Names:
        return names.model_copy(update={"title": self.title})

    def touches(self, names: Names) -> Any:
        return names.title

    def told(self, names: Names) -> str:
        return f"call the project {_quoted([self.title])}"


class SetSeeds(Frozen):
    """All categories anew, as a list was pasted."""

    kind: Literal["seeds"]
    categories: tuple[GivenCategory, ...] = Field(max_length=CATEGORIES)

    def applied(self, names: Names) -> Names:
        return with_new(names.model_copy(update={"categories": ()}), self.categories)

    def touches(self, names: Names) -> Any:
        return names.categories

    def told(self, names: Names) -> str:
        return f"replace all names by {len(self.categories)} others"


Edit = Annotated[
    Add | Rename | Describe | Remove | Place | Pin | Bar | Free | Shift | SetOptions | SetTitle | SetSeeds,
    Field(discriminator="kind"),
]


def clash(edit: Any, before: Names, now: Names) -> Any | None:
    """What somebody else changed of the very thing that an edit of `before` changes; None if nothing.

    An edit that touches something else is made on top of what is there now: nobody's change is lost.
    """
    there = edit.touches(now)
    if edit.touches(before) == there:
        return None
    return "gone" if there is None else there.told(now) if isinstance(there, _Placed) else there


class _Placed(Frozen):
    """What a term's new place would change: what was said of it there, and which categories it was accepted in."""

    judged: tuple[str, ...]
    accepted_in: tuple[CategoryId, ...]

    def told(self, names: Names) -> str:
        if self.accepted_in:
            return f"accepted in {_quoted(names[category].name for category in self.accepted_in)}"
        return "rejected" if "rejected" in self.judged else "open"


def _placed(names: Names, categories: tuple[str, ...], term: str) -> _Placed | None:
    judged = tuple(each for category in categories if (each := _judged(names, category, term)) is not None)
    accepted = tuple(each.id for each in names.categories if _judged(names, each.id, term) == "accepted")
    return _Placed(judged=judged, accepted_in=accepted) if len(judged) == len(categories) else None


def _judged(names: Names, category: str, term: str) -> str | None:
    """What was said of a term in a category; None if that is gone."""
    own = names.get(category)
    if own is None:
        return None
    if any(same(term, each) for each in own.pinned):
        return "accepted"
    return "rejected" if any(same(term, each) for each in own.negative) else "open"


def _part(names: Names, category: str, part: str) -> Any:
    own = names.get(category)
    return None if own is None else getattr(own, part)


def _changed(names: Names, old: Category, /, **parts: Any) -> Names:
    new = old.model_copy(update=parts)
    for part, most in (("names", NAMES), ("pinned", TERMS), ("negative", TERMS)):
        if len(getattr(new, part)) > most:
            raise SeedError(f"{old.name!r} would have {len(getattr(new, part))} {part}, but may have {most}")
    return names.model_copy(update={"categories": tuple(new if each is old else each for each in names.categories)})


def _pinned(names: Names, category: str, term: str) -> Names:
    for other in names.categories:
        if other.id != category and any(same(term, one) for one in other.pinned):
            names = _changed(names, other, pinned=_without(other.pinned, term))
    own = names[category]
    return _changed(names, own, pinned=(*_without(own.pinned, term), term), negative=_without(own.negative, term))


def _barred(names: Names, category: str, term: str) -> Names:
    own = names[category]
    if any(same(term, name) for name in own.names):
        raise SeedError(f"{term!r} is a name of {own.name!r}, so it stands in its topic; change the name instead")
    return _changed(names, own, pinned=_without(own.pinned, term), negative=(*_without(own.negative, term), term))


def _without(terms: tuple[str, ...], term: str) -> tuple[str, ...]:
    return tuple(each for each in terms if not same(each, term))


def _once(names: Iterable[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(names))


def _quoted(texts: Iterable[str]) -> str:
    shown = [f"“{text}”" for text in texts]
    more = f" and {len(shown) - 3} more" if len(shown) > 3 else ""
    return ", ".join(shown[:3]) + more
