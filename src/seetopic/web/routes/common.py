"""Definitions shared by all routes."""

from __future__ import annotations

from typing import Annotated, Any, Literal
from urllib.parse import quote

from fastapi import APIRouter, Depends, Path, Request, Response

from seetopic.web.downloads import CorpusFacts
from seetopic.web.projects import Kept
from seetopic.web.schemas import Frozen
from seetopic.web.workbench import Project, Workbench

Id = Annotated[str, Path(pattern=r"^[0-9a-f]{16}$")]
CategoryPath = Annotated[str, Path(pattern=r"^c[0-9]{1,9}$")]


class Problem(Frozen):
    """An error in one sentence; for a conflict, also the current state and who changed it."""

    problem: str
    kind: Literal["conflict", "missing", "refused", "invalid", "too_large", "busy", "failed", "needs_corpus"]
    project: Project | None = None  # the current state
    theirs: Any = None  # the current value of what the edit would change
    by: str | None = None
    corpus: CorpusFacts | None = None  # the documents that a project file needs


_WRONG: dict[int | str, dict[str, Any]] = {
    status: {"model": Problem, "description": about}
    for status, about in {
        400: "The request cannot be fulfilled; the message says why.",
        401: "A token is required.",
        403: "The request is not allowed.",
        404: "It does not exist, or no longer exists.",
        409: "Someone else has changed it, or it is not ready.",
        411: "The request has no Content-Length.",
        413: "A limit is exceeded.",
        422: "The request does not match the schema.",
        429: "Too many wrong tokens from this address.",
        507: "The server's disk is full; nothing was changed.",
    }.items()
}


def router_for(name: str) -> APIRouter:
    return APIRouter(prefix="/api", tags=[name], responses=_WRONG)


def workbench_of(request: Request) -> Workbench:
    workbench: Workbench = request.app.state.workbench
    return workbench


Bench = Annotated[Workbench, Depends(workbench_of)]


def kept_project(project: Id, workbench: Bench) -> Kept:
    return workbench.projects.get(project)


KeptProject = Annotated[Kept, Depends(kept_project)]


def file_of(kind: str) -> dict[int | str, dict[str, Any]]:
    """The OpenAPI description of an attachment."""
    held = {"type": "object" if kind == "application/json" else "string"}
    return {200: {"description": "A file to save.", "content": {kind: {"schema": held}}}}


def attachment(text: str, name: str, kind: str = "text/plain") -> Response:
    """A file to save; its name may contain any characters."""
    headers = {"content-disposition": f"attachment; filename*=UTF-8''{quote(name, safe='')}"}
    return Response(text.encode("utf-8"), media_type=f"{kind}; charset=utf-8", headers=headers)
