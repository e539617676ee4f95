"""A topic's card in the report: its terms as bars, why each is there, and example sentences."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass

from seetopic.discovery import DOUBTFUL, RankedTerm, Topic
from seetopic.output.charts.bars import bar_length
from seetopic.output.charts.drawing import safe
from seetopic.output.charts.theme import HUES
from seetopic.output.report.sentences import Sentence

KINDS = {
    "general": (
        "Meaning",
        "how close the language model considers it to the name and to the topic’s other terms",
        "by meaning (how close the language model considers it to the name)",
    ),
    "local": (
        "Use",
        "how similar its contexts (the words around it, and its documents) are to those of the topic’s other terms",
        "by use (how similar its contexts are to those of the topic’s other terms)",
    ),
    "documents": (
        "Typical",
        "how typical it is of documents about the name",
        "by how typical it is of documents about the name",
    ),
}
_QUOTED = 30  # terms per topic with their own sentence; more would make the page heavy


@dataclass(frozen=True)
class Card:
    """What the report says about a topic."""

    number: int  # from 0
    topic: Topic
    kinds: tuple[str, ...]  # of evidence, in order
    n_terms: int  # of the whole corpus
    checked: int  # ranks that count
    documents: tuple[int, int] | None = None  # assigned to it or, in a tree, to one below it, and in total
    in_no_subtopic: int | None = None  # of a parent's documents
    sentences: tuple[Sentence, ...] = ()
    of_terms: dict[str, Sentence] | None = None
    pinned: frozenset[str] = frozenset()
    own_names: frozenset[str] = frozenset()  # that are terms

    def html(self) -> str:
        topic = self.topic
        hue = f"--hue:var(--c{self.number % HUES})"
        also = [name for name in topic.names if name != topic.name]
        names = f'<p class="also">also named {safe(", ".join(also))}</p>' if also else ""
        notes = "".join(f'<p class="note">{safe(sentence)}</p>' for sentence in topic.warnings)
        heading = f"name-{self.number + 1}"
        return (
            f'<article class="card" id="topic-{self.number + 1}" style="{hue}" aria-labelledby="{heading}">'
            f'<h3 id="{heading}">{safe(topic.name)}</h3>{names}{self._facts()}{notes}'
            f"{self._terms()}{self._shown_sentences()}</article>"
        )

    def _facts(self) -> str:
        occurs = "Name occurs as a term" if self.topic.in_vocabulary else "Name does not occur as a term"
        facts = [confidence_meter(self.topic.confidence), f"<span>{occurs}</span>"]
        if self.documents is not None:
            given, total = self.documents
            rest = f", {self.in_no_subtopic:,} of them in none of its subtopics" if self.in_no_subtopic else ""
            facts.append(f"<span>{given:,} of {total:,} documents ({given / max(total, 1):.0%}){rest}</span>")
        return f'<p class="facts">{"".join(facts)}</p>'

    def _terms(self) -> str:
        if not self.topic.terms:
            return "<p>No terms were found.</p>"
        best = max(term.score for term in self.topic.terms)
        heads = "".join(f'<span class="rank">{safe(kind_label(kind))}</span>' for kind in self.kinds)
        first = "<span>Term</span><span>Score</span><span>Docs</span>"
        head = f'<div class="row head" aria-hidden="true">{first}{heads}</div>'
        rows = "".join(self._row(place, term, best) for place, term in enumerate(self.topic.terms))
        return f'<div class="terms" style="--kinds:{len(self.kinds)}">{head}<ol>{rows}</ol></div>'

    def _row(self, place: int, term: RankedTerm, best: float) -> str:
        width = 100 * bar_length(term.score, best)
        others = f" <small>{safe(', '.join(term.variants))}</small>" if term.variants else ""
        ranks = "".join(_place(kind, term.ranks.get(kind)) for kind in self.kinds)
        sentence = (self.of_terms or {}).get(term.term) if place < _QUOTED else None
        quote = f"<blockquote>{marked(sentence)}</blockquote>" if sentence else ""
        return (
            f'<li><details><summary class="row"><span class="term">{safe(term.term)}{others}</span>'
            f'<span class="score"><span class="track"><span class="bar" style="width:{width:.1f}%"></span></span>'
            f'<span class="unseen">; score </span><b>{term.score:.2f}</b></span>'
            f'<span class="count"><span class="unseen">; documents </span>{term.documents:,}</span>{ranks}</summary>'
            f'<div class="why"><p>{safe(self._why(term))}</p>{quote}</div></details></li>'
        )

    def _why(self, term: RankedTerm) -> str:
        return " ".join(reasons(term, self.pinned, self.own_names, self.n_terms, self.checked))

    def _shown_sentences(self) -> str:
        if not self.sentences:
            return ""
        items = "".join(
            f'<li>{marked(one)} <span class="from">document {one.document:,}</span></li>' for one in self.sentences
        )
        return f'<h4>In the documents</h4><ul class="sentences">{items}</ul>'


def confidence_meter(value: float) -> str:
    """The number and a meter; a low value is marked in words, not by colour alone."""
    low = "" if value >= DOUBTFUL else ' <span class="low">low</span>'
    bar = f'<span class="meter" aria-hidden="true"><span style="width:{100 * value:.0f}%"></span></span>'
    return f'<span class="sure">Confidence {bar}<b>{value:.2f}</b>{low}</span>'


def marked(sentence: Sentence) -> str:
    """A sentence with its terms marked."""
    return "".join(f"<mark>{safe(part)}</mark>" if is_term else safe(part) for part, is_term in sentence.parts)


def reasons(
    term: RankedTerm, pinned: Collection[str], own_names: Collection[str], n_terms: int, checked: int
) -> list[str]:
    """Why a term is in its topic, one sentence each; only the first `checked` ranks count."""
    told = []
    if term.term in pinned:
        told.append("You pinned it, so it comes first.")
    elif term.term in own_names:
        told.append("It is the name itself, so it comes first.")
    placed = [f"{_ordinal(place)} {kind_meaning(kind)}" for kind, place in term.ranks.items() if place is not None]
    if placed:
        told.append(f"Out of {n_terms:,} terms, it ranks {_listed(placed)}.")
    beyond = [kind_meaning(kind) for kind, place in term.ranks.items() if place is None]
    if beyond:
        told.append(f"It is not among the top {checked:,} {_listed(beyond)}.")
    if term.variants:
        told.append(f"Variants that count as the same term: {', '.join(term.variants)}.")
    return told


def kind_label(kind: str) -> str:
    return KINDS[kind][0] if kind in KINDS else kind.capitalize()


def kind_meaning(kind: str) -> str:
    return KINDS[kind][2] if kind in KINDS else f"by {kind}"


def kinds_of(topics: Sequence[Topic]) -> tuple[str, ...]:
    """The kinds of evidence that ranked terms, known kinds first."""
    found = dict.fromkeys(kind for topic in topics for term in topic.terms for kind in term.ranks)
    return tuple(sorted(found, key=lambda kind: list(KINDS).index(kind) if kind in KINDS else len(KINDS)))


def _place(kind: str, place: int | None) -> str:
    shown = f"{place:,}" if place is not None else '–<span class="unseen"> too low to count</span>'
    return f'<span class="rank"><span class="unseen">; {safe(kind_label(kind))} rank </span>{shown}</span>'


def _listed(parts: list[str]) -> str:
    return parts[0] if len(parts) == 1 else f"{', '.join(parts[:-1])} and {parts[-1]}"


def _ordinal(place: int) -> str:
    ending = "th" if 10 <= place % 100 <= 20 else {1: "st", 2: "nd", 3: "rd"}.get(place % 10, "th")
    return f"{place:,}{ending}"
