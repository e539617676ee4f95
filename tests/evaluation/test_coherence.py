"""Occurrences, counts and measures of coherence, compared with simple versions and values computed by hand."""

from __future__ import annotations

import math
from itertools import combinations
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from seetopic import Sorter
from seetopic.evaluation.coherence import (
    BY_DOCUMENTS,
    PairCounts,
    c_v,
    diversity,
    embedding_coherence,
    lcp,
    mean_over_topics,
    median_document_frequency,
    npmi,
    npmi_unsmoothed,
    pairs_never_together,
    pmi,
    terms_never_seen,
    u_mass,
)
from seetopic.evaluation.controls import NEVER_SEEN, alike, random_topics
from seetopic.evaluation.held_out import Occurrences, ScannedTexts, scan_texts
from seetopic.evaluation.occurrences import Found, document_counts, groups_of, n_windows, window_counts
from seetopic.runtime.engine import LocalEngine
from seetopic.text.tokenizer import cleaned, tokenize

TEN = [
    "cat dog bird",
    "cat dog",
    "cat fish",
    "dog fish bird",
    "bird seed",
    "cat dog fish bird seed tree",
    "tree leaf",
    "tree leaf seed",
    "leaf",
    "cat tree",
]
PETS = ["cat", "dog", "bird"]  # in 5, 4 and 4 documents; together: cat dog 3, cat bird 2, dog bird 3
GARDEN = ["tree", "leaf", "seed", "fish"]
log = math.log


def scanned(texts: list[str], folder: Path, *, jobs: int = 1, shard: int = 3) -> ScannedTexts:
    shards = [texts[first : first + shard] for first in range(0, len(texts), shard)]
    return scan_texts(shards, folder, LocalEngine(jobs), tokenize, lowercase=True)


def occurrences(texts: list[str], topics: list[list[str]], folder: Path, window: int = 110) -> Occurrences:
    terms = [term for topic in topics for term in topic]
    numbers = iter(range(len(terms)))
    return scanned(texts, folder).count(terms, [[next(numbers) for _ in topic] for topic in topics], window)


@pytest.fixture(scope="module")
def ten(tmp_path_factory: pytest.TempPathFactory) -> Occurrences:
    return occurrences(TEN, [PETS, GARDEN], tmp_path_factory.mktemp("ten"))


def exactly(value: float) -> object:
    return pytest.approx(value, rel=0, abs=1e-12)


# Measures by hand; with 10 documents the paper adds 1/10 to each probability


def test_documents_and_pairs_are_counted(ten):
    pets, garden = ten.documents
    assert pets.total == garden.total == 10
    assert pets.together.tolist() == [[5, 3, 2], [3, 4, 3], [2, 3, 4]]
    assert garden.together.tolist() == [[4, 2, 2, 1], [2, 3, 1, 0], [2, 1, 3, 1], [1, 0, 1, 3]]


def test_the_papers_npmi(ten):
    cat_dog = log((0.3 + 0.1) / ((0.5 + 0.1) * (0.4 + 0.1))) / -log(0.3 + 0.1)
    cat_bird = log((0.2 + 0.1) / ((0.5 + 0.1) * (0.4 + 0.1))) / -log(0.2 + 0.1)
    dog_bird = log((0.3 + 0.1) / ((0.4 + 0.1) * (0.4 + 0.1))) / -log(0.3 + 0.1)
    assert cat_bird == exactly(0.0)
    assert npmi(ten.documents[0]) == exactly((cat_dog + cat_bird + dog_bird) / 3)


def test_the_papers_lcp_is_given_the_term_of_the_better_rank(ten):
    cat_dog, cat_bird, dog_bird = log(0.4 / 0.6), log(0.3 / 0.6), log(0.4 / 0.5)
    assert lcp(ten.documents[0]) == exactly((cat_dog + cat_bird + dog_bird) / 3)


def test_the_papers_pmi(ten):
    cat_dog, cat_bird, dog_bird = log(0.4 / 0.3), log(0.3 / 0.3), log(0.4 / 0.25)
    assert pmi(ten.documents[0]) == exactly((cat_dog + cat_bird + dog_bird) / 3)


def test_npmi_without_smoothing_counts_never_together_as_minus_one(ten):
    both = {"tree leaf": (2, 4, 3), "tree seed": (2, 4, 3), "tree fish": (1, 4, 3), "leaf seed": (1, 3, 3)}
    seed_fish = (1, 3, 3)
    values = [log(n / 10 / (a / 10 * b / 10)) / -log(n / 10) for n, a, b in [*both.values(), seed_fish]]
    assert npmi_unsmoothed(ten.documents[1]) == exactly((sum(values) - 1) / 6)


