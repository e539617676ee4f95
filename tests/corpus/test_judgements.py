"""Judgements and their file: what is refused, what survives a crash, and which answer counts."""

from __future__ import annotations

import json
import os
import random
from contextlib import nullcontext, suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from seetopic.corpus import (
    Judgement,
    Judgements,
    append_judgements,
    as_judgements,
    as_seeds,
    read_judgements,
    write_judgements,
)
from seetopic.errors import JudgementError, OutputError

SEEDS = as_seeds(["football", "tennis", "food"])
MANY = [
    Judgement("football", term="goalkeeper"),
    Judgement("tennis", term="goalkeeper", belongs=False, by="ana"),
    Judgement("tennis", document=4, at="2026-01-01T00:00:00"),
    Judgement(None, document="Parliament met today."),
]


def test_what_is_written_is_read_back(tmp_path):
    write_judgements(tmp_path / "j.jsonl", MANY)
    assert list(read_judgements(tmp_path / "j.jsonl")) == MANY


@given(
    st.builds(Judgement, st.none() | st.text(min_size=1).filter(str.strip), document=st.integers(0) | st.just("a text"))
)
def test_any_judgement_survives_its_line(judgement):
    line = json.dumps(judgement.to_json())
    assert list(as_judgements(json.loads(line))) == [judgement]


def test_what_is_no_judgement_or_never_ends_is_refused(tmp_path):
    with pytest.raises(JudgementError, match="a judgement is an object with `category` and `belongs`, not 5"):
        as_judgements([5])
    os.mkfifo(tmp_path / "j.jsonl")
    with pytest.raises(JudgementError, match=r"j\.jsonl is a pipe or a device"):
        read_judgements(tmp_path / "j.jsonl")


def test_appended_judgements_reach_the_disk(tmp_path, monkeypatch):
    waited = []
    monkeypatch.setattr(os, "fsync", waited.append)
    append_judgements(tmp_path / "j.jsonl", MANY[:2])
    append_judgements(tmp_path / "j.jsonl", MANY[2:])
    assert list(read_judgements(tmp_path / "j.jsonl")) == MANY
    assert len(waited) == 2


@pytest.mark.parametrize("cut", range(1, 60, 7))
def test_a_torn_last_line_loses_only_itself(tmp_path, cut):
    path = tmp_path / "j.jsonl"
    write_judgements(path, MANY)
    os.truncate(path, path.stat().st_size - cut)
    with pytest.warns(UserWarning, match="ends in the middle") if cut > 1 else nullcontext():
        left = list(read_judgements(path))
    assert left == MANY[: len(left)]
    assert len(left) >= 3 - (cut > 50)
    append_judgements(path, MANY[:1])
    assert list(read_judgements(path)) == [*left, MANY[0]]


@given(st.binary())
def test_any_bytes_are_read_or_refused(tmp_path_factory, data):
    path = tmp_path_factory.mktemp("any") / "j.jsonl"
    path.write_bytes(data + b"\n")
    with suppress(JudgementError):
        assert isinstance(read_judgements(path), Judgements)


@pytest.mark.parametrize(
    ("fields", "wrong"),
    [
        ({"category": "food", "belongs": True}, "either a term or a document"),
        ({"category": "food", "term": "soup", "document": 1, "belongs": True}, "either a term or a document"),
        ({"category": "food", "term": "soup"}, "no `belongs`"),
        ({"term": "soup", "belongs": True}, "no `category`"),
        ({"category": "food", "term": "soup", "belongs": "yes"}, "`belongs` is 'yes'"),
        ({"category": "food", "document": True, "belongs": True}, "`document` is True"),
        ({"category": "food", "document": -1, "belongs": True}, "numbered from 0"),
        ({"category": "food", "term": " ", "belongs": True}, "`term` is empty"),
        ({"category": None, "term": "soup", "belongs": False}, "must be true"),
    ],
)
def test_a_wrong_judgement_is_refused_with_its_line(tmp_path, fields, wrong):
    path = tmp_path / "j.jsonl"
    path.write_text(json.dumps(MANY[0].to_json()) + "\n" + json.dumps(fields) + "\n")
    with pytest.raises(JudgementError, match=wrong) as error:
        read_judgements(path)
    assert str(error.value).startswith(f"line 2 of {path}: ")


