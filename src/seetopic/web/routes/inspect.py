"""Details of topics over HTTP."""

from __future__ import annotations

from typing import Annotated

from fastapi import Depends, Path, Query

from seetopic.web import inspect
from seetopic.web.limits import LETTERS, PAGE
from seetopic.web.overview import Overview
from seetopic.web.overview import overview as overview_of
from seetopic.web.routes.common import Bench, CategoryPath, KeptProject, router_for
from seetopic.web.schemas import CategoryId
from seetopic.web.topic_service import Finding

router = router_for("details")


def found_topics(workbench: Bench, kept: KeptProject) -> Finding:
    return workbench.finding(kept)


Found = Annotated[Finding, Depends(found_topics)]


@router.get("/projects/{project}/check")
def check(
    workbench: Bench,
    kept: KeptProject,
    name: Annotated[str, Query(min_length=1, max_length=LETTERS)],
    category: CategoryId | None = None,
) -> inspect.NamePreview:
    """Check a name before adding it: whether it occurs, its nearest terms, and close names."""
    asked = workbench.corpora.index(kept.corpus), kept.names, name.strip() or name, category
    if kept.names.are_heavy:
        return workbench.finder.do(inspect.check_name, *asked, heavy=True)
    return inspect.check_name(*asked)


@router.get("/projects/{project}/topics/{category}/term")
def why(
    workbench: Bench,
    found: Found,
    category: CategoryPath,
    term: Annotated[str, Query(min_length=1, max_length=LETTERS)],
) -> inspect.WhyTerm:
    """Why a term is in its topic."""
    return workbench.finder.of_run(inspect.why, found, category, term)


@router.get("/projects/{project}/topics/{category}/passages")
def passages(workbench: Bench, found: Found, category: CategoryPath) -> inspect.Passages:
    """Sentences with a topic's terms."""
    return workbench.finder.of_run(inspect.passages, found, category)


@router.get("/projects/{project}/topics/{category}/documents")
def documents(
    workbench: Bench,
    found: Found,
    category: CategoryPath,
    offset: Annotated[int, Query(ge=0, le=10**9)] = 0,
    limit: Annotated[int, Query(ge=1, le=PAGE)] = 20,
) -> inspect.TopicDocuments:
    """Documents of a topic, clearest first."""
    return workbench.finder.of_run(inspect.documents_of, found, category, offset, limit)


@router.get("/projects/{project}/documents/{number}")
def document(
    workbench: Bench, kept: KeptProject, found: Found, number: Annotated[int, Path(ge=0, le=10**9)]
) -> inspect.WholeDocument:
    """A document with the terms of all topics marked."""
    return workbench.finder.of_run(inspect.document, found, number, workbench.columns(kept.corpus))


@router.get("/projects/{project}/overview")
def overview(workbench: Bench, found: Found) -> Overview:
    """One line per topic: its share of the documents, and how many of these its terms find."""
    return workbench.finder.do(overview_of, found, heavy=True)  # the next edit does not wait for it


@router.get("/projects/{project}/overlap")
def overlap(workbench: Bench, found: Found) -> inspect.Overlap:
    """How similar topics are."""
    return workbench.finder.of_run(inspect.overlap, found)


@router.get("/projects/{project}/figures/{name}")
def figure(
    workbench: Bench, found: Found, name: inspect.FigureName, width: Annotated[int, Query(ge=280, le=4000)] = 960
) -> inspect.Picture:
    """A figure of the topics, as SVG in the page's colours."""
    return workbench.finder.of_run(inspect.picture, found, name, width)
