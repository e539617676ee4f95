"""Phrase mining: frequent runs, their quality, and which of them are phrases."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from seetopic.runtime import Engine, Flags, Longs, Scratch
from seetopic.settings import TextSettings
from seetopic.text.phrases.candidates import Candidates, frequent_runs
from seetopic.text.phrases.contexts import classes_of, neighbours_of_runs
from seetopic.text.phrases.learning import taught
from seetopic.text.phrases.quality import Described, described, well_formed
from seetopic.text.phrases.table import PhraseTable
from seetopic.text.shards import Shard, WordTable
from seetopic.text.tokenizer import Tokenizer, as_term, tokenize


@dataclass(frozen=True)
class Mined:
    """The runs of a corpus and their features, before any is accepted as a phrase."""

    candidates: Candidates
    described: list[Described]  # of the well-formed ones, by length


def mine(
    engine: Engine,
    shards: list[Shard],
    words: WordTable,
    settings: TextSettings,
    scratch: Scratch,
    *,
    tokenizer: Tokenizer = tokenize,
    random_state: int = 0,
) -> PhraseTable:
    """The phrases of the shards; `settings.known_phrases` show what a phrase looks like in this corpus."""
    mined = described_runs(engine, shards, words, settings, scratch)
    known = known_rows(settings.known_phrases, words, lowercase=settings.lowercase, tokenizer=tokenizer)
    return table_of(mined, known, settings.phrase_quality, random_state)


def described_runs(
    engine: Engine, shards: list[Shard], words: WordTable, settings: TextSettings, scratch: Scratch
) -> Mined:
    """Candidates and their features, without any decision."""
    candidates, pairs = frequent_runs(
        engine,
        shards,
        len(words.words),
        longest=settings.max_phrase_words,
        min_count=settings.phrase_min_count,
        scratch=scratch,
    )
    classes = classes_of(words)
    fit = well_formed(candidates, words)
    neighbours = neighbours_of_runs(engine, shards, fit, classes, scratch.subdir("beside"))
    found = Mined(candidates, described(candidates, fit, words, pairs, neighbours, classes))
    scratch.clear()
    return found


def table_of(mined: Mined, known: dict[int, Longs], threshold: float, random_state: int = 0) -> PhraseTable:
    """The quality of every candidate; known phrases are accepted, and used to judge the others."""
    levels = mined.described
    quality = [np.zeros(level.counts.size) for level in mined.candidates.levels]
    if levels:
        flags = [_among(each, mined.candidates, known.get(each.words.shape[1])) for each in levels]
        is_known = np.concatenate(flags)
        built_in = np.concatenate([each.quality() for each in levels])
        sound = np.concatenate([each.soundness for each in levels])
        features = np.concatenate([each.features for each in levels])
        scored = taught(features, built_in, is_known, random_state)
        # The learned quality must not accept chance neighbours or fragments as phrases.
        scored = np.where(is_known, threshold + (1.0 - threshold) * scored, np.minimum(scored, sound))
        ends = np.cumsum([each.runs.size for each in levels])[:-1]
        for values, each, part in zip(quality, levels, np.split(scored, ends), strict=True):
            values[each.runs] = part
    return PhraseTable(mined.candidates, tuple(quality), threshold)


def known_rows(phrases: Iterable[str], words: WordTable, *, lowercase: bool, tokenizer: Tokenizer) -> dict[int, Longs]:
    """Phrases as rows of word ids, by length; those with a word that does not occur in the documents are left out."""
    if not phrases:
        return {}
    ids = {word: number for number, word in enumerate(words.words)}
    found: dict[int, list[list[int]]] = {}
    for phrase in phrases:
        term = as_term(phrase, lowercase=lowercase, tokenizer=tokenizer)
        row = [ids.get(word, -1) for word in term.split(" ")] if term else []
        if len(row) > 1 and -1 not in row:
            found.setdefault(len(row), []).append(row)
    return {length: np.array(rows, np.int64) for length, rows in found.items()}


def _among(each: Described, candidates: Candidates, known: Longs | None) -> Flags:
    if known is None:
        return np.zeros(each.runs.size, np.bool_)
    return np.isin(each.runs, candidates.numbers_of(known))
