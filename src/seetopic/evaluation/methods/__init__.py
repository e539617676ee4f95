"""Methods to compare, ours and others, all with the signature `run(task, size, random_state) -> Topics`."""

from __future__ import annotations

from importlib import import_module
from importlib.util import find_spec
from typing import cast

from seetopic.errors import MissingExtra, SettingsError
from seetopic.evaluation.methods.contract import Method, Task

# Imported on demand: several need packages that only comparisons use.
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
# method -> the additional package it needs, and the extra that installs it
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
    """Whether all packages that a method needs are installed; does not import them."""
    package, _ = _NEEDS.get(name, (None, ""))
    return package is None or find_spec(package) is not None


def require(name: str) -> None:
    """Raise an error before any work if a method is unknown or its package is missing."""
    method_named(name)
    if not available(name):
        raise MissingExtra(f"the method {name}", _NEEDS[name][1])


__all__ = ["METHODS", "Method", "Task", "available", "method_named", "require"]
