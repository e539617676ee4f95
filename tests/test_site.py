"""The documentation site: built without warnings, complete, and working without a network."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass, field
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

import click
import pytest
from sklearn.base import BaseEstimator, TransformerMixin

import seetopic
from seetopic.cli import cli

ROOT = Path(__file__).parent.parent


@pytest.fixture(scope="session")
def site(made_once: Callable[[str, Callable[[Path], None]], Path]) -> Path:
    """The site as `make docs` builds it."""

    def fill(folder: Path) -> None:
        # As `python -m sphinx`, without the third of the time in which Python would look for garbage.
        script = "import gc, sys; gc.disable(); from sphinx.cmd.build import main; sys.exit(main() or gc.freeze())"
        command = [sys.executable, "-c", script, "-b", "html", "-n", "-W", "--keep-going", "-q"]
        environment = {**os.environ, "PYTHONPATH": str(ROOT / "src")}
        done = subprocess.run(
            [*command, "-d", str(folder / "doctrees"), str(ROOT / "docs"), str(folder / "html")],
            env=environment,
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == 0, done.stderr

    return made_once("site", fill) / "html"


@dataclass
class Seen(HTMLParser):
    """What a page links to, what it loads, and the anchors in it."""

    text: str
    links: list[str] = field(default_factory=list)
    loads: list[str] = field(default_factory=list)
    places: set[str] = field(default_factory=set)

    def __post_init__(self) -> None:
        super().__init__()
        self.feed(self.text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = {name: value or "" for name, value in attrs}
        self.places |= {given[name] for name in ("id", "name") if name in given}
        if tag == "a" and "href" in given:
            self.links.append(given["href"])
        elif tag == "link" and "href" in given:
            self.loads.append(given["href"])
        elif "src" in given:
            self.loads.append(given["src"])


@pytest.fixture(scope="module")
def pages(site: Path) -> dict[Path, Seen]:
    return {page: Seen(page.read_text(encoding="utf-8")) for page in sorted(site.rglob("*.html"))}


def test_every_link_inside_the_site_leads_somewhere(pages):
    for page, seen in pages.items():
        for link in [*seen.links, *seen.loads]:
            parts = urlsplit(link)
            if parts.scheme:
                continue
            target = (page.parent / unquote(parts.path)).resolve() if parts.path else page
            assert target.exists(), f"{page.name}: {link}"
            if parts.fragment and target in pages:
                assert unquote(parts.fragment) in pages[target].places, f"{page.name}: {link}"


def test_nothing_is_loaded_from_elsewhere(site, pages):
    for page, seen in pages.items():
        assert not [each for each in seen.loads if urlsplit(each).scheme or each.startswith("//")], page.name
    for sheet in site.rglob("*.css"):
        assert not re.findall(r"url\(['\"]?(?:https?:)?//", sheet.read_text(encoding="utf-8")), sheet.name


def test_every_command_and_every_public_name_is_in_the_reference(site, pages):
    commands = pages[site / "reference" / "commands.html"].places
    assert {f"seetopic-{name}" for name in cli.commands} <= commands
    names = pages[site / "reference" / "python.html"].places
    public = {name for name in seetopic.__all__ if not name.startswith("_")} - {"errors", "settings"}  # modules
    assert {f"seetopic.{name}" for name in public} | {"module-seetopic.errors", "module-seetopic.settings"} <= names
    estimator = seetopic.SeeTopic
    inherited = {*dir(BaseEstimator), *dir(TransformerMixin)} - vars(estimator).keys()  # scikit-learn documents these
    inherited |= {name for name in dir(estimator) if name.startswith("set_") and name.endswith("_request")}
    methods = [name for name in dir(estimator) if not name.startswith("_") and name not in inherited]
    assert {f"seetopic.SeeTopic.{name}" for name in methods} <= names


def test_every_option_is_explained():
    for name, command in cli.commands.items():
        for each in command.params:
            assert isinstance(each, click.Argument) or each.help, f"seetopic {name} {each.opts[0]}"


def test_the_seven_equations_are_there_as_mathml(site):
    page = (site / "equations.html").read_text(encoding="utf-8")
    assert page.count('class="equation"') >= 7
    equations = re.findall(r"<math.*?</math>", page, re.DOTALL)
    assert not [each for each in equations if "\\" in each], "a command of LaTeX that was not understood"
    for number in range(1, 8):
        assert any(f"&#x00028;</mo><mn>{number}</mn><mo" in each for each in equations), number


def test_pages_fit_the_screen_and_ask_for_nothing_outside(browser, pages):
    complaints: list[str] = []
    widths = (360, 1280)
    page = browser.new_page(viewport={"width": widths[0], "height": 800}, color_scheme="dark")
    page.on("console", lambda message: complaints.append(message.text))
    page.on("pageerror", lambda error: complaints.append(str(error)))
    page.on("request", lambda request: None if request.url.startswith("file:") else complaints.append(request.url))
    for path in pages:
        page.goto(path.as_uri())
        for width in widths:
            page.set_viewport_size({"width": width, "height": 800})
            wider = page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth")
            assert wider <= 0, f"{path.name} is {wider} pixels wider than a screen of {width}"
        assert not complaints, (path.name, complaints)
        widths = widths[::-1]  # the next page starts at the width this one ended with
    page.close()
