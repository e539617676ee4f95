"""Arrays in files: read by several threads at once, as NumPy reads them, and refused if incomplete."""

from __future__ import annotations

import gc
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

from seetopic.index.layout import read_array
from seetopic.runtime.files import write_array
from seetopic.runtime.npy import arrays_in, load_array, map_array

_OPENED = 300  # times by each thread; with NumPy's parser some of them failed


@pytest.fixture
def quick_turns() -> Iterator[None]:
    """Threads that switch as often as possible, even during garbage collection."""
    before, threshold = sys.getswitchinterval(), gc.get_threshold()
    called: list[str] = []

    def turn(phase: str, info: dict[str, int]) -> None:
        called[:] = [phase for _ in range(50)]

    gc.callbacks.append(turn)
    gc.set_threshold(5)
    sys.setswitchinterval(1e-6)
    yield
    sys.setswitchinterval(before)
    gc.set_threshold(*threshold)
    gc.callbacks.remove(turn)


def test_threads_that_open_arrays_at_once_do_not_disturb_each_other(tmp_path, quick_turns):
    path = tmp_path / "numbers.npy"
    write_array(path, np.arange(12, dtype=np.int64))

    def opened(_: int) -> int:
        return sum(int(read_array(path, np.int64, 1)[-1]) for _ in range(_OPENED))

    with ThreadPoolExecutor(4) as pool:
        assert list(pool.map(opened, range(4))) == [11 * _OPENED] * 4


ARRAYS = [
    np.arange(5, dtype=np.int64),
    np.arange(6, dtype=np.float32).reshape(2, 3),
    np.asfortranarray(np.arange(6, dtype=np.int16).reshape(2, 3)),
    np.empty((0, 7), np.float32),
    np.array(3.5),
    np.array([True, False]),
    np.arange(4, dtype=np.uint8),
    np.arange(8, dtype=">i4").reshape(2, 2, 2),
]


@pytest.mark.parametrize("array", ARRAYS, ids=lambda array: f"{array.dtype.str}{array.shape}")
def test_arrays_are_read_as_numpy_reads_them(tmp_path, array):
    np.save(tmp_path / "array.npy", array)
    np.savez(tmp_path / "arrays.npz", first=array, second=array + 0)
    for found in (load_array(tmp_path / "array.npy"), arrays_in(tmp_path / "arrays.npz")["first"]):
        assert (found.dtype, found.shape) == (array.dtype, array.shape)
        assert np.array_equal(found, array)
        assert found.flags.writeable
    if array.ndim:
        assert np.array_equal(map_array(tmp_path / "array.npy"), array)


def test_what_numpy_would_have_to_unpickle_is_refused(tmp_path):
    np.save(tmp_path / "objects.npy", np.array([{}], dtype=object), allow_pickle=True)
    with pytest.raises(ValueError, match="header"):
        load_array(tmp_path / "objects.npy")


@pytest.mark.parametrize("length", [0, 5, 9, 60, 127, 135])
def test_an_array_that_is_cut_off_is_refused(tmp_path, length):
    np.save(tmp_path / "array.npy", np.arange(5))
    (tmp_path / "array.npy").write_bytes((tmp_path / "array.npy").read_bytes()[:length])
    with pytest.raises(ValueError, match=r"not a version 1\.0 \.npy file|header"):
        load_array(tmp_path / "array.npy")


def test_a_flipped_bit_anywhere_in_an_archive_changes_nothing_or_is_refused(tmp_path):
    path, arrays = tmp_path / "arrays.npz", {"first": np.arange(9), "second": np.ones((3, 2), np.float32)}
    np.savez(path, **arrays)
    whole = path.read_bytes()
    refused = 0
    for place in range(len(whole)):
        damaged = bytearray(whole)
        damaged[place] ^= 1 << place % 8
        path.write_bytes(damaged)
        try:
            found = arrays_in(path)
        except (ValueError, OSError):
            refused += 1
        else:
            assert {name: each.tolist() for name, each in found.items() if name in arrays} == {
                name: arrays[name].tolist() for name in arrays if name in found
            }
    assert refused > len(whole) / 2
