"""Downloads: exports, the report, the project as a file, and how to reproduce the topics."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, Literal

from pydantic import Field, ValidationError

from seetopic.corpus import Documents, demo_documents
from seetopic.discovery import Topics
from seetopic.errors import OutputError
from seetopic.output import FORMATS, Origin, commands, export, names_file, python_script, report_html
from seetopic.version import __version__
from seetopic.web.errors import Missing
from seetopic.web.limits import TITLE
from seetopic.web.schemas import Frozen, Names, Title
from seetopic.web.topic_service import Finding


class Again(Frozen):
    """How to reproduce the topics elsewhere."""

    names_file: str
    names: str
    commands: str | None
    python: str
    judgements: str | None  # the content of judgements.jsonl, if there are any


class CorpusFacts(Frozen):
    """Identifies the documents of a project; the documents themselves are not included."""

    name: str = Field(max_length=1000)
    sha256: str = Field(max_length=100)
    documents: int
    model: str = Field(max_length=4000)


class ProjectFile(Frozen):
    """A project that can be opened elsewhere."""

    format: Literal["seetopic-project"] = "seetopic-project"
    format_version: Literal[1] = 1
    version: str = Field(default=__version__, max_length=40)
    title: Title
    names: Names
    corpus: CorpusFacts
    topics: dict[str, Any] | None = None  # as in `topics.json`, for those who do not have the corpus


def exported(finding: Finding, name: str, variants: bool, min_confidence: float, accepted: bool) -> tuple[str, str]:
    """Topics in another tool's format, and a file name."""
    if name not in FORMATS:
        raise Missing(f"there is no format {name[:40]!r}; choose one of {', '.join(FORMATS)}")
    topics = _accepted(finding) if accepted else finding.topics
    text = export(topics, name, variants=variants, min_confidence=min_confidence)
    return text, f"topics{FORMATS[name].suffixes[0]}"


def _accepted(finding: Finding) -> Topics:
    """Only accepted terms and the names themselves."""
    kept = tuple(
        replace(topic, terms=tuple(each for each, shown in zip(topic.terms, view.terms, strict=True) if shown.state))
        for topic, view in zip(finding.topics, finding.shown, strict=True)
    )
    if not any(topic.terms for topic in kept):
        raise OutputError("no term has been accepted yet; accept some, or export all terms")
    return replace(finding.topics, topics=tuple(topic for topic in kept if topic.terms))


def report(finding: Finding) -> str:
    return report_html(finding.scene, documents=finding.quotable)


def again(finding: Finding) -> Again:
    topics, seeds = finding.topics, finding.run.seeds
    file, text = names_file(topics, seeds)
    origin = _origin(finding)
    lines = commands(topics, file, origin)
    return Again(
        names_file=file,
        names=text,
        commands=lines,
        python=python_script(finding.run.query, origin),
        judgements=judgements(finding.names),
    )


def judgements(names: Names) -> str | None:
    """The answers that the topics have learned from, as `discover --judgements` reads them; None if there are none."""
    return "".join(each.to_line() for each in names.lessons) or None


def _origin(finding: Finding) -> Origin:
    documents = finding.documents
    if documents is None:
        return Origin(index=finding.run.index.folder.name)
    column = None if documents.text_field == Documents.text_field else documents.text_field
    return Origin(text_field=column, demo=documents.source == demo_documents().source)


def project_file(title: str, names: Names, finding: Finding) -> ProjectFile:
    manifest = finding.run.index.manifest
    corpus = manifest["corpus"]
    return ProjectFile(
        title=title[:TITLE],
        names=names,
        corpus=CorpusFacts(
            name=corpus["name"],
            sha256=corpus["sha256"],
            documents=corpus["documents"],
            model=manifest["model"]["name"],
        ),
        topics=finding.topics.to_json(),
    )


def read_project(value: Any) -> ProjectFile:
    """Parse and validate a project file."""
    try:
        found = ProjectFile.model_validate(value)
    except ValidationError as error:
        first = error.errors(include_url=False, include_context=False)[0]
        where = ".".join(str(part) for part in first["loc"]) or "it"
        raise OutputError(
            f"this is not a project file ({where}: {first['msg']}); choose one that was saved in a workbench"
        ) from error
    found.names.check()
    return found
