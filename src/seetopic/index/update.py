"""What an update reuses from the existing index, so that nothing is read, tokenised or encoded twice."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass, field
from itertools import accumulate
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np

from seetopic.corpus import (
    Documents,
    Fingerprint,
    FingerprintBuilder,
    Keep,
    OnError,
    Pieces,
    fingerprint,
    open_documents,
)
from seetopic.errors import CorpusError, EncoderError, IndexFailure, SettingsError
from seetopic.index.columns import Columns
from seetopic.index.layout import key_of
from seetopic.runtime import Engine, Floats, Longs, Progress, map_array, read_json, write_json
from seetopic.settings import TextSettings
from seetopic.text import StoredTexts


@dataclass(frozen=True)
class Part:
    """Consecutive documents of an index that were added together."""

    name: str
    sha256: str
    documents: int
    first: int  # number of its first document when it was added, which distinguishes equal parts
    skipped: dict[str, int] = field(default_factory=dict)  # number of skipped records by reason


def parts_of(corpus: dict[str, Any]) -> tuple[Part, ...]:
    """The parts listed in a manifest."""
    return tuple(Part(**part) for part in corpus["parts"])


def facts_of(parts: Sequence[Part]) -> dict[str, Any]:
    """What a manifest records about all documents and about each part."""
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
    """Identifies the documents: the fingerprint of the only part, or a hash of those of several."""
    return parts[0].sha256 if len(parts) == 1 else key_of(*(part.sha256 for part in parts))


def next_number(parts: Sequence[Part]) -> int:
    """The number that the next document gets."""
    return parts[-1].first + parts[-1].documents if parts else 0


def starts_of(parts: Iterable[Part]) -> list[int]:
    """The position of each part's first document in the index, followed by the number of all documents."""
    return [0, *accumulate(part.documents for part in parts)]


def without(parts: Sequence[Part], removed: Iterable[int | str]) -> tuple[Part, ...]:
    """The parts without the removed ones, which are given by name or by number, counted from 1."""
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
        listed = " or ".join(f"{place + 1} ({parts[place].name})" for place in found)
        raise IndexFailure(f"{wanted!r} could be part {listed}; give a number or name that only one of them has")
    known = ", ".join(f"{place} ({part.name})" for place, part in enumerate(parts[:10], start=1))
    more = ", ..." if len(parts) > 10 else ""
    raise IndexFailure(f"the index has no part {wanted!r}; its parts are {known}{more}")


def require_some_change(parts: Sequence[Part], kept: Sequence[Part], added: Sequence[object]) -> None:
    """Refuse an update that changes nothing, or leaves nothing."""
    if not added and len(kept) == len(parts):
        raise SettingsError("there is nothing to update; specify what to --add or --remove (in Python: add, remove)")
    if not added and not kept:
        raise SettingsError("no part would be left; keep one, or add other documents")


def refuse_again(kept: Sequence[Part], added: Sequence[Part]) -> None:
    """Refuse documents that are already in the index: most likely, the same command was run twice."""
    known = {part.sha256: part.name for part in kept}
    for part in added:
        if part.sha256 in known:
            raise CorpusError(
                f"the {part.documents:,} documents of {part.name!r} are already in the index, "
                f"as {known[part.sha256]!r}; add them once more with --again (in Python: again=True)"
            )
        known[part.sha256] = part.name


Encode: TypeAlias = Callable[[list[str]], Floats]
_LETTERS = 4  # minimum length of most words, so that shards of stored words are about as large as those of texts


def incoming(given: Any, *, text_field: str | None, on_error: OnError, keep: Keep = ()) -> tuple[Incoming, ...]:
    """New documents, with columns to keep: none, one corpus as `open_documents` takes it, or a list of open ones."""
    if given is None:
        return ()
    if isinstance(given, list | tuple) and all(isinstance(each, Documents) for each in given):
        return tuple(Incoming(open_documents(each, keep=keep)) for each in given)
    return (Incoming(open_documents(given, text_field=text_field, on_error=on_error, keep=keep)),)


