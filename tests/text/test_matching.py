"""Terms in texts: matching many texts at once finds what the rule finds in each."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from seetopic import Sorter
from seetopic.runtime.ragged import Lists
from seetopic.text.matching import finder_of
from seetopic.text.tokenizer import cleaned, tokenize

WORDS = ["new", "york", "city", "breast", "cancer", "it's", "é", "1,000"]
PIECES = [*WORDS, "new_york", "york_city", "new_york_city", "New", ",", "-", "@new", "https://new.york", ""]
TERMS = st.lists(st.sampled_from(WORDS), min_size=1, max_size=5).map(" ".join)


def terms_among(words: list[str], terms: list[str]) -> list[int]:
    """The rule: single words, and runs of words that begin with a plain word; an empty word is a separator."""
    ids = {term: number for number, term in enumerate(terms)}
    found = {ids[word] for word in words if word in ids}
    for first, word in enumerate(words):
        if " " not in word:
            runs = (" ".join(words[first : first + length]) for length in range(2, len(words) + 1))
            found |= {ids[run] for run in runs if run in ids}
    return sorted(found)


@given(
    st.lists(st.lists(st.sampled_from(PIECES), max_size=9).map(" ".join), max_size=5),
    st.lists(TERMS, max_size=8, unique=True),
)
def test_texts_hold_what_the_rule_finds_in_each(texts, terms):
    expected = [terms_among([cleaned(token) or "" for token in tokenize(text.lower())], terms) for text in texts]
    sorter = Sorter((), tuple(terms), (), {})
    assert sorter.terms_in(texts).as_lists() == expected
    words = [[cleaned(token) or "" for token in tokenize(text.lower())] for text in texts]
    assert sorter.terms_in(words).as_lists() == expected  # an index stores documents as words


def test_what_one_document_ends_with_is_not_read_on_in_the_next():
    assert finder_of(["new york"]).found([["new"], ["york"], ["new", "york"]]).as_lists() == [[], [], [0]]


def test_a_term_of_very_many_words_takes_no_more_time_than_its_words():
    words = [f"w{number}" for number in range(60)]  # 2 to the 58th ways to write some of them as one
    assert finder_of([" ".join(words)]).found([words, words[1:]]).as_lists() == [[0], []]


def test_no_terms_and_no_documents_are_fine():
    assert finder_of([]).found([["new"], []]).as_lists() == [[], []]
    assert finder_of(["new"]).found([]).as_lists() == []


@given(st.lists(st.lists(st.integers(0, 9), max_size=4), max_size=6), st.integers(0, 9))
def test_lists_come_back_and_can_be_thinned(lists, least):
    arrays = Lists.of(lists)
    assert arrays.as_lists() == lists
    assert len(arrays) == len(lists)
    assert arrays.sizes.tolist() == [len(each) for each in lists]
    assert arrays.documents.tolist() == [number for number, each in enumerate(lists) for _ in each]
    kept = arrays.where(arrays.values >= least).as_lists()
    assert kept == [[value for value in each if value >= least] for each in lists]
