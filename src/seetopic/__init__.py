"""Name your categories and get the terms your documents actually use for each."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from seetopic.version import __version__

if TYPE_CHECKING:
    from seetopic import errors, settings
    from seetopic.classify import Sorter, Trends, assign, sorter_for, trends
    from seetopic.corpus import Seed, Seeds, as_seeds, open_documents
    from seetopic.discovery import RankedTerm, Residual, Topic, Topics, check, discover, suggest
    from seetopic.estimator import SeeTopic
    from seetopic.evaluation import compare, evaluate
    from seetopic.index import Index
    from seetopic.output import export

_PACKAGES = {
    "classify": ("Sorter", "Trends", "assign", "sorter_for", "trends"),
    "corpus": ("Seed", "Seeds", "as_seeds", "open_documents"),
    "discovery": ("RankedTerm", "Residual", "Topic", "Topics", "check", "discover", "suggest"),
    "estimator": ("SeeTopic",),
    "evaluation": ("compare", "evaluate"),
    "index": ("Index",),
    "output": ("export",),
}
_PACKAGE_OF = {name: package for package, names in _PACKAGES.items() for name in names}

__all__ = [
    "Index",
    "RankedTerm",
    "Residual",
    "SeeTopic",
    "Seed",
    "Seeds",
    "Sorter",
    "Topic",
    "Topics",
    "Trends",
    "__version__",
    "as_seeds",
    "assign",
    "check",
    "compare",
    "discover",
    "errors",
    "evaluate",
    "export",
    "open_documents",
    "settings",
    "sorter_for",
    "suggest",
    "trends",
]


def __getattr__(name: str) -> Any:
    """Import a public name on first use: NumPy, SciPy and scikit-learn take longer than `seetopic --help` may."""
    from importlib import import_module

    if name in ("errors", "settings"):
        return import_module(f"seetopic.{name}")
    if name not in _PACKAGE_OF:
        raise AttributeError(f"module 'seetopic' has no attribute {name!r}")
    return getattr(import_module(f"seetopic.{_PACKAGE_OF[name]}"), name)
