"""Wildcards: what quanteda's patterns mean, on the terms of an index."""

from __future__ import annotations

import fnmatch

import pytest
from hypothesis import given
from hypothesis import strategies as st

from planted import NAMES, PLANTED
from seetopic import as_seeds, check, discover
from seetopic.corpus import has_wildcard
from seetopic.discovery.wildcards import TermPatterns, expanded

TERMS = ("election", "elect", "electric", "election campaign", "woman", "women", "prime minister", "prime ministers")


@pytest.mark.parametrize(
    ("pattern", "found"),
    [
        ("elect*", ["election", "elect", "electric"]),
        ("ELECT*", ["election", "elect", "electric"]),
        ("elect???", ["election", "electric"]),
        ("wom?n", ["woman", "women"]),
        ("*ric", ["electric"]),
        ("prime  minister*", ["prime minister", "prime ministers"]),
        ("elect* camp*", ["election campaign"]),
        ("x*", []),
        ("elect.*", []),
    ],
)
def test_a_pattern_matches_word_by_word(pattern, found):
    assert [TERMS[number] for number in TermPatterns(TERMS).matching(pattern)] == found


@given(st.text("ab*?", min_size=1, max_size=5), st.lists(st.text("ab", min_size=1, max_size=4), max_size=5))
def test_a_pattern_of_one_word_is_a_glob(pattern, terms):
    assert [terms[number] for number in TermPatterns(terms).matching(pattern)] == [
        term for term in terms if fnmatch.fnmatchcase(term, pattern)
    ]


@pytest.mark.parametrize("name", ["who are you?", "what now???", "books", "*", "?", "!?!", "* ?"])
def test_questions_and_signs_alone_are_no_patterns(name):
    assert not has_wildcard(name)


def test_names_and_pinned_terms_are_replaced_by_what_they_match():
    seeds = as_seeds(
        {
            "politics": {
                "names": ["elect*", "Election", "parlia*"],
                "pinned": ["prime*", "wom?n"],
                "negative": ["electri*"],
            },
            "family": {"pinned": ["women"]},
        }
    )
    politics, family = expanded(seeds, TERMS).seeds
    assert politics.names == ("election", "elect", "parlia")  # not "electric"; nothing begins with "parlia"
    assert politics.pinned == ("prime*", "woman")  # no word alone matches "prime*"; "women" is pinned elsewhere
    assert politics.negative == ("electri*",)
    assert family == seeds.seeds[1]


def test_seeds_without_wildcards_stay_what_they_are():
    seeds = as_seeds(["books", "who are you?"])
    assert expanded(seeds, TERMS) is seeds


def test_a_match_that_is_pinned_by_name_elsewhere_is_left_out_whatever_its_case():
    seeds = as_seeds({"a": {"pinned": ["Foo*"]}, "b": {"pinned": ["Football"]}})
    first, _ = expanded(seeds, ["Football", "Footer"]).seeds
    assert first.pinned == ("Footer",)


def test_wildcards_stand_for_terms_of_the_index(index):
    asked = {"balls": {"names": ["foot*"], "pinned": ["*keeper", "zz*"], "negative": ["ten*"]}, "food": None}
    balls, _ = discover(index, asked)
    assert balls.names == ("football",)
    assert balls.in_vocabulary
    assert list(balls)[:2] == ["goalkeeper", "football"]
    assert "tennis" not in list(balls)
    assert any("not terms of the documents: zz*" in warning for warning in balls.warnings)
    assert [each.name for each in check(index, asked).names] == ["football", "food"]


def test_negative_terms_that_match_nothing_are_reported(index):
    asked = {"sports": {"negative": ["tennis", "foot*", "goalkeper", "zz*"]}, "food": None}
    sports, food = discover(index, asked)
    assert "negative, but not terms of the documents: goalkeper, zz*" in sports.warnings
    assert not any("negative" in warning for warning in food.warnings)


def test_a_name_of_two_categories_goes_to_the_one_it_fits(index):
    topics = discover(index, {"sports": ["stadium", "soup"], "cooking": ["soup", "oven"]})
    assert "soup" in list(topics["cooking"])
    assert "soup" not in list(topics["sports"])
    turned = discover(index, {"cooking": ["soup", "oven"], "sports": ["stadium", "soup"]})
    assert list(turned["cooking"]) == list(topics["cooking"])


def test_a_tree_gets_a_topic_for_each_node(index):
    topics = discover(index, {"leisure": {"sports and games": None, "cooking & cuisine": None}, NAMES[2]: None})
    assert [topic.name for topic in topics] == ["leisure", *NAMES]
    assert set(list(topics[1])[:5]) <= set(PLANTED["sport"].split(" "))
