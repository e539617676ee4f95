"""Precomputed vectors of terms, names and documents, which are read and never changed."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from itertools import islice
from typing import Any

import numpy as np

from seetopic.corpus import Documents, Seeds
from seetopic.errors import EncoderError
from seetopic.runtime import Floats, quantity
from seetopic.settings import IndexSettings
from seetopic.text import as_term
from seetopic.vectors import ReadyVectors, TermEncoder, encoder_for, unit_rows


@dataclass(frozen=True)
class Ready:
    """The precomputed vectors, by kind."""

    terms: Any = None  # a mapping, or any object that supports `in` and `[]`
    names: Mapping[str, Floats] = field(default_factory=dict)  # unit vectors, by category
    documents: Any = None  # an array, one row per document


def name_vectors(seeds: Seeds, given: Any) -> dict[str, Floats]:
    """The unit vectors given for categories, from an array with one row per name or a mapping by name."""
    if given is None:
        return {}
    if not _is_mapping(given):
        return dict(zip(seeds.names, unit_rows(given, seeds.names), strict=True))
    known = [name for name in seeds.names if name in given]
    if not known:
        raise EncoderError(f"`seed_embeddings` contains none of the names ({', '.join(seeds.names[:5])}); add them")
    return dict(zip(known, unit_rows([given[name] for name in known], known), strict=True))


def document_rows(documents: Documents, given: Any) -> Any:
    """The rows of the documents that are kept, from an array that may also have rows for empty ones."""
    if given is None:
        return None
    array = np.asarray(given)
    if array.ndim != 2:
        raise EncoderError(f"`document_embeddings` has shape {array.shape}, but must have one row per document")
    kept = np.fromiter(documents.numbers(), np.int64)
    if len(array) == len(kept):
        return array
    if len(array) <= kept[-1]:
        raise EncoderError(
            f"`document_embeddings` has {quantity(len(array), 'row')} for {quantity(len(kept), 'document')}; "
            "give one row per document"
        )
    return array[kept]


def model_for(
    embedding_model: Any, reader: Any, ready: Ready, seeds: Seeds, settings: IndexSettings, device: str
) -> Any:
    """What encodes terms and names: the model, or precomputed vectors with the model, if any, for the rest.

    Incompatible vectors are refused here, before any slow work.
    """
    if reader is not None and ready.documents is not None:
        read = encoder_for(reader, device=device, precision=settings.precision).encode_names([seeds.names[0]])[0]
        _check_lengths(Ready(documents=ready.documents), read, "the reader's vectors")
        ready = replace(ready, documents=None)
    if ready.terms is None:
        if ready.names or ready.documents is not None:
            encoder = encoder_for(embedding_model, device=device, precision=settings.precision)
            _check_lengths(ready, encoder.encode_names([seeds.names[0]])[0], "the model's vectors")
        return embedding_model
    if not _is_mapping(ready.terms):
        kind = type(ready.terms).__name__
        raise EncoderError(f"`term_embeddings` must be a mapping of terms to vectors, not {kind}")
    others: TermEncoder | None = None
    if embedding_model is not None:
        others = encoder_for(embedding_model, device=device, precision=settings.precision)
    vectors = ReadyVectors(ready.terms, others)
    unknown = [
        name
        for seed in seeds.seeds
        for name in seed.names
        if seed.name not in ready.names
        and not vectors.knows(name)
        and not vectors.knows(as_term(name, lowercase=settings.text.lowercase) or name)
    ]
    if unknown:
        raise EncoderError(
            f"there is no precomputed vector of {quantity(len(unknown), 'name')} ({', '.join(unknown[:5])}); "
            "add them to `term_embeddings`, pass `seed_embeddings`, "
            "or set `embedding_model` to the model that all vectors come from"
        )
    for term in islice(ready.terms, 1) if isinstance(ready.terms, Mapping) else ():
        _check_lengths(ready, np.asarray(ready.terms[term]), "those of `term_embeddings`")
    return vectors


def _check_lengths(ready: Ready, other: Floats, whose: str) -> None:
    lengths = {f"the vector of {name!r}": len(vector) for name, vector in ready.names.items()}
    if ready.documents is not None:
        lengths["each row of `document_embeddings`"] = ready.documents.shape[1]
    for what, length in lengths.items():
        if length != len(other):
            raise EncoderError(
                f"{what} has length {length}, but {whose} have length {len(other)}; use one model for all vectors"
            )


def _is_mapping(given: Any) -> bool:
    """Whether it is a mapping; also true for word vectors of other libraries, which are not."""
    return isinstance(given, Mapping) or (hasattr(given, "key_to_index") and hasattr(given, "__getitem__"))
