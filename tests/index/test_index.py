"""Indexes are built completely, the same for any number of workers, and refused if they are incomplete."""

from __future__ import annotations

import json
import pickle
import signal
from contextlib import suppress
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from fake_model import directions
from planted import planted_documents
from seetopic import Index, discover, open_documents
from seetopic.corpus.partition import Piece
from seetopic.errors import CorpusError, DamagedIndex, EncoderError, IndexFailure, IndexInUse, SeeTopicError
from seetopic.index import layout
from seetopic.settings import DEFAULT, IndexSettings, TextSettings

SMALL_SHARDS = replace(DEFAULT.index, text=TextSettings(shard_documents=15))
STAGES = [
    "reading documents",
    "finding phrases",
    "finding terms",
    "counting documents",
    "counting neighbours",
    "local vectors",
    "language model",
    "language model reads documents",
]


def contents(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in folder.iterdir()}


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The planted corpus with a model that needs no loading."""
    out = tmp_path_factory.mktemp("built") / "index"
    Index.build(planted_documents(), out, embedding_model=directions, n_jobs=1)
    return out


@pytest.fixture
def copied(built: Path, tmp_path: Path) -> Path:
    copy = tmp_path / "copy"
    copy.mkdir()
    for name, data in contents(built).items():
        (copy / name).write_bytes(data)
    return copy


def test_an_index_knows_its_documents_and_terms(index, documents):
    assert len(index) == len(documents)
    assert index.vocabulary.counts[index.term_id("Planet")] == sum("planet" in text for text in documents)
    assert index.general.shape == (len(index.vocabulary), 384)
    assert np.linalg.norm(index.local, axis=1) == pytest.approx(1.0, abs=1e-5)


@pytest.mark.slow
def test_two_builds_are_the_same_bytes_for_one_and_two_jobs(tmp_path):
    folders = []
    for jobs in (1, 2):
        out = tmp_path / f"jobs-{jobs}"
        # An empty cache each: the language model must give the same bytes, too.
        Index.build(planted_documents(30), out, settings=SMALL_SHARDS, n_jobs=jobs, cache=tmp_path / f"cache-{jobs}")
        folders.append(contents(out))
    assert folders[0] == folders[1]


@pytest.mark.slow
def test_the_size_of_shards_does_not_change_the_index(tmp_path):
    vectors = []
    for size in (7, 1000):
        text = replace(DEFAULT.index.text, shard_documents=size)
        out = tmp_path / str(size)
        shards = replace(DEFAULT.index, text=text)
        vectors.append(Index.build(planted_documents(), out, settings=shards, embedding_model=directions))
    assert vectors[0].vocabulary.terms == vectors[1].vocabulary.terms
    assert np.array_equal(vectors[0].local, vectors[1].local)


def test_building_again_keeps_the_index_that_is_there(built):
    before = {path: path.stat().st_mtime_ns for path in built.iterdir()}
    out = built.parent / "with model of known identity"
    known = dict(zip(*_all_vectors(built), strict=True))
    Index.build(planted_documents(), out, embedding_model=_Fingerprinted(known), n_jobs=1)
    times = {path: path.stat().st_mtime_ns for path in out.iterdir()}
    Index.build(planted_documents(), out, embedding_model=_Fingerprinted(known), n_jobs=2)
    assert {path: path.stat().st_mtime_ns for path in out.iterdir()} == times
    assert {path: path.stat().st_mtime_ns for path in built.iterdir()} == before


def _all_vectors(folder: Path) -> tuple[list[str], np.ndarray]:
    return json.loads((folder / layout.TERMS).read_text()), np.load(folder / layout.GENERAL)


class _Fingerprinted:
    """Precomputed vectors with a fingerprint."""

    name = "ready"
    fingerprint = "ready-1"

    def __init__(self, vectors: dict[str, np.ndarray]) -> None:
        self._vectors = vectors

    def encode(self, texts, jobs, progress):
        return np.stack([self._vectors.get(text, directions([text])[0]) for text in texts])

    def encode_names(self, names):
        return directions(list(names)) / np.linalg.norm(directions(list(names)), axis=1, keepdims=True)


DYING = "import sys; from fake_model import build_and_die; build_and_die(*sys.argv[1:])"


@pytest.mark.slow
@pytest.mark.parametrize("stage", STAGES)
def test_a_build_killed_in_any_stage_goes_on_to_the_same_index(built, tmp_path, forks, stage):
    out = tmp_path / "index"
    killed = forks.run(DYING, out, stage, cwd=tmp_path)
    assert killed.returncode == -signal.SIGKILL, killed.stderr
    assert not out.exists()
    with pytest.raises(IndexFailure, match="is not an index"):
        Index.open(out)
    Index.build(planted_documents(), out, embedding_model=directions, n_jobs=1)
    assert contents(out) == contents(built)
    assert [path.name for path in out.parent.iterdir()] == ["index"]


def test_a_build_that_goes_on_does_not_tokenise_again(tmp_path):
    calls = []

    def counting_tokenizer(text: str) -> list[str]:
        calls.append(text)
        return text.split()

    def stop(stage: str, done: int, total: int | None) -> None:
        if stage == "local vectors":
            raise KeyboardInterrupt

    options = {"embedding_model": directions, "tokenizer": counting_tokenizer, "n_jobs": 1}
    with pytest.raises(KeyboardInterrupt):
        Index.build(planted_documents(), tmp_path / "index", progress=stop, **options)
    n_calls = len(calls)
    Index.build(planted_documents(), tmp_path / "index", **options)
    assert n_calls == len(calls) == 240


def test_other_documents_are_not_mixed_into_a_build_that_was_cut_off(tmp_path, built):
    def stop(stage: str, done: int, total: int | None) -> None:
        if stage == "local vectors":
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        Index.build(planted_documents(seed=1), tmp_path / "index", embedding_model=directions, n_jobs=1, progress=stop)
    Index.build(planted_documents(), tmp_path / "index", embedding_model=directions, n_jobs=1)
    assert contents(tmp_path / "index") == contents(built)


@pytest.mark.slow
def test_two_builds_into_one_folder_do_not_meet(tmp_path, forks):
    out = tmp_path / "index"
    refused = []

    def meanwhile(stage: str, done: int, total: int | None) -> None:
        if stage == "finding terms" and not refused:
            refused.append(forks.run(DYING, out, "never", cwd=tmp_path).stderr)

    Index.build(planted_documents(), out, embedding_model=directions, n_jobs=1, progress=meanwhile)
    assert IndexInUse.__name__ in refused[0]
    assert "another build is writing" in refused[0]
    assert len(Index.open(out, embedding_model=directions)) == 240


@pytest.mark.parametrize("name", [*layout.FILES])
def test_a_changed_byte_in_any_file_is_found_and_the_file_named(copied, name):
    path = copied / name
    data = bytearray(path.read_bytes())
    data[-1] ^= 1
    path.write_bytes(bytes(data))
    with pytest.raises(DamagedIndex, match=name):
        _read_everything(Index.open(copied, embedding_model=directions))


def _read_everything(index: Index) -> None:
    for name in layout.FILES:
        layout.check_contents(index.folder, name, index.manifest["files"][name]["sha256"])


def test_discovery_itself_meets_the_damage(copied):
    data = bytearray((copied / layout.LOCAL).read_bytes())
    data[-1] ^= 1
    (copied / layout.LOCAL).write_bytes(bytes(data))
    with pytest.raises(DamagedIndex, match=r"local\.npy is damaged"):
        discover(Index.open(copied, embedding_model=directions), ["food", "sport"])


@pytest.mark.parametrize("name", [*layout.FILES])
def test_a_truncated_or_missing_file_is_refused_at_once(copied, name):
    path = copied / name
    path.write_bytes(path.read_bytes()[:-5])
    with pytest.raises(DamagedIndex, match=f"{name} has .* bytes instead of"):
        Index.open(copied)
    path.unlink()
    with pytest.raises(DamagedIndex, match=f"{name} is missing"):
        Index.open(copied)


def test_a_damaged_index_is_built_anew_in_its_place(copied, built):
    (copied / layout.LOCAL).write_bytes(b"")
    Index.build(planted_documents(), copied, embedding_model=directions, n_jobs=1)
    assert contents(copied) == contents(built)


def test_another_format_version_is_refused_with_both_versions(copied):
    manifest = json.loads((copied / layout.MANIFEST).read_text())
    (copied / layout.MANIFEST).write_text(json.dumps({**manifest, "format": 99}))
    with pytest.raises(IndexFailure, match=r"index format 99, but this version of seetopic .* reads formats 5 to 7"):
        Index.open(copied)


def of_format(number: int, folder: Path) -> None:
    """Turn an index into one of an older format, which lacks some files."""
    manifest = layout.read_manifest(folder)
    kept = layout.files_of({**manifest, "format": number})
    for name in set(layout.FILES) - set(kept):
        (folder / name).unlink()
    files = {name: manifest["files"][name] for name in kept}
    layout.write_manifest(folder / layout.MANIFEST, {**manifest, "format": number, "files": files})


@pytest.mark.parametrize(("number", "n_lacking"), [(5, 2), (6, 1)])
def test_an_index_of_an_older_format_computes_what_it_lacks(copied, built, number, n_lacking):
    of_format(number, copied)
    assert len(list(built.iterdir())) - len(list(copied.iterdir())) == n_lacking
    before, now = (Index.open(each, embedding_model=directions) for each in (copied, built))
    before.verify()
    assert now.neighbours.shape[1] > 0
    assert before.neighbours.tobytes() == now.neighbours.tobytes()
    assert now.themes.grains
    assert before.themes.likeness == now.themes.likeness > 0


@pytest.mark.parametrize("number", [5, 6])
def test_columns_can_be_kept_in_an_index_of_an_older_format(copied, number):
    of_format(number, copied)
    texts = planted_documents()
    numbered = open_documents(texts, columns={"number": list(range(len(texts)))}, keep=["number"])
    index = Index.build(numbered, copied, embedding_model=directions, n_jobs=1)
    assert index.manifest["format"] == number
    assert index.column("number")[:2].tolist() == [0, 1]


scalars = st.none() | st.booleans() | st.integers() | st.text()
values = scalars | st.lists(scalars, max_size=3) | st.dictionaries(st.text(), scalars, max_size=3)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=st.data())
def test_any_manifest_opens_or_is_refused_with_a_sentence(copied, built, data):
    manifest = json.loads((built / layout.MANIFEST).read_text())
    part = data.draw(st.sampled_from([manifest, *(value for value in manifest.values() if isinstance(value, dict))]))
    part[data.draw(st.sampled_from(sorted(part)))] = data.draw(values)
    (copied / layout.MANIFEST).write_text(json.dumps(manifest))
    with suppress(SeeTopicError):  # anything else is a bug
        discover(Index.open(copied, embedding_model=directions), ["food", "sport"])


def test_a_manifest_that_is_no_json_is_refused(copied):
    (copied / layout.MANIFEST).write_text("{")
    with pytest.raises(DamagedIndex, match=r"manifest\.json is damaged"):
        Index.open(copied)


def test_another_index_is_replaced_only_when_asked(copied):
    with pytest.raises(IndexFailure, match="contains an index with different documents"):
        Index.build(planted_documents(seed=1), copied, embedding_model=directions, n_jobs=1)
    replaced = Index.build(planted_documents(size=90), copied, embedding_model=directions, n_jobs=1, overwrite=True)
    assert len(replaced) == 90


@pytest.mark.parametrize("overwrite", [False, True])
def test_a_folder_with_other_things_in_it_is_left_alone(tmp_path, overwrite):
    (tmp_path / "thesis.txt").write_text("years of work")
    with pytest.raises(IndexFailure, match="exists but is not an index"):
        Index.build(planted_documents(), tmp_path, embedding_model=directions, n_jobs=1, overwrite=overwrite)
    assert (tmp_path / "thesis.txt").read_text() == "years of work"


def test_a_tokenizer_of_ones_own_is_used_for_documents_and_names(tmp_path):
    index = Index.build(
        ["a|b|red hat|blue sea sky"] * 3,
        tmp_path / "index",
        embedding_model=directions,
        tokenizer=lambda text: text.split("|"),
        n_jobs=2,
    )
    assert set(index.vocabulary.terms) == {"red hat", "blue sea sky"}
    assert index.term_id("Red Hat") is not None


def test_letters_keep_their_case_where_asked(tmp_path):
    kept = IndexSettings(text=TextSettings(lowercase=False))
    index = Index.build(["Polish, polish."] * 3, tmp_path / "index", settings=kept, embedding_model=directions)
    assert set(index.vocabulary.terms) == {"Polish", "polish"}


def test_chunked_text_is_taken_as_it_is(tmp_path):
    index = Index.build(["breast_cancer of mice"] * 3, tmp_path / "index", embedding_model=directions)
    assert index.term_id("breast cancer") is not None


def test_a_document_of_a_million_characters_is_indexed(tmp_path):
    long = "planet moon, " * 80_000
    index = Index.build([long, "planet, moon."], tmp_path / "index", embedding_model=directions, n_jobs=1)
    assert len(long) > 1_000_000
    assert index.vocabulary.counts[index.term_id("planet moon")] == 80_000


def test_documents_without_a_frequent_term_are_refused(tmp_path):
    with pytest.raises(CorpusError, match=r"no term occurs 3 times .* min_count of SeeTopic or TextSettings"):
        Index.build(["every word here occurs once"], tmp_path / "index", embedding_model=directions, n_jobs=1)
    assert not (tmp_path / "index").exists()


def test_an_index_made_with_a_function_asks_for_it(built):
    with pytest.raises(EncoderError, match="pass the same model as `embedding_model`"):
        discover(Index.open(built), ["food"])


def test_a_model_of_other_length_is_refused(built):
    index = Index.open(built, embedding_model=lambda texts: np.ones((len(texts), 3)))
    with pytest.raises(EncoderError, match="different lengths"):
        discover(index, ["food"])


def test_ready_vectors_serve_terms_and_names_and_are_not_changed(tmp_path):
    words = {word for text in planted_documents() for word in text.strip(".").split(", ")} | {"food"}
    ready = dict(zip(sorted(words), directions(sorted(words)), strict=True))
    before = {word: vector.copy() for word, vector in ready.items()}
    index = Index.build(planted_documents(), tmp_path / "index", embedding_model=ready, n_jobs=1)
    assert len(discover(index, ["food"])[0].terms) == 10
    assert all(np.array_equal(ready[word], before[word]) for word in words)


@pytest.mark.parametrize("wrong", [-1, 0, False, 10**30])
def test_the_number_of_documents_is_counted_not_believed(copied, wrong):
    manifest = json.loads((copied / layout.MANIFEST).read_text())
    manifest["corpus"]["documents"] = wrong
    (copied / layout.MANIFEST).write_text(json.dumps(manifest))
    index = Index.open(copied, embedding_model=directions)
    assert len(index) == 240
    assert len(discover(index, ["food", "sport"])) == 2


def test_a_pickled_index_is_what_opens_it(built):
    index = Index.open(built, embedding_model=directions)
    topics = discover(index, ["food", "sport"])
    data = pickle.dumps(index)
    assert len(data) < 20_000
    assert discover(pickle.loads(data), ["food", "sport"]) == topics


def test_ready_vectors_of_documents_are_what_the_model_would_have_read(built, tmp_path):
    documents = planted_documents()
    vectors = directions(documents)
    vectors.flags.writeable = False
    given = Index.build(documents, tmp_path / "given", embedding_model=directions, document_vectors=vectors, n_jobs=1)
    assert np.array_equal(given.sample.general, Index.open(built).sample.general)
    other = tmp_path / "other"
    known = _Fingerprinted({})
    Index.build(documents, other, embedding_model=known, document_vectors=vectors, n_jobs=1)
    with pytest.raises(IndexFailure, match="different documents, settings or model"):
        Index.build(documents, other, embedding_model=known, document_vectors=-vectors, n_jobs=1)


@pytest.mark.parametrize("shape", [(3, 16), (240,), (240, 5)])
def test_vectors_of_documents_that_do_not_fit_are_refused(tmp_path, shape):
    with pytest.raises(EncoderError, match=r"shape|length 5"):
        Index.build(
            planted_documents(),
            tmp_path / "index",
            embedding_model=directions,
            document_vectors=np.ones(shape),
            n_jobs=1,
        )


def test_a_method_of_another_type_can_be_the_tokenizer(tmp_path):
    index = Index.build(
        ["bread soup"] * 3, tmp_path / "index", embedding_model=directions, tokenizer=str.split, n_jobs=1
    )
    assert index.manifest["tokenizer"] == "builtins.str.split"


@pytest.mark.parametrize("ending", ["txt", "jsonl"])
def test_documents_are_read_once_before_their_terms_are_known(tmp_path, monkeypatch, ending):
    path, readings, at = tmp_path / f"docs.{ending}", [], {}
    texts = planted_documents(60)
    path.write_text("\n".join(json.dumps({"text": text}) if ending == "jsonl" else text for text in texts))
    real = Piece.shards

    def shards(piece: Piece):
        readings.append(piece)
        return real(piece)

    def progress(stage: str, done: int, total: int | None) -> None:
        at.setdefault(stage, len(readings))

    monkeypatch.setattr(Piece, "shards", shards)
    Index.build(path, tmp_path / "index", embedding_model=directions, n_jobs=1, progress=progress)
    assert at["finding phrases"] == 1
