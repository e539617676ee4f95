"""A corpus as groups of neighbouring positions, each with the targets that the objective (Eq. 1) scores it against.

The positions of a group share their targets: the terms around them, their documents, and negatives drawn once
for the whole group. A group's inner products are therefore one small matrix product, whereas going pair by pair
would read two vectors per pair.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from seetopic.runtime import Doubles, Ids, Longs
from seetopic.settings import SkipgramSettings
from seetopic.vectors.local.pmi import keep_probability

if TYPE_CHECKING:
    import torch

GROUP = 32  # positions: longer groups waste products on pairs outside the window, shorter ones read more vectors
_NEGATIVE_POWER = 0.75  # negatives are drawn by counts to this power, both terms and documents


@dataclass(frozen=True)
class TrainingCorpus:
    """The data that all epochs share."""

    terms: torch.Tensor  # (n_positions,)
    documents: torch.Tensor  # (n_positions,) the positions of a document are consecutive
    kept: torch.Tensor  # (n_terms,) probability that subsampling keeps an occurrence
    term_chances: torch.Tensor  # (n_terms,) cumulative probabilities of being drawn as a negative
    document_chances: torch.Tensor  # (n_documents,)


@dataclass(frozen=True)
class Epoch:
    """The positions kept by subsampling, in groups, padded by a window at both ends."""

    terms: torch.Tensor  # (window + n_groups * GROUP + window,)
    ranks: torch.Tensor  # same shape: each position's document, counted from 0; -1: padding
    documents: torch.Tensor  # by rank
    starts: torch.Tensor  # (n_groups,) where each group's contexts begin, in random order
    touched: torch.Tensor  # (n_groups,) how many documents each group overlaps
    places: torch.Tensor  # (GROUP + 2 window,) offsets of a group's contexts from its start
    near: torch.Tensor  # (GROUP, GROUP + 2 window) whether a place is within the window of a position


@dataclass(frozen=True)
class Batch:
    """Groups and their targets: first those that occur, then negatives; in both, terms come before documents."""

    centres: torch.Tensor  # (n_groups, GROUP) terms
    targets: torch.Tensor  # (n_groups, n_columns) documents are n_terms + their number
    weights: torch.Tensor  # (n_groups, GROUP, n_columns) weight of each pair; 0: not a pair
    labels: torch.Tensor  # (n_columns,) 1: occurs; 0: negative


def corpus_of(
    terms: Ids, documents: Ids, n_terms: int, n_documents: int, settings: SkipgramSettings, device: str
) -> TrainingCorpus:
    """The positions, and the probabilities that follow from their counts, on the device."""
    import torch

    counts, lengths = np.bincount(terms, minlength=n_terms), np.bincount(documents, minlength=n_documents)
    kept = keep_probability(np.maximum(counts, 1), settings.subsample)
    parts = (terms.astype(np.int64), documents.astype(np.int64), kept, _running(counts), _running(lengths))
    return TrainingCorpus(*(torch.from_numpy(part).to(device) for part in parts))


def _running(counts: Longs) -> Doubles:
    sums = np.cumsum(counts.astype(np.float64) ** _NEGATIVE_POWER)
    shares: Doubles = sums / sums[-1]
    return shares


def epoch_of(corpus: TrainingCorpus, settings: SkipgramSettings, generator: torch.Generator) -> Epoch:
    """Subsample again, and shuffle the groups.

    A block sums the gradients of all its positions before any vector moves. Shuffling separates the occurrences of
    a document's terms; the fewer of them a block has, the closer it comes to one step per occurrence.
    """
    import torch

    device = corpus.terms.device
    chances = torch.rand(corpus.terms.shape, generator=generator, device=device, dtype=torch.float64)
    kept = chances < corpus.kept[corpus.terms]
    terms = corpus.terms[kept]
    documents, ranks = torch.unique_consecutive(corpus.documents[kept], return_inverse=True)
    n_groups = -(-len(terms) // GROUP)
    ends = (settings.window, settings.window + n_groups * GROUP - len(terms))
    ranks = torch.nn.functional.pad(ranks, ends, value=-1)
    order = torch.randperm(n_groups, generator=generator, device=device)
    within = ranks[settings.window :][: n_groups * GROUP].view(n_groups, GROUP)
    return Epoch(
        terms=torch.nn.functional.pad(terms, ends),
        ranks=ranks,
        documents=documents,
        starts=order * GROUP,
        touched=(within.amax(1) - within[:, 0] + 1)[order],
        places=torch.arange(GROUP + 2 * settings.window, device=device),
        near=_near(settings.window, device),
    )


def draws_of(n_groups: int, settings: SkipgramSettings, generator: torch.Generator) -> torch.Tensor:
    """Random numbers that determine each group's negatives; (n_groups, shared negatives of both kinds)."""
    import torch

    shape = (n_groups, settings.shared_negatives + settings.shared_documents)
    return torch.rand(shape, generator=generator, device=generator.device, dtype=torch.float64)


def batch_of(
    corpus: TrainingCorpus,
    epoch: Epoch,
    starts: torch.Tensor,
    slots: int,
    draws: torch.Tensor,
    settings: SkipgramSettings,
) -> Batch:
    """The groups that begin at `starts`, with room for `slots` documents each and the negatives set by `draws`.

    Each of K shared negatives has weight b / K times the number of the position's pairs, which equals b negatives
    per pair in expectation, as does the gradient.
    """
    import torch

    places = starts[:, None] + epoch.places
    contexts, ranks = epoch.terms[places], epoch.ranks[places]  # (n_groups, GROUP + 2 window)
    own = ranks[:, settings.window : settings.window + GROUP, None]  # (n_groups, GROUP, 1)
    near = ((own == ranks[:, None, :]) & (own >= 0) & epoch.near).float()
    slot = own[:, :1, 0] + torch.arange(slots, device=starts.device)  # (n_groups, slots)
    held = (own == slot[:, None, :]).float()
    n_terms, terms = len(corpus.term_chances), settings.shared_negatives
    columns = (
        contexts,
        n_terms + epoch.documents[slot.clamp(max=len(epoch.documents) - 1)],
        _drawn(corpus.term_chances, draws[:, :terms]),
        n_terms + _drawn(corpus.document_chances, draws[:, terms:]),
    )
    negatives = settings.negatives / terms * near.sum(2, keepdim=True)
    other_documents = settings.negatives / settings.shared_documents * (own >= 0)
    weights = (
        settings.context_weight * near,
        settings.document_weight * held,
        (settings.context_weight * negatives).expand(-1, -1, terms),
        (settings.document_weight * other_documents).float().expand(-1, -1, settings.shared_documents),
    )
    labels = torch.zeros(sum(column.shape[1] for column in columns), device=starts.device)
    labels[: contexts.shape[1] + slots] = 1
    centres = contexts[:, settings.window : settings.window + GROUP]
    return Batch(centres, torch.cat(columns, 1), torch.cat(weights, 2), labels)


def _near(window: int, device: torch.device) -> torch.Tensor:
    """Which places are within a window of each position, except the position itself."""
    import torch

    apart = torch.arange(-window, GROUP + window, device=device) - torch.arange(GROUP, device=device)[:, None]
    return (apart != 0) & (apart.abs() <= window)


def _drawn(chances: torch.Tensor, draws: torch.Tensor) -> torch.Tensor:
    import torch

    return torch.searchsorted(chances, draws.contiguous(), right=True).clamp(max=len(chances) - 1)
