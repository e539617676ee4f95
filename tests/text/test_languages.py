"""Languages: lists of function words, detection from documents, and text without spaces."""

from __future__ import annotations

import random

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.sparse import csr_array

from fake_model import directions
from seetopic import Index
from seetopic.errors import IndexFailure, SettingsError
from seetopic.runtime.engine import LocalEngine
from seetopic.settings import LANGUAGES, IndexSettings, TextSettings
from seetopic.text.languages import (
    NOTICEABLE,
    Languages,
    connectors,
    function_words,
    languages_of,
    warnings_about_spaces,
)
from seetopic.text.shards import Shard, sampled_counts, scan
from seetopic.text.tokenizer import CONNECTORS, ENGLISH, FUNCTION_WORDS, cleaned, tokenize

SENTENCES = {
    "en": "the son of the king was in the war and they did not want to die for it",
    "de": "die kinder sind mit dem hund in den wald gegangen und haben dort nicht geschlafen",
    "fr": "les enfants sont dans la maison avec leur chien et ils ne veulent pas en sortir",
    "es": "los niños son de la ciudad y no quieren volver al pueblo con sus padres",
    "it": "i bambini sono nella casa della nonna e non vogliono uscire come gli altri",
    "pt": "as crianças estão na casa da avó e não querem sair com os outros meninos",
    "nl": "de kinderen zijn met de hond naar het bos gegaan en hebben daar niet geslapen",
    "ru": "они не были в городе и не хотели его видеть, потому что там уже была зима",
    "sv": "barnen var med hunden i skogen och de ville inte gå hem för att sova",
    "pl": "dzieci były z psem w lesie i nie chciały się do domu wrócić, bo tam było zimno",
    "da": "børnene var med hunden i skoven og de ville ikke gå hjem af den vej, hvad der også blev nævnt",
    "nb": "barna var med hunden i skogen og de ville ikke hjem etter noe som hvordan ble nevnt av dem",
}


def detected(texts: list[str], asked: tuple[str, ...] | None = None, *, lower: bool = True) -> Languages:
    cut = [[cleaned(token) for token in tokenize(text.lower() if lower else text)] for text in texts]
    words = sorted({word for each in cut for word in each if word})
    rows = [[words.index(word) for word in each if word] for each in cut]
    starts = np.cumsum([0, *(len(row) for row in rows)])
    columns = np.array([column for row in rows for column in row], np.int64)
    sample = csr_array((np.ones(len(columns), np.float32), columns, starts), shape=(len(rows), len(words)))
    return languages_of(words, sample, asked)


# Lists.


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_language_has_function_words_that_the_tokenizer_can_give(language):
    listed = function_words(language)
    assert len(listed) > 50
    assert connectors(language) <= listed | CONNECTORS
    assert all([cleaned(token) for token in tokenize(word)] == [word] and word == word.lower() for word in listed)


def test_englishs_own_list_is_the_closed_classes():
    assert function_words("en") == FUNCTION_WORDS
    assert connectors("en") == CONNECTORS
    assert not {"computer", "research", "fire", "system"} & FUNCTION_WORDS


@pytest.mark.parametrize(
    ("language", "content", "function"),
    [
        ("de", "weg krieg", "der und wurde beim deren nicht"),
        ("es", "trabajo empleo estados fuerza verdad poder primer", "de la los por se más mas también tambien"),
        ("it", "lavoro gente persone nome", "di della che quando perché perche più è"),
        ("fr", "état force personnes valeur", "le les que été celle toujours"),
        ("pt", "trabalho povo estado tempo", "não nao são ainda outros você"),
        ("ru", "человек жизнь время", "не что который было"),
        ("sv", "beslut dag stora", "och att inte skulle"),
        ("nl", "wezen oorlog tijd", "de het een jij waarom zouden"),
    ],
)
def test_words_that_say_something_are_no_function_words(language, content, function):
    listed = function_words(language)
    assert not set(content.split()) & listed
    assert set(function.split()) <= listed


# Detection.


@pytest.mark.parametrize("language", SENTENCES)
def test_a_corpus_of_one_language_is_detected(language):
    found = detected([SENTENCES[language]] * 3)
    assert found.shares == {language: 1.0}
    assert found.grammar.function_words == function_words(language)
    assert found.grammar.connectors == connectors(language)


def test_every_language_of_a_noticeable_share_counts_by_falling_share():
    found = detected([SENTENCES["en"]] * 150 + [SENTENCES["es"]] * 40 + [SENTENCES["it"]] * 9 + [SENTENCES["de"]])
    assert found.shares == {"en": 0.75, "es": 0.2, "it": 0.045}
    assert NOTICEABLE > 1 / 200
    assert {"the", "los", "della"} <= found.grammar.function_words
    assert {"der", "und"} & found.grammar.function_words == set()


@pytest.mark.parametrize("texts", [[], ["heart attack"], ["the"], ["...", "2012"]])
def test_too_little_text_counts_as_english(texts):
    found = detected(texts)
    assert (found.shares, found.grammar) == ({"en": 0.0}, ENGLISH)


