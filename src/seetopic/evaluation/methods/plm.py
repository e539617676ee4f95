"""The language model on its own: lines 1-7 of Algorithm 1 for all terms; BERT and BioBERT in the paper.

The model is that of the index: any that `--model` accepts.
"""

from __future__ import annotations

from seetopic.discovery import Topics
from seetopic.evaluation.methods.contract import Task, best_terms


def run(task: Task, size: int, random_state: int) -> Topics:
    """Each name's nearest terms by cosine; a term may be near two names, as in the paper. Deterministic."""
    return task.topics("plm", best_terms(task.similarity, size))
