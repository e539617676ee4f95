"""A figure: one drawing that can be shown in a notebook or a page, and saved as .svg, .png or .html."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cache
from importlib import resources
from pathlib import Path

from seetopic.errors import OutputError
from seetopic.output.charts.drawing import number, safe
from seetopic.output.charts.png import FONT, png_of
from seetopic.output.charts.theme import READERS_FONTS, THEMES, Theme, check_theme, figure_rules, variables
from seetopic.runtime import write_text, written_whole

_ENDINGS = (".svg", ".png", ".html")


@dataclass(frozen=True)
class Figure:
    """A drawing of `width` by `height` pixels, with a description for those who cannot see it."""

    title: str
    description: str
    width: float
    height: float
    drawn: str = field(repr=False)  # SVG elements, coloured by the classes of `figure_rules`

    @property
    def svg(self) -> str:
        """The figure in the light theme, as a standalone file."""
        return self.to_svg()

    def to_svg(self, theme: Theme = "light") -> str:
        """A standalone file: it names its colours, so every viewer can show it."""
        return self._file(theme, READERS_FONTS)

    def _file(self, theme: Theme, fonts: str) -> str:
        check_theme(theme)
        style = f"<style>{figure_rules(theme, fonts)}</style>"
        paper = f'<rect width="100%" height="100%" fill="{THEMES[theme]["card"]}"/>'
        size = f'width="{number(self.width)}" height="{number(self.height)}"'
        return self._element(f' xmlns="http://www.w3.org/2000/svg" {size}', style + paper) + "\n"

    @property
    def element(self) -> str:
        """The figure for a page that has `figure_rules` and defines the colours as variables."""
        return self._element("", "")

    def _element(self, attributes: str, before: str) -> str:
        told = safe(f"{self.title}. {self.description}")
        box = f'viewBox="0 0 {number(self.width)} {number(self.height)}"'
        return f'<svg{attributes} {box} class="st-figure" role="img" aria-label="{told}">{before}{self.drawn}</svg>'

    def to_html(self) -> str:
        """A standalone page, light or dark as the reader prefers."""
        return (
            '<!doctype html>\n<html lang="en"><head><meta charset="utf-8">'
            '<meta name="viewport" content="width=device-width, initial-scale=1">'
            f"<title>{safe(self.title)}</title></head>"
            f'<body style="margin:0">{self._repr_html_()}</body></html>\n'
        )

    def to_png(self, theme: Theme = "light", scale: float = 2.0) -> bytes:
        """An image with `scale` times as many pixels in each direction."""
        return png_of(self._file(theme, FONT), scale)

    def save(self, path: str | Path, *, theme: Theme = "light", scale: float = 2.0) -> None:
        """Save as .svg, .png (extra `[png]`) or .html, depending on the name; writes the whole file or nothing."""
        path = Path(path)
        ending = path.suffix.lower()
        if ending not in _ENDINGS:
            raise OutputError(
                f"{path} has the unsupported extension {path.suffix!r}; figures can be saved as {', '.join(_ENDINGS)}"
            )
        check_theme(theme)
        if ending == ".png":
            picture = png_of(self._file(theme, FONT), scale)
            with written_whole(path) as beside:
                beside.write_bytes(picture)
        else:
            write_text(path, self.to_html() if ending == ".html" else self.to_svg(theme))

    def _repr_html_(self) -> str:
        """As shown in a notebook, with the notebook's theme and tips under the pointer."""
        return (
            f'<div class="seetopic-figure"><style>{_frame_rules()}</style>'
            f'<div style="max-width:{number(self.width)}px;margin:auto">{self.element}</div>'
            f"<script>{figure_script()}</script></div>"
        )


@cache
def figure_script() -> str:
    """The script that shows tips and highlights topics under the pointer."""
    return resources.files("seetopic.output.charts").joinpath("figure.js").read_text(encoding="utf-8")


@cache
def _frame_rules() -> str:
    frame, notebook = ".seetopic-figure", "[data-jp-theme-light={}] .seetopic-figure"
    return (
        f"{frame}{{{variables('light')}background:var(--card);padding:8px;overflow-x:auto}}"
        f"@media(prefers-color-scheme:dark){{{frame}{{{variables('dark')}}}}}"
        f"{notebook.format('true')}{{{variables('light')}}}{notebook.format('false')}{{{variables('dark')}}}"
        f"{frame} svg{{display:block;width:100%;height:auto}}{figure_rules(None)}{TIP_RULES}"
    )


TIP_RULES = (
    ".st-tip{position:fixed;z-index:9;max-width:min(22rem,90vw);padding:.4rem .6rem;border-radius:.4rem;"
    "background:var(--ink);color:var(--card);font:14px/1.4 system-ui,sans-serif;pointer-events:none;"
    "white-space:pre-line;overflow-wrap:anywhere}.st-tip[hidden]{display:none}"
    ".st-dim{opacity:.18}[data-topic]{transition:opacity .12s}"
    "@media(prefers-reduced-motion:reduce){[data-topic]{transition:none}}"
)
