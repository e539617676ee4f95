"""Files: written completely or not at all."""

from __future__ import annotations

import errno
import hashlib
import json
import os
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from seetopic.errors import OutputError
from seetopic.runtime.files import (
    sha256_of,
    write_array,
    write_arrays_in_parts,
    write_json,
    write_text,
    writing,
    written_whole,
)

ADVICE = [
    (errno.ENOSPC, "No space left on device; free some space or choose another location"),
    (errno.EDQUOT, "Disk quota exceeded; free some of your quota or choose another location"),
    (errno.EFBIG, "File too large; raise the limit on file sizes or choose another location"),
    (errno.EACCES, "Permission denied; choose a location you can write to"),
    (errno.EPERM, "Operation not permitted; choose a location you can write to"),
    (errno.EROFS, "Read-only file system; choose a location you can write to"),
    (errno.EIO, "Input/output error; choose another location"),
]


def os_error(number: int) -> OSError:
    return OSError(number, os.strerror(number))


@pytest.fixture
def target(tmp_path: Path) -> Path:
    """A file that already exists."""
    path = tmp_path / "result.txt"
    path.write_text("old")
    return path


def is_untouched(target: Path) -> bool:
    return target.read_text() == "old" and list(target.parent.iterdir()) == [target]


def test_a_file_takes_its_name_only_when_it_is_whole(target):
    with written_whole(target) as beside:
        beside.write_text("new")
        assert target.read_text() == "old"
        assert beside.parent == target.parent
    assert target.read_text() == "new"
    assert list(target.parent.iterdir()) == [target]


def test_missing_folders_are_made(tmp_path):
    write_text(tmp_path / "a" / "b" / "c.txt", "text")
    assert (tmp_path / "a" / "b" / "c.txt").read_text() == "text"


def write_and_fail(target: Path, error: BaseException) -> None:
    with written_whole(target) as beside:
        beside.write_text("half of it")
        raise error


@pytest.mark.parametrize(("number", "message"), ADVICE)
def test_a_refusal_to_write_says_what_to_do_and_leaves_nothing_behind(target, number, message):
    with pytest.raises(OutputError, match=rf"^cannot write .*result\.txt: {message}$"):
        write_and_fail(target, os_error(number))
    assert is_untouched(target)


def test_a_refusal_without_a_number_is_told_in_its_own_words(target):
    with (
        pytest.raises(OutputError, match=r"result\.txt: 5 asked, 3 written; choose another location"),
        writing(target),
    ):
        raise OSError("5 asked, 3 written")


@pytest.mark.parametrize("error", [ValueError, KeyboardInterrupt, OutputError])
def test_any_other_error_passes_and_leaves_nothing_behind(target, error):
    with pytest.raises(error, match=r"^its own words$"):
        write_and_fail(target, error("its own words"))
    assert is_untouched(target)


@pytest.mark.parametrize("step", ["fsync", "replace"])
def test_a_disk_that_is_full_at_the_last_step_leaves_nothing_behind(target, monkeypatch, step):
    def full(*_: object) -> None:
        raise os_error(errno.ENOSPC)

    monkeypatch.setattr(*((os, "fsync") if step == "fsync" else (Path, "replace")), full)
    with pytest.raises(OutputError, match="No space left on device; free some space"):
        write_text(target, "new")
    assert is_untouched(target)


def test_a_place_that_cannot_be_is_refused_in_one_sentence(tmp_path):
    (tmp_path / "file").write_text("old")
    with pytest.raises(OutputError, match=r"cannot write .*child\.txt: (File exists|Not a directory); choose another"):
        write_text(tmp_path / "file" / "child.txt", "new")
    with pytest.raises(OutputError, match=r"cannot write .*: File name too long; choose another location"):
        write_text(tmp_path / ("x" * 300), "new")
    (tmp_path / "folder").mkdir()
    with pytest.raises(OutputError, match=r"folder is a folder; name a file in it"):
        write_text(tmp_path / "folder", "new")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["file", "folder"]


def test_text_is_written_as_utf_8_with_plain_line_ends(target):
    write_text(target, "naïve\n北京\n")
    assert target.read_bytes() == "naïve\n北京\n".encode()


def test_text_that_cannot_be_encoded_leaves_the_old_file(target):
    with pytest.raises(UnicodeEncodeError):
        write_text(target, "new \ud800")
    assert is_untouched(target)


def test_json_comes_back_and_is_the_same_bytes_for_the_same_value(target):
    value = {"b": [1, 2.5, None], "a": "naïve"}
    write_json(target, value)
    first = target.read_bytes()
    assert json.loads(first) == value
    assert "naïve".encode() in first
    assert first.endswith(b"}\n")
    write_json(target, value)
    assert target.read_bytes() == first


