"""Downloads over HTTP."""

from __future__ import annotations

import json
from typing import Annotated

from fastapi import Query, Response

from seetopic.web import downloads
from seetopic.web.routes.common import Bench, KeptProject, attachment, file_of, router_for
from seetopic.web.routes.inspect import Found

router = router_for("downloads")
_JSON = "application/json"


@router.get("/projects/{project}/export/{format}", response_class=Response, responses=file_of("text/plain"))
def export(
    found: Found,
    format: str,
    variants: bool = True,
    min_confidence: Annotated[float, Query(ge=0, le=1)] = 0.0,
    accepted: bool = False,
) -> Response:
    """Topics in another tool's format; with `accepted`, only accepted terms and names."""
    return attachment(*downloads.exported(found, format, variants, min_confidence, accepted))


@router.get("/projects/{project}/report.html", response_class=Response, responses=file_of("text/html"))
def report(workbench: Bench, found: Found) -> Response:
    """The report, as one self-contained page."""
    return attachment(workbench.finder.of_run(downloads.report, found), "report.html", "text/html")


@router.get("/projects/{project}/topics.json", response_class=Response, responses=file_of("application/json"))
def topics_json(found: Found) -> Response:
    """The topics as `seetopic discover --out` writes them."""
    return attachment(json.dumps(found.topics.to_json(), ensure_ascii=False, indent=1) + "\n", "topics.json", _JSON)


@router.get("/projects/{project}/topics.csv", response_class=Response, responses=file_of("text/csv"))
def topics_csv(found: Found) -> Response:
    """The topics as a table, as `seetopic discover --out` writes it."""
    return attachment(found.topics.to_csv(), "topics.csv", "text/csv")


@router.get("/projects/{project}/project.json", response_class=Response, responses=file_of("application/json"))
def project_file(found: Found, kept: KeptProject) -> Response:
    """The project as a file that can be opened elsewhere."""
    file = downloads.project_file(kept.names.title, kept.names, found)
    return attachment(file.model_dump_json(indent=1) + "\n", f"{kept.names.title}.seetopic.json", _JSON)


@router.get("/projects/{project}/again")
def again(found: Found) -> downloads.Again:
    """Commands and Python code that reproduce the topics."""
    return downloads.again(found)
