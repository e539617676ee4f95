"""What a build is estimated to need, compared with what it took; and a memory budget that is respected."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fake_model import directions
from planted import planted_documents
from seetopic import Index
from seetopic.corpus.opening import open_documents
from seetopic.errors import CorpusError, NotEnoughMemory, SettingsError
from seetopic.index import plan
from seetopic.index.estimate import BuildEstimate, held_for, memory_needed, memory_size, require_memory
from seetopic.settings import DEFAULT, IndexSettings, TextSettings

SMALL_SHARDS = replace(DEFAULT.index, text=TextSettings(shard_documents=50))


def told(source: object, settings: IndexSettings = SMALL_SHARDS) -> BuildEstimate:
    return plan(
        open_documents(source), Path("nowhere"), settings=settings, embedding_model=directions, n_jobs=1
    ).estimate


# Sizes.


@pytest.mark.parametrize(
    ("text", "size"),
    [
        ("4GB", 4 * 10**9),
        ("500m", 5 * 10**8),
        ("1.5 GiB", 3 * 2**29),
        ("800000", 800_000),
        (4096, 4096),
        ("2T", 2 * 10**12),
    ],
)
def test_a_size_is_read_as_people_write_it(text, size):
    assert memory_size(text) == size


@pytest.mark.parametrize("text", ["", "GB", "four", "-4GB", "4XB", "0", "4GB more", "4,5GB", True])
def test_what_is_no_size_is_refused(text):
    with pytest.raises(SettingsError, match=r"`memory` is .* but must be a size, such as 4GB"):
        memory_size(text)


@given(st.integers(1, 10**15))
def test_a_plain_number_is_bytes(number):
    assert memory_size(number) == memory_size(str(number)) == number


# Estimates.


@pytest.mark.parametrize(
    ("name", "text"), [("a.txt", ""), ("a.txt", "\n \n\n"), ("a.csv", ""), ("a.csv", "text,date\n"), ("a.jsonl", "")]
)
def test_a_corpus_without_documents_is_refused(tmp_path, name, text):
    (tmp_path / name).write_text(text)
    with pytest.raises(CorpusError, match="contains no documents"):
        told(tmp_path / name)


def test_a_corpus_is_estimated_although_its_beginning_is_empty(tmp_path):
    blank = '"' + " " * 99_999 + '"\n'
    (tmp_path / "late.csv").write_text("text\n" + blank * 90 + "a planet and a comet\n" * 20)
    assert told(tmp_path / "late.csv").documents == 20


@pytest.mark.slow
def test_the_estimate_is_near_what_the_index_then_has(tmp_path):
    texts = planted_documents() * 10
    path = tmp_path / "documents.txt"
    path.write_text("\n".join(texts), encoding="utf-8")
    estimate = told(path)
    index = Index.build(path, tmp_path / "index", settings=SMALL_SHARDS, embedding_model=directions, n_jobs=1)
    corpus = index.manifest["corpus"]
    assert estimate.documents == pytest.approx(corpus["documents"], rel=0.1)
    assert estimate.tokens == pytest.approx(corpus["tokens"], rel=0.2)
    assert corpus["terms"] / 2 < estimate.terms < corpus["terms"] * 4
    assert estimate.seconds > 0
    assert estimate.disk > estimate.index > 0


def test_the_number_of_a_stream_s_documents_is_known_exactly():
    texts = planted_documents()
    assert told(texts).documents == len(texts)


CHARACTERS = st.characters(exclude_categories=["Cs"], exclude_characters="\0")


@given(
    st.lists(st.text(CHARACTERS, max_size=20), min_size=1, max_size=5).filter(
        lambda texts: any(text.strip() for text in texts)
    )
)
def test_any_corpus_has_an_estimate(texts):
    estimate = told(texts)
    assert estimate.documents == sum(bool(text.strip()) for text in texts)
    assert estimate.terms >= 1


def test_an_estimate_is_a_sentence_with_no_more_digits_than_are_known():
    estimate = BuildEstimate(10_123_456, 151_999_000, 204_567, 1500.0, 2_134_000_000, 9_876_543_210, 3_400_000_000)
    assert str(estimate) == (
        "about 10,000,000 documents, 150,000,000 words, 200,000 terms: 25 min, 2.1 GB of memory, "
        "9.9 GB of disk during the build, 3.4 GB when finished"
    )


# The budget.


def test_less_memory_means_fewer_counts_at_a_time_but_never_none():
    assert held_for(None, 2) == held_for(memory_size("64GB"), 2)
    assert held_for(memory_size("2GB"), 2) > held_for(memory_size("1GB"), 2) >= held_for(1, 16) > 0


def test_what_a_budget_allows_is_what_is_needed_within_it():
    memory = memory_size("4GB")
    assert memory_needed(200_000, DEFAULT.index, 2, held_for(memory, 2)) < memory


def test_a_build_that_needs_more_than_it_may_have_is_refused_before_the_slow_work(tmp_path):
    with pytest.raises(NotEnoughMemory, match=r"terms need about .* but --memory allows 50 MB .*fewer --jobs"):
        Index.build(planted_documents(), tmp_path / "index", embedding_model=directions, memory="50MB")
    assert not (tmp_path / "index").exists()
    require_memory(None, 10**15, 5)


def test_the_budget_changes_no_byte(tmp_path):
    for name, memory in (("any", None), ("little", "2GB")):
        Index.build(planted_documents(), tmp_path / name, embedding_model=directions, n_jobs=1, memory=memory)
    one, other = ({path.name: path.read_bytes() for path in (tmp_path / name).iterdir()} for name in ("any", "little"))
    assert one == other
