"""The command `seetopic export`."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from test_exports import TOPICS, doubtful

from commands import Result, run_here
from seetopic import Topics, export
from seetopic.output.exports import FORMATS


def run(*arguments: str | Path, cwd: Path) -> Result:
    return run_here("export", *arguments, cwd=cwd)


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("place")
    TOPICS.save(folder / "topics")
    doubtful().save(folder / "doubtful")
    doubtful().save(folder / "edited")
    saved = folder / "edited" / "topics.json"
    saved.write_text(saved.read_text().replace("0.6", '"high"'))
    return folder


def test_the_text_goes_to_standard_output_and_nothing_else(place):
    result = run("topics", "--format", "liwc", cwd=place)
    assert (result.returncode, result.stderr) == (0, "")
    assert result.stdout == export(TOPICS, "liwc")


def test_a_file_tells_its_format_and_the_options_reach_it(place):
    options = ("--top", "2", "--no-variants", "--min-confidence", "0.1")
    result = run("topics/topics.json", "--out", "out/topics.yml", *options, cwd=place)
    assert result.stdout == "out/topics.yml: 3 categories, 4 terms\n"
    expected = export(Topics.load(place / "topics"), "quanteda", top=2, variants=False)
    assert (place / "out" / "topics.yml").read_text() == expected


def test_doubtful_topics_are_said_and_left_out_where_asked(place):
    told = run("doubtful", "--format", "json", cwd=place)
    assert told.stderr == "warning: unsure: low confidence: read them with care\n"
    assert list(json.loads(told.stdout)) == ["sure", "unsure", "surer"]
    told = run("doubtful", "--format", "json", "--min-confidence", "0.5", cwd=place)
    assert told.stderr == "warning: left out because of a confidence below 0.5: unsure\n"
    assert list(json.loads(told.stdout)) == ["sure", "surer"]


def test_the_help_names_every_format(place):
    text = run("--help", cwd=place).stdout
    for name, each in FORMATS.items():
        assert f"{name:<9} {each.suffixes[0]:<7} {each.about}" in text


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["topics"], "no format is given; add --format with one of csv, json, liwc"),
        (["topics", "--out", "topics.doc"], "the extension of 'topics.doc' does not match any export format"),
        (["topics", "--format", "xml"], "'xml' is not one of"),
        (["missing", "--format", "csv"], "missing/topics.json cannot be read as topics"),
        (
            ["edited", "--format", "csv"],
            "edited/topics.json cannot be read as topics ('high' is not of type float or int)",
        ),
        (["topics", "--format", "csv", "--top", "0"], "--top is 0"),
        (["doubtful", "--format", "csv", "--min-confidence", "0.9"], "no topic has a confidence above 0.7"),
        (["topics", "--format", "csv", "--out", "topics"], "topics is a folder; name a file in it"),
    ],
)
def test_a_users_mistake_is_one_line(place, arguments, sentence):
    result = run(*arguments, cwd=place)
    assert result.returncode == 2
    assert result.stderr.count("\n") == 1
    assert sentence in result.stderr
    assert result.stdout == ""
