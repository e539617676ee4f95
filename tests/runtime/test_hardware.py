"""Products have the same bits for any number of threads, even while other threads start and end."""

import os
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from threading import Barrier

import numpy as np
import pytest
from scipy.sparse import csr_array
from threadpoolctl import threadpool_info

from seetopic.runtime import hardware
from seetopic.runtime.hardware import in_blocks, laid_out, one_thread, product, sparse_product


def blas_threads() -> set[int]:
    return {library["num_threads"] for library in threadpool_info() if library["user_api"] == "blas"}


def nobody_lifts_the_limit_of_another() -> None:
    def come_and_go(_: int) -> set[int]:
        with one_thread(), one_thread():
            return blas_threads()

    with ThreadPoolExecutor(6) as threads:
        assert all(found == {1} for found in threads.map(come_and_go, range(200)))
    assert blas_threads() == {2}


def the_limit_is_lifted_after_an_error() -> None:
    @one_thread()
    def wrong() -> None:
        raise ValueError(f"there are {blas_threads()}")

    for _ in range(2):
        with pytest.raises(ValueError, match=r"there are \{1\}"):
            wrong()
        assert blas_threads() == {2}


@pytest.mark.slow
@pytest.mark.parametrize("claim", ["nobody_lifts_the_limit_of_another", "the_limit_is_lifted_after_an_error"])
def test_where_there_are_two_threads(claim):
    """In a process of its own, because the number of threads is fixed when the library is loaded."""
    script = f"import test_hardware; test_hardware.{claim}(); print('held')"
    told = subprocess.run(
        [sys.executable, "-c", script],
        cwd=Path(__file__).parent,
        env={**os.environ, "OMP_NUM_THREADS": "2", "OPENBLAS_NUM_THREADS": "2"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert told.stdout == "held\n", told.stderr


@pytest.mark.slow
@pytest.mark.parametrize("shape", [(5, 3, 2), (9001, 384, 7), (45000, 384, 1), (384, 900, 300)])
def test_a_product_is_the_product_whatever_the_cores(shape, monkeypatch):
    n_rows, inner, n_columns = shape
    random = np.random.default_rng(0)
    left = random.normal(size=(inner, n_rows)).astype(np.float32).T  # to be split even in column-major order
    right = random.normal(size=(inner, n_columns)).astype(np.float32)
    found = []
    for cores in (1, 2, 5):
        monkeypatch.setattr("seetopic.runtime.hardware.available_cores", lambda cores=cores: cores)
        found.append(product(left, right))
    np.testing.assert_allclose(found[0], left.astype(np.float64) @ right, atol=1e-3)
    assert all(np.array_equal(found[0], other) for other in found)


@pytest.mark.slow
def test_products_of_several_threads_at_once_have_the_same_bits():
    random = np.random.default_rng(0)
    left = random.normal(size=(45000, 384)).astype(np.float32)
    rights = [random.normal(size=(384, size)).astype(np.float32) for size in (1, 2, 5, 1)]
    alone = [product(left, right) for right in rights]
    together = Barrier(len(rights))

    def after_all(right: np.ndarray) -> np.ndarray:
        together.wait(10)
        return product(left, right)

    with ThreadPoolExecutor(len(rights)) as threads:
        for _ in range(5):
            found = list(threads.map(after_all, rights))
            assert all(np.array_equal(one, other) for one, other in zip(alone, found, strict=True))


@pytest.mark.parametrize(("number", "width"), [(0, 3), (1, 10**9), (400_000, 1), (1000, 500)])
def test_blocks_are_all_rows_in_order(number, width):
    rows = [row for block in in_blocks(number, width) for row in range(number)[block]]
    assert rows == list(range(number))


def test_a_sparse_product_in_parts_has_the_bits_of_the_whole(monkeypatch):
    chance = np.random.default_rng(0)
    left = csr_array(chance.random((600, 500)) * (chance.random((600, 500)) < 0.3))
    right = chance.standard_normal((500, 40))
    assert left.nnz * 40 > hardware._MANY
    for cores in (1, 3):
        monkeypatch.setattr(hardware, "available_cores", lambda cores=cores: cores)
        np.testing.assert_array_equal(sparse_product(left, right), left @ right)
        np.testing.assert_array_equal(
            sparse_product(left.T, right[:1].repeat(600, 0)), left.T @ right[:1].repeat(600, 0)
        )


@pytest.mark.parametrize("n_rows", [0, 1, 3, 64, 1000])
def test_another_layout_has_the_same_numbers(n_rows):
    matrix = np.random.default_rng(0).random((n_rows, 5))
    for order in ("C", "F"):
        found = laid_out(laid_out(matrix, "F"), order)
        assert found.flags[f"{order}_CONTIGUOUS"]
        np.testing.assert_array_equal(found, matrix)
