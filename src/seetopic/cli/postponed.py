"""Postpones the import of modules that SciPy loads but seetopic never uses: a tenth of a second of every command."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from importlib.abc import MetaPathFinder
from importlib.machinery import ModuleSpec, PathFinder
from importlib.util import LazyLoader
from types import ModuleType

_UNUSED = ("numpy.f2py", "numpy.polynomial", "numpy.testing")  # SciPy imports all that NumPy exports


class _OnFirstUse(MetaPathFinder):
    """Finds these modules, which are then loaded when something in them is used, if ever."""

    def find_spec(self, name: str, path: Sequence[str] | None, target: ModuleType | None = None) -> ModuleSpec | None:
        found = PathFinder.find_spec(name, path, target) if name in _UNUSED else None
        if found is not None and found.loader is not None:
            found.loader = LazyLoader(found.loader)
        return found


def postpone_unused() -> None:
    """For a command without threads of others: until Python 3.12, two threads must not be the first to use a module."""
    sys.meta_path.insert(0, _OnFirstUse())
