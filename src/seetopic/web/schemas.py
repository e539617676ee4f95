"""The contents of a project: names in the user's order, with required and excluded terms."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field, StringConstraints

from seetopic.corpus import Seed, Seeds, normalized_name
from seetopic.errors import SeedError
from seetopic.settings import DEFAULT
from seetopic.web.limits import CATEGORIES, EXAMPLE, EXAMPLES, EXPLANATION, HEAVY, LETTERS, NAMES, TERMS, TITLE, TOP

Text = Annotated[str, StringConstraints(strip_whitespace=True, min_length=1, max_length=LETTERS)]
Title = Annotated[str, StringConstraints(strip_whitespace=True, min_length=1, max_length=TITLE)]
Explanation = Annotated[str, StringConstraints(strip_whitespace=True, max_length=EXPLANATION)]
Example = Annotated[str, StringConstraints(strip_whitespace=True, min_length=1, max_length=EXAMPLE)]
CategoryId = Annotated[str, StringConstraints(pattern=r"^c[0-9]{1,9}$")]


class Frozen(BaseModel):
    """Base of all data sent or stored: immutable, without unknown fields."""

    model_config = ConfigDict(frozen=True, extra="forbid")


class Category(Frozen):
    """A category; its id stays the same when it is renamed."""

    id: CategoryId
    name: Text
    names: tuple[Text, ...] = Field(min_length=1, max_length=NAMES)
    pinned: tuple[Text, ...] = Field(default=(), max_length=TERMS)
    negative: tuple[Text, ...] = Field(default=(), max_length=TERMS)
    description: Explanation = ""
    examples: tuple[Example, ...] = Field(default=(), max_length=EXAMPLES)


class Options(Frozen):
    """How topics are shown."""

    top: int = Field(default=DEFAULT.discovery.top, ge=1, le=TOP)
    keep_variants: bool = False


class Names(Frozen):
    """Everything users have written in a project."""

    title: Title
    categories: tuple[Category, ...] = Field(default=(), max_length=CATEGORIES)
    options: Options = Options()
    next_id: int = Field(default=1, ge=1)  # ids are never reused, because undo may restore a category

    def __getitem__(self, category: str) -> Category:
        found = self.get(category)
        if found is None:
            raise SeedError(f"the category {category!r} no longer exists; reload the names")
        return found

    def get(self, category: str) -> Category | None:
        return next((each for each in self.categories if each.id == category), None)

    @property
    def count(self) -> int:
        """Number of names of all categories."""
        return sum(len(each.names) for each in self.categories)

    @property
    def count_judged(self) -> int:
        """Number of pinned and negative terms."""
        return sum(len(each.pinned) + len(each.negative) for each in self.categories)

    @property
    def are_heavy(self) -> bool:
        """Whether finding their topics may take many seconds."""
        return self.count > HEAVY or self.count_judged > 10 * HEAVY

    def check(self) -> None:
        """Reject duplicate names, as `discover` would; having no names yet is fine."""
        if self.categories:
            self._as_seeds()

    @property
    def seeds(self) -> Seeds:
        """The input of `discover`; rejects duplicate names, and an empty list."""
        return self._as_seeds()

    def _as_seeds(self) -> Seeds:
        return Seeds(
            tuple(
                Seed(each.name, each.names, each.pinned, each.negative, each.description, each.examples)
                for each in self.categories
            )
        )


class GivenCategory(Frozen):
    """A category as pasted or read from a file."""

    name: Text
    names: tuple[Text, ...] = Field(default=(), max_length=NAMES)
    pinned: tuple[Text, ...] = Field(default=(), max_length=TERMS)
    negative: tuple[Text, ...] = Field(default=(), max_length=TERMS)
    description: Explanation = ""
    examples: tuple[Example, ...] = Field(default=(), max_length=EXAMPLES)


def with_new(names: Names, given: Iterable[GivenCategory], at: int | None = None) -> Names:
    """The names with added categories, at the end or at a position."""
    new = [
        Category(
            id=f"c{number}",
            name=each.name,
            names=each.names or (each.name,),
            pinned=each.pinned,
            negative=each.negative,
            description=each.description,
            examples=each.examples,
        )
        for number, each in enumerate(given, start=names.next_id)
    ]
    place = len(names.categories) if at is None else at
    categories = (*names.categories[:place], *new, *names.categories[place:])
    if len(categories) > CATEGORIES:
        raise SeedError(
            f"the project would have {len(categories)} categories, but the limit is {CATEGORIES}; "
            "create a second project"
        )
    return names.model_copy(update={"categories": categories, "next_id": names.next_id + len(new)})


def same(first: str, second: str) -> bool:
    """Whether two terms read the same, ignoring case and spacing."""
    return normalized_name(first) == normalized_name(second)
