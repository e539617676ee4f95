"""The commands as a person gives them: the embedded model, exit codes, files; real processes where these matter."""

from __future__ import annotations

import errno
import json
import os
import resource
import subprocess
import sys
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import pytest

import commands
from commands import Result, one_line_error, run
from planted import PLANTED, planted_documents
from seetopic import cli

NAMES = "sports and games\ncooking & cuisine\nouter space\n"


def run_here(*arguments: str | Path, cwd: Path, given: str = "") -> Result:
    """In this process, and without workers."""
    return commands.run_here(*arguments, "--jobs", "1", cwd=cwd, given=given)


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory, new_cache: Callable[[Path], Path]) -> Path:
    """A folder with documents, names, and an index that the command line built."""
    folder = tmp_path_factory.mktemp("place")
    new_cache(folder / "cache")
    (folder / "docs.txt").write_text("\n".join(planted_documents()) + "\n")
    (folder / "names.txt").write_text(NAMES)
    built = run_here("index", "docs.txt", "--out", "ready", "--cache", "cache", cwd=folder)
    assert built.returncode == 0, built.stderr
    assert built.stdout.startswith("ready: 240 documents, 2,880 words, ")
    assert "local vectors ..." in built.stderr
    return folder


def test_help_needs_no_heavy_import():
    heavy = ("numpy", "torch", "scipy", "transformers", "joblib")
    script = f"import sys, seetopic.cli; print([name for name in {heavy} if name in sys.modules])"
    assert subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True).stdout == "[]\n"


@pytest.mark.slow
def test_an_option_that_changes_nothing_of_a_ready_index_is_said(place):
    for command in ("discover", "check"):
        given = (command, "ready", "--seeds", "names.txt", "--quiet", "--cache", "cache")
        told = run_here(*given, "--window", "3", "--random-state", "0", cwd=place)
        assert told.returncode == 0
        assert told.stderr == (
            "note: ready was built with --window 5, so --window 3 has no effect; pass it to `seetopic index`\n"
        )


def test_every_command_has_its_help(place):
    for command in cli.cli.commands:
        result = commands.run_here(command, "--help", cwd=place)
        assert result.returncode == 0
        assert f"seetopic {command} [OPTIONS]" in result.stdout


def test_discover_writes_and_prints_topics(place):
    result = run_here(
        "discover", "ready", "--seeds", "names.txt", "--out", "found", "--top", "4", "--cache", "cache", cwd=place
    )
    assert result.returncode == 0, result.stderr
    files = ["report.html", "sorter.safetensors", "topics.csv", "topics.json"]
    assert sorted(path.name for path in (place / "found").iterdir()) == files
    value = json.loads((place / "found" / "topics.json").read_text())
    assert [topic["name"] for topic in value["topics"]] == NAMES.splitlines()
    for topic, words in zip(value["topics"], PLANTED.values(), strict=True):
        assert {each["term"] for each in topic["terms"]} <= set(words.split(" "))
        assert topic["terms"][0]["term"] in result.stdout


@pytest.mark.slow
def test_json_is_all_that_goes_to_standard_output(place):
    result = run("discover", "ready", "--seeds", "names.txt", "--json", "--quiet", "--cache", "cache", cwd=place)
    assert len(json.loads(result.stdout)["topics"]) == 3
    assert result.stderr == ""


@pytest.mark.slow
def test_discover_on_documents_builds_an_index_once(place):
    first = run_here("discover", "docs.txt", "--seeds", "names.txt", "--json", "--cache", "cache", cwd=place)
    again = run_here("discover", "docs.txt", "--seeds", "names.txt", "--json", "--cache", "cache", cwd=place)
    assert "local vectors" in first.stderr
    assert "local vectors" not in again.stderr
    assert first.stdout == again.stdout


