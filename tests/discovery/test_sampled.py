"""The sample sorted by names: documents that were read, and those known only by their terms."""

import itertools
from dataclasses import replace

import numpy as np
import pytest
from threadpoolctl import threadpool_limits

from planted import NAMES, PLANTED, planted_documents
from seetopic import Index, as_seeds
from seetopic.discovery.evidence import CurrentTerms
from seetopic.discovery.query import Query
from seetopic.discovery.run import Discovery, _described, _describing, find
from seetopic.settings import DEFAULT, SampleSettings


@pytest.fixture(scope="module")
def partly_read(tmp_path_factory, cache) -> Index:
    """An index of which the language model has read about every fourth document."""
    few = replace(DEFAULT.index, sample=SampleSettings(words=1500))
    folder = tmp_path_factory.mktemp("partly") / "index"
    return Index.build(planted_documents(), folder, settings=few, cache=cache, n_jobs=1)


@pytest.fixture(scope="module")
def run(partly_read) -> Discovery:
    return find(Query(partly_read, as_seeds(NAMES)))


def kinds_of_sampled(index: Index) -> np.ndarray:
    """What the sampled documents are about, by the words that were planted in them."""
    of_document = {}
    for number, text in enumerate(planted_documents()):
        words = text.strip(".").split(", ")
        of_document[frozenset(words)] = number % 3
    starts, terms = index.sample.starts, index.sample.terms
    held = [{index.vocabulary.terms[term] for term in terms[a:b]} for a, b in itertools.pairwise(starts)]
    found = [next(kind for words, kind in of_document.items() if each <= words) for each in held]
    return np.array(found)


def test_most_documents_are_sorted_without_being_read(run, partly_read):
    assert 50 <= run.sampled.n_read <= 70
    assert len(partly_read.sample) == len(partly_read)
    guesses = run.reading.memberships.argmax(axis=1)
    right = guesses == kinds_of_sampled(partly_read)
    assert right[: run.sampled.n_read].mean() > 0.95
    assert right[run.sampled.n_read :].mean() > 0.95
    np.testing.assert_allclose(run.reading.memberships.sum(axis=1), 1)


def describing(run: Discovery, found: CurrentTerms) -> list[list[int]]:
    return _describing(run.query, run.general, found)


def test_the_best_terms_describe_a_name(run):
    found, number = run.found.deep, run.settings.sorting.described_by
    assert describing(run, found) == [terms[:number] for terms in found]
    described = _described(run.query, run.encoded, run.uncovered, run.general, found)
    for vector, terms in zip(described, found, strict=True):
        mean = run.index.general[terms[:number]].mean(axis=0)
        np.testing.assert_allclose(vector, mean / np.linalg.norm(mean), rtol=1e-5)


def test_a_topic_that_is_about_something_else_does_not_describe_its_name(run):
    turned = run.found.deep[1:] + run.found.deep[:1]
    assert describing(run, turned) == [[], [], []]
    described = _described(run.query, run.encoded, run.uncovered, run.general, turned)
    assert np.array_equal(described, run.encoded.spoken)


def test_a_name_that_is_a_term_does_not_describe_itself(partly_read):
    own = partly_read.vocabulary.terms[int(find(Query(partly_read, as_seeds(NAMES))).found.terms[0][0])]
    named = find(Query(partly_read, as_seeds([own, *NAMES[1:]])))
    number = partly_read.term_id(own)
    assert named.found.terms[0][0] == number
    found = describing(named, named.found.deep)[0]
    assert found
    assert number not in found


def test_one_run_is_enough_if_asked_for(partly_read):
    once = replace(DEFAULT.discovery, sorting=replace(DEFAULT.discovery.sorting, described_by=0))
    single = find(Query(partly_read, as_seeds(NAMES), once)).reading
    double = find(Query(partly_read, as_seeds(NAMES))).reading
    assert not np.array_equal(single.found.scores, double.found.scores)
    assert (single.memberships.argmax(axis=1) == double.memberships.argmax(axis=1)).mean() > 0.9


def test_the_number_of_threads_changes_no_bit_of_the_sorting(partly_read):
    memberships = []
    for threads in (1, 2):
        with threadpool_limits(threads):
            memberships.append(find(Query(partly_read, as_seeds(NAMES))).reading.memberships)
    assert np.array_equal(*memberships)


def test_one_category_gets_terms_of_its_own_and_not_what_is_frequent(partly_read):
    for number, words in enumerate(PLANTED.values()):
        (topic,) = find(Query(partly_read, as_seeds([NAMES[number]]))).topics
        assert len(set(topic) & set(words.split(" "))) >= 9, list(topic)


def test_the_sample_is_not_sorted_for_a_method_that_does_not_ask_for_it(partly_read):
    run = find(Query(partly_read, as_seeds(NAMES), replace(DEFAULT.discovery, documents_weight=0.0)))
    assert len(run.topics) == 3
    assert "reading" not in vars(run)
