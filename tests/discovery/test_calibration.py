"""Shares as probabilities: together with that of none they add up to 1, and they match how often they are right."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from seetopic.discovery.calibration import (
    BY_TERMS,
    READ,
    even_shares,
    expected_accuracy,
    have_names,
    joined_with_none,
    level_of_none,
    mixed,
    shares_with_none,
    trust_by_judged,
    trust_for,
)
from seetopic.discovery.self_training import CLOSED, shares
from seetopic.discovery.tree import Tree


@given(st.integers(1, 4), st.integers(0, 3), st.floats(0.05, 1.0), st.integers(0, 9))
def test_shares_add_up_to_1_with_none_among_them_and_keep_their_order(n_names, n_residual, trust, seed):
    scores = np.random.default_rng(seed).normal(size=(12, n_names + n_residual))
    plain = shares_with_none(scores, n_names, 0.7)
    calibrated = mixed(plain, even_shares(np.zeros(n_names + n_residual), n_names), trust)
    assert calibrated.shape == (12, n_names + 1)
    assert calibrated.sum(axis=1) == pytest.approx(1)
    assert (calibrated.argmax(axis=1) == plain.argmax(axis=1)).all()
    expected = shares(scores, 0.7)
    assert plain[:, :n_names] == pytest.approx(expected[:, :n_names])
    assert plain[:, -1] == pytest.approx(expected[:, n_names:].sum(axis=1))


def test_what_no_document_can_belong_to_has_no_even_share():
    assert even_shares(np.zeros(4), 4).tolist() == [0.25, 0.25, 0.25, 0.25, 0.0]  # names that cover everything
    assert even_shares(np.zeros(5), 4).tolist() == [0.2, 0.2, 0.2, 0.2, 0.2]
    assert even_shares(np.array([0.0, -CLOSED, 0.0, 0.0]), 3).tolist() == pytest.approx([1 / 3, 0, 1 / 3, 1 / 3])


def test_in_a_tree_even_shares_are_the_same_at_each_level():
    # A root, its two children, and a root without children; themes: one of the first root, one of none.
    tree, offsets = Tree((-1, 0, 0, -1, 0, -1), 4), np.array([-CLOSED, 0.0, 0.0, 0.0, 0.0, 0.0])
    assert even_shares(offsets, 4, tree) == pytest.approx([1 / 9, 1 / 9, 1 / 9, 1 / 3, 1 / 3])
    assert even_shares(offsets[:4], 4, Tree((-1, 0, 0, -1), 4)).tolist() == [0.0, 0.25, 0.25, 0.5, 0.0]
    closed = np.array([-CLOSED, -CLOSED, -CLOSED, 0.0, 0.0])
    assert even_shares(closed, 4, Tree((-1, 0, 0, -1, -1), 4)).tolist() == [0.0, 0.0, 0.0, 0.5, 0.5]
    plain = np.array([[0.0, 0.3, 0.1, 0.2, 0.15, 0.25]])
    assert joined_with_none(plain, 4, tree)[0] == pytest.approx([0.15, 0.3, 0.1, 0.2, 0.25])


def test_many_children_do_not_take_a_document_from_none():
    tree = Tree((-1, *[0] * 10, -1), 11)
    joined = np.array([[0.0, *[0.03] * 10, 0.7]])
    even = even_shares(np.array([-CLOSED, *[0.0] * 11]), 11, tree)
    calibrated = mixed(joined, even, 0.3)[0]
    assert calibrated[:11].sum() < calibrated[11]


def test_the_trust_brings_the_largest_shares_to_the_accuracy():
    scores = 2 * np.random.default_rng(0).normal(size=(500, 6))
    plain, even = shares_with_none(scores, 4, 0.7), even_shares(np.zeros(6), 4)
    for accuracy in (0.3, 0.5, 0.7):
        trust = trust_for(plain, accuracy, even)
        assert mixed(plain, even, trust).max(axis=1).mean() == pytest.approx(accuracy, abs=0.001)


def test_shares_are_never_made_steeper():
    scores = 0.1 * np.random.default_rng(0).normal(size=(500, 6))
    assert trust_for(shares_with_none(scores, 4, 0.7), 0.99, even_shares(np.zeros(6), 4)) == 1.0


def test_a_single_category_without_themes_has_every_document():
    plain, even = shares_with_none(np.zeros((5, 1)), 1, 0.7), even_shares(np.zeros(1), 1)
    assert mixed(plain, even, trust_for(plain, 0.5, even)).tolist() == [[1.0, 0.0]] * 5


def test_what_agrees_with_the_names_is_taken_for_right():
    chance = np.random.default_rng(0)
    by_name, other = (shares(chance.normal(size=(500, 4)), 0.7) for _ in range(2))
    assert expected_accuracy(other, by_name, READ) < 0.1 < 0.98 < expected_accuracy(by_name, by_name, READ) <= 1
    assert expected_accuracy(other, by_name, READ) < expected_accuracy(other, by_name, BY_TERMS)


def test_judged_documents_that_are_sorted_right_raise_the_trust_and_wrong_ones_lower_it():
    chance = np.random.default_rng(0)
    truth = chance.integers(0, 3, 200)
    allowed = np.eye(3, dtype=bool)[truth]
    right = 3.0 * allowed + 0.3 * chance.normal(size=(200, 3))
    wrong = 3.0 * np.roll(allowed, 1, axis=1) + 0.3 * chance.normal(size=(200, 3))
    even = even_shares(np.zeros(3), 3)
    high, low = (trust_by_judged(each, allowed, 3, 0.7, even, 0.5) for each in (right, wrong))
    assert low < 0.1 < 0.9 < high


def test_in_a_tree_a_document_of_a_parent_but_of_no_child_can_be_sorted_right():
    tree = Tree((-1, 0, 0, 0), 3)  # a parent with two children, and a theme that is about the parent
    allowed = np.tile([False, False, False, True], (50, 1))
    scores = np.where(allowed, 3.0, np.where(np.arange(4) == 0, -CLOSED, 0.0))
    even = even_shares(scores[0], 3, tree)
    assert trust_by_judged(scores, allowed, 3, 0.7, even, 0.5, tree) > 0.9


def test_a_document_belongs_to_a_tree_if_its_root_has_more_than_none():
    tree = Tree((-1, 0, 0, -1), 3)  # a root with two children, and a residual theme
    joined = np.array([[0.0, 0.3, 0.3, 0.4], [0.1, 0.2, 0.1, 0.6]])
    assert have_names(joined, tree).tolist() == [True, False]
    assert have_names(joined).tolist() == [False, False]


def test_a_level_of_none_gives_names_as_many_documents_as_themes_leave_them():
    scores = np.random.default_rng(0).normal(size=(400, 5))
    level = level_of_none(scores, 2, 0.7)
    assert level is not None
    by_themes = have_names(shares_with_none(scores, 2, 0.7))
    by_level = scores[:, :2].max(axis=1) > level
    assert by_level.sum() == by_themes.sum()
    both = shares_with_none(scores, 2, 0.7, level=level)
    assert both.sum(axis=1) == pytest.approx(1)
    # Of two documents with the same scores in the names, the one that is nearer to a theme may still belong to a name.
    assert (by_level & ~by_themes).any()
    alone = np.array([[2.0, 0.0, 2.2], [2.0, 0.0, -2.0]])
    apart = np.diff(shares_with_none(alone, 2, 0.7)[:, 0])
    assert 0 < np.diff(shares_with_none(alone, 2, 0.7, level=0.0)[:, 0]) < apart


@pytest.mark.parametrize(("in_names", "in_themes", "named"), [(1.0, 0.0, 10), (0.0, 1.0, 0)])
def test_a_level_may_leave_nothing_or_everything_to_none(in_names, in_themes, named):
    scores = np.column_stack([np.linspace(in_names, in_names + 0.1, 10), np.full(10, in_themes)])
    level = level_of_none(scores, 1, 0.7)
    assert level is not None
    assert (scores[:, 0] > level).sum() == named


def test_names_that_cover_everything_have_no_level_of_none():
    assert level_of_none(np.zeros((3, 2)), 2, 0.7) is None
    assert level_of_none(np.zeros((0, 3)), 2, 0.7) is None
