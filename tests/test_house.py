"""The floor plan: twelve packages, each used through its public names, and no name used for two things."""

import ast
import re
import tomllib
from collections import Counter
from importlib import import_module
from pathlib import Path

import pytest

import seetopic

HOME = Path(seetopic.__file__).parent
PACKAGES = sorted(path.parent.name for path in HOME.glob("*/__init__.py"))
SOURCES = sorted(HOME.rglob("*.py"))


def imports_of(source: Path) -> list[tuple[str, list[str]]]:
    tree = ast.parse(source.read_text(encoding="utf-8"))
    found = [node for node in ast.walk(tree) if isinstance(node, ast.ImportFrom) and node.module]
    assert all(node.level == 0 for node in found), f"{source}: imports are absolute"
    return [(node.module, [each.name for each in node.names]) for node in found if node.module.startswith("seetopic")]


def test_there_are_twelve_packages_and_three_modules():
    assert len(PACKAGES) == 12
    assert {path.name for path in HOME.glob("*.py")} == {
        "__init__.py", "__main__.py", "errors.py", "settings.py", "version.py",
    }  # fmt: skip


@pytest.mark.parametrize("package", PACKAGES)
def test_a_package_says_what_it_is_for_and_what_others_may_use(package):
    module = import_module(f"seetopic.{package}")
    assert module.__doc__
    assert all(hasattr(module, name) for name in module.__all__)


@pytest.mark.parametrize("source", SOURCES, ids=lambda path: str(path.relative_to(HOME)))
def test_other_packages_are_imported_by_their_public_names(source):
    own = source.relative_to(HOME).parts[0]
    for module, names in imports_of(source):
        package, _, inner = module.removeprefix("seetopic").removeprefix(".").partition(".")
        if package in PACKAGES and package != own:
            assert not inner, f"{source} reaches into {module}"
            assert set(names) <= set(import_module(f"seetopic.{package}").__all__), f"{source}: {module} {names}"


def test_no_class_name_is_used_twice():
    names = Counter(
        node.name
        for source in SOURCES
        for node in ast.walk(ast.parse(source.read_text(encoding="utf-8")))
        if isinstance(node, ast.ClassDef)
    )
    assert [name for name, times in names.items() if times > 1] == []


def test_the_architecture_page_names_every_package_and_only_what_exists():
    page = (HOME.parent.parent / "docs" / "architecture.md").read_text(encoding="utf-8")
    assert re.findall(r"^\| `([a-z]+)` \|", page, re.M) == layers()
    rows = page.split("## Where to look")[1].strip().splitlines()[2:]
    assert len(rows) >= 20
    for row in rows:
        for named in re.findall(r"`([a-z_]+(?:/[a-z_]*)*(?:\.py)?)`", row.split("|")[2]):
            if "/" in named or named.endswith(".py"):
                assert (HOME / named).exists(), named


def layers() -> list[str]:
    """The packages from top to bottom, as import-linter is told."""
    contract = tomllib.loads((HOME.parent.parent / "pyproject.toml").read_text(encoding="utf-8"))
    named = contract["tool"]["importlinter"]["contracts"][0]["layers"]
    assert len(named) <= 14
    return [layer.removeprefix("seetopic.") for layer in named if layer.removeprefix("seetopic.") in PACKAGES]
