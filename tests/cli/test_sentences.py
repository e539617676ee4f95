"""Whatever is given to a command, what is wrong is said in one line of at most 300 characters, with exit code 2."""

from __future__ import annotations

import contextlib
import io
import json
import os
import resource
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from planted import NAMES
from seetopic import Index, cli, discover, sorter_for
from seetopic.cli.messages import LONGEST, one_line
from seetopic.corpus.opening import open_documents
from seetopic.errors import CorpusError, DamagedIndex
from seetopic.evaluation.sheets import Sheet, sheet_of_key
from seetopic.index import layout
from seetopic.runtime.files import sha256_of
from seetopic.text.variants import find_variants, spellings_of

LONG = "x" * 5000
NOT_UTF_8 = os.fsdecode(b"\xff\xfe.txt")


def given(*arguments: str, cwd: Path) -> tuple[int, str]:
    """The exit code of a command in this process, and what it said beside its result."""
    error, code = io.StringIO(), 0
    with contextlib.ExitStack() as stack:
        stack.enter_context(contextlib.chdir(cwd))
        stack.enter_context(contextlib.redirect_stdout(io.StringIO()))
        stack.enter_context(contextlib.redirect_stderr(error))
        stack.enter_context(pytest.MonkeyPatch.context()).setattr(sys, "argv", ["seetopic", *arguments])
        try:
            cli.main()
        except SystemExit as end:
            code = int(end.code or 0)
    return code, error.getvalue()


def assert_one_sentence(code: int, said: str) -> None:
    assert code == 2, said
    assert said.count("\n") == 1, said
    assert len(said.rstrip("\n")) <= LONGEST
    assert said.startswith("seetopic: ")
    assert "Traceback" not in said


