"""An index of unknown origin: its checksums are correct, but its files contain what no index would."""

from __future__ import annotations

import hashlib
import json
import os
import shutil
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path
from threading import Event

import numpy as np
import pytest

from fake_model import directions
from planted import planted_documents
from seetopic import Index, open_documents
from seetopic.classify.sorter import sorter_of
from seetopic.discovery.run import run_of
from seetopic.errors import DamagedIndex, SeeTopicError
from seetopic.index import layout
from seetopic.index.layout import FILES, MANIFEST, SAMPLE_TEXTS, bounds, finite, of_length, within
from seetopic.output.report import report_html

ARRAYS = [name for name in FILES if name.endswith(".npy")]
LISTS = [name for name in FILES if name.endswith(".json") and name != SAMPLE_TEXTS]  # only updates read that one


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("built") / "index"
    texts = [*planted_documents(90), "A quokka, and bread."]
    documents = open_documents(texts, columns={"number": range(len(texts))})
    return Index.build(documents, folder, embedding_model=directions, n_jobs=1).folder


@pytest.fixture
def copied(built: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(built, tmp_path / "copy"))


def sealed(folder: Path) -> None:
    """Correct the sizes and checksums of all files, as whoever wrote them would."""
    manifest = json.loads((folder / MANIFEST).read_text())
    for name in FILES:
        data = (folder / name).read_bytes()
        manifest["files"][name] = {"bytes": len(data), "sha256": hashlib.sha256(data).hexdigest()}
    (folder / MANIFEST).write_text(json.dumps(manifest))


def use(folder: Path) -> None:
    """Everything that is done with an index, including adding a name as a term."""
    run = run_of(Index.open(folder, embedding_model=directions), ["food", "quokka", "ball games"])
    report_html(run, sorter=sorter_of(run))
    np.asarray(run.index.positions)  # training reads these
    np.asarray(run.index.posting_documents)
    for name in run.index.column_names:
        run.index.column(name)


