"""Shares of documents in categories, as an array or as a table with named columns."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from sklearn.base import TransformerMixin

from seetopic.classify import DocumentStream
from seetopic.runtime import Doubles


class Shares:
    """The `transform` of a fitted model.

    scikit-learn names the columns of every table with the estimator's `get_feature_names_out`, whatever was asked for.
    It leaves a `transform` alone that an estimator only inherits, so this one can have a column more.
    """

    if TYPE_CHECKING:

        def _stream(self, source: Any, vectors: Any) -> DocumentStream: ...

        def get_feature_names_out(self, input_features: Any = None) -> Any: ...

    def transform(self, X: Any, *, document_embeddings: Any = None, none: bool = False) -> Doubles:
        """How much each document belongs to each topic, as shares; (n_documents, n_topics).

        Each row and the share of no topic add up to 1; with `none`, that share is appended as the last column. In a
        tree of names, the share of a parent is therefore what it has besides its children, 0 if they cover it; a table
        of `assign` has the sum. `X` is as for `fit`; every document has a row, even an empty one.
        `document_embeddings`, one row per document from the language model of the fit, are used in addition to the
        terms.
        """
        shares = self._stream(X, document_embeddings).shares()
        names = self.get_feature_names_out()
        named = _Named(self, np.append(names, "none"), shares) if none else _Named(self, names, shares[:, :-1])
        found: Doubles = named.transform(X)
        return found


class _Named(TransformerMixin):  # type: ignore[misc] # scikit-learn has no type hints
    """Shares of documents under names, in the form that `set_output` of the model asks for."""

    def __init__(self, model: Shares, names: Any, shares: Doubles) -> None:
        self.__dict__.update(vars(model))  # with what `set_output` has stored
        self._names, self._shares = names, shares

    def transform(self, X: Any) -> Doubles:
        return self._shares

    def get_feature_names_out(self, input_features: Any = None) -> Any:
        return self._names
