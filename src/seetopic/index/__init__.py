"""Everything about a corpus that does not depend on category names, on disk."""

from __future__ import annotations

from seetopic.index import layout
from seetopic.index.build import Build
from seetopic.index.index import Index, plan, plan_cached
from seetopic.index.layout import MANIFEST, fingerprint, is_index, is_intact, read_manifest, text_digest, tokenizer_name
from seetopic.index.positions import Texts
from seetopic.index.sample import Sample, beginning, weighted_rows
from seetopic.index.stages import alone
from seetopic.index.themes import SampleThemes, Themes, Uncovered, uncovered_by

__all__ = [
    "MANIFEST",
    "Build",
    "Index",
    "Sample",
    "SampleThemes",
    "Texts",
    "Themes",
    "Uncovered",
    "alone",
    "beginning",
    "fingerprint",
    "is_index",
    "is_intact",
    "layout",
    "plan",
    "plan_cached",
    "read_manifest",
    "text_digest",
    "tokenizer_name",
    "uncovered_by",
    "weighted_rows",
]
