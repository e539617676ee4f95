"""Comparisons over HTTP."""

from __future__ import annotations

from typing import Annotated

from fastapi import Body, Response

from seetopic.web.candidates import Side
from seetopic.web.comparisons import ListedComparison, SavedComparison
from seetopic.web.routes.common import Bench, Id, KeptProject, router_for
from seetopic.web.schemas import Frozen

router = router_for("comparing")


class NewComparison(Frozen):
    left: Side
    right: Side
    evaluate: bool = False


@router.get("/projects/{project}/comparisons")
def comparisons(workbench: Bench, kept: KeptProject) -> list[ListedComparison]:
    """All comparisons of a project, newest first."""
    return workbench.comparisons.of_project(kept.id)


@router.post("/projects/{project}/comparisons", status_code=202)
def make(workbench: Bench, kept: KeptProject, asked: Annotated[NewComparison, Body()]) -> SavedComparison:
    """Compare two sides in their current state; with `evaluate`, also measure both on the same documents."""
    left, right = (workbench.sides.wanted(kept, side) for side in (asked.left, asked.right))
    return workbench.comparisons.make(kept, left, right, asked.evaluate)


@router.get("/comparisons/{comparison}")
def one(workbench: Bench, comparison: Id) -> SavedComparison:
    """The result of a comparison, or its progress."""
    return workbench.comparisons.get(comparison)


@router.post("/comparisons/{comparison}/again")
def again(workbench: Bench, comparison: Id) -> SavedComparison:
    """Retry a failed comparison."""
    return workbench.comparisons.again(comparison)


@router.post("/comparisons/{comparison}/measure")
def measure(workbench: Bench, comparison: Id) -> SavedComparison:
    """Measure both sides on the project's documents, in the background."""
    return workbench.comparisons.measure(comparison)


@router.delete("/comparisons/{comparison}", status_code=204)
def remove(workbench: Bench, comparison: Id) -> Response:
    """Remove a comparison, and stop methods running for it."""
    workbench.comparisons.remove(comparison)
    return Response(status_code=204)
