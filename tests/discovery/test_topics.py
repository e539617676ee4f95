"""From an index and names to topics, with the embedded language model."""

from __future__ import annotations

import csv
import io
import json
import os
import sys
from contextlib import suppress
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from planted import KINDS, NAMES, PLANTED, planted_documents
from seetopic import Index, RankedTerm, Topic, Topics, as_seeds, discover
from seetopic.errors import MissingExtra, NotEnoughTerms, OutputError, SeedError, SettingsError
from seetopic.index import FEWEST
from seetopic.runtime.spreadsheets import unguarded
from seetopic.settings import DEFAULT, SampleSettings

ODD_NAMES = {
    "300 characters": "very long name " * 20,
    "emoji": "⚽🏀",
    "Chinese": "体育运动",
    "only punctuation": "!?!",
    "one letter": "x",
    "script": "<script>alert(1)</script>",
}


@pytest.fixture(scope="module")
def topics(index: Index) -> Topics:
    return discover(index, NAMES, settings=replace(DEFAULT.discovery, top=6, growth=2, iterations=2))


def test_names_that_never_occur_find_the_planted_terms(topics):
    for topic, words in zip(topics, PLANTED.values(), strict=True):
        assert set(topic) <= set(words.split(" "))
        assert not topic.in_vocabulary


def test_topic_i_is_seed_i_by_the_users_name(topics):
    assert [topic.name for topic in topics] == NAMES


def test_no_term_is_in_two_topics(topics):
    terms = [term for topic in topics for term in topic]
    assert len(terms) == len(set(terms)) == 18


def test_a_name_that_occurs_is_said_to_occur(index):
    assert [topic.in_vocabulary for topic in discover(index, ["Planet", "kitchen"])] == [True, False]


def test_every_term_carries_its_score_documents_and_ranks(index, documents, topics):
    for topic in topics:
        for ranked in topic.terms:
            assert 0 < ranked.score <= 1
            assert ranked.documents == sum(ranked.term in text.strip(".").split(", ") for text in documents)
            assert set(ranked.ranks) == {"general", "local", "documents"}
            assert all(place is None or place >= 1 for place in ranked.ranks.values())


def test_topics_json_has_the_promised_fields(topics):
    value = json.loads(json.dumps(topics.to_json()))
    assert set(value) == {"topics", "coverage", "residual", "made_with"}
    assert value["coverage"] == {"share": 1.0, "note": topics.coverage_note}
    assert value["residual"] == []
    assert {"preset", "settings", "model", "random_state", "version", "corpus"} <= set(value["made_with"])
    assert {"name", "in_vocabulary", "terms", "confidence", "warnings"} <= set(value["topics"][0])
    assert set(value["topics"][0]["terms"][0]) == {"term", "score", "documents", "ranks", "variants"}


def test_topics_contain_their_names(topics):
    assert topics[0].name in topics
    assert topics[0] in topics
    assert "weather" not in topics


def test_what_is_saved_loads_as_the_same_topics(topics, tmp_path):
    topics.save(tmp_path / "out")
    assert Topics.load(tmp_path / "out") == topics


def test_the_csv_has_a_row_a_term(topics):
    rows = list(csv.DictReader(io.StringIO(topics.to_csv())))
    assert [(row["topic"], row["term"]) for row in rows] == [(topic.name, term) for topic in topics for term in topic]


@given(st.lists(st.text(alphabet="=+-@'\r\n\t;,\" ab＝", min_size=1), min_size=3, max_size=3))
@example(["=HYPERLINK(1)", "-2+3", "@x"])
@example(["a\rb", "a\r\n=b", "\r"])
def test_no_text_in_the_csv_is_run_by_a_spreadsheet_or_parts_rows(texts):
    name, term, variant = texts
    ranked = RankedTerm(term, -0.123456789, 2, {"general": 3, "local": None}, (variant,))
    table = Topics((Topic(name, (name,), False, (ranked,)),), {}).to_csv()
    header, row = csv.reader(io.StringIO(table, newline=""))
    assert header == ["topic", "rank", "term", "score", "documents", "general_rank", "local_rank", "variants"]
    assert row[1:2] + row[3:7] == ["1", "-0.123457", "2", "3", ""]
    for cell, text in zip((row[0], row[2], row[7]), texts, strict=True):
        assert not cell.lstrip().startswith(("=", "+", "-", "@", "＝"))
        assert unguarded(cell) == text