@pytest.fixture(scope="module")
def place(index: Index, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Documents, names, an index, topics, a sheet, and much that is wrong."""
    folder = tmp_path_factory.mktemp("sentences")
    (folder / "docs.txt").write_text("A planet and a comet.\nBread and cheese.\n")
    (folder / "names.txt").write_text("\n".join(NAMES))
    for name in ("index", "header"):
        (folder / name).mkdir()
        for file in (layout.MANIFEST, *layout.FILES):
            shutil.copyfile(index.folder / file, folder / name / file)
    damage_header(folder / "header")
    topics = discover(index, NAMES)
    topics.save(folder / "topics")
    sorter_for(index, NAMES).save(folder / "topics")
    value = topics.to_json()
    value["topics"][0]["terms"][0]["term"] = "half \ud800"
    (folder / "surrogate").mkdir()
    (folder / "surrogate" / "topics.json").write_text(json.dumps(value))
    (folder / "surrogate.json").write_text(json.dumps(["half \ud800"]))
    with contextlib.chdir(folder):
        os.mkfifo("pipe.txt")
        os.mkfifo("pipe.csv")
        Path(NOT_UTF_8).write_text("A planet.\n")
    assert given("annotate", "topics", "--out", "sheet.csv", cwd=folder)[0] == 0
    return folder


def damage_header(folder: Path) -> None:
    """A header of an array that is deeper than any parser likes, with the right size and checksum."""
    path = folder / layout.LOCAL
    data = bytearray(path.read_bytes())
    length = int.from_bytes(data[8:10], "little")
    data[10 : 10 + length] = b"(" * (length - 1) + b"\n"
    path.write_bytes(data)
    manifest = json.loads((folder / layout.MANIFEST).read_text())
    manifest["files"][layout.LOCAL]["sha256"] = sha256_of(path)
    (folder / layout.MANIFEST).write_text(json.dumps(manifest))


INDEX = ("index", "docs.txt", "--quiet", "--cache", "cache", "--out")
DISCOVER = ("discover", "index", "--quiet", "--cache", "cache", "--seeds")
CASES = [
    *((*INDEX, out) for out in (".", "", "/", "..", "topics/..", LONG, NOT_UTF_8)),
    *((*DISCOVER, "names.txt", "--out", out) for out in ("", LONG, NOT_UTF_8, "docs.txt")),
    *(("assign", "docs.txt", "--topics", "topics", "--out", out) for out in (".", "", "/", LONG, NOT_UTF_8)),
    *(("export", "topics", "--format", "csv", "--out", out) for out in (".", "", "/", LONG)),
    *(("annotate", "topics", "--out", out) for out in (".", "", "/", f"{LONG}.csv")),
    *(("index", documents, "--out", "new", "--cache", "cache") for documents in ("", LONG, NOT_UTF_8, "pipe.txt")),
    *((*DISCOVER, seeds) for seeds in ("", f"{LONG}.txt", "pipe.txt", "pipe.csv", "surrogate.json", NOT_UTF_8)),
    ("discover", "header", "--quiet", "--cache", "cache", "--seeds", "names.txt"),
    ("discover", LONG, "--seeds", "names.txt"),
    (*INDEX, "new", "--model", LONG),
    (*INDEX, "new", "--known-phrases", "pipe.txt"),
    ("update", LONG, "--add", "docs.txt"),
    ("update", ".", "--add", "docs.txt"),
    ("assign", "docs.txt", "--topics", LONG, "--out", "new.csv"),
    ("evaluate", "topics", "--on", LONG),
    ("evaluate", LONG, "--on", "docs.txt"),
    *((*command, "--out", "new.csv") for command in (("annotate", "surrogate"), ("annotate", LONG))),
    *(("export", topics, "--format", "json") for topics in ("surrogate", LONG)),
    ("agreement", "pipe.csv"),
    ("agreement", LONG),
    ("agreement", "sheet.csv", "--key", "pipe.txt"),
    ("compare", "docs.txt", "--seeds", "names.txt", "--out", "docs.txt"),
    ("seetopic", LONG),
]


@pytest.mark.parametrize(
    "arguments", CASES, ids=lambda each: " ".join(part[:12] for part in each).encode("ascii", "replace").decode()
)
def test_what_is_wrong_is_said_in_one_line_and_nothing_is_left(place, arguments):
    before = sorted(os.listdir(place))  # noqa: PTH208 - one name is not text
    assert_one_sentence(*given(*arguments, cwd=place))
    assert set(os.listdir(place)) - {"cache"} == set(before) - {"cache"}  # noqa: PTH208


@pytest.mark.parametrize(
    "command",
    [
        *((name, "topics", "--seeds", "names.txt", "--cache", "cache") for name in ("check", "discover")),
        *((name, "topics", "--seeds", "names.txt") for name in ("suggest", "ask", "compare")),
        ("evaluate", "topics", "--on", "topics"),
    ],
)
def test_topics_in_place_of_their_documents_are_called_by_their_name(place, command):
    code, said = given(*command, cwd=place)
    assert_one_sentence(code, said)
    assert "topics is a folder of topics; give the documents" in said


def changed_key(place: Path, change: Callable[[dict], object]) -> str:
    """The key of a sheet after a change, with the right checksum."""
    value = json.loads((place / "sheet.key.json").read_text())
    change(value)
    content = {name: value[name] for name in ("methods", "categories", "items")}

    class Unchecked(Sheet):
        def _content(self) -> dict:
            return content

    value["sheet"] = Unchecked((), (), ()).id
    (place / "changed.key.json").write_text(json.dumps(value))
    return value["sheet"]


@pytest.mark.parametrize(
    "change",
    [
        lambda key: key["items"][0].update(category="another"),
        lambda key: key["items"][0].update(category=["a list"]),
        lambda key: key["items"][0].update(term=7),
        lambda key: key["items"][0].update(term="half \ud800"),
        lambda key: key["items"][0].update(item="1"),
        lambda key: key["items"][0].update(item=key["items"][1]["item"]),
        lambda key: key["items"][0].update(methods="topics"),
        lambda key: key["items"][0].update(methods={"another": 1}),
        lambda key: key["items"][0].update(methods={"topics": "first"}),
        lambda key: key.update(methods=[["topics"]]),
        lambda key: key.update(categories=[*key["categories"], key["categories"][0]]),
        lambda key: key.update(items=[]),
    ],
)
def test_a_key_that_does_not_fit_itself_is_refused(place, tmp_path, change):
    shutil.copy(place / "sheet.key.json", tmp_path)
    sheet = changed_key(tmp_path, change)
    table = (place / "sheet.csv").read_text()
    old = json.loads((place / "sheet.key.json").read_text())["sheet"]
    (tmp_path / "filled.csv").write_text(table.replace(f",,{old}", f",1,{sheet}"))
    assert_one_sentence(*given("agreement", "filled.csv", "--key", "changed.key.json", cwd=tmp_path))
    assert sheet_of_key(json.loads((place / "sheet.key.json").read_text())).methods == ("topics",)


def test_terms_without_vectors_are_refused():
    vectors = np.eye(2, dtype=np.float32)
    with pytest.raises(DamagedIndex, match="there are 3 terms, but 2 local and 2 general term vectors"):
        find_variants(spellings_of(["tumor", "tumors", "tumour"]), vectors, vectors)


def limited(kind: int, most: int) -> Callable[[], None]:
    return lambda: resource.setrlimit(kind, (most, most))


@pytest.mark.slow
@pytest.mark.parametrize(
    ("arguments", "options"),
    [
        (("index", "-", "--out", "new"), {"preexec_fn": lambda: os.close(0)}),
        (("export", "topics", "--format", "csv"), {"stdout": "/dev/full"}),
        (("--help",), {"stdout": "/dev/full"}),
        ((*INDEX, "new", "--jobs", "2"), {"preexec_fn": limited(resource.RLIMIT_NOFILE, 12)}),
        ((*INDEX, "new", "--jobs", "1"), {"preexec_fn": limited(resource.RLIMIT_AS, 300 << 20)}),
    ],
)
def test_what_the_machine_refuses_is_said_in_one_line(place, arguments, options):
    with Path(options.get("stdout", os.devnull)).open("w") as output:
        command = [sys.executable, "-m", "seetopic", *arguments]
        started = {"cwd": place, "stdout": output, "stderr": subprocess.PIPE, "text": True, "check": False}
        done = subprocess.run(command, **started, preexec_fn=options.get("preexec_fn"))
    said = [line for line in done.stderr.splitlines() if not line.startswith("warning: ")]
    assert_one_sentence(done.returncode, "\n".join(said) + "\n")
    shutil.rmtree(place / ".new.building", ignore_errors=True)


@pytest.mark.slow
def test_topics_are_found_with_twelve_open_files(place):
    command = [sys.executable, "-m", "seetopic", *DISCOVER, "names.txt"]
    twelve = limited(resource.RLIMIT_NOFILE, 12)
    done = subprocess.run(command, cwd=place, capture_output=True, text=True, check=False, preexec_fn=twelve)
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize("name", ["docs[1].txt", "docs?.txt", "docs*.txt", "[a]*?.txt"])
def test_a_file_whose_name_looks_like_a_pattern_is_opened_if_it_exists(tmp_path, name):
    (tmp_path / name).write_text("mine\n")
    (tmp_path / "docs1.txt").write_text("another's\n")
    assert list(open_documents(str(tmp_path / name)).texts()) == ["mine"]
    assert list(open_documents(f"file://{tmp_path}/{name}").texts()) == ["mine"]
    (tmp_path / name).unlink()
    if name.startswith("docs"):
        assert list(open_documents(str(tmp_path / name)).texts()) == ["another's"]
    else:
        with pytest.raises(CorpusError, match="matches no files"):
            open_documents(str(tmp_path / name))


def test_a_folder_whose_name_looks_like_a_pattern_is_searched(tmp_path):
    (tmp_path / "data[1]").mkdir()
    (tmp_path / "data[1]" / "docs.txt").write_text("mine\n")
    assert list(open_documents(str(tmp_path / "data[1]" / "*.txt")).texts()) == ["mine"]


def test_a_long_sentence_keeps_its_beginning_and_its_end():
    assert one_line("a short\n  one\t.") == "a short one ."
    assert one_line("\x1b[31mred \ud800") == "\\x1b[31mred \\ud800"
    cut = one_line("cannot read " + LONG + "; give another")
    assert len(cut) == LONGEST
    assert cut.startswith("cannot read xxx")
    assert cut.endswith("xxx; give another")
