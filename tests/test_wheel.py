"""The wheel works with nothing installed but its dependencies."""

from __future__ import annotations

import importlib.metadata as metadata
import json
import os
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from planted import NAMES, planted_documents

ROOT = Path(__file__).parent.parent
pytestmark = pytest.mark.slow

# Runs commands of the package while some installed packages cannot be imported.
_COMMANDS = """
import json, os, sys
for name in json.loads(os.environ["NOT_INSTALLED"]):
    sys.modules[name] = None
from seetopic.cli import main
for arguments in json.loads(sys.argv[1]):
    sys.argv[1:] = arguments
    try:
        main()
    except SystemExit as end:
        if end.code:
            raise
"""


@pytest.fixture(scope="module")
def unpacked(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The contents of the wheel."""
    folder = tmp_path_factory.mktemp("wheel")
    build = [sys.executable, "-m", "build", "--wheel", "--no-isolation", "--outdir", folder, ROOT]
    built = subprocess.run(build, capture_output=True, text=True, check=False)
    assert built.returncode == 0, built.stdout + built.stderr
    (wheel,) = folder.glob("*.whl")
    with zipfile.ZipFile(wheel) as packed:
        packed.extractall(folder / "unpacked")
    return folder / "unpacked"


def asked_for(
    distribution: metadata.Distribution, extras: frozenset[str] = frozenset()
) -> set[tuple[str, frozenset[str]]]:
    """The requirements of a distribution here, by name and extras."""
    needed = set()
    for line in distribution.requires or ():
        each = Requirement(line)
        if each.marker is None or any(each.marker.evaluate({"extra": extra}) for extra in ("", *extras)):
            needed.add((canonicalize_name(each.name), frozenset(each.extras)))
    return needed


def dependencies(of: Path) -> set[str]:
    """The names of all distributions that installing the wheel brings in."""
    (own,) = metadata.distributions(path=[str(of)])
    seen: set[tuple[str, frozenset[str]]] = set()
    waiting = asked_for(own)
    while waiting:
        name, extras = each = waiting.pop()
        seen.add(each)
        waiting |= asked_for(metadata.distribution(name), extras) - seen
    return {name for name, _ in seen}


@pytest.fixture(scope="module")
def environment(unpacked: Path) -> dict[str, str]:
    """Environment variables of a process that sees only the wheel and its dependencies."""
    there = dependencies(unpacked)
    missing = [
        module
        for module, owners in metadata.packages_distributions().items()
        if module != "seetopic" and not there & {canonicalize_name(owner) for owner in owners}
    ]
    assert {"pandas", "fastapi", "pytest", "ray"} <= set(missing)
    assert not {"numpy", "torch", "click"} & set(missing)
    paths = os.pathsep.join([str(unpacked), *filter(None, [os.environ.get("PYTHONPATH")])])
    return {**os.environ, "PYTHONPATH": paths, "NOT_INSTALLED": json.dumps(missing)}


def test_the_wheel_has_the_command_and_all_files_of_the_package(unpacked):
    (own,) = metadata.distributions(path=[str(unpacked)])
    assert [(each.name, each.value) for each in own.entry_points] == [("seetopic", "seetopic.cli:main")]
    tracked = {path.relative_to(ROOT / "src") for path in (ROOT / "src").rglob("*") if path.is_file()}
    expected = {path for path in tracked if "__pycache__" not in path.parts}
    assert {path.relative_to(unpacked) for path in (unpacked / "seetopic").rglob("*") if path.is_file()} == expected


def test_the_demo_and_an_index_need_no_more_than_the_wheel_brings(environment, unpacked, demo_cache, tmp_path):
    (tmp_path / "docs.txt").write_text("\n".join(planted_documents(30)), encoding="utf-8")
    (tmp_path / "names.txt").write_text("\n".join(NAMES), encoding="utf-8")
    commands = [
        ["demo", "--out", "demo", "--cache", str(demo_cache), "--quiet"],
        ["discover", "docs.txt", "--seeds", "names.txt", "--out", "topics", "--cache", "new", "--quiet"],
        ["assign", "docs.txt", "--topics", "topics", "--out", "sorted.csv", "--quiet"],
    ]
    asked = [sys.executable, "-c", _COMMANDS, json.dumps(commands)]
    done = subprocess.run(asked, cwd=tmp_path, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert (tmp_path / "demo" / "report.html").exists()
    assert len((tmp_path / "sorted.csv").read_text(encoding="utf-8").splitlines()) == 31
