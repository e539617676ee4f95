"""YAML for quanteda's `dictionary(file = "topics.yml")`: each category's name with the list of its words."""

from __future__ import annotations

from seetopic.output.exports.dictionary import Dictionary, refuse_marks


def quanteda_yaml(dictionary: Dictionary) -> str:
    import yaml

    refuse_marks(dictionary, "*?", "quanteda reads as any letters")
    lists = {category.name: list(category.forms) for category in dictionary.categories}
    # Everything in quotes: readers differ in what they take for a number, a date or a truth value ("no", "y", "1e3").
    text: str = yaml.safe_dump(
        lists, default_style='"', default_flow_style=False, allow_unicode=True, sort_keys=False, width=float("inf")
    )
    return text