def test_a_result_is_not_written_over_a_file(topics, tmp_path):
    (tmp_path / "taken").write_text("mine")
    with pytest.raises(OutputError, match="is a file"):
        topics.save(tmp_path / "taken")
    assert (tmp_path / "taken").read_text() == "mine"


def test_a_damaged_topics_file_is_refused(tmp_path):
    (tmp_path / "topics.json").write_text('{"topics": [{"name": 3}]}')
    with pytest.raises(OutputError, match="cannot be read as topics"):
        Topics.load(tmp_path)


def test_several_names_of_a_topic_pull_together(index):
    topics = discover(index, {"leisure": ["football match", "tennis court"], "sky": ["stars and planets"]})
    assert topics[0].name == "leisure"
    assert topics[0].names == ("leisure", "football match", "tennis court")
    assert set(list(topics[0])[:5]) <= set(PLANTED["sport"].split(" "))


@pytest.mark.parametrize("name", ODD_NAMES.values(), ids=ODD_NAMES.keys())
def test_any_name_gets_a_topic(index, name):
    topics = discover(index, [name, "cooking"])
    assert topics[0].name == name.strip()
    assert 5 <= len(topics[0].terms) <= 10  # terms that suit other themes better are in no topic
    assert not topics[0].in_vocabulary


def test_one_category_works(index):
    assert len(discover(index, ["cooking"])[0].terms) == 10


def test_equal_names_are_refused(index):
    with pytest.raises(SeedError, match="appears twice"):
        discover(index, ["food", "Food"])


def test_fewer_terms_than_asked_for_are_said_and_never_padded(index):
    topics = discover(index, ["sport", "food", "space"], settings=replace(DEFAULT.discovery, top=40))
    total = sum(len(topic.terms) for topic in topics)
    assert total == len(index.vocabulary) < 120
    assert any("of 40 terms" in sentence for topic in topics for sentence in topic.warnings)


def test_more_names_than_terms_are_refused(index):
    with pytest.raises(NotEnoughTerms, match=r"100 categories need at least 100 terms, but the index has"):
        discover(index, [f"name {number}" for number in range(100)])


@pytest.mark.slow
def test_one_document_is_enough(tmp_path, cache):
    text = " ".join(["bread butter cheese onion planet moon comet orbit."] * 3)
    index = Index.build([text], tmp_path / "index", cache=cache, n_jobs=1)
    topics = discover(index, ["food", "space"])
    assert len(index) == 1
    assert sum(len(topic.terms) for topic in topics) == len(index.vocabulary)


@pytest.mark.slow
def test_duplicate_documents_do_no_harm(tmp_path, cache):
    doubled = Index.build(planted_documents() * 2, tmp_path / "index", cache=cache, n_jobs=1)
    again = discover(doubled, as_seeds(NAMES), settings=replace(DEFAULT.discovery, top=6, growth=2, iterations=2))
    for topic, words in zip(again, PLANTED.values(), strict=True):
        assert set(topic) <= set(words.split(" "))


def test_seeds_are_read_from_a_path(index, tmp_path: Path):
    (tmp_path / "names.txt").write_text("0:sport\n1:food\n")
    assert [topic.name for topic in discover(index, tmp_path / "names.txt")] == ["sport", "food"]


def test_topics_print_as_a_table(topics):
    head, *rows, note = str(topics).splitlines()
    assert note == topics.coverage_note == "The names are taken to cover all documents."
    assert head == "topic              confidence  terms"
    assert [row[:18].strip() for row in rows] == NAMES
    assert all(row.endswith(", ".join(topic)) for row, topic in zip(rows, topics, strict=True))
    assert repr(topics) == str(topics)


def test_warnings_stand_below_the_table(index):
    topics = discover(index, ["cooking and food", "sports", "zqxj vbnm"])
    low, left_out, few, unknown = topics.notes
    assert unknown.startswith("zqxj vbnm: hardly known to the language model")
    assert low.startswith("Low confidence")
    assert "zqxj vbnm" in low
    assert left_out.startswith("The names cover 6")
    assert few.startswith("cooking and food: only 9 of 10 terms")
    assert str(topics).splitlines()[-4:] == topics.notes


def test_names_that_are_taken_to_cover_everything_may_still_be_doubtful(index):
    topics = discover(index, ["xylophones", "zqxj vbnm", "tax law", "cricket", "opera", "chess"])
    assert len(topics.doubtful) > 3
    assert topics.coverage_note == (
        "The names are taken to cover all documents, but most topics have low confidence: the documents may be about "
        "something else."
    )


