"""Settings: every number is validated on creation, and survives a round trip through JSON."""

from __future__ import annotations

import copy
import inspect
import json
import math
import pickle
from dataclasses import FrozenInstanceError, fields, is_dataclass, replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import seetopic.settings as settings_module
from seetopic import errors
from seetopic.errors import MissingExtra, SeeTopicError, SettingsError
from seetopic.settings import (
    DEFAULT,
    PRESETS,
    DiscoverySettings,
    IndexSettings,
    LocalSettings,
    TextSettings,
    as_json,
    index_settings_from,
)

NUMBERS = [
    (kind, each.name, each.type)
    for kind in vars(settings_module).values()
    if is_dataclass(kind)
    for each in fields(kind)
    if each.type in ("int", "float")
]
ANYTHING = st.one_of(
    st.integers(), st.integers(0, 100), st.floats(), st.floats(0, 1), st.booleans(), st.text(), st.none(), st.just([5])
)


def test_numbers_of_every_settings_class_are_tested():
    assert {kind.__name__ for kind, _, _ in NUMBERS} >= {"TextSettings", "DiscoverySettings", "SortingSettings"}
    assert len(NUMBERS) > 40


@given(st.sampled_from(NUMBERS), ANYTHING)
def test_a_number_is_taken_as_it_is_or_refused_by_its_name(number, value):
    kind, name, type_ = number
    beside = {"warm_up": 0} if name == "epochs" else {}  # it must not exceed the epochs
    told, made = "", None
    try:
        made = kind(**{name: value}, **beside)
    except SettingsError as error:
        told = str(error)
    if made is None:
        assert told.startswith(f"`{name}` is {value!r}, but must ")
    else:
        assert getattr(made, name) is value
        assert isinstance(value, int if type_ == "int" else (int, float))
        assert not isinstance(value, bool)


def test_numbers_of_numpy_become_those_of_python():
    made = DiscoverySettings(top=np.int64(4), rho=np.float32(0.25), contrast=np.float64(0.25))
    assert [type(number) for number in (made.top, made.rho, made.contrast)] == [int, float, float]
    assert made == DiscoverySettings(top=4, rho=0.25, contrast=0.25)
    for wrong in (np.float64(4.0), np.True_):
        with pytest.raises(SettingsError, match="must be a whole number"):
            DiscoverySettings(top=wrong)


@pytest.mark.parametrize(("kind", "name"), [each[:2] for each in NUMBERS], ids=[each[1] for each in NUMBERS])
def test_every_number_has_both_bounds(kind, name):
    for wrong in (-(10**12), 10**12, math.nan, math.inf, -math.inf):
        with pytest.raises(SettingsError, match=f"`{name}` is "):
            kind(**{name: wrong})


@pytest.mark.parametrize(
    ("wrong", "sentence"),
    [
        ({"rho": 1.5}, "`rho` is 1.5, but must be between 1e-06 and 1.0"),
        ({"top": 0}, "`top` is 0, but must be between 1 and 10000"),
        ({"top": 5.0}, "`top` is 5.0, but must be a whole number"),
        ({"rho": "5"}, "`rho` is '5', but must be a number"),
    ],
)
def test_a_number_that_is_refused_is_told_with_its_bounds(wrong, sentence):
    with pytest.raises(SettingsError) as told:
        DiscoverySettings(**wrong)
    assert str(told.value) == sentence


def test_an_unknown_precision_is_refused():
    with pytest.raises(SettingsError, match="`precision` is 'float16', but must be 'float32' or 'bfloat16'"):
        IndexSettings(precision="float16")  # type: ignore[arg-type]


def test_settings_do_not_change_and_are_given_by_name():
    with pytest.raises(FrozenInstanceError):
        DEFAULT.index.text.min_count = 7  # type: ignore[misc]
    with pytest.raises(TypeError):
        TextSettings(False)  # type: ignore[misc]
    with pytest.raises(SettingsError):
        replace(DEFAULT.index.text, min_count=0)


@pytest.mark.parametrize(
    "chosen",
    [
        IndexSettings(),
        IndexSettings(
            text=TextSettings(
                lowercase=False,
                min_count=7,
                phrase_quality=0.25,
                known_phrases=("breast cancer",),
                shard_characters=1000,
            ),
            local=LocalSettings(window=9, subsample=1e-5, document_weight=0),
            precision="bfloat16",
            random_state=2**32 - 1,
        ),
    ],
)
def test_index_settings_come_back_from_json_as_they_were(chosen):
    saved = json.dumps(as_json(chosen))
    assert index_settings_from(json.loads(saved)) == chosen


def test_known_phrases_must_be_strings():
    with pytest.raises(SettingsError, match="`known_phrases` is 'breast cancer', but must be a tuple of strings"):
        TextSettings(known_phrases="breast cancer")  # type: ignore[arg-type]
    with pytest.raises(SettingsError, match="must be a tuple of strings"):
        TextSettings(known_phrases=("breast cancer", 7))  # type: ignore[arg-type]


def changed(**changes: Any) -> dict[str, Any]:
    return copy.deepcopy(as_json(IndexSettings())) | changes


def test_saved_settings_that_this_version_does_not_know_are_refused():
    with pytest.raises(TypeError, match="unknown"):
        index_settings_from(changed(unknown=1))
    with pytest.raises(TypeError, match="unknown"):
        index_settings_from(changed(text={"unknown": 1}))
    with pytest.raises(SettingsError, match="`window` is 'wide'"):
        index_settings_from(changed(local={"window": "wide"}))


def test_presets_are_found_by_their_names():
    assert PRESETS["default"] is DEFAULT
    assert all(name == preset.preset for name, preset in PRESETS.items())


# Errors.


def all_errors(kind: type[SeeTopicError] = SeeTopicError) -> list[type[SeeTopicError]]:
    return [kind, *(below for child in kind.__subclasses__() for below in all_errors(child))]


def test_the_tree_of_errors_is_drawn_as_it_is():
    drawn = [line.strip("│ ├└─").split(" ")[0] for line in (inspect.getdoc(errors) or "").split("\n\n")[1].splitlines()]
    own = [kind for kind in all_errors() if kind.__module__ == errors.__name__]
    assert sorted(drawn) == sorted(kind.__name__ for kind in own)
    for kind in own:
        assert getattr(errors, kind.__name__) is kind


@pytest.mark.parametrize("kind", [kind for kind in all_errors() if kind is not MissingExtra])
def test_an_error_keeps_its_sentence_on_the_way_from_a_worker(kind):
    back = pickle.loads(pickle.dumps(kind("one sentence")))
    assert (type(back), str(back)) == (kind, "one sentence")


def test_a_missing_extra_names_what_to_install_also_on_the_way_from_a_worker():
    error = MissingExtra("reading x", "parquet")
    for each in (error, pickle.loads(pickle.dumps(error))):
        assert str(each) == 'reading x needs an extra: pip install "seetopic[parquet]"'
        assert each.extra == "parquet"


def test_an_unknown_assignment_and_weights_of_nothing_are_refused():
    with pytest.raises(SettingsError, match="`assignment` is 'first'"):
        DiscoverySettings(assignment="first")
    with pytest.raises(SettingsError, match="all three weights are 0"):
        DiscoverySettings(general_weight=0.0, local_weight=0.0, documents_weight=0.0)
