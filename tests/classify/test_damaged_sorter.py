"""A sorter damaged on disk is refused, or sorts as before."""

from __future__ import annotations

import random

from planted import NAMES
from seetopic import Sorter, sorter_for
from seetopic.errors import SeeTopicError


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
