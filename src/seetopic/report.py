"""One self-contained page that shows the topics: no script, nothing loaded from outside."""

from __future__ import annotations

from html import escape
from pathlib import Path

from seetopic.files import write_text
from seetopic.topics import RankedTerm, Topic, Topics

_STYLE = """
:root { color-scheme: light dark; --ink: #1c2330; --soft: #5c6675; --paper: #f6f7f9; --card: #fff;
  --line: #e1e5ea; --bar: #3b6fd4; }
@media (prefers-color-scheme: dark) {
  :root { --ink: #e8ebf0; --soft: #9aa5b5; --paper: #14181f; --card: #1c222c; --line: #2c3542; --bar: #6f9bf0; }
}
* { box-sizing: border-box; }
body { margin: 0 auto; padding: 2rem 1rem 4rem; max-width: 78rem; background: var(--paper); color: var(--ink);
  font: 16px/1.5 system-ui, sans-serif; }
h1 { font-size: 1.6rem; margin: 0 0 .25rem; }
h2 { font-size: 1.1rem; margin: 0; overflow-wrap: anywhere; }
p { margin: .25rem 0; color: var(--soft); }
p.note { color: var(--ink); border-left: .25rem solid #d08a1d; padding-left: .5rem; }
main { display: grid; gap: 1rem; margin-top: 1.5rem;
  grid-template-columns: repeat(auto-fill, minmax(min(100%, 21rem), 1fr)); }
section { background: var(--card); border: 1px solid var(--line); border-radius: .6rem; padding: 1rem; }
table { width: 100%; border-collapse: collapse; margin-top: .5rem; font-size: .92rem; }
th { text-align: left; font-weight: 500; color: var(--soft); font-size: .8rem; }
td { padding: .2rem 0; vertical-align: middle; }
td:first-child { overflow-wrap: anywhere; padding-right: .5rem; }
td.bar { width: 32%; }
td.bar span { display: block; height: .6rem; border-radius: .3rem; background: var(--bar); min-width: 2px; }
td.number, th.number { text-align: right; padding-left: .5rem; font-variant-numeric: tabular-nums; }
small { color: var(--soft); }
footer { margin-top: 2rem; font-size: .85rem; color: var(--soft); overflow-wrap: anywhere; }
"""


def write_report(topics: Topics, folder: str | Path) -> None:
    """Write `report.html` into the folder."""
    write_text(Path(folder) / "report.html", report_html(topics))


def report_html(topics: Topics) -> str:
    """The page as text; whatever came from documents or names is escaped."""
    corpus = topics.made_with["corpus"]
    facts = f"{corpus['documents']:,} documents, {corpus['tokens']:,} words, {corpus['terms']:,} terms"
    return (
        '<!doctype html>\n<html lang="en"><head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        f"<title>Topics of {escape(corpus['name'])}</title><style>{_STYLE}</style></head><body>"
        f"<h1>Topics of {escape(corpus['name'])}</h1><p>{facts}</p>"
        f"<main>{''.join(_section(topic) for topic in topics)}</main>"
        f"<footer><p>Made by seetopic {escape(topics.made_with['version'])} "
        f"with {escape(topics.made_with['model']['name'])}, "
        f"preset {escape(topics.made_with['preset'])}, random state {topics.made_with['random_state']}. "
        "Method: Zhang et al., Seed-Guided Topic Discovery with Out-of-Vocabulary Seeds, NAACL 2022.</p></footer>"
        "</body></html>\n"
    )


def _section(topic: Topic) -> str:
    best = max((ranked.score for ranked in topic.terms), default=1.0) or 1.0
    occurs = (
        "The name occurs in the documents."
        if topic.in_vocabulary
        else "The name does not occur in the documents as such."
    )
    rows = "".join(_row(ranked, best) for ranked in topic.terms)
    notes = "".join(f'<p class="note">{escape(sentence)}</p>' for sentence in topic.warnings)
    head = '<tr><th scope="col">term</th><th scope="col">score</th><th scope="col" class="number">documents</th></tr>'
    table = f"<table><thead>{head}</thead><tbody>{rows}</tbody></table>"
    facts = f"<p>{occurs} Confidence {topic.confidence:.2f}.</p>"
    return f"<section><h2>{escape(topic.name)}</h2>{facts}{notes}{table}</section>"


def _row(ranked: RankedTerm, best: float) -> str:
    places = ", ".join(f"{kind} rank {place or 'beyond those checked'}" for kind, place in ranked.ranks.items())
    why = escape(f"score {ranked.score:.3g}; {places}", quote=True)
    # Scores fall off like 1 / rank; their root keeps the lower ones visible.
    width = 100 * (ranked.score / best) ** 0.5
    bar = f'<td class="bar"><span style="width:{width:.1f}%"></span></td>'
    others = f" <small>({escape(', '.join(ranked.variants))})</small>" if ranked.variants else ""
    term = f"<td>{escape(ranked.term)}{others}</td>"
    return f'<tr title="{why}">{term}{bar}<td class="number">{ranked.documents:,}</td></tr>'