def made_up(*topics: tuple[str, float, tuple[str, ...]]) -> Topics:
    return Topics(tuple(Topic(name, (name,), False, (), sure, warnings) for name, sure, warnings in topics), {})


def test_notes_are_in_the_singular_or_plural_and_list_topics_without_terms():
    one = made_up(("sports", 0.9, ()), ("travel", 0.0, ("no terms; others fit other categories better",)))
    assert one.notes == [
        "Low confidence (below 0.4): travel. Read its terms with care, or add a description.",
        "travel: no terms; others fit other categories better",
    ]
    told = "hardly known to the language model"
    several = made_up(("arts, music", 0.39, ("low confidence: of an older version", told)), ("law", 0.1, (told,)))
    assert several.notes == [
        "Low confidence (below 0.4): 'arts, music' and 'law'. Read their terms with care, or add a description.",
        "'arts, music' and 'law': hardly known to the language model",
    ]


def test_the_confidence_that_is_shown_decides(topics):
    assert all(topic.confidence == round(topic.confidence, 2) for topic in topics)


def test_few_documents_cannot_tell_what_the_names_leave_out(documents, tmp_path, cache):
    index = Index.build(documents[: FEWEST - 1], tmp_path / "few", cache=cache, n_jobs=1)
    few = discover(index, NAMES[:1])
    assert few.coverage == 1
    assert few.coverage_note.startswith(f"Only {FEWEST - 1} documents were read")
    assert few.coverage_note in few.notes
    few.save(tmp_path / "topics")
    assert Topics.load(tmp_path / "topics") == few


def test_a_notebook_shows_a_table_in_which_names_are_escaped(index):
    page = discover(index, ["<script>alert(1)</script>", "cooking"])._repr_html_()
    assert page.startswith("<table>")
    assert "<b>&lt;script&gt;alert(1)&lt;/script&gt;</b>" in page
    assert "<script" not in page
    assert "recipe" in page


@pytest.mark.parametrize("library", ["pandas", "polars"])
def test_topics_as_a_data_frame_have_a_row_a_term(topics, library):
    frame = topics.to_dataframe(library)
    assert type(frame).__module__.startswith(library)
    assert list(frame.columns) == next(csv.reader(io.StringIO(topics.to_csv())))
    assert list(frame["term"]) == [term for topic in topics for term in topic]
    assert list(frame["score"]) == [ranked.score for topic in topics for ranked in topic.terms]


@pytest.mark.parametrize("library", ["pandas", "polars"])
def test_a_rank_that_is_missing_leaves_the_others_whole_numbers(topics, library):
    one, *others = topics[0].terms
    unranked = replace(topics[0], terms=(replace(one, ranks={"general": None}), *others))
    ranks = replace(topics, topics=(unranked,)).to_dataframe(library)["general_rank"]
    assert "int64" in str(ranks.dtype).lower()
    assert ranks.to_list()[1:] == [ranked.ranks["general"] for ranked in others]


@pytest.mark.parametrize("library", ["pandas", "polars"])
def test_a_missing_library_is_named_with_what_to_install(topics, library, monkeypatch):
    monkeypatch.setitem(sys.modules, library, None)
    with pytest.raises(MissingExtra, match=rf'pip install "seetopic\[{library}\]"'):
        topics.to_dataframe(library)


def test_another_library_is_refused(topics):
    with pytest.raises(SettingsError, match="`library` is 'dplyr'"):
        topics.to_dataframe("dplyr")


scalars = st.none() | st.booleans() | st.integers() | st.floats() | st.text()
values = scalars | st.lists(scalars, max_size=3) | st.dictionaries(st.text(), scalars, max_size=3)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=st.data())
def test_any_topics_file_loads_as_topics_that_can_be_shown_or_is_refused(topics, tmp_path, data):
    value = topics.to_json()
    topic = data.draw(st.sampled_from(value["topics"]))
    part = data.draw(st.sampled_from([value, topic, topic["terms"][0]]))
    part[data.draw(st.sampled_from(sorted(part)))] = data.draw(values)
    (tmp_path / "topics.json").write_text(json.dumps(value))
    with suppress(OutputError):  # anything else is a bug
        loaded = Topics.load(tmp_path)
        assert len(str(loaded) + loaded._repr_html_() + loaded.to_csv()) > 0
        loaded.to_dataframe()


@pytest.mark.parametrize("text", ["", "[]", "3", "{", "[" * 100_000, '{"topics": [], "made_with": 3}', "\udcff"])
def test_what_are_no_topics_is_refused(tmp_path, text):
    (tmp_path / "topics.json").write_bytes(text.encode("utf-8", "surrogateescape"))
    with pytest.raises(OutputError, match="cannot be read as topics"):
        Topics.load(tmp_path)


