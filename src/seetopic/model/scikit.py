"""What makes `SeeTopic` one of scikit-learn's estimators; loaded with the first model, because it is slow to load."""

from __future__ import annotations

from typing import Any

from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.exceptions import NotFittedError

from seetopic.arrays import Doubles
from seetopic.errors import SeeTopicError
from seetopic.model import estimator


class NotFitted(SeeTopicError, NotFittedError):  # type: ignore[misc] # scikit-learn carries no types
    """A model is asked before it was fitted."""


class SeeTopic(estimator.SeeTopic, TransformerMixin, BaseEstimator):  # type: ignore[misc]
    __doc__ = estimator.SeeTopic.__doc__

    # scikit-learn wraps these two where it finds them, so that `set_output` works.

    def transform(self, X: Any, *, document_embeddings: Any = None, none: bool = False) -> Doubles:
        return super().transform(X, document_embeddings=document_embeddings, none=none)

    def fit_transform(self, X: Any, y: Any = None, **embeddings: Any) -> Doubles:
        return super().fit_transform(X, y, **embeddings)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.string = True
        tags.input_tags.two_d_array = False
        return tags


SeeTopic.transform.__doc__ = estimator.SeeTopic.transform.__doc__
SeeTopic.fit_transform.__doc__ = estimator.SeeTopic.fit_transform.__doc__
