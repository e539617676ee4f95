"""Evidence from the documents, by vectors trained with the category's current terms; line 10 of Algorithm 1."""

from __future__ import annotations

from dataclasses import dataclass

from seetopic.discovery.evidence.local import LocalEvidence
from seetopic.runtime import Floats, Ids, Progress
from seetopic.settings import SkipgramSettings
from seetopic.vectors import Vectors, train


@dataclass(frozen=True)
class TrainedLocalEvidence:
    """Local vectors u_w, trained again on the documents and the current terms of the categories."""

    terms: Ids  # of all documents, concatenated
    documents: Ids  # the document number of each
    n_terms: int
    n_documents: int
    settings: SkipgramSettings
    random_state: int
    device: str
    progress: Progress
    contrast: float = 0.0
    name: str = "local"

    def scores(self, current: list[list[int]]) -> Floats:
        return LocalEvidence(self.vectors(current), self.contrast).scores(current)

    def vectors(self, current: list[list[int]]) -> Floats:
        """Unit rows, (n_terms, dimensions)."""
        size = max(len(terms) for terms in current)

        def shown(stage: str, done: int, total: int | None) -> None:
            self.progress(f"{stage}, {size} terms a category", done, total)

        def grown(epochs: int, vectors: Vectors) -> list[list[int]] | None:
            more = epochs - self.settings.warm_up
            return _grown(vectors, current, more) if self.settings.grows and more > 0 else None

        trained = train(
            self.terms,
            self.documents,
            self.n_terms,
            self.n_documents,
            self.settings,
            categories=current,
            random_state=self.random_state,
            device=self.device,
            progress=shown,
            after_epoch=grown,
        )
        unit: Floats = trained.unit_terms.cpu().numpy()
        return unit


def _grown(vectors: Vectors, current: list[list[int]], more: int) -> list[list[int]]:
    """Each category's terms and `more` others, the nearest to its vector; two categories may choose the same.

    A category without terms has no vector, and stays without terms.
    """
    nearness = vectors.categories @ vectors.unit_terms.T
    best = nearness.topk(min(more + max(len(terms) for terms in current), nearness.shape[1])).indices.tolist()
    grown = []
    for terms, near in zip(current, best, strict=True):
        others = [term for term in near if term not in terms] if terms else []
        grown.append([*terms, *others[:more]])
    return grown
