"""Words: the letters of every language are kept, and separators separate words."""

from __future__ import annotations

import unicodedata
from functools import cache

import pytest
import regex
from hypothesis import given
from hypothesis import strategies as st

from seetopic.text import tokenizer as words_module
from seetopic.text.tokenizer import (
    CONNECTORS,
    ENGLISH,
    FUNCTION_WORDS,
    NO_GRAMMAR,
    Grammar,
    as_term,
    cleaned,
    is_number,
    tokenize,
)


def words(text: str) -> list[str | None]:
    """The words as a reader sees them, with None for separators."""
    return [cleaned(token) for token in tokenize(text)]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", []),
        (" \t", []),
        (" \n", [None]),
        ("plain words", ["plain", "words"]),
        ("naïve cafe\u0301 Ærø", ["naïve", "café", "Ærø"]),
        ("हिन्दी भाषा", ["हिन्दी", "भाषा"]),
        ("क्\u200dषत्रिय می\u200cخواهم", ["क्\u200dषत्रिय", "می\u200cخواهم"]),  # joiners are part of the spelling
        ("Добрый день", ["Добрый", "день"]),
        ("முதல் שָׁלוֹם ภาษาไทย", ["முதல்", "שָׁלוֹם", "ภาษาไทย"]),
        ("col·lecció צה״ל", ["col·lecció", "צה״ל"]),
        ("북한과 한국", ["북한과", "한국"]),
        ("北京大学。天气", ["北京大学", None, "天气"]),
        ("b2b 4th 1,000.5 3.14", ["b2b", "4th", "1,000.5", "3.14"]),
        ("end. Start, and; go", ["end", None, "Start", None, "and", None, "go"]),
        ("u.s.a. and the U.S. army", ["u.s.a.", "and", "the", "U.S.", "army"]),
    ],
)
def test_words_of_many_scripts_are_kept_whole(text, expected):
    assert words(text) == expected


@pytest.mark.parametrize(
    "word",
    ["mother-in-law", "rock'n'roll", "don't", "e-mail", "at&t", "r&d", "x-ray's", "covid-19", "o'neill"],
)
def test_hyphens_apostrophes_and_ampersands_inside_a_word_are_kept(word):
    assert words(word) == [word]
    assert words(f"'{word}' - {word}-") == [None, word, None, None, word, None]


def test_a_curly_apostrophe_is_an_apostrophe():
    assert words("don’t it ’s") == words("don't it 's") == ["don't", "it", "'s"]


def test_the_rest_of_a_word_that_was_cut_is_one_word():
    assert words("do n't we 've she 'll") == ["do", "n't", "we", "'ve", "she", "'ll"]


@pytest.mark.parametrize(
    "address",
    ["http://example.org/a?b=c&d", "https://t.co/xyz", "HTTPS://EXAMPLE.ORG", "www.example.org", "WWW.example.org/a-b"],
)
def test_addresses_part_words(address):
    assert words(f"see {address} there") == ["see", None, "there"]


@pytest.mark.parametrize("user", ["@user", "@user_1", "@Größe"])
@pytest.mark.parametrize("before", ["", ".", "“", "(", "rt: ", "@@ "])
def test_names_of_users_part_words_whatever_stands_before_them(before, user):
    found = words(f"{before}{user} wrote")
    assert found[-2:] == [None, "wrote"]
    assert "".join(word or "" for word in found[:-2]) in ("", "rt")


@pytest.mark.parametrize(
    ("token", "word"),
    [
        ("breast_cancer", "breast cancer"),
        ("_breast__cancer_", "breast cancer"),
        ("___", None),
        ("...", None),
        ("’", None),
        ("@user", None),
        ("http://example.org", None),
        ("Www.example.org", None),
        ("wwww", "wwww"),
    ],
)
def test_underscores_are_blanks_and_marks_are_no_words(token, word):
    assert cleaned(token) == word


