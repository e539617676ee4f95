"""`seetopic ask`: questions as JSON, and answers with one key each in a terminal."""

from __future__ import annotations

import json
import os
import pty
import select
import subprocess
import sys
import time
from pathlib import Path

import pytest

from commands import run, run_here
from planted import NAMES
from seetopic.corpus import read_judgements


@pytest.fixture(scope="module")
def names(tmp_path_factory) -> Path:
    path = tmp_path_factory.mktemp("names") / "names.txt"
    path.write_text("\n".join(NAMES))
    return path


def test_questions_are_a_list_of_objects(index, names, tmp_path):
    judged = tmp_path / "j.jsonl"
    judged.write_text(json.dumps({"category": NAMES[0], "document": 0, "belongs": True}) + "\n")
    done = run_here(
        "ask", index.folder, "--seeds", names, "--judgements", judged, "--number", "8", "--json", cwd=tmp_path
    )
    assert done.returncode == 0
    asked = json.loads(done.stdout)
    assert len(asked) == 8
    for each in asked:
        assert set(each) in ({"category", "document", "text", "reason"}, {"category", "term", "text", "reason"})
        assert each["category"] in NAMES
    assert 0 not in [each.get("document") for each in asked]


@pytest.mark.parametrize(
    ("arguments", "wrong"),
    [
        (["--interactive"], "--interactive needs a file"),
        (["--number", "0"], "--number is 0"),
        (["--judgements", "missing.jsonl"], "missing.jsonl cannot be opened"),
    ],
)
def test_what_cannot_be_asked_is_said_in_one_line(index, names, tmp_path, arguments, wrong):
    done = run_here("ask", index.folder, "--seeds", names, *arguments, cwd=tmp_path)
    assert done.returncode == 2
    assert wrong in done.stderr
    assert done.stderr.count("\n") == 1


def test_what_is_not_an_index_is_refused_with_how_to_build_one(names, tmp_path):
    done = run_here("ask", names, "--seeds", names, cwd=tmp_path)
    assert done.returncode == 2
    assert f"{names} is not an index; build one with `seetopic index {names} --out INDEX`" in done.stderr


def test_judgements_that_contradict_each_other_are_said(index, names, tmp_path):
    judged = [{"category": NAMES[0], "term": "tennis", "belongs": by == "ana", "by": by} for by in ("ana", "bob")]
    (tmp_path / "j.jsonl").write_text("\n".join(map(json.dumps, judged)) + "\n")
    given = ("--seeds", names, "--judgements", "j.jsonl")
    for command in (("ask", index.folder, "--number", "1"), ("discover", index.folder, "--quiet", "--out", "out")):
        done = run_here(*command, *given, cwd=tmp_path)
        assert done.returncode == 0
        assert f"contradiction: 'tennis' belongs to {NAMES[0]!r}: 1 yes, 1 no; left out" in done.stderr


@pytest.mark.slow
def test_judgements_that_are_not_used_are_said_on_a_line_of_their_own(index, names, tmp_path):
    judged = [{"category": name, "term": "tennis", "belongs": True} for name in (NAMES[0], "weather")]
    (tmp_path / "j.jsonl").write_text("\n".join(map(json.dumps, judged)) + "\n")
    done = run("discover", index.folder, "--seeds", names, "--judgements", "j.jsonl", "--quiet", cwd=tmp_path)
    assert done.returncode == 0
    unused = "1 judgement is about a category that is not among the names: 'weather'; it is not used"
    assert done.stderr.splitlines() == [f"warning: {unused}"]


def test_an_answer_is_taken_back_from_the_file_and_all_questions_may_be_answered(index, names, tmp_path):
    arguments = ("--judgements", "j.jsonl", "--interactive", "--number", "2", "--about", "documents")
    done = run_here("ask", index.folder, "--seeds", names, *arguments, cwd=tmp_path, given="y\nu\nn\n0\n")
    assert done.returncode == 0
    assert "j.jsonl: 2 judgements" in done.stdout
    answers = list(read_judgements(tmp_path / "j.jsonl"))
    assert [(each.belongs, each.category is None) for each in answers] == [(False, False), (True, True)]


@pytest.mark.slow
def test_a_key_answers_a_question_in_a_terminal(index, names, tmp_path):
    judged = tmp_path / "j.jsonl"
    command = [sys.executable, "-m", "seetopic", "ask", str(index.folder), "--seeds", str(names), "--by", "ana"]
    command += ["--judgements", str(judged), "--interactive", "--number", "11", "--about", "documents"]
    ours, theirs = pty.openpty()
    process = subprocess.Popen(command, stdin=theirs, stdout=theirs, stderr=theirs, cwd=tmp_path)
    os.close(theirs)
    shown = ""
    # Yes, another category, no, none, skip; the answer before is taken back and given again; then yes until the end.
    for key in "y2n0sxuyyyyyy":
        shown += _until(ours, "quit" if key != "u" else "is not one of", process)
        os.write(ours, key.encode())
    shown += _until(ours, "[11/11]", process)
    os.write(ours, b"q")
    shown += _rest(ours)
    assert process.wait(60) == 0
    answers = list(read_judgements(judged))
    assert "learned from" in shown
    assert "is not one of" in shown
    assert [each.belongs for each in answers[:4]] == [True, True, False, True]
    assert answers[3].category is None
    assert len(answers) == 10
    assert {each.by for each in answers} == {"ana"}
    assert len({each.document for each in answers}) == 10


def _until(terminal: int, text: str, process: subprocess.Popen[bytes]) -> str:
    shown, end = "", time.monotonic() + 60
    while text not in shown:
        assert process.poll() is None, shown
        assert time.monotonic() < end, shown
        if select.select([terminal], [], [], 0.2)[0]:
            shown += os.read(terminal, 4096).decode("utf-8", "replace")
    return shown


def _rest(terminal: int) -> str:
    shown = b""
    try:
        while select.select([terminal], [], [], 20)[0] and (more := os.read(terminal, 4096)):
            shown += more
    except OSError:  # the other side is closed
        pass
    return shown.decode("utf-8", "replace")
