"""Vectors that the user has ready: of terms, of names, of documents. They are read, and never changed."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from itertools import islice
from typing import Any

import numpy as np

from seetopic.corpus import Documents, Seeds
from seetopic.errors import EncoderError
from seetopic.runtime import Floats
from seetopic.settings import IndexSettings
from seetopic.text import as_term
from seetopic.vectors import ReadyVectors, TermEncoder, encoder_for, unit_rows


@dataclass(frozen=True)
class Ready:
    """What of vectors was given, by kind."""

    terms: Any = None  # a mapping, or whatever tells by `in` and `[]` what it has
    names: Mapping[str, Floats] = field(default_factory=dict)  # unit vectors, by category
    documents: Any = None  # an array, a row a document


def name_vectors(seeds: Seeds, given: Any) -> dict[str, Floats]:
    """By category the unit vector that was given for it: in an array, a row a name, or in a mapping by name."""
    if given is None:
        return {}
    if not _is_mapping(given):
        return dict(zip(seeds.names, unit_rows(given, seeds.names), strict=True))
    known = [name for name in seeds.names if name in given]
    if not known:
        raise EncoderError(f"`seed_embeddings` has none of the names ({', '.join(seeds.names[:5])}); add them")
    return dict(zip(known, unit_rows([given[name] for name in known], known), strict=True))


def document_rows(documents: Documents, given: Any) -> Any:
    """The rows of the documents that are kept, of an array that may have rows of empty ones, too."""
    if given is None:
        return None
    array = np.asarray(given)
    if array.ndim != 2:
        raise EncoderError(f"`document_embeddings` has shape {array.shape}; it must have a row for each document")
    kept = np.fromiter(documents.numbers(), np.int64)
    if len(array) == len(kept):
        return array
    if len(array) <= kept[-1]:
        raise EncoderError(f"`document_embeddings` has {len(array)} rows for {len(kept)} documents; give a row each")
    return array[kept]


def model_for(embedding_model: Any, ready: Ready, seeds: Seeds, settings: IndexSettings, device: str) -> Any:
    """What encodes terms and names: the model, or the ready vectors with the model, if one was named, for the rest.

    Whatever does not fit together is refused here, before any slow work.
    """
    if ready.terms is None:
        if ready.names or ready.documents is not None:
            encoder = encoder_for(embedding_model, device=device, precision=settings.precision)
            _check_lengths(ready, encoder.encode_names([seeds.names[0]])[0], "the model's")
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
            f"{len(unknown)} names have no ready vector ({', '.join(unknown[:5])}); add them to `term_embeddings`, "
            "give `seed_embeddings`, or name the `embedding_model` that all vectors come from"
        )
    for term in islice(ready.terms, 1) if isinstance(ready.terms, Mapping) else ():
        _check_lengths(ready, np.asarray(ready.terms[term]), "those of `term_embeddings`")
    return vectors


def _check_lengths(ready: Ready, other: Floats, whose: str) -> None:
    lengths = {f"the vector of {name!r}": len(vector) for name, vector in ready.names.items()}
    if ready.documents is not None:
        lengths["`document_embeddings`"] = ready.documents.shape[1]
    for what, length in lengths.items():
        if length != len(other):
            raise EncoderError(f"{what} has length {length}, but {whose} {len(other)}; give all by one model")


def _is_mapping(given: Any) -> bool:
    """Also word vectors of other libraries, which are not mappings by name."""
    return isinstance(given, Mapping) or (hasattr(given, "key_to_index") and hasattr(given, "__getitem__"))