@pytest.mark.parametrize(
    ("name", "term"),
    [
        ("Breast Cancer", "breast cancer"),
        ("breast_cancer", "breast cancer"),
        ("  Breast \n cancer ", "breast cancer"),
        ("CAFE\u0301", "café"),
        ("Women’s health", "women's health"),
        ("x-ray", "x-ray"),
        ("AT&T", "at&t"),
        ("camera & photo", None),
        ("hepatitis a/b/c/e", None),
        ("c++", None),
        ("books, films", None),
        ("@user", None),
        ("www.example.org", None),
        ("", None),
        (" ", None),
        ("&", None),
    ],
)
def test_a_name_is_a_term_only_if_nothing_in_it_parts_words(name, term):
    assert as_term(name, lowercase=True) == term


def test_a_name_keeps_its_capitals_where_terms_do():
    assert as_term("Breast Cancer", lowercase=False) == "Breast Cancer"


def test_a_name_is_cut_by_the_given_tokenizer():
    assert as_term("c++ for all", lowercase=True, tokenizer=str.split) == "c++ for all"
    assert as_term("a,B", lowercase=True, tokenizer=lambda text: text.split(",")) == "a b"


@pytest.mark.parametrize(
    ("word", "ends", "joins", "is_term"),
    [
        ("cancer", True, True, True),
        ("Cancer", True, True, True),
        ("the", False, True, False),
        ("Of", False, True, False),
        ("because", False, False, False),
        ("don't", False, False, False),
        ("2024", False, True, False),
        ("covid-19", True, True, True),
        ("x", True, True, False),
        ("é", True, True, True),
        ("水", True, True, True),
    ],
)
def test_what_a_word_may_be(word, ends, joins, is_term):
    assert (ENGLISH.may_end_a_phrase(word), ENGLISH.may_join_a_phrase(word), ENGLISH.may_be_a_term(word)) == (
        ends,
        joins,
        is_term,
    )


def test_numbers_in_words_are_numbers_and_may_only_begin_a_phrase():
    for word in ("ten", "Twenty-Eight", "million"):
        assert (ENGLISH.may_begin_a_phrase(word), ENGLISH.may_end_a_phrase(word), ENGLISH.may_be_a_term(word)) == (
            True,
            False,
            False,
        )
        assert is_number(word.lower())
    assert not ENGLISH.may_begin_a_phrase("1,000.5")
    assert is_number("1,000.5")
    for word in ("all-in-one", "two-dimensional", "tenor"):
        assert ENGLISH.may_be_a_term(word)
        assert not is_number(word)
    assert NO_GRAMMAR.may_end_a_phrase("twenty-eight")


def test_the_letter_t_begins_phrases_and_ends_none():
    assert (ENGLISH.may_begin_a_phrase("T"), ENGLISH.may_end_a_phrase("t"), ENGLISH.may_be_a_term("t")) == (
        True,
        False,
        False,
    )


def test_function_words_written_as_one_are_a_function_word_but_owners_are_named():
    french = Grammar(frozenset({"c", "est", "qu", "il"}), frozenset())
    assert [french.is_function_word(word) for word in ("c'est", "Qu'il", "l'eau", "qu'est-ce")] == [
        True,
        True,
        False,
        False,
    ]
    assert not ENGLISH.may_be_a_term("that'll")
    assert ENGLISH.may_be_a_term("down's")
    assert ENGLISH.may_be_a_term("still's")
    assert ENGLISH.may_be_a_term("rock'n'roll")


def test_without_a_grammar_every_word_with_a_letter_may_be_a_term():
    assert NO_GRAMMAR.may_be_a_term("the")
    assert NO_GRAMMAR.may_end_a_phrase("because")
    assert NO_GRAMMAR.may_join_a_phrase("because")
    assert not NO_GRAMMAR.may_be_a_term("2024")


def test_function_words_are_spelled_as_the_tokenizer_gives_them():
    assert all(words(word) == [word] and word == word.lower() for word in FUNCTION_WORDS | CONNECTORS)


