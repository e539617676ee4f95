"""Sorting new documents into the categories of topics."""

from __future__ import annotations

import csv
import json
from collections import Counter
from dataclasses import replace
from functools import cached_property
from pathlib import Path

import numpy as np
import pytest

from planted import NAMES, PLANTED, planted_documents
from seetopic import Index, Sorter, discover, sorter_for
from seetopic.classify.assignment import Reader, assign_documents
from seetopic.classify.placement import AssignOptions
from seetopic.corpus.opening import open_documents
from seetopic.errors import OutputError, SettingsError
from seetopic.runtime.engine import LocalEngine
from seetopic.settings import DEFAULT, SampleSettings
from seetopic.vectors.encoder import encoder_for
from seetopic.vectors.encoder.cache import VectorCache


@pytest.fixture(scope="module")
def sorter(index: Index) -> Sorter:
    return sorter_for(index, NAMES)


def test_new_documents_go_where_their_words_belong(sorter, unseen):
    found = sorter.assign(unseen)
    right = [each.categories[0] == number % 3 for number, each in enumerate(found)]
    assert np.mean(right) > 0.95


@pytest.mark.slow
def test_the_language_models_reading_sorts_them_too(sorter, unseen, cache):
    vectors = VectorCache(cache).encode(encoder_for(), sorter.read_texts(unseen), 1, lambda *_: None)
    found = sorter.assign(unseen, vectors)
    assert np.mean([each.categories[0] == number % 3 for number, each in enumerate(found)]) > 0.95


def test_a_prepared_sorter_has_nothing_left_to_compute(sorter):
    lazy = {name for name, value in vars(Sorter).items() if isinstance(value, cached_property)}
    assert lazy <= vars(replace(sorter).prepared()).keys()
    unread = replace(sorter, arrays={name: sorter.arrays[name] for name in ("idf", "term_weights", "term_offset")})
    assert lazy - {"_known"} <= vars(unread.prepared()).keys()


def test_evidence_is_the_matched_terms_of_the_topic(sorter, unseen):
    for text, each in zip(unseen, sorter.assign(unseen), strict=True):
        assert each.evidence
        words = set(text.strip(".").split(", "))
        planted = list(PLANTED.values())[each.categories[0]].split(" ")
        assert set(each.evidence) <= words & set(planted)


def test_shares_are_given_for_every_category_and_add_up_to_1(sorter, unseen):
    for each in sorter.assign(unseen):
        assert len(each.shares) == 3
        assert sum(each.shares) == pytest.approx(1.0, abs=1e-3)


def test_a_document_without_a_known_term_is_given_no_category(sorter):
    assert [each.categories for each in sorter.assign(["qwerty uiop", "", "!!!"])] == [(), (), ()]


def test_several_categories_are_given_best_first(sorter):
    mixed = "football, goalkeeper, referee, stadium, planet, galaxy, comet, orbit"
    (one,) = sorter.assign([mixed])
    (both,) = sorter.assign([mixed], several=True, threshold=0.2)
    assert len(one.categories) == 1
    assert set(both.categories) == {0, 2}
    assert both.shares[both.categories[0]] >= both.shares[both.categories[1]]


def test_a_threshold_makes_it_abstain(sorter):
    assert sorter.assign(["time and place"], threshold=0.9)[0].categories == ()


def test_phrases_are_matched_as_whole_words_in_a_row():
    arrays = {"idf": np.ones(3), "term_weights": np.eye(3, dtype=np.float32), "term_offset": np.zeros(3)}
    phrases = Sorter(("a", "b", "c"), ("breast", "breast cancer", "cancer cell line"), ((), (), ()), arrays)
    texts = ["Breast cancer.", "cancer, breast", "a cancer cell line", "cancerous breasts"]
    assert phrases.terms_in(texts).as_lists() == [[0, 1], [0], [2], []]


def test_a_saved_sorter_gives_the_same_to_the_last_bit(sorter, unseen, tmp_path):
    sorter.save(tmp_path)
    loaded = Sorter.load(tmp_path)
    assert loaded.assign(unseen) == sorter.assign(unseen)
    assert loaded.names == sorter.names


@pytest.mark.parametrize("damage", [b"", b"{}", b"\x08\0\0\0\0\0\0\0{}      ", b"\xff" * 40])
def test_a_damaged_sorter_is_refused(sorter, tmp_path, damage):
    sorter.save(tmp_path)
    (tmp_path / "sorter.safetensors").write_bytes(damage)
    with pytest.raises(OutputError, match=r"sorter\.safetensors cannot be read"):
        Sorter.load(tmp_path)


def rows_of(path: Path) -> list[dict[str, str]]:
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def test_no_name_in_a_table_is_run_by_a_spreadsheet_or_parts_rows(sorter, unseen, tmp_path):
    odd = replace(sorter, names=("=1+1", "-food\rdrink", "sky"))
    assign_documents(open_documents(unseen), odd, tmp_path / "a.csv", LocalEngine(1))
    rows = rows_of(tmp_path / "a.csv")
    assert len(rows) == 90
    assert {row["category"] for row in rows} == {"'=1+1", "'-food\rdrink", "sky"} <= set(rows[0])


@pytest.mark.slow
def test_a_table_has_a_row_a_document_the_same_for_any_number_of_jobs(sorter, unseen, tmp_path):
    for jobs in (1, 2):
        given = assign_documents(open_documents(unseen), sorter, tmp_path / f"{jobs}.csv", LocalEngine(jobs))
    rows = rows_of(tmp_path / "1.csv")
    assert [int(row["document"]) for row in rows] == list(range(90))
    assert Counter(row["category"] for row in rows) == given
    assert (tmp_path / "1.csv").read_bytes() == (tmp_path / "2.csv").read_bytes()


