"""Words and phrases known in advance: from a file with one per line, and from the names of categories."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from seetopic.corpus import Seeds, has_wildcard
from seetopic.errors import SettingsError


def read_known_phrases(path: Path) -> tuple[str, ...]:
    """The lines of two or more words, without duplicates and sorted, because their order means nothing."""
    return _of_several_words(_lines(path, "known phrases"))


def read_stop_words(path: Path) -> tuple[str, ...]:
    """The lines in lower case, without duplicates, comments (#) and order."""
    lines = (" ".join(line.lower().split()) for line in _lines(path, "stop words"))
    return tuple(sorted({line for line in lines if line and not line.startswith("#")}))


def _lines(path: Path, what: str) -> list[str]:
    if path.exists() and not path.is_file() and not path.is_dir():
        raise SettingsError(
            f"{path} is a pipe or a device, which may never reach end of file; use a regular file of {what}"
        )
    try:
        return path.read_text(encoding="utf-8-sig").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise SettingsError(
            f"cannot read {what} from {path} ({error}); give a UTF-8 text file with one per line"
        ) from error


def phrases_of_names(seeds: Seeds) -> tuple[str, ...]:
    """The names and pinned terms of two or more words, which are phrases wherever they occur."""
    terms = (term for seed in seeds.seeds for term in (*seed.names, *seed.pinned))
    return _of_several_words(term for term in terms if not has_wildcard(term))


def _of_several_words(lines: Iterable[str]) -> tuple[str, ...]:
    phrases = {" ".join(line.split()) for line in lines}
    return tuple(sorted(phrase for phrase in phrases if " " in phrase or "_" in phrase))
