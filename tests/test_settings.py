"""Settings: every number is checked where it is made, and comes back from JSON as it was."""

from __future__ import annotations

import copy
import inspect
import json
import math
import pickle
from dataclasses import FrozenInstanceError, fields, replace
from typing import Any

import pytest

from seetopic import errors
from seetopic.errors import MissingExtra, SeeTopicError, SettingsError
from seetopic.settings import (
    DEFAULT,
    PRESETS,
    DiscoverySettings,
    IndexSettings,
    LocalSettings,
    SampleSettings,
    SkipgramSettings,
    SortingSettings,
    TextSettings,
    as_json,
    index_settings_from,
)

RANGES: list[tuple[type, str, float, float]] = [
    (TextSettings, "min_count", 1, 1_000_000),
    (TextSettings, "max_phrase_words", 1, 6),
    (TextSettings, "phrase_min_count", 2, 1_000_000),
    (TextSettings, "phrase_quality", 0.0, 1.0),
    (TextSettings, "shard_documents", 1, 1_000_000),
    (TextSettings, "shard_characters", 1_000, 1_000_000_000),
    (LocalSettings, "window", 1, 50),
    (LocalSettings, "rank", 2, 4096),
    (LocalSettings, "subsample", 0.0, 1.0),
    (LocalSettings, "context_smoothing", 0.0, 1.0),
    (LocalSettings, "document_weight", 0.0, 100.0),
    (LocalSettings, "power_iterations", 1, 20),
    (LocalSettings, "oversampling", 0, 512),
    (IndexSettings, "random_state", 0, 2**32 - 1),
    (DiscoverySettings, "top", 1, 10_000),
    (DiscoverySettings, "growth", 1, 1_000),
    (DiscoverySettings, "iterations", 1, 100),
    (DiscoverySettings, "rho", 1e-6, 1.0),
    (DiscoverySettings, "checked_ranks", 1, 1_000_000),
    (DiscoverySettings, "name_pull", 0.0, 1000.0),
    (DiscoverySettings, "contrast", 0.0, 1.0),
    (DiscoverySettings, "general_weight", 0.0, 100.0),
    (DiscoverySettings, "local_weight", 0.0, 100.0),
    (DiscoverySettings, "documents_weight", 0.0, 100.0),
    (DiscoverySettings, "held_back", 0.0, 1000.0),
    (SkipgramSettings, "dimensions", 1, 4096),
    (SkipgramSettings, "window", 1, 50),
    (SkipgramSettings, "negatives", 1, 100),
    (SkipgramSettings, "subsample", 0.0, 1.0),
    (SkipgramSettings, "learning_rate", 1e-6, 10.0),
    (SkipgramSettings, "epochs", 1, 10_000),
    (SkipgramSettings, "warm_up", 0, 12),
    (SkipgramSettings, "context_weight", 0.0, 1000.0),
    (SkipgramSettings, "document_weight", 0.0, 1000.0),
    (SkipgramSettings, "category_weight", 0.0, 1000.0),
    (SkipgramSettings, "category_every", 1, 1_000_000),
    (SkipgramSettings, "block", 32, 1 << 20),
    (SkipgramSettings, "shared_negatives", 1, 4096),
    (SkipgramSettings, "shared_documents", 1, 4096),
    (SampleSettings, "words", 0, 1_000_000_000),
    (SampleSettings, "document_words", 1, 100_000),
    (SampleSettings, "more_words", 0, 1_000_000_000),
    (SortingSettings, "rounds", 1, 20),
    (SortingSettings, "kept", 0.01, 1.0),
    (SortingSettings, "ridge", 1e-9, 1e3),
    (SortingSettings, "name_pull", 0.0, 1e3),
    (SortingSettings, "temperature", 1e-3, 1e3),
    (SortingSettings, "described_by", 0, 100),
]
WHOLE = [(kind, name) for kind, name, low, _ in RANGES if isinstance(low, int)]


def test_every_number_has_a_range():
    numbers = {
        (kind, each.name)
        for kind in {kind for kind, _, _, _ in RANGES}
        for each in fields(kind)
        if each.type in ("int", "float")
    }
    assert numbers == {(kind, name) for kind, name, _, _ in RANGES}


@pytest.mark.parametrize(("kind", "name", "low", "high"), RANGES)
def test_a_number_outside_its_range_is_refused_by_name(kind, name, low, high):
    beside = {"warm_up": 0} if name == "epochs" else {}  # it may not be longer than the whole
    for fine in (low, high):
        assert getattr(kind(**{name: fine}, **beside), name) == fine
    step = 1 if isinstance(low, int) else 1e-9
    for wrong in (low - step, high + step):
        with pytest.raises(SettingsError, match=f"`{name}` is {wrong}, but must lie between {low} and {high}"):
            kind(**{name: wrong}, **beside)


@pytest.mark.parametrize("wrong", [math.nan, math.inf, -math.inf])
def test_what_is_no_finite_number_is_refused(wrong):
    with pytest.raises(SettingsError, match=r"`rho` is .*, but must lie between"):
        DiscoverySettings(rho=wrong)


@pytest.mark.parametrize("wrong", ["5", None, True, [5]])
@pytest.mark.parametrize(("kind", "name"), [limits[:2] for limits in RANGES])
def test_what_is_no_number_is_refused_by_name(kind, name, wrong):
    with pytest.raises(SettingsError, match=f"`{name}` is .*, but must be a (whole )?number"):
        kind(**{name: wrong})


@pytest.mark.parametrize(("kind", "name"), WHOLE)
def test_a_count_is_a_whole_number(kind, name):
    with pytest.raises(SettingsError, match=rf"`{name}` is 5\.0, but must be a whole number"):
        kind(**{name: 5.0})


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
    "settings",
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
def test_index_settings_come_back_from_json_as_they_were(settings):
    saved = json.dumps(as_json(settings))
    assert index_settings_from(json.loads(saved)) == settings


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
    assert all(name == settings.preset for name, settings in PRESETS.items())


# Errors.


def all_errors(kind: type[SeeTopicError] = SeeTopicError) -> list[type[SeeTopicError]]:
    return [kind, *(below for child in kind.__subclasses__() for below in all_errors(child))]


def test_the_tree_of_errors_is_drawn_as_it_is():
    drawn = [line.strip("│ ├└─").split(" ")[0] for line in (inspect.getdoc(errors) or "").splitlines()[2:]]
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