def test_u_mass_as_mimno_and_as_gensim(ten):
    pets, garden = ten.documents
    assert u_mass(pets) == exactly((log(4 / 5) + log(3 / 5) + log(4 / 4)) / 3)
    assert u_mass(pets, 1e-12 * 10) == exactly(-0.5715994760267534)  # gensim 4.4
    assert u_mass(garden, 1e-12 * 10) == exactly(-5.232810268523102)


def test_c_v_as_worked_out_and_as_gensim(ten):
    counts = [[5, 3, 2], [3, 4, 3], [2, 3, 4]]  # all documents are shorter than a window
    vectors = [
        [
            log((counts[i][j] / 10 + 1e-12) / (counts[i][i] / 10 * counts[j][j] / 10)) / -log(counts[i][j] / 10 + 1e-12)
            for j in range(3)
        ]
        for i in range(3)
    ]
    whole = [sum(column) for column in zip(*vectors, strict=True)]
    cosines = [
        sum(a * b for a, b in zip(row, whole, strict=True)) / (math.hypot(*row) * math.hypot(*whole)) for row in vectors
    ]
    assert c_v(ten.windows[0]) == exactly(sum(cosines) / 3)
    assert c_v(ten.windows[0]) == exactly(0.8130400601143544)  # gensim 4.4
    assert c_v(ten.windows[1]) == exactly(0.48475972954355434)


def test_c_v_of_short_windows_as_gensim(tmp_path):
    short = occurrences(TEN, [PETS, GARDEN], tmp_path, window=3)
    assert short.windows[0].total == 13  # the document of six words has four windows, all others one
    assert short.windows[0].together.tolist() == [[5, 3, 1], [3, 5, 3], [1, 3, 6]]
    assert [c_v(topic) for topic in short.windows] == [exactly(0.6126836389359812), exactly(0.39321248572758394)]


def test_companions(ten):
    pets, garden = ten.documents
    assert median_document_frequency(pets) == 4
    assert median_document_frequency(garden) == 3
    assert (pairs_never_together(pets), pairs_never_together(garden)) == (0.0, exactly(1 / 6))
    assert terms_never_seen(garden) == 0.0


def test_diversity_is_the_share_of_distinct_terms():
    assert diversity([["a", "b"], ["b", "c"]]) == 3 / 4
    assert math.isnan(diversity([[], []]))


def test_embedding_coherence_is_the_mean_cosine_of_pairs():
    vectors = np.array([[2.0, 0.0], [1.0, 1.0], [0.0, 3.0]])
    assert embedding_coherence(vectors) == exactly((math.sqrt(0.5) + 0 + math.sqrt(0.5)) / 3)
    assert embedding_coherence(np.array([[1.0, 0.0], [0.0, 0.0]])) == 0.0
    assert math.isnan(embedding_coherence(np.ones((1, 2))))


# Edge cases


def test_two_terms_that_never_occur_reach_the_papers_best_and_the_companions_say_so():
    never = PairCounts(1000, np.zeros((2, 2), np.int64))
    assert npmi(never) == exactly(1.0)
    assert lcp(never) == 0.0
    assert pmi(never) == exactly(log(1000))
    assert (terms_never_seen(never), pairs_never_together(never)) == (1.0, 1.0)
    assert math.isnan(npmi_unsmoothed(never))
    assert math.isnan(u_mass(never))
    assert c_v(never) == 0.0


@pytest.mark.parametrize("both", [10, 9])
def test_a_pair_in_all_documents_or_all_but_one_counts_as_one(both):
    counts = PairCounts(10, np.array([[10, both], [both, both]]))
    assert npmi(counts) == 1.0
    expected = 1.0 if both == 10 else log(0.9 / (1.0 * 0.9)) / -log(0.9)
    assert npmi_unsmoothed(counts) == exactly(expected)
    assert npmi(PairCounts(10, np.full((2, 2), 9))) == 1.0


def test_terms_of_every_window_belong_together():
    assert c_v(PairCounts(10, np.full((2, 2), 10))) == exactly(1.0)


@pytest.mark.parametrize("size", [0, 1])
def test_fewer_than_two_terms_have_no_coherence(size):
    counts = PairCounts(10, np.full((size, size), 3))
    assert all(math.isnan(measure(counts)) for measure in (npmi, lcp, pmi, npmi_unsmoothed, u_mass, c_v))


