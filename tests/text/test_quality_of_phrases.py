"""Quality of phrases in English sentences: nouns beat verbs, whole phrases beat fragments, and known phrases teach."""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from seetopic.errors import SettingsError
from seetopic.runtime.disk_counts import Scratch
from seetopic.runtime.engine import LocalEngine
from seetopic.settings import TextSettings
from seetopic.text.phrases import PhraseTable, mine
from seetopic.text.phrases.contexts import classes_of, endings_of, is_known_language
from seetopic.text.phrases.english import ENDINGS
from seetopic.text.phrases.known import read_known_phrases
from seetopic.text.phrases.learning import ENOUGH, logistic, taught
from seetopic.text.shards import Shard, WordTable, scan
from seetopic.text.tokenizer import tokenize

NOUNS = [
    "patient",
    "study",
    "drug",
    "treatment",
    "doctor",
    "hospital",
    "child",
    "result",
    "disease",
    "nurse",
    "clinic",
    "symptom",
    "trial",
    "risk",
]
VERBS = ["reduced", "showed", "improved", "changed", "helped", "followed", "caused", "treated", "measured", "stopped"]
PHRASES = ["breast cancer", "magnetic resonance imaging", "quality of life", "blood pressure"]


def sentences(number: int, seed: int = 0) -> list[str]:
    """Artificial English: nouns after articles, verbs after nouns, phrases in place of nouns, fixed verb runs."""
    chance = random.Random(seed)

    def noun() -> str:
        return chance.choice([*NOUNS, *PHRASES]) if chance.random() < 0.7 else chance.choice(PHRASES)

    def sentence() -> str:
        article, other = chance.choice(["the", "a", "this"]), chance.choice(["the", "a", "their"])
        joined = chance.choice(["in", "for", "with", "of"])
        verb = chance.choice(["was performed", "were carefully examined", *VERBS, *VERBS, *VERBS])
        return (
            f"{article} {noun()} {verb} {other} {noun()} {joined} the {noun()}, and we clearly conclude that it is so."
        )

    return [sentence() for _ in range(number)]


def scanned(folder: Path, texts: list[str]) -> tuple[WordTable, list[Shard]]:
    words, sizes = scan(LocalEngine(1), [texts], folder, tokenize, lowercase=True, min_count=1)
    return words, [Shard(folder, number) for number in range(len(sizes))]


def qualities(folder: Path, texts: list[str], **options: Any) -> dict[str, float]:
    """Every candidate's quality, by its spelling."""
    words, shards = scanned(folder, texts)
    table = mine(LocalEngine(1), shards, words, TextSettings(**options), Scratch(folder / "scratch"))
    return {
        " ".join(words.words[word] for word in row): float(value)
        for at, values in enumerate(table.quality)
        for row, value in zip(
            table.candidates.words_of(at, np.arange(values.size)).tolist(), values.tolist(), strict=True
        )
    }


def test_noun_phrases_are_better_than_runs_of_verbs_and_adverbs(tmp_path):
    quality = qualities(tmp_path, sentences(400))
    assert all(0 <= value <= 1 for value in quality.values())
    for phrase in PHRASES:
        assert quality[phrase] >= 0.5, phrase
        for run in ("clearly conclude", "carefully examined"):
            assert quality[phrase] > quality[run]
    for run in ("we clearly conclude", "was performed", "clearly conclude that", "were carefully examined"):
        assert quality[run] == 0  # function words at the edges or of the wrong kind


def test_a_piece_of_a_longer_phrase_is_none(tmp_path):
    quality = qualities(tmp_path, sentences(400))
    assert quality["magnetic resonance"] < 0.5 <= quality["magnetic resonance imaging"]
    assert quality["resonance imaging"] < 0.5


def test_a_stray_word_beside_a_phrase_is_no_part_of_it(tmp_path):
    texts = [*sentences(400), *["the blood pressure treatment changed"] * 6]
    quality = qualities(tmp_path, texts)
    assert quality["blood pressure"] > 0.5 > quality["blood pressure treatment"]


