"""Exports: each format can be read by its intended reader, whatever names and terms contain."""

from __future__ import annotations

import csv
import io
import json
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace

import liwc
import pandas as pd
import pytest
import yaml
from hypothesis import assume, given
from hypothesis import strategies as st

from seetopic import RankedTerm, Topic, Topics, export
from seetopic.corpus import read_seeds
from seetopic.errors import OutputError, SettingsError
from seetopic.output.exports import FORMATS, doubts, format_of
from seetopic.output.exports.dictionary import one_line
from seetopic.runtime.spreadsheets import unguarded

ODD_NAMES = [
    "health & personal care",
    "50 % off: #1 \"deals\" 'now'",
    "tab\tand\nline",
    "%",
    "- list",
    "=1+1",
    "no",
    "emoji 🏀",
    "رياضة",
    "<script>alert(1)</script>",
    '"""\nimport os',
    "{name} \\ || \u202e",
    "体育",
]


def ranked(term: str, *variants: str, score: float = 0.5) -> RankedTerm:
    return RankedTerm(term, score, 7, {"general": 1}, variants)


def topics_of(lists: dict[str, list[str] | list[RankedTerm]], **about) -> Topics:
    topics = tuple(
        Topic(name, (name,), False, tuple(each if isinstance(each, RankedTerm) else ranked(each) for each in terms))
        for name, terms in lists.items()
    )
    return Topics(topics, about)


CANCER = [ranked("tumor", "tumors", "tumour"), ranked("breast cancer", "breast cancers"), ranked("follow-up study")]
TOPICS = topics_of({"neoplasms & tumours": CANCER, "games": ["goalkeeper", "mother's day"], "nothing": []})
ODD = topics_of({name: [f"term{number}", f"two words {number}"] for number, name in enumerate(ODD_NAMES)})
FORMS = {
    "neoplasms & tumours": ["tumor", "tumors", "tumour", "breast cancer", "breast cancers", "follow-up study"],
    "games": ["goalkeeper", "mother's day"],
    "nothing": [],
}

NAMES = st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=12).filter(one_line)
# What an index can contain: words of letters and digits with marks inside, separated by single spaces.
WORDS = st.from_regex(r"[^\W_]{1,4}([-'&][^\W_]{1,4}){0,2}", fullmatch=True)
TERMS = st.lists(WORDS, min_size=1, max_size=3).map(" ".join)
# What a custom tokenizer can return: anything but whitespace; wildcards are rejected, see below.
ODD_TERMS = NAMES.map(lambda text: one_line(text.replace("*", "").replace("?", ""))).filter(bool)


def dictionaries(terms: st.SearchStrategy[str]) -> st.SearchStrategy[dict[str, list[str]]]:
    lists = st.dictionaries(NAMES, st.lists(terms, max_size=3, unique=True), min_size=1, max_size=4)
    return lists.filter(lambda given: len({one_line(name) for name in given}) == len(given))


DICTIONARIES = dictionaries(TERMS | ODD_TERMS)


# JSON and CSV


def test_json_is_each_name_with_its_words():
    assert json.loads(export(TOPICS, "json")) == FORMS


@given(DICTIONARIES)
def test_any_names_and_terms_come_back_from_json(lists):
    assert json.loads(export(topics_of(lists), "json")) == lists


def test_the_table_has_a_row_for_each_form():
    rows = pd.read_csv(io.StringIO(export(TOPICS, "csv")))
    assert list(rows.columns) == ["category", "confidence", "rank", "term", "form", "score", "documents"]
    assert list(rows.form) == [form for forms in FORMS.values() for form in forms]
    assert list(rows.term[:3]) == ["tumor"] * 3
    assert list(rows["rank"]) == [1, 1, 1, 2, 2, 3, 1, 2]
    assert set(rows.score) == {0.5}
    assert set(rows.documents) == {7}


@given(DICTIONARIES)
def test_any_names_and_terms_come_back_from_the_table(lists):
    text = export(topics_of(lists), "csv")
    rows = list(csv.DictReader(io.StringIO(text, newline="")))
    found = [(unguarded(row["category"]), unguarded(row["form"])) for row in rows]
    assert found == [(name, form) for name, forms in lists.items() for form in forms]
    table = pd.read_csv(io.StringIO(text, newline=""), keep_default_na=False, dtype=str)
    assert list(table.form) == [row["form"] for row in rows]


