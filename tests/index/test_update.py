"""Updating an index gives what building it from scratch would give, without doing anything twice."""

from __future__ import annotations

import json
import os
import signal
from collections.abc import Callable, Iterable
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from fake_model import directions
from planted import NAMES, PLANTED, planted_documents
from seetopic import Index, SeeTopic, Sorter, discover, sorter_for
from seetopic.cli import cli
from seetopic.corpus.opening import open_documents
from seetopic.errors import (
    CorpusError,
    DamagedIndex,
    EncoderError,
    IndexFailure,
    IndexInUse,
    SeeTopicError,
    SettingsError,
)
from seetopic.index import layout
from seetopic.index.sample import choose
from seetopic.runtime.files import exchanged, sha256_of
from seetopic.settings import DEFAULT, IndexSettings, LocalSettings, SampleSettings, TextSettings

SMALL = IndexSettings(
    text=TextSettings(min_count=1, phrase_min_count=2, shard_documents=3),
    local=LocalSettings(rank=4),
    sample=SampleSettings(words=30, document_words=5, more_words=30),
)
OPTIONS = {"settings": SMALL, "embedding_model": directions, "n_jobs": 1}
# Every file is compared except the texts stored for each part: they belong to parts, not to documents.
OF_DOCUMENTS = [name for name in layout.FILES if name != layout.SAMPLE_TEXTS]


def contents(index: Index, names: Iterable[str] = layout.FILES) -> dict[str, bytes]:
    return {name: (index.folder / name).read_bytes() for name in names}


@pytest.fixture
def folders(tmp_path_factory) -> Callable[[], Path]:
    return lambda: tmp_path_factory.mktemp("updated") / "index"


def built(texts: list[str], folder: Path, **options) -> Index:
    return Index.build(texts, folder, **{**OPTIONS, **options})


words = st.sampled_from([*"abcdef", "Breast", "cancer", "the", "of", "é", "breast_cancer", ",", "@you", "...", "\n"])
texts = st.lists(words, min_size=1, max_size=12).map(" ".join).filter(str.strip)
corpora = st.lists(texts, min_size=1, max_size=9).filter(lambda found: any("cancer" in text for text in found))


@pytest.mark.slow
@given(first=corpora, second=corpora, random_state=st.integers(0, 3))
@settings(max_examples=6, suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.filter_too_much])
def test_adding_gives_the_index_of_all_and_removing_gives_the_first_again(folders, first, second, random_state):
    own = replace(SMALL, random_state=random_state)
    one = built(first, folders(), settings=own)
    before = contents(one)
    together = built(first + second, folders(), settings=own)
    both = one.update(second, again=True, n_jobs=1)
    assert contents(both, OF_DOCUMENTS) == contents(together, OF_DOCUMENTS)
    assert len(both) == len(first) + len(second)
    assert [part.documents for part in both.parts] == [len(first), len(second)]
    back = both.update(remove=[2], n_jobs=1)
    assert contents(back) == before
    assert back.manifest == one.manifest


@pytest.mark.slow
@given(parts=st.lists(corpora, min_size=3, max_size=3), gone=st.sampled_from([1, 2]))
@settings(max_examples=4, suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.filter_too_much])
def test_a_part_can_be_removed_from_among_others_and_others_come_after(folders, parts, gone):
    whole = built(parts[0], folders()).update(parts[1], again=True, n_jobs=1).update(parts[2], again=True, n_jobs=1)
    left = [text for number, part in enumerate(parts, start=1) if number != gone for text in part]
    fewer = whole.update(remove=[gone], n_jobs=1)
    anew = built(left, folders())
    assert contents(fewer, OF_DOCUMENTS) == contents(anew, OF_DOCUMENTS)
    grown = fewer.update(["cancer comes last"], n_jobs=1)
    assert len(grown) == len(left) + 1


