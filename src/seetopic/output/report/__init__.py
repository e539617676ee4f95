"""The report: one self-contained page that shows topics and the evidence for them."""

from __future__ import annotations

from concurrent.futures import Future
from pathlib import Path
from typing import Any

from seetopic.classify import Sorter, Trends
from seetopic.discovery import Topics, results_in
from seetopic.errors import OutputError
from seetopic.output.charts.scene import Drawable, Scene
from seetopic.output.report.page import Page
from seetopic.output.report.passages import Quotable
from seetopic.runtime import write_text

REPORT = "report.html"


def write_report(
    found: Drawable | Topics,
    folder: str | Path,
    *,
    documents: Quotable | None = None,
    sorter: Sorter | Future[Sorter] | None = None,
    command: str | None = None,
    trends: Trends | None = None,
) -> Path:
    """Write `report.html` into the folder, completely or not at all; returns its path."""
    path = Path(folder) / REPORT
    results_in(path.parent).complete()  # otherwise an older report would replace this one
    write_text(path, report_html(found, documents=documents, sorter=sorter, command=command, trends=trends))
    return path


def report_html(
    found: Drawable | Topics,
    *,
    documents: Quotable | None = None,
    sorter: Sorter | Future[Sorter] | None = None,
    command: str | None = None,
    trends: Trends | None = None,
) -> str:
    """The page as text; everything that comes from documents or names is escaped.

    From `Topics` the page has no maps and no sentences. `documents` are those of the index: if there are few
    enough to read quickly, sentences are quoted from them. A `sorter` saves the time to make one, even if another
    thread is still making it, and a `command` is shown instead of the commands derived from the settings. `trends`
    are shown in sections of their own.
    """
    if isinstance(found, Topics):
        _check_facts(found.made_with)
        return Page(found, command=command, trends=trends).html()
    scene = found if isinstance(found, Scene) else Scene(found.query, found.topics, sorter or found)
    _check_facts(scene.topics.made_with)
    return Page(scene.topics, scene, documents, command, trends).html()


def _check_facts(made: dict[str, Any]) -> None:
    """Topics may come from any file: everything the page says about how they were made must be present."""
    try:
        corpus, settings = made["corpus"], made.get("settings", {})
        fine = (
            all(isinstance(corpus[count], int) for count in ("documents", "tokens", "terms"))
            and all(isinstance(count, int) for count in corpus.get("skipped", {}).values())
            and all(isinstance(text, str) for text in (*corpus.get("languages", ()), *corpus.get("warnings", ())))
            and all(isinstance(text, str) for text in (corpus["name"], made["version"], _method(made)))
            and isinstance(corpus.get("sha256", ""), str)
            and isinstance(parts := corpus.get("parts", []), list)
            and all(isinstance(part["name"], str) and isinstance(part["documents"], int) for part in parts)
            and all(isinstance(model["name"], str) for model in (made["model"], made.get("reader", made["model"])))
            and isinstance((judged := made.get("judgements", {"number": 0, "sha256": ""}))["number"], int)
            and isinstance(judged["sha256"], str)
            and isinstance(settings.get("discovery", {}).get("checked_ranks", 0), int)
        )
    except (KeyError, TypeError, AttributeError) as error:
        raise OutputError(
            f"the topics have no valid record of how they were made ({error}); discover them again"
        ) from error
    if not fine:
        raise OutputError(
            "the topics have no valid record of how they were made (a value has the wrong type); discover them again"
        )


def _method(made: dict[str, Any]) -> Any:
    return made["preset"] if "preset" in made else made["method"]


__all__ = ["REPORT", "report_html", "write_report"]
