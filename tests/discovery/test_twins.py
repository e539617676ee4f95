"""Names that mean nearly the same share documents and terms."""

from dataclasses import replace

import numpy as np
import pytest

from planted import NAMES
from seetopic import Index, as_seeds
from seetopic.discovery import run as running
from seetopic.discovery.evidence.confidence import topic_confidence
from seetopic.discovery.query import Query
from seetopic.discovery.run import Discovery, find
from seetopic.discovery.sampled import Reading
from seetopic.discovery.self_training import Features, SortedSample
from seetopic.discovery.tree import Tree
from seetopic.discovery.twins import Twins, _dealt, dealt_reading, twins_among

TWINS = [NAMES[0], "games and sports", *NAMES[1:]]


@pytest.fixture(scope="module")
def run(index: Index) -> Discovery:
    return find(Query(index, as_seeds(TWINS)))


def test_twins_are_linked_by_the_names_between_them():
    near = np.array([[1, 0, 0], [0.9, 0.436, 0], [0.62, 0.78, 0], [0, 0, 1]], np.float32)
    assert twins_among(near) == Twins(((0, 1, 2), (3,)))
    assert twins_among(np.eye(3, dtype=np.float32)) is None


def test_in_a_tree_only_leaves_of_one_parent_are_twins():
    same = np.ones((7, 1), np.float32)
    tree = Tree((-1, 0, 0, -1, 3, 3, -1), 7)  # two parents with two children each, and a name without children
    assert twins_among(same, tree) == Twins(((0,), (1, 2), (3,), (4, 5), (6,)))
    assert twins_among(same[:4], Tree((-1, 0, 1, 2), 4)) is None  # a chain


def test_themes_stay_below_their_parents_when_twins_are_told_apart():
    seeds = as_seeds({"a": {"children": ["b", "c"]}, "d": {"children": ["e", "f"]}})
    twins = Twins(((0,), (1, 2), (3,), (4,), (5,)))
    grouped = Tree((-1, 0, -1, 2, 2, 2, -1), 5)  # a, b and c, d, e, f; a theme below d, and one below none
    assert twins.apart(grouped, seeds) == Tree((-1, 0, 0, -1, 3, 3, 3, -1), 6)


def test_twins_exclude_together_what_each_excludes_whatever_its_case():
    seeds = as_seeds({"a": {"negative": ["Goal", "foul"]}, "b": {"negative": ["goal"]}})
    assert Twins(((0, 1),)).merged(seeds).seeds[0].negative == ("Goal",)


def test_terms_are_dealt_out_by_what_tells_the_names_apart():
    similarity = np.array([[0.9, 0.1, 0.8, 0.2], [0.1, 0.9, 0.2, 0.8]], np.float32)
    assert _dealt([0, 1, 2, 3], similarity, np.zeros((2, 4), bool)) == [[0, 2], [1, 3]]


def test_a_barred_term_is_not_dealt_to_the_name_that_excludes_it():
    barred = np.array([[True, False], [False, False]])
    hands = _dealt([0, 1], np.array([[0.9, 0.1], [0.1, 0.9]], np.float32), barred)
    assert 0 not in hands[0]


def test_neither_twin_is_left_with_scraps_and_no_term_is_in_two_topics(run):
    first, second, *others = run.topics
    assert len(first.terms) >= 3
    assert abs(len(first.terms) - len(second.terms)) <= 2
    shown = [term.term for topic in run.topics for term in topic.terms]
    assert len(shown) == len(set(shown))
    alone = {term.term for term in find(Query(run.index, as_seeds(NAMES))).topics[0].terms}
    assert {term.term for topic in (first, second) for term in topic.terms} >= alone - set(TWINS)
    assert all("mean nearly the same" in topic.warnings[0] for topic in (first, second))
    assert not any("nearly the same" in warning for topic in others for warning in topic.warnings)


