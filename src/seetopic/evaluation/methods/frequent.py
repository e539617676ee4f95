"""Restricts the vocabulary for methods whose running time grows with it."""

from __future__ import annotations

import numpy as np

from seetopic.evaluation.methods.contract import Task
from seetopic.runtime import Longs


def frequent_terms(task: Task, limit: int) -> Longs:
    """The ids of the most frequent terms and of all starting terms, ascending; ids are ordered by frequency."""
    starting = [term for terms in task.starting for term in terms]
    return np.union1d(np.arange(min(limit, len(task.terms))), np.array(starting, np.int64)).astype(np.int64)
