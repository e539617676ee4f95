"""Words, terms and documents as term ids, compared with a simple implementation."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from seetopic.runtime.disk_counts import Scratch
from seetopic.runtime.engine import LocalEngine
from seetopic.settings import TextSettings
from seetopic.text.phrases import PhraseTable, mine
from seetopic.text.shards import Shard, scan
from seetopic.text.tokenizer import ENGLISH, cleaned, tokenize
from seetopic.text.vocabulary import Vocabulary, segment_shards, vocabulary_of, write_documents

MANY = 6  # occurrences that are enough for everything


def indexed(
    folder: Path, shards: list[list[str]], jobs: int = 1, **options: Any
) -> tuple[Vocabulary, list[list[str]], PhraseTable]:
    """The vocabulary, and every document as its terms, read back from disk."""
    chosen = TextSettings(**{"min_count": 1, **options})
    engine = LocalEngine(jobs)
    words, sizes = scan(
        engine, shards, folder / "shards", tokenize, lowercase=chosen.lowercase, min_count=chosen.min_count
    )
    assert sizes == [len(shard) for shard in shards]
    files = [Shard(folder / "shards", number) for number in range(len(sizes))]
    table = mine(engine, files, words, chosen, Scratch(folder / "scratch"))
    vocabulary, term_ids = vocabulary_of(segment_shards(engine, files, table), words, table, chosen.min_count)
    write_documents(files, term_ids, folder / "documents.npy", folder / "starts.npy")
    ids, starts = np.load(folder / "documents.npy"), np.load(folder / "starts.npy")
    assert (ids.dtype, starts.dtype) == (np.int32, np.int64)
    assert (starts[0], starts[-1], len(starts)) == (0, len(ids), sum(sizes) + 1)
    documents = [[vocabulary.terms[number] for number in part] for part in np.split(ids, starts[1:-1])]
    return vocabulary, documents, table


def counted(vocabulary: Vocabulary) -> dict[str, int]:
    return dict(zip(vocabulary.terms, vocabulary.counts.tolist(), strict=True))


# Words and their counts.


def test_words_are_counted_over_shards_by_falling_count_then_spelling(tmp_path):
    shards = [["Pear apple pear", "fig"], ["apple, apple. Fig! plum"]]
    words, _ = scan(LocalEngine(1), shards, tmp_path, tokenize, lowercase=True, min_count=2)
    assert words.words == ("apple", "fig", "pear")
    assert words.counts.tolist() == [3, 2, 2]
    assert words.n_tokens == 8  # words, including rare ones but not separators


def test_a_shards_file_gives_each_position_its_word(tmp_path):
    words, _ = scan(
        LocalEngine(1), [["fig, pear fig", "", "plum fig"]], tmp_path, tokenize, lowercase=True, min_count=2
    )
    shard = Shard(tmp_path, 0)
    assert words.words == ("fig",)
    # fig , pear fig <end> | <end> | plum fig <end>
    assert shard.words().tolist() == [0, -1, -1, 0, -1, -1, -1, 0, -1]
    assert shard.ends().tolist() == [5, 6, 9]


def test_case_is_kept_where_asked(tmp_path):
    words, _ = scan(LocalEngine(1), [["Fig fig Fig"]], tmp_path, tokenize, lowercase=False, min_count=1)
    assert dict(zip(words.words, words.counts.tolist(), strict=True)) == {"Fig": 2, "fig": 1}


def test_a_corpus_without_words_has_none(tmp_path):
    words, sizes = scan(LocalEngine(1), [["...", "!!"]], tmp_path, tokenize, lowercase=True, min_count=1)
    assert (words.words, words.n_tokens, sizes) == ((), 0, [2])
    assert Shard(tmp_path, 0).words().tolist() == [-1, -1, -1, -1]


# Terms.


def test_terms_stand_by_falling_count_then_spelling(tmp_path):
    vocabulary, _, _ = indexed(tmp_path, [["pear, fig, apple, pear, fig, plum, pear"]])
    assert counted(vocabulary) == {"pear": 3, "fig": 2, "apple": 1, "plum": 1}
    assert vocabulary.terms == ("pear", "fig", "apple", "plum")
    assert vocabulary.ids == {"pear": 0, "fig": 1, "apple": 2, "plum": 3}
    assert len(vocabulary) == 4


def test_a_phrase_and_a_word_of_one_count_stand_by_spelling(tmp_path):
    vocabulary, _, _ = indexed(tmp_path, [["zebra", "apple pie"] * MANY])
    assert vocabulary.terms == ("apple pie", "zebra")


def test_terms_below_the_least_count_are_left_out(tmp_path):
    vocabulary, documents, _ = indexed(tmp_path, [["fig, pear, fig, plum, fig, pear"]], min_count=3)
    assert counted(vocabulary) == {"fig": 3}
    assert documents == [["fig", "fig", "fig"]]


def test_a_word_left_with_too_few_occurrences_outside_its_phrases_is_left_out(tmp_path):
    others = ["fig, pear, plum"] * 5 * MANY
    texts = ["breast cancer"] * MANY + ["cancer"] * MANY
    vocabulary, documents, _ = indexed(tmp_path, [texts + others], min_count=3)
    fruit = dict.fromkeys(("fig", "pear", "plum"), 5 * MANY)
    assert counted(vocabulary) == {"breast cancer": MANY, "cancer": MANY, **fruit}
    assert documents[: 2 * MANY] == [["breast cancer"]] * MANY + [["cancer"]] * MANY


@pytest.mark.parametrize("joined", [1, 3])
def test_a_joined_word_and_the_phrase_found_in_the_text_are_one_term(tmp_path, joined):
    texts = ["breast cancer, heart"] * MANY + ["heart, breast_cancer"] * joined
    vocabulary, documents, table = indexed(tmp_path, [texts], min_count=3)
    assert table.n_phrases == 1
    assert counted(vocabulary) == {"breast cancer": MANY + joined, "heart": MANY + joined}
    assert documents == [["breast cancer", "heart"]] * MANY + [["heart", "breast cancer"]] * joined


def test_a_joined_word_is_a_term_written_with_spaces_if_it_occurs_often_enough(tmp_path):
    vocabulary, _, _ = indexed(tmp_path, [["breast_cancer, breast_cancer, heart_attack"]], min_count=2)
    assert counted(vocabulary) == {"breast cancer": 2}


@pytest.mark.parametrize("word", ["the", "of", "would", "2019", "1,000.5", "7", "x", "Q", "of_the", "in_2019", "don't"])
def test_function_words_numbers_and_single_letters_are_no_terms(tmp_path, word):
    vocabulary, documents, _ = indexed(tmp_path, [[f"heart, {word}, lung"] * MANY])
    assert counted(vocabulary) == {"heart": MANY, "lung": MANY}
    assert documents == [["heart", "lung"]] * MANY


@pytest.mark.parametrize("word", ["covid-19", "3d", "é", "心", "u.s.", "x-ray"])
def test_words_with_a_letter_that_say_something_are_terms(tmp_path, word):
    assert counted(indexed(tmp_path, [[word, word]])[0]) == {word: 2}


# Documents.


def test_a_document_without_terms_keeps_its_place(tmp_path):
    shards = [["of the", "heart", "!!!"], ["2019"], ["heart heart", "", "the heart"]]
    _, documents, _ = indexed(tmp_path, shards)
    assert documents == [[], ["heart"], [], [], ["heart", "heart"], [], ["heart"]]


def test_documents_without_any_term_are_all_empty(tmp_path):
    vocabulary, documents, _ = indexed(tmp_path, [["of", "the"], ["1"]])
    assert (len(vocabulary), documents) == (0, [[], [], []])


tokens = st.sampled_from(["heart", "lung", "heart_lung", "breast", "cancer", "the", "of", "7", "x", ",", "心", "LUNG"])
texts = st.lists(tokens, max_size=12).map(" ".join)


@pytest.mark.slow
@given(st.lists(st.lists(texts, min_size=1, max_size=4), min_size=1, max_size=3), st.integers(1, 3))
def test_documents_hold_the_terms_of_each_text_in_order(tmp_path_factory, shards, min_count):
    folder = tmp_path_factory.mktemp("twin")
    vocabulary, documents, _ = indexed(folder, shards, min_count=min_count, max_phrase_words=1)
    spelled = [
        [
            word
            for word in map(cleaned, tokenize(text.lower()))
            if word is not None and (" " in word or ENGLISH.may_be_a_term(word))
        ]
        for shard in shards
        for text in shard
    ]
    counts = Counter(word for words in spelled for word in words)
    kept = {word: count for word, count in counts.items() if count >= min_count}
    assert documents == [[word for word in words if word in kept] for words in spelled]
    assert counted(vocabulary) == kept
    assert list(vocabulary.terms) == sorted(kept, key=lambda word: (-kept[word], word))


def test_phrases_and_words_of_a_document_stand_in_order(tmp_path):
    # "cancer care" by itself is a phrase too, but "breast cancer" is worth more.
    texts = ["the breast cancer of fish"] * MANY + ["cancer care, lung"] * MANY + ["breast cancer care 2019"]
    _, documents, table = indexed(tmp_path, [texts[:7], texts[7:]], phrase_quality=0.0, max_phrase_words=2)
    assert table.n_phrases == 2
    assert documents[0] == ["breast cancer", "fish"]
    assert documents[MANY] == ["cancer care", "lung"]
    assert documents[-1] == ["breast cancer", "care"]


@pytest.mark.slow
def test_the_same_bytes_for_any_number_of_jobs(tmp_path):
    shards = [[f"breast cancer, {word} of life", "heart", "the"] for word in ("quality", "joy", "quality") * 5]
    one, two = (indexed(tmp_path / str(jobs), shards, jobs) for jobs in (1, 2))
    assert one[0].terms == two[0].terms
    assert one[1] == two[1]
    for name in ("documents.npy", "starts.npy", "shards/word_ids.npy", "shards/000014.codes.npy"):
        assert (tmp_path / "1" / name).read_bytes() == (tmp_path / "2" / name).read_bytes()