def odd_arrays(array: np.ndarray) -> dict[str, np.ndarray]:
    largest = np.iinfo(array.dtype).max if array.dtype.kind in "iu" else np.finfo(array.dtype).max
    return {
        "huge": np.full_like(array, largest),
        "negative": np.full_like(array, -7 if array.dtype.kind != "u" else 7),
        "falling": array[::-1].copy(),
        "shorter": array[: len(array) // 2],
        "longer": np.concatenate([array, array]),
        "empty": array[:0],
        "flat": array.reshape(-1, 1) if array.ndim == 1 else array.ravel(),
        "wider": array.astype(array.dtype.newbyteorder(">")),
        "texts": np.full(array.shape, "x"),
        "fields": np.zeros(array.shape, [("a", "i4"), ("b", "f8")]),
        "complex": array.astype(np.complex64),
        **({"missing": np.full_like(array, np.nan)} if array.dtype.kind == "f" else {}),
    }


@pytest.mark.slow
@pytest.mark.parametrize("name", ARRAYS)
def test_arrays_that_no_index_has_meet_a_sentence(built, copied, name):
    array = np.load(built / name)
    for odd in odd_arrays(array).values():
        np.save(copied / name, odd)
        sealed(copied)
        with suppress(SeeTopicError):  # anything else is a bug
            use(copied)


@pytest.mark.parametrize(
    ("name", "kind"),
    [
        ("sample_terms.npy", "huge"),
        ("sample_terms.npy", "negative"),
        ("sample_starts.npy", "huge"),
        ("sample_starts.npy", "falling"),
        ("sample_documents.npy", "huge"),
        ("documents.npy", "huge"),
        ("texts.npy", "huge"),
        ("posting_documents.npy", "negative"),
        ("general.npy", "missing"),
        ("local.npy", "shorter"),
        ("term_counts.npy", "longer"),
        ("document_starts.npy", "falling"),
    ],
)
def test_numbers_that_point_nowhere_are_refused(built, copied, name, kind):
    np.save(copied / name, odd_arrays(np.load(built / name))[kind])
    sealed(copied)
    with pytest.raises(DamagedIndex, match=f"{name} does not match the other files"):
        use(copied)


def test_vectors_of_more_documents_than_were_sampled_are_refused(built, copied):
    vectors = np.load(built / "sample_general.npy")
    for odd in (np.concatenate([vectors, vectors]), vectors[:, :3]):
        np.save(copied / "sample_general.npy", odd)
        sealed(copied)
        with pytest.raises(DamagedIndex, match=r"sample_general\.npy has vectors that do not match the index"):
            use(copied)


@pytest.mark.parametrize("name", LISTS)
@pytest.mark.parametrize("text", ["", "{}", "[1, 2]", '["a", "a"]', "[" * 100_000, '["a"', "[]", '"ab"', '[["a"]]'])
def test_lists_that_no_index_has_are_refused(copied, name, text):
    (copied / name).write_text(text)
    sealed(copied)
    with pytest.raises(DamagedIndex):
        use(copied)


class Harm:
    """If it were pickled, it would be run when it is read."""

    def __reduce__(self):
        return os.mkdir, ("harmed",)


@pytest.mark.parametrize("name", ARRAYS)
def test_a_pickle_in_an_arrays_place_is_not_read(copied, name, monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    np.save(copied / name, np.array([Harm()], dtype=object), allow_pickle=True)
    sealed(copied)
    with suppress(SeeTopicError):
        use(copied)
    assert not Path("harmed").exists()


@pytest.mark.parametrize("shape", ["(999999999999999999,)", "(2147483647, 2147483647)", "(-1,)", "()", "(1e9,)", "x"])
def test_a_header_that_promises_more_than_is_there_is_refused(copied, shape):
    header = f"{{'descr': '<i4', 'fortran_order': False, 'shape': {shape}, }}".ljust(117) + "\n"
    data = b"\x93NUMPY\x01\x00" + len(header).to_bytes(2, "little") + header.encode() + bytes(64)
    (copied / "documents.npy").write_bytes(data)
    sealed(copied)
    with pytest.raises(DamagedIndex, match=r"documents\.npy"):
        np.asarray(Index.open(copied, embedding_model=directions).positions)


def test_a_sound_index_passes(built):
    use(built)


def test_a_number_that_points_nowhere_in_a_long_file_is_refused_when_it_is_read(copied, monkeypatch, tmp_path):
    monkeypatch.setattr(layout, "_LARGE", 1)
    places = np.load(copied / "texts.npy")
    places[-5] = 10**6
    np.save(copied / "texts.npy", places)
    sealed(copied)
    index = Index.open(copied, embedding_model=directions, cache=tmp_path / "cache")
    assert np.array_equal(index.texts.places[:10], places[:10])
    for read in (lambda: index.texts.places[-8:], index.verify):
        with pytest.raises(DamagedIndex, match=r"texts\.npy does not match the other files"):
            read()


def test_what_reading_ahead_cannot_read_is_reported_where_it_is_needed(built, copied):
    sound = Index.open(built, embedding_model=directions)
    with sound.reading_ahead():
        pass
    assert {"general.npy", "local.npy", "sample_general.npy"} <= set(sound.files._arrays)
    np.save(copied / "general.npy", np.zeros((1, 2), np.float32))
    sealed(copied)
    damaged = Index.open(copied, embedding_model=directions)
    with damaged.reading_ahead():
        pass
    with pytest.raises(DamagedIndex, match=r"general\.npy does not match"):
        _ = damaged.general


def test_what_each_check_lets_through():
    numbers = np.array([0, 2, 2, 5])
    assert bounds()(numbers)
    assert bounds(3, 5)(numbers)
    assert not bounds(4)(numbers)
    assert not bounds(3, 6)(numbers)
    assert not bounds()(np.array([0, 2, 1]))
    assert not bounds()(np.array([1, 2]))
    assert not bounds()(numbers[:0])
    assert within(0, 6)(numbers)
    assert not within(0, 5)(numbers)
    assert not within(1, 6)(numbers)
    assert within(0, 0)(numbers[:0])
    assert of_length(4)(numbers)
    assert finite(np.ones((3, 2), np.float32))
    assert not finite(np.array([1, np.inf, -np.inf]))
    assert not finite(np.array([1, np.nan]))


def test_a_file_can_be_read_while_another_thread_reads_a_large_one(built):
    """Two threads read an index faster than one, and each file once."""
    opened, begun, may_end = Index.open(built, embedding_model=directions), Event(), Event()
    general, local = (layout.GENERAL, np.float32, 2), (layout.LOCAL, np.float32, 2)

    def slow(array):
        begun.set()
        return may_end.wait(60)

    with ThreadPoolExecutor(2) as pool:
        first = pool.submit(opened.files.array, *general, slow)
        assert begun.wait(60)
        second = pool.submit(opened.files.array, *general)
        assert len(opened.files.array(*local)) == len(opened.vocabulary)
        assert not second.done()
        may_end.set()
        assert first.result() is second.result()
