"""Documents as word ids, one shard a file: tokenised once, read by everything after."""

from __future__ import annotations

import itertools
import json
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from seetopic.arrays import Flags, Ids, Longs
from seetopic.engine import Engine
from seetopic.files import write_array, write_json
from seetopic.words import ENGLISH, Grammar, Tokenizer, cleaned

if TYPE_CHECKING:
    from scipy.sparse import csr_array

_SAMPLED_DOCUMENTS = 20_000
_SAMPLED_TOKENS = 256  # of each, from its beginning


@dataclass(frozen=True)
class Shard:
    """One shard's files in the folder of a build."""

    folder: Path
    number: int

    def path(self, kind: str) -> Path:
        return self.folder / f"{self.number:06d}.{kind}.npy"

    def words(self) -> Longs:
        """The corpus's word id at each position; -1 for rare words and for what parts words."""
        return self._placed("word_ids").astype(np.int64)

    def all_words(self) -> Ids:
        """The place in the list of all words, rare ones too, at each position; -1 for what parts words."""
        return self._placed("ranks")

    def _placed(self, places: str) -> Ids:
        found: Ids = np.load(self.folder / f"{places}.npy")[np.load(self.path("words"))][np.load(self.path("tokens"))]
        return found

    def beginnings(self, documents: Longs, n_tokens: int) -> list[Longs]:
        """`words` of the first positions of some documents; only these are read."""
        own_ids = np.load(self.path("tokens"), mmap_mode="r")
        words = np.load(self.folder / "word_ids.npy")[np.load(self.path("words"))].astype(np.int64)
        ends = self.ends()
        starts = np.concatenate([np.zeros(1, np.int64), ends])[documents]
        lasts = np.minimum(ends[documents], starts + n_tokens)
        return [words[own_ids[start:last]] for start, last in zip(starts.tolist(), lasts.tolist(), strict=True)]

    def ends(self) -> Longs:
        """The position after each document's last."""
        ends: Longs = np.load(self.path("ends"))
        return ends


@dataclass(frozen=True)
class WordTable:
    """The words that may be terms or parts of terms, by falling count."""

    words: tuple[str, ...]
    counts: Longs
    n_tokens: int  # words of all documents, rare ones included
    grammar: Grammar = ENGLISH

    @cached_property
    def may_end_a_phrase(self) -> Flags:
        return np.array([self.grammar.may_end_a_phrase(word) for word in self.words], np.bool_)

    @cached_property
    def may_join_a_phrase(self) -> Flags:
        return np.array([self.grammar.may_join_a_phrase(word) for word in self.words], np.bool_)


@dataclass(frozen=True)
class StoredTexts:
    """Consecutive documents of an index, which holds them as all their words: a shard that is tokenised already."""

    places: Path
    starts: Path
    first: int
    last: int  # exclusive

    def __len__(self) -> int:
        return self.last - self.first

    def tokens(self) -> tuple[Ids, Ids, Longs]:
        """The places of the words that occur, which of these stands at each position, and where documents end."""
        starts = np.load(self.starts, mmap_mode="r")[self.first : self.last + 1]
        found = np.load(self.places, mmap_mode="r")[starts[0] : starts[-1]]
        places, own_ids = np.unique(found, return_inverse=True)
        return places, own_ids.astype(np.int32), (starts[1:] - starts[0]).astype(np.int64)


@dataclass(frozen=True)
class _Scanned:
    number: int
    n_documents: int
    words: list[str | None] | Ids  # or their places in a list of stored words
    counts: Longs


