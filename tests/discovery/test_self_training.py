"""Sorting documents by names alone."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from seetopic.discovery.self_training import _LEAST, Features, _guessed, _weights_of_clear, shares, sort_sample
from seetopic.index import sample
from seetopic.index.sample import (
    Contents,
    Sample,
    beginning,
    choose,
    choose_among,
    distinct_terms,
    inverse_frequency,
    weighted_rows,
)
from seetopic.runtime import word_keys
from seetopic.settings import SampleSettings, SortingSettings


def bundles(seed: int, size: int = 60) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Documents of three kinds; the names point to them only roughly, and the third one hardly at all."""
    chance = np.random.default_rng(seed)
    kinds = np.repeat(np.arange(3), size)
    features = np.eye(3, 10)[kinds] + 0.25 * chance.standard_normal((3 * size, 10))
    names = np.eye(3, 10) + np.array([[0.0], [0.0], [0.0]]) + 0.6 * chance.standard_normal((3, 10))
    names /= np.linalg.norm(names, axis=1, keepdims=True)
    return features.astype(np.float32), names.astype(np.float32), kinds


def test_learning_from_the_clearest_corrects_the_names_first_guess():
    better = []
    for seed in range(5):
        features, names, kinds = bundles(seed)
        first = np.mean((features @ names.T).argmax(axis=1) == kinds)
        learned = np.mean(sort_sample(Features.of(features), names, SortingSettings()).scores.argmax(axis=1) == kinds)
        better.append(learned - first)
    assert np.mean(better) > 0.02
    assert min(better) >= -0.02


def test_the_rule_gives_the_samples_own_scores():
    features, names, _ = bundles(0)
    found = sort_sample(Features.of(features), names, SortingSettings())
    assert features @ found.weights + found.offset == pytest.approx(found.scores, abs=5e-7)  # single precision


def test_a_handicap_lowers_the_scores_and_the_rule_alike():
    features, names, _ = bundles(0)
    handicaps = np.array([0.0, 0.0, 0.5])
    found = sort_sample(Features.of(features), names, SortingSettings(), handicaps)
    assert features @ found.weights + found.offset == pytest.approx(found.scores, abs=2e-6)
    assert found.scores.mean(axis=0) == pytest.approx(-handicaps, abs=1e-4)
    plain = sort_sample(Features.of(features), names, SortingSettings())
    assert 0 < (found.scores.argmax(axis=1) == 2).sum() < (plain.scores.argmax(axis=1) == 2).sum()


def test_scores_have_mean_0_and_spread_1():
    features, names, _ = bundles(1)
    scores = sort_sample(Features.of(features), names, SortingSettings()).scores
    assert scores.mean(axis=0) == pytest.approx(np.zeros(3), abs=1e-4)
    assert scores.std(axis=0) == pytest.approx(np.ones(3), abs=1e-3)


def test_one_category_and_one_document_can_be_sorted():
    features, names, _ = bundles(0)
    assert np.isfinite(sort_sample(Features.of(features), names[:1], SortingSettings()).scores).all()
    assert np.isfinite(sort_sample(Features.of(features[:1]), names, SortingSettings()).scores).all()


def weights_written_out(scores: np.ndarray, kept: float) -> np.ndarray:
    """The clearest documents of each category, one category after the other."""
    weights, guesses = np.zeros(len(scores)), scores.argmax(axis=1)
    for category in range(scores.shape[1]):
        own = [number for number in range(len(scores)) if guesses[number] == category]
        own.sort(key=lambda number: np.diff(np.sort(scores[number])[-2:])[0], reverse=True)
        clearest = own[: max(_LEAST, int(kept * len(own)))]
        weights[clearest] = 1 / max(len(clearest), 1)
    return weights * np.count_nonzero(weights) / weights.sum()


@given(st.integers(0, 10_000), st.integers(1, 60), st.integers(2, 6), st.sampled_from([0.1, 0.5, 1.0]))
def test_the_clearest_documents_are_those_of_the_definition(state, n_documents, n_categories, kept):
    scores = np.random.default_rng(state).integers(0, 9, (n_documents, n_categories)).astype(float)
    assert _weights_of_clear(*_guessed(scores), kept).tolist() == weights_written_out(scores, kept).tolist()


def test_shares_add_up_to_1_and_a_low_temperature_makes_them_hard():
    scores = np.array([[1.0, 0.5, -1.0]])
    assert shares(scores, 0.7).sum() == pytest.approx(1.0)
    assert shares(scores, 0.01)[0].tolist() == pytest.approx([1, 0, 0], abs=1e-6)