@given(
    counts=st.lists(st.integers(0, 9), min_size=1, max_size=40),
    cuts=st.lists(st.integers(0, 40), max_size=3),
    kept=st.lists(st.booleans(), min_size=4, max_size=4),
    ties=st.booleans(),
    sample=st.builds(
        SampleSettings, words=st.integers(0, 60), document_words=st.integers(1, 9), more_words=st.integers(0, 60)
    ),
)
def test_whatever_is_read_of_a_part_would_be_read_if_it_were_alone(counts, cuts, kept, ties, sample):
    drawn_by = np.random.default_rng(0).random(len(counts))
    if ties:
        drawn_by = np.floor(drawn_by * 3)
    part_of = np.searchsorted(np.sort(cuts), np.arange(len(counts)), side="right")
    staying = np.flatnonzero(np.array(kept)[part_of])
    read = staying[choose(np.array(counts, np.int64)[staying], sample, drawn_by[staying])[0]]
    for part in range(4):
        own = np.flatnonzero(part_of == part)
        alone = own[choose(np.array(counts, np.int64)[own], sample, drawn_by[own])[0]]
        assert set(read[part_of[read] == part].tolist()) <= set(alone.tolist())


@pytest.mark.slow
def test_with_the_embedded_model_no_term_and_no_document_is_encoded_twice(tmp_path, cache, monkeypatch):
    from seetopic.vectors.encoder.minilm import EmbeddedEncoder

    asked: list[str] = []
    encode = EmbeddedEncoder.encode

    def listening(self, texts, jobs, progress):
        asked.extend(texts)
        return encode(self, texts, jobs, progress)

    monkeypatch.setattr(EmbeddedEncoder, "encode", listening)
    sample = replace(DEFAULT.index, sample=SampleSettings(words=250, document_words=8))
    old, new = planted_documents(45), [*planted_documents(20, seed=5), *["A zeppelin lands, says the zeppelin."] * 3]
    together = Index.build(old + new, tmp_path / "all", settings=sample, cache=cache, n_jobs=1)
    first = Index.build(old, tmp_path / "index", settings=sample, cache=cache, n_jobs=1)
    known = {*first.vocabulary.terms, *json.loads((first.folder / layout.SAMPLE_TEXTS).read_text())[0]}
    asked.clear()
    emptied = Index.open(first.folder, cache=tmp_path / "cache")  # the open index remembers what it has encoded
    both = emptied.update(new, n_jobs=1)
    assert contents(both, OF_DOCUMENTS) == contents(together, OF_DOCUMENTS)
    assert both.term_id("zeppelin") is not None
    assert asked
    assert not known & set(asked)
    assert contents(both.update(remove=["2"], n_jobs=2)) == contents(first)


@pytest.mark.slow
def test_topics_keep_their_names_order_and_numbers_and_what_was_saved_still_works(index, cache, tmp_path):
    copy = built_copy(index, tmp_path / "index", cache)
    seeds = {"sports and games": {"pinned": ["referee"]}, NAMES[1]: {}, NAMES[2]: {"negative": ["moon"]}}
    before, sorter = discover(copy, seeds), sorter_for(copy, seeds)
    sorter.save(tmp_path / "topics")
    before.save(tmp_path / "topics")
    model = SeeTopic(seeds, cache=cache).fit(copy)
    model.save(tmp_path / "model")
    updated = copy.update(planted_documents(60, seed=3), n_jobs=1)
    after = discover(updated, seeds)
    assert [topic.name for topic in after] == [topic.name for topic in before] == list(seeds)
    for topic, old, own in zip(after, before, PLANTED.values(), strict=True):
        assert set(list(topic)[:6]) <= set(own.split())
        assert {each.term for each in topic.terms} & {each.term for each in old.terms}
    assert after[0].terms[0].term == "referee"
    assert "moon" not in list(after[2])
    unseen = planted_documents(30, seed=9)
    assert Sorter.load(tmp_path / "topics").assign(unseen) == sorter.assign(unseen)
    # A model keeps the files of the index it was saved with, although its folder now has others.
    loaded = SeeTopic.load(tmp_path / "model", cache=cache)
    assert loaded.topics_ == model.topics_
    assert len(loaded.index_) == 240
    assert list(loaded.accept(0, "coach").topics_[0])[:2] == ["referee", "coach"]
    assert [topic.name for topic in SeeTopic(seeds, cache=cache).fit(updated).topics_] == list(seeds)


def built_copy(index: Index, folder: Path, cache: Path) -> Index:
    folder.mkdir()
    for name in (layout.MANIFEST, *layout.FILES):
        (folder / name).write_bytes((index.folder / name).read_bytes())
    return Index.open(folder, cache=cache)


