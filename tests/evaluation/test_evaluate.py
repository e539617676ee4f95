"""The whole evaluation of a corpus with planted topics, from files, tables and indexes."""

from __future__ import annotations

import json
import math
import subprocess
import sys
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from planted import PLANTED, planted_documents
from seetopic import Index, RankedTerm, Topic, Topics, discover, sorter_for
from seetopic.cli.verdicts import print_evaluation
from seetopic.corpus.documents import Documents
from seetopic.corpus.opening import open_documents
from seetopic.errors import CorpusError, SettingsError
from seetopic.evaluation.evaluate import EvaluationOptions, evaluate, evaluate_all, evaluate_folder, terms_of
from seetopic.evaluation.held_out import IndexedTexts
from seetopic.evaluation.labels import labels_of, own_labels
from seetopic.evaluation.levels import labelled_tree
from seetopic.settings import DEFAULT

LABELS = [list(PLANTED)[number % 3] for number in range(60)]
TEXTS = planted_documents(60, seed=1)
WORDS = {name: words.split(" ") for name, words in PLANTED.items()}


def topics_of(terms: dict[str, list[str]], **made_with: object) -> Topics:
    return Topics(
        tuple(
            Topic(name, (name,), True, tuple(RankedTerm(term, 1.0, 1, {}) for term in each))
            for name, each in terms.items()
        ),
        made_with,
    )


PLANTED_TOPICS = topics_of(WORDS)


def write_lines(path, texts, labels):
    lines = [json.dumps({"text": text, "label": label}) for text, label in zip(texts, labels, strict=True)]
    path.write_text("\n".join(lines), encoding="utf-8")
    return path


def test_planted_topics_are_near_perfect_and_random_ones_are_not(tmp_path):
    path = write_lines(tmp_path / "held_out.jsonl", TEXTS, LABELS)
    found = evaluate(PLANTED_TOPICS, path, label_field="label", n_jobs=1).to_json()
    assert found["documents"] == found["labelled_documents"] == 60
    assert found["label_precision@10"] == found["label_f1@10"] == found["coverage@10"] == found["diversity"] == 1.0
    assert found["names_without_label"] == []
    assert found["npmi"] > 0.3 > found["control"]["npmi"]
    assert found["c_v"] > 0.8 > found["control"]["c_v"]
    assert found["terms_never_seen"] == 0.0
    assert "label_f1@50" not in found
    assert "macro_f1" not in found
    assert [topic["name"] for topic in found["topics"]] == list(PLANTED)
    assert list(found["topics"][0]["terms"]) == WORDS["sport"][:10]
    assert found["topics"][0]["terms"]["football"] == sum("football" in text for text in TEXTS)
    assert set(found["control"]) == set(found["topics"][0]) - {"name", "terms", "label_precision@10", "label_f1@10"}


def test_overall_figures_are_means_of_the_topics(tmp_path):
    found = evaluate(PLANTED_TOPICS, TEXTS, n_jobs=1)
    for name in ("npmi", "lcp", "pmi", "c_v", "u_mass", "npmi_unsmoothed", "pairs_never_together"):
        assert found.figures[name] == pytest.approx(np.mean([topic.figures[name] for topic in found.topics]))
    counts = [count for topic in found.topics for count in topic.documents.values()]
    assert found.figures["median_document_frequency"] == np.median(counts)


@pytest.mark.slow
def test_any_number_of_jobs_gives_the_same_bytes(tmp_path):
    path = write_lines(tmp_path / "held_out.jsonl", TEXTS * 40, LABELS * 40)  # two shards
    one, two = (
        json.dumps(evaluate(PLANTED_TOPICS, path, label_field="label", n_jobs=jobs).to_json()) for jobs in (1, 2)
    )
    assert one == two


def test_the_control_comes_from_the_random_state_alone():
    options = [EvaluationOptions(random_state=state, draws=2) for state in (1, 1, 2)]
    controls = [evaluate(PLANTED_TOPICS, TEXTS, options=each, n_jobs=1).control for each in options]
    assert controls[0] == controls[1] != controls[2]


def test_rare_terms_without_meaning_score_high_by_the_papers_measure_and_so_does_their_control():
    chance = np.random.default_rng(0)
    texts = [" ".join(f"word{n}" for n in chance.integers(0, 4000, 8)) for _ in range(400)]
    seen = list(dict.fromkeys(word for text in texts for word in text.split()))
    found = evaluate(topics_of({"a": seen[::97][:10], "b": seen[5::97][:10]}), texts, n_jobs=1)
    assert found.figures["npmi"] > 0.5
    assert found.control["npmi"] > 0.5
    assert found.figures["pairs_never_together"] > 0.8
    assert found.figures["npmi_unsmoothed"] < -0.5


