"""What the package promises to those who import it, and what its papers promise to those who read them."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from importlib.resources import files
from pathlib import Path

import pytest

import seetopic

ROOT = Path(__file__).parent.parent
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]


def blocks(language: str) -> list[tuple[str, str]]:
    fence = re.compile(rf"```{language}\n(.*?)```", re.DOTALL)
    found = [(page.name, block) for page in PAGES for block in fence.findall(page.read_text())]
    assert found
    return found


def test_every_public_name_can_be_had():
    assert sorted(seetopic.__all__) == seetopic.__all__
    for name in seetopic.__all__:
        assert getattr(seetopic, name) is not None


def test_an_unknown_name_is_an_attribute_error():
    with pytest.raises(AttributeError, match="nonsense"):
        seetopic.nonsense  # noqa: B018


def test_the_package_is_typed():
    assert files("seetopic").joinpath("py.typed").is_file()


def test_the_readme_names_the_two_commands():
    text = (ROOT / "README.md").read_text()
    rules = (ROOT / "Makefile").read_text()
    for target in ("demo", "test"):
        assert f"make {target}" in text
        assert re.search(rf"^{target}:", rules, re.M)


@pytest.mark.parametrize(("page", "block"), blocks("sh"))
def test_commands_in_the_docs_run(page, block, tmp_path, cache):
    path = f"{Path(sys.executable).parent}:{os.environ['PATH']}"
    environment = {**os.environ, "PATH": path, "SEETOPIC_CACHE": str(cache)}
    command = ["bash", "-euo", "pipefail", "-c", block]
    result = subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, text=True, check=False)
    assert result.returncode == 0, f"{page}: {result.stderr}"
    assert (tmp_path / "topics" / "topics.json").exists()


@pytest.mark.parametrize(("page", "block"), blocks("python"))
def test_python_in_the_docs_runs(page, block, tmp_path, cache):
    environment = {**os.environ, "SEETOPIC_CACHE": str(cache)}
    result = subprocess.run(
        [sys.executable, "-c", block], cwd=tmp_path, env=environment, capture_output=True, text=True, check=False
    )
    assert result.returncode == 0, f"{page}: {result.stderr}"
    assert "goalkeeper" in result.stdout
