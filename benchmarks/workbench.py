"""Measures the workbench: time from edit to new topics, ten people at once, memory over many edits, start-up time.

    python benchmarks/workbench.py FOLDER [NAME ...] [--indexes INDEXES] [--edits 50] [--many 100] [--cache CACHE]
        > benchmarks/results/workbench.json

FOLDER contains NAME.jsonl.gz and NAME.seeds.txt, INDEXES may contain NAME.index. The page is shown in Chromium; the
time of an edit runs from the final key press to the frame in which the new topics are painted.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx
import numpy as np
import psutil
from playwright.sync_api import Browser, Page, sync_playwright

from seetopic import Index
from seetopic.corpus import read_seeds
from seetopic.corpus.demo import NAMES, demo_documents

WORDS = (
    *("gifts for children", "garden", "camping", "travel guides", "home repair", "jewellery", "shoes", "cameras"),
    *("fitness", "baby care", "cooking", "phones", "science fiction", "horror films", "make-up", "board games"),
)
_RECORDER = """() => {
  window.took = [];
  let began = null, tell;
  document.addEventListener("keydown", (event) => {
    if (!["Enter", "a", "r"].includes(event.key)) return;
    began = performance.now();
    window.drawn = new Promise((resolve) => (tell = resolve));
  }, true);
  const drawn = () => requestAnimationFrame(() => setTimeout(() => {
    if (began === null) return;
    window.took.push(performance.now() - began);
    began = null;
    tell();
  }));
  const topics = document.querySelector(".topic-cards");
  new MutationObserver(drawn).observe(topics, { attributes: true, attributeFilter: ["data-version"] });
}"""
# Playwright's own way of waiting asks in every frame, which takes processor time from the server.
_DRAWN = "() => window.drawn"


@dataclass(frozen=True)
class Server:
    """A workbench running in its own process."""

    url: str
    token: str
    process: subprocess.Popen[str]
    client: httpx.Client

    def post(self, path: str, **body: Any) -> Any:
        answer = self.client.post(f"/api{path}", json=body)
        answer.raise_for_status()
        return answer.json()

    def project(self, names: list[str]) -> dict[str, Any]:
        corpus = self.client.get("/api/corpora").json()[0]["id"]
        made: dict[str, Any] = self.post("/projects", corpus=corpus, names=names)
        return made

    @property
    def megabytes(self) -> float:
        return float(psutil.Process(self.process.pid).memory_info().rss / 1e6)


@contextmanager
def serving(index: Path, data: Path, cache: Path | None) -> Iterator[Server]:
    """Run the command as a user would."""
    command = [
        sys.executable,
        "-m",
        "seetopic",
        "serve",
        str(index),
        "--data",
        str(data),
        "--no-browser",
        "--port",
        "0",
    ]
    command += ["--cache", str(cache)] if cache else []
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        found = re.search(r"http://[^/\s]+", process.stdout.readline())
        assert found is not None, "the server did not start"
        token = (data / "token").read_text()
        try:
            with httpx.Client(base_url=found[0], headers={"X-Seetopic-Token": token}, timeout=60) as client:
                yield Server(found[0], token, process, client)
        finally:  # otherwise an error here would wait for the server forever
            process.terminate()


def start_seconds(index: Path, data: Path, browser: Browser, project: str, cache: Path | None) -> dict[str, float]:
    """Seconds from the command until the page is usable: until a project's first name can be edited."""
    started = time.perf_counter()
    with serving(index, data, cache) as server:
        page = browser.new_page()
        sizes: list[int] = []
        page.on("requestfinished", lambda request: sizes.append(_weight(request)))
        page.goto(f"{server.url}/?token={server.token}#/project/{project}/topics")
        page.locator(".row input.name").first.wait_for()
        usable = time.perf_counter() - started
        page.locator(".topic-cards[data-version]").wait_for()
        topics = time.perf_counter() - started
        page.close()
    return {"usable": usable, "with topics": topics, "page_megabytes": sum(sizes) / 1e6}


def _weight(request: Any) -> int:
    sizes = request.sizes()
    return int(sizes["responseBodySize"] + sizes["responseHeadersSize"])


def opened(server: Server, page: Page, project: str) -> None:
    page.goto(f"{server.url}/?token={server.token}#/project/{project}/topics")
    page.locator(".topic-cards[data-version]").wait_for()
    page.evaluate(_RECORDER)


def taken(page: Page) -> list[float]:
    return [milliseconds / 1000 for milliseconds in page.evaluate("window.took")]


def edit_seconds(server: Server, page: Page, project: str, edits: int) -> list[float]:
    """Type a new name again and again, each time for another category."""
    opened(server, page, project)
    fields = page.locator(".row input.name")
    number = fields.count()
    for edit in range(edits):
        field = fields.nth(edit % number)
        field.click()
        field.fill(f"{WORDS[edit % len(WORDS)]} {'' if edit < len(WORDS) else edit}".strip())
        field.press("Enter")
        page.evaluate(_DRAWN)
    return taken(page)


