"""Names that occur in the documents as words are found and become terms without indexing anything again."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from fake_model import directions
from planted import PLANTED, planted_documents
from seetopic import Index, discover, sorter_for
from seetopic.classify.placement import AssignmentRule
from seetopic.corpus import as_seeds
from seetopic.corpus.opening import open_documents
from seetopic.discovery.name_check import check, check_build
from seetopic.discovery.named_terms import NamedIndex, NamedTerm, folded_in, named_term, with_named_terms
from seetopic.discovery.query import Query
from seetopic.discovery.run import find, run_of
from seetopic.index import plan
from seetopic.index.positions import Texts
from seetopic.runtime.progress import silent
from seetopic.settings import DEFAULT, PAPER

NAME = "Oven Salad"  # both words are terms, but they occur together too rarely to be a phrase
WITH_NAME = [
    f"{text[:-1]}, the oven salad." if number in (1, 4, 7) else text for number, text in enumerate(planted_documents())
]


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Index:
    out = tmp_path_factory.mktemp("named") / "index"
    return Index.build(WITH_NAME, out, embedding_model=directions, n_jobs=1)


@pytest.fixture(scope="module")
def few(tmp_path_factory: pytest.TempPathFactory) -> Index:
    """An index in which some documents contain no term."""
    texts = ["oven, salad, moon", "the", "moon, oven", "rare", "of the", "oven", "salad, moon"] * 2
    return Index.build(texts, tmp_path_factory.mktemp("few") / "index", embedding_model=directions, n_jobs=1)


# Runs of words, compared with a simple implementation.


def texts_of(documents: list[list[str]]) -> Texts:
    """Documents of words, with commas as separators."""
    flat = [word for document in documents for word in [*document, ","]]
    words = tuple(sorted({word for word in flat if word != ","}, key=lambda word: (-flat.count(word), word)))
    places = np.array([-1 if word == "," else words.index(word) for word in flat], np.int32)
    return Texts(words, places, np.cumsum([0, *(len(document) + 1 for document in documents)]))


def read_through(documents: list[list[str]], run: list[str]) -> list[int]:
    """The documents of the occurrences, from left to right, without overlaps."""
    found = []
    for number, document in enumerate(documents):
        at = 0
        while at < len(document):
            matches = document[at : at + len(run)] == run or document[at] == " ".join(run)
            found += [number] * matches
            at += (1 if document[at] == " ".join(run) else len(run)) if matches else 1
    return found


some_words = st.sampled_from(["a", "b", "c", ",", "a b"])


@given(st.lists(st.lists(some_words, max_size=9), max_size=4), st.lists(st.sampled_from("abc"), min_size=1, max_size=3))
def test_occurrences_are_those_a_reader_finds(documents, run):
    texts = texts_of(documents)
    positions = texts.occurrences(" ".join(run))
    assert texts.documents(positions).tolist() == read_through(documents, run)


def test_a_run_does_not_cross_what_parts_words_nor_documents():
    texts = texts_of([["heart", ",", "attack"], ["heart"], ["attack", "heart", "attack"]])
    assert texts.documents(texts.occurrences("heart attack")).tolist() == [2]
    assert texts.occurrences("heart failure").tolist() == []


def test_a_joined_word_in_the_text_is_an_occurrence():
    texts = texts_of([["heart attack"], ["heart", "attack"]])
    assert texts.documents(texts.occurrences("heart attack")).tolist() == [0, 1]


# What `check` says.


def test_check_finds_a_name_that_is_no_term(built):
    names = [NAME, "oven", "salad oven", "cooking & baking"]
    checks = check(built, names).names
    assert [(each.in_vocabulary, each.occurrences) for each in checks[:1]] == [(False, 3)]
    assert (checks[1].in_vocabulary, checks[1].occurrences) == (
        True,
        int(built.vocabulary.counts[built.term_id("oven")]),
    )
    assert [(each.in_vocabulary, each.occurrences) for each in checks[2:]] == [(False, 0), (False, 0)]


def test_check_says_the_same_before_there_is_an_index(built, tmp_path):
    build = plan(
        open_documents(WITH_NAME), tmp_path / "index", settings=DEFAULT.index, embedding_model=directions, n_jobs=1
    )
    before, after = (
        [(each.name, each.in_vocabulary, each.occurrences) for each in check.names]
        for check in (check_build(build, [NAME, "oven"]), check(built, [NAME, "oven"]))
    )
    assert before == after
    assert check_build(build, [NAME]).languages == built.manifest["corpus"]["languages"]


# What `discover` does.


def test_a_name_that_occurs_as_words_is_a_term_and_first_in_its_topic(built):
    files = {path: path.read_bytes() for path in built.folder.iterdir()}
    topic, _ = discover(built, [NAME, "comet"])
    assert topic.in_vocabulary
    assert (topic.terms[0].term, topic.terms[0].documents) == ("oven salad", 3)
    assert built.term_id(NAME) is None  # the index itself is unchanged
    assert {path: path.read_bytes() for path in built.folder.iterdir()} == files


def test_other_names_need_no_other_index(built):
    assert [discover(built, [name, "comet"])[0].in_vocabulary for name in ("oven salad", "salad oven")] == [True, False]


def test_a_pinned_term_that_occurs_as_words_stands_in_its_topic(built):
    topic = discover(built, {"food": {"pinned": [NAME]}, "comet": []})[0]
    assert topic.terms[0].term == "oven salad"
    assert not any("pinned" in sentence for sentence in topic.warnings)


def test_documents_are_sorted_by_the_name_too(tmp_path, cache):
    read = Index.build(WITH_NAME, tmp_path / "index", cache=cache, n_jobs=1)  # by a model that knows what food is
    sorter = sorter_for(read, [NAME, "comet"])
    assert "oven salad" in sorter.terms
    found = sorter.place(
        sorter.terms_in(["An oven salad."]), rule=AssignmentRule(0.0, several=False, may_be_none=False)
    )
    (assigned,) = found.assigned(sorter.terms)
    assert assigned.categories == (0,)
    assert "oven salad" in assigned.evidence


def test_names_that_are_terms_or_absent_leave_the_index_as_it_is(built):
    assert with_named_terms(built, ["oven", "zqxj vbnm", "food & drink", "", "the", "2012"]) is built


@pytest.mark.parametrize("word", ["the", "of"])
def test_a_function_word_is_no_term_even_if_it_is_a_name(built, word):
    assert len(built.texts.occurrences(word)) > 100
    assert named_term(built, word) is None


def test_a_word_too_rare_to_be_a_term_becomes_one_by_its_name(tmp_path):
    index = Index.build(
        [*planted_documents(), "a rare zucchini, garlic"], tmp_path / "i", embedding_model=directions, n_jobs=1
    )
    assert index.term_id("Zucchini") is None
    assert discover(index, ["Zucchini", "comet"])[0].terms[0].term == "zucchini"


@pytest.mark.slow
def test_training_presets_take_the_terms_as_they_are(built):
    assert run_of(built, [NAME, "comet"], PAPER.discovery, "paper", "cpu", silent).index is built


# An index with added names has everything that an index has.


def test_every_part_of_the_index_has_the_new_terms_behind_its_own(built):
    grown = with_named_terms(built, [NAME, "oven", "oven  salad"])
    n_terms = len(built.vocabulary)
    assert grown.vocabulary.terms == (*built.vocabulary.terms, "oven salad")
    assert grown.vocabulary.counts.tolist() == [*built.vocabulary.counts, 3]
    assert grown.term_id(NAME) == n_terms
    assert len(grown) == len(built)
    assert (grown.general[:n_terms] == built.general).all()
    assert (grown.local[:n_terms] == built.local).all()
    assert grown.general.shape == (n_terms + 1, built.general.shape[1])
    assert np.linalg.norm(grown.local[-1]) == pytest.approx(1)
    assert grown.document_frequencies.tolist() == [*built.document_frequencies, 3]
    assert grown.posting_documents[grown.posting_starts[n_terms] :].tolist() == [1, 4, 7]
    assert len(grown.posting_documents) == grown.posting_starts[-1]
    before, after = (each.sample.matrix(size) @ np.eye(size) for each, size in ((built, n_terms), (grown, n_terms + 1)))
    assert (after[:, :n_terms] == before).all()
    assert np.flatnonzero(after[:, -1]).tolist() == np.flatnonzero(np.isin(built.sampled, [1, 4, 7])).tolist()
    assert (np.diff(grown.sample.starts) >= 0).all()


def test_the_sample_knows_its_documents(built):
    terms = built.sample
    for row in (0, len(terms) // 2, len(terms) - 1):
        own = np.unique(built.terms_of(built.sampled[row : row + 1]))
        assert terms.terms[terms.starts[row] : terms.starts[row + 1]].tolist() == own.tolist()


def test_a_folded_vector_is_near_the_one_that_was_factorised(index):
    names = [index.term_id(word) for words in PLANTED.values() for word in words.split()]
    postings = [
        index.posting_documents[slice(*index.posting_starts[term : term + 2])].astype(np.int64) for term in names
    ]
    folded = folded_in(index, postings)
    cosines = (folded * index.local[names]).sum(axis=1)
    nearest = (folded @ np.asarray(index.local).T).argmax(axis=1)
    topics = {word: topic for topic, words in PLANTED.items() for word in words.split()}
    assert np.mean(cosines) > 0.5
    assert all(
        topics.get(index.vocabulary.terms[near]) == topics[index.vocabulary.terms[term]]
        for near, term in zip(nearest.tolist(), names, strict=True)
    )


def test_a_name_in_a_document_without_terms_has_no_local_vector(tmp_path):
    texts = [*planted_documents(60), "rarely seen", "rarely seen"]
    index = with_named_terms(Index.build(texts, tmp_path / "i", embedding_model=directions, n_jobs=1), ["rarely seen"])
    assert not index.local[-1].any()
    assert find(Query(index, as_seeds(["rarely seen", "comet"]))).topics[0].terms[0].term == "rarely seen"


@given(st.lists(st.text(max_size=12) | st.sampled_from(["oven salad", "the", "oven the", "moon, oven"]), max_size=5))
def test_any_names_are_terms_or_left_alone(built, names):
    grown = with_named_terms(built, names)
    added = grown.vocabulary.terms[len(built.vocabulary) :]
    assert len(set(grown.vocabulary.terms)) == len(grown.vocabulary)
    assert all(len(built.texts.occurrences(term)) > 0 for term in added)


@given(st.lists(st.lists(st.integers(0, 11), max_size=12, unique=True), min_size=1, max_size=3))
def test_sampled_documents_hold_new_terms_behind_their_own(few, holders):
    added = tuple(NamedTerm(f"new {n}", 1, np.sort(np.array(each, np.int64))) for n, each in enumerate(holders))
    grown = NamedIndex(
        few.folder, few.manifest, few.embedding_model, few.tokenizer, few.cache, base=few, added=added
    ).sample
    for row, number in enumerate(few.sampled.tolist()):
        own = few.sample.terms[few.sample.starts[row] : few.sample.starts[row + 1]].tolist()
        new = [len(few.vocabulary) + place for place, each in enumerate(holders) if number in each]
        assert grown.terms[grown.starts[row] : grown.starts[row + 1]].tolist() == own + new
    assert grown.starts[-1] == len(grown.terms)