@pytest.mark.slow
def test_standard_input_is_read_as_documents(place):
    text = (place / "docs.txt").read_text()
    piped = run_here("discover", "-", "--seeds", "names.txt", "--json", "--cache", "cache", cwd=place, given=text)
    named = run_here("discover", "docs.txt", "--seeds", "names.txt", "--json", "--cache", "cache", cwd=place)
    assert json.loads(piped.stdout)["topics"] == json.loads(named.stdout)["topics"]


def test_check_tells_what_the_documents_know_of_each_name(place):
    (place / "mixed.yaml").write_text("sky: {names: [planet, outer space]}\ncosmos: {names: [astronomy]}\n")
    result = run_here("check", "ready", "--seeds", "mixed.yaml", "--json", "--quiet", "--cache", "cache", cwd=place)
    value = json.loads(result.stdout)
    planet, space, astronomy = value["names"]
    assert planet["in_vocabulary"]
    assert planet["occurrences"] == sum("planet" in text for text in planted_documents())
    assert not space["in_vocabulary"]
    assert {term for term, _ in astronomy["nearest"]} <= set(PLANTED["astronomy"].split(" "))
    assert value["documents"] == 240
    assert [pair[:2] for pair in value["close"]] == [["outer space", "astronomy"]]


def test_check_on_documents_does_no_slow_work(place, tmp_path):
    result = run_here("check", "docs.txt", "--seeds", "names.txt", "--cache", tmp_path / "new", cwd=place)
    assert result.returncode == 0, result.stderr
    assert "local vectors" not in result.stderr
    assert "240 documents" in result.stdout


@pytest.mark.slow
def test_a_name_that_is_no_term_is_found_as_words_and_made_one(place, tmp_path):
    texts = [*planted_documents(60), "the oven salad", "an oven salad"]
    (tmp_path / "docs.txt").write_text("\n".join(texts) + "\n")
    (tmp_path / "names.txt").write_text("Oven Salad\nouter space\n")
    arguments = ("docs.txt", "--seeds", "names.txt", "--cache", place / "cache", "--quiet")
    table = run_here("check", *arguments, cwd=tmp_path).stdout
    assert table.replace("│", " ").split("Oven Salad")[1].split()[:6] == ["yes,", "as", "a", "new", "term", "2"]
    topic = json.loads(run_here("discover", *arguments, "--json", cwd=tmp_path).stdout)["topics"][0]
    assert (topic["in_vocabulary"], topic["terms"][0]["term"]) == (True, "oven salad")


@pytest.mark.slow
def test_known_phrases_and_names_given_to_index_are_terms(place, tmp_path):
    words = ["oven", "salad", "goal", "planet"]
    texts = [f"the {one} and a {other}" for one in words for other in words] * 6 + ["the oven salad, a goal planet"] * 6
    (tmp_path / "docs.txt").write_text("\n".join(texts) + "\n")
    (tmp_path / "known.txt").write_text("Oven  Salad\nnever there\n")
    (tmp_path / "names.yaml").write_text("football: [goal planet]\n")
    shared = ("--cache", place / "cache", "--quiet", "--json", "--sample-words", "0")

    def phrases(*given: str) -> set[str]:
        folder = tmp_path / f"index{len(given)}{''.join(given)[:9]}"
        assert run_here("index", "docs.txt", "--out", folder, *given, *shared, cwd=tmp_path).returncode == 0
        return {term for term in json.loads((folder / "terms.json").read_text()) if " " in term}

    assert phrases() == set()
    assert phrases("--known-phrases", "known.txt") == {"oven salad"}
    assert phrases("--seeds", "names.yaml") == {"goal planet"}
    assert phrases("--known-phrases", "known.txt", "--seeds", "names.yaml") == {"oven salad", "goal planet"}


