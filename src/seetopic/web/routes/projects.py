"""Projects over HTTP: names, edits, undo and redo, history."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Annotated, Any

from fastapi import Body, Header, Response
from pydantic import Field

from seetopic.web.downloads import read_project
from seetopic.web.edits import Edit
from seetopic.web.errors import Conflict, NeedsCorpus
from seetopic.web.limits import CATEGORIES
from seetopic.web.projects import Entry, Kept
from seetopic.web.routes.common import Bench, Id, KeptProject, router_for
from seetopic.web.schemas import Frozen, Level, Names, Person, Text, Title, outline, renumbered, with_new
from seetopic.web.workbench import Project, Result, Workbench, shown_project

router = router_for("projects")
IdText = Annotated[str, Field(pattern=r"^[0-9a-f]{16}$")]
_NO_CONTENT: dict[int | str, dict[str, Any]] = {304: {"description": "The project has not changed since this version."}}


class ListedProject(Frozen):
    id: str
    title: str
    corpus: str
    corpus_title: str
    categories: tuple[str, ...]
    changed: float
    version: int


class NewProject(Frozen):
    corpus: IdText
    title: Title | None = None
    names: tuple[Text, ...] = Field(default=(), max_length=CATEGORIES)
    levels: tuple[Level, ...] = Field(default=(), max_length=CATEGORIES)  # of an outline, one per name
    copy_of: IdText | None = None
    by: Person = ""


class AskedEdit(Frozen):
    base: int = Field(ge=1, le=2**53)
    by: Person = ""
    edit: Edit
    topics: bool = True  # false: only save it, because another edit follows immediately


class AskedStep(Frozen):
    base: int = Field(ge=1, le=2**53)
    by: Person = ""


class AskedEntry(AskedStep):
    number: int = Field(ge=1, le=2**53)


class Imported(Frozen):
    file: dict[str, Any]
    corpus: IdText | None = None
    by: Person = ""


@router.get("/projects")
def projects(workbench: Bench) -> list[ListedProject]:
    """All projects, most recently changed first."""
    titles = {corpus.id: corpus.title for corpus in workbench.corpora.all()}
    return [_listed(workbench.projects.get(project), titles) for project in workbench.projects.ids()]


def _listed(kept: Kept, titles: dict[str, str]) -> ListedProject:
    return ListedProject(
        id=kept.id,
        title=kept.names.title,
        corpus=kept.corpus,
        corpus_title=titles.get(kept.corpus, ""),
        categories=tuple(category.name for category in kept.names.categories),
        changed=kept.last.at,
        version=kept.version,
    )


@router.post("/projects", status_code=201)
def make(workbench: Bench, asked: Annotated[NewProject, Body()]) -> Project:
    """Create a project for a corpus, with new names or those of another project."""
    corpus = workbench.corpora.get(asked.corpus)
    if asked.copy_of is not None:
        names = workbench.projects.get(asked.copy_of).names
        names = names.model_copy(update={"title": asked.title or names.title})
    else:
        title = asked.title or corpus.title[:100].strip() or "A project"
        names = with_new(Names(title=title), outline(asked.names, asked.levels))
    made = workbench.projects.make(asked.corpus, names, asked.by)
    return shown_project(workbench.projects.get(made))


@router.post("/projects/import", status_code=201)
def import_project(workbench: Bench, asked: Annotated[Imported, Body()]) -> Project:
    """Open a project file; its documents must be on this server, or another corpus must be chosen."""
    file = read_project(asked.file)
    same = workbench.corpora.same_as(file.corpus.sha256, file.corpus.model)
    found = same if asked.corpus is None else [asked.corpus]
    if not found:
        raise NeedsCorpus(
            f"the documents of {file.corpus.name!r} with the model {file.corpus.model} are not on this server; "
            "open them first, or choose another corpus",
            corpus=file.corpus.model_dump(),
        )
    workbench.corpora.get(found[0])
    names = renumbered(file.names, file.title, with_documents=found[0] in same)
    made = workbench.projects.make(found[0], names, asked.by, "open a project file")
    return shown_project(workbench.projects.get(made))


@router.get("/projects/{project}", responses=_NO_CONTENT, response_model=Project)
def project(kept: KeptProject, response: Response, if_none_match: Annotated[str | None, Header()] = None) -> Any:
    """A project in its current state; its version is the ETag."""
    tag = f'"{kept.version}"'
    if if_none_match == tag:
        return Response(status_code=304, headers={"etag": tag})
    response.headers["etag"] = tag
    return shown_project(kept)


@router.delete("/projects/{project}", status_code=204)
def remove(workbench: Bench, project: Id) -> Response:
    """Remove a project with its history, rounds and judgements."""
    workbench.remove_project(project)
    return Response(status_code=204)


@router.get("/projects/{project}/topics")
def topics(workbench: Bench, kept: KeptProject) -> Result:
    """The topics of the current names."""
    return workbench.result(kept)


@router.post("/projects/{project}/edits")
def edit(workbench: Bench, project: Id, asked: Annotated[AskedEdit, Body()]) -> Result:
    """Change names or judge terms. `base` is the version that the user saw.

    With many names, the response has no topics; request them separately.
    """
    with _newest_told(workbench, project):
        return workbench.edited(project, asked.base, asked.by, asked.edit, with_topics=asked.topics)


@contextmanager
def _newest_told(workbench: Workbench, project: str) -> Iterator[None]:
    """Add the current state of the project to conflicts."""
    try:
        yield
    except Conflict as conflict:
        newest = shown_project(workbench.projects.get(project)).model_dump(mode="json")
        raise Conflict(str(conflict), **{**conflict.more, "project": newest}) from conflict


@router.post("/projects/{project}/undo")
def undo(workbench: Bench, kept: KeptProject, asked: Annotated[AskedStep, Body()]) -> Result:
    """Undo the last change."""
    with _newest_told(workbench, kept.id):
        return workbench.changed(workbench.projects.undo(kept.id, asked.base, asked.by), kept)


@router.post("/projects/{project}/redo")
def redo(workbench: Bench, kept: KeptProject, asked: Annotated[AskedStep, Body()]) -> Result:
    """Redo a change that was undone."""
    with _newest_told(workbench, kept.id):
        return workbench.changed(workbench.projects.redo(kept.id, asked.base, asked.by), kept)


@router.post("/projects/{project}/restore")
def restore(workbench: Bench, kept: KeptProject, asked: Annotated[AskedEntry, Body()]) -> Result:
    """Restore an earlier step, as a new step."""
    with _newest_told(workbench, kept.id):
        return workbench.changed(workbench.projects.restore(kept.id, asked.base, asked.by, asked.number), kept)


@router.get("/projects/{project}/history")
def history(workbench: Bench, kept: KeptProject) -> list[Entry]:
    """All steps ever made, newest first."""
    return workbench.projects.history(kept.id)