def test_topics_without_an_answer_are_left_out_of_the_mean():
    assert mean_over_topics([0.5, float("nan"), 1.0]) == 0.75
    assert math.isnan(mean_over_topics([float("nan")]))
    assert math.isnan(mean_over_topics([]))


@st.composite
def any_counts(draw: st.DrawFn) -> PairCounts:
    n_documents, n_terms = draw(st.integers(1, 8)), draw(st.integers(0, 5))
    holds = np.array(draw(st.lists(st.integers(0, 1), min_size=n_documents * n_terms, max_size=n_documents * n_terms)))
    matrix = holds.reshape(n_documents, n_terms).astype(np.int64)
    return PairCounts(n_documents, matrix.T @ matrix)


@given(any_counts())
def test_measures_are_finite_and_in_range_for_any_documents(counts):
    values = {name: measure(counts) for name, measure in BY_DOCUMENTS.items()} | {"c_v": c_v(counts)}
    assert not any(math.isinf(value) for value in values.values())
    for name in ("npmi", "npmi_unsmoothed", "c_v"):
        assert math.isnan(values[name]) or -1 - 1e-9 <= values[name] <= 1 + 1e-9


@given(any_counts())
def test_the_papers_measures_are_its_equations(counts):
    epsilon = 1 / counts.total
    pairs = list(combinations(range(len(counts.together)), 2))
    if not pairs:
        return
    alone = [int(counts.together[term, term]) / counts.total + epsilon for term in range(len(counts.together))]
    both = [int(counts.together[pair]) / counts.total + epsilon for pair in pairs]
    ratios = [log(joint / (alone[j] * alone[k])) for joint, (j, k) in zip(both, pairs, strict=True)]
    given_first = [log(joint / alone[j]) for joint, (j, _) in zip(both, pairs, strict=True)]
    assert pmi(counts) == exactly(sum(ratios) / len(pairs))
    assert lcp(counts) == exactly(sum(given_first) / len(pairs))
    normalised = [
        1.0 if int(counts.together[pair]) >= counts.total - 1 else ratio / -log(joint)
        for ratio, joint, pair in zip(ratios, both, pairs, strict=True)
    ]
    assert npmi(counts) == exactly(sum(normalised) / len(pairs))


# Occurrences: the same as the simple rule of `Sorter.matched`

PIECES = ["new", "york", "city", "breast", "cancer", "new_york", "york_city", "it's", "New", ",", "-", "@new", "é", ""]


@pytest.mark.slow
@given(
    st.lists(st.lists(st.sampled_from(PIECES), max_size=8).map(" ".join), min_size=1, max_size=5),
    st.lists(
        st.lists(st.sampled_from(["new", "york", "city", "breast", "it's", "é"]), min_size=1, max_size=4).map(" ".join),
        min_size=1,
        max_size=6,
        unique=True,
    ),
)
def test_terms_are_found_as_sorting_finds_them(texts, terms):
    import tempfile

    sorter = Sorter((), tuple(terms), (), {})
    with tempfile.TemporaryDirectory() as folder:
        found = scanned(texts, Path(folder), shard=2).count(terms, [], 110)
    assert [sorted(row.indices.tolist()) for row in found.holds] == sorter.terms_in(texts).as_lists()
    assert set(found.holds.data.tolist()) <= {1}


def test_terms_of_several_words_do_not_reach_over_commas_or_documents(tmp_path):
    found = occurrences(
        ["breast, cancer", "of the breast", "cancer of", "Breast Cancer"], [["breast cancer"]], tmp_path
    )
    assert found.holds.toarray()[:, 0].tolist() == [0, 0, 0, 1]


def test_word_frequencies_are_counted_once_a_document(tmp_path):
    words, frequencies = scanned(["cat cat dog", "cat, the", "bird"], tmp_path, shard=2).words
    assert dict(zip(words, frequencies.tolist(), strict=True)) == {"cat": 2, "dog": 1, "bird": 1}


@pytest.mark.slow
def test_counts_are_the_same_for_any_number_of_jobs_and_any_shards(tmp_path):
    terms, topics = [*PETS, *GARDEN], [[0, 1, 2], [3, 4, 5, 6]]
    one = scanned(TEN, tmp_path / "one").count(terms, topics, 3)
    for name, jobs, shard in (("two", 2, 3), ("other", 1, 4)):
        other = scanned(TEN, tmp_path / name, jobs=jobs, shard=shard).count(terms, topics, 3)
        assert (one.holds != other.holds).nnz == 0
        for left, right in zip(one.documents + one.windows, other.documents + other.windows, strict=True):
            assert left.total == right.total
            assert np.array_equal(left.together, right.together)


