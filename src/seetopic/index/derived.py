"""What an open index reads from its files or computes from them, once and only if it is needed; all of it checked."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from seetopic.errors import DamagedIndex
from seetopic.index import layout
from seetopic.index.columns import Columns
from seetopic.index.layout import ascending, bounds, finite, of_length, read_words, within
from seetopic.index.positions import Texts
from seetopic.index.sample import inverse_frequency
from seetopic.index.themes import SampleThemes, find_neighbours, may_be_stored, n_centres, n_neighbours
from seetopic.runtime import LRU, Doubles, Floats, Ids
from seetopic.text import Spellings, Variants, spellings_of

if TYPE_CHECKING:
    from seetopic.index.index import Index

_KNOWN_TEXTS = 4000  # names, sentences and descriptions whose vectors are cached: 6 MB


def make_words(index: Index) -> tuple[str, ...]:
    return read_words(index.files.path(layout.WORDS))


def make_known_words(index: Index) -> frozenset[str]:
    return frozenset(index.derived(make_words))


def make_texts(index: Index) -> Texts:
    words = index.derived(make_words)
    places = index.files.long_array(layout.TEXTS, np.int32, within(-1, len(words)))
    return Texts(words, places, index.files.array(layout.TEXT_STARTS, np.int64, 1, bounds(len(index), len(places))))


def make_variants(index: Index) -> Variants:
    n_terms = len(index.vocabulary)
    return Variants(index.files.array(layout.VARIANTS, np.int64, 1, of_length(n_terms), within(0, n_terms)))


def make_spellings(index: Index) -> Spellings:
    return spellings_of(index.vocabulary.terms)


def make_themes(index: Index) -> SampleThemes:
    vectors = np.asarray(index.sample.general)
    centres: Floats = index.files.array(layout.THEMES, np.float32, 2, finite)
    if centres.shape != (n_centres(len(vectors)), vectors.shape[1]):
        raise DamagedIndex(f"{index.folder / layout.THEMES} has themes that do not match the index; build it again")
    if layout.SAMPLE_LIKENESS not in layout.files_of(index.manifest) or not len(centres):
        return SampleThemes(vectors, centres)
    stored = index.files.array(layout.SAMPLE_LIKENESS, np.float64, 1, of_length(1), finite)
    return SampleThemes(vectors, centres, float(stored[0]))


def make_neighbours(index: Index) -> Ids:
    n_read = len(index.sample.general)
    if layout.SAMPLE_NEIGHBOURS not in layout.files_of(index.manifest) or not may_be_stored(n_read):
        return find_neighbours(np.asarray(index.sample.general))
    found: Ids = index.files.array(layout.SAMPLE_NEIGHBOURS, np.int32, 2, within(0, n_read))
    if found.shape != (n_read, n_neighbours(n_read)):
        raise DamagedIndex(
            f"{index.folder / layout.SAMPLE_NEIGHBOURS} has documents that do not match the index; build it again"
        )
    return found


def make_columns(index: Index) -> Columns:
    names = read_words(index.files.path(layout.COLUMNS))
    values = index.files.long_array(layout.COLUMN_VALUES, np.uint8)
    checks = of_length(len(names) * len(index) + 1), within(0, len(values) + 1), ascending
    return Columns(names, values, index.files.long_array(layout.COLUMN_STARTS, np.int64, *checks), len(index))


def make_idf(index: Index) -> Doubles:
    return inverse_frequency(index.document_frequencies, len(index))


def make_known_texts(_: Index) -> LRU[str, Floats]:
    return LRU(_KNOWN_TEXTS)


def make_read_before(_: Index) -> LRU[str, Floats]:
    return LRU(_KNOWN_TEXTS)
