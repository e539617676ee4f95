"""Sentences that show terms in use, for people who judge them."""

from __future__ import annotations

from collections.abc import Iterable

from seetopic.corpus import Documents
from seetopic.index import Index
from seetopic.output import passages_of, sentence_in

Parts = tuple[tuple[str, bool], ...]


def sentences_with(index: Index, documents: Documents | None, terms: Iterable[str]) -> dict[str, Parts]:
    """A sentence for each term that occurs, with the term marked."""
    first = {term: _document_with(index, term) for term in dict.fromkeys(terms)}
    numbers = {number for number in first.values() if number is not None}
    passages, _ = passages_of(index, numbers, documents)
    found = {}
    for term, number in first.items():
        spelled = {(index.as_term(term) or term): term}
        sentence = None if number is None else sentence_in(passages[number], number, spelled, term)
        if sentence is not None:
            found[term] = sentence.parts
    return found


def _document_with(index: Index, term: str) -> int | None:
    """A document with the term, from the middle of the corpus: the first ones are often alike."""
    number = index.term_id(term)
    if number is None:
        return None
    first, last = index.posting_starts[number], index.posting_starts[number + 1]
    documents = index.posting_documents[first:last].tolist()
    return int(documents[len(documents) // 2]) if documents else None