@pytest.mark.parametrize("mark", "=+-@")
def test_no_cell_of_the_table_is_a_formula(mark):
    rows = csv.DictReader(io.StringIO(export(topics_of({f"{mark}1+1": [f"{mark}cmd"]}), "csv")))
    assert [(row["category"], row["form"]) for row in rows] == [(f"'{mark}1+1", f"'{mark}cmd")]


# LIWC


def liwc_of(topics: Topics, folder: Path, **options):
    path = folder / "topics.dic"
    export(topics, "liwc", path, **options)
    return liwc.load_token_parser(path)


def test_a_liwc_reader_finds_words_variants_and_phrases(tmp_path):
    parse, names = liwc_of(TOPICS, tmp_path)
    assert names == list(FORMS)
    for name, forms in FORMS.items():
        assert all(list(parse(form)) == [name] for form in forms)
    assert list(parse("tumo")) == list(parse("tumorous")) == []


def test_a_word_of_two_categories_has_both_in_liwc(tmp_path):
    parse, _ = liwc_of(topics_of({"one": ["ball", "bat"], "two": ["ball"]}), tmp_path)
    assert list(parse("ball")) == ["one", "two"]


def test_our_own_reader_takes_the_liwc_file_as_names(tmp_path):
    export(TOPICS, "liwc", tmp_path / "topics.dic")
    seeds = read_seeds(tmp_path / "topics.dic")
    assert {seed.name: list(seed.names) for seed in seeds.seeds} == {**FORMS, "nothing": ["nothing"]}


@pytest.mark.parametrize("name", ODD_NAMES)
def test_a_liwc_file_holds_any_name_on_one_line(name, tmp_path):
    parse, names = liwc_of(topics_of({name: ["ball"], "other": ["bat"]}), tmp_path)
    assert names == [" ".join(name.split()), "other"]
    assert list(parse("ball")) == names[:1]


@given(lists=DICTIONARIES)
def test_any_names_and_terms_come_back_from_liwc(tmp_path_factory, lists):
    assume("$" not in str(lists))  # the package liwc treats this as the end of a word
    parse, names = liwc_of(topics_of(lists), tmp_path_factory.mktemp("liwc"))
    assert names == [one_line(name) for name in lists]
    for form in {form for forms in lists.values() for form in forms}:
        assert list(parse(form)) == [one_line(name) for name, forms in lists.items() if form in forms]


@pytest.mark.parametrize(("kind", "term"), [("liwc", "f*ck"), ("quanteda", "f*ck"), ("quanteda", "what?")])
def test_a_term_with_a_wildcard_is_refused_in_one_sentence(kind, term, tmp_path):
    with pytest.raises(OutputError, match=r"of 'swearing' contains '[*?]', which .* choose another format, or make it"):
        export(topics_of({"swearing": ["damn", term]}), kind, tmp_path / "out")
    assert not list(tmp_path.iterdir())


# quanteda


def test_quanteda_gets_each_name_with_its_words():
    assert yaml.safe_load(export(TOPICS, "quanteda")) == FORMS


def test_our_own_reader_takes_the_yaml_file_as_names(tmp_path):
    export(TOPICS, "quanteda", tmp_path / "topics.yml")
    seeds = read_seeds(tmp_path / "topics.yml")
    assert {seed.name: list(seed.names) for seed in seeds.seeds} == {
        name: [name, *FORMS.get(name, [])] for name in [*FORMS, "nothing"]
    }


def test_every_text_of_the_yaml_is_in_quotes():
    # R's reader misreads unquoted `y`, `no` and `1e3`, and PyYAML would not quote `y`.
    text = export(topics_of({"no": ["y", "n", "1e3", "null", "2020-01-01"]}), "quanteda")
    assert text == '"no":\n- "y"\n- "n"\n- "1e3"\n- "null"\n- "2020-01-01"\n'


@given(DICTIONARIES)
def test_any_names_and_terms_come_back_from_yaml(lists):
    assert yaml.safe_load(export(topics_of(lists), "quanteda")) == lists


# Labelling functions


def module_of(topics: Topics, **options) -> SimpleNamespace:
    source = export(topics, "snorkel", **options)
    found: dict[str, object] = {"__name__": "labels"}
    exec(compile(source, "labels.py", "exec"), found)
    return SimpleNamespace(**found)


def test_a_labelling_function_votes_for_its_category_or_abstains():
    labels = module_of(TOPICS)
    votes = {text: [int(function(SimpleNamespace(text=text))) for function in labels.LFS] for text in VOTES}
    assert votes == VOTES
    assert {name: number for number, name in enumerate(FORMS)} == labels.LABELS
    assert [function(SimpleNamespace(text=float("nan"))) for function in labels.LFS] == [-1, -1, -1]


