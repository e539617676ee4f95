"""Saved models: exactly the same answers in a new process, and no harm from a folder of unknown origin."""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import subprocess
import sys
from contextlib import contextmanager, suppress
from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from safetensors.numpy import load_file, save_file

from fake_model import directions
from planted import NAMES, planted_documents
from seetopic import SeeTopic, as_seeds
from seetopic.errors import CorpusError, DamagedIndex, EncoderError, OutputError, SeeTopicError, SettingsError
from seetopic.estimator import saving

HERE = Path(__file__).parent
PARTS = ["model.json", "topics.json", "sorter.safetensors", "index/manifest.json"]


@pytest.fixture(scope="module")
def unseen() -> list[str]:
    return planted_documents(30, seed=7)


@pytest.fixture(scope="module")
def model(documents: list[str]) -> SeeTopic:
    """With a language model that needs no loading, a vector for one name, and a pinned term."""
    seeded = {"outer space": directions(["stars"])[0]}
    fitted = SeeTopic(NAMES, embedding_model=directions, top=7, threshold=0.1, n_jobs=1)
    return fitted.fit(documents, seed_embeddings=seeded).accept(0, "letter")


@pytest.fixture(scope="module")
def saved(model: SeeTopic, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("saved") / "model"
    model.save(folder)
    return folder


@pytest.fixture
def copied(saved: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(saved, tmp_path / "copy"))


def answers(model: SeeTopic, texts: list[str]) -> str:
    """Everything a model says, as one digest."""
    digest = hashlib.sha256()
    for each in (model, model.with_seeds([NAMES[2], "meals"]), model.reject(1, "bread")):
        digest.update(each.transform(texts).tobytes() + each.predict(texts).tobytes())
        digest.update(json.dumps(each.topics_.to_json()).encode())
    return digest.hexdigest()


@pytest.mark.slow
def test_a_new_process_gives_the_same_answers_to_the_last_bit(model, saved, unseen):
    script = (
        "from test_saving import answers, directions, planted_documents\nfrom seetopic import SeeTopic\n"
        f"model = SeeTopic.load({str(saved)!r}, embedding_model=directions)\n"
        "print(answers(model, planted_documents(30, seed=7)))"
    )
    done = subprocess.run([sys.executable, "-c", script], cwd=HERE, capture_output=True, text=True, check=True)
    assert done.stdout.strip() == answers(model, unseen)


@pytest.mark.slow
def test_the_embedded_model_needs_no_name(index, unseen, tmp_path, cache):
    model = SeeTopic(NAMES, cache=cache).fit(index)
    model.save(tmp_path / "model")
    loaded = SeeTopic.load(tmp_path / "model", cache=cache)
    assert answers(loaded, unseen) == answers(model, unseen)
    assert loaded.get_params() == {**model.get_params(), "seeds": model.seeds_}


def test_settings_and_names_come_back(model, saved):
    loaded = SeeTopic.load(saved, embedding_model=directions)
    assert loaded.get_params() == {**model.get_params(), "n_jobs": None}
    assert loaded.seeds_ == model.seeds_
    assert loaded.topics_ == model.topics_
    assert loaded.get_topics() == model.get_topics()


def test_nothing_in_the_folder_is_a_pickle(saved):
    files = [path for path in saved.rglob("*") if path.is_file()]
    assert {path.suffix for path in files} == {".json", ".jsonl", ".csv", ".safetensors", ".npy"}
    for path in files:
        if path.suffix == ".npy":
            np.load(path, allow_pickle=False)


@pytest.mark.slow
def test_partial_fit_goes_on_from_a_saved_model(model, saved, documents, unseen, tmp_path):
    whole = SeeTopic(model.seeds_, embedding_model=directions, top=7, n_jobs=1)
    whole.fit([*documents, *unseen], seed_embeddings={"outer space": directions(["stars"])[0]})
    loaded = SeeTopic.load(saved, embedding_model=directions).partial_fit(unseen)
    assert loaded.topics_.topics == whole.topics_.topics
    model.save(tmp_path / "bare", documents=False)
    assert not (tmp_path / "bare" / "documents.jsonl").exists()
    bare = SeeTopic.load(tmp_path / "bare", embedding_model=directions).partial_fit(unseen)
    assert bare.topics_.topics == whole.topics_.topics
    loaded.save(tmp_path / "grown")
    assert len((tmp_path / "grown" / "documents.jsonl").read_text().splitlines()) == len(documents) + len(unseen)


def test_a_model_of_ready_vectors_alone_comes_back(index, documents, unseen, tmp_path):
    terms = dict(zip(index.vocabulary.terms, index.general, strict=True))
    model = SeeTopic(NAMES, n_jobs=1)
    model.fit(documents, term_embeddings=terms, seed_embeddings=index.encode_names(NAMES))
    model.save(tmp_path / "model")
    loaded = SeeTopic.load(tmp_path / "model")
    assert np.array_equal(loaded.transform(unseen), model.transform(unseen))
    assert loaded.accept(1, "letter").topics_ == model.accept(1, "letter").topics_
    with pytest.raises(EncoderError, match="no precomputed vector"):
        loaded.with_seeds(["a new name", "another"])


def test_a_model_is_saved_over_an_earlier_one_and_over_itself(copied, unseen):
    loaded = SeeTopic.load(copied, embedding_model=directions)
    expected = answers(loaded, unseen)
    SeeTopic.load(copied, embedding_model=directions).save(copied)
    assert answers(SeeTopic.load(copied, embedding_model=directions), unseen) == expected
    assert answers(loaded, unseen) == expected
    assert [path.name for path in copied.parent.iterdir()] == ["copy"]


def test_where_files_cannot_be_shared_they_are_copied(model, saved, tmp_path, monkeypatch):
    def other_disk(*_):
        raise OSError(18, "Invalid cross-device link")

    monkeypatch.setattr(os, "link", other_disk)
    model.save(tmp_path / "model")
    for path in saved.rglob("*.npy"):
        assert (tmp_path / "model" / path.relative_to(saved)).read_bytes() == path.read_bytes()


def test_a_folder_with_other_things_in_it_is_left_alone(model, tmp_path):
    (tmp_path / "thesis.txt").write_text("years of work")
    with pytest.raises(OutputError, match="exists but is not a saved model"):
        model.save(tmp_path)
    with pytest.raises(OutputError, match="exists but is not a saved model"):
        model.save(tmp_path / "thesis.txt")
    assert (tmp_path / "thesis.txt").read_text() == "years of work"


def test_a_save_that_fails_leaves_the_earlier_model(model, copied, unseen, monkeypatch):
    def full(*_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("seetopic.estimator.saving._write_documents", full)
    with pytest.raises(OutputError, match="No space left on device; free some space"):
        model.save(copied)
    assert answers(SeeTopic.load(copied, embedding_model=directions), unseen) == answers(model, unseen)
    assert [path.name for path in copied.parent.iterdir()] == ["copy"]


def test_where_the_last_step_fails_the_earlier_model_is_put_back(model, copied, unseen, monkeypatch):
    rename = Path.rename

    def failing(path: Path, target: Path):
        if path.name.endswith(".part"):
            raise OSError(13, "Permission denied")
        return rename(path, target)

    monkeypatch.setattr(saving, "exchanged", lambda *_: False)  # a system that cannot
    monkeypatch.setattr(Path, "rename", failing)
    with pytest.raises(OutputError, match="Permission denied"):
        model.save(copied)
    assert answers(SeeTopic.load(copied, embedding_model=directions), unseen) == answers(model, unseen)
    assert [path.name for path in copied.parent.iterdir()] == ["copy"]


def test_where_the_documents_are_gone_the_model_can_be_saved_without_them(documents, tmp_path):
    (tmp_path / "docs.txt").write_text("\n".join(documents))
    model = SeeTopic(NAMES, embedding_model=directions, n_jobs=1).fit(tmp_path / "docs.txt")
    (tmp_path / "docs.txt").unlink()
    with pytest.raises(CorpusError, match=r"docs\.txt cannot be opened.*save\(folder, documents=False\)"):
        model.save(tmp_path / "model")
    assert not (tmp_path / "model").exists()
    model.save(tmp_path / "model", documents=False)
    assert SeeTopic.load(tmp_path / "model").topics_ == model.topics_


# What is refused


def changed_json(path: Path, change) -> None:
    value = json.loads(path.read_text())
    change(value)
    path.write_text(json.dumps(value))


def sealed(folder: Path) -> None:
    """Correct the checksums, as an attacker would."""
    changed_json(
        folder / "model.json",
        lambda value: value["files"].update(
            {part: hashlib.sha256((folder / part).read_bytes()).hexdigest() for part in value["files"]}
        ),
    )


def test_a_newer_format_is_refused_with_a_sentence(copied):
    changed_json(copied / "model.json", lambda value: value.update(format=2))
    with pytest.raises(
        OutputError, match=r"saved in format 2, but this version of seetopic .* only reads formats up to 1; upgrade"
    ):
        SeeTopic.load(copied)


@pytest.mark.parametrize("stated", [None, "1", 1.5, True, 0, -1, [1]])
def test_no_format_is_refused(copied, stated):
    changed_json(copied / "model.json", lambda value: value.update(format=stated))
    with pytest.raises(OutputError, match="has no format version"):
        SeeTopic.load(copied)


def test_what_is_no_saved_model_is_refused(saved, model, tmp_path):
    model.topics_.save(tmp_path / "topics")
    for folder, sentence in {
        tmp_path: r"it has no model\.json; create one",
        tmp_path / "missing": r"it has no model\.json; create one",
        saved / "model.json": "it is a file; give the folder",
        saved / "index": r"it is an index; fit on it: SeeTopic\(names\)\.fit\(folder\)",
        tmp_path / "topics": r"it contains topics without an index; load them with Topics\.load\(folder\)",
    }.items():
        with pytest.raises(OutputError, match=f"is not a saved model: {sentence}"):
            SeeTopic.load(folder)


@pytest.mark.parametrize("name", PARTS[1:])
def test_a_part_that_is_missing_or_of_another_model_is_refused(copied, name):
    (copied / name).write_bytes((copied / name).read_bytes() + b" ")
    with pytest.raises(OutputError, match="missing or has changed since it was saved"):
        SeeTopic.load(copied)
    (copied / name).unlink()
    with pytest.raises(OutputError, match="missing or has changed since it was saved"):
        SeeTopic.load(copied)
    os.mkfifo(copied / name)
    with pytest.raises(OutputError, match="missing or has changed since it was saved"):
        SeeTopic.load(copied)


def test_damage_of_the_index_is_met_when_it_is_read(copied):
    data = bytearray((copied / "index" / "local.npy").read_bytes())
    data[-1] ^= 1
    (copied / "index" / "local.npy").write_bytes(bytes(data))
    loaded = SeeTopic.load(copied, embedding_model=directions)
    with pytest.raises(DamagedIndex, match=r"local\.npy is damaged"):
        loaded.with_seeds(["a", "b"])


def test_an_index_whose_file_is_gone_is_not_copied(copied, unseen, tmp_path):
    loaded = SeeTopic.load(copied, embedding_model=directions)
    (copied / "index" / "local.npy").unlink()
    for ask in (lambda: loaded.partial_fit(unseen), lambda: loaded.save(tmp_path / "again")):
        with pytest.raises(DamagedIndex, match=r"local\.npy is missing"):
            ask()
    assert not (tmp_path / "again").exists()


@pytest.mark.parametrize("change", [lambda lines: [*lines, '{"text": "one more"}'], lambda lines: lines[:-1]])
def test_changed_documents_are_not_saved_again(copied, tmp_path, change):
    path = copied / "documents.jsonl"
    path.write_text("\n".join(change(path.read_text().splitlines())))
    with pytest.raises(CorpusError, match="has changed since the model was fitted"):
        SeeTopic.load(copied, embedding_model=directions).save(tmp_path / "again")


def test_documents_that_are_a_link_elsewhere_are_not_taken_along(copied, tmp_path):
    (tmp_path / "private.jsonl").write_text('{"text": "my diary"}\n')
    (copied / "documents.jsonl").unlink()
    (copied / "documents.jsonl").symlink_to(tmp_path / "private.jsonl")
    loaded = SeeTopic.load(copied, embedding_model=directions)
    with pytest.raises(CorpusError, match=r"has changed since the model was fitted.*documents=False"):
        loaded.save(tmp_path / "shared")
    assert not (tmp_path / "shared").exists()
    assert "diary" not in loaded.write_report(tmp_path).read_text()


def test_a_folder_of_links_to_the_same_files_loads_and_one_that_is_a_link_is_saved_over(saved, model, unseen, tmp_path):
    for path in saved.rglob("*"):
        if path.is_file():
            place = tmp_path / "linked" / path.relative_to(saved)
            place.parent.mkdir(parents=True, exist_ok=True)
            place.symlink_to(path)
    loaded = SeeTopic.load(tmp_path / "linked", embedding_model=directions)
    assert np.array_equal(loaded.transform(unseen), model.transform(unseen))
    loaded.save(tmp_path / "real")
    assert not any(path.is_symlink() for path in (tmp_path / "real").rglob("*"))
    (tmp_path / "name").symlink_to(tmp_path / "real")
    model.save(tmp_path / "name")
    assert (tmp_path / "name").is_symlink()
    assert sorted(path.name for path in tmp_path.iterdir()) == ["linked", "name", "real"]


def test_a_language_model_that_a_folder_names_is_not_fetched(copied, unseen, monkeypatch):
    def never(*_, **__):
        raise AssertionError("a model was looked for")

    monkeypatch.setattr("seetopic.vectors.encoder.choose.model_folder", never)
    changed_json(copied / "index" / "manifest.json", lambda value: value["model"].update(name="evil/model"))
    sealed(copied)
    loaded = SeeTopic.load(copied)
    assert loaded.predict(unseen).shape == (30,)
    for ask in (lambda: loaded.with_seeds(["a", "b"]), lambda: loaded.fit(unseen), lambda: loaded.partial_fit(unseen)):
        with pytest.raises(EncoderError, match=r"'evil/model'.*embedding_model="):
            ask()


def test_another_tokenizer_than_that_of_the_fit_is_refused(documents, unseen, tmp_path):
    model = SeeTopic(NAMES, embedding_model=directions, tokenizer=str.split, n_jobs=1).fit(documents)
    model.save(tmp_path / "model")
    with pytest.raises(SettingsError, match=r"fitted with the tokenizer .*SeeTopic\.load\(folder, tokenizer="):
        SeeTopic.load(tmp_path / "model")
    loaded = SeeTopic.load(tmp_path / "model", tokenizer=str.split, embedding_model=directions)
    assert np.array_equal(loaded.transform(unseen), model.transform(unseen))


# Folders of unknown origin

_watching: list[list[str]] = []


def _watch(event: str, details: tuple) -> None:
    if _watching and event in ("open", "os.listdir", "os.remove", "os.rename", "os.mkdir", "socket.connect"):
        _watching[-1].append(str(details[0]))
    if _watching and event in ("subprocess.Popen", "os.system", "exec", "pickle.find_class"):
        _watching[-1].append(event)


@contextmanager
def watched():
    """Record every file that is opened, and everything that is run, in the meantime."""
    if not hasattr(_watch, "added"):
        sys.addaudithook(_watch)
        _watch.added = True
    _watching.append([])
    try:
        yield _watching[-1]
    finally:
        _watching.pop()


def test_paths_in_the_files_lead_nowhere(copied, unseen, tmp_path):
    secret = tmp_path / "secret.json"
    secret.write_text("{}")
    outside = f"../../{secret.name}"

    def everywhere(value):
        value["corpus"] = value["version"] = outside
        value["settings"]["text_field"] = str(secret)
        for path in (outside, str(secret)):
            value["files"][path] = value[path] = path
            value["files"][f"index/{path}"] = "0"

    changed_json(copied / "model.json", everywhere)
    manifest = copied / "index" / "manifest.json"
    changed_json(manifest, lambda value: value["files"].update({outside: {"bytes": 2, "sha256": "0"}}))
    changed_json(manifest, lambda value: value["corpus"].update(name=str(secret)))
    sealed_parts = {part: hashlib.sha256((copied / part).read_bytes()).hexdigest() for part in PARTS[1:]}
    changed_json(copied / "model.json", lambda value: value["files"].update(sealed_parts))
    SeeTopic.load(copied, embedding_model=directions).predict(unseen)  # so that all modules are loaded by now
    with watched() as seen:
        loaded = SeeTopic.load(copied, embedding_model=directions)
        loaded.predict(unseen)
    assert seen
    assert all(Path(path).resolve().is_relative_to(copied) for path in seen), seen


def restore(saved: Path, copied: Path) -> None:
    shutil.rmtree(copied)
    shutil.copytree(saved, copied)


def use(folder: Path, texts: list[str]) -> None:
    """Everything a person does with a model of unknown origin; only our own errors may result."""
    with suppress(SeeTopicError):
        loaded = SeeTopic.load(folder, embedding_model=directions)
        assert loaded.transform(texts).shape == (len(texts), len(loaded.seeds_))
        loaded.predict(texts)
        assert str(loaded.topics_) + loaded.topics_._repr_html_()
        loaded.get_document_info(texts)
        loaded.get_topic_info()
        loaded.write_report(folder.parent)  # this draws every figure
        loaded.with_seeds(["food", "sport"])


@pytest.mark.slow
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=st.data())
def test_truncated_and_mutated_files_meet_a_sentence(saved, copied, data):
    restore(saved, copied)
    path = data.draw(st.sampled_from(sorted(path for path in copied.rglob("*") if path.is_file())))
    whole = (saved / path.relative_to(copied)).read_bytes()
    place = data.draw(st.integers(0, len(whole) - 1))
    damage = data.draw(st.sampled_from(["cut", "flip", "insert", "repeat"]))
    changed = {
        "cut": whole[:place],
        "flip": whole[:place] + bytes([whole[place] ^ data.draw(st.integers(1, 255))]) + whole[place + 1 :],
        "insert": whole[:place] + data.draw(st.binary(min_size=1, max_size=20)) + whole[place:],
        "repeat": whole + whole[place:],
    }[damage]
    path.write_bytes(changed)
    if data.draw(st.booleans()) and path.suffix != ".npy" and path.name not in ("model.json", "documents.jsonl"):
        with suppress(ValueError):
            sealed(copied)
    use(copied, ["bread and football", ""])


scalars = st.none() | st.booleans() | st.integers() | st.floats() | st.sampled_from([10**30, -1, 1e308, "../../x", ""])
values = scalars | st.text(max_size=5) | st.lists(scalars, max_size=3) | st.dictionaries(st.text(), scalars, max_size=3)


def places(value, found=None) -> list[tuple]:
    """Every object and list in a JSON value, with one of its keys."""
    found = [] if found is None else found
    for key, part in list(value.items() if isinstance(value, dict) else enumerate(value)):
        found.append((value, key))
        if isinstance(part, dict | list):
            places(part, found)
    return found


@pytest.mark.slow
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=st.data())
def test_any_values_in_the_files_meet_a_sentence(saved, copied, data):
    restore(saved, copied)
    name = data.draw(st.sampled_from(["model.json", "topics.json", "index/manifest.json", "sorter.safetensors"]))
    path = copied / name
    if name.endswith(".json"):
        value = json.loads(path.read_text())
    else:
        header = path.read_bytes()
        size = int.from_bytes(header[:8], "little")
        value = json.loads(json.loads(header[8 : 8 + size])["__metadata__"]["seetopic"])
    part, key = data.draw(st.sampled_from(places(value)))
    if data.draw(st.booleans()):
        part[key] = data.draw(values)
    else:
        del part[key]
    if name.endswith(".json"):
        path.write_text(json.dumps(value))
    else:
        save_file(load_file(saved / name), path, {"seetopic": json.dumps(value)})
    if name != "model.json":
        sealed(copied)
    use(copied, ["bread and football", ""])