def test_languages_that_are_asked_for_are_used_whatever_the_documents_are():
    found = detected([SENTENCES["en"]] * 5, ("de",))
    assert list(found.shares) == ["de"]
    assert found.grammar.function_words == function_words("de")
    both = detected([SENTENCES["en"]] * 5, ("es", "en"))
    assert both.shares == {"en": 1.0, "es": 0.0}
    assert {"the", "los"} <= both.grammar.function_words


def test_none_leaves_every_word():
    found = detected([SENTENCES["en"]] * 5, ())
    assert found.shares == {}
    assert not found.grammar.function_words
    assert not found.grammar.connectors


# Words that are function words in one language and mean something in another.

ABROAD = {"son": "es", "war": "de", "die": "de", "come": "it", "pour": "fr", "men": "nl", "car": "fr"}


def english_with(word: str) -> str:
    return f"they did not have the {word} and it was for him"


@pytest.mark.parametrize(("word", "language"), ABROAD.items())
def test_a_minor_languages_function_word_stays_where_the_main_language_uses_it(word, language):
    foreign = f"{SENTENCES[language]} {word}"
    found = detected([english_with(word)] * 30 + [SENTENCES["en"]] * 50 + [foreign] * 4)
    assert set(found.shares) == {"en", language}
    assert word not in found.grammar.function_words
    assert len(function_words(language) - FUNCTION_WORDS - found.grammar.function_words) <= 5


@pytest.mark.parametrize(("word", "language"), ABROAD.items())
def test_it_is_left_out_where_most_documents_that_hold_it_are_in_its_language(word, language):
    foreign = f"{SENTENCES[language]} {word}"
    plain = "they did not have the time and it was for him"
    found = detected([english_with(word)] * 3 + [plain] * 80 + [foreign] * 10)
    assert word in found.grammar.function_words


@pytest.mark.parametrize(("word", "language"), [("as", "pt"), ("me", "es"), ("were", "nl"), ("a", "it"), ("no", "es")])
def test_a_function_word_of_the_main_language_is_left_out_whatever_it_is_elsewhere(word, language):
    found = detected([english_with(word)] * 30 + [SENTENCES[language]] * 10)
    assert word in found.grammar.function_words


def test_capitals_do_not_matter():
    texts = [english_with("Die"), english_with("die")] * 15 + [SENTENCES["de"].capitalize()] * 4
    assert "die" not in detected(texts, lower=False).grammar.function_words
    assert detected(texts, lower=False) == detected(texts)


@given(st.lists(st.sampled_from([*SENTENCES.values(), "", "son", "war die", "no me come"]), max_size=12))
def test_any_mixture_has_a_grammar_and_does_not_depend_on_order(texts):
    found = detected(texts)
    assert found == detected(texts[::-1])
    assert all(0 <= share <= 1 for share in found.shares.values())
    assert sum(found.shares.values()) <= 1.01
    assert list(found.shares.values()) == sorted(found.shares.values(), reverse=True)


# The sample of documents.


def test_a_small_corpus_is_counted_whole_and_a_large_one_evenly(tmp_path, monkeypatch):
    chance = random.Random(0)
    texts = [" ".join(chance.choices(["fig", "pear", "plum", ","], k=6)) for _ in range(30)]
    words, sizes = scan(
        LocalEngine(1), [texts[:7], texts[7:8], texts[8:]], tmp_path, tokenize, lowercase=True, min_count=1
    )
    shards = [Shard(tmp_path, number) for number in range(3)]
    expected = np.array([[text.split().count(word) for word in words.words] for text in texts])
    assert (sampled_counts(shards, sizes, len(words.words)).toarray() == expected).all()
    monkeypatch.setattr("seetopic.text.shards._SAMPLED_DOCUMENTS", 10)
    assert (sampled_counts(shards, sizes, len(words.words)).toarray() == expected[::3]).all()
    monkeypatch.setattr("seetopic.text.shards._SAMPLED_TOKENS", 2)
    starts = np.array([[text.split()[:2].count(word) for word in words.words] for text in texts])
    assert (sampled_counts(shards, sizes, len(words.words)).toarray() == starts[::3]).all()


# Text without spaces.

CHINESE = "他们昨天去了北京的一个大公园。那里有很多花和树"
JAPANESE = "昨日は友達と一緒に大きな公園へ行きました。花がきれいでした"
THAI = "เมื่อวานนี้เราไปสวนสาธารณะขนาดใหญ่ในกรุงเทพ"
KHMER = "ខ្ញុំបានទៅសួនច្បារធំមួយនៅក្នុងទីក្រុងភ្នំពេញ"
BURMESE = "မနေ့ကကျွန်တော်တို့ရန်ကုန်မြို့ရှိပန်းခြံကြီးသို့သွားခဲ့သည်"
LAO = "ມື້ວານນີ້ພວກເຮົາໄປສວນສາທາລະນະໃຫຍ່ໃນນະຄອນຫຼວງ"


