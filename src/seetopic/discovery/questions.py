"""What to ask a person next: uncertain documents and terms, typical of many others and different from each other."""

from __future__ import annotations

from dataclasses import dataclass
from numbers import Integral
from typing import Any, Literal, get_args

import numpy as np

from seetopic.discovery.calibration import shares_with_none
from seetopic.discovery.run import Discovery
from seetopic.discovery.self_training import shares
from seetopic.errors import CorpusError, SettingsError
from seetopic.runtime import Doubles, Floats, Longs, one_thread, quantity

MOST = 1000  # questions that can be requested
TERMS_IN = 4  # one question in this many is about a term; a document teaches more
About = Literal["both", "documents", "terms"]
_BALANCE = 0.5  # power of a category's size: 0 asks equally about all categories, 1 as often as they occur
_SURE = 0.5  # what a question about a sure term is worth, compared with a completely unsure one
_TEMPERATURE = 0.5  # of shares; the lower, the more the likeliest category counts
_SAME = 0.01  # what a term is worth that equals one that was judged
_COMPARED = 3000  # documents that questions are chosen from, and are to represent
_PASSAGE = 40  # words
_UNSURE = 0.25  # difference of the two largest shares, below which a document lies between two categories
_MARKED = 4  # terms of a passage
_TINY = 1e-9  # mean share of a parent in a tree, whose documents are in its children
_DEPTH = 30  # terms per topic among which questions are chosen


@dataclass(frozen=True)
class Question:
    """Does this term, or this document, belong to this category?"""

    category: str
    text: str  # the term, or the passage of the document that matters
    reason: str
    term: str | None = None
    document: int | None = None
    terms: tuple[str, ...] = ()  # in the passage, those that say most about its category
    likely: tuple[str, ...] = ()  # categories of a document, most likely first

    def to_json(self) -> dict[str, Any]:
        item = {"document": self.document} if self.term is None else {"term": self.term}
        return {"category": self.category, **item, "text": self.text, "reason": self.reason}