@given(st.text(max_size=60))
def test_tokens_are_the_text_without_its_blanks(text):
    normalised = unicodedata.normalize("NFC", text)
    assert regex.sub(r"\s", "", "".join(tokenize(text))) == regex.sub(r"\s", "", normalised)


@given(st.text(st.characters(categories=["L", "N", "P", "Zs"], exclude_characters="@_"), max_size=60))
def test_every_letter_and_number_of_ordinary_text_is_in_a_word(text):
    normalised = unicodedata.normalize("NFC", text)
    if not regex.search(r"https?://|www\.", normalised, regex.IGNORECASE):
        kept = "".join(word or "" for word in words(text))
        assert regex.findall(r"[\p{L}\p{N}]", kept) == regex.findall(r"[\p{L}\p{N}]", normalised)


@cache
def words_in(script: str) -> st.SearchStrategy[str]:
    """A letter of the script, followed by more of its letters and marks."""
    letters = regex.findall(rf"(?=\p{{{script}}})\p{{L}}", "".join(map(chr, range(0x370, 0xD7A4))))
    marks = regex.findall(rf"(?=\p{{{script}}})\p{{M}}", "".join(map(chr, range(0x370, 0xD7A4))))
    more = st.lists(st.sampled_from(letters + marks), max_size=8).map("".join)
    return st.tuples(st.sampled_from(letters), more).map("".join)


@pytest.mark.parametrize("script", ["Cyrillic", "Greek", "Arabic", "Hebrew", "Devanagari", "Thai", "Hangul"])
@given(data=st.data())
def test_words_of_any_script_come_back_whole_with_their_marks(script, data):
    given_words = data.draw(st.lists(words_in(script), min_size=1, max_size=5))
    text = " ".join(given_words)
    composed = unicodedata.normalize("NFC", text).split(" ")
    assert words(text) == composed
    assert words(", ".join(given_words)) == [word for each in composed for word in (each, None)][:-1]
    assert all(ENGLISH.may_be_a_term(word) for word in composed)


MARKS = ["@", "www.", "http://", "_", "-", "'", "’", "&", ".", ",", " "]
LETTERS = ["a", "Bc", "s", "1", "é", "ि", "ह"]
MARKS_AND_LETTERS = st.lists(st.sampled_from(MARKS + LETTERS), max_size=15).map("".join)


@given(st.text(max_size=40) | MARKS_AND_LETTERS)
def test_a_word_has_a_letter_or_a_number_and_single_blanks_only(text):
    for word in words(text):
        assert word is None or (regex.search(r"[\p{L}\p{N}]", word) and word == " ".join(word.split()))
        assert word is None or not set("_’") & set(word)


ASCII_MARKS = ["@", "www.", "Http://", "_", "-", "'", "&", ".", ",", " ", "  ", "\n", "\r\n", "\t", "\x1c", "\x0b"]
ASCII_LETTERS = ["a", "Bc", "s", "LL", "word", "U.S.", "1", "20"]
ASCII_TEXTS = st.lists(st.sampled_from(ASCII_MARKS + ASCII_LETTERS), max_size=15).map("".join)


@given(st.text(st.characters(codec="ascii"), max_size=40) | ASCII_TEXTS)
def test_ascii_is_cut_as_any_text_is(text):
    assert tokenize(text) == words_module._TOKEN.findall(text)


def test_all_pairs_of_ascii_characters_are_cut_as_any_text_is():
    for first in map(chr, range(128)):
        for second in map(chr, range(128)):
            assert tokenize(first + second) == words_module._TOKEN.findall(first + second)


def test_long_ascii_texts_of_one_kind_take_no_long_time():
    for unit in (" ", "a", ".", "a.", "a-", "1,", "'", "\n", "@"):
        assert "".join(tokenize(unit * 200_000)) == (unit * 200_000).replace(" ", "")


@given(MARKS_AND_LETTERS)
def test_composed_and_decomposed_letters_give_the_same_words(text):
    assert words(unicodedata.normalize("NFD", text)) == words(unicodedata.normalize("NFC", text))
