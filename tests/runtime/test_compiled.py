"""SciPy's compiled files, without SciPy."""

import numpy as np
import pytest
import scipy.optimize

from seetopic.discovery import twins
from seetopic.runtime import compiled


@pytest.mark.parametrize("asked", [("sparse", "_no_such_file"), ("sparse", "_sparsetools", "no_such_routine")])
def test_what_is_not_there_is_none(asked):
    assert compiled(*asked) is None


@pytest.mark.parametrize("there", [True, False])
def test_scipys_assignment_is_used_either_way(there, monkeypatch):
    if not there:
        monkeypatch.setattr(twins, "compiled", lambda *asked: None)
    suits = np.random.default_rng(0).standard_normal((3, 6))
    expected = scipy.optimize.linear_sum_assignment(suits, maximize=True)
    np.testing.assert_array_equal(twins._assignment()(suits, maximize=True), expected)
