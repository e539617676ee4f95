"""The contents of a project: names in the user's order, with required and excluded terms."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Annotated, Self

from pydantic import BaseModel, ConfigDict, Field, StringConstraints, model_validator

from seetopic.corpus import Judgement, Judgements, Seed, Seeds, normalized_name, path_text, without_pinned
from seetopic.errors import SeedError
from seetopic.settings import DEFAULT
from seetopic.web.limits import (
    CATEGORIES,
    EXAMPLE,
    EXAMPLES,
    EXPLANATION,
    HEAVY,
    JUDGEMENTS,
    LETTERS,
    LEVELS,
    NAMES,
    TERMS,
    TITLE,
    TOP,
)

Text = Annotated[str, StringConstraints(strip_whitespace=True, min_length=1, max_length=LETTERS)]
Title = Annotated[str, StringConstraints(strip_whitespace=True, min_length=1, max_length=TITLE)]
Explanation = Annotated[str, StringConstraints(strip_whitespace=True, max_length=EXPLANATION)]
Example = Annotated[str, StringConstraints(strip_whitespace=True, min_length=1, max_length=EXAMPLE)]
Person = Annotated[str, StringConstraints(strip_whitespace=True, max_length=TITLE)]
Level = Annotated[int, Field(ge=0, le=LEVELS)]
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
    parent: CategoryId | None = None


class Judged(Frozen):
    """A person's answer: whether a term or a document belongs to a category; without one, that it belongs to none."""

    category: CategoryId | None
    term: Text | None = None
    document: int | None = Field(default=None, ge=0, le=2**53)
    belongs: bool = True
    by: Person = ""
    at: Annotated[str, StringConstraints(max_length=40)] = ""

    @model_validator(mode="after")
    def _is_about_one_thing(self) -> Self:
        if (self.term is None) == (self.document is None):
            raise ValueError("a judgement is about either a term or a document")
        if self.category is None and self.belongs is False:
            raise ValueError("without a category, `belongs` must be true: it belongs to none of them")
        return self

    @property
    def item(self) -> str | int:
        """What was judged, as terms and documents are compared."""
        return self.document if self.document is not None else normalized_name(self.term or "")


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
    judgements: tuple[Judged, ...] = Field(default=(), max_length=JUDGEMENTS)

    @model_validator(mode="after")
    def _parents_come_first(self) -> Self:
        known: set[str] = set()
        for each in self.categories:
            if each.parent is not None and each.parent not in known:
                raise ValueError(f"the parent of {each.name!r} must come before it")
            known.add(each.id)
        return self

    def __getitem__(self, category: str) -> Category:
        found = self.get(category)
        if found is None:
            raise SeedError(f"the category {category!r} no longer exists; reload the names")
        return found

    def get(self, category: str) -> Category | None:
        return next((each for each in self.categories if each.id == category), None)

    @property
    def is_tree(self) -> bool:
        """Whether any category has a parent."""
        return any(each.parent is not None for each in self.categories)

    def path(self, category: Category) -> tuple[str, ...]:
        """The names from the root of the tree to a category."""
        above = () if category.parent is None else self.path(self[category.parent])
        return (*above, category.name)

    def below(self, category: str) -> set[str]:
        """Ids of a category and all categories below it."""
        found = {category}
        for each in self.categories:  # parents come before their children
            if each.parent in found:
                found.add(each.id)
        return found

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
            _ = self.seeds

    @property
    def seeds(self) -> Seeds:
        """The input of `discover`; rejects duplicate names, and an empty list."""
        return Seeds(
            tuple(
                Seed(
                    each.name,
                    each.names,
                    each.pinned,
                    without_pinned(each.negative, each.pinned),
                    each.description,
                    each.examples,
                    self.path(each),
                )
                for each in self.categories
            )
        )

    @property
    def ids(self) -> dict[str, str]:
        """The id of each category by its path as text, which is its name unless it has a parent."""
        return {path_text(self.path(each)): each.id for each in self.categories}

    @property
    def lessons(self) -> Judgements:
        """The judgements as `discover` learns from them."""
        paths = {number: path for path, number in self.ids.items()}
        return Judgements(
            tuple(
                Judgement(
                    each.category and paths[each.category], each.term, each.document, each.belongs, each.by, each.at
                )
                for each in self.judgements
                if each.category is None or each.category in paths
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
    level: Level = 0  # in an outline; each is below the nearest one before it with a smaller level


def outline(names: Iterable[str], levels: Sequence[int]) -> list[GivenCategory]:
    """Categories of an outline; without levels, none is below another."""
    given = list(names)
    if levels and len(levels) != len(given):
        raise SeedError(f"there are {len(given)} names but {len(levels)} levels; give one level per name")
    return [
        GivenCategory(name=name, level=level) for name, level in zip(given, levels or [0] * len(given), strict=True)
    ]


def with_new(names: Names, given: Iterable[GivenCategory], at: int | None = None, parent: str | None = None) -> Names:
    """The names with added categories, at the end or at a position, below a parent or below none."""
    new: list[Category] = []
    above: list[tuple[int, str]] = []  # level and id of the categories that the next one may be below
    for number, each in enumerate(given, start=names.next_id):
        above = [(level, one) for level, one in above if level < each.level]
        new.append(
            Category(
                id=f"c{number}",
                name=each.name,
                names=each.names or (each.name,),
                pinned=each.pinned,
                negative=each.negative,
                description=each.description,
                examples=each.examples,
                parent=above[-1][1] if above else parent,
            )
        )
        above.append((each.level, f"c{number}"))
    place = len(names.categories) if at is None else at
    categories = in_order((*names.categories[:place], *new, *names.categories[place:]))
    if len(categories) > CATEGORIES:
        raise SeedError(
            f"the project would have {len(categories)} categories, but the limit is {CATEGORIES}; "
            "create a second project"
        )
    return names.model_copy(update={"categories": categories, "next_id": names.next_id + len(new)})


def renumbered(names: Names, title: str, *, with_documents: bool) -> Names:
    """The names of a project file with ids of their own; judged documents are those of one corpus."""
    ids: dict[str, str] = {}
    categories = []
    for number, each in enumerate(names.categories, start=1):
        parent = None if each.parent is None else ids[each.parent]
        ids[each.id] = f"c{number}"
        categories.append(each.model_copy(update={"id": f"c{number}", "parent": parent}))
    judgements = (
        each.model_copy(update={"category": each.category and ids[each.category]})
        for each in names.judgements
        if (each.category is None or each.category in ids) and (with_documents or each.document is None)
    )
    return names.model_copy(
        update={
            "title": title,
            "categories": in_order(categories),
            "judgements": tuple(judgements),
            "next_id": len(categories) + 1,
        }
    )


def in_order(categories: Iterable[Category]) -> tuple[Category, ...]:
    """Categories as in an outline: each is followed by those below it."""
    children: dict[str | None, list[Category]] = {}
    for each in categories:
        children.setdefault(each.parent, []).append(each)

    def from_here(parent: str | None) -> Iterator[Category]:
        for each in children.get(parent, ()):
            yield each
            yield from from_here(each.id)

    return tuple(from_here(None))


def same(first: str, second: str) -> bool:
    """Whether two terms read the same, ignoring case and spacing."""
    return normalized_name(first) == normalized_name(second)
