"""A person's judgements of terms and documents, as a file with one JSON object per line."""

from __future__ import annotations

import hashlib
import json
import os
import reprlib
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from seetopic.corpus.seeds import Seeds, normalized_name
from seetopic.errors import JudgementError
from seetopic.runtime import place_of_file, quantity, warn, write_text, writing

_FIELDS = ("category", "term", "document", "belongs", "by", "at")


@dataclass(frozen=True)
class Judgement:
    """Whether a term or a document belongs to a category; without a category, that it belongs to none of them."""

    category: str | None  # a name, or a path such as "media > books"
    term: str | None = None
    document: int | str | None = None  # its number in the index, or its text
    belongs: bool = True
    by: str = ""
    at: str = ""

    def __post_init__(self) -> None:
        for name, kinds in _KINDS.items():
            value = getattr(self, name)
            if isinstance(value, np.generic):  # as in arrays and the columns of tables
                value = value.item()
                object.__setattr__(self, name, value)
            if not isinstance(value, kinds) or (isinstance(value, bool) and bool not in kinds):
                raise JudgementError(f"`{name}` is {reprlib.repr(value)}, but must be {_NOUNS[name]}")
            if isinstance(value, str) and name not in ("by", "at") and not value.strip():
                raise JudgementError(f"`{name}` is empty; give {_NOUNS[name]}")
        if (self.term is None) == (self.document is None):
            raise JudgementError("a judgement is about either a term or a document; give `term` or `document`")
        if isinstance(self.document, int) and self.document < 0:
            raise JudgementError(f"`document` is {self.document}, but documents are numbered from 0")
        if self.category is None and not self.belongs:
            raise JudgementError("without a category, `belongs` must be true: the item belongs to none of them")

    def to_json(self) -> dict[str, Any]:
        """The fields in order, without those that are not set; `category` is always there."""
        fields = {name: getattr(self, name) for name in _FIELDS}
        return {name: value for name, value in fields.items() if name == "category" or value not in (None, "")}

    def to_line(self) -> str:
        """A line of the file."""
        return json.dumps(self.to_json(), ensure_ascii=False) + "\n"


_KINDS: dict[str, tuple[type, ...]] = {
    "category": (str, type(None)),
    "term": (str, type(None)),
    "document": (int, str, type(None)),
    "belongs": (bool,),
    "by": (str,),
    "at": (str,),
}
_NOUNS = {
    "category": "the name of a category, or null for none of them",
    "term": "text",
    "document": "the text of a document or its number in the index",
    "belongs": "true or false",
    "by": "text",
    "at": "text",
}


@dataclass(frozen=True)
class Settled:
    """Judgements by category number, each question with one answer."""

    terms: dict[str, dict[int, bool]] = field(default_factory=dict)
    documents: dict[int | str, dict[int, bool]] = field(default_factory=dict)
    contradictions: tuple[str, ...] = ()  # questions with different answers, in words

    @property
    def accepted(self) -> list[str]:
        """The terms that belong to a category."""
        return [term for term, answers in self.terms.items() if any(answers.values())]


