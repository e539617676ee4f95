"""Documents as word ids, stored shard by shard: tokenised once, and read by all later stages."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from seetopic.corpus import FingerprintBuilder, Piece, TextShard, text_digest
from seetopic.errors import IndexFailure
from seetopic.runtime import Engine, Flags, Ids, Longs, load_array, map_array, write_array, write_json, writing
from seetopic.settings import LONGEST_PHRASE
from seetopic.text.tokenizer import ENGLISH, Grammar, Tokenizer, cleaned, token_numbers

if TYPE_CHECKING:
    from scipy.sparse import csr_array

_SAMPLED_DOCUMENTS = 20_000
_SAMPLED_TOKENS = 256  # of each, from its beginning


def _nobody(n_documents: int) -> None:
    """The default: nothing is reported."""


@dataclass(frozen=True)
class Shard:
    """One shard's files in the folder of a build."""

    folder: Path
    number: int

    def path(self, kind: str) -> Path:
        return self.folder / f"{self.number:06d}.{kind}.npy"

    def tidy(self) -> None:
        """Keep only what was read from documents; everything else can be recomputed."""
        for kind in ("codes", "code_ends", *(f"runs_of_{length}" for length in range(2, LONGEST_PHRASE + 1))):
            self.path(kind).unlink(missing_ok=True)

    def words(self) -> Longs:
        """The corpus's word id at each position; -1 for rare words and separators."""
        return self._placed("word_ids").astype(np.int64)

    def all_words(self) -> Ids:
        """The position in the list of all words, including rare ones, of each word; -1 for separators."""
        return self._placed("ranks")

    def _placed(self, places: str) -> Ids:
        found: Ids = _read(self.folder / f"{places}.npy")[_read(self.path("words"))][_read(self.path("tokens"))]
        return found

    def beginnings(self, documents: Longs, n_tokens: int) -> list[Longs]:
        """`words` at the first positions of some documents; no others are read."""
        own_ids = _read(self.path("tokens"), "r")
        words = _read(self.folder / "word_ids.npy")[_read(self.path("words"))].astype(np.int64)
        ends = self.ends()
        starts = np.concatenate([np.zeros(1, np.int64), ends])[documents]
        lasts = np.minimum(ends[documents], starts + n_tokens)
        return [words[own_ids[start:last]] for start, last in zip(starts.tolist(), lasts.tolist(), strict=True)]

    def ends(self) -> Longs:
        """One past the last position of each document."""
        ends: Longs = _read(self.path("ends"))
        return ends


def _read(path: Path, mapped: Literal["r"] | None = None) -> Any:
    """Read an array of the build; the error names the file."""
    try:
        return map_array(path) if mapped else load_array(path)
    except (OSError, ValueError, EOFError) as error:
        raise IndexFailure(
            f"the shard file {path} cannot be read ({' '.join(str(error).split())[:200]}); "
            f"remove {path.parents[2]} and build again"
        ) from error


@dataclass(frozen=True)
class WordTable:
    """The words that may be terms or parts of terms, in descending order of count."""

    words: tuple[str, ...]
    counts: Longs
    n_tokens: int  # words in all documents, including rare ones
    grammar: Grammar = ENGLISH

    @cached_property
    def may_end_a_phrase(self) -> Flags:
        return np.array([self.grammar.may_end_a_phrase(word) for word in self.words], np.bool_)

    @cached_property
    def may_join_a_phrase(self) -> Flags:
        return np.array([self.grammar.may_join_a_phrase(word) for word in self.words], np.bool_)


@dataclass(frozen=True)
class StoredTexts:
    """Consecutive documents of an index, which stores all their words: a shard that is already tokenised."""

    places: Path
    starts: Path
    first: int
    last: int  # exclusive

    def __len__(self) -> int:
        return self.last - self.first

    def tokens(self) -> tuple[Ids, Ids, Longs]:
        """The distinct words (positions in the list of words), which of them is at each position, and document ends."""
        starts = map_array(self.starts)[self.first : self.last + 1]
        found = map_array(self.places)[starts[0] : starts[-1]]
        places, own_ids = np.unique(found, return_inverse=True)
        return places, own_ids.astype(np.int32), (starts[1:] - starts[0]).astype(np.int64)


