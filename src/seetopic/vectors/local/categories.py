"""The category term of the objective: pulls terms towards their category's vector and away from the others."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from seetopic.settings import SkipgramSettings
from seetopic.vectors.local.blocks import REACH, reaches_of, shares_of

if TYPE_CHECKING:
    import torch

    from seetopic.vectors.local.skipgram import Vectors

Categories = Sequence[Sequence[int]]  # S_i: the terms of each category


@dataclass(frozen=True)
class CategoryPull:
    """The objective's category term, for as long as the categories keep the same terms."""

    vectors: Vectors
    terms: torch.Tensor  # (n_members,)
    own: torch.Tensor  # (n_members, n_categories) 1: the term's category
    weights: torch.Tensor  # (n_members, 1)
    settings: SkipgramSettings

    @classmethod
    def of(cls, categories: Categories, vectors: Vectors, settings: SkipgramSettings) -> CategoryPull:
        """Every category has the same weight, however many terms it has."""
        import torch

        device = vectors.terms.device
        terms = torch.tensor([term for each in categories for term in each], device=device)
        own = torch.eye(len(categories)).repeat_interleave(torch.tensor([len(each) for each in categories]), 0)
        weights = settings.category_weight / (own @ own.sum(0) * len(categories))
        return cls(vectors, terms, own.to(device), weights[:, None].to(device), settings)

    def start(self) -> None:
        """A category that has no vector yet starts at the mean of its terms."""
        import torch

        table = self.vectors.categories
        means = self.own.T @ self.vectors.terms[self.terms] / self.own.sum(0).clamp(min=1)[:, None]
        table.copy_(torch.where(table.any(1, keepdim=True), table, means))

    def move(self, rate: float | torch.Tensor) -> None:
        """One step of all terms and all categories."""
        terms, categories = self.vectors.terms[self.terms], self.vectors.categories
        pulls = category_pulls_of(terms, categories, self.own, self.weights, self.settings) * rate
        term_reaches, category_reaches = reaches_of(pulls[None], terms[None], categories[None])
        term_shares = shares_of(len(self.vectors.terms), self.terms, term_reaches[0])
        term_moves = (pulls * term_shares[:, None]) @ categories
        categories.add_((pulls * (REACH / category_reaches[0]).clamp(max=1)).T @ terms)
        self.vectors.terms.index_add_(0, self.terms, term_moves)


def category_pulls_of(
    terms: torch.Tensor, categories: torch.Tensor, own: torch.Tensor, weights: torch.Tensor, settings: SkipgramSettings
) -> torch.Tensor:
    """Derivative of the category term with respect to each inner product; (n_members, n_categories).

    There are few categories, so all of them are used in place of b sampled ones, each with its share of the weight.
    """
    scores = terms @ categories.T
    if settings.category_term == "softmax":
        return (own - scores.softmax(1)) * weights
    share = settings.negatives / len(categories)
    return (own - (own + share) * scores.sigmoid()) * weights