STAGES = ["reading documents", "language model reads documents"]


@pytest.fixture(scope="module")
def small(tmp_path_factory) -> tuple[Path, Path]:
    """An index, and the same index with one more part."""
    folder = tmp_path_factory.mktemp("small")
    for name in ("old", "new"):
        Index.build(planted_documents(60), folder / name, embedding_model=directions, n_jobs=1)
    Index.open(folder / "new", embedding_model=directions).update(planted_documents(30, seed=1), n_jobs=1)
    return folder / "old", folder / "new"


def copied(folder: Path, to: Path) -> Index:
    to.mkdir()
    for name in (layout.MANIFEST, *layout.FILES):
        os.link(folder / name, to / name)
    return Index.open(to, embedding_model=directions)


@pytest.mark.slow
@pytest.mark.parametrize("stage", STAGES)
def test_an_update_that_is_killed_leaves_the_old_index_and_goes_on(small, tmp_path, forks, stage):
    index = copied(small[0], tmp_path / "index")
    script = f"from fake_model import update_and_die; update_and_die({str(index.folder)!r}, {stage!r})"
    killed = forks.run(script, cwd=tmp_path)
    assert killed.returncode == -signal.SIGKILL, killed.stderr
    assert contents(Index.open(index.folder, embedding_model=directions)) == contents(Index.open(small[0]))
    updated = index.update(planted_documents(30, seed=1), n_jobs=1)
    assert contents(updated, [layout.MANIFEST, *layout.FILES]) == contents(
        Index.open(small[1]), [layout.MANIFEST, *layout.FILES]
    )
    assert [path.name for path in tmp_path.iterdir()] == ["index"]


def test_an_update_that_goes_on_does_not_tokenise_again_and_never_what_is_in_the_index(tmp_path):
    calls = []

    def counting_tokenizer(text: str) -> list[str]:
        calls.append(text)
        return text.split()

    def stop(stage: str, done: int, total: int | None) -> None:
        if stage == "local vectors":
            raise KeyboardInterrupt

    index = Index.build(
        planted_documents(60), tmp_path / "index", embedding_model=directions, tokenizer=counting_tokenizer, n_jobs=1
    )
    calls.clear()
    new = planted_documents(30, seed=1)
    with pytest.raises(KeyboardInterrupt):
        index.update(new, n_jobs=1, progress=stop)
    index.update(new, n_jobs=1)
    assert calls == new


def test_readers_keep_the_index_that_they_have_open(small, tmp_path):
    reader, lazy = copied(small[0], tmp_path / "index"), Index.open(tmp_path / "index", embedding_model=directions)
    arrays = [reader.general, reader.local, reader.texts.places, reader.sample.general]
    before = [np.array(array) for array in arrays]
    updated = Index.open(tmp_path / "index", embedding_model=directions).update(planted_documents(30, seed=1), n_jobs=1)
    assert len(updated.general) >= len(before[0])
    assert all(np.array_equal(array, old) for array, old in zip(arrays, before, strict=True))
    with pytest.raises(IndexFailure, match="has been updated since it was opened; open it again"):
        _ = lazy.local
    with pytest.raises(IndexFailure, match="has been updated since it was opened"):
        lazy.update(["others"], n_jobs=1)


def test_folders_change_places_at_once_or_not_at_all(tmp_path):
    for name in ("one", "other"):
        (tmp_path / name).mkdir()
        (tmp_path / name / f"of {name}").touch()
    done = exchanged(tmp_path / "one", tmp_path / "other")
    found = [path.name for name in ("one", "other") for path in (tmp_path / name).iterdir()]
    assert found == (["of other", "of one"] if done else ["of one", "of other"])
    assert not exchanged(tmp_path / "one", tmp_path / "none")


def test_where_folders_cannot_change_places_one_is_renamed_after_the_other(small, tmp_path, monkeypatch):
    from seetopic.index import build

    index = copied(small[0], tmp_path / "index")
    renamed = []
    monkeypatch.setattr(build, "exchanged", lambda *paths: bool(renamed.append(paths)))  # a system that cannot
    updated = index.update(planted_documents(30, seed=1), n_jobs=1)
    assert renamed == [(tmp_path / ".index.building" / "index", tmp_path / "index")]
    assert contents(updated) == contents(Index.open(small[1]))
    assert [path.name for path in tmp_path.iterdir()] == ["index"]


