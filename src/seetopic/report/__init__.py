"""The report: one self-contained page that shows topics, and what speaks for them."""

from __future__ import annotations

from pathlib import Path

from seetopic.assign import Sorter
from seetopic.documents import Documents
from seetopic.figures.scene import Scene
from seetopic.files import write_text
from seetopic.report.page import Page
from seetopic.run import Discovery
from seetopic.topics import Topics

REPORT = "report.html"


def write_report(
    found: Discovery | Topics,
    folder: str | Path,
    *,
    documents: Documents | None = None,
    sorter: Sorter | None = None,
    command: str | None = None,
) -> Path:
    """Write `report.html` into the folder, whole or not at all; gives its path."""
    path = Path(folder) / REPORT
    write_text(path, report_html(found, documents=documents, sorter=sorter, command=command))
    return path


def report_html(
    found: Discovery | Topics,
    *,
    documents: Documents | None = None,
    sorter: Sorter | None = None,
    command: str | None = None,
) -> str:
    """The page as text; whatever came from documents or names is escaped.

    Topics alone give a page without maps and sentences. `documents` are those of the index: if they are few
    enough to be read through at once, sentences are quoted from them. A `sorter` saves the time to make one, and a
    `command` is shown in place of the commands that the settings give.
    """
    if isinstance(found, Topics):
        return Page(found, command=command).html()
    return Page(found.topics, Scene(found, sorter), documents, command).html()


__all__ = ["REPORT", "report_html", "write_report"]
