"""A spaCy pipeline as tokenizer: noun chunks joined, everything else as it was."""

from __future__ import annotations

import pickle
import sys
from typing import Any

import pytest

from seetopic.errors import MissingExtra, SettingsError
from seetopic.index.layout import tokenizer_name
from seetopic.runtime.engine import LocalEngine
from seetopic.text.shards import scan
from seetopic.text.spacy_terms import SpacyTokenizer, _loaded
from seetopic.text.tokenizer import as_term

spacy = pytest.importorskip("spacy")
NOUNS = {"patients", "cancer", "breast", "study", "follow", "up"}
DETERMINERS = {"the", "a", "two", "their"}


@spacy.Language.component("seetopic_test_parser")
def parse(document: Any) -> Any:
    """Every run of nouns is a noun chunk; its last word is its head."""
    for token in document:
        word = token.lower_
        token.pos_ = (
            "NOUN" if word in NOUNS else "DET" if word in DETERMINERS else "VERB" if token.is_alpha else "PUNCT"
        )
        if token.is_space:
            token.pos_ = "SPACE"
    for token in document:
        following = document[token.i + 1] if token.i + 1 < len(document) else None
        inside = token.pos_ in ("NOUN", "DET") or token.text == "-"
        if inside and following is not None and (following.pos_ == "NOUN" or following.text == "-"):
            token.head, token.dep_ = following, "compound" if token.pos_ == "NOUN" else "det"
        else:
            token.head, token.dep_ = token, "ROOT"
        token.lemma_ = token.text.rstrip("s") if token.pos_ == "NOUN" else token.text
    return document


@pytest.fixture
def pipeline() -> Any:
    made = spacy.blank("en")
    made.add_pipe("seetopic_test_parser")
    return made


def test_noun_chunks_are_joined_without_their_determiner(pipeline):
    tokens = SpacyTokenizer(pipeline)("The Breast Cancer patients slept; a study ended")
    assert tokens == ["the", "breast_cancer_patients", "slept", ";", "a", "study", "ended"]


def test_words_keep_the_marks_between_them(pipeline):
    assert SpacyTokenizer(pipeline)("a follow-up study") == ["a", "follow-up_study"]


def test_a_lines_end_parts_words(pipeline):
    assert SpacyTokenizer(pipeline)("slept\nwoke  again") == ["slept", "\n", "woke", "again"]


def test_lemmas_and_case_are_chosen(pipeline):
    text = "Two Breast Cancers"
    pipeline_nouns = SpacyTokenizer(pipeline, lowercase=False)("their Breast patients")
    assert pipeline_nouns == ["their", "Breast_patients"]
    assert SpacyTokenizer(pipeline, lemmas=True)("their breast patients") == ["their", "breast_patient"]
    assert SpacyTokenizer(pipeline)(text) == ["two", "breast", "cancers"]


def test_entities_are_joined_also_without_a_parser():
    made = spacy.blank("en")
    made.add_pipe("entity_ruler").add_patterns([{"label": "GPE", "pattern": "New York"}])
    assert SpacyTokenizer(made)("seen in New York today") == ["seen", "in", "new_york", "today"]


def test_a_pipeline_that_finds_nothing_is_refused():
    with pytest.raises(SettingsError, match="finds neither noun chunks nor entities"):
        SpacyTokenizer(spacy.blank("en"))("some text")


def test_a_language_without_a_rule_for_noun_chunks_has_its_entities_and_is_refused_without_them():
    made = spacy.blank("pl")
    made.add_pipe("seetopic_test_parser")
    with pytest.raises(SettingsError, match="finds neither noun chunks nor entities in 'pl'"):
        SpacyTokenizer(made)("breast cancer")
    made.add_pipe("entity_ruler").add_patterns([{"label": "GPE", "pattern": "Nowy Jork"}])
    assert SpacyTokenizer(made)("breast cancer, Nowy Jork") == ["breast", "cancer", ",", "nowy_jork"]


def test_a_parsers_own_error_is_not_taken_for_a_text_without_noun_chunks(pipeline, monkeypatch):
    def broken(document):
        raise ValueError("the rule itself is broken")

    monkeypatch.setattr(pipeline.vocab, "get_noun_chunks", broken)
    with pytest.raises(ValueError, match="the rule itself is broken"):
        SpacyTokenizer(pipeline)("the breast cancer")


def test_a_chunk_becomes_a_term_in_documents_and_in_names(tmp_path, pipeline):
    tokenizer = SpacyTokenizer(pipeline)
    texts = [["the breast cancer grew"] * 3]
    words, _ = scan(LocalEngine(2), texts, tmp_path, tokenizer, lowercase=False, min_count=1)
    assert set(words.words) == {"the", "breast cancer", "grew"}
    assert as_term("Breast cancer", lowercase=True, tokenizer=tokenizer) == "breast cancer"


def test_a_named_pipeline_travels_and_a_loaded_one_stays(tmp_path, pipeline):
    made = spacy.blank("en")
    made.add_pipe("entity_ruler").add_patterns([{"label": "GPE", "pattern": "New York"}])
    made.to_disk(tmp_path / "pipeline")
    travelled = pickle.loads(pickle.dumps(SpacyTokenizer(str(tmp_path / "pipeline"), lemmas=True)))
    assert travelled("New York") == ["new_york"]
    with pytest.raises(TypeError, match="give its name instead"):
        pickle.dumps(SpacyTokenizer(pipeline))


def test_the_pipeline_and_its_form_are_part_of_the_tokenizers_name(pipeline):
    names = {tokenizer_name(SpacyTokenizer(pipeline, lemmas=lemmas)) for lemmas in (True, False)}
    assert len(names) == 2
    assert all(name.startswith("spacy:en_pipeline-") for name in names)


def test_an_unknown_pipeline_is_named():
    with pytest.raises(SettingsError, match="spaCy has no pipeline 'no_such_pipeline'"):
        SpacyTokenizer("no_such_pipeline")("text")


def test_without_spacy_the_extra_is_named(monkeypatch):
    _loaded.cache_clear()
    monkeypatch.setitem(sys.modules, "spacy", None)
    with pytest.raises(MissingExtra, match=r"seetopic\[spacy\]"):
        SpacyTokenizer("en_core_web_sm")("text")
