"""Comparison of methods: the split, the outcomes, the saved results, and the command."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest
from click.testing import CliRunner

from commands import run_here
from planted import PLANTED, planted_documents
from seetopic import as_seeds
from seetopic.cli import cli, evaluate
from seetopic.cli.verdicts import print_comparison
from seetopic.corpus.opening import open_documents
from seetopic.errors import CorpusError, MissingExtra, OutputError, SettingsError
from seetopic.evaluation import comparison
from seetopic.evaluation.comparison import CompareOptions, Comparison, Parts, compare, split
from seetopic.evaluation.methods import METHODS, Task, method_named

NAMES = list(PLANTED)
LABELS = [NAMES[number % len(NAMES)] for number in range(240)]


def labelled():
    return replace(open_documents(planted_documents()), labels=LABELS, title="planted")


@pytest.fixture(scope="module")
def compared(cache) -> Comparison:
    parts = split(labelled(), 0.4, random_state=0)
    return compare(parts, as_seeds(NAMES), ["default", "plm"], options=CompareOptions(runs=2, n_jobs=1, cache=cache))


def test_a_split_shares_no_document_and_keeps_labels_with_their_texts():
    documents = labelled()
    parts = split(documents, 0.25, random_state=3)
    labels: list[tuple[str, ...]] = []
    held_out = list(parts.held_out.texts(labels=labels))
    assert (len(parts.learned_from), len(held_out)) == (180, 60)
    label_of = dict(zip(planted_documents(), LABELS, strict=True))
    assert [(label_of[text],) for text in held_out] == labels
    assert sorted([*parts.learned_from, *held_out]) == sorted(planted_documents())


def test_the_same_random_state_splits_alike_and_another_one_does_not():
    first, same, other = (split(labelled(), 0.4, random_state=state).learned_from for state in (0, 0, 1))
    assert first == same != other


@pytest.mark.parametrize("share", [0.0, 1.0, -1.0, float("nan")])
def test_a_share_that_is_none_is_refused(share):
    with pytest.raises(SettingsError, match="must be between 0 and 1"):
        split(labelled(), share, random_state=0)


def test_too_few_documents_to_split_are_refused():
    with pytest.raises(CorpusError, match="too few to hold out 40%"):
        split(open_documents(["one"]), 0.4, random_state=0)


def test_every_method_is_run_with_every_random_state_and_measured_by_labels(compared):
    assert [(each.method, each.random_state) for each in compared.outcomes] == [
        ("default", 0), ("plm", 0), ("default", 1), ("plm", 1),
    ]  # fmt: skip
    assert compared.methods == ("default", "plm")
    for outcome in compared.outcomes:
        assert outcome.evaluation.n_documents == 96
        assert outcome.evaluation.figures["label_precision@10"] >= 0.9


def test_a_method_that_always_gives_the_same_is_compared_by_its_one_value(compared):
    assert len(set(compared.values("plm", "npmi"))) == 1
    p = compared.p_value("plm", "npmi")
    assert p is None or 0 <= p <= 1
    assert compared.p_value("plm", "no such figure") is None


def test_a_comparison_of_several_runs_is_shown_with_the_topics_of_the_first_and_what_stars_mean(compared, capsys):
    print_comparison(compared)
    shown = " ".join(capsys.readouterr().out.split())
    assert shown.count("category, by default") == shown.count("category, by plm") == 1
    assert "2 runs of each method" in shown
    assert "significantly worse than default across runs" in shown


def test_topics_are_paired_by_their_category(compared):
    found = compared.over_topics("plm", "npmi")
    ours, other = (
        [
            topic.figures["npmi"]
            for each in compared.outcomes
            if each.method == method
            for topic in each.evaluation.topics
        ]
        for method in compared.methods
    )
    assert found is not None
    assert found.difference == pytest.approx((sum(ours) - sum(other)) / len(ours))
    assert compared.over_topics("plm", "no such figure") is None


def test_a_run_that_was_cut_off_goes_on_from_what_it_kept(tmp_path, cache, monkeypatch):
    parts, seeds = split(labelled(), 0.4, random_state=0), as_seeds(NAMES)
    options = CompareOptions(n_jobs=1, cache=cache)
    calls: list[str] = []
    real = comparison.method_named

    def watched(name):
        calls.append(name)
        if name == "plm" and len(calls) == 2:
            raise KeyboardInterrupt
        return real(name)

    monkeypatch.setattr(comparison, "method_named", watched)
    with pytest.raises(KeyboardInterrupt):
        compare(parts, seeds, ["default", "plm"], options=options, folder=tmp_path / "kept")
    assert [path.name for path in (tmp_path / "kept").iterdir()] == ["default-0.json"]
    first = compare(parts, seeds, ["default", "plm"], options=options, folder=tmp_path / "kept")
    assert calls == ["default", "plm", "plm"]
    again = compare(parts, seeds, ["default", "plm"], options=options, folder=tmp_path / "kept")
    assert calls == ["default", "plm", "plm"]
    assert again.to_json() == first.to_json()


@pytest.mark.parametrize("spoil", [lambda text: text[: len(text) // 2], lambda text: "[]", lambda text: "{}"])
def test_what_is_not_whole_is_found_anew(tmp_path, cache, spoil):
    parts, seeds = split(labelled(), 0.4, random_state=0), as_seeds(NAMES)
    options = CompareOptions(n_jobs=1, cache=cache)
    first = compare(parts, seeds, ["plm"], options=options, folder=tmp_path)
    kept = tmp_path / "plm-0.json"
    kept.write_text(spoil(kept.read_text(encoding="utf-8")), encoding="utf-8")
    again = compare(parts, seeds, ["plm"], options=options, folder=tmp_path)
    assert again.outcomes[0].topics == first.outcomes[0].topics
    assert "key" in json.loads(kept.read_text(encoding="utf-8"))


def test_other_names_do_not_take_what_was_kept_for_these(tmp_path, cache):
    parts, options = split(labelled(), 0.4, random_state=0), CompareOptions(n_jobs=1, cache=cache)
    compare(parts, as_seeds(NAMES), ["plm"], options=options, folder=tmp_path)
    turned = compare(parts, as_seeds(NAMES[::-1]), ["plm"], options=options, folder=tmp_path)
    assert [topic.name for topic in turned.outcomes[0].topics] == NAMES[::-1]


def test_a_missing_package_is_said_before_any_work(tmp_path, monkeypatch):
    monkeypatch.setattr("seetopic.evaluation.methods.find_spec", lambda name: None)
    parts = split(labelled(), 0.4, random_state=0)
    with pytest.raises(MissingExtra, match=r"seetopic\[baselines\]"):
        compare(parts, as_seeds(NAMES), ["default", "seeded-lda"], options=CompareOptions(cache=tmp_path / "none"))
    assert not (tmp_path / "none").exists()


def test_an_unknown_method_is_refused_with_those_that_there_are(tmp_path):
    with pytest.raises(SettingsError, match="there is no method 'lda'; choose from default, paper"):
        compare(split(labelled(), 0.4, random_state=0), as_seeds(NAMES), ["lda"])


@pytest.mark.parametrize(
    ("held_out", "sentence"),
    [
        (["text"], "no document in documents has a label"),
        ([], "contains no documents"),
    ],
)
def test_a_held_out_part_that_cannot_judge_is_refused_before_any_work(held_out, sentence, tmp_path):
    documents = replace(open_documents(held_out), labels=[() for _ in held_out])
    with pytest.raises(CorpusError, match=sentence):
        compare(
            Parts(("a text",), documents), as_seeds(NAMES), ["plm"], options=CompareOptions(cache=tmp_path / "none")
        )
    assert not (tmp_path / "none").exists()


def test_the_advice_for_tiny_documents_can_be_followed(cache, tmp_path):
    texts = [f"word{number} and other{number}" for number in range(10)]
    (tmp_path / "tiny.txt").write_text("\n".join(texts))
    parts = split(open_documents(tmp_path / "tiny.txt"), 0.4, 0)
    with pytest.raises(CorpusError, match=r"corpus 'tiny\.txt' .* lower --min-count"):
        compare(parts, ["word"], ["plm"], options=CompareOptions(cache=cache))
    found = compare(parts, ["word"], ["plm"], options=CompareOptions(cache=cache, min_count=1))
    assert found.methods == ("plm",)


def test_no_method_or_a_file_in_the_way_is_refused(tmp_path):
    parts = split(labelled(), 0.4, random_state=0)
    with pytest.raises(SettingsError, match="no method was given"):
        compare(parts, as_seeds(NAMES), [])
    (tmp_path / "file").write_text("mine")
    with pytest.raises(OutputError, match="is a file"):
        compare(parts, as_seeds(NAMES), ["plm"], folder=tmp_path / "file")


@pytest.mark.parametrize("wrong", [{"runs": 0}, {"dimensions": 0}, {"epochs": -3}])
def test_numbers_out_of_range_are_refused(wrong):
    with pytest.raises(SettingsError, match="but must be at least"):
        CompareOptions(**wrong)


@pytest.mark.parametrize(("epochs", "warm_up"), [(1, 0), (2, 1), (4, 2)])
def test_however_short_a_preset_learns_from_the_categories(index, epochs, warm_up):
    topics = method_named("no-iter")(Task(index, as_seeds(NAMES), dimensions=8, epochs=epochs, device="cpu"), 5, 0)
    training = topics.made_with["settings"]["discovery"]["training"]
    assert (training["epochs"], training["warm_up"]) == (epochs, warm_up)


def test_without_labels_what_needs_none_is_measured(cache):
    parts = split(open_documents(planted_documents()), 0.4, random_state=0)
    found = (
        compare(parts, as_seeds(NAMES), ["plm"], options=CompareOptions(n_jobs=1, cache=cache)).outcomes[0].evaluation
    )
    assert found.n_labelled is None
    assert "npmi" in found.figures
    assert "label_f1@10" not in found.figures


def test_categories_of_a_tree_are_told_by_their_paths(cache, capsys):
    tree = {"leisure": {"sport": None, "food": None}, "science": {"astronomy": None, "food": None}}
    paths = {"sport": "leisure > sport", "food": "leisure > food", "astronomy": "science > astronomy"}
    parts = split(replace(labelled(), labels=[paths[label] for label in LABELS]), 0.4, random_state=0)
    options = CompareOptions(n_jobs=1, cache=cache)
    compared = compare(parts, tree, ["default", "plm"], options=options)
    for outcome in compared.outcomes:
        assert tuple(outcome.to_json()["topics"]) == as_seeds(tree).labels
        assert [level["topics"] for level in outcome.evaluation.levels] == [2, 3]
        assert outcome.evaluation.names_without_label == ("science > food",)
    print_comparison(compared)
    assert "science > food" in capsys.readouterr().out


@pytest.fixture
def files(tmp_path: Path) -> Path:
    rows = zip(planted_documents(), LABELS, strict=True)
    lines = (json.dumps({"text": text, "label": label}) for text, label in rows)
    (tmp_path / "docs.jsonl").write_text("\n".join(lines), encoding="utf-8")
    (tmp_path / "names.txt").write_text("\n".join(NAMES), encoding="utf-8")
    return tmp_path


def command(*arguments: object):
    return CliRunner().invoke(cli, [str(each) for each in arguments], catch_exceptions=False)


@pytest.mark.slow
def test_the_command_compares_methods_on_held_out_documents(files, cache):
    given = (files / "docs.jsonl", "--seeds", files / "names.txt", "--cache", cache, "--quiet")
    result = command("compare", *given, "--methods", "default, plm,default", "--label-field", "label", "--json")
    assert result.exit_code == 0
    outcomes = json.loads(result.stdout)["outcomes"]
    assert [each["method"] for each in outcomes] == ["default", "plm"]
    assert outcomes[0]["evaluation"]["documents"] == 96
    assert outcomes[0]["evaluation"]["label_precision@10"] >= 0.9
    summary = json.loads(result.stdout)["methods"]
    assert summary["default"]["label_precision@10"]["mean"] >= 0.9
    assert summary["default"]["label_precision@10"]["p"] is None
    shown = command("compare", *given, "--methods", "plm", "--on", files / "docs.jsonl")
    assert "npmi" in shown.stdout
    assert "galaxy" in shown.stdout
    assert "240 documents to learn from, 240 to evaluate on, 1 run of each method" in shown.stdout
    assert "--runs 3" in shown.stdout


def test_the_help_of_compare_lists_all_methods():
    assert evaluate.METHODS == METHODS


@pytest.mark.slow
def test_held_out_documents_may_come_from_standard_input(files, cache):
    given = ("--seeds", files / "names.txt", "--cache", cache, "--quiet")
    command("discover", files / "docs.jsonl", *given, "--out", files / "topics")
    arguments = ["evaluate", files / "topics", "--on", "-", "--format", "jsonl", "--label-field", "label", "--json"]
    found = run_here(*arguments, "--cache", cache, cwd=files, given=(files / "docs.jsonl").read_text())
    assert json.loads(found.stdout)["labelled_documents"] == 240


@pytest.mark.slow
def test_the_commands_take_topics_to_judgements_and_back(files, cache):
    given = ("--seeds", files / "names.txt", "--cache", cache, "--quiet")
    command("discover", files / "docs.jsonl", *given, "--out", files / "topics")
    measured = command(
        "evaluate", files / "topics", "--on", files / "docs.jsonl", "--label-field", "label", "--cache", cache, "--json"
    )
    figures = json.loads(measured.stdout)
    assert figures["macro_f1"] >= 0.9
    assert 0 < figures["embedding_coherence"] <= 1
    assert set(figures["control"]) >= {"npmi", "lcp"}
    shown = command("evaluate", files / "topics", "--on", files / "docs.jsonl", "--cache", cache, "--quiet")
    assert "random words" in shown.stdout
    written = command("annotate", files / "topics", "--out", files / "sheet.csv")
    assert written.exit_code == 0
    for annotator in ("ada", "bob"):
        filled = (files / "sheet.csv").read_text(encoding="utf-8").replace(",,", ",1,")
        (files / f"{annotator}.csv").write_text(filled, encoding="utf-8")
    agreed = command("agreement", files / "ada.csv", files / "bob.csv", "--json")
    assert json.loads(agreed.stdout)["methods"][0]["macc"] == 1.0
    assert "topics" in command("agreement", files / "ada.csv", files / "bob.csv").stdout