@pytest.mark.slow
def test_text_without_spaces_is_said_in_one_line_and_languages_are_chosen(place, tmp_path):
    (tmp_path / "docs.txt").write_text("他们昨天去了北京的一个大公园\n" * 5)
    (tmp_path / "names.txt").write_text("公园\n")
    options = ("--cache", place / "cache", "--quiet", "--json", "--sample-words", "0")
    built = run_here("index", "docs.txt", "--out", "index", "--language", "en,de", *options, cwd=tmp_path)
    about_spaces, about_model = built.stderr.splitlines()
    assert about_spaces.startswith("warning: 100% of the letters are Chinese or Japanese, written without spaces")
    assert about_model.startswith("warning: 100% of the text is in Chinese or Japanese, but the embedded")
    assert list(json.loads(built.stdout)["corpus"]["languages"]) == ["en", "de"]
    for command, source in (("check", "docs.txt"), ("check", "index"), ("discover", "docs.txt"), ("discover", "index")):
        told = run_here(command, source, "--seeds", "names.txt", *options, cwd=tmp_path)
        assert told.stderr == built.stderr, command
    wrong = run_here("index", "docs.txt", "--out", "other", "--language", "english", *options, cwd=tmp_path)
    assert "--language is 'english', but must be auto, none, or a comma-separated list" in one_line_error(wrong)


def test_assign_sorts_documents_by_the_topics(place):
    found = run_here("discover", "ready", "--seeds", "names.txt", "--out", "for-assign", "--cache", "cache", cwd=place)
    assert found.returncode == 0, found.stderr
    arguments = ("assign", "docs.txt", "--topics", "for-assign", "--out", "sorted.csv", "--quiet")
    result = run_here(*arguments, "--json", cwd=place)
    assert result.returncode == 0, result.stderr
    given = json.loads(result.stdout)["given"]
    assert sum(given.values()) == 240
    assert all(70 <= given[name] <= 90 for name in NAMES.splitlines())
    header = (place / "sorted.csv").read_text().splitlines()[0]
    assert header == f"document,category,share,none,categories,terms,problem,{','.join(NAMES.splitlines())}"
    few = run_here(*arguments, "--rate", "0.5", "--read", "--several", "--cache", "cache", "--json", cwd=place)
    assert json.loads(few.stdout)["given"][""] == pytest.approx(120, abs=2)


@pytest.fixture(scope="module")
def topics(place: Path) -> str:
    found = run_here("discover", "ready", "--seeds", "names.txt", "--out", "topics", "--cache", "cache", cwd=place)
    assert found.returncode == 0, found.stderr
    return "topics"


def rows_of(table: Path) -> list[dict]:
    return [json.loads(line) for line in table.read_text().splitlines()]


def test_a_summary_counts_what_the_table_has(place, topics):
    given = ("assign", "docs.txt", "--topics", topics, "--several", "--threshold", "0.05", "--out", "several.jsonl")
    told = run_here(*given, cwd=place)
    counts = Counter(name for row in rows_of(place / "several.jsonl") for name in row["categories"])
    assert counts.total() > 240
    lines = [line.split(maxsplit=1) for line in told.stdout.splitlines()]
    assert {name: int(number) for number, name in lines[:3]} == counts
    assert told.stdout.endswith("several.jsonl: 240 documents; a document may have several categories\n")
    assert json.loads(run_here(*given, "--json", cwd=place).stdout)["documents"] == 240


@pytest.mark.filterwarnings("default")
def test_a_threshold_that_no_document_reaches_is_said(place, topics):
    told = run_here("assign", "docs.txt", "--topics", topics, "--threshold", "1", "--out", "high.jsonl", cwd=place)
    largest = max(row[name] for row in rows_of(place / "high.jsonl") for name in NAMES.splitlines())
    assert f"the largest share is {largest:.2f}, below --threshold 1 (in Python: threshold)" in told.stderr
    assert "      240  (none)\n" in told.stdout