def test_topics_of_fewer_terms_are_measured_as_deep_as_they_are():
    few = topics_of({name: words[:3] for name, words in WORDS.items()})
    found = evaluate(few, Documents(TEXTS, labels=LABELS), n_jobs=1).to_json()
    assert "label_precision@3" in found
    assert "label_f1@10" not in found


def test_a_topic_without_two_terms_has_no_coherence_and_does_not_count():
    found = evaluate(topics_of({"sport": WORDS["sport"], "food": [], "astronomy": ["planet"]}), TEXTS, n_jobs=1)
    plain = found.to_json()
    assert plain["topics"][1]["npmi"] is None
    assert plain["topics"][2]["c_v"] is None
    assert plain["npmi"] == plain["topics"][0]["npmi"]
    json.dumps(plain, allow_nan=False)


def test_embedding_coherence_takes_a_row_for_each_term():
    vectors = np.eye(36)
    found = evaluate(PLANTED_TOPICS, TEXTS, vectors=vectors, n_jobs=1)
    assert found.figures["embedding_coherence"] == 0.0
    assert len(terms_of(PLANTED_TOPICS)) == 36
    with pytest.raises(SettingsError, match="one row for each of the 36 terms"):
        evaluate(PLANTED_TOPICS, TEXTS, vectors=vectors[:5])


def test_the_sorter_is_measured_as_it_sorts(index):
    sorter = sorter_for(index, list(PLANTED))
    found = evaluate(PLANTED_TOPICS, Documents(TEXTS, labels=LABELS), sorter=sorter, n_jobs=1)
    given = [each.categories for each in sorter.assign(TEXTS)]
    expected = []
    for number, name in enumerate(PLANTED):
        guessed, has = [each == (number,) for each in given], [label == name for label in LABELS]
        expected.append(2 * sum(a and b for a, b in zip(guessed, has, strict=True)) / (sum(guessed) + sum(has)))
    assert found.figures["macro_f1"] == pytest.approx(np.mean(expected))


def test_another_topics_sorter_is_refused(index):
    with pytest.raises(SettingsError, match="saved with the topics"):
        evaluate(topics_of({"x": ["a"]}), TEXTS, sorter=sorter_for(index, list(PLANTED)))


def test_an_index_is_counted_through_its_postings(index, documents):
    by_index = evaluate(PLANTED_TOPICS, index.folder)
    by_texts = evaluate(PLANTED_TOPICS, documents, n_jobs=1)
    assert by_index.n_documents == by_texts.n_documents
    for name in ("npmi", "lcp", "pmi", "npmi_unsmoothed", "u_mass", "c_v", "median_document_frequency"):
        # The planted documents are shorter than a window, and their words do not form phrases.
        assert by_index.figures[name] == pytest.approx(by_texts.figures[name], abs=1e-12)
    assert by_index.control["npmi"] < by_index.figures["npmi"]
    with pytest.raises(SettingsError, match="the index has no column 'label'"):
        evaluate(PLANTED_TOPICS, index, label_field="label")


def test_labels_of_an_index_are_a_column_that_it_keeps(tmp_path, index):
    path = write_lines(tmp_path / "held_out.jsonl", TEXTS, [*LABELS[:58], None, [LABELS[59], "other"]])
    kept = Index.build(path, tmp_path / "kept", keep="label", n_jobs=1)
    given = {"label_field": "label", "sorter": sorter_for(index, list(PLANTED)), "n_jobs": 1}
    by_index, by_texts = (evaluate(PLANTED_TOPICS, source, **given) for source in (kept, path))
    assert by_index.n_labelled == by_texts.n_labelled == 59
    for name in ("label_precision@10", "label_f1@10", "macro_f1"):
        assert by_index.figures[name] == by_texts.figures[name]


def test_labels_come_from_every_kind_of_table(tmp_path):
    frame = pd.DataFrame({"text": TEXTS, "kind": LABELS})
    frame.to_csv(tmp_path / "held_out.csv", index=False)
    frame.to_csv(tmp_path / "held_out.tsv", index=False, sep="\t")
    frame.to_parquet(tmp_path / "held_out.parquet")
    for source in (frame, *(tmp_path / f"held_out.{ending}" for ending in ("csv", "tsv", "parquet"))):
        found = evaluate(PLANTED_TOPICS, source, label_field="kind", n_jobs=1)
        assert found.figures["label_f1@10"] == 1.0


