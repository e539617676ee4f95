"""What a project holds: names in the user's order, terms that must and must not appear."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field, StringConstraints

from seetopic.corpus import Seed, Seeds
from seetopic.errors import SeedError
from seetopic.settings import DEFAULT
from seetopic.web.limits import CATEGORIES, HEAVY, LETTERS, NAMES, TERMS, TITLE, TOP

Text = Annotated[str, StringConstraints(strip_whitespace=True, min_length=1, max_length=LETTERS)]
Title = Annotated[str, StringConstraints(strip_whitespace=True, min_length=1, max_length=TITLE)]
CategoryId = Annotated[str, StringConstraints(pattern=r"^c[0-9]{1,9}$")]


class Frozen(BaseModel):
    """What is sent or kept: never changed, and nothing in it that is not known."""

    model_config = ConfigDict(frozen=True, extra="forbid")


class Category(Frozen):
    """One category; it keeps its id whatever it is called."""

    id: CategoryId
    name: Text
    names: tuple[Text, ...] = Field(min_length=1, max_length=NAMES)
    pinned: tuple[Text, ...] = Field(default=(), max_length=TERMS)
    negative: tuple[Text, ...] = Field(default=(), max_length=TERMS)


class Options(Frozen):
    """How topics are shown."""

    top: int = Field(default=DEFAULT.discovery.top, ge=1, le=TOP)
    keep_variants: bool = False


class Names(Frozen):
    """All that a person wrote in a project."""

    title: Title
    categories: tuple[Category, ...] = Field(default=(), max_length=CATEGORIES)
    options: Options = Options()
    next_id: int = Field(default=1, ge=1)  # ids are never used again: undo may bring a category back

    def __getitem__(self, category: str) -> Category:
        found = self.get(category)
        if found is None:
            raise SeedError(f"there is no category {category!r} any more; look at the names as they are now")
        return found

    def get(self, category: str) -> Category | None:
        return next((each for each in self.categories if each.id == category), None)

    @property
    def count(self) -> int:
        """How many names all categories have together."""
        return sum(len(each.names) for each in self.categories)

    @property
    def count_judged(self) -> int:
        """How many terms are pinned or negative."""
        return sum(len(each.pinned) + len(each.negative) for each in self.categories)

    @property
    def are_heavy(self) -> bool:
        """Whether it may take many seconds to find their topics."""
        return self.count > HEAVY or self.count_judged > 10 * HEAVY

    def check(self) -> None:
        """Refuse what `discover` would: names that stand twice. To have no name yet is fine."""
        if self.categories:
            self._as_seeds()

    @property
    def seeds(self) -> Seeds:
        """What `discover` takes; refuses names that stand twice, or none at all."""
        return self._as_seeds()

    def _as_seeds(self) -> Seeds:
        return Seeds(tuple(Seed(each.name, each.names, each.pinned, each.negative) for each in self.categories))


class GivenCategory(Frozen):
    """A category as it is pasted or read from a file."""

    name: Text
    names: tuple[Text, ...] = Field(default=(), max_length=NAMES)
    pinned: tuple[Text, ...] = Field(default=(), max_length=TERMS)
    negative: tuple[Text, ...] = Field(default=(), max_length=TERMS)


def with_new(names: Names, given: Iterable[GivenCategory], at: int | None = None) -> Names:
    """The names with further categories, at the end or at a place."""
    new = [
        Category(
            id=f"c{number}",
            name=each.name,
            names=each.names or (each.name,),
            pinned=each.pinned,
            negative=each.negative,
        )
        for number, each in enumerate(given, start=names.next_id)
    ]
    place = len(names.categories) if at is None else at
    categories = (*names.categories[:place], *new, *names.categories[place:])
    if len(categories) > CATEGORIES:
        raise SeedError(f"these would be {len(categories)} categories, but a project has at most {CATEGORIES}")
    return names.model_copy(update={"categories": categories, "next_id": names.next_id + len(new)})


def same(first: str, second: str) -> bool:
    """Whether two terms are one, as a person reads them."""
    return " ".join(first.casefold().split()) == " ".join(second.casefold().split())
