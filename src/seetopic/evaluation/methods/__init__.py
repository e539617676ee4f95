"""Other methods for the same task, and ours by their side: all `run(task, size, random_state) -> Topics`."""

from __future__ import annotations

from importlib import import_module
from importlib.util import find_spec
from typing import cast

from seetopic.errors import MissingExtra, SettingsError
from seetopic.evaluation.methods.contract import Method, Task

# Read in only when asked for: several need packages that only comparisons need.
_WHERE = {
    "default": "presets:default",
    "paper": "presets:paper",
    "released-code": "presets:released_code",
    "no-iter": "presets:no_iter",
    "plm": "plm:run",
    "zero-shot": "zero_shot:run",
    "seeded-lda": "seeded_lda:run",
    "anchored-corex": "anchored_corex:run",
    "labeled-etm": "labeled_etm:run",
    "cate": "cate:run",
    "bertopic-guided": "bertopic:guided",
    "bertopic-zeroshot": "bertopic:zero_shot",
}
METHODS = tuple(_WHERE)
# method -> the package it needs beyond ours, and the extra that brings it
_NEEDS = {
    "seeded-lda": ("tomotopy", "baselines"),
    "anchored-corex": ("corextopic", "baselines"),
    "bertopic-guided": ("bertopic", "bertopic"),
    "bertopic-zeroshot": ("bertopic", "bertopic"),
}


def method_named(name: str) -> Method:
    if name not in _WHERE:
        raise SettingsError(f"there is no method {name!r}; choose from {', '.join(METHODS)}")
    module, function = _WHERE[name].split(":")
    return cast(Method, getattr(import_module(f"seetopic.evaluation.methods.{module}"), function))


def available(name: str) -> bool:
    """Whether all packages that a method needs are installed; none of them is loaded for that."""
    package, _ = _NEEDS.get(name, (None, ""))
    return package is None or find_spec(package) is not None


def require(name: str) -> None:
    """Refuse a method that is unknown, or whose package is missing, before any work."""
    method_named(name)
    if not available(name):
        raise MissingExtra(f"the method {name}", _NEEDS[name][1])


__all__ = ["METHODS", "Method", "Task", "available", "method_named", "require"]
