"""Words that the user excludes from the terms: by a list, or because they occur in too many documents."""

from __future__ import annotations

from pathlib import Path

import pytest

from fake_model import directions
from planted import planted_documents
from seetopic import Index
from seetopic.errors import CorpusError, SettingsError
from seetopic.settings import IndexSettings, TextSettings
from seetopic.text import read_stop_words

# "invoice" is in all documents, "thing of beauty" in half of them.
TEXTS = [
    f"{text} The invoice." + (" Thing of beauty." if number % 2 else "")
    for number, text in enumerate(planted_documents(80))
]


def terms(out: Path, **text: object) -> set[str]:
    settings = IndexSettings(text=TextSettings(shard_documents=30, **text))
    return set(Index.build(TEXTS, out, settings=settings, embedding_model=directions, n_jobs=1).vocabulary.terms)


def test_stop_words_are_no_terms_nor_parts_of_phrases(tmp_path):
    usual = terms(tmp_path / "usual")
    assert {"invoice", "planet"} <= usual
    assert any("beauty" in term.split() for term in usual)
    fewer = terms(tmp_path / "fewer", stop_words=("beauty", "planet"))
    assert "planet" not in fewer
    assert not any("beauty" in term.split() for term in fewer)
    assert "invoice" in fewer


def test_a_stop_word_of_several_words_excludes_that_term_alone(tmp_path):
    usual = terms(tmp_path / "usual")
    phrase = next(term for term in usual if " " in term)
    assert usual - terms(tmp_path / "fewer", stop_words=(phrase,)) == {phrase}


def test_terms_of_too_many_documents_are_left_out(tmp_path):
    usual = terms(tmp_path / "usual")
    documents = {term: sum(term in text.lower() for text in TEXTS) for term in ("invoice", "beauty", "planet")}
    assert documents["invoice"] == 80
    assert terms(tmp_path / "most", max_documents=0.99) == usual - {"invoice"}
    assert "planet" in terms(tmp_path / "planet", max_documents=documents["planet"] / 80)
    assert "planet" not in terms(tmp_path / "fewer", max_documents=(documents["planet"] - 0.5) / 80)
    with pytest.raises(CorpusError, match=r"every term occurs in more than 0\.1% of the documents; raise --max-docu"):
        terms(tmp_path / "none", max_documents=0.001)


def test_a_file_of_stop_words_may_have_comments_and_capitals(tmp_path):
    (tmp_path / "words.txt").write_text("# ours\nBeauty\n\n click  here \nbeauty\n", encoding="utf-8")
    assert read_stop_words(tmp_path / "words.txt") == ("beauty", "click here")
    with pytest.raises(SettingsError, match="cannot read stop words from"):
        read_stop_words(tmp_path / "missing.txt")
