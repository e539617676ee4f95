"""One contract for all methods: they find planted topics, in the requested order, the same every time."""

from __future__ import annotations

import sys
import warnings
from pathlib import Path

import numpy as np
import pytest
import torch

from fake_model import directions
from planted import PLANTED, planted_documents
from seetopic import Index, as_seeds
from seetopic.errors import CorpusError, MissingExtra, SettingsError
from seetopic.evaluation.methods import METHODS, Task, method_named
from seetopic.evaluation.methods.cate import _grown, _nearness
from seetopic.evaluation.methods.contract import Method
from seetopic.evaluation.methods.frequent import frequent_terms
from seetopic.evaluation.methods.labeled_etm import trained_vectors
from seetopic.evaluation.methods.seeded_lda import _pseudo_words
from seetopic.vectors.local.skipgram import Vectors

pytestmark = pytest.mark.transformers  # which BERTopic imports

SIZE = 10
NAMES = ["astronomy", "sport", "food"]  # none occurs in the documents, whose order is different
SEEDED = ["seeded-lda", "anchored-corex", "labeled-etm", "cate"]


def task_of(
    index: Index,
    documents: list[str] | None = None,
    names: list[str] = NAMES,
    *,
    dimensions: int = 32,
    epochs: int = 40,
) -> Task:
    """240 short documents are few for training vectors, so the vectors are small and the epochs many."""
    return Task(index, as_seeds(names), documents, "cpu", dimensions, epochs)


def with_starting(task: Task, starting: list[list[int]]) -> Task:
    task.__dict__["starting"] = starting
    return task


def n_planted(topic) -> int:
    return len(set(topic) & set(PLANTED[topic.name].split(" ")))


def method_of(name: str) -> Method:
    """Of UMAP, only the inner loop is compiled, and for one thread: all else takes longer to compile than to run."""
    if name.startswith("bertopic"):
        from numba.core.registry import CPUDispatcher

        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # it misses TensorFlow
            from umap import layouts, umap_
        for function in vars(layouts).values():
            if isinstance(function, CPUDispatcher):
                function.targetoptions["parallel"] = False
        for each, function in list(vars(umap_).items()):
            if isinstance(function, CPUDispatcher):
                setattr(umap_, each, function.py_func)
    return method_named(name)


def everything_shared(task: Task) -> list[bytes]:
    """Everything that methods in this process share with each other and with the caller."""
    arrays = (task.counts.data, task.counts.indices, task.document_vectors, task.names, task.similarity)
    _, numbers, *rest = np.random.get_state()  # noqa: NPY002 - to see that it stays
    state = (rest, task.starting, task.documents, np.geterr(), torch.get_num_threads())
    return [*(each.tobytes() for each in (*arrays, numbers, torch.get_rng_state().numpy())), repr(state).encode()]


# BERTopic's methods come last: their imports take seconds.
@pytest.mark.slow
@pytest.mark.parametrize("method", METHODS)
def test_a_method_finds_planted_topics_in_order_always_the_same_and_leaves_all_else_alone(index, documents, method):
    task = task_of(index, documents)
    before = everything_shared(task)
    topics = method_of(method)(task, SIZE, 0)
    assert everything_shared(task) == before
    assert [topic.name for topic in topics] == NAMES
    for topic in topics:
        assert len(list(topic)) <= SIZE
        assert n_planted(topic) >= 9, (method, topic.name, list(topic))
    assert method_of(method)(task_of(index, documents), SIZE, 0).to_json() == topics.to_json()


@pytest.mark.slow
@pytest.mark.parametrize("method", SEEDED)
def test_a_category_without_starting_terms_has_none_and_the_next_keeps_its_own(index, method):
    task = task_of(index)
    first, _, last = task.starting
    astronomy, sport, food = method_named(method)(with_starting(task, [first, [], last]), SIZE, 0)
    assert list(sport) == []
    assert min(n_planted(astronomy), n_planted(food)) >= 8


@pytest.mark.parametrize("method", [method for method in METHODS if not method.startswith("bertopic")])
def test_a_topic_has_no_more_terms_than_asked_for(index, documents, method):
    assert [len(list(topic)) for topic in method_named(method)(task_of(index, documents, epochs=3), 2, 0)] == [2, 2, 2]


@pytest.mark.slow
@pytest.mark.parametrize("method", SEEDED)
def test_one_category_is_enough(index, method):
    (topic,) = method_named(method)(task_of(index, names=["food"]), 5, 0)
    assert n_planted(topic) >= 3