def check_made_with(
    manifest: dict[str, Any], models: dict[str, str], tokenizer: str, has_document_vectors: bool
) -> None:
    """Refuse a model, tokenizer or kind of document vectors that differs from the index's; `models` are names."""
    if tokenizer != manifest["tokenizer"]:
        raise SettingsError(
            f"the index was built with the tokenizer {manifest['tokenizer']!r}, but the current one is "
            f"{tokenizer!r}; open the index in Python, passing the original tokenizer as `tokenizer`, then update it"
        )
    for kind, name in models.items():
        made_with = manifest[kind]
        if made_with["fingerprint"] is None and name != made_with["name"]:
            raise EncoderError(
                f"the index was built with the {kind} {made_with['name']!r}, but the current one is {name!r}; "
                f"open it with the same `{'embedding_model' if kind == 'model' else kind}`"
            )
    if manifest["document_vectors"] is not None and not has_document_vectors:
        raise EncoderError(
            "the index was built with precomputed document vectors, which it does not keep; "
            "pass those of all documents, old and new, as `document_vectors` to Index.update"
        )
    if manifest["document_vectors"] is None and has_document_vectors:
        raise EncoderError(
            "the index was built without precomputed document vectors; "
            "update it without `document_vectors`, or build it again with vectors of all documents"
        )


# An update is recorded from before the new index replaces the old one until the caller has been told. Repeated after a
# kill in between, it would otherwise update its own result, and remove another part.


def record_update(index: Path, before: Sequence[Part], key: str) -> None:
    """Record the parts of an index before the update that gives it this key."""
    write_json(_record(index), {"before": [asdict(part) for part in before], "key": key})


def parts_before(index: Path, key: str) -> tuple[Part, ...] | None:
    """The parts of an index before the update that gave it this key, if that update is still recorded."""
    try:
        record = read_json(_record(index))
        return tuple(Part(**part) for part in record["before"]) if record["key"] == key else None
    except (OSError, ValueError, KeyError, TypeError):
        return None


def forget_update(index: Path, key: str) -> None:
    """Delete the record of the update that gave the index this key, once the caller has been told."""
    if parts_before(index, key) is not None:
        with suppress(OSError):  # at worst it is reported once more
            _record(index).unlink()


def _record(index: Path) -> Path:
    return index.with_name(f".{index.name}.update.json")


@dataclass(frozen=True)
class Stored:
    """What an index stores about its documents."""

    key: str
    parts: tuple[Part, ...]
    words: tuple[str, ...]
    texts: Path  # documents as indices into `words`
    text_starts: Path
    terms: tuple[str, ...]
    general: Floats  # vectors of the terms
    sampled: Longs  # documents of the sample
    sample_general: Floats  # vectors of the first of them
    sample_texts: tuple[tuple[str, ...], ...]  # for each part, what the language model may have to read later
    columns: Columns = Columns()  # noqa: RUF009 - frozen


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
    """Documents to add to an index: split into pieces once, and read only once for their fingerprint."""

    documents: Documents
    _pieces: Pieces | None = field(default=None, repr=False)
    _fingerprint: Fingerprint | None = field(default=None, repr=False)

    @property
    def needs_counting(self) -> bool:
        """Whether they must be read and counted before the pass that finds their words.

        Otherwise an iterable that yields different documents each time would not be noticed.
        """
        return not self.documents.notices_changes or self._fingerprint is not None

    def pieces(self, settings: TextSettings, engine: Engine) -> Pieces:
        if self._pieces is None:
            self._pieces = self.documents.pieces(settings, engine)
        return self._pieces

    def fingerprint(self, settings: TextSettings, engine: Engine, progress: Progress) -> Fingerprint:
        """The fingerprint of the documents, which are read for it unless it is already known."""
        if self._fingerprint is None:
            self._fingerprint = fingerprint(self.documents, self.pieces(settings, engine), engine, progress)
        return self._fingerprint

    def learn(self, read: FingerprintBuilder) -> None:
        """Take over a fingerprint that was computed while the documents were read."""
        self._fingerprint = read.finished(self.documents)


