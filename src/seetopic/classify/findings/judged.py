"""Judgements of documents, from which shares are calibrated."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, TypeAlias

import orjson

from seetopic.corpus import normalized_name
from seetopic.errors import CorpusError

JudgedDocuments: TypeAlias = Mapping[int, Mapping[str, bool]]  # by number, whether each belongs to a category


def judged_documents(given: str | Path | Iterable[Mapping[str, Any]]) -> JudgedDocuments:
    """Judgements of documents by number, from a file with one JSON object per line, or from such objects.

    Judgements of terms, and of documents by their text, say nothing about numbered documents and are left out. If a
    question has several answers, the last one counts.
    """
    source = str(given) if isinstance(given, str | Path) else "`judgements`"
    found: dict[int, dict[str, bool]] = {}
    for number, each in enumerate(_objects(given), start=1):
        if not isinstance(each, Mapping) or not isinstance(each.get("belongs"), bool):
            raise CorpusError(f"{source}, line {number}: a judgement needs `belongs`, which is true or false")
        document, category = each.get("document"), each.get("category")
        if isinstance(document, int) and isinstance(category, str):
            found.setdefault(document, {})[normalized_name(category)] = each["belongs"]
    if not found:
        raise CorpusError(f"{source} has no judgements of documents by number; give `category`, `document`, `belongs`")
    return found


def _objects(given: str | Path | Iterable[Mapping[str, Any]]) -> Iterable[Any]:
    if not isinstance(given, str | Path):
        return given
    try:
        lines = Path(given).read_bytes().splitlines()
        return [orjson.loads(line) for line in lines if line.strip()]
    except (OSError, ValueError) as error:
        raise CorpusError(f"{given} cannot be read as judgements ({error}); give one JSON object per line") from error
