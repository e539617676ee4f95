"""Names that the language model hardly knows: words in pieces, near to nothing but what is spelled alike."""

from __future__ import annotations

import json

import numpy as np
import pytest

from commands import run_here
from fake_model import directions
from planted import NAMES
from seetopic import Index, check, discover
from seetopic.corpus import as_seeds
from seetopic.discovery.known_names import Terms, hardly_known
from seetopic.text import Vocabulary
from seetopic.vectors import encoder_for, word_pieces

PIECES = {"heart": [1], "cardiac": [2], "soup": [3], "meal": [4], "stomatitis": [5, 6, 7]}
VECTORS = np.array([[1, 0, 0, 0], [0.9, 0.4359, 0, 0], [0, 0, 1, 0], [0, 0.6, 0.8, 0], [0, 0, 0, 1]], np.float32)
TERMS = Terms(
    Vocabulary(tuple(PIECES), np.arange(5, 0, -1)),
    VECTORS,
    lambda words: [{**PIECES, "stomatognathic": [5, 6, 8], "cardiology": [8, 9]}.get(word, [10]) for word in words],
)
RARE = {"stomatognathic": [0, 0.3, 0, 0.9539], "cardiology": [0.9, 0, 0, 0.4359]}  # only the latter is near to a term


def found(*seeds: object) -> tuple[str, ...]:
    encode = lambda words: np.array([RARE[word] for word in words], np.float32)  # noqa: E731
    return hardly_known(as_seeds(list(seeds)), TERMS, encode, lambda word: word in PIECES, {"the", "and"})


def test_a_rare_word_that_is_near_only_to_what_is_spelled_alike_is_hardly_known():
    assert found("the stomatognathic", "cardiology", "kitchen") == ("the stomatognathic",)


def test_words_that_tell_names_apart_count():
    diseases = ("stomatognathic diseases", "heart diseases", "cardiology and diseases")
    assert found(*diseases) == ("stomatognathic diseases",)
    assert found("stomatognathic soup", "heart diseases") == ()  # a term, whose documents show what is meant
    assert found(["stomatognathic", "meals"], "heart") == ()  # of two names, one is known


def test_a_described_name_is_not_asked_about():
    described = as_seeds({"stomatognathic": {"description": "the mouth"}, "heart": None})
    assert hardly_known(described, TERMS, lambda words: np.ones((len(words), 4)), lambda word: False, ()) == ()


def test_check_asks_for_a_description(tmp_path):
    synonyms = ("car automobile vehicle truck", "doctor physician nurse hospital", "money cash dollars coins")
    synonyms += ("child kid boy girl", "rain storm snow wind", "king queen prince throne", "boat ship sailor harbour")
    (tmp_path / "docs.txt").write_text("\n".join(", ".join(words.split()) for words in synonyms), encoding="utf-8")
    (tmp_path / "names.txt").write_text("weather and seasons\ntransport\nqwertyuiop\n", encoding="utf-8")
    asked = ("check", "docs.txt", "--seeds", "names.txt", "--min-count", "1")
    assert json.loads(run_here(*asked, "--json", cwd=tmp_path).stdout)["hardly_known"] == ["qwertyuiop"]
    shown = " ".join(run_here(*asked, cwd=tmp_path).stdout.split())
    assert "hardly known: " in shown
    assert "'qwertyuiop'" in shown


def test_a_model_that_does_not_tell_its_pieces_has_one_for_each_text():
    assert word_pieces(encoder_for(directions), ["qwertyuiop", "two words"]) == [[0], [0]]
    assert [len(own) for own in word_pieces(encoder_for(), ["heart", "two words", "qwertyuiop"])] == [1, 2, 5]


def near_each_other(texts: list[str]) -> np.ndarray:
    """A model for which all words are alike, except "abroad"."""
    return np.array([[0.0, 1.0] if text == "abroad" else [1.0, 0.1 * (len(text) % 3)] for text in texts], np.float32)


@pytest.mark.parametrize(("n_terms", "far"), [(1200, ("abroad",)), (300, ())])
def test_names_that_no_term_is_near_are_far_if_there_are_many_terms(n_terms, far, tmp_path):
    vowels, ends = "aeiou", "bcdfghjklmnpqrstvwxz"
    words = [f"{a}{b}x{c}{d}" for a in "bdfglmnprs" for b in vowels for c in vowels for d in ends][:n_terms]
    documents = [", ".join(words[n : n + 20]) for n in range(0, n_terms, 20)] * 3
    index = Index.build(documents, tmp_path / "index", embedding_model=near_each_other, n_jobs=1)
    assert len(index.vocabulary) == n_terms
    assert check(index, ["abroad", "at home"]).far == far
    told = discover(index, ["abroad", "at home"])
    assert [any("no term is near" in each for each in topic.warnings) for topic in told] == [bool(far), False]
    # A description that terms are near to says what the name does not.
    described = {"abroad": {"description": "at home"}, "at home": None}
    assert check(index, described).far == ()
    assert not any("no term is near" in each for topic in discover(index, described) for each in topic.warnings)


def test_a_topic_whose_name_is_hardly_known_says_so_unless_it_is_described(index):
    told = discover(index, {NAMES[0]: None, "zqxj vbnm": None})
    assert [any("hardly knows" in each for each in topic.warnings) for topic in told] == [False, True]
    described = discover(index, {NAMES[0]: None, "zqxj vbnm": {"description": "bread, cheese and soup"}})
    assert not any("hardly knows" in each for topic in described for each in topic.warnings)
