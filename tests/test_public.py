"""The package's public names."""

from __future__ import annotations

import ast
import inspect
import re
import runpy
import subprocess
import sys
from importlib.resources import files
from pathlib import Path

import pytest

import seetopic

ROOT = Path(__file__).parent.parent


def test_every_public_name_can_be_had():
    assert sorted(seetopic.__all__) == seetopic.__all__
    for name in seetopic.__all__:
        assert getattr(seetopic, name) is not None


def test_an_unknown_name_is_an_attribute_error():
    with pytest.raises(AttributeError, match="nonsense"):
        assert seetopic.nonsense


def test_the_package_is_typed():
    assert files("seetopic").joinpath("py.typed").is_file()


def public_things() -> list[tuple[str, object]]:
    """Every public name, and every public method and property of those that are classes."""
    found: list[tuple[str, object]] = []
    for name in seetopic.__all__:
        thing = getattr(seetopic, name)
        found += [(name, thing)] if callable(thing) else []
        for part, value in vars(thing).items() if isinstance(thing, type) else ():
            if not part.startswith("_") and (callable(value) or isinstance(value, property | classmethod)):
                found.append((f"{name}.{part}", getattr(value, "fget", None) or getattr(thing, part)))
    return found


def test_every_public_name_is_documented_and_typed():
    for name, thing in public_things():
        assert inspect.getdoc(thing), name
        if not isinstance(thing, type):
            signature = inspect.signature(thing)
            assert signature.return_annotation is not inspect.Signature.empty, name
            parameters = [each for each in signature.parameters.values() if each.name != "self"]
            assert all(each.annotation is not inspect.Parameter.empty for each in parameters), name


@pytest.mark.slow
def test_a_script_that_uses_every_public_name_runs(tmp_path, monkeypatch, capsys):
    """The script is also type-checked, by `make lint`."""
    script = ROOT / "tests" / "user_script.py"
    named = {node.id for node in ast.walk(ast.parse(script.read_text())) if isinstance(node, ast.Name)}
    assert {name for name in seetopic.__all__ if not name.startswith("_")} <= named
    used = {node.attr for node in ast.walk(ast.parse(script.read_text())) if isinstance(node, ast.Attribute)}
    methods = {name for name, value in vars(seetopic.SeeTopic).items() if callable(value) and not name.startswith("_")}
    assert methods <= used
    monkeypatch.setattr(sys, "argv", [str(script), str(tmp_path)])
    runpy.run_path(str(script), run_name="__main__")
    assert "report.html" in capsys.readouterr().out


@pytest.mark.parametrize("names", ["Index", "Seeds", "Topics", "discover", "export"])
def test_importing_loads_none_of_the_slow_libraries(names):
    slow = ["torch", "transformers", "sentence_transformers", "sklearn", "scipy.stats", "pandas", "polars", "rich"]
    script = f"from seetopic import {names}\nimport sys\nprint([name for name in {slow} if name in sys.modules])"
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert done.stdout == "[]\n"


def test_the_readme_names_the_two_commands():
    text = (ROOT / "README.md").read_text()
    rules = (ROOT / "Makefile").read_text()
    for target in ("demo", "test"):
        assert f"make {target}" in text
        assert re.search(rf"^{target}:", rules, re.M)


def test_make_and_the_readme_say_how_to_get_the_command():
    told = subprocess.run(["make", "--dry-run", "demo"], cwd=ROOT, capture_output=True, text=True, check=True).stdout
    assert ". .venv/bin/activate" in told
    first_steps = (ROOT / "README.md").read_text().partition("## First steps")[2]
    assert first_steps.index("\n    . .venv/bin/activate\n") < first_steps.index("```sh")