# Windows, counted one by one


def windows_written_out(documents: list[list[int]], topics: list[list[int]], size: int) -> tuple[int, list[np.ndarray]]:
    windows = [
        set(document[first : first + size])
        for document in documents
        for first in range(max(len(document) - size, 0) + 1)
    ]
    return len(windows), [
        np.array([[sum(a in window and b in window for window in windows) for b in topic] for a in topic]).reshape(
            len(topic), len(topic)
        )
        for topic in topics
    ]


@given(
    st.lists(st.lists(st.integers(0, 4), max_size=12), min_size=1, max_size=4),
    st.lists(st.lists(st.integers(0, 3), max_size=3), max_size=3),
    st.integers(1, 6),
)
def test_windows_are_counted_as_if_one_by_one(documents, topics, size):
    """Word 4 is in no topic; words may be in several topics, or twice in one."""
    at = [(number, word, place) for number, each in enumerate(documents) for place, word in enumerate(each) if word < 4]
    columns = np.array(at, np.int64).reshape(-1, 3)
    found = Found(*columns.T, np.array([len(each) for each in documents]))
    groups = groups_of(topics, 4)
    total, expected = windows_written_out(documents, topics, size)
    assert n_windows(found.lengths, size).sum() == total
    for topic, counts, right in zip(topics, window_counts(found, groups, size), expected, strict=True):
        assert np.array_equal(counts[: len(topic), : len(topic)], right)
    _, in_documents = windows_written_out(documents, topics, 100)
    for topic, counts, right in zip(topics, document_counts(found, groups), in_documents, strict=True):
        assert np.array_equal(counts[: len(topic), : len(topic)], right)


def test_a_term_of_several_words_stands_at_its_first_word(tmp_path):
    found = occurrences(["new york has many cats"], [["new york", "many"]], tmp_path, window=3)
    assert found.windows[0].together.tolist() == [[1, 0], [0, 2]]


def test_windows_pass_over_what_parts_words(tmp_path):
    found = occurrences(["cat , ! , dog"], [["cat", "dog"]], tmp_path, window=2)
    assert found.windows[0].total == 1
    assert found.windows[0].together.tolist() == [[1, 1], [1, 1]]


# Random topics


def test_random_topics_are_as_rare_as_the_given_ones():
    candidates = np.repeat([1, 5, 50], 30)
    draws = random_topics([np.array([1, 5, 50, 5]), np.array([0])], candidates, draws=3, random_state=0)
    assert len(draws) == 3
    for first, second in draws:
        assert candidates[first].tolist() == [1, 5, 50, 5]
        assert len(set(first)) == 4
        assert second == [NEVER_SEEN]


def test_random_topics_come_from_the_random_state_alone():
    topics, candidates = [np.array([3, 4])], np.arange(1, 60)
    same = [random_topics(topics, candidates, draws=4, random_state=state) for state in (7, 7, 8)]
    assert same[0] == same[1] != same[2]


@given(st.lists(st.integers(1, 9), min_size=1, max_size=60), st.integers(1, 12))
def test_candidates_are_of_equal_frequency_or_the_nearest_by_rank(frequencies, wanted):
    rising = np.sort(np.array(frequencies))
    low, high = alike(rising, wanted)
    assert 0 <= low < high <= rising.size
    equal = int((rising == wanted).sum())
    if equal >= 20:
        assert (rising[low:high] == wanted).all()
        assert high - low == equal
    else:
        assert high - low == min(20, rising.size)
        assert int((rising[low:high] == wanted).sum()) == equal


def test_few_candidates_may_be_drawn_twice():
    [[topic]] = random_topics([np.array([1, 1, 1])], np.array([1, 1]), draws=1, random_state=0)
    assert set(topic) == {0, 1}


def test_the_tokenizer_and_the_counts_agree_on_words(tmp_path):
    text = "RT @user: it's state-of-the-art http://a.b/c breast_cancer U.S.A. 1,000.5"
    words = [cleaned(token) for token in tokenize(text.lower())]
    known = [word for word in words if word]
    found = occurrences([text], [known], tmp_path)
    assert found.holds.toarray().tolist() == [[1] * len(known)]
