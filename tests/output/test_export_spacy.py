"""Exported patterns in spaCy itself: terms are found in running text, however a pipeline tokenises it."""

from __future__ import annotations

import json
from functools import cache

import pytest
import spacy
from hypothesis import given
from hypothesis import strategies as st
from spacy.language import Language
from spacy.matcher import Matcher
from test_exports import FORMS, ODD_NAMES, ODD_TERMS, TOPICS, dictionaries, topics_of

from seetopic import Topics, export
from seetopic.text.tokenizer import cleaned, tokenize

LANGUAGES = ("en", "de", "fr", "it", "es", "ru", "pl")


@cache
def pipeline_of(language: str) -> Language:
    """Created on demand: French alone takes seconds."""
    return spacy.blank(language)


def entities(topics: Topics, text: str, folder, language: str = "en", **options) -> list[tuple[str, str, str]]:
    """What the ruler of a pipeline finds: the text, its category and its term."""
    export(topics, "spacy", folder / "patterns.jsonl", **options)
    pipeline = spacy.blank(language)
    pipeline.add_pipe("entity_ruler").from_disk(folder / "patterns.jsonl")
    return [(entity.text, entity.label_, entity.ent_id_) for entity in pipeline(text).ents]


def matched(topics: Topics, text: str, language: str = "en") -> dict[str, set[str]]:
    """What `Matcher` finds: the matched texts of each category."""
    pipeline = pipeline_of(language)
    matcher = Matcher(pipeline.vocab)
    for value in map(json.loads, export(topics, "spacy").split("\n")[:-1]):
        matcher.add(value["label"], [value["pattern"]])
    document = pipeline(text)
    found: dict[str, set[str]] = {}
    for label, start, end in matcher(document):
        found.setdefault(document.vocab.strings[label], set()).add(document[start:end].text)
    return found


def test_a_ruler_read_from_disk_finds_words_variants_and_phrases(tmp_path):
    text = "Two Tumours, no TUMOR; breast\ncancers in a follow-up study on Mother’s Day. The goalkeepers' tumour."
    first = "neoplasms & tumours"
    assert entities(TOPICS, text, tmp_path) == [
        ("TUMOR", first, "tumor"),
        ("breast\ncancers", first, "breast cancer"),
        ("follow-up study", first, "follow-up study"),
        ("Mother’s Day", "games", "mother's day"),
        ("tumour", first, "tumor"),
    ]


def test_the_matcher_takes_the_same_patterns():
    for name, forms in FORMS.items():
        assert matched(TOPICS, ", ".join(forms).upper()).get(name, set()) == {form.upper() for form in forms}


def test_names_of_any_characters_are_labels(tmp_path):
    topics = topics_of({name: [f"odd{chr(97 + number)}"] for number, name in enumerate(ODD_NAMES)})
    text = " ".join(f"odd{chr(97 + number)}" for number in range(len(ODD_NAMES)))
    assert [label for _, label, _ in entities(topics, text, tmp_path)] == ODD_NAMES


HARD = [
    "follow-up", "state-of-the-art", "covid-19", "18-year-old", "x-ray-2", "6-8 weeks", "at&t", "al-qaida's leader",
    "mother's day", "don't panic", "mother-in-law's", "y'all", "o'clock", "rock'n'roll", "l'amour", "dell'altra",
    "u.s.", "u.s. senate", "10mg", "5km run", "1,000.5 mg", "gonna", "cannot", "dont", "im", "wed",
    "id card", "shouldve", "yall", "3d", "c'est-à-dire", "体育运动", "נתב״ג",
]  # fmt: skip


@pytest.mark.slow
@pytest.mark.parametrize("language", LANGUAGES)
def test_a_term_is_found_wherever_a_pipeline_cuts_it(language):
    # Only English splits "dont"; what other languages do with it does not matter here.
    for form in HARD:
        for text in (form, f"The {form} again", f"({form.upper()}), now", f"It was {form}.", form.replace("'", "’")):
            assert matched(topics_of({"found": [form]}), text, language), (
                text,
                [str(each) for each in pipeline_of(language)(text)],
            )


def test_every_word_that_english_cuts_in_two_is_found():
    words = sorted({word.lower() for word in pipeline_of("en").tokenizer.rules if word.isalpha()})
    assert len(words) > 150
    assert [word for word in words if not matched(topics_of({"found": [word]}), f"then {word} too")] == []


def test_chinese_is_found_in_single_characters():
    assert matched(topics_of({"found": ["体育运动"]}), "我喜欢体育运动。", "zh") == {"found": {"体育运动"}}


def test_words_of_a_term_must_stand_together_and_whole():
    topics = topics_of({"found": ["breast cancer", "follow-up"]})
    for text in ("breast and cancer", "breast, cancer", "breast cancerous", "follow it up", "follow up", "unfollow-up"):
        assert matched(topics, text) == {}


def test_an_index_that_kept_case_tells_polish_from_Polish():  # noqa: N802 - that is the point
    lowercase = {"settings": {"index": {"text": {"lowercase": False}}}}
    assert matched(topics_of({"found": ["polish"]}, **lowercase), "Polish polish") == {"found": {"polish"}}
    assert matched(topics_of({"found": ["polish"]}), "Polish polish") == {"found": {"Polish", "polish"}}
    assert matched(topics_of({"found": ["Polish"]}), "Polish polish") == {"found": {"Polish"}}


def test_topics_without_terms_have_no_patterns():
    assert export(topics_of({"nothing": []}), "spacy") == ""


@given(dictionaries(ODD_TERMS))
def test_patterns_of_any_characters_are_taken(lists):
    matcher = Matcher(pipeline_of("en").vocab)
    for value in map(json.loads, export(topics_of(lists), "spacy").split("\n")[:-1]):
        matcher.add(value["label"], [value["pattern"]])
    assert len(matcher) == sum(map(bool, lists.values()))


LETTERS_AND_A_MARK = st.from_regex(r"[^\W\d_]{1,4}([-'&]([^\W\d_]{1,4}|[0-9]{1,3}))?", fullmatch=True)


@given(dictionaries(st.lists(LETTERS_AND_A_MARK, min_size=1, max_size=2).map(" ".join)))
def test_patterns_of_any_names_and_terms_are_read_and_find_each_term(lists):
    topics = topics_of(lists)
    for name, forms in lists.items():
        for form in forms:
            assert name in matched(topics, form)


# Words as our tokenizer finds them, and what may be between them.
WORDS = st.from_regex(r"[a-cn-t]{1,4}([-'&][a-cs-t1]{1,3}){0,2}|1[a-c]{1,3}|(a\.b\.)", fullmatch=True)
SENTENCES = st.lists(st.tuples(WORDS, st.sampled_from([" ", ", ", ". ", "; ", "\n", ") (", "! "])), min_size=1)


@given(SENTENCES)
def test_every_word_that_our_tokenizer_finds_in_a_text_spacy_finds_too(parts):
    text = "".join(word + gap for word, gap in parts).strip()
    words = {word for word in map(cleaned, tokenize(text)) if word}
    found = matched(topics_of({word: [word] for word in sorted(words)}), text)
    assert set(found) == words