@pytest.mark.slow
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=st.data())
def test_any_arrays_in_the_files_meet_a_sentence(saved, copied, data):
    restore(saved, copied)
    name = data.draw(st.sampled_from(["sorter.safetensors", saving.NAMES]))
    arrays = load_file(saved / name)
    key = data.draw(st.sampled_from(sorted(arrays)))
    array = arrays[key]
    odd = data.draw(st.sampled_from(["missing", "shorter", "flat", "whole numbers", "not finite", "zero", "more"]))
    arrays[key] = {
        "missing": array,
        "shorter": array[:-1],
        "flat": array.ravel(),
        "whole numbers": array.astype(np.int32),
        "not finite": np.full_like(array, np.nan),
        "zero": np.zeros_like(array),
        "more": np.concatenate([array, array]),
    }[odd]
    if odd == "missing":
        del arrays[key]
    with (saved / name).open("rb") as file:
        about = json.loads(file.read(int.from_bytes(file.read(8), "little"))).get("__metadata__")
    save_file(arrays, copied / name, about)
    sealed(copied)
    use(copied, ["bread and football", ""])


@pytest.mark.parametrize("size", [2**63 - 1, 2**40, 10**6])
def test_huge_sizes_are_refused_and_no_memory_is_taken_for_them(copied, size):
    (copied / "sorter.safetensors").write_bytes(size.to_bytes(8, "little") + b'{"a": 1}')
    sealed(copied)
    with pytest.raises(OutputError, match=r"sorter\.safetensors cannot be read"):
        SeeTopic.load(copied)
    header = json.dumps({"idf": {"dtype": "F64", "shape": [size], "data_offsets": [0, 8 * size]}}).encode()
    (copied / "sorter.safetensors").write_bytes(len(header).to_bytes(8, "little") + header)
    sealed(copied)
    with pytest.raises(OutputError, match=r"sorter\.safetensors cannot be read"):
        SeeTopic.load(copied)


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        (lambda value: value["settings"].pop("top"), "its settings do not match its format"),
        (lambda value: value["seeds"][0].update(names="football"), "its names do not match its format"),
        (lambda value: value["seeds"].pop(), "its names, topics and sorter come from different models"),
        (lambda value: value.update(ready_names=["unknown"]), "it has vectors for unknown names"),
    ],
)
def test_a_description_that_does_not_match_its_model_is_refused(copied, change, sentence):
    changed_json(copied / "model.json", change)
    with pytest.raises(OutputError, match=sentence):
        SeeTopic.load(copied)