def test_a_folder_is_not_a_file_of_judgements(tmp_path):
    with pytest.raises(JudgementError, match="cannot be opened"):
        read_judgements(tmp_path)
    with pytest.raises(OutputError):
        append_judgements(tmp_path, MANY)


def test_the_majority_counts_and_ties_are_left_out():
    votes = [("ana", True), ("bo", True), ("cy", False)]
    soup = [Judgement("food", term="soup", belongs=answer, by=name) for name, answer in votes]
    tie = [Judgement("food", term="ball", belongs=answer, by=name) for name, answer in votes[1:]]
    settled = Judgements((*soup, *tie)).settled(SEEDS)
    assert settled.terms == {"soup": {2: True}}
    assert len(settled.contradictions) == 2


def test_a_person_may_change_their_mind():
    first = Judgement("food", document=3, by="ana", at="2026-01-01T10:00")
    later = Judgement("food", document=3, belongs=False, by="ana", at="2026-01-02T10:00")
    assert Judgements((later, first)).settled(SEEDS).documents == {3: {2: False}}


@pytest.mark.parametrize("name", ["sports > Football", "FOOTBALL", "football"])
def test_a_person_may_change_their_mind_and_call_the_category_otherwise(name):
    tree = as_seeds({"sports": {"children": ["football", "tennis"]}})
    first = Judgement("football", term="goal", by="ana", at="2026-01-01T10:00")
    later = Judgement(name, term="goal", belongs=False, by="ana", at="2026-01-02T10:00")
    settled = Judgements((first, later)).settled(tree)
    assert (settled.terms, settled.contradictions) == ({"goal": {1: False}}, ())


def test_none_of_these_is_no_to_every_category():
    assert Judgements((Judgement(None, document=3),)).settled(SEEDS).documents == {3: {0: False, 1: False, 2: False}}


def test_a_term_is_accepted_in_one_category_only():
    both = Judgements((Judgement("tennis", term="ball"), Judgement("football", term="Ball")))
    settled = both.settled(SEEDS)
    assert list(settled.terms.values()) == [{0: True}]
    assert "both" in settled.contradictions[0]


def test_the_order_does_not_matter():
    shuffled = random.Random(0).sample([*MANY, Judgement("football", term="goalkeeper", belongs=False)], 5)
    assert Judgements(tuple(shuffled)).settled(SEEDS) == Judgements(tuple(shuffled[::-1])).settled(SEEDS)


def test_judgements_of_other_categories_are_named():
    other = Judgement("politics", term="vote")
    with pytest.warns(UserWarning, match="'politics'"):
        Judgements((other, MANY[0])).settled(SEEDS)
    with pytest.raises(JudgementError, match="'politics'"):
        Judgements((other,)).settled(SEEDS)


def test_one_judgement_is_taken_back_exactly():
    assert Judgements((*MANY, MANY[1])).without(MANY[1]) == Judgements(tuple(MANY))
    with pytest.raises(JudgementError):
        Judgements().without(MANY[0])


def test_a_category_of_a_tree_is_given_by_name_or_path():
    tree = as_seeds({"sports": {"children": ["football", "tennis"]}, "food": None})
    given = [Judgement("sports > Tennis", document=1), Judgement("tennis", document=2), Judgement("sports", document=3)]
    assert Judgements(tuple(given)).settled(tree).documents == {1: {2: True}, 2: {2: True}, 3: {0: True}}


def test_one_judgement_about_an_unknown_category_is_singular():
    judgements = as_judgements([{"category": name, "term": "x", "belongs": True} for name in ("a", "b")])
    with pytest.warns(UserWarning, match=r"^1 judgement is about a category that is not among the names: 'b'; it is"):
        judgements.settled(as_seeds(["a"]))
