"""Names that no document is about: they get no documents, and leave the other topics as they are."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from planted import PLANTED, planted_documents
from seetopic import Index, discover
from seetopic.classify import sorter_for
from seetopic.discovery.ranking import Entries, pick_best

ABSENT = "medieval castles"
HARDLY = "hardly any document is about this name"


@pytest.fixture(scope="module")
def large(cache: Path, tmp_path_factory: pytest.TempPathFactory) -> Index:
    """So many documents that it can be told what none of them is about."""
    return Index.build(planted_documents(1100), tmp_path_factory.mktemp("large") / "index", cache=cache, n_jobs=1)


def test_the_other_topics_are_the_same_to_the_bit_and_the_absent_one_says_so(large):
    alone, beside = discover(large, [*PLANTED]), discover(large, [*PLANTED, ABSENT])
    assert [topic.terms for topic in beside][:-1] == [topic.terms for topic in alone]
    assert not set(beside[ABSENT]) & {term for topic in alone for term in topic}
    assert [any(HARDLY in each for each in topic.warnings) for topic in beside] == [False, False, False, True]


def test_an_absent_name_gets_no_documents(large):
    documents = planted_documents(200, seed=5)
    sorter = sorter_for(large, [*PLANTED, ABSENT])
    vectors = large.encode_texts(documents)
    for shares in (sorter.shares(sorter.terms_in(documents)), sorter.shares(sorter.terms_in(documents), vectors)):
        assert (shares[:, :3].argmax(axis=1) == np.arange(200) % 3).mean() > 0.95
        assert (shares.argmax(axis=1) != 3).all()


def test_a_tree_can_have_absent_names(large):
    names = [*PLANTED]
    tree = {"nature": {names[2]: None}, "daily life": {names[0]: None, names[1]: None, ABSENT: None}}
    warned = [topic.name for topic in discover(large, tree) if any(HARDLY in each for each in topic.warnings)]
    assert warned == [ABSENT]


def test_a_name_with_an_example_is_not_absent(large):
    seeds = {**dict.fromkeys(PLANTED), ABSENT: {"examples": ["The knights defended the castle."]}}
    assert not any(HARDLY in each for each in discover(large, seeds)[ABSENT].warnings)


def test_few_documents_cannot_tell_that_a_name_is_absent(index):
    assert not any(HARDLY in each for each in discover(index, [*PLANTED, ABSENT])[ABSENT].warnings)


def test_names_for_another_corpus_compete_as_usual(large):
    """If no document is about any of the names, none of them is told apart by that."""
    found = discover(large, ["medieval castles", "quantum chromodynamics", "tax law"])
    assert all(found)


def test_those_that_come_last_pick_from_what_the_others_leave():
    scores = Entries(np.array([0, 0, 1, 1, 1]), np.array([0, 1, 0, 1, 2]), np.array([0.5, 0.4, 0.9, 0.8, 0.1]), (2, 3))
    assert pick_best(scores, 2) == [[], [0, 1]]
    assert pick_best(scores, 2, np.array([False, True])) == [[0, 1], [2]]
    assert pick_best(scores, 1, np.array([False, True])) == [[0], [1]]
    assert pick_best(scores, 2, np.array([True, True])) == [[], [0, 1]]