@dataclass(frozen=True)
class Judgements:
    """Judgements; their order does not matter."""

    judgements: tuple[Judgement, ...] = field(default=(), repr=False)

    def __len__(self) -> int:
        return len(self.judgements)

    def __iter__(self) -> Iterator[Judgement]:
        return iter(self.judgements)

    def made_with(self) -> dict[str, Any]:
        """What tells whether two discoveries learned from the same judgements; nothing if there are none."""
        lines = "".join(sorted(each.to_line() for each in self.judgements))
        digest = hashlib.sha256(lines.encode()).hexdigest()
        return {"judgements": {"number": len(self), "sha256": digest}} if lines else {}

    def plus(self, more: Iterable[Judgement]) -> Judgements:
        return Judgements((*self.judgements, *more))

    def without(self, judgement: Judgement) -> Judgements:
        """These without one judgement, as if it had never been made."""
        if judgement not in self.judgements:
            raise JudgementError(f"there is no judgement {judgement.to_json()!r} to take back")
        place = len(self) - 1 - self.judgements[::-1].index(judgement)
        return Judgements((*self.judgements[:place], *self.judgements[place + 1 :]))

    def settled(self, seeds: Seeds) -> Settled:
        """One answer per question: a person's latest answer counts, then the majority; ties are left out.

        A judgement without a category says no to every category. Judgements of other categories are not used.
        """
        votes: dict[tuple[bool, str | int], dict[int, Counter[bool]]] = {}
        spelled: dict[tuple[bool, str | int], str | int] = {}
        unknown: Counter[str] = Counter()
        numbers = _numbers(seeds)
        for each in sorted(self._latest(numbers), key=_sorting_key):
            if each.category is not None and normalized_name(each.category) not in numbers:
                unknown[each.category] += 1
                continue
            own = range(len(seeds)) if each.category is None else (numbers[normalized_name(each.category)],)
            item = _item(each)
            spelled.setdefault(item, each.document if each.term is None else each.term)  # type: ignore[arg-type]
            for category in own:
                answer = each.belongs and each.category is not None
                votes.setdefault(item, {}).setdefault(category, Counter())[answer] += 1
        if unknown:
            _warn_of_unknown(unknown, len(votes))
        contradictions: list[str] = []
        settled: tuple[dict[Any, dict[int, bool]], dict[Any, dict[int, bool]]] = ({}, {})
        for item, by_category in votes.items():
            for category, answers in sorted(by_category.items()):
                yes, no = answers[True], answers[False]
                if yes and no:
                    outcome = "left out" if yes == no else "yes counts" if yes > no else "no counts"
                    shown = f"document {item[1]}" if isinstance(item[1], int) else reprlib.repr(spelled[item])
                    contradictions.append(
                        f"{shown} belongs to {seeds.labels[category]!r}: {yes} yes, {no} no; {outcome}"
                    )
                if yes != no:
                    settled[item[0]].setdefault(spelled[item], {})[category] = yes > no
        return Settled(*settled, tuple(contradictions + _in_two(settled[0], seeds)))

    def _latest(self, numbers: Mapping[str, int]) -> list[Judgement]:
        """Without answers that the same person has changed later, if the times are known; without repetitions.

        `numbers` are those of the categories, each of which may be called by its name or its path.
        """

        def question(each: Judgement) -> tuple[Any, ...]:
            name = None if each.category is None else normalized_name(each.category)
            return _item(each), name if name is None else numbers.get(name, name), each.by

        latest: dict[Any, str] = {}
        for each in self.judgements:
            key = question(each)
            latest[key] = max(latest.get(key, ""), each.at)
        return list(dict.fromkeys(each for each in self.judgements if each.at == latest[question(each)]))


def _item(judgement: Judgement) -> tuple[bool, str | int]:
    """What is judged: whether it is a document, and its number, its text, or the term as terms are compared."""
    if judgement.term is None:
        assert judgement.document is not None
        return True, judgement.document
    return False, normalized_name(judgement.term)


def _sorting_key(judgement: Judgement) -> str:
    return json.dumps(judgement.to_json(), ensure_ascii=False, sort_keys=True)


def _numbers(seeds: Seeds) -> dict[str, int]:
    """The number of each category by name and, in a tree, by path; a name that occurs twice needs its path."""
    counts = Counter(map(normalized_name, seeds.names))
    by_name = {key: number for number, key in enumerate(map(normalized_name, seeds.names)) if counts[key] == 1}
    by_path = {normalized_name(label): number for number, label in enumerate(seeds.labels)}
    return by_path | by_name


def _warn_of_unknown(unknown: Counter[str], n_used: int) -> None:
    shown = ", ".join(map(repr, sorted(unknown)[:3])) + (", ..." if len(unknown) > 3 else "")
    number = unknown.total()
    about = "is about a category that is" if number == 1 else "are about categories that are"
    sentence = f"{quantity(number, 'judgement')} {about} not among the names: {shown}"
    if not n_used:
        raise JudgementError(
            f"{sentence}; correct the categories, give the names that were judged, or leave out the judgements "
            "(in Python: model.forget(model.judgements_))"
        )
    warn(f"{sentence}; {'it is' if number == 1 else 'they are'} not used")


