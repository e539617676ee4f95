"""Sparse matrices, compared with SciPy's own."""

import subprocess
import sys

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.sparse import csr_array

from seetopic.runtime import Sparse
from seetopic.runtime import sparse as module


def matrices(random_state, n_rows, n_columns, dtype):
    chance = np.random.default_rng(random_state)
    dense = chance.standard_normal((n_rows, n_columns)) * (chance.random((n_rows, n_columns)) < 0.4)
    scipys = csr_array(dense.astype(dtype))
    return Sparse.rows(scipys.data, scipys.indices, scipys.indptr.astype(np.int64), scipys.shape), scipys


@given(
    st.integers(0, 99),
    *(st.integers(0, 7) for _ in range(3)),
    *(st.sampled_from([np.float32, np.float64]) for _ in range(2)),
)
def test_products_have_the_bits_and_types_of_scipys(random_state, n_rows, n_columns, n, own, other):
    ours, scipys = matrices(random_state, n_rows, n_columns, own)
    right = np.random.default_rng(random_state).standard_normal((n_columns, 2 * n)).astype(other)
    left = np.random.default_rng(random_state).standard_normal((n_rows, n)).astype(other)
    for one, another in (
        (ours @ right, scipys @ right),
        (ours @ right[:, ::2], scipys @ right[:, ::2]),
        (ours.T @ left, scipys.T @ left),
        (ours.T.tocsr() @ left, scipys.T.tocsr() @ left),
        (ours.tocsc() @ right, scipys.tocsc() @ right),
    ):
        assert one.dtype == another.dtype
        np.testing.assert_array_equal(one, another)


@given(st.integers(0, 99), *(st.integers(-3, 8) for _ in range(2)))
def test_parts_and_columns_are_scipys(random_state, first, last):
    ours, scipys = matrices(random_state, 6, 5, np.float32)
    for one, another in ((ours[first:last], scipys[first:last]), (ours.tocsc(), scipys.tocsc())):
        assert (one.shape, one.nnz, one.dtype) == (another.shape, another.nnz, another.dtype)
        for name in ("data", "indices", "indptr"):
            np.testing.assert_array_equal(getattr(one, name), getattr(another, name))
    assert ours.tocsr() is ours
    assert ours.tocsc().tocsc().by_column


def test_what_cannot_be_multiplied_or_cut_is_refused():
    ours, _ = matrices(0, 3, 2, np.float32)
    for wrong in (np.ones((3, 2)), np.ones(2)):
        with pytest.raises(ValueError, match="cannot be multiplied"):
            ours @ wrong
    with pytest.raises(TypeError, match="by rows"):
        ours.T[:1]


def test_scipy_is_not_imported():
    script = (
        "import sys, numpy as np; from seetopic.runtime import Sparse; one = np.ones(1); "
        "Sparse.rows(one, np.zeros(1, int), np.arange(2), (1, 1)) @ np.ones((1, 1)); "
        "assert not any(name.partition('.')[0] == 'scipy' for name in sys.modules); "
        "import scipy.sparse; assert (scipy.sparse.eye_array(2) @ np.eye(2) == np.eye(2)).all()"
    )
    subprocess.run([sys.executable, "-c", script], check=True)


def test_scipy_itself_does_the_same_if_its_routines_are_elsewhere(monkeypatch):
    ours, scipys = matrices(1, 6, 5, np.float32)
    right = np.random.default_rng(1).standard_normal((5, 3))
    expected = ours @ right, ours.tocsc() @ right, ours.tocsc().indices
    monkeypatch.setattr(module, "compiled", lambda *asked: None)
    for one, another in zip((ours @ right, ours.tocsc() @ right, ours.tocsc().indices), expected, strict=True):
        np.testing.assert_array_equal(one, another)
    assert ours.tocsc().by_column
    np.testing.assert_array_equal(ours.tocsc().data, scipys.tocsc().data)
