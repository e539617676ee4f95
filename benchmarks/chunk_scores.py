"""Precision and recall of phrases against the names found by a parser."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from noun_chunks import Parsed, Span

Sentence = list[str]
Cut = Callable[[Parsed], set[Span]]  # a document's phrases of two words or more


@dataclass(frozen=True)
class Gold:
    """The names in the sample's documents, and which of them should be found."""

    sample: list[Parsed]
    names: list[dict[Span, tuple[str, ...]]]  # of two words or more, one dictionary per document
    often: set[tuple[str, ...]]  # those that occur often in the corpus, in any role


def found_by(cut: Cut, sample: list[Parsed]) -> list[set[Span]]:
    return [cut(document) for document in sample]


def gold_of(
    sample: list[Parsed], names_of: Callable[[Parsed], set[Span]], sentences: list[Sentence], often: int
) -> Gold:
    names = [dict(_named(document, names_of(document))) for document in sample]
    wanted = {run for each in names for run in each.values()}
    longest = max(map(len, wanted), default=0)
    counts: Counter[tuple[str, ...]] = Counter()
    for sentence in sentences:
        for length in range(2, min(longest, len(sentence)) + 1):
            for first in range(len(sentence) - length + 1):
                run = tuple(sentence[first : first + length])
                if run in wanted:
                    counts[run] += 1
    return Gold(sample, names, {run for run, count in counts.items() if count >= often})


def _named(document: Parsed, spans: set[Span]) -> Iterator[tuple[Span, tuple[str, ...]]]:
    for first, end in spans:
        words = document.words[first:end]
        if end - first > 1 and None not in words:
            yield (first, end), tuple(word.replace(" ", "_") for word in words if word)


def scores(found: list[set[Span]], gold: Gold) -> dict[str, float]:
    n_found = n_right = n_wanted = n_wanted_found = 0
    kinds: set[tuple[str, ...]] = set()
    for spans, names in zip(found, gold.names, strict=True):
        wanted = {span for span, run in names.items() if run in gold.often}
        n_found += len(spans)
        n_right += len(spans & names.keys())
        n_wanted += len(wanted)
        n_wanted_found += len(wanted & spans)
        kinds |= {names[span] for span in wanted & spans}
    precision, recall = n_right / max(n_found, 1), n_wanted_found / max(n_wanted, 1)
    return {
        "precision": round(precision, 3),
        "recall": round(recall, 3),
        "f1": round(2 * precision * recall / max(precision + recall, 1e-9), 3),
        "kinds_found": round(len(kinds) / max(len(gold.often), 1), 3),
        "occurrences": n_found,
    }
