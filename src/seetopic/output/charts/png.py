"""Renders a figure as PNG with the font from the extra `[png]`, so that it looks the same on every machine."""

from __future__ import annotations

import unicodedata
import warnings
from functools import lru_cache

from seetopic.errors import MissingExtra, OutputError

FONT = "'Open Sans'"  # Latin, Greek and Cyrillic; system fonts are used only for other letters
_SVG = "http://www.w3.org/2000/svg"
_NOBODYS = "\U0010ffff"  # never assigned, so fonts draw the box for a missing letter
_REPLACEMENT = "\ufffd"
_NAMED = 20  # letters listed in the warning


def png_of(svg: str, scale: float) -> bytes:
    """The image of an SVG file whose text uses `FONT`; warns about letters that no installed font has."""
    if not 0.1 <= scale <= 16:
        raise OutputError(f"a figure cannot be scaled by {scale}; choose a `scale` between 0.1 and 16")
    from xml.etree import ElementTree  # every report imports this module

    root = ElementTree.fromstring(svg)
    texts = [each for each in root.iter(f"{{{_SVG}}}text") if each.text]
    for each in texts:
        each.text = unicodedata.normalize("NFC", each.text or "")
    foreign = sorted({letter for each in texts for letter in each.text or "" if not _has(letter, system=False)})
    missing = [letter for letter in foreign if not _has(letter, system=True)]
    if missing:
        named = " ".join(missing[:_NAMED]) + (" …" if len(missing) > _NAMED else "")
        warnings.warn(
            f"no font on this machine has {named} ({len(missing)} in all), shown as {_REPLACEMENT} in the picture; "
            "install a font with these letters, or save the figure as .svg",
            stacklevel=3,
        )
        replaced = str.maketrans(dict.fromkeys(missing, _REPLACEMENT))
        for each in texts:
            each.text = (each.text or "").translate(replaced)
    return _rendered(ElementTree.tostring(root, encoding="unicode"), scale, system=len(foreign) > len(missing))


@lru_cache(maxsize=65536)
def _has(letter: str, *, system: bool) -> bool:
    """Whether the included font, or any system font, has a glyph for this letter."""
    return letter.isascii() or _sample(letter, system) != _sample(_NOBODYS, False)


@lru_cache(maxsize=256)
def _sample(letter: str, system: bool) -> bytes:
    words = f'<text y="30" font-size="30" font-family="{FONT}">{letter}</text>'
    return _rendered(f'<svg xmlns="{_SVG}" width="60" height="40">{words}</svg>', 1.0, system=system)


def _rendered(svg: str, scale: float, *, system: bool) -> bytes:
    try:
        import resvg_py
        import ttf_opensans
    except ImportError as error:
        raise MissingExtra("saving a figure as .png", "png") from error
    files = [str(font.path) for font in (ttf_opensans.OPENSANS_REGULAR, ttf_opensans.OPENSANS_SEMIBOLD)]
    drawn = resvg_py.svg_to_bytes(svg_string=svg, zoom=scale, font_files=files, skip_system_fonts=not system)
    return bytes(drawn)
