"""The application: routes, pages, and error responses."""

from __future__ import annotations

import logging
import sqlite3
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from functools import cache
from importlib import resources
from typing import Any

from fastapi import FastAPI, Request, Response
from fastapi.exceptions import RequestValidationError
from fastapi.responses import HTMLResponse, JSONResponse
from starlette.exceptions import HTTPException

from seetopic.errors import SeeTopicError
from seetopic.output import colours, figure_script
from seetopic.version import __version__
from seetopic.web.access import Access, Guard
from seetopic.web.errors import Missing, RequestError
from seetopic.web.routes import annotation, comparisons, corpora, documents, downloads, inspect, projects, teach
from seetopic.web.served_folder import readable
from seetopic.web.workbench import Workbench

_LOG = logging.getLogger("seetopic.web")
_KINDS = {"js": "text/javascript", "css": "text/css", "svg": "image/svg+xml", "html": "text/html"}
ROUTERS = (
    corpora.router,
    projects.router,
    inspect.router,
    documents.router,
    annotation.router,
    comparisons.router,
    downloads.router,
    teach.router,
)


def application(workbench: Workbench, access: Access) -> Guard:
    """The workbench as an ASGI application with access control."""

    @asynccontextmanager
    async def lifespan(_: FastAPI) -> AsyncIterator[None]:
        workbench.begin()
        yield
        workbench.close()

    app = _routed(lifespan)
    app.state.workbench = workbench
    _add_pages(app)
    _add_answers(app, workbench.corpora.plainly)
    return Guard(app, access)


def openapi_document() -> dict[str, Any]:
    """The OpenAPI document of the API, without a server."""
    return _routed(None).openapi()


def _routed(lifespan: Any) -> FastAPI:
    app = FastAPI(
        title="seetopic workbench",
        version=__version__,
        description="Everything that the workbench's page does. Requests need the header `X-Seetopic-Token` "
        "(or `Authorization: Bearer ...`) with the token from the link that the server prints.",
        openapi_url="/api/openapi.json",
        docs_url=None,  # it would load scripts from another site
        redoc_url=None,
        lifespan=lifespan,
    )
    for router in ROUTERS:
        app.include_router(router)
    return app


def _add_pages(app: FastAPI) -> None:
    @app.get("/", include_in_schema=False)
    async def home() -> HTMLResponse:
        return HTMLResponse(_page("index.html"))

    @app.get("/annotate/{secret}", include_in_schema=False)
    async def annotate(secret: str) -> HTMLResponse:
        return HTMLResponse(_page("annotate.html"))

    @app.get("/static/{name}", include_in_schema=False)
    async def static(name: str) -> Response:
        if name == "figures.css":
            return Response(colours(), media_type="text/css")
        if name == "figure.js":
            return Response(figure_script(), media_type="text/javascript")
        if name not in _files() or name.endswith(".html"):
            raise Missing(f"there is no page {name[:80]!r}; reload the workbench")
        return Response(_page(name), media_type=_KINDS[name.rpartition(".")[2]])


@cache
def _files() -> frozenset[str]:
    return frozenset(file.name for file in resources.files("seetopic.web").joinpath("page").iterdir())


@cache
def _page(name: str) -> str:
    return resources.files("seetopic.web").joinpath("page", name).read_text(encoding="utf-8")


def _add_answers(app: FastAPI, plainly: Callable[[str], str]) -> None:
    @app.exception_handler(SeeTopicError)
    def refused(_: Request, error: SeeTopicError) -> JSONResponse:
        if isinstance(error, RequestError):
            return _problem(error.status, error.kind, plainly(str(error)), **error.more)
        return _problem(400, "invalid", plainly(str(error)))

    @app.exception_handler(RequestValidationError)
    def invalid(_: Request, error: RequestValidationError) -> JSONResponse:
        first = error.errors()[0]
        where = ".".join(str(part) for part in first["loc"] if part not in ("body", "query", "path"))
        given = f", not {str(first['input'])[:60]!r}" if isinstance(first.get("input"), str | int | float) else ""
        return _problem(422, "invalid", f"{where[:200] or 'the request'}: {first['msg']}{given}")

    @app.exception_handler(HTTPException)
    def failed(_: Request, error: HTTPException) -> JSONResponse:
        sentences = {404: "this address does not exist", 405: "this address does not support the request's method"}
        kind = "missing" if error.status_code == 404 else "invalid"
        answer = _problem(error.status_code, kind, sentences.get(error.status_code, str(error.detail)))
        answer.headers.update(error.headers or {})
        return answer

    @app.exception_handler(sqlite3.Error)
    def unkept(request: Request, error: sqlite3.Error) -> JSONResponse:
        if getattr(error, "sqlite_errorcode", None) == sqlite3.SQLITE_FULL:
            return _problem(507, "failed", "the server's disk is full, so nothing was changed; free some space on it")
        return broken(request, error)

    @app.exception_handler(Exception)
    def broken(request: Request, error: Exception) -> JSONResponse:
        _LOG.error("%s %s failed", request.method, request.url.path, exc_info=error)
        return _problem(500, "failed", "an unexpected server error occurred; check whether your change was saved")


def _problem(status: int, kind: str, sentence: str, **more: Any) -> JSONResponse:
    return JSONResponse({"problem": readable(sentence), "kind": kind, **more}, status_code=status)