def ask(run: Discovery, number: int = 20, about: About = "both") -> list[Question]:
    """The questions whose answers would help most, best first; nothing is asked twice."""
    if not isinstance(number, Integral) or not 1 <= number <= MOST:
        raise SettingsError(f"`number` is {number!r}, but must be a whole number between 1 and {MOST}")
    if about not in get_args(About):
        raise SettingsError(f"`about` is {about!r}, but must be one of {', '.join(get_args(About))}")
    if run.reading is None or len(run.seeds) + len(run.uncovered.centres) < 2:
        raise CorpusError(
            "questions need at least two categories, and documents that the language model has read; "
            "give more names, or build the index with --sample-words greater than 0"
        )
    wants_terms = {"both": number // TERMS_IN, "documents": 0, "terms": number}[about]
    terms = _term_questions(run, wants_terms)
    documents = _document_questions(run, 0 if about == "terms" else number - len(terms))
    mixed: list[Question] = []
    while documents or terms:
        mixed += documents[: TERMS_IN - 1] + terms[:1]
        documents, terms = documents[TERMS_IN - 1 :], terms[1:]
    return mixed


# Documents


def _document_questions(run: Discovery, number: int) -> list[Question]:
    assert run.reading is not None
    numbers = np.asarray(run.index.sampled)[: run.sampled.n_read]
    chosen = _chosen_documents(run, number) if number > 0 else []
    if not chosen:
        return []
    shown = shares_with_none(
        run.reading.found.scores[chosen], len(run.seeds), run.settings.sorting.temperature, run.tree
    )
    return [_about_document(run, int(numbers[row]), own) for row, own in zip(chosen, shown, strict=True)]


@one_thread()
def _chosen_documents(run: Discovery, number: int) -> list[int]:
    """Places of documents among those that were read: those that represent the most others that are unsure.

    A document is represented by the judged one that is most like it. Each question is chosen for how much better it
    makes all documents represented, so that it is typical of many of them and unlike those that were judged.
    """
    assert run.reading is not None
    likely = shares(run.reading.found.scores, _TEMPERATURE)  # (n_read, n_categories)
    judged = _judged_documents(run)
    # Documents are in an order that says nothing about them, so the first ones stand for all.
    some = slice(max(_COMPARED, 2 * (len(judged) + number)))
    features, best_two = run.sampled.unit_features, np.sort(likely[some], axis=1)[:, -2:]
    # Unsure documents, and those of small categories, count more.
    by_category = np.maximum(likely.mean(axis=0), _TINY) ** (_BALANCE - 1)
    worth = ((1 - (best_two[:, 1] - best_two[:, 0])) * (likely[some] @ by_category)).astype(np.float32)
    likeness = _likeness(features[some], features[some])
    represented = _likeness(features[judged], features[some]).max(axis=0, initial=0.0)
    free, chosen = np.ones(len(worth), np.bool_), list[int]()
    free[judged[judged < len(free)]] = False
    for _ in range(min(number, int(free.sum()))):
        row = int(np.where(free, np.maximum(likeness, represented) @ worth, -1.0).argmax())
        chosen.append(row)
        free[row], represented = False, np.maximum(represented, likeness[row])
    return chosen


def _judged_documents(run: Discovery) -> Longs:
    """Places of judged documents among those that were read."""
    return np.empty(0, np.int64) if run.lessons is None else run.lessons.rows[run.lessons.rows >= 0]


def _likeness(documents: Floats, others: Floats) -> Floats:
    """How well each document represents each of the others, from 0 to 1; far ones hardly count."""
    found: Floats = np.square(np.maximum(documents @ others.T, 0))
    return found


def _about_document(run: Discovery, document: int, likely: Doubles) -> Question:
    names, order = run.seeds.labels, np.argsort(-likely[:-1], kind="stable").tolist()
    best = order[0]
    marked = _telling_terms(run, document, best)
    if likely[-1] > likely[best]:
        reason = f"perhaps none of the names ({likely[-1]:.0%}); otherwise {names[best]} ({likely[best]:.0%})"
    elif len(order) > 1 and likely[best] - likely[order[1]] < _UNSURE:
        second = order[1]
        reason = f"unsure: {names[best]} ({likely[best]:.0%}) or {names[second]} ({likely[second]:.0%})"
    else:
        reason = f"like many documents about {names[best]} ({likely[best]:.0%})"
        if len(_judged_documents(run)):
            reason += " and unlike those that were judged"
    passage = _passage(run, document, marked)
    return Question(names[best], passage, reason, None, document, marked, tuple(names[each] for each in order))


def _telling_terms(run: Discovery, document: int, category: int) -> tuple[str, ...]:
    """The terms of a document that are nearest to the category and far from the others."""
    terms = np.unique(run.index.terms_of(np.array([document])))
    near = run.general.similarity[:, terms]
    contrast = near[category] - np.delete(near, category, axis=0).max(axis=0, initial=-1.0)
    chosen = terms[np.argsort(-contrast, kind="stable")][:_MARKED]
    return tuple(run.index.vocabulary.terms[term] for term in chosen)


def _passage(run: Discovery, document: int, marked: tuple[str, ...]) -> str:
    """The words of a document around as many marked terms as possible."""
    words = [word for word in run.index.texts.words_of(document) if word]
    telling = np.array([any(word in term.split(" ") for term in marked) for word in words], np.int64)
    sums = np.concatenate([[0], np.cumsum(telling)])
    last = max(len(words) - _PASSAGE, 0)
    first = int((sums[min(_PASSAGE, len(words)) :][: last + 1] - sums[: last + 1]).argmax()) if words else 0
    shown = " ".join(words[first : first + _PASSAGE])
    return ("… " if first else "") + shown + (" …" if first + _PASSAGE < len(words) else "")


# Terms


def _term_questions(run: Discovery, number: int) -> list[Question]:
    """Terms of the topics whose meaning and use fit another category, frequent ones first."""
    if not number:
        return []
    n_names, judged = len(run.seeds), _judged_terms(run)
    own = [[t for t in terms[:_DEPTH] if t not in judged] for terms in run.found.deep[:n_names]]
    flat = np.array([term for terms in own for term in terms], np.int64)
    category_of = np.repeat(np.arange(n_names), [len(terms) for terms in own])
    if not len(flat):
        return []
    likely = shares(_scores_of_terms(run, flat), run.settings.sorting.temperature)
    in_branch = likely if run.tree is None else run.tree.summed(likely)
    sure = in_branch[np.arange(len(flat)), category_of]
    worth = (1 - _SURE * sure) * np.log1p(run.index.document_frequencies[flat])
    vectors, novelty = np.asarray(run.index.general)[flat], np.ones(len(flat))
    asked = np.bincount([c for each in run.query.settled.terms.values() for c in each], minlength=n_names).astype(float)
    questions: list[Question] = []
    free = np.ones(len(flat), np.bool_)
    while free.any() and len(questions) < number:
        open_ones = np.flatnonzero(free)
        category = category_of[open_ones[asked[category_of[open_ones]].argmin()]]
        value = np.where(free & (category_of == category), worth * np.maximum(novelty, _SAME), -1.0)
        place = int(value.argmax())
        questions.append(_about_term(run, int(flat[place]), int(category), likely[place]))
        asked[category] += 1
        free[place], novelty = False, np.minimum(novelty, 1 - vectors @ vectors[place])
    return questions


def _judged_terms(run: Discovery) -> set[int]:
    """Terms that were judged, and names."""
    fixed = [term for seed in run.seeds.seeds for term in (*seed.names, *seed.pinned, *seed.negative)]
    found = map(run.index.term_id, (*fixed, *run.query.settled.terms))
    return {term for term in found if term is not None}


def _scores_of_terms(run: Discovery, terms: Longs) -> Doubles:
    """Scores of terms as if each were a very short document."""
    assert run.reading is not None
    rule, index = run.reading.found, run.index
    local = run.sampled.local_scale * np.asarray(index.local)[terms]
    scores: Doubles = np.hstack([index.read_terms(terms.tolist()), local]) @ rule.weights + rule.offset
    return scores


def _about_term(run: Discovery, term: int, category: int, likely: Doubles) -> Question:
    names, word = run.seeds.labels, run.index.vocabulary.terms[term]
    documents = quantity(int(run.index.document_frequencies[term]), "document")
    best = int(likely.argmax())
    own = (best,) if run.tree is None else run.tree.path(best)
    if category in own or best >= len(names):
        reason = f"among the terms of {names[category]}, in {documents}"
    else:
        reason = f"among the terms of {names[category]}, but similar to those of {names[best]}; {documents}"
    return Question(names[category], word, reason, term=word)