def test_two_updates_at_once_do_not_meet(small, tmp_path):
    index = copied(small[0], tmp_path / "index")
    refused = []

    def meanwhile(stage: str, done: int, total: int | None) -> None:
        if stage == "finding terms" and not refused:
            with pytest.raises(IndexInUse, match="another build is writing") as caught:
                Index.open(index.folder, embedding_model=directions).update(["something else"], n_jobs=1)
            refused.append(caught)

    assert len(index.update(planted_documents(30, seed=1), n_jobs=1, progress=meanwhile)) == 90
    assert refused


def test_an_index_that_another_has_updated_is_not_updated_from_what_it_was(small, tmp_path):
    index = copied(small[0], tmp_path / "index")
    one, other = (Index.open(index.folder, embedding_model=directions) for _ in range(2))
    parts = one.update(planted_documents(30, seed=1), n_jobs=1).parts
    with pytest.raises(IndexFailure, match="open it again"):
        other.update(["something else"], n_jobs=1)
    assert Index.open(index.folder).parts == parts


@pytest.mark.parametrize(
    ("options", "error", "message"),
    [
        ({}, SettingsError, "nothing to update; specify what to --add or --remove"),
        ({"remove": ["novels"]}, IndexFailure, r"no part 'novels'; its parts are 1 \(documents\), 2 \(documents\)"),
        ({"remove": [3]}, IndexFailure, "no part 3"),
        ({"remove": [0]}, IndexFailure, "no part 0"),
        ({"remove": [-1]}, IndexFailure, "no part -1"),
        ({"remove": ["documents"]}, IndexFailure, r"'documents' could be part 1 \(documents\) or 2"),
        ({"remove": [1, 2]}, SettingsError, "no part would be left"),
        ({"add": planted_documents(60)}, CorpusError, "the 60 documents of 'documents' are already in the index"),
        ({"add": [" "]}, CorpusError, "contains no documents"),
        ({"add": "nowhere.csv"}, CorpusError, "does not exist"),
    ],
)
def test_what_cannot_be_done_is_refused_before_any_work(small, options, error, message):
    before = contents(Index.open(small[1]))
    with pytest.raises(error, match=message):
        Index.open(small[1], embedding_model=directions).update(**options, n_jobs=1)
    assert contents(Index.open(small[1])) == before
    assert sorted(path.name for path in small[1].parent.iterdir()) == ["new", "old"]


def test_the_same_documents_are_added_twice_where_that_is_meant(small, tmp_path):
    index = copied(small[0], tmp_path / "index")
    same = open_documents(planted_documents(30, seed=1))
    with pytest.raises(CorpusError, match="are already in the index"):
        index.update([same, same], n_jobs=1)
    twice = index.update([same, same], again=True, n_jobs=1)
    assert [part.documents for part in twice.parts] == [60, 30, 30]
    assert len(twice.update(planted_documents(9, seed=2), n_jobs=1)) == 129  # they do no harm later
    other = Index.open(index.folder, embedding_model=directions).update(
        planted_documents(30), remove=[1, 2, 3], n_jobs=1
    )
    assert [part.first for part in other.parts] == [120, 129]


def test_an_index_of_ready_vectors_is_updated_if_new_terms_have_theirs(tmp_path):
    vectors = {word: np.ones(3) * number for number, word in enumerate(["alpha", "beta", "gamma"], start=1)}
    options = {"settings": SMALL, "n_jobs": 1}
    index = Index.build(
        ["alpha beta", "beta"], tmp_path / "index", embedding_model={"alpha": [1, 0], "beta": [0, 1]}, **options
    )
    grown = index.update(["alpha alpha"], n_jobs=1)
    assert len(grown) == 3
    assert not grown.sample.was_read
    with pytest.raises(EncoderError, match="no precomputed vector"):
        grown.update(["gamma"], n_jobs=1)
    with pytest.raises(EncoderError, match="vectors of length 3, but the index has vectors of length 2"):
        Index.open(index.folder, embedding_model=vectors).update(["gamma"], n_jobs=1)
    with pytest.raises(EncoderError, match="model 'ready vectors', but the current one is 'function directions'"):
        Index.open(index.folder, embedding_model=directions).update(["gamma"], n_jobs=1)