@dataclass(frozen=True)
class Update:
    """An index, the parts of it to keep, and the documents to add after them; a build updates `NOTHING`."""

    added: tuple[Incoming, ...]
    stored: Stored = NOTHING
    kept: tuple[Part, ...] = ()

    @property
    def replaces(self) -> bool:
        """Whether there is an index that the new one replaces."""
        return bool(self.stored.key)

    @property
    def keep(self) -> Keep:
        """The columns of the new index; an update keeps those of the existing one."""
        return self.stored.columns.names if self.replaces else self.added[0].documents.keep

    def stored_columns(self) -> list[tuple[Columns, int, int]]:
        """The columns of the documents to keep, as ranges of the existing ones."""
        return [(self.stored.columns, first, first + part.documents) for part, first in self._kept_from()]

    def texts(self, settings: TextSettings) -> Iterator[StoredTexts]:
        """The documents to keep, already tokenised, in shards."""
        for part, first in self._kept_from():
            starts = map_array(self.stored.text_starts)
            for low, high in _cut(starts[first : first + part.documents + 1], settings):
                yield StoredTexts(self.stored.texts, self.stored.text_starts, first + low, first + high)

    def beginnings(self) -> list[list[str]]:
        """For each part to keep, the stored beginnings of its documents."""
        places = [place for place, part in enumerate(self.stored.parts) if part in self.kept]
        return [list(self.stored.sample_texts[place]) for place in places]

    def term_vectors(self, terms: list[str], encode: Encode) -> Floats:
        """Vectors of terms; only those of new terms are computed."""
        known = {term: row for row, term in enumerate(self.stored.terms)}
        return _completed(self.stored.general, [known.get(term, -1) for term in terms], terms, encode)

    def document_vectors(self, documents: Longs, texts: Sequence[str], encode: Encode) -> Floats:
        """Vectors of documents, by their numbers in the new index; only those of new documents are computed."""
        known = {number: row for row, number in enumerate(self._read_before())}
        rows = [known.get(number, -1) for number in documents.tolist()]
        return _completed(self.stored.sample_general, rows, texts, encode)

    def _read_before(self) -> list[int]:
        """The documents that have been read, by their numbers in the new index; -1 for removed ones."""
        numbers = np.full(starts_of(self.stored.parts)[-1], -1, np.int64)
        for (part, before), after in zip(self._kept_from(), starts_of(self.kept), strict=False):
            numbers[before : before + part.documents] = np.arange(after, after + part.documents)
        read: list[int] = numbers[self.stored.sampled[: len(self.stored.sample_general)]].tolist()
        return read

    def _kept_from(self) -> list[tuple[Part, int]]:
        """The parts to keep, each with the number of its first document in the existing index."""
        firsts = zip(self.stored.parts, starts_of(self.stored.parts), strict=False)
        return [(part, first) for part, first in firsts if part in self.kept]


def _cut(starts: Longs, settings: TextSettings) -> Iterator[tuple[int, int]]:
    """Ranges of documents, limited in number and size."""
    low, n_documents = 0, len(starts) - 1
    while low < n_documents:
        full = int(np.searchsorted(starts, starts[low] + settings.shard_characters // _LETTERS, side="right")) - 1
        high = min(max(full, low + 1), low + settings.shard_documents, n_documents)
        yield low, high
        low = high


def _completed(known: Floats, rows: list[int], texts: Sequence[str], encode: Encode) -> Floats:
    """A vector for every text: the known one in its row, or a new one if the row is -1."""
    places = np.array(rows, np.int64)
    new = np.flatnonzero(places < 0)
    if len(new) == len(texts):
        return encode(list(texts))
    found: Floats = np.asarray(known[places])  # rows of new texts are overwritten below
    if len(new):
        made = encode([texts[place] for place in new.tolist()])
        if made.shape[1] != found.shape[1]:
            raise EncoderError(
                f"the model returns vectors of length {made.shape[1]}, but the index has vectors of length "
                f"{found.shape[1]}; update it with the model it was built with"
            )
        found[new] = made
    return found