def test_a_rate_decides_how_many_documents_are_given_a_category(sorter, unseen, tmp_path):
    options = AssignOptions(rate=0.7)
    assign_documents(open_documents(unseen), sorter, tmp_path / "a.csv", LocalEngine(1), options=options)
    assert sum(bool(row["category"]) for row in rows_of(tmp_path / "a.csv")) == pytest.approx(63, abs=1)


def test_at_rate_1_every_document_is_given_a_category_also_with_several(index, unseen, tmp_path):
    sorter = sorter_for(index, NAMES[:2])  # a third of the documents is about something else
    for several in (False, True):
        options = AssignOptions(rate=1.0, several=several)
        given = assign_documents(open_documents(unseen), sorter, tmp_path / "a.csv", LocalEngine(1), options=options)
        assert sum(given.values()) == 90
        assert not given[""]
    assert not any("|" in row["categories"] for row in rows_of(tmp_path / "a.csv")[:2])


def test_documents_are_read_where_asked(sorter, unseen, tmp_path, cache):
    reader = Reader(encoder_for(), VectorCache(cache), 1)
    assign_documents(open_documents(unseen), sorter, tmp_path / "a.csv", LocalEngine(1), reader=reader)
    rows = rows_of(tmp_path / "a.csv")
    assert np.mean([row["category"] == NAMES[number % 3] for number, row in enumerate(rows)]) > 0.95


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"threshold": 2.0}, "`threshold` is 2.0"),
        ({"threshold": 0.5, "rate": 0.5}, "give only one"),
    ],
)
def test_wrong_options_are_refused(options, message):
    with pytest.raises(SettingsError, match=message):
        AssignOptions(**options)


@pytest.mark.parametrize("rate", [0.0, -1.0, 1.5])
def test_a_rate_outside_its_range_is_refused(rate):
    with pytest.raises(SettingsError, match="`rate` is"):
        AssignOptions(rate=rate)


def test_the_header_of_a_sorter_is_plain_json(sorter, tmp_path):
    sorter.save(tmp_path)
    data = (tmp_path / "sorter.safetensors").read_bytes()
    header = json.loads(data[8 : 8 + int.from_bytes(data[:8], "little")])
    assert json.loads(header["__metadata__"]["seetopic"])["names"] == NAMES


def test_without_a_sample_the_topics_terms_sort_alone(tmp_path, unseen, cache):
    unread = replace(DEFAULT.index, sample=SampleSettings(words=0, more_words=0))
    index = Index.build(planted_documents(), tmp_path / "index", settings=unread, cache=cache, n_jobs=1)
    bare = sorter_for(index, NAMES)
    assert len(index.sample) == 0
    assert np.mean([each.categories[0] == number % 3 for number, each in enumerate(bare.assign(unseen))]) > 0.9
    with pytest.raises(SettingsError, match="has not read"):
        bare.require_reading()


def test_documents_that_were_not_read_still_tell_which_terms_are_typical(tmp_path, unseen, cache):
    unread = replace(DEFAULT.index, sample=SampleSettings(words=0))
    index = Index.build(planted_documents(), tmp_path / "index", settings=unread, cache=cache, n_jobs=1)
    found = sorter_for(index, NAMES).assign(unseen)
    assert len(index.sample) == len(index)
    assert not index.sample.was_read
    assert np.mean([each.categories[0] == number % 3 for number, each in enumerate(found)]) > 0.9


def test_with_ready_vectors_documents_are_told_apart_by_their_terms(tmp_path, unseen, index):
    vectors = dict(zip(index.vocabulary.terms, index.general, strict=True))
    vectors.update(zip(NAMES, index.encode_names(NAMES), strict=True))
    ready = Index.build(planted_documents(), tmp_path / "index", embedding_model=vectors, n_jobs=1)
    sorter = sorter_for(ready, NAMES)
    assert not sorter.reads
    assert np.mean([each.categories[0] == number % 3 for number, each in enumerate(sorter.assign(unseen))]) > 0.95


def test_one_category_can_be_sorted(index, unseen):
    given = [each.categories for each in sorter_for(index, ["cooking"]).assign(unseen)]
    assert np.mean([bool(categories) == (number % 3 == 1) for number, categories in enumerate(given)]) > 0.95


def by_dashes(text: str) -> list[str]:
    return text.replace(", ", "-").strip(".").split("-")


@pytest.mark.slow
def test_new_texts_are_cut_by_the_indexs_own_tokenizer(tmp_path, unseen, cache):
    index = Index.build(planted_documents(), tmp_path / "index", tokenizer=by_dashes, cache=cache, n_jobs=1)
    dashed = [text.replace(", ", "-") for text in unseen]
    sorter = sorter_for(index, NAMES)
    assert np.mean([each.categories == (number % 3,) for number, each in enumerate(sorter.assign(dashed))]) > 0.9
    sorter.save(tmp_path)
    assert Sorter.load(tmp_path, tokenizer=by_dashes).assign(dashed) == sorter.assign(dashed)
    with pytest.raises(SettingsError, match=r"created with the tokenizer .*by_dashes"):
        Sorter.load(tmp_path)


def test_a_negative_word_without_a_ready_vector_bars_only_itself(tmp_path, index):
    vectors = dict(zip(index.vocabulary.terms, index.general, strict=True))
    vectors.update(zip(NAMES, index.encode_names(NAMES), strict=True))
    ready = Index.build(planted_documents(), tmp_path / "index", embedding_model=vectors, n_jobs=1)
    topics = discover(ready, {NAMES[0]: {"negative": ["cricket", "tennis"]}, NAMES[1]: [], NAMES[2]: []})
    assert "tennis" not in list(topics[0])
