"""`SeeTopic` as an estimator: fitting, sorting, changing names, and the methods named as in BERTopic."""

from __future__ import annotations

import gc
import os
import pickle
import tempfile
from dataclasses import replace
from pathlib import Path

import numpy as np
import pandas
import polars
import pytest
from sklearn import config_context
from sklearn.base import BaseEstimator, clone
from sklearn.exceptions import NotFittedError
from sklearn.feature_extraction.text import CountVectorizer
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import FeatureUnion, Pipeline
from sklearn.preprocessing import FunctionTransformer

from fake_model import directions
from planted import KINDS, NAMES
from seetopic import Seeds, SeeTopic, as_seeds, assign, check, compare, discover, sorter_for, suggest
from seetopic.errors import CorpusError, SeedError, SeeTopicError, SettingsError
from seetopic.estimator.fitting import say_unused
from seetopic.runtime import sha256_of
from seetopic.settings import DEFAULT, Settings


def quick(seeds=NAMES, **settings) -> SeeTopic:
    """With a language model that needs no loading and knows nothing."""
    return SeeTopic(seeds, embedding_model=directions, n_jobs=1, **settings)


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Where temporary indexes are made, so that tests running at the same time do not interfere."""
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    return tmp_path


# Fitting


def test_fit_finds_what_discover_finds(model, index):
    assert model.topics_.topics == discover(index, NAMES).topics
    for topic, words in zip(model.topics_, KINDS, strict=True):
        assert set(list(topic)[:6]) <= set(words)


def test_the_constructor_only_stores():
    odd = {"seeds": object(), "top": "ten", "threshold": -3, "preset": 17, "device": "abacus"}
    model = SeeTopic(**odd)
    assert {name: value for name, value in model.get_params().items() if name in odd} == odd


def test_settings_are_keyword_only_after_the_names():
    with pytest.raises(TypeError):
        SeeTopic(NAMES, None)


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"top": 0}, "`top` is 0"),
        ({"min_count": "x"}, "`min_count` is 'x'"),
        ({"language": "tlh"}, "`language` is 'tlh'"),
        ({"preset": "magic"}, "no preset 'magic'"),
        ({"random_state": -1}, "`random_state` is -1"),
        ({"device": "abacus"}, "abacus"),
        ({"threshold": 2}, "`threshold` is 2"),
        ({"threshold": "a"}, "`threshold` is 'a'"),
        ({"n_jobs": "2"}, "the number of jobs is '2'"),
        ({"n_jobs": 1.5}, "the number of jobs is 1.5"),
        ({"tokenizer": "x"}, "`tokenizer` is 'x'"),
    ],
)
def test_wrong_settings_are_refused_by_fit_with_a_sentence(documents, settings, message):
    with pytest.raises(SettingsError, match=message):
        quick().set_params(**settings).fit(documents)


def test_names_that_cannot_be_used_are_refused_before_any_work(tmp_path):
    with pytest.raises(SeedError, match="no category names"):
        SeeTopic().fit(tmp_path / "missing.txt")
    with pytest.raises(SeedError, match="appears twice"):
        SeeTopic(["a", "A"]).fit(tmp_path / "missing.txt")
    with pytest.raises(SettingsError, match="mean the same thing"):
        SeeTopic(["a"], seed_topic_list=["b"]).fit(tmp_path / "missing.txt")


def test_seed_topic_list_is_another_word_for_seeds(index):
    model = SeeTopic(seed_topic_list=[["football", "tennis"], ["soup", "bread"]]).fit(index)
    assert [topic.name for topic in model.topics_] == ["football", "soup"]
    assert model.topics_[0].names == ("football", "tennis")
    assert "seed_topic_list" not in model.get_params()
    assert clone(model).get_params() == model.get_params()


@pytest.mark.slow
def test_strings_a_column_and_a_path_give_the_same(documents, tmp_path):
    (tmp_path / "docs.txt").write_text("\n".join(documents))
    expected = quick().fit(documents).topics_.topics
    sources = [pandas.Series(documents), polars.Series(documents), np.array(documents), tuple(documents)]
    for source in [*sources, tmp_path / "docs.txt", str(tmp_path / "docs.txt")]:
        assert quick().fit(source).topics_.topics == expected
    assert quick(text_field="body").fit(pandas.DataFrame({"body": documents})).topics_.topics == expected


@pytest.mark.slow
def test_an_index_and_its_folder_give_the_same(model, index):
    for source in (index, index.folder, str(index.folder)):
        assert SeeTopic(NAMES).fit(source).topics_.topics == model.topics_.topics


@pytest.mark.parametrize("text", ["the whole document", "Is it a pattern?", "long " * 2000, "a\0b"])
def test_one_text_is_asked_for_in_a_list(model, text):
    with pytest.raises(CorpusError, match=r"one text goes in a list: \[text\]"):
        quick().fit(text)
    with pytest.raises(CorpusError, match=r"one text goes in a list: \[text\]"):
        model.predict(text)


def test_files_that_cannot_be_opened_are_still_files(model, tmp_path):
    (tmp_path / "docs.exe").touch()
    for source, problem in ((str(tmp_path / "docs.exe"), "extension"), (tmp_path / "none.txt", "does not exist")):
        with pytest.raises(CorpusError, match=problem):
            model.predict(source)


@pytest.mark.slow
def test_settings_reach_the_index_and_the_topics(documents, cache):
    own = SeeTopic(NAMES, cache=cache, top=4, min_count=45, language="none", random_state=5, n_jobs=1).fit(documents)
    assert [len(topic.terms) for topic in own.topics_] == [4, 4, 4]
    assert own.index_.vocabulary.counts.min() >= 45
    assert own.index_.settings.text.language == "none"
    assert own.index_.settings.random_state == 5


def test_settings_may_be_numbers_of_numpy(documents, unseen, tmp_path):
    numbers = {"top": np.int64(4), "min_count": np.int64(2), "random_state": np.int64(5), "threshold": np.float32(0.5)}
    model = quick(**numbers).fit(documents)
    model.save(tmp_path / "model", documents=False)
    loaded = SeeTopic.load(tmp_path / "model", embedding_model=directions)
    assert {name: getattr(loaded, name) for name in numbers} == numbers
    assert loaded.topics_ == quick(**{name: value.item() for name, value in numbers.items()}).fit(documents).topics_


def test_whole_settings_of_ones_own_are_a_preset(index):
    own = Settings(preset="mine", discovery=replace(DEFAULT.discovery, growth=2, top=3))
    topics = SeeTopic(NAMES, preset=own).fit(index).topics_
    assert topics.made_with["preset"] == "custom"
    assert [len(topic.terms) for topic in topics] == [3, 3, 3]


def test_what_changes_nothing_of_a_ready_index_is_said(index):
    with pytest.warns(UserWarning, match="built with min_count=3, so min_count=7 has no effect"):
        SeeTopic(NAMES, min_count=7).fit(index)


def test_a_warning_about_the_documents_is_passed_on():
    with pytest.warns(UserWarning, match="written without spaces"):
        quick(["体育", "天文"], min_count=1).fit(["体育运动是很好的足球比赛", "天文学家看见了很多行星和月亮"] * 5)


def test_progress_is_shown_only_where_it_is_asked_for(documents, capfd):
    quick().fit(documents)
    assert capfd.readouterr() == ("", "")
    quick(verbose=True).fit(documents)
    assert "finding terms" in capfd.readouterr().err


@pytest.mark.slow
def test_two_fits_are_the_same_to_the_last_bit_for_any_number_of_jobs(documents, unseen):
    first, second = quick().fit(documents), quick().set_params(n_jobs=2).fit(documents)
    assert first.topics_ == second.topics_
    assert np.array_equal(first.transform(unseen), second.transform(unseen))


@pytest.mark.slow
def test_minus_one_is_all_cores_and_no_jobs_are_refused(documents, monkeypatch):
    monkeypatch.setattr(os, "sched_getaffinity", lambda _: {0, 1}, raising=False)
    assert quick().set_params(n_jobs=-1).fit(documents).topics_ == quick().fit(documents).topics_
    monkeypatch.setattr(os, "sched_getaffinity", lambda _: {0, 1, 2, 3}, raising=False)
    assert [quick().set_params(n_jobs=jobs)._jobs() for jobs in (-1, -2, -4, -9)] == [4, 3, 1, 1]
    with pytest.raises(SettingsError, match="the number of jobs is 0"):
        quick().set_params(n_jobs=0).fit(documents)


# The temporary index


@pytest.mark.slow
def test_the_folder_of_the_index_goes_with_the_last_model_that_uses_it(documents, place):
    model = quick().fit(documents)
    other = model.with_seeds(["planets", "meals"])
    assert len(list(place.iterdir())) == 1
    del model
    gc.collect()
    assert other.with_seeds(["planets", "bread"]).topics_[1].name == "bread"
    index = other.index_
    del other
    gc.collect()
    assert quick(["moon", "soup"]).fit(index).topics_[0].name == "moon"
    del index
    gc.collect()
    assert list(place.iterdir()) == []


def test_a_fit_that_fails_or_is_stopped_leaves_no_folder(documents, place, monkeypatch):
    with pytest.raises(CorpusError, match="no term occurs"):
        quick(min_count=100_000).fit(documents)

    def interrupted(*_, **__):
        raise KeyboardInterrupt

    monkeypatch.setattr("seetopic.index.writer.factorise", interrupted)
    with pytest.raises(KeyboardInterrupt):
        quick().fit(documents)
    assert list(place.iterdir()) == []


@pytest.mark.slow
def test_a_script_leaves_no_folder_behind(tmp_path, forks):
    script = (
        "from planted import planted_documents\nfrom fake_model import directions\nfrom seetopic import SeeTopic\n"
        "model = SeeTopic(['food', 'sport'], embedding_model=directions, n_jobs=1).fit(planted_documents(60))\n"
        "print(model.index_.folder.exists(), model.index_.folder)"
    )
    done = forks.run(script, cwd=Path(__file__).parent, TMPDIR=str(tmp_path))
    assert done.stdout.startswith(f"True {tmp_path}"), done.stderr
    assert list(tmp_path.iterdir()) == []


@pytest.mark.slow
@pytest.mark.skipif(not hasattr(os, "fork"), reason="there is no fork here")
@pytest.mark.filterwarnings("ignore:This process:DeprecationWarning")
def test_a_forked_process_does_not_take_the_folder_with_it(documents):
    model = quick().fit(documents)
    folder, child = model.index_.folder, os.fork()
    if child == 0:
        del model
        gc.collect()
        os._exit(0)
    os.waitpid(child, 0)
    assert (folder / "manifest.json").exists()


@pytest.mark.slow
def test_a_pickled_model_carries_its_index_and_its_documents(documents, unseen):
    model = quick().fit(documents)
    answers, names, data = model.transform(unseen), ["planets", "meals"], pickle.dumps(model)
    topics = model.with_seeds(names).topics_
    del model
    gc.collect()
    again = pickle.loads(data)
    assert np.array_equal(again.transform(unseen), answers)
    assert again.with_seeds(names).topics_ == topics
    assert len(again.partial_fit(unseen).index_) == len(documents) + len(unseen)


def test_a_pickled_model_of_a_ready_index_refers_to_its_folder(index, unseen):
    model = SeeTopic(NAMES).fit(index)
    data = pickle.dumps(model)
    compared_with = model.sorter_.arrays["known_vectors"]  # of the sample, which is bounded, however large the index
    assert len(data) < 100_000 + compared_with.nbytes
    assert np.array_equal(pickle.loads(data).transform(unseen), model.transform(unseen))


# Sorting documents


def test_documents_are_sorted_into_the_right_topics(model, unseen):
    assert np.mean(model.predict(unseen) == np.arange(90) % 3) > 0.95
    assert model.predict(unseen).dtype == np.int64


def test_shares_are_those_of_the_sorter_and_sum_to_1(model, index, unseen):
    shares = model.transform(unseen)
    assert shares.shape == (90, 3)
    assert shares.sum(axis=1) == pytest.approx(np.ones(90))
    assert [tuple(row) for row in shares.round(4)] == [each.shares for each in sorter_for(index, NAMES).assign(unseen)]
    assert np.array_equal(shares.argmax(axis=1), model.predict(unseen))


def test_every_document_has_a_row_also_an_empty_or_missing_one(model):
    odd = ["football, referee", "", None, float("nan"), "qwerty"]
    assert model.transform(odd).shape == (5, 3)
    assert model.predict(odd).tolist() == [0, -1, -1, -1, -1]
    assert model.transform([]).shape == (0, 3)
    assert model.predict([]).tolist() == []


def test_what_is_no_text_is_refused(model):
    with pytest.raises(CorpusError, match="document 1 is of type int"):
        model.transform(["text", 3])
    with pytest.raises(CorpusError, match=r"shape \(2, 1\), but must have one dimension"):
        model.transform(np.array([["one text"], ["another"]]))


def test_a_threshold_makes_it_abstain(model, unseen):
    strict = clone(model).set_params(threshold=1.0).fit(model.index_)
    assert set(strict.predict(unseen).tolist()) == {-1}
    with pytest.raises(SettingsError, match="`threshold` is 3"):
        strict.set_params(threshold=3).predict(unseen)


def test_the_documents_of_an_index_are_sorted_as_their_texts_are(model, documents):
    assert np.array_equal(model.transform(model.index_), model.transform(documents))
    assert np.array_equal(clone(model).fit_transform(documents), model.transform(documents))
    assert np.array_equal(SeeTopic(NAMES).fit_transform(model.index_), model.transform(documents))


def test_the_language_model_reads_where_asked(model, unseen):
    reading = clone(model).set_params(read_documents=True).fit(model.index_)
    assert np.mean(reading.predict(unseen) == np.arange(90) % 3) > 0.95
    assert not np.allclose(reading.transform(unseen), model.transform(unseen))
    with pytest.raises(SettingsError, match="documents as words"):
        reading.transform(model.index_)
    assert reading.get_topic_info()["Count"].sum() == 240


@pytest.mark.slow
def test_the_number_of_jobs_changes_no_bit_of_the_shares(model, unseen, monkeypatch):
    monkeypatch.setattr("seetopic.classify.documents._SHARD", 16)
    monkeypatch.setattr("seetopic.classify.documents._AT_ONCE", 1)
    both = [clone(model).set_params(n_jobs=jobs).fit(model.index_).transform(unseen) for jobs in (1, 2)]
    assert np.array_equal(*both)
    assert len(both[0]) == 90


def test_a_model_that_is_not_fitted_says_so(unseen):
    for ask in (
        lambda model: model.transform(unseen),
        lambda model: model.predict(unseen),
        lambda model: model.with_seeds(["a"]),
        lambda model: model.accept(0, "a"),
        lambda model: model.reject(0, "a"),
        lambda model: model.get_topics(),
        lambda model: model.get_topic(0),
        lambda model: model.get_topic_info(),
        lambda model: model.get_document_info(unseen),
        lambda model: model.get_feature_names_out(),
        lambda model: model.save("nowhere"),
    ):
        with pytest.raises(NotFittedError, match="not fitted yet") as caught:
            ask(SeeTopic(NAMES))
        assert isinstance(caught.value, SeeTopicError)


# scikit-learn


def test_it_is_an_estimator_of_scikit_learn():
    model = SeeTopic(NAMES, top=5)
    assert isinstance(model, SeeTopic)
    assert isinstance(model, BaseEstimator)
    assert repr(model).startswith("SeeTopic(seeds=['sports and games'")
    assert clone(model).get_params() == model.get_params()


def test_it_can_be_subclassed(index):
    class Mine(SeeTopic):
        def best(self):
            return [next(iter(topic)) for topic in self.topics_]

    assert len(Mine(NAMES).fit(index).with_seeds(["soup", "moon"]).best()) == 2


def test_a_pipeline_goes_from_texts_to_a_classifier(documents, unseen):
    labels = np.arange(240) % 3
    both = FeatureUnion([("topics", quick()), ("words", CountVectorizer())])
    pipeline = Pipeline([("lower", FunctionTransformer(str_lower)), ("features", both), ("sort", LogisticRegression())])
    assert pipeline.fit(documents, labels).score(unseen, np.arange(90) % 3) == 1.0
    alone = Pipeline([("topics", quick())]).fit(documents)
    assert alone.predict(unseen).shape == (90,)


def str_lower(texts):
    return [text.lower() for text in texts]


def test_output_can_be_a_table_with_the_topics_as_columns(model, unseen):
    for library in ("pandas", "polars"):
        frame = clone(model).set_output(transform=library).fit(model.index_).transform(unseen)
        assert type(frame).__module__.startswith(library)
        assert list(frame.columns) == NAMES == list(model.get_feature_names_out())


# Other names, other terms


@pytest.mark.parametrize("library", ["pandas", "polars"])
def test_a_table_has_a_column_for_none_where_it_is_asked_for(model, unseen, library):
    shares = model.transform(unseen, none=True)
    table = pickle.loads(pickle.dumps(model)).set_output(transform=library).transform(unseen, none=True)
    assert list(table.columns) == [*NAMES, "none"]
    assert np.array_equal(table.to_numpy(), shares)
    with config_context(transform_output=library):
        assert list(model.transform(unseen, none=True).columns) == [*NAMES, "none"]


def test_other_names_give_a_new_fitted_model_and_leave_the_old_one(model, index):
    before = model.topics_
    other = model.with_seeds({"meals": ["food", "dinner"], "sky": ["stars"]})
    assert model.topics_ is before
    assert other.topics_.topics == discover(index, {"meals": ["food", "dinner"], "sky": ["stars"]}).topics
    assert other.index_ is model.index_
    assert clone(other).fit(index).topics_.topics == other.topics_.topics
    assert other.predict(["a soup with onion", "a comet near the moon"]).tolist() == [0, 1]


def test_accepted_terms_stand_first_and_rejected_ones_not_at_all(model):
    better = model.accept("outer space", ["window", "letter"]).reject(2, "planet")
    assert list(better.topics_[2])[:2] == ["window", "letter"]
    assert "planet" in list(model.topics_[2])
    assert "planet" not in list(better.topics_[2])
    assert [topic.name for topic in better.topics_] == NAMES
    assert "window" not in list(model.topics_[2])


def test_the_last_word_on_a_term_counts(model):
    back = model.reject(2, "planet").accept(2, "Planet")
    assert next(iter(back.topics_[2])) == "planet"
    assert back.seeds_.seeds[2].negative == ()
    moved = model.accept(0, "letter").accept(1, ["letter"])
    assert next(iter(moved.topics_[1])) == "letter"
    assert "letter" not in list(moved.topics_[0])
    assert "letter" not in list(moved.reject(1, "letter").topics_[1])


@pytest.mark.parametrize(
    ("topic", "terms", "message"),
    [
        (3, "planet", "there is no topic 3; give a number from 0 to 2"),
        (-1, "planet", "there is no topic -1"),
        ("space", "planet", "there is no topic 'space'"),
        (0, [], "terms must be a string"),
        (0, ["", " "], "terms must be a string"),
        (0, [3], "terms must be a string"),
        (0, None, "terms must be a string"),
    ],
)
def test_what_cannot_be_rejected_is_refused_with_a_sentence(model, topic, terms, message):
    with pytest.raises(SeedError, match=message):
        model.reject(topic, terms)


# More documents


@pytest.mark.slow
def test_more_documents_give_what_all_at_once_give_under_the_same_numbers(documents, tmp_path):
    (tmp_path / "old.txt").write_text("\n".join(documents[:150]))
    whole = quick().fit(documents)
    for first in (documents[:150], pandas.Series(documents[:150]), tmp_path / "old.txt"):
        model = quick().fit(first)
        assert model.partial_fit(documents[150:200]).partial_fit(pandas.Series(documents[200:])) is model
        assert len(model.index_) == 240
        assert model.topics_.topics == whole.topics_.topics
    assert model.index_.manifest["corpus"]["name"] == "old.txt"


def test_partial_fit_keeps_what_was_accepted(documents):
    model = quick().fit(documents[:150]).accept(1, "window").partial_fit(documents[150:])
    assert next(iter(model.topics_[1])) == "window"
    assert [topic.name for topic in model.topics_] == NAMES


def test_partial_fit_of_a_new_model_fits_it(documents):
    assert quick().partial_fit(documents).topics_ == quick().fit(documents).topics_


def test_partial_fit_does_not_need_the_old_documents(documents, tmp_path):
    path, whole = tmp_path / "docs.txt", quick().fit(documents)
    path.write_text("\n".join(documents[:150]))
    model = quick().fit(path)
    path.unlink()
    assert model.partial_fit(documents[150:]).topics_.topics == whole.topics_.topics
    with pytest.raises(CorpusError, match=r"docs\.txt"):
        model.save(tmp_path / "model")


def test_partial_fit_leaves_the_index_and_models_that_share_it_as_they_are(documents, index, unseen, tmp_path):
    before = sha256_of(index.folder / "manifest.json")
    model = SeeTopic(NAMES, n_jobs=1).fit(index)
    other = model.with_seeds(NAMES[:2])
    assert len(model.partial_fit(unseen).index_) == len(documents) + len(unseen)
    assert other.index_.folder == index.folder
    assert len(other.index_) == len(documents)
    assert sha256_of(index.folder / "manifest.json") == before


def test_partial_fit_says_that_the_index_keeps_its_settings(documents):
    model = quick(min_count=2).fit(documents[:150])
    with pytest.warns(UserWarning, match="was built with min_count=2, so min_count=3 has no effect"):
        model.set_params(min_count=3).partial_fit(documents[150:])
    assert model.index_.settings.text.min_count == 2


# BERTopic's names


def test_topics_by_number_as_bertopic_gives_them(model):
    topics = model.get_topics()
    assert list(topics) == [0, 1, 2]
    assert topics[1] == model.get_topic(1) == model.get_topic("cooking & cuisine")
    assert topics[1][0] == (model.topics_[1].terms[0].term, model.topics_[1].terms[0].score)
    with pytest.raises(SeedError, match="there is no topic 9"):
        model.get_topic(9)


def test_numbers_that_predict_returns_are_numbers_of_topics(model, unseen):
    first, *_ = numbers = np.unique(model.predict(unseen))
    assert model.get_topic(first) == model.get_topic(int(first))
    assert model.get_topic_info(first).Topic.tolist() == [first]
    assert model.visualize_barchart(numbers).svg == model.visualize_barchart(numbers.tolist()).svg
    assert model.accept(first, "penalty").seeds_ == model.accept(int(first), "penalty").seeds_


def test_the_table_of_topics_counts_the_documents_of_each(model):
    info = model.get_topic_info()
    assert list(info.columns) == ["Topic", "Count", "Name", "Confidence", "Representation"]
    assert list(info["Name"]) == NAMES
    assert list(info["Count"]) == [80, 80, 80]
    assert info["Representation"][0] == list(model.topics_[0])
    assert list(model.get_topic_info(1)["Name"]) == [NAMES[1]]
    assert model.get_topic_info("outer space", library="polars")["Topic"].to_list() == [2]


@pytest.mark.slow
def test_documents_without_a_topic_have_a_row_of_their_own(documents, cache):
    info = SeeTopic(NAMES, cache=cache, n_jobs=1).fit([*documents, "qwerty", "uiop"]).get_topic_info()
    assert list(info["Topic"]) == [-1, 0, 1, 2]
    assert list(info["Count"]) == [2, 80, 80, 80]


def test_minus_one_is_no_topic_and_has_no_terms(model):
    assert model.get_topic(-1) == model.get_topic(model.predict(["qwerty"])[0]) == []
    assert model.get_topic_info(-1)["Count"].tolist() == [0]


@pytest.mark.parametrize("number", ["3", 1.5, 0])
def test_numbers_of_questions_and_suggestions_are_whole(model, number):
    for asked in (model.ask, model.suggest):
        with pytest.raises(SettingsError, match=f"`number` is {number!r}"):
            asked(number)


def test_documents_are_refused_where_an_index_is_meant_with_what_to_do(documents):
    for call in (discover, check, suggest, sorter_for):
        with pytest.raises(SettingsError, match=r"Index\.build"):
            call(documents, NAMES)
    with pytest.raises(SettingsError, match=r"evaluation\.split"):
        compare(documents, NAMES, ["default"])


def test_topics_and_models_are_refused_where_a_sorter_is_meant(model, documents, tmp_path):
    for topics in (model, model.topics_):
        with pytest.raises(SettingsError, match=r"model\.sorter_"):
            assign(documents, topics, tmp_path / "sorted.csv")


def test_topics_are_refused_where_names_are_meant(model):
    for given in (model.topics_, list(model.topics_)):
        with pytest.raises(SeedError, match="'sports and games' is a topic, not a name"):
            sorter_for(model.index_, given)


def test_a_lazy_table_is_refused_with_what_to_call(documents):
    with pytest.raises(CorpusError, match=r"LazyFrame .* `collect\(\)`"):
        quick().fit(polars.LazyFrame({"text": documents}))


@pytest.mark.slow
def test_the_table_of_topics_counts_documents_as_predict_does_where_the_language_model_reads(documents, cache):
    texts = [*documents, "", "The kettle boils.", "An oven for pizzas."]  # words that occur once are not terms
    model = SeeTopic(NAMES, read_documents=True, cache=cache, n_jobs=1).fit(texts)
    assert list(model.get_topic_info()["Count"]) == np.bincount(model.predict(list(filter(None, texts)))).tolist()
    assert list(model.set_params(read_documents=False).get_topic_info()["Topic"]) == [-1, 0, 1, 2]


@pytest.mark.parametrize("library", ["pandas", "polars"])
def test_the_table_of_documents_has_their_topics_and_the_evidence(model, library):
    info = model.get_document_info(["soup, onion, window", "qwerty"], library=library)
    columns = ["Document", "Topic", "Name", "Representation", "Top_n_words", "Probability", "Evidence"]
    assert list(info.columns) == columns
    assert list(info["Topic"]) == [1, -1]
    assert list(info["Name"]) == ["cooking & cuisine", ""]
    assert set(info["Evidence"][0]) == {"soup", "onion"}
    assert 0.5 < info["Probability"][0] <= 1


def test_the_table_of_documents_takes_an_index(model, index, documents):
    info, expected = model.get_document_info(index), model.get_document_info(documents)
    assert info["Topic"].tolist() == expected["Topic"].tolist()
    assert info["Evidence"].tolist() == expected["Evidence"].tolist()
    assert info["Document"][0] == documents[0].strip(".").replace(",", "")


def test_seeds_are_kept_as_they_were_understood(index):
    model = SeeTopic(NAMES).fit(index)
    assert isinstance(model.seeds_, Seeds)
    assert model.seeds_ == as_seeds(NAMES)
    assert model.seeds is NAMES


def test_a_random_state_of_0_that_an_index_was_not_built_with_is_said(index):
    other = replace(index, manifest={**index.manifest, "settings": {**index.manifest["settings"], "random_state": 3}})
    with pytest.warns(UserWarning, match="random_state=3, so random_state=0 has no effect"):
        say_unused(other, None, None, 0)
