"""What can be compared: a project, a step of its history, or another method on the same names."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from itertools import count
from pathlib import Path
from typing import Annotated, Literal

from pydantic import Field, StringConstraints

from seetopic.corpus import Documents
from seetopic.discovery import Topics, run_of
from seetopic.errors import SeeTopicError
from seetopic.evaluation import Task, method_named, require
from seetopic.index import Index
from seetopic.runtime import Progress, read_json, write_json
from seetopic.version import __version__
from seetopic.web.corpora import Corpora
from seetopic.web.errors import Conflict, NotYet
from seetopic.web.jobs import Plan
from seetopic.web.limits import RUNS
from seetopic.web.projects import Kept, Projects
from seetopic.web.schemas import Frozen, Names
from seetopic.web.topic_service import TopicFinder, TopicRequest, settings_of

MEASURING = "measuring"
_KEPT = re.compile(r"[0-9a-f]{32}\.json")
_READ_TEXTS = frozenset({"zero-shot", "bertopic-guided", "bertopic-zeroshot"})


class ProjectSide(Frozen):
    """The current names of a project, on its own corpus."""

    kind: Literal["project"]
    id: Annotated[str, StringConstraints(pattern=r"^[0-9a-f]{16}$")]


class VersionSide(Frozen):
    """The names at a step of this project's history."""

    kind: Literal["version"]
    number: int = Field(ge=1, le=2**53)


class MethodSide(Frozen):
    """Another method, on this project's corpus and names."""

    kind: Literal["method"]
    name: Annotated[str, StringConstraints(min_length=1, max_length=40)]


Side = Annotated[ProjectSide | VersionSide | MethodSide, Field(discriminator="kind")]


class Wanted(Frozen):
    """A side as it was when requested; later changes do not affect it."""

    title: str
    corpus: str
    names: Names
    method: str | None = None


@dataclass(frozen=True)
class Run:
    """A side as passed to another process."""

    title: str
    index: Index
    names: Names
    method: str | None
    documents: Documents | None = field(repr=False)
    kept: Path  # file of the method's topics, so that nothing slow is done twice

    def topics(self, progress: Progress) -> Topics:
        if self.method is None:
            return run_of(self.index, self.names.seeds, settings_of(self.names), judgements=self.names.lessons).topics
        found = kept_topics(self.kept)
        if found is None:
            texts = None if self.documents is None else tuple(self.documents.texts())
            task = Task(self.index, self.names.seeds, texts, progress=Within(progress, self.title))
            found = method_named(self.method)(task, self.names.options.top, 0)
            write_json(self.kept, found.to_json())
        return found


class Within:
    """Reports inner stages as parts of one stage, each taken as half of what remains."""

    def __init__(self, progress: Progress, stage: str) -> None:
        self._progress, self._stage, self._seen = progress, stage, [""]

    def __call__(self, stage: str, done: int, total: int | None) -> None:
        if stage not in self._seen:
            self._seen.append(stage)
        remains = 0.5 ** (self._seen.index(stage) - 1)
        share = min(done / total, 1.0) if total else 0.0
        self._progress(self._stage, round(1000 * (1 - remains + remains * share / 2)), 1000)


def find_topics(runs: Sequence[Run], *, progress: Progress) -> list[Topics]:
    """Body of the process of a round."""
    found = []
    for run in runs:
        progress(run.title, 0, None)
        found.append(run.topics(progress))
    return found


