"""Teaching over HTTP: questions, and the effect of the answers, which are edits."""

from __future__ import annotations

from typing import Annotated

from fastapi import Body, Query

from seetopic.web import teach
from seetopic.web.routes.common import Bench, Id, KeptProject, router_for
from seetopic.web.routes.inspect import Found
from seetopic.web.schemas import Frozen, Person
from seetopic.web.workbench import Result

router = router_for("teaching")


class Taker(Frozen):
    by: Person = ""


@router.get("/projects/{project}/questions")
def questions(
    workbench: Bench, found: Found, number: Annotated[int, Query(ge=1, le=50)] = 10
) -> tuple[teach.AskedQuestion, ...]:
    """The questions whose answers help most; answer them with the edit `judge`."""
    return workbench.finder.of_run(teach.questions, found, number)


@router.get("/projects/{project}/effect")
def effect(
    workbench: Bench, kept: KeptProject, found: Found, since: Annotated[int | None, Query(ge=1, le=2**53)] = None
) -> teach.Effect:
    """What the judgements have taught, and which terms have changed since a version of the project."""
    earlier = None if since is None else workbench.topics_at(kept, since)
    return workbench.finder.of_run(teach.effect, found, earlier)


@router.post("/rounds/{round}/use")
def use(workbench: Bench, round: Id, asked: Annotated[Taker, Body()]) -> Result:
    """Take over the annotators' answers of a round as judgements."""
    return workbench.take_over(round, asked.by)
