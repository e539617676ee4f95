"""The colours of figures and pages, light and dark; all text has a contrast of at least 4.5 to its background."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Literal

from seetopic.errors import SettingsError

Theme = Literal["light", "dark"]
HUES = 24  # further topics reuse them; no figure distinguishes topics by colour alone
BOLD = 1.12  # how much wider bold letters are
READERS_FONTS = "system-ui,-apple-system,'Segoe UI',Roboto,'Noto Sans','Liberation Sans',Arial,sans-serif"
STEPS = 10  # of the scale for cells

_LIGHT_HUES = (
    "#1d5fbf #a8430a #1a7340 #8436b3 #b4235a #0f6a78 #745600 #4b5563 #5145cd #a02c2c #2f3200 #501d00 "
    "#4f0944 #003e3d #8b4c67 #38185f #00355c #5b001d #124a16 #5d6b2b #544527 #615a94 #672513 #182469"
)
_DARK_HUES = (
    "#7fb2ff #ffa36b #6fd391 #d2a1f5 #ff8fb3 #63d3df #e3c251 #b6c2cf #aeaaff #ff9d94 #9ea81c #d78c00 "
    "#d777c2 #00bab6 #f7bfd4 #ad87ed #00afe7 #ec7385 #7db57c #cbd8a5 #c7b593 #cecafd #db8e79 #7a97fb"
)


def _mixed(first: str, second: str, share: float) -> str:
    """A mixture of two colours."""
    pairs = [(int(first[at : at + 2], 16), int(second[at : at + 2], 16)) for at in (1, 3, 5)]
    return "#" + "".join(f"{round(low + (high - low) * share):02x}" for low, high in pairs)


def _colours(hues: str, ends: tuple[str, str], **named: str) -> Mapping[str, str]:
    scale = {f"h{step}": _mixed(*ends, step / (STEPS - 1)) for step in range(STEPS)}
    return MappingProxyType({**named, **{f"c{number}": hue for number, hue in enumerate(hues.split())}, **scale})


THEMES: Mapping[Theme, Mapping[str, str]] = MappingProxyType(
    {
        "light": _colours(
            _LIGHT_HUES,
            ("#f1f5fb", "#5d92de"),
            paper="#f5f6f8",
            card="#ffffff",
            ink="#18202c",
            soft="#566071",
            line="#dde2e9",
            accent="#1d5fbf",
            mark="#ffe9a8",
            warn="#fff4dc",
            edge="#c27c0e",
        ),
        "dark": _colours(
            _DARK_HUES,
            ("#1f2732", "#2f65b5"),
            paper="#10141a",
            card="#181e27",
            ink="#e7ebf1",
            soft="#9ba7b7",
            line="#2b3441",
            accent="#7fb2ff",
            mark="#5c4a12",
            warn="#2b2415",
            edge="#e0a63a",
        ),
    }
)


def check_theme(theme: str) -> None:
    if theme not in THEMES:
        raise SettingsError(f"the theme is {theme!r}, but must be one of {', '.join(THEMES)}")


def variables(theme: Theme) -> str:
    """The colours as CSS variables."""
    scheme = f"color-scheme:{theme};"
    return scheme + "".join(f"--{name}:{colour};" for name, colour in THEMES[theme].items())


def figure_rules(theme: Theme | None, fonts: str = READERS_FONTS) -> str:
    """The style of everything in figures, with a theme's colours, or with the page's variables if None.

    Programs that render SVG to images do not support variables, so a standalone file names its colours.
    """
    names = THEMES["light"]
    value = (lambda name: f"var(--{name})") if theme is None else THEMES[theme].__getitem__
    fills = "".join(f".st-{name}{{fill:{value(name)}}}" for name in names)
    strokes = "".join(f".st-line-{name}{{stroke:{value(name)};fill:none}}" for name in names if name[0] != "h")
    return (
        f".st-figure{{font-family:{fonts}}}"
        f"{fills}{strokes}.st-halo{{stroke:{value('card')};stroke-width:4px;stroke-linejoin:round;paint-order:stroke}}"
        ".st-bold{font-weight:600}.st-middle{text-anchor:middle}.st-end{text-anchor:end}.st-faint{opacity:.09}"
        ".st-half{opacity:.55}.st-band{opacity:.22}"
    )