def test_the_same_run_is_better_the_more_often_it_occurs(tmp_path):
    noise = sentences(200)
    seldom, often = (
        qualities(tmp_path / str(times), [*noise, *["the pulmonary embolism, a trial"] * times]) for times in (5, 60)
    )
    assert often["pulmonary embolism"] > seldom["pulmonary embolism"] > 0.5


def test_a_number_begins_a_phrase_only_if_it_belongs_to_it(tmp_path):
    counted = [f"the {number} {noun} changed" for number in ("four", "five", "six") for noun in NOUNS] * 5
    quality = qualities(tmp_path, [*sentences(400), *counted, *["the ten commandments, a trial"] * 20])
    assert quality["ten commandments"] > 0.5 > quality["four patient"]


def test_the_letter_t_begins_a_phrase_and_ends_none(tmp_path):
    texts = [*sentences(400), *["the t cell of the child", "the doctor don t know"] * 20]
    quality = qualities(tmp_path, texts)
    assert quality["t cell"] > 0.5
    assert quality["don t"] == quality["doctor don t"] == 0


def test_a_word_that_calls_for_a_common_one_belongs_to_it_more_than_one_that_does_not(tmp_path):
    elderly = [*["the elderly patient, a trial"] * 12, *["a nurse of the elderly"] * 3]
    trials = [f"the {noun} trial of the" for noun in NOUNS] * 6
    quality = qualities(tmp_path, [*sentences(400), *["a patient changed the patient"] * 800, *elderly, *trials])
    assert quality["elderly patient"] > 2 * quality["doctor trial"]


def test_what_comes_in_degrees_is_no_part_of_a_name(tmp_path):
    def beside(word: str, folder: str, degrees: list[str]) -> float:
        free = [f"the {word} {noun} of the hospital" for noun in NOUNS] * 8
        named = [f"a {word} result of the {noun}" for noun in NOUNS] * 2
        return qualities(tmp_path / folder, [*sentences(400), *free, *named, *degrees])[f"{word} result"]

    said = [f"the {noun} was very poor and the child was so poor" for noun in NOUNS] * 4
    assert beside("poor", "degrees", said) < beside(
        "poor", "none", [each.replace(" very ", " ").replace(" so ", " ") for each in said]
    )


def test_a_preposition_that_is_always_there_belongs_to_a_joined_phrase(tmp_path):
    texts = [*sentences(400), *["the trial in vitro and in vivo, a study", "the trial of pots and pans, a study"] * 20]
    quality = qualities(tmp_path, texts)
    assert quality["vitro and in vivo"] < 0.5


def test_of_two_phrases_the_one_that_belongs_together_is_better(tmp_path):
    texts = sentences(400)
    loose = [
        f"the small {noun}, a large {noun} and the {adjective} cup"
        for noun in NOUNS
        for adjective in ("small", "large")
    ]
    quality = qualities(tmp_path, [*texts, *loose, *["the pulmonary embolism, a trial"] * 28])
    assert quality["pulmonary embolism"] > quality["small cup"]


def test_endings_of_short_words_tell_nothing():
    table = WordTable(("quickly", "fly", "naming", "king", "patients"), np.ones(5, np.int64), 5)
    has = endings_of(table).astype(bool).tolist()
    assert [[ENDINGS[at][0] for at, flag in enumerate(row) if flag] for row in has] == [["ly"], [], ["ing"], [], ["s"]]


def test_english_is_known_by_its_function_words_and_another_language_is_left_alone(tmp_path):
    words, _ = scanned(tmp_path / "english", sentences(20))
    assert is_known_language(words, classes_of(words))
    german = ["die behandlung von brustkrebs ist für ältere frauen oft sehr schwierig und dauert lange"]
    words, _ = scanned(tmp_path / "german", german * 10)
    assert not is_known_language(words, classes_of(words))
    empty = WordTable((), np.empty(0, np.int64), 0)
    assert not is_known_language(empty, classes_of(empty))


def test_phrases_of_an_unknown_language_are_found_by_attraction(tmp_path):
    chance = random.Random(0)
    letters = "abcdefghijklmnopqrstuvwxyz"
    filler = [f"wort{one}{other}" for one in letters for other in letters]
    texts = [
        " ".join([*chance.choices(filler, k=4), "künstliche intelligenz", *chance.choices(filler, k=4)])
        for _ in range(40)
    ]
    quality = qualities(tmp_path, texts)
    assert {run for run, value in quality.items() if value >= 0.5} == {"künstliche intelligenz"}


