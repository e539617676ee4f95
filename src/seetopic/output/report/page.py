"""The report as one page, which loads nothing and runs only its own script, whatever documents and names contain."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Literal

from seetopic.classify import Trends
from seetopic.corpus import path_text
from seetopic.discovery import Topics
from seetopic.output.charts import documents_map, documents_per_topic, heatmap, term_rank, topics_map, treemap
from seetopic.output.charts.drawing import safe
from seetopic.output.charts.heatmap import nearest_pairs
from seetopic.output.charts.scene import Scene
from seetopic.output.charts.theme import HUES
from seetopic.output.report.cards import KINDS, Card, confidence_meter, kind_label, kinds_of
from seetopic.output.report.frame import Section, code, framed, page_of, scrolled
from seetopic.output.report.passages import Quotable
from seetopic.output.report.reproduce import CITATION, JUDGEMENTS_FILE, commands, names_file, python_script
from seetopic.output.report.sentences import ChosenDocuments, Examples, examples
from seetopic.output.report.trends import trend_sections
from seetopic.runtime import listed

_PHONE = 340  # width in pixels of figures redrawn for a phone
_DOTS = 700  # documents on the map
_FEW = 20  # topics up to which heatmaps are side by side
_ON_A_PHONE = 6  # topics up to which a heatmap is readable on a phone
_CLOSE = 3  # closest pairs of topics to list


@dataclass(frozen=True)
class Page:
    """Topics, and the run that found them if there is one: without it there are no maps and no sentences."""

    topics: Topics
    scene: Scene | None = None
    documents: Quotable | None = None
    command: str | None = None  # that reproduces the topics, if the caller knows a shorter one
    trends: Trends | None = None

    def html(self) -> str:
        made = self.topics.made_with
        sections = [section for section in self._sections() if section is not None]
        return page_of(f"Topics in {made['corpus']['name']}", made["version"], sections)

    def _sections(self) -> Iterable[Section | None]:
        # First what needs no sorter, which may still be in the making.
        drawn, ranks, made = None, self._ranks(), self._made()
        if self.scene is not None and self._chosen is not None:
            drawn = self._map(self.scene)
            self._chosen.get_ready()
        yield self._summary()
        yield self._tree() if self.topics.is_tree else None
        yield self._topics()
        yield self._residual() if self.topics.residual else None
        yield from () if self.trends is None else trend_sections(self.trends)
        if self.scene is not None:
            yield drawn
            yield self._documents(self.scene)
            yield self._overlap(self.scene) if len(self.topics) > 1 else None
        yield ranks
        yield made

    @cached_property
    def _chosen(self) -> ChosenDocuments | None:
        return None if self.scene is None else ChosenDocuments(self.scene)

    @cached_property
    def _examples(self) -> Examples | None:
        return None if self.scene is None else examples(self.scene, self.documents, chosen=self._chosen)

    @cached_property
    def _cards(self) -> list[Card]:
        made, kinds = self.topics.made_with, kinds_of(self.topics.topics)
        checked = made.get("settings", {}).get("discovery", {}).get("checked_ranks", 0)
        plain = [
            Card(number, topic, kinds, made["corpus"]["terms"], checked) for number, topic in enumerate(self.topics)
        ]
        if self.scene is None or self._examples is None:
            return plain
        return [_told_more(card, self.scene, self._examples) for card in plain]

    def _summary(self) -> Section:
        corpus = self.topics.made_with["corpus"]
        occur = sum(topic.in_vocabulary for topic in self.topics)
        tiles = {
            "documents": f"{corpus['documents']:,}",
            "words": f"{corpus['tokens']:,}",
            "terms": f"{corpus['terms']:,}",
            "names": f"{len(self.topics):,}",
            "names that occur as terms": f"{occur:,}",
        }
        if corpus.get("languages"):
            tiles["language" if len(corpus["languages"]) == 1 else "languages"] = ", ".join(corpus["languages"])
        shown = "".join(f"<div><dt>{name}</dt><dd>{safe(value)}</dd></div>" for name, value in tiles.items())
        left_out = ", ".join(
            f"{count:,} {'document' if count == 1 else 'documents'} ({reason})"
            for reason, count in corpus.get("skipped", {}).items()
        )
        sentences = [*([f"Left out: {left_out}."] if left_out else []), *corpus.get("warnings", [])]
        flagged = sum(bool(topic.warnings) for topic in self.topics)
        if flagged:
            sentences.append(
                f"Topics with a warning: {flagged} of {len(self.topics)}. Read the warnings before using these topics."
            )
        notes = "".join(f'<p class="note">{safe(sentence)}</p>' for sentence in sentences)
        if self.topics.coverage_note is not None:
            notes += f"<p>{safe(self.topics.coverage_note)}</p>"
        return Section("summary", "Summary", "Summary", f'<dl class="tiles">{shown}</dl>{notes}{self._overview()}')

    def _tree(self) -> Section:
        """The topics as an outline whose branches fold, and as a treemap if their shares are known."""
        told = (
            "<p>A topic's share of the documents includes those of the topics below it. A parent has the terms that "
            "its children share; what only one child uses stands there.</p>"
        )
        shown = ""
        if all(topic.share is not None for topic in self.topics):
            shown = framed(treemap(self.topics), treemap(self.topics, width=_PHONE))
        return Section("tree", "Tree", "Tree of topics", f'{told}{shown}<ul class="outline">{self._outline(None)}</ul>')

    def _outline(self, parent: str | None) -> str:
        """The topics below a parent, as items of a list."""
        items = []
        for topic in self.topics.children(parent):
            place = self.topics.topics.index(topic)
            share = "" if topic.share is None else f' <span class="count">{topic.share:.1%}</span>'
            name = f'<a href="#topic-{place + 1}">{safe(topic.name)}</a>{share} {safe(", ".join(list(topic)[:6]))}'
            below = self._outline(topic.label)
            items.append(
                f"<li><details open><summary>{name}</summary><ul>{below}</ul></details></li>"
                if below
                else f"<li>{name}</li>"
            )
        return "".join(items)

    def _residual(self) -> Section:
        """Themes that the names do not cover, with the beginnings of typical documents."""
        rows = []
        for each in self.topics.residual:
            name = each.suggested_name if each.parent is None else path_text((each.parent, each.suggested_name))
            passages = "".join(f"<li>{safe(passage)}</li>" for passage in each.passages)
            cells = [
                f'<th scope="row">{safe(name)}</th>',
                f'<td class="count">{each.share:.1%}</td>',
                f"<td>{safe(', '.join(each.terms))}<details><summary>Documents</summary>"
                f'<ul class="sentences">{passages}</ul></details></td>',
            ]
            rows.append(f"<tr>{''.join(cells)}</tr>")
        head = "".join(f'<th scope="col">{name}</th>' for name in ("Suggested name", "Documents", "Terms"))
        parents, sentences = dict.fromkeys(each.parent for each in self.topics.residual), []
        if None in parents:
            sentences.append(f"The names cover {self.topics.coverage:.0%} of the documents.")
            sentences.append("The others are about themes of their own.")
        if inner := [parent for parent in parents if parent is not None]:
            sentences.append(f"Below {safe(listed(inner))}, there are also themes that no name covers.")
        intro = (
            f"<p>{' '.join(sentences)} Themes were found without any names; what belongs to them is kept out of the "
            "topics beside them. To make a theme a topic, add a name for it.</p>"
        )
        table = f'<div class="table"><table><thead><tr>{head}</tr></thead><tbody>{"".join(rows)}</tbody></table></div>'
        return Section("residual", "Not covered", "What the names do not cover", f"{intro}{table}")

    def _overview(self) -> str:
        given = self.scene is not None and len(self.scene.document_topics) > 0
        heads = ["Topic", "Confidence", *(["Documents"] if given else []), "Best terms"]
        rows = []
        for card in self._cards:
            topic, note = card.topic, ' <span class="low">warning</span>' if card.topic.warnings else ""
            indent = "&emsp;" * (len(topic.path) - 1)
            link = f'{indent}<a href="#topic-{card.number + 1}">{safe(topic.name)}</a>{note}'
            share = f"{card.documents[0] / max(card.documents[1], 1):.0%}" if card.documents else ""
            best = ", ".join(list(topic)[:6]) or "none"
            cells = [
                f'<th scope="row" style="--hue:var(--c{card.number % HUES})">{link}</th>',
                f"<td>{confidence_meter(topic.confidence).replace('Confidence ', '')}</td>",
                *([f'<td class="count">{share}</td>'] if given else []),
                f"<td>{safe(best)}</td>",
            ]
            rows.append(f"<tr>{''.join(cells)}</tr>")
        head = "".join(f'<th scope="col">{name}</th>' for name in heads)
        return f'<div class="table"><table><thead><tr>{head}</tr></thead><tbody>{"".join(rows)}</tbody></table></div>'

    def _topics(self) -> Section:
        kinds = kinds_of(self.topics.topics)
        legend = "".join(
            f"<div><dt>{kind_label(kind)}</dt><dd>{safe(KINDS[kind][1])}</dd></div>" for kind in kinds if kind in KINDS
        )
        sentences = "" if self._examples is None else _SENTENCES[self._examples.quoted]
        intro = (
            "<p>Each term has a rank by every kind of evidence; its score is a mean of 1 / rank, at most 1, and its "
            f"bar shows the square root of the score. Open a term to see why it is there. {sentences}</p>"
            f'<dl class="legend">{legend}</dl>'
        )
        tools = (
            '<div class="tools" role="search"><label>Find <input type="search" id="find" '
            'placeholder="a topic or term" autocomplete="off"></label><button type="button" id="open">Open all terms'
            '</button><span id="found" role="status"></span></div>'
        )
        cards = "".join(card.html() for card in self._cards)
        return Section("topics", "Topics", "Topics", f'{intro}{tools}<div class="cards">{cards}</div>')

    def _map(self, scene: Scene) -> Section:
        told = (
            "<p>Topics with similar terms are close together. The terms surround their topic’s name: the better a "
            "term, the closer it is, on the side of the topics that it resembles. Distances have a meaning, directions "
            "do not.</p>"
        )
        shown = framed(topics_map(scene), topics_map(scene, width=_PHONE))
        return Section("map", "Map", "Map of topics and terms", told + shown)

    def _documents(self, scene: Scene) -> Section | None:
        total = len(scene.document_topics)
        if not total:
            return None
        whole = self.topics.made_with["corpus"]["documents"]
        within = "" if scene.tree is None else " A topic’s documents include those of the topics below it."
        scope = "All" if total == whole else f"A sample of {total:,} of"
        told = (
            f"<p>{scope} {whole:,} documents, each in the topic with the largest share, or in none. They are sorted by "
            "their terms as stored in the index. <code>seetopic assign</code> also looks for terms within longer terms "
            f"(“cream” in “ice cream”), so its numbers are slightly different.{within}</p>"
        )
        bars = framed(documents_per_topic(scene), documents_per_topic(scene, width=_PHONE))
        dots = framed(documents_map(scene, documents=_DOTS), documents_map(scene, documents=_DOTS // 2, width=_PHONE))
        around = (
            f"<h3>Around their topics</h3><p>Each dot is a document (at most {min(_DOTS, total):,} are shown): the "
            "clearer its topic, the closer it is to the centre; unclear documents lean towards their second topic.</p>"
        )
        return Section("documents", "Documents", "Documents per topic", f"{told}{bars}{around}{dots}")

    def _overlap(self, scene: Scene) -> Section:
        names = [topic.name for topic in self.topics]
        pairs = nearest_pairs(scene.likeness, _CLOSE)
        listed = "; ".join(f"{safe(names[i])} and {safe(names[j])} ({value:.2f})" for i, j, value in pairs)
        terms = (
            "<p>No term is in two topics, but topics can be close in meaning. Closest: "
            f"{listed}. Names that mean the same compete for terms: merge them, or make them more specific.</p>"
        )
        shared = (
            "<h3>By documents</h3><p>The mean share in the column’s topic of the documents assigned to the row’s topic."
            "</p>"
        )
        terms_head = "<h3>By terms</h3><p>The cosine similarity of their terms: 1 if they mean the same.</p>"
        parts = [f"{terms_head}{_heatmap(scene, 'terms')}"]
        if len(scene.document_topics):
            parts.append(f"{shared}{_heatmap(scene, 'documents')}")
        pair, kind = "".join(f"<div>{part}</div>" for part in parts), "pair many" if len(names) > _FEW else "pair"
        return Section("overlap", "Overlap", "Overlap of topics", f'{terms}<div class="{kind}">{pair}</div>')

    def _ranks(self) -> Section:
        told = "<p>Once a line has dropped, its topic is exhausted: terms further down are guesses.</p>"
        shown = framed(term_rank(self.topics), term_rank(self.topics, width=_PHONE))
        return Section("scores", "Scores", "How scores fall", told + shown)

    def _made(self) -> Section:
        made = self.topics.made_with
        seeds = None if self.scene is None else self.scene.query.seeds
        file, names = names_file(self.topics, seeds)
        given = commands(self.topics, file) if self.command is None else self.command
        if given is None and self.scene is not None:
            given = python_script(self.scene.query)
        again = ""
        if given is not None:
            names_block = "" if self.command else f"<p>With the names in <code>{file}</code>:</p>{code(names, file)}"
            judged = answers = ""
            if "judgements" in made:
                judged = f"<p>With your file of judgements as <code>{JUDGEMENTS_FILE}</code>:</p>"
                answers = "judgements, "
            again = (
                f"<h3>Reproduce these topics</h3>{names_block}{judged}{code(given, 'Commands')}"
                f"<p>The same documents, names, {answers}settings and random state give the same topics to the last "
                "bit. Options for reading documents, such as <code>--text-field</code>, are not recorded here: add "
                "your own.</p>"
            )
        settings = made.get("settings", {})
        facts = {
            "Method": f"preset {made['preset']}" if "preset" in made else str(made["method"]),
            "Language model": made["model"]["name"],
            **({"Reader": made["reader"]["name"]} if "reader" in made else {}),
            "Random state": str(made.get("random_state", settings.get("random_state", "none"))),
            "seetopic": made["version"],
            "Documents (SHA-256)": made["corpus"].get("sha256", "unknown"),
        }
        if "judgements" in made:
            facts["Judgements (SHA-256)"] = f"{made['judgements']['number']:,} ({made['judgements']['sha256']})"
        parts = made["corpus"].get("parts", [])
        if len(parts) > 1:
            facts["Parts"] = "; ".join(f"{part['name']}: {part['documents']:,} documents" for part in parts)
        shown = "".join(f"<div><dt>{safe(name)}</dt><dd>{safe(value)}</dd></div>" for name, value in facts.items())
        listed = json.dumps(settings, ensure_ascii=False, indent=1)
        return Section(
            "made",
            "Made with",
            "How these topics were made",
            f'<dl class="facts-list">{shown}</dl>{again}<details class="block"><summary>All settings</summary>'
            f"{code(listed, 'Settings')}</details><h3>How to cite</h3><p>Please cite the paper that introduced the "
            f"method, and state the version: seetopic {safe(made['version'])}.</p>{code(CITATION, 'Citation, BibTeX')}",
        )


def _heatmap(scene: Scene, by: Literal["terms", "documents"]) -> str:
    """A heatmap of few topics is redrawn for a phone; a larger one keeps its size there."""
    wide = heatmap(scene, by=by, width=720 if len(scene.topics) <= _FEW else 1000)
    if len(scene.topics) > _ON_A_PHONE:
        return scrolled(wide)
    return framed(wide, heatmap(scene, by=by, width=_PHONE), grows=False)


def _told_more(card: Card, scene: Scene, shown: Examples) -> Card:
    """A card with what the run knows about its topic."""
    seed, total, index = scene.query.seeds.seeds[card.number], len(scene.document_topics), scene.index
    is_parent = scene.tree is not None and card.number in scene.tree.inner
    return replace(
        card,
        documents=(int(scene.documents_within[card.number]), total) if total else None,
        in_no_subtopic=int(scene.documents_given[card.number]) if is_parent else None,
        sentences=shown.of_topics[card.number],
        of_terms=shown.of_terms[card.number],
        pinned=frozenset(index.as_term(word) or "" for word in seed.pinned),
        own_names=frozenset(index.as_term(name) or "" for name in seed.names),
    )


_SENTENCES = {
    True: "Sentences are quoted from the documents.",
    False: "Sentences are shown as stored in the index: in its spelling, with a dot in place of punctuation.",
}
