"""The benchmark page reports what was measured."""

from __future__ import annotations

import importlib
import re
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent


@pytest.fixture
def page(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.syspath_prepend(str(ROOT / "benchmarks"))
    yield importlib.import_module("page")
    sys.modules.pop("page")
    sys.modules.pop("costs")


def test_pages_show_what_the_committed_results_say(page):
    for path, parts in page.pages().items():
        text = path.read_text(encoding="utf-8")
        assert page.filled(text, parts) == text, f"{path.name} differs from the results; run benchmarks/page.py"


def test_every_part_of_a_page_comes_from_the_results(page):
    made = {path: set(parts) for path, parts in page.pages().items()}
    made[ROOT / "docs" / "teaching.md"] = {"sorting", "topics"}  # by teaching_figure.py
    for path in [ROOT / "README.md", *(ROOT / "docs").rglob("*.md")]:
        named = set(re.findall(r"<!-- (?!end)(.+?) -->", path.read_text(encoding="utf-8")))
        assert named == made.get(path, set()), path.name


def test_every_figure_of_the_page_is_there():
    text = (ROOT / "docs" / "benchmarks.md").read_text(encoding="utf-8")
    shown = set(re.findall(r"\]\((figures/\w+\.svg)\)", text))
    assert len(shown) == text.count("](figures/") > 0
    assert all((ROOT / "docs" / name).is_file() for name in shown)


def test_every_figure_is_shown_on_a_page():
    text = "".join(page.read_text(encoding="utf-8") for page in (ROOT / "docs").glob("*.md"))
    drawn = {f"figures/{path.name}" for path in (ROOT / "docs" / "figures").glob("*.svg")}
    assert {name for name in drawn if name in text} == drawn


def test_a_page_without_a_part_is_refused(page):
    with pytest.raises(SystemExit, match="one part 'cases', but has 0"):
        page.filled("nothing", {"cases": "text"})


def test_every_method_is_in_the_table_of_every_corpus(page):
    from seetopic.evaluation.methods import METHODS

    table, _, _ = page.results()
    for corpus in table["corpora"].values():
        assert sorted(page.methods_of(corpus)) == sorted(METHODS)
        assert {each["random_state"] for each in corpus["outcomes"]} == {0, 1, 2}


def test_a_corpus_is_read_from_the_folders_of_the_paper_too(page, tmp_path):
    corpora = importlib.import_module("corpora")
    folder = tmp_path / "scidocs"
    folder.mkdir()
    (folder / "scidocs.txt").write_text("chronic_kidney_disease in rats\nhepatitis b\n", encoding="utf-8")
    (folder / "scidocs_test.txt").write_text("kidney\n", encoding="utf-8")
    (folder / "keywords_0.txt").write_text("0:hepatitis_a/b/c/e\n1:chronic_kidney_disease\n", encoding="utf-8")
    corpus = corpora.corpus_named(tmp_path, "scidocs")
    assert corpus.seeds.names == ("hepatitis a/b/c/e", "chronic kidney disease")
    assert corpus.parts.learned_from == ("chronic_kidney_disease in rats", "hepatitis b")
    assert list(corpus.parts.held_out.texts()) == ["kidney"]


def test_the_tables_of_what_judgements_teach_are_those_of_the_committed_results(page):
    figure = importlib.import_module("teaching_figure")
    text = (ROOT / "docs" / "teaching.md").read_text(encoding="utf-8")
    found = figure.runs_by_corpus(ROOT / "benchmarks" / "results" / "teaching.jsonl")
    assert page.filled(text, figure.tables(found)) == text
    assert figure.drawn(found) == (ROOT / "docs" / "teaching.svg").read_text(encoding="utf-8")