@dataclass(frozen=True)
class _Scanned:
    """What a worker found in a piece."""

    words: list[str] | Ids  # or their positions in a list of stored words
    counts: Longs  # of each word
    own_words: list[Ids]  # of each shard: the position in `words` of each of its own numbers; -1 for separators
    sizes: list[int]  # number of documents in each shard
    skipped: Counter[str]
    labels: list[tuple[str, ...]]
    digests: list[bytes] = field(default_factory=list)  # of each text, if they are asked for


def scan(
    engine: Engine,
    texts: Iterable[Piece | StoredTexts | list[str]],
    folder: Path,
    tokenizer: Tokenizer,
    *,
    lowercase: bool,
    min_count: int,
    stored_words: Sequence[str] = (),
    skipped: Counter[str] | None = None,
    labels: list[tuple[str, ...]] | None = None,
    fingerprint: FingerprintBuilder | None = None,
    told: Callable[[int], None] = _nobody,
) -> tuple[WordTable, list[int]]:
    """Tokenise pieces of a corpus into shard files; return the words, and the number of documents in each shard.

    `stored_words` are the words of stored texts; they are not sent to workers: this process looks up what they found.
    `fingerprint` adds up what is read, so that the documents need not be read again to identify them.
    `skipped` and `labels` are filled as by `Documents.texts`; `told` is called with the number of documents done.
    """
    found = np.zeros(0, np.int64)  # how often each numbered word occurs
    numbers: dict[str, int] = {}
    sizes: list[int] = []
    hashed = fingerprint is not None
    scan_one = partial(_scan_piece, folder=folder, tokenizer=tokenizer, lowercase=lowercase, hashed=hashed)
    for number, scanned in enumerate(engine.map(scan_one, enumerate(texts))):
        words = _spelled(scanned.words, stored_words)
        places = np.array([*(numbers.setdefault(word, len(numbers)) for word in words), -1], np.int32)
        found = np.concatenate([found, np.zeros(len(numbers) - len(found), np.int64)])
        found[places[:-1]] += scanned.counts  # a piece lists each word once
        for own_number, (own, size) in enumerate(zip(scanned.own_words, scanned.sizes, strict=True)):
            shard = Shard(folder, len(sizes))
            _rename(_of_piece(folder, number, own_number), shard)
            write_array(shard.path("words"), places[own])
            sizes.append(size)
        if skipped is not None:
            skipped.update(scanned.skipped)
        if labels is not None:
            labels += scanned.labels
        if fingerprint is not None:
            fingerprint.add(b"".join(scanned.digests), scanned.skipped)
        told(sum(sizes))
    counts = Counter(dict(zip(numbers, found.tolist(), strict=True)))
    # Ordered by count, then by spelling: independent of the order in which shards found the words.
    ordered = sorted(counts, key=lambda word: (-counts[word], word))
    write_json(folder / "words.json", ordered)
    write_array(folder / "word_counts.npy", np.array([counts[word] for word in ordered], np.int64))
    write_array(folder / "ranks.npy", _places(ordered, numbers))
    return _word_table(ordered, counts, numbers, folder, min_count), sizes


def all_words(folder: Path) -> Iterator[tuple[str, int]]:
    """Every word that `scan` found, including rare ones, with its count."""
    words = json.loads((folder / "words.json").read_text(encoding="utf-8"))
    yield from zip(words, load_array(folder / "word_counts.npy").tolist(), strict=True)