VOTES = {
    "The TUMOUR was small.": [0, -1, -1],
    "tumorous": [-1, -1, -1],
    "breast\n  cancer": [0, -1, -1],
    "breast_cancer": [0, -1, -1],
    "a follow-up study": [0, -1, -1],
    "Mother’s Day": [-1, 1, -1],
    "the goalkeeper's tumor": [0, 1, -1],
    "": [-1, -1, -1],
}


def test_labelling_functions_need_nothing_but_python(tmp_path):
    export(TOPICS, "snorkel", tmp_path / "labels.py")
    script = "import labels; print([f('Tumours? No tumor.') for f in labels.LFS], labels.lf_games.__name__)"
    command = [sys.executable, "-S", "-c", script]  # -S: no installed packages
    result = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=True)
    assert result.stdout == "[0, -1, -1] lf_games\n"


@pytest.mark.slow
def test_snorkel_applies_the_labelling_functions(tmp_path):
    export(TOPICS, "snorkel", tmp_path / "labels.py")
    script = (
        "import pandas, labels\n"
        "from snorkel.labeling import LabelingFunction, PandasLFApplier\n"
        "assert all(isinstance(each, LabelingFunction) for each in labels.LFS)\n"
        "texts = pandas.DataFrame({'text': ['Breast cancers', 'the goalkeeper', 'none']})\n"
        "print(PandasLFApplier(labels.LFS).apply(texts, progress_bar=False).tolist())\n"
    )
    result = subprocess.run([sys.executable, "-c", script], cwd=tmp_path, capture_output=True, text=True, check=True)
    assert result.stdout == "[[0, -1, -1], [-1, 1, -1], [-1, -1, -1]]\n"


def test_names_stand_in_the_module_as_literals_only():
    labels = module_of(ODD)
    assert list(labels.LABELS) == ODD_NAMES
    assert [function("term3") for function in labels.LFS] == [
        3 if number == 3 else -1 for number in range(len(ODD_NAMES))
    ]


def test_labelling_functions_of_odd_names_are_told_apart():
    lists = {
        "a b": ["x1"],
        "A-B!": ["x2"],
        "a b 1": ["x3"],
        "!?": ["x4"],
        "class": ["x5"],
        "ﬁne": ["x6"],
        "fine ": ["x7"],
    }
    functions = module_of(topics_of(lists)).LFS
    assert [function("x1 x2 x3 x4 x5 x6 x7") for function in functions] == list(range(7))
    names = [getattr(function, "name", getattr(function, "__name__", "")) for function in functions]
    assert names == ["lf_a_b", "lf_a_b_1", "lf_a_b_1_2", "lf_category_3", "lf_class", "lf_fine", "lf_fine_6"]


@given(DICTIONARIES)
def test_any_names_and_terms_make_labelling_functions_that_find_them(lists):
    labels = module_of(topics_of(lists))
    for number, forms in enumerate(lists.values()):
        for form in forms:
            assert labels.LFS[number](f"Now, {form}. ") == (number if form.strip("_ ") else -1)


def test_scripts_without_spaces_and_with_signs_are_matched_as_words():
    labels = module_of(topics_of({"illness": ["糖尿病", "ข้าว"], "work": ["कम"]}))
    assert labels.LFS[0]("他有糖尿病。") == labels.LFS[0]("กินข้าวแล้ว") == 0
    assert [labels.LFS[1](text) for text in ("कम है", "काम", "कमी")] == [1, -1, -1]


# The prompt


def test_the_prompt_lists_names_terms_and_a_place_for_the_document():
    text = export(TOPICS, "prompt")
    lines = text.splitlines()
    assert "1. neoplasms & tumours: tumor (tumors, tumour); breast cancer (breast cancers); follow-up study" in lines
    assert "3. nothing" in lines
    assert text.count("{document}") == 1


@given(DICTIONARIES)
def test_every_category_of_a_prompt_is_one_line(lists):
    assume("{document}" not in str(lists))
    lines = export(topics_of(lists), "prompt").splitlines()
    start = lines.index("") + 1
    expected = [f"{number}. {one_line(name)}" for number, name in enumerate(lists, start=1)]
    assert all(map(str.startswith, lines[start:], expected))
    assert lines[start + len(lists)] == ""


def test_a_name_that_looks_like_the_documents_place_is_refused():
    with pytest.raises(OutputError, match="marks the document's place"):
        export(topics_of({"a {document}": ["ball"]}), "prompt")


# All formats