def test_documents_without_label_count_for_coherence_alone():
    labels = [label if number >= 9 else None for number, label in enumerate(LABELS)]
    found = evaluate(PLANTED_TOPICS, Documents(TEXTS, labels=labels), n_jobs=1)
    assert (found.n_documents, found.n_labelled) == (60, 51)
    assert found.figures["label_f1@10"] == 1.0


def test_several_labels_and_other_types_of_them(tmp_path):
    path = write_lines(tmp_path / "several.jsonl", ["a b", "b c", "c", "d"], [["x", " y "], 7, None, ["", "x", "x"]])
    labels: list[tuple[str, ...]] = []
    list(open_documents(path, label_field="label").texts(None, labels))
    assert labels == [("x", "y"), ("7",), (), ("x",)]


def test_labels_stay_with_their_texts_where_records_are_left_out(tmp_path):
    path = write_lines(tmp_path / "gaps.jsonl", ["one", "", None, 5, "two"], ["a", "b", "c", "d", "e"])
    labels: list[tuple[str, ...]] = []
    documents = open_documents(path, label_field="label", on_error="skip")
    assert list(documents.texts(None, labels)) == ["one", "two"]
    assert labels == [("a",), ("e",)]


def test_what_was_left_out_is_said(tmp_path):
    path = write_lines(tmp_path / "gaps.jsonl", [*TEXTS, "", 5], [*LABELS, "b", "c"])
    found = evaluate(PLANTED_TOPICS, path, label_field="label", on_error="skip", n_jobs=1)
    assert found.to_json()["skipped"] == {"empty": 1, "not text": 1}


@pytest.mark.parametrize(
    ("label", "sentence"),
    [({"a": 1}, "a label of type dict"), ([["a"]], "a label of type list")],
)
def test_a_label_that_is_no_text_is_refused(tmp_path, label, sentence):
    path = write_lines(tmp_path / "odd.jsonl", ["one"], [label])
    with pytest.raises(CorpusError, match=sentence):
        evaluate(PLANTED_TOPICS, path, label_field="label", n_jobs=1)


def test_a_field_that_nobody_has_is_named(tmp_path):
    path = write_lines(tmp_path / "held_out.jsonl", TEXTS, LABELS)
    with pytest.raises(
        CorpusError, match=r"no document in held_out.jsonl has a label in the field 'class' \(its fields: text, label\)"
    ):
        evaluate(PLANTED_TOPICS, path, label_field="class", n_jobs=1)
    (tmp_path / "held_out.csv").write_text("text,label\na,b\n", encoding="utf-8")
    with pytest.raises(CorpusError, match=r"no column 'class'.*--label-field"):
        evaluate(PLANTED_TOPICS, tmp_path / "held_out.csv", label_field="class", n_jobs=1)
    (tmp_path / "held_out.txt").write_text("a\nb\n", encoding="utf-8")
    with pytest.raises(CorpusError, match="plain text, so it has no field 'class'"):
        evaluate(PLANTED_TOPICS, tmp_path / "held_out.txt", label_field="class", n_jobs=1)
    with pytest.raises(CorpusError, match="plain strings, so they have no field"):
        evaluate(PLANTED_TOPICS, TEXTS, label_field="class", n_jobs=1)


@pytest.mark.parametrize("size", [59, 61])
def test_labels_must_be_as_many_as_documents(size):
    with pytest.raises(CorpusError, match="labels"):
        evaluate(PLANTED_TOPICS, Documents(TEXTS, labels=(LABELS * 2)[:size]), n_jobs=1)


def test_names_without_label_are_told_and_left_out():
    topics = topics_of({**WORDS, "weather": ["rain", "snow"]})
    found = evaluate(topics, Documents(TEXTS, labels=LABELS), n_jobs=1)
    assert found.names_without_label == ("weather",)
    assert found.figures["label_f1@10"] == 1.0
    assert math.isnan(found.topics[3].figures["label_precision@10"])