def test_an_index_with_ready_vectors_of_documents_is_updated_with_those_of_all(tmp_path):
    vectors = np.eye(3, 16, dtype=np.float32)
    index = built(["cancer", "breast cancer"], tmp_path / "index", document_vectors=vectors[:2])
    with pytest.raises(EncoderError, match="precomputed document vectors, which it does not keep"):
        index.update(["more cancer"], n_jobs=1)
    with pytest.raises(EncoderError, match="but there are 3 documents"):
        index.update(["more cancer"], document_vectors=vectors[2:], n_jobs=1)
    grown = index.update(["more cancer"], document_vectors=vectors, n_jobs=1)
    whole = built(["cancer", "breast cancer", "more cancer"], tmp_path / "whole", document_vectors=vectors)
    assert np.array_equal(grown.sample.general, whole.sample.general)
    other = built(["cancer", "breast cancer"], tmp_path / "other")
    with pytest.raises(EncoderError, match="built without precomputed document vectors"):
        other.update(["more cancer"], document_vectors=vectors, n_jobs=1)


def test_another_tokenizer_or_model_is_refused(tmp_path):
    built(["alpha beta", "beta"], tmp_path / "index", tokenizer=str.split)
    with pytest.raises(
        SettingsError, match=r"built with the tokenizer 'builtins\.str\.split', but the current one is 'default'"
    ):
        Index.open(tmp_path / "index", embedding_model=directions).update(["alpha"], n_jobs=1)
    with pytest.raises(EncoderError, match="pass the same model as `embedding_model`"):
        Index.open(tmp_path / "index", tokenizer=str.split).update(["alpha"], n_jobs=1)
    with pytest.raises(EncoderError, match="built with the model"):
        Index.open(tmp_path / "index", embedding_model="all-MiniLM-L6-v2", tokenizer=str.split).update(
            ["alpha"], n_jobs=1
        )


@pytest.mark.parametrize("name", [layout.TEXTS, layout.WORDS, layout.SAMPLE_TEXTS, layout.GENERAL])
def test_a_damaged_index_is_not_updated(small, tmp_path, name):
    copied(small[0], tmp_path / "index")
    path = tmp_path / "index" / name
    data = bytearray(path.read_bytes())
    path.unlink()  # the file also belongs to another index
    data[-3] ^= 1
    path.write_bytes(data)
    with pytest.raises(DamagedIndex, match=name):
        Index.open(tmp_path / "index", embedding_model=directions).update(["more"], n_jobs=1)


@pytest.mark.parametrize(
    "parts",
    [
        [],
        [{"documents": 59}],
        [{"documents": 30}, {"first": 30, "documents": 30}],
        [{"first": -1}],
        [{"skipped": []}],
        {},
    ],
)
def test_parts_that_are_not_those_of_the_documents_are_refused(small, tmp_path, parts):
    index = copied(small[0], tmp_path / "index")
    manifest = json.loads((index.folder / layout.MANIFEST).read_text())
    own = manifest["corpus"]["parts"][0]
    manifest["corpus"]["parts"] = [{**own, **part} for part in parts] if isinstance(parts, list) else parts
    (index.folder / layout.MANIFEST).unlink()
    (index.folder / layout.MANIFEST).write_text(json.dumps(manifest))
    with pytest.raises(SeeTopicError, match=r"damaged|parts that do not match the documents"):
        Index.open(index.folder, embedding_model=directions).update(["more"], n_jobs=1)


@pytest.mark.parametrize("stored", ["", "{}", '["a"]', "[[1]]", "[" * 100_000, "[]", '[["a"]]', "[[], []]"])
def test_stored_texts_that_no_index_has_are_refused(small, tmp_path, stored):
    index = copied(small[0], tmp_path / "index")
    path, manifest = index.folder / layout.SAMPLE_TEXTS, json.loads((index.folder / layout.MANIFEST).read_text())
    for changed in (path, index.folder / layout.MANIFEST):
        changed.unlink()  # these files also belong to another index
    path.write_text(stored)
    sealed = {"bytes": path.stat().st_size, "sha256": sha256_of(path)}
    manifest["files"][layout.SAMPLE_TEXTS] = sealed
    (index.folder / layout.MANIFEST).write_text(json.dumps(manifest))
    with pytest.raises(
        SeeTopicError, match=r"cannot be read|not a list|do not match the documents|does not contain the texts"
    ):
        Index.open(index.folder, embedding_model=directions).update(["more"], n_jobs=1)


