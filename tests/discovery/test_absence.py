"""Names that no document is about: they get no documents, and leave the other topics as they are."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from planted import PLANTED, planted_documents
from seetopic import Index, discover
from seetopic.classify import sorter_for
from seetopic.classify.taught import taught_sorter
from seetopic.corpus import Judgement, Judgements
from seetopic.discovery.ranking import Entries, pick_best

ABSENT = "medieval castles"
NONE = "no document seems to be about this name"


@pytest.fixture(scope="module")
def large(cache: Path, tmp_path_factory: pytest.TempPathFactory) -> Index:
    """So many documents that it can be told what none of them is about."""
    return Index.build(planted_documents(1100), tmp_path_factory.mktemp("large") / "index", cache=cache, n_jobs=1)


def test_the_other_topics_are_the_same_and_the_absent_one_says_so(large):
    alone, beside = discover(large, [*PLANTED]), discover(large, [*PLANTED, ABSENT])
    assert [topic.terms for topic in beside][:-1] == [topic.terms for topic in alone]
    assert not set(beside[ABSENT]) & {term for topic in alone for term in topic}
    assert [any(NONE in each for each in topic.warnings) for topic in beside] == [False, False, False, True]


def test_many_absent_names_are_told_apart_from_the_others(large):
    many = [ABSENT, "quantum physics", "stock market", "railway timetables", "tax law", "ballet"]
    topics = discover(large, [*PLANTED, *many])
    assert [any(NONE in each for each in topic.warnings) for topic in topics] == [False] * 3 + [True] * len(many)


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
    warned = [topic.name for topic in discover(large, tree) if any(NONE in each for each in topic.warnings)]
    assert warned == [ABSENT]


def test_a_name_with_an_example_is_not_absent(large):
    seeds = {**dict.fromkeys(PLANTED), ABSENT: {"examples": ["The knights defended the castle."]}}
    assert not any(NONE in each for each in discover(large, seeds)[ABSENT].warnings)


def test_few_documents_cannot_tell_that_a_name_is_absent(index):
    assert not any(NONE in each for each in discover(index, [*PLANTED, ABSENT])[ABSENT].warnings)


def test_names_for_another_corpus_have_terms_but_hardly_any_documents(large):
    names, documents = ["medieval castles", "quantum chromodynamics", "tax law"], planted_documents(200, seed=5)
    found, sorter = discover(large, names), sorter_for(large, names)
    assert all(found)
    assert found.coverage < 0.1
    assert len(found.residual) >= 3
    assert all(any("hardly any document" in each or "no term" in each for each in t.warnings) for t in found)
    for vectors in (None, large.encode_texts(documents)):
        shares = sorter.shares(sorter.terms_in(documents), vectors)
        assert (shares.argmax(axis=1) == len(names)).mean() > 0.9


def test_those_that_come_last_pick_from_what_the_others_leave():
    scores = Entries(np.array([0, 0, 1, 1, 1]), np.array([0, 1, 0, 1, 2]), np.array([0.5, 0.4, 0.9, 0.8, 0.1]), (2, 3))
    assert pick_best(scores, 2) == [[], [0, 1]]
    assert pick_best(scores, 2, np.array([False, True])) == [[0, 1], [2]]
    assert pick_best(scores, 1, np.array([False, True])) == [[0], [1]]
    assert pick_best(scores, 2, np.array([True, True])) == [[], [0, 1]]


def test_one_name_beside_absent_ones_is_as_alone(large):
    (name,) = [*PLANTED][:1]
    alone, beside = discover(large, [name]), discover(large, [name, ABSENT])
    assert np.isfinite([term.score for term in beside[name].terms]).all()
    assert set(alone[name]) == set(beside[name])


def test_a_tree_without_any_present_name_has_no_documents_in_parents(large):
    sorter = sorter_for(large, {"history": {ABSENT: None, "knights and armour": None}, "physics": {"quarks": None}})
    shares = sorter.shares(sorter.terms_in(planted_documents(60, seed=5)))
    assert (shares[:, :5].argmax(axis=1) != 0).all()
    assert shares.sum(axis=1) == pytest.approx(1)


def test_a_saved_sorter_keeps_names_closed(large, tmp_path):
    sorter, documents = sorter_for(large, [*PLANTED, ABSENT]), planted_documents(20, seed=5)
    sorter.save(tmp_path)
    again = type(sorter).load(tmp_path)
    found = again.shares(again.terms_in(documents))
    assert (found[:, 3] == 0).all()
    assert found.tobytes() == sorter.shares(sorter.terms_in(documents)).tobytes()


def test_judgements_open_a_name_again(large):
    accepted = [{"category": ABSENT, "term": "telescope", "belongs": True}]
    found = discover(large, [*PLANTED, ABSENT], judgements=accepted)
    assert not any(NONE in each for each in found[ABSENT].warnings)
    assert "telescope" in found[ABSENT]


def test_a_sorter_alone_opens_a_name_again_for_judged_texts(large):
    sorter, documents = sorter_for(large, [*PLANTED, ABSENT]), planted_documents(60, seed=5)
    judged = Judgements(tuple(Judgement(ABSENT, document=documents[number]) for number in range(0, 60, 3)))
    again = taught_sorter(sorter, judged)
    assert (again.shares(again.terms_in(documents)).argmax(axis=1) == 3)[::3].mean() > 0.5
