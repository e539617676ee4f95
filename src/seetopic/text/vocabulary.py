"""Terms and their ids, and every document as an array of term ids on disk."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from pathlib import Path

import numpy as np

from seetopic.runtime import (
    Engine,
    Ids,
    Longs,
    Tally,
    load_array,
    sum_of,
    summed,
    tally,
    write_array,
    write_arrays_in_parts,
)
from seetopic.text.phrases import PhraseTable, cut, kept_runs
from seetopic.text.shards import Shard, WordTable
from seetopic.text.tokenizer import Grammar


@dataclass(frozen=True)
class Vocabulary:
    """Terms in descending order of count; a term's id is its position."""

    terms: tuple[str, ...]
    counts: Longs

    def __len__(self) -> int:
        return len(self.terms)

    @cached_property
    def ids(self) -> dict[str, int]:
        return {term: number for number, term in enumerate(self.terms)}


def segment_shards(engine: Engine, shards: Sequence[Shard], table: PhraseTable) -> Iterator[Tally]:
    """Write each shard as codes of words and phrases; yield how often each code occurs.

    The table must be the last one mined from these shards, which store where its runs occur.
    """
    return engine.map(partial(_segment_shard, table=table), shards)


def _segment_shard(shard: Shard, table: PhraseTable) -> Tally:
    runs = (kept_runs(shard, length) for length in range(2, len(table.quality) + 2))
    codes, starts = cut(shard.words(), table, runs)
    kept = codes[starts]
    write_array(shard.path("codes"), kept.astype(np.int32), lasting=False)
    write_array(shard.path("code_ends"), np.cumsum(starts)[shard.ends() - 1], lasting=False)
    return tally(kept)


def vocabulary_of(
    parts: Iterator[Tally], words: WordTable, table: PhraseTable, min_count: int, stop_words: Collection[str] = ()
) -> tuple[Vocabulary, Ids]:
    """The vocabulary, and the term id of each code (-1: none)."""
    stopped = frozenset(stop_words)
    counted = summed(parts)
    spelled: list[str] = list(words.words)
    spelled += [" ".join(words.words[word] for word in phrase) for phrase in table.phrases()]
    counts: dict[str, int] = {}
    # "breast_cancer" in the text and the phrase "breast cancer" are one term.
    for code, count in zip(counted.keys.tolist(), counted.counts.tolist(), strict=True):
        counts[spelled[code]] = counts.get(spelled[code], 0) + count
    fit = [
        term
        for term, count in counts.items()
        if count >= min_count and term.lower() not in stopped and _is_fit(term, words.grammar)
    ]
    fit.sort(key=lambda term: (-counts[term], term))
    vocabulary = Vocabulary(tuple(fit), np.array([counts[term] for term in fit], np.int64))
    term_ids = np.array([vocabulary.ids.get(term, -1) for term in spelled], np.int32)
    return vocabulary, term_ids


def without_frequent(
    engine: Engine, shards: Sequence[Shard], vocabulary: Vocabulary, term_ids: Ids, most: float
) -> tuple[Vocabulary, Ids]:
    """The same without terms that occur in more documents than `most`."""
    count = partial(_document_counts, term_ids=term_ids, n_terms=len(vocabulary))
    few = np.flatnonzero(sum_of(engine, count, shards, np.zeros(len(vocabulary), np.int64)) <= most)
    new_ids = np.full(len(vocabulary) + 1, -1, np.int32)  # id -1 indexes the last entry
    new_ids[few] = np.arange(len(few), dtype=np.int32)
    kept = Vocabulary(tuple(vocabulary.terms[term] for term in few.tolist()), vocabulary.counts[few])
    return kept, new_ids[term_ids]


def _document_counts(shard: Shard, term_ids: Ids, n_terms: int) -> Longs:
    """In how many documents of a shard each term occurs."""
    terms = term_ids[load_array(shard.path("codes"))]
    lengths = np.diff(load_array(shard.path("code_ends")), prepend=0)
    documents = np.repeat(np.arange(len(lengths)), lengths)
    known = terms >= 0
    pairs = np.unique(documents[known] * n_terms + terms[known])
    return np.bincount(pairs % n_terms, minlength=n_terms).astype(np.int64)


def _is_fit(term: str, grammar: Grammar) -> bool:
    words = term.split(" ")
    if len(words) == 1:
        return grammar.may_be_a_term(term)
    return grammar.may_begin_a_phrase(words[0]) and grammar.may_end_a_phrase(words[-1])


def write_documents(shards: Sequence[Shard], term_ids: Ids, documents: Path, starts: Path) -> None:
    """Write all documents as concatenated term ids, and where each starts."""
    lengths = np.concatenate([_document_lengths(shard, term_ids) for shard in shards])
    parts = ([ids[ids >= 0]] for ids in (term_ids[load_array(shard.path("codes"))] for shard in shards))
    write_arrays_in_parts([documents], np.dtype(np.int32), (int(lengths.sum()),), parts)
    write_array(starts, np.concatenate([np.zeros(1, np.int64), np.cumsum(lengths)]))


def _document_lengths(shard: Shard, term_ids: Ids) -> Longs:
    known = term_ids[load_array(shard.path("codes"))] >= 0
    before = np.concatenate([np.zeros(1, np.int64), np.cumsum(known)])  # terms before each position
    lengths: Longs = np.diff(before[load_array(shard.path("code_ends"))], prepend=0)
    return lengths


def write_texts(shards: Sequence[Shard], texts: Path, starts: Path) -> None:
    """Write all documents as concatenated words, including rare ones and separators, and where each starts."""
    ends = [shard.ends() for shard in shards]
    lengths = np.concatenate([np.diff(each, prepend=0) for each in ends])
    parts = ([shard.all_words()] for shard in shards)
    write_arrays_in_parts([texts], np.dtype(np.int32), (int(lengths.sum()),), parts)
    write_array(starts, np.concatenate([np.zeros(1, np.int64), np.cumsum(lengths)]))