def scan(
    engine: Engine,
    texts: Iterable[list[str] | StoredTexts],
    folder: Path,
    tokenizer: Tokenizer,
    *,
    lowercase: bool,
    min_count: int,
    stored_words: Sequence[str] = (),
) -> tuple[WordTable, list[int]]:
    """Tokenise every shard into files; gives the words, and the number of documents of each shard."""
    counts: Counter[str] = Counter()
    numbers: dict[str, int] = {}
    sizes: list[int] = []
    scan_one = partial(_scan_shard, folder=folder, tokenizer=tokenizer, lowercase=lowercase)
    for scanned in engine.map(scan_one, enumerate(texts)):
        words = _spelled(scanned.words, stored_words)
        for word, count in zip(words, scanned.counts.tolist(), strict=True):
            if word is not None:
                counts[word] += count
        own = [-1 if word is None else numbers.setdefault(word, len(numbers)) for word in words]
        write_array(Shard(folder, scanned.number).path("words"), np.array(own, np.int32))
        sizes.append(scanned.n_documents)
    # Ordered by count, then by spelling: independent of the order in which shards met the words.
    ordered = sorted(counts, key=lambda word: (-counts[word], word))
    write_json(folder / "words.json", ordered)
    write_array(folder / "word_counts.npy", np.array([counts[word] for word in ordered], np.int64))
    write_array(folder / "ranks.npy", _places(ordered, numbers))
    return _word_table(ordered, counts, numbers, folder, min_count), sizes


def all_words(folder: Path) -> Iterator[tuple[str, int]]:
    """Every word that `scan` found, rare ones too, with its count."""
    words = json.loads((folder / "words.json").read_text(encoding="utf-8"))
    yield from zip(words, np.load(folder / "word_counts.npy").tolist(), strict=True)


def sampled_counts(shards: Sequence[Shard], sizes: Sequence[int], n_words: int) -> csr_array:
    """How often the words stand in evenly spread documents; (n_sampled, n_words)."""
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
    # A rare `breast_cancer` is kept too: it counts with the "breast cancer" that is found in the text.
    kept = [word for word in ordered if counts[word] >= min_count or " " in word]
    write_array(folder / "word_ids.npy", _places(kept, numbers))
    return WordTable(
        tuple(kept),
        np.array([counts[word] for word in kept], np.int64),
        counts.total(),
    )


def _places(words: list[str], numbers: dict[str, int]) -> Ids:
    """The place of each numbered word in the list, or -1."""
    places = np.full(len(numbers) + 1, -1, np.int32)  # the last entry serves number -1
    places[[numbers[word] for word in words]] = np.arange(len(words), dtype=np.int32)
    return places


def _spelled(words: list[str | None] | Ids, stored_words: Sequence[str]) -> list[str | None]:
    if isinstance(words, list):
        return words
    return [stored_words[place] if place >= 0 else None for place in words.tolist()]


def _scan_shard(
    numbered: tuple[int, list[str] | StoredTexts], folder: Path, tokenizer: Tokenizer, lowercase: bool
) -> _Scanned:
    number, texts = numbered
    words: list[str | None] | Ids
    if isinstance(texts, StoredTexts):
        words, own_ids, ends = texts.tokens()
    else:
        words, own_ids, ends = _tokenised(texts, tokenizer, lowercase)
    shard = Shard(folder, number)
    write_array(shard.path("tokens"), own_ids)
    write_array(shard.path("ends"), ends)
    return _Scanned(number, len(texts), words, np.bincount(own_ids, minlength=len(words)).astype(np.int64))


def _tokenised(texts: list[str], tokenizer: Tokenizer, lowercase: bool) -> tuple[list[str | None], Ids, Longs]:
    """The words that occur, which of these stands at each position, and where documents end."""
    own_number: defaultdict[str, int] = defaultdict(itertools.count().__next__)  # by first occurrence
    parting = own_number[""]  # the empty token parts documents
    tokens: list[int] = []
    ends: list[int] = []
    for text in texts:
        tokens += map(own_number.__getitem__, tokenizer(text.lower() if lowercase else text))
        tokens.append(parting)
        ends.append(len(tokens))
    words = [cleaned(token) or None for token in own_number]
    return words, np.array(tokens, np.int32), np.array(ends, np.int64)
