"""Teaching: questions whose answers help most, and what the answers have changed."""

from __future__ import annotations

from seetopic.discovery import Question, Topics, ask, teaching_report
from seetopic.output import marked_whole, passages_of
from seetopic.web.examples import Parts, sentences_with
from seetopic.web.schemas import Frozen
from seetopic.web.topic_service import Finding

_WORDS = 90  # of a document's beginning, shown with a question


class AskedQuestion(Frozen):
    """Does this term, or this document, belong to this category?"""

    category: str
    term: str | None
    document: int | None
    parts: Parts  # the beginning of the document, or a sentence with the term; what matters is marked
    reason: str
    likely: tuple[str, ...]  # categories of a document, most likely first


class Gain(Frozen):
    """The terms that a category gained and lost."""

    category: str
    came: tuple[str, ...]
    went: tuple[str, ...]


class Effect(Frozen):
    """What judgements have taught so far, and changed since an earlier version."""

    documents: int
    terms: int
    right: int  # judged documents that are sorted correctly when each is left out
    known: int
    low: float  # 95% interval of the share that is right
    high: float
    untaught: float | None  # share that are sorted correctly without any judgements
    more_help: bool
    changed: tuple[Gain, ...]
    contradictions: tuple[str, ...]


def questions(finding: Finding, number: int) -> tuple[AskedQuestion, ...]:
    """The questions whose answers help most; nothing is asked twice."""
    asked = ask(finding.run, number)
    index = finding.run.index
    examples = sentences_with(index, finding.documents, [each.term for each in asked if each.term is not None])
    numbers = {each.document for each in asked if each.document is not None}
    passages, _ = passages_of(index, numbers, finding.documents, _WORDS)
    ids = finding.names.ids

    def parts_of(question: Question) -> Parts:
        if question.document is None:
            return examples.get(question.text, ())
        marks = dict.fromkeys(question.terms, "marked")
        cut = "" if len(passages[question.document].words) < _WORDS else " …"
        parts = [(text, mark is not None) for text, mark in marked_whole(passages[question.document], marks)]
        return (*parts, (cut, False)) if cut else tuple(parts)

    return tuple(
        AskedQuestion(
            category=ids[each.category],
            term=each.term,
            document=each.document,
            parts=parts_of(each),
            reason=each.reason,
            likely=tuple(ids[name] for name in each.likely),
        )
        for each in asked
    )


def effect(finding: Finding, earlier: Topics | None) -> Effect:
    """What the judgements have taught, and what has changed since earlier topics of the same names."""
    labels = tuple(topic.label for topic in finding.topics)
    comparable = earlier is not None and tuple(topic.label for topic in earlier) == labels
    report = teaching_report(finding.run, earlier if comparable else None)
    ids = finding.names.ids
    low, high = report.interval
    return Effect(
        documents=report.documents,
        terms=report.terms,
        right=report.right,
        known=report.known,
        low=low,
        high=high,
        untaught=report.untaught,
        more_help=report.more_help,
        changed=tuple(Gain(category=ids[name], came=came, went=went) for name, (came, went) in report.changed.items()),
        contradictions=report.contradictions,
    )
