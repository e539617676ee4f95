"""`SeeTopic`: the scikit-learn estimator over everything else."""

from __future__ import annotations

from seetopic.model.estimator import SeeTopic

__all__ = ["SeeTopic"]