def test_times_and_units_are_no_phrases_but_may_stand_in_them(tmp_path):
    texts = [
        *sentences(100),
        *["it came few years ago, at 10 mm hg, in new mexico last july"] * 9,
        *["a valentine day card and the body mass of a kg"] * 9,
    ]
    found = qualities(tmp_path, texts)
    assert found["breast cancer"] > 0.5
    assert found["valentine day"] > 0 or found["valentine day card"] > 0
    refused = ("few years", "years ago", "few years ago", "last july", "mm hg", "at 10 mm")
    assert {phrase: found[phrase] for phrase in refused} == dict.fromkeys(refused, 0.0)


# Known phrases.


def test_a_known_phrase_is_a_phrase(tmp_path):
    texts = [*sentences(300), *["the nurse clinic changed"] * 8]
    assert qualities(tmp_path / "unknown", texts)["nurse clinic"] < 0.5
    known = qualities(tmp_path / "known", texts, known_phrases=("Nurse  Clinic", "words that never occur"))
    assert known["nurse clinic"] >= 0.5


def test_a_known_phrase_is_one_by_any_threshold(tmp_path):
    words, shards = scanned(tmp_path, [*sentences(300), *["the nurse clinic changed"] * 8])
    settings = TextSettings(known_phrases=("nurse clinic",), phrase_quality=1.0)
    table = mine(LocalEngine(1), shards, words, settings, Scratch(tmp_path / "scratch"))
    assert [[words.words[word] for word in phrase] for phrase in table.phrases()] == [["nurse", "clinic"]]


def test_what_known_phrases_have_in_common_is_learned():
    chance = np.random.default_rng(0)
    features = chance.normal(size=(2000, 5))
    good = features[:, 2] > 0.5  # only this feature matters
    known = good & (chance.random(2000) < 0.5)
    built_in = np.full(2000, 0.5)
    learned = taught(features, built_in, known, random_state=0)
    unseen = good & ~known
    assert learned[unseen].mean() > learned[~good].mean() + 0.2
    assert (taught(features, built_in, known, random_state=0) == learned).all()


@pytest.mark.parametrize("n_known", [0, ENOUGH - 1, 100])
def test_too_few_known_phrases_or_nothing_else_teach_nothing(n_known):
    features = np.random.default_rng(0).normal(size=(100, 3))
    built_in = np.linspace(0, 1, 100)
    assert (taught(features, built_in, np.arange(100) < n_known, 0) == built_in).all()


def test_the_regression_is_that_of_the_equation():
    chance = np.random.default_rng(1)
    features = np.column_stack([chance.normal(size=(400, 2)), np.ones(400)])
    outcomes = (features @ np.array([1.5, -1.0, 0.3]) + chance.logistic(size=400) > 0).astype(np.float64)
    weights = logistic(features, outcomes)
    expected = 1 / (1 + np.exp(-features @ weights))
    slope = features.T @ (outcomes - expected) - np.array([1.0, 1.0, 1e-6]) * weights
    assert np.abs(slope).max() < 1e-6


def test_known_phrases_are_read_one_a_line(tmp_path):
    path = tmp_path / "known.txt"
    path.write_text("\ufeffBreast  Cancer\n\ncancer\nheart failure\r\nBreast Cancer\n", encoding="utf-8")
    assert read_known_phrases(path) == ("Breast Cancer", "heart failure")
    with pytest.raises(SettingsError, match=r"cannot read known phrases from .*missing\.txt"):
        read_known_phrases(tmp_path / "missing.txt")


def test_an_empty_corpus_has_no_phrases(tmp_path):
    words, shards = scanned(tmp_path, [""])
    chosen = TextSettings(known_phrases=("breast cancer",))
    table = mine(LocalEngine(1), shards, words, chosen, Scratch(tmp_path / "scratch"))
    assert isinstance(table, PhraseTable)
    assert table.n_phrases == 0