def test_json_that_cannot_be_written_leaves_the_old_file(target):
    with pytest.raises(TypeError):
        write_json(target, {"new": object()})
    assert is_untouched(target)


# Arrays.


def saved(array: np.ndarray, path: Path) -> bytes:
    np.save(path, array)
    return path.read_bytes()


@pytest.mark.parametrize(
    "array",
    [
        np.arange(7, dtype=np.int32),
        np.arange(6, dtype=np.float32).reshape(2, 3),
        np.arange(6, dtype=np.float64).reshape(2, 3).T,
        np.arange(20)[::3],
        np.empty((0, 5), np.float32),
        np.array([True, False]),
    ],
)
def test_an_array_comes_back_as_it_was(tmp_path, array):
    write_array(tmp_path / "array.npy", array)
    found = np.load(tmp_path / "array.npy", mmap_mode="r" if array.size else None)
    np.testing.assert_array_equal(found, array)
    assert (found.dtype, found.shape) == (array.dtype, array.shape)


def test_a_plain_array_is_the_bytes_that_numpy_saves(tmp_path):
    array = np.arange(12, dtype=np.float32).reshape(3, 4)
    write_array(tmp_path / "ours.npy", array)
    assert (tmp_path / "ours.npy").read_bytes() == saved(array, tmp_path / "theirs.npy")


@pytest.mark.parametrize("lasting", [True, False])
def test_only_what_must_last_waits_for_the_disk(tmp_path, monkeypatch, lasting):
    waited: list[int] = []
    monkeypatch.setattr(os, "fsync", waited.append)
    write_array(tmp_path / "ours.npy", np.arange(3), lasting=lasting)
    assert len(waited) == lasting
    assert np.load(tmp_path / "ours.npy").tolist() == [0, 1, 2]


@pytest.mark.parametrize("cuts", [[], [4], [0, 3, 3, 10], [1, 2, 3, 4, 5, 6, 7, 8, 9]])
def test_arrays_in_parts_are_the_bytes_that_numpy_saves(tmp_path, cuts):
    left, right = np.arange(10), np.arange(10)[::-1] * 1000
    parts = zip(np.split(left, cuts), np.split(right, cuts), strict=True)
    paths = [tmp_path / "left.npy", tmp_path / "right.npy"]
    write_arrays_in_parts(paths, np.dtype(np.int32), (10,), parts)
    assert paths[0].read_bytes() == saved(left.astype(np.int32), tmp_path / "a.npy")
    assert paths[1].read_bytes() == saved(right.astype(np.int32), tmp_path / "b.npy")


def failing_parts(error: BaseException) -> Iterator[tuple[np.ndarray, np.ndarray]]:
    yield np.arange(3), np.arange(3)
    raise error


@pytest.mark.parametrize(
    ("error", "raised"),
    [(os_error(errno.ENOSPC), OutputError), (ValueError("odd"), ValueError), (KeyboardInterrupt(), KeyboardInterrupt)],
)
def test_arrays_in_parts_that_fail_half_way_leave_nothing_behind(target, error, raised):
    paths = [target, target.with_name("other.npy")]
    with pytest.raises(raised):
        write_arrays_in_parts(paths, np.dtype(np.int32), (6,), failing_parts(error))
    assert is_untouched(target)


def test_a_part_without_a_piece_for_each_path_is_refused(target):
    with pytest.raises(ValueError, match="zip"):
        write_arrays_in_parts([target, target.with_name("b")], np.dtype(np.int32), (3,), [[np.arange(3)]])
    assert is_untouched(target)


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs a device that is always full")
@pytest.mark.parametrize("write", [lambda path: write_text(path, "x"), lambda path: write_array(path, np.zeros(9))])
def test_a_disk_that_is_really_full_says_what_to_do(target, monkeypatch, write: Callable[[Path], None]):
    really_open = Path.open

    def open_full(path: Path, *mode: Any, **more: Any) -> Any:
        return really_open(Path("/dev/full") if path.suffix == ".part" else path, *mode, **more)

    monkeypatch.setattr(Path, "open", open_full)
    with pytest.raises(OutputError, match="No space left on device; free some space"):
        write(target)
    assert is_untouched(target)


def test_the_checksum_is_that_of_the_bytes(tmp_path):
    (tmp_path / "a").write_bytes(b"abc" * 100_000)
    assert sha256_of(tmp_path / "a") == hashlib.sha256(b"abc" * 100_000).hexdigest()
