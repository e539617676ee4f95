"""The README and the docs: every command and code block in them runs, and so do the examples."""

from __future__ import annotations

import contextlib
import io
import re
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from commands import run_shell
from seetopic.cli import cli

pytestmark = pytest.mark.docs

ROOT = Path(__file__).parent.parent
DOCS = ROOT / "docs"
START = DOCS / "index.md"
PAGES = [ROOT / "README.md", *sorted(page for page in DOCS.rglob("*.md") if "_build" not in page.parts)]
EXAMPLES = sorted((ROOT / "examples").glob("*.py"))
FENCE = re.compile(r"^```(\S*)[^\n]*\n(.*?)^```$", re.DOTALL | re.MULTILINE)
RUN = ("sh", "python")
SHOWN = {  # languages that are not run, and the only pages that may use them
    "r": ["howto/r.md", "coming-from/seededlda.md"],  # R is not installed with the tests
    "math": ["equations.md"],
    "nginx": ["howto/workbench.md"],  # run by tests/web/test_behind_nginx.py
    "yaml": ["scale.md"],  # for a Kubernetes cluster
    "{toctree}": ["index.md"],
    "{literalinclude}": ["examples.md"],  # the examples have their own test
}


def blocks(page: Path) -> list[tuple[str, str]]:
    """The fenced blocks of a page, with their languages."""
    return FENCE.findall(page.read_text(encoding="utf-8"))


def named(page: Path) -> str:
    return str(page.relative_to(ROOT))


def run_python(code: str, folder: Path, name: str) -> str:
    """What a block of code prints."""
    out = io.StringIO()
    with contextlib.chdir(folder), contextlib.redirect_stdout(out):
        exec(compile(code, name, "exec"), {"__name__": "__main__"})
    return out.getvalue()


def run_blocks(page: Path, folder: Path, cache: Path) -> None:
    """Run all blocks of a page in order, in one folder, as a reader would."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("SEETOPIC_CACHE", str(cache))
        for language, block in blocks(page):
            if language == "sh":
                done = run_shell(block, folder)
                assert done.returncode == 0, f"{named(page)}: {block}\n{done.stderr}"
            elif language == "python":
                assert run_python(block, folder, named(page)), f"{named(page)}: {block} shows nothing"
    if any(language == "sh" for language, _ in blocks(page)):
        assert (folder / "topics" / "topics.json").exists(), f"the commands of {named(page)} have found no topics"


@pytest.fixture(scope="session")
def started(made_once: Callable[[str, Callable[[Path], None]], Path], demo_cache: Path) -> Path:
    """The folder of a reader who has followed the first page."""
    return made_once("started", lambda folder: run_blocks(START, folder, demo_cache))


@pytest.fixture
def folder(started: Path, tmp_path: Path) -> Path:
    """A copy of it, without the topics."""
    copy = tmp_path / "started"
    shutil.copytree(started, copy)
    shutil.rmtree(copy / "topics")
    return copy


def test_the_first_page_makes_the_files_that_others_use(started):
    assert {each.name for each in started.iterdir()} == {
        "topics",
        "news.csv",
        "held-out.csv",
        "names.txt",
        "news-index",
    }


FOLLOWING = [page for page in PAGES if page != START and any(language in RUN for language, _ in blocks(page))]


@pytest.mark.parametrize("page", FOLLOWING, ids=named)
def test_commands_and_code_of_a_page_run(page, request, tmp_path, cache):
    if page.parent in (ROOT, DOCS):  # these are self-contained
        run_blocks(page, tmp_path, cache)
    else:
        run_blocks(page, request.getfixturevalue("folder"), request.getfixturevalue("demo_cache"))


@pytest.mark.parametrize("page", PAGES, ids=named)
def test_what_is_not_run_is_listed(page):
    for language, block in blocks(page):
        assert language in RUN or named(page).removeprefix("docs/") in SHOWN.get(language, []), (language, block)
    fences = re.findall(r"^\s*(?:```|~~~)", page.read_text(encoding="utf-8"), re.MULTILINE)
    assert len(fences) == 2 * len(blocks(page)), "a fence that is indented or not closed is not run"


def mentioned(page: Path) -> list[str]:
    """Commands outside blocks: in a sentence, in a table, or indented."""
    text = FENCE.sub("", page.read_text(encoding="utf-8"))
    inline = re.findall(r"`(seetopic [^`]+)`", re.sub(r"\s+", " ", text))
    return [*inline, *re.findall(r"^ {4,}(seetopic .*)$", text, re.MULTILINE)]


@pytest.mark.parametrize("page", PAGES, ids=named)
def test_commands_that_are_only_mentioned_exist(page):
    for line in mentioned(page):
        name = line.split()[1]
        if name in ("COMMAND", "--help"):
            continue
        assert name in cli.commands, line
        known = {option for each in cli.commands[name].params for option in (*each.opts, *each.secondary_opts)}
        assert set(re.findall(r"(?<=\s)--[a-z][a-z-]*", line)) <= {*known, "--help"}, line


def test_what_make_is_told_in_the_docs_it_knows():
    rules = (ROOT / "Makefile").read_text(encoding="utf-8")
    ours = [page for page in PAGES if page.parent.name != "coming-from"]  # other projects have a Makefile too
    for page in [*ours, ROOT / "CONTRIBUTING.md"]:
        for target in re.findall(r"(?:^ {4}|`)make ([a-z]+)", page.read_text(encoding="utf-8"), re.MULTILINE):
            assert re.search(rf"^{target}:", rules, re.MULTILINE), f"{page.name}: make {target}"


def test_the_examples_run(folder, demo_cache, monkeypatch):
    assert len(EXAMPLES) == 3
    monkeypatch.setenv("SEETOPIC_CACHE", str(demo_cache))
    for example in EXAMPLES:
        shown = run_python(example.read_text(encoding="utf-8"), folder, named(example))
        assert "government and politics" in shown or "macro-F1" in shown
        assert f"]({Path('..') / named(example)})" in (DOCS / "examples.md").read_text(encoding="utf-8")
    assert (folder / "news.yml").exists()
