"""Makes the pictures of the demo: screenshots of its report and of the workbench in Chromium, and its figures.

The demo's topics go to results/demo.json, for the table in the README.

python benchmarks/picture.py docs
"""

from __future__ import annotations

import os
import random
import shutil
import sys
import tempfile
from pathlib import Path
from typing import Any

from playwright.sync_api import sync_playwright

from page import RESULTS
from seetopic import Index, Topics
from seetopic.classify import AssignOptions, DocumentStream, TrendOptions, Trends, sorter_of, trends_of_documents
from seetopic.corpus.demo import NAMES, demo_documents
from seetopic.discovery.run import Discovery, run_of
from seetopic.output.charts import (
    barchart,
    documents_map,
    documents_per_topic,
    heatmap,
    shares_chart,
    term_rank,
    topics_map,
)
from seetopic.output.report import write_report
from seetopic.runtime import write_json
from workbench import serving

SIZE = {"width": 1240, "height": 1160}


def photographed(report: Path, out: Path) -> None:
    with sync_playwright() as playwright:
        path = os.environ.get("CHROMIUM") or shutil.which("chromium-headless-shell") or shutil.which("chromium")
        browser = playwright.chromium.launch(executable_path=path, args=["--no-sandbox"])
        page = browser.new_page(viewport=SIZE, color_scheme="light", reduced_motion="reduce")
        page.goto(report.as_uri())
        page.locator(".terms summary").first.click()
        page.mouse.move(0, 0)
        page.evaluate("document.activeElement.blur()")
        page.screenshot(path=out)
        browser.close()


def photographed_workbench(index: Path, work: Path, out: Path) -> None:
    """The workbench after a name was added and a term accepted, with the changes marked."""
    with serving(index, work / "data", None) as server, sync_playwright() as playwright:
        project = server.project(list(NAMES))["id"]
        path = os.environ.get("CHROMIUM") or shutil.which("chromium-headless-shell") or shutil.which("chromium")
        browser = playwright.chromium.launch(executable_path=path, args=["--no-sandbox"])
        page = browser.new_page(viewport={"width": 1240, "height": 860}, color_scheme="light", reduced_motion="reduce")
        page.goto(f"{server.url}/?token={server.token}#/project/{project}/topics")
        page.locator(".topic-cards[data-version='1']").wait_for()
        page.get_by_label("Name of category 1").fill("film and music")
        page.get_by_label("Name of category 1").press("Enter")
        page.locator(".topic-cards[data-version='2']").wait_for()
        page.get_by_label("Name of category 4").fill("football")
        page.locator(".topic .share b", has_text="%").first.wait_for()
        page.wait_for_timeout(1500)  # until the preview of the typed name is shown
        page.screenshot(path=out)
        browser.close()


def dated(run: Discovery) -> Trends:
    """The demo's articles with made-up dates: there is more sport from July on."""
    stream, chance = DocumentStream(run.index, sorter_of(run)), random.Random(0)
    sport = run.seeds.names.index("sports and athletics")
    months = [
        chance.choice([*range(1, 13), *(range(7, 13) if best == sport else [])])
        for best in stream.placement(AssignOptions()).best
    ]
    dates = {"date": [f"2025-{month:02d}-01" for month in months]}
    options = TrendOptions(time="date", by="month")
    return trends_of_documents(stream, dates, AssignOptions(), options, source="the demo")


def shown(topics: Topics) -> list[dict[str, Any]]:
    return [
        {"name": topic.name, "confidence": topic.confidence, "terms": [each.term for each in topic.terms]}
        for topic in topics
    ]


def main(folder: Path) -> None:
    with tempfile.TemporaryDirectory() as work:
        documents = demo_documents()
        run = run_of(Index.build(documents, Path(work) / "index"), list(NAMES))
        write_json(RESULTS / "demo.json", shown(run.topics))
        over_time = dated(run)
        photographed_workbench(Path(work) / "index", Path(work), folder / "workbench.png")
        photographed(write_report(run, work, documents=documents, command="seetopic demo"), folder / "report.png")
    figures = {
        "figures/trends.svg": shares_chart(over_time),
        "map.svg": topics_map(run),
        "figures/barchart.svg": barchart(run),
        "figures/documents.svg": documents_map(run, documents=300),
        "figures/documents_per_topic.svg": documents_per_topic(run),
        "figures/heatmap.svg": heatmap(run),
        "figures/term_rank.svg": term_rank(run),
    }
    for name, figure in figures.items():
        figure.save(folder / name)
    for name in ("report.png", "workbench.png", *figures):
        print(f"{folder / name}: {(folder / name).stat().st_size:,} bytes")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
