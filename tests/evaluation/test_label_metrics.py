"""Label measures, compared with simple versions and small cases computed by hand."""

from __future__ import annotations

import math
from collections import Counter
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.sparse import csr_array

from seetopic.errors import CorpusError
from seetopic.evaluation.labels import (
    NO_GUESS,
    NO_LABEL,
    coverage,
    f1_of_guesses,
    guesses_by_terms,
    label_precision,
    labels_of,
    own_labels,
    speaks_for,
)

Documents = list[tuple[set[int], tuple[str, ...]]]  # the terms that each contains, and its labels


def matrix(documents: Documents, n_terms: int) -> csr_array:
    return csr_array(np.array([[int(term in held) for term in range(n_terms)] for held, _ in documents]))


def precision_written_out(topics: dict[str, list[int]], documents: Documents) -> list[float]:
    """Share of a topic's terms whose most over-represented label is its own, significantly so."""
    sizes = Counter(label for _, labels in documents for label in labels)
    shares = []
    for name, terms in topics.items():
        right = []
        for term in terms:
            holding = [labels for held, labels in documents if term in held]
            counts = Counter(label for labels in holding for label in labels)
            if not counts:
                right.append(False)
                continue
            best = max(Fraction(counts[label], sizes[label]) for label in counts)
            share = sizes[name] / len(documents)
            spread = math.sqrt(len(holding) * share * (1 - share))
            z = (counts[name] - len(holding) * share) / spread if spread else 0.0
            right.append(Fraction(counts[name], sizes[name]) == best and z > 1.645)
        shares.append(sum(right) / len(right) if right else 0.0)  # no terms, none right
    return shares


def guesses_written_out(topics: dict[str, list[int]], documents: Documents) -> list[str | None]:
    """The topic with the largest sum of idf over its matched terms; the first of equal ones."""
    frequencies = Counter(term for held, _ in documents for term in held)
    guesses: list[str | None] = []
    for held, _ in documents:
        sums = {
            name: round(math.fsum(math.log(len(documents) / frequencies[term]) for term in set(terms) & held), 9)
            for name, terms in topics.items()
            if set(terms) & held
        }
        guesses.append(max(sums, key=lambda name: sums[name]) if sums else None)
    return guesses


def f1_written_out(names: list[str], guesses: list[str | None], documents: Documents) -> list[float]:
    scores = []
    for name in names:
        both = sum(guess == name and name in labels for guess, (_, labels) in zip(guesses, documents, strict=True))
        guessed, labelled = guesses.count(name), sum(name in labels for _, labels in documents)
        scores.append(2 * both / (guessed + labelled) if guessed + labelled else 0.0)
    return scores


NAMES = ["a", "b", "c"]
held_terms = st.sets(st.integers(0, 6), max_size=5)
some_labels = st.lists(st.sampled_from(NAMES), min_size=1, max_size=2, unique=True).map(tuple)


@given(
    st.lists(st.tuples(held_terms, some_labels), min_size=1, max_size=25),
    st.lists(st.lists(st.integers(0, 6), max_size=4, unique=True), min_size=3, max_size=3),
)
def test_label_measures_are_their_definitions(documents, terms):
    documents = [*documents, *((set(), (name,)) for name in NAMES)]  # every name is a label
    topics = dict(zip(NAMES, terms, strict=True))
    labels = labels_of([labels for _, labels in documents])
    holds, own = matrix(documents, 7), own_labels(NAMES, labels.names)
    found = label_precision(terms, own, speaks_for(holds, labels))
    assert found == pytest.approx(precision_written_out(topics, documents))
    guesses = guesses_by_terms(terms, holds)
    expected = guesses_written_out(topics, documents)
    assert [None if guess == NO_GUESS else NAMES[guess] for guess in guesses.tolist()] == expected
    assert f1_of_guesses(guesses, own, labels) == pytest.approx(f1_written_out(NAMES, expected, documents))


