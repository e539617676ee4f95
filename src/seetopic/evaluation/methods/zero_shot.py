"""A simple, strong baseline: the language model sorts documents, class-based TF-IDF finds each category's terms."""

from __future__ import annotations

import numpy as np

from seetopic.discovery import Topics
from seetopic.evaluation.methods.contract import Task, best_terms
from seetopic.runtime import Doubles, Longs


def run(task: Task, size: int, random_state: int) -> Topics:
    """Assign every document to the nearest name, then take each category's highest-weighted terms. Deterministic."""
    nearest = (task.document_vectors @ task.names.T).argmax(axis=1)
    return task.topics("zero-shot", best_terms(class_weights(task, nearest), size))


def class_weights(task: Task, categories: Longs) -> Doubles:
    """Class-based TF-IDF: a term's share of its category's terms, times log(1 + mean number of terms in a
    category / how often the term occurs in all of them); (n_categories, n_terms)."""
    occurs = task.counts.astype(bool).astype(np.float64)
    of_category = np.eye(len(task.seeds))[categories]  # (n_documents, n_categories)
    counts = (occurs.T @ of_category).T
    in_all = counts.sum(axis=0)
    shares = counts / np.maximum(counts.sum(axis=1, keepdims=True), 1)
    weights: Doubles = shares * np.log1p(counts.sum(axis=1).mean() / np.maximum(in_all, 1))
    return weights
