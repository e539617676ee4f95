"""`SeeTopic`: the library as a scikit-learn estimator."""

from __future__ import annotations

from seetopic.estimator.estimator import NotFitted, SeeTopic

__all__ = ["NotFitted", "SeeTopic"]
