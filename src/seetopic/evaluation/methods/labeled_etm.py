"""Labeled ETM (Dieng et al., 2020): a topic is a vector in the space of term vectors, documents are mixtures of topics.

A variational autoencoder: the encoder maps a document's term shares to its logistic-normal mixture; p(term | topic) is
the softmax of inner products of term vectors and topic vectors. The topics themselves are not used: as in the paper, a
category's terms are those whose vectors are nearest to its name's vector, which is the mean of its starting terms.

This differs from the authors' program: term vectors start from the index's local vectors instead of skip-gram vectors,
and are trained with the rest; the encoder's layers are narrower; only the most frequent terms and the starting terms
are used; the likelihood is summed only over terms that occur, which gives the same value faster.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from seetopic.discovery import Topics, mean_vectors
from seetopic.evaluation.methods.contract import Task, best_terms
from seetopic.evaluation.methods.frequent import frequent_terms
from seetopic.runtime import Floats, Longs, one_torch_thread, resolve_device

if TYPE_CHECKING:
    import torch

_TERMS = 20_000  # most frequent ones
_TOPICS = 50  # as in the authors' program
_HIDDEN = 200  # units in each of the encoder's two layers
_EPOCHS = 20
_BATCH = 1000  # documents; fewer if there would be less than `_STEPS` batches per epoch
_STEPS = 10
_RATE = 0.005
_DECAY = 1.2e-6
_TINY = 1e-6  # avoids log(0)


def run(task: Task, size: int, random_state: int) -> Topics:
    """Each name's nearest terms by cosine of trained vectors; a term may be near two names, as in the paper."""
    kept = frequent_terms(task, _TERMS)
    vectors = trained_vectors(task, kept, random_state)
    starting = [np.searchsorted(kept, terms).tolist() for terms in task.starting]
    nearest = best_terms(mean_vectors(vectors, starting) @ vectors.T, size)
    ranked = [
        [(int(kept[row]), score) for row, score in found] if terms else []
        for found, terms in zip(nearest, starting, strict=True)
    ]
    settings = {"topics": _TOPICS, "dimensions": vectors.shape[1], "epochs": task.epochs or _EPOCHS, "terms": _TERMS}
    return task.topics("labeled-etm", ranked, **settings, random_state=random_state)


def trained_vectors(task: Task, kept: Longs, random_state: int) -> Floats:
    """Term vectors after training; unit rows, (n_kept, dimensions)."""
    import torch

    device = resolve_device(task.device)
    generator = torch.Generator(device).manual_seed(random_state)
    corpus = _Corpus.of(task, kept, device)
    model = _LabeledETM.of(_starting_vectors(task, kept, generator), generator)
    epochs = task.epochs or _EPOCHS
    with one_torch_thread():
        optimizer = torch.optim.Adam(model.parameters, lr=_RATE, weight_decay=_DECAY, fused=True)
        for epoch in range(epochs):
            task.progress("labeled-etm", epoch, epochs)
            for documents in corpus.shuffled(generator):
                optimizer.zero_grad()
                model.loss(corpus.batch(documents), generator).backward()  # type: ignore[no-untyped-call]
                optimizer.step()
        unit: Floats = torch.nn.functional.normalize(model.terms.detach(), dim=1).cpu().numpy()
    task.progress("labeled-etm", epochs, epochs)
    return unit


def _starting_vectors(task: Task, kept: Longs, generator: torch.Generator) -> torch.Tensor:
    """The local vectors, truncated or extended by small random columns if other dimensions are requested."""
    import torch

    local = np.asarray(task.index.local[kept])
    dimensions = task.dimensions or local.shape[1]
    vectors = torch.randn((len(kept), dimensions), generator=generator, device=generator.device)
    vectors /= dimensions**0.5 * 10
    width = min(dimensions, local.shape[1])
    vectors[:, :width] = torch.from_numpy(local[:, :width]).to(vectors)
    # With unit rows all topics would start out nearly the same.
    return torch.nn.functional.normalize(vectors, dim=1).mul_(dimensions**0.25)


@dataclass(frozen=True)
class _Batch:
    """Documents as the terms that occur in them."""

    rows: torch.Tensor  # (n_pairs,) document of each pair, counted from 0
    terms: torch.Tensor  # (n_pairs,)
    counts: torch.Tensor  # (n_pairs,)
    size: int


