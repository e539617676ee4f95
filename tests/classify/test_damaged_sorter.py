"""A sorter damaged on disk is refused, or sorts as before."""

from __future__ import annotations

import json
import random

import numpy as np
import pytest
from safetensors import safe_open
from safetensors.numpy import save_file

from planted import NAMES
from seetopic import Sorter, sorter_for
from seetopic.errors import OutputError, SeeTopicError


def test_a_flipped_bit_anywhere_in_a_sorter_is_refused_or_changes_nothing(index, tmp_path):
    sorter = sorter_for(index, NAMES)
    sorter.save(tmp_path)
    path = tmp_path / "sorter.safetensors"
    whole = path.read_bytes()
    chance = random.Random(0)
    refused = 0
    for _ in range(150):
        damaged = bytearray(whole)
        damaged[chance.randrange(len(damaged))] ^= 1 << chance.randrange(8)
        path.write_bytes(damaged)
        try:
            assert Sorter.load(tmp_path).fingerprint == sorter.fingerprint
        except SeeTopicError:
            refused += 1
    assert refused > 100
    path.write_bytes(whole)
    assert Sorter.load(tmp_path).fingerprint == sorter.fingerprint


@pytest.mark.parametrize(
    ("changed", "sentence"),
    [
        ({"format": 0}, "was written by another version of seetopic; run `seetopic discover` again"),
        ({"parents": [0, -1, -1]}, "a parent must come before its children"),
        ({"parents": [-1, True, -1]}, "a parent must come before its children"),
        ({"parents": [-1] * 99}, "its tree does not match its names"),
        ({"term_trust": 1.5}, "its trusts are out of range"),
        ({"read_trust": float("nan")}, "its trusts are out of range"),
        ({"read_level": 1e9}, "its levels of none are out of range"),
        ({"term_level": float("nan")}, "its levels of none are out of range"),
        ({"term_level": "high"}, "bad operand type"),
    ],
)
def test_a_sorter_with_other_values_is_refused(index, tmp_path, changed, sentence):
    sorter_for(index, NAMES).save(tmp_path)
    path = tmp_path / "sorter.safetensors"
    with safe_open(path, "np") as file:
        about, arrays = json.loads(file.metadata()["seetopic"]), {name: file.get_tensor(name) for name in file.keys()}  # noqa: SIM118
    save_file(arrays, path, {"seetopic": json.dumps({**about, **changed})})
    with pytest.raises(OutputError, match=sentence):
        Sorter.load(tmp_path)


@pytest.mark.parametrize("about", ["null", '"text"', "7", "[7]", "{}", "["])
def test_a_file_with_anything_else_in_its_header_is_refused(tmp_path, about):
    save_file({"idf": np.zeros(1)}, tmp_path / "sorter.safetensors", {"seetopic": about})
    with pytest.raises(OutputError, match="cannot be read"):
        Sorter.load(tmp_path)
