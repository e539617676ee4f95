"""Phrases that a person knows beforehand, from a file with one a line."""

from __future__ import annotations

from pathlib import Path

from seetopic.errors import SettingsError


def read_known_phrases(path: Path) -> tuple[str, ...]:
    """The lines of two words or more, each once, in alphabetical order: their order in the file tells nothing."""
    try:
        lines = path.read_text(encoding="utf-8-sig").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise SettingsError(
            f"cannot read known phrases from {path} ({error}); give a UTF-8 text, a phrase a line"
        ) from error
    phrases = {" ".join(line.split()) for line in lines}
    return tuple(sorted(phrase for phrase in phrases if " " in phrase or "_" in phrase))