@dataclass(frozen=True)
class _Corpus:
    """Documents as rows of counts, without those that have no terms."""

    starts: torch.Tensor  # (n_documents + 1,)
    terms: torch.Tensor  # (n_pairs,)
    counts: torch.Tensor  # (n_pairs,)

    @classmethod
    def of(cls, task: Task, kept: Longs, device: str) -> _Corpus:
        import torch

        counts = task.counts[:, kept].tocsr()
        counts = counts[np.diff(counts.indptr) > 0]
        counts.sort_indices()
        parts = (counts.indptr.astype(np.int64), counts.indices.astype(np.int64), counts.data.astype(np.float32))
        return cls(*(torch.from_numpy(part).to(device) for part in parts))

    def shuffled(self, generator: torch.Generator) -> Iterator[torch.Tensor]:
        import torch

        n_documents = len(self.starts) - 1
        order = torch.randperm(n_documents, generator=generator, device=generator.device)
        yield from torch.split(order, max(1, min(_BATCH, n_documents // _STEPS)))

    def batch(self, documents: torch.Tensor) -> _Batch:
        import torch

        first, sizes = self.starts[documents], self.starts[documents + 1] - self.starts[documents]
        rows = torch.arange(len(documents), device=documents.device).repeat_interleave(sizes)
        before = sizes.cumsum(0) - sizes
        pairs = (first - before)[rows] + torch.arange(len(rows), device=rows.device)
        return _Batch(rows, self.terms[pairs], self.counts[pairs], len(documents))


@dataclass(frozen=True)
class _LabeledETM:
    terms: torch.Tensor  # rho; (n_terms, dimensions)
    topics: torch.Tensor  # alpha; (n_topics, dimensions)
    first: torch.Tensor  # the encoder's layers: (n_terms, hidden)
    second: torch.Tensor  # (hidden + 1, hidden), the last row is the bias, as below
    means: torch.Tensor  # (hidden + 1, n_topics)
    spreads: torch.Tensor  # (hidden + 1, n_topics) of log variances

    @classmethod
    def of(cls, vectors: torch.Tensor, generator: torch.Generator) -> _LabeledETM:
        import torch

        def layer(n_in: int, n_out: int, reach: float) -> torch.Tensor:
            made = torch.rand((n_in, n_out), generator=generator, device=generator.device)
            return ((2 * made - 1) * reach).requires_grad_()

        narrow = _HIDDEN**-0.5
        return cls(
            vectors.requires_grad_(),
            layer(_TOPICS, vectors.shape[1], vectors.shape[1] ** -0.5),
            layer(len(vectors), _HIDDEN, len(vectors) ** -0.5),
            layer(_HIDDEN + 1, _HIDDEN, narrow),
            layer(_HIDDEN + 1, _TOPICS, narrow),
            layer(_HIDDEN + 1, _TOPICS, narrow),
        )

    @property
    def parameters(self) -> list[torch.Tensor]:
        return [self.terms, self.topics, self.first, self.second, self.means, self.spreads]

    def loss(self, batch: _Batch, generator: torch.Generator) -> torch.Tensor:
        """The negative evidence lower bound per document."""
        means, spreads = self._encoded(batch)
        noise = _normal(means, generator)
        mixtures = (means + noise * (spreads / 2).exp()).softmax(1)  # theta; (n_documents, n_topics)
        chances = (self.terms @ self.topics.T).softmax(0)  # beta; (n_terms, n_topics)
        likely = (mixtures[batch.rows] * chances[batch.terms]).sum(1)
        unlikely = -(batch.counts * (likely + _TINY).log()).sum()
        away = -(1 + spreads - means**2 - spreads.exp()).sum() / 2
        return (unlikely + away) / batch.size

    def _encoded(self, batch: _Batch) -> tuple[torch.Tensor, torch.Tensor]:
        import torch

        lengths = torch.zeros(batch.size, device=batch.counts.device).index_add_(0, batch.rows, batch.counts)
        starts = torch.searchsorted(batch.rows, torch.arange(batch.size, device=batch.rows.device))
        hidden = torch.nn.functional.embedding_bag(
            batch.terms, self.first, starts, mode="sum", per_sample_weights=batch.counts / lengths[batch.rows]
        ).relu()
        hidden = _layer(hidden, self.second).relu()
        return _layer(hidden, self.means), _layer(hidden, self.spreads)


def _layer(values: torch.Tensor, weights: torch.Tensor) -> torch.Tensor:
    return values @ weights[:-1] + weights[-1]


def _normal(like: torch.Tensor, generator: torch.Generator) -> torch.Tensor:
    import torch

    return torch.randn(like.shape, generator=generator, device=like.device)
