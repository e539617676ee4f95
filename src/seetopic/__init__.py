"""Name your categories and get the terms your documents actually use for each."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from seetopic.version import __version__

if TYPE_CHECKING:
    from seetopic.classify import Sorter, sorter_for
    from seetopic.corpus import Seeds, as_seeds
    from seetopic.discovery import RankedTerm, Residual, Topic, Topics, discover
    from seetopic.estimator import SeeTopic
    from seetopic.index import Index
    from seetopic.output import export

_HOMES = {
    "Index": "seetopic.index",
    "RankedTerm": "seetopic.discovery",
    "Residual": "seetopic.discovery",
    "SeeTopic": "seetopic.estimator",
    "Seeds": "seetopic.corpus",
    "Sorter": "seetopic.classify",
    "Topic": "seetopic.discovery",
    "Topics": "seetopic.discovery",
    "as_seeds": "seetopic.corpus",
    "discover": "seetopic.discovery",
    "export": "seetopic.output",
    "sorter_for": "seetopic.classify",
}

__all__ = [
    "Index",
    "RankedTerm",
    "Residual",
    "SeeTopic",
    "Seeds",
    "Sorter",
    "Topic",
    "Topics",
    "__version__",
    "as_seeds",
    "discover",
    "export",
    "sorter_for",
]


def __getattr__(name: str) -> Any:
    """Load a public name on first access, so that the command line starts quickly."""
    if name not in _HOMES:
        raise AttributeError(f"module 'seetopic' has no attribute {name!r}")
    from importlib import import_module

    return getattr(import_module(_HOMES[name]), name)