def test_a_pipe_in_place_of_the_file_is_not_waited_for(tmp_path):
    os.mkfifo(tmp_path / "topics.json")
    with pytest.raises(OutputError, match="cannot be read as topics"):
        Topics.load(tmp_path)


def test_a_name_that_occurs_stands_first_in_its_topic(index):
    topics = discover(index, ["garlic", "comet", "referee"])
    assert [next(iter(topic)) for topic in topics] == ["garlic", "comet", "referee"]


def test_the_order_of_names_changes_nothing(index):
    straight = discover(index, NAMES)
    turned = discover(index, NAMES[::-1])
    assert [list(topic) for topic in turned][::-1] == [list(topic) for topic in straight]


@pytest.mark.slow
def test_pinned_terms_are_first_and_negative_ones_and_their_inflections_never_there(tmp_path, cache):
    more = [f"{text} planets, planet, stars." for text in planted_documents(60)]
    index = Index.build(more, tmp_path / "index", cache=cache, n_jobs=1)
    wishes = {
        "outer space": {"pinned": ["window", "unheard-of"], "negative": ["planet"]},
        "cooking": {"names": ["cooking", "meals"], "negative": ["bread"]},
    }
    space, cooking = discover(index, wishes)
    assert next(iter(space)) == "window"
    assert not {"planet", "planets"} & set(space)
    assert "bread" not in set(cooking)
    assert "window" not in set(cooking)
    assert any("unheard-of" in sentence for sentence in space.warnings)


@pytest.mark.parametrize("negative", ["garlic", "Garlic", "garl*"])
def test_a_negative_term_that_is_also_a_name_gives_the_meaning_but_is_not_listed(index, negative):
    cooking, space = discover(index, {"garlic": {"negative": [negative]}, "comet": None})
    assert "garlic" not in list(cooking)
    assert set(cooking) <= set(KINDS[1])
    assert next(iter(space)) == "comet"


def test_a_name_that_means_nothing_here_is_flagged(index):
    topics = discover(index, ["cooking and food", "sports", "zqxj vbnm"])
    sure, _, unsure = (topic.confidence for topic in topics)
    assert unsure < 0.4 < sure
    assert any("low confidence" in sentence for sentence in topics[2].warnings)


@pytest.mark.slow
def test_without_a_sample_documents_are_told_apart_by_their_terms(tmp_path, cache):
    unread = replace(DEFAULT.index, sample=SampleSettings(words=3000), precision="float32")
    ready = Index.build(planted_documents(), tmp_path / "index", settings=unread, cache=cache, n_jobs=1)
    vectors = dict(zip(ready.vocabulary.terms, ready.general, strict=True))
    names = ready.encode_names(NAMES)
    vectors.update(zip(NAMES, names, strict=True))
    index = Index.build(planted_documents(), tmp_path / "ready", embedding_model=vectors, n_jobs=1)
    assert not index.sample.was_read
    for topic, words in zip(discover(index, NAMES), PLANTED.values(), strict=True):
        assert set(list(topic)[:6]) <= set(words.split(" "))
        assert topic.terms[0].ranks["documents"] is not None


@pytest.mark.parametrize("number", ["NaN", "Infinity", "1e30", "1" + "0" * 400, "-1e300", "true"])
@pytest.mark.parametrize("fact", ["score", "confidence"])
def test_what_is_no_score_is_refused(topics, tmp_path, fact, number):
    saved = topics.to_json()
    (saved["topics"][0] if fact == "confidence" else saved["topics"][0]["terms"][0])[fact] = "HERE"
    (tmp_path / "topics.json").write_text(json.dumps(saved).replace('"HERE"', number))
    with pytest.raises(OutputError, match="cannot be read as topics"):
        Topics.load(tmp_path)


def test_a_description_says_what_a_name_means_and_does_not_become_a_term(index):
    """ "zzyx" means nothing to the language model; "planets" is no term of the documents, "telescope" is one."""
    described = {NAMES[0]: {}, NAMES[1]: {}, "zzyx": {"description": "planets, stars and a telescope"}}
    own = set(PLANTED["astronomy"].split(" "))
    found = discover(index, described)["zzyx"]
    assert len(own & {term.term for term in found.terms}) >= 8
    without = discover(index, [*NAMES[:2], "zzyx"])["zzyx"]
    assert found.confidence > without.confidence
    assert not found.in_vocabulary