def test_documents_are_drawn_until_they_hold_enough_words():
    counts = np.full(100, 30)
    drawn_by = np.random.default_rng(0).random(100)
    read, more = choose(counts, SampleSettings(words=300, document_words=20, more_words=600), drawn_by)
    assert len(read) == 15  # twenty words of each are read
    assert len(more) == 20  # and all thirty words of the others are known
    assert not set(read.tolist()) & set(more.tolist())
    for chosen in (read, more):
        assert chosen.tolist() == sorted(set(chosen.tolist()))
    assert [len(part) for part in choose(counts, SampleSettings(words=0), drawn_by)] == [0, 100]
    assert [len(part) for part in choose(counts, SampleSettings(), drawn_by)] == [100, 0]


def test_documents_without_words_are_never_drawn():
    read, more = choose(np.array([0, 5, 0, 5, 0]), SampleSettings(words=0), np.arange(5.0))
    assert (read.tolist(), more.tolist()) == ([], [1, 3])
    read, more = choose(np.array([0, 5, 0, 5, 0]), SampleSettings(), np.arange(5.0))
    assert (read.tolist(), more.tolist()) == ([1, 3], [])


def contents_of(documents: Sequence[Sequence[str]]) -> Contents:
    """A comma is a separator."""
    words = sorted({word for document in documents for word in document} - {","})
    numbers = [-1 if word == "," else words.index(word) for document in documents for word in document]
    starts = np.cumsum([0, *map(len, documents)])
    return Contents(np.append(word_keys(words), np.uint64(0)), np.array(numbers, np.int32), starts)


@given(st.lists(st.lists(st.sampled_from("abcdefgh,"), max_size=5), min_size=1, max_size=30), st.randoms())
def test_a_document_is_drawn_by_its_words_whatever_stands_around_it(documents, chance):
    order = list(range(len(documents)))
    chance.shuffle(order)
    plain = contents_of(documents).priorities(0, len(documents))
    shuffled = contents_of([documents[number] for number in order]).priorities(0, len(documents))
    assert shuffled.tolist() == plain[order].tolist()
    alone = [contents_of([document]).priorities(0, 1)[0] for document in documents]
    assert plain.tolist() == alone


def test_documents_are_drawn_evenly():
    drawn = contents_of([[f"word{number}", "same"] for number in range(2000)]).priorities(0, 2000)
    assert 0 <= drawn.min() < drawn.max() < 1
    assert np.histogram(drawn, bins=10, range=(0, 1))[0] == pytest.approx(200, abs=60)  # 4 deviations
    assert len(set(drawn.tolist())) == 2000


def test_a_beginning_is_the_first_words():
    assert beginning("one  two\nthree four", 3) == "one two three"


def test_distinct_terms_are_those_of_the_chosen_documents():
    starts, terms = distinct_terms(np.array([3, 1, 3, 2, 2], np.int32), np.array([0, 3, 3, 5]), np.array([0, 1, 2]))
    assert starts.tolist() == [0, 2, 2, 3]
    assert terms.tolist() == [1, 3, 2]


def test_weighted_rows_are_unit_rows_of_idf_weights():
    sample = Sample(np.array([0, 2, 2]), np.array([0, 1], np.int32), np.empty((0, 0), np.float32))
    rows = weighted_rows(sample.matrix(3), np.array([3.0, 4.0, 1.0])) @ np.eye(3)
    assert rows[0].tolist() == pytest.approx([0.6, 0.8, 0.0])
    assert rows[1].tolist() == [0.0, 0.0, 0.0]
    assert not sample.was_read


def test_a_term_in_every_document_says_nothing():
    assert inverse_frequency(np.array([10, 5]), 10).tolist() == pytest.approx([0.0, np.log(2)])


@given(
    st.lists(st.integers(0, 9), min_size=1, max_size=60),
    st.lists(st.integers(0, 60), max_size=3),
    st.tuples(st.integers(0, 60), st.integers(1, 9), st.integers(0, 60)),
)
def test_a_choice_from_very_many_is_the_plain_choice(counts, cuts, budget):
    chosen = SampleSettings(words=budget[0], document_words=budget[1], more_words=budget[2])
    bounds = sorted({0, len(counts), *(cut for cut in cuts if cut < len(counts))})
    contents = contents_of([[f"{number}"] * count for number, count in enumerate(counts)])
    expected = choose(np.array(counts), chosen, contents.priorities(0, len(counts)))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sample, "_AT_ONCE", 7)
        found = choose_among(contents, list(pairwise(bounds)), chosen)
    assert [part.tolist() for part in found] == [part.tolist() for part in expected]
