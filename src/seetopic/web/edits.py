"""Edits of a project's names, each an immutable object that maps old names to new ones.

Accepting a term pins it, and rejecting it makes it a negative term, so that `discover` receives every judgement. Each
edit describes itself in words and knows which part of the names it touches.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Annotated, Any, Literal

from pydantic import Field

from seetopic.errors import SeedError
from seetopic.web.limits import ANSWERS, CATEGORIES, JUDGEMENTS, NAMES, TERMS, TOP
from seetopic.web.schemas import (
    Category,
    CategoryId,
    Explanation,
    Frozen,
    GivenCategory,
    Judged,
    Level,
    Names,
    Text,
    Title,
    in_order,
    outline,
    same,
    with_new,
)


class Add(Frozen):
    """Add categories, each with one name."""

    kind: Literal["add"]
    names: tuple[Text, ...] = Field(min_length=1, max_length=CATEGORIES)
    at: int | None = Field(default=None, ge=0, le=CATEGORIES)
    parent: CategoryId | None = None
    levels: tuple[Level, ...] = Field(default=(), max_length=CATEGORIES)  # of an outline, one per name

    def applied(self, names: Names) -> Names:
        parent = None if self.parent is None else names[self.parent].id
        return with_new(names, outline(self.names, self.levels), self.at, parent)

    def touches(self, names: Names) -> Any:
        return None

    def told(self, names: Names) -> str:
        return f"add {_quoted(self.names)}"


class Rename(Frozen):
    """Rename a category; the new name replaces the old one among its names."""

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


class SetNames(Frozen):
    """Set all names of a category."""

    kind: Literal["names"]
    category: CategoryId
    names: tuple[Text, ...] = Field(min_length=1, max_length=NAMES)

    def applied(self, names: Names) -> Names:
        return _changed(names, names[self.category], names=_once(self.names))

    def touches(self, names: Names) -> Any:
        return _part(names, self.category, "names")

    def told(self, names: Names) -> str:
        return f"set the names of {_quoted([names[self.category].name])} to {_quoted(self.names)}"


class Describe(Frozen):
    """Say what a category covers; without a text, no longer."""

    kind: Literal["description"]
    category: CategoryId
    description: Explanation

    def applied(self, names: Names) -> Names:
        return _changed(names, names[self.category], description=self.description)

    def touches(self, names: Names) -> Any:
        return _part(names, self.category, "description")

    def told(self, names: Names) -> str:
        name = _quoted([names[self.category].name])
        if not self.description:
            return f"no longer describe {name}"
        return f"say that {name} covers {_quoted([self.description])}"


class Remove(Frozen):
    """Remove a category, with all its judgements; those below it move up."""

    kind: Literal["remove"]
    category: CategoryId

    def applied(self, names: Names) -> Names:
        gone = names[self.category]
        moved_up = {"parent": gone.parent}
        kept = (
            each.model_copy(update=moved_up) if each.parent == gone.id else each
            for each in names.categories
            if each != gone
        )
        judgements = tuple(each for each in names.judgements if each.category != gone.id)
        return names.model_copy(update={"categories": in_order(kept), "judgements": judgements})

    def touches(self, names: Names) -> Any:
        return names.get(self.category)

    def told(self, names: Names) -> str:
        return f"remove {_quoted([names[self.category].name])}"


class Place(Frozen):
    """Move a category to another position among those with the same parent."""

    kind: Literal["place"]
    category: CategoryId
    at: int = Field(ge=0, le=CATEGORIES)

    def applied(self, names: Names) -> Names:
        moved = names[self.category]
        beside = [each for each in names.categories if each.parent == moved.parent and each != moved]
        before = beside[self.at].id if self.at < len(beside) else None
        return _nested(names, moved, moved.parent, before)

    def touches(self, names: Names) -> Any:
        return [each.id for each in names.categories]

    def told(self, names: Names) -> str:
        return f"move {_quoted([names[self.category].name])} to position {self.at + 1}"


class Nest(Frozen):
    """Move a category, with all below it, below a parent or to the top level: before another one there, or last."""

    kind: Literal["nest"]
    category: CategoryId
    parent: CategoryId | None
    before: CategoryId | None = None

    def applied(self, names: Names) -> Names:
        moved = names[self.category]
        if self.parent is not None and names[self.parent].id in names.below(moved.id):
            raise SeedError(f"{moved.name!r} cannot be moved below itself; choose another place")
        if self.before is not None and names[self.before].parent != self.parent:
            raise SeedError(f"{names[self.before].name!r} has been moved elsewhere; choose another place")
        return _nested(names, moved, self.parent, self.before)

    def touches(self, names: Names) -> Any:
        return [[each.id, each.parent] for each in names.categories]

    def told(self, names: Names) -> str:
        where = "to the top level" if self.parent is None else f"below {_quoted([names[self.parent].name])}"
        return f"move {_quoted([names[self.category].name])} {where}"


class NewJudged(Judged):
    """An answer to keep; `belongs` null withdraws it."""

    belongs: bool | None = True  # type: ignore[assignment]


class Teach(Frozen):
    """Answer questions: does this term or document belong to this category, or to none of them?"""

    kind: Literal["judge"]
    answers: tuple[NewJudged, ...] = Field(min_length=1, max_length=ANSWERS)

    def applied(self, names: Names) -> Names:
        kept = {(each.item, each.category, each.by): each for each in names.judgements}
        for each in self.answers:
            if each.category is not None:
                names[each.category]
            kept.pop((each.item, each.category, each.by), None)
            if each.belongs is not None:
                kept[each.item, each.category, each.by] = Judged(**each.model_dump())
        if len(kept) > JUDGEMENTS:
            raise SeedError(f"the project would have {len(kept):,} judgements, but the limit is {JUDGEMENTS:,}")
        return names.model_copy(update={"judgements": tuple(kept.values())})

    def touches(self, names: Names) -> Any:
        return None  # everyone's answers are kept

    def told(self, names: Names) -> str:
        if len(self.answers) > 1:
            return f"take over {len(self.answers):,} judgements"
        answer = self.answers[0]
        what = f"document {(answer.document or 0) + 1:,}" if answer.term is None else _quoted([answer.term])
        if answer.belongs is None:
            return f"withdraw the judgement of {what}"
        where = "none of the categories" if answer.category is None else _quoted([names[answer.category].name])
        return f"say that {what} {'belongs' if answer.belongs else 'does not belong'} to {where}"


class _Judgement(Frozen):
    category: CategoryId
    term: Text

    def touches(self, names: Names) -> Any:
        return _judged(names, self.category, self.term)


class Pin(_Judgement):
    """Require a term in one category, and remove it from the others."""

    kind: Literal["pin"]

    def touches(self, names: Names) -> Any:
        return _placed(names, (self.category,), self.term)

    def applied(self, names: Names) -> Names:
        return _pinned(names, self.category, self.term)

    def told(self, names: Names) -> str:
        return f"accept {_quoted([self.term])} in {_quoted([names[self.category].name])}"


class Bar(_Judgement):
    """Exclude a term from a category."""

    kind: Literal["bar"]

    def applied(self, names: Names) -> Names:
        return _barred(names, self.category, self.term)

    def told(self, names: Names) -> str:
        return f"reject {_quoted([self.term])} in {_quoted([names[self.category].name])}"


class Free(_Judgement):
    """Withdraw the judgement of a term in a category."""

    kind: Literal["free"]

    def applied(self, names: Names) -> Names:
        own = names[self.category]
        without = {"pinned": _without(own.pinned, self.term), "negative": _without(own.negative, self.term)}
        return _changed(names, own, **without)

    def told(self, names: Names) -> str:
        return f"clear the judgement of {_quoted([self.term])} in {_quoted([names[self.category].name])}"


class Shift(_Judgement):
    """Move a term to another category."""

    kind: Literal["shift"]
    to: CategoryId

    def touches(self, names: Names) -> Any:
        return _placed(names, (self.category, self.to), self.term)

    def applied(self, names: Names) -> Names:
        if self.to == self.category:
            raise SeedError(f"{self.term!r} is already in {names[self.to].name!r}; choose another category")
        return _pinned(_barred(names, self.category, self.term), self.to, self.term)

    def told(self, names: Names) -> str:
        ways = names[self.category].name, names[self.to].name
        return f"move {_quoted([self.term])} from {_quoted(ways[:1])} to {_quoted(ways[1:])}"


class SetOptions(Frozen):
    """Set the number of terms per topic, and whether variants are separate terms."""

    kind: Literal["options"]
    top: int | None = Field(default=None, ge=1, le=TOP)
    keep_variants: bool | None = None

    def applied(self, names: Names) -> Names:
        chosen = {key: value for key, value in self.model_dump(exclude={"kind"}).items() if value is not None}
        return names.model_copy(update={"options": names.options.model_copy(update=chosen)})

    def touches(self, names: Names) -> Any:
        return names.options

    def told(self, names: Names) -> str:
        told = [f"{self.top} terms per topic"] if self.top is not None else []
        if self.keep_variants is not None:
            told.append("variants as separate terms" if self.keep_variants else "variants merged into one term")
        return f"show {', '.join(told) or 'no change'}"


class SetTitle(Frozen):
    """Rename the project."""

    kind: Literal["title"]
    title: Title

    def applied(self, names: Names) -> Names:
        return names.model_copy(update={"title": self.title})

    def touches(self, names: Names) -> Any:
        return names.title

    def told(self, names: Names) -> str:
        return f"rename the project to {_quoted([self.title])}"


class SetSeeds(Frozen):
    """Replace all categories, as when a list is pasted."""

    kind: Literal["seeds"]
    categories: tuple[GivenCategory, ...] = Field(max_length=CATEGORIES)

    def applied(self, names: Names) -> Names:
        return with_new(names.model_copy(update={"categories": (), "judgements": ()}), self.categories)

    def touches(self, names: Names) -> Any:
        return names.categories

    def told(self, names: Names) -> str:
        return f"replace all names with {len(self.categories)} others"


Edit = Annotated[
    Add
    | Rename
    | SetNames
    | Describe
    | Remove
    | Place
    | Nest
    | Teach
    | Pin
    | Bar
    | Free
    | Shift
    | SetOptions
    | SetTitle
    | SetSeeds,
    Field(discriminator="kind"),
]


def clash(edit: Any, before: Names, now: Names) -> Any | None:
    """The current value of what an edit based on `before` would change, if someone else has changed it; otherwise None.

    Edits that touch different things are applied on top of each other, so no change is lost.
    """
    there = edit.touches(now)
    if edit.touches(before) == there:
        return None
    return "gone" if there is None else there.told(now) if isinstance(there, _Placed) else there


class _Placed(Frozen):
    """What moving a term would change: its judgements there, and the categories it was accepted in."""

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
    """The judgement of a term in a category; None if the category is gone."""
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
            what = f"{len(getattr(new, part))} {part}" + ("" if part == "names" else " terms")
            raise SeedError(f"{old.name!r} would have {what}, but the limit is {most}; remove some")
    return names.model_copy(update={"categories": tuple(new if each is old else each for each in names.categories)})


def _nested(names: Names, moved: Category, parent: str | None, before: str | None) -> Names:
    """The names with a category below a parent, before another one or last."""
    there = moved.model_copy(update={"parent": parent})
    kept = [each for each in names.categories if each.id != moved.id]
    place = len(kept) if before is None else [each.id for each in kept].index(before)
    return names.model_copy(update={"categories": in_order((*kept[:place], there, *kept[place:]))})


def _pinned(names: Names, category: str, term: str) -> Names:
    for other in names.categories:
        if other.id != category and any(same(term, one) for one in other.pinned):
            names = _changed(names, other, pinned=_without(other.pinned, term))
    own = names[category]
    return _changed(names, own, pinned=(*_without(own.pinned, term), term), negative=_without(own.negative, term))


def _barred(names: Names, category: str, term: str) -> Names:
    own = names[category]
    if any(same(term, name) for name in own.names):
        raise SeedError(f"{term!r} is a name of {own.name!r}, so it cannot be rejected; change the name instead")
    return _changed(names, own, pinned=_without(own.pinned, term), negative=(*_without(own.negative, term), term))


def _without(terms: tuple[str, ...], term: str) -> tuple[str, ...]:
    return tuple(each for each in terms if not same(each, term))


def _once(names: Iterable[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(names))


def _quoted(texts: Iterable[str]) -> str:
    shown = [f"“{text}”" for text in texts]
    more = f" and {len(shown) - 3} more" if len(shown) > 3 else ""
    return ", ".join(shown[:3]) + more
