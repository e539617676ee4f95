"""The result of an evaluation: figures of each topic and of all topics."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from seetopic.evaluation.coherence import mean_over_topics

# What each figure means, in the order of the table; others are shown without an explanation.
_MEANINGS = {
    "label_precision@": "share of terms whose most typical label is that of their topic",
    "label_f1@": "macro-F1 of labelling documents by their matched terms alone",
    "coverage@": "share of documents that contain a term",
    "macro_f1": "macro-F1 of `assign`",
    "exact_path": "share of documents that `assign` gives exactly their path",
    "hierarchical_f1": "F1 of `assign` over all categories on the paths of documents",
    "diversity": "share of distinct terms among the terms of all topics",
    "npmi": "as in the paper; favours rare terms, so compare with random words",
    "lcp": "as in the paper; favours rare terms, too",
    "pmi": "as in the paper; favours rare terms, too",
    "npmi_unsmoothed": "pairs that never occur together count as -1",
    "median_document_frequency": "documents that contain a term",
    "pairs_never_together": "share of pairs of terms that no document contains",
    "terms_never_seen": "share of terms that no document contains",
    "c_v": "sliding windows of 110 words",
    "u_mass": "",
    "embedding_coherence": "mean cosine of a topic's terms in the language model",
}


def in_order(names: Iterable[str]) -> list[str]:
    """Figures in the order of `_MEANINGS`, then the others."""
    order = list(_MEANINGS)
    return sorted(names, key=lambda name: order.index(stem(name)) if stem(name) in order else len(order))


def stem(name: str) -> str:
    """`label_f1@` for `label_f1@10`."""
    return name[: name.index("@") + 1] if "@" in name else name


def meaning(name: str) -> str:
    """What a figure means, in a few words; empty if its name is enough."""
    return _MEANINGS.get(stem(name), "")


Figures = dict[str, float]  # nan: undefined
Table = dict[str, list[float]]  # each measure's value for each topic


@dataclass(frozen=True)
class TopicFigures:
    """One topic's figures."""

    name: str
    documents: dict[str, int]  # its measured terms, best first, with their held-out document frequencies
    figures: Figures


@dataclass(frozen=True)
class Evaluation:
    """Figures of all topics, their means, and the same measures for equally rare random topics."""

    corpus: str
    n_documents: int
    topics: tuple[TopicFigures, ...]
    figures: Figures
    control: Figures  # empty: none was drawn
    n_labelled: int | None = None  # None: no labels requested
    names_without_label: tuple[str, ...] = ()
    skipped: tuple[tuple[str, int], ...] = ()  # records skipped, by reason
    levels: tuple[Figures, ...] = ()  # of a tree, from the roots to the leaves: label measures of each level

    def to_json(self) -> dict[str, Any]:
        """Flat; null where a measure is undefined."""
        labelled = {"labelled_documents": self.n_labelled, "names_without_label": list(self.names_without_label)}
        return {
            "corpus": self.corpus,
            "documents": self.n_documents,
            "skipped": dict(self.skipped),
            **(labelled if self.n_labelled is not None else {}),
            **_plain(self.figures),
            "control": _plain(self.control),
            **({"levels": [_plain(level) for level in self.levels]} if self.levels else {}),
            "topics": [
                {"name": topic.name, **_plain(topic.figures), "terms": topic.documents} for topic in self.topics
            ],
        }


def _plain(figures: Figures) -> dict[str, float | None]:
    return {name: None if math.isnan(value) else value for name, value in figures.items()}


def means(table: Table) -> Figures:
    """Each measure's mean over the topics for which it is defined."""
    return {name: mean_over_topics(values) for name, values in table.items()}


def mean_figures(several: Sequence[Figures]) -> Figures:
    """The mean of several evaluations' figures."""
    return means({name: [each[name] for each in several] for name in several[0]}) if several else {}


def rows(table: Table, n_topics: int) -> list[Figures]:
    """The same figures, topic by topic."""
    return [{name: values[topic] for name, values in table.items()} for topic in range(n_topics)]


def median(values: Sequence[int]) -> float:
    return float(np.median(values)) if len(values) else float("nan")