def sampled_counts(shards: Sequence[Shard], sizes: Sequence[int], n_words: int) -> csr_array:
    """How often the words occur in evenly spaced documents; (n_sampled, n_words)."""
    from scipy.sparse import csr_array

    step = -(-sum(sizes) // _SAMPLED_DOCUMENTS)
    parts: list[Longs] = []
    first = 0  # number of the shard's first document
    for shard, size in zip(shards, sizes, strict=True):
        parts += shard.beginnings(np.arange(-first % step, size, step), _SAMPLED_TOKENS)
        first += size
    known = [part[part >= 0] for part in parts]
    columns = np.concatenate([np.empty(0, np.int64), *known])
    starts = np.concatenate([np.zeros(1, np.int64), np.cumsum([len(part) for part in known])])
    return csr_array((np.ones(len(columns), np.float32), columns, starts), shape=(len(known), n_words))


def _word_table(
    ordered: list[str], counts: Counter[str], numbers: dict[str, int], folder: Path, min_count: int
) -> WordTable:
    # A rare `breast_cancer` is kept too: it is counted together with the phrase "breast cancer".
    kept = [word for word in ordered if counts[word] >= min_count or " " in word]
    write_array(folder / "word_ids.npy", _places(kept, numbers))
    return WordTable(
        tuple(kept),
        np.array([counts[word] for word in kept], np.int64),
        counts.total(),
    )


def _places(words: list[str], numbers: dict[str, int]) -> Ids:
    """The position of each numbered word in the list, or -1."""
    places = np.full(len(numbers) + 1, -1, np.int32)  # number -1 indexes the last entry
    places[[numbers[word] for word in words]] = np.arange(len(words), dtype=np.int32)
    return places


def _spelled(words: list[str] | Ids, stored_words: Sequence[str]) -> list[str]:
    return words if isinstance(words, list) else [stored_words[place] for place in words.tolist()]


def _of_piece(folder: Path, piece: int, own_number: int) -> Shard:
    """A shard whose number is not known yet, because earlier pieces may have any number of shards."""
    return Shard(folder / f"piece-{piece:06d}", own_number)


def _rename(before: Shard, after: Shard) -> None:
    for kind in ("tokens", "ends"):
        with writing(after.path(kind)):
            before.path(kind).replace(after.path(kind))
    with suppress(OSError):  # it is not empty yet
        before.folder.rmdir()


def _scan_piece(
    numbered: tuple[int, Piece | StoredTexts | list[str]],
    folder: Path,
    tokenizer: Tokenizer,
    lowercase: bool,
    hashed: bool,
) -> _Scanned:
    number, piece = numbered
    if isinstance(piece, StoredTexts):
        return _scan_stored(piece, _of_piece(folder, number, 0))
    places = _Places()
    counts: list[Longs] = []
    scanned = _Scanned([], np.empty(0, np.int64), [], [], Counter(), [])
    for shard in [TextShard(piece)] if isinstance(piece, list) else piece.shards():
        scanned.skipped.update(shard.skipped)
        if not shard.texts:
            continue
        scanned.labels.extend(shard.labels or [()] * len(shard.texts))
        files = _of_piece(folder, number, len(scanned.sizes))
        tokens, own_counts = _write_shard(files, shard.texts, tokenizer, lowercase)
        scanned.own_words.append(np.array([places[token] for token in tokens], np.int32))
        scanned.sizes.append(len(shard.texts))
        if hashed:
            scanned.digests.extend(map(text_digest, shard.texts))
        counts.append(own_counts)
    total = np.zeros(len(places.words) + 1, np.int64)  # the last entry is for separators
    for own, own_counts in zip(scanned.own_words, counts, strict=True):
        np.add.at(total, own, own_counts)
    return replace(scanned, words=list(places.words), counts=total[:-1])


def _scan_stored(texts: StoredTexts, shard: Shard) -> _Scanned:
    places, own_ids, ends = texts.tokens()
    _write_tokens(shard, own_ids, ends)
    n_parting = int(np.count_nonzero(places < 0))  # -1, the separator, comes first if it occurs
    own_words = np.arange(len(places), dtype=np.int32) - np.int32(n_parting)
    counts = np.bincount(own_ids, minlength=len(places)).astype(np.int64)
    return _Scanned(places[n_parting:], counts[n_parting:], [own_words], [len(texts)], Counter(), [()] * len(texts))


class _Places(dict[str, int]):
    """The position of a token's word among a piece's words; each token is cleaned once."""

    def __init__(self) -> None:
        super().__init__()
        self.words: dict[str, int] = {}

    def __missing__(self, token: str) -> int:
        word = cleaned(token)
        place = self[token] = self.words.setdefault(word, len(self.words)) if word else -1
        return place


def _write_shard(shard: Shard, texts: list[str], tokenizer: Tokenizer, lowercase: bool) -> tuple[Iterable[str], Longs]:
    """Write its files; return its tokens in the order of their numbers, and how often each occurs."""
    numbers, tokens, ends = token_numbers(tokenizer(text.lower() if lowercase else text) for text in texts)
    own_ids: Ids = np.array(tokens, np.int32)
    _write_tokens(shard, own_ids, np.array(ends, np.int64))
    return numbers, np.bincount(own_ids, minlength=len(numbers)).astype(np.int64)


def _write_tokens(shard: Shard, own_ids: Ids, ends: Longs) -> None:
    write_array(shard.path("tokens"), own_ids)
    write_array(shard.path("ends"), ends)