def test_a_term_speaks_for_the_label_it_is_most_typical_of():
    documents: Documents = [({0}, ("a",))] * 8 + [({0}, ("b",))] * 1 + [({1}, ("b",))] * 7 + [(set(), ("b",))] * 4
    labels = labels_of([labels for _, labels in documents])
    speaking = speaks_for(matrix(documents, 3), labels)
    assert speaking.tolist() == [[True, False], [False, True], [False, False]]  # term 2 never occurs


def test_a_term_that_is_over_represented_by_chance_alone_speaks_for_no_label():
    documents: Documents = [({0}, ("a",)), (set(), ("a",)), (set(), ("b",)), (set(), ("b",))]
    labels = labels_of([labels for _, labels in documents])
    assert not speaks_for(matrix(documents, 1), labels).any()  # z = (1 - 0.5) / 0.5 = 1


def test_no_term_speaks_for_a_label_that_every_document_has():
    documents: Documents = [({0}, ("a",))] * 5
    assert not speaks_for(matrix(documents, 1), labels_of([labels for _, labels in documents])).any()


def test_equal_sums_go_to_the_first_topic_and_no_match_to_none():
    holds = csr_array(np.array([[1, 1], [0, 1], [0, 0], [1, 0]]))
    assert guesses_by_terms([[0], [1]], holds).tolist() == [0, 1, NO_GUESS, 0]
    assert guesses_by_terms([[1], [0]], holds).tolist() == [0, 0, NO_GUESS, 1]


def test_a_term_of_every_document_still_gives_a_guess():
    assert guesses_by_terms([[1], [0]], csr_array(np.array([[1, 0], [1, 0]]))).tolist() == [1, 1]


def test_topics_without_terms_guess_nothing():
    holds = csr_array(np.array([[1], [0]]))
    assert guesses_by_terms([[], []], holds).tolist() == [NO_GUESS, NO_GUESS]
    assert guesses_by_terms([], holds).tolist() == [NO_GUESS, NO_GUESS]


def test_a_guess_is_right_if_it_is_among_the_labels():
    labels = labels_of([("a", "b"), ("b",), ("a",)])
    # a: guessed 2, labelled 2, both 2; b: guessed 1, labelled 2, both 1.
    assert f1_of_guesses(np.array([0, 1, 0]), np.array([0, 1]), labels) == [1.0, pytest.approx(2 / 3)]


def test_topics_without_a_label_have_no_f1_and_no_precision():
    labels = labels_of([("a",), ("a",)])
    own = np.array([0, NO_LABEL])
    scores = f1_of_guesses(np.array([0, 1]), own, labels)
    assert scores[0] == pytest.approx(2 / 3)
    assert math.isnan(scores[1])
    assert math.isnan(label_precision([[0], [0]], own, np.ones((1, 1), np.bool_))[1])


def test_coverage_is_the_share_of_documents_with_a_term():
    holds = csr_array(np.array([[1, 0, 0], [0, 1, 1], [0, 0, 1], [0, 0, 0]]))
    assert coverage([[0], [1]], holds) == 0.5
    assert coverage([[0], [1, 2]], holds) == 0.75
    assert coverage([[], []], holds) == 0.0


def test_names_are_labels_by_spelling_then_whatever_the_case():
    assert own_labels(["Books", " dvd ", "Toys", "music"], ["BOOKS", "Books", "dvd", "toys"]).tolist() == [1, 2, 3, -1]


def test_names_that_are_no_labels_are_refused_with_both_lists():
    names, labels = ["books", "dvd", "toys", "music", "food"], ["1", "2", "books"]
    with pytest.raises(CorpusError, match=r"only 1 of 5 topics .*: 'books', 'dvd', 'toys', 'music', \.\.\.; labels"):
        own_labels(names, labels)


def test_half_of_the_names_is_enough():
    assert own_labels(["a", "x"], ["a"]).tolist() == [0, NO_LABEL]


def test_documents_without_label_are_known():
    labels = labels_of([("a",), (), ("b", "a")])
    assert labels.names == ("a", "b")
    assert labels.labelled.tolist() == [0, 2]
    assert labels.restricted_to(labels.labelled).of_documents.toarray().tolist() == [[1, 0], [1, 1]]