@pytest.mark.parametrize(
    ("method", "package", "extra"),
    [
        ("seeded-lda", "tomotopy", "baselines"),
        ("anchored-corex", "corextopic.corextopic", "baselines"),
        ("bertopic-guided", "bertopic", "bertopic"),
        ("bertopic-zeroshot", "bertopic", "bertopic"),
    ],
)
def test_a_missing_package_is_named_by_its_extra(index, documents, monkeypatch, method, package, extra):
    monkeypatch.setitem(sys.modules, package, None)
    with pytest.raises(MissingExtra, match=rf'pip install "seetopic\[{extra}\]"'):
        method_named(method)(task_of(index, documents), SIZE, 0)


def test_an_unknown_method_is_refused():
    with pytest.raises(SettingsError, match="there is no method 'lda'; choose from default, paper"):
        method_named("lda")


@pytest.mark.parametrize("method", ["zero-shot", "bertopic-guided", "bertopic-zeroshot"])
def test_methods_that_read_documents_ask_for_them(index, documents, method):
    with pytest.raises(CorpusError, match="give `texts` as well"):
        method_named(method)(task_of(index), SIZE, 0)
    with pytest.raises(CorpusError, match="the index has 240 documents, but there are 239 texts"):
        method_named(method)(task_of(index, documents[1:]), SIZE, 0)


def test_a_part_of_the_vocabulary_has_all_starting_terms(index):
    task = with_starting(task_of(index), [[30], [1, 25], []])
    assert frequent_terms(task, 3).tolist() == [0, 1, 2, 25, 30]
    assert frequent_terms(task, 10**6).tolist() == list(range(len(task.terms)))


def test_a_documents_bias_is_as_long_as_the_document_and_shared_by_its_categories():
    category_of = {5: 0, 6: 0, 7: 2}
    assert _pseudo_words([5, 1, 7, 5], category_of) == ["category 0"] * 2 + ["category 2"] * 2
    assert _pseudo_words([5, 1, 6], category_of) == ["category 0"] * 3
    assert _pseudo_words([1, 2, 3], category_of) == []


@pytest.mark.parametrize("dimensions", [3, 400])
def test_trained_vectors_have_the_length_asked_for(index, dimensions):
    vectors = trained_vectors(task_of(index, dimensions=dimensions, epochs=1), np.arange(20), 0)
    assert vectors.shape == (20, dimensions)
    assert np.linalg.norm(vectors, axis=1) == pytest.approx(1, abs=1e-5)


def test_another_random_state_trains_other_vectors(index):
    task = task_of(index, epochs=1)
    one, two = (trained_vectors(task, np.arange(20), state) for state in (0, 1))
    assert not np.array_equal(one, two)


def plane_vectors(terms: list[list[float]], categories: list[list[float]]) -> Vectors:
    nothing = torch.zeros((0, 2))
    return Vectors(torch.tensor(terms), nothing, nothing, torch.tensor(categories))


def test_terms_less_specific_than_the_category_are_not_near_to_it():
    # By length: three terms in one direction, and one in the other.
    vectors = plane_vectors([[1.0, 0.0], [2.0, 0.0], [3.0, 0.0], [0.0, 4.0]], [[1.0, 0.0], [0.0, 0.5]])
    nearness = _nearness(vectors, [0.5, 0.0], [[0], [3]])
    assert nearness.tolist() == [[1.0, 0.0, 1.0, 0.5], [0.0, 0.5, 0.5, 1.0]]


def test_a_category_gains_terms_that_are_nearest_to_it_and_start_no_other():
    nearness = np.array([[0.9, 0.8, 0.7, 0.6, 0.95], [0.1, 0.2, 0.3, 0.65, 0.99]])
    assert _grown(nearness, [[0], [4]], 2) == [[0, 1, 2], [4, 3]]


def test_bertopic_says_how_many_documents_it_needs(tmp_path: Path):
    few = planted_documents(15)
    small = Index.build(few, tmp_path / "index", embedding_model=directions, n_jobs=1, cache=tmp_path / "cache")
    with pytest.raises(CorpusError, match="compares each document with 15 others, but there are 15 in all"):
        method_named("bertopic-guided")(task_of(small, few), SIZE, 0)


@pytest.mark.slow
@pytest.mark.parametrize("method", ["bertopic-guided", "bertopic-zeroshot"])
def test_a_category_that_bertopic_does_not_find_has_no_terms(index, documents, method):
    *found, missing = method_of(method)(task_of(index, documents, [*NAMES, "medieval tax law"]), SIZE, 0)
    assert min(n_planted(topic) for topic in found) >= 8
    assert list(missing) == []
