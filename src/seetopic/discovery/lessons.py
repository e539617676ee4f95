"""From judgements to lessons: judged documents and terms as vectors, and the categories that each may belong to."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import numpy as np

from seetopic.corpus import Seeds, Settled, normalized_name
from seetopic.discovery.sampled import SampledDocuments, sampled_documents
from seetopic.discovery.teaching import Lessons
from seetopic.discovery.tree import Tree
from seetopic.errors import JudgementError
from seetopic.index import Index, Uncovered, beginning
from seetopic.runtime import Doubles, Flags, Floats, Longs, normalized, warn
from seetopic.settings import SortingSettings
from seetopic.text import Finder, finder_of

_LEAST = 3  # documents of none of the names from which they are a theme; fewer may be mistakes
_ENOUGH = 5  # judged documents of a theme, or of all themes, that can refute it
_NEARLY_ALL = 0.9
_SHOWN = 5  # unknown terms that a warning lists
_SAME = 0.85  # cosine of a document and a theme from which the theme represents it


def require_known(index: Index, settled: Settled) -> None:
    """Refuse judged documents that the index does not have, and warn of judged terms that it does not have."""
    numbers = [document for document in settled.documents if isinstance(document, int)]
    if numbers and max(numbers) >= len(index):
        raise JudgementError(
            f"document {max(numbers)} is judged, but the index has {len(index):,} documents, numbered from 0 to "
            f"{len(index) - 1}; correct its number, or give the index that the judgements were made for"
        )
    unknown = [term for term in settled.terms if index.term_id(term) is None]
    if unknown:
        shown = ", ".join(map(repr, unknown[:_SHOWN])) + (", ..." if len(unknown) > _SHOWN else "")
        warn(f"judged, but not in the documents: {shown}")


def with_theme_of_none(index: Index, seeds: Seeds, settled: Settled, uncovered: Uncovered) -> Uncovered:
    """Residual themes, and one more for documents that belong to none of the names and to no theme so far."""
    outside = [document for document, answers in settled.documents.items() if _is_none(answers, len(seeds))]
    vectors = np.array(list(_vectors(index, outside).values()), np.float32) if index.sample.was_read else ()
    if len(vectors) < _LEAST:
        return uncovered
    # So the names do not cover everything.
    centres, far = uncovered.centres, (vectors @ uncovered.centres.T).max(axis=1, initial=-1.0) < _SAME
    if np.count_nonzero(far) >= _LEAST:
        centres = np.vstack([centres, normalized(vectors[far].sum(axis=0)[None]).astype(np.float32)])
    return replace(uncovered, centres=centres, handicaps=np.zeros(len(centres)))


def without_refuted(
    index: Index,
    seeds: Seeds,
    settled: Settled,
    uncovered: Uncovered,
    spoken: Floats,
    handicaps: Doubles,
    sorting: SortingSettings,
) -> Uncovered:
    """Residual themes without those of which most judged documents belong to the names after all.

    `spoken` and `handicaps` are of the names.
    """
    rows = _read_rows(index)
    belongs = {
        rows[document]: any(answers.values())
        for document, answers in settled.documents.items()
        if document in rows and (any(answers.values()) or _is_none(answers, len(seeds)))
    }
    if not belongs or not len(uncovered.centres):
        return uncovered
    categories, lowered = np.vstack([spoken, uncovered.centres]), np.append(handicaps, uncovered.handicaps)
    reading = sampled_documents(index).sorted_by(categories, lowered, sorting)
    best = reading.found.scores[list(belongs)].argmax(axis=1)
    inside = np.array(list(belongs.values()))

    def refuted(theirs: Flags, more_than: float) -> bool:
        return bool(np.count_nonzero(theirs) >= _ENOUGH and inside[theirs].mean() > more_than)

    if refuted(best >= len(seeds), _NEARLY_ALL):  # so the names cover everything
        return replace(uncovered, centres=uncovered.centres[:0], handicaps=np.empty(0))
    themes = range(len(seeds), len(seeds) + len(uncovered.centres))
    kept = np.array([not refuted(best == theme, 0.5) for theme in themes])
    return replace(uncovered, centres=uncovered.centres[kept], handicaps=uncovered.handicaps[kept])


def _is_none(answers: Mapping[int, bool], n_names: int) -> bool:
    return len(answers) == n_names and not any(answers.values())


def with_rejected_terms(seeds: Seeds, settled: Settled) -> Seeds:
    """The names with rejected terms as negative ones, unless the names themselves say otherwise."""
    decided = {normalized_name(term) for seed in seeds.seeds for term in (*seed.pinned, *seed.negative)}
    decided |= set(map(normalized_name, seeds.all_names))
    free = {term: answers for term, answers in settled.terms.items() if normalized_name(term) not in decided}
    rejected = (tuple(term for term, of in free.items() if of.get(number) is False) for number in range(len(seeds)))
    return Seeds(
        tuple(replace(seed, negative=(*seed.negative, *own)) for seed, own in zip(seeds.seeds, rejected, strict=True))
    )


def lessons_of(index: Index, seeds: Seeds, settled: Settled, n_themes: int, tree: Tree | None = None) -> Lessons | None:
    """What judgements and the categories' examples teach; None if there is nothing to learn from."""
    documents = _with_examples(seeds, settled)
    if not index.sample.was_read:
        if documents:
            warn("the language model has read no documents of this index, so judged documents teach nothing")
        return None
    if not documents and not settled.terms:
        return None
    sampled, rows, vectors = sampled_documents(index), _read_rows(index), _vectors(index, list(documents))
    taught: list[tuple[Floats, Flags, int]] = [
        (_features(index, sampled, document, vectors[document]), mask, rows.get(document, -1))
        for document, answers in documents.items()
        if document in vectors and says_something(mask := allowed_categories(answers, len(seeds), n_themes, tree), tree)
    ]
    n_documents = len(taught)
    for term, answers in settled.terms.items():
        number, mask = index.term_id(term), allowed_categories(answers, len(seeds), n_themes, tree)
        if number is not None and says_something(mask, tree):
            local = sampled.local_scale * index.local[number]
            taught.append((np.concatenate([index.read_terms([number])[0], local]), mask, -1))
    if not taught:
        return None
    features, allowed, places = zip(*taught, strict=True)
    return Lessons(np.array(features, np.float32), np.array(allowed), np.array(places, np.int64), n_documents)


