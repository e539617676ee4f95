"""Shares averaged with those of the nearest documents: the same as written out, and never a jump."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from seetopic import Index
from seetopic.classify import sorter_of
from seetopic.discovery import run_of, sampled_documents
from seetopic.discovery.names import EncodedNames
from seetopic.discovery.nearest import NEAREST, averaged, averaged_with_known
from seetopic.discovery.run import neighbours_for
from seetopic.discovery.sampled import shares_of_read
from seetopic.index.themes import SampleThemes, find_centres, find_neighbours
from seetopic.runtime import normalized

NAMES = ["sports", "astronomy", "cooking"]


def unit_rows(n: int, seed: int, dimension: int = 8) -> np.ndarray:
    return normalized(np.random.default_rng(seed).normal(size=(n, dimension)).astype(np.float32))


def shares_at_random(n: int, seed: int, n_categories: int = 3) -> np.ndarray:
    return np.random.default_rng(seed).dirichlet(np.ones(n_categories), n)


def test_neighbours_are_the_nearest_other_documents_nearest_first():
    vectors = unit_rows(150, 0)
    for document, found in enumerate(find_neighbours(vectors)):
        nearness = vectors @ vectors[document]
        nearness[document] = -2
        assert sorted(nearness, reverse=True)[: len(found)] == pytest.approx(nearness[found])


def test_a_document_counts_as_much_as_its_neighbours_together():
    shares, neighbours = shares_at_random(150, 1), find_neighbours(unit_rows(150, 0))
    expected = [(own + shares[near[:NEAREST]].mean(axis=0)) / 2 for own, near in zip(shares, neighbours, strict=True)]
    assert averaged(shares, neighbours) == pytest.approx(np.array(expected))


@given(st.integers(0, 9), st.integers(NEAREST + 1, 60), st.integers(0, 5))
def test_other_documents_have_the_weighted_mean_of_the_nearest_known_ones(seed, n_known, n_new):
    known, new = unit_rows(n_known, seed), unit_rows(n_new, seed + 100)
    known_shares, shares = shares_at_random(n_known, seed), shares_at_random(n_new, seed + 1)
    found = averaged_with_known(shares, new, known, known_shares)
    for row, vector in enumerate(new):
        nearness = (known @ vector).astype(np.float64)
        order = np.argsort(-nearness)[: NEAREST + 1]
        weights = nearness[order] - nearness[order[-1]]
        near = (weights[:, None] * known_shares[order]).sum(axis=0) / weights.sum()
        assert found[row] == pytest.approx((shares[row] + near) / 2, abs=1e-5)
    assert found.sum(axis=1) == pytest.approx(1)


def test_shares_do_not_jump_where_one_known_document_takes_anothers_place():
    known, known_shares = unit_rows(300, 0), np.eye(2)[np.arange(300) % 2]
    first, second = unit_rows(2, 1)
    steps = normalized(np.linspace(first, second, 20_000, dtype=np.float32))
    found = averaged_with_known(np.full((len(steps), 2), 0.5), steps, known, known_shares)
    assert np.abs(np.diff(found, axis=0)).max() < 0.002  # one of 25 that jumps would change it by up to 0.02


def test_a_vector_of_zeros_is_as_near_to_all():
    found = averaged_with_known(
        np.array([[1.0, 0.0]]), np.zeros((1, 8), np.float32), unit_rows(40, 0), np.ones((40, 2)) / 2
    )
    assert found == pytest.approx(np.array([[0.75, 0.25]]))


def test_a_document_alone_has_the_shares_that_it_has_among_others(index, unseen):
    sorter = sorter_of(run_of(index, NAMES))
    matched, vectors = sorter.terms_in(unseen), index.encode_texts(unseen)
    together = sorter.shares(matched, vectors)
    for row in (0, 1, 50):
        alone = sorter.shares(sorter.terms_in(unseen[row : row + 1]), vectors[row : row + 1])
        assert alone == pytest.approx(together[row : row + 1], abs=1e-6)


def test_one_document_that_the_rule_gets_wrong_is_outvoted():
    """Two clear groups of documents; the rule is sure of the wrong one for document 0."""
    chance = np.random.default_rng(0)
    centres = np.repeat(np.eye(2, 8), 75, axis=0)
    vectors = normalized((centres + 0.1 * chance.normal(size=centres.shape)).astype(np.float32))
    shares = np.repeat([[0.9, 0.1], [0.1, 0.9]], 75, axis=0)
    shares[0] = [0.4, 0.6]
    assert averaged(shares, find_neighbours(vectors)).argmax(axis=1).tolist() == [0] * 75 + [1] * 75


def test_what_was_judged_stays_known(index):
    run = run_of(index, NAMES, judgements=[{"category": "sports", "document": 0, "belongs": True}])
    assert run.lessons is not None
    assert run.reading is not None
    row = int(run.lessons.rows[0])
    shares = shares_of_read(run.reading.found, run.lessons, 0.7, run.neighbours)
    assert shares[row].tolist() == [1.0, 0.0, 0.0]


def test_names_that_cut_across_subjects_have_no_neighbours():
    """Documents about 25 events, each with one of four things that are said about events."""
    events, kinds, size = 25, 4, 1200
    axes, number = np.eye(events + kinds, dtype=np.float32), np.arange(size)
    noise = 0.02 * np.random.default_rng(0).normal(size=(size, events + kinds))
    vectors = normalized(axes[number % events] + 0.5 * axes[events + (number // events) % kinds] + noise).astype("f4")
    index = SimpleNamespace(themes=SampleThemes(vectors, find_centres(vectors)), neighbours=find_neighbours(vectors))
    said, subjects = (EncodedNames(names, names, ()) for names in (axes[events:], axes[:kinds]))
    assert neighbours_for(index, said.spoken) is None
    assert neighbours_for(index, subjects.spoken) is index.neighbours


def test_a_small_corpus_has_none_and_is_sorted_all_the_same(tmp_path, cache, documents):
    few = Index.build(documents[:30], tmp_path / "few", cache=cache, n_jobs=1)
    run = run_of(few, NAMES)
    assert run.neighbours is None
    assert "known_vectors" not in sorter_of(run).arrays
    assert sampled_documents(few).n_read == 30
