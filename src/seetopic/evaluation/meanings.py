"""What figures of an evaluation say, in a few words, and the order in which people read them."""

from __future__ import annotations

from collections.abc import Iterable

# What each figure says, in the order of the table; what is not here is shown by its own name.
_MEANINGS = {
    "label_precision@": "share of terms whose most typical label is their topic's own",
    "label_f1@": "macro-F1 of labelling documents by matched terms alone",
    "coverage@": "share of documents that hold a term",
    "macro_f1": "macro-F1 of `assign`",
    "diversity": "share of terms that stand in one topic only",
    "npmi": "as in the paper; rewards rare terms, so look at the random words, too",
    "lcp": "as in the paper; likewise",
    "pmi": "as in the paper; likewise",
    "npmi_unsmoothed": "pairs that never meet count as -1",
    "median_document_frequency": "documents that hold a term",
    "pairs_never_together": "share of pairs of terms that no document holds",
    "terms_never_seen": "share of terms that no document holds",
    "c_v": "sliding windows of 110 words",
    "u_mass": "",
    "embedding_coherence": "mean cosine of a topic's terms, by the language model",
}


def in_order(names: Iterable[str]) -> list[str]:
    """Figures in the order of `_MEANINGS`, then the others."""
    order = list(_MEANINGS)
    return sorted(names, key=lambda name: order.index(stem(name)) if stem(name) in order else len(order))


def stem(name: str) -> str:
    """`label_f1@` for `label_f1@10`."""
    return name[: name.index("@") + 1] if "@" in name else name


def meaning(name: str) -> str:
    """What a figure says, in a few words; empty where its name says it."""
    return _MEANINGS.get(stem(name), "")
