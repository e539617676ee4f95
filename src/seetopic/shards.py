"""Documents as word ids, one shard a file: tokenised once, read by everything after."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property, partial
from pathlib import Path

import numpy as np

from seetopic.arrays import Flags, Ids, Longs
from seetopic.engine import Engine
from seetopic.files import write_array
from seetopic.words import Tokenizer, cleaned, may_end_a_phrase, may_join_a_phrase


@dataclass(frozen=True)
class Shard:
    """One shard's files in the folder of a build."""

    folder: Path
    number: int

    def path(self, kind: str) -> Path:
        return self.folder / f"{self.number:06d}.{kind}.npy"

    def words(self) -> Longs:
        """The corpus's word id at each position; -1 for rare words and for what parts words."""
        own_ids = np.load(self.path("tokens"))
        word_ids = np.load(self.folder / "word_ids.npy")
        found: Longs = word_ids[np.load(self.path("words"))[own_ids]].astype(np.int64)
        return found

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

    @cached_property
    def may_end_a_phrase(self) -> Flags:
        return np.array([may_end_a_phrase(word) for word in self.words], np.bool_)

    @cached_property
    def may_join_a_phrase(self) -> Flags:
        return np.array([may_join_a_phrase(word) for word in self.words], np.bool_)


@dataclass(frozen=True)
class _Scanned:
    number: int
    n_documents: int
    words: list[str | None]
    counts: Longs


def scan(
    engine: Engine, texts: Iterable[list[str]], folder: Path, tokenizer: Tokenizer, *, lowercase: bool, min_count: int
) -> tuple[WordTable, list[int]]:
    """Tokenise every shard into files; gives the words, and the number of documents of each shard."""
    counts: Counter[str] = Counter()
    numbers: dict[str, int] = {}
    sizes: list[int] = []
    scan_one = partial(_scan_shard, folder=folder, tokenizer=tokenizer, lowercase=lowercase)
    for scanned in engine.map(scan_one, enumerate(texts)):
        for word, count in zip(scanned.words, scanned.counts.tolist(), strict=True):
            if word is not None:
                counts[word] += count
        own = [-1 if word is None else numbers.setdefault(word, len(numbers)) for word in scanned.words]
        write_array(Shard(folder, scanned.number).path("words"), np.array(own, np.int32))
        sizes.append(scanned.n_documents)
    return _word_table(counts, numbers, folder, min_count), sizes


def _word_table(counts: Counter[str], numbers: dict[str, int], folder: Path, min_count: int) -> WordTable:
    # A rare `breast_cancer` is kept too: it counts with the "breast cancer" that is found in the text.
    often_enough = (word for word, count in counts.items() if count >= min_count or " " in word)
    # Ordered by count, then by spelling: independent of the order in which shards met the words.
    kept = sorted(often_enough, key=lambda word: (-counts[word], word))
    word_ids = np.full(len(numbers) + 1, -1, np.int32)  # the last entry serves number -1
    word_ids[[numbers[word] for word in kept]] = np.arange(len(kept), dtype=np.int32)
    write_array(folder / "word_ids.npy", word_ids)
    return WordTable(
        tuple(kept),
        np.array([counts[word] for word in kept], np.int64),
        counts.total(),
    )


def _scan_shard(numbered: tuple[int, list[str]], folder: Path, tokenizer: Tokenizer, lowercase: bool) -> _Scanned:
    number, texts = numbered
    own_number: dict[str, int] = {"": 0}  # the empty token parts documents
    tokens: list[int] = []
    ends: list[int] = []
    for text in texts:
        found = tokenizer(text.lower() if lowercase else text)
        tokens += [own_number.setdefault(token, len(own_number)) for token in found]
        tokens.append(0)
        ends.append(len(tokens))
    own_ids: Ids = np.array(tokens, np.int32)
    shard = Shard(folder, number)
    write_array(shard.path("tokens"), own_ids)
    write_array(shard.path("ends"), np.array(ends, np.int64))
    words = [cleaned(token) or None for token in own_number]
    return _Scanned(number, len(texts), words, np.bincount(own_ids, minlength=len(words)).astype(np.int64))