@pytest.mark.parametrize(
    ("command", "advice"),
    [
        ("discover docs.txt --seeds names.txt", "; if an index was being built, run the same command again to resume"),
        ("assign docs.txt --topics topics --out x.csv", "; run the same command again to resume"),
        ("suggest ready", ""),
    ],
)
def test_after_an_interruption_only_what_resumes_is_said_to(place, topics, monkeypatch, command, advice):
    def interrupted(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    for name in ("index.plan_cached", "classify.assign", "discovery.suggest"):
        monkeypatch.setattr(f"seetopic.{name}", interrupted)
    told = commands.run_here(*command.split(), cwd=place)
    assert told.returncode == 130
    assert told.stderr.strip() == f"seetopic: interrupted{advice}"


def test_without_a_sample_no_document_is_read(place):
    arguments = ("--seeds", "names.txt", "--out", "unread", "--sample-words", "0", "--cache", "cache")
    result = run_here("discover", "docs.txt", *arguments, cwd=place)
    assert result.returncode == 0, result.stderr
    assert "reads documents" not in result.stderr
    refused = run_here("assign", "docs.txt", "--topics", "unread", "--out", "x.csv", "--read", "--quiet", cwd=place)
    assert "the language model has not read" in one_line_error(refused)


def test_assign_without_topics_is_one_line(place):
    result = run_here("assign", "docs.txt", "--topics", "nowhere", "--out", "none.csv", "--quiet", cwd=place)
    assert "sorter.safetensors cannot be read" in one_line_error(result)
    assert not (place / "none.csv").exists()


def test_a_broken_line_is_named_and_skipped_where_asked(place):
    lines = [json.dumps({"text": text}) for text in planted_documents()]
    lines[16] = '{"text": "cut off'
    (place / "broken.jsonl").write_text("\n".join(lines))
    refused = run_here("index", "broken.jsonl", "--out", "broken", "--cache", "cache", "--quiet", cwd=place)
    assert "broken.jsonl, line 17 is not valid JSON" in one_line_error(refused)
    assert not (place / "broken").exists()
    skipped = run_here("index", "broken.jsonl", "--out", "broken", "--cache", "cache", "--on-error", "skip", cwd=place)
    assert skipped.returncode == 0
    assert "left out: 1 not JSON" in skipped.stderr


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["discover", "missing.txt", "--seeds", "names.txt"], "missing.txt does not exist"),
        (["discover", "ready", "--seeds", "missing.txt"], "missing.txt cannot be opened"),
        (["discover", "ready", "--seeds", "names.txt", "--top", "0"], "--top is 0, but must be between 1"),
        (["discover", "ready", "--seeds", "names.txt", "--preset", "none"], "Invalid value for '--preset'"),
        (["discover", "ready"], "Missing option '--seeds'"),
        (["index", "docs.txt", "--out", "x", "--jobs", "0"], "the number of jobs is 0, but must be at least 1"),
        (
            ["index", "docs.txt", "--out", "x", "--known-phrases", "missing.txt"],
            "cannot read known phrases from missing",
        ),
        (["index", "empty.txt", "--out", "x"], "empty.txt' contains no documents"),
        (
            ["index", "docs.txt", "--out", "x", "--model", "no/such-model"],
            "the model 'no/such-model' is not a local folder",
        ),
        (["index", "docs.txt", "--out", "x", "--device", "cuda"], "no usable GPU was found"),
        (["frobnicate"], "No such command 'frobnicate'"),
    ],
)
def test_a_users_mistake_is_one_line_and_exit_code_2(place, arguments, sentence):
    (place / "empty.txt").write_text("")
    if sentence.startswith("no GPU"):
        import torch

        if torch.cuda.is_available():
            arguments = [*arguments[:-1], "tpu"]
            sentence = "Invalid value for '--device'"
    quiet = ["--quiet"] if arguments[0] in ("index", "discover") else []
    assert sentence in one_line_error(commands.run_here(*arguments, *quiet, cwd=place))
    assert not (place / "x").exists()


def test_a_bug_shows_its_trace_and_exit_code_1(place):
    script = "import seetopic.cli as c, seetopic.corpus as s; s.read_seeds = lambda path: 1 / 0; c.main()"
    command = [sys.executable, "-c", script, "discover", "ready", "--seeds", "names.txt"]
    result = subprocess.run(command, cwd=place, capture_output=True, text=True, check=False)
    assert result.returncode == 1
    assert "ZeroDivisionError" in result.stderr