def warned(text: str) -> list[str]:
    return warnings_about_spaces((word, 1) for word in map(cleaned, tokenize(text)) if word)


@pytest.mark.parametrize("text", [CHINESE, JAPANESE, THAI, KHMER, BURMESE, LAO])
def test_text_without_spaces_is_said_with_the_hook_that_helps(text):
    (sentence,) = warned(text)
    assert "100% of the letters are " in sentence
    assert "`tokenizer`" in sentence


@pytest.mark.parametrize(
    "text",
    [
        "",
        *SENTENCES.values(),
        "북한과 한국은 서로 다른 나라입니다",
        "हिन्दी भारत की एक भाषा है",
        "他们 昨天 去 了 北京 的 一个 大 公园",  # already segmented
        "เมื่อวาน เรา ไป สวน สาธารณะ ใน กรุงเทพ",
        f"{' '.join([SENTENCES['en']] * 20)} 北京大学校园",  # only a little
    ],
)
def test_text_with_spaces_and_a_little_without_is_fine(text):
    assert warned(text) == []


def test_the_share_is_of_all_letters():
    assert warned("nineteen" * 9 + " " + "北京的一个大公园" * 3)[0].startswith(
        "25% of the letters are Chinese or Japanese"
    )


# Settings.


@pytest.mark.parametrize("language", ["auto", "none", "en", "en,es", "es,en,de"])
def test_languages_are_asked_for_by_their_codes(language):
    assert TextSettings(language=language).language == language


@pytest.mark.parametrize("wrong", ["", "english", "en, es", "en,", "auto,en", "EN", None, 7, ["en"]])
def test_an_unknown_language_is_refused_with_those_that_are_known(wrong):
    known = r"`language` is .*, but must be auto, none, or a comma-separated list .* en, de, fr"
    with pytest.raises(SettingsError, match=known):
        TextSettings(language=wrong)


# From documents to terms.


@pytest.mark.slow
def test_an_index_has_the_function_words_of_its_languages_and_says_so(tmp_path):
    english = [f"they did not have the {word} and it was for him" for word in ("son", "castle", "harbour")] * 30
    places = ("ciudad", "casa"), ("costa", "mesa")
    spanish = [f"los niños son de la {one} y no quieren la {other} de sus padres" for one, other in places] * 4
    indexes = [
        Index.build(
            english + spanish, tmp_path / str(jobs), embedding_model=directions, n_jobs=jobs, settings=small_shards()
        )
        for jobs in (1, 2)
    ]
    corpus = indexes[0].manifest["corpus"]
    assert (corpus["languages"], corpus["warnings"]) == ({"en": 0.918, "es": 0.082}, [])
    assert {"son", "castle", "ciudad", "casa"} <= set(indexes[0].vocabulary.terms)
    assert not {"los", "de", "la", "y", "no", "sus", "they"} & set(indexes[0].vocabulary.terms)
    assert [path.read_bytes() for path in sorted(indexes[0].folder.iterdir())] == [
        path.read_bytes() for path in sorted(indexes[1].folder.iterdir())
    ]


def test_phrases_are_held_together_by_the_languages_own_words(tmp_path):
    texts = [f"{each} ministro de defensa, la ley de aguas y los {each} de ayer" for each in "abcdefgh"]
    index = Index.build(texts, tmp_path / "es", embedding_model=directions, n_jobs=1)
    assert index.manifest["corpus"]["languages"] == {"es": 1.0}
    assert {"ministro de defensa", "ley de aguas"} <= set(index.vocabulary.terms)
    none = Index.build(texts, tmp_path / "none", embedding_model=directions, n_jobs=1, settings=asking("none"))
    assert none.manifest["corpus"]["languages"] == {}
    assert any(term.split()[0] == "de" for term in none.vocabulary.terms)


def test_the_language_is_part_of_the_key(tmp_path):
    Index.build(list(SENTENCES.values()) * 5, tmp_path / "index", embedding_model=directions, n_jobs=1)
    with pytest.raises(IndexFailure, match="an index with different documents, settings or model"):
        Index.build(
            list(SENTENCES.values()) * 5,
            tmp_path / "index",
            embedding_model=directions,
            n_jobs=1,
            settings=asking("de"),
        )


def test_text_without_spaces_is_warned_of_unless_a_tokenizer_cuts_it(tmp_path):
    texts = [CHINESE] * 5
    with pytest.warns(UserWarning, match="written without spaces") as said:
        index = Index.build(texts, tmp_path / "whole", embedding_model=directions, n_jobs=1)
    assert index.manifest["corpus"]["warnings"] == [str(warning.message) for warning in said]
    cut = Index.build(texts, tmp_path / "cut", embedding_model=directions, n_jobs=1, tokenizer=list)
    assert cut.manifest["corpus"]["warnings"] == []


def small_shards() -> IndexSettings:
    return IndexSettings(text=TextSettings(shard_documents=20, max_phrase_words=1))


def asking(language: str) -> IndexSettings:
    return IndexSettings(text=TextSettings(language=language))