def test_every_level_of_a_tree_is_shown_with_names_without_label_and_what_was_left_out(tmp_path, capsys):
    path = write_lines(tmp_path / "held_out.jsonl", [*TEXTS, ""], [*LABELS, "sport"])
    topics = topics_of({"life": ["day"], **WORDS, "weather": ["rain", "snow"]})
    below = (replace(each, path=("life", each.name)) for each in list(topics)[1:])
    tree = Topics((topics[0], *below), {})
    print_evaluation(evaluate(tree, path, label_field="label", n_jobs=1))
    shown = " ".join(capsys.readouterr().out.replace("┃", "").split())
    assert "level topics" in shown
    assert "no document has the label life > weather" in shown
    assert "left out: 1 empty" in shown


def test_documents_without_a_label_say_nothing_about_labels_in_a_tree(tmp_path):
    below = (replace(each, path=("life", each.name)) for each in PLANTED_TOPICS)
    tree = Topics((*topics_of({"life": ["day"]}), *below), {})
    sorter = sorter_for(Index.build(TEXTS, tmp_path / "index", n_jobs=1), {"life": {"children": list(WORDS)}})
    few = [label if number % 4 else None for number, label in enumerate(LABELS)]
    known = [number for number, label in enumerate(few) if label]
    some = Documents([TEXTS[number] for number in known], labels=[few[number] for number in known])
    whole, part = (
        evaluate(tree, documents, sorter=sorter, n_jobs=1) for documents in (Documents(TEXTS, labels=few), some)
    )
    assert (whole.n_documents, whole.n_labelled, part.n_documents) == (60, 45, 45)
    assert whole.levels == part.levels
    names = {*part.levels[-1], "exact_path", "hierarchical_f1"} - {"topics"}
    assert {name: whole.figures[name] for name in names} == {name: part.figures[name] for name in names}


def test_the_sorter_of_a_folder_is_measured_on_labels_from_anywhere(tmp_path):
    index = Index.build(TEXTS, tmp_path / "index", n_jobs=1)
    discover(index, list(WORDS)).save(tmp_path / "topics")
    sorter_for(index, list(WORDS)).save(tmp_path / "topics")
    table = pd.DataFrame({"text": TEXTS, "label": LABELS})
    given = open_documents(table, label_field="label")
    in_memory, by_name = (
        evaluate_folder(tmp_path / "topics", documents, label_field=field, n_jobs=1)
        for documents, field in ((given, None), (table, "label"))
    )
    assert in_memory.figures["macro_f1"] == by_name.figures["macro_f1"] > 0.9


def test_in_a_tree_a_label_in_the_same_case_comes_first_as_without_one():
    labels = labels_of([("Sport",), ("sport",), ("MEDIA>TV",), ("books",), ("BOOKS",)])
    paths = [("Sport",), ("media",), ("media", "tv"), ("media", "Books")]
    own = labelled_tree(paths, labels).own.tolist()
    assert [labels.names[number] if number >= 0 else None for number in own] == ["Sport", None, "MEDIA>TV", "BOOKS"]
    assert own_labels(["Sport", "Books"], labels.names).tolist() == [own[0], own[3]]


def test_all_measures_fit_a_terminal_with_whole_words_in_the_head(monkeypatch, capsys):
    monkeypatch.setenv("COLUMNS", "80")
    topics = topics_of({f"{name} and everything about it": words for name, words in WORDS.items()})
    print_evaluation(evaluate(topics, Documents(TEXTS, labels=[f"{each} and everything about it" for each in LABELS])))
    shown = capsys.readouterr().out
    head = shown[shown.index("┃ category") - 320 : shown.index("┃ category") + 80].replace("┃", " ").split()
    assert {"label", "precision@10", "f1@10", "npmi", "unsmoothed", "median", "document", "frequency", "c_v"} <= {*head}


def test_case_counts_where_the_topics_were_made_with_it():
    settings = {"index": {"text": {"lowercase": False}}}
    topics = {"a": ["Turkey", "turkey"]}
    cased = evaluate(topics_of(topics, settings=settings), ["Turkey", "turkey", "turkey"], n_jobs=1)
    assert cased.topics[0].documents == {"Turkey": 1, "turkey": 2}
    plain = evaluate(topics_of(topics), ["Turkey", "turkey", "turkey"], n_jobs=1)
    assert plain.topics[0].documents == {"Turkey": 0, "turkey": 3}


@pytest.mark.parametrize("texts", [["..."], ["word"], ["planet"], ["planet comet"]])
def test_the_smallest_corpora_are_measured(texts):
    json.dumps(evaluate(PLANTED_TOPICS, texts, n_jobs=1).to_json(), allow_nan=False)