def _in_two(terms: Mapping[Any, dict[int, bool]], seeds: Seeds) -> list[str]:
    """A term belongs to one category only: one that was accepted in several stays with the first of them."""
    told = []
    for term, answers in terms.items():
        own = [category for category, belongs in answers.items() if belongs]
        for other in own[1:]:
            del answers[other]
            told.append(
                f"{term!r} belongs to both {seeds.labels[own[0]]!r} and {seeds.labels[other]!r}, but a term has one "
                "category; the first counts"
            )
    return told


def as_judgements(given: Any) -> Judgements:
    """Judgements from a path, a `Judgement` or a dict with its fields, or any number of these."""
    if isinstance(given, Judgements):
        return given
    if given is None:
        return Judgements()
    if isinstance(given, str | Path):
        return read_judgements(Path(given))
    if isinstance(given, Judgement | Mapping):
        given = [given]
    return Judgements(tuple(each if isinstance(each, Judgement) else _from_fields(each) for each in given))


def _from_fields(value: Any) -> Judgement:
    if not isinstance(value, Mapping):
        raise JudgementError(f"a judgement is an object with `category` and `belongs`, not {reprlib.repr(value)}")
    for name in ("category", "belongs"):
        if name not in value:
            raise JudgementError(f"a judgement has no `{name}`; give {_NOUNS[name]}")
    return Judgement(**{name: value[name] for name in _FIELDS if value.get(name) is not None or name == "category"})


def read_judgements(path: Path) -> Judgements:
    """Judgements from a file; a last line that was cut off while it was being written is ignored."""
    if path.exists() and not path.is_file() and not path.is_dir():
        raise JudgementError(f"{path} is a pipe or a device, which may never reach end of file; use a regular file")
    try:
        data = path.read_bytes()
    except OSError as error:
        raise JudgementError(f"{path} cannot be opened: {error.strerror}; check its name") from error
    lines = data.removeprefix(b"\xef\xbb\xbf").split(b"\n")
    found = []
    for number, line in enumerate(lines, start=1):
        if not line.strip():
            continue
        try:
            found.append(_from_line(line))
        except JudgementError as error:
            if number == len(lines) and _is_cut_off(line):
                warn(f"{path} ends in the middle of a judgement, which is ignored")
                break
            raise JudgementError(f"line {number} of {path}: {error}") from error
    return Judgements(tuple(found))


def _from_line(line: bytes) -> Judgement:
    try:
        value = json.loads(line.decode("utf-8"))
    except (ValueError, RecursionError) as error:
        raise JudgementError(f"not valid JSON ({error}); write one object per line") from error
    return _from_fields(value)


def _is_cut_off(line: bytes) -> bool:
    """Whether a line is the beginning of an object."""
    try:
        json.loads(line.decode("utf-8", errors="ignore"))
    except (ValueError, RecursionError):
        return True
    return False


def write_judgements(path: Path, judgements: Iterable[Judgement]) -> None:
    """Write a file of judgements, replacing an earlier one as a whole."""
    write_text(path, "".join(each.to_line() for each in judgements))


def append_judgements(path: Path, judgements: Sequence[Judgement]) -> None:
    """Add judgements to the end of a file; once this returns, they survive a power failure.

    A line that an earlier program could not finish is removed; those before it stay as they are.
    """
    place = place_of_file(path)
    with writing(path):
        place.parent.mkdir(parents=True, exist_ok=True)
        with place.open("a+b") as file:
            file.seek(0)
            data = file.read()
            last = data[data.rfind(b"\n") + 1 :]
            if last.strip() and _is_cut_off(last):
                file.truncate(len(data) - len(last))
            elif last:
                file.write(b"\n")
            file.write("".join(each.to_line() for each in judgements).encode("utf-8"))
            file.flush()
            os.fsync(file.fileno())
