"""Details of topics: why a term is there, sentences, documents, overlap, figures."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Literal

import numpy as np

from seetopic.corpus import Seed, Seeds
from seetopic.discovery import check
from seetopic.errors import SeeTopicError
from seetopic.index import Index
from seetopic.output import (
    Figure,
    Sentence,
    charts,
    marked_whole,
    nearest_pairs,
    passages_of,
    reasons,
    sentence_in,
    spellings,
)
from seetopic.web.columns import CorpusColumns
from seetopic.web.errors import Missing
from seetopic.web.examples import Parts
from seetopic.web.limits import DOCUMENT_WORDS
from seetopic.web.schemas import Frozen, Names, same
from seetopic.web.topic_service import Finding

FigureName = Literal["map", "documents", "heatmap", "ranks", "counts", "bars"]
_SHOWN = 36  # words shown of a document without terms
_FIGURES: dict[str, Callable[..., Any]] = {
    "map": charts.topics_map,
    "documents": charts.documents_map,
    "heatmap": charts.heatmap,
    "ranks": charts.term_rank,
    "counts": charts.documents_per_topic,
    "bars": charts.barchart,
}


class Passage(Frozen):
    """A sentence, with the terms of the topic marked."""

    parts: Parts
    document: int
    terms: tuple[str, ...]


class Passages(Frozen):
    """Sentences with a topic's terms; `quoted` if from the original text, otherwise in the index's words."""

    passages: tuple[Passage, ...]
    quoted: bool


class Nearness(Frozen):
    """Similarity to a category's name."""

    category: str
    name: str
    similarity: float


class WhyTerm(Frozen):
    """Why a term is in its topic."""

    term: str
    sentences: tuple[str, ...]
    nearest: tuple[Nearness, ...]
    passage: Passage | None
    variants: tuple[str, ...]


class TopicDocument(Frozen):
    """A document assigned to a topic, and with what share."""

    number: int
    share: float
    parts: Parts
    terms: tuple[str, ...]


class TopicDocuments(Frozen):
    """Sampled documents assigned to a topic, clearest first."""

    given: int
    looked_at: int
    documents: tuple[TopicDocument, ...]


class Share(Frozen):
    """Share of a category in a document."""

    category: str
    name: str
    share: float


class WholeDocument(Frozen):
    """A document in parts, each with the category whose term it is, if any."""

    number: int
    parts: tuple[tuple[str, str | None], ...]
    cut: bool  # whether it was truncated
    shares: tuple[Share, ...]
    none: float  # the share of none
    columns: dict[str, str]  # kept beside it


class NearPair(Frozen):
    """Two similar topics."""

    first: str
    second: str
    likeness: float


class Overlap(Frozen):
    """Similarity of topics by their terms, and the share of common documents."""

    names: tuple[str, ...]
    likeness: tuple[tuple[float, ...], ...]
    shared: tuple[tuple[float, ...], ...]
    nearest: tuple[NearPair, ...]


class Picture(Frozen):
    """A figure, in which text from names and documents is escaped."""

    title: str
    description: str
    svg: str
    width: float
    height: float


class NamePreview(Frozen):
    """What the corpus says about a name before it is added."""

    name: str
    in_vocabulary: bool = False
    occurrences: int = 0
    nearest: tuple[tuple[str, float], ...] = ()
    clashes: tuple[Nearness, ...] = ()
    problem: str | None = None


def check_name(index: Index, names: Names, name: str, category: str | None) -> NamePreview:
    """Whether a name occurs, its nearest terms, and which other categories would compete with it."""
    others = [(each, one) for each in names.categories if each.id != category for one in each.names]
    twice = next((each for each, one in others if same(one, name)), None)
    if twice is not None:
        return NamePreview(name=name, problem=f"{name!r} is already a name of {twice.name!r}; choose another")
    try:
        beside = [Seed(each.name, each.names) for each in names.categories if each.id != category]
        checked = check(index, Seeds((Seed(name, (name,)), *beside)))
    except SeeTopicError as error:
        return NamePreview(name=name, problem=str(error))
    own = checked.names[0]
    ids = {one: each for each, one in others}
    clashes = [
        Nearness(category=ids[other].id, name=other, similarity=similarity)
        for first, second, similarity in checked.close
        if name in (first, second) and (other := second if first == name else first) in ids
    ]
    return NamePreview(
        name=name,
        in_vocabulary=own.in_vocabulary,
        occurrences=own.occurrences,
        nearest=own.nearest,
        clashes=tuple(clashes),
    )


