"""Measures on labelled documents: do topics find the documents that people gave the same label?

A document may have several labels, each judged on its own. Labels evaluate methods and never guide them.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from seetopic.errors import CorpusError
from seetopic.runtime import Doubles, Flags, Longs

if TYPE_CHECKING:
    from scipy.sparse import csr_array

NO_LABEL = -1
NO_GUESS = -1
_SIGNIFICANT = 1.645  # one-sided z at 5 %
_ROWS = 1 << 16  # documents whose sums are in memory at once
_DIGITS = 9  # sums that differ by rounding only are equal
_SHOWN = 4  # names and labels in an error


@dataclass(frozen=True)
class Labels:
    """The labels of documents."""

    names: tuple[str, ...]  # in alphabetical order
    of_documents: csr_array  # (n_documents, n_labels), 1 where a document has a label

    @property
    def labelled(self) -> Longs:
        """The documents that have at least one label."""
        return np.flatnonzero(np.diff(self.of_documents.indptr) > 0)

    def restricted_to(self, documents: Longs) -> Labels:
        return Labels(self.names, self.of_documents[documents])


def labels_of(given: Sequence[tuple[str, ...]]) -> Labels:
    """Labels from a tuple for each document in order, empty for those that have none."""
    names = tuple(sorted({label for labels in given for label in labels}))
    numbers = {name: number for number, name in enumerate(names)}
    columns = [sorted({numbers[label] for label in labels}) for labels in given]
    return Labels(names, _marks(columns, len(names)))


def _marks(columns: Sequence[Sequence[int]], width: int) -> csr_array:
    starts = np.concatenate([np.zeros(1, np.int64), np.cumsum([len(each) for each in columns], dtype=np.int64)])
    flat = np.array([column for each in columns for column in each], np.int64)
    from scipy.sparse import csr_array

    return csr_array((np.ones(flat.size, np.int64), flat, starts), shape=(len(columns), width))


def own_labels(names: Sequence[str], labels: Sequence[str]) -> Longs:
    """The label that equals each topic's name, exactly or else ignoring case; NO_LABEL if there is none."""
    exact = {label.strip(): number for number, label in reversed(list(enumerate(labels)))}
    folded = {label.strip().casefold(): number for number, label in reversed(list(enumerate(labels)))}
    found = [exact.get(name.strip(), folded.get(name.strip().casefold(), NO_LABEL)) for name in names]
    refuse_few_matches(names, sum(number != NO_LABEL for number in found), labels)
    return np.array(found, np.int64)


def refuse_few_matches(names: Sequence[str], known: int, labels: Sequence[str]) -> None:
    """Refuse labels that fewer than half of the topics have: they are probably about something else."""
    if 2 * known < len(names):
        raise CorpusError(
            f"only {known} of {len(names)} topics could be matched to a label (topics: {_beginning(names)}; "
            f"labels: {_beginning(labels)}); name the topics after the labels, "
            "or choose another --label-field (in Python: label_field)"
        )


def _beginning(values: Sequence[str]) -> str:
    return ", ".join(map(repr, values[:_SHOWN])) + (", ..." if len(values) > _SHOWN else "")


def speaks_for(holds: csr_array, labels: Labels) -> Flags:
    """Whether a label is a term's most over-represented one, significantly so; (n_terms, n_labels).

    `holds` is (n_documents, n_terms). Over-representation is lift: the share of the label's documents that contain
    the term; ties for first place count. It is significant if the term's documents have the label more often than
    all documents do, one-sided z > 1.645. A term that never occurs is evidence for no label, and no term is
    evidence for a label that every document has.
    """
    counts: Doubles = (holds.T @ labels.of_documents).toarray().astype(np.float64)
    n_documents = holds.shape[0]
    sizes: Doubles = labels.of_documents.sum(axis=0).astype(np.float64)  # each has a document
    frequencies: Doubles = holds.sum(axis=0).astype(np.float64)[:, None]
    lifts = counts / sizes
    shares = sizes / n_documents
    spread = np.sqrt(frequencies * shares * (1 - shares))
    z = np.divide(counts - frequencies * shares, spread, out=np.zeros(counts.shape), where=spread > 0)
    best: Flags = lifts == lifts.max(axis=1, keepdims=True, initial=0.0)
    return best & (z > _SIGNIFICANT)


def label_precision(topics: Sequence[Sequence[int]], own: Longs, speaking: Flags) -> list[float]:
    """Share of each topic's terms that are evidence for its own label; nan if it has no label.

    A topic without terms has 0: a method must not gain by skipping hard topics.
    """
    return [
        float("nan") if label == NO_LABEL else float(speaking[list(terms), label].mean()) if terms else 0.0
        for terms, label in zip(topics, own.tolist(), strict=True)
    ]


def guesses_by_terms(topics: Sequence[Sequence[int]], holds: csr_array) -> Longs:
    """The topic with the largest sum of idf = log(n / df) over each document's matched terms; NO_GUESS if none match.

    If sums are equal to nine decimals, the first topic wins. A term in two topics counts for both.
    """
    n_documents, n_terms = holds.shape
    frequencies = np.maximum(holds.sum(axis=0), 1)
    marks = _marks([sorted(set(terms)) for terms in topics], n_terms).T.tocsr()
    weights = marks * np.log(n_documents / frequencies)[:, None]
    guesses = np.full(n_documents, NO_GUESS, np.int64)
    if not topics:
        return guesses
    for first in range(0, n_documents, _ROWS):
        rows = holds[first : first + _ROWS]
        matched = (rows @ marks).toarray() > 0
        sums = np.where(matched, np.round((rows @ weights).toarray(), _DIGITS), -np.inf)
        guesses[first : first + _ROWS] = np.where(matched.any(axis=1), sums.argmax(axis=1), NO_GUESS)
    return guesses


def f1_of_guesses(guesses: Longs, own: Longs, labels: Labels) -> list[float]:
    """F1 of each topic, whose mean is the macro-F1. A guess is correct if it is among the document's labels.

    Topics without a label have nan; a document assigned to one still counts as missed by its own topic.
    """
    scores = []
    for topic, label in enumerate(own.tolist()):
        if label == NO_LABEL:
            scores.append(float("nan"))
            continue
        has = labels.of_documents[:, [label]].toarray()[:, 0] > 0
        guessed = guesses == topic
        either = int(guessed.sum() + has.sum())
        scores.append(2 * int((guessed & has).sum()) / either if either else 0.0)
    return scores


def coverage(topics: Iterable[Sequence[int]], holds: csr_array) -> float:
    """Share of documents that contain at least one of the topics' terms."""
    terms = sorted({term for topic in topics for term in topic})
    if not holds.shape[0]:
        return float("nan")
    return float((holds[:, terms].sum(axis=1) > 0).mean()) if terms else 0.0