@pytest.mark.parametrize("text", ["[" * 200_000, '{"format": 1}', "9" * 5000, "[]", ""])
def test_odd_json_is_refused(copied, text):
    (copied / "model.json").write_text(text)
    with pytest.raises(OutputError):
        SeeTopic.load(copied)


def test_everything_about_the_names_is_saved(documents, tmp_path):
    given = {
        "leisure": {
            "description": "what people do for fun",
            "children": {"sports and games": {"examples": ["A goal was scored."]}, "cooking & cuisine": ["foo*"]},
        },
        "outer space": {"pinned": ["moon"], "negative": ["sta*"], "names": ["space"]},
    }
    fitted = SeeTopic(given, embedding_model=directions, n_jobs=1).fit(documents)
    fitted.save(tmp_path / "model", documents=False)
    assert SeeTopic.load(tmp_path / "model", embedding_model=directions).seeds_ == fitted.seeds_ == as_seeds(given)
    rejected = fitted.reject("sports and games", "letter").seeds_.seeds[1]
    assert (rejected.examples, rejected.path) == (("A goal was scored.",), ("leisure", "sports and games"))


def test_a_term_that_an_earlier_version_saved_as_pinned_and_negative_stays_pinned(model, unseen, tmp_path):
    pinned = model.with_seeds({NAMES[0]: {"pinned": ["Penalty"], "negative": ["referee"]}, NAMES[1]: None})
    pinned.save(tmp_path / "model", documents=False)
    changed_json(tmp_path / "model" / "model.json", lambda value: value["seeds"][0]["negative"].append("penalty"))
    loaded = SeeTopic.load(tmp_path / "model")
    assert loaded.seeds_ == pinned.seeds_
    assert np.array_equal(loaded.predict(unseen), pinned.predict(unseen))