def judge_seconds(server: Server, page: Page, project: str, edits: int, key: str) -> list[float]:
    """Accept (a) or reject (r) a term again and again, each time of another topic, while terms are left."""
    opened(server, page, project)
    for fold in page.locator(".topic.folded .topic-line .fold").all()[::-1]:  # a folded topic may have no terms yet
        fold.click()
    left = page.locator(".topic .terms > .term[data-state='']")
    left.first.wait_for()
    number, terms = page.locator(".topic").count(), left.count()
    for edit in range(min(edits, terms)):
        topic = page.locator(".topic").nth(edit % number)
        topic.locator(".terms > .term[data-state=''] .term-main").first.press(key)
        page.evaluate(_DRAWN)
    return taken(page)


def people_at_once(server: Server, names: list[str], people: int, edits: int) -> tuple[list[float], int]:
    """Each person has a project and makes an edit as soon as the last one is answered; all seconds, and errors."""
    took: list[float] = []
    errors: list[str] = []

    def person(number: int) -> None:
        made = server.project(names)
        version, category = made["version"], made["categories"][0]["id"]
        for edit in range(edits):
            asked = {"kind": "rename", "category": category, "name": f"{WORDS[(edit + number) % len(WORDS)]} {number}"}
            began = time.perf_counter()
            try:
                result = server.post(f"/projects/{made['id']}/edits", base=version, by=f"person {number}", edit=asked)
                version = result["project"]["version"]
                if result["topics"] is None:
                    errors.append(result["problem"])
            except httpx.HTTPError as error:
                errors.append(str(error))
            took.append(time.perf_counter() - began)

    threads = [threading.Thread(target=person, args=(number,)) for number in range(people)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return took, len(errors)


def memory_over(server: Server, names: list[str], edits: int) -> dict[str, float]:
    """The server's memory after a warm-up, and after many edits of names and terms."""
    made = server.project(names)
    version, categories = made["version"], [each["id"] for each in made["categories"]]
    sizes = []
    for edit in range(edits):
        category = categories[edit % len(categories)]
        term = f"{WORDS[edit % len(WORDS)]} {edit}"
        kinds = (
            {"kind": "rename", "name": term},
            {"kind": "pin", "term": "market"},
            {"kind": "free", "term": "market"},
        )
        result = server.post(
            f"/projects/{made['id']}/edits", base=version, by="", edit={"category": category, **kinds[edit % 3]}
        )
        version = result["project"]["version"]
        if edit % 20 == 0:
            server.client.get(f"/api/projects/{made['id']}/figures/map")
            server.client.get(f"/api/projects/{made['id']}/topics/{category}/documents")
        sizes.append(server.megabytes)
    tenth = len(sizes) // 10
    time.sleep(2)
    return {
        "edits": edits,
        "megabytes_after_a_tenth": round(float(np.median(sizes[tenth : 2 * tenth])), 1),
        "megabytes_at_the_end": round(float(np.median(sizes[-tenth:])), 1),
        "megabytes_at_rest": round(server.megabytes, 1),
    }


def told(seconds: list[float]) -> dict[str, float]:
    return {
        "edits": len(seconds),
        "median": round(float(np.median(seconds)), 3),
        "p95": round(float(np.quantile(seconds, 0.95)), 3),
        "slowest": round(max(seconds), 3),
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("names", nargs="*", default=["amazon", "huffpost"])
    parser.add_argument("--indexes", type=Path, help="a folder with existing indexes")
    parser.add_argument("--edits", type=int, default=50)
    parser.add_argument("--many", type=int, default=100, help="edits over which memory is watched")
    parser.add_argument("--cache", type=Path)
    options = parser.parse_args()
    chromium = os.environ.get("CHROMIUM") or shutil.which("chromium-headless-shell") or shutil.which("chromium")
    result: dict[str, Any] = {"cores": os.cpu_count(), "load": round(os.getloadavg()[0], 1)}
    with tempfile.TemporaryDirectory() as place, sync_playwright() as playwright:
        work = Path(place)
        browser = playwright.chromium.launch(executable_path=chromium, args=["--no-sandbox"])
        for name in (*options.names, "demo"):
            index, data = (options.indexes or work) / f"{name}.index", work / f"{name}-data"
            if not index.exists():
                index = work / f"{name}.index"
                source = demo_documents() if name == "demo" else options.folder / f"{name}.jsonl.gz"
                Index.build(source, index, cache=options.cache)
            own = list(NAMES if name == "demo" else read_seeds(options.folder / f"{name}.seeds.txt").names)
            result[name] = {"names": len(own), "documents": len(Index.open(index))}
            with serving(index, data, options.cache) as server:
                page = browser.new_page()
                project = server.project(own)["id"]
                result[name]["edit_seconds"] = told(edit_seconds(server, page, project, options.edits))
                for verb in ("accept", "reject"):
                    judged = judge_seconds(server, page, server.project(own)["id"], options.edits, verb[0])
                    result[name][f"{verb}_seconds"] = told(judged)
                page.close()
                if name == "demo":
                    took, errors = people_at_once(server, own, 10, 10)
                    result[name]["ten_people"] = {**told(took), "errors": errors}
                result[name]["memory"] = memory_over(server, own, options.many)
            starts = [start_seconds(index, data, browser, project, options.cache) for _ in range(3)]
            result[name]["start"] = {key: round(float(np.median([one[key] for one in starts])), 3) for key in starts[0]}
        browser.close()
    print(json.dumps(result, indent=1))


if __name__ == "__main__":
    main()
