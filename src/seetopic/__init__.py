"""Name your categories; get, for each, the terms your documents really use for it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from seetopic.version import __version__

if TYPE_CHECKING:
    from seetopic.index import Index
    from seetopic.seeds import Seeds, as_seeds
    from seetopic.topics import RankedTerm, Topic, Topics, discover

_HOMES = {
    "Index": "seetopic.index",
    "RankedTerm": "seetopic.topics",
    "Seeds": "seetopic.seeds",
    "Topic": "seetopic.topics",
    "Topics": "seetopic.topics",
    "as_seeds": "seetopic.seeds",
    "discover": "seetopic.topics",
}

__all__ = ["Index", "RankedTerm", "Seeds", "Topic", "Topics", "__version__", "as_seeds", "discover"]


def __getattr__(name: str) -> Any:
    """Load a public name when it is first asked for, so that the command line starts at once."""
    if name not in _HOMES:
        raise AttributeError(f"module 'seetopic' has no attribute {name!r}")
    from importlib import import_module

    return getattr(import_module(_HOMES[name]), name)
