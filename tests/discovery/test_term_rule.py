"""What read documents teach about words: compared with simple code, and on documents with a known answer."""

import numpy as np
import pytest
from scipy.sparse import csr_array

from seetopic.discovery.term_rule import SortedDocuments, log_ratios, rule_for_new, rule_for_sampled, sparse_ridge
from seetopic.index.sample import weighted_rows
from seetopic.settings import SortingSettings

N_TERMS, N_CATEGORIES = 30, 3


@pytest.fixture(scope="module")
def planted():
    """Ten terms for each category, of which a document contains four, and two from any category."""
    draw = np.random.default_rng(0)
    kinds = draw.integers(N_CATEGORIES, size=300)
    held = np.zeros((300, N_TERMS), np.float32)
    for row, kind in zip(held, kinds, strict=True):
        row[10 * kind + draw.permutation(10)[:4]] = 1
        row[draw.permutation(N_TERMS)[:2]] = 1
    local = np.repeat(np.eye(N_CATEGORIES), 10, axis=0) + 0.1 * draw.standard_normal((N_TERMS, N_CATEGORIES))
    return kinds, csr_array(held), local.astype(np.float32)


def known_part(kinds, documents, end=100):
    rows = weighted_rows(documents, np.ones(N_TERMS))
    memberships = np.full((len(kinds), N_CATEGORIES), 0.1)
    memberships[np.arange(len(kinds)), kinds] = 0.8
    return SortedDocuments(documents[:end], rows[:end], memberships[:end]), rows


def test_sparse_ridge_agrees_with_the_dense_solution(planted):
    kinds, documents, _ = planted
    known, _ = known_part(kinds, documents)
    rows = known.rows @ np.eye(N_TERMS)
    dense = np.linalg.solve(rows.T @ rows + 0.01 * len(rows) * np.eye(N_TERMS), rows.T @ known.memberships)
    np.testing.assert_allclose(sparse_ridge(known.rows, known.memberships, 0.01, steps=30), dense, atol=1e-5)


@pytest.mark.parametrize("seen", ["sampled", "new"])
def test_documents_that_were_not_read_are_sorted_by_their_words(planted, seen):
    kinds, documents, local = planted
    known, rows = known_part(kinds, documents)
    marks = np.zeros((N_TERMS, N_CATEGORIES))
    rule = rule_for_sampled(known, local, SortingSettings()) if seen == "sampled" else rule_for_new(known, local, marks)
    assert np.mean(rule.scores(rows[100:]).argmax(axis=1) == kinds[100:]) > 0.95
    learned_on = rule.scores(known.rows)
    np.testing.assert_allclose(learned_on.mean(axis=0), 0, atol=1e-4)
    np.testing.assert_allclose(learned_on.std(axis=0), 1, atol=1e-4)


def test_a_topics_own_terms_count_where_nothing_was_learned(planted):
    kinds, documents, local = planted
    known, rows = known_part(np.zeros_like(kinds), documents)  # all documents alike: nothing to distinguish
    marks = np.zeros((N_TERMS, N_CATEGORIES))
    marks[np.arange(N_TERMS), np.arange(N_TERMS) // 10] = 1
    rule = rule_for_new(known, local, marks)
    assert np.mean(rule.scores(rows).argmax(axis=1) == kinds) > 0.95


def test_log_ratios_are_of_shares_with_the_whole_corpus_as_prior():
    documents = csr_array(np.array([[1, 0], [1, 0], [0, 1], [0, 1]], np.float32))
    memberships = np.array([[1.0, 0], [1, 0], [0, 1], [0, 1]])
    found = log_ratios(SortedDocuments(documents, documents, memberships))
    prior = 5 * 2 / 4 + 1e-6  # five documents of the whole corpus, half of which contain the term
    assert found[0, 0] == pytest.approx(np.log((2 + prior) / (0 + prior)))
    np.testing.assert_allclose(found[0], -found[1])


def test_documents_without_any_word_stay_finite():
    documents = csr_array(np.zeros((4, 5), np.float32))
    known = SortedDocuments(documents, documents, np.full((4, 2), 0.5))
    local = np.zeros((5, 3), np.float32)
    for rule in (rule_for_sampled(known, local, SortingSettings()), rule_for_new(known, local, np.zeros((5, 2)))):
        assert np.isfinite(rule.scores(documents)).all()


def test_one_document_and_one_category_stay_finite():
    documents = csr_array(np.ones((1, 5), np.float32))
    known = SortedDocuments(documents, documents, np.ones((1, 1)))
    rule = rule_for_new(known, np.ones((5, 3), np.float32), np.zeros((5, 1)))
    assert np.isfinite(rule.scores(documents)).all()


def test_a_term_of_no_known_document_says_nothing_however_uneven_the_categories():
    documents = csr_array(np.array([[1, 0]] * 10, np.float32))
    memberships = np.zeros((10, 2))
    memberships[np.arange(10), np.arange(10) // 9] = 1  # nine to one
    found = log_ratios(SortedDocuments(documents, documents, memberships))
    assert found[1].tolist() == [0, 0]
    np.testing.assert_allclose(found[0], 0, atol=1e-6)


def test_topic_terms_of_no_known_document_do_not_outweigh_all_others(planted):
    kinds, documents, local = planted
    known, _ = known_part(kinds, documents)
    marks = np.zeros((N_TERMS + 1, N_CATEGORIES))
    marks[N_TERMS, 2] = 1  # the only term of the third topic, which occurs in no document
    wider = csr_array((known.documents.data, known.documents.indices, known.documents.indptr), (100, N_TERMS + 1))
    rows = csr_array((known.rows.data, known.rows.indices, known.rows.indptr), (100, N_TERMS + 1))
    more = np.vstack([local, np.zeros((1, N_CATEGORIES), np.float32)])
    rule = rule_for_new(SortedDocuments(wider, rows, known.memberships), more, marks)
    assert np.abs(rule.weights).max() < 100