@dataclass(frozen=True)
class Sides:
    """Turns what a user chose into topics."""

    projects: Projects
    corpora: Corpora
    finder: TopicFinder
    folder: Path  # of methods' topics

    def wanted(self, kept: Kept, side: Side, top: int | None = None) -> Wanted:
        """A side in its current state, with at least `top` terms; fails at once if it cannot be found."""
        if isinstance(side, MethodSide):
            require(side.name)
            self._texts_if_needed(side.name, kept.corpus)
            wanted = Wanted(title=side.name, corpus=kept.corpus, names=kept.names, method=side.name)
        elif isinstance(side, VersionSide):
            label = next((step.label for step in self.projects.history(kept.id) if step.number == side.number), "")
            names = self.projects.names_of_entry(kept.id, side.number)
            wanted = Wanted(title=f"step {side.number} ({label})", corpus=kept.corpus, names=names)
        else:
            other = self.projects.get(side.id)
            wanted = Wanted(title=self._title(kept, other), corpus=other.corpus, names=other.names)
        if not wanted.names.categories:
            raise Conflict(f"{wanted.title!r} has no category names, so it has no topics; add some names first")
        self.corpora.index(wanted.corpus)
        return wanted if top is None else _reaching(wanted, top)

    def runs(self, several: Sequence[Wanted]) -> list[Run]:
        return [
            Run(
                each.title,
                self.corpora.index(each.corpus),
                each.names,
                each.method,
                self.corpora.documents(each.corpus),
                self._kept(each),
            )
            for each in several
        ]

    def quick(self, several: Sequence[Wanted]) -> list[Topics] | None:
        """The topics, if no method has to run for them; otherwise None, and a job is needed."""
        kept = [None if each.method is None else kept_topics(self._kept(each)) for each in several]
        if any(each.method is not None and found is None for each, found in zip(several, kept, strict=True)):
            return None
        return [found or self._found(each) for each, found in zip(several, kept, strict=True)]

    def tidy(self) -> None:
        """Delete all but the newest runs of methods."""
        with suppress(OSError):
            ours = (path for path in self.folder.glob("*.json") if _KEPT.fullmatch(path.name))
            files = sorted(ours, key=lambda path: path.stat().st_mtime, reverse=True)
            for path in files[RUNS:]:
                path.unlink(missing_ok=True)

    def _found(self, wanted: Wanted) -> Topics:
        index, documents = self.corpora.index(wanted.corpus), self.corpora.documents(wanted.corpus)
        return self.finder.find(TopicRequest(wanted.corpus, index, wanted.names, documents)).topics

    def _kept(self, wanted: Wanted) -> Path:
        asked = [wanted.corpus, wanted.method, wanted.names.options.top, __version__]
        names = wanted.names.model_dump(mode="json", include={"categories"})
        key = hashlib.sha256(json.dumps([*asked, names], sort_keys=True).encode()).hexdigest()
        return self.folder / f"{key[:32]}.json"  # matches `_KEPT`

    def _title(self, kept: Kept, other: Kept) -> str:
        if other.corpus == kept.corpus:
            return other.names.title
        corpus = self.corpora.get(other.corpus)
        return f"{other.names.title} ({corpus.title}, {corpus.model})"

    def _texts_if_needed(self, method: str, corpus: str) -> None:
        if method in _READ_TEXTS and self.corpora.documents(corpus) is None:
            raise NotYet(
                f"the method {method} reads whole documents, but this corpus was opened from an index only; "
                "open the documents themselves, or choose another method"
            )


def kept_topics(path: Path) -> Topics | None:
    """Stored topics of a method; None if they cannot be read, so that they are found again."""
    try:
        return Topics.from_json(read_json(path))
    except (OSError, ValueError, KeyError, TypeError, SeeTopicError):
        return None


def plan_for(several: Sequence[Wanted], measuring: bool = False) -> Plan:
    """One stage per side; methods take by far the longest."""
    stages = [(each.title, 1.0 if each.method is None else 10.0) for each in several]
    return Plan((*stages, (MEASURING, 5.0)) if measuring else stages)


def _reaching(wanted: Wanted, top: int) -> Wanted:
    options = wanted.names.options
    deep = options.model_copy(update={"top": max(options.top, top) if wanted.method is None else top})
    return wanted.model_copy(update={"names": wanted.names.model_copy(update={"options": deep})})


def with_own_titles(several: Sequence[Wanted]) -> list[Wanted]:
    """Make titles unique, so that readers of the figures can tell the sides apart."""
    titled: list[Wanted] = []
    for each in several:
        used = {other.title for other in titled}
        numbered = (f"{each.title} ({number})" for number in count(2))
        title = each.title if each.title not in used else next(name for name in numbered if name not in used)
        titled.append(each.model_copy(update={"title": title}))
    return titled
