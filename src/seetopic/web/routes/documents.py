"""All documents over HTTP: search, trends, tables, and what the names miss."""

from __future__ import annotations

from typing import Annotated

from fastapi import Body, Query, Response
from fastapi.responses import FileResponse
from pydantic import Field

from seetopic.classify import DateOrder
from seetopic.web.columns import KeptColumn
from seetopic.web.document_tables import DocumentTable, Format
from seetopic.web.limits import PAGE, TITLE
from seetopic.web.routes.common import Bench, Id, KeptProject, file_of, router_for
from seetopic.web.routes.inspect import Found as FoundTopics
from seetopic.web.schemas import Frozen
from seetopic.web.search import Filter, FoundDocuments
from seetopic.web.trends import AskedTrends, ShownTrends
from seetopic.web.uncovered import Theme, UncoveredThemes, suggested, uncovered

router = router_for("documents")
_FILE = file_of("application/octet-stream")


class AskedSearch(Filter):
    offset: int = Field(default=0, ge=0, le=10**9)
    limit: int = Field(default=20, ge=1, le=PAGE)


class AskedTable(Frozen):
    """A table of sorted documents; `read` lets the language model read each one, which is slower and more accurate."""

    filter: Filter = Filter()
    format: Format = "csv"
    text: bool = True
    read: bool = False
    about: str = Field(default="", max_length=10 * TITLE)  # the filter in words, for the list of tables


@router.get("/projects/{project}/columns")
def columns(workbench: Bench, kept: KeptProject, dates: DateOrder | None = None) -> tuple[KeptColumn, ...]:
    """The columns kept beside the documents, and their values."""
    return workbench.columns(kept.corpus).all(dates)


@router.post("/projects/{project}/search")
def search(workbench: Bench, kept: KeptProject, asked: Annotated[AskedSearch, Body()]) -> FoundDocuments:
    """Search all documents. Sorting begins with the first request; until it ends, the response says how far it is."""
    return workbench.search(kept, Filter(**asked.model_dump(exclude={"offset", "limit"})), asked.offset, asked.limit)


@router.post("/projects/{project}/trends")
def trends(
    workbench: Bench,
    kept: KeptProject,
    asked: Annotated[AskedTrends, Body()],
    width: Annotated[int, Query(ge=280, le=4000)] = 960,
) -> ShownTrends:
    """Shares of the categories over time or by group, with 95 % intervals."""
    return workbench.trends(kept, asked, width)


@router.get("/projects/{project}/uncovered")
def what_names_miss(workbench: Bench, found: FoundTopics) -> UncoveredThemes:
    """The share of documents that the names cover, and themes of the others."""
    return workbench.finder.of_run(uncovered, found)


@router.get("/corpora/{corpus}/suggestions")
def suggestions(workbench: Bench, corpus: Id, number: Annotated[int, Query(ge=1, le=50)] = 10) -> tuple[Theme, ...]:
    """Themes of a corpus, as names to start with."""
    return workbench.finder.do(suggested, workbench.corpora.index(corpus), number)


@router.get("/projects/{project}/tables")
def tables(workbench: Bench, kept: KeptProject) -> list[DocumentTable]:
    """Tables of sorted documents, newest first."""
    return workbench.tables.of_project(kept.id)


@router.post("/projects/{project}/tables", status_code=202)
def make_table(workbench: Bench, kept: KeptProject, asked: Annotated[AskedTable, Body()]) -> DocumentTable:
    """Sort all documents that fit a filter, in the background, into a table to download."""
    return workbench.make_table(
        kept, asked.filter, asked.format, about=asked.about, with_text=asked.text, read=asked.read
    )


@router.get("/projects/{project}/tables/{table}")
def table(workbench: Bench, kept: KeptProject, table: Id) -> DocumentTable:
    """One table; while it is being made, with the progress."""
    return workbench.tables.get(kept.id, table)


@router.get("/projects/{project}/tables/{table}/file", response_class=FileResponse, responses=_FILE)
def table_file(workbench: Bench, kept: KeptProject, table: Id) -> FileResponse:
    """The file of a table."""
    path, name = workbench.tables.file(kept.id, table)
    return FileResponse(path, filename=name, media_type="application/octet-stream")


@router.delete("/projects/{project}/tables/{table}", status_code=204)
def remove_table(workbench: Bench, kept: KeptProject, table: Id) -> Response:
    """Remove a table, or stop making it."""
    workbench.tables.remove(kept.id, table)
    return Response(status_code=204)
