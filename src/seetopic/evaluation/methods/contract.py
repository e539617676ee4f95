"""The interface of every method: `run(task, size, random_state) -> Topics`."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from seetopic.corpus import Seeds
from seetopic.discovery import RankedTerm, Topic, Topics, constraints_of, encode_names, products, starting_terms
from seetopic.errors import CorpusError
from seetopic.index import Index, beginning
from seetopic.runtime import Floats, Progress, silent
from seetopic.settings import PAPER
from seetopic.text import no_variants
from seetopic.version import __version__

if TYPE_CHECKING:
    from scipy.sparse import csr_array


@dataclass(frozen=True)
class Task:
    """Documents and names, the same for every method; methods never modify it."""

    index: Index
    seeds: Seeds
    texts: Sequence[str] | None = field(
        default=None, repr=False
    )  # in the order of the index, for methods that need them
    device: str = "auto"
    dimensions: int | None = None  # of vectors that a method trains; None: the method's default
    epochs: int | None = None  # of that training
    progress: Progress = field(default=silent, repr=False)

    @property
    def terms(self) -> tuple[str, ...]:
        return self.index.vocabulary.terms

    @cached_property
    def counts(self) -> csr_array:
        """How often each term occurs in each document; (n_documents, n_terms), columns ascending in each row."""
        from scipy.sparse import csr_array

        terms, documents = self.index.positions
        shape = (len(self.index), len(self.terms))
        # Built from triples, which adds up repeated occurrences of a term in a document.
        return csr_array((np.ones(len(terms), np.int64), (documents, terms)), shape=shape).tocsr()

    @cached_property
    def documents(self) -> list[list[int]]:
        """Each document as its term ids, in order."""
        terms, documents = self.index.positions
        bounds = np.searchsorted(documents, np.arange(1, len(self.index)))
        return [part.tolist() for part in np.split(terms, bounds)]

    @cached_property
    def names(self) -> Floats:
        """The language model's vectors of the names; unit rows, (n_categories, dimension)."""
        return encode_names(self.index, self.seeds).plain

    @cached_property
    def similarity(self) -> Floats:
        """Cosines of names and terms; (n_categories, n_terms)."""
        return products(self.names, np.asarray(self.index.general))

    @cached_property
    def starting(self) -> list[list[int]]:
        """Lines 1-7 of Algorithm 1: the in-vocabulary terms that represent each name, shared by all methods."""
        settings = PAPER.discovery
        unmerged = no_variants(len(self.terms))
        constraints = constraints_of(self.index, self.seeds, unmerged, names_first=settings.names_first)
        return starting_terms(self.similarity, constraints, settings)

    @cached_property
    def document_vectors(self) -> Floats:
        """The language model's vector of the beginning of each document; unit rows, (n_documents, dimension)."""
        if self.texts is None:
            raise CorpusError("this method reads whole documents, but the task has only an index; give `texts` as well")
        if len(self.texts) != len(self.index):
            raise CorpusError(f"the index has {len(self.index)} documents, but there are {len(self.texts)} texts")
        words = self.index.settings.sample.document_words
        return self.index.encode_texts([beginning(text, words) for text in self.texts], self.progress)

    def topics(self, method: str, ranked: Sequence[Sequence[tuple[int, float]]], **settings: Any) -> Topics:
        """Topics from ranked (term id, score) pairs per category; `settings` record how to reproduce them."""
        frequencies = self.index.document_frequencies
        topics = tuple(
            Topic(
                seed.name,
                seed.names,
                any(self.index.term_id(name) is not None for name in seed.names),
                tuple(RankedTerm(self.terms[term], float(score), int(frequencies[term]), {}) for term, score in found),
                path=seed.path,
            )
            for seed, found in zip(self.seeds.seeds, ranked, strict=True)
        )
        made_with = {
            "method": method,
            "settings": settings,
            "model": self.index.manifest["model"],
            "version": __version__,
            "corpus": self.index.manifest["corpus"],
        }
        return Topics(topics, made_with)


Method: TypeAlias = Callable[[Task, int, int], Topics]  # task, terms per topic, random state


def best_terms(scores: Sequence[Sequence[float]] | Any, size: int) -> list[list[tuple[int, float]]]:
    """The `size` best terms of each category with their scores; a term may be in several."""
    rows = np.asarray(scores, np.float64)  # (n_categories, n_terms)
    order = np.argsort(-rows, axis=1, kind="stable")[:, :size]
    return [[(int(term), float(row[term])) for term in terms] for row, terms in zip(rows, order, strict=True)]
