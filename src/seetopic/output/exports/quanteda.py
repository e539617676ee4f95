"""YAML for quanteda's `dictionary(file = "topics.yml")`: a list of words for each category's name.

In a tree, a category with children contains them, and its own words below the key that quanteda uses for these.
"""

from __future__ import annotations

from typing import Any

from seetopic.corpus import OWN_WORDS
from seetopic.output.exports.dictionary import Dictionary, refuse_marks


def quanteda_yaml(dictionary: Dictionary) -> str:
    import yaml

    refuse_marks(dictionary, "*?", "quanteda reads as a wildcard")
    lists: dict[str, Any] = {}
    nested: dict[tuple[str, ...], dict[str, Any]] = {(): lists}
    parents = {category.path[:-1] for category in dictionary.categories}
    for category in dictionary.categories:
        words: Any = list(category.forms)
        if category.path in parents:
            words = nested[category.path] = {OWN_WORDS: words}
        beside = nested.get(category.path[:-1])
        if beside is None:  # its parent is left out
            lists[category.name] = words
        else:
            beside[category.path[-1]] = words
    # Quote everything: readers differ in what they take for a number, a date or a boolean ("no", "y", "1e3").
    text: str = yaml.safe_dump(
        lists, default_style='"', default_flow_style=False, allow_unicode=True, sort_keys=False, width=float("inf")
    )
    return text
