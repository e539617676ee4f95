"""Evidence from documents and the language model, checked against the equations written out."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import array_shapes, arrays
from scipy.sparse import csc_array, csr_array

from planted import NAMES
from seetopic import Index
from seetopic.discovery.evidence import StartRemembered
from seetopic.discovery.evidence.confidence import topic_confidence
from seetopic.discovery.evidence.documents import (
    MatchedDocumentsEvidence,
    ReadDocumentsEvidence,
    clear_memberships,
    typical_among_neighbours,
    typical_of_nearest,
    typical_terms,
)
from seetopic.discovery.evidence.general import DRIFT, GeneralEvidence, closeness
from seetopic.discovery.evidence.similarity import contrasted
from seetopic.discovery.run import run_of
from seetopic.runtime import normalized
from seetopic.settings import DEFAULT


def z_written_out(documents: np.ndarray, memberships: np.ndarray, term: int, category: int) -> float:
    inside = sum(documents[d, term] * memberships[d, category] for d in range(len(documents)))
    everywhere = sum(documents[d, term] * memberships[d].sum() for d in range(len(documents)))
    size, total = memberships[:, category].sum(), memberships.sum()
    outside = everywhere - inside
    odds = np.log((inside + 0.5) / (size - inside + 0.5)) - np.log((outside + 0.5) / (total - size - outside + 0.5))
    return odds / np.sqrt(1 / (inside + 0.5) + 1 / (outside + 0.5))


@given(st.integers(0, 1000))
def test_typical_terms_are_z_scores_of_log_odds(seed):
    chance = np.random.default_rng(seed)
    documents = (chance.random((7, 5)) < 0.4).astype(np.float32)
    memberships = chance.dirichlet(np.ones(3), 7)
    found = typical_terms(csc_array(documents), memberships)
    expected = [[z_written_out(documents, memberships, term, category) for term in range(5)] for category in range(3)]
    assert found == pytest.approx(np.array(expected), abs=1e-4)


def test_what_the_nearest_documents_contain_is_typical_of_a_name():
    documents = csc_array(np.array([[1, 0, 0], [1, 1, 0], [0, 1, 0], [0, 0, 1], [0, 1, 1], [1, 1, 1]], np.float32))
    nearness = np.array([0.9, 0.8, 0.1, 0.2, 0.3])
    for number in (2, 4):
        nearest = np.isin(np.arange(5), np.argsort(-nearness)[:number]).astype(float)
        memberships = np.column_stack([nearest, 1 - nearest])
        read = documents.toarray()[:5]
        expected = [z_written_out(read, memberships, term, 0) for term in range(3)]
        assert typical_of_nearest(documents, nearness, number) == pytest.approx(np.array(expected), abs=1e-4)


@pytest.mark.parametrize("asked", [NAMES[:1], NAMES[:2]])
def test_a_single_name_has_the_terms_of_the_documents_nearest_to_it(index: Index, asked):
    run = run_of(index, asked)
    assert run.reading is not None
    assert len(run.uncovered.centres) > 0  # there is something to compare with
    read = slice(run.sampled.n_read)
    number = max(20, round(DEFAULT.discovery.sorting.kept * run.reading.memberships[read, 0].sum()))
    by_nearness = typical_of_nearest(run.sampled.by_term, run.reading.found.by_name[:, 0], number)
    expected = np.argsort(-by_nearness, kind="stable")[:20].tolist()
    assert (run.found.ranked["documents"][0][:20].tolist() == expected) == (len(asked) == 1)


def test_a_term_of_one_subject_alone_is_typical_of_nothing_within_it():
    subjects = np.repeat([0, 1], 10)
    about = np.where(subjects == 0, 0.9, 0.1)  # the first category has most documents of the first subject
    advice = np.tile([1, 0], 10)
    documents = np.column_stack([subjects == 0, advice]).astype(np.float32)
    first = about + np.where(advice, 0.05, -0.05)
    memberships = np.column_stack([first, 1 - first])
    neighbours = np.array([np.flatnonzero(subjects == own) for own in subjects])
    of_subject, everywhere = typical_among_neighbours(csr_array(documents), memberships, neighbours)[0]
    assert abs(of_subject) < 1e-5
    assert everywhere > 0.1
    assert typical_terms(csc_array(documents), memberships)[0, 0] > 1


@given(st.integers(0, 1000))
def test_a_document_is_compared_with_its_neighbours(seed):
    chance = np.random.default_rng(seed)
    documents = (chance.random((9, 4)) < 0.5).astype(np.float32)
    memberships = chance.dirichlet(np.ones(3), 9)
    neighbours = np.array([chance.permutation(9)[:4] for _ in range(9)])
    found = typical_among_neighbours(csr_array(documents), memberships, neighbours)
    for category in range(3):
        for term in range(4):
            gain, spread = 0.0, 0.5
            for document in np.flatnonzero(documents[:, term]):
                expected = memberships[neighbours[document], category].mean()
                gain += memberships[document, category] - expected
                spread += expected * (1 - expected)
            assert found[category, term] == pytest.approx(gain / np.sqrt(spread), abs=1e-5)


def test_a_term_of_ones_own_documents_is_typical_and_a_rare_one_less_so():
    documents = np.zeros((40, 3), np.float32)
    documents[:20, 0] = 1  # in all documents of the first category
    documents[0, 1] = 1  # in one of them
    documents[:, 2] = 1  # everywhere
    memberships = np.repeat(np.eye(2), 20, axis=0)
    common, rare, everywhere = typical_terms(csc_array(documents), memberships)[0]
    assert common > rare > 0
    assert abs(everywhere) < 0.1


def test_a_document_belongs_where_its_hits_are_twice_the_second():
    documents = csr_array(np.array([[1, 1, 0], [1, 0, 1], [0, 0, 0], [0, 0, 1]], np.float32))
    memberships = clear_memberships(documents, np.array([1.0, 1.0, 1.0]), [[0, 1], [2]])
    assert memberships.tolist() == [[1, 0], [0, 0], [0, 0], [0, 1]]


def test_one_category_has_every_document_that_holds_one_of_its_terms():
    documents = csr_array(np.array([[1, 0], [0, 1]], np.float32))
    assert clear_memberships(documents, np.ones(2), [[0]]).tolist() == [[1], [0]]


def test_read_documents_do_not_depend_on_current_terms_and_matched_ones_do():
    documents = csr_array(np.eye(4, dtype=np.float32))
    read = ReadDocumentsEvidence(np.arange(8, dtype=np.float32).reshape(2, 4))
    matched = MatchedDocumentsEvidence(documents, np.ones(4))
    assert np.array_equal(read.scores([[0], [1]]), read.scores([[2], [3]]))
    assert not np.array_equal(matched.scores([[0], [1]]), matched.scores([[2], [3]]))


def test_contrast_takes_off_a_share_of_the_best_other_category():
    scores = np.array([[0.9, 0.2], [0.5, 0.4], [0.1, 0.6]], np.float32)
    expected = [[0.9 - 0.25, 0.2 - 0.3], [0.5 - 0.45, 0.4 - 0.3], [0.1 - 0.45, 0.6 - 0.2]]
    assert contrasted(scores, 0.5) == pytest.approx(np.array(expected), abs=1e-6)


def test_one_category_has_nothing_to_stand_out_from():
    scores = np.array([[0.9, 0.2]], np.float32)
    assert contrasted(scores.copy(), 0.5).tolist() == scores.tolist()
    beside = np.array([[0.9, 0.2], [0.5, 0.4]], np.float32)
    assert contrasted(beside.copy(), 0.5, np.array([True, False])).tolist() == beside.tolist()


def test_only_rivals_lower_the_scores_of_others():
    scores = np.array([[0.9, 0.2], [0.5, 0.4], [0.8, 0.9]], np.float32)
    found = contrasted(scores.copy(), 0.5, np.array([True, True, False]))
    assert found[:2].tolist() == contrasted(scores[:2].copy(), 0.5).tolist()
    assert found[2] == pytest.approx(np.array([0.8 - 0.45, 0.9 - 0.2]))


def test_the_names_vector_counts_as_so_many_terms():
    vectors = np.eye(3, dtype=np.float32)
    names = np.array([[0, 0, 1]], np.float32)
    scores = GeneralEvidence(vectors, names, name_pull=2.0).scores([[0, 1]])
    # Two terms, and the name as two more; a topic this far from its name is held back by five more.
    assert scores[0].tolist() == pytest.approx([1 / 9, 1 / 9, 7 / 9], abs=1e-6)


def test_a_topic_near_its_name_is_not_held_back():
    vectors = np.eye(3, dtype=np.float32)
    names = vectors[[0]]
    scores = GeneralEvidence(vectors, names, name_pull=1.0).scores([[0]])
    assert scores[0].tolist() == pytest.approx([1.0, 0.0, 0.0], abs=1e-6)


def test_confidence_is_how_near_the_middle_term_is_and_how_much_nearer_than_to_other_names():
    similarity = np.array([[0.8, 0.6, 0.1, 0.1], [0.2, 0.2, 0.5, 0.3]], np.float32)
    # Name 0 has 0.4 with any term. Its terms have 0.7, and 0.5 more than with name 1: (0.3 + 0.5) of 0.6, so 1.
    # Name 1 has 0.3 with any term. Its term has 0.3, and 0.2 more than with name 0: (0 + 0.2) of 0.7.
    assert closeness(similarity, [[0, 1], [3]]).tolist() == pytest.approx([1.0, 2 / 7], abs=1e-6)


@given(st.integers(0, 10_000), st.integers(2, 6))
def test_confidence_is_the_definition_written_out(seed, n_names):
    chance = np.random.default_rng(seed)
    similarity = chance.random((n_names, 9)).astype(np.float32)
    current = [chance.permutation(9)[: chance.integers(1, 6)].tolist() for _ in range(n_names)]
    for category, (terms, found) in enumerate(zip(current, closeness(similarity, current), strict=True)):
        own, others = similarity[category, terms], np.delete(similarity, category, axis=0)[:, terms]
        anywhere = similarity[category].mean()
        gain = np.median(own) - anywhere + np.median(own - others.mean(axis=0))
        assert found == pytest.approx(np.clip(gain / (1 - anywhere), 0, 1), abs=1e-5)


def test_a_name_of_the_same_meaning_takes_no_confidence_from_a_topic():
    similarity = np.array([[0.7, 0.0, 0.0], [0.75, 0.0, 0.0], [0.0, 0.5, 0.5]], np.float32)
    alike, _, _ = closeness(similarity, [[0], [0], [1]])
    assert alike > DRIFT


def test_one_name_alone_is_compared_with_what_it_has_with_any_term():
    similarity = np.array([[0.9, 0.3, 0.3, 0.3]], np.float32)
    assert closeness(similarity, [[0]]).tolist() == pytest.approx([1.0])
    assert closeness(similarity, [[1]]).tolist() == pytest.approx([0.0])


def test_a_topic_is_trusted_if_its_terms_together_are_near_to_its_name_and_used_alike():
    chance = np.random.default_rng(0)
    anything = normalized(chance.standard_normal((5000, 64)).astype(np.float32))
    name, away = np.eye(64, dtype=np.float32)[:2]
    around = normalized(0.4 * name + 0.6 * away + 0.02 * chance.standard_normal((10, 64)).astype(np.float32))
    vectors, terms = np.vstack([around, anything]), [list(range(10))]
    used = np.eye(10, 20), np.full((10, 20), 20**-0.5)
    apart, alike = (np.vstack([own, np.zeros((5000, 20))]).astype(np.float32) for own in used)
    near, far = (topic_confidence(each[None], vectors, alike, terms)[0] for each in (away, anything[0]))
    assert far < near
    assert topic_confidence(away[None], vectors, apart, terms)[0] < near
    assert topic_confidence(name[None], vectors, alike, [[]]).tolist() == [0.0]
    # A model for which all terms are near to each other is measured from there.
    narrow = normalized(vectors + 3 * np.eye(64, dtype=np.float32)[2])
    turned = normalized(anything[:1] + 3 * np.eye(64, dtype=np.float32)[2])
    assert topic_confidence(turned, narrow, alike, terms)[0] == pytest.approx(far, abs=0.15)


def test_a_topic_without_terms_has_no_confidence():
    assert closeness(np.ones((1, 2), np.float32), [[]]).tolist() == [0.0]


@given(arrays(np.float32, array_shapes(min_dims=2, max_dims=2, max_side=6), elements=st.sampled_from([-0.5, 0.25, 1])))
def test_contrast_is_the_definition_written_out_also_where_categories_tie(scores):
    found = contrasted(scores.copy(), 0.5)
    for category, term in np.ndindex(scores.shape):
        others = np.delete(scores[:, term], category)
        assert found[category, term] == scores[category, term] - 0.5 * (others.max() if len(others) else 0)


def test_every_pass_begins_with_what_was_said_first():
    asked = []

    class Asked:
        name = "asked"

        def scores(self, current):
            asked.append(current)
            return np.full((1, 2), len(asked), np.float32)

    evidence = StartRemembered(Asked())
    said = [evidence.scores([[term]])[0, 0] for term in (0, 1, 0, 1, 0)]
    assert said == [1, 2, 1, 3, 1]
    assert evidence.name == "asked"
