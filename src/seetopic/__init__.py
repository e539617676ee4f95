"""Name your categories; get, for each, the terms your documents really use for it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from seetopic.version import __version__

if TYPE_CHECKING:
    from seetopic.assign import Sorter, sorter_for
    from seetopic.exports import export
    from seetopic.index import Index
    from seetopic.model import SeeTopic
    from seetopic.run import discover
    from seetopic.seeds import Seeds, as_seeds
    from seetopic.topics import RankedTerm, Residual, Topic, Topics

_HOMES = {
    "Index": "seetopic.index",
    "RankedTerm": "seetopic.topics",
    "Residual": "seetopic.topics",
    "SeeTopic": "seetopic.model",
    "Seeds": "seetopic.seeds",
    "Sorter": "seetopic.assign",
    "Topic": "seetopic.topics",
    "Topics": "seetopic.topics",
    "as_seeds": "seetopic.seeds",
    "discover": "seetopic.run",
    "export": "seetopic.exports",
    "sorter_for": "seetopic.assign",
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
    """Load a public name when it is first asked for, so that the command line starts at once."""
    if name not in _HOMES:
        raise AttributeError(f"module 'seetopic' has no attribute {name!r}")
    from importlib import import_module

    return getattr(import_module(_HOMES[name]), name)
