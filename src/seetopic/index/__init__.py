"""Everything about a corpus that does not depend on category names, on disk."""

from __future__ import annotations

from seetopic.index import layout
from seetopic.index.build import Build, plan, plan_cached
from seetopic.index.cached import CachedItem, cached_items, clear_cached
from seetopic.index.index import Index, require_index
from seetopic.index.layout import MANIFEST, is_index, is_intact, read_manifest, tokenizer_name
from seetopic.index.positions import Texts
from seetopic.index.sample import Sample, beginning, weighted_rows
from seetopic.index.stages import exclusive
from seetopic.index.themes import (
    FEWEST,
    SampleThemes,
    Themes,
    Uncovered,
    all_uncovered,
    may_be_stored,
    uncovered_by,
    uncovered_in_tree,
)

__all__ = [
    "FEWEST",
    "MANIFEST",
    "Build",
    "CachedItem",
    "Index",
    "Sample",
    "SampleThemes",
    "Texts",
    "Themes",
    "Uncovered",
    "all_uncovered",
    "beginning",
    "cached_items",
    "clear_cached",
    "exclusive",
    "is_index",
    "is_intact",
    "layout",
    "may_be_stored",
    "plan",
    "plan_cached",
    "read_manifest",
    "require_index",
    "tokenizer_name",
    "uncovered_by",
    "uncovered_in_tree",
    "weighted_rows",
]
