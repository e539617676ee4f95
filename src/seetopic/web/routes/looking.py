"""What stands behind topics, over HTTP."""

from __future__ import annotations

from typing import Annotated

from fastapi import Depends, Path, Query

from seetopic.web import looking
from seetopic.web.finding import Finding
from seetopic.web.limits import LETTERS, PAGE
from seetopic.web.names import CategoryId
from seetopic.web.routes.common import Bench, CategoryPath, KeptProject, router_for

router = router_for("looking")


def found_topics(workbench: Bench, kept: KeptProject) -> Finding:
    return workbench.finding(kept)


Found = Annotated[Finding, Depends(found_topics)]


@router.get("/projects/{project}/check")
def check(
    workbench: Bench,
    kept: KeptProject,
    name: Annotated[str, Query(min_length=1, max_length=LETTERS)],
    category: CategoryId | None = None,
) -> looking.NameCheck:
    """A name before it is one: does it occur, what is near it, which other names are."""
    asked = workbench.corpora.index(kept.corpus), kept.names, name.strip() or name, category
    if kept.names.are_heavy:
        return workbench.finder.do(looking.check_name, *asked, heavy=True)
    return looking.check_name(*asked)


@router.get("/projects/{project}/topics/{category}/term")
def why(
    workbench: Bench,
    found: Found,
    category: CategoryPath,
    term: Annotated[str, Query(min_length=1, max_length=LETTERS)],
) -> looking.WhyTerm:
    """Why a term stands in its topic."""
    return workbench.finder.of_run(looking.why, found, category, term)


@router.get("/projects/{project}/topics/{category}/passages")
def passages(workbench: Bench, found: Found, category: CategoryPath) -> looking.Passages:
    """Sentences that show a topic's terms."""
    return workbench.finder.of_run(looking.passages, found, category)


@router.get("/projects/{project}/topics/{category}/documents")
def documents(
    workbench: Bench,
    found: Found,
    category: CategoryPath,
    offset: Annotated[int, Query(ge=0, le=10**9)] = 0,
    limit: Annotated[int, Query(ge=1, le=PAGE)] = 20,
) -> looking.TopicDocuments:
    """Documents of a topic, the clearest first."""
    return workbench.finder.of_run(looking.documents_of, found, category, offset, limit)


@router.get("/projects/{project}/documents/{number}")
def document(workbench: Bench, found: Found, number: Annotated[int, Path(ge=0, le=10**9)]) -> looking.WholeDocument:
    """A document with the terms of all topics marked."""
    return workbench.finder.of_run(looking.document, found, number)


@router.get("/projects/{project}/overlap")
def overlap(workbench: Bench, found: Found) -> looking.Overlap:
    """How alike topics are."""
    return workbench.finder.of_run(looking.overlap, found)


@router.get("/projects/{project}/figures/{name}")
def figure(
    workbench: Bench, found: Found, name: looking.FigureName, width: Annotated[int, Query(ge=280, le=4000)] = 960
) -> looking.Picture:
    """A picture of the topics, as SVG whose colours are the page's."""
    return workbench.finder.of_run(looking.picture, found, name, width)
