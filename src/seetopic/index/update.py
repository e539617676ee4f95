"""What an update takes over from the index that it changes: nothing of it is read, tokenised or encoded twice."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass, field
from itertools import accumulate
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np

from seetopic.corpus import Documents, Fingerprint, FingerprintBuilder, OnError, Pieces, fingerprint, open_documents
from seetopic.errors import CorpusError, EncoderError, IndexFailure, SettingsError
from seetopic.index.layout import key_of
from seetopic.runtime import Engine, Floats, Longs, Progress, map_array, read_json, write_json
from seetopic.settings import TextSettings
from seetopic.text import StoredTexts


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


def require_some_change(parts: Sequence[Part], kept: Sequence[Part], added: Sequence[object]) -> None:
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


Encode: TypeAlias = Callable[[list[str]], Floats]
_LETTERS = 4  # that a word has at least, mostly: shards of stored words are about as large as those of texts


def incoming(given: Any, *, text_field: str | None, on_error: OnError) -> tuple[Incoming, ...]:
    """New documents: none, one corpus as `open_documents` takes it, or a list of such that are open already."""
    if given is None:
        return ()
    if isinstance(given, list | tuple) and all(isinstance(each, Documents) for each in given):
        return tuple(map(Incoming, given))
    return (Incoming(open_documents(given, text_field=text_field, on_error=on_error)),)


def check_made_with(manifest: dict[str, Any], model: str, tokenizer: str) -> None:
    """What is the same for all parts of an index must be the same for new ones."""
    made_with = manifest["model"]
    if tokenizer != manifest["tokenizer"]:
        raise SettingsError(
            f"the index was made with the tokenizer {manifest['tokenizer']!r}, but this is {tokenizer!r}; "
            "open it in Python with the same one as `tokenizer`, and update that"
        )
    if made_with["fingerprint"] is None and model != made_with["name"]:
        raise EncoderError(
            f"the index was made with {made_with['name']!r}, but this is {model!r}; open it with the same `model`"
        )
    if manifest["document_vectors"] is not None:
        raise EncoderError(
            "the index was made with ready vectors of its documents, which it does not keep, so it cannot be updated; "
            "build it again from all documents and their vectors"
        )


# The target of an update is on record from before the new index takes its place until the caller has been told: given
# again after a kill in between, it would be an update of its own result, and remove another part.


def record_update(index: Path, before: Sequence[Part], key: str) -> None:
    """Record which parts an index has before the update that gives it this key."""
    write_json(_record(index), {"before": [asdict(part) for part in before], "key": key})


def parts_before(index: Path, key: str) -> tuple[Part, ...] | None:
    """The parts of an index before the update that gave it this key, if that update is still on record."""
    try:
        record = read_json(_record(index))
        return tuple(Part(**part) for part in record["before"]) if record["key"] == key else None
    except (OSError, ValueError, KeyError, TypeError):
        return None


def forget_update(index: Path, key: str) -> None:
    """The caller has been told of the update that gave the index this key."""
    if parts_before(index, key) is not None:
        with suppress(OSError):  # then it is told of once more
            _record(index).unlink()


def _record(index: Path) -> Path:
    return index.with_name(f".{index.name}.update.json")


@dataclass(frozen=True)
class Stored:
    """What an index holds of its documents."""

    key: str
    parts: tuple[Part, ...]
    words: tuple[str, ...]
    texts: Path  # documents as places in `words`
    text_starts: Path
    terms: tuple[str, ...]
    general: Floats  # vectors of the terms
    sampled: Longs  # documents of the sample
    sample_general: Floats  # vectors of the first of these
    sample_texts: tuple[tuple[str, ...], ...]  # of each part, what the language model may have to read one day


NOTHING = Stored(
    key="",
    parts=(),
    words=(),
    texts=Path(),
    text_starts=Path(),
    terms=(),
    general=np.empty((0, 0), np.float32),
    sampled=np.empty(0, np.int64),
    sample_general=np.empty((0, 0), np.float32),
    sample_texts=(),
)


@dataclass
class Incoming:
    """Documents on their way into an index: cut into pieces once, and read only once to know what they are."""

    documents: Documents
    _pieces: Pieces | None = field(default=None, repr=False)
    _fingerprint: Fingerprint | None = field(default=None, repr=False)

    @property
    def needs_counting(self) -> bool:
        """Whether they are to be read and counted before the reading that finds their words.

        An iterable that gives other documents each time could not be told from one that does not.
        """
        return not self.documents.notices_changes or self._fingerprint is not None

    def pieces(self, settings: TextSettings, engine: Engine) -> Pieces:
        if self._pieces is None:
            self._pieces = self.documents.pieces(settings, engine)
        return self._pieces

    def fingerprint(self, settings: TextSettings, engine: Engine, progress: Progress) -> Fingerprint:
        """What the documents are; they are read for it, unless they were read before."""
        if self._fingerprint is None:
            self._fingerprint = fingerprint(self.documents, self.pieces(settings, engine), engine, progress)
        return self._fingerprint

    def learn(self, read: FingerprintBuilder) -> None:
        """The documents were read by somebody who noted what they are."""
        self._fingerprint = read.finished(self.documents)


@dataclass(frozen=True)
class Update:
    """An index, the parts of it that stay, and the documents that come after them; a build updates `NOTHING`."""

    added: tuple[Incoming, ...]
    stored: Stored = NOTHING
    kept: tuple[Part, ...] = ()

    @property
    def replaces(self) -> bool:
        """Whether there is an index that the new one replaces."""
        return bool(self.stored.key)

    def texts(self, settings: TextSettings) -> Iterator[StoredTexts]:
        """The documents that stay, tokenised as they are, in shards."""
        for part, first in self._kept_from():
            starts = map_array(self.stored.text_starts)
            for low, high in _cut(starts[first : first + part.documents + 1], settings):
                yield StoredTexts(self.stored.texts, self.stored.text_starts, first + low, first + high)

    def beginnings(self) -> list[list[str]]:
        """Of each part that stays, the beginnings of documents that it has in store."""
        places = [place for place, part in enumerate(self.stored.parts) if part in self.kept]
        return [list(self.stored.sample_texts[place]) for place in places]

    def term_vectors(self, terms: list[str], encode: Encode) -> Floats:
        """Vectors of terms, of which only new ones are computed."""
        known = {term: row for row, term in enumerate(self.stored.terms)}
        return _completed(self.stored.general, [known.get(term, -1) for term in terms], terms, encode)

    def document_vectors(self, documents: Longs, texts: Sequence[str], encode: Encode) -> Floats:
        """Vectors of documents, by their numbers in the new index, of which only new ones are computed."""
        known = {number: row for row, number in enumerate(self._read_before())}
        rows = [known.get(number, -1) for number in documents.tolist()]
        return _completed(self.stored.sample_general, rows, texts, encode)

    def _read_before(self) -> list[int]:
        """The documents that have been read, by their numbers in the new index; -1 for those that go."""
        numbers = np.full(starts_of(self.stored.parts)[-1], -1, np.int64)
        for (part, before), after in zip(self._kept_from(), starts_of(self.kept), strict=False):
            numbers[before : before + part.documents] = np.arange(after, after + part.documents)
        read: list[int] = numbers[self.stored.sampled[: len(self.stored.sample_general)]].tolist()
        return read

    def _kept_from(self) -> list[tuple[Part, int]]:
        """The parts that stay, each with the number of its first document in the index as it is."""
        firsts = zip(self.stored.parts, starts_of(self.stored.parts), strict=False)
        return [(part, first) for part, first in firsts if part in self.kept]


def _cut(starts: Longs, settings: TextSettings) -> Iterator[tuple[int, int]]:
    """Ranges of documents, by number and by size."""
    low, n_documents = 0, len(starts) - 1
    while low < n_documents:
        full = int(np.searchsorted(starts, starts[low] + settings.shard_characters // _LETTERS, side="right")) - 1
        high = min(max(full, low + 1), low + settings.shard_documents, n_documents)
        yield low, high
        low = high


def _completed(known: Floats, rows: list[int], texts: Sequence[str], encode: Encode) -> Floats:
    """A vector for every text: the row of those that are known, or, where that is -1, a new one."""
    places = np.array(rows, np.int64)
    new = np.flatnonzero(places < 0)
    if len(new) == len(texts):
        return encode(list(texts))
    found: Floats = np.asarray(known[places])  # that of new ones is overwritten
    if len(new):
        made = encode([texts[place] for place in new.tolist()])
        if made.shape[1] != found.shape[1]:
            raise EncoderError(
                f"the model gives vectors of length {made.shape[1]}, but the index has vectors of length "
                f"{found.shape[1]}; update it with the model that it was built with"
            )
        found[new] = made
    return found
