"""Phrases: the planted ones are found, complete, and none by chance."""

from __future__ import annotations

import random
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pytest

from seetopic.runtime.disk_counts import Scratch
from seetopic.runtime.engine import LocalEngine
from seetopic.settings import TextSettings
from seetopic.text.phrases import PhraseTable, mine
from seetopic.text.shards import Shard, WordTable, scan
from seetopic.text.tokenizer import FUNCTION_WORDS, tokenize

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
    return spelled(words, mine(LocalEngine(1), shards, words, TextSettings(**options), Scratch(folder / "scratch")))


def among_filler(phrase: str, times: int, seed: int = 0) -> list[str]:
    """The phrase in varied contexts, and texts without it."""
    chance = random.Random(seed)

    def some() -> str:
        return " ".join(chance.choices(FILLER, k=chance.randint(2, 8)))

    return [f"{some()} {phrase} {some()}" for _ in range(times)] + [some() for _ in range(4 * times)]


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


@pytest.mark.parametrize(
    "between",
    [", ", ". ", " - ", "; ", " https://example.org ", " @someone ", " 😀 ", "\n* ", "\n", "\r\n", " \n\n ", ".", "? "],
)
def test_what_parts_words_parts_phrases(tmp_path, between):
    assert phrases_of(tmp_path, among_filler(f"breast{between}cancer", 30)) == set()
    assert phrases_of(tmp_path / "control", among_filler("breast cancer", 30)) == {"breast cancer"}


@pytest.mark.slow
def test_no_phrase_crosses_the_end_of_a_document(tmp_path):
    assert phrases_of(tmp_path / "apart", ["breast", "cancer"] * 30) == set()
    words, shards = scanned(tmp_path / "shards", [["breast"], ["cancer"]] * 30)
    assert spelled(words, mine(LocalEngine(1), shards, words, TextSettings(), Scratch(tmp_path / "scratch"))) == set()


def test_a_rare_word_parts_phrases(tmp_path):
    # "breast <word> cancer", each word only once: without the rare words, "breast" and "cancer" are still no pair.
    letters = "abcdefghijklmnopqrstuvwxyz"
    texts = [f"breast rare{one}{other} cancer" for one in letters for other in letters[:3]]
    words, shards = scanned(tmp_path, [texts], min_count=3)
    assert set(words.words) == {"breast", "cancer"}
    assert spelled(words, mine(LocalEngine(1), shards, words, TextSettings(), Scratch(tmp_path / "scratch"))) == set()


def test_a_corpus_that_is_one_phrase_over_and_over_does_no_harm(tmp_path):
    assert phrases_of(tmp_path, ["breast cancer"] * 50) == {"breast cancer"}


@pytest.mark.slow
def test_the_same_phrases_for_any_number_of_jobs_and_any_shards(tmp_path):
    texts = [*among_filler("support vector machine", 40), *among_filler("quality of life", 40, seed=1)]
    parts = [texts[first : first + 37] for first in range(0, len(texts), 37)]

    def mined(jobs: int, shards: list[list[str]], name: str) -> tuple[tuple[str, ...], list[bytes]]:
        words, files = scanned(tmp_path / name, shards, jobs=jobs)
        chosen = TextSettings(known_phrases=("quality of life",))
        table = mine(LocalEngine(jobs), files, words, chosen, Scratch(tmp_path / name / "scratch"))
        levels = [array for level in table.candidates.levels for array in (level.keys, level.counts)]
        return words.words, [array.tobytes() for array in (*levels, *table.quality)]

    one = mined(1, parts, "one")
    assert len(one[1]) == 6  # pairs and triples
    assert mined(2, parts, "two") == one
    assert mined(1, [texts], "whole") == one
