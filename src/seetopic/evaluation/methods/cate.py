"""CatE (Meng et al., 2020): learns vectors of terms and categories together; each category gains one term per epoch.

The objective is that of the local training: a term against its contexts, its documents and, by a softmax over
categories, its category. CatE scores a term against its contexts by kappa_w (u_w . v), where u_w has length 1 and
kappa_w is the term's specificity: the more similar its contexts, the larger. Only the product kappa_w u_w matters, so
this code trains the product: its direction is u_w, its length kappa_w.

A category gains the terms nearest to its vector that are more specific than itself, that is, than the least specific
of its starting terms. Its rank among all terms' specificities is recorded at the end of the warm-up, because the
category term lengthens the vectors of the category's terms. Topics are exclusive: a term goes to the nearest category.

The authors' program differs: it stores u_w and kappa_w separately and does not keep u_w at length 1; it starts from
pretrained vectors, where this code starts from random ones; it uses specificity only at the end and only for
categories with one seed, and otherwise ranks by similarity alone; and it leaves seeds out of its output, where here
they are ranked by similarity.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from seetopic.discovery import Entries, Topics, pick_best
from seetopic.evaluation.methods.contract import Task
from seetopic.runtime import Doubles, resolve_device
from seetopic.settings import SkipgramSettings
from seetopic.vectors import Vectors, train

if TYPE_CHECKING:
    import torch

_EPOCHS = 12  # as in the program: two without categories, and ten with them
_WARM_UP = 1 / 6  # of the epochs
_DIMENSIONS = 100
_DOCUMENT_WEIGHT = 1.5
_BLOCKS = 64  # at least, per epoch: vectors move once per block, also in a small corpus
_SMALLEST_BLOCK = 256


def run(task: Task, size: int, random_state: int) -> Topics:
    """The terms nearest to each category's vector among those more specific than it; no term is in two topics."""
    terms, documents = task.index.positions
    settings = _settings(task, len(terms))
    places = [0.0 for _ in task.starting]

    def grown(epochs: int, vectors: Vectors) -> list[list[int]] | None:
        if epochs == settings.warm_up:
            places[:] = _places(vectors, task.starting)
        more = min(epochs - settings.warm_up, size)
        return _grown(_nearness(vectors, places, task.starting), task.starting, more) if more > 0 else None

    vectors = train(
        terms,
        documents,
        len(task.terms),
        len(task.index),
        settings,
        categories=task.starting,
        random_state=random_state,
        device=resolve_device(task.device),
        progress=task.progress,
        after_epoch=grown,
    )
    nearness = _nearness(vectors, places, task.starting)
    picked = zip(nearness, pick_best(Entries.of(nearness), size), strict=True)
    ranked = [[(term, float(row[term])) for term in own] for row, own in picked]
    made_with = {"dimensions": settings.dimensions, "epochs": settings.epochs, "random_state": random_state}
    return task.topics("cate", ranked, **made_with)


def _settings(task: Task, n_positions: int) -> SkipgramSettings:
    epochs = task.epochs or _EPOCHS
    return SkipgramSettings(
        dimensions=task.dimensions or _DIMENSIONS,
        epochs=epochs,
        warm_up=round(_WARM_UP * epochs),
        document_weight=_DOCUMENT_WEIGHT,
        category_term="softmax",
        block=int(np.clip(n_positions // _BLOCKS, _SMALLEST_BLOCK, SkipgramSettings.block)),
    )


def _grown(nearness: Doubles, starting: list[list[int]], more: int) -> list[list[int]]:
    """Each category's starting terms, and `more` others."""
    others = nearness.copy()
    others[:, [term for terms in starting for term in terms]] = 0
    return [terms + added for terms, added in zip(starting, pick_best(Entries.of(others), more), strict=True)]


def _places(vectors: Vectors, starting: list[list[int]]) -> list[float]:
    """The share of all terms that are less specific than each category."""
    specificity = _lengths(vectors.terms)
    return [float(np.mean(specificity < min(specificity[terms], default=0.0))) for terms in starting]


def _nearness(vectors: Vectors, places: list[float], starting: list[list[int]]) -> Doubles:
    """Cosines of categories and terms, scaled to 0..1; (n_categories, n_terms). 0 for terms that are less specific
    than the category, except its starting terms, and for categories without starting terms, which have no vector."""
    import torch

    specificity = _lengths(vectors.terms)
    cosines = torch.nn.functional.normalize(vectors.categories, dim=1) @ vectors.unit_terms.T
    near: Doubles = ((1 + cosines.double()) / 2).clamp(1e-9, 1).cpu().numpy()
    admitted = specificity > np.quantile(specificity, places)[:, None]
    for row, terms in zip(admitted, starting, strict=True):
        row[:] = row & bool(terms)
        row[terms] = True
    return np.where(admitted, near, 0.0)


def _lengths(vectors: torch.Tensor) -> Doubles:
    lengths: Doubles = vectors.norm(dim=1).double().cpu().numpy()
    return lengths