def _with_examples(seeds: Seeds, settled: Settled) -> dict[int | str, dict[int, bool]]:
    """Judged documents, followed by the categories' examples that nobody has judged."""
    examples: dict[int | str, dict[int, bool]] = {}
    for number, seed in enumerate(seeds.seeds):
        for text in seed.examples:
            examples.setdefault(text, {})[number] = True
    return settled.documents | {text: answers for text, answers in examples.items() if text not in settled.documents}


def says_something(allowed: Flags, tree: Tree | None) -> bool:
    """Whether there is a category that a document may belong to, and one that it may not."""
    own = allowed if tree is None else allowed[list(tree.leaves)]
    return bool(own.any() and not own.all())


def allowed_categories(answers: Mapping[int, bool], n_names: int, n_themes: int, tree: Tree | None = None) -> Flags:
    """The categories and themes that a document may belong to; in a tree, those that have documents of their own."""
    accepted = [category for category, belongs in answers.items() if belongs]
    rejected = [category for category, belongs in answers.items() if not belongs]
    mask = np.full(n_names + n_themes, not accepted)
    if tree is not None:
        above = {node for category in accepted for node in tree.path(category)[:-1]}
        accepted = [column for category in accepted if category not in above for column in tree.below(category)]
        rejected = [*tree.inner, *(column for category in rejected for column in tree.below(category))]
    mask[accepted] = True
    mask[rejected] = False
    return mask


def _vectors(index: Index, documents: list[int | str]) -> dict[int | str, Floats]:
    """The language model's vectors of judged documents; those that cannot be encoded are left out."""
    rows = _read_rows(index)
    found: dict[int | str, Floats] = {
        document: np.asarray(index.sample.general[rows[document]]) for document in documents if document in rows
    }
    others = [document for document in documents if document not in found]
    if others and not index.reads_texts:
        warn(f"{len(others)} judged documents have no vectors, so they teach nothing")
        return found
    texts = [beginning(text_of(index, document), index.settings.sample.document_words) for document in others]
    return found | dict(zip(others, index.read_texts(texts) if texts else (), strict=True))


def _read_rows(index: Index) -> dict[int | str, int]:
    """The place of each document that the language model has read, by its number."""
    numbers: list[int | str] = np.asarray(index.sampled)[: len(index.sample.general)].tolist()
    return {number: row for row, number in enumerate(numbers)}


def text_of(index: Index, document: int | str) -> str:
    """The text of a document, or its words as the index stores them."""
    return document if isinstance(document, str) else " ".join(filter(None, index.texts.words_of(document)))


def _features(index: Index, sampled: SampledDocuments, document: int | str, vector: Floats) -> Floats:
    terms = np.unique(_terms_of(index, document))
    weights = index.idf[terms]
    length = max(float(np.sqrt((weights**2).sum())), 1e-9)
    local = (weights / length) @ np.asarray(index.local)[terms]
    return np.concatenate([vector, sampled.local_scale * local])


def _terms_of(index: Index, document: int | str) -> Longs:
    if isinstance(document, int):
        return np.asarray(index.terms_of(np.array([document])), np.int64)
    words = index.tokenizer(document.lower() if index.settings.text.lowercase else document)
    return np.asarray(index.derived(_finder).found([words]).values, np.int64)


def _finder(index: Index) -> Finder:
    return finder_of(index.vocabulary.terms)
