"""The frame of the report: its style, scripts and security policy, and the building blocks of sections."""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from importlib import resources

from seetopic.output.charts import Figure
from seetopic.output.charts.drawing import safe
from seetopic.output.charts.figure import TIP_RULES, figure_script
from seetopic.output.charts.theme import figure_rules, variables


@dataclass(frozen=True)
class Section:
    """A part of the page; its text is HTML."""

    id: str
    short: str
    title: str
    body: str

    @property
    def html(self) -> str:
        head = f'<h2 id="{self.id}-head">{self.title}</h2>'
        return f'<section id="{self.id}" aria-labelledby="{self.id}-head">{head}{self.body}</section>'


def page_of(title: str, version: str, sections: Sequence[Section]) -> str:
    """The whole page."""
    links = "".join(f'<a href="#{section.id}">{section.short}</a>' for section in sections)
    theme = (
        '<label class="theme">Theme <select id="theme"><option value="">System</option>'
        '<option value="light">Light</option><option value="dark">Dark</option></select></label>'
    )
    return (
        '<!doctype html>\n<html lang="en"><head><meta charset="utf-8">'
        f'<meta http-equiv="Content-Security-Policy" content="{_policy()}">'
        '<meta name="viewport" content="width=device-width, initial-scale=1"><link rel="icon" href="data:,">'
        f"<title>{safe(title)}</title><style>{_style()}</style><script>{_early_script()}</script></head><body>"
        '<a class="skip" href="#main">Skip to the topics</a>'
        f'<header><div class="bar-top"><span class="brand">seetopic</span><nav aria-label="Sections">{links}</nav>'
        f'{theme}</div></header><main id="main" tabindex="-1"><h1>{safe(title)}</h1>'
        f"{''.join(section.html for section in sections)}</main>"
        f"<footer><p>Made by seetopic {safe(version)} on your machine. This page loads nothing from the network.</p>"
        f"</footer><script>{_late_script()}</script></body></html>\n"
    )


def framed(wide: Figure, narrow: Figure, *, grows: bool = True) -> str:
    """A figure for wide screens, and the same redrawn for a phone, so that text keeps its size."""
    size = "" if grows else f' style="max-width:{wide.width / 16 + 1.6:.1f}rem"'
    return f'<figure class="wide"{size}>{wide.element}</figure><figure class="narrow">{narrow.element}</figure>'


def scrolled(figure: Figure) -> str:
    """A figure that keeps its size, and scrolls if there is less room."""
    size = f"min-width:{figure.width / 16 * 0.72:.1f}rem;max-width:{figure.width / 16 + 1.6:.1f}rem"
    return (
        f'<div class="scroll" tabindex="0" role="group" aria-label="{safe(figure.title)}">'
        f'<figure style="{size}">{figure.element}</figure></div>'
    )


def code(text: str, label: str) -> str:
    return f'<pre tabindex="0" role="group" aria-label="{safe(label)}"><code>{safe(text)}</code></pre>'


@cache
def _file(name: str) -> str:
    return resources.files("seetopic.output.report").joinpath(name).read_text(encoding="utf-8")


@cache
def colours() -> str:
    """Style rules for figures: light or dark as the reader prefers or has chosen, light on paper."""
    light, dark = variables("light"), variables("dark")
    return (
        f":root{{{light}}}@media(prefers-color-scheme:dark){{:root:not([data-theme=light]){{{dark}}}}}"
        f":root[data-theme=dark]{{{dark}}}@media print{{:root:root:root{{{light}}}}}"
        f"{figure_rules(None)}{TIP_RULES}"
    )


@cache
def _style() -> str:
    return colours() + _file("report.css")


@cache
def _early_script() -> str:
    """Runs before anything is shown, so that the page does not flash in the wrong theme."""
    return _file("theme.js")


@cache
def _late_script() -> str:
    return figure_script() + _file("report.js")


@cache
def _policy() -> str:
    """The page may use only its own style and its own two scripts, identified by their checksums."""
    hashes = " ".join(f"'sha256-{_digest(each)}'" for each in (_early_script(), _late_script()))
    nothing = "default-src 'none'; base-uri 'none'; form-action 'none'"
    return f"{nothing}; style-src 'unsafe-inline'; img-src data:; script-src {hashes}"


def _digest(text: str) -> str:
    return base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()
