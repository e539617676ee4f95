"""Phrases: those that were planted, none by chance, and the fast code against readable twins."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from seetopic.engine import LocalEngine
from seetopic.phrases import Level, PhraseTable, count_runs, mine, segment
from seetopic.settings import TextSettings
from seetopic.shards import Shard, WordTable, scan
from seetopic.words import FUNCTION_WORDS, tokenize

Run = tuple[int, ...]
FILLER = [f"filler{letter}" for letter in "abcdefghijklmnopqrstuvwxyz"]


def scanned(
    folder: Path, shards: Iterable[list[str]], min_count: int = 1, jobs: int = 1
) -> tuple[WordTable, list[Shard]]:
    words, sizes = scan(LocalEngine(jobs), shards, folder, tokenize, lowercase=True, min_count=min_count)
    return words, [Shard(folder, number) for number in range(len(sizes))]


def spelled(words: WordTable, table: PhraseTable) -> set[str]:
    return {" ".join(words.words[word] for word in phrase) for phrase in table.phrases()}


def phrases_of(folder: Path, texts: list[str], **options: Any) -> set[str]:
    words, shards = scanned(folder, [texts])
    return spelled(words, mine(LocalEngine(1), shards, words, TextSettings(**options)))


def among_filler(phrase: str, times: int, seed: int = 0) -> list[str]:
    """The phrase in varied contexts, and texts without it."""
    chance = random.Random(seed)

    def some() -> str:
        return " ".join(chance.choices(FILLER, k=chance.randint(2, 8)))

    return [f"{some()} {phrase} {some()}" for _ in range(times)] + [some() for _ in range(4 * times)]


# Counting, against a readable twin.


def frequent_runs(words: list[int], longest: int, min_count: int) -> dict[int, Counter[Run]]:
    """Every run of n words that occurs often enough, by n; -1 parts words."""
    found = {}
    for length in range(2, longest + 1):
        runs = (tuple(words[first : first + length]) for first in range(len(words) - length + 1))
        counts = Counter(run for run in runs if -1 not in run)
        found[length] = Counter({run: count for run, count in counts.items() if count >= min_count})
    return found


def in_memory(words: list[int]) -> Any:
    """A shard that was never written."""
    return SimpleNamespace(words=lambda: np.array(words, np.int64))


def any_words(n_words: int) -> WordTable:
    """Words that may stand anywhere in a phrase."""
    names = tuple(f"w{chr(97 + number)}" for number in range(n_words))
    return WordTable(names, np.full(n_words, 10, np.int64), 10 * n_words)


word_ids = st.lists(st.integers(-1, 3), min_size=1, max_size=60)


@given(st.lists(word_ids, min_size=1, max_size=3), st.integers(2, 3))
@settings(max_examples=150, deadline=None)
def test_frequent_runs_are_those_a_plain_count_finds(shards, min_count):
    chosen = TextSettings(max_phrase_words=4, phrase_min_count=min_count, phrase_npmi=-1)
    table = mine(LocalEngine(1), [in_memory([*words, -1]) for words in shards], any_words(4), chosen)
    joined = [word for words in shards for word in [*words, -1]]
    expected = frequent_runs(joined, 4, min_count)
    assert len(table.levels) == sum(bool(expected[length]) for length in (2, 3, 4))
    for at, level in enumerate(table.levels):
        runs = map(tuple, table.words_of(at, np.arange(level.keys.size)).tolist())
        assert dict(zip(runs, level.counts.tolist(), strict=True)) == expected[at + 2]
        assert (np.diff(level.keys) > 0).all()


def test_pairs_of_one_shard_are_counted():
    counted = count_runs(in_memory([0, 1, 0, 1, -1, 1, 0, -1]), PhraseTable(2))
    assert dict(zip(counted.keys.tolist(), counted.counts.tolist(), strict=True)) == {0 * 2 + 1: 2, 1 * 2 + 0: 2}


@given(st.lists(word_ids, min_size=1, max_size=2), st.sampled_from([-0.2, 0.1, 0.4]))
@settings(max_examples=100, deadline=None)
def test_a_run_is_a_phrase_if_both_ends_attract_the_rest(shards, threshold):
    joined = [word for words in shards for word in [*words, -1]]
    counts = Counter(joined)
    words = WordTable(("wa", "wb", "wc", "wd"), np.array([max(counts[word], 1) for word in range(4)]), len(joined))
    chosen = TextSettings(max_phrase_words=4, phrase_min_count=2, phrase_npmi=threshold)
    table = mine(LocalEngine(1), [in_memory([*each, -1]) for each in shards], words, chosen)
    total = sum(words.counts.tolist())
    often: dict[Run, int] = {(word,): int(words.counts[word]) for word in range(4)}
    for runs in frequent_runs(joined, 4, 2).values():
        often.update(runs)

    def npmi(run: Run, left: Run, right: Run) -> float:
        share = often[run] / total
        return float(np.log(share / (often[left] / total * often[right] / total)) / -np.log(share))

    expected = {
        run
        for run in often
        if len(run) > 1 and min(npmi(run, run[:-1], run[-1:]), npmi(run, run[:1], run[1:])) >= threshold
    }
    assert {tuple(phrase.tolist()) for phrase in table.phrases()} == expected


# What is found.


@pytest.mark.parametrize("phrase", ["support vector machine", "breast cancer", "magnetic resonance imaging scanner"])
def test_a_planted_phrase_is_found_whole(tmp_path, phrase):
    found = phrases_of(tmp_path, among_filler(phrase, 30))
    assert phrase in found
    assert all(set(each.split(" ")) <= set(phrase.split(" ")) for each in found)  # nothing by chance


def test_a_phrase_seldomer_than_asked_is_not_found(tmp_path):
    assert "support vector machine" in phrases_of(tmp_path / "5", among_filler("support vector machine", 5))
    assert phrases_of(tmp_path / "4", among_filler("support vector machine", 4)) == set()


def test_chance_neighbours_are_no_phrases(tmp_path):
    chance = random.Random(0)
    texts = [" ".join(chance.choices(FILLER, k=40)) for _ in range(300)]  # each pair occurs 17 times on average
    assert phrases_of(tmp_path, texts) == set()


def test_a_phrase_is_no_longer_than_allowed(tmp_path):
    texts = among_filler("magnetic resonance imaging scanner", 30)
    assert phrases_of(tmp_path / "2", texts, max_phrase_words=2) == {
        "magnetic resonance",
        "resonance imaging",
        "imaging scanner",
    }
    assert phrases_of(tmp_path / "1", texts, max_phrase_words=1) == set()


@pytest.mark.parametrize("phrase", ["quality of life", "pots and pans", "otitis media with effusion"])
def test_function_words_that_join_may_stand_inside(tmp_path, phrase):
    assert phrase in phrases_of(tmp_path, among_filler(phrase, 30))


@pytest.mark.parametrize("run", ["recommend this book", "pain would return", "doctors who smoke"])
def test_other_function_words_may_not(tmp_path, run):
    assert phrases_of(tmp_path, among_filler(run, 30)) == set()


def test_no_phrase_begins_or_ends_with_a_function_word_or_a_number(tmp_path):
    texts = [*among_filler("the quality of life of", 30), *among_filler("2019 novel virus 19", 30, seed=1)]
    found = phrases_of(tmp_path, texts)
    assert {"quality of life", "novel virus"} <= found
    for phrase in found:
        ends = {phrase.split(" ")[0], phrase.split(" ")[-1]}
        assert not ends & FUNCTION_WORDS
        assert not any(end.isdigit() for end in ends)


@pytest.mark.parametrize("between", [", ", ". ", " - ", "; ", " https://example.org ", " @someone ", " 😀 ", "\n* "])
def test_what_parts_words_parts_phrases(tmp_path, between):
    assert phrases_of(tmp_path, among_filler(f"breast{between}cancer", 30)) == set()
    assert phrases_of(tmp_path / "control", among_filler("breast cancer", 30)) == {"breast cancer"}


def test_no_phrase_crosses_the_end_of_a_document(tmp_path):
    assert phrases_of(tmp_path / "apart", ["breast", "cancer"] * 30) == set()
    words, shards = scanned(tmp_path / "shards", [["breast"], ["cancer"]] * 30)
    assert spelled(words, mine(LocalEngine(1), shards, words, TextSettings())) == set()


def test_a_rare_word_parts_phrases(tmp_path):
    # "breast <word> cancer", each word but once: no pair remains, though what is left stands side by side.
    letters = "abcdefghijklmnopqrstuvwxyz"
    texts = [f"breast rare{one}{other} cancer" for one in letters for other in letters[:3]]
    words, shards = scanned(tmp_path, [texts], min_count=3)
    assert set(words.words) == {"breast", "cancer"}
    assert spelled(words, mine(LocalEngine(1), shards, words, TextSettings())) == set()


def test_a_corpus_that_is_one_phrase_over_and_over_does_no_harm(tmp_path):
    assert phrases_of(tmp_path, ["breast cancer"] * 50) == {"breast cancer"}


def test_the_same_phrases_for_any_number_of_jobs_and_any_shards(tmp_path):
    texts = [*among_filler("support vector machine", 40), *among_filler("quality of life", 40, seed=1)]
    parts = [texts[first : first + 37] for first in range(0, len(texts), 37)]

    def mined(jobs: int, shards: list[list[str]], name: str) -> tuple[tuple[str, ...], list[bytes]]:
        words, files = scanned(tmp_path / name, shards, jobs=jobs)
        levels = mine(LocalEngine(jobs), files, words, TextSettings()).levels
        return words.words, [array.tobytes() for each in levels for array in (each.keys, each.counts, each.accepted)]

    one = mined(1, parts, "one")
    assert len(one[1]) == 6  # pairs and triples
    assert mined(2, parts, "two") == one
    assert mined(1, [texts], "whole") == one


# Segmenting, against a readable twin.


def table_of(runs: dict[Run, bool], n_words: int) -> PhraseTable:
    """A table of the runs, which hold every run within a run, and whether each is a phrase."""
    levels: list[Level] = []
    numbers: dict[Run, int] = {(word,): word for word in range(n_words)}
    for length in range(2, 5):
        keyed = sorted((numbers[run[:-1]] * n_words + run[-1], run) for run in runs if len(run) == length)
        if not keyed:
            break
        numbers.update({run: number for number, (_, run) in enumerate(keyed)})
        keys = np.array([key for key, _ in keyed], np.int64)
        levels.append(Level(keys, np.ones(len(keyed), np.int64), np.array([runs[run] for _, run in keyed])))
    return PhraseTable(n_words, tuple(levels))


def runs_within(run: Run) -> set[Run]:
    return {run[first:last] for first in range(len(run)) for last in range(first + 2, len(run) + 1)}


def walk(words: list[int], phrases: set[Run]) -> list[Run]:
    """From left to right, the longest phrase that fits, else the word; -1 is left out."""
    found: list[Run] = []
    at = 0
    while at < len(words):
        fits = [tuple(words[at : at + length]) for length in (4, 3, 2) if tuple(words[at : at + length]) in phrases]
        run = fits[0] if fits else (words[at],)
        if run != (-1,):
            found.append(run)
        at += len(run)
    return found


run_sets = st.dictionaries(
    st.lists(st.integers(0, 3), min_size=2, max_size=4).map(tuple), st.booleans(), min_size=0, max_size=8
).map(lambda drawn: {**{inner: False for run in drawn for inner in runs_within(run)}, **drawn})


@given(word_ids, run_sets)
@settings(max_examples=300, deadline=None)
def test_segmenting_takes_the_longest_phrase_from_left_to_right(words, runs):
    table = table_of(runs, 4)
    meaning = [*((word,) for word in range(4)), *(tuple(phrase.tolist()) for phrase in table.phrases())]
    phrases = {run for run, accepted in runs.items() if accepted}
    assert set(meaning[4:]) == phrases
    assert table.n_phrases == len(phrases)
    codes, starts = segment(np.array(words, np.int64), table)
    assert [meaning[code] for code in codes[starts].tolist()] == walk(words, phrases)


def test_the_longest_phrase_wins_and_a_phrase_inside_another_does_not_count():
    runs = {**dict.fromkeys(runs_within((0, 1, 2)), True), (2, 3): True}
    codes, starts = segment(np.array([0, 1, 2, 3, -1, 2, 3]), table_of(runs, 4))
    # 4: 0 1, 5: 1 2, 6: 2 3, 7: 0 1 2
    assert codes[starts].tolist() == [7, 3, 6]
    assert np.flatnonzero(starts).tolist() == [0, 3, 5]


def test_without_phrases_words_stay_words():
    codes, starts = segment(np.array([2, -1, 0]), PhraseTable(3))
    assert codes[starts].tolist() == [2, 0]
