"""What all routes share."""

from __future__ import annotations

from typing import Annotated, Any, Literal
from urllib.parse import quote

from fastapi import APIRouter, Depends, Path, Request, Response
from pydantic import StringConstraints

from seetopic.web.downloads import CorpusFacts
from seetopic.web.limits import TITLE
from seetopic.web.projects import Kept
from seetopic.web.schemas import Frozen
from seetopic.web.workbench import Project, Workbench

Id = Annotated[str, Path(pattern=r"^[0-9a-f]{16}$")]
CategoryPath = Annotated[str, Path(pattern=r"^c[0-9]{1,9}$")]
Person = Annotated[str, StringConstraints(strip_whitespace=True, max_length=TITLE)]


class Problem(Frozen):
    """What went wrong, in one sentence; of a conflict also what there is now, and whose it is."""

    problem: str
    kind: Literal["conflict", "missing", "refused", "invalid", "too_large", "busy", "failed", "needs_corpus"]
    project: Project | None = None  # the newest
    theirs: Any = None  # what stands where the edit would be made
    by: str | None = None
    corpus: CorpusFacts | None = None  # which documents a project file needs


_WRONG: dict[int | str, dict[str, Any]] = {
    status: {"model": Problem, "description": about}
    for status, about in {
        400: "What was asked cannot be done; the sentence says why.",
        401: "A token is needed.",
        403: "This may not be done.",
        404: "It is not there, or not any more.",
        409: "Somebody else changed it, or it is not ready.",
        411: "The request does not say how long it is.",
        413: "More than is allowed.",
        422: "The request does not fit the schema.",
        429: "Too many wrong tokens came from this address.",
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
    """How the API's document tells of an attachment."""
    held = {"type": "object" if kind == "application/json" else "string"}
    return {200: {"description": "A file to save.", "content": {kind: {"schema": held}}}}


def attachment(text: str, name: str, kind: str = "text/plain") -> Response:
    """A file to save; its name may hold any letters."""
    headers = {"content-disposition": f"attachment; filename*=UTF-8''{quote(name, safe='')}"}
    return Response(text.encode("utf-8"), media_type=f"{kind}; charset=utf-8", headers=headers)
