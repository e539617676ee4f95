"""Category names as vectors, from the language model or from the user."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np

from seetopic.corpus import Seed, Seeds
from seetopic.errors import EncoderError
from seetopic.index import Index
from seetopic.runtime import Floats, Progress, normalized, silent

Encode: TypeAlias = Callable[[list[str]], Floats]
_FAR = 0.5  # cosine to the nearest term below which no term is near to a name that does not occur
_MANY_TERMS = 1000  # of fewer terms, none may be near to a name although the documents are about it
MANY = 64  # names above which progress is reported
_SENTENCE = "This text is about {}."  # documents are sentences, and a name in a sentence is closer to them


@dataclass(frozen=True)
class EncodedNames:
    """Vectors of the categories' names; unit rows, (n_categories, dimension)."""

    plain: Floats  # the mean of a category's names, to be compared with terms
    spoken: Floats  # the same, moved towards how documents would phrase them, to be compared with documents
    wordless: Collection[int]  # categories that have only a vector, so that no text about them can be encoded


def encode_names(
    index: Index, seeds: Seeds, given: Mapping[str, Floats] | None = None, progress: Progress = silent
) -> EncodedNames:
    """Vectors of names; `given` maps categories to vectors that replace the language model's."""
    ready = _given_vectors(seeds, given or {}, index.general.shape[1])
    texts = [texts_about(seed) for seed in seeds.seeds]
    sentences = [tuple(map(_SENTENCE.format, each)) for each in texts]
    if index.has_reader:
        plain = mean_vectors_of(index.encode_names, texts, ready, progress)
        read, spoken = np.split(mean_vectors_of(index.read_names, [*texts, *sentences], {}, progress), 2)
        return EncodedNames(plain, normalized(read + spoken), ())
    if not index.reads_texts:
        plain = mean_vectors_of(index.encode_names, texts, ready, progress)
        return EncodedNames(plain, plain, range(len(seeds)))
    both = {**ready, **{len(texts) + category: vector for category, vector in ready.items()}}
    plain, spoken = np.split(mean_vectors_of(index.encode_names, [*texts, *sentences], both, progress), 2)
    return EncodedNames(plain, normalized(plain + spoken), ready)


def texts_about(seed: Seed) -> tuple[str, ...]:
    """The names and the description, each of which counts as much as the others."""
    return (*seed.names, seed.description) if seed.description else seed.names


def mean_vectors_of(
    encode: Encode, texts: Sequence[tuple[str, ...]], ready: Mapping[int, Floats], progress: Progress = silent
) -> Floats:
    """The mean vector of each category's texts, or its precomputed one; unit rows."""
    others = [category for category in range(len(texts)) if category not in ready]
    rows = dict(ready)
    if others:
        rows |= zip(others, _encoded(encode, [texts[category] for category in others], progress), strict=True)
    return np.stack([rows[category] for category in range(len(texts))])


def _encoded(encode: Encode, texts: Sequence[tuple[str, ...]], progress: Progress) -> Floats:
    flat = [text for each in texts for text in each]
    parts = []
    for first in range(0, len(flat), MANY):
        report_many(progress, "encoding names", first, len(flat))
        parts.append(encode(flat[first : first + MANY]))
    bounds = np.cumsum([len(each) for each in texts])[:-1]
    return normalized(np.stack([part.mean(axis=0) for part in np.split(np.concatenate(parts), bounds)]))


def _given_vectors(seeds: Seeds, given: Mapping[str, Floats], length: int) -> dict[int, Floats]:
    for name, vector in given.items():
        if vector.shape != (length,):
            raise EncoderError(
                f"the vector of {name!r} has length {len(vector)}, but those of the terms have length {length}; "
                "use the same model for both"
            )
    return {number: given[name] for number, name in enumerate(seeds.names) if name in given}


def is_far(nearest: float, n_terms: int) -> bool:
    """Whether no term is near to a name that does not occur, by its cosine to the nearest one."""
    return nearest < _FAR and n_terms >= _MANY_TERMS


def report_many(progress: Progress, stage: str, done: int, total: int) -> None:
    """Report progress if there is much to do; a listener may also stop the work by raising an error."""
    if total > MANY:
        progress(stage, done, total)
