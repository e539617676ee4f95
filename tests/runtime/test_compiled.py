"""SciPy's compiled files, without SciPy."""

import sys
from importlib.machinery import EXTENSION_SUFFIXES

import numpy as np
import pytest
import scipy.optimize

from seetopic.discovery import twins
from seetopic.runtime import compiled


@pytest.mark.parametrize("asked", [("sparse", "_no_such_file"), ("sparse", "_sparsetools", "no_such_routine")])
def test_what_is_not_there_is_none(asked):
    assert compiled(*asked) is None


def test_what_cannot_be_loaded_is_none(tmp_path, monkeypatch):
    (tmp_path / "scipy" / "sparse").mkdir(parents=True)
    (tmp_path / "scipy" / "__init__.py").touch()
    (tmp_path / "scipy" / "sparse" / f"_broken{EXTENSION_SUFFIXES[0]}").write_bytes(b"not a library")
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.delitem(sys.modules, "scipy")
    assert compiled("sparse", "_broken") is None


@pytest.mark.parametrize("there", [True, False])
def test_scipys_assignment_is_used_either_way(there, monkeypatch):
    if not there:
        monkeypatch.setattr(twins, "compiled", lambda *asked: None)
    suits = np.random.default_rng(0).standard_normal((3, 6))
    expected = scipy.optimize.linear_sum_assignment(suits, maximize=True)
    np.testing.assert_array_equal(twins._assignment()(suits, maximize=True), expected)
