"""Teaching a fitted model, and what it keeps."""

from __future__ import annotations

from copy import copy

import numpy as np
import pytest
from sklearn.base import clone

from planted import NAMES
from seetopic import Judgement, SeeTopic
from seetopic.corpus import read_judgements, write_judgements
from seetopic.errors import JudgementError

SWAPPED = [NAMES[1], NAMES[2], NAMES[0]]
JUDGED = [{"category": SWAPPED[number % 3], "document": number, "belongs": True} for number in range(60)]


@pytest.fixture(scope="module")
def taught(model):
    return model.teach(JUDGED)


def test_a_taught_model_sorts_as_it_was_told(taught, unseen):
    expected = [NAMES.index(SWAPPED[number % 3]) for number in range(len(unseen))]
    assert np.mean(taught.predict(unseen) == expected) > 0.9
    assert len(taught.judgements_) == 60


def test_judgements_may_come_from_arrays(model, taught):
    categories, numbers = np.array(SWAPPED), np.arange(60)
    judged = [
        {"category": categories[number % 3], "document": number, "belongs": np.bool_(number >= 0)} for number in numbers
    ]
    assert model.teach(judged).judgements_ == taught.judgements_
    assert {type(each.document) for each in model.teach(judged[:1]).judgements_} == {int}


def test_rounds_of_teaching_equal_one(model, taught, unseen):
    rounds = model.teach(JUDGED[30:]).teach(JUDGED[:30])
    assert rounds.sorter_.fingerprint == taught.sorter_.fingerprint


def test_forgetting_is_exact(model, taught):
    one = Judgement(NAMES[0], term="bread", belongs=False)
    assert taught.teach(one).forget(one).topics_ == taught.topics_
    assert taught.teach(one).topics_ != taught.topics_ or "bread" not in list(taught.topics_[NAMES[0]])
    with pytest.raises(JudgementError):
        model.forget(one)


def test_judgements_are_saved_and_loaded(taught, unseen, tmp_path):
    taught.save(tmp_path / "model", documents=False)
    loaded = SeeTopic.load(tmp_path / "model")
    assert loaded.judgements_ == taught.judgements_
    assert list(read_judgements(tmp_path / "model" / "judgements.jsonl")) == list(taught.judgements_)
    assert np.array_equal(loaded.predict(unseen), taught.predict(unseen))
    assert loaded.teach([]).sorter_.fingerprint == taught.sorter_.fingerprint


def test_other_names_keep_the_judgements_that_still_apply(taught):
    with pytest.warns(UserWarning, match="not among the names"):
        other = taught.with_seeds([*NAMES[:2], "weather"])
    assert len(other.judgements_) == 60


def test_only_other_names_are_refused_with_how_to_forget(taught):
    with pytest.raises(JudgementError, match=r"model\.forget\(model\.judgements_\)"):
        taught.with_seeds(["weather", "music"])
    assert taught.forget(taught.judgements_).with_seeds(["weather", "music"]).judgements_ == ()


def test_a_fit_and_a_clone_start_without_judgements(taught, index):
    assert clone(taught).fit(index).judgements_ == ()
    assert copy(taught).fit(index).judgements_ == ()


def test_a_file_of_judgements_teaches(model, taught, tmp_path):
    write_judgements(tmp_path / "j.jsonl", taught.judgements_)
    assert model.teach(tmp_path / "j.jsonl").topics_ == taught.topics_


def test_questions_and_a_report(taught):
    questions = taught.ask(5)
    assert len(questions) == 5
    assert taught.teaching_report().accuracy > 0.8