@pytest.mark.slow
def test_records_that_were_left_out_are_counted_by_part(tmp_path):
    (tmp_path / "a.jsonl").write_text('{"text": "alpha"}\n{"text": ""}\nnothing\n')
    (tmp_path / "b.jsonl").write_text('{"text": "beta"}\n{"text": ""}\n')
    index = built(open_documents(tmp_path / "a.jsonl", on_error="skip"), tmp_path / "index")
    broken = index.manifest["corpus"]["skipped"]
    both = index.update(tmp_path / "b.jsonl", n_jobs=1)
    assert both.manifest["corpus"]["skipped"] == {**broken, "empty": 2}
    assert both.manifest["corpus"]["name"] == "a.jsonl"
    assert [part.skipped for part in both.parts] == [broken, {"empty": 1}]
    second = both.update(remove="a.jsonl", n_jobs=1)
    assert second.manifest["corpus"]["skipped"] == {"empty": 1}
    assert second.manifest["corpus"]["name"] == "b.jsonl"
    assert second.manifest["corpus"]["sha256"] == both.parts[1].sha256
    assert second.manifest["key"] == built(open_documents(tmp_path / "b.jsonl"), tmp_path / "b").manifest["key"]


def run(*arguments: str | Path) -> tuple[int, str]:
    done = CliRunner().invoke(cli, [*map(str, arguments)])
    if isinstance(done.exception, SeeTopicError):
        return 2, str(done.exception)
    assert done.exception is None, done.exception
    return done.exit_code, done.stdout


@pytest.mark.slow
def test_the_command_adds_removes_and_lists_parts(tmp_path, cache):
    for name, seed in {"may": 0, "june": 1, "july": 2}.items():
        (tmp_path / f"{name}.txt").write_text("\n".join(planted_documents(30, seed=seed)))
    index, options = tmp_path / "index", ["--cache", cache, "--quiet", "--jobs", 1]
    assert run("index", tmp_path / "may.txt", "--out", index, *options)[0] == 0
    before = contents(Index.open(index))
    adding = ["--add", tmp_path / "june.txt", "--add", tmp_path / "july.txt"]
    code, shown = run("update", index, *adding, *options)
    assert code == 0
    assert [line.split() for line in shown.splitlines()[:-1]] == [
        [str(number), "30", "documents", f"{name}.txt"] for number, name in enumerate(["may", "june", "july"], start=1)
    ]
    assert "90 documents" in shown.splitlines()[-1]
    assert run("update", index) == (0, shown)
    (tmp_path / "names.txt").write_text("\n".join(NAMES))
    shown_by_check = run("check", index, "--seeds", tmp_path / "names.txt", "--cache", cache)[1]
    assert "part 3: july.txt, 30 documents" in shown_by_check
    code, refused = run("update", index, *adding, *options)
    assert code == 2
    assert "the 30 documents of 'june.txt' are already in the index, as 'june.txt'" in refused
    assert run("update", index, "--remove", "august.txt")[0] == 2
    code, shown = run("update", index, "--remove", "july.txt", "--remove", 2, *options, "--json")
    assert code == 0
    assert [part["name"] for part in json.loads(shown)["corpus"]["parts"]] == ["may.txt"]
    assert contents(Index.open(index)) == before


def test_a_report_says_how_an_updated_index_comes_about(small):
    from seetopic.discovery.run import run_of
    from seetopic.output.report import report_html
    from seetopic.output.report.reproduce import commands, python_script

    updated = run_of(Index.open(small[1], embedding_model=directions), ["sport", "food"])
    assert "Index.build('documents', 'index').update('documents')" in python_script(updated.query)
    made = {**updated.topics.made_with, "model": {"name": "all-MiniLM-L6-v2", "fingerprint": "x"}}
    shown = commands(replace(updated.topics, made_with=made), "names.txt")
    assert shown is not None
    assert "seetopic update index --add DOCS" in shown.splitlines()[1]
    assert "documents: 60 documents; documents: 30 documents" in report_html(updated)
