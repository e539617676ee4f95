"""Rounds of annotation over HTTP: for whoever makes them, and, by the secret of their link, for annotators."""

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
    """None takes an answer back."""

    item: int = Field(ge=1, le=2**31)
    belongs: bool | None


@router.get("/projects/{project}/rounds")
def rounds(workbench: Bench, kept: KeptProject) -> list[Round]:
    """All rounds of a project, the newest first."""
    return workbench.rounds.of_project(kept.id)


@router.post("/projects/{project}/rounds", status_code=201)
def make(workbench: Bench, kept: KeptProject, asked: Annotated[NewRound, Body()]) -> Round:
    """The terms of the chosen sources, blinded and shuffled; methods that must run first do so beside the server."""
    sources = tuple(workbench.sides.wanted(kept, side, asked.top) for side in asked.sources)
    made = AskedRound(sources=sources, top=asked.top, random_state=asked.random_state)
    return workbench.rounds.make(kept, asked.title, made)


@router.get("/rounds/{round}")
def one(workbench: Bench, round: Id) -> Round:
    """One round, and how far everyone is."""
    return workbench.rounds.get(round)


@router.post("/rounds/{round}/again")
def again(workbench: Bench, round: Id) -> Round:
    """Try once more what failed."""
    return workbench.rounds.again(round)


@router.delete("/rounds/{round}", status_code=204)
def remove(workbench: Bench, round: Id) -> Response:
    """Remove a round with all its answers; a method that runs for it is stopped."""
    workbench.rounds.remove(round)
    return Response(status_code=204)


@router.post("/rounds/{round}/annotators", status_code=201)
def invite(workbench: Bench, round: Id, asked: Annotated[NewAnnotator, Body()]) -> Invited:
    """A link for one person."""
    return workbench.rounds.invite(round, asked.name)


@router.delete("/rounds/{round}/annotators/{annotator}", status_code=204)
def dismiss(workbench: Bench, round: Id, annotator: Id) -> Response:
    """Remove an annotator with their answers; the link no longer opens."""
    workbench.rounds.annotators.dismiss(round, annotator)
    return Response(status_code=204)


@router.get("/rounds/{round}/agreement")
def agreement(workbench: Bench, round: Id) -> Agreement:
    """MACC of each method, how far annotators agree, and the terms on which they differ."""
    return workbench.rounds.agreement(round)


@router.get("/rounds/{round}/judgements.csv", response_class=Response, responses=file_of("text/csv"))
def judgements(workbench: Bench, round: Id) -> Response:
    """Every answer, with the place that each method gave the term."""
    return attachment(workbench.rounds.judgements_csv(round), "judgements.csv", "text/csv")


@router.get("/annotate/{secret}")
def assignment(workbench: Bench, secret: Secret) -> Assignment:
    """What the owner of a link is asked; it tells no methods."""
    return workbench.rounds.assignment(secret)


@router.post("/annotate/{secret}/answers")
def answer(workbench: Bench, secret: Secret, asked: Annotated[Answer, Body()]) -> Standing:
    """Keep one answer; it can be changed and taken back."""
    return workbench.rounds.answer(secret, asked.item, asked.belongs)