def test_several_methods_are_measured_as_each_alone_is():
    other = topics_of({name: words[::-1] for name, words in WORDS.items()})
    documents = Documents(TEXTS, labels=LABELS)
    together = evaluate_all([PLANTED_TOPICS, other], documents, n_jobs=1)
    assert together == [evaluate(topics, documents, n_jobs=1) for topics in (PLANTED_TOPICS, other)]
    cased = topics_of(WORDS, settings={"index": {"text": {"lowercase": False}}})
    with pytest.raises(SettingsError, match="one by one"):
        evaluate_all([PLANTED_TOPICS, cased], documents)


def test_texts_are_cut_by_the_given_tokenizer():
    found = evaluate(topics_of({"a": ["b", "c"]}), ["b/c", "b"], tokenizer=lambda text: text.split("/"), n_jobs=1)
    assert found.topics[0].documents == {"b": 2, "c": 1}


def test_topics_without_terms_and_odd_options_are_refused():
    with pytest.raises(SettingsError, match="no terms"):
        evaluate(topics_of({"a": []}), TEXTS)
    with pytest.raises(SettingsError, match="`top` is 1"):
        EvaluationOptions(top=1)
    with pytest.raises(SettingsError, match="`depths`"):
        EvaluationOptions(depths=(0,))


@pytest.mark.slow
def test_evaluating_reads_in_no_language_model():
    program = "import sys, seetopic.evaluation.evaluate; print({'torch', 'transformers'} & set(sys.modules))"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "set()"


@pytest.mark.parametrize("how", ["texts", "index"])
def test_a_document_that_holds_a_variant_holds_its_term(how, tmp_path, cache):
    texts = ["exercises, gym.", "exercise, gym.", "exercise, exercises.", "soup, bread.", "bread, gym."]
    terms = (RankedTerm("exercise", 1.0, 2, {}, ("exercises", "gym")), RankedTerm("gym", 0.5, 3, {}))
    topics = Topics((Topic("fitness", ("fitness",), False, terms),), {})
    documents = texts
    if how == "index":
        settings = replace(DEFAULT.index, text=replace(DEFAULT.index.text, min_count=1, max_phrase_words=1))
        documents = Index.build(texts, tmp_path / "index", settings=settings, cache=cache, n_jobs=1)
    found = evaluate(topics, documents, options=EvaluationOptions(draws=0), n_jobs=1)
    # "gym" is a term itself, so it is not a variant of another.
    assert found.topics[0].documents == {"exercise": 3, "gym": 3}
    assert found.figures["pmi"] == pytest.approx(math.log((2 / 5 + 1 / 5) / ((3 / 5 + 1 / 5) * (3 / 5 + 1 / 5))))


def test_methods_with_shorter_topics_or_none_are_measured_to_the_same_depths():
    short = topics_of({name: words[:2] for name, words in WORDS.items()})
    nothing = topics_of({name: [] for name in WORDS})
    found = evaluate_all([PLANTED_TOPICS, short, nothing], Documents(TEXTS, labels=LABELS), n_jobs=1)
    assert [each.figures["label_precision@10"] for each in found] == [1.0, 1.0, 0.0]
    assert found[2].figures["label_f1@10"] == 0.0
    json.dumps([each.to_json() for each in found], allow_nan=False)


def test_a_name_that_was_made_a_term_is_counted_in_the_index_that_it_was_found_in(tmp_path, cache):
    texts = [*["golden retriever and puppy"] * 2, *["puppy in a basket"] * 10, *["golden basket"] * 10] * 2
    text = replace(DEFAULT.index.text, max_phrase_words=1)
    options = {"settings": replace(DEFAULT.index, text=text), "cache": cache, "n_jobs": 1}
    index = Index.build(texts, tmp_path / "index", **options)
    assert index.term_id("golden retriever") is None
    found = IndexedTexts(index).count(["golden retriever", "puppy", "never seen"], [[0, 1, 2]], window=3)
    assert found.holds.sum(axis=0).tolist() == [4, 24, 0]
    (together,), (in_windows,) = found.documents, found.windows
    assert together.together.tolist() == [[4, 4, 0], [4, 24, 0], [0, 0, 0]]
    assert in_windows.together.tolist() == [[4, 4, 0], [4, 24, 0], [0, 0, 0]]  # no document has more than three terms
    assert (
        evaluate(topics_of({"dogs": ["golden retriever", "puppy"]}), index).figures["median_document_frequency"] == 14
    )
