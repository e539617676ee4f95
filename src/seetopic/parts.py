"""The parts of an index: documents that came together, and can be taken out together."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass, field
from itertools import accumulate
from typing import Any

from seetopic.errors import CorpusError, IndexFailure, SettingsError
from seetopic.identity import key_of


@dataclass(frozen=True)
class Part:
    """Consecutive documents of an index."""

    name: str
    sha256: str
    documents: int
    first: int  # the number that its first document was given when it came; it keeps it when parts before it go
    skipped: dict[str, int] = field(default_factory=dict)  # how many records were left out, by the reason


def parts_of(corpus: dict[str, Any]) -> tuple[Part, ...]:
    """The parts that a manifest tells of."""
    return tuple(Part(**part) for part in corpus["parts"])


def facts_of(parts: Sequence[Part]) -> dict[str, Any]:
    """What a manifest says of the documents as a whole, and of each part."""
    left_out: Counter[str] = Counter()
    for part in parts:
        left_out.update(part.skipped)
    return {
        "name": parts[0].name,
        "sha256": identity_of(parts),
        "documents": sum(part.documents for part in parts),
        "skipped": dict(sorted(left_out.items())),
        "parts": [asdict(part) for part in parts],
    }


def identity_of(parts: Sequence[Part]) -> str:
    """What tells the documents apart: their own fingerprint, or one of the parts' where there are several."""
    return parts[0].sha256 if len(parts) == 1 else key_of(*(part.sha256 for part in parts))


def next_number(parts: Sequence[Part]) -> int:
    """The number that the next document is given."""
    return parts[-1].first + parts[-1].documents if parts else 0


def starts_of(parts: Iterable[Part]) -> list[int]:
    """Which document of the index is the first of each part, and how many there are in all."""
    return [0, *accumulate(part.documents for part in parts)]


def gaps(parts: Sequence[Part]) -> list[int]:
    """The first number of every part, or nothing where none was taken out before another: sizes tell all then."""
    firsts = [part.first for part in parts]
    return [] if firsts == starts_of(parts)[:-1] else firsts


def without(parts: Sequence[Part], removed: Iterable[int | str]) -> tuple[Part, ...]:
    """The parts but some, which are given by name, or by number, counted from 1."""
    places = {_place_of(parts, each) for each in removed}
    return tuple(part for place, part in enumerate(parts) if place not in places)


def _place_of(parts: Sequence[Part], wanted: int | str) -> int:
    named = [place for place, part in enumerate(parts) if part.name == wanted]
    number = int(wanted) - 1 if str(wanted).isascii() and str(wanted).isdigit() else -1
    numbered = [number] if 0 <= number < len(parts) else []
    found = sorted({*named, *numbered})
    if len(found) == 1:
        return found[0]
    if found:
        listed = " and ".join(f"{place + 1} ({parts[place].name})" for place in found)
        raise IndexFailure(f"{wanted!r} may mean part {listed}; give the number or name that only one of them has")
    known = ", ".join(f"{place} ({part.name})" for place, part in enumerate(parts[:10], start=1))
    more = ", ..." if len(parts) > 10 else ""
    raise IndexFailure(f"the index has no part {wanted!r}; its parts are {known}{more}")


def refuse_nothing(parts: Sequence[Part], kept: Sequence[Part], added: Sequence[object]) -> None:
    """An update has something to do, and leaves something."""
    if not added and len(kept) == len(parts):
        raise SettingsError("there is nothing to update; say what to --add or --remove (in Python: add, remove)")
    if not added and not kept:
        raise SettingsError(f"all {len(parts)} parts would be removed; keep one, or add other documents")


def refuse_again(kept: Sequence[Part], added: Sequence[Part]) -> None:
    """The same documents twice are most likely a command that was given twice."""
    known = {part.sha256: part.name for part in kept}
    for part in added:
        if part.sha256 in known:
            raise CorpusError(
                f"the {part.documents:,} documents of {part.name} are in the index already, as {known[part.sha256]}; "
                "count them once more with --again (in Python: again=True)"
            )
        known[part.sha256] = part.name
