"""SciPy's compiled files, loaded without importing SciPy.

Importing `scipy.sparse` or `scipy.optimize` takes a seventh of a whole `seetopic discover`; the one file that is needed
of each takes hardly any time. These files are not part of SciPy's public interface: if one is not there, or not as
expected, whoever asks for it imports SciPy and does the same, with the same bits.
"""

from __future__ import annotations

from functools import cache
from importlib.machinery import PathFinder
from importlib.util import find_spec, module_from_spec
from pathlib import Path
from typing import Any


@cache
def compiled(part: str, file: str, *routines: str) -> Any:
    """A compiled file of a part of SciPy; None if it cannot be loaded from there, or lacks a routine."""
    scipy = find_spec("scipy")
    folders = [str(Path(place) / part) for place in (scipy and scipy.submodule_search_locations) or ()]
    spec = PathFinder.find_spec(f"{__package__}.{file}", folders)
    if spec is None or spec.loader is None:
        return None
    try:
        module = module_from_spec(spec)
        spec.loader.exec_module(module)
    except ImportError:
        return None
    return module if all(hasattr(module, name) for name in routines) else None