def why(finding: Finding, category: str, term: str) -> WhyTerm:
    """Why a term is in its topic: its ranks in words, the nearest names, and a sentence."""
    number = finding.number(category)
    topic, index = finding.topics[number], finding.run.index
    ranked = next((each for each in topic.terms if same(each.term, term)), None)
    if ranked is None:
        raise Missing(f"{term[:80]!r} is no longer a term of {topic.name!r}; reload its terms")
    own = finding.names.categories[number]
    spelled = [{index.as_term(each) or each for each in texts} for texts in (own.pinned, own.names)]
    sentence = finding.examples.of_terms[number].get(ranked.term)
    similarity = finding.run.similarity[:, index.vocabulary.ids[ranked.term]]
    order = np.argsort(-similarity, kind="stable")[:5].tolist()
    checked = finding.run.settings.checked_ranks
    return WhyTerm(
        term=ranked.term,
        sentences=tuple(reasons(ranked, spelled[0], spelled[1], len(index.vocabulary), checked)),
        nearest=tuple(
            Nearness(
                category=finding.names.categories[each].id,
                name=finding.names.categories[each].name,
                similarity=round(float(similarity[each]), 3),
            )
            for each in order
        ),
        passage=None if sentence is None else _passage(sentence),
        variants=ranked.variants,
    )


def passages(finding: Finding, category: str) -> Passages:
    number = finding.number(category)
    found = finding.examples
    return Passages(passages=tuple(map(_passage, found.of_topics[number])), quoted=found.quoted)


def documents_of(finding: Finding, category: str, offset: int, limit: int) -> TopicDocuments:
    """Sampled documents that `assign` gives the topic."""
    number = finding.number(category)
    scene = finding.scene
    own = np.flatnonzero(scene.document_topics == number)
    order = own[np.argsort(-scene.document_shares[own, number], kind="stable")][offset : offset + limit]
    shares = scene.document_shares[order, number].tolist()
    spelled = spellings(scene, number)
    numbers = finding.run.index.sampled[order].tolist()
    found, _ = passages_of(finding.run.index, numbers, finding.quotable)
    shown = [sentence_in(found[each], each, spelled) or plain_beginning(found[each].text, each) for each in numbers]
    return TopicDocuments(
        given=len(own),
        looked_at=len(scene.document_topics),
        documents=tuple(
            TopicDocument(number=each, share=round(share, 4), parts=sentence.parts, terms=tuple(sorted(sentence.terms)))
            for each, share, sentence in zip(numbers, shares, shown, strict=True)
        ),
    )


def document(finding: Finding, number: int, columns: CorpusColumns) -> WholeDocument:
    """A document as written or, if that is not available, in the words stored in the index."""
    index = finding.run.index
    if not 0 <= number < len(index):
        raise Missing(f"there is no document {number}; the corpus has {len(index):,}")
    spelled = {
        form: category.id
        for category, topic in zip(finding.names.categories, finding.topics, strict=True)
        for each in topic.terms
        for form in (each.term, *each.variants)
    }
    found, _ = passages_of(index, [number], finding.quotable, DOCUMENT_WORDS)
    sorter = finding.scene.sorter
    *shares, none = sorter.shares(sorter.terms_in([index.texts.words_of(number)]))[0].tolist()
    return WholeDocument(
        number=number,
        parts=marked_whole(found[number], spelled),
        cut=len(found[number].words) >= DOCUMENT_WORDS,
        shares=tuple(
            Share(category=category.id, name=category.name, share=round(share, 4))
            for category, share in zip(finding.names.categories, shares, strict=True)
        ),
        none=round(none, 4),
        columns=columns.values_of(number),
    )


def overlap(finding: Finding) -> Overlap:
    scene = finding.scene
    likeness, shared = scene.likeness, scene.shared_documents
    pairs = nearest_pairs(likeness, 5) if len(scene.topics) > 1 else []
    names = tuple(topic.name for topic in finding.topics)
    return Overlap(
        names=names,
        likeness=_rounded(likeness),
        shared=_rounded(shared),
        nearest=tuple(
            NearPair(first=names[first], second=names[second], likeness=round(value, 3))
            for first, second, value in pairs
        ),
    )


def picture(finding: Finding, name: FigureName, width: int) -> Picture:
    return picture_of(_FIGURES[name](finding.scene, width=width))


def picture_of(figure: Figure) -> Picture:
    return Picture(
        title=figure.title,
        description=figure.description,
        svg=figure.element,
        width=figure.width,
        height=figure.height,
    )


def _passage(sentence: Sentence) -> Passage:
    return Passage(parts=sentence.parts, document=sentence.document, terms=tuple(sorted(sentence.terms)))


def _rounded(matrix: Any) -> tuple[tuple[float, ...], ...]:
    return tuple(tuple(round(float(value), 3) for value in row) for row in matrix)


def plain_beginning(text: str, number: int) -> Sentence:
    """The beginning of a document that contains none of the topic's terms."""
    words = text.split(maxsplit=_SHOWN)
    return Sentence(((" ".join(words[:_SHOWN]) + (" …" if len(words) > _SHOWN else ""), False),), frozenset(), number)