def test_a_note_tells_all_twins_together_and_warnings_tell_each(index):
    names = [NAMES[0], "games, and sports", "sports games", *NAMES[1:]]
    topics = find(Query(index, as_seeds(names))).topics
    assert [sum("nearly the same" in each for each in topic.warnings) for topic in topics] == [1, 1, 1, 0, 0]
    (note,) = (each for each in topics.notes if "nearly the same" in each)
    assert note.startswith(f"{NAMES[0]!r}, 'games, and sports' and 'sports games' mean nearly the same")


def test_the_confidence_of_a_topic_does_not_depend_on_names_that_mean_nearly_the_same(run):
    """Compared with each other, names of one meaning would look as if their terms fitted neither."""
    constraints = running._constraints(run.query, run.uncovered)
    for twin in (0, 1):
        terms = [term for term in run.found.deep[twin] if term not in constraints.fixed[twin]]
        vectors, local = np.asarray(run.index.general), np.asarray(run.index.local)
        alone = topic_confidence(run.names[[twin]], vectors, local, [terms])
        assert round(float(alone[0]), 2) == run.topics[twin].confidence > 0


def test_fewer_terms_of_twins_are_the_first_ones_with_the_same_confidence(run):
    fewer = find(replace(run.query, settings=replace(run.settings, top=3))).topics
    assert [list(topic) for topic in fewer] == [list(topic)[:3] for topic in run.topics]
    assert [topic.confidence for topic in fewer] == [topic.confidence for topic in run.topics]


def test_shares_of_twins_add_up_to_those_of_their_group(run):
    assert run.reading is not None
    np.testing.assert_allclose(run.reading.memberships.sum(axis=1), 1)
    alone = find(Query(run.index, as_seeds(NAMES))).reading.memberships
    together = run.reading.memberships[:, 0] + run.reading.memberships[:, 1]
    assert np.corrcoef(alone[:, 0], together)[0, 1] > 0.95


def test_other_names_keep_the_shares_that_they_have_beside_the_group(index):
    twins = Twins(((0, 1), (2,)))
    features = Features.of(np.random.default_rng(0).normal(size=(6, 4)).astype(np.float32))
    names = np.eye(3, 4, dtype=np.float32)
    whole = np.array([[0.9, 0.1], [0.2, 0.8], [0.5, 0.5], [1.0, 0.0], [0.0, 1.0], [0.3, 0.7], [0.6, 0.4]])
    zeros = np.zeros((6, 2))
    group = Reading(SortedSample(zeros, np.zeros((4, 2)), np.zeros(2), zeros), whole)  # the last one was not read
    dealt = dealt_reading(group, twins, names, features, 0.7).memberships
    np.testing.assert_allclose(dealt[:, 2], whole[:, 1])
    np.testing.assert_allclose(dealt[:, :2].sum(axis=1), whole[:, 0])
    assert dealt[6, 0] == dealt[6, 1] == 0.3
    nearness = features.centred[:, :2] / features.centred[:, :2].std(axis=0)
    some = whole[:6, 0] > 0
    np.testing.assert_array_equal((dealt[:6, 0] > dealt[:6, 1])[some], (nearness[:, 0] > nearness[:, 1])[some])


def test_twins_may_have_a_name_in_common_whatever_its_case(index):
    twins = {TWINS[0]: ["World cup"], TWINS[1]: ["world cup"]}
    seeds = as_seeds({**twins, **dict.fromkeys(NAMES[1:])})
    merged = Twins(((0, 1), (2,), (3,))).merged(seeds)
    assert merged.seeds[0].names == (TWINS[0], "World cup", TWINS[1])
    assert [topic.name for topic in find(Query(index, seeds)).topics] == list(seeds.names)


def test_the_paper_and_vectors_of_the_user_know_no_twins(index):
    apart = Query(index, as_seeds(TWINS), name_vectors={TWINS[0]: np.zeros(384, np.float32)})
    assert not apart.may_merge_names
    assert Query(index, as_seeds(TWINS)).may_merge_names
