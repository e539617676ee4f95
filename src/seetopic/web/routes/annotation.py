"""Annotation rounds over HTTP, for their authors and, through secret links, for annotators."""

from __future__ import annotations

from typing import Annotated

from fastapi import Body, Path, Response
from pydantic import Field

from seetopic.evaluation import Agreement
from seetopic.web.annotation import AskedRound, Assignment, Invited, Round, Standing
from seetopic.web.candidates import Side
from seetopic.web.limits import SOURCES, TOP
from seetopic.web.routes.common import Bench, Id, KeptProject, attachment, file_of, router_for
from seetopic.web.schemas import Frozen, Title

router = router_for("annotating")
Secret = Annotated[str, Path(min_length=1, max_length=200)]


class NewRound(Frozen):
    title: Title
    sources: tuple[Side, ...] = Field(min_length=1, max_length=SOURCES)
    top: int = Field(default=10, ge=1, le=TOP)
    random_state: int = Field(default=0, ge=0, le=2**32 - 1)


class NewAnnotator(Frozen):
    name: Title


class Answer(Frozen):
    """An answer; null withdraws it."""

    item: int = Field(ge=1, le=2**31)
    belongs: bool | None


@router.get("/projects/{project}/rounds")
def rounds(workbench: Bench, kept: KeptProject) -> list[Round]:
    """All rounds of a project, newest first."""
    return workbench.rounds.of_project(kept.id)


@router.post("/projects/{project}/rounds", status_code=201)
def make(workbench: Bench, kept: KeptProject, asked: Annotated[NewRound, Body()]) -> Round:
    """Create a round from the blinded and shuffled terms of the sources; methods run in the background."""
    sources = tuple(workbench.sides.wanted(kept, side, asked.top) for side in asked.sources)
    made = AskedRound(sources=sources, top=asked.top, random_state=asked.random_state)
    return workbench.rounds.make(kept, asked.title, made)


@router.get("/rounds/{round}")
def one(workbench: Bench, round: Id) -> Round:
    """One round, with everyone's progress."""
    return workbench.rounds.get(round)


@router.post("/rounds/{round}/again")
def again(workbench: Bench, round: Id) -> Round:
    """Retry a failed round."""
    return workbench.rounds.again(round)


@router.delete("/rounds/{round}", status_code=204)
def remove(workbench: Bench, round: Id) -> Response:
    """Remove a round with all its answers, and stop methods running for it."""
    workbench.rounds.remove(round)
    return Response(status_code=204)


@router.post("/rounds/{round}/annotators", status_code=201)
def invite(workbench: Bench, round: Id, asked: Annotated[NewAnnotator, Body()]) -> Invited:
    """Create a link for one annotator."""
    return workbench.rounds.invite(round, asked.name)


@router.delete("/rounds/{round}/annotators/{annotator}", status_code=204)
def dismiss(workbench: Bench, round: Id, annotator: Id) -> Response:
    """Remove an annotator with their answers; the link stops working."""
    workbench.rounds.annotators.dismiss(round, annotator)
    return Response(status_code=204)


@router.get("/rounds/{round}/agreement")
def agreement(workbench: Bench, round: Id) -> Agreement:
    """MACC of each method, agreement of the annotators, and disputed terms."""
    return workbench.rounds.agreement(round)


@router.get("/rounds/{round}/judgements.csv", response_class=Response, responses=file_of("text/csv"))
def judgements(workbench: Bench, round: Id) -> Response:
    """All answers, with the rank of each term in each method."""
    return attachment(workbench.rounds.judgements_csv(round), "judgements.csv", "text/csv")


@router.get("/rounds/{round}/judgements.jsonl", response_class=Response, responses=file_of("application/jsonl"))
def judgements_to_learn_from(workbench: Bench, round: Id) -> Response:
    """All answers, one JSON object per line, for `discover --judgements`."""
    return attachment(workbench.rounds.judgements(round), "judgements.jsonl", "application/jsonl")


@router.get("/annotate/{secret}")
def assignment(workbench: Bench, secret: Secret) -> Assignment:
    """The questions for the owner of a link, without the methods."""
    return workbench.rounds.assignment(secret)


@router.post("/annotate/{secret}/answers")
def answer(workbench: Bench, secret: Secret, asked: Annotated[Answer, Body()]) -> Standing:
    """Store one answer, which can be changed or withdrawn later."""
    return workbench.rounds.answer(secret, asked.item, asked.belongs)