@pytest.mark.parametrize("kind", FORMATS)
def test_variants_can_be_left_out(kind):
    with_them, without = export(TOPICS, kind), export(TOPICS, kind, variants=False)
    assert "breast cancers" in with_them or '"cancers"' in with_them
    assert "cancers" not in without
    assert "goalkeeper" in without


@pytest.mark.parametrize("kind", FORMATS)
def test_only_the_best_terms_are_taken_where_asked(kind):
    text = export(TOPICS, kind, top=1)
    assert "tumors" in text
    assert "cancer" not in text


@pytest.mark.parametrize("kind", FORMATS)
def test_the_same_topics_give_the_same_bytes_in_a_file_and_as_text(kind, tmp_path):
    text = export(ODD, kind, tmp_path / "deep" / "file")
    assert (tmp_path / "deep" / "file").read_bytes() == text.encode() == export(ODD, kind).encode()
    assert [path.name for path in (tmp_path / "deep").iterdir()] == ["file"]


def doubtful() -> Topics:
    first, second, third = topics_of({"sure": ["ball"], "unsure": ["bat"], "surer": ["net"]})
    confidences = (0.6, 0.2, 0.7)
    warned = [(), ("low confidence: read them with care",), ()]
    topics = tuple(
        Topic(each.name, each.names, False, each.terms, confidence, warnings)
        for each, confidence, warnings in zip((first, second, third), confidences, warned, strict=True)
    )
    return Topics(topics, {})


def test_unsure_topics_are_left_out_where_asked_and_the_others_keep_their_numbers(tmp_path):
    parse, names = liwc_of(doubtful(), tmp_path, min_confidence=0.5)
    assert names == ["sure", "surer"]
    assert list(parse("bat")) == []
    labels = module_of(doubtful(), min_confidence=0.5)
    assert labels.LABELS == {"sure": 0, "surer": 2}
    assert labels.CARDINALITY == 3
    assert "3. surer: net" in export(doubtful(), "prompt", min_confidence=0.5)


def test_doubts_are_told():
    assert doubts(doubtful()) == ["unsure: low confidence: read them with care"]
    assert doubts(doubtful(), 0.65) == ["left out because of a confidence below 0.65: sure and unsure"]


def test_doubts_about_many_topics_are_one_sentence():
    first, second, third = doubtful().topics
    alike = Topics((first, second, replace(third, warnings=second.warnings)), {})
    assert doubts(alike) == ["unsure and surer: low confidence: read them with care"]
    different = Topics((first, second, replace(third, warnings=("only 3 of 10 terms",))), {})
    assert doubts(different) == ["unsure and surer: see the `warnings` of these topics in topics.json"]


@pytest.mark.parametrize(
    ("topics", "options", "error", "sentence"),
    [
        (TOPICS, {"min_confidence": 1.5}, SettingsError, "`min_confidence` is 1.5, but must be between 0 and 1"),
        (doubtful(), {"min_confidence": 0.9}, SettingsError, "no topic has a confidence above 0.7; lower it"),
        (TOPICS, {"top": 0}, SettingsError, "`top` is 0, but must be at least 1"),
        (Topics((), {}), {}, OutputError, "there are no topics to export"),
        (topics_of({"a\tb": [], "a b": []}), {}, OutputError, r"names 'a\\tb' and 'a b' count as the same name"),
        (topics_of({"a": [" \n"]}), {}, OutputError, r"a term of 'a' is ' \\n', which is not usable text"),
        (topics_of({"a": ["\ud800"]}), {}, OutputError, r"a term of 'a' is '\\ud800', which is not valid Unicode"),
        (topics_of({"\0": []}), {}, OutputError, r"a category's name is '\\x00', which is not usable text"),
        (Topics((Topic(3, (), False, ()),), {}), {}, OutputError, "a category's name is 3"),
    ],
)
@pytest.mark.parametrize("kind", FORMATS)
def test_what_cannot_be_exported_is_said_in_one_sentence(kind, topics, options, error, sentence):
    with pytest.raises(error, match=sentence):
        export(topics, kind, **options)


def test_an_unknown_format_is_refused_with_those_there_are():
    with pytest.raises(SettingsError, match="no format 'xml'; choose one of csv, json, liwc, quanteda, spacy, snorkel"):
        export(TOPICS, "xml")


def test_the_ending_of_a_file_tells_its_format():
    for name, each in FORMATS.items():
        assert all(format_of(Path(f"topics{suffix.upper()}")) == name for suffix in each.suffixes)
    with pytest.raises(SettingsError, match="the extension of 'topics' does not match any export format"):
        format_of(Path("topics"))