@pytest.mark.slow
def test_a_full_disk_is_said_and_leaves_nothing_half_written(place):
    def little_room() -> None:
        resource.setrlimit(resource.RLIMIT_FSIZE, (2000, 2000))

    result = run(
        "discover",
        "ready",
        "--seeds",
        "names.txt",
        "--out",
        "full",
        "--cache",
        "cache",
        cwd=place,
        preexec_fn=little_room,
    )
    error = one_line_error(result)
    assert f"cannot write full/report.html: {os.strerror(errno.EFBIG)}" in error
    assert list((place / "full").iterdir()) == []


@pytest.mark.slow
def test_a_full_disk_during_a_build_is_said_and_the_build_goes_on_later(place, tmp_path):
    def little_room() -> None:
        resource.setrlimit(resource.RLIMIT_FSIZE, (5000, 5000))

    arguments = ["index", "docs.txt", "--out", tmp_path / "index", "--cache", place / "cache", "--quiet"]
    error = one_line_error(run(*arguments, cwd=place, preexec_fn=little_room))
    assert os.strerror(errno.EFBIG) in error
    assert not (tmp_path / "index").exists()
    assert run_here(*arguments, cwd=place).returncode == 0
    same = {path.name: path.read_bytes() for path in (tmp_path / "index").iterdir()}
    assert same == {path.name: path.read_bytes() for path in (place / "ready").iterdir()}


def unwritable(tmp_path: Path) -> Path:
    """A folder nobody may write to: rights do not bind root, the kernel's own file system does."""
    if os.geteuid() == 0:
        return Path("/sys")
    tmp_path.chmod(0o500)
    return tmp_path


def test_a_folder_one_may_not_write_to_is_said(place, tmp_path):
    folder = unwritable(tmp_path)
    found = run_here(
        "discover", "ready", "--seeds", "names.txt", "--out", folder / "out", "--cache", "cache", cwd=place
    )
    assert "choose a location you can write to" in one_line_error(found)
    built = run_here("index", "docs.txt", "--out", folder / "out", "--cache", "cache", "--quiet", cwd=place)
    assert "choose a location you can write to" in one_line_error(built)


def test_the_demo_finds_the_five_topics(tmp_path, demo_cache):
    result = run_here("demo", "--out", "demo", "--json", "--cache", demo_cache, cwd=tmp_path)
    assert result.returncode == 0, result.stderr
    topics = {topic["name"]: [each["term"] for each in topic["terms"]] for topic in json.loads(result.stdout)["topics"]}
    assert all(len(terms) == 10 for terms in topics.values())
    occur = [topic["name"] for topic in json.loads(result.stdout)["topics"] if topic["in_vocabulary"]]
    assert occur == ["science and technology"]  # four times, which makes it a term because it is a name
    assert topics["science and technology"][0] == "science and technology"
    assert "election" in topics["government and politics"]
    assert {"athletes", "players"} <= set(topics["sports and athletics"])
    assert {"film", "actor"} <= set(topics["arts and entertainment"])
    assert {"shares", "bank"} <= set(topics["business and finance"])
    assert "note: 1 of the articles that come with seetopic is not UTF-8" in result.stderr
    assert (tmp_path / "demo" / "report.html").exists()


@pytest.mark.parametrize(("command", "has_it"), [("index", False), ("check", False), ("discover", True)])
def test_a_preset_is_asked_for_only_where_it_matters(command, has_it, tmp_path):
    assert ("--preset" in commands.run_here(command, "--help", cwd=tmp_path).stdout) is has_it


def test_names_are_printed_as_they_stand(place):
    """`:dog:` is no emoji, and `[b]` no markup."""
    (place / "odd.txt").write_text("cooking :dog:\nsports [b]\n")
    for command in ("check", "discover"):
        shown = run_here(command, "ready", "--seeds", "odd.txt", "--cache", "cache", "--quiet", cwd=place).stdout
        assert ":dog:" in shown
        assert "[b]" in shown
