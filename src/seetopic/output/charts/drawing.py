"""The SVG elements that figures consist of, as strings with all text escaped."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable
from functools import lru_cache
from html import escape

_BRIEF = 36  # characters of a name in the tip of every cell and dot
_NARROW, _WIDE = frozenset("iljtfrI.,:;'|!()[] -"), frozenset("mwMWQO@%&")
_FORBIDDEN = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\ud800-\udfff\ufffe\uffff]")  # in XML, even escaped


def safe(text: str) -> str:
    """The text, escaped for HTML and XML, in elements and attributes."""
    return escape(_FORBIDDEN.sub("\ufffd", text), quote=True)


@lru_cache(maxsize=4096)
def text_width(text: str, size: float) -> float:
    """The approximate width of a text, rather too wide than too narrow, since fonts differ between machines."""
    return size * sum(_letter_width(letter) for letter in text)


def _letter_width(letter: str) -> float:
    if unicodedata.combining(letter):
        return 0.0
    if unicodedata.east_asian_width(letter) in "WF":
        return 1.05
    if letter in _NARROW:
        return 0.39
    if letter in _WIDE:
        return 0.96
    return 0.74 if letter.isupper() else 0.62


def fitted(text: str, size: float, width: float) -> str:
    """The text, shortened with an ellipsis if it is too wide."""
    if text_width(text, size) <= width:
        return text
    while text and text_width(text + "…", size) > width:
        text = text[:-1]
    return text.rstrip() + "…"


def brief(words: str) -> str:
    """A name for repeated use, shortened if it is long."""
    return words if len(words) <= _BRIEF else words[:_BRIEF].rstrip() + "…"


def number(value: float) -> str:
    """The number to a tenth of a pixel, as short as possible; the same on any platform."""
    short = f"{value:.1f}".removesuffix(".0")
    return "0" if short == "-0" else short


def text(x: float, y: float, words: str, size: float, classes: str, tip: str = "") -> str:
    place = f'x="{number(x)}" y="{number(y)}" font-size="{number(size)}"'
    return f'<text {place} class="{classes}">{safe(words)}{title(tip)}</text>'


def rectangle(x: float, y: float, width: float, height: float, classes: str, tip: str = "", radius: float = 0) -> str:
    rounded = f' rx="{number(radius)}"' if radius else ""
    size = f'width="{number(width)}" height="{number(height)}"'
    end = f">{title(tip)}</rect>" if tip else "/>"
    return f'<rect x="{number(x)}" y="{number(y)}" {size}{rounded} class="{classes}"{end}'


def circle(x: float, y: float, radius: float, classes: str, tip: str = "") -> str:
    end = f">{title(tip)}</circle>" if tip else "/>"
    return f'<circle cx="{number(x)}" cy="{number(y)}" r="{number(radius)}" class="{classes}"{end}'


def ellipse(x: float, y: float, across: float, down: float, classes: str) -> str:
    radii = f'rx="{number(across)}" ry="{number(down)}"'
    return f'<ellipse cx="{number(x)}" cy="{number(y)}" {radii} class="{classes}"/>'


def line(points: Iterable[tuple[float, float]], classes: str, width: float = 1, tip: str = "", dashes: str = "") -> str:
    end = f">{title(tip)}</polyline>" if tip else "/>"
    dashed = f' stroke-dasharray="{dashes}"' if dashes else ""
    return f'<polyline points="{_path(points)}" stroke-width="{number(width)}"{dashed} class="{classes}"{end}'


def area(points: Iterable[tuple[float, float]], classes: str, tip: str = "") -> str:
    end = f">{title(tip)}</polygon>" if tip else "/>"
    return f'<polygon points="{_path(points)}" class="{classes}"{end}'


def _path(points: Iterable[tuple[float, float]]) -> str:
    return " ".join(f"{number(x)},{number(y)}" for x, y in points)


def title(tip: str) -> str:
    """The tip shown when the pointer is over an element."""
    return f"<title>{safe(tip)}</title>" if tip else ""


def of_topic(topic: int, elements: Iterable[str]) -> str:
    """A group of a topic's elements, so that they can be highlighted together."""
    return f'<g data-topic="{topic}">{"".join(elements)}</g>'
